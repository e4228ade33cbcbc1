"""Answers to the questions of a tree: a value, a range, several labels with weights, or unknown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from treecli.errors import did_you_mean
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.data import Attribute, Schema

UNKNOWN_TEXTS = ("", "?")

_RANGE = re.compile(r"(\S+?)\s*(?:-|\.\.|–)\s*(\S+)")

FULL = 1 + 1e-9
"""The largest sum of weights, with the rounding of decimal fractions."""


class AnswerError(Exception):
    """An answer that cannot be used, with a hint if there is one."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Unknown:
    """No answer."""

    text: str = "?"


@dataclass(frozen=True, slots=True)
class Known:
    """A number, or the code of a label."""

    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Between:
    """A number that is equally likely anywhere from `low` to `high`."""

    low: float
    high: float
    text: str


@dataclass(frozen=True, slots=True)
class Weighted:
    """Labels by code, each with its probability."""

    shares: tuple[tuple[int, float], ...]
    text: str


Answer = Unknown | Known | Between | Weighted


def without_unknown(answers: Mapping[int, Answer]) -> dict[int, Answer]:
    """Return the answers that tell something."""
    return {index: answer for index, answer in answers.items() if not isinstance(answer, Unknown)}


def read_answer(text: str, attribute: Attribute) -> Answer:
    """Return the answer that a text gives for an attribute; raise an AnswerError if it gives none."""
    text = text.strip()
    if text in UNKNOWN_TEXTS:
        return Unknown()
    if attribute.is_numeric:
        return _number(text)
    try:
        return _label(text, attribute)
    except AnswerError:
        if ":" not in text:
            raise
        return _weighted(text, attribute)


def _number(text: str) -> Known | Between:
    number = _float(text)
    if number is not None:
        return Known(number, number_text(number))
    ends = _RANGE.fullmatch(text)
    low, high = (None, None) if ends is None else (_float(ends[1]), _float(ends[2]))
    if low is None or high is None:
        raise AnswerError(f"found '{text}', expected a number, a range such as 1.5 - 2, or ?")
    if low > high:
        raise AnswerError(f"found '{text}', but {number_text(low)} is above {number_text(high)}")
    if low == high:
        return Known(low, number_text(low))
    return Between(low, high, f"{number_text(low)} - {number_text(high)}")


def _float(text: str) -> float | None:
    try:
        number = float(text.replace(",", ".", 1))
    except ValueError:
        return None
    return number if isfinite(number) else None


def _label(text: str, attribute: Attribute) -> Known:
    """Return the label of this text: as it is, in another case, or the only one that begins with it."""
    exact = attribute.code_of(text)
    if exact is not None:
        return Known(float(exact), attribute.labels[exact])
    folded = [label.casefold() for label in attribute.labels]
    same = [code for code, label in enumerate(folded) if label == text.casefold()]
    begun = same or [code for code, label in enumerate(folded) if label.startswith(text.casefold())]
    if len(begun) == 1:
        return Known(float(begun[0]), attribute.labels[begun[0]])
    if begun:
        found = ", ".join(quoted(attribute.labels[code]) for code in begun)
        raise AnswerError(f"'{text}' may be any of {found}", "type more of the label")
    raise AnswerError(f"'{text}' is no label of {quoted(attribute.name)}", did_you_mean(text, attribute.labels))


def _weighted(text: str, attribute: Attribute) -> Weighted:
    """Return labels with weights, as in A:0.5, B:0.2; the rest is shared equally by the labels not named."""
    shares: dict[int, float] = {}
    for part in text.split(","):
        label, _, weight = part.rpartition(":")
        share = _float(weight.strip())
        if not label or share is None or not 0 <= share <= 1:
            raise AnswerError(f"found '{part.strip()}', expected LABEL:WEIGHT with a weight from 0 to 1")
        shares[int(_label(label.strip(), attribute).value)] = share
    given = sum(shares.values())
    if given > FULL:
        raise AnswerError(f"the weights in '{text}' add up to {given:g}, expected at most 1")
    others = [code for code in range(len(attribute.labels)) if code not in shares]
    rest = max(1 - given, 0.0)
    if others:
        shares |= dict.fromkeys(others, rest / len(others))
    elif given <= 0:
        raise AnswerError(f"the weights in '{text}' are all 0")
    whole = sum(shares.values())
    kept = tuple((code, share / whole) for code, share in sorted(shares.items()) if share > 0)
    return Weighted(kept, text)


def read_answers(texts: Sequence[str], schema: Schema) -> dict[int, Answer]:
    """Return the answers given as NAME=VALUE, by attribute; raise an AnswerError that names the attribute."""
    by_name = {attribute.name: index for index, attribute in enumerate(schema.attributes)}
    found: dict[int, Answer] = {}
    for text in texts:
        name = max(
            (own for own in by_name if text.startswith(f"{own}=")), key=len, default=text.partition("=")[0].strip()
        )
        if name not in by_name or "=" not in text:
            hint = did_you_mean(name, by_name)
            expected = "expected NAME=VALUE" if "=" not in text else "the model has no such attribute"
            raise AnswerError(f"found '{text}': {expected}", hint)
        index = by_name[name]
        if index in found:
            raise AnswerError(f"'{name}' is answered twice")
        try:
            found[index] = read_answer(text[len(name) + 1 :], schema.attributes[index])
        except AnswerError as error:
            raise AnswerError(f"{name}: {error}", error.hint) from None
    return found


def divided(text: str) -> list[str]:
    """Return the answers of one line, separated by commas; a part without = belongs to the answer before it."""
    parts: list[str] = []
    for part in text.split(","):
        if "=" in part or not parts:
            parts.append(part.strip())
        else:
            parts[-1] += f",{part}"
    return [part for part in parts if part]
