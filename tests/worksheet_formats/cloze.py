"""A strict reader of Moodle's cloze fields, written from the description in Moodle's documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass

TYPES = {"NUMERICAL", "MULTICHOICE"}
SPECIAL = '}#~/"\\'
_OPENING = re.compile(r"\{(\d+):([A-Z]+):")


@dataclass(frozen=True)
class Answer:
    """An answer with the share of the points that it gives, and its feedback; a number has a tolerance."""

    text: str
    share: int
    feedback: str
    tolerance: float | None = None

    @property
    def number(self) -> float:
        return float(self.text)


@dataclass(frozen=True)
class Field:
    """A blank in a cloze question."""

    weight: int
    kind: str
    answers: tuple[Answer, ...]

    @property
    def right(self) -> Answer:
        [found] = [answer for answer in self.answers if answer.share == 100]
        return found


def fields(text: str) -> list[Field]:
    """Every field of a question's text; raises ValueError for one that Moodle would misread."""
    found = []
    place = text.find("{")
    while place >= 0:
        opening = _OPENING.match(text, place)
        if opening is None:
            raise ValueError(f"a brace begins no field: {text[place : place + 30]}")
        if opening[2] not in TYPES:
            raise ValueError(f"unknown kind {opening[2]}")
        body, end = _until_brace(text, opening.end())
        answers = tuple(_answer(part, opening[2]) for part in _divided(body, "~"))
        found.append(Field(int(opening[1]), opening[2], answers))
        place = text.find("{", end)
    return found


def _until_brace(text: str, start: int) -> tuple[str, int]:
    """What is before the first brace that no backslash escapes, and the place behind it."""
    place = start
    while text[place] != "}":
        if text[place] == "\\":
            if text[place + 1] not in SPECIAL:
                raise ValueError(f"a backslash before {text[place + 1]!r}")
            place += 1
        elif text[place] in '/"':
            raise ValueError(f"{text[place]!r} without a backslash")
        place += 1
    return text[start:place], place + 1


def _divided(text: str, sign: str) -> list[str]:
    """Parts between signs that no backslash escapes."""
    return re.split(rf"(?<!\\)(?:\\\\)*{re.escape(sign)}", text)


def _answer(part: str, kind: str) -> Answer:
    text, *feedback = _divided(part, "#")
    if len(feedback) > 1:
        raise ValueError(f"two feedbacks: {part}")
    share = 0
    if text.startswith("="):
        text, share = text[1:], 100
    else:
        given = re.match(r"%(-?\d+)%", text)
        if given is not None:
            text, share = text[given.end() :], int(given[1])
    said = _plain(feedback[0]) if feedback else ""
    if kind != "NUMERICAL":
        return Answer(_plain(text), share, said)
    number, near = text.split(":")
    if float(near) < 0 or not re.fullmatch(r"-?\d+(\.\d+)?", number):
        raise ValueError(f"no number: {text}")
    return Answer(number, share, said, float(near))


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
