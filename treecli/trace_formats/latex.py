"""The arithmetic of each node that is split in LaTeX, as amsmath's align*."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.draw.latextext import in_latex
from treecli.teaching import skewwording, wording
from treecli.teaching.latexmath import FURTHER, needs_further, number_latex, step_latex, text_latex, words
from treecli.teaching.numbers import Digits
from treecli.teaching.prunetrace import PruneTrace
from treecli.teaching.trace import Candidate, ChiSquare, NodeTrace, Skewing, Trace

SUFFIX = ".tex"
HAS_WHOLE = True

PREAMBLE = r"""\documentclass{article}
\usepackage{amsmath}
\usepackage[a4paper,margin=2cm]{geometry}
\begin{document}
"""

ENDING = "\\end{document}\n"

SPACED = r"\\[1ex]"


def render(trace: Trace, *, is_whole: bool) -> Iterator[str]:
    """Return a paragraph per node; with a preamble if it is a whole document."""
    bodies = [
        _leaf(node, trace) if node.chosen is None else _node(node, trace)
        for node in trace.nodes
        if node.chosen is not None or node.costs or node.formulas
    ]
    if trace.introduction and bodies:
        bodies.insert(0, "\n\n".join(map(text_latex, trace.introduction)) + "\n\n")
    if trace.weighting and bodies:
        bodies.insert(0, _weighting(trace))
    if trace.pruning is not None:
        bodies.append(_pruning(trace.pruning))
    if not bodies:  # leaves are named only where there is nothing else
        bodies = [f"{text_latex(wording.heading(node, trace.digits))}\n\n" for node in trace.nodes]
    if is_whole:
        needs_more = any(map(needs_further, bodies))
        yield PREAMBLE.replace(r"\begin", FURTHER + r"\begin") if needs_more else PREAMBLE
    yield from bodies
    if is_whole:
        yield ENDING


def _weighting(trace: Trace) -> str:
    """The weights of classes, under priors or costs."""
    body = "\\\\\n".join(map(step_latex, trace.weighting))
    title = text_latex(f"{trace.weighting_rule[0].upper()}{trace.weighting_rule[1:]}")
    return f"{title}.\n\\begin{{align*}}\n{body}\n\\end{{align*}}\n\n"


def _leaf(node: NodeTrace, trace: Trace) -> str:
    """A leaf whose label priors or costs decide."""
    title, cases = text_latex(f"Node {node.id}: {node.path}"), text_latex(wording.cases(node, trace.digits))
    if not node.costs:
        return f"\\paragraph{{{title}}} {cases}.{_formulas(node)}\n\n"
    body = "\\\\\n".join(map(step_latex, node.costs))
    rule = f"{wording.LEAST_COST[0].upper()}{wording.LEAST_COST[1:]}"
    return f"\\paragraph{{{title}}} {cases}. {rule}.\n\\begin{{align*}}\n{body}\n\\end{{align*}}\n\n"


def _node(node: NodeTrace, trace: Trace) -> str:
    assert node.chosen is not None
    assert node.impurity is not None
    title = text_latex(f"Node {node.id}: {node.path}")
    lines = [(step_latex(node.impurity), r"\\")]
    for candidate in node.candidates:
        if candidate.gain is not None:
            lines += (
                _test(candidate.test, trace.digits)
                if trace.criterion == wording.CHI2 and candidate.test
                else _steps(candidate)
            )
    body = "\n".join(line + (end if place < len(lines) - 1 else "") for place, (line, end) in enumerate(lines))
    decision = (
        rf"Split on \textbf{{{in_latex(node.chosen.title)}}}, {number_latex(wording.result(node.chosen, trace))}."
    )
    if node.skewing is not None:
        sentence = text_latex(wording.decision(node, trace))
        decision = f"{_skewing(node, node.skewing, trace)}{sentence[0].upper()}{sentence[1:]}."
    if node.is_forced:
        decision = f"{text_latex(wording.decision(node, trace))}."
        decision = decision[0].upper() + decision[1:]
    cases = text_latex(wording.cases(node, trace.digits))
    cases += f", {text_latex(wording.scaled(node, trace.digits))}" if node.scaled else ""
    rivals = "".join(f" {text_latex(line)}." for line in wording.rivals(node, trace.digits))
    if node.monotony is not None:
        rivals += "".join(f" {text_latex(line[0].upper() + line[1:])}." for line in wording.monotony(node.monotony))
    if node.bound is not None:
        sentence = text_latex(wording.bound(node.bound))
        rivals += f" {sentence[0].upper()}{sentence[1:]}."
    steps = f"\\begin{{align*}}\n{body}\n\\end{{align*}}\n"
    cases += f".{_formulas(node)}".removesuffix(".")
    return f"\\paragraph{{{title}}} {cases}.\n{steps}{decision}{rivals}\n{_stand_ins(node)}\n"


def _formulas(node: NodeTrace) -> str:
    """The linear model of a node, and how it is smoothed."""
    return "".join(f" {text_latex(line[0].upper() + line[1:])}." for line in node.formulas)


def _skewing(node: NodeTrace, own: Skewing, trace: Trace) -> str:
    """One trial in detail, then a table of all."""
    text = ""
    if own.spelled is not None:
        text = f"{'. '.join(map(text_latex, skewwording.introduction(own.spelled, node, trace.digits)))}.\n"
        steps = [own.spelled.impurity]
        steps = [own.spelled.scale, own.spelled.heaviest, *steps] if own.spelled.factors else steps
        lines = [(step_latex(step), r"\\") for step in steps]
        for candidate, share in zip(own.spelled.candidates, own.spelled.shares, strict=True):
            lines += [*_steps(candidate), (step_latex(share), SPACED)]
        body = "\n".join(line + (end if place < len(lines) - 1 else "") for place, (line, end) in enumerate(lines))
        text += f"\\begin{{align*}}\n{body}\n\\end{{align*}}\n"
    sentence, columns, rows = skewwording.table(node, own, trace.digits)
    cells = "\n".join(" & ".join(map(text_latex, row)) + r" \\" for row in (columns, *rows))
    return f"{text}{text_latex(sentence)}:\n\n\\begin{{tabular}}{{{'l' * len(columns)}}}\n{cells}\n\\end{{tabular}}\n\n"


def _stand_ins(node: NodeTrace) -> str:
    """The surrogates of a node that has some, after a sentence."""
    if node.stand_ins is None:
        return ""
    steps = [step for own in node.stand_ins.found for step in (own.agreement, own.adjusted)]
    body = "\\\\\n".join(map(step_latex, steps))
    sentence = text_latex(wording.stand_ins(node.stand_ins))
    branch = text_latex(f"A condition here stands for {node.stand_ins.found[0].branch}.")
    return f"\n{sentence[0].upper()}{sentence[1:]}. {branch}\n\\begin{{align*}}\n{body}\n\\end{{align*}}\n"


def _pruning(pruning: PruneTrace) -> str:
    """The comparisons of a pruning method, one paragraph per node."""
    title, *more = pruning.title
    lines = [rf"\paragraph{{{text_latex(title)}}} " + r"\\ ".join(text_latex(line.strip()) for line in more)]
    for node in pruning.nodes:
        lines.append(
            rf"\paragraph{{{text_latex(node.heading)}}} " + r"\\ ".join(text_latex(line) for line in node.lines)
        )
    return "\n".join(lines) + "\n\n"


def _steps(candidate: Candidate) -> list[tuple[str, str]]:
    """The lines of a candidate with what ends each; the remainder is part of the gain's line."""
    lines = [(step_latex(branch.impurity), r"\\") for branch in candidate.branches]
    for step in candidate.steps:
        if step is not candidate.remainder:
            inlined = () if candidate.remainder is None else (candidate.remainder,)
            lines.append((step_latex(step, inlined), SPACED if step is candidate.ratio else r"\\"))
    if candidate.ahead is not None:
        for own in candidate.ahead.further:
            lines += [(step_latex(own.impurity), r"\\"), *_steps(own.candidate)]
        lines += [(step_latex(step), r"\\") for step in candidate.ahead.steps]
        lines[-1] = lines[-1][0], SPACED
    if candidate.instead is not None:
        lines += _steps(candidate.instead.candidate)
    return lines


def _test(test: ChiSquare, digits: Digits) -> list[tuple[str, str]]:
    """The terms of a chi-square test, and its result."""
    lines = []
    for own in test.cells:
        seen, expected = digits.count(own.seen), digits.text(own.expected)
        name = rf"{words(own.branch)}, {words(own.label)}"
        term = digits.text(own.term)
        lines.append((rf"{name} &: \tfrac{{({seen} - {expected})^2}}{{{expected}}} = {term}", r"\\"))
    result = rf"\chi^2 &= {digits.text(test.chi2)},\quad df = {test.freedom},\quad p = {digits.probability(test.p)}"
    return [*lines, (result, SPACED)]
