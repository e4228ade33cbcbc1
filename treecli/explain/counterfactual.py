"""The smallest change of a row's values that makes a model predict another label: exact, by a search.

The search holds boxes of rows, each with the least cost of moving the row into it, and examines the cheapest first. A
box is divided if the model does not predict the same for all of it. The first box with the wanted prediction is the
answer, because all others cost as much or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treecli.data import Dataset
from treecli.explain.nearness import Flip, Predictor, Search
from treecli.model import TreeModel
from treecli.predict.predict import conditions, node_distributions, predicted, predictions
from treecli.predict.routes import Routing
from treecli.rules.boxes import Box, do_overlap
from treecli.rules.predict import answers
from treecli.rules.rulelist import RuleList
from treecli.splits import Split, unrouted
from treecli.tree import ALL_BRANCHES, STAYS
from treecli.values import Condition, Interval, Labels

END_OF_BRANCHES = -1
"""Among nodes that a row still has to go through: all branches of a node are done."""


def flip_tree(model: TreeModel, row: Dataset, label: int, fixed: Iterable[int] = ()) -> Flip | None:
    """The smallest change that makes a tree of classes predict a label for the one row; None if there is none.

    The fewest attributes come first, then the least sum of |change| / range of numbers, steps / (labels - 1) of ordinal
    labels, and 1 for any other. No value is made missing; one that is missing may become known, which counts as 1.
    """
    predictor = Predictor(model, lambda rows: predictions(model, rows, 1), conditions(model), model.tree.n_nodes)
    search = Search(predictor, row, label, frozenset(fixed))
    return _checked(search, _of_tree(search, model))


def flip_rules(rules: RuleList, row: Dataset, label: int, fixed: Iterable[int] = ()) -> Flip | None:
    """The same for a rule list."""
    every = (condition for rule in rules.rules for condition in rule.conditions)
    predictor = Predictor(rules, lambda rows: answers(rules, rows, 1)[0], every, len(rules.rules))
    search = Search(predictor, row, label, frozenset(fixed))
    return _checked(search, _of_votes(search, rules) if rules.votes else _of_list(search, rules))


def _checked(search: Search, box: Box | None) -> Flip | None:
    """The change that takes the row into a box, after asking the model."""
    if box is None:
        return None
    found = search.flip(box)
    assert search.says_label(found.row), "the model does not predict what its own bounds say"
    return found


def _of_tree(search: Search, model: TreeModel) -> Box | None:
    """The nearest box for which a tree predicts the label.

    A box comes with the nodes that its rows still have to go through, each with the part of the row that does, and
    with the sum of what the leaves behind it predict. There are several nodes once a missing value has gone down
    several branches; END_OF_BRANCHES comes after the last of them, and the sum so far waits behind theirs.
    """
    routing = Routing.of(model)
    # As the kernels have it, and summed in the same order, so that ties are broken alike.
    prediction = node_distributions(model)
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
                sums = (sums[0] + weight * prediction[node], sums[1])
            while further is not None and further[0] == END_OF_BRANCHES:
                further, (inner, (outer, beyond)) = further[2], sums
                sums = (outer + inner, beyond)
            if further is not None or predicted(model, sums[0][None])[0] == search.label:
                search.add(part, (further, sums))
    return None


def _ways(
    search: Search, model: TreeModel, routing: Routing, node: int, box: Box
) -> Iterator[tuple[Box, tuple[int, ...]]]:
    """The parts of a box that go separate ways at a node, each with the children that it goes to; none: it stays."""
    tree, schema = model.tree, model.schema
    split, first = tree.split(node), tree.first_child[node]
    for branch, part in _known(search, split, box):
        yield part, (first + branch,)
    rest = _unknown(search, split, box, is_unseen_apart=search.space.tells_unseen)
    if search.space.tells_unseen and not schema.attributes[split.attribute].is_numeric:
        unseen = search.part(box, {split.attribute: Labels(split.attribute, 0, unseen=True)})
        if unseen is not None:
            yield unseen, (first + int(routing.heaviest[node]),)
    for surrogate in tree.surrogates.get(node, ()):
        if rest is None:
            return
        for branch, part in _known(search, surrogate.split, rest):
            yield part, (first + surrogate.branches[branch],)
        rest = _unknown(search, surrogate.split, rest, is_unseen_apart=False)
    if rest is None:
        return
    to = tree.missing_to[node]
    if to >= 0:
        yield rest, (first + to,)
    elif to == STAYS:
        yield rest, ()
    else:
        assert to == ALL_BRANCHES
        yield rest, tuple(child for child in tree.children(node) if routing.share[child] > 0)


def _known(search: Search, split: Split, box: Box) -> Iterator[tuple[int, Box]]:
    """The branches of a split for values that it knows, and the part of a box that takes each."""
    for branch in range(split.n_branches()):
        taken = search.condition_box([split.condition(branch, search.space.schema)])
        part = None if taken is None else search.part(box, taken)
        if part is not None:
            yield branch, part


def _unknown(search: Search, split: Split, box: Box, *, is_unseen_apart: bool) -> Box | None:
    """The part of a box whose values a split has no branch for."""
    lost: Condition = Interval.none(split.attribute, missing=True)
    if not search.space.schema.attributes[split.attribute].is_numeric:
        is_unseen = search.space.tells_unseen and not is_unseen_apart
        lost = Labels.of(split.attribute, unrouted(split), missing=True, unseen=is_unseen)
    return search.part(box, {split.attribute: lost})


def _of_list(search: Search, rules: RuleList) -> Box | None:
    """The nearest box for which the first rule of a list that holds predicts the label.

    It lies in the box of a rule of that label, less the rules before it with other labels. These are subtracted
    as they are met, for most lie elsewhere.
    """
    everyone = [*rules.rules, rules.default]
    boxes = [search.condition_box(rule.conditions) for rule in everyone]
    others = [(i, box) for i, box in enumerate(boxes) if box is not None and everyone[i].label != search.label]
    for index, box in reversed(list(enumerate(boxes))):
        start = None if box is None or everyone[index].label != search.label else search.part({}, box)
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
    """The nearest box for which the vote of the rules that hold is the label."""
    boxes = [box for rule in rules.rules if (box := search.condition_box(rule.conditions)) is not None]
    search.add({}, (0, False))
    for box, (begin, is_wrong) in search.nearest_first():
        point = search.point(box)
        if not is_wrong and search.says_label(search.nearest(box)):
            return _narrowed(search, box, point, boxes[begin:])
        for index in range(begin, len(boxes)):
            inside = search.part(box, boxes[index])
            outside = [] if inside is None else search.without(box, boxes[index])
            if outside:
                # What holds the row that was just asked about need not be asked again.
                for part in [*outside, *([] if inside is None else [inside])]:
                    search.add(part, (index + 1, _is_at(point, part)))
                break
    return None


def _is_at(point: list[Condition], box: Box) -> bool:
    """Whether a row is in a box."""
    return do_overlap(box, {attribute: point[attribute] for attribute in box})


def _narrowed(search: Search, box: Box, point: list[Condition], others: Iterable[Box]) -> Box:
    """The part of a box about a row of it that lies wholly within or wholly without each of the others."""
    for other in others:
        inside = search.part(box, other)
        if inside is not None:
            parts = [inside, *search.without(box, other)]
            box = next(part for part in parts if _is_at(point, part))
    return box
