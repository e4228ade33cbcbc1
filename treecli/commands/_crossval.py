"""The findings of a cross-validation, as tables, as JSON, and as files of predictions and folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import inf
from statistics import mean
from typing import TYPE_CHECKING, Any

from treecli.cli import report
from treecli.commands import _confusion
from treecli.evaluate.metrics import Classification, of_confusion, wilson_interval
from treecli.experiment import summary
from treecli.files.whole import write_whole
from treecli.records import dataclass
from treecli.wording import NOT_AVAILABLE
from treecli.wording import Cell as Value
from treecli.writers._delimited import csv_text

if TYPE_CHECKING:
    from treecli.evaluate.result import Result
    from treecli.experiment.folds import Folds
    from treecli.experiment.run import Cell
    from treecli.intake import Intake

DECIMALS = 4

WILSON = "wilson"
"""The interval of leave-one-out: a fold of one row has no accuracy of its own to average."""

MOST_FOLDS_SHOWN = 30
"""With more folds, tables for people leave them out; JSON and CSV have all of them."""


@dataclass(frozen=True)
class Findings:
    """The figures of each fold and of each run, those over all folds, and the classes of all folds together."""

    main: str
    """The measure with an interval: accuracy or rmse."""
    overall: dict[str, Any]
    runs: list[dict[str, Any]]
    per_fold: list[dict[str, Any]]
    moments: summary.Mean
    classes: Classification | None

    @classmethod
    def of(cls, cells: Sequence[Cell], seed: int, *, is_loo: bool, with_times: bool) -> Findings:
        """Return the findings of all folds with rows that have a target; `is_loo`: each fold has one row."""
        tested = [cell for cell in cells if cell.result is not None]
        results = [cell.result for cell in tested if cell.result is not None]
        together = summary.pooled(results)
        main = "accuracy" if together.is_classification else "rmse"
        runs = sorted({cell.run for cell in tested})
        per_fold = [_of_fold(cell, with_times=with_times) for cell in tested]
        by_run = {run: [fold for fold in per_fold if fold["run"] == run] for run in runs}
        bounds = (0.0, 1.0) if main == "accuracy" else (0.0, inf)
        moments = summary.mean_of([fold[main] for fold in per_fold], summary.weight_ratio(tested), *bounds)
        overall: dict[str, Any] = {"folds": len(by_run[runs[0]]), **_over(per_fold)}
        interval = moments.interval
        kind: str | None = summary.CORRECTED
        if is_loo:
            is_share = main == "accuracy"
            interval = wilson_interval(overall[main], overall["n"]) if is_share else None
            kind = WILSON if is_share else None
        overall |= {f"{main}_sd": moments.sd, f"{main}_mean": moments.mean, f"{main}_ci95": interval, "interval": kind}
        classes = None
        if together.is_classification:
            classes = of_confusion(together.labels, together.confusion)
            overall["kappa"] = classes.kappa
        overall["repeats"] = len(runs)
        if with_times:
            overall["seconds"] = sum(fold["seconds"] for fold in per_fold)
        of_runs = [
            {"run": run, "seed": seed + run - 1, **_over(own), f"{main}_mean": mean(fold[main] for fold in own)}
            for run, own in by_run.items()
        ]
        return cls(main, overall, of_runs, per_fold, moments, classes)

    def facts(self) -> dict[str, Any]:
        """Return the findings for JSON."""
        facts = {**self.overall, "runs": self.runs}
        if self.classes is not None:
            facts["labels"] = list(self.classes.labels)
            facts["confusion"] = _confusion.listed(self.classes.confusion, self.classes.labels)
            facts["per_class"] = _whole([asdict(each) for each in self.classes.per_class])
        return facts | {"per_fold": self.per_fold}

    def tables(self, report_format: str) -> list[report.Table]:
        """Return the findings as tables; CSV has one row for each figure."""
        if report_format == "csv":
            return [self._long_table()]
        tables = [self._summary() if len(self.runs) == 1 else self._of_runs(report_format)]
        if len(self.runs) == 1 and len(self.per_fold) <= MOST_FOLDS_SHOWN:
            shown = [name for name in self.per_fold[0] if name != "run"]
            tables.append(report.Table("", tuple(shown), [[fold[name] for name in shown] for fold in self.per_fold]))
        if self.classes is None:
            return tables
        confusion = self.classes.labels, self.classes.confusion, self.classes.confusion_other
        tables += _confusion.fitted(*confusion) if report_format == "table" else [_confusion.matrix(*confusion)]
        per_class = [[c.label, c.support, c.precision, c.recall, c.f1] for c in self.classes.per_class]
        return [*tables, report.Table("", ("class", "n", "precision", "recall", "f1"), per_class)]

    def _figures(self) -> Iterator[list[Value]]:
        """Yield the name and the value of each figure over all folds."""
        for name, value in self.overall.items():
            if isinstance(value, tuple):
                yield from ([f"{name}_low", value[0]], [f"{name}_high", value[1]])
            elif name != "interval" and not (name.endswith("_ci95") and value is None):
                yield [name, value]

    def _summary(self) -> report.Table:
        hidden = ("repeats", f"{self.main}_mean")
        return report.Table("", ("measure", "value"), [row for row in self._figures() if row[0] not in hidden])

    def _of_runs(self, report_format: str) -> report.Table:
        """Return the mean of the measure over all folds of all runs, with its interval."""
        low, high = self.moments.interval or (None, None)
        figures = self.moments.mean, self.moments.sd, low, high
        is_text = report_format == "table"
        cells: list[Value] = [_fixed(figure) if is_text else figure for figure in figures]
        means = [run[f"{self.main}_mean"] for run in self.runs]
        kappa = "" if self.classes is None else f"kappa {_fixed(self.classes.kappa)} over all folds, "
        notes = (
            f"{len(self.runs)} runs of {self.overall['folds']} folds; interval corrected for overlapping training sets "
            "(Nadeau, Bengio)",
            f"run means {_fixed(min(means))} to {_fixed(max(means))}",
            f"{kappa}{self.overall['leaves']:.1f} leaves on average",
        )
        columns = ("measure", "mean", "sd", "95 % from", "to")
        table = report.Table("", columns, [[self.main, *cells]], notes=notes)
        return report.at_the_right(table, 1) if is_text else table

    def _long_table(self) -> report.Table:
        """Return one row per figure, per figure of each run and each fold, per figure of a class, and per pair."""
        n_runs, rows = len(self.runs), [[*row, *[None] * 4] for row in self._figures()]
        for run in self.runs if n_runs > 1 else []:
            rows += [[f"run_{name}", value, run["run"], *[None] * 3] for name, value in run.items() if name != "run"]
        for fold in self.per_fold:
            place = [fold["fold"], fold["run"], None, None]
            rows += [[f"fold_{name}", value, *place] for name, value in fold.items() if name not in ("run", "fold")]
        if self.classes is not None:
            for each in self.classes.per_class:
                figures = {"support": each.support, "precision": each.precision, "recall": each.recall, "f1": each.f1}
                rows += [[name, value, None, None, each.label, None] for name, value in figures.items()]
            pairs = _confusion.pairs(self.classes.labels, self.classes.confusion, self.classes.confusion_other)
            rows += [["confusion", n, None, None, actual, predicted] for actual, predicted, n in pairs]
        return report.Table("", ("measure", "value", "fold", "run", "class", "predicted"), rows)


def _fixed(number: float | None) -> str:
    return NOT_AVAILABLE if number is None else f"{number:.{DECIMALS}f}"


def _of_fold(cell: Cell, *, with_times: bool) -> dict[str, Any]:
    """Return the figures of one fold."""
    result = cell.result
    assert result is not None
    facts = {"run": cell.run, "fold": cell.fold, "leaves": result.n_leaves, **_measures(result)}
    return facts | {"seconds": cell.seconds} if with_times else facts


def _measures(result: Result) -> dict[str, Any]:
    if result.is_classification:
        confusion = result.confusion
        return {"n": confusion.n, "errors": confusion.errors, "accuracy": confusion.accuracy()}
    return asdict(result.regression)


def _over(folds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the measures of some folds together."""
    n = sum(fold["n"] for fold in folds)
    together: dict[str, Any] = {"n": n, "leaves": mean(fold["leaves"] for fold in folds)}
    if "accuracy" in folds[0]:
        errors = sum(fold["errors"] for fold in folds)
        return together | {"errors": errors, "accuracy": 1 - errors / n}
    together["mae"] = sum(fold["mae"] * fold["n"] for fold in folds) / n
    return together | {"rmse": (sum(fold["rmse"] ** 2 * fold["n"] for fold in folds) / n) ** 0.5}


def _whole(value: Any) -> Any:
    """Return weights that are whole numbers as integers, in lists and records too."""
    if isinstance(value, dict):
        return {name: _whole(own) if name == "support" else own for name, own in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def write_folds(path: str, folds: Folds, rows: Any) -> None:
    """Write the fold of each row in each run."""
    from treecli.experiment.foldsfile import COLUMNS, lines_of

    write_whole(path, (piece.encode() for piece in csv_text(COLUMNS, lines_of(folds, rows))))


def write_predictions(path: str, cells: Sequence[Cell], intake: Intake) -> None:
    """Write row, run, fold, true value, prediction and class probabilities of every test row, in the order of rows."""
    target = intake.dataset.schema.target
    columns = ["row", "run", "fold", "actual", "prediction", *(f"proba_{label}" for label in target.labels)]
    write_whole(path, (piece.encode() for piece in csv_text(columns, _predicted(cells, intake))))


def _predicted(cells: Sequence[Cell], intake: Intake) -> Iterator[list[Value]]:
    import numpy as np

    labels = intake.dataset.schema.target.labels
    for run in sorted({cell.run for cell in cells}):
        lines: list[tuple[int, list[Value]]] = []
        for cell in cells:
            if cell.run != run or cell.result is None:
                continue
            rows = (cell.rows if intake.rows is None else intake.rows[cell.rows]).tolist()
            values: Any = zip(cell.result.actual.tolist(), cell.result.predicted.tolist(), strict=True)
            if labels:
                values = ((labels[actual], labels[predicted]) for actual, predicted in values)
            probabilities = cell.result.probabilities
            shares = np.empty((len(rows), 0)) if probabilities is None else probabilities
            for row, pair, share in zip(rows, values, shares.tolist(), strict=True):
                lines.append((row, [row + 1, run, cell.fold, *pair, *share]))
        yield from (line for _, line in sorted(lines, key=lambda numbered: numbered[0]))
