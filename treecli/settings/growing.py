"""Settings of growing: which splits are tried, where growing stops, missing values, and arithmetic."""

from __future__ import annotations

from treecli import plugins
from treecli.options.option import OUTPUT, PRUNING, SPLITS, Flag, Number, OneOf, Text, chosen
from treecli.records import dataclass
from treecli.settings.declared import setting, without_option

RANDOM = "random"

THRESHOLDS = ("midpoint", "datavalue", "mean", "median", RANDOM)
"""Positions of a threshold: halfway between neighbours, at a value in the data, at the mean or median, or random."""

ONE_PLACE = ("mean", "median", RANDOM)
"""Values of --threshold that leave one threshold per node and attribute."""

ARITHMETICS = {"sums": "sums", "shares": "rpart", "remainders": "sklearn", "c45": "c45", "c50": "c50"}
"""The scorer of each arithmetic that a model file names: see `Computing.arithmetic`. Other scorers go by their name."""

MEDIANS = "medians"
"""The scorer of the criterion `absolute`, whatever the arithmetic."""


def arithmetics() -> tuple[str, ...]:
    """Return the values of the setting `arithmetic`."""
    taken = {*ARITHMETICS.values(), MEDIANS}
    return (*ARITHMETICS, *(name for name in plugins.names("scorers") if name not in taken))


MOST_LABELS = 40
"""With more labels, trying all groupings would take more than a day."""

PROPOSED = OneOf(folder="features", having="propose")
"""The kinds of derived columns that a tree finds while it grows."""


def splits_of(text: str) -> tuple[str, ...]:
    """Return the kinds of derived columns in an option's text."""
    words = (word.strip() for word in text.split(","))
    return tuple(dict.fromkeys(chosen(word, "--splits", PROPOSED.known) for word in words))


@dataclass(frozen=True, slots=True)
class Splitting:
    """Which splits are tried, and how they are scored."""

    criterion: str | None = setting(
        None, "How splits are scored.  [default: gainratio; variance for a numeric target]", OneOf(folder="criteria")
    )
    usual_criterion: str = without_option("gainratio", "The criterion for a nominal target where none is given.")
    nominal: str = setting(
        "multiway",
        "Splits on nominal attributes: a branch for each label (multiway), one label against the rest (binary), "
        "two groups of labels (subset), or a branch for each group of labels that hardly differ (merged; ordinal "
        "attributes too).",
        OneOf(folder="nominal"),
    )
    most_exhaustive: int = setting(
        10,
        "With --nominal subset and three classes or more: try every grouping of up to N labels, which takes twice as "
        "long for each label more; beyond, groupings in the order of a principal component.  [default: 10; --like "
        "rpart: 30, as long as that takes seconds]",
        Number(0, MOST_LABELS, is_whole=True),
        flag="--exhaustive",
        metavar="N",
        shown=False,
    )
    insists: bool = without_option(
        False, "Every grouping of up to most_exhaustive labels is tried, however long it takes.", by="--exhaustive"
    )
    threshold: str = setting(
        "midpoint",
        "Where a threshold lies: halfway between two neighbouring values (midpoint), at the largest value in the data "
        "not above that (datavalue), or only at the mean or the median of the node's values, or at a random number "
        "between the least and the greatest of them (random).",
        OneOf(THRESHOLDS),
    )
    splits: tuple[str, ...] | None = setting(
        None,
        "Also try splits on several attributes, of these kinds (separated by commas): at least m of n conditions "
        "(mofn), a weighted sum of numeric attributes (linear).",
        Text(splits_of, known=PROPOSED),
        metavar="KIND,…",
    )
    discretize: str = setting(
        "none",
        "Cut numeric attributes into bins, a branch for each: by entropy and description length (mdlp, or mdlp-better "
        "with Weka's better encoding), K bins of equal width, or K bins with about equally many cases.",
        Text(known=OneOf(("none",), folder="discretizers")),
        metavar="none|mdlp|mdlp-better|width:K|frequency:K",
    )
    cut_cost: bool = setting(
        False,
        "Subtract log2(number of thresholds) / cases from a numeric attribute's gain, as C4.5 does.  [default: "
        "no-cut-cost; with --like as that program]",
        Flag(has_opposite=True),
    )
    merge_alpha: float = setting(
        0.05,
        "With --nominal merged: labels share a branch unless a chi-square test tells them apart at this level.",
        Number(0.0, 1.0),
        metavar="P",
    )
    many_labels: float | None = without_option(
        None,
        "A nominal attribute with labels for at least this share of the rows does not count in the average gain of "
        "the gain ratio.",
    )
    value_gap: float = without_option(0.0, "A threshold separates two values only if they are further apart.")
    is_strict: bool = without_option(
        False, "A value that equals a threshold takes the upper branch, not the lower one, as in rpart."
    )
    branch_share: float = without_option(
        0.0,
        "Each branch of a threshold holds at least this share of the known cases per class, up to most_branch_share "
        "cases, as in C4.5.",
    )
    most_branch_share: float = without_option(25.0, "The most cases that branch_share asks for.")


@dataclass(frozen=True, slots=True)
class Stopping:
    """Which nodes become leaves, during growing and right after it."""

    max_depth: int | None = setting(None, "At most N tests from root to leaf.", Number(0, is_whole=True), metavar="N")
    max_leaves: int | None = setting(None, "At most N leaves, grown best first.", Number(1, is_whole=True), metavar="N")
    min_leaf: float = setting(
        1.0, "At least two branches of a split hold N cases or more.", Number(0.0, min_open=True), metavar="N"
    )
    min_split: float | None = setting(
        None,
        "A node with fewer than N cases becomes a leaf.",
        Number(0.0),
        metavar="N",
        shown="twice --min-leaf",
    )
    counts_rows: bool = without_option(False, "min_split and min_leaf count rows, not weights.")
    min_gain: float | None = setting(
        None, "The least gain of a split (in bits for gain and gainratio).", Number(0.0), metavar="X"
    )
    # Off: a split must gain more than the tolerance.
    zero_gain: bool = setting(
        True,
        "Whether to accept a split that gains nothing, without which XOR cannot be learned.  [default: zero-gain; "
        "with --like as that program]",
        Flag(has_opposite=True),
        heading=SPLITS,
    )
    gain_of_all: bool = without_option(
        False, "min_gain is compared with the gain times the node's share of all cases, as in scikit-learn."
    )
    least_share: float = without_option(
        0.0, "A split must improve on its node by more than this share of the best improvement of any node."
    )
    chi2_alpha: float | None = setting(
        None, "Only splits that are significant at this level by a chi-square test.", Number(0.0, 1.0), metavar="P"
    )
    pure_impurity: float | None = without_option(
        None,
        "A node with a numeric target is pure if its impurity is no larger; null: than a tiny share of the impurity "
        "of all cases.",
    )
    collapse: bool = setting(
        False,
        "Replace a subtree by a leaf if that makes no more training errors, as C4.5 does.  [default: no-collapse; "
        "with --like as that program]",
        Flag(has_opposite=True),
        heading=PRUNING,
    )
    cp: float | None = without_option(
        None,
        "After growing, splits go that lower the risk by no more than this share of the root's, as in rpart; a node "
        "whose own risk is no more than that is not split at all.",
        by="--like rpart --cp",
    )
    pure_share: float = without_option(
        1.0, "A node in which one class has at least this share of the weight is a leaf, as in C5.0."
    )
    collapse_share: float | None = without_option(
        None,
        "After growing, a subtree goes whose leaves make at least this share of the errors that its node makes as a "
        "leaf, as in C5.0.",
    )
    leaf_rate: float | None = without_option(
        None,
        "After growing, a subtree goes that has more leaves than this number times its weight, rounded, as in C5.0's "
        "boosting after the first tree.",
        by="--like c50 --boost",
    )
    merges_leaves: bool = without_option(
        False, "After pruning, leaves of one split by label that predict the same share a branch, as in C5.0."
    )


@dataclass(frozen=True, slots=True)
class Missing:
    """Handling of cases with missing values."""

    policy: str = setting(
        "fractional",
        "A case whose value is missing goes down every branch with part of its weight (fractional), follows similar "
        "tests on other attributes (surrogate), takes the heaviest branch (majority), is treated as one more value "
        "(branch), ends at this node (stay), or is an error.",
        OneOf(folder="missing"),
        key="missing",
    )
    max_surrogates: int = setting(
        5,
        "With --missing surrogate: how many surrogate tests a split keeps.",
        Number(0, is_whole=True),
        metavar="K",
    )
    surrogate_slip: bool = without_option(
        False,
        "A nominal attribute is a surrogate if it sends two cases or more wrong and two right, where two each way are "
        "meant: a bug in rpart.",
    )
    blank_rows: bool = without_option(True, "Rows without any known value count too.")


@dataclass(frozen=True, slots=True)
class Computing:
    """How scores are computed, which of them are recorded, and the seed."""

    arithmetic: str = without_option(
        "sums",
        "How scores are computed: sums, where scores that differ by less than the tolerance are equal; or as rpart "
        "(shares), scikit-learn (remainders) or C4.5 (c45) does, so that ties are broken as there. A model "
        "records the arithmetic that was used, which is sums if the other settings exclude the program's. Under c45 a "
        "multiway split need not gain anything, though zero_gain is off. c50 computes sums and compares splits as "
        "C5.0 does.",
    )
    tolerance: float = without_option(1e-9, "Scores and weights that differ by less are equal.")
    competitors: int = setting(
        0,
        "Keep the K next best splits of each node in the model, for 'show --details'.",
        Number(0, is_whole=True),
        heading=OUTPUT,
        metavar="K",
    )
    ties: float | None = setting(
        None,
        "Record in the model which splits tie with the best of their node, or score less than X below it, and the rule "
        "that decided; for 'show --details'.  [without =X: 0.01]",
        Number(0.0, implied="0.01"),
        heading=OUTPUT,
        metavar="[=X]",
    )
    seed: int = setting(0, "The seed for all random choices.", Number(0, is_whole=True), metavar="N")

    @property
    def is_observed(self) -> bool:
        """Whether nodes get notes about the splits that were not chosen."""
        return self.competitors > 0 or self.ties is not None
