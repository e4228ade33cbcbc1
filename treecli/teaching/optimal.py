"""The proof of an optimal tree: the errors of the best tree with every test at a node, and the bound on all trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.errors import CheckError, UsageError
from treecli.grow.grow import grow
from treecli.node import Node
from treecli.splits._registry import split_type
from treecli.teaching import trace
from treecli.teaching.branches import branch_of_case, labels, outcomes, title, values_of
from treecli.teaching.candidates import FAULT
from treecli.teaching.formulas import Count, Formula, Name, Result, Step, added, difference
from treecli.teaching.numbers import Digits
from treecli.teaching.trace import Bound, Branch, Candidate, NodeTrace
from treecli.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.model import TreeModel
    from treecli.settings import Settings
    from treecli.splits import Split
    from treecli.teaching.observing import Growth
    from treecli.teaching.seen import Seen
    from treecli.teaching.tracing import Place

ERRORS = "Errors"

TIE_RULE = "fewer leaves win, then the first test"

MOST_TESTS = 400
"""The most tests of a node: each is tried with the best trees below both of its branches."""


@dataclass(frozen=True, slots=True)
class Best:
    """The least errors of some cases in so many levels: their terms by leaf, and what the tree does with them."""

    terms: tuple[float, ...]
    does: str

    @property
    def errors(self) -> float:
        return sum(self.terms)


@dataclass(frozen=True, slots=True)
class Prover:
    """Finds the best trees below every test of a node; `depth` is that of the search."""

    growth: Growth
    settings: Settings
    depth: int
    digits: Digits
    known: dict[tuple[int, bytes], Best]

    @staticmethod
    def of(model: TreeModel, growth: Growth, depth: int, digits: Digits) -> Prover:
        """Return the prover of a model; errors are printed whole if they are."""
        weights = growth.dataset.weights
        own = Digits(0, digits.at_steps) if (weights == np.floor(weights)).all() else digits
        return Prover(growth, model.settings, depth, own, {})

    def node(self, model: TreeModel, place: Place, found: NodeTrace, seen: Seen, most: int) -> NodeTrace:
        """Return the trace of a node: the best test of each attribute, and what proves that the chosen one is best."""
        growth, left = self.growth, self.depth - place.depth
        schema, chosen = growth.schema, growth.tree.split(place.grown)
        tests = list(self._tests(seen, chosen))
        if len(tests) > MOST_TESTS:
            raise UsageError(
                f"--search optimal: node {place.number} has {len(tests)} tests, more than {MOST_TESTS}, and the trace "
                "looks for the best trees below each of them",
                "trace fewer rows, or round the numbers: each distinct value is a test",
            )
        best: dict[int, Candidate] = {}
        for split in tests:
            own = self._candidate(seen, split, left - 1, is_chosen=split == chosen)
            if own is not None and (split.attribute not in best or _is_better(own, best[split.attribute])):
                best[split.attribute] = own
        first = best[chosen.attribute]
        assert first.gain is not None
        least = first.gain.exact
        self._check(place, Node(growth.tree, place.grown, schema), least, list(best.values()))
        every = tuple(self._ranked(best[a], least) for a in sorted(best))
        first = next(own for own in every if own.status == trace.CHOSEN)
        others = sorted((own for own in every if own is not first), key=_errors)
        shown = {id(own) for own in [first, *others][:most]}
        is_leaf = model.tree.is_leaf(place.number)
        return replace(
            found,
            impurity=self._as_leaf(found),
            every=every,
            candidates=tuple(own for own in every if id(own) in shown),
            others=tuple(own for own in every if id(own) not in shown),
            chosen=first,
            runner_up=others[0] if others else None,
            ties=_ties(every),
            score=growth.tree.score[place.grown],
            undone="the split was taken back after growing" if is_leaf else "",
            tie_rule=TIE_RULE,
            bound=Bound(len(tests), left, least, self._floor(seen), self.digits),
        )

    def _ranked(self, own: Candidate, least: float) -> Candidate:
        return replace(own, status=trace.TIED) if own.status == trace.BEATEN and _errors(own) == least else own

    def _as_leaf(self, found: NodeTrace) -> Step:
        formula = difference(Count(found.weight), Count(max(found.counts)))
        return Step(Name(ERRORS, "S"), formula, self.digits, f"as a leaf {found.prediction}")

    def _tests(self, seen: Seen, chosen: Split) -> Iterator[Split]:
        """Yield the chosen test, and the others: thresholds between any two values, one label against the rest."""
        yield chosen
        dataset = self.growth.dataset
        taken = self._branch(seen, chosen) == 0
        is_lower = self.settings.splitting.threshold == "datavalue"
        for a, attribute in enumerate(dataset.schema.attributes):
            values: NDArray[Any] = np.unique(values_of(dataset, a, seen.rows))
            if attribute.kind == "nominal":
                cuts = values if len(values) > 2 else values[:-1]
                n = len(attribute.labels)
                tables = [tuple((np.arange(n) != label).astype(int).tolist()) for label in cuts.tolist()]
                splits = [split_type("binary").load(a, 0.0, table, ()) for table in tables]
            else:
                low = values[:-1] if is_lower or attribute.kind == "ordinal" else (values[:-1] + values[1:]) / 2
                splits = [split_type("threshold").load(a, number, (), ()) for number in low.tolist()]
            for split in splits:
                held = self._branch(seen, split) == 0
                if split.attribute != chosen.attribute or (held != taken).any():
                    yield split

    def _branch(self, seen: Seen, split: Split) -> NDArray[np.int64]:
        return branch_of_case(split, values_of(self.growth.dataset, split.attribute, seen.rows))

    def _candidate(self, seen: Seen, split: Split, n_levels: int, *, is_chosen: bool) -> Candidate | None:
        """Return a test with the best trees below its branches; None if a branch is too small."""
        growth, branch = self.growth, self._branch(seen, split)
        plan = growth.plan
        counts = outcomes(branch, 2, growth.dataset, seen.rows, seen.weights)
        sizes = np.bincount(branch, minlength=2) if plan.counts_rows else counts.sum(axis=1)
        least = plan.min_rows if plan.counts_rows else plan.min_leaf
        if not is_chosen and sizes.min() < max(least, np.finfo(float).tiny) - plan.tolerance:
            return None
        parts = []
        for place, (text, own) in enumerate(zip(labels(split, growth.schema), counts, strict=True)):
            best = self._best(seen.rows[branch == place], seen.weights[branch == place], own, n_levels)
            formula: Formula | None = added(map(Count, best.terms)) if len(best.terms) > 1 else None
            if formula is None and best.errors > 0:
                formula = difference(Count(float(own.sum())), Count(float(own.max())))
            step = Step(Name(ERRORS, "S", branch=text), formula, self.digits, best.does)
            parts.append(Branch(text, float(own.sum()), tuple(own.tolist()), step))
        name = title(split, growth.schema)
        total = Step(Name(ERRORS, "S", split=name), added(Result(part.impurity) for part in parts), self.digits)
        status = trace.CHOSEN if is_chosen else trace.BEATEN
        column = quoted(growth.schema.columns[split.attribute].name)
        return Candidate(column, name, status, branches=tuple(parts), gain=total, measure="errors")

    def _best(self, rows: NDArray[np.int32], weights: NDArray[np.float64], own: np.ndarray, n_levels: int) -> Best:
        """Return the least errors of some cases in so many levels; a leaf's if there are none."""
        key = (n_levels, rows.tobytes())
        if key not in self.known:
            label = f"a leaf {quoted(self.growth.schema.target.labels[int(own.argmax())])}"
            self.known[key] = Best((float(own.sum() - own.max()),), label)
            if n_levels > 0 and (own > 0).sum() > 1:
                self.known[key] = self._searched(rows, weights, n_levels) or self.known[key]
        return self.known[key]

    def _searched(self, rows: NDArray[np.int32], weights: NDArray[np.float64], n_levels: int) -> Best | None:
        """Return the best tree of some cases, None if it is a leaf."""
        dataset = replace(self.growth.dataset.take(rows), weights=weights)
        settings = self.settings.changed(search=f"optimal:{n_levels}", max_depth=None)
        tree, schema = grow(dataset, settings, jobs=1), self.growth.schema
        if tree.is_leaf(0):
            return None
        leaves = (Node(tree, node, schema) for node in range(tree.n_nodes) if tree.is_leaf(node))
        return Best(tuple(leaf.errors for leaf in leaves), f"split on {title(tree.split(0), schema)}")

    def _floor(self, seen: Seen) -> float:
        """Return the errors that no tree avoids: cases with the same values that are not in the class of most."""
        columns = [values_of(self.growth.dataset, a, seen.rows) for a in range(len(self.growth.schema.attributes))]
        _, alike = np.unique(np.stack(columns, axis=1).astype(np.float64), axis=0, return_inverse=True)
        alike = alike.ravel()
        counts = outcomes(alike, int(alike.max()) + 1, self.growth.dataset, seen.rows, seen.weights)
        return float((counts.sum(axis=1) - counts.max(axis=1)).sum())

    def _check(self, place: Place, node: Node, least: float, candidates: list[Candidate]) -> None:
        """Raise an error if the tree below a node has other errors, or a test leads to fewer."""
        pending, errors = [node], 0.0
        while pending:
            own = pending.pop()
            below = node.tree.children(own.index)
            errors += 0.0 if below else own.errors
            pending += [Node(node.tree, child, node.schema) for child in below]
        fewer = [own.title for own in candidates if _errors(own) < least - 1e-9]
        if abs(errors - least) > 1e-9 or fewer:
            raise CheckError(
                f"node {place.number}: the trace finds {least!r} errors below the test, the tree has {errors!r}"
                + (f", and '{fewer[0]}' leads to fewer" if fewer else ""),
                FAULT,
            )


def _errors(own: Candidate) -> float:
    assert own.gain is not None
    return own.gain.exact


def _is_better(own: Candidate, other: Candidate) -> bool:
    """Return whether a test is shown instead of another one on its attribute: the chosen one always is."""
    return other.status != trace.CHOSEN and _errors(own) < _errors(other)


def _ties(every: tuple[Candidate, ...]) -> tuple[str, ...]:
    ties = tuple(own.title for own in every if own.status in (trace.CHOSEN, trace.TIED))
    return ties if len(ties) > 1 else ()
