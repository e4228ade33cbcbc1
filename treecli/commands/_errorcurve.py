"""The curve of an ensemble's error by number of trees, for `train --plot`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli import models
from treecli.errors import UsageError
from treecli.files import guard

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import Model
    from treecli.recipe import Recipe


def check(plot: str, recipe: Recipe, output: str, *, has_test: bool) -> None:
    """Raises a UsageError if there will be no curve, or it cannot be written."""
    from treecli.draw.canvas import check_suffix

    if recipe.ensemble is None:
        raise UsageError("--plot goes with --forest and --boost", "treecli curve draws the errors of one tree by size")
    if recipe.ensemble.rulesets:
        raise UsageError("--plot draws the errors of trees, not of --rulesets", "leave one of them out")
    if recipe.ensemble.kind == "forest" and recipe.ensemble.sample == 1.0 and not has_test:
        raise UsageError("--plot: with --sample 1 no row is out of bag", "add --test or --test-fraction")
    check_suffix(plot)
    guard.check_output(plot)
    if plot == output:
        raise UsageError(f"{plot}: is given for two outputs", "give each a name of its own")


def draw(plot: str, name: str, model: Model, out_of_bag: list[float], training: Dataset, test: Dataset | None) -> None:
    """Writes the picture; `out_of_bag` has the error of a forest after each tree, from the first that has one."""
    from treecli.commands._pictures import write_picture
    from treecli.draw.curves import Axis, Series, curves
    from treecli.ensembles.staged import staged_errors

    ensemble = models.as_ensemble(model)
    assert ensemble is not None
    series: list[Series] = []
    if ensemble.IS_BOOSTED:
        series.append(Series("training rows", list(staged_errors(ensemble, training))))
    elif out_of_bag:
        before = [None] * (ensemble.n_trees - len(out_of_bag))
        series.append(Series("out of bag", [*before, *out_of_bag]))
    if test is not None and test.labelled().n_rows:
        series.append(Series("held-out rows", list(staged_errors(ensemble, test))))
    measure = "error rate" if model.schema.is_classification else "root mean squared error"
    axis = Axis("trees", range(1, ensemble.n_trees + 1))
    title = f"{name}: error by number of trees"
    write_picture(plot, lambda format: curves(format, title, measure, axis, series))
