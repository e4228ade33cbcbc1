"""Code shared by the commands that run experiments: the options for folds, and reading the data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from treecli import limits
from treecli.cli import options, terminal
from treecli.errors import UsageError
from treecli.experiment.folds import LEAVE_ONE_OUT, LIKE, RANDOM, Division, check_classes
from treecli.files import guard

if TYPE_CHECKING:
    from treecli.intake import Intake, ReadOptions
    from treecli.recipe import Recipe

FOLDS, FOLDS_LIKE, REPEATS = "n_folds", "folds_like", "repeats"
"""The parameters of the options for folds, for `is_given`."""


class NumberOfFolds(click.ParamType[int | None]):
    """A whole number from 2, or `loo` for leave-one-out, which is None."""

    name = "folds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if isinstance(value, int):
            return value
        if value == LEAVE_ONE_OUT:
            return None
        try:
            return options.Whole(min=2).convert(value, param, ctx)
        except UsageError as error:
            raise UsageError(error.message, f"or --folds {LEAVE_ONE_OUT}: leave out one row at a time") from None


def division_options(function: Any) -> Any:
    """Options that reach the command as one Division, under the name `division`; its seed is not set yet."""

    @wraps(function)
    def gather(**values: Any) -> Any:
        n_folds, like, repeats = (values.pop(name) for name in (FOLDS, FOLDS_LIKE, REPEATS))
        return function(division=Division(n_folds, repeats, like), **values)

    return options.under(
        options.TESTING,
        click.option(
            "--folds",
            FOLDS,
            type=NumberOfFolds(),
            default=10,
            show_default=True,
            metavar="K|loo",
            help="The number of folds; loo leaves out one row at a time.",
        ),
        click.option(
            "--repeats",
            REPEATS,
            type=options.Whole(min=1),
            default=1,
            show_default=True,
            metavar="R",
            help="Divide the rows R times; run r uses the seed --seed + r - 1.",
        ),
        click.option(
            "--folds-like",
            FOLDS_LIKE,
            type=options.OneOf(LIKE),
            default=RANDOM,
            show_default=True,
            help="How rows are assigned to folds: at random, stratified by class, or exactly as Weka does for the same "
            "--seed.",
        ),
    )(gather)


def check_files(inputs: Sequence[str], output: str | None, plot: str | None, results_file: str | None) -> None:
    """Raise for files that cannot or must not be written, and for a picture that cannot be drawn."""
    from treecli.draw.canvas import canvas, check_suffix

    for path in inputs:
        guard.will_read(path)
    written = [path for path in (output, plot, results_file) if path is not None and path != guard.STREAM]
    for path in written:
        guard.check_output(path)
        if written.count(path) > 1:
            raise UsageError(f"{path}: is given for two outputs", "give each a name of its own")
    if plot is not None:
        check_suffix(plot)
        with canvas((1, 1), ""):
            pass  # raises if matplotlib is missing


def read(data_path: str, reading: ReadOptions, recipe: Recipe, *, needs_classes: bool = True) -> tuple[Intake, Recipe]:
    """The data, and the recipe with its costs; messages about the data are printed."""
    from treecli.intake import read_training

    is_like = recipe.like is not None
    with terminal.waiting(f"Reading {data_path}"):
        intake = read_training(data_path, reading, keep_identifiers=is_like, keep_unlabelled=is_like)
    if needs_classes:
        check_classes(intake.dataset, intake.name)
    for notice in intake.notices:
        terminal.detail(notice)
    for remark in intake.remarks:
        terminal.note(remark)
    for warning in intake.warnings:
        terminal.warn(warning)
    limits.check(intake.dataset, intake.name, reading.weights)
    return intake, recipe.with_costs(intake.dataset.schema.target.labels)
