"""PMML formulas for rows that go down several branches: the weight at each leaf and the weighted prediction.

PMML's own weightedConfidence supports only classification and does not specify the order of rounding, so ties could
differ from the model's; many evaluators do not implement it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from math import inf
from xml.etree.ElementTree import Element

from treecli.exporters._formula import formula
from treecli.exporters._names import free_name
from treecli.exporters._nesting import summed, sums_of
from treecli.exporters._xml import Document, element
from treecli.expressions import Holds
from treecli.predict.program import ALWAYS, Program, Step, Test
from treecli.values import Condition, Interval, Labels, condition_of


class Sums:
    """Derived fields of a model: weights, weighted predictions, and each class's distance from the best class."""

    def __init__(self, program: Program, taken: set[str]) -> None:
        self.program = program
        self.schema = program.schema
        self.formulas = Formulas(program)
        self.taken = taken
        codes = range(len(program.prediction[0]))
        # The probability of each class, or the number.
        self.totals = [free_name(f"total_{code}", taken) for code in codes]
        self.number = free_name("number", taken)
        # 0 for the classes that tie as best; the first of these is predicted.
        self.distances = [free_name(f"distance_{code}", taken) for code in codes]

    def write(self, document: Document) -> None:
        """Write the fields, each after the fields it depends on."""
        self.write_totals(document)
        self.write_choice(document)

    def write_totals(self, document: Document) -> None:
        """Write the weights at the nodes, and the totals."""
        ends = []
        for node, name, weight, is_end in self._parts():
            document.add(field(name, weight))
            if is_end:
                ends.append((node, name))
        sums = sums_of(self.program)
        for code, total in enumerate(self.totals):
            products = {
                place: product
                for place, (node, name) in enumerate(ends)
                if (product := self._said(node, name, code)) is not None
            }
            found = summed(sums, products, lambda members: apply("sum", *members))
            document.add(field(total, constant(0.0) if found is None else found))

    def write_choice(self, document: Document) -> None:
        """Write what is predicted: the distance of each class from the best one, or the number."""
        if self.schema.is_classification:
            for name, own in self._distances():
                document.add(field(name, own))
        else:
            document.add(field(self.number, self.divided(self.totals[0])))

    def _said(self, node: int, weight: str, code: int) -> Element | None:
        """Return the weighted prediction of a node for one class, or of its number; None if it is 0."""
        own = self.program.expressions.get(node)
        if own is not None:
            return apply("*", reference(weight), formula(own, self.formulas))
        share = self.program.prediction[node][code]
        return _product(weight, share) if share != 0 else None

    def _parts(self) -> Iterator[tuple[int, str, Element, bool]]:
        """Yield the weight at each node, in depth-first order, and whether the row ends there."""
        pending: list[tuple[int, str, Element, bool]] = [(0, "part_0", constant(1.0), not self.program.steps[0])]
        while pending:
            node, wanted, weight, is_end = pending.pop()
            name = free_name(wanted, self.taken)
            yield node, name, weight, is_end
            if is_end:
                continue
            spread, steps = self.program.spreads.get(node, ()), self.program.steps[node]
            for step in reversed(steps):
                is_stay = step.child == node
                wanted = f"stay_{node}" if is_stay else f"part_{step.child}"
                is_rest = self.program.is_ordered and step is steps[-1]
                part = self._rest(steps[0].test, name) if is_rest else self._part(step, name, spread)
                pending.append((step.child, wanted, part, is_stay or not self.program.steps[step.child]))

    def _rest(self, test: Test, whole: str) -> Element:
        """Return the weight of rows that the rule of a node does not match."""
        if () in test:
            return constant(0.0)
        return apply("if", self._test(test), constant(0.0), reference(whole))

    def _part(self, step: Step, whole: str, spread: Test) -> Element:
        """Return the weight after a step: a share if the row spreads, all if the test holds, else 0."""
        if spread == ALWAYS:
            return _product(whole, step.share)
        part = constant(0.0)
        if () in step.test:  # a rule without conditions
            part = reference(whole)
        elif step.test:
            part = apply("if", self._test(step.test), reference(whole), part)
        if spread and step.share > 0:
            part = apply("if", self._test(spread), _product(whole, step.share), part)
        return part

    def divided(self, total: str) -> Element:
        """Return a total divided by the program's divisor."""
        divisor = self.program.divisor
        return reference(total) if divisor == 1 else apply("/", reference(total), constant(divisor))

    def _distances(self) -> Iterator[tuple[str, Element]]:
        """Yield the distance of each class from the most probable class, or from the one of least expected cost."""
        merits, extreme, costs = self.totals, "max", self.program.costs
        if costs is not None:
            extreme = "min"
            merits = [free_name(f"cost_{code}", self.taken) for code in range(len(self.totals))]
            for code, merit in enumerate(merits):
                products = (_product(total, costs[true][code]) for true, total in enumerate(self.totals))
                yield merit, apply("sum", *products)
        best = free_name("best", self.taken)
        yield best, apply(extreme, *map(reference, merits))
        for merit, distance in zip(merits, self.distances, strict=True):
            yield distance, apply("-", reference(merit), reference(best))

    def _test(self, test: Test) -> Element:
        return _joined("or", [_joined("and", [self.formulas.holds(values) for values in member]) for member in test])


class Formulas:
    """Expressions and conditions as PMML formulas."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.schema = program.schema

    def number(self, number: float) -> Element:
        return constant(number)

    def read(self, attribute: int, instead: float | None) -> Element:
        """Return the value of a numeric field, or another number where it is missing."""
        name = self.schema.columns[attribute].name
        if instead is None:
            return reference(name)
        return apply("if", apply("isMissing", reference(name)), constant(instead), reference(name))

    def indicator(self, holds: Holds) -> Element:
        """Return 1 or 0: whether a field has one of some values; missing if the field is."""
        described, index = self.schema.columns[holds.attribute], holds.attribute
        every: Condition = Interval(index) if described.is_numeric else Labels.of(index, range(len(described.labels)))
        known = apply("if", self.holds(condition_of(holds)), constant(1.0), constant(0.0))
        # Without the last argument, the result is missing.
        instead = [] if holds.instead is None else [constant(holds.instead)]
        return apply("if", self.holds(every), known, *instead)

    def product(self, factors: list[Element]) -> Element:
        return reduce(lambda before, factor: apply("*", before, factor), factors)

    def total_of(self, terms: list[Element]) -> Element:
        return reduce(lambda before, term: apply("+", before, term), terms)

    def derived(self) -> Iterator[Element]:
        """Yield the fields of the derived columns."""
        for index, expression in self.program.derived.items():
            yield field(self.schema.columns[index].name, formula(expression, self))

    def holds(self, values: Condition) -> Element:
        """Return a test that a field holds one of the values; it is never missing, even if the field is."""
        described = self.schema.columns[values.attribute]
        field = described.name
        if isinstance(values, Interval):
            if not values.takes_known:
                return apply("isMissing", reference(field))
            bounds = [("greaterThan", values.low), ("lessOrEqual", values.high)]
            missing = "true" if values.missing else "false"
            tests = [
                apply(name, reference(field), constant(bound), mapMissingTo=missing)
                for name, bound in bounds
                if abs(bound) < inf
            ]
            return _joined("and", tests) if tests else _is_known(field, values.missing)
        chosen = set(values.codes)
        own = [described.labels[code] for code in values.codes]
        others = [label for code, label in enumerate(described.labels) if code not in chosen]
        if values.unseen and self.program.has_unseen:
            tests = [_is_label(field, label, 0, values.missing) for label in others]
            return _joined("and", tests) if tests else _is_known(field, values.missing)
        if not own:
            return apply("isMissing", reference(field))
        if not others and not self.program.has_unseen:
            return _is_known(field, values.missing)
        return _joined("or", [_is_label(field, label, 1, values.missing) for label in own])


def field(name: str, formula: Element) -> Element:
    return element("DerivedField", formula, name=name, optype="continuous", dataType="double")


def apply(function: str, *arguments: Element, **attributes: str) -> Element:
    return element("Apply", *arguments, function=function, **attributes)


def reference(field: str) -> Element:
    return element("FieldRef", field=field)


def constant(number: float) -> Element:
    return element("Constant", text=repr(float(number)), dataType="double")


def _product(field: str, factor: float) -> Element:
    return reference(field) if factor == 1 else apply("*", reference(field), constant(factor))


def _is_label(field: str, label: str, sign: int, or_missing: bool) -> Element:
    """Return a test that a field holds a label (sign 1) or another one (sign 0).

    Uses NormDiscrete, which has the label in an attribute: evaluators lose some white space in constants.
    """
    missing = str(sign if or_missing else 1 - sign)
    indicator = element("NormDiscrete", field=field, value=label, mapMissingTo=missing)
    return apply("equal", indicator, constant(sign))


def _is_known(field: str, or_missing: bool) -> Element:
    tests = [apply("isNotMissing", reference(field))]
    return _joined("or", [*tests, apply("isMissing", reference(field))] if or_missing else tests)


def _joined(function: str, tests: list[Element]) -> Element:
    return tests[0] if len(tests) == 1 else apply(function, *tests)
