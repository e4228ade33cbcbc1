"""Notices and warnings about the data that was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from treecli.data import MISSING, Dataset, Schema
from treecli.readers._table import missing_options, number_of, shortened
from treecli.wording import counted, shell_word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Attribute, Column
    from treecli.readers._table import Table, TableColumn


class Described(Protocol):
    """Data with a schema and a number of rows."""

    @property
    def schema(self) -> Schema: ...

    @property
    def n_rows(self) -> int: ...


# A numeric target with at most this many distinct whole values may be intended as classes.
FEW_WHOLE_VALUES = 10

# A column of numbers with at most this many distinct other texts may be intended as numeric.
FEW_OTHER_TEXTS = 5

# This many rows suffice to show that most columns are not constant.
FIRST_ROWS = 1000

_MARKS = {".": "points", ",": "commas"}


def is_missing(values: Column) -> NDArray[np.bool_]:
    """A mask of the missing values."""
    import numpy as np

    return np.isnan(values) if values.dtype.kind == "f" else values == MISSING


def warnings_about_values(dataset: Dataset) -> Iterator[str]:
    """Warnings about columns that no split can use."""
    for attribute, values in zip(dataset.schema.attributes, dataset.columns, strict=True):
        # If the first rows differ, the column is not constant.
        if _differ(values[:FIRST_ROWS]) or _differ(values):
            continue
        known = values[~is_missing(values)]
        if not len(known):
            yield f"'{attribute.name}' has no value in any row: no split can use it"
        else:
            value = f"{known[0]:g}" if attribute.is_numeric else attribute.labels[int(known[0])]
            yield f"'{attribute.name}' has only one value ({value}): no split can use it"
    assert dataset.target is not None
    if (dataset.target == dataset.target[0]).all():
        what = "one class" if dataset.schema.is_classification else "one value"
        yield f"the target '{dataset.schema.target.name}' has only {what}: the tree is a single leaf"


def _differ(values: Column) -> bool:
    """Whether the known values are not all equal."""
    known = values[~is_missing(values)]
    return bool((known != known[:1]).any())


def summary(name: str, dataset: Described) -> str:
    """The size of a data set, its target and the kinds of its attributes."""
    schema = dataset.schema
    kinds = [attribute.kind for attribute in schema.attributes]
    counts = [f"{kinds.count(kind)} {kind}" for kind in ("numeric", "nominal", "ordinal") if kind in kinds]
    target = f"'{schema.target.name}' ({schema.target.kind}"
    if schema.is_classification:
        target += f": {shortened(schema.target.labels)}"
    return (
        f"{name}: {counted(dataset.n_rows, 'row')}; target {target}); "
        f"{counted(len(kinds), 'attribute')}: {', '.join(counts)}"
    )


def notices_about_target(dataset: Dataset, is_guessed: bool) -> Iterator[str]:
    """A notice if a numeric target may be intended as classes."""
    import numpy as np

    target = dataset.schema.target
    if target.is_numeric and is_guessed:
        assert dataset.target is not None
        yield from notices_about_numbers(target, np.unique(dataset.target))


def notices_about_numbers(target: Attribute, distinct: Any) -> Iterator[str]:
    """A notice if a numeric target with these distinct values may be intended as classes."""
    import numpy as np

    if 1 < len(distinct) <= FEW_WHOLE_VALUES and (distinct == np.floor(distinct)).all():
        values = shortened([f"{value:g}" for value in distinct])
        yield (
            f"the target '{target.name}' has few whole numbers ({values}) and is read as numeric: regression"
            f" (for classification: --type {shell_word(target.name)}=nominal)"
        )


def remark_about_numbers(column: TableColumn, missing_texts: Sequence[str]) -> str | None:
    """A notice if a few texts among numbers make a column nominal."""
    if column.labels is None or column.declared is not None:
        return None
    import numpy as np

    others: list[int] = []
    for code, label in enumerate(column.labels):
        if number_of(label, column.decimal) is None:
            others.append(code)
            if len(others) > FEW_OTHER_TEXTS:
                return None
    counts = np.bincount(column.values[column.values >= 0], minlength=len(column.labels))
    n_others = int(counts[others].sum())
    n_numbers = int(counts.sum()) - n_others
    if n_numbers <= n_others:
        return None
    texts = [column.labels[code] for code in others]
    shown = ", ".join(f"'{text}'" for text in texts)
    what = f"{n_others} {shown}" if len(texts) == 1 else f"{n_others} other texts ({shown})"
    return (
        f"'{column.name}': {counted(n_numbers, 'number')} and {what}, read as nominal;"
        f" for missing values: {missing_options(missing_texts, texts)}"
    )


def hint_about_no_attribute(
    table: Table, identifiers: Sequence[TableColumn], missing_texts: Sequence[str]
) -> str | None:
    """A hint for a file whose columns, except the target, were all left out, some as identifiers."""
    for column in identifiers:
        remark = remark_about_numbers(column, missing_texts)
        if remark is not None:
            return remark
    for column in identifiers if table.is_delimited else ():
        other = "." if column.decimal == "," else ","
        if remark_about_numbers(column._replace(decimal=other), missing_texts) is not None:
            return f"if the numbers in '{column.name}' have decimal {_MARKS[other]}, use --decimal {other}"
    if identifiers:
        return f"use a column that looks like an identifier with --keep {shell_word(identifiers[0].name)}"
    if table.left_out:
        name, reason = table.left_out[0]
        return f"left out '{name}': {reason}"
    if table.is_delimited and len(table.columns) == 1:
        return "if its columns are separated in another way, set --delimiter"
    return None


def missing_counts(dataset: Dataset) -> list[str]:
    """The name and the number of missing values of every attribute that has any."""
    counts = (
        (attribute.name, int(is_missing(values).sum()))
        for attribute, values in zip(dataset.schema.attributes, dataset.columns, strict=True)
    )
    return [f"{name} {count}" for name, count in counts if count]
