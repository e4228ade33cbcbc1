"""Shared by the tests of growing: samples, random rows, plain impurity computations, and trees to compare."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2, nan
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from treecli.data import Attribute, Dataset, Schema
from treecli.engines.memory import Engine
from treecli.grow import mixed
from treecli.grow.candidates import Candidates
from treecli.grow.choose import Chooser
from treecli.grow.grow import grown
from treecli.grow.loop import Loop
from treecli.grow.nodes import Nodes, as_tree
from treecli.grow.plan import plan_of
from treecli.grow.scores import set_scores
from treecli.intake import ReadOptions, read_training
from treecli.model import TreeModel
from treecli.settings import Settings
from treecli.tree import Tree

SAMPLE_DATA = Path(__file__).parent.parent / "sample_data"

CLASS_CRITERIA = {"gain": "entropy", "gini": "gini", "error": "error"}
"""The criteria that rank by plain gain, with the impurity that each lowers."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def sample(name: str, **options: Any) -> Dataset:
    """A file of sample_data, as `treecli train` reads it."""
    return read_training(str(SAMPLE_DATA / name), ReadOptions(**options)).dataset


def candidates_at_root(dataset: Dataset, attribute: str | int, settings: Settings) -> Candidates:
    """The best split on one attribute for all rows."""
    if isinstance(attribute, str):
        attribute = [a.name for a in dataset.schema.attributes].index(attribute)
    return AtRoot(dataset, settings).candidates(attribute)


class AtRoot:
    """The root of a tree that is grown level by level."""

    def __init__(self, dataset: Dataset, settings: Settings) -> None:
        self.plan = plan_of(settings, dataset)
        self.engine = Engine(dataset, self.plan, 1)
        loop = Loop(self.engine, self.plan)
        self.level = loop.level if loop.level.n_nodes else self.engine.root()
        self.is_open = loop.level.n_nodes > 0
        self.chooser = Chooser(self.plan)

    def candidates(self, attribute: int) -> Candidates:
        """The best split on an attribute."""
        return self.engine.candidates(self.level, attribute)


def nodes_by_levels(dataset: Dataset, settings: Settings, most_cases: int | None = 0, jobs: int | None = 1) -> Nodes:
    """The nodes that the loop over levels grows; nodes with no more than `most_cases` are left to the accelerator."""
    plan = plan_of(settings, dataset)
    engine = Engine(dataset, plan, jobs)
    loop = Loop(engine, plan)
    if most_cases != 0 and mixed.refuses(plan, engine) is None:
        loop.leave_small_nodes_to(mixed.grower(engine), most_cases)
    nodes = loop.run()
    set_scores(nodes, plan)
    return nodes


def tree_by_levels(dataset: Dataset, settings: Settings, most_cases: int | None = 0, jobs: int | None = 1) -> Tree:
    """The same as a tree."""
    return as_tree(nodes_by_levels(dataset, settings, most_cases, jobs))


def model_from(dataset: Dataset, settings: Settings, jobs: int | None = 1) -> TreeModel:
    """The model that these settings make of the data."""
    tree, schema = grown(dataset, settings, jobs=jobs)
    return TreeModel(schema, settings, (), tree)


def outline(model: TreeModel) -> list[str]:
    """The tree in reading order, a line for each node: depth, branch, and what a leaf keeps of its cases."""
    tree, depths = model.tree, model.tree.depths()
    wording = {0: "all"}
    for node in tree.inner_nodes():
        for branch, child in enumerate(tree.children(node)):
            condition = model.node(node).condition(branch)
            wording[child] = condition.wording(model.schema.attributes[condition.attribute])
    lines = []
    for node in tree.in_reading_order():
        kept = ": " + " ".join(f"{number:g}" for number in tree.outcomes_of(node)) if tree.is_leaf(node) else ""
        lines.append("| " * depths[node] + wording[node] + kept)
    return lines


def assert_same_tree(one: Tree, other: Tree, tolerance: float = 1e-9) -> None:
    """The same nodes and splits; numbers may differ by rounding."""
    for name in ("kind", "attribute", "table", "missing_to", "first_child", "n_branches"):
        assert list(getattr(one, name)) == list(getattr(other, name)), name
    for name in ("number", "further", "outcomes", "score"):
        np.testing.assert_allclose(
            np.array(getattr(one, name)), np.array(getattr(other, name)), rtol=tolerance, atol=tolerance, err_msg=name
        )


def spread(outcomes: Sequence[float], impurity: str) -> float:
    """Weight times impurity of class weights, by the textbook's formulas."""
    total = sum(outcomes)
    if total <= 0:
        return 0.0
    shares = [weight / total for weight in outcomes if weight > 0]
    if impurity == "entropy":
        return total * -sum(p * log2(p) for p in shares)
    if impurity == "gini":
        return total * (1 - sum(p * p for p in shares))
    return total * (1 - max(shares))


def class_weights(dataset: Dataset, rows: np.ndarray) -> list[float]:
    """The weight of each class among some rows (flags)."""
    target, n_classes = dataset.target, len(dataset.schema.target.labels)
    return [float(dataset.weights[rows & (target == code)].sum()) for code in range(n_classes)]


def spread_of_rows(dataset: Dataset, rows: np.ndarray, impurity: str) -> float:
    """Weight times impurity of some rows (flags)."""
    if impurity != "variance":
        return spread(class_weights(dataset, rows), impurity)
    weights, target = dataset.weights[rows], np.asarray(dataset.target)[rows]
    if not weights.sum() > 0:
        return 0.0
    return float((weights * (target - np.average(target, weights=weights)) ** 2).sum())


def information(weights: Sequence[float]) -> float:
    """The entropy in bits of how cases are divided."""
    return spread(weights, "entropy") / sum(weights)


UNIT_WEIGHTS = st.just(1.0)
FRACTIONS = st.integers(1, 12).map(lambda quarters: quarters / 4)
FEW_NUMBERS = st.integers(-3, 3).map(float)
MANY_NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def datasets(
    draw: st.DrawFn,
    kinds: Sequence[str] = ("numeric",),
    *,
    n_classes: st.SearchStrategy[int] | None = None,
    numbers: st.SearchStrategy[float] = FEW_NUMBERS,
    weights: st.SearchStrategy[float] = UNIT_WEIGHTS,
    with_missing: bool = False,
    n_labels: st.SearchStrategy[int] = st.integers(2, 6),  # noqa: B008 strategies are values
    rows: tuple[int, int] = (2, 24),
) -> Dataset:
    """Random rows: an attribute of each kind; classes unless `n_classes` is None, which makes a numeric target."""
    n_rows = draw(st.integers(*rows))

    def listed(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n_rows, max_size=n_rows))

    attributes: list[Attribute] = []
    columns: list[np.ndarray] = []
    for position, kind in enumerate(kinds):
        if kind == "numeric":
            attributes.append(Attribute(f"x{position}", "numeric"))
            columns.append(np.array(listed(numbers | st.just(nan) if with_missing else numbers)))
            continue
        labels = tuple(LETTERS[: draw(n_labels)])
        attributes.append(Attribute(f"x{position}", kind, labels))  # type: ignore[arg-type]
        columns.append(np.array(listed(st.integers(-1 if with_missing else 0, len(labels) - 1)), np.int32))
    if n_classes is None:
        target = Attribute("y", "numeric")
        values = np.array(listed(st.integers(-5, 5).map(float)))
    else:
        target = Attribute("y", "nominal", tuple(LETTERS[: draw(n_classes)]))
        values = np.array(listed(st.integers(0, len(target.labels) - 1)), np.int32)
    return Dataset(Schema(tuple(attributes), target), columns, values, np.array(listed(weights)), True)


def continuous(n_rows: int, n_attributes: int, seed: int, *, n_classes: int | None = 3, noise: float = 0.0) -> Dataset:
    """Rows without ties: numbers drawn at random, and a target that follows from the first two or three of them."""
    random = np.random.default_rng(seed)
    columns = [random.normal(size=n_rows) for _ in range(n_attributes)]
    signal = columns[0] + np.sin(3 * columns[1 % n_attributes]) + noise * random.normal(size=n_rows)
    attributes = tuple(Attribute(f"x{a}", "numeric") for a in range(n_attributes))
    if n_classes is None:
        return Dataset(Schema(attributes, Attribute("y", "numeric")), columns, signal, np.ones(n_rows))
    bounds = np.quantile(signal, np.arange(1, n_classes) / n_classes)
    target = Attribute("y", "nominal", tuple(f"c{code}" for code in range(n_classes)))
    return Dataset(
        Schema(attributes, target), columns, np.searchsorted(bounds, signal).astype(np.int32), np.ones(n_rows)
    )


def numeric_table(
    columns: Sequence[Sequence[float]],
    target: Sequence[str] | Sequence[float],
    weights: Sequence[float] | None = None,
    labels: tuple[str, ...] | None = None,
) -> Dataset:
    """Numeric attributes x0, x1, … and a target of labels (in order of first appearance) or of numbers."""
    attributes = tuple(Attribute(f"x{a}", "numeric") for a in range(len(columns)))
    arrays = [np.array(column, np.float64) for column in columns]
    weight_of_row = np.ones(len(target)) if weights is None else np.array(weights, np.float64)
    if isinstance(target[0], str):
        names = labels or tuple(dict.fromkeys(str(label) for label in target))
        codes = np.array([names.index(str(label)) for label in target], np.int32)
        return Dataset(Schema(attributes, Attribute("y", "nominal", names)), arrays, codes, weight_of_row)
    numbers = np.array(target, np.float64)
    return Dataset(Schema(attributes, Attribute("y", "numeric")), arrays, numbers, weight_of_row)
