"""Counts of rules on rows other than those that they were made from."""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

from treecli.data import Dataset
from treecli.outcomes.rows import row_of, total
from treecli.rules.predict import computed, deciding
from treecli.rules.rule import Rule, class_shares
from treecli.rules.rulelist import RuleList

if TYPE_CHECKING:
    from treecli.data import Column, FloatArray
    from treecli.outcomes.rows import Outcomes
    from treecli.rules.predict import LongArray


def recounted(rules: RuleList, dataset: Dataset, jobs: int | None = None) -> RuleList:
    """Return the list with its counts recomputed on the rows; predictions do not change.

    With first match, a row counts for the rule that decides it; with votes, for every rule that matches. Rows with a
    missing or unseen target are ignored.
    """
    import numpy as np

    assert dataset.target is not None
    dataset = dataset.labelled()
    target, weights = np.asarray(dataset.target), dataset.weights
    if rules.votes:
        one_each = [replace(rules, rules=(rule,), votes=False) for rule in rules.rules]
        members = [np.flatnonzero(deciding(single, dataset, jobs) == 0) for single in one_each]
        held = np.zeros(dataset.n_rows, bool)
        for rows in members:
            held[rows] = True
        members.append(np.flatnonzero(~held))
    else:
        rule_of_row = deciding(rules, dataset, jobs)
        order = np.argsort(rule_of_row, kind="stable")
        ends = np.searchsorted(rule_of_row[order], np.arange(len(rules.rules) + 2))
        members = [order[begin:end] for begin, end in pairwise(ends)]
    outcomes = _outcomes(rules.default, target, weights, rules)
    shares = class_shares(outcomes) if rules.schema.is_classification else []
    counted = []
    for rule, rows in zip((*rules.rules, rules.default), members, strict=True):
        own = _outcomes(rule, target[rows], weights[rows], rules)
        if rule.label is None:
            error = None if rule.model is None else _error(rule, dataset, rows)
            counted.append(replace(rule, outcomes=own, covered=own[0], model_error=error))
        else:
            new = replace(rule, outcomes=own, covered=total(own), correct=own[rule.label], prior=shares[rule.label])
            counted.append(replace(new, stated_confidence=None))
    return replace(rules, rules=tuple(counted[:-1]), default=counted[-1], outcomes=outcomes)


def _error(rule: Rule, dataset: Dataset, rows: LongArray) -> float | None:
    """Return the root mean squared error of a rule's formula on some rows; None if they weigh nothing."""
    import numpy as np

    weights, target = dataset.weights[rows], np.asarray(dataset.target)[rows]
    weight = float(weights.sum())
    return sqrt(float(weights @ (target - computed(rule, dataset, rows)) ** 2) / weight) if weight else None


def _outcomes(rule: Rule, target: Column, weights: FloatArray, rules: RuleList) -> Outcomes:
    """Return class weights; or weight, mean and deviance; or, for medians, weight, value and sum of absolute errors."""
    import numpy as np

    if rules.schema.is_classification:
        counts = np.bincount(target.astype(np.int64), weights, minlength=rules.schema.n_outcomes)
        return row_of(counts.tolist())
    weight, value = float(weights.sum()), rule.value
    if not weight:
        return array("d", [0.0, 0.0, 0.0])
    if rule.takes_medians and value is not None:
        return array("d", [weight, value, float(weights @ np.abs(target.astype(np.float64) - value))])
    mean = float(weights @ target / weight)
    return array("d", [weight, mean, float(weights @ (target.astype(np.float64) - mean) ** 2)])
