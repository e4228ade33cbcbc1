"""Small ensembles for tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from hypothesis import strategies as st

from tests.example_models import every_kind, models, playtennis, regression
from treecli.model import BoostedModel, EnsembleModel, ForestModel, TreeModel
from treecli.predict.leafsums import bare

Ensemble = TypeVar("Ensemble", bound=EnsembleModel)


def forest_of(model: TreeModel, votes: str = "average") -> ForestModel:
    """A forest of a tree, of its root, and of the tree once more."""
    return _filled(ForestModel(model.schema, model.settings, model.lineage, (), (1.0, 1.0, 1.0), votes), model)


def boosted_of(model: TreeModel) -> BoostedModel:
    """A tree, its root, and the tree once more, with other weights."""
    return _filled(BoostedModel(model.schema, model.settings, model.lineage, (), (0.5, 1.25, 0.1)), model)


def confident_of(model: TreeModel) -> BoostedModel:
    """The same trees, which vote with their smoothed confidence, as in C5.0."""
    settings = model.settings.changed(prior_case=True)
    votes = BoostedModel(model.schema, settings, model.lineage, (), (1.0, 1.0, 1.0), "confidence")
    return _filled(votes, model)


def _filled(ensemble: Ensemble, model: TreeModel) -> Ensemble:
    root = model.tree.collapsed(lambda node: node == 0)
    return replace(ensemble, trees=tuple(bare(tree, ensemble) for tree in (model.tree, root, model.tree)))


@st.composite
def forests(draw: st.DrawFn) -> EnsembleModel:
    """Any forest of trees of all kinds of split."""
    return forest_of(draw(models()))


BUILDERS = {
    "playtennis": lambda: forest_of(playtennis()),
    "every kind of split": lambda: forest_of(every_kind()),
    "numbers": lambda: forest_of(regression()),
    "boosted": lambda: boosted_of(playtennis()),
    "boosted, confident": lambda: confident_of(playtennis()),
}
