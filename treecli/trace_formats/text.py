"""The arithmetic of each node on plain lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treecli.teaching import skewwording, wording
from treecli.teaching.plainmath import formula_text, name_text, step_text
from treecli.teaching.prunetrace import PruneTrace
from treecli.teaching.trace import Candidate, ChiSquare, NodeTrace, Skewing, Trace

SUFFIX = ".txt"
HAS_WHOLE = False


def render(trace: Trace, *, is_whole: bool) -> Iterator[str]:
    """Return the lines of the nodes, with an empty line after each."""
    if trace.introduction and trace.nodes:
        yield "".join(f"{line}\n" for line in trace.introduction) + "\n"
    if trace.weighting and trace.nodes:
        yield f"{trace.weighting_rule}:\n"
        yield "".join(f"  {step_text(step)}\n" for step in trace.weighting) + "\n"
    for node in trace.nodes:
        yield "".join(f"{line.rstrip()}\n" for line in _node(node, trace))
    if trace.pruning is not None:
        yield "".join(f"{line}\n" for line in _pruning(trace.pruning))
    yield from (f"{line}\n" for line in trace.merging)


def _node(node: NodeTrace, trace: Trace) -> Iterator[str]:
    yield wording.heading(node, trace.digits)
    yield from _costs(node)
    yield from (f"  {line}" for line in node.formulas)
    yield ""
    if node.impurity is None:
        return
    if node.scaled:
        yield f"  {wording.scaled(node, trace.digits)}"
    if trace.criterion != wording.CHI2:
        yield f"  {step_text(node.impurity)}"
        yield ""
    for candidate in node.candidates:
        yield from (f"  {line}" for line in _candidate(candidate, node, trace))
        yield ""
    if node.others:
        yield f"  {wording.others(node, trace)}"
        yield ""
    if node.average is not None and node.average.formula is not None:
        average = formula_text(node.average.formula, trace.digits)
        yield f"  {name_text(node.average.name)} = {average} = {node.average.text}; {node.average_rule}:"
        yield from (f"    {line}" for line in _columns(wording.average_rows(node)))
        yield ""
    yield from _monotony(node)
    if node.skewing is not None:
        yield from (f"  {line}" for line in _skewing(node, node.skewing, trace))
    if wording.is_decided(node):
        yield f"  ⇒ {wording.decision(node, trace)}"
    yield from (f"    {line}" for line in wording.rivals(node, trace.digits))
    if node.bound is not None:
        yield f"    {wording.bound(node.bound)}"
    if node.stand_ins is not None:
        yield f"    {wording.stand_ins(node.stand_ins)}:"
        for own in node.stand_ins.found:
            yield f"      {wording.stand_in(own)}"
            yield from (f"        {step_text(step)}" for step in (own.agreement, own.adjusted))
    yield ""


def _monotony(node: NodeTrace) -> Iterator[str]:
    """The bounds of monotone predictions, and the splits that are refused."""
    lines = [] if node.monotony is None else wording.monotony(node.monotony)
    yield from (f"  {line}" for line in lines)
    if lines:
        yield ""


def _costs(node: NodeTrace) -> Iterator[str]:
    """The expected cost of each label, at a leaf that priors or costs decide."""
    if node.costs:
        yield f"  {wording.LEAST_COST}:"
        yield from (f"    {step_text(step)}" for step in node.costs)


def _pruning(pruning: PruneTrace) -> Iterator[str]:
    yield from pruning.title
    yield ""
    for node in pruning.nodes:
        yield node.heading
        yield from (f"  {line}" for line in node.lines)
        if not pruning.is_dense:
            yield ""


def _candidate(candidate: Candidate, node: NodeTrace, trace: Trace) -> Iterator[str]:
    if candidate.gain is None:
        yield f"{candidate.attribute}: {candidate.why}"
        return
    if trace.criterion != wording.CHI2:
        yield candidate.title
    if candidate.runs:
        yield f"  {wording.runs(candidate)}"
    if len(candidate.ways) > 1 or candidate.n_more_ways:
        yield from (f"  {line}" for line in _columns(wording.ways(candidate, trace)))
        if candidate.n_more_ways:
            yield f"  {wording.more_ways(candidate)}"
    if trace.criterion == wording.CHI2 and candidate.test is not None:
        yield from (line.removeprefix("  ") for line in _test(candidate.test, candidate, node, trace))
        return
    width = max(len(branch.label) for branch in candidate.branches)
    for branch in candidate.branches:
        counts = wording.counts(branch, node, trace.digits)
        yield f"  {branch.label:<{width}}  {counts}  {step_text(branch.impurity)}"
    if candidate.unknown:
        yield f"  {wording.unknown(candidate, trace.digits)}"
    yield from (f"  {step_text(step)}" for step in candidate.steps)
    if candidate.shares:
        yield f"  {wording.shares(candidate, trace.digits)}"
    yield from _ahead(candidate, node, trace)
    if candidate.test is not None:
        yield ""
        yield from _test(candidate.test, candidate, node, trace)
    if candidate.instead is not None:
        yield f"  {skewwording.instead(candidate.instead)}"
        _, *lines = _candidate(candidate.instead.candidate, node, trace)
        yield from (f"  {line}" for line in lines)


def _skewing(node: NodeTrace, own: Skewing, trace: Trace) -> Iterator[str]:
    """One trial in detail, then the shares of all."""
    if own.spelled is not None:
        first, *more = skewwording.introduction(own.spelled, node, trace.digits)
        yield first
        yield from (f"  {line}" for line in more)
        if own.spelled.factors:
            yield f"    {step_text(own.spelled.scale)}"
            yield f"    {step_text(own.spelled.heaviest)}"
        yield f"    {step_text(own.spelled.impurity)}"
        for candidate, share in zip(own.spelled.candidates, own.spelled.shares, strict=True):
            yield from (f"    {line}" for line in _candidate(candidate, node, trace))
            yield f"      {step_text(share)}"
        yield ""
    sentence, columns, rows = skewwording.table(node, own, trace.digits)
    yield f"{sentence}:"
    yield from (f"  {line}" for line in _columns([columns, *rows]))
    yield ""


def _ahead(candidate: Candidate, node: NodeTrace, trace: Trace) -> Iterator[str]:
    """The splits of the branches, and the gain of the subtree, under lookahead."""
    if candidate.ahead is None:
        return
    for own in candidate.ahead.further:
        yield f"  {wording.further(own, candidate, trace.digits)}"
        yield f"    {step_text(own.impurity)}"
        _, *lines = _candidate(own.candidate, node, trace)
        yield from (f"  {line}" for line in lines)
    yield from (f"  {step_text(step)}" for step in candidate.ahead.steps)


def _test(test: ChiSquare, candidate: Candidate, node: NodeTrace, trace: Trace) -> Iterator[str]:
    """The cells of a chi-square test and its result."""
    yield f"  Chi-square of {candidate.title} against {test.target}"
    yield ""
    digits = trace.digits
    of_branch, of_label = (max(len(getattr(cell, side)) for cell in test.cells) for side in ("branch", "label"))
    for cell in test.cells:
        yield f"    {cell.branch:<{of_branch}} {cell.label:<{of_label}}  {wording.cell(cell, digits)}"
    yield ""
    yield f"    {wording.chi_square(test, digits)}"
    yield f"    ⇒ {wording.verdict(test, node, digits)}"


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows with their columns aligned at the left; the last is not padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
