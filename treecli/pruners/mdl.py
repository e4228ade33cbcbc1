"""MDL pruning: the tree with the shortest description of tree and classes (Mehta, Rissanen and Agrawal 1995).

The code length in bits:

- every node: 1, for leaf or not;
- the classes of a leaf, n cases of which n_c have class c of k:
  sum n_c log2(n / n_c) + (k - 1) / 2 · log2(n / 2) + log2(pi^(k/2) / gamma(k/2)), at least 0;
- a split: log2(attributes) for the attribute, plus, by kind:
  threshold: log2(n - 1) for one of the places between the n cases of the node, log2(labels - 1) for an ordinal
  attribute; bins: log2 of the number of ways to choose the bounds among these places; binary: log2(labels);
  subset: log2(b^l - b) for b groups of the l labels that have one, which for two groups is the paper's log2(2^l - 2);
  multiway and known: nothing, because the attribute determines the split.

The paper uses the number of distinct values of an attribute at the node. A model does not store it, so this uses the
number of cases, an upper bound: a threshold is never cheaper than in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import lgamma, log, log2, pi
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.outcomes.rows import present, total
from treecli.records import dataclass
from treecli.splits import NO_BRANCH, Split
from treecli.tree import Tree

if TYPE_CHECKING:
    from treecli.data import Attribute, Dataset
    from treecli.model import TreeModel

DATA = "none"

ROUNDING = 1e-9
"""Descriptions that differ by fewer bits are equally long."""

NODE_BITS = 1.0


@dataclass(frozen=True, slots=True)
class Options:
    """No options."""


def prune(model: TreeModel, options: Options, dataset: Dataset | None) -> Tree:
    """The tree in which, bottom-up, a node is a leaf unless its subtree shortens the description."""
    schema = model.schema
    if not schema.is_classification:
        raise UsageError(
            f"MDL pruning codes classes, but the target '{schema.target.name}' is numeric",
            "use cost-complexity or reduced-error pruning for numeric targets",
        )
    tree = model.tree
    becomes_leaf = [False] * tree.n_nodes
    bits = [0.0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        counts = tree.outcomes_of(node)
        bits[node] = NODE_BITS + class_bits(counts)
        if tree.is_leaf(node):
            continue
        split = tree.split(node)
        attribute = schema.columns[split.attribute]
        as_split = NODE_BITS + log2(len(schema.columns)) + split_bits(split, attribute, total(counts))
        as_split += sum(bits[child] for child in tree.children(node))
        becomes_leaf[node] = bits[node] <= as_split + ROUNDING
        bits[node] = min(bits[node], as_split)
    return tree.collapsed(becomes_leaf.__getitem__)


def class_bits(counts: Sequence[float]) -> float:
    """The bits for the classes of cases, by Rissanen's stochastic complexity."""
    n, k = total(counts), len(counts)
    if n <= 0:
        return 0.0
    data = sum(count * log2(n / count) for _, count in present(counts))
    half = n / 2 or n  # half of the smallest positive number is 0
    parameters = (k - 1) / 2 * log2(half) + (k / 2 * log(pi) - lgamma(k / 2)) / log(2)
    return max(data + parameters, 0.0)  # the formula is for large n; one case of 20 classes would cost -11 bits


def split_bits(split: Split, attribute: Attribute, weight: float) -> float:
    """The bits for a split of a node of this weight, without those for the attribute."""
    return _BITS_OF_KIND[split.KIND](split, attribute, weight)


def _one_of(n_choices: float) -> float:
    return log2(max(n_choices, 1.0))


def _threshold_bits(split: Split, attribute: Attribute, weight: float) -> float:
    return _one_of((weight if attribute.is_numeric else len(attribute.labels)) - 1)


def _bins_bits(split: Split, attribute: Attribute, weight: float) -> float:
    n_places, n_bounds = (weight if attribute.is_numeric else len(attribute.labels)) - 1, split.n_branches() - 1
    if n_places <= n_bounds:
        return 0.0
    return (lgamma(n_places + 1) - lgamma(n_bounds + 1) - lgamma(n_places - n_bounds + 1)) / log(2)


def _binary_bits(split: Split, attribute: Attribute, weight: float) -> float:
    return _one_of(len(attribute.labels))


def _subset_bits(split: Split, attribute: Attribute, weight: float) -> float:
    n_groups = split.n_branches()
    n_labels = sum(branch != NO_BRANCH for branch in split.table)
    if n_groups < 2 or n_labels < 2:
        return 0.0
    return n_labels * log2(n_groups) + log2(1 - n_groups ** (1 - n_labels))  # b^l itself may overflow


def _no_bits(split: Split, attribute: Attribute, weight: float) -> float:
    return 0.0


_BITS_OF_KIND: dict[str, Callable[[Split, Attribute, float], float]] = {
    "threshold": _threshold_bits,
    "bins": _bins_bits,
    "binary": _binary_bits,
    "subset": _subset_bits,
    "multiway": _no_bits,
    "known": _no_bits,
}
