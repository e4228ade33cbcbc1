"""The clauses of `rules -f prolog` predict what the rules do, in a small Prolog."""

from __future__ import annotations

import numpy as np
import pytest

from tests.example_models import playtennis, regression
from tests.exporters.models import derived, leaf_models, overlapping_formulas, to_one_branch, with_settings
from tests.growing import sample
from tests.rule_formats.smallprolog import Program
from treecli.data import MISSING, UNSEEN, Dataset
from treecli.learn import learn
from treecli.models import predictions, probes
from treecli.recipe import Recipe
from treecli.rule_formats import Page
from treecli.rule_formats.prolog import render
from treecli.rules.rulelist import RuleList, of_tree
from treecli.tree import STAYS

NOTHING = ("call", "na", ("atom", "missing"))


def trained(file: str, *options: str) -> RuleList:
    return of_tree(learn(sample(file), Recipe.parse(list(options))))


RULES = {
    "labels": of_tree(playtennis()),
    "numbers": of_tree(to_one_branch(regression())),
    "derived": of_tree(derived()),
    "derived, one branch": of_tree(to_one_branch(derived())),
    "derived, stays": of_tree(to_one_branch(derived(), STAYS)),
    "derived, unseen majority": of_tree(with_settings(to_one_branch(derived()), unseen="majority")),
    "formulas": of_tree(leaf_models()),
    "formulas, one branch": of_tree(to_one_branch(leaf_models())),
    "formulas, overlapping": overlapping_formulas(),
    "mofn": trained("monks-2.arff", "--splits", "mofn", "--max-depth", "3"),
    "linear": trained("iris.csv", "--splits", "linear"),
    "projection": trained("iris.csv", "--project", "gaussian:2", "--max-depth", "3"),
    "m5p": trained("courses-rating.csv", "--like", "m5p", "--prune", "none"),
}


def arguments(rows: Dataset, row: int) -> list[object]:
    """The values of a row as Prolog terms."""
    found: list[object] = []
    for attribute, column in zip(rows.schema.attributes, rows.columns, strict=True):
        value = column[row].item()
        if attribute.is_numeric:
            found.append(NOTHING if value != value else value)
        else:
            new = {MISSING: NOTHING, UNSEEN: ("atom", "a new label")}
            found.append(new[value] if value < 0 else ("atom", attribute.labels[value]))
    return found


@pytest.mark.parametrize("name", RULES)
def test_clauses_predict_what_the_rules_do(name: str) -> None:
    rules = RULES[name]
    rows = probes(rules)
    rows = rows.take(np.arange(0, rows.n_rows, 1 + rows.n_rows // 200))
    program = Program("".join(render(Page(rules, rules.rules))))
    labels = rules.schema.target.labels
    for row, said in enumerate(predictions(rules, rows).tolist()):
        answer = program.ask("predict", *arguments(rows, row))
        assert answer == (("atom", labels[said]) if labels else said), row
