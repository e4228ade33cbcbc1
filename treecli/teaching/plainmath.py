"""Names and formulas as plain text."""

from __future__ import annotations

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


def name_text(name: Name) -> str:
    """Return the left side of a step; that of a branch is its symbol only."""
    if name.branch:
        return name.symbol
    symbol = f"{name.symbol}_{name.below}" if name.below else name.symbol
    inside = ", ".join(part for part in (name.whole, name.split) if part)
    inside += f"|{name.given}" if name.given else ""
    return f"{symbol}({inside})" if inside else symbol


def step_text(step: Step) -> str:
    """Return a whole step: name, formula, result and remark."""
    remark = f"   ({step.remark})" if step.remark else ""
    if step.formula is None:
        return f"{name_text(step.name)} = {step.text}{remark}"
    return f"{name_text(step.name)} = {formula_text(step.formula, step.digits)} = {step.text}{remark}"


def formula_text(formula: Formula, digits: Digits) -> str:
    """Return a formula on one line."""

    def own(part: Formula) -> str:
        return formula_text(part, digits)

    match formula:
        case Result():
            return formula.step.text
        case Given():
            return digits.text(formula.number)
        case Count():
            return digits.count(formula.number)
        case Share():
            return f"{digits.count(formula.number)}/{digits.count(formula.of)}"
        case Deviations():
            return f"Σ(y {MINUS} {digits.text(formula.mean)})²"
        case AbsoluteDeviations():
            return f"Σ|y {MINUS} {digits.text(formula.median)}|"
        case Quotient():
            return f"{own(formula.top)} / {own(formula.bottom)}"
        case Power():
            return f"{own(formula.base)}^{own(formula.exponent)}"
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
            return f"log2({inside})"
        case Square():
            return f"({inside})²"
        case Root():
            return f"√({inside})"
    return f"({inside})"


def _factor(part: Formula, text: str, *, is_first: bool) -> str:
    if is_first:
        return text
    return f" {text}" if isinstance(part, Log) else f"·{text}"


def _term(sign: int, text: str, *, is_first: bool) -> str:
    if is_first:
        return text if sign > 0 else f"{MINUS}{text}"
    return f" {'+' if sign > 0 else MINUS} {text}"
