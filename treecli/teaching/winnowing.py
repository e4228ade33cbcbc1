"""Winnowing: which attributes are left out before a tree grows, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from treecli.wording import counted, quoted

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.evaluate.winnowing import Winnowed
    from treecli.teaching.numbers import Digits


def lines(found: Winnowed, schema: Schema, digits: Digits) -> Iterator[str]:
    """Yield the errors of the tree that judges attributes, and what follows for each of them."""
    n_built, n_judged = found.n_rows
    if not n_judged:
        yield "winnowing: no class has two rows, so every attribute is kept"
        return
    errors = _errors(found.errors, digits)
    yield f"winnowing: a pruned tree of {counted(n_built, 'row')} makes {errors} on the other {n_judged}"
    for index, attribute in enumerate(schema.attributes):
        verdict = "kept" if index in found.kept else "left out"
        yield f"{quoted(attribute.name)}: {_why(index, found, digits)}: {verdict}"
    if found.harmful and not found.harmful.isdisjoint(found.kept):
        names = ", ".join(quoted(schema.attributes[index].name) for index in sorted(found.harmful))
        again = "there is no tree" if found.again is None else f"a tree makes {_errors(found.again, digits)}"
        yield f"without {names}, {again}, so nothing is left out for its errors"


def _why(index: int, found: Winnowed, digits: Digits) -> str:
    if index in found.unused:
        return "not tested, even before pruning"
    if index not in found.without:
        return "tested before pruning only"
    return f"{_errors(found.without[index], digits)} if its tests are left open"


def _errors(weight: float, digits: Digits) -> str:
    text = digits.count(weight)
    return f"{text} {'error' if text == '1' else 'errors'}"
