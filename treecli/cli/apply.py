"""Reading a model and data together: code shared by `evaluate`, `explain` and `predict`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treecli import models
from treecli.cli import options, terminal
from treecli.errors import ModelError, UsageError
from treecli.files.guard import STREAM
from treecli.settings.predicting import UNSEEN_POLICIES
from treecli.wording import counted, quoted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.ensembles.bagging import Bagging
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Lineage, Model, TreeModel

unseen = click.option(
    "--unseen",
    type=options.OneOf(UNSEEN_POLICIES),
    default=None,
    help="How to treat a label that did not occur in training: as missing, by the heaviest branch (majority), or as an "
    "error.  [default: as the model was trained]",
)


def read(
    model_path: str, data_path: str, reading: ReadOptions, unseen: str | None, *, needs_target: bool
) -> tuple[Model, Intake]:
    """The model and the rows; messages about them are printed."""
    if model_path == data_path == STREAM:
        raise UsageError("both the model and the data are '-', but there is only one stdin", "name one of the files")
    try:
        model = models.read_model(model_path)
    except ModelError as error:
        if data_path != STREAM and models.is_model_file(data_path) and not models.is_model_file(model_path):
            raise ModelError(error.message, f"the model comes first: {data_path} {model_path}") from None
        raise
    if unseen is not None:
        model = models.with_unseen(model, unseen, model_path)
    intake = read_data(data_path, reading, model, needs_target=needs_target)
    if model.settings.predicting.unseen == "error":
        models.refuse_unseen(model, intake.dataset, intake.name)
    return model, intake


def read_data(path: str, reading: ReadOptions, model: Model, *, needs_target: bool) -> Intake:
    """The rows under a model's schema; messages about them are printed."""
    from treecli.intake import read_for_model

    if not model.schema.target.name and needs_target and reading.target is None:
        reading = replace(reading, target=last_column(path, reading))
    with terminal.waiting(f"Reading {path}"):
        intake = read_for_model(path, reading, model.schema, needs_target=needs_target)
    for notice in intake.notices:
        terminal.detail(notice)
    for remark in intake.remarks:
        terminal.note(remark)
    for warning in intake.warnings:
        terminal.warn(warning)
    return intake


def member(model: Model, number: int, path: str) -> TreeModel:
    """The tree with this number, from 1, of an ensemble that was read from a file."""
    ensemble = models.as_ensemble(model)
    if ensemble is None:
        raise UsageError(
            f"--tree: {path} is {models.kind_of(model).TITLE}, not an ensemble of trees", "leave --tree out"
        )
    if number > ensemble.n_trees:
        raise UsageError(f"--tree {number}: {path} has {counted(ensemble.n_trees, 'tree')}")
    return ensemble.member(number - 1)


def warn_of_other_data(model: Model, data: Intake) -> None:
    """Warns if the data is not the model's training data, according to its lineage."""
    trained = _training_step(model)
    if trained is not None and not data.is_recorded_as(trained["sha256"]):
        terminal.warn(f"{data.name}: is not the training data of the model, which was {trained.get('data')}")


def warn_of_training_rows(model: Model, data: Intake, advice: str) -> None:
    """Warns, with advice, if the data contains the model's training rows, according to its lineage."""
    if not is_training_data(model, data):
        return
    trained = _training_step(model)
    n_aside = None if trained is None else trained.get("test_rows")
    if n_aside is None:
        found = "these are the rows the model was grown from"
    else:
        found = f"the model was grown from these rows, except {n_aside} that --test-fraction held out"
    terminal.warn(f"{data.name}: {found}; {advice}")


def is_training_data(model: Model, data: Intake) -> bool:
    """Whether the data is the file that the model was trained on, according to its lineage."""
    trained = _training_step(model)
    return trained is not None and data.is_recorded_as(trained["sha256"])


def bagging(model: Model, data: Intake) -> Bagging:
    """How the rows of a forest's trees were drawn from its training file; raises a UsageError for other data."""
    from treecli.ensembles.outofbag import bagging_of

    forest = models.as_ensemble(model)
    if forest is None or forest.IS_BOOSTED:
        raise UsageError(f"--out-of-bag: the model is {models.kind_of(model).TITLE}, not a forest", "leave it out")
    found = bagging_of(forest, data.dataset) if is_training_data(model, data) else None
    if found is None:
        raise UsageError(
            f"--out-of-bag: {data.name} is not the file, row by row, that the forest was grown from",
            "name the training file; rows without a target, --test-fraction and --sample 1 are not supported",
        )
    return found


def _training_step(model: Model) -> Lineage | None:
    return next((step for step in model.lineage if step.get("command") == "train" and "sha256" in step), None)


def flags(model: Model, dataset: Dataset) -> list[str]:
    """The flags of every row; a message names the attributes that could not be checked."""
    from treecli.explain.flags import flag_texts

    say_unchecked(model)
    return flag_texts(dataset, models.columns_used(model))


def say_unchecked(model: Model) -> None:
    """Names on stderr the attributes whose training range is unknown."""
    from treecli.explain.flags import without_range

    names = ", ".join(map(quoted, without_range(model.schema, models.columns_used(model))))
    if names:
        terminal.note(f"out-of-range is not checked for {names}: the model stores no range of the training values")


def last_column(data_path: str, reading: ReadOptions) -> str:
    """The column of true values for rules that do not name their target."""
    from treecli.interchange.echo import echo_rows

    names, _ = echo_rows(data_path, reading)
    return [name for name in names if name != reading.weights][-1]
