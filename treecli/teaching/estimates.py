"""Pessimistic pruning: the errors that C4.5 and J48 expect of leaves and subtrees."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import pow, sqrt
from typing import TYPE_CHECKING, Any

from treecli.evaluate.beta import incomplete_beta
from treecli.evaluate.pessimistic import C45_QUANTILES, normal_quantile
from treecli.kernels.estimate import Estimate
from treecli.pruners import _errorbased as method
from treecli.pruners import c50
from treecli.teaching.checks import disagree
from treecli.teaching.classweights import is_judged
from treecli.teaching.numbers import MINUS
from treecli.teaching.prunetrace import PruneNode, PruneTrace
from treecli.teaching.prunings import decision
from treecli.teaching.raising import Pruning

if TYPE_CHECKING:
    from treecli.teaching.prunings import Subject

NO_PESSIMISM = 0.5
"""Above this confidence, the estimate is the training error."""

SHARE_OF_REST = 0.67
"""C4.5's estimate where all cases but a half are wrong: this share of the others is added."""

Z_DIGITS = 4

RAISING = "  a node may also be replaced by its largest branch, with all its cases; shown where that decides"

BISECTIONS = 60


@dataclass(frozen=True, slots=True)
class Estimation:
    """The confidence of the estimate, and whose it is; errors below 1 are interpolated above a weight."""

    confidence: float
    is_c45: bool
    mixed_above: float = 0.0
    name: str = "Pessimistic pruning"

    @staticmethod
    def of(options: Any) -> Estimation:
        """Return the estimate of a method's options."""
        if isinstance(options, c50.Options):
            return Estimation(options.cf, True, c50.MIXED_ABOVE, "C5.0's pruning, node by node")
        return Estimation(float(options.confidence), bool(options.c45_estimate))

    @property
    def kernel(self) -> Estimate:
        """The same as the learner's parameters."""
        z = normal_quantile(self.confidence, is_c45=self.is_c45)
        return Estimate(self.confidence, z, self.is_c45, self.mixed_above)


def pessimistic(subject: Subject) -> PruneTrace:
    """Return the trace of pessimistic pruning; subtrees are raised if the options say so, and there are data."""
    if subject.options.raises and subject.tuning is not None:
        return _with_raising(subject)
    tree, digits = subject.model.tree, subject.digits
    limits = [_limit(subject, _errors(subject, node), subject.model.node(node).weight) for node in range(tree.n_nodes)]
    as_leaf = [subject.model.node(node).weight * limit for node, limit in enumerate(limits)]
    for node, (own, learned) in enumerate(
        zip(as_leaf, method.expected_errors(tree, Estimation.of(subject.options).kernel), strict=True)
    ):
        disagree(node, "as a leaf", "expected errors", own, learned)
    expected, is_leaf = list(as_leaf), [tree.is_leaf(node) for node in range(tree.n_nodes)]
    printed = list(as_leaf)  # what the next step starts from
    used: list[int] = []
    nodes: list[PruneNode] = []
    for node in subject.bottom_up():
        children = list(tree.children(node))
        exact = sum(expected[child] for child in children)
        is_replaced = as_leaf[node] - (exact + method.SLACK) < method.ROUNDING
        terms, shown = [], []
        for child in children:
            if is_leaf[child]:
                used.append(child)
                weight = subject.model.node(child).weight
                terms.append(f"{digits.count(weight)}·{_name(subject, child)}")
                shown.append(subject.rounded(weight * subject.rounded(limits[child])))
            else:
                terms.append(f"subtree {child}")
                shown.append(printed[child])
        used.append(node)
        weight = subject.model.node(node).weight
        leaf = subject.rounded(weight * subject.rounded(limits[node]))
        below = subject.rounded(sum(shown))
        size, numbers = digits.count(weight), " + ".join(map(digits.text, shown))
        sign = "≤" if is_replaced else ">"
        end = decision(node, is_replaced=is_replaced, subject=subject)
        lines = (
            f"subtree: {' + '.join(terms)} = {numbers} = {digits.text(below)} errors expected",
            f"leaf:    {size}·{_name(subject, node)} = {size}·{digits.text(limits[node])} = {digits.text(leaf)} "
            "errors expected",
            f"⇒ {digits.text(leaf)} {sign} {digits.text(below)} + {method.SLACK}: {end}",
        )
        heading = subject.as_leaf(node)
        nodes.append(PruneNode(node, heading, lines, exact, as_leaf[node], tuple(shown), is_replaced))
        expected[node], printed[node] = (as_leaf[node], leaf) if is_replaced else (exact, below)
        is_leaf[node] = is_replaced
    pairs = dict.fromkeys((_errors(subject, node), subject.model.node(node).weight) for node in used)
    return PruneTrace(subject.method, tuple(_heading(subject, list(pairs))), tuple(nodes))


def _with_raising(subject: Subject) -> PruneTrace:
    pruning = Pruning(subject, lambda errors, weight: _limit(subject, errors, weight))
    nodes = tuple(pruning.run())
    title = _heading(subject, list(pruning.used))
    if pruning.has_branches:
        title.append(RAISING)
    return PruneTrace(subject.method, tuple(title), nodes, is_checked=True)


def _errors(subject: Subject, node: int) -> float:
    """The errors of a leaf that predicts the most frequent class, as the estimate counts them."""
    outcomes = subject.model.tree.outcomes_of(node)
    return float(sum(outcomes) - max(outcomes))


def _name(subject: Subject, node: int) -> str:
    own, count = subject.model.node(node), subject.digits.count
    return f"U({count(_errors(subject, node))},{count(own.weight)})"


def _limit(subject: Subject, errors: float, weight: float) -> float:
    """The expected share of errors of a leaf with this many errors and cases."""
    own = Estimation.of(subject.options)
    if weight <= 0 or own.confidence > NO_PESSIMISM:
        return errors / weight if weight > 0 else 0.0
    return limit(errors, weight, own.confidence, is_c45=own.is_c45, mixed_above=own.mixed_above)


def limit(errors: float, weight: float, confidence: float, *, is_c45: bool, mixed_above: float = 0.0) -> float:
    """Return U(E, N): an upper limit of the share of errors, exact without errors and approximated with them."""
    none = 1 - pow(confidence, 1 / weight)
    if errors <= (1e-6 if is_c45 else 0.0):
        return none + errors / weight
    if errors < (0.9999 if is_c45 else 1.0) and weight > mixed_above:
        # The errors added are interpolated between those for 0 and for 1.
        one = limit(1.0, weight, confidence, is_c45=is_c45) - 1 / weight
        return errors / weight + none + errors * (one - none)
    if errors + 0.5 >= weight:
        return (errors + SHARE_OF_REST * (weight - errors)) / weight if is_c45 else max(errors, weight) / weight
    z, wrong = normal_quantile(confidence, is_c45=is_c45), errors + 0.5
    root = sqrt(wrong * (1 - wrong / weight) + z * z / 4)
    return (wrong + z * z / 2 + z * root) / (weight + z * z)


def binomial_limit(errors: float, weight: float, confidence: float) -> float:
    """Return the exact upper confidence limit of a binomial proportion, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        is_below = incomplete_beta(errors + 1, weight - errors, middle, 1 - middle) < 1 - confidence
        low, high = (middle, high) if is_below else (low, middle)
    return high


def _heading(subject: Subject, used: list[tuple[float, float]]) -> list[str]:
    """The estimate: its quantile, its formulas, and the limits of the errors and cases that occur."""
    own, digits = Estimation.of(subject.options), subject.digits
    c = f"{own.confidence:g}"
    whose = "C4.5's" if own.is_c45 else "J48's"
    lines = [f"{own.name}, confidence {c}, {whose} estimate"]
    if is_judged(subject.model.settings):
        lines.append("  errors are those of the most frequent class, whatever priors and costs make a leaf predict")
    if own.confidence > NO_PESSIMISM:
        return [*lines, f"  above {NO_PESSIMISM:g}, no errors are added to those seen"]
    lines.append(f"  {_quantile(own.confidence, is_c45=own.is_c45)}")
    without: dict[str, tuple[float, float]] = {}
    with_errors: dict[str, tuple[float, float]] = {}
    for pair in used:
        (with_errors if pair[0] > 0 else without)[f"U({','.join(map(digits.count, pair))})"] = pair

    def text(pair: tuple[float, float]) -> str:
        return digits.text(_limit(subject, *pair))

    formula = f"  U(0, N) = 1 {MINUS} {c}^(1/N)"
    if without:
        (first, pair), *others = without.items()
        formula += f";   {first} = 1 {MINUS} {c}^(1/{digits.count(pair[1])}) = {text(pair)}"
        formula += "".join(f", {name} = {text(own)}" for name, own in others)
    lines.append(formula)
    formula = f"  U(E, N) = (E + ½ + z²/2 + z·√((E + ½)(1 {MINUS} (E + ½)/N) + z²/4)) / (N + z²)"
    if with_errors:
        (first, pair), *others = with_errors.items()
        exact = binomial_limit(*pair, own.confidence)
        formula += f";   {first} = {text(pair)}  (exact binomial limit: {digits.text(exact)})"
        formula += "".join(f", {name} = {text(own)}" for name, own in others)
    return [*lines, formula]


def _quantile(confidence: float, *, is_c45: bool) -> str:
    """The normal quantile, interpolated in C4.5's table or as it is."""
    z = f"{normal_quantile(confidence, is_c45=is_c45):.{Z_DIGITS}f}"
    if not is_c45:
        return f"z({confidence:g}) = {z}   (normal distribution)"
    (low, z_low), (high, z_high) = next(pair for pair in pairwise(C45_QUANTILES) if confidence <= pair[1][0])
    part = f"({confidence:g} {MINUS} {low:.2f})/({high:.2f} {MINUS} {low:.2f})"
    return f"z({confidence:g}) = {z_low:.2f} + ({z_high:.2f} {MINUS} {z_low:.2f})·{part} = {z}    (release 8's table)"
