"""The JSON and the cells of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treecli.cli import report
from treecli.experiment.comparison import Learner
from treecli.experiment.results import Results
from treecli.experiment.verdicts import Answer, Table
from treecli.statistics.resampled import Chances


def facts(answers: Sequence[Answer], results: Results, learners: Sequence[Learner], table: Table) -> dict[str, Any]:
    """Return the JSON; the rank tests of the first measure, and of further ones apart."""
    names = {learner.name for learner in learners}
    sets = {dataset for dataset, _ in table}
    spec = results.spec
    first, *others = answers
    found = {key: spec[key] for key in ("folds", "repeats", "seed", "folds_like")}
    found |= {
        "learners": [
            {"name": own.name, "options": own.options, "settings": own.recipe.settings.flat()} for own in learners
        ],
        "datasets": [entry for entry in spec["datasets"] if entry["name"] in sets],
        "base": first.question.base,
        "alpha": first.question.alpha,
        "cells": cells(table),
        "per_dataset": [test for answer in answers for test in _on_sets(answer)],
        **_over_sets(first),
    }
    if others:
        found["further_measures"] = [_over_sets(answer) for answer in others]
    found["failed"] = [
        {"dataset": record["dataset"], "learner": record["learner"], "run": record["run"], "error": record["error"]}
        for record in results.records.values()
        if "error" in record and record["dataset"] in sets and record["learner"] in names
    ]
    return found


def cells(table: Table) -> list[dict[str, Any]]:
    """Return the folds of all learners and data sets, one after the other."""
    return [
        {"dataset": dataset, "learner": learner, **cell}
        for (dataset, learner), own in table.items()
        for cell in own or ()
    ]


def cell_table(table: Table) -> report.Table:
    """Return the cells as rows."""
    rows = cells(table)
    columns = tuple(rows[0]) if rows else ("dataset", "learner", "run", "fold")
    return report.Table("", columns, [[row.get(column) for column in columns] for row in rows])


def _on_sets(answer: Answer) -> list[dict[str, Any]]:
    found = []
    for test in answer.on_sets:
        own: dict[str, Any] = {
            "dataset": test.dataset,
            "a": test.a,
            "b": test.b,
            "measure": answer.question.measure,
            "test": test.test,
            "mean_a": test.mean_a,
            "mean_b": test.mean_b,
            "difference": test.difference,
            "sd": test.sd,
            "t": test.t,
            "df": test.df,
            "p": test.p,
            "p_adjusted": test.p_adjusted,
            "verdict": test.verdict,
        }
        found.append(own | _bayes(test.chances, answer.question.rope))
    return found


def _over_sets(answer: Answer) -> dict[str, Any]:
    friedman = answer.friedman
    return {
        "measure": answer.question.measure,
        "means": [
            {"dataset": dataset, "learner": learner, "mean": own and own.mean, "sd": own and own.sd}
            for (dataset, learner), own in answer.means.items()
        ],
        "mean_ranks": answer.ranks,
        "friedman": None
        if friedman is None
        else {
            "chi2": friedman.chi2,
            "chi2_p": friedman.chi2_p,
            "f": friedman.f,
            "df": list(friedman.df),
            "p": friedman.p,
            "n": answer.n_sets,
        },
        "posthoc": answer.question.posthoc,
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "wins": pair.wins,
                "ties": pair.ties,
                "losses": pair.losses,
                "median": pair.median,
                "statistic": pair.statistic,
                "rank_difference": pair.rank_difference,
                "p": pair.p,
                "p_holm": pair.p_holm,
                "significant": pair.is_significant,
            }
            | _bayes(pair.chances, answer.question.rope)
            for pair in answer.pairs
        ],
        "cliques": [list(names) for names in answer.cliques],
        "critical_difference": answer.critical_difference,
        "minimum_p": answer.minimum_p,
        "sets_needed": answer.sets_needed,
        "left_out": list(answer.left_out),
    }


def _bayes(chances: Chances | None, rope: float | None) -> dict[str, Any]:
    if chances is None:
        return {}
    return {"bayes": {"rope": rope, "a_better": chances.better, "equal": chances.equal, "b_better": chances.worse}}
