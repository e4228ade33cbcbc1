"""Everything that fixes a learner."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """How a tree is grown and how it predicts; the defaults are the textbook's full tree.

    `criterion` None: gain ratio for a nominal target, variance for a numeric one.
    `min_split` None: twice `min_leaf`.
    `min_gain` None: any split is allowed, also one that gains nothing, without which XOR cannot be learned; with
    `zero_gain` off, a split must gain more than the tolerance.
    `tolerance`: scores and weights that differ by less are equal.
    `value_gap`: a threshold parts two values only if they are further apart.
    `branch_share`: each branch of a threshold holds at least this share of the known cases per class, up to
    `most_branch_share` cases, as C4.5 asks of it.
    `cut_cost`: a numeric attribute pays log2(thresholds tried) / cases bits of its gain, as in C4.5 release 8.
    `many_labels`: a nominal attribute with labels for at least this share of the rows does not count in the average
    gain of the gain ratio.
    `collapse`: after growing, a node whose leaves make no fewer errors than itself becomes a leaf.
    """

    criterion: str | None = None
    nominal: str = "multiway"
    threshold: str = "midpoint"
    missing: str = "fractional"
    unseen: str = "missing"
    max_depth: int | None = None
    min_split: float | None = None
    min_leaf: float = 1.0
    min_gain: float | None = None
    max_leaves: int | None = None
    chi2_alpha: float | None = None
    zero_gain: bool = True
    tolerance: float = 1e-9
    value_gap: float = 0.0
    branch_share: float = 0.0
    most_branch_share: float = 25.0
    cut_cost: bool = False
    many_labels: float | None = None
    collapse: bool = False
    seed: int = 0
