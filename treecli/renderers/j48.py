"""The tree in the layout of Weka's J48, so that outputs can be compared line by line."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

from treecli.conditions import Interval
from treecli.errors import UsageError
from treecli.model import Model
from treecli.renderers import Place, View, places
from treecli.tree import Node, predicted_codes

INDENT = "|   "


def render(model: Model, view: View) -> Iterator[str]:
    """A line for each branch, then the number of leaves and of nodes."""
    if not model.schema.is_classification:
        raise UsageError(f"J48 has no trees for a numeric target like '{model.schema.target.name}'", "use -f text")
    codes = predicted_codes(model.tree)
    labels = model.schema.target.labels
    is_binary = model.settings.nominal == "binary"
    for place in places(model, view):
        node = place.node
        said = f": {labels[codes[node.index]]} ({_weights(node)})" if _ends(place) else ""
        if place.condition is not None:
            yield f"{INDENT * (place.depth - 1)}{_branch(place, model, is_binary)}{said}\n"
        elif said:
            yield f"{said}\n"
    yield f"\nNumber of Leaves  : \t{model.tree.n_leaves}\n\nSize of the tree : \t{model.tree.n_nodes}\n"


def _ends(place: Place) -> bool:
    return place.node.is_leaf or place.n_hidden > 0


def _branch(place: Place, model: Model, is_binary: bool) -> str:
    condition = place.condition
    assert condition is not None
    attribute = model.schema.attributes[condition.attribute]
    if isinstance(condition, Interval):
        is_low = condition.low == float("-inf")
        number = condition.high if is_low else condition.low
        assert place.parent is not None
        number = model.tree.notes.get(place.parent, {}).get("printed", number)
        shown = java_double(number) if is_binary else _rounded(number, 6)
        return f"{attribute.name} {'<=' if is_low else '>'} {shown}"
    if len(condition.codes) == 1 and not (is_binary and _branch_number(place, model) == 1):
        return f"{attribute.name} = {attribute.labels[condition.codes[0]]}"
    assert place.parent is not None
    first = model.node(place.parent).condition(0)
    assert not isinstance(first, Interval)
    return f"{attribute.name} != {attribute.labels[first.codes[0]]}"


def _branch_number(place: Place, model: Model) -> int:
    assert place.parent is not None
    return place.node.index - model.tree.first_child[place.parent]


def _weights(node: Node) -> str:
    errors = f"/{java_double(float(_rounded(node.errors, 2)))}" if node.errors > 1e-6 else ""
    return f"{java_double(float(_rounded(node.weight, 2)))}{errors}"


def _rounded(number: float, places: int) -> str:
    """At most this many decimals, halves away from zero, without trailing zeros."""
    # Java rounds the double times a power of ten, not its decimal expansion.
    scaled = Decimal(number * 10**places).to_integral_value(ROUND_HALF_UP)
    text = format((scaled / 10**places).normalize(), "f")
    return "0" if text in ("-0", "0") else text


def java_double(number: float) -> str:
    """The number as Java prints a double: 2.0, 1.0E7, 1.0E-5."""
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(float(number)) if "e" not in repr(float(number)) else format(Decimal(repr(number)), "f")
    sign, digits, exponent = Decimal(repr(float(number))).normalize().as_tuple()
    text = "".join(map(str, digits))
    power = len(text) - 1 + int(exponent)
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{power}"
