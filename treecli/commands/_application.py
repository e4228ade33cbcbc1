"""A model and the data that it is put to: what `evaluate` and `predict` share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treecli import options, terminal
from treecli.errors import UsageError
from treecli.files import STREAM, read_model
from treecli.prediction import refuse_unseen
from treecli.routing import UNSEEN_POLICIES

if TYPE_CHECKING:
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Model

unseen = click.option(
    "--unseen",
    type=options.OneOf(UNSEEN_POLICIES),
    default=None,
    help="What becomes of a label that the model has not seen: it counts as a missing value, takes the heaviest "
    "branch, or is an error.  [default: as the model says]",
)


def read(
    model_path: str, data_path: str, reading: ReadOptions, unseen: str | None, *, needs_target: bool
) -> tuple[Model, Intake]:
    """The model and the rows, after saying on stderr what there is to say about them."""
    from treecli.intake import read_for_model

    if model_path == data_path == STREAM:
        raise UsageError("both the model and the data are '-', but there is one stdin", "name one of the files")
    model = read_model(model_path)
    if unseen is not None:
        model = replace(model, settings=replace(model.settings, unseen=unseen))
    with terminal.waiting(f"Reading {data_path}"):
        intake = read_for_model(data_path, reading, model.schema, needs_target=needs_target)
    for notice in intake.notices:
        terminal.detail(notice)
    for warning in intake.warnings:
        terminal.warn(warning)
    if model.settings.unseen == "error":
        refuse_unseen(model, intake.dataset, intake.name)
    return model, intake
