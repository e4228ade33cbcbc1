"""The answers of a comparison for one measure: tests on each data set, and over all data sets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum, sqrt
from typing import Any, NamedTuple

from treecli.errors import UsageError
from treecli.evaluate.mcnemar import mcnemar
from treecli.measures import measure
from treecli.statistics import pairs as over_sets
from treecli.statistics.ranks import Friedman, critical_difference, friedman, mean_ranks, nemenyi_p
from treecli.statistics.resampled import Chances, corrected_t, correlated_bayes

WILCOXON, NEMENYI, CONTROL = "wilcoxon", "nemenyi", "control"
POSTHOC = (WILCOXON, NEMENYI, CONTROL)
NO_ADJUSTMENT, HOLM = "none", "holm"
ADJUST = (NO_ADJUSTMENT, HOLM)

COUNTED_BY_ROW = ("accuracy", "errors", "zero_one_loss")
"""The measures that McNemar's test compares: those of leave-one-out."""

Cells = Sequence[Mapping[str, Any]]
Table = Mapping[tuple[str, str], Cells | None]
"""The cells of each data set and learner, by run and fold; None if the learner failed or has not finished."""


@dataclass(frozen=True, slots=True)
class Question:
    """The tests to run on the cells. `rope` is None without Bayesian tests; `is_loo`: every fold is one row."""

    measure: str
    base: str
    alpha: float = 0.05
    posthoc: str = WILCOXON
    adjust: str = NO_ADJUSTMENT
    rope: float | None = None
    seed: int = 0
    is_loo: bool = False


class Mean(NamedTuple):
    """The mean and the standard deviation over folds; the latter is None for one fold."""

    mean: float
    sd: float | None


@dataclass(frozen=True, slots=True)
class OnSet:
    """The test of learner `b` against the base `a` on one data set; `verdict` is that of `b`.

    `p_adjusted` is the p that decides. p is None if there is nothing to test with.
    """

    dataset: str
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    sd: float | None
    t: float | None
    df: int | None
    p: float | None
    test: str
    chances: Chances | None = None
    p_adjusted: float | None = None
    verdict: str = "tie"


@dataclass(frozen=True, slots=True)
class Pair:
    """The test of two learners over data sets; `median` is that of the differences a - b, wins are those of `a`."""

    a: str
    b: str
    wins: int
    ties: int
    losses: int
    median: float
    statistic: float | None
    p: float
    p_holm: float | None = None
    rank_difference: float | None = None
    is_significant: bool = False
    chances: Chances | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that is said about one measure; rank tests are None or empty below two data sets."""

    question: Question
    means: Mapping[tuple[str, str], Mean | None]
    on_sets: Sequence[OnSet]
    n_sets: int
    left_out: Sequence[str]
    failed: Collection[tuple[str, str]]
    ranks: Mapping[str, float] | None = None
    friedman: Friedman | None = None
    pairs: Sequence[Pair] = ()
    cliques: Sequence[Sequence[str]] = ()
    critical_difference: float | None = None
    minimum_p: float | None = None
    sets_needed: int | None = None

    @property
    def n_tests(self) -> int:
        """The number of tests on single data sets."""
        return sum(each.p is not None for each in self.on_sets)

    @property
    def needed_p(self) -> float:
        """The p that Holm's method needs for the first of the pairs."""
        return self.question.alpha / max(len(self.pairs), 1)

    @property
    def is_hopeless(self) -> bool:
        """Whether no pair could have been significant, whatever the results."""
        return self.minimum_p is not None and self.minimum_p > self.needed_p


def check(question: Question) -> None:
    """Raise a UsageError if the measure cannot be tested."""
    if question.is_loo and question.measure not in COUNTED_BY_ROW:
        raise UsageError(
            f"--folds loo: each fold is one row, which has no {question.measure} to compare",
            f"use --measure {' or '.join(COUNTED_BY_ROW[:2])}, or fewer folds",
        )


def answered(table: Table, datasets: Sequence[str], learners: Sequence[str], question: Question) -> Answer:
    """Return the tests of all cells."""
    sign = 1 if measure(question.measure).LARGER_IS_BETTER else -1
    means = {
        (dataset, learner): _mean(table[dataset, learner], question.measure)
        for dataset in datasets
        for learner in learners
    }
    whole = [dataset for dataset in datasets if all(means[dataset, learner] is not None for learner in learners)]
    on_sets = _with_verdicts(
        [
            _on_set(table, dataset, other, question, sign)
            for dataset in datasets
            for other in learners
            if other != question.base
            and means[dataset, other] is not None
            and means[dataset, question.base] is not None
        ],
        question,
        sign,
    )
    left_out = [dataset for dataset in datasets if dataset not in whole]
    failed = {place for place in means if table[place] is None}
    answer = Answer(question, means, on_sets, len(whole), left_out, failed)
    if len(whole) < 2 or len(learners) < 2:
        return answer
    raw = [[means[dataset, learner].mean for learner in learners] for dataset in whole]  # type: ignore[union-attr]
    return _over_sets(answer, raw, learners, sign)


def _mean(cells: Cells | None, name: str) -> Mean | None:
    values = [cell[name] for cell in cells or () if cell[name] is not None]
    if not values:
        return None
    mean = fsum(values) / len(values)
    sd = sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1)) if len(values) > 1 else None
    return Mean(mean, sd)


def _on_set(table: Table, dataset: str, other: str, question: Question, sign: int) -> OnSet:
    """Return the test of a learner against the base, on the folds where the measure is defined for both."""
    name, base = question.measure, question.base
    cells_a, cells_b = table[dataset, base] or (), table[dataset, other] or ()
    of_b = {(cell["run"], cell["fold"]): cell for cell in cells_b}
    folds = [(a, of_b[a["run"], a["fold"]]) for a in cells_a if (a["run"], a["fold"]) in of_b]
    folds = [(a, b) for a, b in folds if a[name] is not None and b[name] is not None]
    values_a, values_b = [a[name] for a, _ in folds], [b[name] for _, b in folds]
    if not folds:
        return OnSet(dataset, base, other, 0.0, 0.0, 0.0, None, None, None, None, "none")
    mean_a, mean_b = fsum(values_a) / len(folds), fsum(values_b) / len(folds)
    differences = [a - b for a, b in zip(values_a, values_b, strict=True)]
    if question.is_loo:
        p = mcnemar(sum(d > 0 for d in differences), sum(d < 0 for d in differences))
        return OnSet(dataset, base, other, mean_a, mean_b, mean_a - mean_b, None, None, None, p, "McNemar")
    if len(folds) < 2:
        return OnSet(dataset, base, other, mean_a, mean_b, mean_a - mean_b, None, None, None, None, "none")
    ratio = fsum(a["n"] for a, _ in folds) / fsum(a["n_train"] for a, _ in folds)
    found = corrected_t(differences, ratio)
    chances = None
    if question.rope is not None:
        chances = correlated_bayes([sign * d for d in differences], ratio, question.rope)
    return OnSet(dataset, base, other, mean_a, mean_b, *found, "corrected t", chances)


def _with_verdicts(tests: Sequence[OnSet], question: Question, sign: int) -> list[OnSet]:
    p_values = [test.p for test in tests if test.p is not None]
    adjusted = iter(over_sets.holm(p_values) if question.adjust == HOLM else p_values)
    judged = []
    for test in tests:
        p = None if test.p is None else next(adjusted)
        verdict = "tie"
        if p is not None and p <= question.alpha:
            verdict = "worse" if sign * test.difference > 0 else "better"
        judged.append(replace(test, p_adjusted=p, verdict=verdict))
    return judged


def _over_sets(answer: Answer, raw: list[list[float]], learners: Sequence[str], sign: int) -> Answer:
    """Return the answer with ranks, Friedman's test and the tests of pairs."""
    question, n_sets = answer.question, len(raw)
    scores = [[sign * value for value in row] for row in raw]
    ranks = mean_ranks(scores)
    answer = replace(answer, ranks=dict(zip(learners, ranks, strict=True)))
    if len(learners) > 2:
        answer = replace(answer, friedman=friedman(scores))
    if question.posthoc == NEMENYI:
        cd = critical_difference(len(learners), n_sets, question.alpha)
        answer = replace(answer, critical_difference=cd)
    chosen = list(combinations(range(len(learners)), 2))
    if question.posthoc == CONTROL:
        base = learners.index(question.base)
        chosen = [(base, other) for other in range(len(learners)) if other != base]
    pairs = [_pair([row[a] - row[b] for row in raw], learners[a], learners[b], question, sign) for a, b in chosen]
    if question.posthoc == NEMENYI:
        for place, (a, b) in enumerate(chosen):
            p = nemenyi_p(ranks[a] - ranks[b], len(learners), n_sets)
            pairs[place] = replace(
                pairs[place],
                p=p,
                statistic=None,
                rank_difference=ranks[a] - ranks[b],
                is_significant=p <= question.alpha,
            )
    else:
        for place, p in enumerate(over_sets.holm([pair.p for pair in pairs])):
            pairs[place] = replace(pairs[place], p_holm=p, is_significant=p <= question.alpha)
        answer = replace(
            answer,
            minimum_p=over_sets.minimum_p(n_sets),
            sets_needed=over_sets.sets_needed(len(pairs), question.alpha),
        )
    if question.posthoc != CONTROL:
        different = [pair for pair, test in zip(chosen, pairs, strict=True) if test.is_significant]
        by_rank = sorted(range(len(learners)), key=ranks.__getitem__)
        found = over_sets.cliques(len(learners), different)
        cliques = [[learners[own] for own in by_rank if own in members] for members in found]
        answer = replace(
            answer, cliques=sorted(cliques, key=lambda names: [by_rank.index(learners.index(n)) for n in names])
        )
    return replace(answer, pairs=sorted(pairs, key=lambda pair: pair.p))


def _pair(differences: list[float], a: str, b: str, question: Question, sign: int) -> Pair:
    found = over_sets.wilcoxon([sign * difference for difference in differences])
    chances = None
    if question.rope is not None:
        chances = over_sets.signed_rank_bayes([sign * d for d in differences], question.rope, question.seed)
    return Pair(
        a, b, found.wins, found.ties, found.losses, sign * found.median, found.statistic, found.p, chances=chances
    )
