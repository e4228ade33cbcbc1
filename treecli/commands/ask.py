"""Ask for the values that a model needs, and predict."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from treecli import models
from treecli.cli import options, report, terminal
from treecli.errors import CheckError, DataError, UsageError
from treecli.files.guard import STREAM, is_pipe, open_input
from treecli.wording import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from treecli.teaching.answers import Answer
    from treecli.teaching.consulting import Consultation

TEXT = "text"
FORMS = {".txt": TEXT, ".json": "json"}

TRIES = 3
"""After so many answers that cannot be used, the value is unknown."""

SUBTREE, WHY, BACK, QUIT = "?t", "?why", "back", "quit"

AGAIN = "again with changes [c], new case [n], quit [q]?"


class QuitError(Exception):
    """The user ends the interview."""


class BackError(Exception):
    """The user wants to change the answer before."""


@dataclass(frozen=True, slots=True)
class Given:
    """The answers that are given on the command line."""

    answers: str | None
    is_strict: bool


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.option(
    "--answers",
    metavar="ANSWERS",
    help="Do not ask: take NAME=VALUE,NAME=VALUE, or a file with one NAME=VALUE a line; the rest is unknown.",
)
@click.option(
    "--strict", "is_strict", is_flag=True, help="With --answers: exit code 1 and the question if an answer is missing."
)
@click.option(
    "--log",
    "log_path",
    type=options.FILE,
    metavar="FILE",
    help="Append each case with its prediction to this CSV file.",
)
@click.option(
    "-f",
    "--format",
    "form",
    type=options.OneOf(tuple(FORMS.values())),
    default=TEXT,
    show_default=True,
    help="The format of the result.",
)
@options.output("stdout")
@options.voice
@options.together("given", Given)
def command(model_path: str, given: Given, log_path: str | None, form: str, output: str | None) -> None:
    """Ask for the values that MODEL needs, one after the other, and predict.

    A tree asks what the path needs. A rule list asks for the attribute that most rules that can still match need, a
    forest or boosted trees for the one that most trees test next, until no other value can change the prediction.

    An answer is a label (its first letters are enough), a number, a range such as 1.5 - 2, labels with weights such as
    Rain:0.7, Sunny:0.2 (the rest is shared by the others), or ? or nothing for unknown. ?t shows the part of the tree
    that is still open, or the rules that can still match; ?why says what led there; 'back' changes the answer before,
    'quit' ends. Questions go to stderr, the result to stdout.

    \b
    treecli ask playtennis.json
    treecli ask playtennis.json --answers "Outlook=Rain,Wind=?"
    treecli ask iris.json --answers "petalwidth=1.6 - 1.8,petallength=5" -f json
    """
    from treecli.teaching.answers import AnswerError, divided, read_answers
    from treecli.teaching.consultations import consultation_of

    form = options.form("form", form, output, FORMS)
    interview = consultation_of(models.read_model(model_path), model_path)
    if given.answers is None:
        if given.is_strict:
            raise UsageError("--strict: goes with --answers")
        if not sys.stdin.isatty() or model_path == STREAM:
            raise UsageError("nobody can be asked: stdin is not a terminal", "give the answers: --answers NAME=VALUE,…")
        _converse(interview, log_path, form, output)
        return
    try:
        answers = read_answers(_texts(given.answers, divided), interview.schema)
        interview.check(answers)
    except AnswerError as error:
        raise UsageError(f"--answers: {error}", error.hint) from None
    _complete(interview, answers, is_strict=given.is_strict)
    _tell_unused(interview, answers)
    _show(interview, answers, form, output)
    _log(interview, answers, log_path)


def _texts(given: str, divided: Callable[[str], list[str]]) -> list[str]:
    """The answers of --answers: those of a file, one a line, or of the text itself."""
    if not os.path.isfile(given) and not is_pipe(given):
        return divided(given)
    try:
        with open_input(given) as file:
            lines = file.read().decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{given}: cannot be read: {error}") from None
    return [line.strip() for line in lines if line.strip()]


def _complete(interview: Consultation, answers: dict[int, Answer], *, is_strict: bool) -> None:
    """Add to the answers that those which are needed and not given are unknown."""
    from treecli.teaching import telling
    from treecli.teaching.answers import Unknown

    while (needed := interview.needed(answers)) is not None:
        if is_strict:
            raise CheckError(f"an answer is missing: {telling.question(interview.schema, needed)}")
        answers[needed] = Unknown()


def _tell_unused(interview: Consultation, answers: Mapping[int, Answer]) -> None:
    used = interview.used(answers)
    for index in answers:
        if index not in used:
            terminal.note(f"'{interview.schema.attributes[index].name}' was not needed")


def _show(interview: Consultation, answers: Mapping[int, Answer], form: str, output: str | None) -> None:
    if form == TEXT:
        terminal.results((f"{line}\n" for line in interview.lines(answers)), output)
    else:
        report.write(form, [], interview.facts(answers), output)


def _converse(interview: Consultation, log: str | None, form: str, output: str | None) -> None:
    """Asks about one case after the other, until the user quits."""
    old: dict[int, Answer] = {}
    try:
        while True:
            answers = _asked(interview, old)
            _show(interview, answers, form, output)
            _log(interview, answers, log)
            old = dict(answers) if _choice() == "c" else {}
    except QuitError:
        return


def _choice() -> str:
    while True:
        typed = _line(f"{AGAIN} ").strip().casefold()
        if typed in ("q", QUIT, ""):
            raise QuitError
        if typed in ("c", "n"):
            return typed


def _asked(interview: Consultation, old: Mapping[int, Answer]) -> dict[int, Answer]:
    """The answers of one interview; those of the last one are offered in brackets."""
    answers: dict[int, Answer] = {}
    while (needed := interview.needed(answers)) is not None:
        try:
            answers[needed] = _answer(interview, needed, answers, old.get(needed))
        except BackError:
            if answers:
                answers.popitem()
    return answers


def _answer(interview: Consultation, needed: int, answers: Mapping[int, Answer], before: Answer | None) -> Answer:
    """The answer to one question; unknown after several that cannot be used."""
    from treecli.teaching import telling
    from treecli.teaching.answers import AnswerError, Unknown, read_answer

    prompt = telling.question(interview.schema, needed) + ("" if before is None else f" [{before.text}]")
    tries = 0
    while tries < TRIES:
        typed = _line(f"{prompt} ").strip()
        if typed.casefold() == QUIT:
            raise QuitError
        if typed.casefold() == BACK:
            raise BackError
        if typed == SUBTREE:
            _show_rest(interview, answers)
        elif typed == WHY:
            terminal.say(interview.why(answers))
        elif not typed and before is not None:
            return before
        else:
            try:
                answer = read_answer(typed, interview.schema.columns[needed])
                interview.check({**answers, needed: answer})
            except AnswerError as error:
                terminal.say(f"{error}{f'; {error.hint}' if error.hint else ''}")
                tries += 1
            else:
                return answer
    terminal.say("taken as unknown")
    return Unknown()


def _show_rest(interview: Consultation, answers: Mapping[int, Answer]) -> None:
    """Show the part of the tree that is still open, or the rules or trees."""
    from treecli.renderers import View, text

    subtree = interview.subtree(answers)
    if subtree is None:
        for line in interview.rest(answers):
            terminal.say(line)
        return
    model, node = subtree
    for piece in text.render(model, View(node=node)):
        sys.stderr.write(piece)
    sys.stderr.flush()


def _line(prompt: str) -> str:
    """The line that the user types; the end of the input ends the interview."""
    sys.stderr.write(printable(prompt))
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        sys.stderr.write("\n")
        raise QuitError
    return line


def _log(interview: Consultation, answers: Mapping[int, Answer], log: str | None) -> None:
    """Appends a case to a CSV file, which is created with the names of the columns."""
    from treecli.teaching.answers import Unknown
    from treecli.writers._delimited import csv_text

    if log is None:
        return
    columns = (*(attribute.name for attribute in interview.schema.attributes), "prediction")
    unknown = Unknown("")
    row = [answers.get(index, unknown) for index in range(len(interview.schema.attributes))]
    texts = ["" if isinstance(answer, Unknown) else answer.text for answer in row]
    heading, *_, line = "".join(csv_text(columns, [[*texts, interview.prediction(answers)]])).splitlines(True)
    try:
        with open(log, "a+b") as file:
            file.seek(0)
            found = file.readline()
            if found and found.rstrip(b"\r\n") != heading.rstrip("\r\n").encode():
                raise DataError(f"{log}:1: found other columns than {', '.join(columns)}", "name another file")
            file.write((line if found else heading + line).encode())
    except OSError as error:
        raise UsageError(f"{log}: cannot be written: {error.strerror}") from None
