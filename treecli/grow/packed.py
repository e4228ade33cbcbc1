"""Grow a whole tree from packed lists: numeric attributes without missing values, all weights 1.

Returns the same tree as growing level by level, several times as fast (docs/performance.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecli.data import Dataset
from treecli.grow import thresholds
from treecli.grow.candidates import Candidates, Cuts, Flags, Floats, Indices, empty_test
from treecli.grow.lists import ENTRY_BITS, column_of, lists_of, row_shift
from treecli.grow.nodes import Nodes
from treecli.grow.plan import open_root
from treecli.kernels import codes
from treecli.kernels.args import Plan
from treecli.options.sampling import ALL
from treecli.outcomes.counts import SparseCounts
from treecli.splits._registry import kinds
from treecli.threads import FEW_CASES, OnProgress, Shared

if TYPE_CHECKING:
    from treecli.grow.parts import Arrays

LARGEST_TARGET = 1e100
"""Squares of larger targets might overflow."""

MOST_EXACT = 1 << 26
"""Squares of counts up to this number are exact in a double, in any order of summation."""

ARITHMETICS = (codes.SUMS, codes.SKLEARN)


def refuses(plan: Plan, dataset: Dataset) -> str | None:
    """Return why packed lists cannot grow this tree; None if they can."""
    return refuses_plan(plan, dataset.n_rows) or _refuses_data(plan, dataset)


def refuses_plan(plan: Plan, n_rows: int) -> str | None:
    settings, is_sklearn = plan.settings, plan.arithmetic == codes.SKLEARN
    is_like_c45 = plan.branch_share > 0 or plan.cut_cost
    reasons = {
        "features are proposed": settings.splitting.splits is not None,
        "attributes are drawn at each node": settings.sampling.features != ALL,
        "attributes are forced (--force)": settings.inputs.force is not None,
        "predictions must be monotone (--monotone)": settings.inputs.monotone is not None,
        "the criterion ranks by its own function": plan.rank == codes.BY_PYTHON,
        "the criterion ranks by p-values": plan.rank == codes.BY_TEST,
        "the impurity is neither entropy, Gini index nor variance": plan.impurity
        in (codes.ERROR, codes.ABSOLUTE, codes.DEVIATION),
        "the arithmetic is neither sums nor scikit-learn's": plan.arithmetic not in ARITHMETICS,
        "scikit-learn's arithmetic is not exact for these settings or so many rows": is_sklearn
        and not (plan.zero_gain and plan.counts_rows and n_rows < MOST_EXACT),
        "thresholds are means, medians or random": settings.splitting.threshold not in ("midpoint", "datavalue"),
        "numbers are cut into bins": settings.splitting.discretize != "none",
        "splits are tested": plan.wants_chi2,
        "classes have priors or costs": settings.predicting.priors is not None or settings.predicting.costs is not None,
        "splits must lower the risk": settings.stopping.cp is not None,
        "splits must gain a share of the best": plan.least_share != 0,
        "values that equal a threshold go up": plan.is_strict,
        "missing values go by surrogates, or stay": plan.by_surrogates or plan.missing_to == codes.STAYS,
        "competitors or ties are kept": settings.computing.is_observed,
        "a branch must hold a share of the cases, or thresholds cost bits": is_like_c45
        and (plan.is_numeric or plan.counts_rows),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _refuses_data(plan: Plan, dataset: Dataset) -> str | None:
    schema, target = dataset.schema, dataset.target
    if target is None or not len(target):
        return "there are no targets"
    if not schema.attributes:
        return "there are no attributes"
    if not all(attribute.is_numeric for attribute in schema.attributes):
        return "an attribute is not numeric"
    if len(target) > 1 << (ENTRY_BITS - row_shift(dataset)):
        return "there are too many rows and classes"
    if not (np.abs(target) < LARGEST_TARGET if plan.is_numeric else target >= 0).all():
        return "a target is missing or too large"
    if not (dataset.weights == 1.0).all():
        return "weights differ from 1"
    if any(np.isnan(column).any() for column in dataset.columns):
        return "a value is missing"
    return None


def grow(dataset: Dataset, plan: Plan, shared: Shared, on_progress: OnProgress | None) -> Nodes:
    """Return the nodes of the tree in level order. Sets the fields of the plan that depend on the root."""
    # Only now: data that are refused need none of it.
    from treecli.grow.subtrees import Grower

    outcomes, sums = _root(dataset, plan)
    open_root(plan, outcomes[None, :], dataset.n_rows, dataset.schema)
    if dataset.n_rows >= FEW_CASES:
        from treecli.grow.allocation import return_freed_pages

        return_freed_pages()
    lists, live, is_near = lists_of(dataset, plan, shared)
    arrays = Grower(lists, plan, shared, outcomes, sums).grow(live, on_progress)
    nodes = _nodes(arrays, dataset, plan)
    left = _set_thresholds_at_once(nodes, arrays["neighbour"], dataset, plan, is_near)
    _set_thresholds(nodes, arrays, dataset, plan, shared, left)
    return nodes


def _root(dataset: Dataset, plan: Plan) -> tuple[Floats, Floats]:
    """Return the root's outcomes in the tree's format and, for a numeric target, centre, sum and sum of squares."""
    target, n = np.asarray(dataset.target), dataset.n_rows
    label_of_row, target_of_row = (np.zeros(n, np.int32), target) if plan.is_numeric else (target, np.zeros(n))
    totals, center = plan.scorer.root(label_of_row, target_of_row, dataset.weights, dataset.schema.n_outcomes, plan)
    if not plan.is_numeric:
        return totals[0], np.zeros(3)
    weight, total, squares = totals[0]
    shift = total / weight
    sums = np.array([center[0], total, squares])
    return np.array([weight, center[0] + shift, max(squares - shift * total, 0.0)]), sums


def _nodes(arrays: Arrays, dataset: Dataset, plan: Plan) -> Nodes:
    """Return the nodes, without their thresholds."""
    nodes = Nodes.leaves(arrays["outcomes"])
    nodes.attribute, nodes.first_child = arrays["attribute"], arrays["first_child"]
    is_inner = nodes.first_child > 0
    nodes.kind[is_inner] = kinds().index("threshold")
    nodes.n_branches[is_inner] = 2
    weight = _weights(nodes.outcomes, plan)
    if not plan.spreads:
        nodes.missing_to[is_inner] = fuller_branches(weight, nodes.first_child[is_inner], plan)
    if "cost" in arrays:
        nodes.cost = np.where(is_inner, arrays["cost"], 0.0)
    return nodes


def _weights(outcomes: Floats | SparseCounts, plan: Plan) -> Floats:
    if isinstance(outcomes, SparseCounts):
        return np.array(outcomes.totals())
    weight: Floats = outcomes[:, 0] if plan.is_numeric else outcomes.sum(axis=1)
    return weight


def fuller_branches(weight: Floats, left: Indices, plan: Plan) -> Flags:
    """Return the heavier branch of the nodes with first children `left`; ties: the first, in sklearn's the last."""
    if plan.arithmetic == codes.SKLEARN and plan.missing_is_value:
        return np.asarray(weight[left + 1] >= weight[left])
    return np.asarray(weight[left + 1] > weight[left])


def _set_thresholds_at_once(
    nodes: Nodes, neighbour: np.ndarray, dataset: Dataset, plan: Plan, is_near: Flags
) -> list[int]:
    """Set the thresholds of a small tree in a few operations, and return the attributes for which it is not possible.

    If thresholds are data values, these are the attributes with values that differ, but not clearly (`is_near`).
    """
    inner = np.flatnonzero(nodes.is_inner)
    at_data_values = plan.settings.splitting.threshold == "datavalue"
    tolerance = min(plan.tolerance, plan.value_gap)
    is_exact = 0 < thresholds.FINE * tolerance <= 1.5 * plan.value_gap
    if len(inner) * dataset.n_rows > thresholds.MOST_AT_ONCE or (at_data_values and not is_exact):
        return sorted(set(nodes.attribute[inner].tolist()))
    left = []
    if at_data_values and is_near.any():
        is_left = is_near[nodes.attribute[inner]]
        left = sorted(set(nodes.attribute[inner[is_left]].tolist()))
        inner = inner[~is_left]
    columns = np.array([column_of(dataset, plan, a) for a in range(len(dataset.columns))], np.float64)
    attribute = nodes.attribute[inner]
    lower, upper = columns[attribute[:, None], neighbour[inner]].T
    n = len(inner)
    sides, gain = np.full(n, codes.NO_SIDE, np.int32), np.zeros(n)
    number = thresholds.halfway(Cuts(gain, gain, lower, upper, sides, empty_test(n)), None, is_ordinal=False).number
    assert number is not None
    if at_data_values and n:
        number = thresholds.at_values_below(number, columns[attribute], tolerance)
    nodes.number[inner] = number
    return left


def _set_thresholds(
    nodes: Nodes, arrays: Arrays, dataset: Dataset, plan: Plan, shared: Shared, attributes: list[int]
) -> None:
    """Set the thresholds on these attributes, and note those that another program prints differently."""

    def find(a: int) -> tuple[Indices, Candidates]:
        split = np.flatnonzero(nodes.attribute == a)
        column = column_of(dataset, plan, a)
        lower, upper = column[arrays["neighbour"][split]].T
        sides = np.full(len(split), codes.NO_SIDE, np.int32)
        gain = np.zeros(len(split))
        cuts = Cuts(gain, gain, lower, upper, sides, empty_test(len(split)))
        found = thresholds.halfway(cuts, None, is_ordinal=False)
        if plan.settings.splitting.threshold == "datavalue":
            found = plan.scorer.at_data_values(found, cuts, np.unique(column), column, plan)
        return split, found

    for split, found in shared.map(find, attributes):
        assert found.number is not None
        nodes.number[split] = found.number
        if found.printed is not None:
            for i in np.flatnonzero(found.printed != found.number):
                nodes.note(int(split[i]), "printed", float(found.printed[i]))
