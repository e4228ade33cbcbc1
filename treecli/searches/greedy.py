"""Greedy search: every node takes its locally best split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.nodes import Nodes
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.settings import Settings
    from treecli.threads import OnProgress, OnWarning

SUFFIX = None

SETTINGS = ()

ENGINE = "memory"

OBSERVED = "every level is observed, as for --competitors"


def check(settings: Settings) -> None:
    """Accept all settings."""


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
    """Return the nodes of the tree in level order.

    Accelerators are used where possible, with the same result as the loop over levels; never with observers.
    """
    from treecli import plugins
    from treecli.grow import packed
    from treecli.threads import FEW_CASES, Shared

    refusal = OBSERVED if observers else packed.refuses(plan, dataset)
    if refusal is None:
        plan.remarks.append("grown depth first from packed lists")
        with Shared(1 if dataset.n_rows < FEW_CASES else jobs) as shared:
            return packed.grow(dataset, plan, shared, on_progress)

    # Only now: importing what is not used would take longer than growing a small tree.
    from treecli.grow import mixed
    from treecli.grow.loop import Loop

    engine = plugins.load("engines", ENGINE).Engine(dataset, plan, jobs)
    loop = Loop(engine, plan, observers)
    plan.remarks.append(f"not grown from packed lists: {refusal}")
    refusal = OBSERVED if observers else mixed.refuses(plan, engine)
    if refusal is None:
        plan.remarks.append("grown level by level, small nodes depth first")
        loop.leave_small_nodes_to(mixed.grower(engine))
    else:
        plan.remarks += [f"small nodes not grown depth first: {refusal}", "grown level by level"]
    return loop.run(on_progress)
