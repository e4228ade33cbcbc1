"""PMML 4.4: a TreeModel, a RuleSetModel, a MiningModel of several trees, or formulas where rows spread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import inf
from xml.etree.ElementTree import Element

from treecli import __version__
from treecli.errors import UsageError
from treecli.exporters import CURE, Options
from treecli.exporters._layout import Layout, Line, Word
from treecli.exporters._names import free_name, heading
from treecli.exporters._pmml_segments import Chain, method_of
from treecli.exporters._pmml_sums import Formulas, Sums
from treecli.exporters._xml import Document, check_texts, element
from treecli.model import Model
from treecli.models import program_of, trees_of
from treecli.predict.program import Joining, Program, Test
from treecli.tree import WEIGHT
from treecli.values import Condition, Interval, Labels

TITLE = "PMML"
OPTIONS = frozenset({"name", "proba"})

NAMESPACE = "http://www.dmg.org/PMML-4_4"

MOST_LEVELS = 100
"""Deeper trees are written flat: XML parsers limit nesting to 256 elements."""

MOST_SUM_LEVELS = 200
"""Depth of formulas that depend on each other: evaluators resolve them recursively."""

_PLAIN = frozenset("-_.,:;/+*=()%#@!~|$ ")
"""Characters allowed in arrays besides letters and digits; quotes, backslashes and some white space are lost there."""


def export(model: Model, options: Options) -> str:
    """Return the model as an XML document."""
    return _Writer(model, options).text()


def prediction_fields(program: Program) -> tuple[str, list[str]]:
    """Return the names of the output fields: the prediction, and the probability of each class."""
    taken = {column.name for column in (*program.schema.columns, program.schema.target)}
    prediction = free_name("prediction", taken)
    return prediction, [free_name(f"probability({label})", taken) for label in program.schema.target.labels]


class _Writer:
    def __init__(self, model: Model, options: Options) -> None:
        self.program: Program = program_of(model, refuses_missing=options.refuses_missing)
        self.schema = self.program.schema
        self.target = self.schema.target
        self.attributes = [self.schema.columns[index] for index in self.program.attributes]
        self.options = options
        self.document = Document()
        self._check()
        prediction, probabilities = prediction_fields(self.program)
        taken = {attribute.name for attribute in (*self.attributes, self.target)}
        taken |= {self.schema.columns[index].name for index in self.program.derived}
        self.method = method_of(self.program) if self.program.is_joint else None
        needs_sums = self.method is None and bool(self.program.spreads or self.program.expressions)
        self.taken = {*taken, prediction, *probabilities}
        self.sums = Sums(self.program, self.taken) if needs_sums else None
        self.members = [program_of(member) for member in trees_of(model)] if self.program.is_joint else []

    def _check(self) -> None:
        check_texts([self.options.name or ""], TITLE)
        for column in (*self.attributes, self.target):
            check_texts((column.name, *column.labels), TITLE)
            if not column.name:
                raise UsageError(f"{TITLE} has no columns without a name", "rename the column that has none")
        n_levels = self.program.heights()[0]
        if self.program.expressions and n_levels > MOST_SUM_LEVELS:
            raise UsageError(
                "the model has models in its leaves, and is too deep for formulas: "
                f"{n_levels} levels, {MOST_SUM_LEVELS} at most",
                "prune it",
            )
        if self.program.spreads and n_levels > MOST_SUM_LEVELS:
            raise UsageError(
                "the model sends rows with missing values down all branches in parts, and is too deep for formulas: "
                f"{n_levels} levels, {MOST_SUM_LEVELS} at most",
                f"{self.program.how_to_shrink}, or {CURE}",
            )

    def text(self) -> str:
        document = self.document
        with document.within("PMML", xmlns=NAMESPACE, version="4.4"):
            application = element("Application", name="treecli", version=__version__)
            document.add(element("Header", application, description=" ".join(heading(self.program, []))))
            self._dictionary()
            if self.program.derived:
                with document.within("TransformationDictionary"):
                    for field in Formulas(self.program).derived():
                        document.add(field)
            if self.program.is_ordered and self.schema.is_classification and not self.options.proba:
                self._rules()
            elif self.method is not None:
                self._segments(self.method)
            elif self.program.is_joint and self.sums is not None:
                self._chain(self.sums)
            elif self.sums is None:
                self._tree()
            elif self.schema.is_classification:
                self._classes_of(self.sums)
            else:
                self._number_of(self.sums)
        return document.text()

    def _dictionary(self) -> None:
        with self.document.within("DataDictionary"):
            for attribute in (*self.attributes, self.target):
                if attribute.is_numeric:
                    self.document.add(element("DataField", name=attribute.name, optype="continuous", dataType="double"))
                    continue
                # A field that lists its labels allows no others. If unseen labels differ from missing values, the field
                # must not list them.
                is_open = self.program.has_unseen and attribute is not self.target
                labels = () if is_open else attribute.labels
                values = (element("Value", value=label) for label in labels)
                kind = "ordinal" if attribute.kind == "ordinal" and not is_open else "categorical"
                self.document.add(element("DataField", *values, name=attribute.name, optype=kind, dataType="string"))

    def _inputs(self) -> list[Element]:
        """Return the input fields of a model."""
        fields = []
        for index, attribute in zip(self.program.attributes, self.attributes, strict=True):
            # An invalid number is NaN.
            is_refused = index in self.program.refused or index in self.program.refused_missing
            treatments = {"invalidValueTreatment": "returnInvalid" if is_refused else "asMissing"}
            if index in self.program.refused_missing:
                treatments["missingValueTreatment"] = "returnInvalid"
            fields.append(element("MiningField", name=attribute.name, **treatments))
        return fields

    def _schema(self, inputs: Iterable[Element] | None = None) -> Element:
        """Return the fields of a model: its inputs, by default the attributes, and the target."""
        fields = self._inputs() if inputs is None else inputs
        return element("MiningSchema", *fields, element("MiningField", name=self.target.name, usageType="target"))

    def _head(self, inputs: Iterable[Element] | None = None) -> Iterator[Element]:
        """Yield the start of every model: its input and output fields."""
        yield self._schema(inputs)
        prediction, probabilities = prediction_fields(self.program)
        kind = {"optype": "continuous", "dataType": "double"}
        own = kind if self.target.is_numeric else {"optype": "categorical", "dataType": "string"}
        outputs = [element("OutputField", name=prediction, feature="predictedValue", **own)]
        if self.options.proba and self.sums is None:
            outputs += [
                element("OutputField", name=name, feature="probability", value=label, **kind)
                for name, label in zip(probabilities, self.target.labels, strict=True)
            ]
        elif self.options.proba and self.sums is not None:
            outputs += [
                element("OutputField", self.sums.divided(total), name=name, feature="transformedValue", **kind)
                for name, total in zip(probabilities, self.sums.totals, strict=True)
            ]
        yield element("Output", *outputs)

    def _begin(self, kind: str, attributes: dict[str, str], inputs: Iterable[Element] | None = None) -> None:
        """Open a model and write its input and output fields."""
        self.document.start(kind, {**self._named(), **attributes})
        for part in self._head(inputs):
            self.document.add(part)

    def _named(self) -> dict[str, str]:
        named = {} if self.options.name is None else {"modelName": self.options.name}
        return named | {"functionName": "classification" if self.schema.is_classification else "regression"}

    def _segments(self, method: str) -> None:
        """Write several trees whose predictions PMML's own method joins."""
        self._begin("MiningModel", {})
        with self.document.within("Segmentation", multipleModelMethod=method):
            weights = self.program.weights
            for number, (step, weight) in enumerate(zip(self.program.steps[0], weights, strict=True), start=1):
                with self.document.within("Segment", id=str(number), weight=_number(weight)):
                    self.document.add(element("True"))
                    kind = {"missingValueStrategy": "none", "splitCharacteristic": "multiSplit"}
                    self.document.start("TreeModel", {**self._named(), **kind})
                    self.document.add(self._schema())
                    self._nodes(step.child)
                    self.document.end()
        self.document.end()

    def _chain(self, sums: Sums) -> None:
        """Write several trees as formulas, and a last segment that adds up what they give."""
        chain = Chain(self.program, self.members, self.taken, self._inputs)
        outputs = chain.outputs()
        self.document.start("MiningModel", self._named())
        self.document.add(self._schema())
        with self.document.within("Segmentation", multipleModelMethod="modelChain"):
            chain.write_trees(self.document, outputs)
            given = [element("MiningField", name=name) for names in outputs for name in names]
            with self.document.within("Segment", id="sum"):
                self.document.add(element("True"))
                write = self._classes_of if self.schema.is_classification else self._number_of
                write(sums, given, lambda: chain.write_totals(self.document, sums, outputs))
        self.document.end()

    def _tree(self) -> None:
        """Write a tree in which every test handles missing values explicitly."""
        inner = [steps for steps in self.program.steps if steps]
        is_flat = self.program.is_ordered or self.program.heights()[0] > MOST_LEVELS
        is_binary = not is_flat and all(len(steps) == 2 for steps in inner)
        characteristic = "binarySplit" if is_binary else "multiSplit"
        self._begin("TreeModel", {"missingValueStrategy": "none", "splitCharacteristic": characteristic})
        if is_flat:
            self._flat_nodes()
        else:
            self._nodes()
        self.document.end()

    def _nodes(self, root: int = 0) -> None:
        pending: list[tuple[int, Element, bool] | None] = [(root, element("True"), False)]
        while pending:
            entry = pending.pop()
            if entry is None:
                self.document.end()
                continue
            node, predicate, is_stay = entry
            self._open(node, predicate, str(node) if not is_stay else f"{node}-stay")
            pending.append(None)
            steps = () if is_stay else self.program.steps[node]
            if not steps:
                self._distribution(node)
            pending += [(step.child, self._test(step.test), step.child == node) for step in reversed(steps)]

    def _flat_nodes(self) -> None:
        """Write flat nodes: rows that match none of the first nodes fall through to the next ones."""
        (part,) = Layout(self.program, most_lines=len(self.program.steps) ** 2 + 1).parts()
        self._open(0, element("True"), "root")
        for place, line in enumerate(part):
            if line.word is Word.IF:
                following = part[place + 1]
                self._open(following.node, self._test(line.test), f"{line.node}-{place}")
            elif line.word is Word.END:
                self.document.end()
            elif self._is_alone(part, place):
                self._distribution(line.node)
            else:
                self._open(line.node, element("True"), f"{line.node}-{place}")
                self._distribution(line.node)
                self.document.end()
        self.document.end()

    @staticmethod
    def _is_alone(part: Sequence[Line], place: int) -> bool:
        """Return whether a leaf is the only content of its node."""
        return len(part) == 1 or (place > 0 and part[place - 1].word is Word.IF)

    def _open(self, node: int, predicate: Element, name: str) -> None:
        count = {} if self._counts(node) is None else {"recordCount": _count(self._weight(node))}
        self.document.start("Node", {"id": name, "score": self._score(node), **count})
        self.document.add(predicate)

    def _score(self, node: int) -> str:
        if self.program.joining in (Joining.MAJORITY, Joining.WEIGHTED):
            said = self.program.prediction[node]
            return self.target.labels[max(range(len(said)), key=said.__getitem__)]
        if self.schema.is_classification:
            return self.target.labels[self.program.label[node]]
        return _number(self.program.prediction[node][0])

    def _counts(self, node: int) -> Sequence[float] | None:
        return None if self.program.outcomes is None else self.program.outcomes(node)

    def _weight(self, node: int) -> float:
        counts = self._counts(node) or ()
        return sum(counts) if self.schema.is_classification else counts[WEIGHT]

    def _distribution(self, node: int) -> None:
        """Write the class distribution; for rule lists the counts are only proportional."""
        if not self.schema.is_classification:
            return
        said = self.program.prediction[node]
        for label, count, probability in zip(self.target.labels, self._counts(node) or said, said, strict=True):
            numbers = {"recordCount": _count(count), "probability": _number(probability)}
            self.document.add(element("ScoreDistribution", value=label, **numbers))

    def _rules(self) -> None:
        self._begin("RuleSetModel", {})
        last = len(self.program.steps) - 1
        with self.document.within("RuleSet", defaultScore=self._score(last), defaultConfidence=self._confidence(last)):
            self.document.add(element("RuleSelectionMethod", criterion="firstHit"))
            for number, (covered, correct) in enumerate(self.program.tallies):
                step = self.program.steps[2 * number][0]
                counts = {"recordCount": covered, "nbCorrect": correct}
                known = {name: _count(count) for name, count in counts.items() if count is not None}
                answer = {"score": self._score(step.child), "confidence": self._confidence(step.child)}
                predicate = self._test(step.test)
                self.document.add(element("SimpleRule", predicate, id=str(number + 1), **answer, **known))
        self.document.end()

    def _confidence(self, node: int) -> str:
        return _number(self.program.prediction[node][self.program.label[node]])

    def _classes_of(
        self, sums: Sums, inputs: Iterable[Element] | None = None, write: Callable[[], None] | None = None
    ) -> None:
        """Write a tree that selects the first of the best classes; `write` writes other fields than those of `sums`."""
        kind = {"missingValueStrategy": "none", "splitCharacteristic": "multiSplit"}
        self._begin("TreeModel", kind, inputs)
        with self.document.within("LocalTransformations"):
            (write or partial(sums.write, self.document))()
        with self.document.within("Node", id="root"):
            self.document.add(element("True"))
            for label, distance in zip(self.target.labels, sums.distances, strict=True):
                predicate = element("SimplePredicate", field=distance, operator="equal", value="0.0")
                self.document.add(element("Node", predicate, id=distance, score=label))
        self.document.end()

    def _number_of(
        self, sums: Sums, inputs: Iterable[Element] | None = None, write: Callable[[], None] | None = None
    ) -> None:
        self._begin("RegressionModel", {}, inputs)
        with self.document.within("LocalTransformations"):
            (write or partial(sums.write, self.document))()
        total = element("NumericPredictor", name=sums.number, coefficient="1")
        self.document.add(element("RegressionTable", total, intercept="0"))
        self.document.end()

    def _test(self, test: Test) -> Element:
        """Return a test as a predicate; a comparison with a missing value is never true."""
        if not test:  # the last step, which always applies
            return element("True")
        members = [_joined("and", [self._values(values) for values in member]) for member in test if member]
        return _joined("or", members) if len(members) == len(test) else element("True")

    def _values(self, values: Condition) -> Element:
        described = self.schema.columns[values.attribute]
        known = self._interval(values) if isinstance(values, Interval) else self._labels(values)
        if known is not None and not values.missing:
            return known
        is_missing = element("SimplePredicate", field=described.name, operator="isMissing")
        return is_missing if known is None else _joined("or", [known, is_missing])

    def _interval(self, values: Interval) -> Element | None:
        """Return a predicate that a field is in the interval; None if the interval is empty."""
        field = self.schema.columns[values.attribute].name
        if not values.takes_known:
            return None
        bounds = [("greaterThan", values.low), ("lessOrEqual", values.high)]
        tests = [_simple(field, name, _number(bound)) for name, bound in bounds if abs(bound) < inf]
        return _joined("and", tests) if tests else element("SimplePredicate", field=field, operator="isNotMissing")

    def _labels(self, values: Labels) -> Element | None:
        """Return a predicate that a field holds one of these labels; None if there are none."""
        described = self.schema.columns[values.attribute]
        chosen = set(values.codes)
        own = [described.labels[code] for code in values.codes]
        others = [label for code, label in enumerate(described.labels) if code not in chosen]
        takes_unseen = values.unseen and self.program.has_unseen
        if not others and (takes_unseen or not self.program.has_unseen):
            return element("SimplePredicate", field=described.name, operator="isNotMissing")
        if takes_unseen:
            return _among(described.name, others, "isNotIn", "notEqual", "and")
        return _among(described.name, own, "isIn", "equal", "or") if own else None


def _among(field: str, labels: list[str], several: str, one: str, joint: str) -> Element:
    """Return a predicate that a field is, or is not, one of the labels; one by one if an array cannot hold them."""
    if len(labels) > 1 and all(c.isalnum() or c in _PLAIN for label in labels for c in label):
        quoted = " ".join(f'"{label}"' for label in labels)
        array = element("Array", text=quoted, n=str(len(labels)), type="string")
        return element("SimpleSetPredicate", array, field=field, booleanOperator=several)
    return _joined(joint, [_simple(field, one, label) for label in labels])


def _simple(field: str, operator: str, value: str) -> Element:
    return element("SimplePredicate", field=field, operator=operator, value=value)


def _joined(operator: str, tests: Iterable[Element]) -> Element:
    """Combine predicates without nesting compounds of the same kind."""
    parts: list[Element] = []
    for test in tests:
        parts += list(test) if test.get("booleanOperator") == operator else [test]
    return parts[0] if len(parts) == 1 else element("CompoundPredicate", *parts, booleanOperator=operator)


def _number(number: float) -> str:
    return repr(float(number))


def _count(weight: float) -> str:
    """Return a weight of cases as text, usually an integer."""
    return str(int(weight)) if weight == int(weight) else repr(weight)
