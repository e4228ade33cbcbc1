"""Kinds of models: each is a module with the members of `ModelKind`, and those of `Abilities` that apply to it.

The functions here dispatch on the class attribute KIND, so that no other code depends on the kind of a model. To add a
kind, add a module named like the `kind` of its model files, with a subclass of `Model` and functions that take it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
    from treecli.evaluate.result import Result
    from treecli.explain.explanation import Explained, RowOf
    from treecli.explain.nearness import Flip
    from treecli.expressions import Expression
    from treecli.model import EnsembleModel
    from treecli.predict.program import Program
    from treecli.rules.rule import Rule
    from treecli.rules.rulelist import RuleList
    from treecli.values import Condition

__all__ = ["HEAD_BYTES", "decode", "is_model_file", "is_model_text", "is_own_json", "may_be_model", "read_model"]


class ModelKind(Protocol):
    """Members that every kind of model has."""

    TITLE: str
    """The name of the kind in messages: "a tree"."""

    def encode(self, model: Any, /) -> Iterator[bytes]:
        """Yield the model file in pieces."""
        ...

    def decode(self, text: bytes, name: str, /) -> Model:
        """Return the model in a JSON file; `name` is the file's name in messages."""
        ...

    def answers(self, model: Any, dataset: Dataset, jobs: int | None, /) -> tuple[Column, FloatArray]:
        """Return the prediction for every row, and the class probabilities; or the number, n_rows × 1."""
        ...

    def columns_used(self, model: Any, /) -> list[int]:
        """Return the columns that predictions may depend on."""
        ...

    def facts(self, model: Any, /) -> dict[str, Any]:
        """Return the properties that `info` prints: "kind" first, "attributes" last, with a record for each."""
        ...


class Abilities(Protocol):
    """Optional members; if one without a default is lacking, commands that need it reject the model."""

    def predictions(self, model: Any, dataset: Dataset, jobs: int | None, /) -> Column:
        """Return the prediction for every row. Default: the first of `answers`."""
        ...

    def places(self, model: Any, dataset: Dataset, jobs: int | None, /) -> list[int | None]:
        """Return the number of the leaf or rule that decides for every row. Default: None for each."""
        ...

    def n_leaves(self, model: Any, /) -> int:
        """Return the number of leaves, or of the rules of a list. Default: unknown."""
        ...

    def conditions(self, model: Any, /) -> Iterable[Condition]:
        """Return the sets of known values that predictions depend on. Default: none."""
        ...

    def formulas(self, model: Any, /) -> Iterable[Expression]:
        """Return the formulas by which numbers are predicted that are not the same for all rows. Default: none."""
        ...

    def refuse_unseen(self, model: Any, dataset: Dataset, name: str, /) -> None:
        """Raise a DataError if the rows contain a label outside the schema. Default: checks the columns used."""
        ...

    def with_unseen(self, model: Any, policy: str, name: str, /) -> Model:
        """Return the model with another policy for unseen labels. Default: changes the settings."""
        ...

    def with_missing(self, model: Any, policy: str, name: str, /) -> Model:
        """Return the model with another policy for missing values, for `export`."""
        ...

    def as_tree(self, model: Any, /) -> TreeModel | None:
        """Return the model if it is a single tree. Default: None."""
        ...

    def trees(self, model: Any, /) -> Sequence[TreeModel]:
        """Return the trees of the model, each as a model. Default: the model itself if it is a single tree."""
        ...

    def as_ensemble(self, model: Any, /) -> EnsembleModel | None:
        """Return the model if it is an ensemble. Default: None."""
        ...

    def as_rule_list(self, model: Any, /) -> RuleList | None:
        """Return the model if it is a rule list. Default: None."""
        ...

    def as_rules(self, model: Any, /) -> tuple[RuleList, Iterable[Rule]]:
        """Return rules with the same predictions, and a list with the other fields, whose own rules are ignored."""
        ...

    def rule_sets(self, model: Any, /) -> Sequence[RuleList]:
        """Return the sets of rules of which the model consists, each as a model. Default: none."""
        ...

    def program(self, model: Any, /) -> Program:
        """Return the model as steps, for exporters."""
        ...

    def probes(self, model: Any, /) -> Dataset:
        """Return rows at which the model's prediction may change, to verify exports."""
        ...

    def explainer(self, model: Any, /) -> Callable[[RowOf], Explained]:
        """Return a function that explains the prediction for a row."""
        ...

    def flip(self, model: Any, row: Dataset, label: int, fixed: Iterable[int], /) -> Flip | None:
        """Return the smallest change of the row for which the model predicts a label; `fixed` columns do not change."""
        ...

    def begins(self, head: bytes, /) -> bool:
        """Return whether a file that is not JSON may contain such a model, by its first bytes. Default: no."""
        ...

    def decode_text(self, text: bytes, name: str, /) -> Model:
        """Return the model in such a file."""
        ...


def kind_of(model: Model) -> ModelKind:
    """Return the module of a model's kind."""
    return cast("ModelKind", plugins.load("models", model.KIND))


def _member(model: Model, name: str) -> Callable[..., Any] | None:
    return getattr(kind_of(model), name, None)


def _needed(model: Model, name: str, deed: str) -> Callable[..., Any]:
    """Return a member without a default; raise a ModelError if the kind lacks it."""
    member = _member(model, name)
    if member is None:
        kind = kind_of(model)
        raise ModelError(f"the model is {kind.TITLE}, which cannot be {deed}", getattr(kind, "TREE_HINT", None))
    return member


def encode(model: Model) -> Iterator[bytes]:
    """Yield the model file in pieces."""
    return kind_of(model).encode(model)


def answers(model: Model, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    """Return the prediction for every row, and the class probabilities; or the number, n_rows × 1."""
    return kind_of(model).answers(model, dataset, jobs)


def predictions(model: Model, dataset: Dataset, jobs: int | None = None) -> Column:
    """Return the prediction for every row."""
    own = _member(model, "predictions")
    return answers(model, dataset, jobs)[0] if own is None else cast("Column", own(model, dataset, jobs))


def places(model: Model, dataset: Dataset, jobs: int | None = None) -> list[int | None]:
    """Return the leaf or the number of the rule (from 1) that decides each row; None if there is no single one."""
    own = _member(model, "places")
    return [None] * dataset.n_rows if own is None else cast("list[int | None]", own(model, dataset, jobs))


def n_leaves(model: Model) -> int | None:
    """Return the number of leaves, or of the rules of a list; None if the kind of model has neither."""
    own = _member(model, "n_leaves")
    return None if own is None else cast("int", own(model))


def result_of(model: Model, dataset: Dataset, jobs: int | None = None, with_probabilities: bool = True) -> Result:
    """Return the predictions for rows with a known target, beside the truth.

    Without probabilities, predictions take less memory.
    """
    from treecli.evaluate.result import Result

    assert dataset.target is not None
    probabilities: FloatArray | None = None
    if with_probabilities and model.schema.is_classification:
        predicted, probabilities = answers(model, dataset, jobs)
    else:
        predicted = predictions(model, dataset, jobs)
    return Result(
        model.schema.target.labels,
        dataset.target,
        predicted,
        probabilities,
        dataset.weights,
        n_leaves(model),
        model.settings.predicting.costs,
    )


def columns_used(model: Model) -> list[int]:
    """Return the columns that predictions may depend on."""
    return kind_of(model).columns_used(model)


def conditions(model: Model) -> Iterable[Condition]:
    """Return the sets of known values that predictions depend on."""
    own = _member(model, "conditions")
    return () if own is None else cast("Iterable[Condition]", own(model))


def formulas(model: Model) -> Iterable[Expression]:
    """Return the formulas by which numbers are predicted that are not the same for all rows of a leaf or rule."""
    own = _member(model, "formulas")
    return () if own is None else cast("Iterable[Expression]", own(model))


def facts(model: Model) -> dict[str, Any]:
    """Return the properties that `info` prints."""
    return kind_of(model).facts(model)


def refuse_unseen(model: Model, dataset: Dataset, name: str) -> None:
    """Raise a DataError if a column that the model uses contains an unseen label."""
    from treecli.predict.predict import UNSEEN_LABEL, refuse_labels

    own = _member(model, "refuse_unseen")
    if own is None:
        refuse_labels(dataset, columns_used(model), name, UNSEEN_LABEL, "--unseen missing takes it for a missing value")
    else:
        own(model, dataset, name)


def with_unseen(model: Model, policy: str, name: str) -> Model:
    """Return the model with another policy for unseen labels."""
    own = _member(model, "with_unseen")
    if own is None:
        return replace(model, settings=model.settings.changed(unseen=policy))
    return cast("Model", own(model, policy, name))


def with_missing(model: Model, policy: str, name: str) -> Model:
    """Return the model with another policy for missing values; other predictions do not change."""
    return cast("Model", _needed(model, "with_missing", "exported")(model, policy, name))


def as_tree(model: Model) -> TreeModel | None:
    """Return the model if it is a single tree, else None."""
    own = _member(model, "as_tree")
    return None if own is None else cast("TreeModel | None", own(model))


def trees_of(model: Model) -> Sequence[TreeModel]:
    """Return the trees that the model consists of; none for a rule list."""
    own = _member(model, "trees")
    if own is not None:
        return cast("Sequence[TreeModel]", own(model))
    tree = as_tree(model)
    return () if tree is None else (tree,)


def as_ensemble(model: Model) -> EnsembleModel | None:
    """Return the model if it is an ensemble, else None."""
    own = _member(model, "as_ensemble")
    return None if own is None else cast("EnsembleModel | None", own(model))


def as_rule_list(model: Model) -> RuleList | None:
    """Return the model if it is a rule list, else None."""
    own = _member(model, "as_rule_list")
    return None if own is None else cast("RuleList | None", own(model))


def as_rules(model: Model) -> tuple[RuleList, Iterable[Rule]]:
    """Return rules with the same predictions, and a list with the other fields, whose own rules are ignored."""
    return cast("tuple[RuleList, Iterable[Rule]]", _needed(model, "as_rules", "shown as rules")(model))


def rule_sets(model: Model) -> Sequence[RuleList]:
    """Return the sets of rules, each as a model, if the model consists of several."""
    own = _member(model, "rule_sets")
    return () if own is None else cast("Sequence[RuleList]", own(model))


def program_of(model: Model, *, refuses_missing: bool = False) -> Program:
    """Return the model as steps.

    `refuses_missing`: missing values are an error, and so are unseen labels that count as missing.
    """
    from treecli.predict.program import with_labels

    program = cast("Program", _needed(model, "program", "exported")(model))
    if not refuses_missing:
        return program
    used = columns_used(model)
    refused = program.refused if program.has_unseen else with_labels(used, model.schema)
    return replace(program, refused_missing=tuple(used), refused=refused)


def probes(model: Model) -> Dataset:
    """Return rows at which the model's prediction may change."""
    return cast("Dataset", _needed(model, "probes", "exported")(model))


def explainer(model: Model) -> Callable[[RowOf], Explained]:
    """Return a function that explains the prediction for a row."""
    return cast("Callable[[RowOf], Explained]", _needed(model, "explainer", "explained")(model))


def flip(model: Model, row: Dataset, label: int, fixed: Iterable[int] = ()) -> Flip | None:
    """Return the smallest change of the row for which the model predicts a label; None if there is none."""
    return cast("Flip | None", _needed(model, "flip", "searched for changes")(model, row, label, fixed))


def read_tree(path: str) -> TreeModel:
    """Read a tree from a file or stdin; raise a ModelError for any other kind of model."""
    return expected_tree(read_model(path), path)


def expected_tree(model: Model, path: str) -> TreeModel:
    """Return the model, read from this file, as a tree; raise a ModelError for any other kind of model."""
    tree = as_tree(model)
    if tree is None:
        name, kind = "stdin" if path == STREAM else path, kind_of(model)
        raise ModelError(f"{name}: is {kind.TITLE}, expected a tree", getattr(kind, "TREE_HINT", None))
    return tree


def write_model(path: str, model: Model) -> None:
    """Write a model to a file or stdout."""
    write_whole(path, encode(model))
