"""Mark answers: points, the mistake behind a wrong number, and credit for what follows from an earlier mistake."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from treecli.errors import DataError, did_you_mean
from treecli.teaching.mistakes import LEAST_TOLERANCE
from treecli.worksheets.csvfile import Line, number_of, parsed, read_lines
from treecli.worksheets.keys import Entry, Key

COLUMNS = ("student", "sheet", "blank", "answer")

ROUNDING = 1e-9

NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Marked:
    """A marked answer."""

    student: str
    sheet: str
    blank: str
    answer: str
    right: str
    points: float
    note: str


@dataclass(frozen=True, slots=True)
class Score:
    """The points of a student in a sheet, of the most that it gives, and the number of blanks without an answer."""

    student: str
    sheet: str
    points: float
    of: float
    unanswered: int


def read_answers(path: str, key: Key) -> list[Line]:
    """Return the answers; raise a DataError for one that no blank of the key asks for, or that is no number."""
    lines = list(read_lines(path, COLUMNS))
    if not lines:
        raise DataError(f"{path}: found no answers")
    sheets = dict.fromkeys(sheet for sheet, _ in key)
    seen: set[tuple[str, str, str]] = set()
    for line in lines:
        if line["sheet"] not in sheets:
            raise DataError(f"{line.place}: found the sheet '{line['sheet']}', which the key does not have")
        name = line["sheet"], line["blank"]
        if name not in key:
            known = [blank for sheet, blank in key if sheet == line["sheet"]]
            message = f"{line.place}: found the blank '{line['blank']}', which sheet {line['sheet']} does not have"
            raise DataError(message, did_you_mean(line["blank"], known))
        if (line["student"], *name) in seen:
            raise DataError(f"{line.place}: '{line['student']}' has answered '{line['blank']}' already")
        seen.add((line["student"], *name))
        if key[name].is_number and line["answer"]:
            number_of(line, "answer", f"the answer of '{line['blank']}'")
    return lines


def marked(lines: Iterable[Line], key: Key) -> list[Marked]:
    """Return every answer with its points and a note, in the order given."""
    lines = list(lines)
    by_student: dict[tuple[str, str], dict[str, str]] = {}
    for line in lines:
        by_student.setdefault((line["student"], line["sheet"]), {})[line["blank"]] = line["answer"]
    found = []
    for line in lines:
        own = by_student[line["student"], line["sheet"]]
        entry = key[line["sheet"], line["blank"]]
        points, note = _judged(line["answer"], entry, own, line["sheet"], key)
        found.append(Marked(line["student"], line["sheet"], line["blank"], line["answer"], entry.answer, points, note))
    return found


def scores(answers: Iterable[Marked], key: Key) -> list[Score]:
    """Return the points of every student in every sheet, in the order in which they occur."""
    most: dict[str, float] = {}
    n_blanks: dict[str, int] = {}
    for (sheet, _), entry in key.items():
        most[sheet] = most.get(sheet, 0) + entry.points
        n_blanks[sheet] = n_blanks.get(sheet, 0) + 1
    points: dict[tuple[str, str], float] = {}
    n_answered: dict[tuple[str, str], int] = {}
    for own in answers:
        who = own.student, own.sheet
        points[who] = points.get(who, 0) + own.points
        n_answered[who] = n_answered.get(who, 0) + (own.answer != "")
    return [
        Score(student, sheet, total, most[sheet], n_blanks[sheet] - n_answered[student, sheet])
        for (student, sheet), total in points.items()
    ]


def _judged(answer: str, entry: Entry, own: dict[str, str], sheet: str, key: Key) -> tuple[float, str]:
    """The points of an answer, and why it has not all."""
    if not answer:
        return 0, NO_ANSWER
    if _is_right(answer, entry):
        return entry.points, ""
    earlier = _from_earlier(answer, entry, own, sheet, key)
    if earlier:
        return entry.points, f"follows from {earlier}"
    if not entry.is_number:
        is_choice = not entry.choices or _folded(answer) in map(_folded, entry.choices)
        return 0, "" if is_choice else f"not one of {', '.join(entry.choices)}"
    number = parsed(answer)
    assert number is not None
    notes = [note for wrong, note in entry.mistakes if abs(number - wrong) <= LEAST_TOLERANCE + ROUNDING]
    return 0, ", or ".join(dict.fromkeys(notes))


def _is_right(answer: str, entry: Entry) -> bool:
    if entry.low is None or entry.high is None:
        return _folded(answer) == _folded(entry.answer)
    number = parsed(answer)
    return number is not None and entry.low - ROUNDING <= number <= entry.high + ROUNDING


def _from_earlier(answer: str, entry: Entry, own: dict[str, str], sheet: str, key: Key) -> str:
    """The wrong earlier answers from which this one follows; empty if it does not follow."""
    if entry.follows is None:
        return ""
    wrong = [blank for blank in entry.follows.blanks if not _is_right(own.get(blank, ""), key[sheet, blank])]
    numbers = {blank: parsed(own.get(blank, "")) for blank in entry.follows.blanks}
    known = {blank: number for blank, number in numbers.items() if number is not None}
    if not wrong or len(known) < len(numbers):
        return ""
    value = entry.follows.value(known)
    if isinstance(value, str):
        return _said(wrong) if _folded(answer) == _folded(value) else ""
    number = parsed(answer)
    if value is None or number is None or entry.low is None or entry.high is None:
        return ""
    # As far off as the right answer may be, and as far as the rounding of the earlier answer.
    allowed = (entry.high - entry.low) / 2 + ROUNDING
    return _said(wrong) if abs(number - value) <= allowed else ""


def _said(wrong: list[str]) -> str:
    return f"the own {', '.join(wrong)}"


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
