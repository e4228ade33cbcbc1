"""Formulas as data: a step has a name, a formula and a result; formats print them, and nothing else computes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import log2, prod, sqrt

from treecli.teaching.numbers import Digits, Number


@dataclass(frozen=True, slots=True)
class Given:
    """A number that no step of the trace computes, printed rounded."""

    number: float


@dataclass(frozen=True, slots=True)
class Count:
    """A number of cases or of things, printed whole."""

    number: float


@dataclass(frozen=True, slots=True)
class Share:
    """A number of cases out of all cases, printed as a fraction."""

    number: float
    of: float


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an earlier step."""

    step: Step


@dataclass(frozen=True, slots=True)
class Log:
    """The logarithm to base 2."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Square:
    """The square of a formula in parentheses."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Power:
    """A base with an exponent."""

    base: Formula
    exponent: Formula


@dataclass(frozen=True, slots=True)
class Root:
    """The square root."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Group:
    """A formula in parentheses."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms that are added, or subtracted where the sign is -1."""

    terms: tuple[tuple[int, Formula], ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Factors."""

    factors: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    """One formula divided by another."""

    top: Formula
    bottom: Formula


@dataclass(frozen=True, slots=True)
class Deviations:
    """The sum of squared differences from a mean; `number` is its value."""

    mean: float
    number: float


@dataclass(frozen=True, slots=True)
class AbsoluteDeviations:
    """The sum of absolute differences from a median; `number` is its value."""

    median: float
    number: float


Formula = (
    Given
    | Count
    | Share
    | Result
    | Log
    | Square
    | Power
    | Root
    | Group
    | Sum
    | Product
    | Quotient
    | Deviations
    | AbsoluteDeviations
)


@dataclass(frozen=True, slots=True)
class Name:
    """The left side of a step: a symbol, and what it is of.

    `whole` is the set of cases, `branch` the label of one of its parts, `given` the split that divides it, and `split`
    the split that is judged. `below` is printed below the symbol.
    """

    symbol: str
    whole: str = ""
    branch: str = ""
    given: str = ""
    split: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A result with its name and its formula; None: there is nothing to compute, and the result is 0.

    `exact` is the result from unrounded numbers, `shown` the one that is printed: with rounding at each step, it is
    computed from the printed results of earlier steps.
    """

    name: Name
    formula: Formula | None
    digits: Digits
    remark: str = ""
    exact: float = field(init=False)
    shown: Number = field(init=False)

    def __post_init__(self) -> None:
        exact = 0.0 if self.formula is None else float(value(self.formula, _exact, float))
        shown: Number = exact
        if self.digits.at_steps and self.formula is not None:
            shown = self.digits.rounded(value(self.formula, _shown, Fraction))
        object.__setattr__(self, "exact", exact)
        object.__setattr__(self, "shown", shown)

    @property
    def text(self) -> str:
        """The result as printed."""
        return self.digits.text(self.shown)

    @property
    def text_from_rounded(self) -> str:
        """The result that a reader computes from the printed results of earlier steps."""
        return self.text if self.formula is None else self.digits.text(value(self.formula, _printed, Fraction))


def _exact(step: Step) -> Number:
    return step.exact


def _shown(step: Step) -> Number:
    return step.shown


def _printed(step: Step) -> Number:
    return step.digits.rounded(step.shown)


def value(formula: Formula, of_step: Callable[[Step], Number], kind: Callable[[float], Number]) -> Number:
    """Return the value of a formula, from the results of earlier steps and from counts as numbers of this kind."""

    def own(part: Formula) -> Number:
        return value(part, of_step, kind)

    match formula:
        case Result():
            return of_step(formula.step)
        case Given() | Deviations() | AbsoluteDeviations():
            return formula.number
        case Count():
            return kind(formula.number)
        case Share():
            return kind(formula.number) / kind(formula.of)
        case Quotient():
            return own(formula.top) / own(formula.bottom)
        case Power():
            return own(formula.base) ** own(formula.exponent)
        case Product():
            return prod(map(own, formula.factors))
        case Sum():
            return sum(sign * own(term) for sign, term in formula.terms)
    return _of_one(formula, own(formula.of))


def _of_one(formula: Log | Square | Root | Group, number: Number) -> Number:
    match formula:
        case Log():
            return log2(number)
        case Root():
            return sqrt(max(number, 0))
        case Square():
            return number**2
    return number


def added(terms: Iterable[Formula]) -> Sum:
    """Return the sum of these terms."""
    return Sum(tuple((1, term) for term in terms))


def difference(first: Formula, *others: Formula) -> Sum:
    """Return the first formula minus the others."""
    return Sum(((1, first), *((-1, other) for other in others)))
