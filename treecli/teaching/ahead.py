"""The splits that a lookahead sees below each candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treecli.grow.alternatives import Alternatives
from treecli.teaching.seen import Below, Option, Seen

if TYPE_CHECKING:
    from treecli.grow.candidates import Candidates
    from treecli.grow.level import MemoryLevel
    from treecli.grow.lookahead import Lookahead


def below(
    lookahead: Lookahead, level: MemoryLevel, attribute: int, best: Candidates, n_levels: int
) -> list[tuple[Below, ...]]:
    """Return, for every node of a level, the splits of the branches of its best split on an attribute.

    A branch that no split improves has none; neither has a branch that may not be split.
    """
    found: list[list[Below]] = [[] for _ in range(level.n_nodes)]
    nodes = np.flatnonzero(np.isfinite(best.gain))
    if not len(nodes) or level.depth + 1 >= lookahead.plan.max_depth:
        return [()] * level.n_nodes
    copies = level.taken(nodes)
    own = Alternatives(attribute, np.arange(len(nodes)), best.taken(nodes))
    children, parent, branch = lookahead.opened_by(copies, own)
    if children is None:
        return [()] * level.n_nodes
    candidates, chosen = lookahead.best_below(children, n_levels - 1)
    further = {
        a: below(lookahead, children, a, candidates[a], n_levels - 1)
        for a in (np.unique(chosen).tolist() if n_levels > 1 else ())
    }
    for i, (place, a) in enumerate(zip(parent.tolist(), chosen.tolist(), strict=True)):
        gain = float(candidates[a].gain[i])
        if gain > 0:
            part = slice(children.start[i], children.start[i + 1])
            schema = lookahead.engine.schema
            option = Option.of(candidates[a], a, i, schema, further[a][i] if further else None)
            seen = Seen(children.row[part], children.weight[part], (), a)
            found[nodes[place]].append(Below(int(branch[i]), seen, option))
    return [tuple(each) for each in found]
