"""Reads model files of any kind."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any, BinaryIO, cast

from treecli import plugins
from treecli.errors import ModelError, did_you_mean, nearby_file
from treecli.files import compression, guard, names
from treecli.files.guard import STREAM
from treecli.model import Model, TreeModel

HEAD_BYTES = 4096

MODEL_SUFFIXES = (".json", ".txt")
"""Suffixes of models as JSON, and of rules as text."""


def read_model(path: str) -> Model:
    """Read a model from a file or stdin."""
    name = "stdin" if path == STREAM else path
    if path == STREAM:
        text = _model_text(guard.stdin("a model"), name)
    else:
        try:
            with guard.open_input(path) as stream:
                text = _model_text(_decompressed(stream, path), name)
        except FileNotFoundError:
            raise ModelError(f"{path}: no such file", nearby_file(path, MODEL_SUFFIXES)) from None
        except IsADirectoryError:
            raise ModelError(f"{path}: is a folder, expected a model", "name a file in it") from None
        except OSError as error:
            raise ModelError(f"{path}: {error.strerror}") from error
    return decode(text, name)


def decode(text: bytes, name: str) -> Model:
    """Return the model in a file; `name` is the file's name in messages."""
    with _no_collection():
        return _decoded(text, name)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the garbage collector, which would scan all nodes or rules repeatedly although none is garbage."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _decoded(text: bytes, name: str) -> Model:
    if not text.lstrip().startswith(b"{"):
        own = next(_of_text(text), None)
        if own is None:
            raise _no_model(name)
        return cast("Model", own.decode_text(text, name))
    from treecli.models._heading import read_heading

    heading = read_heading(text, name)
    kind = TreeModel.KIND if heading.kind is None else heading.kind
    known = plugins.names("models")
    if kind not in known:
        known_kinds = ", ".join(known)
        raise ModelError(
            f"{name}: unknown kind of model {kind!r} (known: {known_kinds})", did_you_mean(str(kind), known)
        )
    return cast("Model", plugins.load("models", kind).decode(text, name))


def is_model_file(path: str) -> bool:
    """Return whether a file or pipe is a model, not data, by its suffix or else by its first bytes."""
    inner = compression.without_suffix(path)
    suffix = names.suffix_of(inner)
    if suffix == MODEL_SUFFIXES[0]:
        return True
    if suffix.removeprefix(".") in plugins.names("readers") or not (os.path.isfile(path) or guard.is_pipe(path)):
        return False
    try:
        with guard.open_input(path) as stream:
            return may_be_model(_decompressed(stream, path).read(HEAD_BYTES))
    except (OSError, ModelError):
        return False  # the command that reads it reports the error


def may_be_model(head: bytes) -> bool:
    """Return whether a file may contain a model, by its first bytes."""
    return head.lstrip().startswith(b"{") or is_model_text(head)


def is_model_text(head: bytes) -> bool:
    """Return whether a file may contain a model as text, not as JSON, by its first bytes."""
    return next(_of_text(head), None) is not None


def is_own_json(head: bytes) -> bool:
    """Return whether a file is a model as JSON, by its first bytes."""
    return head.lstrip().startswith(b"{") and b'"treecli-model"' in head


def _of_text(head: bytes) -> Iterator[Any]:
    """Yield the kinds whose text format may begin like this; the caller excludes JSON."""
    for name in plugins.names("models"):
        kind = plugins.load("models", name)
        if hasattr(kind, "begins") and kind.begins(head):
            yield kind


def _decompressed(stream: BinaryIO, path: str) -> BinaryIO:
    """Return the stream of the model file, decompressed according to its suffix."""
    suffix = compression.suffix_of(path)
    return stream if suffix is None else BytesIO(compression.decompressed(stream.read(), suffix, path, ModelError))


def _model_text(stream: BinaryIO, name: str) -> bytes:
    """Return the content of a stream; raise a ModelError after the first bytes if it cannot be a model."""
    head = stream.read(HEAD_BYTES)
    if not head.strip():
        raise ModelError(f"{name}: is empty, expected a model", "models are written by 'treecli train'")
    if not may_be_model(head):
        if names.suffix_of(compression.without_suffix(name)).removeprefix(".") in plugins.names("readers"):
            raise ModelError(f"{name}: is data, expected a model", f"make a model of it: treecli train {name}")
        raise _no_model(name)
    if stream.seekable():  # a large file is not copied
        stream.seek(-len(head), os.SEEK_CUR)
        return stream.read()
    return head + stream.read()


def _no_model(name: str) -> ModelError:
    return ModelError(f"{name}: is neither JSON nor rules, expected a model", "models are written by 'treecli train'")
