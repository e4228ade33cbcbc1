"""Predictions of trees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.datasets import cases_for, dataset_of
from tests.example_models import (
    EVERY_KIND,
    HOUSES,
    PLAYTENNIS,
    Inner,
    every_kind,
    model_of,
    models,
    playtennis,
    regression,
    single_leaf,
)
from treecli.data import MISSING, UNSEEN, Attribute, Dataset, Schema
from treecli.errors import DataError, ModelError
from treecli.model import TreeModel
from treecli.models import decode, encode, program_of
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import SPREAD, arrivals, distributions, leaves, refuse_unseen
from treecli.splits import binary, multiway, threshold
from treecli.splits._surrogate import Surrogate
from treecli.tree import ALL_BRANCHES, MEAN

if TYPE_CHECKING:
    from treecli.data import FloatArray


def with_unseen(model: TreeModel, policy: str) -> TreeModel:
    return replace(model, settings=model.settings.changed(unseen=policy))


def fractional_playtennis() -> TreeModel:
    """PlayTennis with the Outlook of D12 (Mild, High, Strong: Yes) unknown, so that its weight went down every branch
    by the known days there: 5/13 Sunny, 3/13 Overcast, 5/13 Rain.
    """
    sunny = Inner(multiway.Split(2, 2), ((3.0, 5 / 13), (0.0, 2.0)))
    rain = Inner(multiway.Split(3, 2), ((0.0, 3.0), (2.0, 5 / 13)))
    return model_of(PLAYTENNIS, Inner(multiway.Split(0, 3), (sunny, (0.0, 3 + 3 / 13), rain)))


DAYS = (
    ("Sunny", "Hot", "High", "Weak", "No"),
    ("Sunny", "Hot", "High", "Strong", "No"),
    ("Overcast", "Hot", "High", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Cool", "Normal", "Strong", "No"),
    ("Overcast", "Cool", "Normal", "Strong", "Yes"),
    ("Sunny", "Mild", "High", "Weak", "No"),
    ("Sunny", "Cool", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "Normal", "Weak", "Yes"),
    ("Sunny", "Mild", "Normal", "Strong", "Yes"),
    (None, "Mild", "High", "Strong", "Yes"),
    ("Overcast", "Hot", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Strong", "No"),
)


def test_a_missing_value_mixes_the_branches_by_their_training_weight() -> None:
    model = fractional_playtennis()
    dataset = dataset_of(PLAYTENNIS, [("Sunny", "Mild", None, "Weak", None)])
    probabilities = distributions(model, dataset)
    # Weights 3.3846/5.3846 = 0.6286 and 0.3714; P(No | High) = 3/3.3846 = 0.8864: P(No) = 0.6286 · 0.8864 = 3/5.3846.
    assert probabilities[0].tolist() == pytest.approx([39 / 70, 31 / 70])
    assert round(probabilities[0, 0], 4) == 0.5571
    assert predicted(model, probabilities).tolist() == [0]
    assert leaves(model, dataset).tolist() == [SPREAD]


def test_the_training_data_arrive_at_every_node_as_they_did_when_it_was_grown() -> None:
    model = fractional_playtennis()
    arrived = arrivals(model, dataset_of(PLAYTENNIS, DAYS))
    np.testing.assert_allclose(arrived.ravel(), model.tree.outcomes, rtol=1e-12)


def test_rows_without_missing_values_get_the_shares_of_their_leaf() -> None:
    model = fractional_playtennis()
    dataset = dataset_of(PLAYTENNIS, [DAYS[0], DAYS[2], DAYS[13]])
    expected = [[3 / (3 + 5 / 13), (5 / 13) / (3 + 5 / 13)], [0, 1], [2 / (2 + 5 / 13), (5 / 13) / (2 + 5 / 13)]]
    np.testing.assert_allclose(distributions(model, dataset), expected, rtol=1e-15)
    assert leaves(model, dataset).tolist() == [4, 2, 7]


def test_a_row_without_known_values_gets_the_average_of_the_tree() -> None:
    dataset = dataset_of(PLAYTENNIS, [(None, None, None, None, None)])
    np.testing.assert_allclose(distributions(playtennis(), dataset), [[5 / 14, 9 / 14]])


@pytest.mark.parametrize(
    ("area", "district", "expected", "leaf"),
    [
        (60, "hills", 12, 1),
        (61, "old town", 20, 3),
        (61, "harbour", 30, 4),
        (61, "hills", 25, 5),  # an empty leaf: the mean of its parent, (20 + 20 + 33 + 27) / 4
        (61, None, 25, SPREAD),
        (None, "harbour", 2 / 6 * 12 + 4 / 6 * 30, SPREAD),
        (None, None, (10 + 14 + 20 + 20 + 33 + 27) / 6, SPREAD),
    ],
)
def test_a_numeric_prediction_is_the_mean_of_the_leaf_or_of_several(
    area: float, district: str, expected: float, leaf: int
) -> None:
    dataset = dataset_of(HOUSES, [(area, district, None)])
    means = distributions(regression(), dataset)
    assert means.shape == (1, 1)
    assert predicted(regression(), means).tolist() == pytest.approx([expected])
    assert leaves(regression(), dataset).tolist() == [leaf]


@pytest.mark.parametrize(
    ("policy", "expected", "leaf"),
    [
        ("missing", [5 / 14, 9 / 14], SPREAD),  # as Sunny 5/14 No, as Overcast 4/14 and as Rain 5/14 Yes
        ("majority", [1, 0], 4),  # Sunny and Rain are equally heavy: Sunny, the first
    ],
)
def test_an_unseen_label_follows_the_policy_of_the_model(policy: str, expected: list[float], leaf: int) -> None:
    dataset = dataset_of(PLAYTENNIS, [("Fog", "Hot", "High", "Weak", "No")])
    model = with_unseen(playtennis(), policy)
    np.testing.assert_allclose(distributions(model, dataset), [expected])
    assert leaves(model, dataset).tolist() == [leaf]


def test_an_unseen_label_is_refused_where_the_policy_is_error() -> None:
    dataset = dataset_of(PLAYTENNIS, [DAYS[0], ("Fog", *DAYS[0][1:]), ("Mist", *DAYS[0][1:])])
    model = with_unseen(playtennis(), "error")
    for use in (distributions, leaves, arrivals):
        with pytest.raises(DataError, match=r"row 2 \(the first of 2\): 'Outlook'"):
            use(model, dataset)
    with pytest.raises(DataError, match=r"^days\.csv: row 2"):
        refuse_unseen(model, dataset, "days.csv")


def test_an_unseen_label_of_an_attribute_that_the_tree_does_not_ask_about_is_not_refused() -> None:
    dataset = dataset_of(PLAYTENNIS, [("Overcast", "Freezing", "High", "Weak", "Yes")])
    assert leaves(with_unseen(playtennis(), "error"), dataset).tolist() == [2]


def test_an_unseen_label_of_an_attribute_that_only_a_surrogate_asks_about_is_refused() -> None:
    tree = model_of(HOUSES, Inner(threshold.Split(0, 60.0), ((2.0, 12.0, 8.0), (4.0, 25.0, 118.0)), missing_to=0))
    tree.tree.surrogates[0] = (Surrogate(binary.Split(1, 0, 3), (0, 1), 0.9, 0.5),)
    model = with_unseen(tree, "error")
    for area in (50.0, None):
        with pytest.raises(DataError, match=r"row 1: 'district' has a label that the model has not seen"):
            leaves(model, dataset_of(HOUSES, [(area, "moon", 1.0)]))
    assert program_of(model).refused == (1,)


def test_an_unknown_policy_in_a_model_file_is_named() -> None:
    with pytest.raises(ModelError, match="'majorty'") as caught:
        decode(b"".join(encode(with_unseen(playtennis(), "majorty"))), "m.json")
    assert caught.value.hint == "did you mean 'majority'?"


def test_branches_are_summed_before_they_are_added_to_others() -> None:
    # Both values are missing: the left branch gives (a + b), the right one (c + d), with shares 1/3 and 2/3 of 1/2.
    schema = Schema(
        (Attribute("x", "nominal", ("l", "r")), Attribute("y", "nominal", ("l", "r"))),
        Attribute("z", "nominal", ("no", "yes")),
    )
    below = Inner(multiway.Split(1, 2), ((3.0, 7.0), (10.0, 10.0)))
    model = model_of(schema, Inner(multiway.Split(0, 2), (below, below)))
    (found,) = distributions(model, dataset_of(schema, [(None, None, None)])).tolist()
    parts = [(1 / 2) * (10 / 30) * (3 / 10), (1 / 2) * (20 / 30) * (10 / 20)]
    assert found[0] == (parts[0] + parts[1]) + (parts[0] + parts[1])
    assert found[0] != ((parts[0] + parts[1]) + parts[0]) + parts[1]


@pytest.mark.parametrize(
    ("size", "grade", "colour", "shape", "branches"),
    [
        (1, "low", "red", "star", (0, 0, 0)),
        (1, "mid", "red", "round", (0, 0, 1)),
        (1, "high", "red", "star", (0, 1)),
        (1, None, "red", "star", (0, 0, 0)),  # grade: missing goes with 'mid or below'
        (1, "unheard of", "red", "star", (0, 0, 0)),
        (3, "low", "blue", "round", (1, 0, 0)),
        (3, "low", "green", "round", (1, 1)),
        (3, "low", None, "round", (1, 2, 0)),  # a branch of its own for missing colours
        (3, "low", "dark grey", "round", (1, 2, 0)),  # nobody was dark grey
        (3, "low", None, None, (1, 2, 1)),
        (np.inf, "low", "red", "round", (1, 0, 0)),  # infinite, yet known
    ],
)
def test_every_kind_of_split_routes_by_its_condition(
    size: float, grade: str, colour: str, shape: str, branches: tuple[int, ...]
) -> None:
    model = every_kind()
    node = 0
    for branch in branches:
        node = model.tree.children(node)[branch]
    assert leaves(model, dataset_of(EVERY_KIND, [(size, grade, colour, shape, None)])).tolist() == [node]


def test_an_unseen_label_of_an_ordered_attribute_is_not_below_all_others() -> None:
    schema = Schema(EVERY_KIND.attributes, PLAYTENNIS.target)
    model = model_of(schema, Inner(threshold.Split(1, 1.0), ((0.0, 1.0), (1.0, 2.0))))
    dataset = dataset_of(schema, [(1, "unheard of", "red", "star", None)])
    assert leaves(model, dataset).tolist() == [SPREAD]
    assert leaves(with_unseen(model, "majority"), dataset).tolist() == [2]


def test_a_row_ends_at_a_node_none_of_whose_branches_had_a_case() -> None:
    schema = Schema(HOUSES.attributes, PLAYTENNIS.target)
    empty = Inner(multiway.Split(1, 3), ((0.0, 0.0),) * 3)
    model = model_of(schema, Inner(threshold.Split(0, 1.0), ((1.0, 3.0), empty)))
    dataset = dataset_of(schema, [(2, None, None), (2, "hills", None)])
    assert leaves(model, dataset).tolist() == [2, 5]
    np.testing.assert_array_equal(distributions(model, dataset), [[0.25, 0.75]] * 2)


def test_a_missing_value_does_not_spread_where_all_cases_went_one_way() -> None:
    model = model_of(PLAYTENNIS, Inner(multiway.Split(0, 3), ((0.0, 0.0), (1.0, 2.0), (0.0, 0.0))))
    assert leaves(model, dataset_of(PLAYTENNIS, [(None,) * 5])).tolist() == [2]


def test_a_tree_without_any_case_has_no_preference() -> None:
    model = model_of(PLAYTENNIS, Inner(multiway.Split(0, 3), ((0.0, 0.0),) * 3))
    probabilities = distributions(model, dataset_of(PLAYTENNIS, DAYS[:2]))
    assert probabilities.tolist() == [[0.5, 0.5]] * 2
    assert predicted(model, probabilities).tolist() == [0, 0]


def test_a_single_leaf_predicts_the_same_for_every_row() -> None:
    dataset = dataset_of(PLAYTENNIS, DAYS)
    np.testing.assert_array_equal(distributions(single_leaf(), dataset), [[5 / 14, 9 / 14]] * 14)
    assert not leaves(single_leaf(), dataset).any()
    assert arrivals(single_leaf(), dataset).tolist() == [[5, 9]]


def test_no_rows_give_no_predictions() -> None:
    dataset = dataset_of(PLAYTENNIS, [])
    assert distributions(playtennis(), dataset).shape == (0, 2)
    assert leaves(playtennis(), dataset).shape == (0,)
    assert not arrivals(playtennis(), dataset).any()


def test_of_equally_probable_classes_the_first_is_predicted() -> None:
    assert predicted(playtennis(), np.array([[0.5, 0.5], [0.4, 0.6]])).tolist() == [0, 1]


def test_arrivals_count_weights_and_leave_out_rows_without_a_known_class() -> None:
    rows = [("Overcast", "Hot", "High", "Weak", label) for label in ("Yes", "No", None, "Perhaps")]
    arrived = arrivals(playtennis(), dataset_of(PLAYTENNIS, rows, [2.5, 0.5, 7, 7]))
    assert arrived[[0, 2]].tolist() == [[0.5, 2.5]] * 2
    assert arrived.sum() == 6


def test_arrivals_of_numbers_are_weight_mean_and_deviance_also_far_from_zero() -> None:
    far = 1e9
    rows = [(50, "hills", far + 1), (50, None, far + 4), (70, "harbour", far + 7), (None, None, None)]
    arrived = arrivals(regression(), dataset_of(HOUSES, rows, [1, 2, 1, 1]))
    # Node 1: 1 once, 4 twice: mean 3, deviance 4 + 2 · 1. Root: with 7: mean 4, deviance 9 + 0 + 9.
    np.testing.assert_allclose(arrived[[0, 1, 4]], [[4, far + 4, 18], [3, far + 3, 6], [1, far + 7, 0]], rtol=1e-12)


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    generator = np.random.default_rng(0)
    n_rows = 40_000  # more than two blocks
    codes = [generator.integers(UNSEEN, len(a.labels), n_rows, np.int32) for a in PLAYTENNIS.attributes]
    dataset = Dataset(PLAYTENNIS, codes, None, np.ones(n_rows))
    alone = distributions(playtennis(), dataset, jobs=1)
    assert alone.tobytes() == distributions(playtennis(), dataset, jobs=2).tobytes()
    assert leaves(playtennis(), dataset, jobs=1).tobytes() == leaves(playtennis(), dataset, jobs=3).tobytes()
    some = generator.permutation(n_rows)[:500]  # the place of a row among others does not matter either
    assert alone[some].tobytes() == distributions(playtennis(), dataset.take(some)).tobytes()


def test_rows_read_with_another_schema_are_refused() -> None:
    with pytest.raises(ValueError, match="another model"):
        distributions(playtennis(), dataset_of(HOUSES, [(1, "hills", 2)]))


def parts_of_row(model: TreeModel, dataset: Dataset, row: int) -> list[tuple[list[int], float]]:
    """The paths that a row takes, each with its share: a slow router that asks the conditions of the branches."""
    tree = model.tree
    weight = [model.node(n).weight for n in range(tree.n_nodes)]
    done, open_parts = [], [([0], 1.0)]
    while open_parts:
        path, share = open_parts.pop()
        node = path[-1]
        children = list(tree.children(node))
        if not children:
            done.append((path, share))
            continue
        split = tree.split(node)
        value = dataset.columns[split.attribute][row]
        is_unseen = not model.schema.attributes[split.attribute].is_numeric and value == UNSEEN
        is_missing = value == MISSING if value.dtype == np.int32 else np.isnan(value)
        conditions = [split.condition(branch, model.schema) for branch in range(split.n_branches())]
        taken = [b for b, c in enumerate(conditions) if c.holds(float(value))]
        # A half-open interval from -inf leaves -inf itself out, but the first branch takes it.
        if value == -np.inf:
            taken = [0]
        if is_unseen and model.settings.predicting.unseen == "majority":
            taken = [max(range(len(children)), key=lambda b: weight[children[b]])]
        elif is_unseen or is_missing or not taken:
            taken = [tree.missing_to[node]] if tree.missing_to[node] != ALL_BRANCHES else []
        if taken:
            open_parts.append(([*path, children[taken[0]]], share))
            continue
        total = sum(weight[child] for child in children)
        if total == 0:
            done.append((path, share))
        open_parts += [([*path, c], share * weight[c] / total) for c in children if weight[c] > 0]
    return done


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_any_model_routes_any_row_as_its_conditions_say(data: st.DataObject) -> None:
    model = with_unseen(data.draw(models()), data.draw(st.sampled_from(["missing", "majority"])))
    dataset = data.draw(cases_for(model))
    assert dataset.target is not None
    tree, is_classification = model.tree, model.schema.is_classification
    said, ends, arrived = distributions(model, dataset), leaves(model, dataset), arrivals(model, dataset)
    weight_at = np.zeros(tree.n_nodes)
    for row in range(dataset.n_rows):
        parts = parts_of_row(model, dataset, row)
        assert ends[row] == (parts[0][0][-1] if len(parts) == 1 else SPREAD)
        expected = sum(share * said_by_end(model, path) for path, share in parts)
        np.testing.assert_allclose(said[row], expected, rtol=1e-9, atol=1e-6)
        target = dataset.target[row]
        if target >= 0 if is_classification else not np.isnan(target):
            for path, share in parts:
                weight_at[path] += share * dataset.weights[row]
    np.testing.assert_allclose(arrived.sum(axis=1) if is_classification else arrived[:, 0], weight_at, atol=1e-9)


def said_by_end(model: TreeModel, path: list[int]) -> FloatArray:
    """The prediction of the last node of a path, or of the last non-empty one before it."""
    filled = [node for node in path if model.node(node).weight > 0]
    outcomes = np.array(model.tree.outcomes_of(filled[-1] if filled else 0))
    if not model.schema.is_classification:
        return outcomes[[MEAN]]
    return outcomes / outcomes.sum() if filled else np.full(len(outcomes), 1 / len(outcomes))
