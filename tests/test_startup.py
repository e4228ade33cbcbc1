"""Commands that do not work on data do not import the libraries for it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.example_models import playtennis
from treecli.models import write_model

HEAVY = {"numpy", "pandas", "pyarrow", "arff", "rich"}

REPORT = """
import sys
from treecli.cli.app import run
code = run(sys.argv[1:])
print(code, *sorted(set(sys.modules) & {heavy}), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["show", "model.json"],
        ["show", "model.json", "-f", "json"],
        ["show", "model.json", "-f", "svg"],
        ["show", "model.json", "-f", "dot"],
        ["rules", "model.json"],
        ["rules", "model.json", "-f", "csv"],
        ["show", "ahead.json"],
        ["info", "model.json"],
        ["train", "--help"],
        ["evaluate", "--help"],
    ],
    ids=" ".join,
)
def test_a_command_that_needs_no_data_imports_no_heavy_library(arguments: list[str], tmp_path: Path) -> None:
    model = playtennis()
    write_model(str(tmp_path / "model.json"), model)
    ahead = replace(model, settings=model.settings.changed(search="lookahead:2"))
    write_model(str(tmp_path / "ahead.json"), ahead)
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(heavy=HEAVY), *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == "0\n"
    assert done.stdout


DATA = {
    "data.csv": "a,b,class\n1,x,yes\n2,y,no\n,x,no\n1.5,?,yes\n",
    "data.arff": "@relation r\n@attribute a real\n@attribute class {yes, no}\n@data\n1,yes\n2,no\n",
}


@pytest.mark.parametrize("name", DATA)
def test_training_on_a_small_file_imports_nothing_that_is_made_for_large_ones(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(DATA[name])
    heavy = {"pandas", "pyarrow", "rich", "statistics", "zipfile"}
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(heavy=heavy), "train", name, "-q", "-o", "model.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stderr == "0\n"


def test_reading_quoted_cells_imports_no_other_reader(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text('a,b,class\n1,"x""y",yes\n2,y,no\n,x,no\n1.5,?,yes\n')
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(heavy={"pandas", "pyarrow"}), "train", "data.csv", "-q", "-o", "-"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stderr == "0\n"
