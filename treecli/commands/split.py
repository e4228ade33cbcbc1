"""Divide the rows of a data file into training, tuning and test files."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from treecli.cli import options, report, terminal
from treecli.errors import DataError, UsageError
from treecli.files import forms, guard
from treecli.files.guard import STREAM
from treecli.wording import Cell, counted, quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.experiment.strata import Strata
    from treecli.intake import ReadOptions

_SHARE = re.compile(r"([0-9.eE+-]+)=(.*)", re.DOTALL)

TRAIN, TUNE, TEST = "train", "tune", "test"


class Part(NamedTuple):
    """A file to write, and its share of the rows."""

    name: str
    path: str
    share: float

    @property
    def option(self) -> str:
        return f"--{self.name}"


@dataclass(frozen=True, slots=True)
class Files:
    """The files to write, with their shares as typed."""

    train: str
    test: str
    tune: str | None
    may_overwrite: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """How rows are assigned to files; `is_stratified` is None if nobody asked for it."""

    is_stratified: bool | None
    groups: str | None
    is_sequential: bool
    seed: int


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@click.option("--train", required=True, type=options.FILE, metavar="FILE", help="The file of the remaining rows.")
@click.option("--test", required=True, metavar="SHARE=FILE", help="The test file, and its share of the rows: 0.3=FILE.")
@click.option("--tune", default=None, metavar="SHARE=FILE", help="A file to prune with, and its share of the rows.")
@click.option(
    "--stratify/--no-stratify",
    "is_stratified",
    default=None,
    help="Give each file the same share of every class.  [default: --stratify if the target is nominal]",
)
@click.option("--groups", default=None, metavar="NAME", help="A column; rows with equal values are put into one file.")
@click.option(
    "--sequential", "is_sequential", is_flag=True, help="Keep the order: training rows first, test rows last."
)
@click.option(
    "--seed", type=options.Whole(min=0), default=0, show_default=True, metavar="N", help="The seed of the division."
)
@click.option("--force", "may_overwrite", is_flag=True, help="Overwrite existing files.")
@options.divided_data
@options.report_format
@options.voice
@options.together("files", Files)
@options.together("rule", Rule)
def command(
    data_path: str,
    files: Files,
    rule: Rule,
    reading: ReadOptions,
    report_format: str,
) -> None:
    """Divide the rows of DATA into files for training, tuning and testing.

    The files have the format of DATA. Header, cells and lines are copied as written, in the order of DATA; blank lines
    and comments between rows are not. All files are written or none.

    Rows are drawn at random, with the same share of every class in each file. Rows without a value of the target are
    kept, and count as a class of their own.

    \b
    treecli split iris.csv --train train.csv --test 0.3=test.csv
    treecli split a.arff --test 0.3=b.arff --tune 0.2=c.arff --train d.arff
    treecli split visits.csv --groups patient --train a.csv --test 0.25=b.csv
    treecli split prices.csv --sequential --train a.csv --test 0.1=b.csv
    """
    parts = _parts(files.train, files.test, files.tune)
    _check_options(rule)
    guard.will_read(data_path)
    _check_files(parts, files.may_overwrite)

    from treecli.experiment.strata import read_strata
    from treecli.files.whole import write_all

    with terminal.waiting(f"Reading {data_path}"):
        strata = read_strata(data_path, reading, rule.groups)
    for remark in strata.remarks:
        terminal.note(remark)
    _check_formats(parts, strata.format)
    if rule.is_stratified and strata.target.is_numeric:
        raise UsageError(
            f"--stratify: the target '{strata.target.name}' is numeric",
            f"leave it out, name another --target, or use --type {strata.target.name}=nominal",
        )
    part_of_row = _divided(strata, parts, rule)
    import numpy as np

    rows = [np.flatnonzero(part_of_row == part) for part in range(len(parts))]
    for part, own in zip(parts, rows, strict=True):
        if not len(own):
            raise UsageError(
                f"{strata.name}: no row is left for {part.option}: {part.share:g} of {counted(strata.n_rows, 'row')}",
                "change the shares",
            )
    write_all({part.path: [strata.excerpt(own)] for part, own in zip(parts, rows, strict=True)})
    _write_report(
        strata, parts, rows, report_format, is_warned=rule.is_stratified is not False and not rule.is_sequential
    )


def _parts(train: str, test: str, tune: str | None) -> list[Part]:
    """The files in the order of their rows, with the training file first."""
    if _SHARE.fullmatch(train) and not os.path.exists(train):
        raise UsageError(f"--train: found '{train}', but it takes the rows that the others leave", "name only the file")
    others = [_part(TEST, test)] if tune is None else [_part(TUNE, tune), _part(TEST, test)]
    total = sum(part.share for part in others)
    if total >= 1:
        raise UsageError(f"the shares sum to {total:g}, expected less than 1", "--train takes the rest of the rows")
    return [Part(TRAIN, train, 1 - total), *others]


def _part(name: str, text: str) -> Part:
    found = _SHARE.fullmatch(text)
    try:
        share = None if found is None else float(found[1])
    except ValueError:
        share = None
    if found is None or share is None or not found[2]:
        raise UsageError(f"--{name}: found '{text}', expected SHARE=FILE", f"for example --{name} 0.3={text or 'FILE'}")
    if not 0 < share < 1:
        raise UsageError(f"--{name}: found the share {found[1]}, expected a number between 0 and 1")
    return Part(name, found[2], share)


def _check_options(rule: Rule) -> None:
    if not rule.is_sequential:
        return
    given = {
        "--stratify": rule.is_stratified is True,
        "--groups": rule.groups is not None,
        "--seed": options.is_given(click.get_current_context(), "seed"),
    }
    for option, is_used in given.items():
        if is_used:
            raise UsageError(f"--sequential and {option} exclude each other", "leave one of them out")


def _check_files(parts: list[Part], may_overwrite: bool) -> None:
    """Raises if a file cannot or must not be written, or is named twice."""
    named: dict[str, str] = {}
    for part in parts:
        if part.path == STREAM:
            raise UsageError(f"{part.option}: found -, expected a file's name")
        guard.check_output(part.path, part.option)
        is_file = os.path.isfile(part.path)
        if is_file and not may_overwrite:
            raise UsageError(f"{part.path}: exists and is not overwritten", "use --force to overwrite it")
        target = os.path.realpath(part.path)
        if is_file or not os.path.exists(part.path):
            if target in named:
                raise UsageError(f"{part.path}: is named by {named[target]} and {part.option}", "give each file a name")
            named[target] = part.option
    if not may_overwrite:
        guard.refuse_to_overwrite()


def _check_formats(parts: list[Part], format: str) -> None:
    for part in parts:
        known = forms.of_family("writers")
        found = known.get(forms.suffix_of(part.path), format)
        if found != format:
            raise UsageError(
                f"{part.path}: found the suffix of {found}, but the data is {format}",
                "the files keep the format; 'treecli convert' changes it",
            )


def _divided(strata: Strata, parts: list[Part], rule: Rule) -> NDArray[np.int64]:
    """The part of each row."""
    from treecli.experiment import partition

    shares = [part.share for part in parts]
    if rule.is_sequential:
        return partition.in_order(strata.n_rows, shares)
    classes = strata.classes * 0 if rule.is_stratified is False else strata.classes
    if strata.groups is None:
        return partition.dealt(classes, shares, rule.seed)
    n_groups = int(strata.groups.max()) + 1
    if n_groups < len(parts):
        raise DataError(f"{strata.name}: found {counted(n_groups, 'group')}, expected {len(parts)}, one for each file")
    return partition.dealt_by_group(strata.groups, classes, shares, rule.seed)


def _write_report(
    strata: Strata, parts: list[Part], rows: list[NDArray[np.int64]], report_format: str, *, is_warned: bool
) -> None:
    import numpy as np

    labels = strata.target.labels
    facts = []
    for part, own in zip(parts, rows, strict=True):
        fact = {"part": part.name, "file": part.path, "rows": len(own), "share": len(own) / strata.n_rows}
        if not strata.target.is_numeric:
            counts = np.bincount(strata.classes[own], minlength=len(labels) + 1).tolist()
            fact["classes"] = dict(zip(labels, counts, strict=False))
        facts.append(fact)
    columns = tuple(facts[0])
    cells = [[_cell(fact[column]) for column in columns] for fact in facts]
    table = report.Table("", columns, cells, dispensable=("classes", "share"), lists=("classes",))
    if is_warned:
        for code, label in enumerate(labels):
            absent = [
                part.name for part, own in zip(parts, rows, strict=True) if not (strata.classes[own] == code).any()
            ]
            if absent and (strata.classes == code).any():
                terminal.warn(f"no row of the class '{label}' is in {' and '.join(absent)}")
    report.write(report_format, [table], {"target": strata.target.name, "parts": facts})


def _cell(value: Any) -> Cell:
    if not isinstance(value, dict):
        own: Cell = value
        return own
    return ", ".join(f"{quoted(label)} {count}" for label, count in value.items())
