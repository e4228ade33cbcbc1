"""The summary of an ensemble that `show` prints."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from treecli.cli.report import Table
from treecli.evaluate.ensembleimportance import mean_importances
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.model import EnsembleModel

MOST_TREES = 20
"""The trees of a boosted ensemble that are listed; JSON has all."""


def summary(model: EnsembleModel) -> tuple[list[Table], dict[str, Any]]:
    """Return the tables and the facts: the sizes of the trees, the attributes, and how the growing ended."""
    sizes = {
        "nodes": [tree.n_nodes for tree in model.trees],
        "leaves": [tree.n_leaves for tree in model.trees],
        "depth": [tree.depth() for tree in model.trees],
    }
    names = [column.name for column in model.schema.columns]
    roots = [tree.attribute[0] for tree in model.trees]
    splits = [sum(tree.attribute.count(index) for tree in model.trees) for index in range(len(names))]
    shares = mean_importances(model)
    attributes: list[dict[str, Any]] = [
        {"attribute": name, "roots": roots.count(index), "splits": splits[index], "impurity": shares[index]}
        for index, name in enumerate(names)
    ]
    attributes.sort(key=lambda row: -row["impurity"])
    grown = next((step for step in model.lineage if step.get("command") in ("forest", "boost")), {})
    facts: dict[str, Any] = {"kind": model.KIND, "trees": model.n_trees, "votes": model.votes}
    facts |= {key: grown[key] for key in ("out_of_bag", "ended_by") if key in grown}
    facts["sizes"] = sizes
    facts["weights"] = list(model.weights)
    facts["attributes"] = attributes
    of_trees = Table(
        _title(model, grown),
        ("of the trees", "least", "median", "most", "total"),
        [(key, min(own), median(own), max(own), sum(own)) for key, own in sizes.items() if key != "depth"]
        + [("depth", min(sizes["depth"]), median(sizes["depth"]), max(sizes["depth"]), None)],
    )
    tables = [of_trees]
    if model.IS_BOOSTED:
        rows = list(zip(range(1, model.n_trees + 1), model.weights, sizes["leaves"], strict=True))
        tables.append(Table("Votes", ("tree", "weight", "leaves"), rows[:MOST_TREES]))
    columns = ("attribute", "roots", "splits", "impurity")
    tables.append(Table("Attributes", columns, [[row[key] for key in columns] for row in attributes if row["splits"]]))
    return tables, facts


def _title(model: EnsembleModel, grown: dict[str, Any]) -> str:
    what = counted(model.n_trees, "boosted tree") if model.IS_BOOSTED else counted(model.n_trees, "tree")
    what += "" if model.IS_BOOSTED else " of a random forest"
    text = f"{what}, which predict{'s' if model.n_trees == 1 else ''} '{model.schema.target.name}'"
    outside = grown.get("out_of_bag") or {}
    if outside.get("error") is not None:
        text += f"; out-of-bag error {outside['error']:.4g}"
    if "ended_by" in grown:
        text += f"; ended by: {grown['ended_by']}"
    return text
