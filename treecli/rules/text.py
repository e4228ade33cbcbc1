"""Rules as editable text, which parser.py reads back; docs/rules.md has the grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import tee
from typing import TYPE_CHECKING

import msgspec

from treecli.data import Attribute, Derived, Schema
from treecli.features import derived_record
from treecli.model import MEAN_KEYS, MEDIAN_KEYS
from treecli.outcomes.rows import present
from treecli.rules.formulas import StandIns, wording
from treecli.rules.rule import BY_CONDITION, conjunction
from treecli.tree import DEVIANCE, MEAN
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.outcomes.rows import Outcomes
    from treecli.rules.rule import Rule
    from treecli.rules.rulelist import RuleList
    from treecli.values import Condition

OPENING = "# rules made by treecli; edit freely, # begins a comment\n"

FIRST_MATCH, VOTE = "decide by first match", "decide by vote"
"""How the rules are combined."""

MISSING_VALUES = 'missing values satisfy no condition unless it says "or missing"'

UNSEEN_LABELS = {
    "missing": "unseen labels count as missing values",
    BY_CONDITION: 'unseen labels satisfy no condition unless it says "or unseen"',
    "error": "unseen labels are refused",
}
"""The line for each policy for unseen labels."""

SINGLE_PRECISION = "numbers are rounded to 32 bits"
LAPLACE = "probabilities are after Laplace"

STAND_INS = "missing values count in formulas as"
"""The beginning of a line that says, in braces, what stands for missing values in the formulas that follow."""

NOT_AVAILABLE = "n/a"

MOST_WORDINGS_KEPT = 100_000
"""Cache size for the text of conditions; neighbouring rules share most of theirs."""


def declarations(heading: RuleList) -> Iterator[str]:
    """Yield the lines before the rules: columns, cases, and how the rules decide."""
    schema, predicting = heading.schema, heading.settings.predicting
    yield OPENING
    yield f"target {_declared(schema.target)}\n"
    for attribute in schema.attributes:
        yield f"attribute {_declared(attribute)}\n"
    for column in schema.derived:
        record = msgspec.json.encode(derived_record(column)).decode()
        yield f"derived {quoted(record)}\n"
    if heading.outcomes is not None:
        if schema.is_classification:
            yield f"cases {_counts(heading.outcomes, schema)}\n"
        else:
            keys = MEDIAN_KEYS if heading.default.takes_medians else MEAN_KEYS
            pairs = zip(keys, map(number_text, heading.outcomes), strict=True)
            yield f"cases {_braced(f'{key}: {number}' for key, number in pairs)}\n"
    yield f"{VOTE if heading.votes else FIRST_MATCH}\n{MISSING_VALUES}\n{UNSEEN_LABELS[predicting.unseen]}\n"
    if predicting.single_precision:
        yield f"{SINGLE_PRECISION}\n"
    if predicting.laplace:
        yield f"{LAPLACE}\n"
    if isinstance(predicting.priors, dict):
        yield f"priors {_braced(f'{quoted(label)}: {number_text(p)}' for label, p in predicting.priors.items())}\n"
    elif predicting.priors is not None:
        yield f"priors {predicting.priors}\n"


def whole(heading: RuleList, rules: Iterable[Rule]) -> Iterator[str]:
    """Yield the complete list as a file, with numbers in full precision."""
    schema, default = heading.schema, heading.default
    yield from declarations(heading)
    stand_ins = StandIns(schema.attributes)
    for rule, line in _with_lines(rules, schema):
        yield from _stand_ins(rule, stand_ins)
        yield line
    yield from _stand_ins(default, stand_ins)
    yield default_line(default, schema, number_text, has_counts=True)


def _with_lines(rules: Iterable[Rule], schema: Schema) -> Iterator[tuple[Rule, str]]:
    """Yield each rule with its line in a file."""
    one, other = tee(rules)
    return zip(one, rule_lines(other, schema, number_text, has_counts=True, by_name=True), strict=True)


def _stand_ins(rule: Rule, said: StandIns) -> Iterator[str]:
    """Yield the line that a formula needs before its rule, if it needs one."""
    pairs = None if rule.model is None else said.needed(rule.model)
    if pairs is not None:
        yield f"{STAND_INS} {{{pairs}}}\n"


def rule_lines(
    rules: Iterable[Rule],
    schema: Schema,
    number: Callable[[float], str],
    *,
    has_counts: bool = False,
    by_name: bool = False,
) -> Iterator[str]:
    """Yield a line for each rule; `number` formats values and weights.

    `by_name`: conditions on derived columns are comparisons with their names, which can be read back.
    """
    antecedent = Antecedents(schema, _by_name if by_name and schema.derived else None)
    for rule in rules:
        yield f"IF {antecedent(rule)} THEN {consequent(rule, schema, number, has_counts=has_counts)}\n"


def default_line(rule: Rule, schema: Schema, number: Callable[[float], str], *, has_counts: bool = False) -> str:
    """Return the line of the default; it has counts only if the default covers cases."""
    shown = consequent(rule, schema, number, has_counts=has_counts) if rule.covered else predicted(rule, schema, number)
    return f"DEFAULT {shown}\n"


def _by_name(condition: Condition, column: Attribute) -> str:
    """Return a condition as a comparison with the column's name."""
    plain = Attribute(column.name, "numeric") if isinstance(column, Derived) else column
    return conjunction([condition.wording(plain)])


class Antecedents:
    """Formats conditions, with a cache: in reading order, neighbouring rules share most of their conditions."""

    def __init__(self, schema: Schema, word: Callable[[Condition, Attribute], str] | None = None) -> None:
        self._attributes = schema.columns
        self._word = word or (lambda condition, attribute: conjunction([condition.wording(attribute)]))
        # Keyed by identity, which is faster than equality; keeping the condition prevents its id from being reused.
        self._texts: dict[int, tuple[Condition, str]] = {}

    def texts(self, rule: Rule) -> list[str]:
        """Return each condition as text."""
        kept, found = self._texts, []
        if len(kept) > MOST_WORDINGS_KEPT:
            kept.clear()
        for condition in rule.conditions:
            entry = kept.get(id(condition))
            if entry is None:
                text = self._word(condition, self._attributes[condition.attribute])
                entry = kept[id(condition)] = (condition, text)
            found.append(entry[1])
        return found

    def __call__(self, rule: Rule) -> str:
        return " AND ".join(self.texts(rule)) or "TRUE"


def consequent(rule: Rule, schema: Schema, number: Callable[[float], str], *, has_counts: bool = False) -> str:
    """Return the prediction of a rule and, in parentheses, its known quality measures.

    `has_counts`: add, in braces, what these do not determine: the counts of more than two classes, or the deviance.
    """
    text = predicted(rule, schema, number)
    if rule.covered is None:
        stated = rule.stated_confidence
        return text if stated is None else f"{text} (confidence {number_text(stated)})"
    if rule.label is None:
        name, error = ("mae", rule.mae) if rule.takes_medians else ("rmse", rule.rmse)
        text += f" (covered {number(rule.covered)}, {name} {NOT_AVAILABLE if error is None else number(error)})"
        return text + _spread(rule) if has_counts else text
    assert rule.correct is not None
    quality = [f"{number(rule.correct)}/{number(rule.covered)}", f"confidence {rule.confidence:.2f}"]
    if rule.lift is not None:
        quality.append(f"lift {rule.lift:.2f}")
    text += f" ({', '.join(quality)})"
    if has_counts and rule.outcomes is not None and len(rule.outcomes) > 2 and rule.correct != rule.covered:
        text += f" {_counts(rule.outcomes, schema)}"
    return text


def predicted(rule: Rule, schema: Schema, number: Callable[[float], str]) -> str:
    """Return the prediction of a rule: the label, the number or the formula."""
    if rule.label is not None:
        return quoted(schema.target.labels[rule.label])
    if rule.model is not None:
        return wording(rule.model, schema, number)
    assert rule.value is not None
    return number(rule.value)


def _spread(rule: Rule) -> str:
    """Return the deviance of a rule for numbers, and the mean of its cases if that is not the rule's value."""
    if rule.outcomes is None or not rule.covered:
        return ""
    _, middle, spread = MEDIAN_KEYS if rule.takes_medians else MEAN_KEYS
    mean = rule.outcomes[MEAN]
    own = [] if mean == rule.value else [f"{middle}: {number_text(mean)}"]
    return f" {_braced([*own, f'{spread}: {number_text(rule.outcomes[DEVIANCE])}'])}"


def _counts(outcomes: Outcomes, schema: Schema) -> str:
    labels = schema.target.labels
    return _braced(f"{quoted(labels[code])}: {number_text(count)}" for code, count in present(outcomes))


def _braced(texts: Iterable[str]) -> str:
    return f"{{{', '.join(texts)}}}"


def _declared(attribute: Attribute) -> str:
    name = f"{quoted(attribute.name)}: {attribute.kind}"
    if attribute.is_numeric:
        return name
    between = " < " if attribute.kind == "ordinal" else ", "
    return f"{name} {{{between.join(map(quoted, attribute.labels))}}}"
