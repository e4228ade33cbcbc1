"""Names and formulas in LaTeX's mathematics."""

from __future__ import annotations

from collections.abc import Callable

from treecli.draw.latextext import in_latex
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

_SYMBOLS = {"Δ": r"\Delta"}

_SIGNS = str.maketrans(
    {"⇒": r"$\Rightarrow$", "·": r"$\cdot$", "≤": r"$\le$", "−": "$-$", "—": "---", "½": r"$\tfrac12$", "²": "$^2$"}
    | {"√": r"$\surd$", "Σ": r"$\sum$", "π": r"$\pi$", "Γ": r"$\Gamma$"}
)

FURTHER = "\\usepackage[T1]{fontenc}\n\\usepackage{textcomp}\n"
"""For names with signs that the usual fonts lack."""


def text_latex(text: str) -> str:
    """Return text with the signs of formulas, as mathematics."""
    return in_latex(text).translate(_SIGNS)


def needs_further(body: str) -> bool:
    """Whether a document needs FURTHER for its names."""
    return r"\text" in body.replace(r"\textbf", "").replace(r"\text{", "")


def name_latex(name: Name) -> str:
    """Return the left side of a step."""
    symbol = _SYMBOLS.get(name.symbol) or (
        name.symbol if len(name.symbol) == 1 else rf"\mathrm{{{_words(name.symbol)}}}"
    )
    symbol += rf"_{{{words(name.below)}}}" if name.below else ""
    whole = name.whole if len(name.whole) < 2 else words(name.whole)
    whole += rf"_{{{words(name.branch)}}}" if name.branch else ""
    inside = ", ".join(part for part in (whole, words(name.split) if name.split else "") if part)
    inside += rf" \mid {words(name.given)}" if name.given else ""
    return f"{symbol}({inside})" if inside else symbol


def words(text: str) -> str:
    """Return text inside mathematics."""
    return rf"\text{{{in_latex(text)}}}"


def _words(symbol: str) -> str:
    return symbol.replace(" ", r"\ ").replace("-", r"\text{-}")


def step_latex(step: Step, inlined: tuple[Step, ...] = ()) -> str:
    """Return a step as a line of an align environment; `inlined` steps are shown by their formulas, in brackets."""
    if step.formula is None:
        return f"{name_latex(step.name)} &= {number_latex(step.text)}"
    formula = formula_latex(step.formula, step.digits, inlined)
    return f"{name_latex(step.name)} &= {formula} = {number_latex(step.text)}"


def number_latex(text: str) -> str:
    """Return a number with LaTeX's minus sign."""
    return text.replace(MINUS, "-")


def formula_latex(formula: Formula, digits: Digits, inlined: tuple[Step, ...] = ()) -> str:
    """Return a formula."""

    def own(part: Formula) -> str:
        return formula_latex(part, digits, inlined)

    match formula:
        case Result():
            return _result(formula.step, own, inlined)
        case Given():
            return number_latex(digits.text(formula.number))
        case Count():
            return digits.count(formula.number)
        case Share():
            return rf"\tfrac{{{digits.count(formula.number)}}}{{{digits.count(formula.of)}}}"
        case Deviations():
            return rf"\sum(y - {number_latex(digits.text(formula.mean))})^2"
        case AbsoluteDeviations():
            return rf"\sum\lvert y - {number_latex(digits.text(formula.median))}\rvert"
        case Quotient():
            return f"{own(formula.top)} / {own(formula.bottom)}"
        case Power():
            return f"{own(formula.base)}^{{{own(formula.exponent)}}}"
        case Product():
            return "".join(_factor(part, own(part), is_first=not place) for place, part in enumerate(formula.factors))
        case Sum():
            return "".join(
                _term(sign, own(part), is_first=not place) for place, (sign, part) in enumerate(formula.terms)
            )
    return _of_one(formula, own(formula.of))


def _result(step: Step, own: Callable[[Formula], str], inlined: tuple[Step, ...]) -> str:
    if any(step is each for each in inlined) and step.formula is not None:
        return rf"\left[{own(step.formula)}\right]"
    return number_latex(step.text)


def _of_one(formula: Log | Square | Root | Group, inside: str) -> str:
    match formula:
        case Log():
            return rf"\log_2 {inside}"
        case Square():
            return rf"\left({inside}\right)^2"
        case Root():
            return rf"\sqrt{{{inside}}}"
    return rf"\left({inside}\right)"


def _factor(part: Formula, text: str, *, is_first: bool) -> str:
    if is_first or isinstance(part, Log | Group):
        return text
    return rf" \cdot {text}" if isinstance(part, Share | Count) else f"({text})"


def _term(sign: int, text: str, *, is_first: bool) -> str:
    if is_first:
        return text if sign > 0 else f"- {text}"
    return f" {'+' if sign > 0 else '-'} {text}"
