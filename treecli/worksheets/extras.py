"""Further tasks: classify a new case, prune, and a table where one attribute at a time tells nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import UsageError
from treecli.predict.predict import predictions
from treecli.pruners import pruner
from treecli.teaching import mistakes, prunings
from treecli.teaching.estimates import limit
from treecli.teaching.formulas import Name
from treecli.teaching.mistakes import Mistake
from treecli.teaching.naming import paths
from treecli.teaching.prunings import KEPT, REPLACED
from treecli.wording import printable, quoted
from treecli.worksheets.follow import Total
from treecli.worksheets.sheet import (
    DIGITS,
    IN_STEPS,
    Blank,
    LookUp,
    Paragraph,
    Part,
    Section,
    Table,
    fixed,
    tolerance,
    value_text,
)

if TYPE_CHECKING:
    from treecli.data import Attribute, Dataset
    from treecli.model import TreeModel
    from treecli.teaching.prunetrace import PruneNode

MOST_CASES = 500
"""The random cases that are tried before one of the table is asked for."""

METHOD = "pessimistic"
SEEN = "training errors, not those expected"


@dataclass(frozen=True, slots=True)
class Subject:
    """The tree of a sheet, its data, and the seed of random choices."""

    model: TreeModel
    dataset: Dataset
    seed: int


def classify(subject: Subject) -> Section:
    """Return the question which class the tree predicts for a case that is not in the table."""
    dataset = subject.dataset
    schema = dataset.schema
    case = _new_case(subject)
    texts = tuple(value_text(own, case.columns[place][0]) for place, own in enumerate(schema.attributes))
    names = tuple(printable(attribute.name) for attribute in schema.attributes)
    target, found = quoted(schema.target.name), predictions(subject.model, case, 1)[0]
    key, name = f"Classify: {target}", f"{target} ="
    if schema.is_classification:
        labels = tuple(map(printable, schema.target.labels))
        what, blank = "Which class", Blank(key, name, labels[int(found)], choices=labels)
    else:
        assert dataset.target is not None
        mean = float(np.average(dataset.target, weights=dataset.weights))
        wrong = (Mistake(mean, "the mean of all cases"),)
        what, blank = "Which number", Blank(key, name, fixed(float(found)), tolerance(float(found)), mistakes=wrong)
    parts: tuple[Part, ...] = (
        Paragraph(f"{what} does the finished tree predict for this case?"),
        Table(names, (texts,), has_target=False, is_numbered=False),
        blank,
    )
    return Section("A new case", parts)


def _new_case(subject: Subject) -> Dataset:
    """A random combination of the values of the table; one of its rows if all combinations are in it."""
    dataset = subject.dataset
    bits = np.random.PCG64(np.random.SeedSequence([subject.seed, dataset.n_rows]))
    known = set(zip(*(column.tolist() for column in dataset.columns), strict=True))
    complete = [_known_rows(column) for column in dataset.columns]
    rows = np.zeros(len(dataset.columns), np.int64)
    for _ in range(MOST_CASES):
        drawn = bits.random_raw(len(dataset.columns)).tolist()
        rows = np.array([own[number % len(own)] for own, number in zip(complete, drawn, strict=True)], np.int64)
        values = tuple(column[row].item() for column, row in zip(dataset.columns, rows.tolist(), strict=True))
        if values not in known:
            break
    else:
        rows[:] = rows[0]
    columns = [column[[row]] for column, row in zip(dataset.columns, rows.tolist(), strict=True)]
    return replace(dataset, columns=columns, target=None, weights=np.ones(1))


def _known_rows(column: np.ndarray) -> list[int]:
    """The rows whose value is known; all if there is none."""
    is_known = column == column if column.dtype.kind == "f" else column >= 0
    return np.flatnonzero(is_known if is_known.any() else np.ones(len(column), bool)).tolist()


def prune(subject: Subject) -> Section:
    """Return the comparison of every subtree with a leaf by the errors that C4.5's estimate expects."""
    options = replace(pruner(METHOD).Options(), c45_estimate=True, raises=False)
    exact, in_steps = (
        prunings.pruned(METHOD, prunings.Subject(subject.model, options, digits)) for digits in (DIGITS, IN_STEPS)
    )
    parts: list[Part] = [
        Paragraph(
            "Prune the finished tree bottom-up. A leaf with N cases and E errors is expected to make N·U(E, N) errors, "
            f"at a confidence of {options.confidence:g}; a subtree makes as many as its leaves together. It is "
            "replaced by a leaf if that is expected to make at most 0.1 errors more."
        )
    ]
    kept: dict[int, tuple[str, float]] = {}
    known = paths(subject.model)
    for own, rounded in zip(exact.nodes, in_steps.nodes, strict=True):
        parts += _comparison(subject.model, known[own.id], own, rounded, kept)
    parts.append(_limits(subject.model, options.confidence))
    return Section("Pruning", tuple(parts))


def _comparison(
    model: TreeModel, path: str, own: PruneNode, in_steps: PruneNode, kept: dict[int, tuple[str, float]]
) -> list[Part]:
    """The blanks of one node; `kept` has the blanks and the errors of the subtrees below that were kept."""
    node = model.node(own.id)
    below = [kept[child] for child in model.tree.children(own.id) if child in kept]
    constant = own.subtree - sum(errors for _, errors in below)
    seen = sum(model.node(leaf).errors for leaf in _leaves(model, own.id))
    subtree = Blank(
        f"Prune {path}: subtree",
        f"{path}: errors expected of the subtree",
        fixed(own.subtree),
        tolerance(own.subtree, float(IN_STEPS.rounded(sum(in_steps.terms)))),
        mistakes=(Mistake(seen, SEEN),),
        follows=Total(tuple((1.0, key) for key, _ in below), constant) if below else None,
    )
    rounded_limit = float(IN_STEPS.rounded(own.leaf / node.weight))
    leaf = Blank(
        f"Prune {path}: leaf",
        "errors expected of a leaf",
        fixed(own.leaf),
        tolerance(own.leaf, node.weight * rounded_limit),
        mistakes=(
            Mistake(node.errors, SEEN),
            Mistake(own.leaf / node.weight, "not multiplied by the number of cases"),
        ),
    )
    answer = REPLACED if own.is_replaced else KEPT
    decision = Blank(f"Prune {path}: decision", "the subtree is", answer, choices=(KEPT, REPLACED))
    if not own.is_replaced:
        kept[own.id] = subtree.key, own.subtree
    return [subtree, leaf, decision]


def _leaves(model: TreeModel, root: int) -> list[int]:
    """The leaves below a node."""
    found = [root]
    for node in found:  # grows by the children
        found.extend(model.tree.children(node))
    return [node for node in found if model.tree.is_leaf(node)]


def _limits(model: TreeModel, confidence: float) -> LookUp:
    """The estimates that occur."""
    pairs = sorted({(model.node(node).errors, model.node(node).weight) for node in range(model.tree.n_nodes)})
    entries = tuple(
        (f"U({DIGITS.count(errors)}, {DIGITS.count(weight)})", fixed(limit(errors, weight, confidence, is_c45=True)))
        for errors, weight in pairs
        if weight > 0
    )
    return LookUp("the share of errors that is expected", entries)


def xor(subject: Subject) -> Section:
    """Return a table where the class depends on two attributes together, and neither of them alone has a gain."""
    schema = subject.dataset.schema
    usable = [attribute for attribute in schema.attributes if not attribute.is_numeric and len(attribute.labels) > 1]
    if len(usable) < 2 or len(schema.target.labels) < 2:
        raise UsageError("--tasks xor: needs two attributes with two labels each", "leave it out, or use other data")
    bits = np.random.PCG64(np.random.SeedSequence([subject.seed, 2]))
    order = np.argsort(bits.random_raw(len(usable)), kind="stable").tolist()
    first, second = usable[order[0]], usable[order[1]]
    turned = int(bits.random_raw() >> 63)
    rows = _xor_rows(first, second, schema.target, turned, bits)
    names = (printable(first.name), printable(second.name), printable(schema.target.name))
    in_branch = f"{quoted(first.name)} = {quoted(first.labels[0])}"
    half = [(1, 1), (1, 1)]
    by_gain = tuple(mistakes.of_gain(half, "H(S)"))
    parts: list[Part] = [
        Table(names, rows),
        Blank("XOR: H(S)", Name("H", "S"), "1.000", tolerance(1.0), mistakes=tuple(mistakes.of_entropy((2, 2)))),
        *(
            Blank(
                f"XOR: Gain(S, {quoted(own.name)})",
                Name("Gain", "S", split=quoted(own.name)),
                "0.000",
                tolerance(0.0),
                mistakes=by_gain,
                follows=Total(((1.0, "XOR: H(S)"),), -1.0),
            )
            for own in (first, second)
        ),
        Paragraph(f"Among the cases with {in_branch}:"),
        Blank(
            f"XOR, {in_branch}: Gain(S, {quoted(second.name)})",
            Name("Gain", "S", split=quoted(second.name)),
            "1.000",
            tolerance(1.0),
            mistakes=tuple(mistakes.of_gain([(1, 0), (0, 1)], "H(S)")),
        ),
        Blank(
            "XOR: errors without a split",
            "A learner that splits only where the gain is positive makes so many errors in this table",
            "2",
            0.0,
        ),
        Blank(
            "XOR: errors with two splits",
            f"A tree that asks {quoted(first.name)}, then {quoted(second.name)} makes so many",
            "0",
            0.0,
        ),
    ]
    return Section("Two attributes together", tuple(parts))


def _xor_rows(
    first: Attribute, second: Attribute, target: Attribute, turned: int, bits: np.random.PCG64
) -> tuple[tuple[str, ...], ...]:
    """The four combinations of two labels each, in random order."""
    codes = [(a, b, a ^ b ^ turned) for a, b in product((0, 1), (0, 1))]
    rows = [
        tuple(printable(own.labels[code]) for own, code in zip((first, second, target), row, strict=True))
        for row in codes
    ]
    order = np.argsort(bits.random_raw(len(rows)), kind="stable").tolist()
    return tuple(rows[place] for place in order)
