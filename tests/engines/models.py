"""Models for the engines: those of the exporters, and some with names and labels that are traps in databases."""

from __future__ import annotations

from collections.abc import Callable

from tests.example_models import Inner, Leaf, every_kind, model_of
from tests.exporters.models import MODELS, to_one_branch
from treecli.data import Attribute, Schema
from treecli.exporters import Options
from treecli.model import Model, TreeModel
from treecli.models import with_missing
from treecli.rules import rulelist
from treecli.splits import multiway, subset, threshold

LABELS = (
    "a",
    "A",
    "a ",
    " a",
    "ä",
    "a\u0308",
    "ß",
    "ss",
    "",
    " ",
    "${x}",
    "${env:HOME}",
    "$",
    "%s %d %",
    ":x ?",
    "it's",
    "''",
    '"',
    "`",
    "\\",
    "\\'",
    "\\n",
    "a\nb",
    "a\r\nb",
    "\t",
    "\u2028",
    "\ufeff",
    "naïve 🌲",
    "NULL",
    "null",
    "-- ; /* */ #",
    "{{ jinja }} {% x %}",
    "1",
    "1.0",
    "0x31",
)
"""Labels that differ in case, blanks, accents and quotes only, and those that some program would replace."""

NAMES = (
    "select",
    "order",
    "${x}",
    "${env:HOME} y",
    "a.b",
    "A column",
    "it's",
    'say "x"',
    "back\\slash",
    "`tick`",
    "%s",
    ":x",
    "?",
    "@v",
    "#no comment",
    "-- comment",
    "/* comment */",
    "line\nbreak",
    "tab\there",
    "für",
    "木",
    "1st",
    "row",
    "prediction",
    "t",
    "w0",
    "p0",
    "NULL",
    "{{x}}",
    "$1",
)
"""Names of columns that are words of SQL, quotes, variables or parameters in some program."""

TABLE = 'a `table` of "rows" ${x}'
"""A name of a table that is none of an identifier."""


def labels_of_each() -> TreeModel:
    """A branch for every label, which predicts a label."""
    schema = Schema((Attribute("x", "nominal", LABELS),), Attribute("y", "nominal", LABELS))
    leaves = tuple(_certain(code) for code in reversed(range(len(LABELS))))
    return model_of(schema, Inner(multiway.Split(0, len(LABELS)), leaves, missing_to=8))


def _certain(code: int) -> Leaf:
    return tuple(float(place == code) for place in range(len(LABELS)))


def labels_in_two() -> TreeModel:
    """Labels in two groups, so that lists of labels are compared; some labels had no case."""
    schema = Schema((Attribute("x", "nominal", LABELS),), Attribute("y", "nominal", ("1", "0", "maybe")))
    table = tuple(-1 if code % 5 == 4 else code % 2 for code in range(len(LABELS)))
    return model_of(schema, Inner(subset.Split(0, table), ((5.0, 0.0, 0.0), (0.0, 6.0, 0.0))))


def names_of_each(kind: str) -> TreeModel:
    """A test on every name in turn: numbers, or labels."""
    if kind == "numeric":
        attributes = tuple(Attribute(name, "numeric") for name in NAMES)
    else:
        attributes = tuple(Attribute(name, "nominal", ("yes", "no")) for name in NAMES)
    schema = Schema(attributes, Attribute("target", "numeric"))
    node: Inner | Leaf = (1.0, -1.0, 0.0)
    for index in range(len(NAMES)):
        leaf = (1.0, index / 3, 0.0)
        split = threshold.Split(index, index / 7) if kind == "numeric" else multiway.Split(index, 2)
        node = Inner(split, (leaf, node), missing_to=1)
    return model_of(schema, node)


HARD: dict[str, Callable[[], Model]] = {
    "every label": labels_of_each,
    "groups of labels": labels_in_two,
    "groups of labels, one branch": lambda: to_one_branch(labels_in_two(), 1),
    "names of numbers": lambda: names_of_each("numeric"),
    "names of labels": lambda: names_of_each("nominal"),
    "groups of labels, majority": lambda: with_missing(labels_in_two(), "majority", ""),
    "every kind, majority": lambda: with_missing(every_kind(), "majority", ""),
    "rules of every label": lambda: rulelist.of_tree(labels_of_each()),
}

ALL: dict[str, Callable[[], Model]] = {**MODELS, **HARD}

FORMS = {
    "case": Options(),
    "select": Options(form="select", table=TABLE),
    "view": Options(form="view", table="rows", name='a "view" ${y}'),
}
