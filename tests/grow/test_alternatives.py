"""All cuts of a numeric attribute: counted by a kernel where cases are whole, else from count tables."""

from __future__ import annotations

import numpy as np
import pytest

from tests.growing import AtRoot
from treecli.data import Attribute, Dataset, Schema
from treecli.grow import alternatives as module
from treecli.settings import Settings


def one_attribute(values: list[float], classes: list[int], weights: list[float]) -> Dataset:
    labels = tuple("abc"[: max(classes) + 1])
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", labels))
    return Dataset(schema, [np.array(values, float)], np.array(classes, np.int32), np.array(weights, float))


def test_each_cut_between_different_values_has_its_gain_and_its_information() -> None:
    # 1 1 | 2 | 4 with the classes a a b b: gains 1 and 1 - 3/4 H(1/3), both by hand.
    at = AtRoot(one_attribute([4, 1, 2, 1], [1, 0, 1, 0], [1] * 4), Settings.of(criterion="gain", min_leaf=1))
    found = module.alternatives(at.engine, at.level, 0, at.candidates(0))
    assert found.splits.number is not None
    assert found.splits.number.tolist() == [1.5, 3]
    assert found.splits.gain.tolist() == pytest.approx([1, 0.311278], abs=1e-6)
    assert found.splits.split_info.tolist() == pytest.approx([1, 0.811278], abs=1e-6)
    assert found.node.tolist() == [0, 0]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "options",
    [{"criterion": "gain"}, {"criterion": "gini", "min_leaf": 5}, {"criterion": "error"}, {"branch_share": 0.1}],
    ids=["entropy", "gini", "error", "share"],
)
def test_cuts_of_whole_cases_are_those_of_the_count_tables_to_the_bit(
    options: dict[str, object], n_classes: int
) -> None:
    random = np.random.default_rng(n_classes)
    values, weights = random.integers(0, 90, 400) / 7, random.integers(1, 4, 400).astype(float)
    at = AtRoot(
        one_attribute(list(values), list(random.integers(0, n_classes, 400)), list(weights)), Settings.of(**options)
    )
    usual = at.candidates(0)
    (tables,) = at.engine.tables(at.level, 0)
    expected_node, expected = module._cuts(tables, at.plan, usual)
    assert module._are_counted(at.level, 0, at.plan)
    node, cuts = module._counted_cuts(at.level, 0, at.plan, usual)
    assert len(node) > 50
    assert node.tolist() == expected_node.tolist()
    for name in ("gain", "split_info", "lower", "upper", "missing_side", "cost"):
        assert getattr(cuts, name).tolist() == getattr(expected, name).tolist(), name


@pytest.mark.parametrize(
    ("values", "weights"), [([1, 2, 3, float("nan")], [1, 1, 1, 1]), ([1, 2, 3, 4], [1, 1, 1, 1.5])]
)
def test_missing_values_and_parts_of_cases_are_left_to_the_count_tables(
    values: list[float], weights: list[float]
) -> None:
    at = AtRoot(one_attribute(values, [0, 1, 0, 1], weights), Settings.of(criterion="gain", min_leaf=1))
    assert not module._are_counted(at.level, 0, at.plan)
    assert len(module.alternatives(at.engine, at.level, 0, at.candidates(0))) == len([v for v in values if v == v]) - 1
