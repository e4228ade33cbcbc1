"""The random choices of growing in words: which attributes may split a node, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from treecli.settings.growing import RANDOM

if TYPE_CHECKING:
    from treecli.teaching.observing import Growth


def lines(growth: Growth) -> Iterator[str]:
    """Yield a sentence on each thing that is drawn at every node; none if nothing is."""
    plan, n = growth.plan, len(growth.schema.attributes)
    seed = plan.settings.computing.seed
    if plan.n_sampled < n:
        more = "; more where none of them has two values" if plan.most_drawn > plan.n_sampled else ""
        yield f"at each node, {plan.n_sampled} of {n} attributes are drawn by the seed {seed}{more}"
    if plan.settings.splitting.threshold == RANDOM:
        yield (
            "the threshold of an attribute is drawn between its least and its greatest value at the node, "
            f"by the seed {seed}"
        )
