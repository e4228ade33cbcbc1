"""Growing by trials with skewed weights, which both forms of skewing share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.searches._compatible import check_sums
from treecli.settings.growing import ONE_PLACE

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.nodes import Nodes
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.settings import Settings
    from treecli.threads import OnProgress, OnWarning


def check(settings: Settings) -> None:
    """Raise a UsageError for settings that skewed weights would change."""
    check_sums(settings)
    if settings.splitting.threshold in ONE_PLACE:
        raise UsageError(
            f"--search {settings.searching.search} and --threshold {settings.splitting.threshold} exclude each other: "
            "skewed weights would move it",
            "use --threshold midpoint or datavalue",
        )


def grow(
    dataset: Dataset,
    plan: Plan,
    *,
    number: int | None,
    jobs: int | None,
    observers: Sequence[Observer],
    on_progress: OnProgress | None,
    on_warning: OnWarning | None,
    on_note: OnWarning | None,
) -> Nodes:
    """Return the nodes of the tree in level order; without a `number` of trials, attributes are skewed one by one."""
    from treecli import plugins
    from treecli.grow.loop import Loop
    from treecli.grow.skewing import FEW_EFFECTIVE, Skewing, Trials, effective_cases

    search = plan.settings.searching.search
    if plan.is_numeric:
        name = dataset.schema.target.name
        raise UsageError(
            f"--search {search} looks for classes, but '{name}' is numeric",
            f"use --search lookahead, or say --type {name}=nominal",
        )
    engine = plugins.load("engines", "memory").Engine(dataset, plan, jobs)
    loop = Loop(engine, plan, observers, Skewing(engine, plan, number).pick)
    plan.remarks.append("grown level by level: accelerators do not skew weights")
    if number is not None and loop.level.n_nodes:
        trials = Trials(engine, loop.level, plan.settings.searching.skew)
        n_effective = effective_cases(loop.level, trials)
        plan.remarks.append(f"a trial has the weight of about {n_effective:.3g} of {loop.level.n_cases} cases")
        if on_warning is not None and n_effective < FEW_EFFECTIVE:
            on_warning(
                f"--search {search}: a trial with so many attributes has the weight of about {n_effective:.2g} of "
                f"{loop.level.n_cases} cases, which shows little; consider skewing-sequential or a --skew nearer to 0.5"
            )
    return loop.run(on_progress)
