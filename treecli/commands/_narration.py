"""Explanations as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from treecli.cli.report import Table, plain
from treecli.commands._votes import set_lines, vote_lines
from treecli.explain.arithmetic import Arithmetic
from treecli.explain.ensembleexplanation import EnsembleExplanation
from treecli.explain.explanation import End, Explained, Explanation, Grounds, RowOf, Step, Warned, Way
from treecli.explain.ruleexplanation import RuleExplanation
from treecli.explain.rulesetsexplanation import RulesetsExplanation
from treecli.model import Model, TreeModel
from treecli.outcomes.rows import present, total
from treecli.rules.rulelist import RuleList
from treecli.rules.text import predicted
from treecli.tree import MEAN, WEIGHT, typical_error
from treecli.wording import number_text, quoted, readable

if TYPE_CHECKING:
    from treecli.explain.nearness import Change, Flip
    from treecli.outcomes.rows import Outcomes

INDENTATION = "   "
DEEPEST_INDENTED = 30
"""Deeper parts of a row are not indented further."""

MOST_SHARES = 4
"""The number of classes listed for a branch; the table below has all."""

MOST_RULES = 20
"""The number of other rules that are listed; JSON has all."""


WAYS_ON = {
    "heaviest": "takes the heaviest branch, ",
    "missing": "goes where missing values go, ",
    "only": "takes the only branch with cases, ",
    "every": "goes down every branch with cases:",
    "stays": "goes no further.",
}
"""How a row continues if a node does not know its value."""


class Narrator:
    """Writes explanations of a model's predictions as text."""

    def __init__(self, model: Model, *, by_tree: bool = False) -> None:
        self._schema = model.schema
        self._by_tree = by_tree
        self._takes_medians = model.takes_medians

    def text(self, explained: Explained) -> Iterator[str]:
        """The lines of an explanation."""
        if isinstance(explained, RuleExplanation):
            yield from self._rules(explained)
            yield "\n"
        elif isinstance(explained, Explanation):
            yield from self._path(explained.steps)
            yield from self._ends(explained)
            yield "\n"
        elif isinstance(explained, EnsembleExplanation):
            yield from vote_lines(explained, by_tree=self._by_tree)
            yield "\n"
        elif isinstance(explained, RulesetsExplanation):
            yield from set_lines(explained)
            yield "\n"
        yield from self._prediction(explained)
        for warned in explained.flags:
            yield f"flag {warned.flag}: {_flag(warned)}\n"

    def _path(self, steps: Sequence[Step]) -> Iterator[str]:
        if not steps:
            yield "The model has no tests.\n"
            return
        step_at = {step.node: step for step in steps}
        pending: list[tuple[int, str, int]] = [(0, "", 0)]
        while pending:
            node, heading, level = pending.pop()
            margin = INDENTATION * min(level, DEEPEST_INDENTED)
            if heading:
                yield f"{margin[len(INDENTATION) :]} - {heading}\n"
            step = step_at.get(node)
            if step is None:
                continue
            line = f"{margin}{step.number}. {step.question}? {_reason(step)}"
            if len(step.ways) == 1:
                (way,) = step.ways
                yield f"{line}{way.condition} ({self._cases(way.outcomes)})\n"
                pending.append((way.node, "", level))
            else:
                yield f"{line}\n"
                pending.extend((way.node, self._part(way), level + 1) for way in reversed(step.ways))

    def _part(self, way: Way) -> str:
        return f"{readable(way.share)} of the row: {way.condition} ({self._cases(way.outcomes)})"

    def _cases(self, outcomes: Outcomes) -> str:
        """The number of cases of a node, and their class shares."""
        weight = total(outcomes) if self._schema.is_classification else outcomes[WEIGHT]
        if not weight:
            return "no training case"
        cases = _counted(weight)
        if not self._schema.is_classification:
            names = ("median", "mae") if self._takes_medians else ("mean", "rmse")
            error = typical_error(outcomes, takes_medians=self._takes_medians)
            return f"{cases}: {names[0]} {readable(outcomes[MEAN])}, {names[1]} {readable(error)}"
        found = sorted(present(outcomes), key=lambda pair: -pair[1])
        labels = self._schema.target.labels
        shares = [f"{quoted(labels[code])} {readable(outcomes[code] / weight)}" for code, _ in found[:MOST_SHARES]]
        return f"{cases}: {', '.join(shares)}{', …' if len(found) > MOST_SHARES else ''}"

    def _ends(self, explained: Explanation) -> Iterator[str]:
        """The leaves that the row reaches, unless the path has shown the only one."""
        (first, *others) = explained.ends
        if not others:
            if first.source != first.node:
                yield f"Node {first.node} has no training cases, so node {first.source} above it predicts.\n"
            if first.formula is not None:
                yield "\n"
                yield from _formula(first.formula)
            return
        yield "\n"
        rows = [(end.share, end.node, *spoken(end, explained.model)) for end in explained.ends]
        yield from plain(Table("", ("share", "node", "cases", "prediction"), rows))
        for end in explained.ends:
            if end.formula is not None:
                yield f"\nnode {end.node}\n"
                yield from _formula(end.formula)

    def _rules(self, explained: RuleExplanation) -> Iterator[str]:
        others = explained.holding
        if explained.rule is None:
            yield f"{len(others)} rule{' votes' if len(others) == 1 else 's vote'}:\n"
        elif explained.number is None:
            yield "No rule holds, so the default decides.\n"
        else:
            rule = explained.rule
            others = others[1:]
            yield f"Rule {explained.number} decides: {rule_text(explained.rules, explained.number)}\n"
            for text, given in explained.checks:
                yield f" - {text}: it is {given.text}\n"
            if explained.formula is not None:
                cases = "" if not rule.covered else f" ({_counted(rule.covered)}, rmse {readable(rule.rmse)})"
                yield f"It predicts by a formula{cases}.\n"
            elif rule.outcomes is not None and rule.covered:
                yield f"It decides {self._cases(rule.outcomes)}.\n"
            if others:
                yield f"{len(others)} other rule{' holds' if len(others) == 1 else 's hold'}, too:\n"
        for number in others[:MOST_RULES]:
            yield f" - rule {number}: {rule_text(explained.rules, number)}\n"
        if len(others) > MOST_RULES:
            yield f" - … {len(others) - MOST_RULES} more\n"
        if explained.formula is not None:
            yield "\n"
            yield from _formula(explained.formula)

    def _prediction(self, explained: Explained) -> Iterator[str]:
        said, grounds = explained.said, explained.grounds
        text = quoted(said) if isinstance(said, str) else readable(said)
        ends = explained.ends if isinstance(explained, Explanation) else ()
        strength = ""
        if grounds.cases is not None:
            place = f" at node {ends[0].source}" if len(ends) == 1 else ""
            strength = f", {'as sure as ' if len(ends) > 1 else ''}from {_counted(grounds.cases)}{place}"
        yield f"prediction: {text}{strength}\n"
        if self._schema.is_classification:
            yield from plain(self._probabilities(explained.probabilities, grounds))
            return
        (interval,) = grounds.intervals
        if interval is not None:
            yield f"95 % interval of the mean: {readable(interval[0])} to {readable(interval[1])} (Student's t)\n"

    def _probabilities(self, probabilities: Sequence[float], grounds: Grounds) -> Table:
        labels = [quoted(label) for label in self._schema.target.labels]
        if None in grounds.intervals:
            return Table("", ("label", "probability"), list(zip(labels, probabilities, strict=True)))
        each = zip(labels, probabilities, grounds.intervals, strict=True)
        rows = [(label, probability, *(interval or ())) for label, probability, interval in each]
        return Table("", ("label", "probability", "95 % from", "to"), rows)

    def flip_text(self, label: str, flip: Flip, row: RowOf) -> Iterator[str]:
        """The lines that describe the necessary changes."""
        if not flip.changes:
            yield f"It is {quoted(label)} already.\n"
            return
        n_changes = len(flip.changes)
        changed = "one attribute changes" if n_changes == 1 else f"{n_changes} attributes change"
        yield f"It would be {quoted(label)} if {changed}:\n"
        for change in flip.changes:
            yield f" - {self.change_text(change)} (now {row[change.attribute].text})\n"

    def change_text(self, change: Change) -> str:
        """The new condition on a value, with an example unless it is a single value."""
        attribute = self._schema.columns[change.attribute]
        value = number_text(change.value) if attribute.is_numeric else quoted(attribute.labels[int(change.value)])
        text = change.condition.wording(attribute)
        return text if text.endswith(f" = {value}") else f"{text}, for instance {value}"


def spoken(end: End, model: TreeModel) -> tuple[float, str | float]:
    """The number of cases behind the prediction at an end, and the prediction."""
    outcomes = model.tree.outcomes_of(end.source)
    if not model.schema.is_classification:
        return outcomes[WEIGHT], outcomes[MEAN] if end.value is None else end.value
    return total(outcomes), model.schema.target.labels[model.tree.label(outcomes)]


def rule_text(rules: RuleList, number: int) -> str:
    """A rule by its number, in words."""
    rule, schema = rules.rules[number - 1], rules.schema
    if rule.label is None:
        return f"IF {rule.antecedent(schema)} THEN {predicted(rule, schema, readable)}"
    vote = f" (confidence {readable(rule.confidence)})" if rules.votes and rule.confidence is not None else ""
    return f"IF {rule.antecedent(schema)} THEN {quoted(schema.target.labels[rule.label])}{vote}"


def _formula(formula: Arithmetic) -> Iterator[str]:
    """A formula, the sum with the row's values, and what stands for missing ones."""
    yield f"{formula.text}\n"
    if formula.parts:
        yield f"{INDENTATION}= {formula.line()}\n"
    for name, value in formula.missing().items():
        stands = "what the formula has for it" if value is None else readable(value)
        yield f"{INDENTATION}{quoted(name)} is missing, and {stands} stands for it\n"


def _counted(weight: float) -> str:
    return f"{readable(weight)} case{'' if weight == 1 else 's'}"


def _reason(step: Step) -> str:
    """The reason for the branch that a row takes; the condition of the branch follows it."""
    given = step.given
    if step.reason == "value":
        return f"It is {given.text}, so "
    if given.is_unseen:
        lack = f"It is {given.text}, a label that the model does not know"
    elif given.value is not None:
        lack = f"It is {given.text}, which no case here has"
    else:
        lack = "It is missing"
    if step.asked_instead is not None:
        question, other = step.asked_instead
        return f"{lack}, so a surrogate decides: {question}? It is {other.text}, so "
    return f"{lack}, so it {WAYS_ON[step.reason]}"


def _flag(warned: Warned) -> str:
    """The description of a flagged value."""
    given = warned.given
    name = quoted(given.attribute.name)
    text = name if given.value is None else f"{name} is {given.text}"
    if warned.flag == "out-of-range" and given.attribute.range is not None:
        low, high = given.attribute.range
        text += f", training cases had {number_text(low)} to {number_text(high)}"
    return text if warned.is_asked else f"{text} (did not matter here)"
