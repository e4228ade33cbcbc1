"""`train` where the data are: read into codes, grown from counts."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from treecli import __version__
from treecli.cli import terminal
from treecli.cli.engine import RAINFOREST, SPARK
from treecli.errors import DataError, UsageError
from treecli.files import forms
from treecli.files.compression import without_suffix
from treecli.files.guard import STREAM
from treecli.models import facts, write_model
from treecli.renderers import View, text
from treecli.wording import counted, readable

if TYPE_CHECKING:
    from treecli.cli.engine import Where
    from treecli.engines._checkpoint import Checkpoint
    from treecli.engines._limits import Ceiling
    from treecli.grow.coded import CodedData
    from treecli.intake import ReadOptions
    from treecli.large.checkpoints import Read
    from treecli.large.reading import LargeIntake
    from treecli.model import Lineage, TreeModel
    from treecli.recipe import Recipe

SHORT_WRITE = re.compile(r"\d+ requested and \d+ written")

LEAST_RETURNED = 1 << 22
"""Arrays of so many bytes return to the system when they are freed."""

MOST_LEAVES_SHOWN = 40
"""A tree with more leaves than this is not printed after training."""


@contextmanager
def _folder(where: Where) -> Iterator[str]:
    """A folder for codes, removed afterwards; raises a DataError if it cannot be written, for example if it is full."""
    try:
        with TemporaryDirectory(prefix="treecli-", dir=where.temp) as folder:
            yield folder
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        place = where.checkpoint or where.temp or gettempdir()
        option = "--temp" if where.checkpoint is None else "--checkpoint"
        # numpy gives no reason, only how many bytes it has written.
        reason = "the disk is full" if SHORT_WRITE.search(str(error)) else error.strerror or error
        raise DataError(
            f"{place}: codes cannot be written: {reason}",
            f"name a folder with more room: {option} DIR",
        ) from None


def train(
    path: str,
    recipe: Recipe,
    where: Where,
    output: str | None,
    reading: ReadOptions,
    test_path: str | None,
    jobs: int | None,
) -> None:
    """Grow a tree from data that an engine reads, write the model and report."""
    from treecli.engines._limits import ceiling_of
    from treecli.grow.allocation import return_freed_memory
    from treecli.large.learning import check, learn_large

    return_freed_memory(LEAST_RETURNED)
    check(where.engine, recipe)
    ceiling = ceiling_of(where.memory)
    output = output or _default_output(path, where)
    forms.check_model(output)
    begun = perf_counter()
    with (
        _folder(where) as temp,
        _read(path, where, reading, recipe, (ceiling, Path(temp), jobs)) as (
            (intake, remarks, n_of_source),
            checkpoint,
        ),
    ):
        for notice in (*intake.notices, *remarks):
            terminal.note(notice)
        for warning in intake.warnings:
            terminal.warn(warning)
        read_seconds = perf_counter() - begun
        with terminal.progress("Growing") as bar:
            told: dict[str, Any] = {"on_progress": bar, "on_warning": terminal.warn, "on_remark": terminal.detail}
            told |= {"checkpoint": checkpoint, "on_pass": bar.tell, "jobs": jobs, "strategy": where.strategy}
            model, done, data = learn_large(where.engine, intake.data, recipe, ceiling, **told)
        done["passes_of_source"] = n_of_source
        model = replace(model, lineage=(_step(intake, recipe.like, done), *model.lineage))
        grow_seconds = perf_counter() - begun - read_seconds
        write_model(output, model)
        quality = None if output == STREAM else _quality_there(model, data, ceiling, jobs)
        if checkpoint is not None:
            checkpoint.remove()
        n_attributes = len(intake.data.columns)
        terminal.note(
            f"{intake.name}: read in {read_seconds:.2f} s, grown in {grow_seconds:.2f} s from "
            f"{counted(intake.data.n_rows, 'row')} and {counted(n_attributes, 'attribute')}; "
            f"wrote {'the model to stdout' if output == STREAM else output}"
        )
        if output == STREAM:
            return
        _show(model)
        click.echo(
            f"passes: {done['passes']} over the codes, {n_of_source} over the source; "
            f"{counted(done['finished_in_memory'], 'node')} finished in memory"
        )
        if quality is not None:
            click.echo(f"training: {quality}")
        elif data.is_local:
            terminal.note("the errors on the training rows are left out: to predict them takes more than --memory")
    if test_path is not None:
        _test(model, test_path, reading, jobs)


@contextmanager
def _read(
    path: str, where: Where, reading: ReadOptions, recipe: Recipe, room: tuple[Ceiling, Path, int | None]
) -> Iterator[tuple[Read, Checkpoint | None]]:
    """The coded data, and the checkpoint; Spark holds them until the end, and DuckDB's memory is released before.

    `room` is the ceiling, the folder for codes, and the number of threads.
    """
    from treecli.large.checkpoints import Read, load, save
    from treecli.large.reading import LocalRows, read_coded

    ceiling, folder, jobs = room
    limited = replace(where, memory=ceiling.for_database, temp=str(folder))
    kept: dict[str, Any] = dict.fromkeys(("keep_identifiers", "keep_unlabelled"), recipe.like is not None)
    if where.engine != SPARK:
        with limited.opened(path, reading, jobs) as source:
            checkpoint = _checkpoint(where, source.identity(), recipe, reading, ceiling)
            read = None if checkpoint is None else load(checkpoint)
            if read is None:
                with terminal.waiting(f"Reading {path}"):
                    rows = LocalRows(source, folder if checkpoint is None else checkpoint.codes)
                    read = Read(read_coded(source, reading, rows, **kept), source.detected, source.passes)
                if checkpoint is not None:
                    save(checkpoint, read)
        yield read, checkpoint
        return
    from treecli.engines._sparkcoding import SparkRows

    with limited.in_spark(path, reading) as cluster:
        checkpoint = _checkpoint(where, cluster.identity(), recipe, reading, ceiling)
        cluster.cure = f"give the same command {'with --checkpoint DIR' if checkpoint is None else 'and --resume'}"
        with terminal.waiting(f"Reading {path}"):
            intake = read_coded(cluster, reading, SparkRows(cluster, folder), **kept)
        yield Read(intake, cluster.detected, cluster.passes), checkpoint


def _checkpoint(
    where: Where, identity: dict[str, Any], recipe: Recipe, reading: ReadOptions, ceiling: Ceiling
) -> Checkpoint | None:
    """The checkpoint of this training, if one is asked for."""
    if where.checkpoint is None:
        return None
    from treecli.engines._checkpoint import Checkpoint
    from treecli.large.checkpoints import key_of

    key = key_of(where.engine, identity, recipe, reading, ceiling) | {"strategies": where.strategy or RAINFOREST}
    found = Checkpoint.opened(where.checkpoint, key, resumes=where.resume)
    if where.resume and found.is_new:
        terminal.warn(f"--resume: {where.checkpoint} has no checkpoint yet, so the training starts from the beginning")
    return found


def _default_output(path: str, where: Where) -> str:
    """The model's name, from the name of the file or table."""
    stem = where.table or Path(without_suffix(path)).stem
    if where.query is not None or not stem or any(own in stem for own in "*?["):
        raise UsageError("the model has no name: the data are more than one file", "name the model: -o FILE")
    return f"{stem}.json"


def _step(intake: LargeIntake, like: str | None, done: Lineage) -> Lineage:
    """The record of the training in the model's lineage."""
    data = intake.data
    step: Lineage = {"command": "train", "treecli": __version__}
    if like is not None:
        step["like"] = like
    counts = {attribute.name: data.n_missing(i) for i, attribute in enumerate(data.schema.attributes)}
    return step | {
        "data": intake.name,
        "sha256": intake.sha256,
        "rows": data.n_rows,
        "missing": {name: count for name, count in counts.items() if count},
        "left_out": dict(intake.left_out),
        "engine": done,
    }


def _show(model: TreeModel) -> None:
    """Print the tree, if it is small, and its size."""
    if model.tree.n_leaves <= MOST_LEAVES_SHOWN:
        view = View(is_colored=terminal.is_colored(sys.stdout))
        terminal.results(text.render(model, view), is_safe=view.is_colored)
        click.echo()
    found = facts(model)
    click.echo(
        f"{counted(found['nodes'], 'node')}, {counted(found['leaves'], 'leaf', 'leaves')}, depth {found['depth']}"
    )


def _quality_there(model: TreeModel, data: CodedData, ceiling: Ceiling, jobs: int | None) -> str | None:
    """The errors on the training rows; None if that would need rows that are not here, or more memory."""
    from treecli.large.learning import errors_of, fit_of

    if model.schema.is_classification:
        errors = errors_of(model, data, ceiling, jobs)
        return None if errors is None else _quality(errors, float(data.weights.sum()))
    fit = fit_of(model, data, ceiling, jobs)
    return None if fit is None else _fit(*fit)


def _fit(mae: float, rmse: float, r2: float | None) -> str:
    fit = "" if r2 is None else f", r2 {r2:.4f}"
    return f"mean absolute error {mae:.6g}, root mean squared error {rmse:.6g}{fit}"


def _quality(errors: float, n: float) -> str:
    from treecli.evaluate.metrics import wilson_interval

    accuracy = (n - errors) / n
    low, high = wilson_interval(accuracy, n)
    return f"{readable(errors)} of {readable(n)} wrong, accuracy {accuracy:.4f} (95 %: {low:.4f} to {high:.4f})"


def _test(model: TreeModel, path: str, reading: ReadOptions, jobs: int | None) -> None:
    """Print the accuracy, or the errors of a numeric target, on the rows of a file in memory."""
    from treecli.evaluate.measure import measured
    from treecli.evaluate.metrics import Classification
    from treecli.intake import read_for_model
    from treecli.models import predictions

    rows = read_for_model(path, reading, model.schema).dataset.labelled()
    found = predictions(model, rows, jobs)
    if not model.schema.is_classification:
        measures = measured(model, rows, found)
        assert not isinstance(measures, Classification)
        click.echo(f"test: {_fit(measures.mae, measures.rmse, measures.r2)}")
        return
    wrong = rows.target != found
    click.echo(f"test: {_quality(float(rows.weights[wrong].sum()), float(rows.weights.sum()))}")
