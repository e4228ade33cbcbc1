"""Names and formulas in MathML, which browsers show without a library."""

from __future__ import annotations

from html import escape

from treecli.teaching.formulas import (
    AbsoluteDeviations,
    Count,
    Deviations,
    Formula,
    Given,
    Group,
    Log,
    Name,
    Power,
    Product,
    Quotient,
    Result,
    Root,
    Share,
    Square,
    Step,
    Sum,
)
from treecli.teaching.numbers import MINUS, Digits


def step_mathml(step: Step) -> str:
    """Return a step as a math element."""
    equal = _sign("=")
    formula = "" if step.formula is None else formula_mathml(step.formula, step.digits) + equal
    return f"<math>{name_mathml(step.name)}{equal}{formula}{_number(step.text)}</math>"


def name_mathml(name: Name) -> str:
    """Return the left side of a step."""
    symbol = _identifier(name.symbol)
    if name.below:
        symbol = f"<msub>{symbol}{_text(name.below)}</msub>"
    whole = _identifier(name.whole) if name.whole else ""
    if name.branch:
        whole = f"<msub>{whole}{_text(name.branch)}</msub>"
    inside = _sign(",").join(part for part in (whole, _text(name.split) if name.split else "") if part)
    inside += _sign("|") + _text(name.given) if name.given else ""
    return f"{symbol}{_parenthesized(inside)}" if inside else symbol


def formula_mathml(formula: Formula, digits: Digits) -> str:
    """Return a formula as MathML elements."""

    def own(part: Formula) -> str:
        return f"<mrow>{formula_mathml(part, digits)}</mrow>"

    match formula:
        case Result():
            return _number(formula.step.text)
        case Given():
            return _number(digits.text(formula.number))
        case Count():
            return _number(digits.count(formula.number))
        case Share():
            return f"<mfrac>{_number(digits.count(formula.number))}{_number(digits.count(formula.of))}</mfrac>"
        case Deviations():
            inside = f"<mi>y</mi>{_sign(MINUS)}{_number(digits.text(formula.mean))}"
            return f"{_sign('Σ')}{_squared(inside)}"
        case AbsoluteDeviations():
            inside = f"<mi>y</mi>{_sign(MINUS)}{_number(digits.text(formula.median))}"
            return f"{_sign('Σ')}<mrow>{_sign('|')}{inside}{_sign('|')}</mrow>"
        case Quotient():
            return f"<mfrac>{own(formula.top)}{own(formula.bottom)}</mfrac>"
        case Power():
            return f"<msup>{own(formula.base)}{own(formula.exponent)}</msup>"
        case Product():
            return "".join(_factor(part, own(part), is_first=not place) for place, part in enumerate(formula.factors))
        case Sum():
            return "".join(
                _term(sign, own(part), is_first=not place) for place, (sign, part) in enumerate(formula.terms)
            )
    return _of_one(formula, own(formula.of))


def _of_one(formula: Log | Square | Root | Group, inside: str) -> str:
    match formula:
        case Log():
            return f"<msub><mi>log</mi><mn>2</mn></msub>{_parenthesized(inside)}"
        case Square():
            return _squared(inside)
        case Root():
            return f"<msqrt>{inside}</msqrt>"
    return _parenthesized(inside)


def _factor(part: Formula, text: str, *, is_first: bool) -> str:
    return text if is_first or isinstance(part, Log) else _sign("·") + text


def _term(sign: int, text: str, *, is_first: bool) -> str:
    if is_first and sign > 0:
        return text
    return _sign("+" if sign > 0 else MINUS) + text


def _squared(inside: str) -> str:
    return f"<msup><mrow>{_parenthesized(inside)}</mrow><mn>2</mn></msup>"


def _parenthesized(inside: str) -> str:
    return f"<mrow>{_sign('(')}{inside}{_sign(')')}</mrow>"


def _sign(text: str) -> str:
    return f"<mo>{text}</mo>"


def _number(text: str) -> str:
    return f"<mn>{escape(text)}</mn>"


def _identifier(text: str) -> str:
    return f"<mi>{escape(text)}</mi>"


def _text(text: str) -> str:
    return f"<mtext>{escape(text)}</mtext>"
