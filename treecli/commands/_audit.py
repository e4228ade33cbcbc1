"""The output of `rules --audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.cli import report
from treecli.wording import Cell, counted

if TYPE_CHECKING:
    from treecli.rules.audit import Audit, Comparison
    from treecli.rules.step import Step

SHOWN_ROWS = 20
"""The number of disagreements that a table shows."""

SHOWN_RULES = 8
"""The number of rules of one step that a table shows."""

DISAGREEMENT = "disagreement"
STEP_COLUMNS = ("action", "rules", "condition", "result", "error_before", "error_after")
ROW_COLUMNS = ("row", "model_says", "rules_say")


def write(audit: Audit, report_format: str) -> None:
    """Prints the audit as a report; CSV has one line per step and one per disagreement."""
    tables = [_records(audit)] if report_format == "csv" else _tables(audit)
    report.write(report_format, tables, audit.to_json())


def _records(audit: Audit) -> report.Table:
    records: list[list[Cell]] = [[*_step(step), None, None, None] for step in audit.steps]
    if audit.comparison is not None:
        nothing: list[Cell] = [None] * (len(STEP_COLUMNS) - 1)
        for found in audit.comparison.disagreements:
            records.append([DISAGREEMENT, *nothing, found.row, found.model_says, found.rules_say])
    return report.Table("", STEP_COLUMNS + ROW_COLUMNS, records)


def _tables(audit: Audit) -> list[report.Table]:
    summary: list[list[Cell]] = [["rules", *audit.n_rules], ["conditions", *audit.n_conditions]]
    comparison = audit.comparison
    if comparison is not None:
        summary.append(["error", comparison.model_error, comparison.rules_error])
    tables = [report.Table("", ("", "before", "after"), summary)]
    if audit.steps:
        tables.append(report.Table("Steps", STEP_COLUMNS, [_readable(step) for step in audit.steps]))
    if comparison is not None:
        tables.append(_disagreements(comparison))
    return tables


def _step(step: Step) -> list[Cell]:
    rules = " ".join(map(str, step.rules))
    return [step.action, rules, step.condition, step.result, step.error_before, step.error_after]


def _readable(step: Step) -> list[Cell]:
    """A step for a table: with empty cells for missing texts, and only the first of many rules."""
    action, rules, condition, result, before, after = _step(step)
    if len(step.rules) > SHOWN_RULES:
        rules = " ".join(map(str, step.rules[:SHOWN_RULES])) + f" … {len(step.rules) - SHOWN_RULES} more"
    return [action, rules, condition or "", result or "", before, after]


def _disagreements(comparison: Comparison) -> report.Table:
    found = comparison.disagreements
    title = f"The rules and the model disagree on {len(found)} of {counted(comparison.n_rows, 'row')}"
    rows: list[list[Cell]] = [[each.row, each.model_says, each.rules_say] for each in found[:SHOWN_ROWS]]
    if len(found) > SHOWN_ROWS:
        rows.append([f"… {len(found) - SHOWN_ROWS} more", "", ""])
    return report.Table(title, ROW_COLUMNS, rows)
