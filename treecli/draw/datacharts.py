"""Charts of the values that reach each split of a tree: histograms by class, and scatter plots of a numeric target."""

from __future__ import annotations

from sys import float_info
from typing import TYPE_CHECKING

from treecli.data import UNSEEN, Dataset
from treecli.draw.charts import CHART_WIDTH, Chart, Histogram, Scatter, branch_names, columns_of, cuts_of
from treecli.draw.drawing import cut
from treecli.draw.roundnumbers import short_number
from treecli.model import TreeModel
from treecli.models import program_of
from treecli.predict.program import Program, Test
from treecli.values import Condition, Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column, FloatArray

    Mask = NDArray[np.bool_]
    Rows = NDArray[np.int64]
    Arrivals = tuple[Rows, FloatArray]
    """Row indices and their weights."""

N_BINS = 24
MOST = float_info.max
MOST_POINTS = 250
"""Per scatter plot; with more cases, an evenly spaced sample is drawn."""

JITTER = 0.6
"""The fraction of a branch's width over which its cases are jittered."""

GOLDEN = 0.6180339887498949
NAME_SIZE = 9.0


def charts_of_data(model: TreeModel, dataset: Dataset) -> dict[int, Chart]:
    """Return a chart for every inner node, of the rows that reach it and have a known target.

    A row that goes down several branches counts in each by its share, as in prediction.
    """
    import numpy as np

    cases, program, tree = _Cases(model, dataset), program_of(model), model.tree
    is_known = cases.target >= 0 if model.schema.is_classification else np.isfinite(cases.target)
    start = np.flatnonzero(is_known & (dataset.weights > 0))
    cases.set_scale(start)
    reached: dict[int, Arrivals] = {0: (start, np.asarray(dataset.weights, np.float64)[start])}
    found: dict[int, Chart] = {}
    for node in range(tree.n_nodes):
        rows, weights = reached.pop(node)
        if tree.is_leaf(node):
            continue
        sent = _sent(program, node, dataset, rows, weights)
        branches = [sent.get(child, (rows[:0], weights[:0])) for child in tree.children(node)]
        reached.update(zip(tree.children(node), branches, strict=True))
        found[node] = cases.chart(node, rows, weights, branches)
    return found


def _sent(program: Program, node: int, dataset: Dataset, rows: Rows, weights: FloatArray) -> dict[int, Arrivals]:
    """Return the rows that go to each child of a node."""
    import numpy as np

    pending = np.ones(len(rows), bool)
    parts: dict[int, list[Arrivals]] = {}
    if node in program.spreads:
        spread = _holds(program.spreads[node], dataset, rows)
        for step in program.steps[node]:
            if step.share > 0:
                parts.setdefault(step.child, []).append((rows[spread], weights[spread] * step.share))
        pending &= ~spread
    for step in program.steps[node]:
        taken = pending & _holds(step.test, dataset, rows)
        parts.setdefault(step.child, []).append((rows[taken], weights[taken]))
        pending &= ~taken
    return {
        child: (np.concatenate([own for own, _ in pieces]), np.concatenate([own for _, own in pieces]))
        for child, pieces in parts.items()
    }


def _holds(test: Test, dataset: Dataset, rows: Rows) -> Mask:
    import numpy as np

    result = np.zeros(len(rows), bool)
    for member in test:
        all_hold = np.ones(len(rows), bool)
        for values in member:
            all_hold &= _is_in(values, dataset.column(values.attribute)[rows])
        result |= all_hold
    return result


def _is_in(values: Condition, column: Column) -> Mask:
    import numpy as np

    held: Mask
    if isinstance(values, Interval):
        numbers = np.asarray(column, np.float64)
        is_above = ~np.isnan(numbers) if values.low == -np.inf else numbers > values.low
        held = is_above & (numbers <= values.high) & values.takes_known
        return held | (np.isnan(numbers) & values.missing)
    is_unseen: Mask = column == UNSEEN
    is_missing: Mask = (column < 0) & ~is_unseen
    held = np.isin(column, values.codes)
    return held | (is_unseen & values.unseen) | (is_missing & values.missing)


class _Cases:
    """The rows to be charted, and the range of their numeric target, which all charts share.

    Differences are computed from halves, so that they are finite even for the largest numbers.
    """

    def __init__(self, model: TreeModel, dataset: Dataset) -> None:
        import numpy as np

        assert dataset.target is not None
        self.model, self.column = model, dataset.column
        is_classification = model.schema.is_classification
        self.target = np.asarray(dataset.target, np.int64 if is_classification else np.float64)
        self.low, self.half = 0.0, 0.5

    def set_scale(self, rows: Rows) -> None:
        if len(rows) and not self.model.schema.is_classification:
            self.low = float(self.target[rows].min())
            self.half = float(self.target[rows].max()) / 2 - self.low / 2 or 0.5

    def chart(self, node: int, rows: Rows, weights: FloatArray, branches: list[Arrivals]) -> Chart:
        """Return the chart of a node, given the rows that reach it and its branches."""
        import numpy as np

        schema, attribute = self.model.schema, self.model.tree.split(node).attribute
        is_numeric = schema.columns[attribute].is_numeric
        values = np.asarray(self.column(attribute)[rows], np.float64)
        is_drawn = np.isfinite(values) & is_numeric
        if schema.is_classification:
            if is_drawn.any():
                return self._histogram(node, values[is_drawn], rows[is_drawn], weights[is_drawn])
            counts = [np.bincount(self.target[own], by, len(schema.target.labels)) for own, by in branches]
            return columns_of(self.model, node, [list(map(float, own)) for own in counts])
        if is_drawn.any():
            return self._scatter(node, values[is_drawn], rows[is_drawn], branches)
        return self._strips(node, branches)

    def _histogram(self, node: int, values: FloatArray, rows: Rows, weights: FloatArray) -> Histogram:
        """Return bins of equal width with an edge at the first threshold, so that no bin there mixes two branches."""
        import numpy as np

        low, high = float(values.min()), float(values.max())
        cuts = tuple(place for place in cuts_of(self.model, node) if low <= place < high)
        width = high / N_BINS - low / N_BINS
        origin = cuts[0] if cuts else low
        if not width > 0:  # a single value, at the upper edge of its bin
            origin, width = low - 0.5, 1.0
        # A value at an edge belongs to the lower bin, as a value at a threshold goes to the lower branch.
        place = np.ceil((values / 2 - origin / 2) / (width / 2)).astype(np.int64)
        first, last = int(place.min()), int(place.max())
        n_labels = len(self.model.schema.target.labels)
        slots = (place - first) * n_labels + self.target[rows]
        table = np.bincount(slots, weights, (last - first + 1) * n_labels).reshape(-1, n_labels)
        edges = tuple(min(max(origin + step * width, -MOST), MOST) for step in range(first - 1, last + 1))
        return Histogram(low, high, edges, tuple(tuple(counts) for counts in table.tolist()), cuts)

    def _scatter(self, node: int, values: FloatArray, rows: Rows, branches: list[Arrivals]) -> Scatter:
        low, high = float(values.min()), float(values.max())
        half = high / 2 - low / 2 or 0.5
        cuts = [place for place in cuts_of(self.model, node) if low <= place < high]
        ends = [0.0, *((place / 2 - low / 2) / half for place in cuts), 1.0]
        kept = _evenly(len(rows), MOST_POINTS)
        points = zip(((values[kept] / 2 - low / 2) / half).tolist(), self._levels(rows[kept]), strict=True)
        pairs = zip(ends[:-1], ends[1:], branches, strict=False)
        means = [(left, right, self._mean(own)) for left, right, own in pairs if own[1].sum() > 0]
        names = [(0.0, short_number(low)), *([(1.0, short_number(high))] if high > low else [])]
        return Scatter(tuple(points), tuple(means), tuple(ends[1:-1]), tuple(names))

    def _strips(self, node: int, branches: list[Arrivals]) -> Scatter:
        """Return the cases of each branch above its name, jittered so that equal ones are distinguishable."""
        import numpy as np

        points: list[tuple[float, float]] = []
        means, names, breadth = [], [], 1 / len(branches)
        for branch, name in enumerate(branch_names(self.model, node)):
            rows, weights = branches[branch]
            middle, half = (branch + 0.5) * breadth, (JITTER + 0.2) / 2 * breadth
            names.append((middle, cut(name, CHART_WIDTH * breadth, NAME_SIZE)))
            kept = _evenly(len(rows), MOST_POINTS // len(branches) + 1)
            # Multiples of the golden ratio fill the width evenly and deterministically.
            spread = (np.arange(len(kept)) * GOLDEN) % 1 - 0.5
            points += zip((middle + spread * JITTER * breadth).tolist(), self._levels(rows[kept]), strict=True)
            if weights.sum() > 0:
                means.append((middle - half, middle + half, self._mean(branches[branch])))
        return Scatter(tuple(points), tuple(means), (), tuple(names))

    def _levels(self, rows: Rows) -> list[float]:
        found: list[float] = ((self.target[rows] / 2 - self.low / 2) / self.half).tolist()
        return found

    def _mean(self, branch: Arrivals) -> float:
        """Return the position of a branch's mean, or of its median in a tree of medians, from 0 to 1."""
        import numpy as np

        rows, weights = branch
        values = self.target[rows]
        if self.model.takes_medians:
            order = np.argsort(values, kind="stable")
            heaped = np.cumsum(weights[order])
            mean = float(values[order][np.searchsorted(heaped, heaped[-1] / 2)])
        else:
            mean = float(np.sum(values * (weights / weights.sum())))
        return (mean / 2 - self.low / 2) / self.half


def _evenly(n_rows: int, most: int) -> Rows:
    """Return at most `most` evenly spaced row positions."""
    import numpy as np

    return np.arange(n_rows) if n_rows <= most else np.linspace(0, n_rows - 1, most).astype(np.int64)
