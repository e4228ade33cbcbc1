from __future__ import annotations

from dataclasses import replace

import pytest

from tests.example_models import EVERY_KIND, Inner, chain, every_kind, model_of, playtennis, regression, single_leaf
from treecli.data import Attribute, Schema
from treecli.evaluate.importance import importances, importances_with_surrogates
from treecli.model import TreeModel
from treecli.settings import Settings
from treecli.splits import threshold


def by(model: TreeModel, criterion: str) -> list[float]:
    return importances(replace(model, settings=Settings.of(criterion=criterion)))


def test_entropy_is_shared_out_as_worked_out_by_hand() -> None:
    # In bits times cases: all 14 days 14 * 0.940286 = 13.1640; the two days of five 5 * 0.970951 = 4.8548 each, all of
    # which Humidity and Wind take away; what is left, 3.4545, is Outlook's.
    expected = [3.4545 / 13.1640, 0, 4.8548 / 13.1640, 4.8548 / 13.1640]
    assert importances(playtennis()) == pytest.approx(expected, abs=1e-4)
    assert by(playtennis(), "gain") == importances(playtennis())


def test_gini_is_shared_out_as_worked_out_by_hand() -> None:
    # Times cases: all 14 * (1 - (25 + 81) / 196) = 6.428571; three of five 5 * 0.48 = 2.4 each.
    expected = [(6.428571 - 4.8) / 6.428571, 0, 2.4 / 6.428571, 2.4 / 6.428571]
    assert by(playtennis(), "gini") == pytest.approx(expected, abs=1e-6)


def test_errors_are_shared_out_as_worked_out_by_hand() -> None:
    # 5 of 14 are wrong at the root, 2 + 0 + 2 below it, none at the leaves.
    assert by(playtennis(), "error") == pytest.approx([1 / 5, 0, 2 / 5, 2 / 5])


def test_squared_errors_are_shared_out_as_worked_out_by_hand() -> None:
    # Means 12 (2 cases) and 25 (4): about 62 / 3 that is 2 * 75.1111 + 4 * 18.7778 = 225.3333; below, two 20 and two 30
    # about 25 make 100.
    assert importances(regression()) == pytest.approx([225.3333 / 325.3333, 100 / 325.3333], abs=1e-6)


def test_absolute_errors_are_those_of_the_node_less_those_of_its_children() -> None:
    # The deviances that the nodes keep: 351.3333 at the root, 8 and 118 below it, then 0, 18 and 0. Taken as absolute
    # errors, the first split takes away 225.3333 and the second 100.
    assert by(regression(), "absolute") == pytest.approx([225.3333 / 325.3333, 100 / 325.3333], abs=1e-6)


def test_priors_count_as_in_training() -> None:
    # x parts 8 a from 1 a and 1 b, y parts those two. With equal priors an a counts 10 / 9 / 2 and the b 5, so the Gini
    # impurity times weight is 5 at the root, and 2 * (5 / 9) * 5 / (50 / 9) = 1 in its mixed child.
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("z", "nominal", ("a", "b")))
    root = Inner(threshold.Split(0, 0.0), ((8.0, 0.0), Inner(threshold.Split(1, 0.0), ((1.0, 0.0), (0.0, 1.0)))))
    plain = model_of(schema, root)
    # Without priors: 2 * 9 * 1 / 10 = 1.8 at the root, 1 in the child.
    assert by(plain, "gini") == pytest.approx([0.8 / 1.8, 1 / 1.8])
    equal = replace(plain, settings=Settings.of(criterion="gini", priors="equal"))
    assert importances(equal) == pytest.approx([4 / 5, 1 / 5])


@pytest.mark.parametrize("model", [every_kind(), chain(50), regression()])
@pytest.mark.parametrize("criterion", ["gain", "gainratio", "gini", "error", "chi2", "variance", "absolute"])
def test_shares_are_not_negative_and_add_up_to_1(model: TreeModel, criterion: str) -> None:
    if model.schema.is_classification == (criterion in ("variance", "absolute")):
        return
    shares = by(model, criterion)
    assert min(shares) >= 0
    assert sum(shares) == pytest.approx(1)


def test_a_tree_that_asks_nothing_gives_no_attribute_a_share() -> None:
    assert importances(single_leaf()) == [0, 0, 0, 0]
    assert importances(model_of(EVERY_KIND, (1.0, 2.0, 0.0))) == [0, 0, 0, 0]


def test_a_tree_without_surrogates_has_no_shares_with_them() -> None:
    assert importances_with_surrogates(playtennis()) is None
