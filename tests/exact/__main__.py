"""`python -m tests.exact [FOLDER] [PROGRAM…]`: compares every data set of a folder, and exits 1 on a difference."""

from __future__ import annotations

import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.exact.command import say

FIXTURES = Path(__file__).parent / "fixtures"
PROGRAMS = (
    "j48",
    "j48_predictions",
    "weka_boost",
    "id3",
    "c45",
    "rpart",
    "sklearn",
    "m5p",
    "m5p_edge",
    "m5p_predictions",
    "forest",
)


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else FIXTURES
    n_equal = n_different = 0
    for program in arguments[1:] or PROGRAMS:
        results = folder / f"{program}.json"
        if not results.exists():
            continue
        expected = json.loads(results.read_text())
        compare = import_module(f"tests.exact.{program}").compare
        equal, different = 0, 0
        for name, answers in expected["data"].items():
            with tempfile.TemporaryDirectory() as scratch:
                found = compare(_data(folder, name, answers, Path(scratch)), answers, Path(scratch))
            equal, different = equal + (not found), different + bool(found)
            for line in found:
                say(f"{program} {name}: {line}")
        say(f"{program}: {equal} of {equal + different} data sets agree with {expected['tool']}")
        n_equal, n_different = n_equal + equal, n_different + different
    say(f"{n_equal} passed, {n_different} failed")
    return 1 if n_different or not n_equal else 0


def _data(folder: Path, name: str, answers: dict[str, Any], scratch: Path) -> Path:
    """The file of a data set: in the folder, or written from the text that the answers contain."""
    if "arff" in answers:
        path = scratch / f"{name}.arff"
        path.write_text(answers["arff"])
        return path
    return next(path for path in (folder / f"{name}.arff", folder / "data" / f"{name}.arff") if path.exists())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
