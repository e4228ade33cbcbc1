"""C5.0's boosting: weights move half-way towards AdaBoost's, and trees vote with their confidence.

From descriptions of C5.0: no C5.0 was run. Light cases stay in every trial.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from treecli.ensembles.joining import joined
from treecli.ensembles.watch import Watch
from treecli.grow.siblings import n_leaves_expanded
from treecli.model import BoostedModel, Lineage, TreeModel
from treecli.options.ensembles import CONFIDENCE
from treecli.predict.leafsums import bare
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset, FloatArray
    from treecli.options.ensembles import Ensemble

    Flags = NDArray[np.bool_]

FEW_ERRORS = 0.1
"""A trial whose errors weigh less is the last."""

USELESS = 0.49
"""A trial with this share of errors or more ends the boosting, and does not vote."""

LEAST_WEIGHT = 0.001
"""The least weight of a case that was predicted correctly, per unit of its first weight."""

MORE_LEAVES = 1.1
"""Later trees may have this many times the leaves of the first, per case."""

FEWEST_TRIALS = 3
"""With fewer trials left, the first tree is used alone."""

Classifier = TypeVar("Classifier")

Learner = Callable[["Dataset", float | None], TreeModel]
"""Grows and prunes a tree on weighted rows, with at most so many leaves per unit of weight; None: no limit."""


@dataclass(slots=True)
class _Trials:
    """The cases between two trials: their weights, whether they are still in, and the votes for each class."""

    first: FloatArray
    weights: FloatArray
    is_in: Flags
    votes: FloatArray


@dataclass(frozen=True, slots=True)
class Judged(Generic[Classifier]):
    """A classifier of one trial, the class that it predicts for every row, and the confidence in each class.

    `is_plain`: it has no split, or no rule.
    """

    classifier: Classifier
    codes: NDArray[np.int32]
    confidence: FloatArray
    is_plain: bool


def boosted_half_way(
    dataset: Dataset, learner: Learner, ensemble: Ensemble, *, jobs: int | None = None, watch: Watch | None = None
) -> BoostedModel:
    """Return the boosted trees for the data; their lineage records the weight of the errors of each."""

    def judge(member: TreeModel, rows: Dataset) -> Judged[TreeModel]:
        found = distributions(member, rows, jobs)
        return Judged(member, predicted(member, found).astype(np.int32), found, member.tree.n_nodes == 1)

    members, step = trials_of(dataset, learner, judge, ensemble, watch or Watch())
    schema, trees = joined(dataset.schema, members)
    first = members[0]
    settings = first.settings.changed(prior_case=True)
    described = replace(first.schema, derived=schema.derived)
    model = BoostedModel(described, settings, (step,), (), (1.0,) * len(members), CONFIDENCE)
    return replace(model, trees=tuple(bare(tree, model) for tree in trees))


def trials_of(
    dataset: Dataset,
    learner: Learner,
    judge: Callable[[TreeModel, Dataset], Judged[Classifier]],
    ensemble: Ensemble,
    watch: Watch,
) -> tuple[list[Classifier], Lineage]:
    """Return the classifiers of all trials, and the step of the lineage; `judge` makes each of a tree."""
    rows = dataset.labelled()
    target = np.asarray(rows.target, np.int32)
    n_trials, members, errors = ensemble.n_trees, list[Classifier](), list[float]()
    votes = np.zeros((rows.n_rows, dataset.schema.n_outcomes))
    trials = _Trials(rows.weights, rows.weights.copy(), rows.weights > 0, votes)
    rate: float | None = None
    ended: str | None = None
    try:
        for trial in range(n_trials):
            weighted = replace(rows, weights=trials.weights)
            member = learner(weighted, rate)
            if rate is None:
                rate = MORE_LEAVES * n_leaves_expanded(member.tree) / float(rows.weights.sum())
            found = judge(member, weighted)
            is_wrong = cast_votes(trials, found.confidence, found.codes, target, n_trials - 1 - trial, n_trials)
            share, ended = _ending(trials, is_wrong, is_later=trial > 0, is_plain=found.is_plain)
            if ended is not None and ended != ENOUGH and trial > 0 and trial < n_trials - 1:
                break
            members.append(found.classifier)
            errors.append(share)
            if watch.on_progress is not None:
                watch.on_progress(len(members) / n_trials)
            if trial == n_trials - 1:
                ended = None
            elif ended is not None:
                break
            else:
                trials.weights = half_way(trials.weights, is_wrong, trials.is_in, trials.first)
    except KeyboardInterrupt:
        if not (watch.keeps_partial and members):
            raise
        ended = "interrupt"
    if len(members) < FEWEST_TRIALS and n_trials > 1 and ended != "interrupt":
        ended = ended or "too few trials"
        members = members[:1]
    step: Lineage = {"command": "boost", "method": "half-way", "asked": n_trials, "trees": len(members)}
    step |= {"errors": errors[: len(members)]} | ({} if ended is None else {"ended_by": ended})
    return members, step


ENOUGH, PLAIN = "hardly any error", "a tree without a split"


def _ending(trials: _Trials, is_wrong: Flags, *, is_later: bool, is_plain: bool) -> tuple[float, str | None]:
    """Return the share of the errors in the weight of the cases still in, and why the boosting ends, or None."""
    wrong = float(trials.weights[is_wrong].sum())
    whole = float(trials.first[trials.is_in].sum())
    share = wrong / whole if whole else 0.0
    if wrong < FEW_ERRORS:
        return share, ENOUGH
    if is_later and is_plain:
        return share, PLAIN
    return share, "errors of nearly one half" if share >= USELESS else None


def cast_votes(
    trials: _Trials, probabilities: FloatArray, codes: NDArray[np.int32], target: NDArray[np.int32], left: int, n: int
) -> Flags:
    """Add the votes of a trial, drop the cases that no later vote can change, and return which cases it got wrong.

    `left` of `n` trials follow. A case is dropped in the second half, once another class leads by more votes than are
    left.
    """
    rows = np.arange(len(codes))
    trials.votes[trials.is_in, codes[trials.is_in]] += probabilities[rows, codes][trials.is_in]
    if 2 * (n - left) > n:
        lead = trials.votes.max(axis=1) - trials.votes[rows, target]
        trials.is_in &= lead <= left
        trials.weights = np.where(trials.is_in, trials.weights, 0.0)
    return np.asarray(trials.is_in & (codes != target))


def half_way(weights: FloatArray, is_wrong: Flags, is_in: Flags, first: FloatArray) -> FloatArray:
    """Return the weights of the next trial, half-way towards those at which the errors weigh one half.

    A quarter of the difference moves from the correct cases, in proportion, to the errors, in equal parts. Then the
    weights are scaled to those that the cases had at first.
    """
    is_right = is_in & ~is_wrong
    right, wrong = float(weights[is_right].sum()), float(weights[is_wrong].sum())
    moved = (right - wrong) / 4
    found = np.zeros_like(weights)
    found[is_right] = weights[is_right] * (right - moved) / right
    found[is_wrong] = weights[is_wrong] + moved * first[is_wrong] / float(first[is_wrong].sum())
    found *= float(first[is_in].sum()) / (right + wrong)
    return np.where(is_right, np.maximum(found, LEAST_WEIGHT * first), found)
