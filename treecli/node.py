"""A readable view of one node of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treecli.data import Schema
from treecli.outcomes.rows import total
from treecli.splits import Split, with_missing
from treecli.splits._registry import split_type
from treecli.tree import DEVIANCE, WEIGHT, Tree
from treecli.values import Condition
from treecli.wording import quoted, readable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treecli.outcomes.rows import SparseRow
    from treecli.tree import Numbers


class Node:
    """One node of a tree with a schema, for code that is not performance-critical."""

    __slots__ = ("_outcomes", "_split", "index", "schema", "tree")

    def __init__(self, tree: Tree, index: int, schema: Schema) -> None:
        self.tree = tree
        self.index = index
        self.schema = schema
        self._split: Split | None = None
        self._outcomes: Numbers | SparseRow | None = None

    @property
    def is_leaf(self) -> bool:
        return self.tree.is_leaf(self.index)

    @property
    def split(self) -> Split:
        if self._split is None:  # cached: all conditions of a node with k branches would cost k * k otherwise
            self._split = self.tree.split(self.index)
        return self._split

    @property
    def children(self) -> list[Node]:
        return [Node(self.tree, child, self.schema) for child in self.tree.children(self.index)]

    @property
    def outcomes(self) -> Numbers | SparseRow:
        if self._outcomes is None:
            self._outcomes = self.tree.outcomes_of(self.index)
        return self._outcomes

    @property
    def weight(self) -> float:
        """The weight of the training cases that reached the node."""
        outcomes = self.outcomes
        return total(outcomes) if self.schema.is_classification else outcomes[WEIGHT]

    @property
    def errors(self) -> float:
        """The misclassified weight if the node is a leaf; for a numeric target the squared or absolute error."""
        outcomes = self.outcomes
        if self.schema.is_classification:
            code = self.tree.forced.get(self.index)
            return total(outcomes) - outcomes[self.tree.label(outcomes) if code is None else code]
        return outcomes[DEVIANCE]

    @property
    def model_wording(self) -> str | None:
        """The node's own model as text; None if it predicts a label, the mean or the median of its cases."""
        own = self.tree.leaf_models.get(self.index)
        return None if own is None else own.wording(self.schema.attributes)

    def condition(self, branch: int) -> Condition:
        """The condition for taking a branch, including missing values if they take this branch only.

        With surrogates, a missing value may take either branch, so the condition requires a known value.
        """
        split = self.split
        if branch != self.tree.missing_to[self.index] or self.index in self.tree.surrogates:
            return split.condition(branch, self.schema)
        takes_known = branch < split.n_branches()
        known = split.condition(branch, self.schema) if takes_known else split.condition(0, self.schema).nothing()
        return with_missing(known, split)


def competitors(node: Node) -> list[tuple[Split, float]]:
    """The stored runner-up splits of a node, with their scores."""
    return [(split, record["score"]) for split, record in _noted(node, "competitors")]


def tie_lines(node: Node) -> Iterator[str]:
    """Yield which splits tie with that of a node, and which nearly do, with their scores."""
    noted = _noted(node, "ties")
    own, score = node.split, node.tree.score[node.index]
    tied = sorted([own.attribute, *(split.attribute for split, record in noted if record["is_tie"])])
    if len(tied) > 1:
        names = ", ".join(quoted(node.schema.columns[attribute].name) for attribute in tied)
        rule = "the first column wins" if tied[0] == own.attribute else "the larger chi-square wins"
        yield f"{names} tie at {readable(score)}; {rule}"
    near = [(split, record["score"]) for split, record in noted if not record["is_tie"]]
    if near:
        pairs = [(own, score), *near]
        texts = [f"{quoted(node.schema.columns[split.attribute].name)} {readable(other)}" for split, other in pairs]
        shares = ", ".join(f"{100 * (score - other) / abs(score):.1f} %" for _, other in near) if score else ""
        yield f"{', '.join(texts)}: near{f' ({shares})' if shares else ''}"


def _noted(node: Node, name: str) -> list[tuple[Split, dict[str, Any]]]:
    """The splits in a note of a node, with their records."""
    index_of = {attribute.name: index for index, attribute in enumerate(node.schema.columns)}
    return [
        (split_type(record["kind"]).from_json(index_of[record["attribute"]], record, node.schema), record)
        for record in node.tree.notes.get(node.index, {}).get(name, [])
    ]
