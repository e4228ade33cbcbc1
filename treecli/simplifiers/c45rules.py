"""Fewer and more general rules, as C4.5 makes them of a tree (Quinlan 1993, chapter 5; release 8 of C4.5rules).

Conditions whose removal does not raise a rule's error are dropped; for each class the subset of rules with the
shortest description length is kept; then classes and rules are ordered, and rules that do harm in that order removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.rules.boxes import Space
from treecli.rules.from_tree import Paths
from treecli.rules.recount import recounted
from treecli.rules.rule import BY_CONDITION, Rule, wording
from treecli.rules.step import Step
from treecli.simplifiers import Simplified
from treecli.simplifiers._arrangement import default_label, harmful, in_order
from treecli.simplifiers._cases import cases_of
from treecli.simplifiers._description import Alphabet
from treecli.simplifiers._generalize import Generalized, Generalizer, tests_of
from treecli.simplifiers._near import merged
from treecli.simplifiers._selection import Candidates

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel
    from treecli.rules.rulelist import RuleList
    from treecli.values import Condition

IS_SEEDED = True

WORST = 0.7
"""Rules with a larger estimated error are dropped."""

GENERALIZING = 0.8
"""The share of the work that generalization takes, for progress reports."""


def simplify(
    model: TreeModel | None,
    rules: RuleList,
    dataset: Dataset | None,
    seed: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> Simplified:
    """Return the generalized and selected rules; `dataset` is the training data, and all counts are on it."""
    if rules.votes:
        raise UsageError(
            "c45rules makes rules of which the first that holds decides, and in this list they vote",
            "say 'decide by first match' in the rule file, or leave out --simplify c45rules",
        )
    cases = cases_of(rules, dataset, "c45rules")
    on_progress = on_progress or (lambda share: None)
    generalizer = Generalizer(rules, cases)
    steps: list[Step] = []
    kept: dict[object, Generalized] = {}
    space = Space(rules.schema, tells_unseen=rules.settings.predicting.unseen == BY_CONDITION)
    for number, label, tests in _given(model, rules, min(1.0, float(cases.weights.min())), steps):
        rule, own_steps = generalizer.generalized(number, label, tests)
        steps += own_steps
        on_progress(GENERALIZING * number / len(rules.rules))
        useless = _why_useless(rule, generalizer)
        if useless is not None:
            steps.append(Step("rule dropped", (number,), result=useless))
            continue
        conditions = merged(rule.tests, rules.schema).values()
        box = space.box(conditions)
        assert box is not None
        same = kept.setdefault((frozenset(box.items()), label), rule)
        if same is not rule:
            steps.append(Step("merged", (same.number, number), result=wording(conditions, rules.schema)))
    chosen = _sifted(list(kept.values()), cases, seed, steps, on_progress)
    return Simplified(_listed(chosen, rules, cases, steps), steps)


def _given(
    model: TreeModel | None, rules: RuleList, one_case: float, steps: list[Step]
) -> Iterator[tuple[int, int, list[Condition]]]:
    """Yield the number, label and tests of each rule; for a tree, all tests on the path, not the merged conditions.

    Leaves with less than one case hold only fractions of cases with missing values, and are skipped.
    """
    paths = None if model is None else Paths(model)
    for number, rule in enumerate(rules.rules, start=1):
        assert rule.label is not None
        if paths is None or rule.leaf is None:
            yield number, rule.label, tests_of(rule)
        elif rule.covered is not None and rule.covered < one_case:
            steps.append(Step("rule dropped", (number,), result="its leaf holds less than one case"))
        else:
            yield number, rule.label, paths.to_end_at(rule.leaf)


def _why_useless(rule: Generalized, generalizer: Generalizer) -> str | None:
    """Return why a generalized rule is dropped, or None."""
    if not rule.tests:
        return "no condition is left"
    if not len(rule.rows):
        return "it covers no case"
    default = generalizer.default_error(rule.label)
    if rule.error >= default:
        return f"its estimated error {rule.error:.4g} is not below {default:.4g}, that of saying the same of all cases"
    return f"its estimated error {rule.error:.4g} is above {WORST:g}" if rule.error > WORST else None


def _sifted(
    rules: list[Generalized], cases: Dataset, seed: int, steps: list[Step], on_progress: Callable[[float], None]
) -> list[Generalized]:
    """Return, for each class, the subset of rules with the shortest description length."""
    import numpy as np

    alphabet = Alphabet(cases)
    target = np.asarray(cases.target)
    chosen = []
    n_done = 0
    for label in sorted({rule.label for rule in rules}):
        own = [rule for rule in rules if rule.label == label]
        bits = [alphabet.rule_bits(rule.tests) for rule in own]
        candidates = Candidates([rule.rows for rule in own], bits, cases.weights, target == label)
        best = set(candidates.best(seed))
        for position, rule in enumerate(own):
            if position in best:
                chosen.append(rule)
            else:
                why = f"the cases of '{cases.schema.target.labels[label]}' take fewer bits to describe without it"
                steps.append(Step("rule dropped", (rule.number,), result=why))
        n_done += len(own)
        on_progress(GENERALIZING + (1 - GENERALIZING) * n_done / len(rules))
    return chosen


def _listed(rules: list[Generalized], given: RuleList, cases: Dataset, steps: list[Step]) -> RuleList:
    """Return the ordered list with a default, without harmful rules, and with counts on the cases."""
    import numpy as np

    schema = given.schema
    target = np.asarray(cases.target, np.int32)
    ordered = in_order(rules, target, cases.weights)
    default = default_label(ordered, target, cases.weights, len(schema.target.labels))
    steps.append(
        Step("reordered", tuple(rule.number for rule in ordered), result="classes with fewer false positives first")
    )
    steps.append(Step("default chosen", (), result=schema.target.labels[default]))
    for rule, better, worse in harmful(ordered, default, target, cases.weights):
        ordered.remove(rule)
        why = f"it makes {worse:g} of the cases wrong that would be right without it, and {better:g} right"
        steps.append(Step("rule dropped", (rule.number,), result=why))
    made = [_rule(rule, given) for rule in ordered]
    return recounted(replace(given, rules=tuple(made), default=Rule((), label=default)), cases)


def _rule(rule: Generalized, given: RuleList) -> Rule:
    """Return the rule for the list, without its leaf, which no longer holds the rows that the rule covers."""
    return Rule(tuple(merged(rule.tests, given.schema).values()), label=rule.label)
