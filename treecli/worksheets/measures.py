"""The numbers of one node and its splits as blanks, for each criterion that a lecture teaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log2

from treecli.teaching import impurities, mistakes
from treecli.teaching.formulas import (
    Formula,
    Group,
    Name,
    Product,
    Quotient,
    Result,
    Share,
    Step,
    added,
    difference,
)
from treecli.teaching.mistakes import Counts, Mistake
from treecli.teaching.notation import MITCHELL, Notation
from treecli.teaching.numbers import Digits
from treecli.teaching.plainmath import name_text
from treecli.teaching.trace import Candidate, NodeTrace
from treecli.worksheets.follow import Follow, Ratio, Total
from treecli.worksheets.sheet import DIGITS, IN_STEPS, Blank, fixed, tolerance

ENTROPY, GINI = "entropy", "gini"


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a split: the impurities of its branches, then the remainder, and what is derived from it."""

    branches: tuple[Step, ...]
    remainder: Step
    gain: Step
    info: Step | None = None
    ratio: Step | None = None
    known: Step | None = None
    """The impurity of the cases whose value is known, if some are missing."""


@dataclass(frozen=True, slots=True)
class Split:
    """A split at a node: its name, the labels and class counts of its branches, and its steps under both roundings."""

    attribute: str
    labels: tuple[str, ...]
    branches: tuple[Counts, ...]
    exact: Steps
    in_steps: Steps
    unknown: float = 0.0
    """The weight of the cases whose value is missing."""

    @property
    def together(self) -> Counts:
        """The class counts of all branches."""
        return tuple(map(sum, zip(*self.branches, strict=True)))

    @property
    def share(self) -> float:
        """The share of the cases whose value is known."""
        known = sum(self.together)
        return known / (known + self.unknown)

    @property
    def sizes(self) -> list[float]:
        """The parts that the split information counts: the branches, and the unknown cases."""
        return [*map(sum, self.branches), *([self.unknown] if self.unknown else [])]


@dataclass(frozen=True, slots=True)
class Measure:
    """The numbers of a node under one impurity; `prefix` tells its blanks from those of other nodes."""

    impurity: str
    counts: Counts
    splits: tuple[Split, ...]
    whole: tuple[Step, Step]
    prefix: str

    @property
    def _whole_name(self) -> str:
        return name_text(self.whole[0].name)

    @property
    def whole_key(self) -> str:
        return self.prefix + self._whole_name

    def gain_key(self, split: Split) -> str:
        return self.prefix + name_text(split.exact.gain.name)

    def ratio_key(self, split: Split) -> str:
        assert split.exact.ratio is not None
        return self.prefix + name_text(split.exact.ratio.name)

    def known_key(self, split: Split) -> str:
        assert split.exact.known is not None
        return self.prefix + name_text(split.exact.known.name)

    def whole_blank(self) -> Blank:
        """Return the impurity of the node as a blank."""
        wrong = mistakes.of_entropy if self.impurity == ENTROPY else mistakes.of_gini
        return self._blank(self.whole, wrong(self.counts), (self._looked_up(self.counts),))

    def branch_blanks(self, split: Split) -> Iterator[Blank]:
        """Yield the impurity of each branch, then what remains."""
        wrong = mistakes.of_entropy if self.impurity == ENTROPY else mistakes.of_gini
        keys = []
        if split.exact.known is not None and split.in_steps.known is not None:
            looked_up = self._looked_up(split.together)
            yield self._blank((split.exact.known, split.in_steps.known), wrong(split.together), (looked_up,))
        total = sum(map(sum, split.branches))
        for place, label in enumerate(split.labels):
            pair = split.exact.branches[place], split.in_steps.branches[place]
            own = split.branches[place]
            condition = label if label[:1] in "<>" else f"= {label}"
            name = Name(pair[0].name.symbol, pair[0].name.whole, given=f"{split.attribute} {condition}")
            blank = self._blank(pair, wrong(own), (self._looked_up(own),), name=name)
            keys.append(blank.key)
            yield blank
        sizes = [sum(own) / total for own in split.branches]
        own_mistakes = mistakes.of_remainder if self.impurity == ENTROPY else mistakes.of_gini_remainder
        pair = split.exact.remainder, split.in_steps.remainder
        follows = Total(tuple(zip(sizes, keys, strict=True)))
        looked_up = mistakes.remaining(split.branches, map(self._looked_up, split.branches))
        yield self._blank(pair, own_mistakes(split.branches, self._whole_name), (looked_up,), follows)

    def gain_blank(self, split: Split, *, asks_whole: bool, asks_remainder: bool) -> Blank:
        """Return the decrease of impurity as a blank; the flags say which of its parts are blanks, too."""
        pair, share = (split.exact.gain, split.in_steps.gain), split.share
        before, key = self.whole[0].exact, self.whole_key
        if split.exact.known is not None:
            before, key, asks_whole = split.exact.known.exact, self.known_key(split), asks_remainder
        terms = [(share, key)] if asks_whole else []
        constant = 0.0 if asks_whole else share * before
        if asks_remainder:
            terms.append((-share, self.prefix + name_text(split.exact.remainder.name)))
        else:
            constant -= share * split.exact.remainder.exact
        wrong = mistakes.of_gain if self.impurity == ENTROPY else mistakes.of_gini_decrease
        found = wrong(split.branches, self._whole_name)
        if split.unknown:
            found = mistakes.of_known(found, self.whole[0].exact, split.exact.remainder.exact, before, share)
        looked_up = share * (
            self._looked_up(split.together) - mistakes.remaining(split.branches, map(self._looked_up, split.branches))
        )
        follows = Total(tuple(terms), constant) if terms else None
        return self._blank(pair, found, (looked_up,), follows)

    def ratio_blanks(self, split: Split, *, asks_gain: bool) -> Iterator[Blank]:
        """Yield the split information and the gain ratio as blanks."""
        exact, in_steps = split.exact, split.in_steps
        if exact.info is None or in_steps.info is None or exact.ratio is None or in_steps.ratio is None:
            return
        wrong = mistakes.of_split_info(split.branches, exact.gain.exact, split.unknown)
        info = self._blank((exact.info, in_steps.info), wrong, (looked_up_entropy(split.sizes),))
        yield info
        follows = Ratio(self.gain_key(split), info.key) if asks_gain else None
        yield self._blank((exact.ratio, in_steps.ratio), mistakes.of_ratio(split.branches, split.unknown), (), follows)

    def _looked_up(self, counts: Counts) -> float:
        """The impurity from the rounded numbers of the look-up table."""
        return looked_up_entropy(counts) if self.impurity == ENTROPY else mistakes.gini(counts)

    def _blank(
        self,
        pair: tuple[Step, Step],
        wrong: Sequence[Mistake],
        others: Sequence[float] = (),
        follows: Follow | None = None,
        name: Name | None = None,
    ) -> Blank:
        exact, in_steps = pair
        name = name or exact.name
        near = tolerance(exact.exact, float(in_steps.shown), *others)
        key = self.prefix + name_text(name)
        return Blank(key, name, fixed(exact.exact), near, mistakes=tuple(wrong), follows=follows)


def looked_up_entropy(counts: Counts) -> float:
    """Return an entropy as the sum of terms that are rounded in a look-up table."""
    total = sum(counts)
    terms = [-own / total * log2(own / total) for own in counts if own > 0]
    return float(sum(DIGITS.rounded(term) for term in terms))


def measure(node: NodeTrace, impurity: str, *, with_ratio: bool, prefix: str) -> Measure:
    """Return the numbers of a node of a trace under an impurity, from its counts."""
    notation = Notation(MITCHELL, impurity)
    splits = [own for own in node.every if own.gain is not None]
    whole = tuple(_impurity(notation.whole(), node.counts, impurity, digits) for digits in (DIGITS, IN_STEPS))
    found = []
    for own in splits:
        exact, in_steps = (
            _steps(own, before, notation, digits, with_ratio=with_ratio)
            for before, digits in zip(whole, (DIGITS, IN_STEPS), strict=True)
        )
        labels, counts = zip(*((branch.label, branch.counts) for branch in own.branches), strict=True)
        found.append(Split(own.attribute, labels, counts, exact, in_steps, own.unknown))
    return Measure(impurity, node.counts, tuple(found), (whole[0], whole[1]), prefix)


def _impurity(name: Name, counts: Counts, impurity: str, digits: Digits) -> Step:
    return Step(name, impurities.of_classes(impurity, counts), digits)


def _steps(candidate: Candidate, whole: Step, notation: Notation, digits: Digits, *, with_ratio: bool) -> Steps:
    """The steps of a split, from the counts of its branches."""
    total, unknown = sum(branch.weight for branch in candidate.branches), candidate.unknown
    branches = tuple(
        _impurity(notation.branch(branch.label), branch.counts, notation.impurity, digits)
        for branch in candidate.branches
    )
    weighted = [
        Product((Share(branch.weight, total), Result(step)))
        for branch, step in zip(candidate.branches, branches, strict=True)
    ]
    known = None
    if unknown:
        together = [sum(column) for column in zip(*(branch.counts for branch in candidate.branches), strict=True)]
        name = replace(notation.whole(), split=f"{candidate.attribute} known")
        known = _impurity(name, together, notation.impurity, digits)
    # By the attribute: a threshold is also the condition of its first branch.
    remainder = Step(notation.remainder(candidate.attribute, of_known=known is not None), added(weighted), digits)
    formula: Formula = difference(Result(known or whole), Result(remainder))
    if unknown:
        formula = Product((Share(total, total + unknown), Group(formula)))
    gain = Step(notation.gain(candidate.title), formula, digits)
    if not with_ratio:
        return Steps(branches, remainder, gain, known=known)
    sizes = [*(own.weight for own in candidate.branches), *([unknown] if unknown else [])]
    info = Step(notation.info(candidate.title), impurities.entropy(sizes), digits)
    ratio = Step(notation.ratio(candidate.title), Quotient(Result(gain), Result(info)), digits)
    return Steps(branches, remainder, gain, info, ratio, known)
