"""The proof of an optimal tree: the errors of the best tree with every test at a node, and the bound on all trees.

With a penalty for leaves, the cost of a tree is its errors plus the penalty of every leaf.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.errors import CheckError, UsageError
from treecli.grow.grow import grow
from treecli.priors import expected_costs
from treecli.splits._registry import split_type
from treecli.teaching import trace
from treecli.teaching.branches import OR_MISSING, UNKNOWN, outcomes, title, values_of, with_side
from treecli.teaching.checks import FAULT
from treecli.teaching.classweights import cost_of
from treecli.teaching.formulas import Count, Formula, Name, Product, Result, Step, Sum, added, difference
from treecli.teaching.numbers import Digits
from treecli.teaching.trace import Bound, Branch, Candidate, NodeTrace
from treecli.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Schema
    from treecli.model import TreeModel
    from treecli.settings import Settings
    from treecli.splits import Split
    from treecli.teaching.observing import Growth
    from treecli.teaching.seen import Seen
    from treecli.teaching.tracing import Place
    from treecli.tree import Tree

ERRORS, COST = "Errors", "Cost"

TIE_RULE = "fewer leaves win, then the first test"

MOST_TESTS = 400
"""The most tests of a node: each is tried with the best trees below both of its branches."""

EQUAL = 1e-9
"""Costs with a smaller difference are equal."""

UNITS = 1e-7
"""The same for the cost that a search with priors or costs records, relative: it counts in whole units."""


@dataclass(frozen=True, slots=True)
class Test:
    """A split, and the branch that missing values take."""

    split: Split
    side: int

    def name(self, schema: Schema, *, has_missing: bool) -> str:
        """Return the name of the test; with the missing values where they take its first branch."""
        return title(self.split, schema) + (OR_MISSING if has_missing and self.side == 0 else "")


@dataclass(frozen=True, slots=True)
class Best:
    """The least errors of some cases in so many levels: their terms by leaf, and what the tree does with them."""

    terms: tuple[float, ...]
    does: str

    def cost(self, penalty: float) -> float:
        """Return the errors, plus the penalty of every leaf."""
        return sum(self.terms) + penalty * len(self.terms)


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
        tree, settings = growth.tree, model.settings
        costs = () if tree.costs is None else tree.costs
        numbers = [growth.dataset.weights, [settings.searching.penalty], tree.class_scale, *costs]
        whole = np.concatenate([np.asarray(own, np.float64) for own in numbers])
        own = Digits(0, digits.at_steps) if (whole == np.floor(whole)).all() else digits
        return Prover(growth, _without_priors(settings, tree), depth, own, {})

    @property
    def penalty(self) -> float:
        return self.settings.searching.penalty

    @property
    def symbol(self) -> str:
        """The name of the number that decides."""
        return COST if self.penalty or self.is_judged else ERRORS

    @property
    def is_judged(self) -> bool:
        return bool(self.growth.tree.class_scale) or self.growth.tree.costs is not None

    @property
    def is_proved(self) -> bool:
        return bool(self.growth.facts.get("proved", True))

    def node(self, model: TreeModel, place: Place, found: NodeTrace, seen: Seen, most: int) -> NodeTrace:
        """Return the trace of a node: the best test of each attribute, and what proves that the chosen one is best."""
        growth, left = self.growth, self.depth - place.depth
        chosen = Test(growth.tree.split(place.grown), growth.tree.missing_to[place.grown])
        tests = list(self._tests(seen, chosen)) if self.is_proved else []
        if len(tests) > MOST_TESTS:
            raise UsageError(
                f"--search optimal: node {place.number} has {len(tests)} tests, more than {MOST_TESTS}, and the trace "
                "looks for the best trees below each of them",
                "trace fewer rows, or round the numbers: each distinct value is a test",
            )
        best: dict[int, Candidate] = {}
        for test in tests:
            own = self._candidate(seen, test, left - 1, is_chosen=test is tests[0])
            if own is not None and (test.split.attribute not in best or _is_better(own, best[test.split.attribute])):
                best[test.split.attribute] = own
        if not tests:
            best[chosen.split.attribute] = self._as_found(seen, chosen, place.grown)
        first = best[chosen.split.attribute]
        least = _errors(first)
        self._check(place, least, list(best.values()))
        every = tuple(self._ranked(best[a], least) for a in sorted(best))
        first = next(own for own in every if own.status == trace.CHOSEN)
        others = sorted((own for own in every if own is not first), key=_errors)
        shown = {id(own) for own in [first, *others][:most]}
        is_leaf = model.tree.is_leaf(place.number)
        at_least = growth.facts.get("at_least") if place.number == 0 else None
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
            bound=Bound(
                len(tests),
                left,
                least,
                self._floor(seen),
                self.digits,
                is_cost=self.symbol == COST,
                at_least=at_least,
                is_judged=self.is_judged,
            ),
        )

    def _ranked(self, own: Candidate, least: float) -> Candidate:
        is_equal = abs(_errors(own) - least) <= EQUAL
        return replace(own, status=trace.TIED) if own.status == trace.BEATEN and is_equal else own

    def _as_leaf(self, found: NodeTrace) -> Step:
        formula: Sum | None = difference(Count(found.weight), Count(max(found.counts)))
        if self.is_judged:
            formula = cost_of(found.counts, self.growth.tree.label(found.counts), self.growth.tree)
        return Step(Name(self.symbol, "S"), self._with_leaves(formula, 1), self.digits, f"as a leaf {found.prediction}")

    def _with_leaves(self, errors: Sum | None, n_leaves: int) -> Sum | None:
        """Return errors plus the penalty of so many leaves."""
        if not self.penalty:
            return errors
        terms = ((1, Count(0.0)),) if errors is None else errors.terms
        return Sum((*terms, (1, Product((Count(n_leaves), Count(self.penalty))))))

    def _tests(self, seen: Seen, chosen: Test) -> Iterator[Test]:
        """Yield the chosen test, and the others: thresholds between any two values, one label against the rest.

        Missing values may be on either side, or known values on one side and missing ones on the other.
        """
        yield chosen
        dataset = self.growth.dataset
        taken = self._branch(seen, chosen) == 0
        is_lower = self.settings.splitting.threshold == "datavalue"
        for a, attribute in enumerate(dataset.schema.attributes):
            own: NDArray[Any] = values_of(dataset, a, seen.rows)
            is_missing = own < 0 if attribute.kind == "nominal" else own != own
            values: NDArray[Any] = np.unique(own[~is_missing])
            sides = (0, 1) if is_missing.any() else (UNKNOWN,)
            if attribute.kind == "nominal":
                cuts = values if len(values) > 2 else values[:-1]
                n = len(attribute.labels)
                tables = [tuple((np.arange(n) != label).astype(int).tolist()) for label in cuts.tolist()]
                splits = [split_type("binary").load(a, 0.0, table, ()) for table in tables]
            else:
                low = values[:-1] if is_lower or attribute.kind == "ordinal" else (values[:-1] + values[1:]) / 2
                splits = [split_type("threshold").load(a, number, (), ()) for number in low.tolist()]
            tests = [Test(split, side) for split in splits for side in sides]
            if is_missing.any() and len(values):
                tests.append(Test(split_type("known").load(a, np.inf, (), ()), 1))
            for test in tests:
                held = self._branch(seen, test) == 0
                if test.split.attribute != chosen.split.attribute or (held != taken).any():
                    yield test

    def _branch(self, seen: Seen, test: Test) -> NDArray[np.int64]:
        return self._placed(seen, test)[0]

    def _placed(self, seen: Seen, test: Test) -> tuple[NDArray[np.int64], list[str]]:
        values = values_of(self.growth.dataset, test.split.attribute, seen.rows)
        return with_side(test.split, test.side, values, self.growth.schema)

    def _candidate(self, seen: Seen, test: Test, n_levels: int, *, is_chosen: bool) -> Candidate | None:
        """Return a test with the best trees below its branches; None if a branch is too small."""
        growth, branch = self.growth, self._branch(seen, test)
        plan = growth.plan
        counts = outcomes(branch, 2, growth.dataset, seen.rows, seen.weights)
        sizes = np.bincount(branch, minlength=2) if plan.counts_rows else counts.sum(axis=1)
        least = plan.min_rows if plan.counts_rows else plan.min_leaf
        if not is_chosen and sizes.min() < max(least, np.finfo(float).tiny) - plan.tolerance:
            return None
        best = [
            self._best(seen.rows[branch == place], seen.weights[branch == place], own, n_levels)
            for place, own in enumerate(counts)
        ]
        return self._spelled(seen, test, best, trace.CHOSEN if is_chosen else trace.BEATEN)

    def _as_found(self, seen: Seen, test: Test, node: int) -> Candidate:
        """Return the test of a node with the trees below its branches, best or not."""
        tree, schema, best = self.growth.tree, self.growth.schema, []
        for child in tree.children(node):
            leaf = f"a leaf {quoted(schema.target.labels[tree.label(tuple(tree.outcomes_of(child)))])}"
            does = leaf if tree.is_leaf(child) else f"split on {title(tree.split(child), schema)}"
            best.append(Best(tuple(self._leaf_errors(child)), does))
        return self._spelled(seen, test, best, trace.CHOSEN)

    def _spelled(self, seen: Seen, test: Test, best: list[Best], status: str) -> Candidate:
        """Return a test with the errors of these trees below its branches."""
        growth, (branch, texts) = self.growth, self._placed(seen, test)
        counts = outcomes(branch, 2, growth.dataset, seen.rows, seen.weights)
        parts = []
        for text, own, below in zip(texts, counts, best, strict=True):
            errors: Sum | None = added(map(Count, below.terms)) if len(below.terms) > 1 else None
            if errors is None and self.is_judged:
                errors = cost_of(own.tolist(), growth.tree.label(own.tolist()), growth.tree)
            elif errors is None and sum(below.terms) > 0:
                errors = difference(Count(float(own.sum())), Count(float(own.sum()) - below.terms[0]))
            formula: Formula | None = self._with_leaves(errors, len(below.terms))
            step = Step(Name(self.symbol, "S", branch=text), formula, self.digits, below.does)
            parts.append(Branch(text, float(own.sum()), tuple(own.tolist()), step))
        name = test.name(growth.schema, has_missing=any(text.endswith(OR_MISSING) for text in texts))
        total = Step(Name(self.symbol, "S", split=name), added(Result(part.impurity) for part in parts), self.digits)
        column = quoted(growth.schema.columns[test.split.attribute].name)
        return Candidate(column, name, status, branches=tuple(parts), gain=total, measure=self.symbol.lower())

    def _best(self, rows: NDArray[np.int32], weights: NDArray[np.float64], own: np.ndarray, n_levels: int) -> Best:
        """Return the least errors of some cases in so many levels; a leaf's if there are none."""
        key = (n_levels, rows.tobytes())
        if key not in self.known:
            code, cost = self._least(own)
            self.known[key] = Best((cost,), f"a leaf {quoted(self.growth.schema.target.labels[code])}")
            if n_levels > 0 and (own > 0).sum() > 1:
                self.known[key] = self._searched(rows, weights, n_levels) or self.known[key]
        return self.known[key]

    def _searched(self, rows: NDArray[np.int32], weights: NDArray[np.float64], n_levels: int) -> Best | None:
        """Return the best tree of some cases, None if it is a leaf."""
        dataset = replace(self.growth.dataset.take(rows), weights=weights)
        settings = self.settings.changed(search=f"optimal:{n_levels}", max_depth=None, time_limit=None)
        tree, schema = grow(dataset, settings, jobs=1), self.growth.schema
        if tree.is_leaf(0):
            return None
        test = Test(tree.split(0), tree.missing_to[0])
        values = values_of(dataset, test.split.attribute, np.arange(len(rows), dtype=np.int32))
        has_missing = bool((values < 0).any() if values.dtype.kind == "i" else (values != values).any())
        return Best(tuple(_leaf_costs(tree, 0)), f"split on {test.name(schema, has_missing=has_missing)}")

    def _least(self, counts: np.ndarray) -> tuple[int, float]:
        """Return the label of least cost for cases with these class weights, and its cost."""
        tree = self.growth.tree
        expected = expected_costs(counts.tolist(), tree.class_scale, tree.costs)
        return expected.index(min(expected)), min(expected)

    def _leaf_errors(self, node: int) -> Iterator[float]:
        """Yield the errors, or the costs, of the leaves below a node of the tree."""
        return _leaf_costs(self.growth.tree, node)

    def _floor(self, seen: Seen) -> float:
        """Return the errors that no tree avoids: cases with the same values that are not in the class of most."""
        columns = [values_of(self.growth.dataset, a, seen.rows) for a in range(len(self.growth.schema.attributes))]
        values = np.stack(columns, axis=1).astype(np.float64)
        _, alike = np.unique(np.where(values == values, values, -np.inf), axis=0, return_inverse=True)
        alike = alike.ravel()
        counts = outcomes(alike, int(alike.max()) + 1, self.growth.dataset, seen.rows, seen.weights)
        return sum(self._least(own)[1] for own in counts)

    def _check(self, place: Place, least: float, candidates: list[Candidate]) -> None:
        """Raise an error if the tree below a node has another cost, the root's is not recorded, or a test has less."""
        errors = list(self._leaf_errors(place.grown))
        cost = sum(errors) + self.penalty * len(errors)
        fewer = [own.title for own in candidates if _errors(own) < least - EQUAL]
        recorded = sum(errors) if place.number else self.growth.facts.get("errors", sum(errors))
        rounding = UNITS if self.is_judged else EQUAL
        if abs(cost - least) > EQUAL or abs(recorded - sum(errors)) > rounding * max(1.0, recorded) or fewer:
            what = self.symbol.lower()
            raise CheckError(
                f"node {place.number}: the trace finds {what} of {least!r} below the test, the tree has {cost!r}"
                + (f", and '{fewer[0]}' leads to fewer" if fewer else ""),
                FAULT,
            )


def _without_priors(settings: Settings, tree: Tree) -> Settings:
    """Return the settings of searches among fewer cases: costs that count priors too, relative to all cases."""
    if not tree.class_scale:
        return settings
    n = len(tree.class_scale)
    costs = tree.costs or [[float(true != label) for label in range(n)] for true in range(n)]
    scaled = [[own * scale for own in row] for row, scale in zip(costs, tree.class_scale, strict=True)]
    return settings.changed(priors=None, costs=tuple(map(tuple, scaled)))


def _leaf_costs(tree: Tree, node: int) -> Iterator[float]:
    """Yield the errors of the leaves below a node; under priors and costs, what they cost."""
    pending = [node]
    while pending:
        own = pending.pop()
        below = tree.children(own)
        if not below:
            yield min(expected_costs(tree.outcomes_of(own), tree.class_scale, tree.costs))
        pending += reversed(below)


def _errors(own: Candidate) -> float:
    assert own.gain is not None
    return own.gain.exact


def _is_better(own: Candidate, other: Candidate) -> bool:
    """Return whether a test is shown instead of another one on its attribute: the chosen one always is."""
    return other.status != trace.CHOSEN and _errors(own) < _errors(other) - EQUAL


def _ties(every: tuple[Candidate, ...]) -> tuple[str, ...]:
    ties = tuple(own.title for own in every if own.status in (trace.CHOSEN, trace.TIED))
    return ties if len(ties) > 1 else ()
