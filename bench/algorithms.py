"""`make algorithms`: what each method buys on the sample sets, by 10-fold cross-validation.

Prints the two tables of docs/algorithms.md, in Markdown: accuracy in percent for classes, root mean squared error for
numbers, each with the mean number of leaves, and the seconds that all trees of a row took on one core. A dash stands
for what a method refuses: sums of attributes where none is numeric. Only times differ from one run to the next.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

SAMPLES = Path(__file__).parents[1] / "sample_data"

CLASS_SETS = {
    "playtennis": "playtennis.csv",
    "iris": "iris.csv",
    "monks-1": "monks-1.arff",
    "monks-2": "monks-2.arff",
    "monks-3": "monks-3.arff",
    "vote": "vote.arff",
}
CLASS_METHODS = (
    "",
    "--criterion gain",
    "--criterion gini --nominal binary",
    "--prune pessimistic",
    "--like j48",
    "--like cart",
    "--like chaid",
    "--winnow",
    "--discretize mdlp",
    "--search lookahead",
    "--search skewing",
    "--search skewing-sequential",
    "--search optimal:3 --missing branch",
    "--splits mofn",
    "--splits linear",
    "--project gaussian:3",
)
"""Options of train; the first are the defaults: gain ratio, multiway splits, no pruning."""

NUMBER_SETS = {"cpu": "cpu.csv", "courses-rating": "courses-rating.csv"}
NUMBER_METHODS = (
    "",
    "--criterion sdr",
    "--criterion absolute",
    "--like cart",
    "--splits mofn",
    "--splits linear",
    "--leaf-model linear",
    "--leaf-model linear --no-smooth",
    "--leaf-model constant --smooth",
    "--like m5p",
)

REFUSED = 2
"""The exit code of options that do not suit the data."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.algorithms", description=__doc__)
    every = [*CLASS_SETS, *NUMBER_SETS]
    parser.add_argument("--sets", nargs="+", choices=every, default=every, help="only these sets")
    given = parser.parse_args(arguments)
    for sets, methods in ((CLASS_SETS, CLASS_METHODS), (NUMBER_SETS, NUMBER_METHODS)):
        chosen = {name: file for name, file in sets.items() if name in given.sets}
        if chosen:
            print("\n".join(table(chosen, methods)), end="\n\n")
    return 0


def table(sets: dict[str, str], methods: Sequence[str]) -> list[str]:
    """The lines of a Markdown table with a row for each method."""
    lines = [f"| options of `train` | {' | '.join(sets)} | seconds |", "|---|" + "---|" * (len(sets) + 1)]
    for method in methods:
        cells, seconds = [], 0.0
        for file in sets.values():
            text, taken = measured(file, method)
            cells.append(text)
            seconds += taken
        name = f"`{method}`" if method else "the defaults"
        lines.append(f"| {name} | {' | '.join(cells)} | {seconds:.2f} |")
    return lines


def measured(file: str, method: str) -> tuple[str, float]:
    """The measure and the leaves of a method on a data set, and the seconds of all folds."""
    command = [sys.executable, "-m", "treecli", "crossval", str(SAMPLES / file), *method.split()]
    done = subprocess.run(
        [*command, "--jobs", "1", "--times", "-q", "-f", "json"], capture_output=True, text=True, check=False
    )
    if done.returncode == REFUSED:
        return "–", 0.0
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    found = json.loads(done.stdout)
    figure = f"{100 * found['accuracy']:.1f}" if "accuracy" in found else f"{found['rmse']:.2f}"
    leaves = mean(fold["leaves"] for fold in found["per_fold"])
    return f"{figure} ({leaves:.0f})", sum(fold["seconds"] for fold in found["per_fold"])


if __name__ == "__main__":
    sys.exit(main())
