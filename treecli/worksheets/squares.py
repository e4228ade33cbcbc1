"""The blanks of a node if the target is numeric: sums of squared deviations, and what a split takes off them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treecli.teaching import mistakes
from treecli.teaching.mistakes import NOT_BY_CASES, REMAINDER, SIGN, Mistake
from treecli.teaching.plainmath import name_text
from treecli.worksheets.follow import Follow, Total
from treecli.worksheets.sheet import Blank, fixed, tolerance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treecli.teaching.formulas import Name, Step
    from treecli.teaching.trace import Branch, Candidate, NodeTrace


@dataclass(frozen=True, slots=True)
class Squares:
    """A node under both roundings; `prefix` tells its blanks from those of other nodes."""

    exact: NodeTrace
    in_steps: NodeTrace
    prefix: str

    def splits(self) -> Iterator[tuple[Candidate, Candidate]]:
        """Yield the splits of the node under both roundings."""
        for exact, in_steps in zip(self.exact.every, self.in_steps.every, strict=True):
            if exact.gain is not None:
                yield exact, in_steps

    def whole_blank(self) -> Blank:
        """Return the squared deviations of the node as a blank."""
        exact, in_steps = _found(self.exact.impurity), _found(self.in_steps.impurity)
        return self._blank((exact, in_steps), mistakes.of_squares(exact.exact, self.exact.weight))

    def branch_blanks(self, pair: tuple[Candidate, Candidate]) -> Iterator[Blank]:
        """Yield the squared deviations of the known cases if some are missing, of each branch, and what remains."""
        own, in_steps = pair
        if own.known is not None:
            known = self._known(own)
            wrong = mistakes.of_squares(own.known.exact, _weight(own))
            yield self._blank((own.known, _found(in_steps.known)), wrong, name=known)
        keys = []
        for branch, other in zip(own.branches, in_steps.branches, strict=True):
            condition = branch.label if branch.label[:1] in "<>" else f"= {branch.label}"
            name = replace(branch.impurity.name, branch="", given=f"{own.attribute} {condition}")
            wrong = mistakes.of_squares(branch.impurity.exact, branch.weight)
            blank = self._blank((branch.impurity, other.impurity), wrong, name=name)
            keys.append(blank.key)
            yield blank
        parts = [(branch.weight, branch.impurity.exact) for branch in own.branches]
        wrong = mistakes.of_remaining_squares(parts, self._before(own), name_text(_found(self.exact.impurity).name))
        follows = Total(tuple((1.0, key) for key in keys))
        yield self._blank((_found(own.remainder), _found(in_steps.remainder)), wrong, follows, self._remainder(own))

    def gain_key(self, own: Candidate) -> str:
        return self.prefix + name_text(_found(own.gain).name)

    def gain_blank(self, pair: tuple[Candidate, Candidate], *, asks_whole: bool, asks_remainder: bool) -> Blank:
        """Return the decrease as a blank; the flags say which of its parts are blanks, too."""
        own, in_steps = pair
        before, remainder, weight = self._before(own), _found(own.remainder), self.exact.weight
        key = self.prefix + name_text(_found(self.exact.impurity).name)
        if own.known is not None:
            key, asks_whole = self.prefix + name_text(self._known(own)), asks_remainder
        terms = [(1 / weight, key)] if asks_whole else []
        constant = 0.0 if asks_whole else before / weight
        if asks_remainder:
            terms.append((-1 / weight, self.prefix + name_text(self._remainder(own))))
        else:
            constant -= remainder.exact / weight
        gain, whole = _found(own.gain), name_text(_found(self.exact.impurity).name)
        wrong = [
            Mistake(gain.exact * weight, NOT_BY_CASES),
            Mistake(remainder.exact, REMAINDER.format(whole=whole)),
            Mistake(remainder.exact / weight, REMAINDER.format(whole=whole)),
            Mistake(-gain.exact, SIGN),
        ]
        if own.unknown:
            all_cases = _found(self.exact.impurity).exact - remainder.exact
            wrong.append(Mistake(all_cases / weight, mistakes.ALL_CASES))
            wrong.append(Mistake((before - remainder.exact) / _weight(own), "divided by the known cases only"))
        follows = Total(tuple(terms), constant) if terms else None
        return self._blank((gain, _found(in_steps.gain)), wrong, follows)

    def _remainder(self, own: Candidate) -> Name:
        """The name of what remains: by the attribute, because a threshold is also the condition of a branch."""
        return replace(_found(own.remainder).name, given=own.attribute)

    def _known(self, own: Candidate) -> Name:
        return replace(_found(self.exact.impurity).name, split=f"{own.attribute} known")

    def _before(self, own: Candidate) -> float:
        return (own.known or _found(self.exact.impurity)).exact

    def _blank(
        self,
        pair: tuple[Step, Step],
        wrong: Sequence[Mistake],
        follows: Follow | None = None,
        name: Name | None = None,
    ) -> Blank:
        exact, in_steps = pair
        name = name or exact.name
        near = tolerance(exact.exact, float(in_steps.shown))
        key = self.prefix + name_text(name)
        return Blank(key, name, fixed(exact.exact), near, mistakes=tuple(wrong), follows=follows)


def _found(step: Step | None) -> Step:
    assert step is not None
    return step


def _weight(own: Candidate) -> float:
    """Return the weight of the cases whose value is known."""
    branches: Sequence[Branch] = own.branches
    return sum(branch.weight for branch in branches)
