"""Settings and data that several trees cannot have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.errors import DataError, UsageError
from treecli.options.ensembles import MAJORITY

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.recipe import Recipe


def check_ensemble(dataset: Dataset, recipe: Recipe) -> None:
    """Raise an error if the recipe asks for several trees that there cannot be."""
    assert recipe.ensemble is not None
    settings, flag, target = recipe.settings, recipe.ensemble.flag, dataset.schema.target
    if settings.predicting.has_models:
        raise UsageError(
            f"{flag}: the leaves of the trees have no models", "leave out --leaf-model, --smooth and --like m5p"
        )
    if settings.computing.competitors:
        raise UsageError(f"{flag}: competitors are recorded for a single tree only", "leave out --competitors")
    if settings.computing.ties is not None:
        raise UsageError(f"{flag}: ties are recorded for a single tree only", "leave out --ties")
    if recipe.ensemble.kind == "forest" and settings.inputs.winnow:
        raise UsageError(f"{flag}: --winnow is for a single tree", "leave it out")
    if recipe.ensemble.votes == MAJORITY and target.is_numeric:
        raise UsageError(f"--votes majority is for a nominal target, but '{target.name}' is numeric", "leave it out")
    if recipe.ensemble.kind == "boosted":
        _check_boosting(recipe, is_numeric=target.is_numeric, name=target.name)


def _check_boosting(recipe: Recipe, *, is_numeric: bool, name: str) -> None:
    if is_numeric:
        raise UsageError(f"--boost is for a nominal target, but '{name}' is numeric", "use --forest")
    predicting = recipe.settings.predicting
    if predicting.priors is not None or predicting.costs is not None or recipe.costs_path is not None:
        raise UsageError("--boost: cases are weighed by errors, not by --priors or --costs", "use --forest")


def check_classes(dataset: Dataset, recipe: Recipe) -> None:
    """Raise an error if several trees are to be grown from one class."""
    import numpy as np

    target = dataset.schema.target
    if target.is_numeric:
        return
    assert recipe.ensemble is not None
    assert dataset.target is not None
    present = np.unique(dataset.target[(dataset.target >= 0) & (dataset.weights > 0)])
    if len(present) < 2:
        label = f" '{target.labels[present[0]]}'" if len(present) else ""
        raise DataError(
            f"{recipe.ensemble.flag}: '{target.name}' has only the class{label}, expected two or more",
            "choose another column with -t, or leave the option out",
        )
