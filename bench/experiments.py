"""`python -m bench.experiments`: three learners on ten small data sets, 10 × 10 folds, beside a scikit-learn script.

Both programs read the files, run 3,000 trees and print the mean accuracies; the time is that of the whole process.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from bench.measure import ROOT, Run, run
from bench.works import TREECLI

DATA = ROOT / "tests" / "exact" / "fixtures" / "data"

SETS = (
    *("weka-iris", "weka-glass", "weka-vote", "weka-diabetes", "mlbench-breastcancer", "mlbench-breastcancer-num"),
    *("monks-1", "monks-2", "monks-3", "kernlab-promotergene"),
)

LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "full": ("--criterion gain", {"criterion": "entropy"}),
    "j48": ("--like j48", {"criterion": "entropy", "min_samples_leaf": 2, "ccp_alpha": 0.01}),
    "unpruned": ("--like j48 --prune none", {"criterion": "entropy", "min_samples_leaf": 2}),
}
"""Options of treecli, and arguments of DecisionTreeClassifier that give trees of about the same size."""

FACTOR = 5.0
"""The goal: so many times as fast as scikit-learn."""

PEER = "scikit-learn"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.experiments", description=__doc__)
    parser.add_argument("--repeats", type=int, default=10, help="runs of ten folds [10]")
    parser.add_argument("--rounds", type=int, default=3, help="the best time of so many rounds counts [3]")
    parser.add_argument("--jobs", type=int, default=None, help="processes of treecli [all cores]")
    parser.add_argument("--check", action="store_true", help=f"exit code 1 below {FACTOR:g} times as fast")
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.peer:
        _scikit_learn(given.repeats)
        return 0
    jobs = [] if given.jobs is None else ["--jobs", str(given.jobs)]
    commands = {
        "treecli": [*_command(given.repeats), *jobs],
        PEER: [sys.executable, "-m", "bench.experiments", "--peer", "--repeats", str(given.repeats)],
    }
    best: dict[str, Run] = {}
    for _ in range(given.rounds):
        for name, command in commands.items():
            own = run(command)
            best[name] = min(best.get(name, own), own, key=lambda each: each.wall)
    n_trees = len(SETS) * len(LEARNERS) * 10 * given.repeats
    print(f"{n_trees} trees, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'program':14}{'seconds':>9}{'cpu':>9}{'ms a tree':>11}")
    for name, own in best.items():
        print(f"{name:14}{own.wall:9.2f}{own.cpu:9.2f}{1000 * own.wall / n_trees:11.2f}")
    ratio, cpu_ratio = best[PEER].wall / best["treecli"].wall, best[PEER].cpu / best["treecli"].cpu
    print(f"treecli takes 1/{ratio:.1f} of the time, and 1/{cpu_ratio:.1f} of the CPU time")
    return 1 if given.check and ratio < FACTOR else 0


def _command(repeats: int) -> list[str]:
    files = [str(DATA / f"{name}.arff") for name in SETS]
    learners = [word for name, (options, _) in LEARNERS.items() for word in ("--learner", f"{name}: {options}")]
    return [TREECLI, "compare", *files, *learners, "--repeats", str(repeats), "--quiet"]


def _scikit_learn(repeats: int) -> None:
    """Print the mean accuracies of the same work, as a script with scikit-learn would."""
    import arff
    import pandas as pd
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.tree import DecisionTreeClassifier

    for name in SETS:
        with Path(DATA / f"{name}.arff").open(encoding="utf-8") as file:
            read = arff.load(file)
        table = pd.DataFrame(read["data"], columns=[column for column, _ in read["attributes"]])
        labels = table.iloc[:, -1]
        inputs = pd.get_dummies(table.iloc[:, :-1]).to_numpy(float)
        means = []
        for _, arguments in LEARNERS.values():
            folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0)
            learner = DecisionTreeClassifier(random_state=0, **arguments)
            means.append(cross_val_score(learner, inputs, labels, cv=folds).mean())
        print(name, *(f"{mean:.4f}" for mean in means))


if __name__ == "__main__":
    sys.exit(main())
