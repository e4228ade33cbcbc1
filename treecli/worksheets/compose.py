"""Make a worksheet from data: trace the tree that grows, and leave blanks where a student computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import DataError, UsageError
from treecli.learn import learn
from treecli.recipe import Recipe
from treecli.teaching.candidates import Style
from treecli.teaching.checks import disagree
from treecli.teaching.naming import ALL_CASES
from treecli.teaching.observing import observed
from treecli.teaching.plainmath import name_text
from treecli.teaching.tracing import places, traced
from treecli.wording import counted, number_text, printable
from treecli.worksheets import extras, tasks
from treecli.worksheets.follow import Greatest
from treecli.worksheets.measures import ENTROPY, GINI, Measure, measure
from treecli.worksheets.sheet import (
    DIGITS,
    IN_STEPS,
    Blank,
    LookUp,
    Paragraph,
    Part,
    Section,
    Sheet,
    Table,
    fixed,
    value_text,
)
from treecli.worksheets.squares import Squares

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.teaching.trace import NodeTrace
    from treecli.worksheets.tasks import Tasks

MOST_INNER = 31
"""A sheet with a larger tree has to be asked for in parts."""

MOST_ROWS = 60
"""A table with more rows is no work for a pencil."""

SPLIT_ON = "Split on"

CASES = "cases"
"""The column of weights: how many cases a row stands for."""

SQUARES = "variance"
"""The criterion of a numeric target."""

MOST_OF_SHARES = 100_000
"""The largest denominator of shares in the table to look up."""

MISSING_RULE = (
    "A value ? is missing: the gain of an attribute is that of the cases whose value is known, times their share of "
    "the cases."
)
MISSING_SQUARES = (
    "A value ? is missing: what an attribute takes off is counted in the cases whose value is known, and divided by "
    "the number of all cases."
)
MISSING_BRANCH = "In the split information, the cases whose value is missing are one more branch."
MISSING_BELOW = (
    "Below a split, a case whose value is missing goes down every branch, with the share that the branch has of the "
    "known cases."
)
SQUARES_RULE = (
    "SSE is the sum of the squared deviations from the mean; Δ is what a split takes off it, divided by the number of "
    "cases."
)


def compose(dataset: Dataset, number: int, wanted: Tasks, name: str = "the data") -> Sheet:
    """Return the worksheet of some data; raise a DataError or a UsageError if they do not fit on a sheet."""
    _check(dataset, name)
    is_classification = dataset.schema.is_classification
    if not is_classification:
        tasks.check_numeric(wanted, dataset.schema.target.name)
    dataset = dataset.labelled()
    recipe = Recipe.parse(["--criterion", wanted.criterion if is_classification else SQUARES])
    model = learn(dataset, recipe)
    growth = observed(dataset, model.settings)
    every = list(places(model, growth))
    is_whole = tasks.TREE in wanted
    shown = every if is_whole else every[:1]
    exact, in_steps = (
        traced(model, growth, shown, Style(digits), len(dataset.schema.attributes)).nodes
        for digits in (DIGITS, IN_STEPS)
    )
    nodes = [node for node in exact if node.chosen is not None or (node.id == 0 and node.impurity is not None)]
    if len(nodes) > MOST_INNER:
        raise UsageError(
            f"{name}: the tree has {counted(len(nodes), 'inner node')}, more than {MOST_INNER} that a sheet has",
            "leave out the task tree, or use fewer rows",
        )
    data = [Section("", (data_table(dataset), *map(Paragraph, _notes(dataset, wanted))))]
    if is_classification:
        work = [Section(node.path, tuple(_node(node, wanted))) for node in nodes]
    else:
        others = {node.id: node for node in in_steps}
        work = [Section(node.path, tuple(_numeric_node(node, others[node.id], wanted))) for node in nodes]
    work = [section for section in work if section.parts]
    sections = [*data, *work]
    if wanted.uses_logarithms and work and is_classification:
        sections.append(_look_up(nodes, wanted))
    subject = extras.Subject(model, dataset, number)
    makers = {tasks.CLASSIFY: extras.classify, tasks.PRUNE: extras.prune, tasks.XOR: extras.xor}
    sections += [make(subject) for task, make in makers.items() if task in wanted]
    sheet = Sheet(number, tasks.title(wanted.names, is_numeric=not is_classification), tuple(sections))
    if not any(True for _ in sheet.blanks()):
        what = "of one class" if is_classification else "have the same target"
        raise DataError(f"{name}: all rows are {what}, so there is nothing to ask".replace("are have", "have"))
    return sheet


def _check(dataset: Dataset, name: str) -> None:
    if dataset.n_rows > MOST_ROWS:
        raise DataError(
            f"{name}: found {dataset.n_rows} rows, but a worksheet has at most {MOST_ROWS}",
            "'treecli split' takes a part of the rows; 'treecli trace' has no such limit",
        )
    if (dataset.weights != np.floor(dataset.weights)).any():
        raise DataError(f"{name}: found weights that are not whole, but a worksheet counts cases", "round the weights")


def _notes(dataset: Dataset, wanted: Tasks) -> Iterator[str]:
    """Yield how missing values are counted, and what a decrease of a numeric target is."""
    if any(dataset.n_missing(a) for a in range(len(dataset.schema.attributes))):
        yield MISSING_RULE if dataset.schema.is_classification else MISSING_SQUARES
        if tasks.RATIO in wanted:
            yield MISSING_BRANCH
        if tasks.TREE in wanted or tasks.PRUNE in wanted:
            yield MISSING_BELOW
    if not dataset.schema.is_classification and tasks.GAIN in wanted:
        yield SQUARES_RULE


def data_table(dataset: Dataset) -> Table:
    """Return the rows as they are printed."""
    schema = dataset.schema
    columns = [
        [value_text(attribute, value) for value in values.tolist()]
        for attribute, values in zip(
            (*schema.attributes, schema.target), (*dataset.columns, _target(dataset)), strict=True
        )
    ]
    names = [printable(attribute.name) for attribute in (*schema.attributes, schema.target)]
    if dataset.has_weights:
        names.append(CASES)
        columns.append([number_text(weight) for weight in dataset.weights.tolist()])
    return Table(tuple(names), tuple(zip(*columns, strict=True)))


def _target(dataset: Dataset) -> np.ndarray:
    assert dataset.target is not None
    return np.asarray(dataset.target)


def _node(node: NodeTrace, wanted: Tasks) -> Iterator[Part]:
    """Yield the blanks of a node in the order of the computation."""
    prefix = "" if node.path == ALL_CASES else f"{node.path}: "
    rivals: dict[str, list[tuple[str, str]]] = {}
    if wanted.uses_logarithms:
        yield from _entropies(measure(node, ENTROPY, with_ratio=True, prefix=prefix), node, wanted, rivals)
    if tasks.GINI in wanted:
        yield from _ginis(measure(node, GINI, with_ratio=False, prefix=prefix), node, wanted, rivals)
    yield from _choice(node, wanted, prefix, rivals.get(wanted.criterion, []))


def _choice(node: NodeTrace, wanted: Tasks, prefix: str, rivals: list[tuple[str, str]]) -> Iterator[Part]:
    """Yield the question which attribute splits a node, if it is asked."""
    if node.chosen is not None and (tasks.TREE in wanted or (tasks.ROOT in wanted and node.id == 0)):
        names = tuple(own.attribute for own in node.every)
        follows = Greatest(tuple(rivals)) if len(rivals) > 1 else None
        yield Blank(f"{prefix}split on", SPLIT_ON, node.chosen.attribute, choices=names, follows=follows)


def _numeric_node(node: NodeTrace, in_steps: NodeTrace, wanted: Tasks) -> Iterator[Part]:
    """Yield the blanks of a node of a numeric target."""
    prefix = "" if node.path == ALL_CASES else f"{node.path}: "
    own, rivals = Squares(node, in_steps, prefix), []
    asks_whole = tasks.ENTROPY in wanted
    if asks_whole:
        yield own.whole_blank()
    elif tasks.GAIN in wanted and node.impurity is not None:
        yield Paragraph(f"{name_text(node.impurity.name)} = {fixed(node.impurity.exact)}")
    if tasks.GAIN in wanted:
        for pair in own.splits():
            if wanted.asks_all:
                yield from own.branch_blanks(pair)
            yield own.gain_blank(pair, asks_whole=asks_whole, asks_remainder=wanted.asks_all)
            rivals.append((pair[0].attribute, own.gain_key(pair[0])))
    yield from _choice(node, wanted, prefix, rivals)


def _entropies(
    own: Measure, node: NodeTrace, wanted: Tasks, rivals: dict[str, list[tuple[str, str]]]
) -> Iterator[Part]:
    asks_whole, asks_gain = tasks.ENTROPY in wanted, tasks.GAIN in wanted
    asks_gain_too = asks_gain or (tasks.RATIO in wanted and wanted.asks_all)
    if wanted.criterion != GINI:
        _check_numbers(node, own)
    if asks_whole:
        yield own.whole_blank()
    elif asks_gain or tasks.RATIO in wanted:
        yield Paragraph(f"{own.whole_key.removeprefix(own.prefix)} = {fixed(own.whole[0].exact)}")
    for split in own.splits:
        if asks_gain_too:
            if wanted.asks_all:
                yield from own.branch_blanks(split)
            yield own.gain_blank(split, asks_whole=asks_whole, asks_remainder=wanted.asks_all)
            rivals.setdefault("gain", []).append((split.attribute, own.gain_key(split)))
        if tasks.RATIO in wanted:
            yield from own.ratio_blanks(split, asks_gain=asks_gain_too)
            rivals.setdefault("gainratio", []).append((split.attribute, own.ratio_key(split)))


def _ginis(own: Measure, node: NodeTrace, wanted: Tasks, rivals: dict[str, list[tuple[str, str]]]) -> Iterator[Part]:
    if wanted.criterion == GINI:
        _check_numbers(node, own)
    yield own.whole_blank()
    for split in own.splits:
        if wanted.asks_all:
            yield from own.branch_blanks(split)
        yield own.gain_blank(split, asks_whole=True, asks_remainder=wanted.asks_all)
        rivals.setdefault(GINI, []).append((split.attribute, own.gain_key(split)))


def _check_numbers(node: NodeTrace, own: Measure) -> None:
    """Raise an error if a number of the sheet is not that of the trace, which is the learner's."""
    candidates = [candidate for candidate in node.every if candidate.gain is not None]
    for split, candidate in zip(own.splits, candidates, strict=True):
        assert candidate.gain is not None
        disagree(node.id, split.attribute, "gain", split.exact.gain.exact, candidate.gain.exact)
        if candidate.ratio is not None and split.exact.ratio is not None:
            disagree(node.id, split.attribute, "gain ratio", split.exact.ratio.exact, candidate.ratio.exact)


def _look_up(nodes: list[NodeTrace], wanted: Tasks) -> Section:
    """The logarithms that occur, and no others."""
    shares: set[Fraction] = set()

    def note(counts: Sequence[float]) -> None:
        # Parts of cases with missing values have been divided: shares are fractions again.
        total = sum(counts)
        shares.update(Fraction(own / total).limit_denominator(MOST_OF_SHARES) for own in counts if 0 < own < total)

    for node in nodes:
        note(node.counts)
        for own in node.every:
            if own.gain is not None and (tasks.GAIN in wanted or tasks.RATIO in wanted):
                for branch in own.branches:
                    note(branch.counts)
                if own.unknown:
                    note([sum(column) for column in zip(*(branch.counts for branch in own.branches), strict=True)])
                if tasks.RATIO in wanted:
                    note([*(branch.weight for branch in own.branches), own.unknown])
    entries = []
    for denominator in sorted({share.denominator for share in shares}):
        for share in sorted(own for own in shares if own.denominator == denominator):
            entries.append((share, fixed(-share * log2(share))))
    return Section("To look up", (LookUp("each is −p log2 p", tuple(entries)),))
