"""Priors and costs: what cases of each class count, in impurities, in labels and in probabilities."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from tests.datasets import dataset_of
from tests.growing import model_from, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions
from treecli.priors import _summed_costs, _summed_costs_of_many, altered_scale, check, class_scale, expected_costs
from treecli.settings import Settings
from treecli.tree import predicted_codes, risks

SCHEMA = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("common", "rare")))

ROWS = [(1.0, "common")] * 6 + [(1.0, "rare")] + [(2.0, "common")] * 2 + [(2.0, "rare")]
"""Of x = 1 one in 7 is rare, of x = 2 one in 3."""


def grown(**settings: Any) -> tuple[Dataset, TreeModel]:
    dataset = dataset_of(SCHEMA, ROWS)
    return dataset, model_from(dataset, Settings.of(criterion="gini", **settings))


def test_a_class_counts_its_prior_in_units_of_its_share() -> None:
    # 30 of 40 cases: share 3/4; 0.5 / 0.75 = 2/3, 0.5 / 0.25 = 2.
    assert class_scale("equal", ("a", "b"), (30, 10)) == pytest.approx([2 / 3, 2])
    assert class_scale({"a": 0.9, "b": 0.1}, ("a", "b"), (30, 10)) == pytest.approx([1.2, 0.4])
    assert class_scale(None, ("a", "b"), (30, 10)) == [1, 1]


def test_a_class_without_cases_does_not_matter() -> None:
    assert class_scale("equal", ("a", "b", "c"), (30, 10, 0))[2] == 1
    assert altered_scale("equal", None, ("a", "b", "c"), (30, 10, 0))[2] == 1


def test_costs_alter_the_priors_by_the_sum_of_their_row() -> None:
    # Priors (1/2, 1/2), costs of mistaking a 2, of mistaking b 1: altered priors (2/3, 1/3), here over shares of 1/2.
    assert altered_scale(None, ((0, 2), (1, 0)), ("a", "b"), (10, 10)) == pytest.approx([4 / 3, 2 / 3])
    # Three classes: rows add up to 3, 1 and 2, and (3 + 1 + 2) / 3 = 2.
    costs = ((0, 1, 2), (0.5, 0, 0.5), (2, 0, 0))
    assert altered_scale(None, costs, ("a", "b", "c"), (5, 5, 5)) == pytest.approx([1.5, 0.5, 1])


def test_without_priors_and_costs_every_case_counts_one() -> None:
    assert altered_scale(None, None, ("a", "b", "c"), (3, 5, 7)) == pytest.approx([1, 1, 1])


def test_the_expected_cost_of_a_label_is_that_of_all_cases_with_another() -> None:
    assert expected_costs((3, 5), (), None) == [5, 3]
    assert expected_costs((3, 5), (2.0, 0.5), None) == [2.5, 6]
    assert expected_costs((3, 5), (), ((0, 4), (1, 0))) == [5, 12]


@pytest.mark.parametrize(
    ("priors", "costs", "message"),
    [
        ("even", None, "priors: unknown 'even' (known: equal, or a share for each label)"),
        ({"common": 0.5, "rar": 0.5}, None, "priors: 'rar' is not a label of the target"),
        ({"common": 1.0}, None, "priors: none for 'rare'"),
        ({"common": 0.5, "rare": 0.4}, None, "priors: they sum to 0.9, expected 1"),
        ({"common": -0.5, "rare": 1.5}, None, "priors: -0.5 for 'common', expected a number from 0 to 1"),
        (None, ((0, 1),), "costs: expected 2 rows and as many columns, one for each label of the target"),
        (None, ((0, 1), (1, 2)), "costs: the row of 'rare' is 1, 2"),
        (None, ((0, -1), (1, 0)), "costs: the row of 'common' is 0, -1"),
        (None, ((0, 0), (1, 0)), "costs: the row of 'common' is 0, 0"),
    ],
)
def test_invalid_priors_and_costs_are_refused(priors: Any, costs: Any, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        check(priors, costs, ("common", "rare"))
    assert refused.value.message == message


def test_priors_of_a_numeric_target_are_refused() -> None:
    with pytest.raises(UsageError, match="the target is numeric"):
        check("equal", None, ())


@pytest.mark.parametrize(
    ("settings", "label"),
    [
        ({}, "common"),
        # Half of all cases are taken to be rare: at x = 2 common weighs 2 · 0.5 / 0.8 = 1.25, rare 1 · 0.5 / 0.2 = 2.5.
        ({"priors": "equal"}, "rare"),
        # To call the rare one common costs 3: 3 against 2.
        ({"costs": ((0.0, 1.0), (3.0, 0.0))}, "rare"),
        ({"costs": ((0.0, 1.0), (1.9, 0.0))}, "common"),
        # Of equal costs, 2 and 2, the first label has it.
        ({"costs": ((0.0, 1.0), (2.0, 0.0))}, "common"),
    ],
)
def test_a_node_has_the_label_of_least_expected_cost(settings: dict[str, Any], label: str) -> None:
    dataset, model = grown(**settings)
    leaf = model.tree.children(0)[1]
    assert SCHEMA.target.labels[predicted_codes(model.tree)[leaf]] == label
    said = predicted(model, distributions(model, dataset))
    assert SCHEMA.target.labels[said[-1]] == label
    assert list(model.tree.outcomes_of(leaf)) == [2, 1]


def test_probabilities_are_by_priors() -> None:
    dataset, model = grown(priors="equal")
    # At x = 2: 1.25 against 2.5; at x = 1: 6 · 0.625 = 3.75 against 2.5.
    np.testing.assert_allclose(distributions(model, dataset)[[0, -1]], [[0.6, 0.4], [1 / 3, 2 / 3]])


def test_errors_are_cases_and_risk_is_cost() -> None:
    _, model = grown(priors="equal")
    leaf = model.tree.children(0)[1]
    assert model.node(leaf).errors == 2
    # The two common cases are wrong: 2 · 0.625; the root's two classes weigh 5 each.
    risk = risks(model.tree, is_classification=True)
    assert (risk[0], risk[leaf]) == pytest.approx((5, 1.25))


@pytest.mark.parametrize("settings", [{"priors": "equal"}, {"costs": ((0.0, 1.0), (3.0, 0.0))}])
def test_a_model_file_keeps_how_labels_are_chosen(settings: dict[str, Any]) -> None:
    dataset, model = grown(**settings)
    again = decode(b"".join(encode(model)), "m.json")
    assert again == model
    assert predicted_codes(again.tree) == predicted_codes(model.tree)
    np.testing.assert_array_equal(distributions(again, dataset), distributions(model, dataset))


@pytest.mark.parametrize("criterion", ["gini", "gain", "gainratio", "error"])
@pytest.mark.parametrize("nominal", ["multiway", "subset"])
def test_priors_split_as_weights_in_their_place_would(criterion: str, nominal: str) -> None:
    dataset = sample("playtennis.csv")
    scale = np.array(class_scale("equal", dataset.schema.target.labels, [5, 9]))
    weighted = Dataset(dataset.schema, dataset.columns, dataset.target, scale[dataset.target])
    tree = model_from(dataset, Settings.of(criterion=criterion, nominal=nominal, priors="equal")).tree
    other = model_from(weighted, Settings.of(criterion=criterion, nominal=nominal, min_leaf=1e-3)).tree
    assert list(tree.attribute) == list(other.attribute)
    assert list(tree.table) == list(other.table)
    np.testing.assert_allclose(tree.score, other.score, atol=1e-12)


def test_sizes_count_rows_whatever_the_priors() -> None:
    # The rare cases weigh 2.5 each by priors, but three rows are three rows.
    _, model = grown(priors="equal", min_leaf=4.0)
    assert model.tree.n_nodes == 1
    _, model = grown(priors="equal", min_leaf=3.0)
    assert model.tree.n_nodes == 3


@pytest.mark.parametrize("has_costs", [False, True])
def test_the_sums_for_many_labels_are_those_of_a_plain_loop_to_the_last_bit(has_costs: bool) -> None:
    random = Random(1)
    shares = [random.random() for _ in range(90)]
    costs = [[0.0 if i == j else random.random() for j in range(90)] for i in range(90)] if has_costs else None
    assert _summed_costs_of_many(shares, costs) == _summed_costs(shares, costs)
