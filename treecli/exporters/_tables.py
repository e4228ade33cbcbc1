"""A model's tests as lookup tables, indexed by the bucket of a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, nextafter

from treecli.predict.program import Program, Test
from treecli.values import Condition, Interval, Labels

# Label buckets: missing, unseen, then one per label. Number buckets: missing, inside the bounds, outside.
MISSING_BUCKET, UNSEEN_BUCKET, FIRST_LABEL_BUCKET = range(3)
INSIDE_BUCKET, OUTSIDE_BUCKET = 1, 2


@dataclass(slots=True)
class Questions:
    """One row per test: its column, the bounds for numbers, and the offset of its answers."""

    program: Program
    column: list[int] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    is_label: list[bool] = field(default_factory=list)
    begin: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    _column_of: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._column_of.update(
            {index: place for place, index in enumerate([*self.program.attributes, *self.program.derived])}
        )

    def add(self, values: Condition, answers: list[int]) -> int:
        """Add a test of an attribute, with an answer for each bucket, and return its number."""
        self.column.append(self._column_of[values.attribute])
        known = values if isinstance(values, Interval) else Interval(values.attribute)
        # The smallest number in the interval; without a lower bound the interval includes -inf.
        self.low.append(nextafter(known.low, inf) if known.low > -inf else -inf)
        self.high.append(known.high if values.takes_known else -inf)
        return self._add(isinstance(values, Labels), answers)

    def add_end(self) -> int:
        """Add a test whose answer is always its own number, and return that number."""
        self.column.append(0)
        self.low.append(-inf)
        self.high.append(inf)
        number = len(self.begin)
        return self._add(False, [number] * (OUTSIDE_BUCKET + 1))

    def _add(self, is_label: bool, answers: list[int]) -> int:
        self.is_label.append(is_label)
        self.begin.append(len(self.answers))
        self.answers += answers
        return len(self.begin) - 1

    def buckets(self, values: Condition, yes: int, no: int) -> list[int]:
        """Return the answer for each bucket: `yes` for the values of the condition, `no` for all others."""
        missing = yes if values.missing else no
        if isinstance(values, Interval):
            return [missing, yes, no]
        found = [missing, yes if values.unseen else no]
        found += [no] * len(self.program.schema.columns[values.attribute].labels)
        for code in values.codes:
            found[FIRST_LABEL_BUCKET + code] = yes
        return found


class Walk:
    """Tests whose answer is the number of the next test; an end leads to itself."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.questions = Questions(program)
        self.node_of: dict[int, int] = {}
        """The node whose prediction is returned at each end."""
        self._ends: dict[int, int] = {}
        entry: list[int] = [0] * len(program.steps)
        n_steps: dict[int, int] = {}
        for node in reversed(range(len(program.steps))):  # children come after their parents
            first = len(self.questions.begin)
            entry[node] = self._entry(node, entry)
            for state in range(first, len(self.questions.begin)):
                n_steps[state] = self._n_steps(state, n_steps)
        self.start = entry[0]
        self.most_steps = n_steps[self.start]

    def _n_steps(self, state: int, n_steps: dict[int, int]) -> int:
        if state in self.node_of:
            return 0
        begin = self.questions.begin
        end = begin[state + 1] if state + 1 < len(begin) else len(self.questions.answers)
        return 1 + max(n_steps[following] for following in self.questions.answers[begin[state] : end])

    def _end(self, node: int) -> int:
        if node not in self._ends:
            self._ends[node] = self.questions.add_end()
            self.node_of[self._ends[node]] = node
        return self._ends[node]

    def _entry(self, node: int, entry: list[int]) -> int:
        """Return the number of a node's first test."""
        ways = self.program.steps[node]
        if not ways:
            return self._end(node)
        targets = [self._end(node) if way.child == node else entry[way.child] for way in ways]
        by_label = [_by_label(way.test) for way in ways]
        first = by_label[0]
        if first and all(values and values.attribute == first.attribute for values in by_label):
            answers = [targets[-1]] * (FIRST_LABEL_BUCKET + len(self.program.schema.columns[first.attribute].labels))
            for values, target in zip(by_label, targets, strict=True):
                assert values is not None
                answers = [
                    target if is_ours else answer
                    for answer, is_ours in zip(answers, self.questions.buckets(values, 1, 0), strict=True)
                ]
            return self.questions.add(first, answers)
        following = targets[-1]
        for way, target in reversed(list(zip(ways[:-1], targets[:-1], strict=True))):
            for member in reversed(way.test):
                state = target
                for condition in reversed(member):
                    state = self.questions.add(condition, self.questions.buckets(condition, state, following))
                following = state
        return following


def _by_label(test: Test) -> Labels | None:
    """Return the condition of a test that consists of one condition on labels, else None."""
    if len(test) == 1 and len(test[0]) == 1 and isinstance(test[0][0], Labels):
        return test[0][0]
    return None


Group = tuple[int, ...]
"""Questions that must all hold, or members of which at least one must hold."""


@dataclass(frozen=True, slots=True)
class Step:
    """A branch of a node in a model whose rows may take several: the step before it, and its tests."""

    before: int
    test: int
    spread: int
    share: float


class Parts:
    """All branches of a model by level, and their distinct tests; test 0 never holds."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.questions = Questions(program)
        self.members: list[Group] = []
        self.tests: list[Group] = [()]
        self._question_of: dict[Condition, int] = {}
        self._member_of: dict[Group, int] = {}
        self._test_of: dict[Group, int] = {(): 0}
        self.levels: list[list[Step]] = []
        self.ends: list[tuple[int, int]] = []
        """In depth-first order: the number of the last step, counted in level order, and the node that predicts."""
        self._walk()

    def _walk(self) -> None:
        of_way: dict[tuple[int, int], int] = {}
        here, n_steps = [(0, 0)], 0
        while here:  # the nodes of a level, each with the step that leads to it
            steps: list[Step] = []
            below = []
            for node, before in here:
                spread = self._test(self.program.spreads.get(node, ()))
                for way in self.program.steps[node]:
                    of_way[node, way.child] = n_steps + len(steps)
                    if way.child != node:
                        below.append((way.child, len(steps)))
                    steps.append(Step(before, self._test(way.test), spread if way.share > 0 else 0, way.share))
            if steps:
                self.levels.append(steps)
            n_steps += len(steps)
            here = below
        pending: list[tuple[int, int, bool]] = [(0, 0, False)]
        while pending:
            node, step, is_stay = pending.pop()
            ways = self.program.steps[node]
            if is_stay or not ways:
                self.ends.append((step, node))
                continue
            pending += [(way.child, of_way[node, way.child], way.child == node) for way in reversed(ways)]

    def _test(self, test: Test) -> int:
        return _number(tuple(self._member(member) for member in test), self._test_of, self.tests.append)

    def _member(self, member: tuple[Condition, ...]) -> int:
        return _number(tuple(map(self._question, member)), self._member_of, self.members.append)

    def _question(self, values: Condition) -> int:
        if values not in self._question_of:
            self._question_of[values] = self.questions.add(values, self.questions.buckets(values, 1, 0))
        return self._question_of[values]


def _number(key: Group, numbers: dict[Group, int], append: Callable[[Group], None]) -> int:
    """Return the number of a group; append it if it is new."""
    if key not in numbers:
        numbers[key] = len(numbers)
        append(key)
    return numbers[key]
