"""C5.0's choice between splits: the least gain depends on the number of cases, and near ties go to fewer branches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.candidates import NO_GAIN, Candidates, Floats
from treecli.scorers import Ranking
from treecli.scorers._from_tables import cuts_of as cuts_of
from treecli.scorers._sums import cuts as cuts
from treecli.scorers._usual import at_data_values as at_data_values
from treecli.scorers._usual import groups as groups
from treecli.scorers._usual import open as open
from treecli.scorers._usual import order as order
from treecli.scorers._usual import root as root
from treecli.scorers._usual import settle as settle
from treecli.scorers._usual import settle_root as settle_root
from treecli.scorers._usual import worth as worth

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan
    from treecli.missing import Policy
    from treecli.settings import Settings

FEW, MANY = 500, 1000
"""Cases per class up to which a gain must reach the average, and from which it must pay for the choice of an input."""

BITS_SHARE = 0.9
"""The share of log2(inputs) / cases that a gain must reach with many cases."""

FILTER_SLACK = 0.999
"""A gain passes the filter from this share of the limit."""

NEAR = 1e-3
"""Ratios within this share of each other are a near tie."""

LEAST_BRANCHES = 3
"""Splits with fewer branches count as having this many."""

LEAST_INFORMATION = 1e-9
"""A split with less split information sends all cases to one branch."""


def refuses(settings: Settings, criterion: Criterion, policy: Policy) -> str | None:
    """Return why C5.0's choice does not support these settings; None if it does."""
    return None if criterion.is_ratio else "C5.0 ranks by gain ratio"


def rank(candidates: Sequence[Candidates], gain: Floats, level: MemoryLevel, plan: Plan) -> Ranking:
    """Rank by gain ratio; the merit of a split that wins a near tie exceeds that of the others."""
    split_info = np.array([c.split_info for c in candidates])
    is_usable = np.isfinite(gain) & (split_info > LEAST_INFORMATION)
    limit = least_gain(np.where(is_usable, gain, 0.0), is_usable, level.weights(plan), plan.root_weight, level.outcomes)
    passes = is_usable & (gain >= FILTER_SLACK * limit) & (plan.zero_gain | (gain > plan.tolerance))
    ratio = np.where(passes, gain / np.where(is_usable, split_info, 1.0), NO_GAIN)
    n_branches = np.maximum([c.n_branches for c in candidates], LEAST_BRANCHES)
    best = chosen(ratio, gain, n_branches)
    nodes = np.arange(level.n_nodes)
    won = ratio[best, nodes]
    merit = np.minimum(ratio, np.nextafter(won, NO_GAIN))
    merit[best, nodes] = won
    return Ranking(merit, 0.0, ratio)


def least_gain(gain: Floats, is_usable: np.ndarray, cases: Floats, n_all: float, outcomes: Floats) -> Floats:
    """Return the gain that a split must reach at each node.

    With few cases per class in the whole training set it is the average gain of the usable inputs; with many, the bits
    that the choice of an input takes, per case of the node; in between a mixture of both.
    """
    per_class = n_all // outcomes.shape[1]
    share = min(max((per_class - FEW) / (MANY - FEW), 0.0), 1.0)
    n_usable = is_usable.sum(axis=0)
    average = gain.sum(axis=0) / np.maximum(n_usable, 1)
    bits = np.log2(np.maximum(n_usable, 1)) / cases
    return np.asarray((1 - share) * average + BITS_SHARE * share * bits)


def chosen(ratio: Floats, gain: Floats, n_branches: np.ndarray) -> np.ndarray:
    """Return the attribute with the largest ratio at each node; any, if all are -inf.

    A near tie goes to fewer branches, then to the larger gain, then to the first attribute.
    """
    nodes = np.arange(ratio.shape[1])
    best = np.zeros(ratio.shape[1], np.int64)
    for attribute in range(1, len(ratio)):
        own, other = ratio[attribute], ratio[best, nodes]
        fewer = n_branches[attribute] - n_branches[best, nodes]
        more_gain = gain[attribute] > gain[best, nodes]
        with np.errstate(invalid="ignore"):
            is_near = (own >= other * (1 - NEAR)) & np.isfinite(own) & np.isfinite(other)
            is_clear = own > other * (1 + NEAR)
        wins = is_near & ((fewer < 0) | ((fewer == 0) & more_gain))
        best[wins | is_clear | (np.isfinite(own) & ~np.isfinite(other))] = attribute
    return best
