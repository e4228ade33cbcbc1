"""R's rpart: the table of complexities, sizes, predictions, and all about the splits of the first three levels.

Expected: {"runs": {RUN: {"leaves", "train_correct" or "train_rss", "cptable": {"CP", "nsplit", "rel_error"}, "top"}}},
where RUN is a key of CHANGES. "top" is a list of splits by the numbers of rpart, where the sons of k are 2k and 2k + 1:
"var", "n", "dev", "improve", "cut" with "left" "<" or ">=", or the labels in "left" and "right"; "compete" and
"surrogates".

Rows of the table whose complexities differ by rounding alone are one row here: rpart has two.
"""

from __future__ import annotations

import json
from math import isclose, log
from pathlib import Path
from typing import Any

from tests.exact.command import answer
from treecli.criteria import criterion_for
from treecli.grow.grow import grow
from treecli.intake import ReadOptions, read_training
from treecli.model import TreeModel
from treecli.models import read_model, write_model
from treecli.node import Node, competitors
from treecli.presets import settings_like
from treecli.priors import altered_scale
from treecli.splits import Split
from treecli.tree import DEVIANCE, risks

CHANGES: dict[str, dict[str, Any]] = {
    "default": {},
    "full": {"cp": 0.0, "min_split": 2.0, "min_leaf": 1.0},
    "information": {"criterion": "gain"},
    "prior": {"priors": "equal"},
    "nosurrogate": {"missing": "stay"},
}

COMPETITORS = 4
ROUNDING = 1e-9
IMPROVEMENTS_ROUNDING = 1e-6
NOTHING = 1e-12
"""An improvement, a cut or an error as small as this is 0."""


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one per line; empty if all is equal."""
    found = []
    dataset = read_training(str(data), ReadOptions(), keep_identifiers=True).dataset
    path = scratch / "model.json"
    for run, changes in CHANGES.items():
        if run not in expected["runs"]:
            continue
        settings = settings_like("rpart").changed(competitors=COMPETITORS, **changes)
        settings = settings.changed(criterion=criterion_for(settings, dataset.schema)[0])
        write_model(str(path), TreeModel(dataset.schema, settings, (), grow(dataset, settings)))
        answers = expected["runs"][run]
        lines = [*_compare_sizes(data, path, answers), *_compare_table(path, answers), *_compare_top(path, answers)]
        found += [f"{run}: {line}" for line in lines]
    return found


def _compare_sizes(data: Path, path: Path, expected: dict[str, Any]) -> list[str]:
    found = []
    leaves = read_model(str(path)).tree.n_leaves
    if leaves != expected["leaves"]:
        found.append(f"{leaves} leaves, expected {expected['leaves']}")
    measures = json.loads(answer("evaluate", str(path), str(data), "-f", "json", "-q"))
    if "train_correct" in expected:
        correct = measures["n"] - measures["errors"]
        if correct != expected["train_correct"]:
            found.append(f"{correct:g} correct, expected {expected['train_correct']}")
    else:
        rss = measures["n"] * measures["rmse"] ** 2
        if not _is_close(rss, expected["train_rss"], IMPROVEMENTS_ROUNDING):
            found.append(f"residual sum of squares {rss}, expected {expected['train_rss']}")
    return found


def _compare_table(path: Path, expected: dict[str, Any]) -> list[str]:
    steps = json.loads(answer("prune", str(path), "--path", "-f", "json", "-q"))["path"]
    ours = sorted((step["splits"], step["cp"], step["relative_error"]) for step in steps)
    table = expected["cptable"]
    theirs: list[tuple[int, float, float]] = []
    for row in zip(table["nsplit"], table["CP"], table["rel_error"], strict=True):
        if not theirs or not row[1] or not _is_close(row[1], theirs[-1][1]):
            theirs.append(row)
    for one, other in zip(ours, theirs, strict=False):
        if not all(map(_is_close, one, other)):
            return [f"splits, cp, relative error {one}, expected {other}"]
    if len(ours) != len(theirs):
        return [f"{len(ours)} rows in the table, expected {len(theirs)}"]
    return []


def _compare_top(path: Path, expected: dict[str, Any]) -> list[str]:
    model = read_model(str(path))
    risk = risks(model.tree, is_classification=model.schema.is_classification)
    number_of = {1: 0}
    for theirs in expected["top"]:
        number = theirs["node"]
        if model.tree.is_leaf(number_of.get(number, 0)):
            return [f"node {number} is a leaf, expected a split on '{theirs['var']}'"]
        node = model.node(number_of[number])
        left = _left_branch(node, theirs)
        if left is None:
            return [
                f"node {number}: {node.condition(0)}, expected '{theirs['var']}' {theirs.get('cut', theirs['left'])}"
            ]
        lines = _compare_node(model, node, theirs, risk[node.index], left)
        if lines:
            return [f"node {number}: {line}" for line in lines]
        sons = node.tree.children(node.index)
        number_of |= {2 * number: sons[left], 2 * number + 1: sons[1 - left]}
    return []


def _left_branch(node: Node, theirs: dict[str, Any]) -> int | None:
    """The branch that rpart calls the left son; None where the splits differ."""
    split = node.split
    if node.schema.attributes[split.attribute].name != theirs["var"]:
        return None
    if theirs.get("cut") is not None:
        return int(theirs["left"] != "<") if _is_close(split.number, theirs["cut"]) else None
    labels = node.schema.attributes[split.attribute].labels
    groups = [{labels[code] for code, taken in enumerate(split.table) if taken == branch} for branch in range(2)]
    sides = [set(theirs["left"]), set(theirs["right"])]
    return groups.index(sides[0]) if sides in (groups, groups[::-1]) else None


def _compare_node(model: TreeModel, node: Node, theirs: dict[str, Any], risk: float, left: int) -> list[str]:
    found = []
    for name, ours in (("n", node.weight), ("dev", risk)):
        if not _is_close(ours, theirs[name]):
            found.append(f"{name} {ours}, expected {theirs[name]}")
    unit = _improvement_of_score(model, node)
    improvements = [("", unit * node.tree.score[node.index])]
    improvements += [(_name(node, split), unit * score) for split, score in competitors(node)]
    expected = [("", theirs["improve"]), *((other["var"], other["improve"]) for other in theirs.get("compete", []))]
    if len(improvements) != len(expected) or not all(
        one[0] == other[0] and _is_close(one[1], other[1], IMPROVEMENTS_ROUNDING)
        for one, other in zip(improvements, expected, strict=True)
    ):
        found.append(f"improvements {improvements}, expected {expected}")
    return found + (_compare_surrogates(node, theirs, left) if model.settings.missing.policy == "surrogate" else [])


def _compare_surrogates(node: Node, theirs: dict[str, Any], left: int) -> list[str]:
    ours = node.tree.surrogates.get(node.index, ())
    expected = theirs.get("surrogates") or []
    if len(ours) != len(expected):
        return [f"{len(ours)} surrogates, expected {len(expected)}"]
    for one, other in zip(ours, expected, strict=True):
        named = _name(node, one.split), one.agreement, one.adjusted
        if named[0] != other["var"] or not (_is_close(named[1], other["agree"]) and _is_close(named[2], other["adj"])):
            return [f"surrogate {named}, expected {other}"]
        if other.get("cut") is not None:
            # rpart's dir is -1 where values below the cut go left.
            low = left if other["dir"] == -1 else 1 - left
            if one.branches[0] != low or not _is_close(one.split.number, other["cut"]):
                return [f"surrogate {one}, expected {other}"]
    return []


def _improvement_of_score(model: TreeModel, node: Node) -> float:
    """The factor that converts a score to rpart's improvement."""
    if not model.schema.is_classification:
        return node.weight / node.outcomes[DEVIANCE]
    settings, labels = model.settings, model.schema.target.labels
    scale = altered_scale(settings.predicting.priors, settings.predicting.costs, labels, model.node().outcomes)
    weight = sum(count * factor for count, factor in zip(node.outcomes, scale, strict=True))
    return weight * log(2) if settings.splitting.criterion == "gain" else weight


def _name(node: Node, split: Split) -> str:
    return node.schema.attributes[split.attribute].name


def _is_close(one: float, other: float, rounding: float = ROUNDING) -> bool:
    return isclose(one, other, rel_tol=rounding, abs_tol=NOTHING)
