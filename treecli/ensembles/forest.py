"""Random forests: trees on samples of the rows, until there are enough (Breiman 2001)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treecli.ensembles.bagging import Bagging, grown_trees
from treecli.ensembles.intervals import error_quantiles
from treecli.ensembles.joining import joined
from treecli.ensembles.outofbag import OutOfBag
from treecli.ensembles.watch import Watch
from treecli.model import ForestModel, Lineage, TreeModel
from treecli.predict.leafsums import bare

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.options.ensembles import Ensemble
    from treecli.settings import Settings


class _Patience:
    """Whether the error has stopped falling."""

    def __init__(self, patience: int | None) -> None:
        self._patience = patience
        self._least = float("inf")
        self._since = 0

    def is_over(self, error: float | None) -> bool:
        """Return whether this error ends the growing: the latest of several without a smaller one."""
        self._since += 1
        if error is not None and error < self._least:
            self._least, self._since = error, 0
        return self._patience is not None and self._since >= self._patience


def forest(
    dataset: Dataset, settings: Settings, ensemble: Ensemble, *, jobs: int | None = None, watch: Watch | None = None
) -> ForestModel:
    """Return the forest grown on the data; its lineage records the trees and their out-of-bag error."""
    watch = watch or Watch()
    empty = ForestModel(dataset.schema, settings, (), (), (), ensemble.votes)
    outside, patience = OutOfBag(dataset, empty, ensemble.votes), _Patience(ensemble.patience)
    bagging = Bagging(ensemble.n_trees, ensemble.sample, settings.computing.seed)
    members: list[TreeModel] = []
    is_watched = ensemble.patience is not None or watch.on_error is not None
    ended = None
    try:
        for grown in grown_trees(
            dataset,
            settings,
            bagging,
            jobs=jobs,
            on_warning=watch.on_warning,
            on_remark=watch.on_remark,
            with_scores=False,
        ):
            member = TreeModel(grown.schema, settings, (), bare(grown.tree, empty))
            if is_watched:
                outside.add(member, grown.n_drawn, jobs)
            # A copy, without the tables that the votes are found by, which take several times the memory of the tree.
            members.append(replace(member))
            error = outside.error() if is_watched else None
            if watch.on_error is not None and error is not None:
                watch.on_error(len(members), error)
            if watch.on_progress is not None:
                watch.on_progress(len(members) / ensemble.n_trees)
            if patience.is_over(error):
                ended = "patience"
                break
    except KeyboardInterrupt:
        if not (watch.keeps_partial and members):
            raise
        ended = "interrupt"
    if not is_watched:
        outside.add_all(members, bagging, jobs)
    schema, own = joined(dataset.schema, members)
    step = _step(ensemble, len(members), outside, is_classification=dataset.schema.is_classification)
    if ended is not None:
        step["ended_by"] = ended
    model = replace(empty, schema=schema, lineage=(step,), trees=tuple(own), weights=(1.0,) * len(members))
    if outside.many is not None:
        model.derived["many"] = outside.many
    return model


def _step(ensemble: Ensemble, n_trees: int, outside: OutOfBag, *, is_classification: bool) -> Lineage:
    step: Lineage = {"command": "forest", "asked": ensemble.n_trees, "trees": n_trees, "sample": ensemble.sample}
    if ensemble.patience is not None:
        step["patience"] = ensemble.patience
    found: Lineage = {"error": outside.error(), "rows": outside.n_rows}
    if not is_classification:
        found["errors"] = error_quantiles(*outside.errors())
    return step | {"out_of_bag": found}
