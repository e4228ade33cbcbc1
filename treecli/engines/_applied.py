"""A model applied where the data are: the expressions of its SQL export over a source, without rows in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from treecli.engines import _cells
from treecli.errors import DataError, UsageError, did_you_mean
from treecli.exporters import Options, sql
from treecli.readers._table import shortened
from treecli.wording import counted
from treecli.writers._delimited import csv_text

if TYPE_CHECKING:
    from treecli.data import Attribute, Kind
    from treecli.engines._source import Source
    from treecli.engines._sparksource import SparkSource
    from treecli.model import Model

Exported = TypeVar("Exported")

_LINE_END, _CARRIAGE_RETURN, _MARK = "chr(10)", "chr(13)", "chr(65279)"


class Applied:
    """A model and the columns of a source that it reads. `target` is the column of true values, None if not needed."""

    def __init__(
        self, model: Model, source: Source | SparkSource, target: str | None = None, weights: str | None = None
    ) -> None:
        self.model = model
        self.source = source
        self.sql = source.sql
        self.schema = model.schema
        self.target = target
        kinds: dict[str, Kind] = {attribute.name: attribute.kind for attribute in self.schema.attributes}
        if target is not None:
            kinds[target] = self.schema.target.kind
        if weights is not None:
            kinds[weights] = "numeric"
        self._check(kinds)

    def prediction(self) -> str:
        """Return the expression of the prediction over columns with the names of the attributes."""
        return self._exported(lambda: sql.export(self.model, Options(dialect=self.sql.dialect)))

    def places(self) -> tuple[str, str | None] | None:
        """Return the expressions of the leaf and of the class totals; None for several trees."""
        return self._exported(lambda: sql.places(self.model, self.sql.dialect))

    def attributes(self) -> list[str]:
        return [attribute.name for attribute in self.schema.attributes]

    def rows(self, further: Sequence[str] = ()) -> str:
        """Return the rows, as a query in parentheses, with the attributes and further columns."""
        return self.source.relation([*self.attributes(), *further])

    def unseen(self) -> list[str]:
        """Return warnings about labels that the model does not know; none for rules without a declared target.

        Raise DataError if a numeric attribute has a text, also if no prediction depends on it.
        """
        attributes = self.schema.attributes
        if not attributes:
            return []
        tests = [
            f"count({self.sql.name(a.name)})" if a.is_numeric else f"count(*) FILTER (WHERE {self._is_unseen(a)})"
            for a in attributes
        ]
        (counts,) = self.source.fetched(f"SELECT {', '.join(tests)} FROM {self.rows()}")
        found = [(a, n) for a, n in zip(attributes, counts, strict=True) if n and not a.is_numeric]
        is_declared = bool(self.schema.target.name)
        return [unseen_warning(a.name, n, self._unseen_labels(a)) for a, n in found if is_declared]

    def _unseen_labels(self, attribute: Attribute) -> list[str]:
        """Return the labels that the model does not know, in order of appearance."""
        own = self.sql.name(attribute.name)
        numbered = self.source.relation([attribute.name], number=_ROW)
        first = f"min({self.sql.name(_ROW)})"
        query = f"SELECT {own} FROM {numbered} WHERE {self._is_unseen(attribute)} GROUP BY {own} ORDER BY {first}"
        return [label for (label,) in self.source.fetched(query)]

    def lines(self, delimiter: str, decimal: str, added: str) -> tuple[str, str]:
        """Return the header, and a query of all rows as lines of delimited text, with the prediction at their end."""
        names = [own for own, _ in self.source.echo()]
        cast = "" if self.source.is_text else "::VARCHAR"
        cells = [_quoted(f"{_ECHO}{place}{cast}", delimiter) for place in range(len(names))]
        cells.append(self._text_of_prediction(delimiter, decimal))
        line = f" || {_cells.literal(delimiter)} || ".join(f"coalesce({cell}, '')" for cell in cells)
        header = "".join(csv_text([*names, added], (), delimiter))
        return header, f"SELECT {line} AS line FROM {self._with_prediction()}{self._order()}"

    def table(self, added: str) -> str:
        """Return a query of all columns as they are, the attributes with their kinds, and the prediction."""
        own = {*self.attributes()} if self.source.is_text else {}
        parts = [
            f"{self.sql.name(name) if name in own else f'{_ECHO}{place}'} AS {self.sql.name(name)}"
            for place, (name, _) in enumerate(self.source.echo())
        ]
        parts.append(f"{_PREDICTION} AS {self.sql.name(added)}")
        return f"SELECT {', '.join(parts)} FROM {self._with_prediction()}{self._order()}"

    def _with_prediction(self) -> str:
        """Return the rows with the attributes, every column as it is under names of its own, and the prediction."""
        raw, converted = self.source.raw(self.attributes())
        parts = [f"{cell} AS {_ECHO}{place}" for place, (_, cell) in enumerate(self.source.echo())]
        parts += [f"{cell} AS {self.sql.name(own)}" for own, cell in converted.items()]
        if self._order():
            parts.append(f"row_number() OVER () AS {_ROW}")
        return f"(SELECT *, ({self.prediction()}\n) AS {_PREDICTION} FROM (SELECT {', '.join(parts)} FROM {raw}))"

    def _order(self) -> str:
        """Return the clause that keeps the order of the rows; empty if it needs none.

        The databases turn inner queries, which add up the parts of rows, into joins, which change the order.
        """
        return f" ORDER BY {_ROW}" if "(SELECT" in self.prediction() else ""

    def _text_of_prediction(self, delimiter: str, decimal: str) -> str:
        if self.schema.is_classification:
            return _quoted(_PREDICTION, delimiter)
        text = f"regexp_replace({_PREDICTION}::VARCHAR, '\\.0$', '')"
        return text if decimal == "." else _quoted(f"replace({text}, '.', {_cells.literal(decimal)})", delimiter)

    def _check(self, kinds: dict[str, Kind]) -> None:
        """Raise DataError if the source lacks a column."""
        source = self.source
        source.columns(kinds, finds=False)
        known = [name for name, _ in source.columns()]
        for name in kinds:
            if name in known:
                continue
            near = did_you_mean(name, [column for column in known if column not in kinds])
            if name == self.target and name not in self.attributes():
                raise DataError(
                    f"{source.name}: found no column '{name}', the target of the model",
                    near or "name the column that holds the true values with --target",
                )
            raise DataError(f"{source.name}: found no column '{name}', which the model needs", near)

    def _is_unseen(self, attribute: Attribute) -> str:
        own = self.sql.name(attribute.name)
        if not attribute.labels:
            return f"{own} IS NOT NULL"
        return f"{own} NOT IN ({', '.join(map(self.sql.literal, attribute.labels))})"

    def _exported(self, export: Callable[[], Exported]) -> Exported:
        try:
            return export()
        except UsageError as error:
            raise UsageError(f"--engine {self.sql.dialect}: {error.message}", "use --engine memory") from None


_ECHO, _PREDICTION, _ROW = "treecli_echo_", "treecli_prediction", "treecli_row"


def unseen_warning(name: str, n_rows: int, labels: Sequence[str]) -> str:
    """Return the warning about labels of a column that the model does not know."""
    shown = shortened([f"'{label}'" for label in labels])
    return f"'{name}' holds labels that the model does not know in {counted(n_rows, 'row')}: {shown}"


def _quoted(text: str, delimiter: str) -> str:
    """Return a text as a cell of delimited text, in quotes where it needs them."""
    signs = [_cells.literal(delimiter), "'\"'", _LINE_END, _CARRIAGE_RETURN, _MARK]
    tests = [f"contains({text}, {sign})" for sign in signs]
    tests.append(f"{text} <> trim({text}, {_cells.BLANKS})")
    return f"CASE WHEN {' OR '.join(tests)} THEN '\"' || replace({text}, '\"', '\"\"') || '\"' ELSE {text} END"
