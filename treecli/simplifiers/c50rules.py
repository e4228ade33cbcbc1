"""Rules that vote, as C5.0 makes them of a tree, from descriptions: no C5.0 was run.

Every node but the root gives a rule. Conditions go whose removal does not raise the Laplace error, or that take more
bits than the rule saves. Then the set of rules is chosen whose votes have the shortest description.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treecli.rules.boxes import Space
from treecli.rules.from_tree import Paths
from treecli.rules.predict import predictions as rule_predictions
from treecli.rules.recount import recounted
from treecli.rules.rule import BY_CONDITION, Rule, wording
from treecli.rules.step import Step
from treecli.simplifiers import Simplified
from treecli.simplifiers._cases import cases_of
from treecli.simplifiers._generalize import tests_of
from treecli.simplifiers._near import Misses, NearCases, merged, step_of, weights_by_code
from treecli.simplifiers._theory import Theory, gain
from treecli.simplifiers._voting import THEORY_SHARE, Election, Voter, start, vote_of
from treecli.tree import predicted_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Dataset, FloatArray
    from treecli.model import TreeModel
    from treecli.rules.rulelist import RuleList
    from treecli.values import Condition

LEAST_CASES = 1.0
"""Nodes that hold less give no rule."""

LEAST_COVERED = 0.99
"""A rule that covers no more is dropped."""

LEAST_LIFT = 0.95
"""A rule must be at least this many times as often right as its label is frequent."""

ROUNDING = 1e-9
"""Errors that differ by less are equal, so that the order of summation does not matter."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A rule: its number, label and tests, the rows that it covers, their weight and that of its errors."""

    number: int
    label: int
    tests: tuple[Condition, ...]
    rows: NDArray[np.int64]
    n: float
    errors: float
    saves: bool
    """Whether it saves more bits than it takes."""

    @property
    def vote(self) -> int:
        return vote_of(self.n, self.errors)


def simplify(model: TreeModel | None, rules: RuleList, dataset: Dataset | None) -> Simplified:
    """Return rules that vote; `dataset` is the training data, and all counts are on it."""
    import numpy as np

    cases = cases_of(rules, dataset, "c50rules")
    target = np.asarray(cases.target, np.int32)
    class_weights = weights_by_code(target, cases.weights, len(rules.schema.target.labels))
    misses, theory = Misses(rules, cases), Theory(cases)
    space = Space(rules.schema, tells_unseen=rules.settings.predicting.unseen == BY_CONDITION)
    steps: list[Step] = []
    kept: dict[object, _Found] = {}
    for number, label, tests in _given(model, rules):
        rule, own_steps = _generalized(number, label, tests, misses, theory, class_weights)
        steps += own_steps
        useless = _why_useless(rule, class_weights)
        if useless is not None:
            steps.append(Step("rule dropped", (number,), result=useless))
            continue
        conditions = merged(rule.tests, rules.schema).values()
        box = space.box(conditions)
        assert box is not None
        key = frozenset(box.items()), label
        same = kept.get(key)
        kept[key] = rule if same is None or rule.vote > same.vote else same
        if same is not None:
            steps.append(Step("merged", (same.number, number), result=wording(conditions, rules.schema)))
    found = list(kept.values())
    voters = [Voter(rule.label, rule.vote, theory.rule_bits(rule.tests), rule.rows) for rule in found]
    election = Election(voters, target, cases.weights, len(class_weights), _errors(model, rules, cases))
    for place in start(voters, target, cases.weights):
        election.toggle(place)
    chosen = {*election.climb()}
    for place, rule in enumerate(found):
        if place not in chosen:
            why = "the cases take no more bits to describe without it"
            steps.append(Step("rule dropped", (rule.number,), result=why))
    steps.append(Step("default chosen", (), result=rules.schema.target.labels[election.default]))
    ordered = sorted((found[place] for place in chosen), key=lambda rule: (rule.label, -rule.vote, rule.number))
    made = tuple(Rule(tuple(merged(rule.tests, rules.schema).values()), label=rule.label) for rule in ordered)
    listed = replace(rules, rules=made, default=Rule((), label=election.default), votes=True)
    return Simplified(recounted(listed, cases), steps)


def _given(model: TreeModel | None, rules: RuleList) -> Iterator[tuple[int, int, list[Condition]]]:
    """Yield the number, label and tests of each rule.

    Of a tree these are all nodes but the root, numbered as in the model, with all tests on the path.
    """
    if model is None:
        for number, rule in enumerate(rules.rules, start=1):
            assert rule.label is not None
            yield number, rule.label, tests_of(rule)
        return
    paths, labels = Paths(model), predicted_codes(model.tree)
    weights = model.tree.weights(is_classification=True)
    for node in range(1, model.tree.n_nodes):
        if weights[node] >= LEAST_CASES:
            yield node, labels[node], paths.to(node)


def _generalized(
    number: int,
    label: int,
    tests: list[Condition],
    misses: Misses,
    theory: Theory,
    class_weights: FloatArray,
) -> tuple[_Found, list[Step]]:
    """Return the rule without the tests that it does not need, and a step for each test dropped.

    The test goes whose removal has the lowest Laplace error (ties: the last), until one is left, or the rule saves more
    bits than it takes and the error would rise.
    """
    import numpy as np

    near = NearCases(misses, label, tests)
    n_class, n_all = float(class_weights[label]), float(class_weights.sum())
    left, steps = list(range(len(tests))), list[Step]()
    while True:
        weights, wrong = near.counts()
        n, errors = float(weights[-1]), float(wrong[-1])
        laplace = np.where(weights > 0, (wrong + 1) / (weights + 2), 0.5)
        bits = theory.tests_bits([tests[test] for test in left])
        saves = gain(n, errors, n_class, n_all) >= THEORY_SHARE * bits - ROUNDING
        best = float(laplace[left].min(initial=np.inf))
        if len(left) <= 1 or (saves and best > float(laplace[-1]) + ROUNDING):
            break
        dropped = max(test for test in left if laplace[test] <= best + ROUNDING)
        left.remove(dropped)
        near.drop(dropped)
        step = step_of(number, tests, left, dropped, misses.rules)
        if step is not None:
            steps.append(replace(step, error_before=float(laplace[-1]), error_after=float(laplace[dropped])))
    return _Found(number, label, tuple(tests[test] for test in left), near.rows, n, errors, saves), steps


def _why_useless(rule: _Found, class_weights: FloatArray) -> str | None:
    """Return why a rule is dropped, or None."""
    if not rule.tests:
        return "it has no condition"
    if rule.n <= LEAST_COVERED:
        return "it covers no case"
    if not rule.saves:
        return "it takes more bits than it saves"
    prior = float(class_weights[rule.label] / class_weights.sum())
    lift = (rule.n - rule.errors + 1) / ((rule.n + 2) * prior) if prior else 0.0
    return None if lift >= LEAST_LIFT else f"its lift {lift:.4g} is below {LEAST_LIFT:g}"


def _errors(model: TreeModel | None, rules: RuleList, cases: Dataset) -> float:
    """Return the weight of the cases that the tree, or the given list, gets wrong."""
    from treecli.predict.predict import predictions

    said = rule_predictions(rules, cases) if model is None else predictions(model, cases)
    return float(cases.weights[said != cases.target].sum())
