"""Grow a tree as the learner does, and keep every candidate of every node that could be split."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from treecli import plugins
from treecli.errors import UsageError
from treecli.grow.alternatives import alternatives
from treecli.grow.grow import trimmed
from treecli.grow.lookahead import Lookahead
from treecli.grow.loop import Loop, Pick
from treecli.grow.nodes import as_tree
from treecli.grow.observe import Remarks
from treecli.grow.plan import plan_of
from treecli.grow.projections import projected, settings_of_growth
from treecli.grow.sampling import drawn
from treecli.grow.scores import set_scores
from treecli.grow.searching import search_of
from treecli.grow.skewing import Skewing
from treecli.kernels import codes
from treecli.learn import winnowed
from treecli.settings.searching import GREEDY
from treecli.teaching.ahead import below
from treecli.teaching.branches import values_of, with_side
from treecli.teaching.classweights import scale_of
from treecli.teaching.proposed import columns_at, columns_of, with_proposed
from treecli.teaching.seen import Below, Option, Ordered, Seen, Ways, split_of
from treecli.teaching.skewed import Watcher

if TYPE_CHECKING:
    from treecli.data import Dataset, Schema
    from treecli.evaluate.winnowing import Winnowed
    from treecli.grow.candidates import Candidates, Flags
    from treecli.grow.choose import Chooser, Chosen
    from treecli.grow.level import MemoryLevel
    from treecli.grow.monotone import Monotone
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.model import TreeModel
    from treecli.settings import Settings
    from treecli.tree import Tree

ENGINE = "memory"

LOOKAHEAD = "lookahead"
OPTIMAL = "optimal"
M5 = "m5"
SKEWED = ("skewing", "skewing-sequential")
TRACED = (GREEDY, LOOKAHEAD, OPTIMAL, *SKEWED)
"""The searches whose arithmetic is traced."""


@dataclass(frozen=True, slots=True)
class Growth:
    """A tree before anything is trimmed, the data it grew from, the nodes that could be split, by number, and the tree
    that is left after trimming."""

    tree: Tree
    dataset: Dataset
    plan: Plan
    seen: dict[int, Seen]
    trimmed: Tree
    depth: int | None = None
    """Under optimal search: the depth of all trees that are compared."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Under optimal search: what the lineage records of it."""
    columns: tuple[int, ...] | None = None
    """With projected columns or winnowing: the number among all columns of each column here."""
    winnowed: Winnowed | None = None
    whole: Dataset | None = None
    """With projected columns: the data with the attributes."""

    def as_grown(self, model: TreeModel) -> TreeModel:
        """Return the model with the columns that the tree was grown on, under the numbers that they have here."""
        if self.columns is None and model.schema.derived == self.schema.derived:
            return model
        settings = settings_of_growth(model.settings) if model.settings.inputs.project is not None else model.settings
        used = range(len(model.schema.attributes)) if self.columns is None else self.columns
        tree = model.tree.renumbered(columns_of(model.schema, self.schema, used))
        return replace(model, tree=tree, settings=settings.changed(winnow=False), schema=self.schema)

    @property
    def schema(self) -> Schema:
        return self.dataset.schema


def check(settings: Settings) -> None:
    """Raise a UsageError for a search whose arithmetic is not traced."""
    if _search(settings) not in TRACED:
        hint = "add --only prune" if _search(settings) == M5 else "leave it out"
        raise UsageError(f"--search {settings.searching.search}: its arithmetic is not traced", hint)


def _search(settings: Settings) -> str:
    """Return the name of the search without its number."""
    return settings.searching.search.partition(":")[0]


def observed(
    dataset: Dataset, settings: Settings, picks: Mapping[int, int] | None = None, given: TreeModel | None = None
) -> Growth:
    """Return the tree that these settings grow on the data, with all candidates.

    If a time limit ended the search for a tree, another search may find another tree: then it is that of `given`.
    `picks` has nodes that split on a given attribute instead of the best one, by their numbers before trimming.
    """
    check(settings)
    if settings.inputs.project is not None:
        whole, columns = projected(dataset, settings)
        inner = observed(whole.narrowed(columns), settings_of_growth(settings))
        return replace(inner, columns=tuple(columns), whole=whole)
    if settings.inputs.winnow:
        found = winnowed(dataset, settings)
        inner = observed(dataset.narrowed(found.kept), settings.changed(winnow=False))
        return replace(inner, columns=tuple(found.kept), winnowed=found)
    dataset = dataset.with_derived_columns().with_lowest_values_joined()
    plan = plan_of(settings, dataset)
    if plan.rank == codes.BY_PYTHON and plan.criterion.impurity != "entropy":
        raise UsageError(f"--criterion {settings.splitting.criterion}: its arithmetic is not traced")
    if plan.is_single:
        dataset = dataset.in_single_precision()
    if _search(settings) == OPTIMAL:
        return _best_tree(dataset, plan, settings, given)
    if settings.splitting.splits:
        dataset = with_proposed(dataset, plan)
    engine = plugins.load("engines", ENGINE).Engine(dataset, plan, 1)
    seen: dict[int, Seen] = {}
    ahead = None
    if _search(settings) == LOOKAHEAD:
        n_levels = search_of(settings.searching.search)[1] or 1
        ahead = Lookahead(engine, plan, n_levels, settings.searching.beam, has_observers=True)

    watcher = Watcher() if _search(settings) in SKEWED else None

    def observe(level: MemoryLevel, candidates: Sequence[Candidates], chosen: Chosen) -> Remarks:
        used, candidates = candidates, candidates if watcher is None else watcher.usual
        # Found when they are asked for: a trace of one node needs those of one level.
        n_attributes = len(dataset.schema.attributes)
        ways = [cache(partial(_ways, engine, level, a, own)) for a, own in enumerate(candidates[:n_attributes])]
        further: list[Sequence[tuple[Below, ...] | None]] = [
            [None] * level.n_nodes if ahead is None else below(ahead, level, a, own, ahead.n_levels)
            for a, own in enumerate(candidates)
        ]
        is_drawn = drawn(engine, level) if plan.n_sampled < n_attributes else None
        tests = [(own.test.p_values(), own.test.log_multiplier) for own in candidates]
        for i, number in enumerate(level.numbers.tolist()):
            columns = columns_at(i, len(candidates), dataset.schema, loop.proposals)
            options = [
                replace(_option((a, column), own, i, chosen, tests[a], dataset.schema), below=further[a][i])
                for a, (own, column) in enumerate(zip(candidates, columns, strict=True))
                if column >= 0
            ]
            options = [replace(own, is_drawn=_is_drawn(is_drawn, own.attribute, i)) for own in options]
            options = [
                replace(own, find_ways=partial(_ways_at, ways[own.attribute], i)) if own.attribute < len(ways) else own
                for own in options
            ]
            part = slice(level.start[i], level.start[i + 1])
            skewed = None if watcher is None else watcher.skewed(i, used)
            best = int(chosen.attribute[i])
            best = columns[best] if best >= 0 else best
            ordered = _ordered(loop.constraints.monotone, i, dataset.schema)
            seen[number] = Seen(level.row[part], level.weight[part], tuple(options), best, skewed, ordered)
        return {}

    pick = _picking(picks or {})
    if ahead is not None:
        pick = ahead.pick
    elif watcher is not None:
        n_trials = search_of(settings.searching.search)[1]
        pick = Skewing(engine, plan, n_trials, watcher.watch).pick
    loop = Loop(engine, plan, [cast("Observer", observe)], pick)
    nodes = loop.run()
    set_scores(nodes, plan)
    tree = as_tree(nodes)
    tree.judge_by(settings.predicting.priors, settings.predicting.costs, dataset.schema.target.labels)
    return Growth(tree, dataset, plan, seen, trimmed(tree, nodes, settings, dataset.schema))


def _is_drawn(found: Flags | None, attribute: int, node: int) -> bool:
    """Return whether an attribute is drawn at a node; None: all are. Proposals are not drawn."""
    return found is None or attribute >= len(found) or bool(found[attribute, node])


def _ordered(monotone: Monotone | None, node: int, schema: Schema) -> Ordered | None:
    """Return what monotone predictions ask of a node, and the best splits without that."""
    if monotone is None:
        return None
    free = tuple(Option.of(own, a, node, schema) for a, own in enumerate(monotone.free))
    low, high = (tuple(own[node].tolist()) for own in (monotone.low, monotone.high))
    return Ordered(low, high, monotone.sign_of, free)


def _best_tree(dataset: Dataset, plan: Plan, settings: Settings, given: TreeModel | None) -> Growth:
    """Return the tree that an optimal search finds, with the cases of its inner nodes."""
    search, number = search_of(settings.searching.search)
    assert number is not None
    steps: Sequence[Mapping[str, Any]] = () if given is None else given.lineage
    facts = next((step for step in steps if step.get("command") == "search"), {})
    if given is not None and not facts.get("proved", True):
        tree = left = given.tree
    else:
        plan.settings = settings.changed(time_limit=None)
        nodes = search.grow(dataset, plan, number=number, jobs=1)
        set_scores(nodes, plan)
        tree, facts = as_tree(nodes), nodes.facts
        tree.judge_by(settings.predicting.priors, settings.predicting.costs, dataset.schema.target.labels)
        left = trimmed(tree, nodes, settings, dataset.schema)
    root = plugins.load("engines", ENGINE).Engine(dataset, plan, 1).root()
    seen, pending = {}, [(0, root.row, root.weight)]
    for node, rows, weights in pending:  # the list grows by the children
        if tree.is_leaf(node):
            continue
        split = tree.split(node)
        seen[node] = Seen(rows, weights, (), split.attribute)
        branch, _ = with_side(split, tree.missing_to[node], values_of(dataset, split.attribute, rows), dataset.schema)
        for place, child in enumerate(tree.children(node)):
            pending.append((child, rows[branch == place], weights[branch == place]))
    depth = int(min(number, plan.max_depth))
    return Growth(tree, dataset, plan, seen, left, depth, facts)


def _picking(picks: Mapping[int, int]) -> Pick:
    """Return the best choice at all nodes except those with a pick of their own."""

    def pick(
        level: MemoryLevel, candidates: Sequence[Candidates], chooser: Chooser
    ) -> tuple[Sequence[Candidates], Chosen]:
        chosen = chooser.choose(level, candidates)
        attribute = chosen.attribute.copy()
        for place, number in enumerate(level.numbers.tolist()):
            own = picks.get(number)
            if own is not None and np.isfinite(candidates[own].gain[place]):
                attribute[place] = own
        return candidates, replace(chosen, attribute=attribute)

    return pick


def _option(
    place_and_column: tuple[int, int],
    found: Candidates,
    node: int,
    chosen: Chosen,
    tests: tuple[Any, Any],
    schema: Schema,
) -> Option:
    """Return the best split on a column at a node; a candidate's place is not its column if it is a proposal."""
    (place, column), is_possible = place_and_column, bool(np.isfinite(found.gain[node]))
    p, log_multiplier = tests
    return Option(
        column,
        split_of(found, column, node, schema) if is_possible else None,
        float(found.gain[node]),
        float(chosen.gain[place, node]),
        float(found.split_info[node]),
        0.0 if found.cost is None else float(found.cost[node]),
        float(chosen.merit[place, node]),
        int(found.missing_to[node]),
        float(p[node]),
        float(found.test.chi2[node]),
        0.0 if log_multiplier is None else float(log_multiplier[node]),
    )


def _ways_at(ways: Callable[[], list[Ways]], node: int) -> Ways:
    return ways()[node]


def _ways(engine: Any, level: MemoryLevel, attribute: int, usual: Candidates) -> list[Ways]:
    """Return the thresholds, or the groups of labels, of every open node; none for an attribute with one split only."""
    plan = engine.plan
    if usual.kind == "multiway" or plan.criterion.impurity == "absolute":
        nothing = np.zeros(0, np.int64)
        return [Ways(usual, nothing)] * level.n_nodes
    with _scaled(plan):
        found = alternatives(engine, level, attribute, usual)
    ends = np.searchsorted(found.node, np.arange(level.n_nodes + 1))
    return [Ways(found.splits, np.arange(begin, end)) for begin, end in pairwise(ends.tolist())]


@contextmanager
def _scaled(plan: Plan) -> Iterator[None]:
    """Count classes by priors and costs while the body runs; rpart's arithmetic does that in its own sums."""
    is_scaled, plan.is_scaled = plan.is_scaled, scale_of(plan) is not None
    try:
        yield
    finally:
        plan.is_scaled = is_scaled
