"""The settings of --like; tests/exact compares whole trees with the programs' own."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

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
