"""A model's steps as language-independent lines of code: the test, the nesting level and the function of each."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from treecli.errors import UsageError
from treecli.exporters import CURE
from treecli.predict.program import Program, Step, Test, extended
from treecli.records import dataclass

MOST_NESTING = 12
"""Deeper code is hard to read and reaches parser limits: 20 levels in SQLite, 100 in Python."""

MOST_LINES = 400
"""Tests per function: javac allows 64 kB, and optimizers are slow on functions of thousands of lines."""

MOST_CALLS = 300
"""Nested function calls: Python's limit is 1000, including the caller's."""

Place = tuple[int, int]
"""A node and the index of its first step not yet written."""


class Word(Enum):
    """The kind of a line."""

    IF = "if"
    ELIF = "elif"
    ELSE = "else"
    END = "end"
    SHARE = "share"
    LEAF = "leaf"
    CALL = "call"
    OPEN = "open"
    CLOSE = "close"
    VOTE = "vote"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a function at nesting level `level`.

    `weight` is the number of the variable that holds the fraction of the row at this point. SHARE computes a weight
    from the previous one: `share` of it where `test` holds, otherwise all of it. CALL continues in the function `part`.
    `total` is the number of the variable that leaves add to: OPEN declares it as 0, CLOSE adds it to the enclosing one,
    and VOTE adds `share` to one class of the enclosing one: that with the largest entry.
    """

    word: Word
    level: int
    test: Test = ()
    node: int = 0
    part: int = 0
    weight: int = 0
    share: float = 0.0
    total: int = 0


class Layout:
    """Splits a program into functions; the first is the entry point."""

    def __init__(self, program: Program, *, adds_up: bool = False, most_lines: int = MOST_LINES) -> None:
        """Leaves add to a total if `adds_up` or if rows spread; otherwise each path returns its prediction."""
        self.program = program
        self.adds_up = adds_up or bool(program.spreads)
        self._most_lines = most_lines
        self._begins: list[Place] = [(0, 0)]
        self._number_of: dict[Place, int] = {(0, 0): 0}
        # The last step needs no further level. Putting the largest subtree last in a deep tree limits nesting to
        # log2(n) levels for n nodes, whatever the depth.
        is_deep = not (self.adds_up or program.is_ordered) and program.heights()[0] > MOST_NESTING
        self._sizes = program.sizes() if is_deep else None
        self._added = nested_spreads(program)

    def parts(self) -> list[list[Line]]:
        """Return the lines of every function."""
        found: list[list[Line]] = []
        for begin in self._begins:  # grows during iteration
            found.append(list(self._sum(begin) if self.adds_up else self._chain(begin)))
        self._check_calls(found)
        return found

    def _part(self, node: int, offset: int) -> int:
        place = (node, offset)
        if place not in self._number_of:
            self._number_of[place] = len(self._begins)
            self._begins.append(place)
        return self._number_of[place]

    def _steps(self, node: int) -> tuple[Step, ...]:
        """Return the steps of a node in the order in which they are tested."""
        steps, sizes = self.program.steps[node], self._sizes
        if sizes is None or not steps:
            return steps
        last = max(
            range(len(steps)), key=lambda place: (steps[place].child != node and sizes[steps[place].child], place)
        )
        return (*steps[:last], *steps[last + 1 :], steps[last])

    def _chain(self, begin: Place) -> Iterator[Line]:
        """Yield lines in which every path returns its prediction; the code after all IF … END needs no test."""
        frames = [begin]
        n_questions = 0
        while frames:
            node, offset = frames[-1]
            level = len(frames) - 1
            steps = self._steps(node)
            if steps and n_questions >= self._most_lines:
                yield Line(Word.CALL, level, part=self._part(node, offset))
            elif offset < len(steps) - 1:
                n_questions += 1
                yield Line(Word.IF, level, test=steps[offset].test, node=node)
                frames[-1] = (node, offset + 1)
                if steps[offset].child != node:
                    frames.append((steps[offset].child, 0))
                else:
                    yield Line(Word.LEAF, level + 1, node=node)
                    yield Line(Word.END, level)
                continue
            elif steps and steps[-1].child != node:
                frames[-1] = (steps[-1].child, 0)
                continue
            else:
                yield Line(Word.LEAF, level, node=node)
            frames.pop()
            if frames:
                yield Line(Word.END, len(frames) - 1)

    def _sum(self, begin: Place) -> Iterator[Line]:
        """Yield lines in which a row may take several paths, in the order in which the model sums its leaves."""
        frames = [_Frame(*begin, level=0, weight=0, first=begin[1])]
        n_questions = 0
        while frames:
            frame = frames[-1]
            steps = self._steps(frame.node)
            if frame.offset < len(steps) and not self._is_full(frame, len(frames), n_questions):
                n_questions += 1
                yield from self._question(frames, steps)
                continue
            yield from self._rest(frame, steps)
            frames.pop()
            if frame.vote:
                yield Line(Word.VOTE, frame.level, total=frame.total, share=frame.vote)
            elif frame.is_sum:
                yield Line(Word.CLOSE, frame.level, total=frame.total)
            if frame.is_closed:
                yield Line(Word.END, frame.level - 1)

    def _is_full(self, frame: _Frame, n_frames: int, n_questions: int) -> bool:
        """Return whether the rest of a node goes into another function."""
        if frame.is_begun:  # too many branches for one function
            return n_questions >= 2 * self._most_lines
        return n_frames > 1 and (frame.level >= MOST_NESTING or n_questions >= self._most_lines)

    def _rest(self, frame: _Frame, steps: tuple[Step, ...]) -> Iterator[Line]:
        """Yield the lines of a node after its tests: its leaf, or a call of the function with the remaining tests."""
        level, weight, total = frame.level, frame.weight, frame.total
        if not steps:
            yield Line(Word.LEAF, level, node=frame.node, weight=weight, total=total)
        elif frame.offset < len(steps):
            part = self._part(frame.node, frame.offset)
            if not frame.is_begun or frame.node in self.program.spreads:
                yield Line(Word.CALL, level, part=part, weight=weight, total=total)
            else:
                yield Line(Word.ELSE, level)
                yield Line(Word.CALL, level + 1, part=part, weight=weight, total=total)
                yield Line(Word.END, level)

    def _question(self, frames: list[_Frame], steps: tuple[Step, ...]) -> Iterator[Line]:
        """Yield the lines of the last node's next step; the step's child becomes the last node."""
        frame = frames[-1]
        node, offset, level, weight = frame.node, frame.offset, frame.level, frame.weight
        step, is_begun = steps[offset], frame.is_begun
        if node == 0 and self.program.is_joint:
            frame.offset += 1
            yield Line(Word.CALL, level, part=self._part(step.child, 0), weight=weight, total=frame.total)
            return
        if offset == 0 and (node in self._added or node in self.program.votes):
            frame.total += 1
            frame.is_sum = True
            if node in self.program.votes:
                frame.vote = self.program.votes[node].weight
            yield Line(Word.OPEN, level, total=frame.total)
        frame.offset += 1
        if node in self.program.spreads:
            spread = self.program.spreads[node]
            yield Line(Word.IF, level, test=_either(step.test, spread) if step.share > 0 else step.test, node=node)
            if step.share > 0:
                weight += 1
                yield Line(Word.SHARE, level + 1, test=spread, weight=weight, share=step.share)
        elif offset < len(steps) - 1:
            yield Line(Word.ELIF if is_begun else Word.IF, level, test=step.test, node=node)
        elif is_begun:
            yield Line(Word.ELSE, level)
        elif step.child != node:
            kept = {"is_closed": frame.is_closed, "is_sum": frame.is_sum}
            frames[-1] = _Frame(step.child, 0, level, weight, 0, frame.total, vote=frame.vote, **kept)
            return
        else:
            kept = {"is_closed": frame.is_closed, "is_sum": frame.is_sum}
            frames[-1] = _Frame(node, len(steps), level, weight, 0, frame.total, vote=frame.vote, **kept)
            yield Line(Word.LEAF, level, node=node, weight=weight, total=frame.total)
            return
        if step.child == node:
            yield Line(Word.LEAF, level + 1, node=node, weight=weight, total=frame.total)
            yield Line(Word.END, level)
        else:
            frames.append(_Frame(step.child, 0, level + 1, weight, 0, frame.total, is_closed=True))

    def _check_calls(self, found: list[list[Line]]) -> None:
        depth = [0] * len(found)
        for number, lines in enumerate(found):
            for line in lines:
                if line.word is Word.CALL:  # callers precede the functions they call
                    depth[line.part] = depth[number] + 1
        if max(depth) > MOST_CALLS:
            raise UsageError(
                f"the tree is too deep to be written as code: {self.program.heights()[0]} levels",
                f"{self.program.how_to_shrink}, or {CURE}"
                if self.program.spreads
                else "prune it, or train it with --max-depth",
            )


@dataclass(slots=True)
class _Frame:
    """A node whose steps are being written; `first` is the index of its first step in this function.

    `is_closed`: END closes the step that leads to the node. `is_sum`: the node has its own total.
    """

    node: int
    offset: int
    level: int
    weight: int
    first: int
    total: int = 0
    is_closed: bool = False
    is_sum: bool = False
    vote: float = 0.0
    """The weight of the vote that the node's total becomes; 0 if it is added as it is."""

    @property
    def is_begun(self) -> bool:
        """Whether one of the node's steps has been written."""
        return self.offset > self.first


def nested_spreads(program: Program) -> frozenset[int]:
    """Return the spreading nodes below another spreading node; their branches are summed separately, then added."""
    found = []
    pending = [(0, False)]
    while pending:
        node, is_below = pending.pop()
        spreads = node in program.spreads
        if spreads and is_below:
            found.append(node)
        pending += [(step.child, is_below or spreads) for step in program.steps[node] if step.child != node]
    return frozenset(found)


def _either(one: Test, other: Test) -> Test:
    """Return a test that either test holds; a single condition if both are about one attribute."""
    if len(one) == len(other) == 1 and len(one[0]) == len(other[0]) == 1:
        values, lost = one[0][0], other[0][0]
        if values.attribute == lost.attribute:
            return ((extended(values, lost),),)
    return (*one, *other)
