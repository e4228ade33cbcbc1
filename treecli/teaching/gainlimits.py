"""The gain from which a ratio counts: the average gain, or C5.0's limit, and which ratios tie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.kernels import codes
from treecli.scorers import c50
from treecli.teaching import trace
from treecli.teaching.formulas import Count, Formula, Given, Group, Log, Name, Product, Quotient, Result, Step, added
from treecli.teaching.trace import Candidate

if TYPE_CHECKING:
    from treecli.kernels.args import Plan
    from treecli.teaching.numbers import Digits
    from treecli.teaching.seen import Seen

LEAST_INFORMATION = 1e-9
"""As in the learner: splits with less split information do not count in the average gain."""

AVERAGE, LEAST = "Average gain", "Least gain"

C50_RULE = f"a ratio counts only from a gain of at least {c50.FILTER_SLACK:g} of that"

C50_TIE = (
    f"of ratios within {c50.NEAR * 100:g} % the split with fewer branches wins, then the larger gain, then the first "
    "column"
)


def is_c50(plan: Plan) -> bool:
    """Return whether splits are chosen as C5.0 does."""
    return str(plan.settings.computing.arithmetic) == "c50"


def is_near(plan: Plan, own: Candidate, chosen: Candidate) -> bool:
    """Return whether the ratios of two candidates are so near that C5.0 decides between them by their branches."""
    if not is_c50(plan) or own.ratio is None or chosen.ratio is None:
        return False
    least, most = sorted((own.ratio.exact, chosen.ratio.exact))
    return least >= most * (1 - c50.NEAR)


def least_gain(
    candidates: Sequence[Candidate], attributes: Sequence[int], seen: Seen, plan: Plan, digits: Digits
) -> Step | None:
    """Return the average gain of the candidates that count in it, or C5.0's limit; None if there is one candidate."""
    if plan.rank != codes.BY_RATIO:
        return None
    split_info = {option.attribute: option.split_info for option in seen.options}
    gains = [
        own.worth
        for attribute, own in zip(attributes, candidates, strict=True)
        if own.worth is not None
        and (is_c50(plan) or _counts(attribute, plan))
        and own.status not in (trace.NOT_SIGNIFICANT, trace.TOO_LITTLE)
        and split_info[attribute] > LEAST_INFORMATION
    ]
    if len(gains) < 2:
        return None
    average = Quotient(Group(added(Result(gain) for gain in gains)), Count(len(gains)))
    share = _share_of_bits(plan) if is_c50(plan) else 0.0
    if share == 0:
        return Step(Name(AVERAGE), average, digits)
    bits = Quotient(Log(Count(len(gains))), Count(float(seen.weights.sum())))
    terms: list[Formula] = [Product((Given(c50.BITS_SHARE * share), bits))]
    if share < 1:
        terms.insert(0, Product((Given(1 - share), average)))
    return Step(Name(LEAST), added(terms), digits)


def _counts(attribute: int, plan: Plan) -> bool:
    """Return whether an attribute counts in the average; no proposal does."""
    return attribute < len(plan.is_counted) and bool(plan.is_counted[attribute])


def _share_of_bits(plan: Plan) -> float:
    """Return how much of C5.0's limit is the choice of an attribute: none with few cases per class, all with many."""
    per_class = plan.root_weight // len(plan.class_scale)
    return min(max((per_class - c50.FEW) / (c50.MANY - c50.FEW), 0.0), 1.0)
