"""The measures of a model as tables and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from treecli import measures
from treecli.cli import report
from treecli.commands import _confusion
from treecli.evaluate import metrics
from treecli.wording import Cell

if TYPE_CHECKING:
    from treecli.evaluate.calibration import Calibrated
    from treecli.evaluate.result import Result

FIRST = {True: ("n", "errors", "accuracy", "accuracy_ci95", "kappa"), False: ("n", "mae", "rmse", "r2")}
"""The first measures of a nominal and of a numeric target; scripts rely on their order in CSV."""

BRIEF = {
    True: ("balanced_accuracy", "mcc", "macro_f1", "auc", "brier", "log_loss"),
    False: (),
}
"""The further measures that a table for people has; CSV and JSON have all."""

ON_OCCASION = ("zero_probability_rows", "cost")
"""Measures that a table for people has unless they are 0 or not defined."""

COMPARED = {
    True: (
        "n",
        "errors",
        "accuracy",
        "kappa",
        "balanced_accuracy",
        "mcc",
        "auc",
        "brier",
        "log_loss",
        "cost",
        "leaves",
    ),
    False: ("n", "mae", "rmse", "r2", "leaves"),
}
"""The columns of a table with a line for each model or group."""

DISPENSABLE = ("mcc", "balanced_accuracy", "log_loss", "auc", "errors", "kappa")

MODEL, GROUP = "model", "group"
"""The keys of a record that are no measures."""

MISSING = "(missing)"
"""The group of the rows without a value, for people."""


def scalars(result: Result) -> dict[str, Any]:
    """The measures that are one number each, or an interval: first the familiar ones, then by the alphabet."""
    if not result.is_classification:
        found: dict[str, Any] = asdict(result.regression)
    else:
        confusion = result.confusion
        interval = metrics.wilson_interval(confusion.accuracy(), confusion.n)
        found = {"n": confusion.n, "errors": confusion.errors, "accuracy": confusion.accuracy()}
        found |= {"accuracy_ci95": list(interval), "kappa": confusion.kappa()}
    for name in measures.names_for(result.is_classification):
        found.setdefault(name, measures.value(name, result))
    if result.is_classification:
        found |= _of_probabilities(result)
    for name in ("n", "errors"):
        if name in found:
            found[name] = _whole(found[name])
    return found


def _of_probabilities(result: Result) -> dict[str, Any]:
    """The figures beside the measures that need probabilities; those of two and of more classes have their own keys."""
    found: dict[str, Any] = {"zero_probability_rows": result.zero_probability_rows()}
    if len(result.labels) == 2:
        found["brier_binary"] = measures.value("brier", result)
    found["brier_multiclass_sum"] = measures.value("squared_loss", result)
    if len(result.labels) > 2:
        found["auc_macro"] = measures.value("auc", result)
    return found


def facts(result: Result) -> dict[str, Any]:
    """All measures for JSON; integral weights are integers."""
    found = scalars(result)
    if not result.is_classification:
        return found
    if len(result.labels) > 2:
        found["auc_one_vs_rest"] = dict(zip(result.labels, result.aucs, strict=True))
    classes = metrics.of_confusion(result.labels, result.confusion)
    found["labels"] = list(classes.labels)
    found["confusion"] = _confusion.listed(classes.confusion, classes.labels)
    (found["confusion_other"],) = _confusion.listed([classes.confusion_other], classes.labels)
    found["per_class"] = _whole([asdict(each) for each in classes.per_class])
    return found


def tables(result: Result, report_format: str) -> list[report.Table]:
    """The tables of one model: measures, confusion matrix, classes."""
    found = _flat(scalars(result))
    if not result.is_classification:
        shown = found if report_format == "csv" else _brief(found, is_classification=False)
        return [report.Table("", ("measure", "value"), list(shown.items()))]
    whole = metrics.of_confusion(result.labels, result.confusion)
    if report_format == "csv":
        return [_long_table(found, result, whole)]
    confusion = whole.labels, whole.confusion, whole.confusion_other
    return [
        report.Table("", ("measure", "value"), list(_brief(found, is_classification=True).items())),
        *(_confusion.fitted(*confusion) if report_format == report.TABLE else [_confusion.matrix(*confusion)]),
        report.Table(
            "",
            ("class", "n", "precision", "recall", "f1"),
            [[c.label, c.support, c.precision, c.recall, c.f1] for c in whole.per_class],
        ),
    ]


def lines(records: Sequence[Mapping[str, Any]], titles: Mapping[str, str], *, is_classification: bool) -> report.Table:
    """A table with a line for each record: the entries that have titles, then the measures."""
    given = [name for name in COMPARED[is_classification] if any(record[name] is not None for record in records)]
    rows = [[record[name] for name in (*titles, *given)] for record in records]
    dispensable = tuple(name for name in DISPENSABLE if name in given)
    return report.Table("", (*titles.values(), *given), rows, dispensable=dispensable)


def group_lines(
    groups: Sequence[Mapping[str, Any]], titles: Mapping[str, str], *, is_classification: bool
) -> report.Table:
    """A table with a line for each group of rows."""
    named = [{**group, GROUP: MISSING if group[GROUP] is None else group[GROUP]} for group in groups]
    return lines(named, titles, is_classification=is_classification)


def all_lines(records: Sequence[Mapping[str, Any]], titles: Mapping[str, str]) -> report.Table:
    """The same for CSV: every measure that is one number."""
    flat = [_flat(record) for record in records]
    names = [*titles, *(name for name in flat[0] if name not in titles)]
    columns = tuple(titles.get(name, name) for name in names)
    return report.Table("", columns, [[record[name] for name in names] for record in flat])


def with_groups(table: report.Table, groups: Sequence[Mapping[str, Any]]) -> report.Table:
    """The CSV table of one model with the measures of groups; the last column is the group."""
    rows: list[list[Cell]] = [[*row, None] for row in table.rows]
    blanks = [None] * (len(table.columns) - 2)
    for group in groups:
        own = _flat(group)
        rows += [[name, cell, *blanks, own[GROUP]] for name, cell in own.items() if name not in (GROUP, MODEL)]
    return report.Table("", (*table.columns, GROUP), rows)


def with_leaves(table: report.Table, found: Sequence[Calibrated]) -> report.Table:
    """The CSV table of one model with the calibration of its leaves; the last column is the leaf."""
    rows: list[list[Cell]] = [[*row, None] for row in table.rows]
    blanks = [None] * (len(table.columns) - 2)
    for each in found:
        low, high = each.seen_ci95
        figures = {"n": each.n, "said": each.said, "seen": each.seen, "seen_ci95_low": low, "seen_ci95_high": high}
        rows += [[f"leaf_{name}", value, *blanks, each.place] for name, value in figures.items()]
    return report.Table("", (*table.columns, "leaf"), rows)


def leaf_table(found: Sequence[Calibrated]) -> report.Table:
    """The calibration of the leaves, for people."""
    rows: list[list[Cell]] = [
        [each.place, each.n, each.prediction, each.said, each.seen, *each.seen_ci95, each.verdict] for each in found
    ]
    return report.Table("", ("leaf", "n", "prediction", "said", "seen", "95 % from", "to", ""), rows)


def leaf_facts(found: Sequence[Calibrated]) -> list[dict[str, Any]]:
    """The calibration of the leaves, for JSON."""
    return [
        {
            "leaf": each.place,
            "n": _whole(each.n),
            "prediction": each.prediction,
            "said": each.said,
            "seen": each.seen,
            "seen_ci95": list(each.seen_ci95),
            "verdict": each.verdict or None,
        }
        for each in found
    ]


def _brief(found: Mapping[str, Any], *, is_classification: bool) -> dict[str, Any]:
    """The measures of a table for people."""
    first = FIRST[is_classification]
    names = [name for name in found if name.removesuffix("_low").removesuffix("_high") in first]
    names += BRIEF[is_classification]
    names += [name for name in ON_OCCASION if found.get(name)]
    return {name: found[name] for name in names}


def _flat(found: Mapping[str, Any]) -> dict[str, Any]:
    """The measures with the two ends of an interval apart, without those that are not one number."""
    flat: dict[str, Any] = {}
    for name, value in found.items():
        if isinstance(value, list):
            flat |= {f"{name}_low": value[0], f"{name}_high": value[1]}
        else:
            flat[name] = value
    return flat


def _long_table(found: Mapping[str, Any], result: Result, whole: metrics.Classification) -> report.Table:
    """One row per measure, per measure of a class, and per pair of classes."""
    rows: list[list[Cell]] = [[name, value, None, None] for name, value in found.items()]
    areas = result.aucs if len(result.labels) > 2 else [None] * len(result.labels)
    for each, area in zip(whole.per_class, areas, strict=True):
        figures = {"support": each.support, "precision": each.precision, "recall": each.recall, "f1": each.f1}
        figures |= {"auc_one_vs_rest": area} if len(result.labels) > 2 else {}
        rows += [[name, value, each.label, None] for name, value in figures.items()]
    pairs = _confusion.pairs(whole.labels, whole.confusion, whole.confusion_other)
    rows += [["confusion", n, actual, predicted] for actual, predicted, n in pairs]
    return report.Table("", ("measure", "value", "class", "predicted"), rows)


def _whole(value: Any) -> Any:
    """The value with integral weights as integers, inside lists and records too."""
    if isinstance(value, list | tuple):
        return [_whole(entry) for entry in value]
    if isinstance(value, dict):  # a record of a class: only its support is a weight
        return value | {"support": _whole(value["support"])}
    return int(value) if isinstance(value, float) and value.is_integer() else value
