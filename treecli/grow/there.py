"""Grow a tree where an engine has the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treecli.grow import groupings
from treecli.grow.grow import trimmed
from treecli.grow.loop import Loop
from treecli.grow.nodes import as_tree
from treecli.grow.plan import plan_of
from treecli.grow.scores import set_scores

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.coded import CodedData
    from treecli.kernels.args import Plan
    from treecli.settings import Settings
    from treecli.threads import OnProgress, OnWarning
    from treecli.tree import Tree


def grown_by(
    make_engine: Callable[[Plan], Any],
    data: Dataset | CodedData,
    settings: Settings,
    *,
    on_progress: OnProgress | None = None,
    on_warning: OnWarning | None = None,
    on_remark: OnWarning | None = None,
) -> Tree:
    """Return the tree that these settings grow greedily, from sums, where an engine has the data.

    The engine grows the nodes that it sets aside (`engine.aside`), if it does.
    """
    plan = plan_of(settings, data)
    engine = make_engine(plan)
    loop = Loop(engine, plan)
    if getattr(engine, "aside", None) is not None:
        loop.set_aside_by(engine.aside)
    nodes = loop.run(on_progress)
    if on_warning is not None:
        for warning in groupings.warnings(settings, data.schema, plan.budget.exceeded, is_measured=False):
            on_warning(warning)
    if on_remark is not None:
        for remark in plan.remarks:
            on_remark(remark)
    set_scores(nodes, plan)
    tree = as_tree(nodes, is_consumed=True)
    tree.judge_by(settings.predicting.priors, settings.predicting.costs, data.schema.target.labels)
    return trimmed(tree, nodes, settings, data.schema)
