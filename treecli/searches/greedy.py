"""Greedy search: every node takes its locally best split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli import plugins
from treecli.grow import mixed, packed
from treecli.grow.loop import Loop
from treecli.threads import FEW_CASES, Shared

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.nodes import Nodes
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.threads import OnProgress

ENGINE = "memory"


def grow(
    dataset: Dataset,
    plan: Plan,
    *,
    jobs: int | None = None,
    observers: Sequence[Observer] = (),
    on_progress: OnProgress | None = None,
) -> Nodes:
    """Return the nodes of the tree in level order.

    Accelerators are used where possible, with the same result as the loop over levels; never with observers.
    """
    if not observers and packed.refuses(plan, dataset) is None:
        with Shared(1 if dataset.n_rows < FEW_CASES else jobs) as shared:
            return packed.grow(dataset, plan, shared, on_progress)
    engine = plugins.load("engines", ENGINE).Engine(dataset, plan, jobs)
    loop = Loop(engine, plan, observers)
    if not observers and mixed.refuses(plan, engine) is None:
        loop.leave_small_nodes_to(mixed.grower(engine))
    return loop.run(on_progress)
