"""Everything that fixes a learner."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

NOMINAL_SPLITS = ("multiway", "binary", "subset", "merged")
"""How a nominal attribute may be split: a branch for each label, one label against the rest, two groups of labels, or
a branch for all labels that hardly differ."""

UNSEEN_POLICIES = ("missing", "majority", "error")
"""A label that the model has not seen counts as a missing value, or takes the heaviest branch, or is refused."""

ARITHMETICS = ("sums", "shares", "remainders", "c45")
"""How scores are summed: see `arithmetic`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a tree is grown and how it predicts; the defaults are the textbook's full tree.

    `criterion` None: the usual one for a nominal target, variance for a numeric one.
    `min_split` None: twice `min_leaf`.
    `usual_criterion`: the criterion for a nominal target where none is given.
    `min_gain` None: any split is allowed, also one that gains nothing, without which XOR cannot be learned; with
    `zero_gain` off, a split must gain more than the tolerance.
    `tolerance`: scores and weights that differ by less are equal.
    `gain_of_all`: min_gain is asked of the gain times the node's share of all cases.
    `value_gap`: a threshold parts two values only if they are further apart.
    `single_precision`: numbers are rounded to 32 bits, in training and at prediction.
    `pure_impurity`: a numeric target varies no more where its impurity is no larger; None: than a tiny share of that of
    all cases.
    `branch_share`: each branch of a threshold holds at least this share of the known cases per class, up to
    `most_branch_share` cases, as C4.5 asks of it.
    `cut_cost`: a numeric attribute pays log2(thresholds tried) / cases bits of its gain, as in C4.5 release 8.
    `many_labels`: a nominal attribute with labels for at least this share of the rows does not count in the average
    gain of the gain ratio.
    `laplace`: at prediction, each class counts one case more than it has.
    `collapse`: after growing, a node whose leaves make no fewer errors than itself becomes a leaf.
    `priors`: how frequent the classes are taken to be, whatever the data say: "equal", or a share for each label; None:
    as in the data. `costs`: what it costs to take a case of one class (row) for one of another (column); None: 1.
    Both change what counts as impure, and the label of a node is the one of least expected cost.
    `cp`: after growing, splits go that lower the risk by no more than this share of the root's, as in rpart; a node
    whose own risk is no more than that is not split at all.
    `counts_rows`: min_split and min_leaf count rows, not weights.
    `arithmetic`: "sums", where scores that differ by less than the tolerance are equal; or "shares", which adds up the
    scores of two-way splits as rpart does, so that ties fall as they do there; or "remainders", the same for
    scikit-learn; or "c45", the 32-bit floats of C4.5 release 8, under which a multiway split need not gain anything
    though `zero_gain` is off.
    `least_share`: a split must improve on its node by more than this share of the best improvement of any node.
    `most_exhaustive`: up to this many labels, subset splits try every grouping, as long as that takes seconds.
    `insists`: they do so however long it takes.
    `is_strict`: a value that equals a threshold takes the upper branch, not the lower one.
    `blank_rows`: rows without any known value count too.
    `max_surrogates`: where missing values go by surrogates, this many are kept for each split.
    `surrogate_slip`: a nominal attribute is a surrogate if it sends two cases or more wrong and two right, where two
    each way are meant: a slip in rpart.
    `discretize`: how numeric attributes are cut into bins, a branch each: "none", "mdlp", "frequency:10", "width:10".
    `merge_alpha`: where labels are merged (`nominal` "merged"), two stay apart if the p-value of their difference is no
    larger.
    `competitors`: so many splits that came next are kept with each split, to be shown.
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
    discretize: str = "none"
    merge_alpha: float = 0.05
    zero_gain: bool = True
    tolerance: float = 1e-9
    value_gap: float = 0.0
    branch_share: float = 0.0
    most_branch_share: float = 25.0
    cut_cost: bool = False
    many_labels: float | None = None
    collapse: bool = False
    laplace: bool = False
    priors: str | dict[str, float] | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    cp: float | None = None
    counts_rows: bool = False
    arithmetic: str = "sums"
    least_share: float = 0.0
    most_exhaustive: int = 10
    is_strict: bool = False
    blank_rows: bool = True
    max_surrogates: int = 5
    surrogate_slip: bool = False
    competitors: int = 0
    usual_criterion: str = "gainratio"
    gain_of_all: bool = False
    single_precision: bool = False
    pure_impurity: float | None = None
    seed: int = 0
    insists: bool = False


LATER = ("insists",)
"""The settings that model files name only where they differ from the default: the first files did not have them."""


def recorded(settings: Settings) -> dict[str, Any]:
    """The settings as a model file holds them."""
    usual = Settings()
    values = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return {name: value for name, value in values.items() if name not in LATER or value != getattr(usual, name)}
