"""The rules of a tree, also as lines of text, which need no Rule objects where the tree asks about numbers only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, nextafter
from typing import TYPE_CHECKING, cast

from treecli.outcomes.counts import SparseCounts
from treecli.outcomes.rows import total
from treecli.predict.leafmodels import leaf_models
from treecli.rules.from_tree import from_tree, with_value
from treecli.rules.rule import Rule, class_shares
from treecli.rules.text import MOST_WORDINGS_KEPT, consequent, rule_lines
from treecli.splits._registry import place_of
from treecli.tree import ALL_BRANCHES, LEAF, MEAN, WEIGHT
from treecli.values import bound_text
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.data import Attribute
    from treecli.model import TreeModel
    from treecli.tree import Numbers

LINES_AT_ONCE = 256
"""Rules that are yielded as one piece of text."""

Held = tuple[float, float, str, str, str]
"""An interval of an attribute: its bounds, the texts before and after the name ("0.5 < ", " <= 2"), the whole text."""


class TreeRules:
    """The rules of a tree, in reading order; iterating makes them."""

    def __init__(self, model: TreeModel) -> None:
        self._model = model

    def __iter__(self) -> Iterator[Rule]:
        return from_tree(self._model)

    def pieces(self, number: Callable[[float], str]) -> Iterator[str]:
        """Yield the lines of all rules, several at once; `number` formats values and weights."""
        model = self._model
        if not _asks_for_numbers_only(model):
            yield from rule_lines(self, model.schema, number)
            return
        lines: list[str] = []
        ending = _Endings(model, number).at
        for node, antecedent in _ends(model):
            lines.append(f"IF {antecedent} THEN {ending(node)}\n")
            if len(lines) == LINES_AT_ONCE:
                yield "".join(lines)
                lines.clear()
        yield "".join(lines)


def _asks_for_numbers_only(model: TreeModel) -> bool:
    """Return whether every split compares a number, missing values go down both branches, and no node is empty."""
    tree, schema = model.tree, model.schema
    if isinstance(tree.outcomes, SparseCounts) or schema.derived or tree.forced:
        return False
    if tree.kind.count(place_of("threshold")) + tree.kind.count(LEAF) < tree.n_nodes:
        return False
    if tree.missing_to.count(ALL_BRANCHES) < tree.n_nodes:
        return False
    if not all(schema.attributes[attribute].is_numeric for attribute in set(tree.attribute) - {LEAF}):
        return False
    if not schema.is_classification:
        return all(tree.moments(WEIGHT))
    n = tree.n_outcomes
    return (0.0,) * n not in zip(*(tree.outcomes[code::n] for code in range(n)), strict=True)


def _ends(model: TreeModel) -> Iterator[tuple[int, str]]:
    """Yield the leaves that a row can reach, in reading order, with their conditions as text.

    The walk shares one dictionary and undoes the changes of each step, as in from_tree. The text of a condition is made
    once, at the node that narrows it, for all leaves below.
    """
    tree, attributes = model.tree, model.schema.attributes
    first_child, asked, numbers = tree.first_child, tree.attribute, tree.number
    names = [quoted(attribute.name) for attribute in attributes]
    whole: Held = (-inf, inf, "", "", "")
    held: dict[int, Held] = {}
    texts: dict[int, str] = {}
    changes: list[tuple[int, Held | None]] = []
    pending: list[tuple[int, int, int, Held]] = [(0, 0, LEAF, whole)]
    while pending:
        node, depth, attribute, own = pending.pop()
        while len(changes) >= depth and changes:
            undone, before = changes.pop()
            if before is None:
                del held[undone], texts[undone]
            else:
                held[undone], texts[undone] = before, before[4]
        if depth:
            changes.append((attribute, held.get(attribute)))
            held[attribute] = own
            texts[attribute] = own[4]
        child = first_child[node]
        if not child:
            yield node, " AND ".join(texts.values()) or "TRUE"
            continue
        attribute, threshold = asked[node], numbers[node]
        lower, upper = _divided(held.get(attribute, whole), names[attribute], threshold, attributes[attribute])
        if upper is not None:
            pending.append((child + 1, depth + 1, attribute, upper))
        if lower is not None:  # popped first
            pending.append((child, depth + 1, attribute, lower))


def _divided(now: Held, name: str, threshold: float, attribute: Attribute) -> tuple[Held | None, Held | None]:
    """Return the parts of an interval up to a threshold and above it, None if empty.

    The results are those of Interval.__and__ and Interval.wording.
    """
    low, high, before_name, after_name, _ = now
    if threshold <= low:
        return None, now
    if threshold >= high:
        return now, None
    shown, is_next = bound_text(threshold, attribute)
    before, after = (f"{shown} <= ", f" < {shown}") if is_next else (f"{shown} < ", f" <= {shown}")
    if low != -inf and nextafter(low, inf) == threshold:
        below = f"{name} = {number_text(threshold)}"
    else:
        below = f"{before_name}{name}{after}"
    if high == inf:
        above = f"{name} {'>=' if is_next else '>'} {shown}"
    elif nextafter(threshold, inf) == high:
        above = f"{name} = {number_text(high)}"
    else:
        above = f"{before}{name}{after_name}"
    return (low, threshold, before_name, after, below), (threshold, high, before, after_name, above)


class _Endings:
    """The texts after THEN; of rules for classes they are kept, for many leaves have the same counts."""

    def __init__(self, model: TreeModel, number: Callable[[float], str]) -> None:
        self._model, self._number = model, number
        self._leaf_models = leaf_models(model)
        self._priors = class_shares(model.tree.outcomes_of(0)) if model.schema.is_classification else []
        self._texts: dict[bytes, str] = {}

    def at(self, leaf: int) -> str:
        """Return the prediction of a leaf and its quality measures, as text."""
        if not self._priors:
            return self._new(leaf)
        counts = cast("Numbers", self._model.tree.outcomes_of(leaf)).tobytes()
        text = self._texts.get(counts)
        if text is None:
            if len(self._texts) >= MOST_WORDINGS_KEPT:
                self._texts.clear()
            text = self._texts[counts] = self._new(leaf)
        return text

    def _new(self, leaf: int) -> str:
        tree, outcomes = self._model.tree, self._model.tree.outcomes_of(leaf)
        if self._priors:
            code = tree.label(outcomes)
            rule = Rule((), leaf, outcomes, total(outcomes), code, outcomes[code], self._priors[code])
        else:
            rule = Rule((), leaf, outcomes, outcomes[WEIGHT], takes_medians=self._model.takes_medians)
            rule = with_value(rule, outcomes[MEAN], self._leaf_models.get(leaf))
        return consequent(rule, self._model.schema, self._number)
