"""The settings of --like; tests/exact compares whole trees with the programs' own."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import playtennis
from treecli import plugins
from treecli.models._settings import settings_of
from treecli.presets import pruning_like, settings_like
from treecli.pruners import pruner
from treecli.settings import Settings, recorded


@pytest.mark.parametrize("name", plugins.names("presets"))
def test_a_preset_is_a_table_of_settings_that_there_are(name: str) -> None:
    assert isinstance(settings_like(name), Settings)
    method, options = pruning_like(name)
    if method != "none":
        assert set(options) <= {field.name for field in fields(pruner(method).Options)}


def test_an_option_overrides_like(treecli, tmp_path, request) -> None:  # type: ignore[no-untyped-def]
    data = str(request.config.rootpath / "sample_data" / "iris.arff")
    code, _, err = treecli("train", data, "--like", "j48", "--min-leaf", "10", "--prune", "none", "-o", "model.json")
    assert code == 0, err
    model = json.loads((tmp_path / "model.json").read_text())
    assert model["settings"]["min_leaf"] == 10
    assert model["settings"]["threshold"] == "datavalue"
    assert [step["command"] for step in model["lineage"]] == ["train"]
    assert model["lineage"][0]["like"] == "j48"


def test_j48_prunes_by_default(treecli, tmp_path, request) -> None:  # type: ignore[no-untyped-def]
    data = str(request.config.rootpath / "sample_data" / "iris.arff")
    treecli("train", data, "--like", "j48", "-o", "model.json")
    (_, pruning) = json.loads((tmp_path / "model.json").read_text())["lineage"]
    assert pruning["options"] == {"confidence": 0.25, "raises": True, "c45_estimate": False}


def test_an_identifier_is_used_with_a_warning_as_those_programs_do(treecli, request) -> None:  # type: ignore[no-untyped-def]
    data = str(request.config.rootpath / "sample_data" / "playtennis.csv")
    _, out, err = treecli("train", data, "--like", "id3", "-o", "model.json")
    assert "Day = D1" in out
    assert "Warning: 'Day' is used although every value is different" in err


@pytest.mark.parametrize("name", plugins.names("presets"))
def test_a_model_file_may_hold_the_settings_of_every_preset(name: str) -> None:
    settings = settings_like(name).changed(criterion=None)
    assert settings_of(recorded(settings), playtennis().schema, "m.json") == settings


# Description lengths in bits by hand, for two classes and one attribute. 40 cases, classes 20 and 20, as a leaf:
# 1 + 40 + log2(20)/2 + log2(pi) = 44.8. Split into {a, b} and {c, d}: 1 + log2(2^4 - 2) and twice
# 1 + log2(10)/2 + log2(pi): 13.4. Four cases, classes 2 and 2, as a leaf: 1 + 4 + 1/2 + log2(pi) = 7.15. Split into two
# labels: 1 + log2(2^2 - 2) and twice 1 + log2(pi): 7.30, so the split is pruned.
@pytest.mark.parametrize("name", ["sliq", "sprint"])
@pytest.mark.parametrize(
    ("rows", "n_leaves"),
    [(["a,x", "b,x", "c,y", "d,y"] * 10, 2), (["a,x", "b,y"] * 2, 1)],
    ids=["a grouping that pays", "a split that costs more than it saves"],
)
def test_sliq_and_sprint_group_labels_and_prune_by_description_length(
    treecli: Runner, tmp_path: Path, name: str, rows: list[str], n_leaves: int
) -> None:
    (tmp_path / "t.csv").write_text("\n".join(["attribute,class", *rows]) + "\n")
    assert treecli("train", "t.csv", "--like", name, "-q", "-o", "model.json").code == 0
    model = json.loads((tmp_path / "model.json").read_text())
    assert [step["command"] for step in model["lineage"]] == ["train", "prune"]
    assert model["lineage"][1]["method"] == "mdl"
    assert json.loads(treecli("info", "model.json", "-f", "json").out)["leaves"] == n_leaves


def test_sliq_refuses_a_numeric_target(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,1.5\n2,2.5\n3,4\n")
    code, _, err = treecli("train", "t.csv", "--like", "sliq")
    assert (code, err.splitlines()[-2]) == (2, "Error: criterion 'gini' is for a nominal target, but 'y' is numeric")
