"""The lines and sentences of a lesson in its language."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treecli import plugins
from treecli.teaching import trace as status
from treecli.teaching import wording
from treecli.teaching.plainmath import formula_text, name_text
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.lesson.variants import Picked
    from treecli.teaching.formulas import Step
    from treecli.teaching.numbers import Digits
    from treecli.teaching.trace import Candidate, NodeTrace, Trace

ENGLISH = "en"

FIRST_STRONG, POP = "\u2068", "\u2069"
"""Isolate a text whose writing direction may differ from that of the text around it."""


def isolated(text: str) -> str:
    """Return the text; if it has letters written from right to left, isolated from its surroundings."""
    is_other = any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text)
    return f"{FIRST_STRONG}{text}{POP}" if is_other else text


def left_side(step: Step) -> str:
    """Return the left side of a step, such as Gain(S, Wind)."""
    name = step.name
    return name_text(
        replace(name, branch=isolated(name.branch), given=isolated(name.given), split=isolated(name.split))
    )


@dataclass(frozen=True, slots=True)
class Speaker:
    """Writes texts in a language, with numbers of so many digits."""

    texts: Mapping[str, str]
    digits: Digits

    @classmethod
    def of(cls, language: str, digits: Digits) -> Speaker:
        """Return a speaker of a language; what it has no text for is said in English."""
        english = plugins.load("languages", ENGLISH).TEXTS
        return cls({**english, **plugins.load("languages", language).TEXTS}, digits)

    def say(self, key: str, **values: object) -> str:
        """Return a text with its placeholders filled."""
        return self.texts[key].format(**values)

    def counted(self, key: str, number: float) -> str:
        """Return a number with its noun, such as leaves; `key` is the beginning of the keys of both forms."""
        text = self.digits.count(number)
        return self.say(f"{key}_one" if text == "1" else f"{key}_many", n=text)

    def errors(self, number: float) -> str:
        return self.say("errors_none") if self.digits.count(number) == "0" else self.counted("errors", number)

    def classes(self, counts: Sequence[float], labels: Sequence[str] | None) -> str:
        """Return the classes of cases with their weights, or the number of cases and their mean."""
        if labels is None:
            return f"{self.counted('cases', counts[0])}, {self.say('mean', mean=self.digits.text(counts[1]))}"
        present = [(label, count) for label, count in zip(labels, counts, strict=True) if count > 0]
        return ", ".join(f"{isolated(label)} {self.digits.count(count)}" for label, count in present)

    def counts(self, counts: Sequence[float], labels: Sequence[str] | None) -> str:
        """Return the class weights in brackets as in a trace; a size and a mean for numbers."""
        if labels is None:
            return f"[{self.digits.count(counts[0])}; {self.digits.text(counts[1])}]"
        return f"[{', '.join(map(self.digits.count, counts))}]"

    def step(self, step: Step, remark: str = "") -> str:
        """Return a step of the trace: name, formula, result and a remark."""
        after = f"   ({remark})" if remark else ""
        if step.formula is None:
            return f"{left_side(step)} = {step.text}{after}"
        return f"{left_side(step)} = {formula_text(step.formula, step.digits)} = {step.text}{after}"

    def impurity(self, step: Step) -> str:
        return self.step(step, self.say("pure") if step.formula is None else "")

    def why_not(self, own: Candidate) -> str:
        """Return why an attribute has no split."""
        is_missing = own.why.startswith("missing")
        return self.say("why_missing" if is_missing else f"why_{own.status}")

    def setup_lines(self, own: Candidate, node: NodeTrace, *, n_ways: int) -> Iterator[str]:
        """Yield the lines of a candidate before its remainder: thresholds, branches, missing values."""
        if own.runs:
            yield wording.runs(own)
        if len(own.ways) > 1 or own.n_more_ways:
            best = sorted(own.ways, key=lambda way: -way.gain)[:n_ways]
            for way in (way for way in own.ways if way in best):
                sizes = " ".join(self.counts(part, node.labels) for part in way.counts)
                text = self.say(
                    "line_threshold", way=isolated(way.label), counts=sizes, gain=self.digits.text(way.gain)
                )
                yield f"{text}  ({self.say('line_best')})" if way.is_best else text
            n_more = own.n_more_ways + len(own.ways) - len(best)
            if n_more:
                yield self.counted("line_more", n_more)
        for branch in own.branches:
            counts = self.counts(branch.counts, node.labels)
            yield f"{isolated(branch.label)}  {counts}  {self.impurity(branch.impurity)}"
        if own.unknown:
            known = sum(branch.weight for branch in own.branches)
            count = self.digits.count
            yield self.say(
                "line_unknown",
                attribute=isolated(own.attribute),
                missing=count(own.unknown),
                n=count(known + own.unknown),
                known=count(known),
            )

    def result_lines(self, own: Candidate) -> Iterator[str]:
        """Yield the lines that lead to the gain, and what follows from it."""
        if own.known is not None:
            yield self.step(own.known)
        for step in own.steps:
            if step is own.known:
                continue
            remark = ""
            if step is own.gain and step.text_from_rounded != step.text:
                remark = self.say("rounded", text=step.text_from_rounded)
            elif step is own.info and own.unknown:
                remark = self.say("unknown_branch")
            yield self.step(step, remark)
        if own.shares:
            count = self.digits.count
            parts = ", ".join(f"{isolated(label)} {count(own_)}/{count(all_)}" for label, own_, all_ in own.shares)
            yield self.say("line_shares", shares=parts)

    def short_lines(self, node: NodeTrace) -> Iterator[str]:
        """Yield the arithmetic of a node: its impurity, the branches and the gain of each candidate."""
        if node.impurity is not None:
            yield self.impurity(node.impurity)
        for own in node.candidates:
            if own.gain is None:
                yield f"{isolated(own.attribute)}: {self.why_not(own)}"
                continue
            parts = ", ".join(
                f"{isolated(branch.label)} {self.counts(branch.counts, node.labels)}" for branch in own.branches
            )
            yield f"{isolated(own.title)}: {parts}"
            assert own.remainder is not None
            yield self.step(own.remainder)
            yield self.step(own.gain)
            if own.ratio is not None:
                yield self.step(own.ratio)
        if node.others:
            names = ", ".join(f"{isolated(own.title)} {own.gain.text}" for own in node.others if own.gain is not None)
            yield self.say("line_others", names=names)

    def average_lines(self, node: NodeTrace) -> Iterator[str]:
        """Yield the rule of the average gain, and the candidates that it passes over."""
        if node.average is None:
            return
        yield self.say("line_average", value=node.average.text)
        for own in node.every:
            if own.gain is not None and own.status == status.BELOW_AVERAGE:
                yield self.say("line_passed", split=isolated(own.title), gain=own.gain.text)

    def decision(self, node: NodeTrace, trace: Trace) -> str:
        """Return which split is chosen, with its score."""
        if node.chosen is None:
            return self.say("line_leaf", label=isolated(node.prediction))
        value = wording.result(node.chosen, trace)
        return self.say("line_chosen", split=isolated(node.chosen.title), symbol=trace.symbol, value=value)

    def choice(self, node: NodeTrace, trace: Trace) -> str:
        """Return the best candidate with its value, and the next one or a tie."""
        if node.chosen is None:
            return self.say("say_leaf_root")
        chosen, value = isolated(node.chosen.title), wording.result(node.chosen, trace)
        if node.runner_up is None:
            return self.say("say_choice", chosen=chosen, value=value)
        following, next_value = isolated(node.runner_up.title), wording.result(node.runner_up, trace)
        if node.runner_up.status == status.TIED:
            return self.say("say_tie", chosen=chosen, next=following, value=value)
        return self.say("say_choice_next", chosen=chosen, value=value, next=following, next_value=next_value)

    def path(self, node: NodeTrace) -> str:
        return self.say("all_cases") if node.id == 0 else isolated(node.path)

    def compared(self, own: Picked, usual: Picked) -> str:
        """Return the size and the errors of another tree beside those of the usual one."""
        assert own.pick is not None
        if not usual.model.schema.is_classification:
            text = self.digits.text
            errors = self.say("squares_instead", own=text(own.errors), usual=text(usual.errors))
        elif self.digits.count(own.errors) != self.digits.count(usual.errors):
            errors = self.say("errors_instead", errors=self.errors(own.errors), usual=self.digits.count(usual.errors))
        elif self.digits.count(own.errors) == "0":
            errors = self.say("errors_also_none")
        else:
            errors = self.say("errors_same", errors=self.errors(own.errors))
        key = "other_tree" if own.pick.node == 0 else "other_tree_node"
        leaves = self.counted("leaves", own.n_leaves)
        return self.say(key, pick=isolated(own.pick.name), leaves=leaves, usual=usual.n_leaves, errors=errors)


def question_of(model_name: str) -> str:
    """Return the question that a node asks."""
    return f"{isolated(quoted(model_name))}?"
