"""The tree in the layout of Weka's J48, so that outputs can be compared line by line."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.node import Node
from treecli.renderers import Place, View, places
from treecli.tree import LEAF, kinds, predicted_codes
from treecli.values import Interval

SUFFIX = None  # .txt is text

INDENT = "|   "

MOST_BARS = 1000
"""Weka indents without limit; deeper levels show the number of bars instead, or a deep tree would fill the disk."""

KINDS = ("threshold", "multiway", "binary")
"""The kinds of split in J48."""

KEPT_TEXTS = 4096
"""Size of the cache of number texts: those of leaves repeat often, and each threshold occurs twice."""

WHOLE_FROM = 2.0**53
"""From here every double is an integer, and its product with a power of ten may overflow."""

NO_ERROR = 1e-6
"""Smaller errors are rounding errors, and not shown."""


def render(model: TreeModel, view: View) -> Iterator[str]:
    """One line per branch, then the number of leaves and of nodes."""
    _check(model, view)
    codes = predicted_codes(model.tree)
    labels = model.schema.target.labels
    for place in places(model, view):
        node = place.node
        prediction = f": {labels[codes[node.index]]} ({_weights(node)})" if node.is_leaf or place.n_hidden else ""
        if place.condition is not None:
            n_bars = place.depth - 1
            bars = INDENT * n_bars if n_bars <= MOST_BARS else f"|*{n_bars}  "
            yield f"{bars}{_branch(place, model)}{prediction}\n"
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
            shown = java_double(number) if model.settings.splitting.nominal == "binary" else _rounded(number, 6)
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
    return java_double(float(_rounded(weight, 2)))


@lru_cache(maxsize=KEPT_TEXTS)
def _rounded(number: float, places: int) -> str:
    """The number with at most this many decimals, halves away from zero, without trailing zeros."""
    if abs(number) >= WHOLE_FROM:
        return format(Decimal(number), "f")
    # Java rounds the double times a power of ten, not its decimal expansion.
    scaled = Decimal(number * 10**places).to_integral_value(ROUND_HALF_UP)
    text = format((scaled / 10**places).normalize(), "f")
    return "0" if text == "-0" else text


def java_double(number: float) -> str:
    """The number in Java's notation of a double: 2.0, 1.0E7, 1.0E-5."""
    shortest = repr(float(number))
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return shortest
    sign, digits, exponent = Decimal(shortest).normalize().as_tuple()
    text = "".join(map(str, digits))
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{len(text) - 1 + int(exponent)}"
