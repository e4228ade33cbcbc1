"""`info DATA` where the data are: the database describes the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treecli.cli import engine, terminal
from treecli.commands._datareport import DescribedData
from treecli.data import Kind
from treecli.errors import DataError, did_you_mean
from treecli.intake import IDENTIFIER, IGNORED, check_known, check_roles
from treecli.readers._kinds import kinds_asked
from treecli.readers._table import BLANKS
from treecli.wording import counted, number_text, shell_word

if TYPE_CHECKING:
    from treecli.engines._describing import Described
    from treecli.engines._source import Source
    from treecli.intake import ReadOptions

Facts = dict[str, Any]

__all__ = ["described"]


def described(source: Source, options: ReadOptions) -> DescribedData:
    """The size of the data and the facts about its columns; messages about them are printed."""
    from treecli.engines._describing import Described

    kinds = kinds_asked(options.types)
    names = [name for name, _ in source.columns(kinds)]
    engine.say(source)
    check_roles(source.name, names, options)
    if options.weights is not None:
        check_known(source.name, names, "--weights", [options.weights])
    inputs = [name for name in names if name not in (*options.ignore, options.weights)]
    if not inputs:
        raise DataError(f"{source.name}: no column is left to be the target", "ignore fewer columns")
    target = options.target or inputs[-1]
    inputs.remove(target)
    found = Described(source, target)
    if not found.n_rows:
        raise DataError(f"{source.name}: the target '{target}' has no value in any row", "name another with --target")
    if found.n_unlabelled:
        terminal.warn(f"left out {counted(found.n_unlabelled, 'row')} without a value of the target '{target}'")
    left_out = [*source.left_out, *((name, IGNORED) for name in names if name in options.ignore)]
    columns: list[Facts] = []
    for name in (*inputs, target):
        facts = _column(found, name, kinds.get(name), options)
        if name not in (*options.keep, target) and _identifies_rows(facts, found.n_rows):
            left_out.append((name, IDENTIFIER))
            terminal.detail(f"left out '{name}': {IDENTIFIER} (use it with --keep {shell_word(name)})")
            continue
        columns.append(facts)
    if len(columns) == 1:
        raise DataError(f"{source.name}: found no attribute to learn from except the target '{target}'")
    for facts in columns[:-1]:
        _warn_of_constant(facts)
    return DescribedData(
        source.name, found.n_rows, _weight(found, options), options.weights is not None, columns, left_out
    )


def _weight(found: Described, options: ReadOptions) -> float:
    if options.weights is None:
        return float(found.n_rows)
    n_wrong = found.n_wrong_weights(options.weights)
    if n_wrong:
        raise DataError(
            f"{found.source.name}: found {counted(n_wrong, 'row')} without a weight of 0 or more in '{options.weights}'"
        )
    return found.total(options.weights)


def _column(found: Described, name: str, kind: Kind | None, options: ReadOptions) -> Facts:
    facts = found.column(name)
    labels: dict[str, int] | None = facts.get("labels")
    if labels is None:
        return {"name": name, "kind": "numeric", **facts}
    if kind == "ordinal":
        text = dict(options.types)[name].removeprefix("ordinal:")
        order = [label.strip(BLANKS) for label in text.split("<")]
        for label in labels:
            if label not in order:
                raise DataError(
                    f"{found.source.name}: '{label}' is not in the order given for '{name}' ({' < '.join(order)})",
                    did_you_mean(label, order),
                )
        facts["labels"] = {label: labels.get(label, 0) for label in order}
    return {"name": name, "kind": kind or "nominal", **facts}


def _identifies_rows(facts: Facts, n_rows: int) -> bool:
    return facts["kind"] == "nominal" and 1 < n_rows == facts["n_distinct"] and not facts["n_missing"]


def _warn_of_constant(facts: Facts) -> None:
    name = facts["name"]
    if not facts["n_distinct"]:
        terminal.warn(f"'{name}' has no value in any row: no split can use it")
    elif facts["n_distinct"] == 1:
        value = next(iter(facts["labels"])) if "labels" in facts else number_text(facts["min"])
        terminal.warn(f"'{name}' has only one value ({value}): no split can use it")
