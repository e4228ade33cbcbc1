"""The report of a comparison: its numbers and sentences, and the report as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import floor, inf, log10
from textwrap import fill

from treecli.experiment.verdicts import CONTROL, HOLM, NEMENYI, Answer, Pair
from treecli.wording import NOT_AVAILABLE, counted, printable

GAP = 4
WIDTH = 90
"""Sentences are wrapped at this width."""

PERCENT = ("accuracy", "balanced_accuracy", "macro_f1", "macro_precision", "macro_recall", "zero_one_loss")
UNIT_SCALE = ("auc", "auc_weighted", "brier", "kappa", "log_loss", "mcc", "r2")

BETTER, WORSE, TIE = "better", "worse", "tie"
MARKS = {BETTER: "v", WORSE: "*", TIE: ""}
RECORD = "better/tie/worse"
RANK = "mean rank"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Unit:
    """How the numbers of a measure are written: scaled, with fixed decimals."""

    measure: str
    scale: float
    decimals: int

    @property
    def heading(self) -> str:
        return f"{self.measure}, %" if self.scale == 100 else self.measure

    def text(self, value: float) -> str:
        return f"{value * self.scale:.{self.decimals}f}"

    def signed(self, value: float) -> str:
        text = f"{value * self.scale:+.{self.decimals}f}"
        return text.replace("-", "+") if float(text) == 0 else text


def unit_of(answer: Answer) -> Unit:
    """Return the unit of a measure: per cent, four decimals, or four digits of the largest mean."""
    measure = answer.question.measure
    if measure in PERCENT:
        return Unit(measure, 100, 2)
    if measure in UNIT_SCALE:
        return Unit(measure, 1, 4)
    largest = max((abs(own.mean) for own in answer.means.values() if own is not None), default=0.0)
    digits = floor(log10(largest)) + 1 if largest > 0 else 1
    return Unit(measure, 1, min(max(4 - digits, 0), 6))


def p_text(p: float) -> str:
    """Return a probability with three decimals, halves rounded up, or with two digits if it is small."""
    if 0 < p < 0.001:
        return f"{p:.2g}"
    return str(Decimal(repr(float(p))).quantize(Decimal("0.001"), ROUND_HALF_UP))


class Page:
    """The tables and sentences about one measure."""

    def __init__(
        self, answer: Answer, datasets: Sequence[str], learners: Sequence[str], remarks: Sequence[str]
    ) -> None:
        base = answer.question.base
        self.answer = answer
        self.datasets = datasets
        self.learners = [base, *(learner for learner in learners if learner != base)]
        self.more_remarks = remarks
        self.unit = unit_of(answer)
        self._verdicts = {(test.dataset, test.b): test.verdict for test in answer.on_sets}

    def cell(self, dataset: str, learner: str, marks: dict[str, str], width: int = 0) -> str:
        """Return mean, deviation and mark."""
        found = self.answer.means[dataset, learner]
        if found is None:
            return FAILED if (dataset, learner) in self.answer.failed else NOT_AVAILABLE
        # The folds of leave-one-out are rows: their deviation says nothing about the mean.
        spread = "" if found.sd is None or self.answer.question.is_loo else f" ± {self.unit.text(found.sd)}"
        mark = marks[self._verdicts.get((dataset, learner), TIE)]
        return f"{self.unit.text(found.mean).rjust(width)}{spread}{f' {mark}' if mark else ''}"

    def mean_width(self, learner: str) -> int:
        found = (self.answer.means[dataset, learner] for dataset in self.datasets)
        return max((len(self.unit.text(own.mean)) for own in found if own is not None), default=0)

    def record(self, learner: str) -> str:
        """Return how often the learner is better than the base, tied with it, and worse."""
        own = [test.verdict for test in self.answer.on_sets if test.b == learner]
        return "/".join(str(own.count(verdict)) for verdict in (BETTER, TIE, WORSE))

    def has_tests(self) -> bool:
        return self.answer.n_tests > 0

    def legend(self, marks: dict[str, str]) -> str | None:
        """Return the sentence about the marks and the number of tests."""
        answer, question = self.answer, self.answer.question
        if not answer.n_tests:
            return None
        test = "exact McNemar" if question.is_loo else "corrected t"
        n_tests = counted(answer.n_tests, "test")
        chance = f"{n_tests}, expect {answer.n_tests * question.alpha:.1f} by chance"
        if question.adjust == HOLM:
            chance = f"{n_tests}, corrected by Holm"
        return (
            f"{marks[BETTER]} better, {marks[WORSE]} worse than {printable(question.base)}: "
            f"{test}, {question.alpha:g}; {chance}"
        )

    def friedman(self) -> str | None:
        found = self.answer.friedman
        if found is None:
            return None
        if found.f == inf:  # p would be 0, which no number of data sets justifies
            return (
                f"Friedman: every data set ranks the learners alike (chi2 {found.chi2:.2f}, p {p_text(found.chi2_p)})"
            )
        return f"Friedman F({found.df[0]},{found.df[1]}) = {found.f:.2f}, p {p_text(found.p)} (chi2 {found.chi2:.2f})"

    def pair_columns(self) -> tuple[str, ...]:
        if self.answer.question.posthoc == NEMENYI:
            return ("pair", "wins/ties/losses", "median", "rank difference", "Nemenyi p")
        return ("pair", "wins/ties/losses", "median", "Wilcoxon p", "Holm")

    def pair_cells(self, pair: Pair) -> tuple[str, ...]:
        first = (f"{pair.a}, {pair.b}", f"{pair.wins}/{pair.ties}/{pair.losses}", self.unit.signed(pair.median))
        if pair.rank_difference is not None:
            return (*first, f"{pair.rank_difference:+.2f}", p_text(pair.p))
        return (*first, p_text(pair.p), p_text(pair.p_holm if pair.p_holm is not None else pair.p))

    def bayes_columns(self) -> tuple[str, ...]:
        return ("data set", "a, b", "P(a better)", "P(equal)", "P(b better)")

    def bayes_rows(self) -> list[tuple[str, ...]]:
        """Return the probabilities on each data set against the base, then over all data sets."""
        own = [(test.dataset, test.a, test.b, test.chances) for test in self.answer.on_sets]
        together = [("all", pair.a, pair.b, pair.chances) for pair in self.answer.pairs]
        return [
            (dataset, f"{a}, {b}", *(f"{chance:.3f}" for chance in chances))
            for dataset, a, b, chances in (*own, *together)
            if chances is not None
        ]

    def remarks(self) -> list[str]:
        """Return the sentences about what the tests can and cannot show, and about failures."""
        answer, question = self.answer, self.answer.question
        found = []
        if answer.critical_difference is not None:
            found.append(
                f"mean ranks differ if they are {answer.critical_difference:.2f} apart (Nemenyi, {question.alpha:g})"
            )
        if answer.is_hopeless and answer.minimum_p is not None:
            found.append(
                f"{counted(answer.n_sets, 'data set')}: the least possible p is {p_text(answer.minimum_p)}, "
                f"Holm needs {p_text(answer.needed_p)} here; nothing could have been significant. "
                f"{answer.sets_needed} sets would do."
            )
        if question.rope is not None and self.bayes_rows():
            found.append(f"equal: a difference of at most {question.rope:g}")
        if question.posthoc == CONTROL and answer.pairs:
            found.append(f"only pairs with {printable(question.base)}, the control, are tested")
        found += self.more_remarks
        if answer.left_out and answer.n_sets:
            found.append(f"left out of the rank tests: {', '.join(map(printable, answer.left_out))}")
        return found


def marked(answer: Answer, name: str) -> str:
    """Return a learner's name in the diagram: with a star if it differs from the control."""
    differs = answer.question.posthoc == CONTROL and any(
        pair.b == name and pair.is_significant for pair in answer.pairs
    )
    return f"{name} *" if differs else name


def caption(answer: Answer) -> str:
    """Return what the critical-difference diagram shows."""
    question = answer.question
    start = f"Mean ranks by {question.measure} over {counted(answer.n_sets, 'data set')}, 1 is the best."
    if question.posthoc == CONTROL:
        return f"{start} * differs from {question.base}, the control (Wilcoxon, Holm, alpha {question.alpha:g})."
    test = "Nemenyi" if question.posthoc == NEMENYI else "Wilcoxon, Holm"
    return (
        f"{start} A bar joins learners no two of which differ ({test}, alpha {question.alpha:g}); "
        "dots mark its members. Bars may overlap without nesting."
    )


def text(page: Page) -> Iterator[str]:
    """Yield the report in aligned columns."""
    yield from _main_lines(page)
    legend = page.legend(MARKS)
    if legend is not None:
        yield fill(legend, WIDTH)
    first = _first_width(page)
    found = page.friedman()
    answer = page.answer
    if found is not None or answer.pairs:
        yield ""
    if found is not None:
        yield found
    if answer.pairs:
        rows = [page.pair_columns(), *(page.pair_cells(pair) for pair in answer.pairs)]
        yield from _columns(rows, first, (18, 9, 13))
    if page.bayes_rows():
        yield ""
        yield from _columns([page.bayes_columns(), *page.bayes_rows()], first, (0, 13, 10))
    for remark in page.remarks():
        yield fill(remark, WIDTH, break_long_words=False, break_on_hyphens=False)


def _columns(rows: Sequence[Sequence[str]], first: int, least: Sequence[int]) -> Iterator[str]:
    shown = [[printable(cell) for cell in row] for row in rows]
    natural = [max(len(row[place]) for row in shown) for place in range(len(shown[0]))]
    widths = [max(natural[0] + GAP, first)]
    widths += [max(own + 2, minimum) for own, minimum in zip(natural[1:], (*least, 0), strict=True)]
    for row in shown:
        yield "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _first_width(page: Page) -> int:
    """Return the width of the column of names; `better/tie/worse` may reach into the base's column, which is empty."""
    names = max(len(printable(name)) for name in (page.unit.heading, *page.datasets))
    if page.answer.ranks is not None:
        names = max(names, len(RANK))
    return max(names + GAP, len(RECORD) + 1 - _widths(page)[0])


def _widths(page: Page) -> list[int]:
    widths = []
    for learner in page.learners:
        own = page.mean_width(learner)
        cells = [page.cell(dataset, learner, MARKS, own) for dataset in page.datasets]
        widths.append(max(map(len, (printable(learner), *cells))) + GAP)
    return widths


def _main_lines(page: Page) -> Iterator[str]:
    first, widths = _first_width(page), _widths(page)
    means = [page.mean_width(learner) for learner in page.learners]

    def line(name: str, cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return (printable(name).ljust(first) + "".join(padded)).rstrip()

    yield line(page.unit.heading, [printable(learner) for learner in page.learners])
    for dataset in page.datasets:
        pairs = zip(page.learners, means, strict=True)
        yield line(dataset, [page.cell(dataset, learner, MARKS, width) for learner, width in pairs])
    if page.has_tests():
        blank = " " * (first + widths[0] - len(RECORD))
        records = (
            page.record(learner).ljust(width) for learner, width in zip(page.learners[1:], widths[1:], strict=True)
        )
        yield (RECORD + blank + "".join(records)).rstrip()
    ranks = page.answer.ranks
    if ranks is not None:
        cells = [f"{ranks[learner]:.2f}".rjust(width) for learner, width in zip(page.learners, means, strict=True)]
        yield line(RANK, cells)
