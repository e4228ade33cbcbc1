"""The tree and its models in the layout of Weka's M5P, so that outputs can be compared line by line."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from treecli.errors import UsageError
from treecli.leaves.linear import Line, name_of
from treecli.model import TreeModel
from treecli.modeltrees.smoothing import own_model
from treecli.renderers import Place, View, places
from treecli.renderers._weka import indent, rounded
from treecli.splits._registry import kinds
from treecli.tree import DEVIANCE, LEAF, WEIGHT, predicted_values
from treecli.values import Interval

SUFFIX = None  # .txt is text

THRESHOLD_PLACES = 3
MODEL_PLACES = 4


def render(model: TreeModel, view: View) -> Iterator[str]:
    """One line per branch, then the model of each leaf, then their number."""
    _check(model, view)
    tree = model.tree
    is_pruned = any(step.get("command") == "prune" for step in model.lineage)
    kind = "model" if model.settings.predicting.leaf_model == "linear" else "regression"
    yield f"M5 {'pruned' if is_pruned else 'unpruned'} {kind} tree:\n"
    if model.settings.predicting.smooths:
        yield "(using smoothed linear models)\n"
    if not tree.is_leaf(view.node):
        yield "\n"
    lines: list[Line] = []
    for place in places(model, view):
        index = place.node.index
        said = ""
        if place.node.is_leaf or place.n_hidden:
            lines.append(_line(model, index))
            said = f"LM{len(lines)} ({_size(model, index)})"
        if place.condition is not None:
            yield f"{indent(place.depth - 1)}{_branch(place, model)} : {said}\n"
        else:
            yield f"{said}\n" if said else ""
    for number, line in enumerate(lines, start=1):
        yield f"\nLM num: {number}\n{model.schema.target.name} = \n{_model(line, model)}\n"
    yield f"\nNumber of Rules : {len(lines)}\n"


def _check(model: TreeModel, view: View) -> None:
    """Refuses trees and views that M5P's layout cannot express."""
    if model.schema.is_classification:
        raise UsageError(f"M5P has no trees for a nominal target like '{model.schema.target.name}'", "use -f text")
    if view.has_ids or view.has_counts:
        raise UsageError("M5P's layout has neither --ids nor --counts", "use them with -f text")
    for place in sorted(set(model.tree.kind) - {LEAF}):
        if kinds()[place] != "threshold":
            node = model.tree.kind.index(place)
            raise UsageError(f"M5P has only thresholds, but node {node} is a split '{kinds()[place]}'", "use -f text")


def _branch(place: Place, model: TreeModel) -> str:
    condition = place.condition
    assert isinstance(condition, Interval)
    column = model.schema.columns[condition.attribute]
    is_low = condition.low == float("-inf")
    notes = model.tree.notes.get(place.parent if place.parent is not None else 0, {})
    number = notes.get("printed", condition.high if is_low else condition.low)
    shown = rounded(number, THRESHOLD_PLACES) if column.is_numeric else column.labels[int(number)]
    return f"{column.name} {'<=' if is_low else '> '} {shown}"


def _size(model: TreeModel, node: int) -> str:
    """The number of cases, and the error of the node's own model as a share of the standard deviation of all cases."""
    outcomes = model.tree.outcomes_of(0)
    overall = sqrt(outcomes[DEVIANCE] / outcomes[WEIGHT]) if outcomes[WEIGHT] else 0.0
    weight = rounded(model.tree.outcomes_of(node)[WEIGHT], THRESHOLD_PLACES)
    if not overall:
        return weight
    leaf = own_model(model.tree, node)
    own = model.tree.outcomes_of(node)
    error = leaf.rmse if leaf is not None else sqrt(own[DEVIANCE] / own[WEIGHT]) if own[WEIGHT] else 0.0
    return f"{weight}/{rounded(100 * error / overall, THRESHOLD_PLACES)}%"


def _line(model: TreeModel, node: int) -> Line:
    leaf = own_model(model.tree, node)
    return Line(predicted_values(model.tree)[node]) if leaf is None else leaf.line


def _model(line: Line, model: TreeModel) -> str:
    text = ""
    for part, factor in line.terms:
        name = name_of(part, model.schema.attributes)
        shown = _signed(factor) if text else rounded(factor, MODEL_PLACES)
        text += f"\t{shown} * {name} \n"
    return f"{text}\t{_signed(line.intercept)}"


def _signed(number: float) -> str:
    """The number after its sign and a space; one that rounds to 0 keeps its sign."""
    return f"{'-' if number < 0 else '+'} {rounded(abs(number), MODEL_PLACES)}"
