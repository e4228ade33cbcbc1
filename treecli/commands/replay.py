"""Make a model again from its lineage, and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treecli import __version__, limits, models
from treecli.cli import apply, options, terminal
from treecli.errors import CheckError, DataError, ModelError, UsageError
from treecli.files.compression import compression_of, decompressed
from treecli.files.guard import STREAM, open_input

if TYPE_CHECKING:
    from treecli.intake import ReadOptions
    from treecli.model import TreeModel


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.model_data
@options.voice
def command(model_path: str, data_path: str, reading: ReadOptions) -> None:
    """Repeat what the lineage of MODEL says on DATA, and compare the bytes of the two models.

    DATA is the file that the model was grown from; other data are refused with exit code 3. Steps of 'train', 'prune'
    and 'edit' are repeated, with --weights if the training had it. The exit code is 0 if the bytes are the same, and 1
    if not; the first node that differs is named.

    \b
    treecli replay playtennis.json playtennis.csv
    treecli replay vote.pruned.json vote.arff && echo reproduced
    """
    from treecli.surgery import replaying

    if model_path == data_path == STREAM:
        raise UsageError("both the model and the data are '-', but there is only one stdin", "name one of the files")
    model = models.read_tree(model_path)
    step = replaying.training_step(model)
    data = apply.read_data(data_path, reading, replaying.before_renaming(model), needs_target=True)
    if not data.is_recorded_as(step["sha256"]):
        raise DataError(f"{data.name}: is not the data that the model was grown from, which was {step.get('data')}")
    replaying.check(model, step["sha256"])
    limits.check(data.dataset, data.name, reading.weights)
    if step.get("treecli") != __version__:
        terminal.note(f"the model was made by treecli {step.get('treecli')}, this is {__version__}")
    expected = _content(model_path, model)
    found = None
    for found in replaying.replayed(model, data.dataset):
        if b"".join(models.encode(found)) == expected:
            terminal.results(["same bytes\n"])
            return
    assert found is not None
    raise CheckError(f"{model_path}: {replaying.first_difference(model, found)}")


def _content(path: str, model: TreeModel) -> bytes:
    """The bytes of a model file, decompressed; those of a model from stdin as they would be written."""
    if path == STREAM:
        return b"".join(models.encode(model))
    with open_input(path) as file:
        data = file.read()
    compression = compression_of(data)
    return data if compression is None else decompressed(data, compression, path, ModelError)
