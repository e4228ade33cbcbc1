"""Conversion of a file's column to an attribute of a given kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from treecli.data import MISSING, UNSEEN, Attribute, Kind
from treecli.errors import DataError, UsageError, did_you_mean
from treecli.readers._table import BLANKS, TableColumn, missing_options, number_of

if TYPE_CHECKING:
    from treecli.data import CodeArray, Column, FloatArray

    Place = Callable[[int], str]


def as_numeric(column: TableColumn, place: Place, missing_texts: Sequence[str]) -> FloatArray:
    """The column as numbers; raises at the first row with another value.

    `missing_texts` are the texts that counted as missing when the column was read.
    """
    if column.labels is None:
        return column.values.astype(np.float64, copy=False)
    numbers = [number_of(label, column.decimal) for label in column.labels]
    is_text = np.array([*(number is None for number in numbers), False])
    wrong = np.flatnonzero(is_text[column.values])
    if len(wrong):
        row = int(wrong[0])
        text = column.labels[int(column.values[row])]
        hint = f"if it means missing, use {missing_options(missing_texts, [text])}"
        other = "." if column.decimal == "," else ","
        if column.declared is None and number_of(text, other) is not None:
            hint = f"if it has a decimal {'comma' if other == ',' else 'point'}, use --decimal {other}"
        raise DataError(f"{place(row)}: found '{text}' in '{column.name}', expected a number", hint)
    known = [np.nan if number is None else number for number in numbers]
    result: FloatArray = np.array([*known, np.nan])[column.values]
    return result


def as_ordinal(column: TableColumn, order: tuple[str, ...], place: Place) -> CodeArray:
    """The column as codes into the labels of `order`; raises at the first row with another label."""
    codes = recode(column, order)
    wrong = np.flatnonzero(codes == UNSEEN)
    if len(wrong):
        row = int(wrong[0])
        label = (column.labels or ())[int(column.values[row])]
        raise DataError(
            f"{place(row)}: '{label}' is not in the order given for '{column.name}' ({' < '.join(order)})",
            did_you_mean(label, order) or f"list every value: --type '{column.name}=ordinal:LOW<…<HIGH'",
        )
    return codes


def recode(column: TableColumn, labels: tuple[str, ...]) -> CodeArray:
    """The column's codes into these labels, UNSEEN for other labels."""
    code_of = {label: code for code, label in enumerate(labels)}
    renumbered = [*(code_of.get(label, UNSEEN) for label in column.labels or ()), MISSING]
    result: CodeArray = np.array(renumbered, dtype=np.int32)[column.values]
    return result


def kinds_asked(types: Sequence[tuple[str, str]]) -> dict[str, Kind]:
    """The kind that each `--type` gives for its column."""
    kinds: dict[str, Kind] = {}
    for name, text in types:
        word, _, order = text.partition(":")
        if text not in {"numeric", "nominal"} and not (word == "ordinal" and order):
            raise UsageError(
                f"--type {name}={text}: expected numeric, nominal or ordinal:low<mid<high",
                did_you_mean(word, ("numeric", "nominal")),
            )
        if name in kinds:
            raise UsageError(f"--type is given twice for '{name}'", "leave one of them out")
        kinds[name] = cast("Kind", word)
    return kinds


def as_asked(
    column: TableColumn, type_text: str | None, place: Place, missing_texts: Sequence[str]
) -> tuple[Attribute, Column]:
    """The column as `--type` declares it; without `--type`, as its file declares it or as its values look."""
    if type_text is None:
        if column.labels is None:
            return Attribute(column.name, "numeric"), column.values
        return Attribute(column.name, column.declared or "nominal", column.labels), column.values
    if type_text == "numeric":
        return Attribute(column.name, "numeric"), as_numeric(column, place, missing_texts)
    if type_text == "nominal":
        return Attribute(column.name, "nominal", column.labels or ()), column.values
    order = tuple(label.strip(BLANKS) for label in type_text.removeprefix("ordinal:").split("<"))
    if len(set(order)) < len(order):
        raise UsageError(f"--type {column.name}={type_text}: a value is listed twice", "list each value once")
    return Attribute(column.name, "ordinal", order), as_ordinal(column, order, place)


def under_schema(column: TableColumn, attribute: Attribute, place: Place, missing_texts: Sequence[str]) -> Column:
    """The column as an attribute of a model, UNSEEN for labels that the model does not know."""
    if attribute.is_numeric:
        return as_numeric(column, place, missing_texts)
    return recode(column, attribute.labels)
