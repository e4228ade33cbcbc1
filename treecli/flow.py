"""A model as steps: what sends a row where, and what it is told at the end.

Every rule of a model about missing values, unseen labels, precision and empty leaves is worked out here, so that
whoever writes the steps down in another language has nothing left to decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_float
from dataclasses import dataclass, replace
from math import inf
from struct import pack, unpack
from typing import TYPE_CHECKING

from treecli.data import Schema
from treecli.errors import UsageError
from treecli.model import Lineage, Model
from treecli.tree import ALL_BRANCHES, STAYS, WEIGHT, Tree
from treecli.values import Condition, Interval

if TYPE_CHECKING:
    from treecli.data import FloatArray
    from treecli.predict.routes import Routing
    from treecli.priors import Costs
    from treecli.rules.rule import Rule
    from treecli.rules.rulelist import RuleList


@dataclass(frozen=True, slots=True)
class Values:
    """Some values of one attribute: numbers above `low`, up to and including `high`, or the labels of `codes`.

    `low` of -inf is included, `low` = `high` holds no number. `missing` and `unseen`: also a missing value, and a label
    that the schema does not hold.
    """

    attribute: int
    low: float = -inf
    high: float = inf
    codes: tuple[int, ...] | None = None
    missing: bool = False
    unseen: bool = False

    @property
    def holds_known(self) -> bool:
        """Whether any number or label of the schema is among them."""
        return self.low < self.high if self.codes is None else bool(self.codes)

    def merge(self, other: Values) -> Values:
        """The values that are in both."""
        codes = None
        if self.codes is not None and other.codes is not None:
            kept = set(other.codes)
            codes = tuple(code for code in self.codes if code in kept)
        low, high = max(self.low, other.low), min(self.high, other.high)
        missing, unseen = self.missing and other.missing, self.unseen and other.unseen
        return Values(self.attribute, min(low, high), high, codes, missing, unseen)

    def join(self, other: Values) -> Values:
        """The values that are in either, of which the other holds no numbers."""
        codes = None if self.codes is None else tuple(sorted({*self.codes, *(other.codes or ())}))
        return replace(self, codes=codes, missing=self.missing or other.missing, unseen=self.unseen or other.unseen)


Test = tuple[tuple[Values, ...], ...]
"""Holds if, in any of its members, all hold; () never does."""


@dataclass(frozen=True, slots=True)
class Way:
    """What takes a row on from a node, to a child or, where that is the node itself, to the end.

    `share` is the part of a row that comes this way too where the node spreads it.
    """

    test: Test
    child: int
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Flow:
    """The steps of a model; node 0 comes first.

    `ways` of a node are tried in order, and of the last it is known that it applies; none: a row ends here.
    `spreads`: what makes a row take all ways of a node that have a share. `said` is what a node tells a row that ends
    there: the probability of each class, or the number; `label` the class, and `cases` on what grounds, in words.
    `refused`: attributes of which an unseen label is an error; `refused_missing`: of which a missing value is one.
    `is_ordered`: ways overlap, so their order counts.
    """

    schema: Schema
    lineage: tuple[Lineage, ...]
    ways: Sequence[tuple[Way, ...]]
    spreads: dict[int, Test]
    said: Sequence[Sequence[float]]
    label: Sequence[int]
    cases: Sequence[str]
    costs: Costs | None
    refused: tuple[int, ...]
    has_unseen: bool
    """Whether an unseen label may differ from a missing value."""
    is_ordered: bool = False
    refused_missing: tuple[int, ...] = ()

    @property
    def attributes(self) -> list[int]:
        """Those that any step asks about."""
        asked = {values.attribute for ways in self.ways for way in ways for member in way.test for values in member}
        return sorted(asked.union(self.refused, self.refused_missing))

    def is_end(self, node: int) -> bool:
        return not self.ways[node]

    def heights(self) -> list[int]:
        """How many steps may follow on each node."""
        height = [0] * len(self.ways)
        for node in reversed(range(len(self.ways))):
            for way in self.ways[node]:
                if way.child != node:
                    height[node] = max(height[node], height[way.child] + 1)
        return height

    def sizes(self) -> list[int]:
        """How many nodes begin at each node."""
        size = [1] * len(self.ways)
        for node in reversed(range(len(self.ways))):
            size[node] += sum(size[way.child] for way in self.ways[node] if way.child != node)
        return size


def flow_of(model: Model | RuleList, *, refuses_missing: bool = False) -> Flow:
    """The steps of a tree or of a list of rules of which the first that holds decides.

    `refuses_missing`: a missing value is an error, and so is an unseen label that counts as one.
    """
    flow = _of_tree(model) if isinstance(model, Model) else _of_rules(model)
    if not refuses_missing:
        return flow
    asked = asked_by(model)
    refused = flow.refused if flow.has_unseen else tuple(_labelled(asked, model.schema))
    return replace(flow, refused_missing=tuple(asked), refused=refused)


def asked_by(model: Model | RuleList) -> list[int]:
    """The attributes that a model asks about, without those of surrogates only."""
    if isinstance(model, Model):
        return sorted({model.tree.attribute[node] for node in model.tree.inner_nodes()})
    return sorted({condition.attribute for rule in model.rules for condition in rule.conditions})


def _labelled(attributes: list[int], schema: Schema) -> list[int]:
    return [index for index in attributes if not schema.attributes[index].is_numeric]


def _of_tree(model: Model) -> Flow:
    from treecli.predict.predict import predicted
    from treecli.predict.routes import Routing

    tree, schema = model.tree, model.schema
    routing = Routing.of(model)
    said = _node_distributions(model, routing)
    is_classification = schema.is_classification
    label = predicted(model, said).tolist() if is_classification else [0] * tree.n_nodes
    ways: list[tuple[Way, ...]] = []
    spreads: dict[int, Test] = {}
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            ways.append(())
            continue
        steps, spread = _ways(model, node, routing)
        ways.append(steps)
        if spread:
            spreads[node] = spread
    refused = asked_by(model) if model.settings.predicting.unseen == "error" else []
    return Flow(
        schema,
        model.lineage,
        ways,
        spreads,
        said.tolist(),
        label,
        [_cases(tree, node, schema, code) for node, code in enumerate(label)],
        tree.costs,
        tuple(_labelled(refused, schema)),
        has_unseen=model.settings.predicting.unseen == "majority",
    )


def _node_distributions(model: Model, routing: Routing) -> FloatArray:
    """What every node tells a row that ends there, n_nodes × n_classes or n_nodes × 1."""
    from treecli.predict.predict import nearest_filled, node_predictions

    prediction, scale = node_predictions(model)
    source = nearest_filled(model, routing)
    distributions: FloatArray = prediction[source] / scale[source, None]
    return distributions


def _ways(model: Model, node: int, routing: Routing) -> tuple[tuple[Way, ...], Test]:
    """The ways on from an inner node, and what makes a row take all of them."""
    tree, schema, settings = model.tree, model.schema, model.settings
    split, first = tree.split(node), tree.first_child[node]
    surrogates = tree.surrogates.get(node, ())
    # Behind surrogates stands what the tree says; without them, what the routing has made of it.
    last = tree.missing_to[node] if surrogates else int(routing.missing_route[node])
    sets = {
        branch: _values(split.condition(branch, schema), schema, settings.predicting.single_precision)
        for branch in range(split.n_branches())
    }
    lost = _lacking(split.attribute, split.table, schema, settings.predicting.unseen == "majority")
    if settings.predicting.unseen == "majority" and not schema.attributes[split.attribute].is_numeric:
        heaviest = int(routing.unseen_route[node])
        sets[heaviest] = replace(sets.get(heaviest, _nothing(split.attribute, schema)), unseen=True)
    tests: dict[int, list[tuple[Values, ...]]] = {branch: [(values,)] for branch, values in sets.items()}
    before: tuple[Values, ...] = (lost,)
    for surrogate in surrogates:
        own = surrogate.split
        for branch in (0, 1):
            values = _values(own.condition(branch, schema), schema, settings.predicting.single_precision)
            tests.setdefault(surrogate.branches[branch], []).append((*before, values))
        before = (*before, _lacking(own.attribute, own.table, schema, False))
    spread: Test = ()
    if last == ALL_BRANCHES:
        spread = (before,)
    elif surrogates or last == STAYS or last not in sets:
        tests.setdefault(last, []).append(before)
    else:
        # One set of values reads better than two that are joined by "or".
        tests[last] = [(sets[last].join(lost),)]
    order = [*range(tree.n_branches[node]), STAYS]
    ways = (
        Way(
            tuple(member for member in tests.get(branch, ()) if _holds_any(member)),
            node if branch == STAYS else first + branch,
            _share(routing, first, branch),
        )
        for branch in order
    )
    reached = tuple(way for way in ways if way.test or (spread and way.share > 0))
    return reached, spread


def _share(routing: Routing, first: int, branch: int) -> float:
    return 0.0 if branch == STAYS else float(routing.share[first + branch])


def _holds_any(member: tuple[Values, ...]) -> bool:
    return all(values.holds_known or values.missing or values.unseen for values in member)


def _nothing(attribute: int, schema: Schema) -> Values:
    return Values(attribute, inf, inf) if schema.attributes[attribute].is_numeric else Values(attribute, codes=())


def _lacking(attribute: int, table: tuple[int, ...], schema: Schema, is_unseen_apart: bool) -> Values:
    """The values that a split has no branch for: missing ones, and labels that no case had."""
    nothing = _nothing(attribute, schema)
    if nothing.codes is None:
        return replace(nothing, missing=True)
    codes = tuple(code for code, branch in enumerate(table) if branch < 0)
    return replace(nothing, codes=codes, missing=True, unseen=not is_unseen_apart)


def _values(condition: Condition, schema: Schema, is_single: bool) -> Values:
    """What satisfies a condition, the labels of an ordinal attribute one by one."""
    attribute = condition.attribute
    described = schema.attributes[attribute]
    unseen = condition.unseen
    if not isinstance(condition, Interval):
        return Values(attribute, codes=condition.codes, missing=condition.missing, unseen=unseen)
    if described.is_numeric:
        low, high = condition.low, condition.high
        if is_single and low != high:
            low, high = in_double(low), in_double(high)
        return Values(attribute, low, high, missing=condition.missing)
    codes = tuple(code for code in range(len(described.labels)) if condition.low < code <= condition.high)
    return Values(attribute, codes=codes, missing=condition.missing, unseen=unseen)


def in_double(threshold: float) -> float:
    """The largest number that is not above a threshold once it is rounded to 32 bits.

    Rounding never changes the order of two numbers, so comparing with this one says the same without rounding.
    """
    if abs(threshold) == inf:
        return threshold
    within, beyond = _place(-inf), _place(inf)
    while beyond - within > 1:
        middle = (within + beyond) // 2
        if c_float(_at(middle)).value <= threshold:
            within = middle
        else:
            beyond = middle
    return _at(within)


_SIGN = 1 << 63


def _place(number: float) -> int:
    """Where a number stands among all doubles, from the smallest to the largest."""
    (bits,) = unpack("<q", pack("<d", number))
    place: int = bits if bits >= 0 else -_SIGN - bits
    return place


def _at(place: int) -> float:
    """The double at a place."""
    (number,) = unpack("<d", pack("<q", place if place >= 0 else -_SIGN - place))
    return float(number)


def _cases(tree: Tree, node: int, schema: Schema, code: int) -> str:
    """How many training cases a node's word stands on."""
    outcomes = tree.outcomes_of(node)
    weight = sum(outcomes) if schema.is_classification else outcomes[WEIGHT]
    if not weight:
        return "no training case came here"
    if not schema.is_classification:
        return f"{weight:g} cases"
    return f"{outcomes[code]:g} of {weight:g} cases"


def _of_rules(rules: RuleList) -> Flow:
    from treecli.rules.predict import probabilities
    from treecli.rules.rule import BY_CONDITION

    if rules.votes:
        raise UsageError(
            "the rules decide by vote, and only lists of which the first rule that holds decides can be exported",
            "write the list in an order, with 'decide by first match'",
        )
    schema, settings = rules.schema, rules.settings
    has_unseen = settings.predicting.unseen == BY_CONDITION
    everyone = [*rules.rules, rules.default]
    table: list[list[float]] = (
        probabilities(rules).tolist() if schema.is_classification else [[rule.value or 0.0] for rule in everyone]
    )
    # Each rule is a question, whose answer comes right after it, and then the next question; the default is last.
    ways: list[tuple[Way, ...]] = []
    for rule in rules.rules:
        member = tuple(
            _values(condition, schema, settings.predicting.single_precision) for condition in rule.conditions
        )
        if not has_unseen:
            member = tuple(replace(v, unseen=v.codes is not None and v.missing) for v in member)
        question = len(ways)
        ways += [(Way((member,), question + 1), Way((), question + 2)), ()]
    ways.append(())
    of_node = [rule for rule in rules.rules for _ in range(2)] + [rules.default]
    refused = asked_by(rules) if settings.predicting.unseen == "error" else []
    return Flow(
        schema,
        rules.lineage,
        ways,
        {},
        [said for said in table[:-1] for _ in range(2)] + [table[-1]],
        [rule.label or 0 for rule in of_node],
        [_covered(rule) for rule in of_node],
        None,
        tuple(_labelled(refused, schema)),
        has_unseen,
        is_ordered=True,
    )


def _covered(rule: Rule) -> str:
    """How many training cases a rule stands on, as far as anybody counted."""
    if not rule.conditions:
        return "where no rule holds"
    if rule.covered is None:
        return "nobody counted"
    return f"{rule.covered:g} cases" if rule.correct is None else f"{rule.correct:g} of {rule.covered:g} cases"
