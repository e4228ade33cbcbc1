"""Lookahead: a split is worth the gain of the subtree of K further levels below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.options.option import Number
from treecli.searches import Suffix
from treecli.searches._compatible import check_sums as check

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.nodes import Nodes
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.threads import OnProgress, OnWarning

__all__ = ["SETTINGS", "SUFFIX", "check", "grow"]

SUFFIX = Suffix("K", Number(1, is_whole=True), usual=1)

SETTINGS = ("beam", "most_work")

LONG = 2e8
"""A search of more steps than this takes a minute or more, which the user is told first."""


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
    """Return the nodes of the tree in level order."""
    from treecli import plugins
    from treecli.grow.lookahead import Lookahead, refuse_endless
    from treecli.grow.loop import Loop

    assert number is not None
    own = plan.settings.searching
    engine = plugins.load("engines", "memory").Engine(dataset, plan, jobs)
    ahead = Lookahead(engine, plan, number, own.beam, bool(observers))
    loop = Loop(engine, plan, observers, ahead.pick)
    work = ahead.work(loop.level)
    about = f"--search {own.search} takes about {work:.1e} steps"
    plan.remarks.append("grown level by level: accelerators do not look ahead")
    refuse_endless(work, own.most_work, own.search)
    if on_warning is not None and work > LONG:
        on_warning(f"{about}, and so minutes; --beam bounds it")
    elif on_note is not None:
        on_note(about)
    return loop.run(on_progress)
