"""Compare two models."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from treecli import models
from treecli.cli import apply, options, report, terminal
from treecli.difference.structure import Parting, partings
from treecli.errors import UsageError
from treecli.files import forms, guard
from treecli.files.guard import STREAM
from treecli.readers._table import shortened
from treecli.rules.rule import wording
from treecli.wording import Cell, counted, number_text, quoted

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.difference.regions import Comparison, Region
    from treecli.difference.rows import RowDifferences
    from treecli.intake import Intake, ReadOptions

SAME, DIFFERENT = 0, 1
"""Exit codes."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which differences count, and how many regions a table shows."""

    tolerance: float
    structure: bool
    top: int


@click.command(cls=options.Command)
@click.argument("a_path", metavar="A", type=options.FILE)
@click.argument("b_path", metavar="B", type=options.FILE)
@click.argument("data_path", metavar="[DATA]", required=False, type=options.FILE)
@click.option(
    "--tolerance",
    type=options.Real(min=0.0),
    default=0.0,
    show_default=True,
    metavar="X",
    help="Numeric target: predictions that differ by X or less count as equal.",
)
@click.option("--structure", is_flag=True, help="Also compare the tests of the trees, and count their differences.")
@click.option(
    "--top",
    type=options.Whole(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Show only the first N regions in a table; json and csv have all.",
)
@options.report_format
@options.output("stdout")
@options.unweighted_data
@options.jobs
@options.voice
@options.together("question", Question)
def command(
    a_path: str,
    b_path: str,
    data_path: str | None,
    question: Question,
    report_format: str,
    output: str | None,
    reading: ReadOptions,
    jobs: int | None,
) -> int:
    """Compare two models: where do A and B predict differently?

    A and B are trees, rule lists or ensembles with the same target. The regions where they differ are exact: they
    contain every row on which the predictions differ, seen or not, and no other. Each has its share of the space:
    labels count alike, numbers by length within the range of the training data. With DATA, `rows` counts the rows that
    differ in the region, and `right` how many of them A and B predict correctly (numeric target: `closer`).

    Missing values are in a region where the model sends them down one branch. Where they go down several branches, or
    surrogates decide, regions hold for known values, and only the rows of DATA are compared. So they are for models
    with linear splits, projections or formulas and for ensembles, which have no exact regions; the exit code is then
    that of the rows.

    The exit code is 0 if the models predict the same everywhere, and 1 if they do not. After a million pairs of leaves
    the search stops with 1, and the shares are lower bounds.

    \b
    treecli diff old.json new.json
    treecli diff j48.json rpart.json iris.csv
    treecli diff forest.json tree.json iris.csv
    treecli diff tree.json rules.txt -q && echo same
    treecli diff old.json new.json --structure -f json | jq .structure
    """
    from treecli.difference.regions import compared, why_no_regions, without_regions

    report_format = options.form("report_format", report_format, output, forms.REPORTS)
    if [a_path, b_path, data_path].count(STREAM) > 1:
        raise UsageError("two of the files are '-', but there is only one stdin", "name one of the files")
    a, b = models.read_model(a_path), models.read_model(b_path)
    reason = why_no_regions(a) or why_no_regions(b)
    for model in (a, b) if question.structure else ():
        if models.as_ensemble(model) is not None or models.rule_sets(model):
            raise UsageError(
                f"--structure compares trees or rule lists, not {models.kind_of(model).TITLE}", "leave it out"
            )
    is_by_rows = reason is not None and data_path is not None
    comparison = without_regions(a, b, reason or "") if is_by_rows else compared(a, b, question.tolerance)
    intake = None if data_path is None else _read(data_path, reading, comparison)
    rows = None
    if intake is not None:
        from treecli.difference.rows import row_differences

        rows = row_differences(comparison, intake.dataset, question.tolerance, jobs)
    is_structure_used = question.structure or report_format == "json"
    found = _Findings(comparison, rows, intake, list(partings(a, b, question.tolerance)) if is_structure_used else [])
    _say_limits(comparison)
    names = _names(a_path, b_path)
    facts = found.facts(names) if report_format == "json" else {}
    if report_format == "csv":
        tables = [found.long_table()]
    else:
        tables = found.tables(names, question.top, is_plain=report_format == report.TABLE)
        if question.structure and found.partings:
            tables.append(_structure_table(found.partings, names))
        if len(comparison.regions) > question.top and report_format != "json":
            terminal.note(
                f"{len(comparison.regions) - question.top} more regions: --top shows more of them, -f json all"
            )
    report.write(report_format, tables, facts, output)
    is_same = found.is_searched and not found.differ and not (question.structure and found.partings)
    return SAME if is_same else DIFFERENT


def _read(path: str, reading: ReadOptions, comparison: Comparison) -> Intake:
    """Return the rows under the joint schema; labels that a model refuses are errors."""
    from dataclasses import replace

    a, b = comparison.sides
    joint = replace(a.model, schema=a.schema)
    intake = apply.read_data(path, reading, joint, needs_target=reading.target is not None)
    for side in (a, b):
        if side.refuses_unseen:
            models.refuse_unseen(side.model, side.rows(intake.dataset), intake.name)
    return intake


def _names(a_path: str, b_path: str) -> tuple[str, str]:
    """Return short names of the models; their paths if the short ones are equal."""
    paths = [guard.name_of(path) if path != STREAM else "stdin" for path in (a_path, b_path)]
    a, b = (forms.stem_of(path) for path in paths)
    return (a, b) if a != b else (a_path, b_path)


def _say_limits(comparison: Comparison) -> None:
    """Say which values the regions leave out."""
    if comparison.why_no_regions is not None:
        terminal.note(f"{comparison.why_no_regions}: only the rows are compared")
    attributes = comparison.space.schema.attributes
    for places, text in (
        (
            comparison.undetermined,
            "the regions are for known values of {}: fractions or surrogates decide others",
        ),
        (comparison.refused, "the regions leave out labels of {} that one of the models refuses"),
    ):
        if places:
            terminal.note(text.format(shortened([quoted(attributes[place].name) for place in places])))


class _Findings:
    """The regions in order of their share, with their rows."""

    def __init__(
        self,
        comparison: Comparison,
        rows: RowDifferences | None,
        intake: Intake | None,
        partings: list[Parting],
    ) -> None:
        from treecli.difference.regions import share

        self.comparison, self.rows, self.partings = comparison, rows, partings
        self.schema: Schema = comparison.space.schema
        ranges = _ranges(self.schema, intake)
        shares = [share(region.box, comparison.space, ranges) for region in comparison.regions]
        n_rows = [0] * len(shares) if rows is None else [tally.n for tally in rows.by_region]
        self.order = sorted(range(len(shares)), key=lambda i: (-(shares[i] or 0.0), -n_rows[i]))
        self.shares = shares
        known = [share for share in shares if share is not None]
        is_known = len(known) == len(shares) and comparison.why_no_regions is None
        self.space = sum(known) if is_known else None

    @property
    def is_searched(self) -> bool:
        """Whether all regions were found, or all rows were compared instead."""
        return self.comparison.is_complete or self.comparison.why_no_regions is not None

    @property
    def differ(self) -> bool:
        return bool(self.comparison.regions) or (self.rows is not None and self.rows.together.n > 0)

    def headline(self) -> str:
        rows, regions = self.rows, self.comparison.regions
        if self.comparison.why_no_regions is not None and rows is not None:
            if not rows.together.n:
                return f"they predict the same for all {counted(rows.n, 'row')}"
            return f"they differ on {rows.together.n} of {counted(rows.n, 'row')}{self._right()}"
        at_least = "" if self.comparison.is_complete else "at least "
        if regions:
            size = f"in {at_least}{counted(len(regions), 'region')}"
            if self.space is not None:
                size = f"on {at_least}{_percent(self.space)} of the space"
            if rows is None:
                return f"they differ {size}"
            return f"they differ on {rows.together.n} of {counted(rows.n, 'row')}, and {size}"
        equal = "they predict the same for known values"
        if not self.comparison.is_complete:
            equal = "no difference was found before the search was stopped"
        elif not self.comparison.undetermined:
            equal = "they predict the same everywhere"
        if rows is not None and rows.together.n:
            return f"they differ on {rows.together.n} of {counted(rows.n, 'row')}, all with missing values; {equal}"
        return equal if rows is None or equal.endswith("everywhere") else f"{equal}, and for all {rows.n} rows"

    def _right(self) -> str:
        """Return how many of the rows that differ each model predicts correctly, if that is known."""
        together = self.rows.together if self.rows is not None else None
        if together is None or together.a_right is None:
            return ""
        word = "is closer on" if self.schema.target.is_numeric else "is right on"
        return f"; the first {word} {together.a_right} of them, the second on {together.b_right}"

    def tables(self, names: tuple[str, str], top: int, *, is_plain: bool) -> list[report.Table]:
        regions = self.comparison.regions
        columns: tuple[str, ...] = ("", "IF", *names, "share")
        measure = "closer" if self.schema.target.is_numeric else "right"
        columns += () if self.rows is None else ("rows", measure)
        if is_plain and not regions:
            return [report.Table(self.headline(), (), [], gap=report.GAP)]
        shown = self.order[:top]
        percents = [_percent(self.shares[i]) for i in shown]
        width = max(map(len, percents), default=0)
        lines: list[list[Cell]] = []
        for number, (i, percent) in enumerate(zip(shown, percents, strict=True), 1):
            line: list[Cell] = [number, self._text(regions[i]), *self._labels(regions[i]), percent.rjust(width)]
            if self.rows is not None:
                tally = self.rows.by_region[i]
                has_truth = tally.n and tally.a_right is not None
                line += [tally.n, f"{tally.a_right} : {tally.b_right}" if has_truth else ""]
            lines.append(line)
        return [report.Table(self.headline(), columns, lines)]

    def long_table(self) -> report.Table:
        """Return the regions in full precision."""
        columns = ("region", "conditions", "a", "b", "share", "n", "a_right", "b_right")
        lines: list[list[Cell]] = []
        for number, i in enumerate(self.order, 1):
            region = self.comparison.regions[i]
            tally = [None] * 3 if self.rows is None else list(asdict(self.rows.by_region[i]).values())
            lines.append([number, self._text(region), *self._predictions(region), self.shares[i], *tally])
        return report.Table("", columns, lines)

    def facts(self, names: tuple[str, str]) -> dict[str, Any]:
        from treecli.difference.regions import conditions

        regions = []
        for i in self.order:
            region = self.comparison.regions[i]
            held = conditions(region, self.comparison.space)
            said = self._predictions(region)
            regions.append(
                {
                    "conditions": [c.to_json(self.schema.attributes[c.attribute]) for c in held],
                    "text": self._text(region),
                    "a": said[0],
                    "b": said[1],
                    "share": self.shares[i],
                    **(
                        {"n": None, "a_right": None, "b_right": None}
                        if self.rows is None
                        else asdict(self.rows.by_region[i])
                    ),
                    "leaves_a": list(region.leaves_a),
                    "leaves_b": list(region.leaves_b),
                }
            )
        rows = self.rows
        return {
            "a": names[0],
            "b": names[1],
            "differ": self.differ if self.is_searched or self.differ else None,
            "rows": None
            if rows is None
            else {
                "n": rows.n,
                "different": rows.together.n,
                "a_right": rows.together.a_right,
                "b_right": rows.together.b_right,
                "p": rows.p,
                "outside_regions": rows.n_outside,
            },
            "space": self.space,
            "exact": self.comparison.is_complete,
            "known_values_only": [self.schema.attributes[place].name for place in self.comparison.undetermined],
            "regions": regions,
            "structure": [asdict(parting) for parting in self.partings],
        }

    def _text(self, region: Region) -> str:
        from treecli.difference.regions import conditions

        return wording(conditions(region, self.comparison.space), self.schema) or "TRUE"

    def _predictions(self, region: Region) -> list[Cell]:
        labels = self.schema.target.labels
        return [labels[int(said)] if labels else said for said in (region.a, region.b)]

    def _labels(self, region: Region) -> list[Cell]:
        """Return the predictions as text, so that a column of numbers is not aligned at the decimal point."""
        return [
            quoted(said) if isinstance(said, str) else number_text(said or 0.0) for said in self._predictions(region)
        ]


def _ranges(schema: Schema, intake: Intake | None) -> dict[int, tuple[float, float]]:
    """Return the training range of each numeric attribute; that of the data if the models do not store it."""
    import numpy as np

    found = {place: attribute.range for place, attribute in enumerate(schema.attributes) if attribute.range is not None}
    for place, attribute in enumerate(schema.attributes):
        if attribute.is_numeric and place not in found and intake is not None:
            values = intake.dataset.columns[place]
            known = values[np.isfinite(values)]
            if len(known):
                found[place] = (float(known.min()), float(known.max()))
    return found


def _percent(share: float | None) -> str:
    if share is None:
        return "n/a"
    return f"{share:.1%}".replace("%", " %") if not 0 < share < 0.0005 else "< 0.1 %"


def _structure_table(found: list[Parting], names: tuple[str, str]) -> report.Table:
    lines = [[one.where or "everywhere", one.difference, one.a or "", one.b or ""] for one in found]
    return report.Table("structure", ("where", "difference", *names), lines)
