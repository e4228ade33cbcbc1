"""The score of a split is defined by the cases in its branches, whichever way the tree was grown."""

from __future__ import annotations

from math import log2, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Runner
from tests.grow.test_mixed import NUMBER, random_data
from tests.growing import spread_of_rows
from treecli import plugins
from treecli.data import Attribute, Dataset, Schema
from treecli.grow.grow import grow
from treecli.model import TreeModel
from treecli.models import encode
from treecli.presets import settings_like
from treecli.settings import Settings
from treecli.tree import Tree

WAYS = (
    *({"criterion": criterion} for criterion in ("gain", "gainratio", "gini", "error", "chi2")),
    *({"nominal": nominal} for nominal in ("binary", "subset")),
    *({"missing": missing} for missing in ("branch", "majority", "stay", "surrogate")),
    {"threshold": "datavalue", "cut_cost": True, "branch_share": 0.1, "most_branch_share": 25.0},
    {"priors": "equal", "criterion": "gini"},
    {"arithmetic": "shares", "criterion": "gini"},
    {"arithmetic": "remainders", "criterion": "gainratio"},
    {"arithmetic": "c45", "criterion": "gini"},
    {"max_leaves": 5, "criterion": "gini"},
)


def model_bytes(data: Dataset, chosen: Settings, jobs: int = 1, **changes: Any) -> bytes:
    """The model as a file, without the notes for display and with the given settings, whatever grew it."""
    tree = grow(data, chosen.changed(**changes), jobs=jobs)
    for node in list(tree.notes):
        tree.notes[node].pop("competitors", None)
    tree.notes = {node: remarks for node, remarks in tree.notes.items() if remarks}
    return b"".join(encode(TreeModel(data.schema, chosen, (), tree)))


@given(
    chosen=st.sampled_from(
        [
            *(settings_like(name) for name in plugins.names("presets") if name != "m5p"),
            *(Settings.of(**way) for way in WAYS),
        ]
    ),
    seed=st.integers(0, 10_000),
    n_rows=st.integers(5, 120),
    columns=st.sampled_from([[NUMBER], [NUMBER] * 3, [NUMBER, 3, -4, NUMBER], [2, 15]]),
    n_classes=st.sampled_from([0, 2, 3, 12]),
    missing=st.sampled_from([0.0, 0.1]),
    weights=st.sampled_from(["ones", "ones", "whole", "fractions"]),
    n_values=st.sampled_from([None, 3]),
)
def test_options_for_display_and_threads_change_no_byte(  # type: ignore[no-untyped-def]
    chosen, seed, n_rows, columns, n_classes, missing, weights, n_values
) -> None:
    data = random_data(seed, n_rows, columns, n_classes=n_classes, missing=missing, weights=weights, n_values=n_values)
    if n_classes == 0:
        chosen = chosen.changed(criterion="variance", priors=None, chi2_alpha=None)
        if chosen.splitting.nominal == "merged" or chosen.splitting.discretize != "none" or chosen.splitting.cut_cost:
            return
    alone = model_bytes(data, chosen)
    assert model_bytes(data, chosen, competitors=1) == alone
    assert model_bytes(data, chosen, jobs=2) == alone


def gain_at_root(data: Dataset, tree: Tree, impurity: str) -> tuple[float, float]:
    """Gain and split information of the root's split: of the known cases, by the textbook's formulas."""
    attribute = tree.attribute[0]
    column, is_number = data.columns[attribute], data.schema.attributes[attribute].is_numeric
    branch = column > tree.number[0] if is_number else column
    known = column == column if is_number else column >= 0
    parts = [known & (branch == b) for b in range(tree.n_branches[0])]
    total = data.weights.sum()
    after = sum(spread_of_rows(data, part, impurity) for part in parts)
    shares = [data.weights[part].sum() / total for part in [*parts, ~known]]
    info = -sum(share * log2(share) for share in shares if share > 0)
    return (spread_of_rows(data, known, impurity) - after) / total, info


@pytest.mark.parametrize("missing", ["fractional", "majority", "stay", "surrogate"])
@pytest.mark.parametrize("criterion", ["gain", "gainratio", "gini", "error", "variance"])
@pytest.mark.parametrize("columns", [[NUMBER, NUMBER], [5, 3]])
def test_cases_with_a_missing_value_lower_the_score_by_their_share(
    missing: str, criterion: str, columns: list[int]
) -> None:
    data = random_data(3, 90, columns, n_classes=0 if criterion == "variance" else 3, missing=0.2, weights="fractions")
    tree = grow(data, Settings.of(missing=missing, criterion=criterion, max_depth=1), jobs=1)
    impurity = {"gain": "entropy", "gainratio": "entropy"}.get(criterion, criterion)
    gain, info = gain_at_root(data, tree, impurity)
    assert tree.score[0] == pytest.approx(gain / info if criterion == "gainratio" else gain, rel=1e-9)


def test_a_threshold_of_j48_costs_the_logarithm_of_the_number_of_cuts() -> None:
    data = random_data(3, 60, [NUMBER], n_classes=2)
    chosen = Settings.of(criterion="gain", cut_cost=True, min_leaf=1.0, max_depth=1)
    free = grow(data, chosen.changed(cut_cost=False), jobs=1).score[0]
    assert grow(data, chosen, jobs=1).score[0] == pytest.approx(free - log2(59) / 60, rel=1e-12)


def test_competitors_change_no_score_in_a_model_file(treecli: Runner, tmp_path: Path) -> None:
    sample = str(Path(__file__).parents[2] / "sample_data" / "iris.csv")
    scores = []
    for options in ([], ["--competitors", "1"]):
        assert treecli("train", sample, "--prune", "none", "-o", "iris.json", *options).code == 0
        lines = (tmp_path / "iris.json").read_text().splitlines()
        scores.append([line.split('"score":')[1].split(",")[0] for line in lines if '"split"' in line])
    assert scores[0] == scores[1]


def test_a_pure_branch_has_no_standard_deviation() -> None:
    # Three times 1/3 and twice 0: the standard deviation is the root of 6, divided by 15. As sums about the mean, the
    # squared deviations of the branch of 1/3 are 1e-17, and their root would be 3e-9.
    schema = Schema((Attribute("a", "nominal", ("x", "y")),), Attribute("t", "numeric"))
    label, target = np.array([0, 0, 0, 1, 1], np.int32), np.array([1 / 3, 1 / 3, 1 / 3, 0, 0])
    tree = grow(Dataset(schema, [label], target, np.ones(5)), Settings.of(criterion="sdr"))
    assert tree.score[0] == pytest.approx(sqrt(6) / 15, abs=1e-15)
