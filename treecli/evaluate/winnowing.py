"""Winnowing: leave out attributes that do not help to predict other rows, as C5.0 does.

A tree is grown and pruned on half of the rows. An attribute goes if the tree makes fewer errors on the other half with
the tests on it left open (all branches, weighted), or if even the unpruned tree does not test it. If a tree without the
former makes more errors on the other half, they come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from treecli.data import MISSING
from treecli.errors import UsageError
from treecli.grow.grow import grown_on
from treecli.model import TreeModel
from treecli.options.directions import direction_of
from treecli.predict.predict import predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset, Schema
    from treecli.settings import Settings
    from treecli.tree import Tree

LEAST_CASES = 2.0
"""The least min_leaf of the trees on half of the rows; otherwise it is half of that of the settings."""

Prune = Callable[[TreeModel], "Tree"]


@dataclass(frozen=True, slots=True)
class Winnowed:
    """The attributes that are kept, and why.

    A pruned tree of `n_rows[0]` rows makes `errors` on the other `n_rows[1]`, and those of `without` if the tests on an
    attribute are left open. `harmful` attributes lower the errors so; `again` are the errors of a tree without them,
    None if there is none. `unused` are not tested even before pruning.
    """

    kept: list[int]
    n_rows: tuple[int, int]
    errors: float = 0.0
    without: dict[int, float] = field(default_factory=dict)
    harmful: frozenset[int] = frozenset()
    again: float | None = None
    unused: frozenset[int] = frozenset()

    @property
    def importance(self) -> dict[int, float]:
        """The errors without an attribute over those with it, where they are more."""
        errors = self.errors
        return {index: lost / errors if errors > 0 else inf for index, lost in self.without.items() if lost > errors}

    def remarks(self, schema: Schema) -> Iterator[str]:
        """Yield which attributes go, and what the others are worth."""
        gone = [f"'{a.name}'" for index, a in enumerate(schema.attributes) if index not in self.kept]
        yield f"winnowing leaves out {', '.join(gone) if gone else 'no attribute'}"
        ordered = sorted(self.importance.items(), key=lambda item: -item[1])
        worth = [f"'{schema.attributes[i].name}' {value:.3g}" for i, value in ordered if i in self.kept]
        if worth:
            yield f"errors without an attribute, as a multiple of those with it: {', '.join(worth)}"


def winnowed(dataset: Dataset, settings: Settings, prune: Prune) -> Winnowed:
    """Return the attributes that winnowing keeps; `prune` prunes the trees on half of the rows."""
    _check(dataset.schema, settings)
    building, judging = halves(dataset)
    every = list(range(len(dataset.schema.attributes)))
    if not judging.n_rows:
        return Winnowed(every, (building.n_rows, 0))
    own = _settings_of_halves(settings)
    whole, first = _grown(building, every, own, prune)
    errors = _errors(first, judging)
    used = sorted({index for index in first.tree.attribute if index >= 0})
    without = {index: _errors(first, _unknown(judging, index)) for index in used}
    harmful = {index for index in used if without[index] < errors - settings.computing.tolerance}
    found, again = harmful, None
    if harmful:
        rest = [index for index in every if index not in harmful]
        if rest:
            again = _errors(_grown(building, rest, own, prune)[1], judging)
        if again is None or again > errors + settings.computing.tolerance:
            harmful = set()
    named = {*(settings.inputs.force or ()), *(direction_of(word)[0] for word in settings.inputs.monotone or ())}
    stays = {index for index, attribute in enumerate(dataset.schema.attributes) if attribute.name in named}
    tested = {*whole.tree.attribute} - {-1}
    kept = sorted((tested - harmful) | stays)
    n_rows = building.n_rows, judging.n_rows
    return Winnowed(kept or every, n_rows, errors, without, frozenset(found), again, frozenset({*every} - tested))


def halves(dataset: Dataset) -> tuple[Dataset, Dataset]:
    """Return the first, third, … row of each class, and the second, fourth, …; rows without weight are left out."""
    assert dataset.target is not None
    rows = np.flatnonzero((dataset.target >= 0) & (dataset.weights > 0))
    order = rows[np.argsort(dataset.target[rows], kind="stable")]
    label = dataset.target[order]
    place = np.arange(len(order)) - np.searchsorted(label, label)
    return dataset.take(np.sort(order[place % 2 == 0])), dataset.take(np.sort(order[place % 2 == 1]))


def _settings_of_halves(settings: Settings) -> Settings:
    """Return the settings of the trees on half of the rows: no average gain to reach, and fractional cases."""
    criterion = "plainratio" if settings.splitting.criterion == "gainratio" else settings.splitting.criterion
    return settings.changed(
        winnow=False,
        criterion=criterion,
        min_leaf=max(settings.stopping.min_leaf / 2, LEAST_CASES),
        min_split=None,
        missing="fractional",
        arithmetic="sums",
        force=None,
        monotone=None,
        competitors=0,
        ties=None,
    )


def _grown(dataset: Dataset, columns: Sequence[int], settings: Settings, prune: Prune) -> tuple[TreeModel, TreeModel]:
    """Return the model of a tree on these attributes, and the pruned one."""
    tree, schema = grown_on(dataset, columns, settings, {"jobs": 1})
    model = TreeModel(schema, settings, (), tree)
    return model, replace(model, tree=prune(model))


def _errors(model: TreeModel, dataset: Dataset) -> float:
    """Return the weight of the rows whose class is predicted wrongly."""
    assert dataset.target is not None
    is_wrong: NDArray[np.bool_] = predictions(model, dataset) != dataset.target
    return float(dataset.weights[is_wrong].sum())


def _unknown(dataset: Dataset, index: int) -> Dataset:
    """Return the rows with all values of an attribute missing."""
    columns = list(dataset.columns)
    columns[index] = np.full_like(columns[index], np.nan if columns[index].dtype == np.float64 else MISSING)
    return replace(dataset, columns=columns)


def _check(schema: Schema, settings: Settings) -> None:
    """Raise UsageError if the target or other settings exclude winnowing."""
    if not schema.is_classification:
        raise UsageError(
            f"--winnow counts wrong labels, but the target '{schema.target.name}' is numeric",
            f"leave it out, or say --type {schema.target.name}=nominal",
        )
    if settings.inputs.project is not None:
        raise UsageError("--project and --winnow exclude each other: no attribute is split on")
    if settings.splitting.splits:
        raise UsageError("--winnow and --splits exclude each other")
