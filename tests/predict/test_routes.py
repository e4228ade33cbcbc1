"""Where missing values go, and whose prediction empty nodes take; computed once for a model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.example_models import HOUSES, NO_CASES, Inner, chain, model_of, playtennis, regression
from treecli.model import TreeModel
from treecli.predict.routes import Routes, Routing
from treecli.splits import known, multiway, threshold
from treecli.tree import ALL_BRANCHES, STAYS

CASES = (2.0, 20.0, 0.0)


@pytest.mark.parametrize(
    ("children", "missing_to", "expected"),
    [
        ((CASES, CASES, CASES), ALL_BRANCHES, ALL_BRANCHES),
        ((CASES, NO_CASES, CASES), ALL_BRANCHES, ALL_BRANCHES),
        ((NO_CASES, CASES, NO_CASES), ALL_BRANCHES, 1),
        ((NO_CASES, NO_CASES, NO_CASES), ALL_BRANCHES, STAYS),
        ((NO_CASES, CASES, NO_CASES), 2, 2),
        ((NO_CASES, CASES, NO_CASES), STAYS, STAYS),
    ],
)
def test_parts_of_a_row_go_only_where_training_cases_went(
    children: tuple[tuple[float, ...], ...], missing_to: int, expected: int
) -> None:
    model = model_of(HOUSES, Inner(multiway.Split(1, 3), children, missing_to))
    assert Routes.of(model).missing_to[0] == expected
    assert computed_with_numpy(model) == Routes.of(model)


def computed_with_numpy(model: TreeModel) -> Routes:
    other = replace(model)
    Routing.of(other)
    return Routes.of(other)


def test_the_only_branch_of_a_node_takes_whole_rows() -> None:
    model = model_of(HOUSES, Inner(known.Split(1), (CASES,)))
    assert Routes.of(model).missing_to[0] == 0


def test_an_empty_node_takes_the_prediction_of_the_nearest_node_above_with_cases() -> None:
    empty = Inner(threshold.Split(0, 1.0), (NO_CASES, Inner(threshold.Split(0, 2.0), (NO_CASES, NO_CASES))))
    model = model_of(HOUSES, Inner(threshold.Split(0, 9.0), (empty, CASES)))
    # 0 | 1 empty, 2 cases | 3, 4 below 1 | 5, 6 below 4.
    assert list(Routes.of(model).source) == [0, 0, 2, 0, 0, 0, 0]
    assert computed_with_numpy(model) == Routes.of(model)
    assert list(Routes.of(regression()).source) == [0, 1, 2, 3, 4, 2]


def test_a_root_without_cases_speaks_for_itself() -> None:
    model = model_of(HOUSES, Inner(threshold.Split(0, 9.0), (NO_CASES, NO_CASES)))
    assert list(Routes.of(model).source) == [0, 0, 0]


def test_a_chain_of_100000_empty_nodes_has_routes() -> None:
    model = chain(100_000)
    n_outcomes = model.tree.n_outcomes
    for place in range(n_outcomes, len(model.tree.outcomes)):
        model.tree.outcomes[place] = 0.0
    routes = Routes.of(model)
    assert set(routes.source) == {0}
    assert {routes.missing_to[node] for node in model.tree.inner_nodes()} == {STAYS}
    assert computed_with_numpy(model) == routes


def test_routes_are_computed_once_for_a_model_and_again_for_a_changed_one() -> None:
    model = playtennis()
    assert Routes.of(model) is Routes.of(model)
    assert Routing.of(model) is Routing.of(model)
    changed = replace(model, settings=model.settings.changed(unseen="majority"))
    assert Routing.of(changed) is not Routing.of(model)
    assert changed == replace(changed)
