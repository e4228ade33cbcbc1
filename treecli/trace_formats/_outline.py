"""A trace as a sequence of headings, sentences, steps and tables, for documents with markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treecli.records import dataclass
from treecli.teaching import skewwording, wording
from treecli.teaching.formulas import Step
from treecli.teaching.trace import Candidate, ChiSquare, NodeTrace, Skewing, Trace


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a node (level 1) or of a candidate (level 2)."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A line of text; `is_result`: it says what was decided."""

    text: str
    is_result: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts and steps under named columns."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str | Step]]


Part = Heading | Sentence | Step | Table


def outline(trace: Trace) -> Iterator[Part]:
    """Yield the parts of a trace in the order in which they are read."""
    if trace.nodes:
        yield from map(Sentence, trace.introduction)
    if trace.weighting and trace.nodes:
        yield Sentence(f"{trace.weighting_rule[0].upper()}{trace.weighting_rule[1:]}:")
        yield from trace.weighting
    for node in trace.nodes:
        yield from _node(node, trace)
    if trace.pruning is not None:
        title, *more = trace.pruning.title
        yield Heading(1, title)
        yield from (Sentence(line.strip()) for line in more)
        for own in trace.pruning.nodes:
            yield Heading(2, own.heading)
            yield from (Sentence(line, is_result=line.startswith("⇒")) for line in own.lines)
    yield from map(Sentence, trace.merging)


def _node(node: NodeTrace, trace: Trace) -> Iterator[Part]:
    yield from _head(node, trace)
    if node.impurity is None:
        return
    if trace.criterion != wording.CHI2:
        yield node.impurity
    for candidate in node.candidates:
        yield Heading(2, candidate.title)
        if candidate.gain is None:
            yield Sentence(candidate.why)
        else:
            yield from _candidate(candidate, node, trace)
    if node.others:
        yield Sentence(wording.others(node, trace))
    if node.average is not None:
        yield node.average
        yield Sentence(node.average_rule)
        rows = [
            (title, gain.removeprefix("gain "), ratio.removeprefix("ratio "))
            for title, gain, ratio in wording.average_rows(node)
        ]
        yield Table(("split", "gain", "ratio"), rows)
    if node.monotony is not None:
        yield from map(Sentence, wording.monotony(node.monotony))
    if node.skewing is not None:
        yield from skewing(node, node.skewing, trace)
    if wording.is_decided(node):
        yield Sentence(f"⇒ {wording.decision(node, trace)}", is_result=True)
    yield from map(Sentence, wording.rivals(node, trace.digits))
    if node.bound is not None:
        yield Sentence(wording.bound(node.bound))
    if node.stand_ins is not None:
        yield Sentence(f"{wording.stand_ins(node.stand_ins)}:")
        surrogates = [(wording.stand_in(own), own.agreement, own.adjusted) for own in node.stand_ins.found]
        yield Table(("surrogate", "agreement", "adjusted"), surrogates)


def _head(node: NodeTrace, trace: Trace) -> Iterator[Part]:
    """A node's path and cases; under priors and costs also what they count, and the cost of the labels of a leaf."""
    yield Heading(1, f"Node {node.id}: {node.path}")
    yield Sentence(wording.cases(node, trace.digits))
    yield from map(Sentence, node.formulas)
    if node.costs:
        yield Sentence(f"{wording.LEAST_COST}:")
        yield from node.costs
    if node.impurity is not None and node.scaled:
        yield Sentence(wording.scaled(node, trace.digits))


def _candidate(candidate: Candidate, node: NodeTrace, trace: Trace) -> Iterator[Part]:
    if candidate.runs:
        yield Sentence(wording.runs(candidate))
    if len(candidate.ways) > 1 or candidate.n_more_ways:
        rows = [(*own[:2], own[2].removeprefix("gain "), own[3]) for own in wording.ways(candidate, trace)]
        yield Table(("threshold" if candidate.runs else "split", "cases", "gain", ""), rows)
        if candidate.n_more_ways:
            yield Sentence(wording.more_ways(candidate))
    if trace.criterion != wording.CHI2 or candidate.test is None:
        branches: list[tuple[str | Step, ...]] = [
            (branch.label, wording.counts(branch, node, trace.digits), branch.impurity) for branch in candidate.branches
        ]
        yield Table(("branch", "cases", "impurity"), branches)
        if candidate.unknown:
            yield Sentence(wording.unknown(candidate, trace.digits))
        yield from candidate.steps
        if candidate.shares:
            yield Sentence(wording.shares(candidate, trace.digits))
    if candidate.ahead is not None:
        for own in candidate.ahead.further:
            yield Sentence(wording.further(own, candidate, trace.digits))
            yield own.impurity
            yield from _candidate(own.candidate, node, trace)
        yield from candidate.ahead.steps
    if candidate.test is not None:
        yield from _test(candidate.test, node, trace)
    if candidate.instead is not None:
        yield Sentence(skewwording.instead(candidate.instead))
        yield from _candidate(candidate.instead.candidate, node, trace)


def skewing(node: NodeTrace, own: Skewing, trace: Trace) -> Iterator[Part]:
    """Yield the trials of a node: one in detail, then the shares of all."""
    digits = trace.digits
    if own.spelled is not None:
        first, *more = skewwording.introduction(own.spelled, node, digits)
        yield Heading(2, f"Trial {own.spelled.number}")
        yield from map(Sentence, (first, *more))
        if own.spelled.factors:
            yield from (own.spelled.scale, own.spelled.heaviest)
        yield own.spelled.impurity
        for candidate, share in zip(own.spelled.candidates, own.spelled.shares, strict=True):
            yield from _candidate(candidate, node, trace)
            yield share
    sentence, columns, rows = skewwording.table(node, own, digits)
    yield Heading(2, "All trials")
    yield Sentence(sentence)
    yield Table(columns, rows)


def _test(test: ChiSquare, node: NodeTrace, trace: Trace) -> Iterator[Part]:
    digits = trace.digits
    rows = [
        (own.branch, own.label, digits.count(own.seen), digits.text(own.expected), digits.text(own.term))
        for own in test.cells
    ]
    yield Table(("branch", test.target, "seen", "expected", "term"), rows)
    yield Sentence(wording.chi_square(test, digits))
    yield Sentence(wording.verdict(test, node, digits))
