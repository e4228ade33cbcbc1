"""The report of `info DATA --model MODEL`: how the data differs from the training data."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

from treecli import models
from treecli.cli import apply, report
from treecli.cli.terminal import note
from treecli.errors import UsageError
from treecli.wording import counted, number_text, quoted

if TYPE_CHECKING:
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Model

Facts = dict[str, Any]

SHIFTED = 0.25
"""The population stability index from which shares are usually called shifted."""


def write(model_path: str, data_path: str, reading: ReadOptions, report_format: str, output: str | None) -> None:
    """Writes the report."""
    for option, is_given in {"--ignore": reading.ignore, "--keep": reading.keep, "--type": reading.types}.items():
        if is_given:
            raise UsageError(f"{option}: with --model the model determines the columns", "leave it out")
    model, intake = apply.read(model_path, data_path, reading, None, needs_target=False)
    columns, shifts = _columns(model, intake), _shifts(model, intake)
    facts = {"rows": intake.dataset.n_rows, "attributes": columns, **shifts}
    report.write(report_format, _tables(intake, columns, shifts), facts, output)


def _columns(model: Model, intake: Intake) -> list[Facts]:
    from treecli.experiment.drift import column_drift

    used = set(models.columns_used(model))
    pairs = zip(model.schema.attributes, intake.dataset.columns, strict=True)
    return [column_drift(attribute, column) | {"used": i in used} for i, (attribute, column) in enumerate(pairs)]


def _shifts(model: Model, intake: Intake) -> Facts:
    """The shifts of classes and leaves; None where the model does not store enough."""
    from treecli.experiment import drift
    from treecli.predict.predict import leaves

    tree = models.as_tree(model)
    if tree is None:
        note("the shares of classes and leaves are not compared: a rule list does not store them")
        return {"target": None, "leaves": None}
    return {
        "target": drift.class_drift(tree, intake.dataset),
        "leaves": drift.leaf_drift(tree, intake.dataset, leaves(tree, intake.dataset)),
    }


def _tables(intake: Intake, columns: list[Facts], shifts: Facts) -> list[report.Table]:
    names: tuple[str, ...] = ("name", "kind", "used", "missing", "unseen", "outside", "range", "training range")
    rows = [
        [
            column["name"],
            column["kind"],
            "yes" if column["used"] else "no",
            column["missing"],
            column.get("unseen"),
            column.get("outside"),
            _range(column, ""),
            _range(column, "training_"),
        ]
        for column in columns
    ]
    is_kept = [any(row[place] is not None for row in rows) for place in range(len(names))]
    names = tuple(compress(names, is_kept))
    rows = [list(compress(row, is_kept)) for row in rows]
    title = f"{intake.name}: {counted(intake.dataset.n_rows, 'row')}; shares of missing, unseen and out-of-range values"
    made = [report.Table(title, names, rows, dispensable=("kind", "used", "range", "training range"))]
    found = [("classes" if what == "target" else what, own) for what, own in shifts.items() if own is not None]
    summary = [
        [what, *(own[key] for key in ("psi", "chi2", "chi2_df", "chi2_p")), _verdict(own["psi"])] for what, own in found
    ]
    made.append(report.Table("Shift of shares", ("shares of", "PSI", "chi2", "df", "p", ""), summary))
    if shifts["target"] is not None:
        classes = [[quoted(own["label"]), own["training"], own["data"]] for own in shifts["target"]["classes"]]
        made.append(report.Table("Classes", ("label", "training", "data"), classes))
    return [table for table in made if table.rows]


def _verdict(psi: float) -> str:
    return "shifted" if psi >= SHIFTED else "little shift"


def _range(column: Facts, which: str) -> str | None:
    low, high = column.get(f"{which}min"), column.get(f"{which}max")
    return None if low is None or high is None else f"{number_text(low)} to {number_text(high)}"
