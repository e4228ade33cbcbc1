"""A model as nested CASE expressions of SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf

from treecli.exporters._dialects import Dialect, Sums
from treecli.exporters._formula import formula
from treecli.exporters._layout import Layout, Line, Word
from treecli.exporters._names import comment_text
from treecli.exporters._nesting import summed, sums_of
from treecli.expressions import Holds
from treecli.predict.program import ALWAYS, Program, Test
from treecli.values import Condition, Interval, Labels, condition_of

INDENT = "  "


def is_plain_ensemble(program: Program) -> bool:
    """Return whether there are several trees, and a row reaches one leaf of each."""
    return program.is_joint and len(program.spreads) == 1


def _repeats_derived(program: Program) -> bool:
    """Return whether a derived column would be computed more than once if its formula stood in each test."""
    first, n_uses = len(program.schema.attributes), Counter[int]()
    tests = [step.test for steps in program.steps for step in steps[:-1]] + list(program.spreads.values())
    for values in (values for test in tests for member in test for values in member):
        if isinstance(values, Interval) and values.attribute >= first:
            bounds = (values.low > -inf) + (values.high < inf) if values.takes_known else 0
            n_uses[values.attribute] += bounds + (values.missing or not bounds)
    return any(n > 1 for n in n_uses.values())


def _names_of_derived(program: Program, n: int) -> list[str]:
    """Return names for derived columns in a query; none is the beginning of an attribute's name."""
    stem, taken = "derived", [attribute.name.casefold() for attribute in program.schema.attributes]
    while any(name.startswith(stem) for name in taken):
        stem += "_"
    return [f"{stem}{number}" for number in range(1, n + 1)]


class Case:
    """A model as nested CASE expressions."""

    def __init__(self, program: Program, dialect: Dialect, table: str | None) -> None:
        self.program = program
        self.schema = program.schema
        self.dialect = dialect
        above = () if table is None else (table,)
        self._column = {index: dialect.name(*above, program.schema.columns[index].name) for index in program.attributes}
        formulas = {index: f"({formula(own, self)})" for index, own in program.derived.items()}
        self._column |= formulas
        self._named: dict[str, str] = {}
        if dialect.sums is Sums.INNER_QUERY and _repeats_derived(program):
            names = dict(zip(formulas, _names_of_derived(program, len(formulas)), strict=True))
            self._named = {dialect.name(names[index]): text for index, text in formulas.items()}
            self._column |= {index: dialect.name(name) for index, name in names.items()}

    def with_names(self, lines: list[str]) -> list[str]:
        """Return the expression inside a query that names the derived columns, if a formula would be repeated."""
        if not self._named:
            return lines
        named = [f"{text} AS {name}" for name, text in self._named.items()]
        inner = [f"{INDENT}{text}{',' if place < len(named) else ''}" for place, text in enumerate(named, 1)]
        return ["(SELECT", *(f"{INDENT}{line}" for line in lines), "FROM (SELECT", *inner, ") AS named)"]

    def number(self, number: float) -> str:
        return self.dialect.number(number)

    def read(self, attribute: int, instead: float | None) -> str:
        """Return the value of a numeric column, or another number where it is missing."""
        column = self._column[attribute]
        if instead is None:
            return column
        lost = self._values(Interval.none(attribute, missing=True))
        return f"CASE WHEN {lost} THEN {self.number(instead)} ELSE {column} END"

    def indicator(self, holds: Holds) -> str:
        """Return 1 or 0: whether a column has one of some values; NULL if it is missing."""
        described, index = self.schema.columns[holds.attribute], holds.attribute
        every: Condition = Interval(index) if described.is_numeric else Labels.of(index, range(len(described.labels)))
        instead = "" if holds.instead is None else f" ELSE {self.number(holds.instead)}"
        known = f"CASE WHEN {self._values(condition_of(holds))} THEN {self.number(1.0)} ELSE {self.number(0.0)} END"
        return f"CASE WHEN {self._values(every)} THEN {known}{instead} END"

    def product(self, factors: list[str]) -> str:
        return " * ".join(factors)

    def total_of(self, terms: list[str]) -> str:
        return " + ".join(terms)

    def predicted(self, node: int) -> str:
        """Return the number that a node predicts."""
        own = self.program.expressions.get(node)
        return self.number(self.program.prediction[node][0]) if own is None else formula(own, self)

    def lines(self, program: Program) -> list[str]:
        """Return the lines of the expression for rows that reach one leaf."""
        (part,) = Layout(program, most_lines=len(program.steps) ** 2 + 1).parts()
        return list(self._lines(part))

    def either(self) -> Iterator[str]:
        """Yield the expression for rows that may reach several leaves, with a short case first for rows that do not."""
        yield f"CASE WHEN NOT ({self._spreads()}) THEN"
        yield from (f"{INDENT}{line}" for line in self.lines(self._without_spreads()))
        yield "ELSE"
        sums = self._sums if self.dialect.sums is Sums.INNER_QUERY else self._sums_in_place
        yield from (f"{INDENT}{line}" for line in sums())
        yield "END"

    def leaf(self) -> list[str]:
        """Return the expression for the number of the node where a row ends, NULL if it ends at several."""
        (part,) = Layout(self._without_spreads(), most_lines=len(self.program.steps) ** 2 + 1).parts()
        lines = list(self._lines(part, str))
        if self.program.spreads:
            lines = [f"CASE WHEN NOT ({self._spreads()}) THEN", *(f"{INDENT}{line}" for line in lines), "END"]
        return self.with_names(lines)

    def distribution(self) -> list[str]:
        """Return the expression for the list of the totals of a row that ends at several nodes, NULL for others."""
        outcomes = [f"p{outcome}" for outcome in range(len(self.program.prediction[0]))]
        inner = self._sums(f"[{', '.join(outcomes)}]")
        return self.with_names([f"CASE WHEN {self._spreads()} THEN", *(f"{INDENT}{line}" for line in inner), "END"])

    def _spreads(self) -> str:
        """Return the test that a row is sent down several branches."""
        # It is never NULL, because it includes missing values.
        return " OR ".join(dict.fromkeys(self._test(test) for test in self.program.spreads.values()))

    def _without_spreads(self) -> Program:
        """Return the program of the rows that end at one node."""
        steps = tuple(tuple(step for step in own if step.test) for own in self.program.steps)
        return replace(self.program, steps=steps, spreads={})

    def joint(self) -> Iterator[str]:
        """Yield the expression for several trees: totals of their predictions."""
        if self.program.votes:
            from treecli.exporters._case_votes import voted

            yield from voted(self)
            return
        if not is_plain_ensemble(self.program):
            yield from self._sums() if self.dialect.sums is Sums.INNER_QUERY else self._sums_in_place()
            return
        totals = [self._total(outcome) for outcome in range(len(self.program.prediction[0]))]
        if self.dialect.sums is Sums.INNER_QUERY:
            yield from self._from_totals(totals)
        else:
            yield from self._in_place([f"({' '.join(total)})" for total in totals])

    def _total(self, outcome: int) -> list[str]:
        """Return the lines of the sum of the trees' predictions for one outcome: a CASE for each tree."""
        lines: list[str] = []
        for step in self.program.steps[0]:
            own = self.tree(step.child, outcome)
            if own is not None:
                lines += [f"+ {own[0]}" if lines else own[0], *own[1:]]
        return lines or [self.number(0.0)]

    def tree(self, root: int, outcome: int) -> list[str] | None:
        """Return the lines of a tree's prediction for one outcome, None if that is 0 everywhere."""
        program = self.program
        nodes, pending = [root], [root]
        while pending:
            node = pending.pop()
            below = [step.child for step in program.steps[node] if step.child != node]
            nodes += below
            pending += below
        nodes.sort()
        place = {node: number for number, node in enumerate(nodes)}
        said = [[program.prediction[node][outcome]] for node in nodes]
        if not any(value for (value,) in said):
            return None
        steps = [tuple(replace(step, child=place[step.child]) for step in program.steps[node]) for node in nodes]
        (part,) = Layout(replace(program, steps=steps, spreads={}), most_lines=len(steps) ** 2 + 1).parts()
        return list(self._lines(part, lambda number: self.number(said[number][0])))

    def _from_totals(self, totals: list[list[str]]) -> Iterator[str]:
        """Yield a query that chooses by the totals of an inner one."""
        n_said = len(totals)
        yield f"(SELECT {self.chosen([f'p{outcome}' for outcome in range(n_said)])} FROM (SELECT"
        for place, lines in enumerate(totals):
            end = f"{lines[-1]} AS p{place}{',' if place + 1 < n_said else ''}"
            yield from (f"{INDENT}{line}" for line in (*lines[:-1], end))
        yield ") AS totals)"

    def _lines(self, part: list[Line], answer_of: Callable[[int], str] | None = None) -> Iterator[str]:
        """Yield a CASE for the lines of a tree; `answer_of` returns the answer of a node, if it is another one."""
        is_open = [False]  # by level: whether a CASE is open
        for line in part:
            indent = INDENT * line.level
            match line.word:
                case Word.IF:
                    if not is_open[line.level]:
                        yield f"{indent}CASE"
                        is_open[line.level] = True
                    yield f"{indent}WHEN {self._test(line.test)} THEN"
                    is_open.append(False)
                case Word.LEAF:
                    answer = f"{self._answer(line.node)} -- {comment_text(self.program.cases[line.node])}"
                    if answer_of is not None:
                        answer = answer_of(line.node)
                    if is_open[line.level]:
                        yield f"{indent}ELSE {answer}"
                        yield f"{indent}END"
                    else:
                        yield f"{indent}{answer}"
                case Word.END:
                    is_open.pop()

    def _sums(self, chosen: str | None = None) -> Iterator[str]:
        """Yield the expression for rows that reach several leaves: the weight at each, then the weighted prediction.

        Multiplies and adds in the model's order, so that rounding is identical. `chosen` replaces the prediction by
        another expression of the totals p0, p1, …
        """
        number = self.dialect.number
        n_said = len(self.program.prediction[0])
        parts: list[str] = []
        terms: list[dict[int, str]] = [{} for _ in range(n_said)]
        for place, (node, factors) in enumerate(self.paths()):
            parts.append(f"{' * '.join(factors)} AS w{place}, -- {comment_text(self.program.cases[node])}")
            for outcome, said in self.said(node):
                terms[outcome][place] = f"w{place} * {said}" if said else f"w{place}"
        sums = sums_of(self.program)
        totals = [summed(sums, own, lambda members: f"({' + '.join(members)})") or number(0.0) for own in terms]
        yield f"(SELECT {chosen or self.chosen([f'p{outcome}' for outcome in range(n_said)])} FROM (SELECT"
        for place, total in enumerate(totals):
            yield f"{INDENT}{_without_brackets(total)} AS p{place}{',' if place + 1 < n_said else ''}"
        yield f"{INDENT}FROM (SELECT"
        yield from (f"{INDENT * 2}{part}" for part in parts)
        yield f"{INDENT * 2}0 AS w_end) AS parts) AS totals)"

    def _sums_in_place(self) -> Iterator[str]:
        """Yield the same without inner queries: MariaDB's cannot refer to outer columns."""
        number = self.dialect.number
        terms: list[dict[int, str]] = [{} for _ in range(len(self.program.prediction[0]))]
        for place, (node, factors) in enumerate(self.paths()):
            for outcome, said in self.said(node):
                terms[outcome][place] = " * ".join([*factors, said] if said else factors)
        sums, plus = sums_of(self.program), f"\n{INDENT * 2}+ "
        found = [summed(sums, own, lambda members: f"({plus.join(members)})") or number(0.0) for own in terms]
        yield from self._in_place([f"({_without_brackets(total)})" for total in found])

    def _in_place(self, totals: list[str]) -> Iterator[str]:
        """Yield the choice by totals that are repeated."""
        if not self.schema.is_classification:
            yield from self._divided(totals[0]).splitlines()
            return
        merits = self._merits(totals)
        extreme = "GREATEST" if self.program.costs is None else "LEAST"
        yield "ELT(FIELD("
        yield from f"{INDENT}{extreme}({', '.join(merits)}),".splitlines()
        yield from f"{INDENT}{', '.join(merits)}),".splitlines()
        yield f"{INDENT}{', '.join(self.dialect.literal(label) for label in self.schema.target.labels)})"

    def said(self, node: int) -> Iterator[tuple[int, str]]:
        """Yield the outcomes that a node predicts, each with its probability or number; empty text stands for 1."""
        if node in self.program.expressions:
            yield 0, f"({self.predicted(node)})"
            return
        for outcome, said in enumerate(self.program.prediction[node]):
            if said != 0:
                yield outcome, "" if said == 1 else self.number(said)

    def paths(self, root: int = 0) -> Iterator[tuple[int, list[str]]]:
        """Yield every end below a node in depth-first order, with the factors of its weight."""
        number = self.dialect.number
        one, zero = number(1.0), number(0.0)
        pending: list[tuple[int, list[str], bool]] = [(root, [], False)]
        while pending:
            node, factors, is_stay = pending.pop()
            steps = self.program.steps[node]
            if not steps or is_stay:
                yield node, factors or [one]
                continue
            spread = self.program.spreads.get(node, ())
            for step in reversed(steps):
                if spread == ALWAYS:
                    pending.append((step.child, factors, False))
                    continue
                cases = []
                if spread:
                    cases.append(f"WHEN {self._test(spread)} THEN {number(step.share)}")
                if step.test:
                    cases.append(f"WHEN {self._test(step.test)} THEN {one}")
                factor = f"CASE {' '.join(cases)} ELSE {zero} END"
                pending.append((step.child, [*factors, factor], step.child == node))

    def _divided(self, total: str) -> str:
        """Return a total divided by the program's divisor."""
        divisor = self.program.divisor
        return total if divisor == 1 else f"{total} / {self.number(divisor)}"

    def _merits(self, totals: list[str]) -> list[str]:
        """Return the score of each label: its total, or its expected cost."""
        costs = self.program.costs
        if costs is None:
            return totals
        number = self.dialect.number
        return [
            f"({' + '.join(f'{total} * {number(costs[true][code])}' for true, total in enumerate(totals))})"
            for code in range(len(totals))
        ]

    def chosen(self, totals: list[str]) -> str:
        """Return the label with the largest total or least expected cost, the first if tied; or the number."""
        if not self.schema.is_classification:
            return self._divided(totals[0])
        merits, sign = self._merits(totals), ">=" if self.program.costs is None else "<="
        labels = [self.dialect.literal(label) for label in self.schema.target.labels]
        cases = [
            f"WHEN {' AND '.join(f'{merits[code]} {sign} {other}' for other in merits[code + 1 :])} THEN {labels[code]}"
            for code in range(len(totals) - 1)
        ]
        return f"CASE {' '.join(cases)} ELSE {labels[-1]} END" if cases else labels[0]

    def _answer(self, node: int) -> str:
        if self.schema.is_classification:
            return self.dialect.literal(self.schema.target.labels[self.program.label[node]])
        return self.predicted(node)

    def _test(self, test: Test) -> str:
        members = []
        for member in test:
            texts = [self._values(values) for values in member] or ["1 = 1"]
            members.append(" AND ".join(f"({text})" if " OR " in text and len(texts) > 1 else text for text in texts))
        return " OR ".join(f"({text})" if " AND " in text and len(members) > 1 else text for text in members)

    def _values(self, values: Condition) -> str:
        """Return a test that a column holds one of these values; NULL, which counts as false, if unknown."""
        column = self._column[values.attribute]
        known = self._labels(values, column) if isinstance(values, Labels) else self._interval(values, column)
        if not values.missing:
            return known
        is_null = [f"{column} IS NULL"]
        if isinstance(values, Interval) and self.dialect.is_nan:
            is_null.append(self.dialect.is_nan.format(column))
        return " OR ".join([f"({known})" if " AND " in known else known, *is_null] if known else is_null)

    def _interval(self, values: Interval, column: str) -> str:
        if not values.takes_known:
            return ""
        bounds = []
        if values.low > -inf:
            bounds.append(f"{column} > {self.dialect.number(values.low)}")
        if values.high < inf:
            bounds.append(f"{column} <= {self.dialect.number(values.high)}")
        if not bounds:
            bounds.append(f"{column} IS NOT NULL")
        if values.high == inf and self.dialect.is_nan and (self.dialect.nan_is_greatest or values.low == -inf):
            bounds.append(f"NOT {self.dialect.is_nan.format(column)}")
        return " AND ".join(bounds)

    def _labels(self, values: Labels, column: str) -> str:
        labels, codes = self.schema.columns[values.attribute].labels, set(values.codes)
        if values.unseen:
            others = [label for code, label in enumerate(labels) if code not in codes]
            return self._is_among(column, others, "<>", "NOT IN") if others else f"{column} IS NOT NULL"
        return self._is_among(column, [labels[code] for code in sorted(codes)], "=", "IN") if codes else ""

    def _is_among(self, column: str, labels: list[str], one: str, several: str) -> str:
        text = self.dialect.label.format(column)
        literals = [self.dialect.compared(label) for label in labels]
        return f"{text} {one} {literals[0]}" if len(literals) == 1 else f"{text} {several} ({', '.join(literals)})"


def _without_brackets(total: str) -> str:
    return total[1:-1] if total.startswith("(") else total
