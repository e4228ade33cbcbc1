"""Charts at the splits: from a model's counts, and from data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.example_models import PLAYTENNIS, Inner, every_kind, iris_like, model_of, models, playtennis, regression
from treecli.data import Attribute, Dataset, Schema
from treecli.draw.charts import (
    CHART_HEIGHT,
    CHART_WIDTH,
    Column,
    Columns,
    Histogram,
    Scatter,
    chart_shapes,
    charts_of_tree,
)
from treecli.draw.datacharts import N_BINS, charts_of_data
from treecli.draw.drawing import Box, Words, text_width
from treecli.model import TreeModel
from treecli.models import probes
from treecli.predict.predict import arrivals
from treecli.splits import threshold

X = Schema((Attribute("x", "numeric"),), Attribute("class", "nominal", ("no", "yes")))


def rows_of(schema: Schema, columns: list[list[float]], target: list[float]) -> Dataset:
    kinds = [np.float64 if attribute.is_numeric else np.int32 for attribute in schema.attributes]
    return Dataset(
        schema,
        [np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)],
        np.array(target, np.int32 if schema.is_classification else np.float64),
        np.ones(len(target)),
    )


def test_without_data_the_branches_stand_side_by_side() -> None:
    assert charts_of_tree(playtennis())[0] == Columns(
        (Column("Sunny", 5.0, (3.0, 2.0)), Column("Overcast", 4.0, (0.0, 4.0)), Column("Rain", 5.0, (2.0, 3.0)))
    )


def test_without_data_a_branch_of_numbers_has_the_height_of_its_mean() -> None:
    # Predictions go from 12 to 30.
    assert charts_of_tree(regression())[0] == Columns(
        (Column("<= 60", 2.0, level=0.0), Column("> 60", 4.0, level=pytest.approx((25 - 12) / 18)))
    )


def test_a_histogram_has_a_threshold_at_the_edge_of_a_bin() -> None:
    model = model_of(X, Inner(threshold.Split(0, 10.0), ((3.0, 0.0), (1.0, 2.0))))
    chart = charts_of_data(model, rows_of(X, [[0, 10, 10, 11, 24, 24, np.nan]], [0, 0, 0, 0, 1, 1, 1]))[0]
    assert isinstance(chart, Histogram)
    assert (chart.low, chart.high, chart.cuts) == (0.0, 24.0, (10.0,))
    # Bins of one: (-1, 0], (0, 1], … (23, 24]; 10 itself lies below the threshold.
    assert len(chart.bins) == N_BINS + 1
    assert chart.edges == tuple(float(edge) for edge in range(-1, 25))
    filled = {upper: counts for upper, counts in zip(chart.edges[1:], chart.bins, strict=True) if any(counts)}
    assert filled == {0.0: (1.0, 0.0), 10.0: (2.0, 0.0), 11.0: (1.0, 0.0), 24.0: (0.0, 2.0)}


def test_a_single_value_makes_a_histogram_of_one_bin() -> None:
    model = model_of(X, Inner(threshold.Split(0, 10.0), ((3.0, 0.0), (1.0, 2.0))))
    chart = charts_of_data(model, rows_of(X, [[3, 3]], [0, 1]))[0]
    assert isinstance(chart, Histogram)
    assert (chart.bins, chart.cuts) == (((1.0, 1.0),), ())


def test_a_row_without_a_value_counts_in_each_branch_by_its_share() -> None:
    columns: list[list[float]] = [[-1], [0], [0], [0]]
    chart = charts_of_data(playtennis(), rows_of(PLAYTENNIS, columns, [1]))[0]
    assert isinstance(chart, Columns)
    assert [column.weight for column in chart.columns] == pytest.approx([5 / 14, 4 / 14, 5 / 14])


def test_a_numeric_target_is_a_scatter_plot_with_a_mean_for_each_branch() -> None:
    model = regression()
    rows = rows_of(model.schema, [[40, 60, 80, 80], [0, 0, 0, 1]], [10, 14, 20, 30])
    charts = charts_of_data(model, rows)
    area, district = charts[0], charts[2]
    assert isinstance(area, Scatter)
    assert area.points == ((0.0, 0.0), (0.5, pytest.approx(0.2)), (1.0, pytest.approx(0.5)), (1.0, 1.0))
    # Below 60 the mean is 12, above it 25, of 10 to 30.
    assert area.means == ((0.0, 0.5, pytest.approx(0.1)), (0.5, 1.0, pytest.approx(0.75)))
    assert area.cuts == (0.5,)
    assert isinstance(district, Scatter)
    assert [up for _, up in district.points] == pytest.approx([0.5, 1.0])
    assert len(district.names) == 3


@pytest.mark.parametrize("model", [playtennis(), iris_like(), every_kind(), regression()])
def test_rows_reach_the_branches_that_prediction_sends_them_to(model: TreeModel) -> None:
    check(model, 0)


@settings(max_examples=40)
@given(models(), st.integers(0, 2**31))
def test_rows_reach_the_branches_of_any_model(model: TreeModel, seed: int) -> None:
    check(model, seed)


def check(model: TreeModel, seed: int) -> None:
    """Compares the charts of nominal splits with the weights that prediction counts at each node."""
    rows = probes(model)
    generator = np.random.default_rng(seed)
    if model.schema.is_classification:
        target = generator.integers(0, len(model.schema.target.labels), rows.n_rows).astype(np.int32)
    else:
        target = generator.normal(size=rows.n_rows)
    dataset = Dataset(rows.schema, rows.columns, target, np.ones(rows.n_rows))
    charts = charts_of_data(model, dataset)
    arrived = arrivals(model, dataset)
    assert set(charts) == set(model.tree.inner_nodes())
    for node, chart in charts.items():
        if isinstance(chart, Columns):
            expected = [arrived[child].tolist() for child in model.tree.children(node)]
            assert [list(column.counts) for column in chart.columns] == [pytest.approx(kept) for kept in expected]
        elif isinstance(chart, Histogram):
            assert np.sum(chart.bins) <= arrived[node].sum() + 1e-9
        for shape in chart_shapes(chart, 0.0, 0.0, CHART_WIDTH):
            is_inside(shape)


def is_inside(shape: Box | Words) -> None:
    """Asserts that a shape lies inside its chart, except the mark of a threshold, which extends a little."""
    if isinstance(shape, Box):
        assert -2 <= shape.x <= shape.x + shape.width <= CHART_WIDTH + 2
        assert -4 <= shape.y <= shape.y + shape.height <= CHART_HEIGHT
        return
    width = text_width(shape.text, shape.size)
    left = shape.x - {"start": 0, "middle": width / 2, "end": width}[shape.anchor]
    assert left > -1
    assert left + width < CHART_WIDTH + 1
