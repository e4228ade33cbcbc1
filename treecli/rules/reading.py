"""Builds a rule list from a rule file: looks up names and labels."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, nextafter
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from treecli.data import Attribute, Kind, Schema
from treecli.errors import ModelError, UsageError, did_you_mean
from treecli.features import derived_of
from treecli.model import LARGEST_VALUE, LARGEST_WEIGHT, MEAN_KEYS, MEDIAN_KEYS, wrong_moments
from treecli.outcomes.rows import row_of, total
from treecli.priors import check
from treecli.rules.formulareading import line_read
from treecli.rules.inference import SHARE, inferred_attributes, inferred_target, statements_of, usual_default
from treecli.rules.parser import Contents, Declaration, Statement, Test, parse
from treecli.rules.rule import BY_CONDITION, Rule, class_shares
from treecli.rules.rulelist import SLACK, RuleList
from treecli.rules.stream import number_in, number_of, refuse
from treecli.rules.text import NOT_AVAILABLE
from treecli.settings import Settings
from treecli.tree import MEAN
from treecli.values import Condition, Interval, Labels, narrow

if TYPE_CHECKING:
    from treecli.outcomes.rows import Outcomes
    from treecli.rules.tokens import Token

MOST_LABELS_NAMED = 8
"""The number of labels that a message lists before it is shortened."""


def decode(text: bytes, name: str) -> RuleList:
    """Return the rule list of a text file; `name` is its name in messages."""
    try:
        contents = parse(text.decode("utf-8-sig").replace("\r\n", "\n"), name)
    except UnicodeDecodeError as error:
        raise ModelError(f"{name}: is neither a model nor text: {error}", "rule files are in UTF-8") from error
    if not contents.rules and contents.default is None:
        raise ModelError(f"{name}: found no rule, expected a line such as IF outlook = sunny THEN no")
    reader = _Reader(contents, name)
    if contents.single_precision and contents.derived:
        raise ModelError(
            f"{name}: found 'numbers are rounded to 32 bits', expected no such line beside derived columns"
        )
    settings = Settings.of(
        unseen=contents.unseen or ("missing" if contents.attributes else BY_CONDITION),
        single_precision=contents.single_precision,
        laplace=contents.laplace,
        priors=reader.priors(),
    )
    rules = tuple(reader.rule(statement) for statement in contents.rules)
    default = reader.rule(contents.default) if contents.default is not None else usual_default(rules, reader.outcomes)
    return RuleList(reader.schema, settings, (), rules, default, contents.votes, reader.outcomes)


class _Reader:
    """The schema of a rule file, and the conversion of statements into rules."""

    def __init__(self, contents: Contents, name: str) -> None:
        self._contents, self._name = contents, name
        self._is_declared = bool(contents.attributes)
        if self._is_declared:
            attributes = [self._declared(declaration) for declaration in contents.attributes]
        else:
            attributes = list(inferred_attributes(contents))
        target = self._declared(contents.target) if contents.target is not None else inferred_target(contents)
        self.schema = self._with_derived(Schema(tuple(attributes), target))
        self._index_of: dict[str, int] = {}
        columns = [declaration.name for declaration in contents.attributes]
        columns += contents.derived
        for index, attribute in enumerate(self.schema.columns):
            if attribute.name in self._index_of or attribute.name == target.name:
                token = columns[index] if columns else contents.target.name if contents.target else None
                assert token is not None
                refuse(name, token, "the name of another column, for this one is declared already")
            self._index_of[attribute.name] = index
        self._code_of = [_codes(attribute) for attribute in self.schema.columns]
        self._code_of_target = _codes(target)
        self.takes_medians = self._takes_medians()
        self.outcomes = self._cases()
        self._shares = class_shares(self.outcomes) if self.outcomes is not None and target.labels else None

    def _with_derived(self, schema: Schema) -> Schema:
        """Return the schema with the derived columns of the file."""
        derived = []
        for token in self._contents.derived:
            try:
                derived.append(derived_of(msgspec.json.decode(token.text, type=dict[str, Any]), schema))
            except (ValueError, msgspec.MsgspecError) as error:
                raise ModelError(f"{self._name}:{token.line}:{token.column}: derived column: {error}") from error
        return replace(schema, derived=tuple(derived)) if derived else schema

    def priors(self) -> str | dict[str, float] | None:
        given = self._contents.priors
        priors = given if given is None or isinstance(given, str) else {token.text: share for token, share in given}
        try:
            check(priors, None, self.schema.target.labels)
        except UsageError as error:
            raise ModelError(f"{self._name}: {error}", error.hint) from error
        return priors

    def rule(self, statement: Statement) -> Rule:
        """Return a rule, or the default, in terms of the schema."""
        merged: dict[int, Condition] = {}
        for test in statement.tests:
            condition = self._condition(test)
            before = merged.get(condition.attribute)
            if narrow(merged, condition, self.schema).is_empty:
                described = self.schema.columns[condition.attribute]
                found = "a condition that no value satisfies" if condition.is_empty else condition.wording(described)
                beside = "" if before is None else f" beside '{before.wording(described)}'"
                place = f"{self._name}:{test.name.line}:{test.name.column}"
                quotes = "" if condition.is_empty else "'"
                raise ModelError(
                    f"{place}: found {quotes}{found}{quotes}{beside}, expected conditions that a value can satisfy",
                    "a rule that never holds can go",
                )
        conditions = tuple(merged.values())
        if self.schema.is_classification:
            if statement.formula:
                hint = "write only the label after THEN; formulas are for numbers"
                refuse(self._name, statement.predicted, f"a label, for '{self.schema.target.name}' is nominal", hint)
            code = self._code_of_target.get(statement.predicted.text)
            if code is None:
                self._refuse_label(statement.predicted, self.schema.target)
            return self._counted(conditions, code, statement)
        rule = Rule(conditions, takes_medians=self.takes_medians)
        if statement.formula:
            return self._measured(self._with_formula(rule, statement), statement)
        value = number_of(statement.predicted)
        if value is None or abs(value) > LARGEST_VALUE:
            limits = f"from {-LARGEST_VALUE:g} to {LARGEST_VALUE:g}"
            target = self.schema.target.name
            refuse(self._name, statement.predicted, f"a number {limits}, for the target '{target}' is numeric")
        return self._measured(replace(rule, value=value), statement)

    def _with_formula(self, rule: Rule, statement: Statement) -> Rule:
        """Return the rule with a formula, or with a number if the formula has no attributes."""
        target = self.schema.target.name
        if statement.predicted.text != target:
            hint = did_you_mean(statement.predicted.text, [target])
            refuse(self._name, statement.predicted, f"the target '{target}' before =", hint)
        line = line_read(statement, self.schema, self._name)
        return replace(rule, model=line) if line.terms else replace(rule, value=line.intercept)

    def _counted(self, conditions: tuple[Condition, ...], label: int, statement: Statement) -> Rule:
        """Return a rule for a label, with its counts."""
        facts = self._facts(statement, ("confidence", "lift"), has_share=True)
        outcomes = self._counts(statement.counts) if statement.counts else None
        if outcomes is None and "covered" in facts:
            right, wrong = facts["correct"], facts["covered"] - facts["correct"]
            if not wrong or self.schema.n_outcomes == 2:
                counts = [wrong] * self.schema.n_outcomes
                counts[label] = right
                outcomes = row_of(counts)
        elif outcomes is not None:
            own = {"covered": total(outcomes), "correct": outcomes[label]}
            if any(abs(facts.get(name, number) - number) > SLACK * own["covered"] for name, number in own.items()):
                refuse(self._name, statement.counts[0][0], "counts that agree with what stands in the brackets")
            facts = own | facts
        covered = facts.get("covered")
        rule = Rule(
            conditions,
            outcomes=outcomes,
            covered=covered,
            label=label,
            correct=facts.get("correct"),
            prior=self._shares[label] if self._shares is not None else None,
            stated_confidence=facts.get("confidence") if covered is None else None,
        )
        if rule.prior is None and facts.get("lift") and rule.confidence is not None:
            return replace(rule, prior=min(rule.confidence / facts["lift"], 1.0))
        return rule

    def _measured(self, rule: Rule, statement: Statement) -> Rule:
        """Return a rule for a number, with its weight, mean and deviance."""
        facts = self._facts(statement, ("covered", "rmse", "mae"), has_share=False)
        covered = facts.get("covered")
        _, middle, spread = MEDIAN_KEYS if self.takes_medians else MEAN_KEYS
        kept = {}
        for token, number in statement.counts:
            if token.text not in (middle, spread):
                refuse(self._name, token, f"{middle} or {spread}", did_you_mean(token.text, (middle, spread)))
            kept[token.text] = number
        error = facts.get("mae" if self.takes_medians else "rmse")
        mean = kept.get(middle, rule.value)
        if rule.model is not None:
            rule = replace(rule, model_error=error)
        if covered is None:
            if kept:
                refuse(self._name, statement.counts[0][0], "to know how much is covered as well")
            return rule
        outcomes: Outcomes | None = None
        if not covered:
            outcomes = array("d", [0.0, 0.0, 0.0])
        elif spread in kept and mean is not None:
            outcomes = array("d", [covered, mean, kept[spread]])
        elif error is not None and rule.value is not None:
            outcomes = array("d", [covered, rule.value, covered * (error if self.takes_medians else error**2)])
        if outcomes is not None:
            refusal = wrong_moments(outcomes, MEDIAN_KEYS if self.takes_medians else MEAN_KEYS)
            if refusal is not None:
                raise ModelError(f"{self._name}:{statement.predicted.line}: {refusal}")
        return replace(rule, outcomes=outcomes, covered=covered)

    def _facts(self, statement: Statement, known: Sequence[str], *, has_share: bool) -> dict[str, float]:
        """Return the items in parentheses, by name."""
        facts: dict[str, float] = {}
        for token in statement.items:
            share = SHARE.fullmatch(token.text)
            if has_share and share:
                correct, covered = (number_in(share[1]), number_in(share[2])) if token.kind == "word" else (None, None)
                if correct is None or covered is None or not 0 <= correct <= covered <= LARGEST_WEIGHT:
                    refuse(self._name, token, "RIGHT/COVERED, two numbers of which the first is no larger")
                facts["correct"], facts["covered"] = correct, covered
                continue
            name, _, text = token.text.partition(" ")
            if name not in known:
                names = [*(["RIGHT/COVERED"] if has_share else []), *(f"{word} N" for word in known)]
                refuse(self._name, token, " or ".join(names), did_you_mean(name, known))
            number = number_in(text) if token.kind == "word" else None
            if number is None and text == NOT_AVAILABLE:
                continue
            most = 1.0 if name == "confidence" else LARGEST_WEIGHT if name in ("covered", "lift") else LARGEST_VALUE
            if number is None or not 0 <= number <= most:
                refuse(self._name, token, f"{name} and a number from 0 to {most:g}")
            facts[name] = number
        return facts

    def _condition(self, test: Test) -> Condition:
        index = self._index_of.get(test.name.text)
        if index is None:
            refuse(
                self._name,
                test.name,
                f"an attribute ({_listed(list(self._index_of))})",
                did_you_mean(test.name.text, self._index_of),
            )
        attribute = self.schema.columns[index]
        if attribute.is_numeric and test.unseen:
            refuse(self._name, test.name, "a nominal or ordinal attribute, for numbers are never unseen")
        # Without declarations, labels that the file does not mention are still known values.
        others = not self._is_declared and attribute.kind == "nominal" and test.takes_known and not test.comparisons
        unseen = test.unseen or (others and (test.is_other or not test.labels))
        if test.comparisons or (test.labels and attribute.is_numeric):
            interval = self._interval(test, index)
            return replace(interval, missing=test.missing, unseen=unseen) if test.missing or unseen else interval
        if test.labels:
            codes = {self._code(token, index) for token in test.labels}
            if test.is_other:
                codes = set(range(len(attribute.labels))) - codes
            return Labels.of(index, codes, test.missing, unseen)
        if attribute.kind == "nominal":
            bits = (1 << len(attribute.labels)) - 1 if test.takes_known else 0
            return Labels(index, bits, test.missing, unseen)
        known = Interval(index) if test.takes_known else Interval.none(index)
        return replace(known, missing=test.missing, unseen=unseen)

    def _interval(self, test: Test, index: int) -> Interval:
        attribute = self.schema.columns[index]
        if attribute.is_numeric and test.labels:
            if test.is_other or len(test.labels) > 1:
                hint = "write a rule for each side of the number" if test.is_other else "write a rule for each number"
                refuse(self._name, test.name, "a nominal attribute before != and in, and this one is numeric", hint)
            comparisons: tuple[tuple[str, Token], ...] = ((">=", test.labels[0]), ("<=", test.labels[0]))
        else:
            comparisons = test.comparisons
        bounds = [self._bounds(sign, token, index) for sign, token in comparisons]
        return Interval(index, max(low for low, _ in bounds), min(high for _, high in bounds))

    def _bounds(self, sign: str, token: Token, index: int) -> tuple[float, float]:
        """Return the bounds (low, high] of a comparison."""
        attribute = self.schema.columns[index]
        if attribute.kind == "nominal":
            refuse(
                self._name,
                token,
                f"= or in before it, for '{attribute.name}' is nominal",
                "labels with an order are declared: attribute size: ordinal {small < large}",
            )
        if attribute.is_numeric:
            number = number_of(token)
            if number is None:
                refuse(self._name, token, f"a number, for '{attribute.name}' is numeric")
            below = nextafter(number, -inf)
            if sign in ("<", ">=") and below == -inf:
                refuse(self._name, token, "a number that others are smaller than")
        else:
            number = float(self._code(token, index))
            below = number - 1
        if sign in ("<", "<="):
            return -inf, below if sign == "<" else number
        low = number if sign == ">" else below
        return (low if attribute.is_numeric or low >= 0 else -inf), inf

    def _code(self, token: Token, index: int) -> int:
        code = self._code_of[index].get(token.text)
        if code is None:
            self._refuse_label(token, self.schema.columns[index])
        return code

    def _refuse_label(self, token: Token, attribute: Attribute) -> NoReturn:
        labels = attribute.labels
        refuse(
            self._name, token, f"a label of '{attribute.name}' ({_listed(labels)})", did_you_mean(token.text, labels)
        )

    def _declared(self, declaration: Declaration) -> Attribute:
        labels: dict[str, None] = {}
        for token in declaration.labels:
            if token.text in labels:
                refuse(self._name, token, "another label, for this one stands there already")
            labels[token.text] = None
        return Attribute(declaration.name.text, _kind(declaration.kind), tuple(labels))

    def _counts(self, pairs: Sequence[tuple[Token, float]]) -> Outcomes:
        counts = array("d", bytes(8 * len(self.schema.target.labels)))
        for token, number in pairs:
            code = self._code_of_target.get(token.text)
            if code is None:
                self._refuse_label(token, self.schema.target)
            if not 0 <= number <= LARGEST_WEIGHT:
                refuse(self._name, token, f"a count from 0 to {LARGEST_WEIGHT:g}")
            counts[code] = number
        return row_of(counts)

    def _takes_medians(self) -> bool:
        said = [token.text for statement in statements_of(self._contents) for token in statement.items]
        return any(token.text == MEDIAN_KEYS[MEAN] for token, _ in self._contents.cases or ()) or any(
            item.startswith("mae ") for item in said
        )

    def _cases(self) -> Outcomes | None:
        """Return the outcomes of all cases, if the file states them."""
        pairs = self._contents.cases
        if pairs is None:
            return None
        if self.schema.is_classification:
            return self._counts(pairs)
        keys = MEDIAN_KEYS if self.takes_medians else MEAN_KEYS
        kept = {token.text: number for token, number in pairs}
        if tuple(kept) != keys:
            raise ModelError(f"{self._name}: cases: found {', '.join(kept) or 'nothing'}, expected {', '.join(keys)}")
        refusal = wrong_moments(tuple(kept.values()), keys)
        if refusal is not None:
            raise ModelError(f"{self._name}: cases: {refusal}")
        return array("d", kept.values())


def _codes(attribute: Attribute) -> Mapping[str, int]:
    return {label: code for code, label in enumerate(attribute.labels)}


def _kind(word: str) -> Kind:
    return "ordinal" if word == "ordinal" else "nominal" if word == "nominal" else "numeric"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_LABELS_NAMED])
    return f"{shown}, …" if len(names) > MOST_LABELS_NAMED else shown
