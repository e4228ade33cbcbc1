"""The trials of skewing at each node of a level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from treecli.teaching.seen import Favoured, Option, Skewed, Trial
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.grow.candidates import Candidates, Indices
    from treecli.grow.skewing import Groups, Tried, Watched


@dataclass(slots=True)
class Watcher:
    """Keeps the trials of the last level."""

    kept: list[Watched] = field(default_factory=list)

    def watch(self, watched: Watched) -> None:
        """Keep the trials of a level instead of those of the one before."""
        self.kept[:] = [watched]

    @property
    def usual(self) -> Sequence[Candidates]:
        """The candidates of the data by themselves."""
        return self.kept[0].usual

    def skewed(self, node: int, used: Sequence[Candidates]) -> Skewed:
        """Return the trials of a node of the level; `used` are the candidates with the thresholds of trials."""
        watched = self.kept[0]
        schema = watched.trials.engine.schema
        return Skewed(
            tuple(trial for tried in watched.tried for trial in self._trials(tried, node)),
            tuple(watched.plain_counts[:, node].tolist()),
            tuple(watched.counts[:, node].tolist()),
            tuple(Option.of(own, a, node, schema) for a, own in enumerate(used)),
        )

    def _trials(self, tried: Tried, node: int) -> Iterator[Trial]:
        trials = self.kept[0].trials
        groups, n_nodes = trials.groups, trials.level.n_nodes
        schema = trials.engine.schema
        for place in range(len(tried.weighted.numbers) // n_nodes):
            favoured = [
                self._favoured(attribute, groups[attribute], int(own[place, node]), node)
                for attribute, own in tried.favoured.items()
                if groups[attribute].n[node] > 1 and own[place, node] < groups[attribute].n[node]
            ]
            if not favoured and len(tried.favoured) == 1 and len(groups) > 1:
                continue  # sequential skewing: this attribute has fewer values here than elsewhere
            copy = place * n_nodes + node
            part = slice(tried.weighted.start[copy], tried.weighted.start[copy + 1])
            yield Trial(
                tuple(favoured),
                tried.weighted.weight[part],
                {a: Option.of(own, a, copy, schema) for a, own in tried.candidates.items()},
                {a: float(own[place, node]) for a, own in tried.counts.items()},
            )

    def _favoured(self, attribute: int, groups: Groups, group: int, node: int) -> Favoured:
        trials = self.kept[0].trials
        level, part = trials.level, slice(trials.level.start[node], trials.level.start[node + 1])
        favoured: Indices = np.full((1, level.n_nodes), -1)
        favoured[0, node] = group
        factors = np.exp(trials.log_factor(attribute, favoured)[0, part])
        other = exp(log((1 - trials.skew) / max(int(groups.n[node]) - 1, 1)))
        return Favoured(attribute, self._condition(attribute, groups, group, node), other, factors)

    def _condition(self, attribute: int, groups: Groups, group: int, node: int) -> str:
        """Return the condition of a group of values: a label, or the halves below and above the median."""
        trials = self.kept[0].trials
        column, level = trials.engine.schema.columns[attribute], trials.level
        part = slice(level.start[node], level.start[node + 1])
        of_case = groups.of_case[part]
        if attribute in level.orders:
            value = trials.engine.columns[attribute][level.row[part]][of_case == 0].max()
            text = number_text(float(value)) if column.is_numeric else quoted(column.labels[int(value)])
            return f"{quoted(column.name)} {'>' if group else '<='} {text}"
        label = trials.engine.labels(attribute)[1][level.row[part]][of_case == group][0]
        return f"{quoted(column.name)} = {quoted(column.labels[int(label)])}"
