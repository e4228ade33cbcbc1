"""Settings of a learner: how a tree is grown and how it predicts, in eight groups.

A setting has one flat name, used as its key in model files and by presets, `Settings.of` and `Settings.changed`.
It is the name of the field, except that the policy for missing values is `settings.missing.policy` in Python and
"missing" everywhere else. Each field either declares the option that sets it, or is declared `without_option`: part
of another program's behaviour, which `--like` sets as a whole.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from typing import Any

from treecli.options.directions import directions_of, names_of
from treecli.options.option import (
    ATTRIBUTES,
    CLASSES,
    GENERAL,
    MISSING,
    NUMBERS,
    OUTPUT,
    PRUNING,
    SEARCH,
    SPLITS,
    STOPPING,
    File,
    Flag,
    Kind,
    Number,
    OneOf,
    Option,
    Text,
    chosen,
)
from treecli.options.projections import checked_projection
from treecli.options.sampling import ALL, WORDS, checked_features
from treecli.priors import Priors, priors_of

RANDOM = "random"

THRESHOLDS = ("midpoint", "datavalue", "mean", "median", RANDOM)
"""Positions of a threshold: halfway between neighbours, at a value in the data, at the mean or median, or random."""

ONE_PLACE = ("mean", "median", RANDOM)
"""Values of --threshold that leave one threshold per node and attribute."""

UNSEEN_POLICIES = ("missing", "majority", "error")
"""An unseen label counts as missing, takes the heaviest branch, or is an error."""

LEAF_MODELS = ("constant", "linear")
"""The predictions of leaves for a numeric target."""

ARITHMETICS = ("sums", "shares", "remainders", "c45")
"""How scores are summed: see `Computing.arithmetic`."""

GREEDY = "greedy"
"""The usual search: every node takes the split that is best by itself."""
COST_METHODS = ("eg2", "idx", "csid3")
"""How the cost of an attribute and the gain of a split on it are combined."""

MOST_LABELS = 40
"""With more labels, trying all groupings would take more than a day."""


def setting(
    default: Any,
    help: str,
    kind: Kind,
    *,
    key: str | None = None,
    flag: str | None = None,
    heading: str | None = None,
    metavar: str | None = None,
    shown: bool | str | None = None,
) -> Any:
    """Declare a field that an option sets; if `shown` is None, `--help` shows the default if there is one.

    `key` is the flat name, if that is not the field's name; `flag` is the option's name, if that is not derived from
    the key; `heading` is the option's heading in `--help`, if that is not the group's.
    """
    if shown is None:
        shown = default is not None and not isinstance(kind, Flag)
    typed = {"help": help, "kind": kind, "heading": heading, "metavar": metavar, "shown": shown}
    return field(default=default, metadata={"key": key, "flag": flag, "help": help, "typed": typed})


PROPOSED = OneOf(folder="features", having="propose")
"""The kinds of derived columns that a tree finds while it grows."""


def splits_of(text: str) -> tuple[str, ...]:
    """Return the kinds of derived columns in an option's text."""
    words = (word.strip() for word in text.split(","))
    return tuple(dict.fromkeys(chosen(word, "--splits", PROPOSED.known) for word in words))


def without_option(default: Any, help: str, by: str = "--like") -> Any:
    """Declare a field without an option of its own: set by a preset, or `by` another setting's option."""
    return field(default=default, metadata={"key": None, "help": help, "typed": None, "by": by})


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
class Predicting:
    """Settings of predictions; priors and costs also affect impurity."""

    unseen: str = setting(
        "missing",
        "At prediction, a label that the training data did not have: counts as missing, takes the heaviest branch "
        "(majority), or is an error.",
        OneOf(UNSEEN_POLICIES),
        heading=MISSING,
    )
    # "equal", or a share for each label; None: as in the data.
    priors: Priors = setting(
        None,
        "The share that each class is taken to have.  [default: observed]",
        Text(priors_of),
        metavar="observed|equal|LABEL=P,…",
    )
    laplace: bool = setting(False, "Smooth class probabilities: add one case to each class of a leaf.", Flag())
    # None: 1 for each error.
    costs: tuple[tuple[float, ...], ...] | None = setting(
        None, "A CSV file: the cost of predicting one class (column) for a case of another (row).", File()
    )
    leaf_model: str = setting(
        "constant",
        "What a leaf predicts for a numeric target: the mean or median (constant), or a linear function of the "
        "attributes that the splits below the node asked about before pruning (linear).  [default: constant; --like "
        "m5p: linear]",
        OneOf(LEAF_MODELS),
        heading=NUMBERS,
        shown=False,
    )
    smooth: bool | None = setting(
        None,
        "Whether to mix what a leaf predicts with the models of the nodes above it.  [default: smooth with "
        "--leaf-model linear and --like m5p, else no-smooth]",
        Flag(has_opposite=True),
        heading=NUMBERS,
    )
    single_precision: bool = without_option(
        False, "Numbers are rounded to 32 bits, in training and at prediction, as in scikit-learn."
    )

    @property
    def smooths(self) -> bool:
        """Whether leaves are smoothed."""
        return self.leaf_model == "linear" if self.smooth is None else self.smooth

    @property
    def has_models(self) -> bool:
        """Whether nodes have models of their own."""
        return self.leaf_model != "constant" or self.smooths


@dataclass(frozen=True, slots=True)
class Computing:
    """How scores are computed, which of them are recorded, and the seed."""

    arithmetic: str = without_option(
        "sums",
        "How scores are computed: sums, where scores that differ by less than the tolerance are equal; or as rpart "
        "(shares), scikit-learn (remainders) or C4.5 (c45) does, so that ties are broken as there. A model "
        "records the arithmetic that was used, which is sums if the other settings exclude the program's. Under c45 a "
        "multiway split need not gain anything, though zero_gain is off.",
    )
    tolerance: float = without_option(1e-9, "Scores and weights that differ by less are equal.")
    competitors: int = setting(
        0,
        "Keep the K next best splits of each node in the model, for 'show --details'.",
        Number(0, is_whole=True),
        heading=OUTPUT,
        metavar="K",
    )
    seed: int = setting(0, "The seed for all random choices.", Number(0, is_whole=True), metavar="N")


@dataclass(frozen=True, slots=True)
class Searching:
    """How the tree is searched for; each setting but the first is for some of the searches."""

    search: str = setting(
        GREEDY,
        "How to search for a tree: each node takes the split that is best by itself (greedy) or by the gain of the "
        "subtree of K further levels (lookahead[:K], 1 if not given), or it splits on the attribute that gains most "
        "often under random weights (skewing[:TRIALS], 30 if not given) or under weights that favour the values of one "
        "attribute at a time (skewing-sequential); or the tree of up to DEPTH levels, from 1 to 4, with the least "
        "training errors, proved (optimal:DEPTH). --like m5p sets m5, the search of M5 model trees.",
        Text(known=OneOf(folder="searches")),
        metavar="NAME[:N]",
    )
    beam: int | None = setting(
        None,
        "With --search lookahead: look ahead only from the B splits of each attribute that gain most by themselves.",
        Number(1, is_whole=True),
        metavar="B",
        shown="all splits",
    )
    most_work: float = setting(
        3e9,
        "With --search lookahead: refuse a search of more than about N steps; a million take up to half a second.",
        Number(0.0, min_open=True),
        metavar="N",
        shown="3e9",
    )
    skew: float = setting(
        0.75,
        "With --search skewing and skewing-sequential: the weight of a favoured value; the others share the rest.",
        Number(0.5, 1.0, min_open=True, max_open=True),
        metavar="S",
    )
    skew_gain: float = setting(
        0.05,
        "With --search skewing: the share of a trial's impurity that an attribute must gain to be counted.",
        Number(0.0, 1.0),
        metavar="G",
    )
    penalty: float = setting(
        0.0,
        "With --search optimal: the tree with the least errors plus P for each leaf, not with the least errors.",
        Number(0.0),
        metavar="P",
    )
    time_limit: float | None = setting(
        None,
        "With --search optimal: stop after S seconds with the best tree so far, and tell how many errors any tree has "
        "at least; then the tree depends on the speed of the machine.",
        Number(0.0, min_open=True),
        metavar="S",
    )


@dataclass(frozen=True, slots=True)
class Inputs:
    """Which columns are split, in which order and direction, and at which cost."""

    project: str | None = setting(
        None,
        "Grow the tree on K random linear combinations of the standardized numeric attributes, not on the attributes: "
        "with normal coefficients (gaussian), with a share of 1 - 1/S zeros (sparse; S is 3 if not given), or "
        "with as many combinations as keep all squared distances within a factor of 1 ± EPS (jl).",
        Text(checked_projection, known=OneOf(("gaussian:", "sparse:", "jl:"))),
        metavar="gaussian:K|sparse:K[:S]|jl:EPS",
    )
    winnow: bool = setting(
        False,
        "Leave out attributes that do not help to predict half of the rows from the other half, as C5.0 does.",
        Flag(),
    )
    force: tuple[str, ...] | None = setting(
        None,
        "Split on these attributes first, in this order (separated by commas), on every path where they can split.",
        Text(names_of),
        metavar="NAME,…",
    )
    monotone: tuple[str, ...] | None = setting(
        None,
        "What is predicted must not fall (+) or not rise (-) as these attributes rise: the mean of a numeric target, "
        "or the probability of the second of two classes, or of the upper classes of an ordinal target.",
        Text(directions_of),
        metavar="NAME=+|NAME=-,…",
    )
    attribute_costs: tuple[tuple[str, float], ...] | None = setting(
        None,
        "A CSV file with lines of an attribute and the cost of measuring it: cheap attributes are preferred.",
        File(),
    )
    cost_method: str = setting(
        "eg2",
        "With --attribute-costs: rank by (2^gain - 1) / (cost + 1)^W (eg2), gain / cost (idx) or gain² / cost (csid3).",
        OneOf(COST_METHODS),
    )
    cost_weight: float = setting(
        1.0, "With --cost-method eg2: the exponent W; 0 ignores costs.", Number(0.0, 1.0), metavar="W"
    )


@dataclass(frozen=True, slots=True)
class Sampling:
    """Random choices at the nodes; they follow from the seed, the number of the tree and the node's place in it."""

    features: str = setting(
        ALL,
        "Draw attributes at random at every node, and split on the best of them: the square root, the logarithm or a "
        "third of their number, N attributes, or a share F of them, as in 0.5. More are drawn until one can split.",
        Text(checked_features, known=OneOf(tuple(WORDS))),
        metavar="sqrt|log2|third|all|N|F",
        heading=ATTRIBUTES,
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """How a tree is grown and how it predicts; the defaults grow the textbook's full tree."""

    splitting: Splitting = Splitting()
    stopping: Stopping = Stopping()
    missing: Missing = Missing()
    predicting: Predicting = Predicting()
    computing: Computing = Computing()
    searching: Searching = Searching()
    inputs: Inputs = Inputs()
    sampling: Sampling = Sampling()

    @classmethod
    def of(cls, **values: Any) -> Settings:
        """Return the default settings, changed for the given flat names."""
        return cls().changed(**values)

    def changed(self, **values: Any) -> Settings:
        """Return a copy with other values for the given flat names."""
        by_group: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            if key not in PLACES:
                raise TypeError(f"there is no setting '{key}'")
            group, name = PLACES[key]
            by_group.setdefault(group, {})[name] = value
        return replace(self, **{group: replace(getattr(self, group), **own) for group, own in by_group.items()})

    def value(self, key: str) -> Any:
        """Return the value of the setting with this flat name."""
        group, name = PLACES[key]
        return getattr(getattr(self, group), name)

    def flat(self) -> dict[str, Any]:
        """Return all values by flat name, in the order of a model file."""
        return {key: self.value(key) for key in WIRE}


GROUPS: dict[str, type[Any]] = {
    "splitting": Splitting,
    "stopping": Stopping,
    "missing": Missing,
    "predicting": Predicting,
    "computing": Computing,
    "searching": Searching,
    "inputs": Inputs,
    "sampling": Sampling,
}

HEADINGS = {
    "splitting": SPLITS,
    "stopping": STOPPING,
    "missing": MISSING,
    "predicting": CLASSES,
    "computing": GENERAL,
    "searching": SEARCH,
    "inputs": ATTRIBUTES,
    "sampling": ATTRIBUTES,
}
"""The heading of each group's options in `--help`, unless a field declares its own."""

FIELDS: dict[str, tuple[str, Field[Any]]] = {
    own.metadata.get("key") or own.name: (group, own) for group in GROUPS for own in fields(GROUPS[group])
}
"""The group and the field of each flat name."""

PLACES = {key: (group, own.name) for key, (group, own) in FIELDS.items()}
"""The group of each flat name, and the name of the field there."""

WIRE = (
    *("criterion", "nominal", "threshold", "missing", "unseen", "max_depth", "min_split", "min_leaf", "min_gain"),
    *("max_leaves", "chi2_alpha", "discretize", "merge_alpha", "zero_gain", "tolerance", "value_gap", "branch_share"),
    *("most_branch_share", "cut_cost", "many_labels", "collapse", "laplace", "priors", "costs", "cp", "counts_rows"),
    *("arithmetic", "least_share", "most_exhaustive", "is_strict", "blank_rows", "max_surrogates", "surrogate_slip"),
    *(
        "competitors",
        "usual_criterion",
        "gain_of_all",
        "single_precision",
        "pure_impurity",
        "seed",
        "insists",
        "splits",
        "search",
        "beam",
        "most_work",
        "skew",
        "skew_gain",
        "penalty",
        "time_limit",
        "leaf_model",
        "smooth",
    ),
    *(own.name for own in fields(Inputs)),
    *(own.name for own in fields(Sampling)),
)
"""The order of the settings in a model file."""

NO_OPTION = "no option yet"
"""Stands for the option of a setting whose choices are members of an empty family."""

LATER = (
    "insists",
    "splits",
    *(own.name for own in fields(Searching)),
    "leaf_model",
    "smooth",
    *(own.name for own in fields(Inputs)),
    *(own.name for own in fields(Sampling)),
)
"""Settings that model files contain only if they differ from the default: the first files did not have them."""


def recorded(settings: Settings) -> dict[str, Any]:
    """Return the settings as written to a model file."""
    usual = Settings()
    return {key: value for key, value in settings.flat().items() if key not in LATER or value != usual.value(key)}


@cache
def options() -> dict[str, Option]:
    """Return the options that set single settings, by flat name, in the order of the fields."""
    found = {}
    for key, (group, own) in FIELDS.items():
        typed = own.metadata.get("typed")
        if typed is not None:
            flag = own.metadata["flag"] or f"--{key.replace('_', '-')}"
            heading = typed["heading"] or HEADINGS[group]
            found[key] = Option(key=key, flag=flag, default=own.default, **typed | {"heading": heading})
    return found


def set_by(key: str) -> str:
    """Return the option that sets a setting: its own, or that of `by`, such as --like."""
    return options()[key].flag if key in options() else str(FIELDS[key][1].metadata.get("by", NO_OPTION))
