"""The recipes of the cookbook run, and print what the page shows."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.test_readme import ROOT, printed_by, shown_in

COOKBOOK = ROOT / "docs" / "cookbook.md"

RECIPES = re.split(r"^## ", COOKBOOK.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]

TOOLS = ("git", "jq", "make")


@cache
def printed(number: int) -> list[str]:
    """The output of a recipe's commands, in a folder of its own."""
    with TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "sample_data", folder, dirs_exist_ok=True)
        return printed_by(shown_in(RECIPES[number]), Path(folder))


def test_there_are_ten_recipes_for_all_tools() -> None:
    assert [recipe.partition(".")[0] for recipe in RECIPES] == [str(number) for number in range(1, 11)]
    commands = "\n".join(shown.command for recipe in RECIPES for shown in shown_in(recipe))
    assert all(re.search(rf"\b{tool}\b", commands) for tool in (*TOOLS, "for", "xargs -P"))


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(len(RECIPES)), ids=lambda number: RECIPES[number].partition("\n")[0])
def test_a_recipe_prints_what_the_page_shows(number: int) -> None:
    shown = shown_in(RECIPES[number])
    needed = [tool for tool in TOOLS if any(re.search(rf"\b{tool}\b", each.command) for each in shown)]
    absent = [tool for tool in needed if shutil.which(tool) is None]
    if absent:
        pytest.skip(f"{' and '.join(absent)} is not installed")
    assert printed(number) == [each.output for each in shown]
