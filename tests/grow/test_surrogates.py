"""Surrogate splits, and cases that stay: where a missing value goes in training, in prediction and in the file."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.datasets import Value, dataset_of
from tests.growing import model_from, sample
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import ModelError
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.predict.predict import arrivals, distributions, leaves
from treecli.renderers import View, text
from treecli.settings import Settings
from treecli.tree import STAYS

SURROGATES = Settings.of(criterion="gini", missing="surrogate", max_depth=1)

NUMBERS = Schema((Attribute("x1", "numeric"), Attribute("x2", "numeric")), Attribute("y", "nominal", ("a", "b")))

TEN_CASES: list[tuple[Value, ...]] = [
    *[(i + 1.0, x2, "a") for i, x2 in enumerate((1, 2, 3, 4, 5, 9))],
    *[(i + 7.0, x2, "b") for i, x2 in enumerate((6, 7, 8, 10))],
]
"""x1 <= 6.5 sends six of ten left, and x2 <= 5.5 nine of ten the same way."""


def labels_and_number(*rows: tuple[Value, ...], labels: tuple[str, ...] = ("p", "q", "r")) -> Dataset:
    """Rows of x (a number), a label, and the class."""
    attributes = (Attribute("x", "numeric"), Attribute("label", "nominal", labels))
    return dataset_of(Schema(attributes, NUMBERS.target), rows)


def only_split(dataset: Dataset, **settings: Any) -> TreeModel:

    return model_from(dataset, SURROGATES.changed(**settings))


def round_trip(model: TreeModel) -> TreeModel:
    return decode(b"".join(encode(model)), "m.json")


def test_the_agreement_of_the_textbook_example() -> None:
    # Nine of ten agree, six of ten would by sending all left: (9 - 6) / (10 - 6).
    model = only_split(dataset_of(NUMBERS, TEN_CASES))
    (surrogate,) = model.tree.surrogates[0]
    assert (surrogate.split.attribute, surrogate.split.number, surrogate.branches) == (1, 5.5, (0, 1))
    assert (surrogate.agreement, surrogate.adjusted) == pytest.approx((0.9, 0.75))


def test_a_surrogate_may_run_the_other_way() -> None:
    turned = [(x1, -float(x2), y) for x1, x2, y in TEN_CASES]  # type: ignore[arg-type]
    (surrogate,) = only_split(dataset_of(NUMBERS, turned)).tree.surrogates[0]
    assert (surrogate.split.number, surrogate.branches) == (-5.5, (1, 0))
    assert surrogate.agreement == pytest.approx(0.9)


def test_a_case_without_the_surrogates_value_counts_against_it() -> None:
    rows = [*TEN_CASES[:-1], (10.0, None, "b")]
    (surrogate,) = only_split(dataset_of(NUMBERS, rows)).tree.surrogates[0]
    assert (surrogate.agreement, surrogate.adjusted) == pytest.approx((0.8, 0.5))


def test_a_test_that_beats_the_heavier_branch_by_nothing_is_no_surrogate() -> None:
    rows = [(x1, float(i % 2), y) for i, (x1, _, y) in enumerate(TEN_CASES)]
    assert only_split(dataset_of(NUMBERS, rows)).tree.surrogates == {}


def test_a_test_that_sends_one_case_its_way_is_no_surrogate() -> None:
    # x2 <= 0.5 agrees with x1 <= 8.5 on all ten, but leaves one case alone.
    rows = [(float(i), float(i >= 9), "b" if i >= 9 else "a") for i in range(10)]
    assert only_split(dataset_of(NUMBERS, rows)).tree.surrogates == {}


def test_the_best_surrogates_are_kept_in_order_of_agreement() -> None:
    schema = Schema(tuple(Attribute(name, "numeric") for name in ("x1", "worse", "x2", "same")), NUMBERS.target)
    rows = [(x1, float(i in (0, 1, 6, 7, 8, 9)), x2, x2, y) for i, (x1, x2, y) in enumerate(TEN_CASES)]
    tree = only_split(dataset_of(schema, rows)).tree
    # `worse` agrees on 4 + 4 of 10, x2 and its copy on 9; of equals the first attribute comes first.
    assert [s.split.attribute for s in tree.surrogates[0]] == [2, 3, 1]
    tree = only_split(dataset_of(schema, rows), max_surrogates=2).tree
    assert [s.split.attribute for s in tree.surrogates[0]] == [2, 3]


LABELLED: list[tuple[Value, ...]] = [
    *[(1.0, "p", "a")] * 4,
    (1.0, "q", "a"),
    (2.0, "p", "b"),
    *[(2.0, "q", "b")] * 4,
    *[(2.0, "r", "b")] * 2,
]


def test_each_label_goes_where_most_of_its_cases_go() -> None:
    # p: 4 of 5 go left; q: 4 of 5 right; r right. 10 of 12 agree; 7 of 12 go right: (10 - 7) / (12 - 7).
    (surrogate,) = only_split(labels_and_number(*LABELLED)).tree.surrogates[0]
    assert surrogate.split.table == (0, 1, 1)
    assert (surrogate.agreement, surrogate.adjusted) == pytest.approx((10 / 12, 3 / 5))


def test_a_label_that_ties_goes_with_most_cases() -> None:
    rows = [*LABELLED, (1.0, "r", "a"), (1.0, "r", "a")]
    # r: two each way, and 7 of 14 cases: then it is the branch that rpart would not call left, here the upper one.
    (surrogate,) = only_split(labels_and_number(*rows), nominal="subset", arithmetic="shares").tree.surrogates[0]
    assert surrogate.split.table == (0, 1, 1)
    (surrogate,) = only_split(labels_and_number(*rows, (1.0, "p", "a"))).tree.surrogates[0]
    assert surrogate.split.table == (0, 1, 0)


def test_a_label_that_no_case_with_a_known_value_has_is_no_help() -> None:
    model = only_split(labels_and_number(*LABELLED, (None, "s", "a"), labels=("p", "q", "r", "s")))
    assert model.tree.surrogates[0][0].split.table == (0, 1, 1, -1)
    # The last case goes with most: right.
    assert list(model.tree.outcomes_of(2)) == [1, 7]


def test_a_label_that_tells_all_is_a_surrogate_but_for_rparts_slip() -> None:
    rows = [*[(1.0, "p", "a")] * 5, *[(2.0, "q", "b")] * 5]
    assert only_split(labels_and_number(*rows)).tree.surrogates[0][0].agreement == 1
    assert only_split(labels_and_number(*rows), surrogate_slip=True).tree.surrogates == {}
    # With two cases wrong it is one even so.
    rows += [(1.0, "q", "a"), (2.0, "p", "b")]
    assert only_split(labels_and_number(*rows), surrogate_slip=True).tree.surrogates[0][0].agreement == pytest.approx(
        10 / 12
    )


def test_cases_go_by_the_first_surrogate_that_knows_then_with_most() -> None:
    rows = [*TEN_CASES, (None, 5.0, "b"), (None, 6.0, "a"), (None, None, "b")]
    model = only_split(dataset_of(NUMBERS, rows), blank_rows=True)
    # x2 = 5 goes left, x2 = 6 right, and the one that has neither left, with six of ten.
    assert list(model.tree.outcomes_of(1)) == [6, 2]
    assert list(model.tree.outcomes_of(2)) == [1, 4]


def test_rows_without_any_value_are_left_out_if_so_asked() -> None:
    rows = [*TEN_CASES, (None, None, "b")]
    assert list(only_split(dataset_of(NUMBERS, rows), blank_rows=False).tree.outcomes_of(0)) == [6, 4]
    assert list(only_split(dataset_of(NUMBERS, rows)).tree.outcomes_of(0)) == [6, 5]


def test_where_branches_tie_a_case_that_no_surrogate_knows_goes_no_further() -> None:
    rows: list[tuple[Value, ...]] = [(1.0, 0.0, "a")] * 3 + [(2.0, 0.0, "b")] * 3 + [(None, 0.0, "b")]
    model = only_split(dataset_of(NUMBERS, rows))
    assert model.tree.missing_to[0] == STAYS
    assert [sum(model.tree.outcomes_of(node)) for node in range(3)] == [7, 3, 3]
    asked = dataset_of(NUMBERS, [(None, 0.0, "a")])
    assert leaves(model, asked).tolist() == [0]
    np.testing.assert_allclose(distributions(model, asked), [[3 / 7, 4 / 7]])


def test_prediction_follows_the_same_tests_as_training() -> None:
    rows = [*TEN_CASES, (None, 5.0, "b"), (None, 6.0, "a"), (None, None, "b")]
    dataset = dataset_of(NUMBERS, rows)
    model = only_split(dataset)
    assert leaves(model, dataset).tolist() == [1] * 6 + [2] * 4 + [1, 2, 1]
    np.testing.assert_array_equal(arrivals(model, dataset).ravel(), model.tree.outcomes)


def test_an_ordinal_surrogate_and_one_by_labels_are_followed() -> None:
    attributes = (
        Attribute("x", "numeric"),
        Attribute("grade", "ordinal", ("low", "mid", "high")),
        Attribute("label", "nominal", ("p", "q")),
    )
    schema = Schema(attributes, NUMBERS.target)
    known = [(1.0, "high", "p", "a"), (1.0, "mid", "p", "a"), (2.0, "low", "q", "b"), (2.0, "low", "q", "b")] * 3
    model = only_split(dataset_of(schema, known))
    assert [s.split.KIND for s in model.tree.surrogates[0]] == ["threshold", "subset"]
    rows = [(None, "mid", "q", "a"), (None, "low", "p", "a"), (None, None, "p", "a"), (None, None, "q", "a")]
    rows += [(None, None, None, "a"), (None, None, "unseen", "a"), (3.0, "mid", "p", "a")]
    # The grade counts first, then the label; the branches tie, so a case that has neither stays.
    assert leaves(model, dataset_of(schema, rows)).tolist() == [1, 2, 1, 2, 0, 0, 2]  # type: ignore[arg-type]


def test_cases_that_stay_count_at_the_node_and_in_no_branch() -> None:
    rows = [*TEN_CASES, (None, 5.0, "b"), (None, 6.0, "b")]
    dataset = dataset_of(NUMBERS, rows)
    model = only_split(dataset, missing="stay")
    assert [sum(model.tree.outcomes_of(node)) for node in range(3)] == [12, 6, 4]
    assert leaves(model, dataset).tolist()[-2:] == [0, 0]
    np.testing.assert_array_equal(arrivals(model, dataset).ravel(), model.tree.outcomes)
    assert [model.node().condition(branch).missing for branch in range(2)] == [False, False]
    assert round_trip(model) == model


def test_a_rule_asks_for_a_known_value_where_surrogates_decide() -> None:
    model = only_split(dataset_of(NUMBERS, TEN_CASES))
    assert model.tree.missing_to[0] == 0
    assert [model.node().condition(branch).missing for branch in range(2)] == [False, False]


def test_pruning_keeps_the_surrogates_of_the_nodes_that_stay() -> None:
    tree = model_from(sample("vote.arff"), Settings.of(missing="surrogate", criterion="gini")).tree
    depths = tree.depths()
    pruned = tree.collapsed(lambda node: depths[node] > 1)
    assert [pruned.surrogates.get(node) for node in range(3)] == [tree.surrogates.get(node) for node in range(3)]
    assert all(not pruned.is_leaf(node) for node in pruned.surrogates)


def test_a_model_file_keeps_surrogates() -> None:
    model = only_split(dataset_of(NUMBERS, TEN_CASES))
    again = round_trip(model)
    assert again == model
    assert json.loads(b"".join(encode(model)))["nodes"][0]["surrogates"] == [
        {
            "kind": "threshold",
            "attribute": "x2",
            "at_most": 5.5,
            "branches": [0, 1],
            "agreement": 0.9,
            "adjusted": pytest.approx(0.75),
        }
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "lines"}, "m.json: node 0: surrogate 1: unknown kind of split 'lines'"),
        ({"attribute": "x3"}, "m.json: node 0: surrogate 1: splits on 'x3', which the schema does not hold"),
        ({"branches": [0, 0]}, "m.json: node 0: surrogate 1: 'branches' is [0, 0], expected [0, 1] or [1, 0]"),
        ({"agreement": 2}, "m.json: node 0: surrogate 1: 'agreement' and 'adjusted' must be numbers from 0 to 1"),
        ({"adjusted": None}, "m.json: node 0: surrogate 1: 'agreement' and 'adjusted' must be numbers from 0 to 1"),
        ({"weight": 1}, "m.json: node 0: surrogate 1: the split has 'weight', which no split of the kind 'threshold'"),
        ({"kind": "known"}, "m.json: node 0: surrogate 1: 'branches' is [0, 1], expected"),
    ],
)
def test_a_damaged_surrogate_is_refused_with_the_place(change: dict[str, Any], message: str) -> None:
    document = json.loads(b"".join(encode(only_split(dataset_of(NUMBERS, TEN_CASES)))))
    surrogate = document["nodes"][0]["surrogates"][0]
    surrogate.update(change)
    if change.get("kind") == "known":
        del surrogate["at_most"]
    with pytest.raises(ModelError) as refused:
        decode(json.dumps(document).encode(), "m.json")
    assert refused.value.message.startswith(message)


def test_surrogates_of_a_split_that_spreads_missing_values_are_refused() -> None:
    document = json.loads(b"".join(encode(only_split(dataset_of(NUMBERS, TEN_CASES)))))
    del document["nodes"][0]["split"]["missing_to"]
    with pytest.raises(ModelError, match="surrogates need a split with two branches and a 'missing_to'"):
        decode(json.dumps(document).encode(), "m.json")


def test_the_details_of_a_split_are_shown_below_it() -> None:
    turned = [(x1, -float(x2), y) for x1, x2, y in TEN_CASES]  # type: ignore[arg-type]
    model = only_split(dataset_of(NUMBERS, turned), competitors=1)
    # 6 a and 4 b: gini 0.48. x2 <= -5.5 parts (1 a, 4 b) from 5 a: 0.5 · 0.32 is left, 0.32 gained.
    assert "".join(text.render(model, View(has_details=True))).split("\n") == [
        "surrogate: x2 > -5.5 (agreement 0.9000, adjusted 0.7500)",
        "competitor: x2 <= -5.5 (score 0.32)",
        "x1 <= 6.5: a (6.0)",
        "x1 > 6.5: b (4.0)",
        "",
    ]
