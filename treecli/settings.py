"""Everything that fixes a learner."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """How a tree is grown and how it predicts; the defaults are the textbook's full tree.

    `criterion` None: gain ratio for a nominal target, variance for a numeric one.
    `min_gain` None: any split is allowed, also one that gains nothing, without which XOR cannot be learned.
    """

    criterion: str | None = None
    nominal: str = "multiway"
    threshold: str = "midpoint"
    missing: str = "fractional"
    unseen: str = "missing"
    max_depth: int | None = None
    min_split: float = 2.0
    min_leaf: float = 1.0
    min_gain: float | None = None
    max_leaves: int | None = None
    chi2_alpha: float | None = None
    seed: int = 0
