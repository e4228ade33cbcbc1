"""Settings: five groups in Python, flat in files."""

from __future__ import annotations

import pytest

from treecli.settings import PLACES, WIRE, Settings, recorded


def test_every_setting_has_its_place_in_a_file() -> None:
    assert sorted(WIRE) == sorted(PLACES)


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
