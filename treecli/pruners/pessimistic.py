"""Pessimistic pruning: C4.5's error-based pruning (Quinlan 1993), with subtree raising if training data is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.evaluate.pessimistic import normal_quantile
from treecli.pruners import _errorbased, option
from treecli.pruners._errorbased import ROUNDING as ROUNDING
from treecli.pruners._errorbased import SLACK as SLACK
from treecli.records import dataclass
from treecli.tree import Tree
from treecli.wording import number_text

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.kernels.estimate import Estimate
    from treecli.model import TreeModel
    from treecli.predict.grove import Rows

DATA = "optional"


@dataclass(frozen=True, slots=True)
class Options:
    """The confidence and the variant of the error estimate."""

    confidence: float = option(
        0.25,
        "The confidence level of the error estimate, above 0 and at most 1: a lower level prunes more; "
        "above 0.5 the estimate is the training error.",
    )
    raises: bool = option(
        True,
        "Replace a node by its largest branch if that has the least estimated error; needs the training data.",
        name="raise",
    )
    c45_estimate: bool = option(
        False, "Use the estimate of C4.5 release 8, with its table of normal quantiles, instead of J48's."
    )

    def __post_init__(self) -> None:
        if not 0 < self.confidence <= 1:
            raise UsageError(f"--confidence {number_text(self.confidence)}: expected a number above 0 and at most 1")


def prune(model: TreeModel, options: Options, dataset: Dataset | None) -> Tree:
    """The tree in which, bottom-up, a node is a leaf unless its subtree has clearly fewer estimated errors.

    With the training data, a node may also be replaced by its largest branch.
    """
    if not model.schema.is_classification:
        raise UsageError(
            f"pessimistic pruning counts wrong labels, but the target '{model.schema.target.name}' is numeric",
            "use cost-complexity or reduced-error pruning for numeric targets",
        )
    if dataset is not None and options.raises:
        from treecli.pruners._raising import raised

        return raised(model, dataset, _estimate(options))
    return model.tree.collapsed(_errorbased.becomes_leaf(model.tree, _estimate(options)).__getitem__)


def prune_grove(model: TreeModel, options: Options, dataset: Dataset, rows: Sequence[Rows]) -> Tree:
    """The grove in which the tree of each sample is pruned."""
    if not options.raises:
        becomes_leaf = _errorbased.becomes_leaf(model.tree, _estimate(options))
        becomes_leaf[0] = False
        return model.tree.collapsed(becomes_leaf.__getitem__)
    from treecli.pruners._raising import raised_in_grove

    return raised_in_grove(model, dataset, rows, _estimate(options))


def expected_errors(tree: Tree, options: Options) -> list[float]:
    """The estimated errors of each node as a leaf."""
    return _errorbased.expected_errors(tree, _estimate(options))


def _estimate(options: Options) -> Estimate:
    from treecli.kernels.estimate import Estimate

    z = normal_quantile(options.confidence, is_c45=options.c45_estimate)
    return Estimate(options.confidence, z, options.c45_estimate)
