"""The routing kernels, compiled and as plain Python."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treecli.kernels
from tests.conftest import examples
from tests.datasets import cases_for
from tests.example_models import models
from treecli.data import Dataset
from treecli.kernels import route, route_args
from treecli.model import TreeModel
from treecli.predict.predict import arrivals, distributions, leaves


def _source() -> ModuleType:
    path = Path(treecli.kernels.__file__).parent / "route.py"
    spec = importlib.util.spec_from_file_location("route_as_python", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOURCE = _source()

# Node 0: x <= 2, missing values down all branches; its children are 1 and 2. Node 2: a code by a table, 0 and 2 to
# branch 0, 1 to branch 1; code 3 ends there, unseen labels take branch 1. Its children are 3 and 4.
TREE = {
    "slot": np.array([0, 0, 1, 0, 0], np.int32),
    "is_coded": np.array([0, 0, 1, 0, 0], np.uint8),
    "is_plain": np.array([1, 0, 0, 0, 0], np.uint8),
    "number": np.array([2.0, 0, 0, 0, 0]),
    "further_start": np.zeros(6, np.int64),
    "further": np.empty(0),
    "table_start": np.array([0, 0, 0, 4, 4, 4], np.int64),
    "table": np.array([0, 1, 0, -2], np.int32),
    "missing_route": np.array([-1, 0, 0, 0, 0], np.int32),
    "unseen_route": np.array([-1, 0, 1, 0, 0], np.int32),
    "first_child": np.array([1, 0, 3, 0, 0], np.int32),
    "n_branches": np.array([2, 0, 2, 0, 0], np.int32),
    "share": np.array([1.0, 0.25, 0.75, 0.5, 0.5]),
}


@pytest.fixture(params=[route, SOURCE], ids=["installed", "python"])
def kernel(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


# x, the code, and the node where a row with both ends.
ROWS = [
    (1.0, 0.0, 1),
    (2.0, 0.0, 1),  # a value that equals the number takes the first branch
    (np.nextafter(2.0, inf), 0.0, 3),
    (-inf, 0.0, 1),
    (inf, 1.0, 4),
    (3.0, 2.0, 3),
    (3.0, 3.0, 2),  # the table ends the row at the node itself
    (3.0, -2.0, 4),
    (3.0, nan, 3),
    (-2.0, 0.0, 1),  # in a numeric column this is no unseen label
    (nan, 0.0, -1),
]


@pytest.mark.parametrize("is_plain", [TREE["is_plain"], np.zeros(5, np.uint8)], ids=["plain", "general"])
@pytest.mark.parametrize(("x", "code", "leaf"), ROWS)
def test_a_row_follows_number_table_and_routes_to_its_end(
    kernel: ModuleType, x: float, code: float, leaf: int, is_plain: np.ndarray
) -> None:
    leaf_of_row = np.empty(1, np.int32)
    nodes = route_args.Nodes(**{**TREE, "is_plain": is_plain})
    kernel.find_leaves(nodes, np.array([[x], [code]]), leaf_of_row)
    assert leaf_of_row.tolist() == [leaf]


@pytest.mark.parametrize("n_rows", [0, 1, 15, 16, 17, 40])
def test_rows_that_go_down_side_by_side_end_where_each_would_alone(kernel: ModuleType, n_rows: int) -> None:
    rows = (ROWS * 4)[:n_rows]
    block = np.array([[x for x, _, _ in rows], [code for _, code, _ in rows]])
    leaf_of_row = np.full(n_rows, 99, np.int32)
    kernel.find_leaves(route_args.Nodes(**TREE), block, leaf_of_row)
    assert leaf_of_row.tolist() == [leaf for _, _, leaf in rows]


def test_a_spread_row_mixes_what_its_leaves_predict_by_their_shares(kernel: ModuleType) -> None:
    prediction = np.array([[0, 0], [3, 1], [0, 0], [0, 8], [5, 5]], float)
    scale = np.array([1.0, 4, 1, 8, 10])
    mixed = np.zeros((1, 2))
    kernel.mix_leaves(
        route_args.Nodes(**TREE),
        np.array([[0.0, nan], [0.0, 1.0]]),
        np.array([1]),
        route_args.Leaves(np.arange(5, dtype=np.int32), scale, prediction),
        route_args.Room(np.empty(4, np.int64), np.empty(4), np.empty((2, 2))),
        mixed,
    )
    # Row 1 goes to leaf 1 by 1/4 and, by its code, to leaf 4 by 3/4: 1/4 · (3/4, 1/4) + 3/4 · (1/2, 1/2).
    assert mixed.tolist() == [[9 / 16, 7 / 16]]


@pytest.mark.parametrize(
    ("is_numeric", "expected"),
    [
        # Classes 0 and 1: row 0 (weight 2) takes 0, 1; row 1 (weight 4) is spread; rows 2 to 4 do not count.
        (False, [[2, 4], [2, 1], [0, 3], [0, 3], [0, 0]]),
        # The same with the numbers 0 and 1: weight, mean, deviance; -2 is a number like others, seen by node 1.
        # Root: 0, 1, -2 with weights 2, 4, 3: mean (4 - 6)/9 = -2/9, deviance 4 + 12 - 4/9.
        # Node 1: 0, 1, -2 with weights 2, 1, 3: mean (1 - 6)/6 = -5/6, deviance 1 + 12 - 25/6.
        (True, [[9, -2 / 9, 16 - 4 / 9], [6, -5 / 6, 13 - 25 / 6], [3, 1, 0], [3, 1, 0], [0, 0, 0]]),
    ],
)
def test_arrivals_count_rows_with_a_weight_and_a_known_target_at_every_node_passed(
    kernel: ModuleType, is_numeric: bool, expected: list[list[float]]
) -> None:
    arrived = np.zeros((5, 3 if is_numeric else 2))
    kernel.count_arrivals(
        route_args.Nodes(**TREE),
        np.array([[1.0, nan, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]]),
        np.array([0.0, 1.0, nan, 1.0, -2.0]),
        np.array([2.0, 4.0, 1.0, 0.0, 3.0]),
        is_numeric,
        route_args.Room(np.empty(3, np.int64), np.empty(3), np.empty((1, 0))),
        arrived,
    )
    np.testing.assert_allclose(arrived, expected, rtol=1e-15)


def _answers(model: TreeModel, dataset: Dataset) -> list[bytes]:
    return [
        distributions(model, dataset).tobytes(),
        leaves(model, dataset).tobytes(),
        arrivals(model, dataset).tobytes(),
    ]


@given(data=st.data())
@settings(max_examples=examples(60))
def test_the_compiled_kernels_and_the_python_file_give_the_same_bytes(data: st.DataObject) -> None:
    model = data.draw(models())
    dataset = data.draw(cases_for(model))
    with pytest.MonkeyPatch.context() as patch:
        installed = _answers(model, dataset)
        patch.setattr(treecli.kernels, "route", SOURCE)
        # A copy, because a model keeps its routing in the form of the kernels that made it.
        assert _answers(replace(model), dataset) == installed
