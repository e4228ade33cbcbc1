"""PMML for several trees: a MiningModel with a segment for each of them.

Where every row ends at one leaf of a tree, the segments are TreeModels, and PMML's own methods join them: average,
majorityVote or weightedMajorityVote. Otherwise the segments are a chain: each computes the totals of its tree, or its
vote, by formulas, and the last one adds them up in order and chooses the class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from treecli.exporters._names import free_name
from treecli.exporters._pmml_sums import Sums, apply, constant, field, reference
from treecli.exporters._xml import Document, element
from treecli.predict.program import Joining, Program, Vote

METHODS = {Joining.AVERAGE: "average", Joining.MAJORITY: "majorityVote", Joining.WEIGHTED: "weightedMajorityVote"}
"""PMML's method for each way of joining trees that it has."""

NUMBER = {"optype": "continuous", "dataType": "double"}


def method_of(program: Program) -> str | None:
    """Return PMML's method that joins the trees of a program; None if only formulas do."""
    if program.costs is not None or set(program.spreads) != {0}:
        return None
    return METHODS.get(program.joining)


@dataclass(frozen=True, slots=True)
class Chain:
    """The trees of an ensemble as segments that feed the last one.

    `members` are their programs, `taken` the names in use, and `inputs` returns the input fields of a segment.
    """

    program: Program
    members: Sequence[Program]
    taken: set[str]
    inputs: Callable[[], list[Element]]

    def outputs(self) -> list[list[str]]:
        """Return the names of the fields that each tree gives to the last segment: one per class, or the number."""
        codes = range(len(self.program.prediction[0]))
        return [
            [free_name(f"tree_{number}_{code}", self.taken) for code in codes]
            for number in range(1, len(self.members) + 1)
        ]

    def write_trees(self, document: Document, outputs: Sequence[Sequence[str]]) -> None:
        """Write the segment of each tree."""
        roots = [step.child for step in self.program.steps[0]]
        for number, (member, root, names) in enumerate(zip(self.members, roots, outputs, strict=True), start=1):
            # Where rows do not spread, the leaves of the joint program have the votes already.
            own = self.program.prediction[root : root + len(member.prediction)]
            vote = self.program.votes.get(root)
            sums = Sums(member if vote is not None else replace(member, prediction=own), {*self.taken})
            codes = range(len(names))
            said = sums.totals if vote is None else [free_name(f"vote_{code}", sums.taken) for code in codes]
            with document.within("Segment", id=str(number)):
                document.add(element("True"))
                document.start("TreeModel", {"functionName": "regression", "missingValueStrategy": "none"})
                document.add(element("MiningSchema", *self.inputs()))
                given = [
                    element("OutputField", reference(total), name=name, feature="transformedValue", **NUMBER)
                    for total, name in zip(said, names, strict=True)
                ]
                document.add(element("Output", *given))
                with document.within("LocalTransformations"):
                    sums.write_totals(document)
                    for made in () if vote is None else _voted(sums, said, vote):
                        document.add(made)
                document.add(element("Node", element("True"), id="root", score="0"))
                document.end()

    def write_totals(self, document: Document, sums: Sums, outputs: Sequence[Sequence[str]]) -> None:
        """Write the fields of the last segment: the sums over the trees, and the distances from the best class."""
        for total, names in zip(sums.totals, zip(*outputs, strict=True), strict=True):
            added = [reference(name) for name in names]
            document.add(field(total, added[0] if len(added) == 1 else apply("sum", *added)))
        sums.write_choice(document)


def _voted(sums: Sums, votes: Sequence[str], vote: Vote) -> Iterator[Element]:
    """Yield the fields of a tree's vote: for the first class that exceeds all before it by more than the tie."""
    best, voted = constant(0.0), constant(0.0)
    for code, total in enumerate(sums.totals):
        names = free_name(f"best_{code}", sums.taken), free_name(f"voted_{code}", sums.taken)
        exceeds = apply("greaterThan", apply("-", reference(total), best), constant(vote.tie))
        yield field(names[0], apply("if", exceeds, reference(total), best))
        yield field(names[1], apply("if", exceeds, constant(float(code)), voted))
        best, voted = reference(names[0]), reference(names[1])
    amount = best if vote.by_share else constant(vote.weight)
    for code, name in enumerate(votes):
        yield field(name, apply("if", apply("equal", voted, constant(float(code))), amount, constant(0.0)))
