"""ONNX: tables of questions that ordinary operators walk through, in double precision throughout.

ONNX's tree operators are not used: TreeEnsembleClassifier and TreeEnsembleRegressor return single precision, and
TreeEnsemble (2024) supports neither surrogates nor fractional rows and is missing in many runtimes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli import __version__
from treecli.errors import UsageError
from treecli.exporters import Options
from treecli.exporters._graph import IR_VERSION, LABEL_DOMAIN, LABEL_OPSET, OPSET, Graph, described
from treecli.exporters._graph_columns import Columns, inputs, missing_text, unused
from treecli.exporters._names import heading
from treecli.exporters._nesting import Member, by_level, sums_of
from treecli.exporters._tables import (
    FIRST_LABEL_BUCKET,
    INSIDE_BUCKET,
    MISSING_BUCKET,
    OUTSIDE_BUCKET,
    Group,
    Parts,
    Questions,
    Walk,
)
from treecli.model import Model
from treecli.models import program_of
from treecli.predict.program import Program, Vote

if TYPE_CHECKING:
    from onnx import ModelProto, ValueInfoProto

    from treecli.data import Attribute

TITLE = "ONNX"
OPTIONS = frozenset({"name", "proba"})

DEFAULT_NAME = "predict"
ROWS = "rows"
"""The name of the row dimension of all inputs and outputs."""


def export(model: Model, options: Options) -> bytes:
    """Return the model as the bytes of an .onnx file."""
    program = program_of(model, refuses_missing=options.refuses_missing)
    _check(program)
    try:
        made = _Writer(program, options).model()
    except ImportError as error:
        raise UsageError("--to onnx: needs onnx, which is not installed", "pip install 'treecli[onnx]'") from error
    written: bytes = made.SerializeToString(deterministic=True)
    return written


def output_names(program: Program) -> tuple[str, str]:
    """Return the names of the prediction and probability outputs."""
    taken = {attribute.name for attribute in program.schema.attributes}
    return unused("prediction", taken), unused("probabilities", taken)


def _check(program: Program) -> None:
    """Raise UsageError if ONNX cannot express the model."""
    if program.refused_missing:
        raise UsageError("--missing error: ONNX cannot raise an error", "say --missing majority")
    if program.refused:
        raise UsageError(
            "the model takes an unseen label for an error, which ONNX cannot raise",
            "say --unseen missing or --unseen majority",
        )
    if not program.schema.attributes:
        raise UsageError("the model has no attributes, and ONNX counts rows by them", "use another --to")
    for index in inputs(program):
        name = program.schema.columns[index].name
        if not name or "\0" in name:
            raise UsageError(f"{name!r} cannot be a name in ONNX", "rename the column")


class _Writer:
    def __init__(self, program: Program, options: Options) -> None:
        self.program = program
        self.schema = program.schema
        self.labels = program.schema.target.labels
        self.options = options
        self.prediction, self.probabilities = output_names(program)
        prefix = "step_"
        while any(program.schema.columns[index].name.startswith(prefix) for index in inputs(program)):
            prefix = f"_{prefix}"
        self.graph = Graph(prefix)
        self.inputs = Columns(self.graph, program)

    def model(self) -> ModelProto:
        from onnx import helper

        if self.program.spreads:
            self._answer_from_parts()
        else:
            self._answer_at_ends()
        graph = helper.make_graph(
            self.graph.nodes,
            self.options.name or DEFAULT_NAME,
            [self._input(column) for column in self.inputs.attributes],
            self._outputs(),
            self.graph.constants,
        )
        made = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(LABEL_DOMAIN, LABEL_OPSET)],
            ir_version=IR_VERSION,
            producer_name="treecli",
            producer_version=__version__,
            doc_string=" ".join(heading(self.program, [])),
        )
        if self.schema.is_classification:
            # The order of the probabilities, machine-readable in every runtime.
            helper.set_model_props(made, {"labels": json.dumps(self.labels)})
        return made

    def _input(self, column: Attribute) -> ValueInfoProto:
        if column.is_numeric:
            return described(column.name, "double", [ROWS], "a number; NaN where it is missing")
        return described(column.name, "string", [ROWS], f"a label; {missing_text(column)!r} where it is missing")

    def _outputs(self) -> list[ValueInfoProto]:
        if not self.schema.is_classification:
            return [described(self.prediction, "double", [ROWS])]
        found = [described(self.prediction, "string", [ROWS])]
        if self.options.proba:
            found.append(described(self.probabilities, "double", [ROWS, len(self.labels)]))
        return found

    def _answered(self, graph: Graph, cells: str, tables: dict[str, str], answers: str) -> str:
        """Look up the answer for each cell; each cell has its own row of the tables."""
        number = {bucket: graph.constant(bucket, "int64") for bucket in range(FIRST_LABEL_BUCKET + 1)}
        is_above = graph.apply("GreaterOrEqual", cells, tables["low"])
        is_inside = graph.apply("And", is_above, graph.apply("LessOrEqual", cells, tables["high"]))
        bucket = graph.apply("Where", is_inside, number[INSIDE_BUCKET], number[OUTSIDE_BUCKET])
        bucket = graph.apply("Where", graph.apply("IsNaN", cells), number[MISSING_BUCKET], bucket)
        # Replace numbers with 0 first, because not all of them can be cast to int64.
        labels = graph.apply("Where", tables["is_label"], cells, graph.constant(0.0, "double"))
        bucket = graph.apply("Where", tables["is_label"], graph.cast(labels, "int64"), bucket)
        return graph.apply("Gather", answers, graph.apply("Add", tables["begin"], bucket))

    def _tables(self, questions: Questions, *, is_upright: bool = False) -> dict[str, str]:
        """Return the tables as constants; as column vectors if `is_upright`, to broadcast over questions × rows."""
        import numpy as np

        kinds = {"low": "double", "high": "double", "is_label": "bool", "begin": "int64"}
        shape = (-1, 1) if is_upright else (-1,)
        tables = {
            name: self.graph.constant(np.reshape(getattr(questions, name), shape), kind) for name, kind in kinds.items()
        }
        return {"column": self.graph.constant(questions.column, "int64"), **tables}

    def _answer_at_ends(self) -> None:
        """Predict by moving rows from test to test until all are at an end."""
        walk, graph = Walk(self.program), self.graph
        cells = self.inputs.cells()
        tables, following = self._tables(walk.questions), graph.constant(walk.questions.answers, "int64")
        zero = graph.constant([0], "int64")
        start = graph.apply("Shape", cells, start=1, end=2)
        start = graph.apply("Expand", graph.constant(walk.start, "int64"), start)

        body = graph.body()
        number, goes_on, state = body.fresh(), body.fresh(), body.fresh()
        asked = {name: body.apply("Gather", table, state) for name, table in tables.items()}
        places = body.apply("Unsqueeze", asked["column"], zero)
        cell = body.apply("Squeeze", body.apply("GatherElements", cells, places, axis=0), zero)
        after = self._answered(body, cell, asked, following)
        moved = body.cast(body.apply("Not", body.apply("Equal", state, after)), "int64")
        n_moved = body.apply("ReduceSum", moved, keepdims=0)
        goes_on_after = body.apply("Greater", n_moved, graph.constant(0, "int64"))
        loop = body.finished(
            "walk",
            [described(number, "int64", []), described(goes_on, "bool", []), described(state, "int64", [ROWS])],
            [described(goes_on_after, "bool", []), described(after, "int64", [ROWS])],
        )
        most = graph.constant(walk.most_steps, "int64")
        last = graph.apply("Loop", most, graph.constant(True, "bool"), start, body=loop)

        states = range(len(walk.questions.begin))
        nodes = [walk.node_of.get(state, 0) for state in states]
        if not self.schema.is_classification:
            said = graph.constant([self.program.prediction[node][0] for node in nodes], "double")
            if not self.program.expressions:
                graph.apply("Gather", said, last, named=self.prediction)
                return
            found = graph.apply("Gather", said, last)
            node_of_row = graph.apply("Gather", graph.constant(nodes, "int64"), last)
            for node, expression in self.program.expressions.items():
                is_there = graph.apply("Equal", node_of_row, graph.constant(node, "int64"))
                found = graph.apply("Where", is_there, self.inputs.computed(expression), found)
            graph.apply("Identity", found, named=self.prediction)
            return
        self._name(graph.apply("Gather", graph.constant([self.program.label[node] for node in nodes], "int64"), last))
        if self.options.proba:
            said = graph.constant([self.program.prediction[node] for node in nodes], "double")
            graph.apply("Gather", said, last, named=self.probabilities)

    def _name(self, codes: str) -> None:
        """Output the label of each predicted class code."""
        self.graph.apply("Gather", self.graph.constant(self.labels, "string"), codes, named=self.prediction)

    def _answer_from_parts(self) -> None:
        """Predict by sending each row down all branches, with weights that may be 0."""
        parts, graph = Parts(self.program), self.graph
        factors = self._factors(parts)
        weight, weights, first = "", [], 0
        for level in parts.levels:
            factor = self._chosen(factors, range(first, first + len(level)))
            if weight:
                factor = graph.apply("Mul", self._chosen(weight, [step.before for step in level]), factor)
            weight = factor
            weights.append(weight)
            first += len(level)
        reached = self._chosen(graph.apply("Concat", *weights, axis=0), [step for step, _ in parts.ends])
        ends = [node for _, node in parts.ends]
        sums = sums_of(self.program)
        totals = self._votes(reached, ends) if self.program.votes else self._nested_sums(reached, ends, sums)
        if not self.schema.is_classification:
            graph.apply("Squeeze", self._divided(totals), graph.constant([0], "int64"), named=self.prediction)
            return
        costs = self.program.costs
        if costs is None:
            self._name(graph.apply("ArgMax", totals, axis=0, keepdims=0))
        else:
            self._name(graph.apply("ArgMin", self._sums(totals, costs), axis=0, keepdims=0))
        if self.options.proba:
            graph.apply("Transpose", self._divided(totals), perm=[1, 0], named=self.probabilities)

    def _divided(self, totals: str) -> str:
        """Return the totals divided by the program's divisor."""
        divisor = self.program.divisor
        return totals if divisor == 1 else self.graph.apply("Div", totals, self.graph.constant(divisor, "double"))

    def _chosen(self, matrix: str, lines: Sequence[int]) -> str:
        """Gather lines of a matrix; each line is contiguous in memory and so fast to copy."""
        return self.graph.apply("Gather", matrix, self.graph.constant(lines, "int64"), axis=0)

    def _factors(self, parts: Parts) -> str:
        """Return the fraction of a node's weight that each branch passes on, as steps × rows."""
        graph, cells = self.graph, self.inputs.cells()
        tables = self._tables(parts.questions, is_upright=True)
        asked = graph.apply("Gather", cells, tables["column"], axis=0)
        found = self._answered(graph, asked, tables, graph.constant(parts.questions.answers, "double"))
        found = self._joined(found, parts.members, "ReduceMin", 1.0)
        found = self._joined(found, parts.tests, "ReduceMax", 0.0)
        steps = [step for level in parts.levels for step in level]
        spread = graph.cast(self._chosen(found, [step.spread for step in steps]), "bool")
        share = graph.constant([[step.share] for step in steps], "double")
        return graph.apply("Where", spread, share, self._chosen(found, [step.test for step in steps]))

    def _joined(self, found: str, groups: list[Group], operator: str, neutral: float) -> str:
        """Return the minimum or maximum of each group of lines."""
        padded = self.graph.apply("Concat", self._line(neutral, found), found, axis=0)
        longest = max(1, *map(len, groups))
        places = [[*(place + 1 for place in group), *[0] * (longest - len(group))] for group in groups]
        if longest == 1:
            return self._chosen(padded, [place for (place,) in places])
        gathered = self.graph.apply("Gather", padded, self.graph.constant(places, "int64"), axis=0)
        return self.graph.apply(operator, gathered, axes=[1], keepdims=0)

    def _line(self, number: float, like: str) -> str:
        """Return a constant line of the same length as a matrix's lines."""
        graph = self.graph
        n_rows = graph.apply("Shape", like, start=1, end=2)
        shape = graph.apply("Concat", graph.constant([1], "int64"), n_rows, axis=0)
        return graph.apply("Expand", graph.constant([[number]], "double"), shape)

    def _products(self, weights: str, factors: dict[int, float | str]) -> str:
        """Return lines of weights times their factors: numbers, or values for each row."""
        graph, numbers = self.graph, [factor for factor in factors.values() if not isinstance(factor, str)]
        if len(numbers) == len(factors):
            upright = graph.constant([[factor] for factor in numbers], "double")
            return graph.apply("Mul", self._chosen(weights, list(factors)), upright)
        lines = [
            graph.apply("Mul", self._chosen(weights, [place]), own if isinstance(own, str) else self.inputs.number(own))
            for place, own in factors.items()
        ]
        return graph.apply("Concat", *lines, axis=0)

    def _said(self, node: int, outcome: int) -> float | str:
        """Return the prediction of a node for one outcome: a number, or the name of the values for each row."""
        own = self.program.expressions.get(node)
        return self.program.prediction[node][outcome] if own is None else self.inputs.computed(own)

    def _votes(self, weights: str, ends: Sequence[int]) -> str:
        """Return the sums of the trees' votes, one tree after the other; outcomes × rows."""
        graph, total, first = self.graph, "", 0
        for step in self.program.steps[0]:
            sums = sums_of(self.program, step.child)
            places = range(first, first + sum(not member.is_sum for own in sums for member in own))
            first = places.stop
            of_tree = [ends[place] for place in places]
            own = self._nested_sums(self._chosen(weights, places), of_tree, sums)
            vote = self.program.votes.get(step.child)
            own = own if vote is None else self._voted(own, vote)
            total = graph.apply("Add", total, own) if total else own
        return total

    def _voted(self, totals: str, vote: Vote) -> str:
        """Return the vote of a tree: for the first class that exceeds all before it by more than the tie."""
        graph, codes = self.graph, range(len(self.labels))
        best, voted, tie = self._line(0.0, totals), self._line(0.0, totals), graph.constant([[vote.tie]], "double")
        for code in codes:
            own = self._chosen(totals, [code])
            exceeds = graph.apply("Greater", graph.apply("Sub", own, best), tie)
            best = graph.apply("Where", exceeds, own, best)
            voted = graph.apply("Where", exceeds, graph.constant([[float(code)]], "double"), voted)
        upright = graph.constant([[float(code)] for code in codes], "double")
        amount = best if vote.by_share else graph.constant([[vote.weight]], "double")
        return graph.apply("Where", graph.apply("Equal", voted, upright), amount, graph.constant([[0.0]], "double"))

    def _nested_sums(self, weights: str, ends: Sequence[int], sums: list[list[Member]]) -> str:
        """Return weights times the predictions of nodes, summed branch by branch as the model does; outcomes × rows."""
        graph = self.graph
        found = []
        for outcome in range(len(self.program.prediction[0])):
            said = {place: self._said(node, outcome) for place, node in enumerate(ends)}
            factors = {place: own for place, own in said.items() if own != 0}
            nothing = self._line(0.0, weights)
            if not factors:
                found.append(nothing)
                continue
            products = self._products(weights, factors)
            terms = graph.apply("Concat", nothing, products, axis=0)
            line_of = {Member(place): line for line, place in enumerate(factors, start=1)}
            n_lines, total = 1 + len(factors), ""
            for level in by_level(sums, factors):
                longest = max(len(members) for _, members in level)
                places = [[*map(line_of.__getitem__, m), *[0] * (longest - len(m))] for _, m in level]
                gathered = graph.apply("Gather", terms, graph.constant(places, "int64"), axis=0)
                # Not ReduceSum or MatMul: their order of summation is unspecified.
                running = graph.apply("CumSum", gathered, graph.constant(1, "int64"))
                total = graph.apply("Gather", running, graph.constant(longest - 1, "int64"), axis=1)
                terms = graph.apply("Concat", terms, total, axis=0)
                line_of |= {Member(number, is_sum=True): n_lines + line for line, (number, _) in enumerate(level)}
                n_lines += len(level)
            found.append(total)
        return graph.apply("Concat", *found, axis=0)

    def _sums(self, weights: str, said: Sequence[Sequence[float]]) -> str:
        """Return weights times values, summed sequentially with the model's rounding, as outcomes × rows."""
        graph = self.graph
        sums = []
        for outcome in range(len(said[0])):
            factors = {place: row[outcome] for place, row in enumerate(said) if row[outcome] != 0}
            if not factors:
                sums.append(self._line(0.0, weights))
                continue
            upright = graph.constant([[factor] for factor in factors.values()], "double")
            products = graph.apply("Mul", self._chosen(weights, list(factors)), upright)
            # Not ReduceSum or MatMul: their order of summation is unspecified.
            running = graph.apply("CumSum", products, graph.constant(0, "int64"))
            sums.append(self._chosen(running, [len(factors) - 1]))
        return graph.apply("Concat", *sums, axis=0)
