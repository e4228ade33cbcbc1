"""Optimal search: the tree with the least training errors of all trees of a given depth, proved by branch and bound.

All tests are binary: thresholds between any two values, one label against the rest. The result is an ordinary tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treecli.errors import DataError, UsageError
from treecli.options.option import Number
from treecli.searches import Suffix
from treecli.searches._compatible import check_sums
from treecli.settings import set_by
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.nodes import Nodes
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.searches._binarytests import Units
    from treecli.searches._branchandbound import Found
    from treecli.settings import Settings
    from treecli.threads import OnProgress, OnWarning

SUFFIX = Suffix("DEPTH", Number(1, 4, is_whole=True))

SETTINGS = ("penalty", "time_limit")

NAME = "--search optimal"

ENGINE = "memory"

LONGEST_SECONDS = 3600.0
"""Searches that may take longer must be asked for by --time-limit; most skip nearly all that is estimated."""

LONGEST_COUNT_SECONDS = 300.0
"""The same up to two levels, which skip nothing: the estimate is what they take."""

MOST_BYTES = 2**32
"""The most memory for the tests."""

NANOSECONDS_PER_PAIR, NANOSECONDS_PER_WORD = 6.0, 0.7
"""The time of one pair of tests on one set of cases, and of each word of 64 cases more (measured, two classes)."""

NANOSECONDS_PER_CLASS = 6.0
"""The time that each class adds to a pair, if there are more than two (measured, 3 to 30 classes)."""

SUPPORTED: dict[str, tuple[Any, ...]] = {
    "nominal": ("multiway", "binary"),
    "threshold": ("midpoint", "datavalue"),
    "discretize": ("none",),
    "max_leaves": (None,),
    "min_gain": (None,),
    "zero_gain": (True,),
    "competitors": (0,),
    "ties": (None,),
    "cp": (None,),
    "cut_cost": (False,),
    "branch_share": (0.0,),
    "least_share": (0.0,),
    "value_gap": (0.0,),
    "is_strict": (False,),
    "single_precision": (False,),
}
"""The values of settings that the search supports; a tree with the least errors is not chosen by gain."""


def check(settings: Settings) -> None:
    """Refuse settings that concern the choice of single splits, and other kinds of splits."""
    check_sums(settings)
    for key, supported in SUPPORTED.items():
        if settings.value(key) not in supported:
            name = set_by(key)
            raise UsageError(
                f"{NAME} and {name} exclude each other: the search compares whole trees by their errors",
                "limit the leaves by --penalty" if key == "max_leaves" else f"leave {name} out",
            )


def grow(
    dataset: Dataset,
    plan: Plan,
    *,
    number: int | None = None,
    jobs: int | None = None,
    observers: Sequence[Observer] = (),
    on_progress: OnProgress | None = None,
    on_warning: OnWarning | None = None,
    on_note: OnWarning | None = None,
) -> Nodes:
    """Return the nodes of the optimal tree in level order."""
    from time import monotonic

    from treecli import plugins
    from treecli.searches._binarytests import columns_of, problem_of
    from treecli.searches._branchandbound import Search
    from treecli.searches._given import GivenTree

    assert number is not None
    begun = monotonic()
    settings = plan.settings.searching
    if plan.is_numeric:
        raise UsageError(
            f"{NAME} counts errors of a nominal target, but '{dataset.schema.target.name}' is numeric",
            "use --search greedy with --criterion variance",
        )
    _refuse_missing(dataset, plan)
    depth = min(number, plan.max_depth)
    engine = plugins.load("engines", ENGINE).Engine(dataset, plan, jobs)
    # Only surrogates are looked for in sorted attributes.
    level = engine.root() if plan.by_surrogates else engine.unsorted_root()
    columns = columns_of(engine, level)
    n_tests = sum(column.n_tests for column in columns)
    _refuse_large(n_tests, level.n_cases)
    if settings.time_limit is None:
        _refuse_long(n_tests, level.n_cases, depth, len(dataset.schema.target.labels))
    end = None if settings.time_limit is None else begun + settings.time_limit
    problem, tests, units, cases = problem_of(columns, level, plan, dataset.schema.target.labels, end)
    found = Search(problem, cases, depth, jobs).run(end, on_progress)
    plan.remarks.append(_summary(found, units, depth))
    if on_warning is not None and not found.is_proved:
        on_warning(f"--time-limit {settings.time_limit:g} ended the search: {_summary(found, units, depth)}")
    nodes = GivenTree(engine, tests, columns, level).nodes(found.tree)
    engine.close()
    nodes.facts = _facts(found, units, depth)
    return nodes


def _refuse_missing(dataset: Dataset, plan: Plan) -> None:
    """Refuse missing values, unless they are a value: other policies route them by the heaviest branch or in parts."""
    if plan.missing_is_value:
        return
    for index, attribute in enumerate(dataset.schema.attributes):
        n_missing = dataset.n_missing(index)
        if n_missing:
            raise DataError(
                f"{NAME}: '{attribute.name}' is missing in {n_missing} of {counted(dataset.n_rows, 'row')}; "
                f"--missing {plan.settings.missing.policy} has no exact optimum",
                f"use --missing branch, which is exact, or leave the column out with -x {attribute.name}",
            )


def estimate(n_tests: int, n_cases: int, depth: int, n_classes: int) -> float:
    """Return the seconds that a search without any pruning would take."""
    from math import factorial

    pair = NANOSECONDS_PER_PAIR + NANOSECONDS_PER_WORD * (n_cases / 64)
    if n_classes > 2:
        pair += NANOSECONDS_PER_CLASS * n_classes
    n_problems = (2.0 * n_tests) ** max(depth - 2, 0) / factorial(max(depth - 2, 0))
    return n_problems * float(n_tests) ** min(depth, 2) / 2 * pair * 1e-9


def _refuse_long(n_tests: int, n_cases: int, depth: int, n_classes: int) -> None:
    seconds = estimate(n_tests, n_cases, depth, n_classes)
    if seconds > (LONGEST_SECONDS if depth > 2 else LONGEST_COUNT_SECONDS):
        takes = "may take up to" if depth > 2 else "takes about"
        raise UsageError(
            f"{NAME}:{depth} {takes} {_duration(seconds)} ({n_tests} tests, {n_cases} cases)",
            "use a smaller depth, round the numbers (each distinct value is a test), or --time-limit SECONDS, which "
            "keeps the best tree found until then",
        )


def _refuse_large(n_tests: int, n_cases: int) -> None:
    n_bytes = 2 * n_tests * n_cases / 8
    if n_bytes > MOST_BYTES:
        raise UsageError(
            f"{NAME} would take {n_bytes / 2**30:.0f} GB of memory ({n_tests} tests, {n_cases} cases)",
            "use fewer rows, or round the numbers: each distinct value is a test",
        )


def _duration(seconds: float) -> str:
    hours = seconds / 3600
    if hours < 0.95:
        return f"{seconds / 60:.0f} minutes"
    if hours < 48:
        return f"{hours:.0f} hours" if hours >= 1.5 else "an hour"
    return f"{hours / 24:.0f} days" if hours < 24 * 730 else f"{hours / 24 / 365:,.0f} years"


def _summary(found: Found, units: Units, depth: int) -> str:
    """Return the errors of the tree and the proof as text."""
    errors = f"optimal: errors {units.cost(found.value):g} at depth {depth}"
    if found.is_proved:
        return f"{errors}, proved"
    floor = units.least_cost(found.bound)
    return f"{errors}, at least {floor:g}" + (" with penalties" if units.penalty else "")


def _facts(found: Found, units: Units, depth: int) -> dict[str, Any]:
    """Return what a model's lineage records of the search."""
    facts: dict[str, Any] = {
        "command": "search",
        "search": f"optimal:{depth}",
        "errors": units.cost(found.value),
        "proved": found.is_proved,
    }
    if units.penalty:
        facts["penalized"] = units.least_cost(found.value)
    if not found.is_proved:
        facts["at_least"] = units.least_cost(found.bound)
    return facts
