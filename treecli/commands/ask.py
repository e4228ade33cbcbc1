"""Ask for the values that a tree needs, and predict."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from treecli import models
from treecli.cli import options, report, terminal
from treecli.errors import CheckError, DataError, UsageError
from treecli.files.guard import STREAM, open_input
from treecli.wording import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from treecli.teaching.answers import Answer
    from treecli.teaching.interview import Interview, Walk

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
    """Ask for the values that the tree of MODEL needs, one after the other, and predict.

    Only what the path needs is asked. An answer is a label (its first letters are enough), a number, a range such as
    1.5 - 2, labels with weights such as Rain:0.7, Sunny:0.2 (the rest is shared by the others), or ? or nothing for
    unknown. ?t shows the part of the tree that is still open, ?why what led there; 'back' changes the answer before,
    'quit' ends. Questions go to stderr, the result to stdout.

    \b
    treecli ask playtennis.json
    treecli ask playtennis.json --answers "Outlook=Rain,Wind=?"
    treecli ask iris.json --answers "petalwidth=1.6 - 1.8,petallength=5" -f json
    """
    from treecli.teaching.answers import AnswerError, divided, read_answers
    from treecli.teaching.interview import Interview

    form = options.form("form", form, output, FORMS)
    read = models.read_model(model_path)
    tree = models.as_tree(read)
    if tree is None:
        raise UsageError(f"{model_path}: is {models.kind_of(read).TITLE}; only one tree asks", "use 'treecli predict'")
    interview = Interview(tree)
    if given.answers is None:
        if given.is_strict:
            raise UsageError("--strict: goes with --answers")
        if not sys.stdin.isatty() or model_path == STREAM:
            raise UsageError("nobody can be asked: stdin is not a terminal", "give the answers: --answers NAME=VALUE,…")
        _converse(interview, log_path, form, output)
        return
    try:
        answers = read_answers(_texts(given.answers, divided), interview.schema)
    except AnswerError as error:
        raise UsageError(f"--answers: {error}", error.hint) from None
    walk = _completed(interview, answers, is_strict=given.is_strict)
    _tell_unused(interview, walk, answers)
    _show(interview, walk, answers, form, output)
    _log(interview, walk, answers, log_path)


def _texts(given: str, divided: Callable[[str], list[str]]) -> list[str]:
    """The answers of --answers: those of a file, one a line, or of the text itself."""
    if not os.path.isfile(given):
        return divided(given)
    try:
        with open_input(given) as file:
            lines = file.read().decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{given}: cannot be read: {error}") from None
    return [line.strip() for line in lines if line.strip()]


def _completed(interview: Interview, answers: dict[int, Answer], *, is_strict: bool) -> Walk:
    """The walk on which everything that is not answered is unknown."""
    from treecli.teaching import telling
    from treecli.teaching.answers import Unknown

    walk = interview.walk(answers)
    while walk.needed is not None:
        if is_strict:
            raise CheckError(f"an answer is missing: {telling.question(interview, walk.needed)}")
        answers[walk.needed] = Unknown()
        walk = interview.walk(answers)
    return walk


def _tell_unused(interview: Interview, walk: Walk, answers: Mapping[int, Answer]) -> None:
    tree = interview.model.tree
    used = {tree.attribute[own.node] for own in walk.passed}
    used |= {other.split.attribute for own in walk.passed for other in tree.surrogates.get(own.node, ())}
    for index in answers:
        if index not in used:
            terminal.note(f"'{interview.schema.attributes[index].name}' was not needed")


def _show(interview: Interview, walk: Walk, answers: Mapping[int, Answer], form: str, output: str | None) -> None:
    from treecli.teaching import telling

    found = interview.conclusion(walk)
    if form == TEXT:
        terminal.results((f"{line}\n" for line in telling.lines(interview, walk, found)), output)
    else:
        report.write(form, [], telling.facts(interview, walk, found, answers), output)


def _converse(interview: Interview, log: str | None, form: str, output: str | None) -> None:
    """Asks about one case after the other, until the user quits."""
    old: dict[int, Answer] = {}
    try:
        while True:
            answers, walk = _asked(interview, old)
            _show(interview, walk, answers, form, output)
            _log(interview, walk, answers, log)
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


def _asked(interview: Interview, old: Mapping[int, Answer]) -> tuple[dict[int, Answer], Walk]:
    """The answers of one interview; those of the last one are offered in brackets."""
    answers: dict[int, Answer] = {}
    while True:
        walk = interview.walk(answers)
        if walk.needed is None:
            return answers, walk
        try:
            answers[walk.needed] = _answer(interview, walk, old)
        except BackError:
            if answers:
                answers.popitem()


def _answer(interview: Interview, walk: Walk, old: Mapping[int, Answer]) -> Answer:
    """The answer to one question; unknown after several that cannot be used."""
    from treecli.teaching import telling
    from treecli.teaching.answers import AnswerError, Unknown, read_answer

    assert walk.needed is not None
    before = old.get(walk.needed)
    prompt = telling.question(interview, walk.needed) + ("" if before is None else f" [{before.text}]")
    tries = 0
    while tries < TRIES:
        typed = _line(f"{prompt} ").strip()
        if typed.casefold() == QUIT:
            raise QuitError
        if typed.casefold() == BACK:
            raise BackError
        if typed == SUBTREE:
            _show_subtree(interview, walk)
        elif typed == WHY:
            terminal.say(telling.because(interview, walk) or "nothing is known yet")
        elif not typed and before is not None:
            return before
        else:
            try:
                return read_answer(typed, interview.schema.columns[walk.needed])
            except AnswerError as error:
                terminal.say(f"{error}{f'; {error.hint}' if error.hint else ''}")
                tries += 1
    terminal.say("taken as unknown")
    return Unknown()


def _show_subtree(interview: Interview, walk: Walk) -> None:
    from treecli.renderers import View, text

    assert walk.at is not None
    for piece in text.render(interview.model, View(node=walk.at)):
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


def _log(interview: Interview, walk: Walk, answers: Mapping[int, Answer], log: str | None) -> None:
    """Appends a case to a CSV file, which is created with the names of the columns."""
    from treecli.teaching.answers import Unknown
    from treecli.writers._delimited import csv_text

    if log is None:
        return
    columns = (*(attribute.name for attribute in interview.schema.attributes), "prediction")
    unknown = Unknown("")
    row = [answers.get(index, unknown) for index in range(len(interview.schema.attributes))]
    texts = ["" if isinstance(answer, Unknown) else answer.text for answer in row]
    heading, *_, line = "".join(csv_text(columns, [[*texts, interview.conclusion(walk).prediction]])).splitlines(True)
    try:
        with open(log, "a+b") as file:
            file.seek(0)
            found = file.readline()
            if found and found.rstrip(b"\r\n") != heading.rstrip("\r\n").encode():
                raise DataError(f"{log}:1: found other columns than {', '.join(columns)}", "name another file")
            file.write((line if found else heading + line).encode())
    except OSError as error:
        raise UsageError(f"{log}: cannot be written: {error.strerror}") from None
