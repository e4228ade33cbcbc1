"""Settings of searches, and of the columns that they split."""

from __future__ import annotations

from treecli.options.directions import directions_of, names_of
from treecli.options.option import ATTRIBUTES, File, Flag, Number, OneOf, Text
from treecli.options.projections import checked_projection
from treecli.options.sampling import ALL, WORDS, checked_features
from treecli.records import dataclass
from treecli.settings.declared import setting

GREEDY = "greedy"
"""The usual search: every node takes the split that is best by itself."""

COST_METHODS = ("eg2", "idx", "csid3")
"""How the cost of an attribute and the gain of a split on it are combined."""


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
    redraw: bool = setting(
        True,
        "With --features: where the drawn attributes cannot split a node, draw more of them; or make it a leaf, as "
        "randomForest and ranger do.",
        Flag(has_opposite=True),
        heading=ATTRIBUTES,
    )
