"""Settings: eight groups in Python, flat in files."""

from __future__ import annotations

import pytest

from treecli import plugins
from treecli.recipe import Recipe
from treecli.settings import FIELDS, PLACES, Settings, options, recorded, set_by
from treecli.settings.record import WIRE


def test_every_setting_has_its_place_in_a_file() -> None:
    assert sorted(WIRE) == sorted(PLACES)


@pytest.mark.parametrize("key", FIELDS)
def test_every_setting_has_an_option_or_says_that_it_has_none(key: str) -> None:
    declared = FIELDS[key][1].metadata
    assert declared.get("help"), "declare it by setting() or without_option()"
    assert (key in options()) == (declared["typed"] is not None)


@pytest.mark.parametrize("key", [key for key in FIELDS if key not in options()])
def test_a_setting_without_an_option_can_be_reached(key: str) -> None:
    if key == "insists":  # which --exhaustive sets
        assert Recipe.parse(["--exhaustive", "3"]).settings.splitting.insists
    elif key in ("leaf_rate", "prior_case"):  # tests/ensembles/test_halfstep.py reaches them
        assert set_by(key) == "--like c50 --boost"
    elif key != "most_branch_share":  # C4.5's constant, which goes with branch_share
        presets = [plugins.load("presets", name).SETTINGS for name in plugins.names("presets")]
        assert any(preset.get(key, FIELDS[key][1].default) != FIELDS[key][1].default for preset in presets)


def test_settings_are_made_and_changed_by_flat_names() -> None:
    settings = Settings.of(criterion="gini", min_leaf=2.0, missing="branch")
    changed = settings.changed(min_leaf=3.0, seed=7)
    assert (settings.stopping.min_leaf, settings.computing.seed) == (2.0, 0)
    assert (changed.splitting.criterion, changed.missing.policy) == ("gini", "branch")
    assert (changed.stopping.min_leaf, changed.value("min_leaf"), changed.computing.seed) == (3.0, 3.0, 7)
    assert Settings.of(**changed.flat()) == changed


def test_a_name_that_is_no_setting_is_refused() -> None:
    with pytest.raises(TypeError, match="no setting 'min_laef'"):
        Settings.of(min_laef=3)


def test_a_file_names_a_later_setting_only_where_it_is_not_the_default() -> None:
    assert "insists" not in recorded(Settings())
    assert list(recorded(Settings.of(insists=True)))[-2:] == ["seed", "insists"]
