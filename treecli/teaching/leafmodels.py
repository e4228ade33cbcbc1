"""Linear models at the nodes of a tree: their formulas, and how those of leaves are smoothed."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import CheckError
from treecli.expressions import values_of
from treecli.leaves.linear import Line
from treecli.modeltrees.fitting import rows_of_nodes
from treecli.modeltrees.smoothing import WEIGHT_OF_PARENT, own_model
from treecli.predict.predict import single_leaves
from treecli.teaching.checks import ACCURACY, FAULT, ROUNDING, disagree
from treecli.tree import WEIGHT
from treecli.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treecli.data import Attribute
    from treecli.leaves.linear import Input, Leaf
    from treecli.model import TreeModel
    from treecli.teaching.numbers import Digits
    from treecli.teaching.observing import Growth


class Formulas:
    """The models of a tree as text, each checked on the cases that it was fitted to."""

    def __init__(self, model: TreeModel, growth: Growth, attributes: Sequence[Attribute], digits: Digits) -> None:
        """`model` has the columns that the tree was grown on; the formulas are of `attributes`."""
        self._model, self._attributes, self._digits = model, attributes, digits
        self._data = growth.dataset.labelled()
        self._columns = (growth.dataset if growth.whole is None else growth.whole).labelled().columns
        self._rows = rows_of_nodes(model.tree, single_leaves(model, self._data))
        self._parents = model.tree.parents()
        assert self._data.target is not None
        self._largest = float(np.abs(self._data.target).max(initial=0.0))

    def lines(self, node: int) -> tuple[str, ...]:
        """Return the model that was fitted to a node; at a leaf also how it is mixed with those above; none: no model.

        Raise an error if the error of the model, or the smoothed model, is not the learner's.
        """
        leaf = own_model(self._model.tree, node)
        if leaf is None:
            return ()
        accuracy = ACCURACY * max(1.0, leaf.rmse) + ROUNDING * self._largest
        disagree(node, "the model", "error", self._error(node, leaf.own), leaf.rmse, accuracy)
        text = f"model: {self._text(leaf.own)}, root mean squared error {self._digits.text(leaf.rmse)}"
        return text, *(self._smoothed(node, leaf) if leaf.unsmoothed is not None else ())

    def _text(self, line: Line) -> str:
        return f"{quoted(self._model.schema.target.name)} = {line.wording(self._attributes)}"

    def _error(self, node: int, line: Line) -> float:
        """Return the root mean squared error of a line on the cases of a node."""
        rows = self._rows.order[self._rows.begin[node] : self._rows.end[node]]
        assert self._data.target is not None
        found = values_of(line.expression(), lambda index: np.asarray(self._columns[index])[rows], len(rows))
        weights = self._data.weights[rows]
        return sqrt(float((weights * (self._data.target[rows] - found) ** 2).sum() / weights.sum()))

    def _smoothed(self, node: int, leaf: Leaf) -> list[str]:
        """Return a line for each node above: n of n + 15 parts of the model so far, 15 of that of the node above."""
        tree, texts = self._model.tree, []
        constant, factors, below = leaf.own.intercept, dict(leaf.own.terms), node
        while below:
            n, above = tree.outcomes_of(below)[WEIGHT], self._parents[below]
            other = own_model(tree, above)
            below = above
            if other is None:
                continue
            share = n / (n + WEIGHT_OF_PARENT)
            theirs = dict(other.own.terms)
            constant = share * constant + (1 - share) * other.own.intercept
            factors = {
                own: share * factors.get(own, 0.0) + (1 - share) * theirs.get(own, 0.0) for own in factors | theirs
            }
            parts = f"{self._digits.count(n)}/{self._digits.count(n + WEIGHT_OF_PARENT)}"
            rest = f"{self._digits.count(WEIGHT_OF_PARENT)}/{self._digits.count(n + WEIGHT_OF_PARENT)}"
            mixed = self._text(_line(constant, factors, leaf.line))
            texts.append(f"smoothed: {parts} of it and {rest} of the model of node {above}: {mixed}")
        self._check(node, _line(constant, factors, leaf.line), leaf.line)
        return texts

    def _check(self, node: int, found: Line, learned: Line) -> None:
        """Raise an error if a smoothed model is not the learner's."""
        pairs = [(found.intercept, learned.intercept)]
        own, theirs = dict(found.terms), dict(learned.terms)
        pairs += [(own.get(part, 0.0), theirs.get(part, 0.0)) for part in own | theirs]
        if any(abs(a - b) > ACCURACY * max(1.0, abs(a)) for a, b in pairs):
            raise CheckError(f"node {node}: the smoothed model in the trace is not the learner's", FAULT)


def _line(constant: float, factors: dict[Input, float], like: Line) -> Line:
    """Return a line with its terms in the order of another."""
    order = [own for own, _ in like.terms]
    ranked = sorted(factors, key=lambda own: order.index(own) if own in order else len(order))
    return Line(constant, tuple((own, factors[own]) for own in ranked if factors[own]))
