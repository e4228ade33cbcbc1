"""The report of `info DATA`: the columns, with the findings about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from treecli.cli import report
from treecli.wording import counted, quoted, readable

Facts = dict[str, Any]

MOST_LABELS_LISTED = 5
"""The number of labels that a table lists; JSON has all."""


class DescribedData(NamedTuple):
    """The size of data, and the facts about its columns, the target last."""

    name: str
    n_rows: int
    weight: float
    has_weights: bool
    columns: Sequence[Facts]
    left_out: Sequence[tuple[str, str]]


def write_columns(
    data: DescribedData,
    findings: tuple[Sequence[Facts], Facts, Sequence[report.Table]],
    report_format: str,
    output: str | None,
) -> None:
    """Writes the report on data: its columns, the scores of the attributes, other findings and their tables."""
    scores, found, more = findings
    described = data.columns
    facts: Facts = {
        "rows": data.n_rows,
        "weight": data.weight,
        "attributes": [facts | {"scores": own} for facts, own in zip(described, scores, strict=False)]
        or described[:-1],
        "target": described[-1],
        "left_out": [{"name": name, "reason": reason} for name, reason in data.left_out],
    } | found
    is_for_people = report_format in ("table", "markdown")
    roles = ["attribute"] * (len(described) - 1) + ["target"]
    rows = [_column_row(column, role, is_for_people) for column, role in zip(described, roles, strict=True)]
    names = [name for name in rows[0] if not is_for_people or any(row[name] is not None for row in rows)]
    if not is_for_people and scores:
        names += [f"root_{name}" for name in scores[0]]
        for row, own in zip(rows, [*scores, dict.fromkeys(scores[0])], strict=True):
            row |= {f"root_{name}": score for name, score in own.items()}
    weight = f", weight {readable(data.weight)}" if data.has_weights else ""
    tables = [
        report.Table(
            f"{data.name}: {counted(data.n_rows, 'row')}{weight}, target {quoted(described[-1]['name'])}",
            tuple(names),
            [[row[name] for name in names] for row in rows],
            dispensable=("role", "distinct", "mean", "min", "max", "labels", "missing"),
            lists=("labels",),
        ),
        *more,
        report.Table("Left out", ("name", "reason"), data.left_out),
    ]
    report.write(report_format, [table for table in tables if table.rows], facts, output)


def _column_row(facts: Facts, role: str, is_for_people: bool) -> Facts:
    """The line of a column in a table; None for statistics that its kind does not have."""
    row: Facts = {"name": facts["name"], "role": role, "kind": facts["kind"]}
    row |= {"missing": facts["n_missing"], "distinct": facts["n_distinct"]}
    row |= {statistic: facts.get(statistic) for statistic in ("min", "mean", "max")}
    counts = facts.get("labels")
    return row | {"labels": None if counts is None else _labels_text(counts, is_for_people)}


def _labels_text(counts: dict[str, int], is_for_people: bool) -> str:
    texts = [f"{quoted(label)} {count}" for label, count in counts.items()]
    if is_for_people and len(texts) > MOST_LABELS_LISTED:
        texts[MOST_LABELS_LISTED:] = [f"… {len(texts) - MOST_LABELS_LISTED} more"]
    return ", ".join(texts)
