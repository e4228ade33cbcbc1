"""A model evaluated where the data are: the database counts, and the measures are those of the counts."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

from treecli import models
from treecli.data import UNSEEN
from treecli.engines._applied import Applied, unseen_warning
from treecli.errors import DataError
from treecli.evaluate.confusion import power_of_two
from treecli.evaluate.metrics import Regression
from treecli.evaluate.result import Result
from treecli.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

LARGEST_EXACT = 2**53
"""Sums of whole weights up to this are exact in doubles."""

HUGEINT_BITS = 126


class Counted:
    """The result of a model on the rows of a source, with the warnings about them."""

    def __init__(self, applied: Applied, weights: str | None = None) -> None:
        assert applied.target is not None
        self.applied = applied
        self.source = applied.source
        self.warnings = applied.unseen()
        self._target = applied.sql.name(applied.target)
        self._weight = "1" if weights is None else applied.sql.name(weights)
        self._weight_column = weights
        further = [applied.target] if weights is None else [applied.target, weights]
        self._rows = applied.rows(further)
        self._check_rows()

    def result(self) -> Result:
        """Return the result, whose rows are groups of equal rows; probabilities are None for several trees."""
        return self._classes() if self.applied.schema.is_classification else self._numbers()

    def _check_rows(self) -> None:
        """Raise DataError unless there are rows with a target, and weights are whole numbers of 0 or more."""
        target, weight, infinite = self._target, self._weight, self.applied.sql.infinite
        tests = [f"count(*) FILTER (WHERE {target} IS NULL)"]
        if self._weight_column is not None:
            tests += [
                f"count(*) FILTER (WHERE {weight} IS NULL OR {weight} < 0 OR {infinite.format(weight)})",
                f"count(*) FILTER (WHERE {weight} <> floor({weight}) OR {weight} > {LARGEST_EXACT})",
            ]
        tests += ["0"] * (3 - len(tests))
        infinite = "false" if self.applied.schema.is_classification else infinite.format(target)
        known = f"count(*) FILTER (WHERE {target} IS NOT NULL AND {weight} > 0)"
        query = f"SELECT {', '.join(tests)}, {known}, count(*) FILTER (WHERE {infinite}) FROM {self._rows}"
        n_unknown, n_wrong, n_parts, n_known, n_infinite = self.source.fetched(query)[0]
        name, target_name = self.source.name, self.applied.target
        if n_wrong:
            raise DataError(
                f"{name}: found {counted(n_wrong, 'row')} without a weight of 0 or more in '{self._weight_column}'"
            )
        if n_parts:
            raise DataError(
                f"{name}: '{self._weight_column}' has weights that are not whole numbers, whose sums depend on their "
                "order",
                "use --engine memory",
            )
        if not n_known:
            raise DataError(f"{name}: found no row with a value of the target '{target_name}' and a weight above 0")
        if n_infinite:
            raise DataError(f"{name}: found an infinite value of the target '{target_name}', expected finite numbers")
        if n_unknown:
            self.warnings.append(f"left out {counted(n_unknown, 'row')} without a value of the target '{target_name}'")

    def _classes(self) -> Result:
        import numpy as np

        model, schema = self.applied.model, self.applied.schema
        program, places = models.program_of(model), self.applied.places()
        leaf, totals = ("CAST(NULL AS BIGINT)", None) if places is None else places
        parts = [
            f"({leaf}\n)::BIGINT AS leaf",
            f"{'CAST(NULL AS DOUBLE)' if totals is None else f'({totals}{chr(10)})'} AS totals",
            # The prediction follows from the leaf, if there is one.
            f"CASE WHEN ({leaf}\n) IS NULL THEN ({self.applied.prediction()}\n) END AS label",
        ]
        query = (
            f"SELECT leaf, totals, label, {self._target}, sum({self._weight})::BIGINT, "
            f"count(*), count(*) FILTER (WHERE {self._weight} > 0) "
            f"FROM (SELECT *, {', '.join(parts)} FROM {self._rows}) WHERE {self._target} IS NOT NULL "
            f"GROUP BY leaf, totals, label, {self._target} ORDER BY ALL"
        )
        groups = self.source.fetched(query)
        self._warn_of_unseen((truth, n) for _, _, _, truth, _, n, _ in groups)
        code_of = schema.target.code_of
        actual = [UNSEEN if (code := code_of(truth)) is None else code for _, _, _, truth, *_ in groups]
        predicted = [program.label[own] if own is not None else code_of(label) for own, _, label, *_ in groups]
        given = [program.prediction[own] if own is not None else total for own, total, *_ in groups]
        probabilities = None if places is None else np.array(given, dtype=np.float64)
        return Result(
            schema.target.labels,
            np.array(actual, dtype=np.int32),
            np.array(predicted, dtype=np.int32),
            probabilities,
            np.array([float(weight) for *_, weight, _, _ in groups]),
            models.n_leaves(model),
            model.settings.predicting.costs,
            np.array([float(n) for *_, n in groups]),
        )

    def _warn_of_unseen(self, pairs: Iterable[tuple[str, int]]) -> None:
        target = self.applied.schema.target
        unseen: dict[str, int] = {}
        for truth, n in pairs:
            if target.code_of(truth) is None:
                unseen[truth] = unseen.get(truth, 0) + n
        if unseen and self.applied.target is not None:
            self.warnings.append(unseen_warning(self.applied.target, sum(unseen.values()), list(unseen)))

    def _numbers(self) -> Result:
        """Return the result of a numeric target."""
        import numpy as np

        regression = self._regression()
        empty = np.empty(0)
        result = Result((), empty, empty, None, empty, models.n_leaves(self.applied.model))
        result.once("regression", lambda: regression)
        return result

    def _regression(self) -> Regression:
        """Return the measures from sums that do not depend on the order of the rows.

        Terms are whole multiples of a power of two, small enough that no digit of the largest term is lost.
        """
        number = self.applied.sql.number
        rows = (
            f"(SELECT {self._target} AS y, ({self.applied.prediction()}\n) AS p, {self._weight} AS w FROM {self._rows} "
            f"WHERE {self._target} IS NOT NULL)"
        )
        low, high, largest, n, heaviest = self.source.fetched(
            f"SELECT min(y), max(y), max(abs(p)), count(*), max(w) FROM {rows}"
        )[0]
        # Dividing by a power of two is exact and keeps squares of large and tiny numbers finite.
        unit = power_of_two(max(abs(low), abs(high), largest))
        center = (low / unit + high / unit) / 2
        scaled = f"(SELECT y / {number(unit)} AS y, p / {number(unit)} AS p, w FROM {rows})"
        from_center = f"(y - {number(center)})"
        terms = ["abs(p - y)", "(p - y) * (p - y)", from_center, f"{from_center} * {from_center}"]
        # A term is at most (2 + 2)².
        bits = HUGEINT_BITS - 4 - int(n * heaviest).bit_length()
        sums = [f"sum(round(({term}) * {number(2.0**bits)})::{self.applied.sql.huge} * w::BIGINT)" for term in terms]
        found = self.source.fetched(f"SELECT sum(w)::BIGINT, {', '.join(sums)} FROM {scaled}")[0]
        weight = Fraction(int(found[0]))
        absolute, squared, first, second = (Fraction(int(total), 2**bits) for total in found[1:])
        deviance = second - first * first / weight
        return Regression(
            float(weight),
            float(absolute / weight) * unit,
            sqrt(squared / weight) * unit,
            float(1 - squared / deviance) if deviance > 0 else None,
        )
