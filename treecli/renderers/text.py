"""A tree as lines of text, in the layout of C4.5 and J48."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from treecli.model import TreeModel
from treecli.node import Node, competitors, tie_lines
from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import present
from treecli.renderers import Place, View, places
from treecli.rules.from_tree import conditions_at
from treecli.rules.rule import wording
from treecli.splits._registry import place_of
from treecli.tree import ALL_BRANCHES, MEAN, predicted_codes, predicted_values, typical_error
from treecli.values import bound_text
from treecli.wording import quoted, readable

if TYPE_CHECKING:
    from treecli.tree import Numbers

SUFFIX = ".txt"

INDENTATION = "|   "

DEEPEST_DRAWN = 100
"""Below this level a number replaces the bars, or a tree 50,000 levels deep would print 5 GB of bars."""

LINES_AT_ONCE = 256
"""Lines that are yielded as one piece of text."""

MOST_TEXTS_KEPT = 10_000
"""Cache size for the texts of leaves, many of which have the same class weights."""

FAINT, BOLD, RESET = "\x1b[2m", "\x1b[1m", "\x1b[0m"
CLASS_COLORS = tuple(f"\x1b[{code}m" for code in (32, 33, 36, 35, 34, 31))
"""One for each class, repeated after the last."""


def render(model: TreeModel, view: View) -> Iterator[str]:
    """The lines of the tree: one per branch, ending with the prediction and the number of cases.

    The numbers in parentheses are the weight of the training cases in a leaf and, if there are any, of the
    misclassified ones; for a numeric target the weight and the root mean squared error, or the mean absolute error for
    a tree of medians.
    """
    tree = model.tree
    if view.depth is None and not (view.has_ids or view.has_counts or view.has_details):
        yield from _lines(model, view)
        return
    predicted: Sequence[float] = predicted_codes(tree) if model.schema.is_classification else predicted_values(tree)
    labels = _painted_labels(model, view)
    width = len(str(tree.n_nodes - 1))
    for place in places(model, view):
        node = place.node
        line = _heading(model, view) if place.condition is None else _branch(place, view)
        if node.is_leaf or place.n_hidden:
            line += f": {_prediction(model, node, predicted[node.index], labels, view)}"
        if place.n_hidden:
            line += f" … {place.n_hidden} node{'s' if place.n_hidden > 1 else ''}"
        if line and view.has_counts:
            line += f"  {{{', '.join(_counts(model, node))}}}"
        if line:
            yield f"{node.index:>{width}}  {line}\n" if view.has_ids else f"{line}\n"
        if view.has_details and not node.is_leaf and not place.n_hidden:
            margin = " " * (width + 2) if view.has_ids else ""
            for detail in _details(node):
                yield margin + _painted(_bars(place.depth), FAINT, view) + detail + "\n"


def _lines(model: TreeModel, view: View) -> Iterator[str]:
    """Yield the lines of all branches below a node, several at once; the root's own line if it is a leaf."""
    tree, labels = model.tree, _painted_labels(model, view)
    predicted: Sequence[float] = predicted_codes(tree) if model.schema.is_classification else predicted_values(tree)
    branches = _Branches(model)
    texts: dict[bytes, str] = {}
    """By the class weights of a leaf."""
    bars = [_painted(_bars(level), FAINT, view) for level in range(DEEPEST_DRAWN + 1)]

    def at_leaf(index: int) -> str:
        is_alike = bool(labels) and not tree.forced and not isinstance(tree.outcomes, SparseCounts)
        key = cast("Numbers", tree.outcomes_of(index)).tobytes() if is_alike else b""
        text = texts.get(key)
        if text is None:
            text = _prediction(model, Node(tree, index, model.schema), predicted[index], labels, view)
            if is_alike and len(texts) < MOST_TEXTS_KEPT:
                texts[key] = text
        return text

    heading = _heading(model, view)
    lines = [f"{heading}: {at_leaf(view.node)}\n" if tree.is_leaf(view.node) else f"{heading}\n" if heading else ""]
    pending: list[tuple[int, int, str]] = []
    first_child = tree.first_child
    node, depth = view.node, 0
    while True:
        first = first_child[node]
        if first:
            own = branches.texts(node)
            pending.extend((first + branch, depth + 1, own[branch]) for branch in range(len(own) - 1, -1, -1))
        if not pending:
            break
        node, depth, text = pending.pop()
        margin = bars[depth - 1] if depth <= DEEPEST_DRAWN else _painted(_bars(depth - 1), FAINT, view)
        lines.append(f"{margin}{text}\n" if first_child[node] else f"{margin}{text}: {at_leaf(node)}\n")
        if len(lines) == LINES_AT_ONCE:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)


class _Branches:
    """Formats the conditions of a node's branches."""

    def __init__(self, model: TreeModel) -> None:
        self._model = model
        self._threshold = place_of("threshold")
        # The names of the columns that are worded like numbers.
        self._names = {
            place: column.wording
            for place, column in enumerate(model.schema.columns)
            if column.is_numeric and place < len(model.schema.attributes)
        }

    def texts(self, index: int) -> list[str]:
        """Return the condition of each branch."""
        tree, schema = self._model.tree, self._model.schema
        name = self._names.get(tree.attribute[index])
        if name is not None and tree.kind[index] == self._threshold and tree.missing_to[index] == ALL_BRANCHES:
            # The same text as from a Condition, without making one.
            number, is_next = bound_text(tree.number[index], schema.columns[tree.attribute[index]])
            return (
                [f"{name} < {number}", f"{name} >= {number}"]
                if is_next
                else [f"{name} <= {number}", f"{name} > {number}"]
            )
        node = Node(tree, index, schema)
        conditions = map(node.condition, range(tree.n_branches[index]))
        return [condition.wording(schema.columns[condition.attribute]) for condition in conditions]


def amount(weight: float) -> str:
    """A weight in the format of C4.5 and J48: one decimal, or two if necessary."""
    return f"{weight:.2f}".removesuffix("0")


NO_ERRORS = amount(0)


def _heading(model: TreeModel, view: View) -> str:
    """The conditions of the root of the shown part; usually empty for the tree's own root."""
    if view.node == 0 and not view.has_ids and not view.has_counts:
        return ""
    return wording(conditions_at(model, view.node), model.schema) or "all cases"


def _branch(place: Place, view: View) -> str:
    assert place.condition is not None
    text = place.condition.wording(place.node.schema.columns[place.condition.attribute])
    return _painted(_bars(place.depth - 1), FAINT, view) + text


def _bars(level: int) -> str:
    return INDENTATION * level if level <= DEEPEST_DRAWN else f"|*{level}  "


def _details(node: Node) -> Iterator[str]:
    """The surrogates of a node's split, and its runner-up splits."""
    for surrogate in node.tree.surrogates.get(node.index, ()):
        condition = surrogate.split.condition(surrogate.branches.index(0), node.schema)
        text = condition.wording(node.schema.columns[condition.attribute])
        yield f"surrogate: {text} (agreement {surrogate.agreement:.4f}, adjusted {surrogate.adjusted:.4f})"
    for split, score in competitors(node):
        text = quoted(node.schema.columns[split.attribute].name)
        if split.n_branches() <= 2:
            text = split.condition(0, node.schema).wording(node.schema.columns[split.attribute])
        yield f"competitor: {text} (score {readable(score)})"
    yield from (f"ties: {line}" for line in tie_lines(node))


def _painted_labels(model: TreeModel, view: View) -> list[str]:
    """The class labels, quoted and coloured as requested."""
    return [
        _painted(quoted(label), CLASS_COLORS[code % len(CLASS_COLORS)], view)
        for code, label in enumerate(model.schema.target.labels)
    ]


def _prediction(model: TreeModel, node: Node, predicted: float, labels: list[str], view: View) -> str:
    weight = amount(node.weight)
    if node.model_wording is not None:
        return f"{_painted(node.model_wording, BOLD, view)} ({weight})"
    if not labels:
        value = _painted(readable(predicted), BOLD, view)
        return f"{value} ({weight}, {_error(model, node)})" if node.weight else f"{value} ({weight})"
    errors = amount(node.errors)
    label = labels[int(predicted)]
    forced = " [forced]" if node.index in model.tree.forced else ""
    return f"{label} ({weight}){forced}" if errors == NO_ERRORS else f"{label} ({weight}/{errors}){forced}"


def _counts(model: TreeModel, node: Node) -> list[str]:
    """The classes with cases at the node; for a numeric target its outcomes."""
    if node.schema.is_classification:
        labels = node.schema.target.labels
        return [f"{quoted(labels[code])}: {amount(weight)}" for code, weight in present(node.outcomes)]
    if not node.weight:
        return []
    return [
        f"{'median' if model.takes_medians else 'mean'}: {readable(node.outcomes[MEAN])}",
        f"weight: {amount(node.weight)}",
        _error(model, node).replace(" ", ": "),
    ]


def _error(model: TreeModel, node: Node) -> str:
    error = readable(typical_error(node.outcomes, takes_medians=model.takes_medians))
    return f"mae {error}" if model.takes_medians else f"rmse {error}"


def _painted(text: str, paint: str, view: View) -> str:
    return f"{paint}{text}{RESET}" if text and view.is_colored else text
