"""Rounds numbers for display in pictures."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nextafter

from treecli.data import Attribute
from treecli.values import Condition, Interval, bound_text
from treecli.wording import number_text

SHORT = 9
"""Numbers of at most this many characters are not rounded."""

SIGNIFICANT_DIGITS = 6
LARGEST_WHOLE = 1e15


def short_number(number: float) -> str:
    """Return the number as text: in full if short, else with six significant digits and at least all integer digits."""
    return number_text(_rounded(number))


def in_round_numbers(condition: Condition, attribute: Attribute) -> Condition:
    """Return the condition with rounded bounds; a value equal to the printed bound satisfies both or neither.

    1.5750000000000002 becomes 1.575. If rounding goes up, the bound is the number just below the rounded one, which is
    worded as "< 1.575". The model's own threshold does not change.
    """
    if not isinstance(condition, Interval) or not attribute.is_numeric or not condition.takes_known:
        return condition
    if nextafter(condition.low, inf) == condition.high:
        return condition
    low, high = _bound(condition.low, attribute), _bound(condition.high, attribute)
    return replace(condition, low=low, high=high) if low < high else condition


def _bound(bound: float, attribute: Attribute) -> float:
    """Return the bound, or a rounded one on the same side of the rounded number."""
    if abs(bound) == inf or len(number_text(nextafter(bound, inf))) <= SHORT:
        return bound
    near = _rounded(bound)
    if near <= bound:
        return near
    below = nextafter(near, -inf)
    _, is_worded_by_near = bound_text(below, attribute)
    return below if is_worded_by_near else bound


def _rounded(number: float) -> float:
    text = number_text(number)
    if len(text) <= SHORT or abs(number) == inf:
        return number
    is_whole_in_full = 10 ** (SIGNIFICANT_DIGITS - 1) <= abs(number) < LARGEST_WHOLE
    near = float(round(number)) if is_whole_in_full else float(f"{number:.{SIGNIFICANT_DIGITS}g}")
    return near if len(number_text(near)) < len(text) else number
