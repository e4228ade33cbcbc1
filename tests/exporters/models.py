"""Models that are hard to express in another language."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from tests.contracts.members.features import literals, weighted
from tests.contracts.members.leaves import line
from tests.ensembles.examples import boosted_of, confident_of, forest_of
from tests.example_models import (
    EVERY_KIND,
    PLAYTENNIS,
    Inner,
    chain,
    every_kind,
    iris_like,
    model_of,
    playtennis,
    regression,
)
from treecli.data import Attribute, Dataset, Schema
from treecli.exporters import Options
from treecli.expressions import Holds, Value
from treecli.leaves import constant
from treecli.leaves.linear import Line
from treecli.model import Model, TreeModel
from treecli.rules import rulelist
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList
from treecli.settings import Settings
from treecli.splits import binary, bins, multiway, subset, threshold
from treecli.splits._surrogate import Surrogate
from treecli.tree import ALL_BRANCHES, STAYS
from treecli.values import Interval, Labels
from treecli.verifiers import verify

HOSTILE_NAMES = ('"; DROP TABLE x; --', "</script>", "*/", "line\nbreak", "`\\u002a/", "int", "weight_1", "__proto__")
HOSTILE_LABELS = ("it's", 'say "x"', "back\\slash", "*/ ??/", "new\nline", "naïve 🌲", "", "%s {x} ${x}", "\\u000a")


def verified(target: str, artefact: str | bytes, model: Model, options: Options) -> int:
    """The number of probes for which an artefact predicts as its model; raises CheckError unless these are all."""
    columns = [np.empty(0, np.float64 if each.is_numeric else np.int32) for each in model.schema.attributes]
    no_rows = Dataset(model.schema, columns, None, np.empty(0))
    return verify(target, artefact, model, options, no_rows, "no data").n_probes


def to_one_branch(model: TreeModel, missing_to: int = 0) -> TreeModel:
    """The model with missing values that went down all branches sent down one, or to the end."""
    ways = (missing_to if way == ALL_BRANCHES else way for way in model.tree.missing_to)
    model.tree.missing_to = array("i", ways)
    return model


def hostile() -> TreeModel:
    """Names and labels that try to end the text, comment or identifier that contains them."""
    attributes = [Attribute(HOSTILE_NAMES[0], "nominal", HOSTILE_LABELS)]
    attributes += [Attribute(name, "numeric") for name in HOSTILE_NAMES[1:]]
    schema = Schema(tuple(attributes), Attribute("</title>*/\n--", "nominal", HOSTILE_LABELS))
    leaves = [tuple(float(place == code) for place in range(len(HOSTILE_LABELS))) for code in range(9)]
    node: Inner | tuple[float, ...] = leaves[0]
    for index in range(1, len(attributes)):
        node = Inner(threshold.Split(index, index / 3), (leaves[index], node), missing_to=index % 2)
    return model_of(schema, Inner(multiway.Split(0, 9), (node, *leaves[1:]), missing_to=3))


def white() -> TreeModel:
    """Labels that differ in white space only, and go down all branches where they are missing."""
    labels = ("a", " a", "a ", "a\r", "a\n", "\t", "", " ", "a  b", "a b", "\u00a0a", "1", "1.0")
    schema = Schema((Attribute("x", "nominal", labels),), Attribute("y", "nominal", labels))
    leaves = tuple(tuple(float(place == code) for place in range(len(labels))) for code in range(len(labels)))
    return model_of(schema, Inner(multiway.Split(0, len(labels)), leaves))


def precise() -> TreeModel:
    """Thresholds and predictions at the limits of doubles, and those that decimals easily miss."""
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("z", "numeric"))
    bounds = (
        -1.7976931348623157e308,
        -0.1,
        -5e-324,
        2.2250738585072014e-308,
        1 / 3,
        0.1 + 0.2,
        2.45,
        9007199254740993.0,
    )
    values = (1e150, -1e-300, 5e-324, 0.1, -0.0, 1 / 3, 123456789.123456789, 2.0**60, -2.5)
    leaves = tuple((1.0, value, 0.0) for value in values)
    return model_of(
        schema,
        Inner(bins.Split(0, bounds), (*leaves[:8], Inner(threshold.Split(1, -0.0), leaves[7:], 1)), missing_to=4),
    )


def surrogates() -> TreeModel:
    """A split whose missing values go by two others, and then stay."""
    model = to_one_branch(
        model_of(
            EVERY_KIND,
            Inner(
                threshold.Split(0, 2.5),
                (Inner(subset.Split(2, (0, 1, 0, -1)), ((3.0, 1.0, 0.0), (1.0, 2.0, 0.0))), (0.0, 0.0, 5.0)),
                missing_to=STAYS,
            ),
        )
    )
    model.tree.surrogates[0] = (
        Surrogate(subset.Split(3, (1, 0, -1)), (0, 1), 0.9, 0.8),
        Surrogate(threshold.Split(1, 1.0), (1, 0), 0.8, 0.6),
    )
    return model


def five_surrogates() -> TreeModel:
    """A split with five surrogates of every kind, above another split on the same attribute with two."""
    schema = Schema(
        (
            Attribute("size", "numeric"),
            Attribute("width", "numeric"),
            Attribute("height", "numeric"),
            Attribute("colour", "nominal", ("red", "green", "blue")),
            Attribute("grade", "ordinal", ("low", "mid", "high", "top")),
            Attribute("weight", "numeric"),
        ),
        Attribute("verdict", "nominal", ("yes", "no", "perhaps")),
    )
    inner = Inner(threshold.Split(0, 1.25), ((9.0, 1.0, 0.0), (1.0, 4.0, 1.0)), missing_to=1)
    model = model_of(schema, Inner(threshold.Split(0, 2.5), (inner, (0.0, 2.0, 8.0)), missing_to=0))
    model.tree.surrogates[0] = (
        Surrogate(threshold.Split(1, 10.1), (0, 1), 0.9, 0.8),
        Surrogate(subset.Split(3, (0, 1, -1)), (1, 0), 0.9, 0.8),
        Surrogate(threshold.Split(4, 1.0), (0, 1), 0.8, 0.7),
        Surrogate(threshold.Split(2, -0.5), (1, 0), 0.8, 0.6),
        Surrogate(threshold.Split(5, 1 / 3), (0, 1), 0.7, 0.5),
    )
    model.tree.surrogates[1] = (
        Surrogate(threshold.Split(2, 7.0), (0, 1), 0.9, 0.8),
        Surrogate(binary.Split(3, 2, 3), (0, 1), 0.8, 0.7),
    )
    return model


def overlapping() -> RuleList:
    """Rules that overlap, as a person writes them: their order decides."""
    yes, no, unknown = range(3)
    rules = (
        Rule((Interval(0, high=2.5), Labels.of(2, (0,))), label=yes),
        Rule((Interval(0, high=7.25), Labels.of(2, (0, 1))), label=no),
        Rule((Interval(0, 1.5, 9.0), Interval(1, high=1.0)), label=unknown),
        Rule((Labels.of(2, (2,), missing=True), Labels.of(3, (0, 2))), label=yes),
    )
    return RuleList(EVERY_KIND, Settings(), (), rules, Rule((), label=no))


def with_costs(model: TreeModel) -> TreeModel:
    """The model with priors, costs and smoothed counts."""
    labels = model.schema.target.labels
    priors = dict(zip(labels, (0.25, 0.25, 0.5), strict=True))
    costs = ((0.0, 1.0, 4.0), (2.0, 0.0, 1.0), (3.0, 7.0, 0.0))
    model.tree.judge_by(priors, costs, labels)
    return replace(model, settings=model.settings.changed(priors=priors, costs=costs, laplace=True))


def with_settings(model: TreeModel, **changed: object) -> TreeModel:
    return replace(model, settings=model.settings.changed(**changed))


def medians() -> TreeModel:
    return replace(to_one_branch(regression()), settings=Settings.of(criterion="absolute"))


def rules(model: TreeModel) -> RuleList:
    return rulelist.of_tree(model)


DERIVED = Schema(
    (
        Attribute("a", "numeric", range=(-2.0, 5.0)),
        Attribute("derived_1", "numeric"),
        Attribute("colour", "nominal", ("red", "green", "it's")),
        Attribute("grade", "ordinal", ("low", "mid", "high")),
        Attribute("times", "numeric"),
    ),
    Attribute("verdict", "nominal", ("yes", "no", "perhaps")),
).with_features(
    [
        weighted.Feature(((1 / 3, 0), (-0.1, 1), (1e-5, 4))),
        literals.Feature(((0, 0.3), (2, (0, 2)), (3, (1, 2)))),
        weighted.Feature(((-7.25, 4),)),
    ]
)


def derived() -> TreeModel:
    """Splits on a weighted sum, on a number of literals that hold, and on attributes that these are made of."""
    left = Inner(
        threshold.Split(6, 1.0), ((5.0, 1.0, 0.0), Inner(threshold.Split(7, -2.0), ((1.0, 3.0, 0.0), (0.0, 1.0, 4.0))))
    )
    right = Inner(
        multiway.Split(2, 3),
        ((0.0, 2.0, 1.0), Inner(threshold.Split(5, 2.5), ((3.0, 0.0, 0.0), (0.0, 4.0, 0.0))), (1.0, 1.0, 5.0)),
    )
    return model_of(DERIVED, Inner(threshold.Split(5, 0.1 + 0.2), (left, right)))


def derived_chain(depth: int) -> TreeModel:
    """A chain of tests of a derived column, too long for one function."""
    model = chain(depth)
    schema = Schema((Attribute("x", "numeric"), Attribute("z", "numeric")), model.schema.target)
    asked = array("i", [-1 if index < 0 else 2 for index in model.tree.attribute])
    tree = replace(model.tree, attribute=asked)
    return replace(model, schema=schema.with_features([weighted.Feature(((1.0, 0), (0.5, 1)))]), tree=tree)


def leaf_models() -> TreeModel:
    """Leaves that predict weighted sums, constants and means, below splits that spread missing values."""
    schema = Schema(DERIVED.attributes, Attribute("y", "numeric"))
    below = Inner(threshold.Split(1, 1.5), ((2.0, 0.0, 0.0), (6.0, 1 / 7, 2.0)))
    right = Inner(
        threshold.Split(0, 3.0), ((4.0, -1.5, 3.0), Inner(threshold.Split(3, 1.0), ((1.0, 8.0, 0.0), (3.0, 2.0, 1.0))))
    )
    model = model_of(schema, Inner(threshold.Split(0, 0.5), (below, right)))
    leaves = [node for node in range(model.tree.n_nodes) if model.tree.is_leaf(node)]
    for number, node in enumerate(leaves[:-1]):
        own = line.Leaf(number / 3 - 1, ((0.1 + number, 0, 0.7), (-1 / 3, 4, 2.0)))
        model.tree.leaf_models[node] = constant.Leaf(-0.1) if number == 1 else own
    return model


def overlapping_formulas() -> RuleList:
    """Rules with formulas of numbers and labels, of which several hold for a row; the last has no condition."""
    schema = Schema(DERIVED.attributes, Attribute("y", "numeric"))
    colour = Holds(2, labels=(0, 2), instead=1.0)
    lines = [Line(0.1, ((Value(0, 0.7), -1 / 3), (colour, 2.5))), Line(0.0, ((Value(4, 2.0), 1e-5),))]
    conditions = [(Interval(0, -1.0, 2.0),), (Interval(0, 0.5), Labels.of(2, [1, 2], missing=True)), ()]
    made = [Rule(own, model=line) for own, line in zip(conditions, [*lines, lines[0]], strict=True)]
    return RuleList(
        schema, Settings(), (), (*made[:2], Rule((Interval(4, 3.0),), value=4.5), made[2]), Rule((), value=1.0)
    )


VOTING_PARTS = ("forest, votes", "boosted", "boosted, confident")
"""Models whose trees vote with parts of rows, for which some dialects of SQL have no expression."""

_MAKERS: dict[str, Callable[[], Model]] = {
    "multiway": lambda: to_one_branch(playtennis()),
    "fractional": playtennis,
    "every kind": every_kind,
    "every kind, one branch": lambda: to_one_branch(every_kind()),
    "every kind, stays": lambda: to_one_branch(every_kind(), STAYS),
    "every kind, unseen majority": lambda: with_settings(every_kind(), unseen="majority"),
    "one branch, unseen majority": lambda: with_settings(to_one_branch(every_kind()), unseen="majority"),
    "unseen error": lambda: with_settings(to_one_branch(every_kind()), unseen="error"),
    "thresholds": lambda: to_one_branch(iris_like()),
    "single precision": lambda: with_settings(to_one_branch(iris_like()), single_precision=True),
    "regression": regression,
    "regression, one branch": lambda: to_one_branch(regression()),
    "medians": medians,
    "precise": precise,
    "surrogates": surrogates,
    "five surrogates": five_surrogates,
    "costs": lambda: with_costs(to_one_branch(every_kind())),
    "costs, fractional": lambda: with_costs(every_kind()),
    "hostile": hostile,
    "white space": lambda: to_one_branch(white()),
    "white space, fractional": white,
    "single leaf": lambda: model_of(PLAYTENNIS, (5.0, 9.0)),
    "deep": lambda: to_one_branch(chain(450)),
    "deep, fractional": lambda: chain(30),
    "derived": derived,
    "derived, one branch": lambda: to_one_branch(derived(), 1),
    "derived, stays": lambda: to_one_branch(derived(), STAYS),
    "derived, unseen majority": lambda: with_settings(derived(), unseen="majority"),
    "derived, unseen error": lambda: with_settings(to_one_branch(derived()), unseen="error"),
    "derived, deep": lambda: to_one_branch(derived_chain(450)),
    "leaf models": leaf_models,
    "leaf models, one branch": lambda: to_one_branch(leaf_models()),
    "leaf models, stays": lambda: to_one_branch(leaf_models(), STAYS),
    "forest": lambda: forest_of(to_one_branch(every_kind())),
    "forest, fractional": lambda: forest_of(every_kind()),
    "forest, stays": lambda: forest_of(to_one_branch(every_kind(), STAYS)),
    "forest, unseen majority": lambda: forest_of(with_settings(every_kind(), unseen="majority")),
    "forest, regression": lambda: forest_of(regression()),
    "forest, surrogates": lambda: forest_of(surrogates()),
    "forest, costs": lambda: forest_of(with_costs(every_kind())),
    "forest, hostile": lambda: forest_of(hostile()),
    "forest, derived": lambda: forest_of(derived()),
    "forest, votes": lambda: forest_of(every_kind(), "majority"),
    "forest, votes, one branch": lambda: forest_of(to_one_branch(every_kind()), "majority"),
    "boosted": lambda: boosted_of(every_kind()),
    "boosted, confident": lambda: confident_of(every_kind()),
    "boosted, confident, one branch": lambda: confident_of(to_one_branch(every_kind())),
    "boosted, one branch": lambda: boosted_of(to_one_branch(every_kind())),
    "rules": lambda: rules(to_one_branch(playtennis())),
    "rules, derived": lambda: rules(to_one_branch(derived())),
    "rules, derived, unseen majority": lambda: rules(with_settings(to_one_branch(derived()), unseen="majority")),
    "rules, unseen majority": lambda: rules(with_settings(to_one_branch(every_kind()), unseen="majority")),
    "rules, regression": lambda: rules(to_one_branch(regression())),
    "rules, formulas": lambda: rules(to_one_branch(leaf_models())),
    "rules, formulas, defaults": lambda: rules(leaf_models()),
    "rules, formulas, overlapping": overlapping_formulas,
    "rules, defaults": lambda: rules(every_kind()),
    "rules, overlapping": overlapping,
    "rules, hostile": lambda: rules(hostile()),
}

MODELS = {name: cache(make) for name, make in _MAKERS.items()}
"""Each model is made once, and its probes with it."""
