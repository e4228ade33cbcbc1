"""Splits compared by what they leave of the impurity, reckoned as scikit-learn does, so that ties fall as there."""

from __future__ import annotations

import numpy as np

from treecli.candidates import Cuts, Floats, Terms, empty_test
from treecli.criteria import Criterion
from treecli.kernels import impurity, score_sklearn
from treecli.memory import Decision, MemoryEngine
from treecli.settings import Settings
from treecli.tree import DEVIANCE, MEAN


def applies(settings: Settings, criterion: Criterion) -> bool:
    """Whether scikit-learn's arithmetic is asked for and has all that is asked for."""
    return (
        settings.computing.arithmetic == "remainders"
        and not criterion.is_ratio
        and not criterion.is_test
        and settings.splitting.branch_share == 0
        and not settings.splitting.cut_cost
    )


def cuts(engine: MemoryEngine, attribute: int, only_at: Floats | None, terms: Terms) -> Cuts:
    """The best cut of a numeric attribute at every open node; `only_at` leaves one threshold to each.

    The engine's sums must be about 0, as scikit-learn's are.
    """
    n, ordered, totals = engine.n_nodes, engine.ordered[attribute], engine.outcomes.copy()
    weight_of_case = engine.weight_of_case
    if engine.scale is not None:
        totals *= engine.scale
        weight_of_case = weight_of_case * engine.scale[engine.class_of_case]
    worth, test = np.empty(n), empty_test(n)
    found = Cuts(np.empty(n), np.empty(n), np.zeros(n), np.ones(n), np.empty(n, np.int32), test, worth)
    score_sklearn.best_cuts(
        engine.start,
        ordered.n_known,
        ordered.case,
        ordered.value,
        engine.class_of_case,
        engine.target_of_case,
        weight_of_case,
        terms.impurity,
        terms.is_numeric,
        np.full(n, np.nan) if only_at is None else only_at,
        terms.missing_is_value,
        terms.min_leaf - terms.tolerance,
        terms.min_rows,
        terms.value_gap,
        terms.is_single,
        terms.wants_chi2,
        totals,
        np.empty((score_sklearn.LEFT_AND_RIGHT, totals.shape[1])),
        worth,
        found.gain,
        found.split_info,
        found.lower,
        found.upper,
        found.missing_side,
        test.chi2,
        test.freedom,
    )
    if not terms.missing_is_value:
        # Among fewer cases there is less impurity, which says nothing of the cut.
        worth[ordered.n_known < np.diff(engine.start)] = np.nan
    return found


def unsplit(engine: MemoryEngine, terms: Terms) -> Floats:
    """What every open node would be worth as it is, on the scale on which its cuts are compared."""
    outcomes = engine.outcomes if engine.scale is None else engine.outcomes * engine.scale
    if terms.impurity == impurity.CODES["variance"]:
        return np.asarray(outcomes[:, 1] ** 2 / outcomes[:, 0])
    spread = np.empty(len(outcomes))
    impurity.spreads(outcomes, terms.impurity, spread)
    return -spread


def even_out(engine: MemoryEngine, decision: Decision, children: Floats) -> None:
    """Makes the deviance of children whose cases all have one target just 0, which sums about 0 may miss."""
    lowest, highest = np.full(len(children), np.inf), np.full(len(children), -np.inf)
    score_sklearn.ranges(
        engine.start,
        decision.first_child,
        engine.branch_of_case,
        engine.target_of_case,
        lowest,
        highest,
    )
    is_even = lowest == highest
    children[is_even, MEAN] = lowest[is_even]
    children[is_even, DEVIANCE] = 0.0
