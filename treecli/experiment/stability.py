"""How much a tree changes with its training rows: the trees of many samples beside the tree of all rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from treecli.experiment.workers import mapped
from treecli.learn import learn
from treecli.threads import FEW_CASES

if TYPE_CHECKING:
    from treecli.data import Column, Dataset
    from treecli.evaluate.folds import Rows
    from treecli.model import TreeModel
    from treecli.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Shape:
    """The splits of the tree of a sample, and its predictions.

    `uses` counts the splits on each column by name, and `thresholds` has its thresholds: trees may derive columns of
    their own. `agreement` compares the predictions with those of the tree of all rows: the share of the rows that are
    predicted alike, or for a numeric target the root mean squared difference; on all rows, and on those that are not
    in the sample, None if there are none.
    """

    root: str | None
    root_threshold: float | None
    uses: dict[str, int]
    thresholds: dict[str, list[float]]
    leaves: int
    agreement: float
    agreement_out_of_bag: float | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stability:
    """The shapes of all samples, and of the tree of all rows."""

    whole: Shape
    samples: list[Shape]

    @property
    def names(self) -> list[str]:
        """The columns that some tree uses, in the order of their first use."""
        return list(dict.fromkeys(name for shape in (self.whole, *self.samples) for name in shape.uses))

    def roots(self, attribute: str | None) -> int:
        """Return the number of samples whose tree asks an attribute first; None: that has no split."""
        return sum(shape.root == attribute for shape in self.samples)

    def selected(self, attribute: str) -> float:
        """Return the share of the samples whose tree uses an attribute."""
        return fmean(attribute in shape.uses for shape in self.samples)

    def mean_uses(self, attribute: str) -> float:
        """Return the mean number of splits on an attribute."""
        return fmean(shape.uses.get(attribute, 0) for shape in self.samples)

    def thresholds(self, attribute: str) -> dict[str, float | int] | None:
        """Return the distribution of the thresholds on an attribute over all trees; None if there are none."""
        return spread([number for shape in self.samples for number in shape.thresholds.get(attribute, ())])


def stability(
    dataset: Dataset,
    recipe: Recipe,
    samples: Sequence[Rows],
    *,
    jobs: int | None = None,
    on_sample: Callable[[float], None] | None = None,
) -> Stability:
    """Return the trees of the samples beside that of all rows, whatever the number of `jobs`."""
    warnings: dict[str, None] = {}
    whole = learn(dataset, recipe, jobs=jobs, on_warning=warnings.setdefault)
    said = _predictions(whole, dataset)

    def work(sample: int, threads: int | None = 1) -> Shape:
        return _shape(dataset, recipe, samples[sample], said, threads)

    numbers = range(len(samples))
    # With many rows, the threads of one tree at a time keep the memory small, and all cores busy.
    found = (work(sample, jobs) for sample in numbers) if dataset.n_rows >= FEW_CASES else mapped(work, numbers, jobs)
    shapes = []
    for shape in found:
        shapes.append(shape)
        if on_sample is not None:
            on_sample(len(shapes) / len(samples))
    return Stability(_described(whole, 1.0, None, tuple(warnings)), shapes)


def _shape(dataset: Dataset, recipe: Recipe, rows: Rows, said: Column, jobs: int | None) -> Shape:
    """Return the tree of a sample, compared with the predictions of the tree of all rows."""
    import numpy as np

    warnings: dict[str, None] = {}
    model = learn(dataset.take(rows), recipe, jobs=jobs, on_warning=warnings.setdefault)
    own: Any = _predictions(model, dataset, jobs)
    is_outside = np.ones(dataset.n_rows, bool)
    is_outside[rows] = False
    off = (own - said) ** 2 if dataset.schema.target.is_numeric else own == said
    agreement = _average(off, dataset.weights, dataset.schema.target.is_numeric)
    assert agreement is not None
    outside = _average(off[is_outside], dataset.weights[is_outside], dataset.schema.target.is_numeric)
    return _described(model, agreement, outside, tuple(warnings))


def _predictions(model: TreeModel, dataset: Dataset, jobs: int | None = 1) -> Column:
    from treecli.predict.predict import predictions

    return predictions(model, dataset, jobs)


def _average(off: Any, weights: Any, is_squared: bool) -> float | None:
    total = float(weights.sum())
    if not total > 0:
        return None
    mean = float(off @ weights) / total
    return mean**0.5 if is_squared else mean


def _described(model: TreeModel, agreement: float, outside: float | None, warnings: tuple[str, ...]) -> Shape:
    tree, columns = model.tree, model.schema.columns
    uses: dict[str, int] = {}
    thresholds: dict[str, list[float]] = {}
    for node in tree.inner_nodes():
        name = columns[tree.attribute[node]].name
        uses[name] = uses.get(name, 0) + 1
        if numbers := _numbers(model, node):
            thresholds.setdefault(name, []).extend(numbers)
    root = None if tree.is_leaf(0) else columns[tree.attribute[0]].name
    first = [] if root is None else _numbers(model, 0)
    return Shape(root, first[0] if first else None, uses, thresholds, tree.n_leaves, agreement, outside, warnings)


def _numbers(model: TreeModel, node: int) -> list[float]:
    """Return the thresholds of a node on a numeric attribute."""
    split = model.tree.split(node)
    is_numeric = model.schema.columns[split.attribute].is_numeric
    return [split.number, *split.further] if is_numeric and split.KIND in ("threshold", "bins") else []


def spread(numbers: Sequence[float]) -> dict[str, float | int] | None:
    """Return the distribution of numbers; quartiles are interpolated linearly, as in R. None if there are none."""
    import numpy as np

    if not numbers:
        return None
    low, q1, median, q3, high = np.quantile(numbers, (0, 0.25, 0.5, 0.75, 1)).tolist()
    return {"n": len(numbers), "min": low, "q1": q1, "median": median, "q3": q3, "max": high}


def mean_and_sd(numbers: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return the mean and the standard deviation of the numbers that exist."""
    known = [number for number in numbers if number is not None]
    return fmean(known) if known else None, stdev(known) if len(known) > 1 else None
