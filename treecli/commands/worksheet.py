"""Make worksheets with keys, and mark the answers."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

import click

from treecli import limits, plugins
from treecli.cli import options, report, terminal
from treecli.errors import UsageError
from treecli.files import guard
from treecli.wording import counted
from treecli.worksheets import tasks
from treecli.worksheets.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treecli.data import Dataset
    from treecli.intake import ReadOptions
    from treecli.worksheets.marking import Marked, Score
    from treecli.worksheets.sheet import Sheet

LATEX = "latex"

MOST_SHEETS = 1000
FEWEST_ROWS, MOST_ROWS = 4, 60


@dataclass(frozen=True, slots=True)
class Work:
    """The tasks of the sheets, and their form."""

    tasks: str
    blanks: str
    form: str

    @property
    def wanted(self) -> Tasks:
        return Tasks(tasks.parsed(self.tasks), self.blanks == tasks.ALL)


@dataclass(frozen=True, slots=True)
class Chance:
    """How random data are made."""

    seed: int
    count: int
    n_rows: int
    n_attributes: int
    theme: str
    is_nice: bool


@dataclass(frozen=True, slots=True)
class Marking:
    """The files to mark, and the form of the report."""

    mark_path: str | None
    key_path: str | None
    report_format: str


RANDOM = ("count", "n_rows", "n_attributes", "theme", "is_nice")
MADE = ("seed", *RANDOM, "tasks", "blanks", "form", "folder")
READING = (
    "target", "ignore", "keep", "types", "weight_column",
    "source_format", "missing_texts", "delimiter", "decimal", "encoding", "no_header",
)  # fmt: skip


@click.command(cls=options.Command)
@click.argument("data_path", metavar="[DATA]", required=False, type=options.FILE)
@options.under(
    options.DATA,
    click.option(
        "--seed",
        type=options.Whole(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="The number of the first sheet, which is also its seed.",
    ),
    click.option(
        "--count",
        type=options.Whole(min=1, max=MOST_SHEETS),
        default=1,
        show_default=True,
        metavar="N",
        help="The number of sheets, all of equal difficulty; each has the next seed.",
    ),
    click.option(
        "--rows",
        "n_rows",
        type=options.Whole(min=FEWEST_ROWS, max=MOST_ROWS),
        default=12,
        show_default=True,
        metavar="N",
        help="Rows of the table.",
    ),
    click.option(
        "--attributes",
        "n_attributes",
        type=options.Whole(min=2),
        default=4,
        show_default=True,
        metavar="N",
        help="Attributes of the table: the first of the theme.",
    ),
    click.option(
        "--theme",
        default="weather",
        show_default=True,
        metavar="weather|FILE.toml",
        help='The names. A file has target = "…", classes = ["…", "…"] and a table [attributes] of lists of labels.',
    ),
    click.option(
        "--nice/--any",
        "is_nice",
        default=True,
        show_default=True,
        help="Data that are nice to compute with by hand (simple fractions, a clear winner, the same tree by gain, "
        "gain ratio and Gini, 2 to 4 inner nodes, mistakes that can be told apart), or any data.",
    ),
)
@options.under(
    options.OUTPUT,
    click.option(
        "--tasks",
        default=",".join(tasks.USUAL),
        show_default=True,
        metavar="LIST",
        help=f"What is asked: {', '.join(tasks.TASKS)}. The tree grows by the first of gain, ratio and gini.",
    ),
    click.option(
        "--blanks",
        type=options.OneOf(tasks.BLANKS),
        default=tasks.RESULTS,
        show_default=True,
        help="Leave blanks for results only, or for branches and remainders, too.",
    ),
    click.option(
        "--to",
        "form",
        type=options.member_of("worksheet_formats"),
        default=LATEX,
        show_default=True,
        help="The form of the sheets.",
    ),
    click.option(
        "-o",
        "--folder",
        type=options.FILE,
        metavar="DIR",
        help="The folder for one file per sheet, key.csv and marking.json; it is made if it does not exist.  "
        "[default: one sheet on stdout]",
    ),
    options.no_clobber,
)
@options.under(
    options.TESTING,
    click.option(
        "--mark",
        "mark_path",
        type=options.FILE,
        metavar="ANSWERS",
        help="Mark the answers in this CSV file: student, sheet, blank, answer.",
    ),
    click.option("--key", "key_path", type=options.FILE, metavar="KEY", help="The key.csv of the sheets."),
)
@options.report_format
@options.training_data
@options.voice
@options.together("work", Work)
@options.together("chance", Chance)
@options.together("marking", Marking)
def command(
    data_path: str | None,
    work: Work,
    chance: Chance,
    marking: Marking,
    folder: str | None,
    reading: ReadOptions,
) -> None:
    """Make worksheets with blanks from DATA, or from random data, and a key; mark the answers.

    A sheet asks for the numbers that 'treecli trace' prints. key.csv has the right answers with their tolerances, which
    accept numbers that were rounded at each step. marking.json, beside it, has the typical mistakes: --mark names them,
    and gives credit for answers that follow from an earlier mistake. A number may have a decimal comma.

    \b
    treecli worksheet playtennis.csv -o sheets
    treecli worksheet --seed 7 --count 30 -o sheets
    treecli worksheet --seed 7 --tasks entropy,gain,root,gini --to markdown
    treecli worksheet --seed 7 --count 30 --to moodle -o quiz
    treecli worksheet --mark answers.csv --key sheets/key.csv
    """
    if marking.mark_path is not None or marking.key_path is not None:
        _mark(data_path, marking)
        return
    if options.is_given(click.get_current_context(), "report_format"):
        raise UsageError("-f: is the form of marked answers", "use --to for the form of a sheet")
    wanted = work.wanted
    if folder is None and chance.count > 1:
        raise UsageError(f"--count {chance.count}: several sheets need a folder", "add -o DIR")
    _refuse("for DATA only", READING, data_path is None)
    _refuse("for random data only", RANDOM, data_path is not None)
    from treecli.worksheets.compose import compose

    if data_path is not None:
        dataset, name = _read(data_path, reading)
        sheets = [compose(dataset, chance.seed, wanted, name)]
    else:
        sheets = _random(chance, wanted)
    writer = plugins.load("worksheet_formats", work.form)
    if folder is None:
        terminal.results(writer.render(sheets[0]))
        return
    _write(folder, sheets, writer.SUFFIX, {sheet.number: "".join(writer.render(sheet)) for sheet in sheets})


def _refuse(why: str, names: Sequence[str], is_refused: bool) -> None:
    """Raises a UsageError for an option that has no effect here."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if is_refused and parameter.name in names and options.is_given(context, parameter.name or ""):
            name = "--nice and --any" if parameter.secondary_opts else parameter.opts[-1]
            raise UsageError(f"{name}: {why}", "leave it out")


def _read(path: str, reading: ReadOptions) -> tuple[Dataset, str]:
    from treecli.intake import read_training

    with terminal.waiting(f"Reading {path}"):
        intake = read_training(path, reading)
    for notice in (*intake.notices, *intake.remarks):
        terminal.note(notice)
    for warning in intake.warnings:
        terminal.warn(warning)
    limits.check(intake.dataset, intake.name, reading.weights)
    return intake.dataset, intake.name


def _random(chance: Chance, wanted: Tasks) -> list[Sheet]:
    """Sheets of random data, all with trees of the same shape if they are nice."""
    from treecli.worksheets import sampling, themes
    from treecli.worksheets.compose import compose

    theme = themes.theme(chance.theme).first(chance.n_attributes, chance.theme)
    capacity = sampling.capacity(theme.n_labels)
    if chance.n_rows > capacity:
        raise UsageError(
            f"--rows {chance.n_rows}: the labels of {chance.n_attributes} attributes make {capacity} different rows",
            "use fewer rows or more attributes",
        )
    seeds = range(chance.seed, chance.seed + chance.count)
    n_labels, n_rows = theme.n_labels, chance.n_rows
    if not chance.is_nice:
        drawn = [sampling.plain(n_labels, n_rows, seed) for seed in seeds]
    else:
        shape = sampling.usual_shape(n_labels, n_rows)
        drawn = []
        with terminal.progress("Drawing") as progress:
            for place, seed in enumerate(seeds, 1):
                drawn.append(sampling.nice(n_labels, n_rows, seed, shape))
                progress(place / chance.count)
    for seed, own in zip(seeds, drawn, strict=True):
        terminal.detail(f"sheet {seed}: {counted(own.n_draws, 'draw')}")
    return [compose(theme.dataset(own), seed, wanted) for seed, own in zip(seeds, drawn, strict=True)]


def _write(folder: str, sheets: Sequence[Sheet], suffix: str, texts: dict[int, str]) -> None:
    """Writes the sheets, their key and their mistakes, all or none."""
    from treecli.files.whole import write_all
    from treecli.worksheets import keys

    files = {os.path.join(folder, f"sheet-{number}{suffix}"): [text.encode()] for number, text in texts.items()}
    files[os.path.join(folder, keys.KEY)] = [piece.encode() for piece in keys.key_text(sheets)]
    files[os.path.join(folder, keys.MARKING)] = [piece.encode() for piece in keys.marking_text(sheets)]
    is_new = _made(folder)
    is_written = False
    try:
        write_all(files)
        is_written = True
    finally:
        if is_new and not is_written:
            with suppress(OSError):
                os.rmdir(folder)
    most = sum(blank.points for blank in sheets[0].blanks())
    each = "" if len(sheets) == 1 else " each"
    terminal.note(f"wrote {counted(len(sheets), 'sheet')} of {counted(most, 'point')}{each}, and the key, to {folder}")


def _made(folder: str) -> bool:
    """Makes a folder; whether it did not exist."""
    if not folder or folder == guard.STREAM:
        raise UsageError(f"-o: found '{folder}', expected the name of a folder")
    try:
        os.mkdir(folder)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise UsageError(f"{folder}: is a file, expected a folder") from None
        return False
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error
    return True


def _mark(data_path: str | None, marking: Marking) -> None:
    """Prints the marked answers."""
    if marking.mark_path is None:
        raise UsageError("--key goes with --mark", "name the file of answers by --mark")
    if marking.key_path is None:
        raise UsageError("--mark needs --key", "name the key.csv of the sheets")
    if data_path is not None:
        raise UsageError(f"--mark: takes no data, found '{data_path}'", "leave it out")
    _refuse("has no effect on marking", (*MADE, *READING), True)
    from treecli.worksheets import keys
    from treecli.worksheets.marking import marked, read_answers, scores

    key, has_mistakes = keys.read_key(marking.key_path)
    if not has_mistakes:
        terminal.note(
            f"{keys.MARKING} is not beside the key: mistakes are not named, and no answer follows from others"
        )
    answers = marked(read_answers(marking.mark_path, key), key)
    _report(answers, scores(answers, key), marking.report_format)


def _report(answers: Sequence[Marked], scores: Sequence[Score], form: str) -> None:
    facts = [asdict(own) for own in answers]
    totals = [asdict(own) for own in scores]
    is_one = len({own.sheet for own in answers}) == 1 and form != "csv"
    names = [field.name for field in fields(answers[0]) if not (is_one and field.name == "sheet")]
    tables = [
        report.Table("", tuple(names), [[fact[name] for name in names] for fact in facts], dispensable=("right",)),
        report.Table("", tuple(totals[0]), [list(total.values()) for total in totals]),
    ]
    report.write(form, tables, {"answers": facts, "students": totals})
