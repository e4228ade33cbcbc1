"""The commands of docs/teaching.md run, and print what the page shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.test_readme import ROOT, printed_by, shown_in

PAGE = ROOT / "docs" / "teaching.md"


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sample_data", tmp_path, dirs_exist_ok=True)
    shown = shown_in(PAGE.read_text(encoding="utf-8"))
    assert len(shown) > 8
    assert printed_by(shown, tmp_path) == [each.output for each in shown]
