"""Explain a model's prediction for a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from treecli import models
from treecli.cli import apply, options, report, terminal
from treecli.data import UNSEEN
from treecli.errors import CheckError, DataError, UsageError, did_you_mean
from treecli.wording import number_text, quoted, readable

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.explain.explanation import Explained, RowOf
    from treecli.explain.nearness import Flip
    from treecli.intake import ReadOptions
    from treecli.model import Model

TEXT = "text"
FORMS = {".txt": TEXT, ".json": "json"}


@dataclass(frozen=True, slots=True)
class Goal:
    """The label to reach by a change of values, and the attributes that must not change; the trees of an ensemble to
    explain: one of them, or all and each by itself.
    """

    flip_to: str | None
    fixed: tuple[str, ...]
    number: int | None
    each: bool


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@click.option(
    "--row",
    "rows",
    type=options.Whole(min=1),
    multiple=True,
    required=True,
    metavar="N",
    help="The row to explain; 1 is the first row of data; repeatable.",
)
@click.option(
    "--flip-to", metavar="LABEL", default=None, help="Also find the smallest change of values that gives this label."
)
@click.option(
    "--fixed",
    multiple=True,
    metavar="NAMES",
    help="Attributes that --flip-to must not change, separated by commas; repeatable.",
)
@click.option(
    "--tree", "number", type=options.Whole(min=1), metavar="K", help="Explain tree K of an ensemble alone: its path."
)
@click.option("--each-tree", "each", is_flag=True, help="Also list the vote of each tree of an ensemble.")
@click.option(
    "-f",
    "--format",
    "chosen",
    type=options.OneOf(tuple(FORMS.values())),
    default=TEXT,
    show_default=True,
    help="The format of the explanation.",
)
@options.output("stdout")
@apply.unseen
@options.unlabelled_data
@options.voice
@options.together("goal", Goal)
def command(
    model_path: str,
    data_path: str,
    rows: tuple[int, ...],
    goal: Goal,
    chosen: str,
    output: str | None,
    unseen: str | None,
    reading: ReadOptions,
) -> None:
    """Explain the prediction of MODEL for a row of DATA.

    For a tree: the path of the row, with each test, the row's value, the branch that it takes, and the classes of
    the training cases there. A missing value may send a row down several branches; then the prediction is the average
    of all leaves that it reaches, weighted by their shares of the row. For a rule list: the rule that decides, or all
    rules that vote, and the other rules that hold. For a forest or boosted trees: how the trees vote, and how much the
    splits on each attribute moved the mean probability of the predicted class (or the mean prediction) on the way
    from the roots to the leaves. For boosted rulesets: the vote of each set.

    Then the prediction. Nominal target: the probability of each class, and Wilson's 95 % interval of its share of the
    cases, unless the model has priors. Numeric target: the mean and its 95 % interval by Student's t, or for a tree
    grown with --criterion absolute the median, without an interval. Flags mark missing values, labels that the model
    does not know, and numbers outside the range of the training data, among the attributes that the model tests.

    --flip-to finds the smallest change of values that makes the model predict another label: one that changes the
    fewest attributes and, among those, has the least sum of changes. A change of a number is divided by the
    attribute's range in training; a change of a label counts as 1, of an ordinal label as steps / (labels - 1). If
    no change gives the label, the exit code is 1.

    \b
    treecli explain playtennis.json playtennis.csv --row 3
    treecli explain playtennis.json playtennis.csv --row 14 --flip-to Yes
    treecli explain iris.json iris.csv --row 51 --flip-to Iris-virginica
    treecli explain iris.json iris.csv --row 1 --row 9 -f json | jq '.rows[].path'
    treecli explain forest.json iris.csv --row 51 --each-tree
    """
    chosen = options.form("chosen", chosen, output, FORMS)
    flip_to = goal.flip_to
    if goal.fixed and flip_to is None:
        raise UsageError("--fixed is for --flip-to", "add the label to reach: --flip-to LABEL")
    model, intake = apply.read(model_path, data_path, reading, unseen, needs_target=False)
    model = _chosen_tree(model, goal, model_path)
    label = None if flip_to is None else _label(model, flip_to)
    held = _attributes(model, goal.fixed)
    n_rows = intake.dataset.n_rows
    if max(rows) > n_rows:
        raise DataError(f"{intake.name}: found {n_rows} row{'' if n_rows == 1 else 's'}, expected a row {max(rows)}")
    written = _unknown_labels(intake.dataset, rows, data_path, reading)
    found = list(_explained(model, intake.dataset, rows, written, label, held))
    if chosen == TEXT:
        pieces: Iterable[str] = _text(model, intake.name, found, flip_to, by_tree=goal.each)
    else:
        pieces = report.render("json", [], _facts(model, found, flip_to, by_tree=goal.each))
    terminal.results(pieces, output)
    apply.say_unchecked(model)
    lost = [str(each.number) for each in found if label is not None and each.flip is None]
    if lost:
        which = f"row{'s' if len(lost) > 1 else ''} {', '.join(lost)}"
        what = "the other attributes" if held else "the attributes"
        raise CheckError(f"{intake.name}: {which}: no change of {what} reaches '{flip_to}'")


def _chosen_tree(model: Model, goal: Goal, path: str) -> Model:
    """The model, or the one of its trees that is to be explained."""
    if goal.number is not None:
        if goal.each:
            raise UsageError("--tree and --each-tree exclude each other")
        return apply.member(model, goal.number, path)
    if goal.each and models.as_ensemble(model) is None:
        raise UsageError(
            f"--each-tree: {path} is {models.kind_of(model).TITLE}, not an ensemble of trees", "leave it out"
        )
    return model


class _Found(NamedTuple):
    """A row by its number, the explanation of its prediction, and the change that flips it."""

    number: int
    row: RowOf
    explained: Explained
    flip: Flip | None

    @property
    def actual(self) -> float | str | None:
        """The row's own target value, None if unknown."""
        dataset = self.row.dataset
        if dataset.target is None:
            return None
        value = dataset.target[0].item()
        if dataset.schema.target.is_numeric:
            return None if isnan(value) else float(value)
        return dataset.schema.target.labels[value] if value >= 0 else None


def _explained(
    model: Model,
    dataset: Dataset,
    rows: Sequence[int],
    written: dict[int, dict[int, str]],
    label: int | None,
    held: set[int],
) -> Iterator[_Found]:
    from treecli.explain.explanation import rows_of

    explain = models.explainer(model)
    for number, row in zip(rows, rows_of(model, dataset, rows, written), strict=True):
        flip = None if label is None else models.flip(model, row.dataset, label, held)
        yield _Found(number, row, explain(row), flip)


def _text(model: Model, name: str, found: Sequence[_Found], flip_to: str | None, *, by_tree: bool) -> Iterator[str]:
    from treecli.commands._narration import Narrator

    narrator = Narrator(model, by_tree=by_tree)
    for place, each in enumerate(found):
        actual = each.actual
        truth = "" if actual is None else f" ({_named(model)} is {_value(actual)})"
        yield f"{chr(10) if place else ''}{readable(name)}, row {each.number}{truth}\n\n"
        yield from narrator.text(each.explained)
        if flip_to is not None and each.flip is not None:
            yield "\n"
            yield from narrator.flip_text(flip_to, each.flip, each.row)


def _named(model: Model) -> str:
    return quoted(model.schema.target.name) if model.schema.target.name else "the target"


def _value(value: float | str) -> str:
    return quoted(value) if isinstance(value, str) else number_text(value)


def _facts(model: Model, found: Sequence[_Found], flip_to: str | None, *, by_tree: bool) -> dict[str, Any]:
    from treecli.commands._explanationfacts import facts_of, flip_facts
    from treecli.explain.flags import without_range

    rows = []
    for each in found:
        facts = {"row": each.number, "actual": each.actual} | facts_of(model, each.explained, by_tree=by_tree)
        rows.append(facts if flip_to is None else facts | {"flip": flip_facts(model, flip_to, each.flip)})
    unknown = without_range(model.schema, models.columns_used(model))
    return {"target": model.schema.target.name, "rows": rows, "range_unknown": unknown}


def _label(model: Model, text: str) -> int:
    """The code of the label to reach."""
    from treecli.readers._table import shortened

    target = model.schema.target
    if target.is_numeric:
        raise UsageError(f"--flip-to: the target '{target.name}' is numeric and has no labels", "leave --flip-to out")
    if text not in target.labels:
        raise UsageError(
            f"--flip-to: '{text}' is not a label of '{target.name}' ({shortened(target.labels)})",
            did_you_mean(text, target.labels),
        )
    return target.labels.index(text)


def _attributes(model: Model, texts: Sequence[str]) -> set[int]:
    """The named attributes; names may be separated by commas."""
    from treecli.readers._table import shortened

    index_of = {attribute.name: index for index, attribute in enumerate(model.schema.attributes)}
    held = set()
    for text in texts:
        for name in [text] if text in index_of else text.split(","):
            if name not in index_of:
                raise UsageError(
                    f"--fixed: '{name}' is not an attribute of the model ({shortened(list(index_of))})",
                    did_you_mean(name, index_of),
                )
            held.add(index_of[name])
    return held


def _unknown_labels(
    dataset: Dataset, rows: Sequence[int], data_path: str, reading: ReadOptions
) -> dict[int, dict[int, str]]:
    """The labels of each row that the model does not know, by attribute, as written."""
    from treecli.interchange.echo import echo_rows

    attributes = dataset.schema.attributes
    coded = [index for index, attribute in enumerate(attributes) if not attribute.is_numeric]
    unknown = {number: [index for index in coded if dataset.columns[index][number - 1] == UNSEEN] for number in {*rows}}
    if not any(unknown.values()):
        return {}
    names, cells = echo_rows(data_path, reading)
    place_of = {name: place for place, name in enumerate(names)}
    written = {}
    for number, row in enumerate(islice(cells, max(rows)), start=1):
        if unknown.get(number):
            written[number] = {index: row[place_of[attributes[index].name]] for index in unknown[number]}
    return written
