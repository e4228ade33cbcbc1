"""Measure how much a tree changes with its training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treecli.cli import experiment, options, report, terminal
from treecli.cli.learner import OF_ENSEMBLES, OF_NOTES, recipe_options
from treecli.errors import UsageError
from treecli.experiment import samples as sampling
from treecli.experiment.stability import Stability, mean_and_sd, spread, stability
from treecli.files import forms
from treecli.files.guard import STREAM
from treecli.recipe import Recipe
from treecli.wording import Cell, quoted, readable

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.evaluate.folds import Rows
    from treecli.intake import Intake, ReadOptions

GAP = "    "
LABEL_WIDTH = len("agreement")
"""The first column of the lines before the table."""

FEW = 0.01
"""A smaller share of the samples is printed with a decimal."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """How samples are drawn, or the file that has them."""

    n_samples: int
    sampler: str
    share: float
    samples_path: str | None


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.under(
    options.TESTING,
    click.option(
        "--samples",
        "n_samples",
        type=options.Whole(min=1),
        default=100,
        show_default=True,
        metavar="N",
        help="The number of samples.",
    ),
    click.option(
        "--sampler",
        type=options.OneOf(sampling.SAMPLERS),
        default=sampling.BOOTSTRAP,
        show_default=True,
        help="How rows are drawn: as many as there are with replacement, or a share of them without.",
    ),
    click.option(
        "--share",
        type=options.Real(min=0.0, max=1.0, min_open=True, max_open=True),
        default=sampling.USUAL_SHARE,
        show_default=True,
        metavar="F",
        help="(subsample) The share of the rows in a sample.",
    ),
    click.option(
        "--weights-file",
        "samples_path",
        type=options.FILE,
        default=None,
        metavar="FILE",
        help="Use these samples: a CSV file with a line for each row of DATA and a column for each sample, with the "
        "number of times that the sample has the row.",
    ),
)
@recipe_options(without=(*OF_NOTES, *OF_ENSEMBLES))
@options.report_format
@options.output("stdout")
@options.training_data
@options.jobs
@options.voice
@options.together("drawing", Drawing)
def command(
    data_path: str,
    drawing: Drawing,
    recipe: Recipe,
    report_format: str,
    output: str | None,
    reading: ReadOptions,
    jobs: int | None,
) -> None:
    """Measure how stable the tree that `train` grows from DATA is.

    A tree is grown from each of many samples of the rows, with the same options, and compared with the tree of all
    rows. `root` is the share of the samples whose tree asks an attribute first, `selected` the share whose tree uses
    it, `uses` the mean number of splits on it, and `all` the number in the tree of all rows. Thresholds have their
    quartiles over all trees.

    `agreement` is the mean share of the rows that the tree of a sample predicts like the tree of all rows: on all
    rows, and on those that are not in the sample (out of bag). Numeric target: the root mean squared difference of
    the predictions instead. json also has the figures of each sample.

    \b
    treecli stability playtennis.csv --criterion gainratio --samples 1000
    treecli stability iris.csv --like rpart -f json | jq .agreement
    treecli stability iris.csv --like j48 --sampler subsample --share 0.5
    """
    report_format = options.form("report_format", report_format, output, forms.REPORTS)
    _check(drawing.sampler, drawing.samples_path, data_path)
    intake, recipe = experiment.read(data_path, reading, recipe)
    seed = recipe.settings.computing.seed
    if drawing.samples_path is None:
        of_sampler = None if drawing.sampler == sampling.BOOTSTRAP else drawing.share
        samples = sampling.drawn(intake.dataset, drawing.n_samples, seed, of_sampler)
        drawn_by: dict[str, Any] = {"sampler": drawing.sampler, "share": of_sampler, "seed": seed}
    else:
        samples = _given(drawing.samples_path, intake)
        drawn_by = {"sampler": "file", "share": None, "seed": seed}
    with terminal.progress("Samples") as bar:
        found = stability(intake.dataset, recipe, samples, jobs=jobs, on_sample=bar)
    for text in dict.fromkeys(text for shape in (found.whole, *found.samples) for text in shape.warnings):
        terminal.warn(text)
    page = _Page(found, intake.dataset.schema)
    facts = {"samples": len(samples), **drawn_by, **page.facts()} if report_format == "json" else {}
    tables = [page.attributes()] if report_format == "csv" else page.tables()
    report.write(report_format, tables, facts, output)


def _check(sampler: str, samples_path: str | None, data_path: str) -> None:
    """Refuse options that would have no effect."""
    context = click.get_current_context()
    if samples_path is not None:
        for parameter, flag in (("n_samples", "--samples"), ("sampler", "--sampler"), ("share", "--share")):
            if options.is_given(context, parameter):
                raise UsageError(f"{flag} and --weights-file exclude each other", "the file has the samples")
    elif sampler == sampling.BOOTSTRAP and options.is_given(context, "share"):
        raise UsageError("--share is for --sampler subsample", "add --sampler subsample")
    if samples_path == data_path == STREAM:
        raise UsageError("both the data and the samples are '-', but there is only one stdin", "name one of the files")


def _given(path: str, intake: Intake) -> list[Rows]:
    """Return the samples in a file."""
    from treecli.intake import ReadOptions
    from treecli.interchange.echo import echo_rows

    _, rows = echo_rows(path, ReadOptions())
    return sampling.given(path, intake.dataset.n_rows, intake.rows, list(rows))


class _Page:
    """The report on the stability of a tree."""

    def __init__(self, found: Stability, schema: Schema) -> None:
        self.found, self.schema, self.n = found, schema, len(found.samples)
        names = dict.fromkeys([*(attribute.name for attribute in schema.attributes), *found.names])
        self.order = sorted(names, key=lambda name: (-found.roots(name), -found.selected(name), -found.mean_uses(name)))

    def tables(self) -> list[report.Table]:
        notes = (self._sentence(),)
        root: list[list[Cell]] = [["root".ljust(LABEL_WIDTH), self._roots()]]
        others: list[list[Cell]] = [["leaves", self._leaves()], [self._word().ljust(LABEL_WIDTH), self._agreement()]]
        return [
            report.Table("", ("", ""), root, gap=GAP, notes=notes),
            report.Table("", ("", ""), others, gap=GAP),
            self.attributes(),
        ]

    def _roots(self) -> str:
        names: list[tuple[str | None, str]] = [*((name, quoted(name)) for name in self.order), (None, "no split")]
        shares = [(shown, self.found.roots(name) / self.n) for name, shown in names]
        return "  ".join(f"{name} {share:.1%}".replace("%", " %") for name, share in shares if share > 0)

    def _sentence(self) -> str:
        root = self.found.whole.root
        others = 1 - self.found.roots(root) / self.n
        asks = "has no split" if root is None else f"asks {quoted(root)} first"
        if not others:
            return f"the tree of all rows {asks}; so do all samples"
        share = f"{others:.{0 if others >= FEW else 1}%}".replace("%", " %")
        return f"the tree of all rows {asks}; {share} of the samples {'have one' if root is None else 'do not'}"

    def _leaves(self) -> str:
        found = spread([shape.leaves for shape in self.found.samples])
        assert found is not None
        low, median, high = (readable(found[key]) for key in ("min", "median", "max"))
        return f"{self.found.whole.leaves} in the tree of all rows; {low} to {high} in the samples, median {median}"

    def _word(self) -> str:
        return "rms" if self.schema.target.is_numeric else "agreement"

    def _agreement(self) -> str:
        everywhere, outside = (mean for mean, _ in self._agreements())
        with_all = "difference from" if self.schema.target.is_numeric else "with"
        text = f"{readable(everywhere)} {with_all} the tree of all rows"
        return text if outside is None else f"{text}, {readable(outside)} out of bag"

    def _agreements(self) -> list[tuple[float | None, float | None]]:
        shapes = self.found.samples
        return [
            mean_and_sd([shape.agreement for shape in shapes]),
            mean_and_sd([shape.agreement_out_of_bag for shape in shapes]),
        ]

    def attributes(self) -> report.Table:
        columns = ("attribute", "root", "selected", "uses", "all", "threshold q1", "median", "q3")
        rows: list[list[Cell]] = []
        for name in self.order:
            thresholds = self.found.thresholds(name) or {}
            rows.append(
                [
                    name,
                    self.found.roots(name) / self.n,
                    self.found.selected(name),
                    self.found.mean_uses(name),
                    self.found.whole.uses.get(name, 0),
                    *(thresholds.get(key) for key in ("q1", "median", "q3")),
                ]
            )
        if all(row[-1] is None for row in rows):
            return report.Table("", columns[:-3], [row[:-3] for row in rows])
        return report.Table("", columns, rows)

    def facts(self) -> dict[str, Any]:
        found = self.found
        (everywhere, sd), (outside, outside_sd) = self._agreements()
        root = found.whole.root
        agreement = {
            "all_rows": everywhere,
            "all_rows_sd": sd,
            "out_of_bag": outside,
            "out_of_bag_sd": outside_sd,
        }
        key = "rms_difference" if self.schema.target.is_numeric else "agreement"
        leaves = [shape.leaves for shape in found.samples]
        mean, leaves_sd = mean_and_sd(leaves)
        return {
            "root": {name: found.roots(name) for name in self.order if found.roots(name)},
            "no_split": found.roots(None),
            "root_of_all_rows": root,
            "other_root": 1 - found.roots(root) / self.n,
            "attributes": [
                {
                    "attribute": name,
                    "root": found.roots(name) / self.n,
                    "selected": found.selected(name),
                    "uses": found.mean_uses(name),
                    "uses_of_all_rows": found.whole.uses.get(name, 0),
                    "thresholds": found.thresholds(name),
                }
                for name in self.order
            ],
            "leaves": {"of_all_rows": found.whole.leaves, "mean": mean, "sd": leaves_sd, **(spread(leaves) or {})},
            key: agreement,
            "per_sample": [
                {
                    "sample": number,
                    "root": shape.root,
                    "root_threshold": shape.root_threshold,
                    "leaves": shape.leaves,
                    key: shape.agreement,
                    f"{key}_out_of_bag": shape.agreement_out_of_bag,
                }
                for number, shape in enumerate(found.samples, 1)
            ],
        }
