"""Everything that fixes a learner: how a tree is grown and how it predicts, in five groups.

A setting has one flat name: its key in a model file, and what presets, `Settings.of` and `Settings.changed` call it.
It is the name of the field, except that the policy for missing values is `settings.missing.policy` in Python and
"missing" everywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

NOMINAL_SPLITS = ("multiway", "binary", "subset", "merged")
"""How a nominal attribute may be split: a branch for each label, one label against the rest, two groups of labels, or
a branch for each group of labels that hardly differ."""

UNSEEN_POLICIES = ("missing", "majority", "error")
"""A label that the model has not seen counts as a missing value, or takes the heaviest branch, or is refused."""

ARITHMETICS = ("sums", "shares", "remainders", "c45")
"""How scores are summed: see `Computing.arithmetic`."""


@dataclass(frozen=True, slots=True)
class Splitting:
    """Which splits are tried, and how they are scored.

    `criterion` None: `usual_criterion` for a nominal target, variance for a numeric one.
    `discretize`: how numeric attributes are cut into bins, a branch each: "none", "mdlp", "frequency:10", "width:10".
    `most_exhaustive`: up to this many labels, subset splits try every grouping, as long as that takes seconds.
    `insists`: they do so however long it takes.
    `merge_alpha`: where labels are merged (`nominal` "merged"), two stay apart if the p-value of their difference is no
    larger.
    `value_gap`: a threshold separates two values only if they are further apart.
    `is_strict`: a value that equals a threshold takes the upper branch, not the lower one.
    `branch_share`: each branch of a threshold holds at least this share of the known cases per class, up to
    `most_branch_share` cases, as in C4.5.
    `cut_cost`: a numeric attribute pays log2(thresholds tried) / cases bits of its gain, as in C4.5 release 8.
    `many_labels`: a nominal attribute with labels for at least this share of the rows does not count in the average
    gain of the gain ratio.
    """

    criterion: str | None = None
    usual_criterion: str = "gainratio"
    nominal: str = "multiway"
    most_exhaustive: int = 10
    insists: bool = False
    threshold: str = "midpoint"
    discretize: str = "none"
    merge_alpha: float = 0.05
    cut_cost: bool = False
    many_labels: float | None = None
    value_gap: float = 0.0
    is_strict: bool = False
    branch_share: float = 0.0
    most_branch_share: float = 25.0


@dataclass(frozen=True, slots=True)
class Stopping:
    """Which nodes stay leaves, and which become leaves again right after growing.

    `min_split` None: twice `min_leaf`.
    `counts_rows`: min_split and min_leaf count rows, not weights.
    `min_gain` None: any split is allowed, also one that gains nothing, without which XOR cannot be learned; with
    `zero_gain` off, a split must gain more than the tolerance.
    `gain_of_all`: min_gain is compared with the gain times the node's share of all cases.
    `least_share`: a split must improve on its node by more than this share of the best improvement of any node.
    `pure_impurity`: a node with a numeric target is pure if its impurity is no larger; None: than a tiny share of the
    impurity of all cases.
    `collapse`: after growing, a node whose leaves make no fewer errors than itself becomes a leaf.
    `cp`: after growing, splits go that lower the risk by no more than this share of the root's, as in rpart; a node
    whose own risk is no more than that is not split at all.
    """

    max_depth: int | None = None
    max_leaves: int | None = None
    min_leaf: float = 1.0
    min_split: float | None = None
    counts_rows: bool = False
    min_gain: float | None = None
    zero_gain: bool = True
    gain_of_all: bool = False
    least_share: float = 0.0
    chi2_alpha: float | None = None
    pure_impurity: float | None = None
    collapse: bool = False
    cp: float | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """What happens to cases whose value is missing.

    `max_surrogates`: where missing values go by surrogates, this many are kept for each split.
    `surrogate_slip`: a nominal attribute is a surrogate if it sends two cases or more wrong and two right, where two
    each way are meant: a bug in rpart.
    `blank_rows`: rows without any known value count too.
    """

    policy: str = field(default="fractional", metadata={"key": "missing"})
    max_surrogates: int = 5
    surrogate_slip: bool = False
    blank_rows: bool = True


@dataclass(frozen=True, slots=True)
class Predicting:
    """What the model predicts.

    `laplace`: each class counts one case more than it has.
    `priors`: the shares that the classes are taken to have, instead of those in the data: "equal", or a share for each
    label; None: as in the data. `costs`: the cost of predicting one class (column) for a case of another (row); None:
    1. Both change what counts as impure, and a node predicts the label of least expected cost.
    `single_precision`: numbers are rounded to 32 bits, in training too.
    """

    unseen: str = "missing"
    laplace: bool = False
    priors: str | dict[str, float] | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    single_precision: bool = False


@dataclass(frozen=True, slots=True)
class Computing:
    """How scores are computed, and what is recorded of them.

    `arithmetic`: "sums", where scores that differ by less than the tolerance are equal; or "shares", which adds up the
    scores of two-way splits as rpart does, so that ties fall as they do there; or "remainders", the same for
    scikit-learn; or "c45", the 32-bit floats of C4.5 release 8, under which a multiway split need not gain anything
    though `zero_gain` is off.
    `tolerance`: scores and weights that differ by less are equal.
    `competitors`: this many next best splits are kept with each split, to be shown.
    """

    arithmetic: str = "sums"
    tolerance: float = 1e-9
    competitors: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """How a tree is grown and how it predicts; the defaults are the textbook's full tree."""

    splitting: Splitting = Splitting()
    stopping: Stopping = Stopping()
    missing: Missing = Missing()
    predicting: Predicting = Predicting()
    computing: Computing = Computing()

    @classmethod
    def of(cls, **values: Any) -> Settings:
        """The default settings, changed where a flat name is given."""
        return cls().changed(**values)

    def changed(self, **values: Any) -> Settings:
        """The same settings with other values for some flat names."""
        by_group: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            if key not in PLACES:
                raise TypeError(f"there is no setting '{key}'")
            group, name = PLACES[key]
            by_group.setdefault(group, {})[name] = value
        return replace(self, **{group: replace(getattr(self, group), **own) for group, own in by_group.items()})

    def value(self, key: str) -> Any:
        """The value of the setting with this flat name."""
        group, name = PLACES[key]
        return getattr(getattr(self, group), name)

    def flat(self) -> dict[str, Any]:
        """All values by flat name, in the order of a model file."""
        return {key: self.value(key) for key in WIRE}


GROUPS: dict[str, type[Any]] = {
    "splitting": Splitting,
    "stopping": Stopping,
    "missing": Missing,
    "predicting": Predicting,
    "computing": Computing,
}

PLACES = {own.metadata.get("key", own.name): (group, own.name) for group in GROUPS for own in fields(GROUPS[group])}
"""The group and the field of each flat name."""

WIRE = (
    *("criterion", "nominal", "threshold", "missing", "unseen", "max_depth", "min_split", "min_leaf", "min_gain"),
    *("max_leaves", "chi2_alpha", "discretize", "merge_alpha", "zero_gain", "tolerance", "value_gap", "branch_share"),
    *("most_branch_share", "cut_cost", "many_labels", "collapse", "laplace", "priors", "costs", "cp", "counts_rows"),
    *("arithmetic", "least_share", "most_exhaustive", "is_strict", "blank_rows", "max_surrogates", "surrogate_slip"),
    *("competitors", "usual_criterion", "gain_of_all", "single_precision", "pure_impurity", "seed", "insists"),
)
"""The order of the settings in a model file."""

LATER = ("insists",)
"""The settings that model files name only where they differ from the default: the first files did not have them."""


def recorded(settings: Settings) -> dict[str, Any]:
    """The settings as a model file holds them."""
    usual = Settings()
    return {key: value for key, value in settings.flat().items() if key not in LATER or value != usual.value(key)}
