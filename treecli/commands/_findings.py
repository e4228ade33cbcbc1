"""Findings of `info DATA` about the values: scores at the root, conflicting rows, suspicious columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treecli.cli import report
from treecli.cli.terminal import note
from treecli.errors import DataError
from treecli.wording import readable

if TYPE_CHECKING:
    from treecli.intake import Intake

Facts = dict[str, Any]

HEADINGS = {
    "threshold": "threshold",
    "gain": "gain",
    "gain_ratio": "gain ratio",
    "gini_decrease": "gini",
    "chi2": "chi2",
    "chi2_df": "df",
    "chi2_p": "p",
    "variance_reduction": "variance reduction",
}


def findings(intake: Intake, weights: str | None) -> Facts:
    """The scores of each attribute, the conflicting rows and the suspects; empty if nothing can be learned from it."""
    from treecli import limits
    from treecli.experiment.rootscores import root_scores
    from treecli.experiment.suspects import conflicts, suspects

    try:
        limits.check(intake.dataset, intake.name, weights)
    except DataError as error:
        note(f"no scores: {error.message}")
        return {}
    scores = root_scores(intake.dataset)
    return {
        "scores": scores,
        "conflicts": conflicts(intake.dataset),
        "suspects": list(suspects(intake.dataset, scores)),
    }


def tables(intake: Intake, found: Facts) -> list[report.Table]:
    """The findings for people."""
    if not found:
        return []
    schema = intake.dataset.schema
    scores: list[Facts] = found["scores"]
    columns = [name for name in HEADINGS if any(own.get(name) is not None for own in scores)]
    rows = [[a.name, *(own[c] for c in columns)] for a, own in zip(schema.attributes, scores, strict=True)]
    made = [
        report.Table(
            "Best split on each attribute at the root",
            ("name", *(HEADINGS[column] for column in columns)),
            rows if columns else [],
            dispensable=("df", "chi2", "gini", "p"),
        )
    ]
    conflict = found["conflicts"]
    if conflict["rows"]:
        floor = conflict["error_floor"]
        least = f"{floor:.2%} of the rows are wrong" if schema.is_classification else f"an RMSE of {readable(floor)}"
        made.append(
            report.Table(
                "Conflicting rows: equal attributes, different targets",
                ("rows", "groups", "least error of any model"),
                [[conflict["rows"], conflict["groups"], least]],
            )
        )
    suspicious = [[own["name"], own["suspicion"], own["reason"]] for own in found["suspects"]]
    made.append(report.Table("Suspicious attributes", ("name", "suspicion", "reason"), suspicious))
    return made
