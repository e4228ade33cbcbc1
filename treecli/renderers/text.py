"""A tree as lines of text, in the layout of C4.5 and J48."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

from treecli.conditions import quoted
from treecli.model import Model
from treecli.renderers import Place, View, places
from treecli.report import readable
from treecli.rules import conditions_at, wording
from treecli.tree import DEVIANCE, MEAN, Node, predicted_codes, predicted_values

INDENTATION = "|   "

DEEPEST_DRAWN = 100
"""Below this level a number takes the place of the bars, or a tree 50,000 deep would be 5 GB of bars."""

FAINT, BOLD, RESET = "\x1b[2m", "\x1b[1m", "\x1b[0m"
CLASS_COLORS = tuple(f"\x1b[{code}m" for code in (32, 33, 36, 35, 34, 31))
"""One for each class, beginning anew after the last."""


def render(model: Model, view: View) -> Iterator[str]:
    """The lines of the tree: a branch each, and at its end what is predicted and for how many cases.

    The numbers in brackets are the weight of the training cases in a leaf and, where there are any, of those
    that it gets wrong; for a numeric target the weight and the root of the mean squared error.
    """
    tree = model.tree
    predicted: Sequence[float] = predicted_codes(tree) if model.schema.is_classification else predicted_values(tree)
    width = len(str(tree.n_nodes - 1))
    for place in places(model, view):
        node = place.node
        line = _heading(model, view) if place.condition is None else _branch(place, view)
        if node.is_leaf or place.n_hidden:
            line += f": {_prediction(node, predicted[node.index], view)}"
        if place.n_hidden:
            line += f" … {place.n_hidden} node{'s' if place.n_hidden > 1 else ''}"
        if not line:
            continue
        if view.has_counts:
            line += f"  {{{', '.join(_counts(node))}}}"
        yield f"{node.index:>{width}}  {line}\n" if view.has_ids else f"{line}\n"


def amount(weight: float) -> str:
    """A weight as C4.5 and J48 print it: with one decimal, or with two where it has them."""
    return f"{weight:.2f}".removesuffix("0")


def _heading(model: Model, view: View) -> str:
    """What leads to the root of what is shown; of the tree's own root there is mostly nothing to say."""
    if view.node == 0 and not view.has_ids and not view.has_counts:
        return ""
    return wording(conditions_at(model, view.node), model.schema) or "all cases"


def _branch(place: Place, view: View) -> str:
    assert place.condition is not None
    level = place.depth - 1
    bars = INDENTATION * level if level <= DEEPEST_DRAWN else f"|*{level}  "
    text = place.condition.wording(place.node.schema.attributes[place.condition.attribute])
    return _painted(bars, FAINT, view) + text


def _prediction(node: Node, predicted: float, view: View) -> str:
    weight = amount(node.weight)
    if not node.schema.is_classification:
        value = _painted(readable(predicted), BOLD, view)
        return f"{value} ({weight}, rmse {readable(_rmse(node))})" if node.weight else f"{value} ({weight})"
    code = int(predicted)
    label = _painted(quoted(node.schema.target.labels[code]), CLASS_COLORS[code % len(CLASS_COLORS)], view)
    errors = amount(node.errors)
    return f"{label} ({weight})" if errors == amount(0) else f"{label} ({weight}/{errors})"


def _counts(node: Node) -> list[str]:
    """The classes that the node has cases of; for a numeric target what it keeps of it."""
    if node.schema.is_classification:
        pairs = zip(node.schema.target.labels, node.outcomes, strict=True)
        return [f"{quoted(label)}: {amount(weight)}" for label, weight in pairs if weight]
    if not node.weight:
        return []
    return [
        f"mean: {readable(node.outcomes[MEAN])}",
        f"weight: {amount(node.weight)}",
        f"rmse: {readable(_rmse(node))}",
    ]


def _rmse(node: Node) -> float:
    return sqrt(node.outcomes[DEVIANCE] / node.weight)


def _painted(text: str, paint: str, view: View) -> str:
    return f"{paint}{text}{RESET}" if text and view.is_colored else text
