"""Counterfactuals: an exact search for the smallest change to a row that makes a model predict another label.

The search keeps boxes of rows, each with the least cost of moving the row into it, and examines the cheapest first. A
box is split if the model's prediction is not constant in it. The first box with the wanted prediction is the answer,
because all others cost at least as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treecli.data import Dataset
from treecli.explain.nearness import Flip, Predictor, Search
from treecli.model import TreeModel
from treecli.predict.nodevalues import NodeValues, predicted
from treecli.predict.predict import conditions, predictions
from treecli.predict.routes import Routing
from treecli.rules.boxes import Box, do_overlap
from treecli.rules.predict import answers
from treecli.rules.rulelist import RuleList
from treecli.splits import Split, unrouted
from treecli.tree import ALL_BRANCHES, STAYS
from treecli.values import Condition, Interval, Labels

END_OF_BRANCHES = -1
"""Marks, in a list of pending nodes, the end of a node's branches."""


def flip_tree(model: TreeModel, row: Dataset, label: int, fixed: Iterable[int] = ()) -> Flip | None:
    """Return the smallest change that makes a classification tree predict a label for the row; None if there is none.

    Minimizes the number of changed attributes, then the sum of |change| / range for numbers, steps / (labels - 1) for
    ordinal labels, and 1 for any other. No value becomes missing; a missing value may become known, which costs 1.
    """
    predictor = Predictor(model, lambda rows: predictions(model, rows, 1), conditions(model), model.tree.n_nodes)
    search = Search(predictor, row, label, frozenset(fixed))
    return _checked(search, _of_tree(search, model))


def flip_rules(rules: RuleList, row: Dataset, label: int, fixed: Iterable[int] = ()) -> Flip | None:
    """Return the smallest change that makes a rule list predict a label for the row; see `flip_tree`."""
    every = (condition for rule in rules.rules for condition in rule.conditions)
    predictor = Predictor(rules, lambda rows: answers(rules, rows, 1)[0], every, len(rules.rules))
    search = Search(predictor, row, label, frozenset(fixed))
    return _checked(search, _of_votes(search, rules) if rules.votes else _of_list(search, rules))


def _checked(search: Search, box: Box | None) -> Flip | None:
    """Return the change that moves the row into a box; asserts that the model predicts the label."""
    if box is None:
        return None
    found = search.flip(box)
    assert search.says_label(found.row), "the model does not predict what its own bounds say"
    return found


def _of_tree(search: Search, model: TreeModel) -> Box | None:
    """Return the nearest box for which a tree predicts the label.

    Each box has a list of pending nodes, each with the fraction of the row that reaches it, and the sum of the leaf
    predictions so far. There are several pending nodes once a missing value has gone down several branches;
    END_OF_BRANCHES follows the last of them, and the sum so far is stacked below theirs.
    """
    routing = Routing.of(model)
    # Use the kernels' values and order of summation, so that ties break in the same way.
    values = NodeValues(model)
    search.add({}, ((0, 1.0, None), (0.0, None)))
    for box, (nodes, mixed) in search.nearest_first():
        if nodes is None:
            if search.says_label(search.nearest(box)):
                return box
            continue
        node, weight, rest = nodes
        ways = [(box, ())] if model.tree.is_leaf(node) else list(_ways(search, model, routing, node, box))
        for part, children in reversed(ways):
            further, sums = rest, mixed
            if len(children) > 1:
                further, sums = (END_OF_BRANCHES, 0.0, further), (0.0, sums)
                for child in reversed(children):
                    further = (child, weight * routing.share[child], further)
            elif children:
                further = (children[0], weight, further)
            else:
                sums = (sums[0] + weight * values.of_one(node), sums[1])
            while further is not None and further[0] == END_OF_BRANCHES:
                further, (inner, (outer, beyond)) = further[2], sums
                sums = (outer + inner, beyond)
            if further is not None or predicted(model, sums[0][None])[0] == search.label:
                search.add(part, (further, sums))
    return None


def _ways(
    search: Search, model: TreeModel, routing: Routing, node: int, box: Box
) -> Iterator[tuple[Box, tuple[int, ...]]]:
    """Yield the parts of a box that separate at a node, each with the children it goes to; none if it stays."""
    tree, schema = model.tree, model.schema
    split, first = tree.split(node), tree.first_child[node]
    for branch, part in _known(search, split, box):
        yield part, (first + branch,)
    lost = list(_unknown(search, split, box, is_unseen_apart=search.space.tells_unseen))
    if search.space.tells_unseen and not schema.columns[split.attribute].is_numeric:
        unseen = search.part(box, {split.attribute: Labels(split.attribute, 0, unseen=True)})
        if unseen is not None:
            yield unseen, (first + int(routing.heaviest[node]),)
    for surrogate in tree.surrogates.get(node, ()):
        for branch, part in (way for rest in lost for way in _known(search, surrogate.split, rest)):
            yield part, (first + surrogate.branches[branch],)
        lost = [part for rest in lost for part in _unknown(search, surrogate.split, rest, is_unseen_apart=False)]
    to = tree.missing_to[node]
    assert to in (STAYS, ALL_BRANCHES) or to >= 0
    children = [] if to == STAYS else [first + to] if to >= 0 else tree.children(node)
    for rest in lost:
        yield rest, tuple(child for child in children if to >= 0 or routing.share[child] > 0)


def _known(search: Search, split: Split, box: Box) -> Iterator[tuple[int, Box]]:
    """Yield the branches of a split for known values, each with the part of a box that takes it."""
    for branch in range(split.n_branches()):
        for taken in search.condition_boxes([split.condition(branch, search.space.schema)]):
            part = search.part(box, taken)
            if part is not None:
                yield branch, part


def _unknown(search: Search, split: Split, box: Box, *, is_unseen_apart: bool) -> Iterator[Box]:
    """Yield the parts of a box whose values have no branch at a split."""
    lost: Condition = Interval.none(split.attribute, missing=True)
    if split.attribute >= len(search.space.schema.attributes):
        parts = (search.part(box, own) for own in search.condition_boxes([lost]))
        yield from (part for part in parts if part is not None)
        return
    if not search.space.schema.columns[split.attribute].is_numeric:
        is_unseen = search.space.tells_unseen and not is_unseen_apart
        lost = Labels.of(split.attribute, unrouted(split), missing=True, unseen=is_unseen)
    part = search.part(box, {split.attribute: lost})
    if part is not None:
        yield part


def _of_list(search: Search, rules: RuleList) -> Box | None:
    """Return the nearest box for which the first matching rule of a list predicts the label.

    It lies in the box of a rule with that label, minus the earlier rules with other labels. These are subtracted only
    when the box's nearest row lies in one, because most are elsewhere.
    """
    boxes = [(rule, box) for rule in (*rules.rules, rules.default) for box in search.condition_boxes(rule.conditions)]
    others = [(i, box) for i, (rule, box) in enumerate(boxes) if rule.label != search.label]
    for index, (rule, box) in reversed(list(enumerate(boxes))):
        start = None if rule.label != search.label else search.part({}, box)
        if start is not None:
            search.add(start, index)
    for box, index in search.nearest_first():
        point = search.point(box)
        before = [other for i, other in others if i < index]
        obstacle = next((other for other in before if _is_at(point, other)), None)
        if obstacle is None:
            return _narrowed(search, box, point, before)
        for part in search.without(box, obstacle):
            search.add(part, index)
    return None


def _of_votes(search: Search, rules: RuleList) -> Box | None:
    """Return the nearest box for which the matching rules vote for the label."""
    boxes = [box for rule in rules.rules for box in search.condition_boxes(rule.conditions)]
    search.add({}, (0, False))
    for box, (begin, is_wrong) in search.nearest_first():
        point = search.point(box)
        if not is_wrong and search.says_label(search.nearest(box)):
            return _narrowed(search, box, point, boxes[begin:])
        for index in range(begin, len(boxes)):
            inside = search.part(box, boxes[index])
            outside = [] if inside is None else search.without(box, boxes[index])
            if outside:
                # The part that contains the row just tested need not be tested again.
                for part in [*outside, *([] if inside is None else [inside])]:
                    search.add(part, (index + 1, _is_at(point, part)))
                break
    return None


def _is_at(point: list[Condition], box: Box) -> bool:
    """Return whether a row is in a box."""
    return do_overlap(box, {attribute: point[attribute] for attribute in box})


def _narrowed(search: Search, box: Box, point: list[Condition], others: Iterable[Box]) -> Box:
    """Return the part of a box around one of its rows that lies entirely inside or outside each other box."""
    for other in others:
        inside = search.part(box, other)
        if inside is not None:
            parts = [inside, *search.without(box, other)]
            box = next(part for part in parts if _is_at(point, part))
    return box
