"""Models with hostile names and labels, and large ones."""

from __future__ import annotations

from tests.example_models import Inner, Leaf, model_of
from treecli.data import Attribute, Schema
from treecli.model import TreeModel
from treecli.splits import multiway, threshold

NAMES = (
    '"; DROP TABLE x; --',
    "</svg><script>alert(1)</script>",
    "\\end{forest}\n]] % & # $ _ ^ ~",
    "%%{init: {}}%% `end` #quot; &amp; \\N",
    "]]>-->|x| style:#f00;",
    "- list",
    "1. list",
    "\u202eright to left: שלום",
    "😀 日本語 é",
    ("long " * 100).strip(),
)


def hostile() -> TreeModel:
    """Each name as a label of the attribute at the root; then as attributes; the first four as classes."""
    schema = Schema(
        (Attribute("first", "nominal", NAMES), *(Attribute(name, "numeric") for name in NAMES[1:])),
        Attribute(NAMES[0], "nominal", NAMES[:4]),
    )
    below = [Inner(threshold.Split(place, 0.5), (_pure(place), _pure(place + 1))) for place in range(1, len(NAMES))]
    return model_of(schema, Inner(multiway.Split(0, len(NAMES)), (_pure(0), *below)))


def _pure(code: int) -> Leaf:
    return tuple(float(code % 4 == label) for label in range(4))


def full(depth: int) -> TreeModel:
    """All leaves at the same depth: 2 ** (depth + 1) - 1 nodes."""
    schema = Schema((Attribute("an attribute", "numeric"),), Attribute("class", "nominal", ("no", "yes")))
    level: list[Inner | Leaf] = [(float(leaf % 3), float(leaf % 5)) for leaf in range(2**depth)]
    while len(level) > 1:
        level = [
            Inner(threshold.Split(0, 0.5), (left, right)) for left, right in zip(level[::2], level[1::2], strict=True)
        ]
    return model_of(schema, level[0])
