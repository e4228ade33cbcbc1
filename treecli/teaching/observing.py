"""Grow a tree as the learner does, and keep every candidate of every node that could be split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from treecli import plugins
from treecli.errors import UsageError
from treecli.grow.alternatives import alternatives
from treecli.grow.grow import trimmed
from treecli.grow.loop import Loop, Pick
from treecli.grow.nodes import as_tree
from treecli.grow.observe import Remarks, described
from treecli.grow.plan import plan_of
from treecli.grow.scores import set_scores
from treecli.kernels import codes
from treecli.options.sampling import ALL
from treecli.settings.growing import RANDOM
from treecli.settings.searching import GREEDY
from treecli.splits._registry import split_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset, Schema
    from treecli.grow.candidates import Candidates
    from treecli.grow.choose import Chooser, Chosen
    from treecli.grow.level import MemoryLevel
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.settings import Settings
    from treecli.splits import Split
    from treecli.tree import Tree

ENGINE = "memory"


@dataclass(frozen=True, slots=True)
class Ways:
    """Splits on one attribute at one node: thresholds in ascending order, or groups of labels."""

    splits: Candidates
    places: NDArray[np.int64]

    @property
    def gains(self) -> NDArray[np.float64]:
        return self.splits.gain[self.places]

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The thresholds; None for groups of labels."""
        return None if self.splits.number is None else self.splits.number[self.places]

    def split(self, index: int, attribute: int, schema: Schema) -> Split:
        """Return one of them."""
        return split_of(self.splits, attribute, int(self.places[index]), schema)


@dataclass(frozen=True, slots=True)
class Option:
    """The best split on one attribute at a node, as the learner scored it; None if there is none.

    `own_gain` is the gain before the limits are applied, `gain` after, -inf if a limit excludes the split. `merit` is
    -inf for splits that do not take part. `ways` are other splits on the attribute with their gains.
    """

    attribute: int
    split: Split | None
    own_gain: float
    gain: float
    split_info: float
    cost: float
    merit: float
    missing_to: int
    p: float
    chi2: float
    log_multiplier: float
    find_ways: Callable[[], Ways]

    @property
    def ways(self) -> Ways:
        return self.find_ways()


@dataclass(frozen=True, slots=True)
class Seen:
    """A node that could be split: its rows with their weights there, its options, and the index of the chosen one."""

    rows: NDArray[np.int32]
    weights: NDArray[np.float64]
    options: tuple[Option, ...]
    chosen: int


@dataclass(frozen=True, slots=True)
class Growth:
    """A tree before anything is trimmed, the data it grew from, the nodes that could be split, by number, and the tree
    that is left after trimming."""

    tree: Tree
    dataset: Dataset
    plan: Plan
    seen: dict[int, Seen]
    trimmed: Tree

    @property
    def schema(self) -> Schema:
        return self.dataset.schema


def check(settings: Settings) -> None:
    """Raise a UsageError for settings whose arithmetic is not traced."""
    refused = {
        f"--search {settings.searching.search}": settings.searching.search != GREEDY,
        "--splits": bool(settings.splitting.splits),
        "--project": settings.inputs.project is not None,
        f"--features {settings.sampling.features}": settings.sampling.features != ALL,
        "--threshold random": settings.splitting.threshold == RANDOM,
        "--winnow": settings.inputs.winnow,
        "--force": settings.inputs.force is not None,
        "--monotone": settings.inputs.monotone is not None,
        "--attribute-costs": settings.inputs.attribute_costs is not None,
        "--priors": settings.predicting.priors is not None,
        "--costs": settings.predicting.costs is not None,
        "--leaf-model": settings.predicting.has_models,
        "--like c50": settings.computing.arithmetic == "c50",
        "--criterion absolute": settings.splitting.criterion == "absolute",
    }
    for option, is_given in refused.items():
        if is_given:
            raise UsageError(f"{option}: its arithmetic is not traced", "leave it out")


def observed(dataset: Dataset, settings: Settings, picks: Mapping[int, int] | None = None) -> Growth:
    """Return the tree that these settings grow on the data, with all candidates.

    `picks` has nodes that split on a given attribute instead of the best one, by their numbers before trimming.
    """
    check(settings)
    dataset = dataset.with_derived_columns().with_lowest_values_joined()
    plan = plan_of(settings, dataset)
    if plan.rank == codes.BY_PYTHON and plan.criterion.impurity != "entropy":
        raise UsageError(f"--criterion {settings.splitting.criterion}: its arithmetic is not traced")
    if plan.is_single:
        dataset = dataset.in_single_precision()
    engine = plugins.load("engines", ENGINE).Engine(dataset, plan, 1)
    seen: dict[int, Seen] = {}

    def observe(level: MemoryLevel, candidates: Sequence[Candidates], chosen: Chosen) -> Remarks:
        # Found when they are asked for: a trace of one node needs those of one level.
        ways = [cache(partial(_ways, engine, level, a, own)) for a, own in enumerate(candidates)]
        tests = [(own.test.p_values(), own.test.log_multiplier) for own in candidates]
        for i, number in enumerate(level.numbers.tolist()):
            options = [
                _option(a, own, i, chosen, tests[a], ways[a], dataset.schema) for a, own in enumerate(candidates)
            ]
            part = slice(level.start[i], level.start[i + 1])
            seen[number] = Seen(level.row[part], level.weight[part], tuple(options), int(chosen.attribute[i]))
        return {}

    nodes = Loop(engine, plan, [cast("Observer", observe)], _picking(picks or {})).run()
    set_scores(nodes, plan)
    tree = as_tree(nodes)
    return Growth(tree, dataset, plan, seen, trimmed(tree, nodes, settings, dataset.schema))


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
    attribute: int,
    found: Candidates,
    node: int,
    chosen: Chosen,
    tests: tuple[Any, Any],
    ways: Callable[[], list[Ways]],
    schema: Schema,
) -> Option:
    is_possible = bool(np.isfinite(found.gain[node]))
    p, log_multiplier = tests
    return Option(
        attribute,
        split_of(found, attribute, node, schema) if is_possible else None,
        float(found.gain[node]),
        float(chosen.gain[attribute, node]),
        float(found.split_info[node]),
        0.0 if found.cost is None else float(found.cost[node]),
        float(chosen.merit[attribute, node]),
        int(found.missing_to[node]),
        float(p[node]),
        float(found.test.chi2[node]),
        0.0 if log_multiplier is None else float(log_multiplier[node]),
        lambda: ways()[node],
    )


def split_of(found: Candidates, attribute: int, node: int, schema: Schema) -> Split:
    """Return a candidate's split at one node."""
    record = described(found, attribute, node, schema)
    return split_type(record["kind"]).from_json(attribute, record, schema)


def _ways(engine: Any, level: MemoryLevel, attribute: int, usual: Candidates) -> list[Ways]:
    """Return the thresholds, or the groups of labels, of every open node; none for an attribute with one split only."""
    if usual.kind == "multiway":
        nothing = np.zeros(0, np.int64)
        return [Ways(usual, nothing)] * level.n_nodes
    found = alternatives(engine, level, attribute, usual)
    ends = np.searchsorted(found.node, np.arange(level.n_nodes + 1))
    return [Ways(found.splits, np.arange(begin, end)) for begin, end in pairwise(ends.tolist())]
