"""Models: a tree, or another predictor, with its schema, settings and lineage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, Self

from treecli.data import Schema
from treecli.node import Node
from treecli.options.ensembles import AVERAGE
from treecli.priors import Costs
from treecli.records import dataclass
from treecli.settings import Settings
from treecli.tree import Tree

MEAN_KEYS = ("weight", "mean", "deviance")
MEDIAN_KEYS = ("weight", "median", "deviation")
"""The outcomes of a node for a numeric target; MEDIAN_KEYS for trees that predict medians."""

LARGEST_WEIGHT = 1e50
SMALLEST_WEIGHT = 1e-50
LARGEST_VALUE = 1e110
LARGEST_SPREAD = 1e220
"""Limits of weights, means and squared deviations per case, wider than those of training: their sums and products stay
finite. The smallest weight applies to the root; other nodes may weigh less.
"""

ABSOLUTE = "absolute"
"""The criterion of trees that predict medians."""

Lineage = dict[str, Any]
"""One command in the history of a model: its name, its options and its input."""


@dataclass(frozen=True, slots=True)
class Model:
    """Fields of every kind of model: its columns, its settings, and the commands that made it.

    `KIND` is the `kind` in the model file and the name of the module in `treecli.models` that implements it.
    """

    KIND: ClassVar[str] = ""

    schema: Schema
    settings: Settings
    lineage: tuple[Lineage, ...]

    @property
    def takes_medians(self) -> bool:
        """Whether it predicts medians: nodes keep the median and absolute deviation instead of mean and deviance."""
        return self.settings.splitting.criterion == ABSOLUTE

    @property
    def costs(self) -> Costs | None:
        """The cost of each class and label by which labels are chosen; None: 1 for each error."""
        return self.settings.predicting.costs

    def redescribed(self, **changes: Any) -> Self:
        """Return the model with other ranges of attributes or another lineage."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class TreeModel(Model):
    """One decision tree."""

    KIND: ClassVar[str] = "tree"

    tree: Tree
    derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """A cache of values computed from this model, by name; a changed copy of the model starts with an empty one."""

    @property
    def costs(self) -> Costs | None:
        return self.tree.costs

    def node(self, index: int = 0) -> Node:
        """Return a readable view of one node."""
        return Node(self.tree, index, self.schema)

    def without_unused(self) -> TreeModel:
        """Return the model without the derived columns that its tree does not ask about."""
        tree, schema = self.tree, self.schema
        if not schema.derived:
            return self
        n_attributes = len(schema.attributes)
        instead = (surrogate.split for own in tree.surrogates.values() for surrogate in own)
        asked = {*tree.attribute, *(split.attribute for split in instead)}
        noted = (notes.get(name, ()) for notes in tree.notes.values() for name in ("competitors", "ties"))
        records = (record for own in noted for record in own)
        named = {record["attribute"] for record in records}
        kept = [
            index
            for index, column in enumerate(schema.columns)
            if index < n_attributes or index in asked or column.name in named
        ]
        if len(kept) == len(schema.columns):
            return self
        number = {index: place for place, index in enumerate(kept)}
        derived = tuple(schema.derived[index - n_attributes] for index in kept[n_attributes:])
        return replace(
            self,
            schema=replace(schema, derived=derived),
            tree=tree.renumbered(number),
        )


@dataclass(frozen=True, slots=True)
class EnsembleModel(Model):
    """Several trees that predict together; `weights` has the weight of each tree's vote.

    The trees have neither scores nor notes, and their inner nodes count the cases of their leaves.
    """

    IS_BOOSTED: ClassVar[bool] = False
    """Whether each tree votes for one label, with a weight of its own."""

    trees: tuple[Tree, ...]
    weights: tuple[float, ...]
    votes: str = AVERAGE
    derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """A cache as in `TreeModel`."""

    @property
    def n_trees(self) -> int:
        return len(self.trees)

    def redescribed(self, **changes: Any) -> Self:
        """Return the model with other ranges of attributes or another lineage; prepared trees are kept."""
        found = replace(self, **changes)
        found.derived.update({name: kept for name, kept in self.derived.items() if name == "many"})
        return found

    def member(self, index: int) -> TreeModel:
        """Return one of the trees as a model of its own."""
        return TreeModel(self.schema, self.settings, (), self.trees[index])

    def members(self) -> Iterator[TreeModel]:
        """Yield the trees as models, in order."""
        return map(self.member, range(self.n_trees))


@dataclass(frozen=True, slots=True)
class ForestModel(EnsembleModel):
    """Trees grown on samples of the rows, with equal votes."""

    KIND: ClassVar[str] = "forest"


@dataclass(frozen=True, slots=True)
class BoostedModel(EnsembleModel):
    """Trees grown one after the other, each on the errors of those before it."""

    KIND: ClassVar[str] = "boosted"
    IS_BOOSTED: ClassVar[bool] = True


def wrong_moments(outcomes: Sequence[float], kept: tuple[str, ...]) -> str | None:
    """Return a message if weight, mean or deviance is out of range, else None."""
    limits = ((0.0, LARGEST_WEIGHT), (-LARGEST_VALUE, LARGEST_VALUE), (0.0, LARGEST_SPREAD * (outcomes[0] or 1.0)))
    for key, number, (least, most) in zip(kept, outcomes, limits, strict=True):
        if not least <= number <= most:
            return f"'{key}' is {number}, expected a number from {least:g} to {most:g}"
    return None
