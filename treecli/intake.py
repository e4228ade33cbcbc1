"""From the columns of a file to a data set: kinds, target, identifiers, notices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from treecli import plugins
from treecli.data import UNSEEN, Attribute, Dataset, Kind, Schema
from treecli.errors import DataError, UsageError, did_you_mean
from treecli.readers._notices import (
    hint_about_no_attribute,
    is_missing,
    missing_counts,
    notices_about_target,
    remark_about_numbers,
    summary,
    warnings_about_values,
)
from treecli.readers._readoptions import ReadOptions
from treecli.readers._source import open_source
from treecli.readers._table import shortened
from treecli.wording import counted, shell_word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column, FloatArray
    from treecli.readers._source import Hashes
    from treecli.readers._table import Table, TableColumn

__all__ = [
    "Intake",
    "ReadOptions",
    "check_known",
    "check_roles",
    "read_for_model",
    "read_training",
]

# Reasons for leaving out a column.
IGNORED = "ignored as asked"
IDENTIFIER = "every value is different"
NOT_IN_MODEL = "not in the model"
GROUPS = "it groups the rows"


class Intake(NamedTuple):
    """A data set, its source, and the messages about how it was read."""

    dataset: Dataset
    name: str
    hashes: Hashes
    notices: tuple[str, ...]
    warnings: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    """(column, reason) of every column that is neither attribute nor target nor weight."""
    remarks: tuple[str, ...] = ()
    """Decisions about the file that may be wrong; every command prints them."""
    rows: NDArray[np.int64] | None = None
    """The row of the file, from 0, of each row of the data set; None if the data set has all of them."""
    groups: Column | None = None
    """The values of `options.groups`, as numbers or codes."""

    @property
    def sha256(self) -> str:
        """The hash of the file's decompressed content, as recorded in a model's lineage."""
        return self.hashes.content

    def is_recorded_as(self, sha256: object) -> bool:
        """Whether a lineage hash is that of this file. Older models recorded the hash of the compressed file."""
        return sha256 is not None and sha256 in self.hashes


def read_training(
    path: str, options: ReadOptions, *, keep_identifiers: bool = False, keep_unlabelled: bool = False
) -> Intake:
    """The training data.

    Identifiers are left out unless `options.keep` names them or `keep_identifiers` is set. Rows with a missing target
    are left out unless `keep_unlabelled` is set: nothing is learned from them, but some programs count them.
    """
    import numpy as np

    from treecli.readers._kinds import as_asked, kinds_asked

    table, hashes = _read(path, options, kinds_asked(options.types))
    types = dict(options.types)
    by_name = {column.name: column for column in table.columns}
    check_roles(table.name, by_name, options)
    inputs = [name for name in by_name if name not in (*options.ignore, options.weights, options.groups)]
    if not inputs:
        raise DataError(f"{table.name}: no column is left to be the target", "ignore fewer columns")
    target_name = options.target or inputs[-1]
    inputs.remove(target_name)
    target, target_values = as_asked(by_name[target_name], types.get(target_name), table.place, options.na)
    weights, has_weights = _weights_of(by_name, table, options)
    _check_target(target, target_values, table)

    notices: list[str] = []
    warnings: list[str] = []
    is_unlabelled = is_missing(target_values)
    n_left_out = int(np.count_nonzero(is_unlabelled))
    if n_left_out:
        warnings.append(f"left out {counted(n_left_out, 'row')} without a value of the target '{target.name}'")
    # A slice if all rows are kept: it avoids a copy.
    known = np.flatnonzero(~is_unlabelled) if n_left_out and not keep_unlabelled else slice(None)

    groups = None if options.groups is None else _groups_of(by_name[options.groups], table, known)
    attributes: list[Attribute] = []
    columns: list[Column] = []
    left_out = [*table.left_out, *((name, IGNORED) for name in by_name if name in options.ignore)]
    if options.groups is not None and options.groups not in options.ignore:
        left_out.append((options.groups, GROUPS))
    notices += [f"left out '{name}': {reason}" for name, reason in table.left_out]
    for name in inputs:
        attribute, values = as_asked(by_name[name], types.get(name), table.place, options.na)
        values = values[known]
        if name not in options.keep and _identifies_rows(attribute, values):
            if not keep_identifiers:
                left_out.append((name, IDENTIFIER))
                notices.append(
                    f"left out '{name}': {IDENTIFIER}, so it identifies rows and predicts nothing"
                    f" (use it with --keep {shell_word(name)})"
                )
                continue
            warnings.append(
                f"'{name}' is used although every value is different: it identifies rows and predicts nothing"
                f" (leave it out with --ignore {shell_word(name)})"
            )
        attributes.append(attribute)
        columns.append(values)
    if not attributes:
        identifiers = [by_name[name] for name, reason in left_out if reason == IDENTIFIER]
        raise DataError(
            f"{table.name}: found no attribute to learn from except the target '{target.name}'",
            hint_about_no_attribute(table, identifiers, options.na),
        )

    schema = Schema(tuple(attributes), target)
    dataset = Dataset(schema, columns, target_values[known], weights[known], has_weights)
    if not dataset.weights.any():
        raise DataError(f"{table.name}: every weight is 0, expected some above")
    warnings += warnings_about_values(dataset)
    is_guessed = by_name[target_name].declared is None and target_name not in types
    guessed = [by_name[name] for name in (*inputs, target_name) if name not in types]
    remarks = [
        *table.detected,
        *(remark for column in guessed if (remark := remark_about_numbers(column, options.na))),
    ]
    notices = [
        summary(table.name, dataset),
        *notices,
        *notices_about_target(dataset, is_guessed),
        *table.notices,
    ]
    if has_weights:
        with np.errstate(over="ignore"):
            notices.append(f"rows have weights, which sum to {dataset.weights.sum():g}")
    missing = missing_counts(dataset)
    if missing:
        notices.append(f"missing values: {shortened(missing)}")
    return Intake(
        dataset,
        table.name,
        hashes(),
        tuple(notices),
        tuple(warnings),
        tuple(left_out),
        tuple(remarks),
        None if isinstance(known, slice) else known,
        groups,
    )


def _groups_of(column: TableColumn, table: Table, known: NDArray[np.int64] | slice) -> Column:
    """The values that group the rows; a missing one is refused."""
    import numpy as np

    lacking = np.flatnonzero(is_missing(column.values))
    if len(lacking):
        raise DataError(
            f"{table.place(int(lacking[0]))}: found no value of '{column.name}', expected a group (--groups)"
        )
    return column.values[known]


def read_for_model(path: str, options: ReadOptions, schema: Schema, *, needs_target: bool = True) -> Intake:
    """All rows of a file under the schema of a model: columns are matched by name.

    Labels outside the schema are UNSEEN. `options.target` names the column of true values if its name differs from the
    schema's target.
    """
    import numpy as np

    from treecli.readers._kinds import under_schema

    target_name = options.target or schema.target.name
    kinds: dict[str, Kind] = {attribute.name: attribute.kind for attribute in schema.attributes}
    kinds[target_name] = schema.target.kind
    table, hashes = _read(path, options, kinds)
    by_name = {column.name: column for column in table.columns}
    if options.target is not None:
        check_known(table.name, by_name, "--target", [options.target])
    for name in (attribute.name for attribute in schema.attributes):
        if name not in by_name:
            raise DataError(
                f"{table.name}: found no column '{name}', which the model needs",
                did_you_mean(name, [column for column in by_name if column not in kinds]),
            )
    columns = [
        under_schema(by_name[attribute.name], attribute, table.place, options.na) for attribute in schema.attributes
    ]
    weights, has_weights = _weights_of(by_name, table, options)

    target: Column | None = None
    if target_name in by_name:
        try:
            target = under_schema(by_name[target_name], schema.target, table.place, options.na)
        except DataError:
            if needs_target:
                raise
    elif needs_target:
        raise DataError(
            f"{table.name}: found no column '{target_name}', the target of the model",
            did_you_mean(target_name, by_name) or "name the column that holds the true values with --target",
        )

    warnings: list[str] = []
    # Rules without a declared target list only the labels that they test; other labels are then expected.
    pairs = [*zip(schema.attributes, columns, strict=True)] if schema.target.name else []
    if target is not None:
        pairs.append((schema.target, target))
    for attribute, values in pairs:
        n_unseen = 0 if attribute.is_numeric else int(np.count_nonzero(values == UNSEEN))
        if n_unseen:
            name = target_name if attribute is schema.target else attribute.name
            unseen = [f"'{label}'" for label in _labels_of_rows(by_name[name], values == UNSEEN)]
            warnings.append(
                f"'{name}' holds labels that the model does not know in {counted(n_unseen, 'row')}: {shortened(unseen)}"
            )
    used = {*(attribute.name for attribute in schema.attributes), target_name, options.weights}
    dataset = Dataset(schema, columns, target, weights, has_weights)
    return Intake(
        dataset,
        table.name,
        hashes(),
        (f"{table.name}: {counted(table.n_rows, 'row')}",),
        tuple(warnings),
        tuple((name, NOT_IN_MODEL) for name in by_name if name not in used),
        table.detected,
    )


def _read(path: str, options: ReadOptions, kinds: dict[str, Kind]) -> tuple[Table, Callable[[], Hashes]]:
    """The columns of a file, and a function that returns its hashes."""
    source = open_source(path, options)
    hashes = source.begin_hashes()
    table: Table = plugins.load("readers", source.format).read(source, options, kinds)
    return table._replace(detected=(*source.detected, *table.detected)), hashes


def check_roles(file_name: str, known: Collection[str], options: ReadOptions) -> None:
    """Raises if an option names a column that does not exist, or if two options conflict."""
    check_known(file_name, known, "--target", [options.target] if options.target is not None else [])
    check_known(file_name, known, "--ignore", options.ignore)
    check_known(file_name, known, "--keep", options.keep)
    check_known(file_name, known, "--groups", [options.groups] if options.groups is not None else [])
    check_known(file_name, known, "--type", [name for name, _ in options.types])
    named_by: dict[str, str] = {}
    roles = (
        ("--target", [options.target]),
        ("--weights", [options.weights]),
        ("--groups", [options.groups] if options.groups not in options.ignore else []),
        ("--ignore", options.ignore),
        ("--keep", options.keep),
    )
    for option, names in roles:
        for name in names:
            if name is not None and named_by.setdefault(name, option) != option:
                raise UsageError(f"'{name}' is named by {named_by[name]} and by {option}", "leave one of them out")


def check_known(file_name: str, known: Collection[str], option: str, names: Sequence[str]) -> None:
    """Raises if an option names a column that does not exist."""
    for name in names:
        if name not in known:
            raise UsageError(
                f"{file_name}: found no column '{name}' ({option}); there are {shortened(list(known))}",
                did_you_mean(name, known),
            )


def _weights_of(by_name: dict[str, TableColumn], table: Table, options: ReadOptions) -> tuple[FloatArray, bool]:
    """The weight of every row, and whether weights were given."""
    import numpy as np

    from treecli.readers._kinds import as_numeric

    if options.weights is None:
        if table.weights is not None:
            return table.weights, True
        # One number that all rows share: eight bytes a row less.
        return np.broadcast_to(np.float64(1.0), table.n_rows), False
    if table.weights is not None:
        raise UsageError(f"{table.name}: the rows already have weights", "leave out --weights")
    check_known(table.name, by_name, "--weights", [options.weights])
    weights = as_numeric(by_name[options.weights], table.place, options.na)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        row = int(wrong[0])
        found = "no weight" if np.isnan(weights[row]) else f"the weight {weights[row]:g}"
        raise DataError(f"{table.place(row)}: found {found} in '{options.weights}', expected a number of 0 or more")
    return weights, True


def _check_target(target: Attribute, values: Column, table: Table) -> None:
    import numpy as np

    if is_missing(values).all():
        raise DataError(
            f"{table.name}: the target '{target.name}' has no value in any row", "name another with --target"
        )
    if target.is_numeric:
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            row = int(infinite[0])
            raise DataError(
                f"{table.place(row)}: found {values[row]} in the target '{target.name}', expected a finite number"
            )


def _identifies_rows(attribute: Attribute, values: Column) -> bool:
    import numpy as np

    return (
        attribute.kind == "nominal"
        and len(values) > 1
        and len(attribute.labels) >= len(values)
        and not is_missing(values).any()
        and len(np.unique(values)) == len(values)
    )


def _labels_of_rows(column: TableColumn, rows: NDArray[np.bool_]) -> list[str]:
    import numpy as np

    return [(column.labels or ())[code] for code in np.unique(column.values[rows]).tolist()]
