"""The claims, one per line: the claim, the measured value, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.results import PYTHON, TREECLI, Result, find, peers_at
from bench.table import aligned

NO_SLOWER_THAN_YDF = 0.5
AT_ONCE = 0.15
SECONDS = 10.0
"""Maximum seconds for pruning a tree of 143,000 leaves, including reading the rows."""

APPLIED = {"evaluate": 4.0, "predict": 5.0}
"""Commands may take this many times the time of reading the rows; `predict` writes as much as it reads."""

FOLDS = 7
"""Pruning by ten folds grows eleven trees, and starts and reads once."""

GAIN_RATIO = 1.5
"""A tree by the gain ratio, which is deeper, may take this many times the time of one by the Gini index."""

LITTLE_MEMORY = 0.4
"""Of scikit-learn's peak: 300 MB for the 160 MB of numbers of L."""

RAISED = 2.5
"""Subtree raising may take this many times the CPU time of `evaluate`, which also sends all rows down the tree."""

PRINTED = 2.5
"""`show` and `rules` of a large tree may take this many times as long as Python takes to parse its file as JSON."""

MORE_THAN_PYTHON = {"train": 18, "--help": 5.5, "show": 9, "rules": 9, "info": 9}
"""Instructions of small commands, divided by those of Python without a program."""

STREAMED = 1.1
"""`show` and `rules` of a large tree may use this many times the memory of `info`, which only reads it."""


@dataclass(frozen=True)
class Claim:
    """A number and its limit; `measured` is None if it was not run."""

    text: str
    measured: float | None
    limit: float
    is_floor: bool
    """Whether the limit is a minimum; otherwise it is a maximum."""

    @property
    def holds(self) -> bool:
        assert self.measured is not None
        return self.measured >= self.limit if self.is_floor else self.measured <= self.limit


def claims(results: list[Result]) -> list[Claim]:
    """All claims about one full run of the benchmark that were measured."""
    of_all = (_large, _mixed, _numeric_target, _small, _files)
    return [claim for made in of_all for claim in made(results) if claim.measured is not None]


def lines(made: list[Claim]) -> list[str]:
    """The claims as a table."""
    rows = [("claim", "limit", "measured", "")]
    for claim in made:
        limit = f"{'≥' if claim.is_floor else '≤'} {claim.limit:g}"
        rows.append((claim.text, limit, f"{claim.measured:.2f}", "holds" if claim.holds else "DOES NOT HOLD"))
    return aligned(rows)


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above and below else None


def _wall(result: Result | None) -> float | None:
    return result.wall if result else None


def _cpu(result: Result | None) -> float | None:
    return result.cpu if result else None


def _fit(result: Result | None) -> float | None:
    return result.fit if result else None


def _memory(result: Result | None) -> float | None:
    return result.memory if result else None


def _large(results: list[Result]) -> Iterator[Claim]:
    own = find(results, "L full", TREECLI, "gini")
    sklearn, ydf = find(results, "L full", "scikit-learn"), find(results, "L full", "YDF")
    yield Claim("L full, file to model: scikit-learn / treecli", _ratio(_wall(sklearn), _wall(own)), 20, True)
    yield Claim("L full, file to model: YDF / treecli", _ratio(_wall(ydf), _wall(own)), 9, True)
    yield Claim("L full, fit: scikit-learn / treecli", _ratio(_fit(sklearn), _fit(own)), 30, True)
    yield Claim("L full, fit: YDF / treecli", _ratio(_fit(ydf), _fit(own)), 15, True)
    for way in ("gini", "default", "--like sklearn"):
        used = _memory(find(results, "L full", TREECLI, way))
        text = f"L full, peak memory: treecli {way} / scikit-learn"
        yield Claim(text, _ratio(used, _memory(sklearn)), LITTLE_MEMORY, False)
    for work in ("L full", "D full"):
        by_gini, by_ratio = find(results, work, TREECLI, "gini"), find(results, work, TREECLI, "default")
        text = f"{work}, file to model: gain ratio / gini"
        yield Claim(text, _ratio(_wall(by_ratio), _wall(by_gini)), GAIN_RATIO, False)
    single = find(results, "L full", TREECLI, "gini --jobs 1")
    yield Claim("L full, fit: --jobs 1 / --jobs 2", _ratio(_fit(single), _fit(own)), 1.5, True)
    shallow, binned = find(results, "L depth 10", TREECLI, "gini"), find(results, "L depth 10", "LightGBM")
    yield Claim("L depth 10, fit: LightGBM / treecli", _ratio(_fit(binned), _fit(shallow)), 1, True)


def _against_best(results: list[Result], work: str, way: str) -> Claim:
    own, peers = find(results, work, TREECLI, way), peers_at(results, work)
    best = min(peers, key=lambda result: result.wall, default=None)
    name = best.program if best else "best peer"
    return Claim(f"{work}, file to model: {name} / treecli {way}", _ratio(_wall(best), _wall(own)), 1, True)


def _mixed(results: list[Result]) -> Iterator[Claim]:
    for work in ("M full", "M depth 10"):
        for way in ("default", "--like c45", "--like cart"):
            yield _against_best(results, work, way)
    yield _against_best(results, "M pruned", "--like c45")
    folds, one = find(results, "M folds", TREECLI), find(results, "M full", TREECLI, "--like cart")
    yield Claim("M, --like cart, CPU: ten folds and pruning / full tree", _ratio(_cpu(folds), _cpu(one)), FOLDS, False)


def _numeric_target(results: list[Result]) -> Iterator[Claim]:
    yield _against_best(results, "R depth 10", "variance")
    squared, absolute = find(results, "R depth 10", TREECLI), find(results, "R absolute", TREECLI)
    yield Claim("R depth 10, fit: absolute / squared", _ratio(_fit(absolute), _fit(squared)), 10, False)


def _small(results: list[Result]) -> Iterator[Claim]:
    own, ydf = (find(results, "S", program) for program in (TREECLI, "YDF"))
    yield Claim("S, file to model: treecli / YDF", _ratio(_wall(own), _wall(ydf)), NO_SLOWER_THAN_YDF, False)
    bare = find(results, "S instructions", PYTHON)
    for way, limit in MORE_THAN_PYTHON.items():
        counted = find(results, "S instructions", TREECLI, way)
        ratio = _ratio(counted and counted.instructions, bare and bare.instructions)
        yield Claim(f"S, {way}: instructions / those of python -c pass", ratio, limit, False)
    for way in ("--help", "show", "rules", "info"):
        yield Claim(f"S, {way}: seconds", _wall(find(results, "S use", TREECLI, way)), AT_ONCE, False)


def _files(results: list[Result]) -> Iterator[Claim]:
    csv, arff = find(results, "L reading", TREECLI, "csv"), find(results, "L reading", TREECLI, "arff")
    yield Claim("L, reading: ARFF / CSV", _ratio(_wall(arff), _wall(csv)), 1.3, False)
    for way in ("evaluate", "predict"):
        use = find(results, "L apply", TREECLI, way)
        yield Claim(f"L, {way}: all / reading the rows", _ratio(_wall(use), _wall(csv)), APPLIED[way], False)
    routed, theirs = find(results, "L routing", TREECLI, ""), find(results, "L routing", "scikit-learn")
    yield Claim("L, routing: scikit-learn / treecli", _ratio(_wall(theirs), _wall(routed)), 1, True)
    for way in ("prune pessimistic --raise", "prune --path", "prune reduced-error"):
        yield Claim(f"L tree, {way}: seconds", _wall(find(results, "L tree", TREECLI, way)), SECONDS, False)
    raised, applied = (
        find(results, *key)
        for key in (("L tree", TREECLI, "prune pessimistic --raise"), ("L apply", TREECLI, "evaluate"))
    )
    yield Claim("L tree, CPU: prune pessimistic --raise / evaluate", _ratio(_cpu(raised), _cpu(applied)), RAISED, False)
    for way, limit in (("reading", 3), ("writing", 2)):
        own, python = (find(results, "L tree JSON", program, way) for program in (TREECLI, PYTHON))
        yield Claim(f"L tree, {way} its JSON: Python's json / treecli", _ratio(_wall(python), _wall(own)), limit, True)
    parsed = find(results, "L tree JSON", PYTHON, "reading")
    for way in ("show", "rules"):
        cpu = _cpu(find(results, "L tree", TREECLI, way))
        yield Claim(f"L tree, {way}: CPU / parsing its JSON by Python", _ratio(cpu, _wall(parsed)), PRINTED, False)
    info = find(results, "L tree", TREECLI, "info")
    for way in ("show", "rules"):
        use = find(results, "L tree", TREECLI, way)
        yield Claim(f"L tree, {way}: peak memory / info's", _ratio(_memory(use), _memory(info)), STREAMED, False)
