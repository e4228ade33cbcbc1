"""scikit-learn's DecisionTreeClassifier and DecisionTreeRegressor: sizes, top levels, importances, pruning paths.

Expected: {"runs": {CRITERION/LIMIT: {"nodes", "leaves", "depth", "train_correct" or "train_rss" and "train_abs", "top",
"importances", "nodes_by_seed"}, CRITERION/ccp_LIMIT: {"alphas", "impurities", "pruned"}}}, where CRITERION and LIMIT
are keys of CRITERIA and LIMITS.

scikit-learn breaks ties between attributes at random. Where two tie that part the rows in the same way, the attribute
is not compared. A tree in which they part them otherwise need not be the one of seed 0: then the sizes are compared
that are the same for every seed, and the top levels down to the first such node.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.exact.command import answer
from tests.growing import AtRoot
from treecli.data import Dataset
from treecli.intake import ReadOptions, read_training
from treecli.model import TreeModel
from treecli.models import read_model
from treecli.predict.predict import leaves
from treecli.pruners._path import path_of

CRITERIA = {"gini": "gini", "entropy": "gain", "squared_error": "variance", "absolute_error": "absolute"}
LIMITS: dict[str, list[str]] = {
    "full": [],
    "max_depth_3": ["--max-depth", "3"],
    "min_samples_leaf_5": ["--min-leaf", "5"],
}

ROUNDING = 1e-9
BRANCHES = {"L": 0, "R": 1}


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one per line; empty if all is equal."""
    found = []
    runs = expected["runs"]
    for run in runs:
        criterion, limit = run.split("/")
        if limit not in LIMITS:
            continue
        path = scratch / "model.json"
        options = ["--like", "sklearn", "--criterion", CRITERIA[criterion], *LIMITS[limit]]
        answer("train", str(data), *options, "-o", str(path), "-q")
        model = read_model(str(path))
        ties = ties_in(model, read_training(str(data), ReadOptions(), keep_identifiers=True).dataset)
        lines = _compare_tree(data, path, model, runs[run], ties)
        if f"{criterion}/ccp_{limit}" in runs and not ties.forks:
            lines += _compare_path(path, model, runs[f"{criterion}/ccp_{limit}"], scratch)
        found += [f"{run}: {line}" for line in lines]
    return found


def impurities(model: TreeModel) -> list[float]:
    """The impurity of each node, by the formulas of the textbook."""
    tree, found = model.tree, []
    for node in range(tree.n_nodes):
        outcomes = tree.outcomes_of(node)
        if not model.schema.is_classification:
            found.append(outcomes[2] / outcomes[0])
            continue
        shares = [weight / sum(outcomes) for weight in outcomes if weight]
        is_gini = model.settings.splitting.criterion == "gini"
        found.append(1 - sum(p * p for p in shares) if is_gini else -sum(p * log2(p) for p in shares))
    return found


def importances(model: TreeModel) -> dict[str, float]:
    """The share of each attribute in what all splits together take from the impurity."""
    tree, impurity = model.tree, impurities(model)
    total = [model.node(node).weight * impurity[node] for node in range(tree.n_nodes)]
    taken: dict[str, float] = {}
    for node in tree.inner_nodes():
        name = model.schema.attributes[tree.attribute[node]].name
        taken[name] = taken.get(name, 0.0) + total[node] - sum(total[child] for child in tree.children(node))
    whole = sum(taken.values())
    return {name: share / whole for name, share in taken.items() if share > ROUNDING * whole}


def merged(alphas: list[float], impurity: list[float]) -> list[tuple[float, float]]:
    """A pruning path in which steps of the same price are one: scikit-learn takes one node after the other."""
    path = [(alphas[0], impurity[0])]
    for alpha, left in zip(alphas[1:], impurity[1:], strict=True):
        if alpha <= path[-1][0] * (1 + ROUNDING) + ROUNDING * impurity[-1]:
            path[-1] = (path[-1][0], left)
        else:
            path.append((alpha, left))
    return path


@dataclass(frozen=True, slots=True)
class Ties:
    """The inner nodes that several attributes split equally well, and those of them where the rows part otherwise."""

    nodes: set[int]
    forks: set[int]


def ties_in(model: TreeModel, dataset: Dataset) -> Ties:
    """Where scikit-learn's tree may depend on the seed."""
    tree, ties = model.tree, Ties(set(), set())
    parent, leaf_of_row = tree.parents(), leaves(model, dataset)
    rows_of: dict[int, list[int]] = {}
    for row, leaf in enumerate(leaf_of_row.tolist()):
        node = leaf
        while node >= 0:
            rows_of.setdefault(node, []).append(row)
            node = parent[node]
    columns = dataset.in_single_precision().columns
    for node in tree.inner_nodes():
        rows = np.array(rows_of[node])
        root = AtRoot(dataset.take(rows), model.settings)
        found = [root.candidates(a) for a in range(len(columns))]
        root.engine.close()
        worth = np.array([candidates.improvement[0] for candidates in found])
        best = np.flatnonzero(worth == worth.max())
        parts = {(columns[a][rows] <= found[a].number[0]).tobytes() for a in best}
        if len(best) > 1:
            ties.nodes.add(node)
        if len(parts) > 1:
            ties.forks.add(node)
    return ties


def _compare_tree(data: Path, path: Path, model: TreeModel, expected: dict[str, Any], ties: Ties) -> list[str]:
    tree = model.tree
    measured = json.loads(answer("evaluate", str(path), str(data), "-f", "json", "-q"))
    if model.schema.is_classification:
        training = {"train_correct": measured["n"] - measured["errors"]}
    else:
        training = {"train_rss": measured["rmse"] ** 2 * measured["n"], "train_abs": measured["mae"] * measured["n"]}
    ours = {"nodes": tree.n_nodes, "leaves": tree.n_leaves, "depth": max(tree.depths()), **training}
    if ties.forks:
        is_steady = {name: len(set(expected.get(f"{name}_by_seed", (0, 1)))) == 1 for name in ours}
        ours = {name: value for name, value in ours.items() if is_steady[name]}
    found = [
        f"{name} {value}, expected {expected[name]}"
        for name, value in ours.items()
        if value != pytest.approx(expected[name], rel=ROUNDING, abs=ROUNDING)
    ]
    found += _compare_top(model, expected["top"], ties)
    shares = expected["importances"]
    if shares is not None and not ties.nodes and importances(model) != pytest.approx(shares, abs=ROUNDING):
        found.append(f"importances {importances(model)}, expected {shares}")
    return found


def _compare_top(model: TreeModel, top: list[dict[str, Any]], ties: Ties) -> list[str]:
    tree, impurity, found = model.tree, impurities(model), []
    for place in top:
        passed = [0]
        for turn in place["path"]:
            if passed[-1] in ties.forks:
                break
            if tree.is_leaf(passed[-1]):
                found.append(f"node '{place['path']}': none, for a node above is a leaf")
                break
            passed.append(tree.children(passed[-1])[BRANCHES[turn]])
        if len(passed) <= len(place["path"]):
            continue
        node = passed[-1]
        ours: dict[str, Any] = {"n": model.node(node).weight, "impurity": impurity[node]}
        if node not in ties.nodes:
            ours["feature"] = None if tree.is_leaf(node) else model.schema.attributes[tree.attribute[node]].name
            ours["threshold"] = tree.number[node]
        for name, value in ours.items():
            owed = place[name]
            if value != (pytest.approx(owed, rel=ROUNDING, abs=ROUNDING) if name == "impurity" else owed):
                found.append(f"node '{place['path']}': {name} {value}, expected {owed}")
    return found


def _compare_path(path: Path, model: TreeModel, expected: dict[str, Any], scratch: Path) -> list[str]:
    own = path_of(model, by_impurity=True)
    theirs = merged(expected["alphas"], expected["impurities"])
    ours = merged(own.alpha, own.risk)
    found = []
    if len(ours) != len(theirs):
        found.append(f"a path of {len(ours)} trees, expected {len(theirs)}")
    for step, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != pytest.approx(other, rel=ROUNDING, abs=ROUNDING * theirs[-1][1]):
            found.append(f"step {step} of the path: {one}, expected {other}")
            break
    for pruned in expected["pruned"]:
        output = scratch / "pruned.json"
        price = ["--method", "cost-complexity", "--by-impurity", "--alpha", repr(pruned["ccp_alpha"])]
        answer("prune", str(path), *price, "-o", str(output), "-q")
        tree = read_model(str(output)).tree
        sizes = {"nodes": tree.n_nodes, "leaves": tree.n_leaves, "depth": max(tree.depths())}
        found += [
            f"pruned at {pruned['ccp_alpha']}: {name} {size}, expected {pruned[name]}"
            for name, size in sizes.items()
            if size != pruned[name]
        ]
    return found
