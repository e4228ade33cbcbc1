"""The arithmetic of one candidate split, checked against the learner's own numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, isfinite
from typing import TYPE_CHECKING

import numpy as np

from treecli.kernels import codes
from treecli.teaching import impurities, prices, trace
from treecli.teaching.aheadsteps import with_ahead
from treecli.teaching.branches import MISSING_LABEL, OR_MISSING, UNKNOWN, outcomes, title, values_of, with_side
from treecli.teaching.checks import ACCURACY, disagree
from treecli.teaching.classweights import scale_of
from treecli.teaching.formulas import (
    Count,
    Formula,
    Group,
    Log,
    Product,
    Quotient,
    Result,
    Share,
    Step,
    Sum,
    added,
    difference,
)
from treecli.teaching.notation import Notation
from treecli.teaching.numbers import NOTHING, Digits
from treecli.teaching.trace import Branch, Candidate, Cell, ChiSquare
from treecli.teaching.ways import listed
from treecli.tree import DEVIANCE, WEIGHT
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.kernels.args import Plan
    from treecli.teaching.formulas import Name
    from treecli.teaching.observing import Growth
    from treecli.teaching.seen import Option, Seen

SINGLE_ACCURACY = 1e-5
"""The same for candidates that C4.5's arithmetic scores in 32-bit floats."""

USUAL_LEVEL = 0.05
"""The significance level that is mentioned if the settings have none."""


@dataclass(frozen=True, slots=True)
class Style:
    """How steps are written: digits and rounding, notation, form of the Gini index, number of other splits listed."""

    digits: Digits
    notation: str = "mitchell"
    gini_form: str = impurities.GINI_SUM
    n_ways: int = 8


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the steps of the candidates of one tree."""

    growth: Growth
    style: Style
    of: str = ""
    """The condition of the cases, if they are those of a branch."""

    @property
    def impurity(self) -> str:
        return str(self.growth.plan.criterion.impurity)

    @property
    def is_test(self) -> bool:
        return self.growth.plan.rank == codes.BY_TEST

    @property
    def is_ratio(self) -> bool:
        plan = self.growth.plan
        return plan.rank == codes.BY_RATIO or (plan.rank == codes.BY_PYTHON and not prices.symbol(plan.settings))

    @property
    def notation(self) -> Notation:
        return Notation(self.style.notation, self.impurity, self.of)

    @property
    def scale(self) -> float:
        """The printed impurity as a multiple of the learner's."""
        return impurities.SCALES.get(self.style.gini_form, 1.0) if self.impurity == "gini" else 1.0

    def scaled(self, counts: np.ndarray) -> np.ndarray:
        """Return class weights as impurities count them: times the weight of each class by priors and costs."""
        scale = scale_of(self.growth.plan)
        return counts if scale is None else counts * scale

    def impurity_step(self, name: Name, own: np.ndarray) -> Step:
        """Return the step that computes the impurity of some outcomes."""
        plan = self.growth.plan
        if plan.is_numeric:
            is_pure = self.impurity == "deviation" and own[DEVIANCE] <= plan.least_variance * own[WEIGHT]
            formula = None if is_pure else impurities.of_numbers(self.impurity, *own.tolist())
        else:
            formula = impurities.of_classes(self.impurity, self.scaled(own).tolist(), self.style.gini_form)
        remark = "pure" if formula is None else ""
        return Step(name, formula, self.style.digits, remark)

    def candidate(self, number: int, seen: Seen, option: Option, whole: Step) -> Candidate:
        """Return the arithmetic of a split, checked; only why there is none, if there is none."""
        schema = self.growth.schema
        name = quoted(schema.columns[option.attribute].name)
        values = values_of(self.growth.dataset, option.attribute, seen.rows)
        if not option.is_drawn:
            return Candidate(name, name, trace.NOT_DRAWN, "not drawn at this node")
        if option.split is None:
            return _without_split(name, values)
        found = self.worked_out(seen, option, values, whole)
        self.check(number, option, found, self.size(whole, seen))
        return replace(found, status=_status(option, self.growth.plan), why=_why(option, self.growth.plan))

    def worked_out(self, seen: Seen, option: Option, values: np.ndarray, whole: Step) -> Candidate:
        """Return the arithmetic of a split, and of those that follow under lookahead."""
        split = option.split
        assert split is not None
        schema, notation, digits = self.growth.schema, self.notation, self.style.digits
        named = title(split, schema)
        texts, counts, unknown, unknown_mass = self._parts(seen, option, values)
        weight = counts.sum(axis=1) if not self.growth.plan.is_numeric else counts[:, 0]
        is_scaled = scale_of(self.growth.plan) is not None
        branches = tuple(
            Branch(
                text,
                own,
                tuple(row.tolist()),
                self.impurity_step(notation.branch(text), row),
                tuple(self.scaled(row).tolist()) if is_scaled else (),
            )
            for text, own, row in zip(texts, weight.tolist(), counts, strict=True)
        )
        known_weight = sum(branch.mass for branch in branches)
        total = known_weight + unknown_mass
        known = None
        if unknown > 0:
            known = self.impurity_step(notation.known(), self._joined(seen, option, values))
            known = replace(known, remark="")
        remainder_name = notation.remainder(named, of_known=known is not None)
        remainder = Step(remainder_name, self._remainder(branches, known_weight), digits)
        gain = self._gain(known or whole, remainder, known_weight, total, option)
        info = ratio = None
        if self.is_ratio:
            parts = [*(branch.mass for branch in branches), *([unknown_mass] if unknown > 0 else [])]
            info = Step(notation.info(named), impurities.entropy(parts), digits)
            if unknown > 0:
                info = replace(info, remark="unknown counts as a branch")
            if info.exact > NOTHING:
                ratio = Step(notation.ratio(named), Quotient(Result(gain), Result(info)), digits)
        found = Candidate(
            quoted(schema.columns[option.attribute].name),
            named,
            trace.BEATEN,
            branches=branches,
            known=known,
            remainder=remainder,
            gain=gain,
            info=info,
            ratio=ratio,
            unknown=unknown,
            unknown_mass=unknown_mass,
            n_cuts=round(2**option.cost) if option.cost > 0 else None,
        )
        if unknown > 0 and self.growth.plan.spreads:
            shares = [(text, own, float(weight.sum())) for text, own in zip(texts, weight.tolist(), strict=True)]
            found = replace(found, shares=tuple(shares))
        if prices.symbol(self.growth.plan.settings):
            attribute = schema.columns[option.attribute].name
            found = replace(found, priced=prices.step(gain, attribute, notation, self.growth.plan.settings))
        if self.growth.plan.wants_chi2:
            found = replace(found, test=self._test(branches, option))
        if option.below is not None:
            found = with_ahead(self, found, self._conditions(option, values), seen, option.below)
        ways = listed(self.growth, seen, option, values, self.style.n_ways)
        shown = tuple(replace(way, gain=way.gain * self.scale) for way in ways.shown)
        return replace(found, runs=ways.runs, ways=shown, n_more_ways=ways.n_more)

    def _conditions(self, option: Option, values: np.ndarray) -> list[str]:
        """Return the condition of every branch, with the attribute's name."""
        split, schema = option.split, self.growth.schema
        assert split is not None
        attribute = schema.columns[split.attribute]
        found = []
        for branch, text in enumerate(placed(self.growth, option, values)[1]):
            if branch == split.n_branches():
                found.append(f"{quoted(attribute.name)} = {MISSING_LABEL}")
            else:
                also = OR_MISSING if text.endswith(OR_MISSING) else ""
                found.append(split.condition(branch, schema).wording(attribute) + also)
        return found

    def outcomes(self, branch: np.ndarray, n: int, seen: Seen) -> np.ndarray:
        """Return the outcomes of n branches of a node."""
        is_median = self.impurity == "absolute"
        return outcomes(branch, n, self.growth.dataset, seen.rows, seen.weights, is_median=is_median)

    def _joined(self, seen: Seen, option: Option, values: np.ndarray) -> np.ndarray:
        """Return the outcomes of the cases of all branches together."""
        branch, _ = placed(self.growth, option, values)
        return np.asarray(self.outcomes(np.where(branch == UNKNOWN, UNKNOWN, 0), 1, seen)[0])

    def _parts(self, seen: Seen, option: Option, values: np.ndarray) -> tuple[list[str], np.ndarray, float, float]:
        """Return the labels and the outcomes of the branches that have cases, and the weight in none of them.

        The last number is that weight as impurities count it.
        """
        branch, texts = placed(self.growth, option, values)
        counts = self.outcomes(branch, len(texts), seen)
        weight = counts[:, 0] if self.growth.plan.is_numeric else counts.sum(axis=1)
        taken = np.flatnonzero(weight > 0)
        is_unknown = branch == UNKNOWN
        unknown = mass = float(seen.weights[is_unknown].sum())
        if scale_of(self.growth.plan) is not None:
            mass = float(self.scaled(self.outcomes(np.where(is_unknown, 0, UNKNOWN), 1, seen)[0]).sum())
        return [texts[place] for place in taken.tolist()], counts[taken], unknown, mass

    def _remainder(self, branches: tuple[Branch, ...], known: float) -> Formula:
        if self.impurity in impurities.SUMS:
            return added(Result(branch.impurity) for branch in branches)
        return added(Product((Share(branch.mass, known), Result(branch.impurity))) for branch in branches)

    def _gain(self, before: Step, remainder: Step, known: float, total: float, option: Option) -> Step:
        """Return the decrease of impurity, as a share of all cases if some are unknown, less the cost of the cut."""
        formula: Formula = difference(Result(before), Result(remainder))
        if self.impurity in impurities.SUMS:
            formula = Quotient(Group(formula), Count(total))
        elif known < total:
            formula = Product((Share(known, total), Group(formula)))
        if option.cost > 0:
            paid = Quotient(Log(Count(round(2**option.cost))), Count(total))
            terms = formula.terms if isinstance(formula, Sum) else ((1, formula),)
            formula = Sum((*terms, (-1, paid)))
        assert option.split is not None
        name = self.notation.gain(title(option.split, self.growth.schema))
        step = Step(name, formula, self.style.digits)
        if step.text_from_rounded != step.text and not self.style.digits.at_steps:
            remark = f"from unrounded numbers; the rounded ones give {step.text_from_rounded}"
            step = replace(step, remark=remark)
        return step

    def _test(self, branches: tuple[Branch, ...], option: Option) -> ChiSquare:
        """Return the chi-square test of the branches against the classes that occur."""
        target = self.growth.schema.target
        table = np.array([branch.scaled or branch.counts for branch in branches])
        total = float(table.sum())
        cells = tuple(
            Cell(branch.label, quoted(label), float(seen), float(row.sum()), float(of_label), total)
            for branch, row in zip(branches, table, strict=True)
            for label, seen, of_label in zip(target.labels, row, table.sum(axis=0), strict=True)
            if of_label > 0
        )
        n_labels = int((table.sum(axis=0) > 0).sum())
        alpha = self.growth.plan.chi2_alpha
        level = float(alpha) if isfinite(alpha) else USUAL_LEVEL
        chi2 = sum(cell.term for cell in cells)
        multiplier = exp(option.log_multiplier)
        return ChiSquare(cells, len(branches), n_labels, chi2, option.p, level, quoted(target.name), multiplier)

    def size(self, whole: Step, seen: Seen) -> float:
        """Return the impurity of a node, or 1 if that is larger: differences from the learner are relative to it."""
        weight = float(seen.weights.sum()) if self.impurity in impurities.SUMS else 1.0
        return max(1.0, whole.exact / weight)

    def check(self, number: int, option: Option, found: Candidate, size: float = 1.0) -> None:
        """Raise an error if a printed result is not the learner's."""
        plan = self.growth.plan
        assert found.gain is not None
        weight = sum(branch.weight for branch in found.branches) + found.unknown
        gain, info = (found.gain, found.info) if found.ahead is None else (found.ahead.gain, found.ahead.info)
        pairs = [("gain", gain.exact / self.scale, option.own_gain)]
        if info is not None:
            pairs.append(("split information", info.exact, option.split_info))
        if found.test is not None:
            pairs.append(("chi-square", found.test.chi2, option.chi2))
        if found.priced is not None and isfinite(option.merit):
            pairs.append(("score by cost", found.priced.exact, option.merit))
        for what, own, learned in pairs:
            most = (SINGLE_ACCURACY if plan.arithmetic == codes.C45 else ACCURACY) * max(size, abs(learned))
            if what == "gain":  # less than the tolerance counts as no gain
                most += plan.tolerance / weight
            disagree(number, found.title, what, own, learned, most)


def placed(growth: Growth, option: Option, values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return the branch of each case of a node, UNKNOWN where there is none, and the labels of the branches."""
    split = option.split
    assert split is not None
    side = option.missing_to if growth.plan.missing_is_value else UNKNOWN
    return with_side(split, side, values, growth.schema)


def _without_split(name: str, values: np.ndarray) -> Candidate:
    known = values[values == values] if values.dtype.kind == "f" else values[values >= 0]
    if not len(known):
        return Candidate(name, name, trace.ONE_BRANCH, "missing in all cases here")
    if (known == known[0]).all():
        return Candidate(name, name, trace.ONE_BRANCH, "all cases here have the same value")
    return Candidate(name, name, trace.TOO_SMALL, "no split leaves enough cases in two branches")


def _status(option: Option, plan: Plan) -> str:
    if isfinite(option.merit):
        return trace.BEATEN
    if option.gain == option.own_gain:
        return trace.BELOW_AVERAGE if plan.rank == codes.BY_RATIO else trace.TOO_LITTLE
    if option.p > plan.chi2_alpha:
        return trace.NOT_SIGNIFICANT
    return trace.TOO_LITTLE


def _why(option: Option, plan: Plan) -> str:
    reasons = {
        trace.BELOW_AVERAGE: "its gain is below average",
        trace.NOT_SIGNIFICANT: "the chi-square test does not reject independence",
        trace.TOO_LITTLE: "it gains too little",
    }
    return reasons.get(_status(option, plan), "")
