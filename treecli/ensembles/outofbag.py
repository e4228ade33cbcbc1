"""Out-of-bag predictions: for each row, those of the trees that were not grown on it (Breiman 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from treecli.ensembles.bagging import Bagging, drawn_rows
from treecli.evaluate.result import Result
from treecli.options.ensembles import MAJORITY
from treecli.predict.ensembles import add_vote
from treecli.predict.nodevalues import predicted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Column, Dataset, FloatArray
    from treecli.model import EnsembleModel, Model, TreeModel
    from treecli.predict.manytrees import ManyTrees

    IntArray = NDArray[np.int64]


class OutOfBag:
    """The votes of trees for the rows that they were not grown on."""

    def __init__(self, dataset: Dataset, model: Model, votes: str) -> None:
        import numpy as np

        assert dataset.target is not None
        self._dataset, self._model, self._votes = dataset, model, votes
        n_values = model.schema.n_outcomes if model.schema.is_classification else 1
        self._sums = np.zeros((dataset.n_rows, n_values))
        self.n_votes: IntArray = np.zeros(dataset.n_rows, np.int64)
        target = dataset.target
        self.many: ManyTrees | None = None
        """The trees of `add_all`, prepared for more rows."""
        self._counts = (target == target if dataset.schema.target.is_numeric else target >= 0) & (dataset.weights > 0)

    def add(self, tree: TreeModel, n_drawn: IntArray, jobs: int | None = None) -> None:
        """Add the votes of a tree; `n_drawn` tells how often each row was drawn for it."""
        import numpy as np

        rows = np.flatnonzero(n_drawn == 0)
        if not len(rows):
            return
        own = np.zeros((len(rows), self._sums.shape[1]))
        add_vote(own, tree, self._dataset.view(rows), self._votes, jobs)
        self._sums[rows] += own
        self.n_votes[rows] += 1

    def add_all(self, members: Sequence[TreeModel], bagging: Bagging, jobs: int | None = None) -> None:
        """Add the votes of all trees of a forest, whose rows were drawn like this; as `add` does, in less time."""
        import numpy as np

        from treecli.predict.manytrees import ManyTrees

        n_rows = self._dataset.n_rows
        if any(member.schema.derived for member in members) or ManyTrees.refuses(members):
            for number, member in enumerate(members):
                self.add(replace(member), drawn_rows(n_rows, bagging, number), jobs)
            return
        kept = []
        for number in range(len(members)):
            is_outside = drawn_rows(n_rows, bagging, number) == 0
            self.n_votes += is_outside
            kept.append(np.packbits(is_outside))

        def outside(number: int) -> IntArray:
            return np.flatnonzero(np.unpackbits(kept[number], count=n_rows))

        by_label = self._votes == MAJORITY and self._model.schema.is_classification
        if self.n_votes.any():
            self.many = ManyTrees(members)
            self.many.add_votes(self._sums, self._dataset, jobs, by_label=by_label, rows_of_tree=outside)

    def answers(self) -> tuple[Column, FloatArray]:
        """Return the prediction for every row, and the class probabilities; 0 without votes."""
        shares = self._sums / self.n_votes.clip(1)[:, None]
        return predicted(self._model, shares), shares

    @property
    def n_rows(self) -> int:
        """The number of rows with a target that have a vote."""
        return int((self._counts & (self.n_votes > 0)).sum())

    def errors(self) -> tuple[FloatArray, FloatArray]:
        """Return the truth less the prediction, for a numeric target, and the weight of each row with a vote."""
        is_voted = self._counts & (self.n_votes > 0)
        found: FloatArray = self._sums[is_voted, 0] / self.n_votes[is_voted]
        assert self._dataset.target is not None
        return self._dataset.target[is_voted] - found, self._dataset.weights[is_voted]

    def error(self) -> float | None:
        """Return the share of wrong predictions by weight, or the root mean squared error; None without votes."""
        import numpy as np

        is_voted = self._counts & (self.n_votes > 0)
        weights = self._dataset.weights[is_voted]
        if not len(weights):
            return None
        assert self._dataset.target is not None
        sums, truth = self._sums[is_voted], self._dataset.target[is_voted]
        shares = sums / self.n_votes[is_voted][:, None]
        found = predicted(self._model, shares)
        if self._model.schema.is_classification:
            return float(weights[found != truth].sum() / weights.sum())
        return float(np.sqrt((weights * (found - truth) ** 2).sum() / weights.sum()))


def bagging_of(model: EnsembleModel, dataset: Dataset) -> Bagging | None:
    """Return how the rows of a forest's trees were drawn, None if trees have no rows outside or these are other rows.

    The lineage records the number of rows and of trees, and the share; the draws follow from the seed.
    """
    trained = next((step for step in model.lineage if step.get("command") == "train"), {})
    grown = next((step for step in model.lineage if step.get("command") == "forest"), None)
    if model.IS_BOOSTED or grown is None or grown.get("sample") == 1.0:
        return None
    if trained.get("rows") != dataset.n_rows or "test_rows" in trained:
        return None
    return Bagging(model.n_trees, grown.get("sample"), model.settings.computing.seed)


def out_of_bag(model: EnsembleModel, dataset: Dataset, bagging: Bagging, jobs: int | None = None) -> OutOfBag:
    """Return the votes of a forest for the rows that it was grown on."""
    outside = OutOfBag(dataset, model, model.votes)
    outside.add_all(list(model.members()), bagging, jobs)
    return outside


def out_of_bag_result(model: EnsembleModel, dataset: Dataset, bagging: Bagging) -> Result:
    """Return the out-of-bag predictions beside the truth, for the rows that have one."""
    import numpy as np

    outside = out_of_bag(model, dataset, bagging, 1)
    codes, shares = outside.answers()
    rows = np.flatnonzero(outside.n_votes)
    assert dataset.target is not None
    probabilities = shares[rows] if model.schema.is_classification else None
    labels, costs = model.schema.target.labels, model.settings.predicting.costs
    return Result(labels, dataset.target[rows], codes[rows], probabilities, dataset.weights[rows], None, costs)
