"""Counts of many levels from one pass (BOAT; Gehrke, Ganti, Ramakrishnan and Loh 1999).

A coarse tree of a sample divides the rows into cells; rows whose branch it leaves open are held. One pass counts the
cells and writes the held rows to files of their own. The counts of a node that the coarse tree has foreseen are those
of its cells and of the held rows in it. Other nodes are counted in a pass over all rows, as without a sample. So the
sample decides on the number of passes, never on the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli import wording
from treecli.engines import _sample
from treecli.engines._bins import Bins, bounds_of
from treecli.engines._coarse import HELD, Coarse, Limits, coarse_tree
from treecli.engines._foreseen import UNFORESEEN, Cells, merged
from treecli.engines._hidden import Hidden, splits_certainly
from treecli.engines._parts import Parts, no_parts
from treecli.engines._passes import LEAF, ROWS_AT_ONCE, CodeMove, Moves, Passes
from treecli.engines._routed import RoutedPasses
from treecli.engines._tables import Counters, Entries
from treecli.grow.coded import LABEL, WEIGHT
from treecli.kernels import codes, count_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.engines._levels import Counted
    from treecli.grow.candidates import Candidates, Codes, Flags, Floats, Indices
    from treecli.grow.coded import CodedData
    from treecli.threads import Shared

MARGIN = 0.7
"""Coarse nodes with at most this share of the rows that fit into memory are not divided: the sample may err."""


class BoatPasses(RoutedPasses):
    """Passes that count what a coarse tree has foreseen in one of them; `most_rows` as in CountingEngine."""

    def __init__(
        self, data: CodedData, folder: Path, shared: Shared, rows_at_once: int = ROWS_AT_ONCE, most_rows: int = 0
    ) -> None:
        super().__init__(data, folder, shared, rows_at_once)
        self.most_rows = most_rows
        self.n_drawn: int | None = None
        """The size of the sample; None: by the number of rows."""
        self._cells: Cells | None = None
        self._is_foreseen = False
        """Whether the cells were counted, or a reason was found against it."""
        self._past: list[tuple[Moves, Codes]] = []
        """The moves before the cells were counted, if levels were read from a checkpoint."""
        self._coarse: Indices = np.zeros(1, np.int64)
        """The coarse node of each open node, UNFORESEEN or EMPTY."""
        self._is_scanned = False
        self.scores: Callable[[list[Counted]], Sequence[Candidates]] | None = None
        """Returns the best split of every attribute at the nodes that are counted; for columns of very many values."""
        self._hidden: dict[int, dict[int, Hidden]] = {}
        """By attribute of very many values and node: what is known of its cuts inside bins."""

    def move(self, moves: Moves, to: Codes, parts: Parts) -> None:
        super().move(moves, to, parts)
        if len(parts) and self._cells is not None:
            self._give_up("rows are divided among branches, and sums of fractions depend on the order of the rows")
        if self._is_foreseen:
            self._follow(moves, to)
        else:
            self._past.append((moves, to))

    def pass_over(self) -> None:
        super().pass_over()
        self._is_scanned = False

    def _follow(self, moves: Moves, to: Codes) -> None:
        """Find the coarse nodes of the next level."""
        coarse = np.full(int(to.max(initial=LEAF)) + 1, UNFORESEEN, np.int64)
        if self._cells is not None:
            self._cells.held.move(moves, to, no_parts())
            for own in moves:
                is_split = own.start >= 0 if isinstance(own, CodeMove) else own.is_split > 0
                for at in np.flatnonzero(is_split).tolist():
                    if self._coarse[at] != UNFORESEEN:
                        for child, node in self._cells.followed(int(self._coarse[at]), own, at, to).items():
                            coarse[child] = node
        self._coarse = coarse

    def count(self, totals: Floats, scale: Floats) -> list[Counted]:
        if not self._is_foreseen:
            self._foresee()
        self._n_before, self._is_scanned, self._hidden = None, False, {}
        counted = super().count(totals, scale)
        is_uncertain = self._uncertain(counted)
        if is_uncertain.any():
            if not self._is_scanned:
                Passes.pass_over(self)
                self._is_scanned = True
            self.is_counted = is_uncertain
            for a in self._hidden:
                exact = Passes._count_values(self, a, totals * is_uncertain[:, None], scale)
                counted[a] = merged(counted[a], exact, is_uncertain, totals)
        self.is_counted = None
        return counted

    def _uncertain(self, counted: list[Counted]) -> Flags:
        """Return the nodes whose split may depend on cuts that are inside bins."""
        n_nodes, plan = len(self._coarse), self.plan
        is_uncertain = np.zeros(n_nodes, bool)
        is_open = [not own.is_resolved for of_nodes in self._hidden.values() for own in of_nodes.values()]
        if not any(is_open):
            return is_uncertain
        assert self.scores is not None
        assert plan is not None
        found = self.scores(counted)
        gain, info = np.array([own.gain for own in found]), np.array([own.split_info for own in found])
        weight = np.array([own.tables.weights for own in counted[:1]])[0]
        share = weight / plan.root_weight if plan.gain_of_all else np.ones(n_nodes)
        for node in np.flatnonzero(self._coarse != UNFORESEEN).tolist():
            hidden = [self._hidden[a][node] if a in self._hidden else None for a in range(len(found))]
            is_uncertain[node] = not splits_certainly(gain[:, node], info[:, node], hidden, float(share[node]), plan)
        return is_uncertain

    def _count_values(self, attribute: int, totals: Floats, scale: Floats) -> Counted:
        """Return the tables of an attribute of very many values: in bins at nodes that were foreseen."""
        is_foreseen = self._coarse != UNFORESEEN
        if self._cells is None or not is_foreseen.any():
            self.is_counted = None
            return super()._count_values(attribute, totals, scale)
        binned = self._binned(attribute, totals * is_foreseen[:, None], scale)
        if is_foreseen.all():
            return binned
        self.is_counted = ~is_foreseen
        exact = super()._count_values(attribute, totals * ~is_foreseen[:, None], scale)
        return merged(binned, exact, ~is_foreseen, totals)

    def _binned(self, attribute: int, totals: Floats, scale: Floats) -> Counted:
        """Return the tables of the nodes that were foreseen: entries for bins, and for values of held rows."""
        assert self._cells is not None
        assert self.plan is not None
        missing, unknown = np.zeros_like(totals), np.zeros(len(totals))
        self._hidden[attribute] = {}
        nodes, lows, highs, outcomes = [], [np.empty(0)], [np.empty(0)], [np.empty((0, totals.shape[1]))]
        bins = self._cells.bins[attribute]
        for node, (own, held) in self._cells.ranges(attribute, self._coarse).items():
            self._hidden[attribute][node] = own.hidden(self.plan)
            nodes.append(np.full(len(own.low), node))
            lows.append(own.low)
            highs.append(own.high)
            outcomes.append(own.outcomes)
            missing[node] = own.missing
            lacking = held.value != held.value
            np.add.at(unknown, np.full(np.count_nonzero(lacking), node), (scale[held.label] * held.weight)[lacking])
            in_cells = bins.counts[self._cells.below(int(self._coarse[node])), bins.n_bins].sum(axis=0)
            unknown[node] += self._unknown(in_cells, scale)
        node_of_entry = np.concatenate([np.empty(0, np.int64), *nodes])
        values = np.concatenate(highs), np.concatenate(outcomes), np.concatenate(lows)
        entries = Entries(node_of_entry, np.arange(len(node_of_entry)), *values)
        return entries.counted(missing, unknown, totals, 0)

    def _count_codes(self, counts: dict[int, Counters], scale: Floats, first: int, last: int, *, moves: bool) -> None:
        """Add the cells and held rows of nodes that were foreseen, and the rows of others in a pass over all."""
        is_foreseen = self._coarse != UNFORESEEN
        if self._cells is not None and is_foreseen[first:last].any():
            for a, own in counts.items():
                for node in range(first, last):
                    if self._coarse[node] >= 0:
                        cells = self._cells.counts(a, int(self._coarse[node]))
                        own.counts[node - first] += cells
                        own.unknown[node - first] += self._unknown(cells[-1], scale)
            held = self._cells.held
            held.is_counted = is_foreseen
            held._count_codes(counts, scale, first, last, moves=bool(held._route))
        if not is_foreseen[first:last].all():
            self.is_counted = None if not is_foreseen.any() else ~is_foreseen
            super()._count_codes(counts, scale, first, last, moves=not self._is_scanned)
            self._is_scanned = True

    @staticmethod
    def _unknown(missing: Any, scale: Floats) -> float:
        """Return the weight of cases without a value; NaN if it depends on the order of the rows."""
        is_whole = (scale[missing > 0] == 1.0).all()
        return float(missing.sum()) if is_whole else np.nan

    def complete(self, counted: list[Counted], attribute: Codes) -> None:
        """Sum the scales of cases without a value of the attribute that splits their node, where that is not done.

        Only gain ratios depend on them. Rows that were moved for counting this level need no other pass.
        """
        assert self.plan is not None
        if self.plan.rank != codes.BY_RATIO:
            return
        unknown = np.array([own.unknown for own in counted])
        is_open = (attribute >= 0) & np.isnan(unknown[attribute, np.arange(len(attribute))])
        if not is_open.any():
            return
        sums, scale = np.zeros(len(attribute)), np.asarray(self.plan.class_scale)
        if self._is_scanned or self._was_scanned:
            self._bring_up()
            batches = self.kept_nodes()
        else:
            batches = self._nodes_of_batches()
        for begin, node in batches:
            batch = self._batch(begin, node)
            own = np.flatnonzero((batch.node >= 0) & is_open[np.maximum(batch.node, 0)])
            of_rows = attribute[batch.node[own]]
            for a in np.unique(of_rows).tolist():
                code = self.data.column(a, begin, len(node))[own]
                is_missing = code == self.data.columns[a].n_codes if self.data.columns[a].is_dense else code != code
                rows = own[is_missing & (of_rows == a)]
                np.add.at(sums, batch.node[rows], scale[batch.label[rows]] * batch.weight[rows])
        for place in np.flatnonzero(is_open).tolist():
            counted[attribute[place]].unknown[place] = sums[place]

    def _foresee(self) -> None:
        """Draw a sample, and count the cells of its coarse tree, in two passes."""
        self._is_foreseen = True
        reason = self._refuses()
        if reason is not None:
            self._give_up(reason)
            return
        data, n_before = self.data, self.n_done
        assert self.plan is not None
        n_drawn = _sample.size_of(data.n_cases, self.most_rows) if self.n_drawn is None else self.n_drawn
        sample = _sample.drawn(data, n_drawn, self._seed, self._size)
        limits = Limits(MARGIN * self.most_rows / data.n_cases, self._most_cells)
        weight = float(data.class_weights.sum())
        trees = _sample.trees_of(sample, self.plan.settings, limits.share, weight, self._shared.n_threads)
        coarse = coarse_tree(trees, data, sample, limits)
        size = coarse.n_cells, len(data.class_weights)
        many = [a for a, own in enumerate(data.columns) if not own.is_dense]
        bins = {a: Bins(bounds_of(np.asarray(sample.columns[a]), coarse.limits(a)), *size) for a in many}
        cells = self._counted_cells(coarse, bins)
        # Passes that were made before an interruption are not counted again.
        self.n_done = n_before or 2
        if many and 2 * cells.held.data.n_cases > self.most_sorted:
            self._give_up(f"{cells.held.data.n_cases} held rows do not fit into memory")
            return
        self._cells = cells
        self.room //= 2  # the cells take the other half
        self._coarse = np.zeros(1, np.int64)
        for moves, to in self._past:
            self._follow(moves, to)
        self._past = []

    @property
    def _seed(self) -> int:
        assert self.plan is not None
        return int(self.plan.settings.computing.seed)

    @property
    def _most_cells(self) -> int:
        """How many cells fit into half of the room for counters."""
        columns, n_classes = self.data.columns, len(self.data.class_weights)
        dense = 8 * n_classes * sum(own.n_codes + 1 for own in columns if own.is_dense)
        return self.room // 2 // (dense + Bins.size(n_classes) * sum(not own.is_dense for own in columns))

    def _refuses(self) -> str | None:
        """Return why no counts can be foreseen for these data; None if they can."""
        many = [self.data.schema.attributes[a] for a, own in enumerate(self.data.columns) if not own.is_dense]
        labels = [own.name for own in many if own.kind == "nominal"]
        plan = self.plan
        assert plan is not None
        if not self._is_whole:
            return "sums of weights that are not whole depend on the order of the rows"
        if labels:
            return f"'{labels[0]}' has very many labels"
        is_usual = plan.rank in (codes.BY_GAIN, codes.BY_RATIO) and plan.chi2_alpha == np.inf
        if many and (not is_usual or plan.value_gap > 0 or plan.cut_cost or plan.branch_share > 0):
            return f"'{many[0].name}' has very many values, and cuts inside bins of it cannot be bounded"
        if self._most_cells < 2:
            return "the counters of two nodes do not fit into memory"
        return None

    def rows_aside(self, record: np.dtype[np.void]) -> Iterator[NDArray[np.void]]:
        self._cells, self.scores = None, None  # no level is counted after this
        yield from super().rows_aside(record)

    def _give_up(self, reason: str) -> None:
        """Count every level in a pass of its own from now on."""
        assert self.plan is not None
        self.plan.remarks.append(f"boat: goes on level by level, because {reason}")
        self._cells = None
        n_nodes = int(self._past[-1][1].max(initial=LEAF)) + 1 if self._past else len(self._coarse)
        self._coarse = np.full(n_nodes, UNFORESEEN, np.int64)
        self._past = []

    def _counted_cells(self, coarse: Coarse, bins: dict[int, Bins]) -> Cells:
        """Return the counts of the cells and the held rows, in one pass."""
        data, n_classes = self.data, len(self.data.class_weights)
        folder = self._folder / "held"
        rmtree(folder, ignore_errors=True)
        folder.mkdir()
        kept = replace(data, folder=folder)
        names: list[str | int] = [LABEL, *([WEIGHT] if data.has_weights else []), *range(len(data.columns))]
        for name in names:
            kept.path(name).touch()
        counters = {
            a: Counters.of(coarse.n_cells, own.n_codes, n_classes) for a, own in enumerate(data.columns) if own.is_dense
        }
        scale, n_held = np.ones(n_classes), 0
        for begin, n in data.batches(self._size):
            columns = [data.column(a, begin, n) for a in range(len(data.columns))]
            labels = data.labels(begin, n)
            weights = data.whole_weights(begin, n) if data.has_weights else None
            cell = coarse.cells(n, columns.__getitem__)

            def add(
                a: int, columns: Any = columns, labels: Any = labels, weights: Any = weights, cell: Any = cell
            ) -> None:
                if a in bins:
                    bins[a].add(cell, columns[a], labels, weights)
                    return
                own = counters[a]
                if weights is None:
                    count_codes.count(cell, columns[a], labels, own.counts, scale, own.unknown)
                else:
                    count_codes.count_weights(cell, columns[a], labels, weights, own.counts, scale, own.unknown)

            self._shared.do(add, range(len(columns)))
            is_held = cell == HELD
            n_held += int(np.count_nonzero(is_held))
            of_rows: list[Any] = [labels, *([weights] if weights is not None else []), *columns]
            for name, values in zip(names, of_rows, strict=True):
                with kept.path(name).open("ab") as file:
                    values[is_held].tofile(file)
            if self.on_rows is not None:
                self.on_rows((begin + n) / data.n_cases)
        assert self.plan is not None
        cells = wording.counted(coarse.n_cells, "cell")
        self.plan.remarks.append(f"boat: {cells} from a sample, {n_held} of {data.n_cases} rows held")
        return Cells(
            coarse, counters, bins, RoutedPasses(replace(kept, n_cases=n_held), folder, self._shared, self._size)
        )
