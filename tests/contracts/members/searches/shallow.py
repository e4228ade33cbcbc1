"""Greedy search that stops at a depth."""

from __future__ import annotations

from collections.abc import Sequence

from treecli.data import Dataset
from treecli.engines.memory import Engine
from treecli.grow.loop import Loop
from treecli.grow.nodes import Nodes
from treecli.grow.observe import Observer
from treecli.kernels.args import Plan
from treecli.options.option import Number
from treecli.searches import Suffix
from treecli.settings import Settings
from treecli.threads import OnProgress, OnWarning

SUFFIX = Suffix("DEPTH", Number(1, is_whole=True), usual=1)

SETTINGS = ()


def check(settings: Settings) -> None:
    """Accept all settings."""


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
    """Return the nodes of a tree of at most `number` levels of splits."""
    assert number is not None
    plan.max_depth = number
    return Loop(Engine(dataset, plan, jobs), plan, observers).run(on_progress)
