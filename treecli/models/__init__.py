"""Models by kind: read from files and written to them."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from treecli import plugins
from treecli.errors import ModelError, nearby_file
from treecli.files import compression, guard
from treecli.files.guard import STREAM
from treecli.files.whole import write_whole
from treecli.model import Model

if TYPE_CHECKING:
    from treecli.rules.rulelist import RuleList


class ModelKind(Protocol):
    """A member of this family."""

    def decode(self, text: bytes, name: str) -> Model | RuleList:
        """The model that a file holds; `name` is what messages call the file."""
        ...


HEAD_BYTES = 4096

MODEL_SUFFIXES = (".json", ".txt")
"""Of models, and of rules as text."""

_KIND = re.compile(rb'"format_version"\s*:\s*\d+\s*,\s*"kind"\s*:\s*"(\w+)"')
_KIND_OF_RULES = re.compile(rb'"kind"\s*:\s*"rules"')

# After blank lines and comments, which may go on beyond the head, a statement.
_RULES_BEGIN = re.compile(
    rb"(\xef\xbb\xbf)?(\s*#[^\n]*(\n|$))*\s*"
    rb"(if|default|target|attribute|cases|decide|missing|unseen|numbers|probabilities|priors)[^\S\n]+[^\s,]",
    re.IGNORECASE,
)
_THEN = re.compile(rb"\sTHEN\s", re.IGNORECASE)


def read_model(path: str) -> Model | RuleList:
    """The model in a file, or on stdin: a tree, or rules as JSON or as text."""
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
    if not text.lstrip().startswith(b"{"):
        from treecli.rules.reading import decode as decode_text

        return decode_text(text, name)
    kind = "rules" if _holds_rules(text) else "tree"
    return cast("Model | RuleList", plugins.load("models", kind).decode(text, name))


def read_tree(path: str) -> Model:
    """The tree in a file, or on stdin; a rule list is refused."""
    model = read_model(path)
    if not isinstance(model, Model):
        name = "stdin" if path == STREAM else path
        raise ModelError(f"{name}: is a rule list, expected a tree", "name the tree that the rules were made of")
    return model


def is_model_file(path: str) -> bool:
    """Whether a file is a model rather than data, by its suffix, or else by its first bytes."""
    inner = compression.without_suffix(path)
    suffix = Path(inner).suffix.lower()
    if suffix == MODEL_SUFFIXES[0]:
        return True
    if suffix.removeprefix(".") in plugins.names("readers") or not Path(path).is_file():
        return False
    try:
        with guard.open_input(path) as stream:
            return may_be_model(_decompressed(stream, path).read(HEAD_BYTES))
    except (OSError, ModelError):
        return False  # whoever reads it says what is wrong with it


def may_be_model(head: bytes) -> bool:
    """Whether a file that begins so may be a model: JSON or rules as text."""
    return head.lstrip().startswith(b"{") or is_rule_text(head)


def is_own_json(head: bytes) -> bool:
    """Whether a file that begins so is a model as JSON."""
    return head.lstrip().startswith(b"{") and b'"treecli-model"' in head


def is_rule_text(head: bytes) -> bool:
    """Whether a file that begins so may hold rules as text."""
    return _RULES_BEGIN.match(head) is not None or _THEN.search(head) is not None


def _decompressed(stream: BinaryIO, path: str) -> BinaryIO:
    """The stream of what a model file holds, out of the compression that its suffix names."""
    suffix = compression.suffix_of(path)
    return stream if suffix is None else BytesIO(compression.decompressed(stream.read(), suffix, path, ModelError))


def _model_text(stream: BinaryIO, name: str) -> bytes:
    """All that a stream holds, unless its beginning shows already that it cannot be a model, however long it is."""
    head = stream.read(HEAD_BYTES)
    if not head.strip():
        raise ModelError(f"{name}: is empty, expected a model", "models are written by 'treecli train'")
    if not may_be_model(head):
        if Path(compression.without_suffix(name)).suffix.lower().removeprefix(".") in plugins.names("readers"):
            raise ModelError(f"{name}: is data, expected a model", f"make a model of it: treecli train {name}")
        raise ModelError(
            f"{name}: is neither JSON nor rules, expected a model", "models are written by 'treecli train'"
        )
    return head + stream.read()


def _holds_rules(text: bytes) -> bool:
    """Whether a JSON object says that it is a rule list, at its beginning as we write it, or anywhere."""
    kind = _KIND.search(text, 0, HEAD_BYTES)
    if kind is not None:
        return kind[1] == b"rules"
    return _KIND_OF_RULES.search(text) is not None


def write_model(path: str, model: Model) -> None:
    """Writes a model to a file, or to stdout."""
    write_whole(path, plugins.load("models", "tree").encode(model))
