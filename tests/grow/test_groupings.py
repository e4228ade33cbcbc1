"""The number of groupings of labels that are tried, and the warning if it is not all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Runner
from treecli.data import Attribute, Dataset, Schema
from treecli.grow import groupings
from treecli.grow.grow import grow
from treecli.grow.plan import plan_of
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.presets import settings_like
from treecli.settings import Settings, recorded

RPART = settings_like("rpart")


def labelled_rows(n_labels: int, n_classes: int = 3, n_rows: int = 900) -> Dataset:
    random = np.random.default_rng(1)
    schema = Schema(
        (Attribute("place", "nominal", tuple(f"v{i}" for i in range(n_labels))), Attribute("x", "numeric")),
        Attribute("y", "nominal", tuple(f"c{i}" for i in range(n_classes))),
    )
    codes, y = random.integers(0, n_labels, n_rows).astype(np.int32), random.integers(0, n_classes, n_rows)
    return Dataset(schema, [codes, random.normal(size=n_rows)], y.astype(np.int32), np.ones(n_rows))


def test_thirty_labels_and_three_classes_are_grown_with_a_warning() -> None:
    # All 2^29 groupings of the root would take about ten seconds, and those of its children as long again.
    said: list[str] = []
    tree = grow(labelled_rows(30, n_rows=2000), RPART.changed(cp=0.0), jobs=1, on_warning=said.append)
    assert tree.n_leaves > 2
    assert len(said) == 1
    assert "'place' has 30 labels" in said[0]
    assert "--exhaustive 30 insists" in said[0]


@pytest.mark.parametrize("missing", ["fractional", "majority"])
def test_settings_other_than_rpart_s_do_not_hang_either(missing: str) -> None:
    said: list[str] = []
    assert grow(labelled_rows(29), RPART.changed(missing=missing), jobs=1, on_warning=said.append).n_leaves > 0
    assert "'place' has 29 labels" in said[0]


@pytest.mark.parametrize(("n_labels", "n_classes"), [(14, 3), (40, 2), (12, 9)])
def test_no_warning_where_the_best_grouping_is_found(n_labels: int, n_classes: int) -> None:
    said: list[str] = []
    dataset = labelled_rows(n_labels, n_classes)
    tree = grow(dataset, RPART, jobs=1, on_warning=said.append)
    assert said == []
    insisting = RPART.changed(insists=True)
    assert list(tree.table) == list(grow(dataset, insisting, jobs=1).table)


def test_nodes_with_few_labels_are_searched_whole_though_one_exceeds_the_budget() -> None:
    plan = plan_of(RPART, labelled_rows(5))
    budget = groupings.Budget(3 * 2.0**15 + 3 * 2)
    n_labels = np.array([25, 15, 31, 15, 2], np.int64)
    assert budget.exhaustive(0, n_labels, 3, plan).tolist() == [False, True, False, True, True]
    assert budget.exceeded == {0}
    # What a level spends is gone for the next; few labels cost next to nothing and are always searched.
    assert budget.exhaustive(0, np.array([15, groupings.ALWAYS_TRIED], np.int64), 3, plan).tolist() == [False, True]
    assert budget.exhaustive(1, np.array([15], np.int64), 3, plan).tolist() == [True]


def test_more_labels_than_are_ever_searched_are_no_news() -> None:
    plan = plan_of(RPART, labelled_rows(5))
    budget = groupings.Budget(1e9)
    assert budget.exhaustive(0, np.array([31, 300], np.int64), 3, plan).tolist() == [False, False]
    assert budget.exceeded == set()


def test_exhaustive_insists(treecli: Runner, tmp_path: Path) -> None:
    dataset = labelled_rows(16, 6)
    rows = "\n".join(f"v{code},c{y}" for code, y in zip(dataset.columns[0], dataset.target, strict=True))  # type: ignore[arg-type]
    (tmp_path / "places.csv").write_text(f"place,y\n{rows}\n")
    # By order of the principal component from 11 labels on; all groupings of 16 gain more at the root.
    scores = []
    for options in ([], ["--exhaustive", "16"]):
        line = ["train", "places.csv", "--nominal", "subset", "--criterion", "gini", "--max-depth", "1", *options]
        assert treecli(*line).code == 0
        scores.append(decode((tmp_path / "places.json").read_bytes(), "places").tree.score[0])
    assert scores[1] > 1.1 * scores[0]


def test_model_files_name_the_setting_only_where_it_was_asked_for() -> None:
    assert "insists" not in recorded(Settings())
    settings = Settings.of(criterion="gini", nominal="subset", most_exhaustive=18, insists=True)
    dataset = labelled_rows(4)
    model = TreeModel(dataset.schema, settings, (), grow(dataset, settings, jobs=1))
    assert decode(b"".join(encode(model)), "model").settings == settings
