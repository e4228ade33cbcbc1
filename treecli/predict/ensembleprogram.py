"""The program of several trees: every row goes through all of them, and their predictions add up."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.model import EnsembleModel
from treecli.options.ensembles import CONFIDENCE, MAJORITY
from treecli.predict.ensembles import TIE, boosted_votes
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import columns_used
from treecli.predict.program import ALWAYS, Joining, Program, Step, Test, Vote, program, with_labels

if TYPE_CHECKING:
    from treecli.model import TreeModel


def ensemble_program(model: EnsembleModel) -> Program:
    """Return the program of an ensemble; that of a single boosted tree is the tree's."""
    is_boosted = model.IS_BOOSTED
    if is_boosted and model.n_trees == 1:
        return replace(program(model.member(0)), lineage=model.lineage)
    votes = is_boosted or (model.votes == MAJORITY and model.schema.is_classification)
    n_values = model.schema.n_outcomes if model.schema.is_classification else 1
    steps: list[tuple[Step, ...]] = [()]
    spreads: dict[int, Test] = {0: ALWAYS}
    prediction: list[list[float]] = [[0.0] * n_values]
    label, cases, roots = [0], [""], []
    of_votes: dict[int, Vote] = {}
    for member, weight in zip(model.members(), model.weights, strict=True):
        own, root = program(member), len(steps)
        roots.append(root)
        if votes and own.spreads:
            _check_costs(model)
            by_share = model.votes == CONFIDENCE
            of_votes[root] = Vote(weight, TIE if is_boosted and not by_share else 0.0, by_share)
        elif votes:
            own = replace(own, prediction=_as_votes(member, own, weight, model))
        steps += (tuple(replace(step, child=step.child + root) for step in every) for every in own.steps)
        spreads |= {node + root: test for node, test in own.spreads.items()}
        prediction += map(list, own.prediction)
        label += own.label
        cases += own.cases
    steps[0] = tuple(Step((), root, 1.0) for root in roots)
    unseen = model.settings.predicting.unseen
    used = (
        sorted({column for member in model.members() for column in columns_used(member)}) if unseen == "error" else []
    )
    return Program(
        model.schema,
        model.lineage,
        steps,
        spreads,
        prediction,
        label,
        cases,
        model.settings.predicting.costs,
        with_labels(used, model.schema),
        has_unseen=unseen == "majority",
        divisor=1.0 if is_boosted else float(model.n_trees),
        votes=of_votes,
        joining=_joining(model, votes=votes),
        weights=model.weights,
    )


def _joining(model: EnsembleModel, *, votes: bool) -> Joining:
    if model.votes == CONFIDENCE:
        return Joining.CONFIDENCE
    if model.IS_BOOSTED:
        return Joining.WEIGHTED
    return Joining.MAJORITY if votes else Joining.AVERAGE


def _as_votes(member: TreeModel, own: Program, weight: float, model: EnsembleModel) -> list[list[float]]:
    """Return the predictions of the nodes as votes: a weight, or the node's confidence, for one class."""
    import numpy as np

    shares = np.array(own.prediction)
    by_share = model.votes == CONFIDENCE
    codes = boosted_votes(shares) if model.IS_BOOSTED and not by_share else predicted(member, shares)
    found, rows = np.zeros_like(shares), np.arange(len(shares))
    found[rows, codes] = shares[rows, codes] if by_share else weight
    votes: list[list[float]] = found.tolist()
    return votes


def _check_costs(model: EnsembleModel) -> None:
    if model.settings.predicting.costs is not None:
        raise UsageError(
            "the trees vote by costs, and send rows with missing values down all branches in parts",
            "export it with --missing majority, which sends a missing value down the heaviest branch",
        )
