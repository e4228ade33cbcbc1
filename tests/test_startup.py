"""Commands import only what they need; modules are counted, not seconds, so that any machine finds the same."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.example_models import playtennis
from treecli.models import write_model

HEAVY = {"numpy", "pandas", "pyarrow", "arff", "rich"}

SLOW = {"ctypes", "hashlib", "pathlib", "statistics", "urllib.parse", "zipfile"}
"""Modules of Python that take milliseconds, and that commands on a small model do without."""

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
        [sys.executable, "-c", REPORT.format(heavy=HEAVY | SLOW), *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
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


COUNT = """
import sys
from treecli.cli.app import run
code = run(sys.argv[1:])
own = [module for name, module in sys.modules.items() if name.split(".")[0] == "treecli"]
compiled = [
    f"{value.__module__}.{value.__name__}"
    for module in own
    for value in vars(module).values()
    if isinstance(value, type) and value.__module__ == module.__name__
    and type(vars(value).get("__dataclass_params__")).__module__ == "dataclasses"
]
print(code, len(own), *compiled, file=sys.stderr)
"""


# The modules of treecli that were imported when this was written, and a few more. Beyond that, find out which import
# is new (python -X importtime -m treecli …) and whether the command needs it.
@pytest.mark.parametrize(
    ("arguments", "n_most"),
    [
        (["--help"], 12),
        (["show", "model.json"], 85),
        (["rules", "model.json"], 87),
        (["info", "model.json"], 80),
        (["train", "data.csv", "-q", "-o", "out.json"], 195),
        (["train", "--help"], 90),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_small_command_imports_few_modules_and_compiles_no_dataclass(
    arguments: list[str], n_most: int, tmp_path: Path
) -> None:
    write_model(str(tmp_path / "model.json"), playtennis())
    (tmp_path / "data.csv").write_text(DATA["data.csv"])
    done = subprocess.run([sys.executable, "-c", COUNT, *arguments], cwd=tmp_path, capture_output=True, text=True)
    code, n_own, *compiled = done.stderr.split()
    assert code == "0"
    assert int(n_own) <= n_most
    assert compiled == [], "use treecli.records.dataclass, which compiles nothing at import"


def test_linear_algebra_uses_one_thread_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(DATA["data.csv"])
    count = "import os, sys; from treecli.__main__ import main; sys.argv[1:] = ['--version']\n" + (
        "try: main()\nexcept SystemExit: print(os.environ['OPENBLAS_NUM_THREADS'], file=sys.stderr)"
    )
    for given, expected in (({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")):
        own = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
        done = subprocess.run([sys.executable, "-c", count], env=own | given, capture_output=True, text=True)
        assert done.stderr == f"{expected}\n"


COLLECTIONS = """
import gc, sys
from treecli.__main__ import main
collected = []
gc.callbacks.append(lambda phase, facts: collected.append(phase))
try:
    main()
except SystemExit as end:
    print(end.code, len(collected), gc.get_freeze_count() > 10_000, file=sys.stderr)
"""


def test_a_small_command_does_not_search_its_modules_for_garbage(tmp_path: Path) -> None:
    write_model(str(tmp_path / "model.json"), playtennis())
    (tmp_path / "data.csv").write_text(DATA["data.csv"])
    for arguments in (["info", "model.json"], ["train", "data.csv", "-q", "-o", "out.json"]):
        command = [sys.executable, "-c", COLLECTIONS, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.stderr == "0 0 True\n"
