"""Rows in which derived columns have the values that matter: probes of exports, examples of defects."""

from __future__ import annotations

from math import inf, nextafter

import numpy as np
import pytest

from tests.contracts.members.features.literals import Feature as Literals
from tests.contracts.members.features.weighted import Feature as Weighted
from tests.example_models import Inner, grown
from tests.features.test_derived_columns import SCHEMA
from treecli import models
from treecli.model import TreeModel
from treecli.rules.boxes import Space
from treecli.rules.lint import findings
from treecli.rules.rule import Rule
from treecli.rules.rulelist import RuleList, of_tree
from treecli.rules.witness import witness
from treecli.settings import Settings
from treecli.splits import threshold
from treecli.values import Condition, Interval, Labels

SUM, COUNT = 3, 4
DERIVED = SCHEMA.with_features([Weighted(((0.3, 0), (1.7, 1))), Literals(((0, 0.5), (2, (0, 2))))])


@pytest.mark.parametrize("number", [1.0, -3.7, 1e6 + 1 / 3, 1e-9])
@pytest.mark.parametrize("as_rules", [False, True])
def test_probes_lie_on_a_threshold_of_a_derived_column_and_right_beside_it(number: float, as_rules: bool) -> None:
    tree = grown(DERIVED, Inner(threshold.Split(SUM, number), ((3.0, 1.0), (0.0, 5.0))))
    model = TreeModel(DERIVED, Settings(), (), tree)
    probes = models.probes(of_tree(model) if as_rules else model)
    values = probes.column(SUM)
    for wanted in (number, nextafter(number, -inf), nextafter(number, inf)):
        near = np.nanmin(np.abs(values - wanted))
        # One step of an attribute may be larger than one step of the sum.
        assert near <= 4 * abs(nextafter(number, inf) - number)
    assert (values == number).any()
    assert (values < number).any()
    assert (values > number).any()
    assert np.isnan(values).any()
    assert np.isfinite(values[~np.isnan(values)]).all()


def test_an_example_of_a_box_is_a_row_of_it() -> None:
    space = Space(DERIVED, tells_unseen=False)
    box = space.box([Interval(0, high=2.0), Interval(SUM, 4.0, 5.0), Interval(COUNT, 1.5), Labels.of(2, (2, 1))])
    assert box is not None
    row = witness(space, box)
    assert row is not None
    a, b, c = (row[index] for index in range(3))
    assert isinstance(a, float)
    assert isinstance(b, float)
    assert 0.5 < a <= 2
    assert 4 < 0.3 * a + 1.7 * b <= 5
    assert c == 2


def test_a_box_without_any_row_has_no_example() -> None:
    space = Space(DERIVED, tells_unseen=False)
    box = space.box([Interval(0, high=0.0), Interval(1, high=0.0), Interval(SUM, 1.0)])
    assert box is not None
    assert witness(space, box) is None


def rule(label: int, *conditions: Condition) -> Rule:
    return Rule(conditions, label=label)


def found(*rules: Rule) -> list[tuple[str, tuple[int, ...]]]:
    listed = RuleList(DERIVED, Settings(), (), rules, rule(0))
    return [(finding.kind, finding.rules) for finding in findings(listed)]


def test_lint_claims_a_conflict_only_of_a_row_that_can_be() -> None:
    small = Interval(0, high=0.0), Interval(1, high=0.0)
    assert ("conflict", (1, 2)) not in found(rule(0, *small), rule(1, Interval(SUM, 1.0)))
    assert ("undecided", (1, 2)) in found(rule(0, *small), rule(1, Interval(SUM, 1.0)))
    assert ("conflict", (1, 2)) in found(rule(0, *small), rule(1, Interval(SUM, -1.0)))


def test_lint_proves_by_a_derived_column_as_by_an_attribute() -> None:
    # Whatever the attributes are, a row with a sum of at most 1 has one of at most 2.
    assert ("unreachable", (2,)) in found(rule(0, Interval(SUM, high=2.0)), rule(1, Interval(SUM, high=1.0)))
