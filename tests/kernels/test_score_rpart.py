"""Scores in rpart's arithmetic: the same as by sums, but for ties."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import treecli.kernels
from tests.datasets import dataset_of
from tests.growing import AtRoot, candidates_at_root
from treecli.data import Attribute, Dataset, Schema
from treecli.grow.candidates import room_for_cuts
from treecli.kernels import score_rpart
from treecli.kernels.args import At, Scratch
from treecli.settings import Settings

PLAIN = Settings.of(nominal="subset", missing="stay", counts_rows=True, most_exhaustive=12)


def random_rows(seed: int, target: Attribute) -> Dataset:
    """A numeric, an ordinal and two nominal attributes with some values missing."""
    random = np.random.default_rng(seed)
    n = int(random.integers(12, 60))
    labels = tuple("abcdef")
    attributes = (
        Attribute("number", "numeric"),
        Attribute("grade", "ordinal", labels),
        Attribute("few", "nominal", labels[:3]),
        Attribute("many", "nominal", labels),
    )
    number = random.normal(size=n).round(1)
    number[random.random(n) < 0.2] = np.nan
    codes = [random.integers(-1, len(a.labels), n).astype(np.int32) for a in attributes[1:]]
    y: Any = random.normal(size=n)
    if not target.is_numeric:
        y = random.integers(0, len(target.labels), n).astype(np.int32)
    return Dataset(Schema(attributes, target), [number, *codes], y, random.integers(1, 4, n).astype(float))


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize(
    ("criterion", "target", "priors"),
    [
        ("gini", Attribute("y", "nominal", ("u", "v")), None),
        ("gini", Attribute("y", "nominal", ("u", "v", "w")), "equal"),
        ("gain", Attribute("y", "nominal", ("u", "v", "w")), None),
        ("gain", Attribute("y", "nominal", ("u", "v")), "equal"),
        ("variance", Attribute("y", "numeric"), None),
    ],
)
def test_a_split_gains_what_it_gains_by_sums(seed: int, criterion: str, target: Attribute, priors: str | None) -> None:
    dataset = random_rows(seed, target)
    settings = PLAIN.changed(criterion=criterion, priors=priors, min_leaf=float(seed % 4 + 1))
    for attribute in range(4):
        by_sums = candidates_at_root(dataset, attribute, settings)
        by_rpart = candidates_at_root(dataset, attribute, settings.changed(arithmetic="shares"))
        # By sums a split may gain nothing; here that is none.
        np.testing.assert_allclose(np.maximum(by_rpart.gain, 0), np.maximum(by_sums.gain, 0), rtol=1e-9, atol=1e-12)


THREE = Schema((Attribute("x", "nominal", ("p", "q", "r")),), Attribute("y", "nominal", ("u", "v", "w")))
SHARES = PLAIN.changed(criterion="gini", arithmetic="shares")


def test_of_equal_groupings_the_first_in_rparts_order_wins() -> None:
    # p and q have a case of u and of v, and r the other 3, 3 and 8: to part p from the rest or q is the same, and rpart
    # moves p first. Both together are worse: 1 + 14 - 82/14 is left of the impurity, against 15 - 89/15.
    rows = [("p", "u"), ("q", "v"), *[("r", "u")] * 3, *[("r", "v")] * 3, *[("r", "w")] * 8]
    found = candidates_at_root(dataset_of(THREE, rows), 0, SHARES)
    assert found.table is not None
    assert found.table.tolist() == [[0, 1, 1]]
    # Of 16 · (1 - 2/16 - 1/4) = 10.
    assert found.improvement == pytest.approx([89 / 15 - 5])


def test_the_group_with_the_first_label_is_branch_0_even_if_the_other_comes_first_in_rpart() -> None:
    rows = [("p", "w"), ("q", "u"), ("r", "u")]
    found = candidates_at_root(dataset_of(THREE, rows), 0, SHARES)
    assert found.table is not None
    assert found.first is not None
    assert (found.table.tolist(), found.first.tolist()) == ([[0, 1, 1]], [1])


@pytest.mark.parametrize(("classes", "first"), [("uuvv", 0), ("vvuu", 1)])
def test_the_side_with_the_smaller_mean_class_comes_first(classes: str, first: int) -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("u", "v")))
    found = candidates_at_root(dataset_of(schema, [(float(i), c) for i, c in enumerate(classes)]), 0, SHARES)
    assert found.first is not None
    assert found.first.tolist() == [first]


def test_the_side_with_the_smaller_mean_comes_first() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "numeric"))
    found = candidates_at_root(
        dataset_of(schema, [(0.0, 5.0), (1.0, 5.0), (2.0, 1.0)]), 0, SHARES.changed(criterion="variance")
    )
    assert found.first is not None
    assert (found.first.tolist(), found.number) == ([1], pytest.approx([1.5]))
    # The squares about 11/3 add up to 32/3, and both sides have none left.
    assert found.improvement == pytest.approx([32 / 3])


def test_a_strict_threshold_leaves_the_midpoint_to_the_upper_branch() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("u", "v")))
    dataset = dataset_of(schema, [(2.0, "u"), (4.0, "v")])
    for arithmetic in ("sums", "shares"):
        found = candidates_at_root(dataset, 0, SHARES.changed(arithmetic=arithmetic, is_strict=True))
        assert found.number is not None
        assert found.number[0] < 3.0
        assert np.nextafter(found.number[0], np.inf) == 3.0


def _source() -> ModuleType:
    path = Path(treecli.kernels.__file__).parent / "score_rpart.py"
    spec = importlib.util.spec_from_file_location("score_rpart_as_python", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kernel", [score_rpart, _source()], ids=["installed", "python"])
def test_a_cut_that_rounding_leaves_a_negative_weight_at_is_no_candidate(kernel: ModuleType) -> None:
    # 0.3 + 0.2 + 0.1 - 0.3 - 0.2 - 0.1 is less than 0, which has no logarithm: the cut after x = 2 is out.
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("u", "v")))
    dataset = dataset_of(schema, [(0.0, "u"), (1.0, "u"), (2.0, "u"), (3.0, "v"), (4.0, "v")])
    weighted = replace(dataset, weights=np.array([0.3, 0.2, 0.1, 1.0, 1.0]), has_weights=True)
    root = AtRoot(weighted, SHARES.changed(criterion="gain", min_leaf=1.0))
    found, scratch = room_for_cuts(1, is_exact=True), Scratch()
    scratch.sides = np.empty((kernel.SCRATCH_ROWS, 2))
    kernel.best_cuts(root.level.cases, root.level.orders[0].args, At(), root.plan, found.args(), scratch)
    assert (found.lower[0], found.upper[0]) == (1.0, 2.0)
