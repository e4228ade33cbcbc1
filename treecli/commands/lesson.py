"""Write a lesson for the browser: a tree grows step by step, with questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from treecli import limits
from treecli.cli import options, terminal
from treecli.cli.learner import OF_ENSEMBLES, recipe_options
from treecli.errors import UsageError
from treecli.files import forms
from treecli.files.guard import STREAM
from treecli.recipe import Recipe

if TYPE_CHECKING:
    from treecli.intake import ReadOptions

SUFFIXES = ("", ".html", ".htm")

USUAL_LANGUAGE = "en"

N_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Wishes:
    """The contents of the page."""

    wanted: str | None
    has_quiz: bool
    language: str
    depth: int | None


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.under(
    options.OUTPUT,
    click.option(
        "--steps",
        "wanted",
        metavar="STEPS",
        help="Only these steps: numbers, ranges and names, as in 1-7,luck. The names are data, impurity, attributes, "
        "choice, growth, nodes, row, rules, luck, pruning and score.",
    ),
    click.option(
        "--quiz/--no-quiz", "has_quiz", default=True, show_default=True, help="Ask questions and count points."
    ),
    click.option(
        "--lang",
        "language",
        type=options.member_of("languages"),
        default=USUAL_LANGUAGE,
        show_default=True,
        help="The language of the page.",
    ),
    click.option(
        "--depth",
        type=options.Whole(min=1),
        metavar="D",
        help="End the tree at this depth; needed if it has more than 31 nodes.",
    ),
)
@recipe_options(without=("competitors", "tune_fold", "tune_fraction", *OF_ENSEMBLES))
@options.output("stdout", has_forms=False)
@options.training_data
@options.voice
@options.together("wishes", Wishes)
def command(data_path: str, wishes: Wishes, recipe: Recipe, output: str | None, reading: ReadOptions) -> None:
    """Write a web page on which a tree grows from DATA step by step: one file, for any browser, without a network.

    Takes the options of 'treecli train'; without --criterion and --like, classes are split by gain. The rows are cards
    that move into branches; beside them stand the tree and the lines of 'treecli trace', below them the candidates. The
    page asks for the best question, for one gain, for picks at nodes, for a prediction and for what to prune, and names
    mistakes. Another pick grows another tree, which can be kept. Steps are left by the arrow keys, by buttons, by
    swipes and by links such as lesson.html#step=7. Data of more than 60 rows are shown as counts.

    \b
    treecli lesson playtennis.csv -o lesson.html
    treecli lesson playtennis.csv --criterion gainratio --lang de -o lesson.html
    treecli lesson iris.csv --like j48 --no-quiz -o iris.html
    treecli lesson courses.csv --steps 1-8,rules,pruning -o short.html
    """
    from treecli.intake import read_training
    from treecli.lesson import page, steps
    from treecli.lesson.story import check_recipe, size, told
    from treecli.teaching.numbers import Digits

    if output is not None and output != STREAM and forms.suffix_of(output) not in SUFFIXES:
        raise UsageError(f"{output}: a lesson is a web page", "end the name in .html")
    if wishes.wanted is not None:
        steps.check(wishes.wanted)
    recipe = check_recipe(_ended(recipe, wishes.depth))
    is_like = recipe.like is not None
    with terminal.waiting(f"Reading {data_path}"):
        intake = read_training(data_path, reading, keep_identifiers=is_like, keep_unlabelled=is_like)
    for notice in (*intake.notices, *intake.remarks):
        terminal.note(notice)
    for warning in intake.warnings:
        terminal.warn(warning)
    limits.check(intake.dataset, intake.name, reading.weights)
    with terminal.waiting("Growing trees"):
        story = told(intake.name, intake.dataset, recipe, Digits(N_DIGITS))
        pieces = list(page.render(story, wishes.language, wishes.wanted, has_quiz=wishes.has_quiz))
    terminal.results(pieces, output, is_safe=True)
    if output not in (None, STREAM):
        terminal.note(f"{size(story.main)}; wrote {output}")


def _ended(recipe: Recipe, depth: int | None) -> Recipe:
    """The recipe whose tree ends at this depth."""
    if depth is None:
        return recipe
    if recipe.settings.stopping.max_depth is not None:
        raise UsageError("--depth and --max-depth exclude each other", "leave one out")
    return replace(recipe, settings=recipe.settings.changed(max_depth=depth))
