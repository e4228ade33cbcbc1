"""Conditions on counts of literals as conditions on attributes: the exact sets of rows that m-of-n tests select."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import TYPE_CHECKING

from treecli.data import Derived
from treecli.errors import UsageError
from treecli.expressions import Holds, Sum
from treecli.values import Condition, Interval, Labels, narrow

if TYPE_CHECKING:
    from treecli.data import Schema

Conjunction = tuple[Condition, ...]

MOST_PARTS = 10_000
"""Conjunctions that a conjunction is expanded into, at most."""


def literals_of(column: Derived) -> tuple[Holds, ...] | None:
    """Return the literals that a derived column counts; None if it computes something else."""
    expression = column.feature.expression()
    terms = expression.terms if isinstance(expression, Sum) else (expression,)
    literals = tuple(term for term in terms if isinstance(term, Holds))
    return literals if len(literals) == len(terms) else None


def only_counts(schema: Schema) -> bool:
    """Return whether all derived columns are counts of literals, so that conditions on them can be expanded."""
    return all(literals_of(column) is not None for column in schema.derived)


def expanded(conditions: Iterable[Condition], schema: Schema) -> list[Conjunction]:
    """Return disjoint conjunctions of conditions on attributes that together hold for the same rows.

    Raise a UsageError if a condition asks about a derived column that is no count, or if there are too many.
    """
    n_attributes = len(schema.attributes)
    found: list[dict[int, Condition]] = [{}]
    for condition in conditions:
        if condition.attribute < n_attributes:
            choices: list[Conjunction] = [(condition,)]
        else:
            choices = list(_of_count(condition, schema))
        found = [both for own in found for choice in choices if (both := _joined(own, choice, schema)) is not None]
        if len(found) > MOST_PARTS:
            raise UsageError(f"the tests of literals combine in more than {MOST_PARTS} ways", "prune the tree")
    return [tuple(own.values()) for own in found]


def _joined(own: dict[int, Condition], choice: Conjunction, schema: Schema) -> dict[int, Condition] | None:
    """Return a conjunction with further conditions; None if no row satisfies it."""
    merged = dict(own)
    return None if any(narrow(merged, condition, schema).is_empty for condition in choice) else merged


def _of_count(condition: Condition, schema: Schema) -> Iterator[Conjunction]:
    """Yield the conjunctions under which a count satisfies a condition."""
    column = schema.derived[condition.attribute - len(schema.attributes)]
    literals = literals_of(column)
    if literals is None or not isinstance(condition, Interval):
        raise UsageError("a column that is computed from several attributes has no exact regions")
    needed = list(dict.fromkeys(literal.attribute for literal in literals if literal.instead is None))
    if condition.missing:  # where one of the attributes is, unless the literal says what stands for it
        for place, attribute in enumerate(needed):
            yield (*(_known(index, schema) for index in needed[:place]), _lost(attribute, schema))
    if not condition.takes_known:
        return
    pending: list[tuple[dict[int, Condition], int, int]] = [({i: _known(i, schema) for i in needed}, 0, 0)]
    n_found = 0
    while pending:
        own, place, count = pending.pop()
        n_left = len(literals) - place
        if count > condition.high or count + n_left <= condition.low:
            continue
        if condition.low < count and count + n_left <= condition.high:
            n_found += 1
            if n_found > MOST_PARTS:
                raise UsageError(f"the literals of '{column.name}' combine in more than {MOST_PARTS} ways")
            yield tuple(own.values())
            continue
        # The last one pushed is taken first: literals that hold come first.
        for is_true in (False, True):
            for values in _sets(literals[place], schema, is_true=is_true):
                both = _joined(own, (values,), schema)
                if both is not None:
                    pending.append((both, place + 1, count + is_true))


def _sets(literal: Holds, schema: Schema, *, is_true: bool) -> list[Condition]:
    """Return the disjoint sets of values for which a literal holds, or does not."""
    index = literal.attribute
    takes_missing = literal.instead is not None and bool(literal.instead) == is_true
    if literal.labels is not None:
        codes = {code for code in range(len(schema.attributes[index].labels)) if (code in literal.labels) == is_true}
        return [Labels.of(index, codes, takes_missing, takes_missing)]
    if is_true:
        return [Interval(index, literal.low, literal.high, takes_missing)]
    sides = [Interval(index, high=literal.low)] if literal.low > -inf else []
    sides += [Interval(index, low=literal.high)] if literal.high < inf else []
    return [*sides, *([Interval.none(index, missing=True)] if takes_missing else [])]


def _known(index: int, schema: Schema) -> Condition:
    attribute = schema.attributes[index]
    return Interval(index) if attribute.is_numeric else Labels.of(index, range(len(attribute.labels)))


def _lost(index: int, schema: Schema) -> Condition:
    """Return the values that count as missing; an unseen label does in a literal, whatever the policy."""
    if schema.attributes[index].is_numeric:
        return Interval.none(index, missing=True)
    return Labels(index, 0, missing=True, unseen=True)
