"""AdaBoost.M1 with weighted cases (Freund and Schapire 1996), with the stopping rules of Weka's AdaBoostM1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

from treecli.ensembles.j48ties import decided
from treecli.ensembles.joining import joined
from treecli.ensembles.watch import Watch
from treecli.model import BoostedModel, Lineage, TreeModel
from treecli.predict.ensembles import boosted_votes
from treecli.predict.leafsums import bare
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions

if TYPE_CHECKING:
    from treecli.data import Dataset, FloatArray
    from treecli.options.ensembles import Ensemble

SLACK = 1e-6
"""Weka's tolerance: an error within it of 0 or of one half ends the boosting."""

Learner = Callable[["Dataset"], TreeModel]
"""Grows and prunes a tree on weighted rows."""


def boosted(
    dataset: Dataset,
    learner: Learner,
    ensemble: Ensemble,
    *,
    as_grown: Learner | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> BoostedModel:
    """Return the boosted trees for the data; their lineage records the error of each on its weighted cases.

    A tree without errors, or with errors of half the weight or more, ends the boosting and does not vote, unless it is
    the first, which is then used alone. `as_grown` learns a tree without collapsing or pruning it, if classes of
    training rows that tie are decided as in Weka's J48.
    """
    watch = watch or Watch()
    rows = dataset.labelled()
    members: list[TreeModel] = []
    weights: list[float] = []
    errors: list[float] = []
    ended: str | None = None
    try:
        while len(members) < ensemble.n_trees and ended is None:
            member = learner(rows)
            probabilities = distributions(member, rows, jobs)
            exact = probabilities if as_grown is None else decided(member, rows, probabilities, as_grown)
            is_wrong = predicted(member, exact) != rows.target
            error = _sum(rows.weights[is_wrong]) / _sum(rows.weights)
            if error <= SLACK or error >= 0.5 - SLACK:
                ended = "no error" if error <= SLACK else "error of one half or more"
                if members:
                    break
            is_usable = ended is None
            members.append(member)
            weights.append(log((1 - error) / error) if is_usable else 1.0)
            errors.append(error)
            if is_usable:
                changed = rows.weights.copy()
                changed[boosted_votes(probabilities) != rows.target] *= (1 - error) / error
                rows = replace(rows, weights=changed * _sum(rows.weights) / _sum(changed))
            if watch.on_progress is not None:
                watch.on_progress(len(members) / ensemble.n_trees)
    except KeyboardInterrupt:
        if not (watch.keeps_partial and members):
            raise
        ended = "interrupt"
    schema, trees = joined(dataset.schema, members)
    step: Lineage = {"command": "boost", "asked": ensemble.n_trees, "trees": len(members), "errors": errors}
    step |= {} if ended is None else {"ended_by": ended}
    first = members[0]
    described = replace(first.schema, derived=schema.derived)
    model = BoostedModel(described, first.settings, (step,), (), tuple(weights))
    return replace(model, trees=tuple(bare(tree, model) for tree in trees))


def _sum(weights: FloatArray) -> float:
    """Return the sum of weights, added one after the other: ties between splits depend on the last digits."""
    return float(weights.cumsum()[-1]) if len(weights) else 0.0
