"""The kinds of models: each is a module with the members of `ModelKind`, and as many of `Abilities` as make sense.

The functions here find the module of a model by its class attribute KIND, so that no other code asks what kind a model
is. A new kind is a new file, named as the `kind` of its model files: a subclass of `Model`, and functions that take it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from treecli import plugins
from treecli.errors import ModelError
from treecli.files.guard import STREAM
from treecli.files.whole import write_whole
from treecli.model import Model, TreeModel
from treecli.models._reading import (
    HEAD_BYTES,
    decode,
    is_model_file,
    is_model_text,
    is_own_json,
    may_be_model,
    read_model,
)

if TYPE_CHECKING:
    from treecli.data import Column, Dataset, FloatArray
    from treecli.explain.explanation import Explained, RowOf
    from treecli.explain.nearness import Flip
    from treecli.predict.program import Program
    from treecli.rules.rule import Rule
    from treecli.rules.rulelist import RuleList
    from treecli.values import Condition

__all__ = ["HEAD_BYTES", "decode", "is_model_file", "is_model_text", "is_own_json", "may_be_model", "read_model"]


class ModelKind(Protocol):
    """What every kind of model has."""

    TITLE: str
    """What messages call such a model: "a tree"."""

    def encode(self, model: Any, /) -> Iterator[bytes]:
        """The model file, piece by piece."""
        ...

    def decode(self, text: bytes, name: str, /) -> Model:
        """The model that a JSON file holds; `name` is what messages call the file."""
        ...

    def answers(self, model: Any, dataset: Dataset, jobs: int | None, /) -> tuple[Column, FloatArray]:
        """The prediction for every row, and the probability of every class; or the number, n_rows × 1."""
        ...

    def columns_used(self, model: Any, /) -> list[int]:
        """The columns that a prediction may depend on."""
        ...

    def facts(self, model: Any, /) -> dict[str, Any]:
        """The properties that `info` prints: "kind" first, "attributes" last, with a record for each attribute."""
        ...


class Abilities(Protocol):
    """What a kind of model may have besides; without a default, commands that need it refuse the model."""

    def predictions(self, model: Any, dataset: Dataset, jobs: int | None, /) -> Column:
        """The prediction for every row. Default: the first of `answers`."""
        ...

    def places(self, model: Any, dataset: Dataset, jobs: int | None, /) -> list[int | None]:
        """The number of the leaf or rule that decides for every row. Default: None for each."""
        ...

    def conditions(self, model: Any, /) -> Iterable[Condition]:
        """The sets of known values that predictions depend on. Default: none."""
        ...

    def refuse_unseen(self, model: Any, dataset: Dataset, name: str, /) -> None:
        """Raises a DataError if the rows hold a label outside the schema. Default: in the columns used."""
        ...

    def with_unseen(self, model: Any, policy: str, name: str, /) -> Model:
        """The model with another policy for unseen labels. Default: other settings."""
        ...

    def with_missing(self, model: Any, policy: str, name: str, /) -> Model:
        """The model with another rule for missing values, for `export`."""
        ...

    def as_tree(self, model: Any, /) -> TreeModel | None:
        """The model if it is one tree. Default: None."""
        ...

    def as_rules(self, model: Any, /) -> tuple[RuleList, Iterable[Rule]]:
        """The rules that predict the same, and the list that they belong to, of which its own rules do not count."""
        ...

    def program(self, model: Any, /) -> Program:
        """The model as steps that exporters write down."""
        ...

    def probes(self, model: Any, /) -> Dataset:
        """Rows at which the model's answer may change, to verify exports with."""
        ...

    def explainer(self, model: Any, /) -> Callable[[RowOf], Explained]:
        """A function that explains the prediction for a row."""
        ...

    def flip(self, model: Any, row: Dataset, label: int, fixed: Iterable[int], /) -> Flip | None:
        """The smallest change of the row that makes the model predict a label, without the fixed columns."""
        ...

    def begins(self, head: bytes, /) -> bool:
        """Whether a file that is not JSON and begins so may hold such a model. Default: no."""
        ...

    def decode_text(self, text: bytes, name: str, /) -> Model:
        """The model that such a file holds."""
        ...


def kind_of(model: Model) -> ModelKind:
    """The module for a model."""
    return cast("ModelKind", plugins.load("models", model.KIND))


def _member(model: Model, name: str) -> Callable[..., Any] | None:
    return getattr(kind_of(model), name, None)


def _needed(model: Model, name: str, deed: str) -> Callable[..., Any]:
    """A member without a default; raises a ModelError if the kind lacks it."""
    member = _member(model, name)
    if member is None:
        raise ModelError(f"the model is {kind_of(model).TITLE}, which cannot be {deed}")
    return member


def encode(model: Model) -> Iterator[bytes]:
    """The model file, piece by piece."""
    return kind_of(model).encode(model)


def answers(model: Model, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    """The prediction for every row, and the probability of every class; or the number, n_rows × 1."""
    return kind_of(model).answers(model, dataset, jobs)


def predictions(model: Model, dataset: Dataset, jobs: int | None = None) -> Column:
    """The prediction for every row."""
    own = _member(model, "predictions")
    return answers(model, dataset, jobs)[0] if own is None else cast("Column", own(model, dataset, jobs))


def places(model: Model, dataset: Dataset, jobs: int | None = None) -> list[int | None]:
    """The leaf that every row reaches, or the number of the rule that decides, from 1; None if it is not one."""
    own = _member(model, "places")
    return [None] * dataset.n_rows if own is None else cast("list[int | None]", own(model, dataset, jobs))


def columns_used(model: Model) -> list[int]:
    """The columns that a prediction may depend on."""
    return kind_of(model).columns_used(model)


def conditions(model: Model) -> Iterable[Condition]:
    """The sets of known values that predictions depend on."""
    own = _member(model, "conditions")
    return () if own is None else cast("Iterable[Condition]", own(model))


def facts(model: Model) -> dict[str, Any]:
    """The properties that `info` prints."""
    return kind_of(model).facts(model)


def refuse_unseen(model: Model, dataset: Dataset, name: str) -> None:
    """Raises a DataError if the rows hold a label that the model has not seen, in a column that it uses."""
    from treecli.predict.predict import UNSEEN_LABEL, refuse_labels

    own = _member(model, "refuse_unseen")
    if own is None:
        refuse_labels(dataset, columns_used(model), name, UNSEEN_LABEL, "--unseen missing takes it for a missing value")
    else:
        own(model, dataset, name)


def with_unseen(model: Model, policy: str, name: str) -> Model:
    """The model with another policy for labels that it has not seen."""
    own = _member(model, "with_unseen")
    if own is None:
        return replace(model, settings=model.settings.changed(unseen=policy))
    return cast("Model", own(model, policy, name))


def with_missing(model: Model, policy: str, name: str) -> Model:
    """The model with another rule for missing values and the same predictions for rows without any."""
    return cast("Model", _needed(model, "with_missing", "exported")(model, policy, name))


def as_tree(model: Model) -> TreeModel | None:
    """The model if it is one tree."""
    own = _member(model, "as_tree")
    return None if own is None else cast("TreeModel | None", own(model))


def as_rules(model: Model) -> tuple[RuleList, Iterable[Rule]]:
    """The rules that predict the same, and the list that they belong to, of which its own rules do not count."""
    return cast("tuple[RuleList, Iterable[Rule]]", _needed(model, "as_rules", "shown as rules")(model))


def program_of(model: Model, *, refuses_missing: bool = False) -> Program:
    """The model as steps.

    `refuses_missing`: a missing value is an error, and so is an unseen label that counts as one.
    """
    from treecli.predict.program import with_labels

    program = cast("Program", _needed(model, "program", "exported")(model))
    if not refuses_missing:
        return program
    used = columns_used(model)
    refused = program.refused if program.has_unseen else with_labels(used, model.schema)
    return replace(program, refused_missing=tuple(used), refused=refused)


def probes(model: Model) -> Dataset:
    """Rows at which the model's answer may change."""
    return cast("Dataset", _needed(model, "probes", "exported")(model))


def explainer(model: Model) -> Callable[[RowOf], Explained]:
    """A function that explains the prediction for a row."""
    return cast("Callable[[RowOf], Explained]", _needed(model, "explainer", "explained")(model))


def flip(model: Model, row: Dataset, label: int, fixed: Iterable[int] = ()) -> Flip | None:
    """The smallest change of the one row that makes the model predict a label; None if there is none."""
    return cast("Flip | None", _needed(model, "flip", "searched for changes")(model, row, label, fixed))


def read_tree(path: str) -> TreeModel:
    """The tree in a file, or on stdin; any other kind of model is refused."""
    model = read_model(path)
    tree = as_tree(model)
    if tree is None:
        name, kind = "stdin" if path == STREAM else path, kind_of(model)
        raise ModelError(f"{name}: is {kind.TITLE}, expected a tree", getattr(kind, "TREE_HINT", None))
    return tree


def write_model(path: str, model: Model) -> None:
    """Writes a model to a file, or to stdout."""
    write_whole(path, encode(model))
