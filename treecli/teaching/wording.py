"""The sentences of a trace, for all formats that are read by people."""

from __future__ import annotations

from treecli.teaching import skewwording as skewing
from treecli.teaching import trace as status
from treecli.teaching.numbers import MINUS, Digits
from treecli.teaching.trace import (
    Bound,
    Branch,
    Candidate,
    Cell,
    ChiSquare,
    Further,
    Monotony,
    NodeTrace,
    Rival,
    StandIn,
    StandIns,
    Trace,
    Way,
)
from treecli.wording import counted

CHI2 = "chi2"

PASSED_OVER = "passed over"


def heading(node: NodeTrace, digits: Digits) -> str:
    """Return a node's number, path and cases."""
    return f"Node {node.id}: {node.path} — {cases(node, digits)}"


def cases(node: NodeTrace, digits: Digits) -> str:
    """Return the number of cases, and their classes or their mean."""
    n = f"{digits.count(node.weight)} cases"
    if node.labels is None:
        text = f"{n}: {middle(node)} {digits.text(node.counts[1])}"
        return text if node.is_open else f"{text}: a leaf"
    present = [(label, count) for label, count in zip(node.labels, node.counts, strict=True) if count > 0]
    if node.why_leaf and not node.is_open:
        return f"{n}, all {node.prediction}: a leaf"
    listed = ", ".join(f"{label} {digits.count(count)}" for label, count in present)
    return f"{n}: {listed}" if node.is_open else f"{n}: {listed}: a leaf {node.prediction}"


def middle(node: NodeTrace) -> str:
    """Return the name of what a numeric target is predicted by."""
    return "median" if node.is_median else "mean"


def counts(branch: Branch, node: NodeTrace, digits: Digits) -> str:
    """Return the class weights of a branch, also as impurities count them; or the size and the mean of its cases."""
    counts = branch.counts
    if node.labels is None:
        return f"[{digits.count(counts[0])} cases, {middle(node)} {digits.text(counts[1])}]"
    text = f"[{', '.join(map(digits.count, counts))}]"
    return f"{text} as [{', '.join(map(digits.count, branch.scaled))}]" if branch.scaled else text


LEAST_COST = "the label of a leaf is the one of least expected cost"


def scaled(node: NodeTrace, digits: Digits) -> str:
    """Return the classes of a node as impurities count them."""
    assert node.labels is not None
    pairs = [(label, own) for label, own in zip(node.labels, node.scaled, strict=True) if own > 0]
    return f"counted as {', '.join(f'{label} {digits.count(own)}' for label, own in pairs)}"


def result(candidate: Candidate, trace: Trace) -> str:
    """Return the number that decides, as text."""
    if trace.criterion == CHI2:
        assert candidate.test is not None
        return trace.digits.probability(candidate.test.p)
    step = candidate.decisive
    assert step is not None
    return step.text


def decision(node: NodeTrace, trace: Trace) -> str:
    """Return the chosen split with its score, and the next best; or that the node stays a leaf."""
    if node.chosen is None:
        return f"a leaf {node.prediction}: no split is allowed here"
    if node.skewing is not None:
        text = skewing.decision(node, node.skewing, node.chosen, trace.digits)
        return f"{text}; {node.undone}" if node.undone else text
    text = f"split on {node.chosen.title}: {trace.symbol} {result(node.chosen, trace)}"
    if node.is_forced and node.runner_up is not None:
        text += f", by --force; the best is {node.runner_up.title} {result(node.runner_up, trace)}"
    elif node.runner_up is not None:
        text += f"; next {node.runner_up.title} {result(node.runner_up, trace)}"
        if node.runner_up.status == status.TIED:
            text += f", a TIE: {node.tie_rule}"
    return f"{text}; {node.undone}" if node.undone else text


def rivals(node: NodeTrace, digits: Digits) -> list[str]:
    """Return what another choice would give, for each split that ties with the chosen one, or nearly does."""
    if not node.rivals:
        return []
    chosen, *found = node.rivals
    usual = _subtree(chosen, node, digits)
    return [
        f"{'a tie' if own.is_tie else 'nearly a tie'}: {own.attribute} here gives {_subtree(own, node, digits)}; "
        f"{chosen.attribute} {usual}"
        for own in found
    ]


def _subtree(own: Rival, node: NodeTrace, digits: Digits) -> str:
    leaves = counted(own.n_leaves, "leaf", "leaves")
    if node.labels is None:
        return f"{leaves} with a root mean squared error of {digits.text(own.error)}"
    errors = digits.count(own.error)
    return f"{leaves} with {errors} {'error' if errors == '1' else 'errors'}"


def stand_ins(own: StandIns) -> str:
    """Return how surrogates send a case whose value is missing."""
    last = f"takes the branch {own.usual}" if own.usual else "stays here"
    return (
        f"where {own.attribute} is missing, the first of these whose value is known sends the case; "
        f"if there is none, it {last}"
    )


def stand_in(own: StandIn) -> str:
    """Return the test of a surrogate, and the branch that it stands for."""
    return f"{own.title}: as {own.branch}"


def bound(own: Bound) -> str:
    """Return why no other tree has fewer errors, or costs less."""
    errors, floor = own.digits.count(own.errors), own.digits.count(own.floor)
    if not own.n_tests:
        if own.at_least is None:
            return "no proof: the time ended before"
        least = own.digits.count(own.at_least)
        return (
            f"no proof: the time ended before; every tree {f'costs at least {least}' if own.is_cost else _makes(least)}"
        )
    if own.errors == 0:
        return "proof: no tree costs less than 0" if own.is_judged else "proof: no tree has fewer than 0 errors"
    tests = f"none of the {own.n_tests} tests here leads" if own.n_tests > 1 else "the only test here does not lead"
    few = f"a cost below {errors}" if own.is_cost else f"fewer than {errors} {'error' if errors == '1' else 'errors'}"
    text = f"proof: {tests} to {few} in {counted(own.depth, 'level')}"
    if own.floor > 0:
        less = f"costs less than {floor}" if own.is_judged else f"makes fewer than {floor}"
        text += f"; no tree at all {less}{' errors' if own.is_cost and not own.is_judged else ''}, "
        text += "because cases with the same values have different classes"
    return text


def _makes(least: str) -> str:
    return f"makes at least {least} {'error' if least == '1' else 'errors'}"


def further(own: Further, candidate: Candidate, digits: Digits) -> str:
    """Return a branch that is split further, and how."""
    n = sum(branch.weight for branch in candidate.branches) + candidate.unknown
    return f"{own.branch}, {digits.count(own.weight)} of {digits.count(n)} cases, then {own.candidate.title}"


def others(node: NodeTrace, trace: Trace) -> str:
    """Return the candidates that are not spelled out."""
    texts = [f"{own.title} {result(own, trace)}" for own in node.others]
    return f"not spelled out: {', '.join(texts)}"


def average_rows(node: NodeTrace) -> list[tuple[str, str, str]]:
    """Return the gain of each candidate, and its ratio if it counts."""
    rows = []
    for own in node.every:
        if own.worth is not None:
            takes_part = own.status in (status.CHOSEN, status.BEATEN, status.TIED) and own.ratio is not None
            ratio = f"ratio {own.ratio.text}" if takes_part and own.ratio is not None else PASSED_OVER
            rows.append((own.title, f"gain {own.worth.text}", ratio))
    return rows


def unknown(candidate: Candidate, digits: Digits) -> str:
    """Return how many values are missing, and what that does to the gain."""
    known, mass = sum(own.weight for own in candidate.branches), sum(own.mass for own in candidate.branches)
    n, k, missing = (digits.count(own) for own in (known + candidate.unknown, known, candidate.unknown))
    share = f"{digits.count(mass)}/{digits.count(mass + candidate.unknown_mass)}"
    return f"{candidate.attribute} is unknown for {missing} of {n} cases: gain from the {k} known ones, times {share}"


def shares(candidate: Candidate, digits: Digits) -> str:
    """Return the share of each branch in a case whose value is missing."""
    parts = [f"{label} {digits.count(own)}/{digits.count(all_)}" for label, own, all_ in candidate.shares]
    return f"below the node the case goes everywhere: {', '.join(parts)} of it"


def runs(candidate: Candidate) -> str:
    """Return the sorted values, with a bar where the class changes."""
    return " | ".join(f"{label}: {' '.join(values)}" for label, values in candidate.runs)


def ways(candidate: Candidate, trace: Trace) -> list[tuple[str, ...]]:
    """Return the splits on an attribute with the cases of their branches and their gains."""
    digits = trace.digits
    rows: list[tuple[str, ...]] = []
    for way in candidate.ways:
        sizes = " ".join(f"[{', '.join(map(digits.count, part))}]" for part in way.counts)
        rows.append((way.label, sizes, f"gain {digits.text(way.gain)}", _mark(way)))
    return rows


def _mark(way: Way) -> str:
    if not way.is_allowed:
        return "not monotone"
    return "best" if way.is_best else ""


def monotony(own: Monotony) -> list[str]:
    """Return the bounds of a node, and why splits that gain more are refused."""
    return [*own.bounds, *(f"{each.title}, gain {each.gain.text}, is refused: {each.why}" for each in own.refused)]


def more_ways(candidate: Candidate) -> str:
    """Return how many splits are not listed."""
    n = candidate.n_more_ways
    return f"and {n} more, none of them better" if n > 1 else "and one more, not better"


def cell(own: Cell, digits: Digits) -> str:
    """Return the arithmetic of a cell of a chi-square test."""
    seen, expected = digits.count(own.seen), digits.text(own.expected)
    sizes = f"{digits.count(own.of_branch)}·{digits.count(own.of_label)}/{digits.count(own.total)}"
    term = f"({seen} {MINUS} {expected})²/{expected} = {digits.text(own.term)}"
    return f"seen {seen}   expected {sizes} = {expected}   {term}"


def chi_square(test: ChiSquare, digits: Digits) -> str:
    """Return the statistic, the degrees of freedom and the p-value."""
    terms = " + ".join(digits.text(own.term) for own in test.cells)
    freedom = f"df = ({test.n_branches}{MINUS}1)({test.n_labels}{MINUS}1) = {test.freedom}"
    adjusted = f" (times {digits.count(test.multiplier)}, Bonferroni's correction)" if test.multiplier > 1 else ""
    return f"χ² = {terms} = {digits.text(test.chi2)},  {freedom},  p = {digits.probability(test.p)}{adjusted}"


def verdict(test: ChiSquare, node: NodeTrace, digits: Digits) -> str:
    """Return what a chi-square stop would do here, and a warning about small expected counts."""
    level = f"{test.level:g}"
    stopped = "would not even split the root" if node.id == 0 else "would not split this node"
    if test.p > test.level:
        text = f"p > {level}: ID3 with a chi-square stop {stopped}."
    else:
        text = f"p ≤ {level}: ID3 with a chi-square stop would allow this split."
    if test.n_rough:
        text += f" {test.n_rough} of {len(test.cells)} expected counts are below 5: the test is rough here."
    return text


def is_decided(node: NodeTrace) -> bool:
    """Return whether there was anything to choose from."""
    return any(own.gain is not None for own in node.every)
