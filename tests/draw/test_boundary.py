from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.example_models import IRIS, Inner, chain, iris_like, model_of
from treecli.data import Attribute, Dataset, Schema
from treecli.draw.boundary import held, plane
from treecli.model import TreeModel
from treecli.rules.rulelist import of_tree
from treecli.settings import Settings
from treecli.splits import multiway, threshold

NAN = float("nan")
PETALLENGTH, PETALWIDTH = 2, 3


def flowers(*rows: tuple[float, float, float, float, int]) -> Dataset:
    *columns, target = zip(*rows, strict=True)
    return Dataset(IRIS, [np.array(column) for column in columns], np.array(target, np.int32), np.ones(len(rows)))


FLOWERS = flowers((5.0, 3.0, 1.0, 0.2, 0), (6.0, 2.0, 5.0, 1.6, 1), (7.0, 2.5, 6.0, 2.5, 2))


def test_the_edges_are_the_thresholds_that_matter() -> None:
    found = plane(iris_like(), FLOWERS, PETALLENGTH, PETALWIDTH)
    # 4 % of 1 to 6 on each side. Length matters for widths between 0.6 and 1.7 alone, where 4.9 parts the classes; and
    # the cut at width 1.5 matters right of 4.9.
    assert found.x_edges.tolist() == pytest.approx([0.8, 4.9, 6.2])
    assert found.y_edges.tolist() == pytest.approx([0.108, 0.6, 1.5, 1.7, 2.592])
    assert found.cell.tolist() == [[0, 0], [1, 2], [1, 1], [2, 2]]
    assert list(found.labels) == ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]


def test_rules_draw_the_same_plane_as_their_tree() -> None:
    tree, rules = (plane(model, FLOWERS, PETALLENGTH, PETALWIDTH) for model in (iris_like(), of_tree(iris_like())))
    assert tree.x_edges.tolist() == rules.x_edges.tolist()
    assert tree.y_edges.tolist() == rules.y_edges.tolist()
    assert tree.cell.tolist() == rules.cell.tolist()


def test_rows_without_one_of_the_values_are_not_shown() -> None:
    found = plane(iris_like(), flowers((5, 3, 1, 0.2, 0), (5, 3, NAN, 0.2, 1), (5, 3, 2, NAN, 1)), 2, 3)
    assert (found.x.tolist(), found.y.tolist()) == ([1.0], [0.2])
    assert found.target is not None
    assert found.target.tolist() == [0]


def test_the_target_may_be_absent() -> None:
    assert plane(iris_like(), replace(FLOWERS, target=None), 2, 3).target is None


MIXED = Schema(
    (
        Attribute("x", "numeric"),
        Attribute("y", "numeric"),
        Attribute("size", "numeric"),
        Attribute("colour", "nominal", ("red", "old gold")),
    ),
    Attribute("z", "numeric"),
)


def mixed_model() -> TreeModel:
    """size <= 2: 0; else red: 1, old gold: x <= 0 is 2, above 3."""
    at_x = Inner(threshold.Split(0, 0.0), ((1.0, 2.0, 0.0), (1.0, 3.0, 0.0)))
    at_colour = Inner(multiway.Split(3, 2), ((1.0, 1.0, 0.0), at_x))
    return model_of(MIXED, Inner(threshold.Split(2, 2.0), ((1.0, 0.0, 0.0), at_colour)))


def mixed_rows(sizes: list[float], colours: list[int]) -> Dataset:
    n = len(sizes)
    axes = [np.linspace(-1, 1, n), np.linspace(-2, 2, n)]
    return Dataset(MIXED, [*axes, np.array(sizes, np.float64), np.array(colours, np.int32)], None, np.ones(n))


@pytest.mark.parametrize(
    ("sizes", "colours", "cell", "said"),
    [
        # The median of 1, 3 and 5 is 3, and two of three are of old gold.
        ([1, 3, 5], [0, 1, 1], [[2.0, 3.0]], ["size = 3", "colour = old gold"]),
        ([1, 3, 5], [0, 0, 1], [[1.0]], ["size = 3", "colour = red"]),
        ([1, 1, 5], [1, 1, 1], [[0.0]], ["size = 1", "colour = old gold"]),
        ([NAN, NAN, 4], [-1, 1, -2], [[2.0, 3.0]], ["size = 4", "colour = old gold"]),
        # Nobody knows the colour: a third of a case goes to the red's 1, two thirds to 2 or 3, as in training.
        ([3, 3, 3], [-1, -1, -1], [[5 / 3, 7 / 3]], ["size = 3", "colour = missing"]),
    ],
)
def test_other_attributes_are_held_at_their_median_or_most_frequent_label(
    sizes: list[float], colours: list[int], cell: list[list[float]], said: list[str]
) -> None:
    rows = mixed_rows(sizes, colours)
    found = plane(mixed_model(), rows, 0, 1)
    np.testing.assert_allclose(found.cell, cell, atol=1e-12)
    assert held(mixed_model(), rows, 0, 1) == said


def test_thresholds_that_are_neighbouring_doubles_are_kept_apart() -> None:
    above = np.nextafter(1.0, 2.0)
    schema = Schema((Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("z", "nominal", ("a", "b")))
    root = Inner(
        threshold.Split(0, 1.0), ((1.0, 0.0), Inner(threshold.Split(0, float(above)), ((0.0, 1.0), (1.0, 0.0))))
    )
    rows = Dataset(schema, [np.array([0.0, 2.0]), np.array([0.0, 2.0])], None, np.ones(2))
    found = plane(model_of(schema, root), rows, 0, 1)
    assert found.x_edges.tolist() == pytest.approx([-0.08, 1.0, above, 2.08], abs=0)
    assert found.cell.tolist() == [[0, 1, 0]]


def test_more_thresholds_than_can_be_seen_are_thinned_out() -> None:
    model = chain(5000)
    schema = Schema((*model.schema.attributes, Attribute("y2", "numeric")), model.schema.target)
    rows = Dataset(schema, [np.array([0.0, 5000.0]), np.array([0.0, 1.0])], None, np.ones(2))
    found = plane(TreeModel(schema, Settings(), (), model.tree), rows, 0, 1)
    assert found.cell.size <= 1001


def test_one_point_has_room_around_it() -> None:
    found = plane(iris_like(), flowers((5, 3, 0, 0.2, 0)), PETALLENGTH, PETALWIDTH)
    assert found.x_edges[0] < 0 < found.x_edges[-1]
    assert found.y_edges[0] < 0.2 < found.y_edges[-1]
