"""Count the cases of every node again, as training does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.plan import open_root, plan_of
from treecli.kernels import codes, decrease
from treecli.surgery.draft import Draft, in_level_order
from treecli.teaching.branches import UNKNOWN, branch_of_case, outcomes, values_of
from treecli.tree import ALL_BRANCHES, STAYS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset
    from treecli.settings import Settings


@dataclass(frozen=True, slots=True)
class Cases:
    """The rows at a node, with the weight of each there."""

    rows: NDArray[np.int32]
    weights: NDArray[np.float64]


def recounted(root: Draft, dataset: Dataset, settings: Settings) -> dict[int, Cases]:
    """Set the outcomes of every node from data, and the routes of missing values at new splits.

    With surrogates, a case that none of them decides goes where prediction sends it.
    Returns the cases of the nodes of the input model, by number.
    """
    rows = np.flatnonzero(dataset.weights > 0).astype(np.int32)
    pending = [(root, Cases(rows, np.asarray(dataset.weights, np.float64)[rows]))]
    found: dict[int, Cases] = {}
    for node, cases in pending:  # grows by the children
        whole = np.zeros(len(cases.rows), np.int64)
        node.outcomes = tuple(outcomes(whole, 1, dataset, cases.rows, cases.weights)[0].tolist())
        if node.number is not None:
            found[node.number] = cases
        if node.split is not None:
            pending.extend(zip(node.children, _sent(node, cases, dataset, settings), strict=True))
    return found


def _sent(node: Draft, cases: Cases, dataset: Dataset, settings: Settings) -> list[Cases]:
    """Return the cases of each branch of a node; a new split gets its route of missing values."""
    assert node.split is not None
    branch = branch_of_case(node.split, values_of(dataset, node.split.attribute, cases.rows))
    n = len(node.children)
    known = np.bincount(branch[branch >= 0], cases.weights[branch >= 0], n)
    if node.is_asked:
        policy = settings.missing.policy
        node.missing_to = ALL_BRANCHES if policy == "fractional" else STAYS if policy == "stay" else int(known.argmax())
    for surrogate in node.surrogates:
        values = values_of(dataset, surrogate.split.attribute, cases.rows)
        other = branch_of_case(surrogate.split, values)
        taken = np.where(other >= 0, np.array(surrogate.branches)[np.maximum(other, 0)], UNKNOWN)
        branch = np.where(branch == UNKNOWN, taken, branch)
    is_lost = branch == UNKNOWN
    if node.missing_to >= 0:
        branch = np.where(is_lost, node.missing_to, branch)
    sent = []
    for place in range(n):
        own = branch == place
        share = known[place] / known.sum() if known.sum() > 0 else 0.0
        if node.missing_to == ALL_BRANCHES and share > 0 and is_lost.any():
            taken_rows = np.flatnonzero(own | is_lost)
            weights = cases.weights[taken_rows] * np.where(is_lost[taken_rows], share, 1.0)
            sent.append(Cases(cases.rows[taken_rows], weights))
        else:
            sent.append(Cases(cases.rows[own], cases.weights[own]))
    return sent


def set_scores(root: Draft, dataset: Dataset, settings: Settings) -> None:
    """Set the score of every split that has none: the gain, or the gain ratio, of its branches."""
    nodes = in_level_order(root)
    if all(node.split is None or node.score is not None for node in nodes):
        return
    plan = plan_of(settings, dataset)
    table = np.array([node.outcomes for node in nodes])
    open_root(plan, table[:1], dataset.n_rows, dataset.schema)
    n_branches = np.array([len(node.children) for node in nodes], np.int32)
    ends = 1 + np.cumsum(n_branches, dtype=np.int64)
    weight, gone, information = np.empty(len(nodes)), np.full(len(nodes), np.nan), np.zeros(len(nodes))
    decrease.of_splits(ends - n_branches, n_branches, table, plan, weight, gone, information)
    for place, node in enumerate(nodes):
        if node.split is not None and node.score is None:
            saved = max(float(gone[place]), 0.0)
            by_ratio = plan.rank == codes.BY_RATIO and information[place] > 0
            node.score = saved / float(information[place] if by_ratio else weight[place] or 1.0)
