"""The documentation agrees with the program."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import docs_cli, docs_man, docs_settings
from tests.test_readme import printed_by, shown_in
from treecli import plugins
from treecli.files import forms
from treecli.settings.growing import THRESHOLDS

DOCS = Path(__file__).parents[1] / "docs"

CHOICES = {
    "criterion": plugins.names("criteria"),
    "like": plugins.names("presets"),
    "missing": plugins.names("missing"),
    "nominal": plugins.names("nominal"),
    "prune": plugins.names("pruners"),
    "threshold": THRESHOLDS,
}


def test_the_page_about_output_names_every_suffix() -> None:
    text = (DOCS / "output.md").read_text(encoding="utf-8")
    for family in forms.FAMILIES:
        assert all(f"`{suffix}`" in text for suffix in forms.of_family(family))


def test_the_page_of_all_commands_is_what_help_says() -> None:
    assert docs_cli.PATH.read_text(encoding="utf-8") == docs_cli.text(), "'make docs' writes it"


def test_the_page_of_all_settings_is_what_they_declare() -> None:
    assert docs_settings.PATH.read_text(encoding="utf-8") == docs_settings.text(), "'make docs' writes it"


def test_the_manual_pages_are_what_help_says() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in docs_man.FOLDER.glob("*.1")}
    assert written == docs_man.pages(), "'make docs' writes them"


@pytest.mark.skipif(shutil.which("man") is None, reason="needs man")
@pytest.mark.parametrize("name", ["treecli.1", "treecli-train.1", "treecli-plot-boundary.1"])
def test_man_shows_a_page_without_warnings(name: str) -> None:
    environment = {**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    shown = subprocess.run(
        ["man", "--warnings", "-l", docs_man.FOLDER / name], env=environment, capture_output=True, text=True, check=True
    )
    assert shown.stderr == ""
    assert "EXIT STATUS" in shown.stdout
    assert "treecli " in shown.stdout.partition("EXAMPLES")[2]


@pytest.mark.parametrize(
    ("option", "choice"), [(option, choice) for option, choices in CHOICES.items() for choice in choices]
)
def test_the_page_of_algorithms_explains_every_choice(option: str, choice: str) -> None:
    text = (DOCS / "algorithms.md").read_text(encoding="utf-8")
    assert f"--{option}" in text
    assert f"`{choice}`" in text


def test_the_commands_of_the_page_about_experiments_print_what_it_shows(tmp_path: Path) -> None:
    commands = shown_in((DOCS / "experiments.md").read_text(encoding="utf-8"))
    shutil.copytree(DOCS.parent / "sample_data", tmp_path, dirs_exist_ok=True)
    if shutil.which("jq") is None:
        commands = [shown for shown in commands if "jq " not in shown.command]
    assert commands
    assert printed_by(commands, tmp_path) == [shown.output for shown in commands]
