"""Pairs of learners over several data sets: Wilcoxon's test, Holm's correction, and the sets of equal learners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import count
from math import erfc, sqrt
from typing import NamedTuple

from treecli.statistics.resampled import DECIMALS, Chances

MOST_EXACT, MOST_EXACT_WITH_TIES = 50, 13
"""The largest numbers of differences for which Wilcoxon's p is exact, as in SciPy."""

SAMPLES = 50_000
"""The Monte Carlo samples of the Bayesian signed-rank test."""

PRIOR = 1.0
"""The weight of the prior's one imagined data set, on which the learners are equal, as in baycomp."""


class Signed(NamedTuple):
    """The differences over data sets: how many are above, at and below 0, their median, and Wilcoxon's signed ranks.

    `statistic` is the smaller sum of ranks.
    """

    wins: int
    ties: int
    losses: int
    median: float
    statistic: float
    p: float


def wilcoxon(differences: Sequence[float]) -> Signed:
    """Return Wilcoxon's signed-rank test; the ranks of zeros are split evenly.

    p is exact for up to 50 differences without ties and zeros, and for up to 13 with them; otherwise it is the normal
    approximation, without continuity correction.
    """
    from statistics import median

    rounded = [round(difference, DECIMALS) for difference in differences]
    wins, losses = sum(d > 0 for d in rounded), sum(d < 0 for d in rounded)
    ties = len(rounded) - wins - losses
    if ties == len(rounded):
        return Signed(0, ties, 0, 0.0, ties * (ties + 1) / 4, 1.0)
    sizes = [abs(d) for d in rounded]
    ranks = [sum(other < own for other in sizes) + sum(other <= own for other in sizes) + 1 for own in sizes]
    above = sum(rank for rank, d in zip(ranks, rounded, strict=True) if d > 0)
    below = sum(rank for rank, d in zip(ranks, rounded, strict=True) if d < 0)
    is_plain = len(set(sizes)) == len(sizes) and not ties
    if len(sizes) <= (MOST_EXACT if is_plain else MOST_EXACT_WITH_TIES):
        p = _exact_p([rank for rank, d in zip(ranks, rounded, strict=True) if d], min(above, below))
    else:
        p = _normal_p(sizes, (above - below) / 4)
    # Ranks are doubled until here, so that they are integers.
    return Signed(wins, ties, losses, median(rounded), (sum(ranks) - abs(above - below)) / 4, p)


def _exact_p(ranks: Sequence[int], smaller: int) -> float:
    """Return twice the share of all choices of signs for which the ranks with one sign sum to at most `smaller`."""
    ways = [1] + [0] * smaller
    for rank in ranks:
        for total in range(smaller, rank - 1, -1):
            ways[total] += ways[total - rank]
    n_choices: int = 2 ** (len(ranks) - 1)
    return min(1.0, sum(ways) / n_choices)


def _normal_p(sizes: Sequence[float], distance: float) -> float:
    """Return p by the normal approximation, from the distance of a sum of ranks to its mean."""
    n = len(sizes)
    tied = sum(n_equal**3 - n_equal for n_equal in Counter(sizes).values())
    return erfc(abs(distance) / sqrt((n * (n + 1) * (2 * n + 1) - tied / 2) / 24) / sqrt(2))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected by Holm's step-down method (1979), in the given order."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        corrected[index] = largest
    return corrected


def minimum_p(n_sets: int) -> float:
    """Return the least p that Wilcoxon's test can give: all differences have the same sign."""
    return min(1.0, 2.0 ** (1 - n_sets))


def sets_needed(n_pairs: int, alpha: float) -> int:
    """Return the least number of data sets with which Holm's method can call one of the pairs significant."""
    return next(n_sets for n_sets in count(1) if minimum_p(n_sets) <= alpha / n_pairs)


def signed_rank_bayes(differences: Sequence[float], rope: float, seed: int) -> Chances:
    """Return the Bayesian signed-rank test: the chances that the first learner is better, equal and worse.

    The weights of the data sets are drawn from a Dirichlet distribution. The chance of an outcome is the share of the
    draws in which it is the most probable one. Source: Benavoli, Corani, Demšar and Zaffalon (2017).
    """
    import numpy as np

    values = np.array([0.0, *(round(difference, DECIMALS) for difference in differences)])
    sums = np.round(values[:, None] + values[None, :], DECIMALS)
    alpha = np.ones(len(values))
    alpha[0] = PRIOR
    weights = np.random.default_rng(seed).dirichlet(alpha, SAMPLES)
    outcomes = (sums > 2 * rope, np.abs(sums) <= 2 * rope, sums < -2 * rope)
    shares = np.stack([((weights @ outcome) * weights).sum(axis=1) for outcome in outcomes])
    if rope == 0:
        # Nothing but ties is equal: half of them counts for either side.
        shares = np.stack([shares[0] + shares[1] / 2, np.zeros(SAMPLES), shares[2] + shares[1] / 2])
    is_most = shares == shares.max(axis=0)
    chances = (is_most / is_most.sum(axis=0)).mean(axis=1)
    return Chances(*map(float, chances))


def cliques(n_learners: int, different: Collection[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the maximal sets of learners without a `different` pair, in order; a learner alone is a set too.

    The sets may overlap. They are the maximal cliques of the graph of pairs that are not different.
    """
    apart = {frozenset(pair) for pair in different}
    near = [
        {other for other in range(n_learners) if other != own and frozenset((own, other)) not in apart}
        for own in range(n_learners)
    ]
    found = []
    # Bron and Kerbosch (1973), without recursion: members so far, learners that may join, learners already tried.
    waiting: list[tuple[tuple[int, ...], set[int], set[int]]] = [((), set(range(n_learners)), set())]
    while waiting:
        members, candidates, tried = waiting.pop()
        if not candidates and not tried:
            found.append(tuple(sorted(members)))
            continue
        pivot = max(candidates | tried, key=lambda learner: len(near[learner] & candidates))
        for learner in sorted(candidates - near[pivot]):
            waiting.append(((*members, learner), candidates & near[learner], tried & near[learner]))
            candidates, tried = candidates - {learner}, tried | {learner}
    return sorted(found)
