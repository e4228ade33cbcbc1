"""An engine that grows from counts: it holds no rows, only the counts of the open nodes by attribute, value and class.

Splits come from the kernels that the memory engine uses, with the counts as weighted cases. Weights are whole numbers,
so sums do not depend on the order of the rows, and the nodes are those of the memory engine, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from treecli import wording
from treecli.engines._aside import Aside
from treecli.engines._levels import NO_ENTRY, Counted, CountedCases, CountedLevel, SentCounts
from treecli.engines._parts import MOST_PARTS, divide, no_parts
from treecli.engines._passes import LEAF, ROWS_AT_ONCE, CodeMove, Moves, NumberMove, Passes
from treecli.engines._targets import TargetPasses, root_of
from treecli.errors import DataError
from treecli.grow import thresholds
from treecli.grow.level import MOST_WHOLE, SortedCases, to_mean_and_deviance
from treecli.grow.plan import open_root
from treecli.kernels import codes, decrease, partition
from treecli.kernels.args import Sent
from treecli.threads import Shared

if TYPE_CHECKING:
    from treecli.engines._checkpoint import Checkpoint
    from treecli.grow.candidates import Candidates, Codes, CountTables, Flags, Floats, Indices
    from treecli.grow.choose import Chosen, Decision
    from treecli.grow.coded import CodedData
    from treecli.kernels.args import Plan

Result = TypeVar("Result")


class CountingEngine:
    """Coded data, and the counts of the level that is being split.

    `most_rows`: nodes with up to so many rows are finished in memory.
    """

    def __init__(
        self, data: CodedData, plan: Plan, jobs: int | None, most_rows: int, rows_at_once: int = ROWS_AT_ONCE
    ) -> None:
        self.plan = plan
        self.schema = data.schema
        self.data = data
        self.shared = Shared(jobs)
        self.passes = self._passes(rows_at_once)
        self.passes.plan = plan
        self.aside = Aside(self, data.folder, most_rows)
        self.checkpoint: Checkpoint | None = None
        self.on_pass: Callable[[str], None] | None = None
        """Called with the level, its nodes, the number of the pass and the share of the rows that it has read."""
        self._counted: list[Counted] = []
        self._moves: Moves = []
        self.to: Codes = np.zeros(2, np.int32)
        """The node that each child becomes in the next pass; the last two entries are for rows in leaves, and for rows
        without a branch, whose parts are carried apart."""
        self._has_moves = False
        self.most_parts = MOST_PARTS
        self._parts = no_parts()

    def _passes(self, rows_at_once: int) -> Any:
        made = TargetPasses if self.plan.is_numeric else Passes
        return made(self.data, self.data.folder, self.shared, rows_at_once)

    def close(self) -> None:
        self.shared.close()

    def map(self, work: Callable[[int], Result], attributes: Iterable[int], n_cases: int) -> list[Result]:
        return list(self.shared.map(work, attributes))

    def root(self) -> CountedLevel:
        """Return the level of the root."""
        data = self.data
        size, of_target = np.array([data.n_cases]), list[Any]()
        if self.plan.is_numeric:
            outcomes, *of_target = root_of(data)
            self.passes.deviance = float(outcomes[0, codes.DEVIANCE])
        else:
            outcomes = data.class_weights.astype(np.float64)[None, :]
        is_whole = data.is_whole and float(outcomes[0].sum()) < MOST_WHOLE
        level = CountedLevel(np.zeros(1, np.int64), outcomes, 0, size, np.zeros(1, np.int64), is_whole, *of_target)
        open_root(self.plan, outcomes, data.n_cases, self.schema)
        return level

    def begin_level(self, level: CountedLevel) -> None:
        """Count the open nodes of a level, in one pass if the counters fit into memory."""
        if self._has_moves:
            self.to[level.slot] = np.arange(level.n_nodes)
        self.hand_moves_over()
        size = f"{wording.counted(level.n_nodes, 'node')} of {level.n_cases} rows"
        self.plan.remarks.append(f"level {level.depth}: {size}, pass {self.passes.n_done + 1}")
        self._tell(f"level {level.depth}: {wording.counted(level.n_nodes, 'node')}, pass {self.passes.n_done + 1}")
        self._counted = self._counts(level)

    def _tell(self, text: str) -> None:
        """Let the passes tell which share of the rows they have read."""
        on_pass = self.on_pass
        if on_pass is not None:
            self.passes.on_rows = lambda share: on_pass(f"{text}, {share:.0%} of rows")

    def _counts(self, level: CountedLevel) -> list[Counted]:
        """Return the counts of the open nodes; those in a checkpoint are not counted again."""
        totals, scale = np.ascontiguousarray(level.totals), np.asarray(self.plan.class_scale)
        self.passes.center = np.ascontiguousarray(level.center)
        if self.checkpoint is None:
            counted: list[Counted] = self.passes.count(totals, scale)
            return counted
        known = self.checkpoint.level(level.depth, totals)
        if known is not None:
            self.passes.pass_over()
            counted, self.passes.n_done = known
            return counted
        counted = self.passes.count(totals, scale)
        self.checkpoint.save(level.depth, totals, counted, self.passes.n_done)
        return counted

    def hand_moves_over(self) -> None:
        """Let the next pass move the rows of the level that was split last."""
        if self._has_moves:
            self.passes.move(self._moves, self.to, self._parts)
            self._has_moves = False
        self._tell(f"pass {self.passes.n_done + 1}")

    def place_aside(self, slot: Indices, numbers: Codes) -> None:
        """Let the next pass move the rows of children that are set aside to these numbers."""
        if self._has_moves:
            self.to[slot] = numbers
        else:
            self.passes.set_root_aside()

    def candidates(self, level: CountedLevel, attribute: int) -> Candidates:
        """Return the best split on an attribute at every open node."""
        counted = self._counted[attribute]
        if counted.cuts is not None:
            return thresholds.placed(self, attribute, counted.cuts)
        if counted.tables.value is None:
            found: Candidates = self.plan.scorer.groups(self, level, attribute)
            return found
        cases = counted.cases()
        if self.plan.branch_share > 0:
            cases = cases.padded(int(2 * max(self.plan.most_branch_share, self.plan.min_leaf)) + 1)
        values = np.append(counted.tables.value, np.nan)[cases.entry]  # NO_ENTRY is the last
        order = SortedCases(np.arange(len(values), dtype=np.int32), values, cases.n_known, self.plan.value_gap)
        if counted.low is None:
            return thresholds.best(self, cases.level(level, {attribute: order}), attribute)
        cuts = self.plan.scorer.cuts(cases.level(level, {attribute: order}), order, None, self.plan)
        return thresholds.placed(self, attribute, counted.between_ranges(cuts))

    def tables(self, level: CountedLevel, attribute: int, center: Floats | None = None) -> Iterable[CountTables]:
        """Yield the count tables of an attribute."""
        counted = self._counted[attribute]
        if counted.tables.value is None and self.plan.missing_is_value:
            yield counted.with_missing()
        else:
            yield counted.tables

    def accept(self, level: CountedLevel, chosen: Chosen) -> None:
        """Raise a DataError if a split would divide rows among its branches, and that cannot be done here.

        Sums of fractions depend on the order of the rows. A rule of C4.5 asks for the number of cases in a branch.
        """
        spreads = np.flatnonzero(self._lacks_value(chosen.attribute))
        has_fractions = not self.data.is_whole or len(self.passes.parts) or len(spreads)
        if has_fractions and self.plan.rank not in (codes.BY_GAIN, codes.BY_RATIO):
            raise DataError(
                f"--criterion {self.plan.settings.splitting.criterion} stores a score of the search, which depends on "
                f"the order of rows if they have fractions: a node of {level.size.max()} rows must fit into memory, "
                f"which has room for {self.aside.most_rows}",
                "use --criterion gain, gainratio or gini, or give more --memory",
            )
        if len(spreads) and (not self.passes.IS_ORDERED or self.plan.branch_share > 0):
            node = spreads[np.argmax(level.size[spreads])]
            name = self.schema.attributes[chosen.attribute[node]].name
            raise DataError(
                f"a node of {level.size[node]} rows would be split by '{name}', which is missing in some of them: "
                f"fractions of rows are added in memory, which has room for {self.aside.most_rows} rows",
                "use --missing branch, majority or stay, which are counted, or give more --memory",
            )

    def _lacks_value(self, attribute: Codes) -> Flags:
        """Return whether cases of each node go down several branches if this attribute splits it."""
        if not self.plan.spreads:
            return np.zeros(len(attribute), bool)
        missing = np.array([own.missing.any(axis=1) for own in self._counted])
        return np.asarray((attribute >= 0) & missing[attribute, np.arange(len(attribute))])

    def send(self, level: CountedLevel, decision: Decision) -> SentCounts:
        """Return the splits with the counts that they divide."""
        asked = sorted(set(decision.attribute[decision.attribute >= 0].tolist()))
        of_splits = np.full(level.n_nodes, np.nan), np.zeros(level.n_nodes)
        return SentCounts(level, decision, {a: self._counted[a] for a in asked}, *of_splits)

    def outcomes(self, sent: SentCounts) -> Floats:
        """Return the outcomes of every child, from the counts of the attributes that split their parents.

        Fractions and numeric targets are added in one more pass, in the order of the rows.
        Sets `decision.missing_to` if the split does not define the branch of missing values.
        """
        level, decision = sent.level, sent.decision
        n_classes = level.totals.shape[1]
        sent.children = np.zeros((int(decision.first_child[-1]), n_classes))
        has_fractions = not self.data.is_whole or len(self.passes.parts) > 0
        if self.plan.is_numeric or has_fractions or self._lacks_value(decision.attribute).any():
            expected = None if self.plan.is_numeric else self._expected(sent)
            moves = self._moves_of(decision)
            sent.divided = divide(self.passes, sent, expected, moves, self.most_parts, self.plan)
            if self.plan.is_numeric:
                sent.sums = sent.children.copy()
                center = np.repeat(level.center, np.diff(decision.first_child))
                sent.rest = to_mean_and_deviance(sent.children, center)
            return sent.children
        for a, counted in sent.counted.items():
            is_own = decision.attribute == a
            first_child = np.concatenate([[0], np.cumsum(np.where(is_own, np.diff(decision.first_child), 0))])
            is_own_child = np.repeat(is_own, np.diff(decision.first_child))
            outcomes = np.zeros((int(first_child[-1]), n_classes))
            cases = counted.cases()
            branch = self._branches(a, counted, decision, cases)
            args = Sent(first_child, branch, np.zeros(len(outcomes)), decision.missing_to, outcomes)
            args.decrease, args.information = sent.decrease, sent.information
            known = np.zeros_like(outcomes)
            child = np.where(is_own[cases.node] & (branch > codes.SPREAD), first_child[cases.node] + branch, -1)
            np.add.at(known, (child[child >= 0], cases.label[child >= 0]), cases.weight[child >= 0])
            partition.child_outcomes(cases.level(level, {}).cases, args, self.plan)
            decrease.informations(first_child, known, counted.unknown, self.plan, sent.information)
            sent.children[is_own_child] = outcomes
        return sent.children

    def _expected(self, sent: SentCounts) -> Floats:
        """Return the class weights of the cases of every child that have a branch, from the counts."""
        decision, expected = sent.decision, np.zeros_like(sent.children)
        for a, counted in sent.counted.items():
            cases = counted.cases()
            branch = self._branches(a, counted, decision, cases)
            own = np.flatnonzero((decision.attribute == a)[cases.node] & (branch > codes.SPREAD))
            child = decision.first_child[cases.node[own]] + branch[own]
            np.add.at(expected, (child, cases.label[own]), cases.weight[own])
        return expected

    def _branches(self, attribute: int, counted: Counted, decision: Decision, cases: CountedCases) -> Codes:
        """Return the branch of each counted case; only those of nodes that the attribute splits matter."""
        tables, node = counted.tables, cases.node
        place = np.maximum(cases.entry, 0)
        if not len(tables.outcomes):
            known = np.zeros(len(node), np.int32)
        elif attribute in decision.tables:
            row = np.cumsum(decision.attribute == attribute) - 1
            known = decision.tables[attribute][np.maximum(row, 0)[node], tables.code[place]]
        else:
            assert tables.value is not None
            known = (tables.value[place] > decision.number[node]).astype(np.int32)
        return np.where(cases.entry == NO_ENTRY, decision.missing_to[node], known).astype(np.int32)

    def open(
        self, sent: SentCounts, outcomes: Floats, is_open: Flags, first_number: int, *, is_consumed: bool = False
    ) -> CountedLevel:
        """Return the level of the open children; their rows move in the next pass. No rows are kept by levels."""
        level, open_children = sent.level, np.flatnonzero(is_open)
        self.to = np.full(len(outcomes) + 2, LEAF, np.int32)
        self._moves, self._has_moves, self._parts = self._moves_of(sent.decision), True, no_parts()
        own = outcomes[open_children]
        is_whole = float(own.sum()) < MOST_WHOLE if self.plan.spreads and len(own) else level.is_whole
        of_target = ()
        if self.plan.is_numeric:
            of_target = self.plan.scorer.open(own, sent.sums[open_children], sent.rest[open_children], self.plan)
        if sent.divided is not None:
            self._parts = sent.divided.parts.taken(is_open[sent.divided.parts.node])
            is_whole = is_whole and self.data.is_whole and self._parts.are_whole
            size = sent.divided.size[open_children]
        else:
            size = own.sum(axis=1).astype(np.int64)
        return CountedLevel(
            first_number + open_children, own, level.depth + 1, size, open_children, is_whole, *of_target
        )

    def _moves_of(self, decision: Decision) -> Moves:
        """Return the moves of rows to the children of the splits, by attribute."""
        n_nodes, leaf = len(decision.attribute), int(decision.first_child[-1])
        first_child = decision.first_child[:-1]
        missing = np.where(decision.missing_to >= 0, first_child + decision.missing_to, leaf + 1).astype(np.int32)
        moves: Moves = []
        for a in sorted(set(decision.attribute[decision.attribute >= 0].tolist())):
            column, nodes = self.data.columns[a], np.flatnonzero(decision.attribute == a)
            if a not in decision.tables and not column.is_dense:
                children = np.stack([first_child, first_child + 1, missing], axis=1)
                children = np.minimum(children, leaf + 1).astype(np.int32)  # of nodes that others split
                moves.append(NumberMove(a, decision.number, (decision.attribute == a).astype(np.uint8), children))
                continue
            if a in decision.tables:
                branch = decision.tables[a]
            else:
                assert column.values is not None
                branch = (column.values > decision.number[nodes, None]).astype(np.int32)
            table = np.where(branch >= 0, first_child[nodes, None] + branch, leaf)
            table = np.concatenate([table, missing[nodes, None]], axis=1).astype(np.int32)
            start = np.full(n_nodes, -1, np.int64)
            start[nodes] = np.arange(len(nodes)) * table.shape[1]
            moves.append(CodeMove(a, start, table.ravel(), table.shape[1] - 1))
        return moves
