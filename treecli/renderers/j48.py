"""The tree in the layout of Weka's J48, so that outputs can be compared line by line."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.node import Node
from treecli.renderers import Place, View, places
from treecli.renderers._weka import KEPT_TEXTS, indent, rounded
from treecli.splits._registry import kinds
from treecli.tree import LEAF, predicted_codes
from treecli.values import Interval

SUFFIX = None  # .txt is text

KINDS = ("threshold", "multiway", "binary")
"""The kinds of split in J48."""

NO_ERROR = 1e-6
"""Smaller errors are rounding errors, and not shown."""


def render(model: TreeModel, view: View) -> Iterator[str]:
    """One line per branch, then the number of leaves and of nodes."""
    _check(model, view)
    codes = predicted_codes(model.tree)
    labels = model.schema.target.labels
    forced = model.tree.forced
    for place in places(model, view):
        node = place.node
        prediction = f": {labels[codes[node.index]]} ({_weights(node)})" if node.is_leaf or place.n_hidden else ""
        prediction += " [forced]" if node.index in forced else ""
        if place.condition is not None:
            yield f"{indent(place.depth - 1)}{_branch(place, model)}{prediction}\n"
        elif prediction:
            yield f"{prediction}\n"
    yield f"\nNumber of Leaves  : \t{model.tree.n_leaves}\n\nSize of the tree : \t{model.tree.n_nodes}\n"


def _check(model: TreeModel, view: View) -> None:
    """Refuses trees and views that J48's layout cannot express."""
    if not model.schema.is_classification:
        raise UsageError(f"J48 has no trees for a numeric target like '{model.schema.target.name}'", "use -f text")
    if view.has_ids or view.has_counts:
        raise UsageError("J48's layout has neither --ids nor --counts", "use them with -f text")
    for place in sorted(set(model.tree.kind) - {LEAF}):
        if kinds()[place] not in KINDS:
            raise UsageError(
                f"J48 has no splits of the kind '{kinds()[place]}', which node {model.tree.kind.index(place)} has",
                "use -f text",
            )
    for node in model.tree.inner_nodes():
        if model.tree.n_branches[node] > model.tree.split(node).n_branches():
            raise UsageError(f"J48 has no separate branch for missing values, but node {node} does", "use -f text")


def _branch(place: Place, model: TreeModel) -> str:
    condition = place.condition
    assert condition is not None
    assert place.parent is not None
    tree, attribute = model.tree, model.schema.columns[condition.attribute]
    if isinstance(condition, Interval):
        is_low = condition.low == float("-inf")
        number = tree.notes.get(place.parent, {}).get("printed", condition.high if is_low else condition.low)
        if not attribute.is_numeric:
            shown = attribute.labels[int(number)]
        else:
            shown = java_double(number) if model.settings.splitting.nominal == "binary" else rounded(number, 6)
        return f"{attribute.name} {'<=' if is_low else '>'} {shown}"
    branch = place.node.index - tree.first_child[place.parent]
    if kinds()[tree.kind[place.parent]] == "multiway":
        return f"{attribute.name} = {attribute.labels[branch]}"
    (code,) = (code for code, taken in enumerate(tree.split(place.parent).table) if taken == 0)
    return f"{attribute.name} {'!=' if branch else '='} {attribute.labels[code]}"


def _weights(node: Node) -> str:
    errors = node.errors
    return f"{_weight(node.weight)}/{_weight(errors)}" if errors > NO_ERROR else _weight(node.weight)


@lru_cache(maxsize=KEPT_TEXTS)
def _weight(weight: float) -> str:
    return java_double(float(rounded(weight, 2)))


def java_double(number: float) -> str:
    """The number in Java's notation of a double: 2.0, 1.0E7, 1.0E-5."""
    shortest = repr(float(number))
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return shortest
    sign, digits, exponent = Decimal(shortest).normalize().as_tuple()
    text = "".join(map(str, digits))
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{len(text) - 1 + int(exponent)}"
