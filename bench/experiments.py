"""`python -m bench.experiments`: three learners on ten small data sets, 10 × 10 folds, beside a scikit-learn script.

Both programs read the files, run 3,000 trees and print the mean accuracies and the tests of their differences, each in
one process unless asked otherwise; the time is that of the whole process and its children, with imports. The folds are
stratified and of the same sizes, but not the same: each program draws its own.
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
    parser.add_argument("--jobs", type=int, default=1, help="processes of treecli [1]")
    parser.add_argument("--peer-jobs", type=int, default=None, help="n_jobs of scikit-learn; -1: all cores [1]")
    parser.add_argument("--check", action="store_true", help=f"exit code 1 below {FACTOR:g} times as fast")
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.peer:
        _scikit_learn(given.repeats, given.peer_jobs)
        return 0
    peer_jobs = [] if given.peer_jobs is None else ["--peer-jobs", str(given.peer_jobs)]
    commands = {
        "treecli": [*_command(given.repeats), "--jobs", str(given.jobs)],
        PEER: [sys.executable, "-m", "bench.experiments", "--peer", "--repeats", str(given.repeats), *peer_jobs],
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


def _scikit_learn(repeats: int, jobs: int | None) -> None:
    """Print the accuracies and tests of the same work, as a script with scikit-learn would.

    Labels become codes and one-hot columns once for each set, because scikit-learn takes longer for texts.
    """
    import warnings
    from itertools import combinations

    import arff
    import numpy as np
    import pandas as pd
    from scipy import stats
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.tree import DecisionTreeClassifier

    warnings.simplefilter("ignore")
    means = []
    for name in SETS:
        with Path(DATA / f"{name}.arff").open(encoding="utf-8") as file:
            read = arff.load(file)
        table = pd.DataFrame(read["data"], columns=[column for column, _ in read["attributes"]])
        labels = pd.factorize(table.iloc[:, -1])[0]
        inputs = pd.get_dummies(table.iloc[:, :-1]).to_numpy(float)
        folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0)
        scores = [
            cross_val_score(DecisionTreeClassifier(random_state=0, **arguments), inputs, labels, cv=folds, n_jobs=jobs)
            for _, arguments in LEARNERS.values()
        ]
        means.append([own.mean() for own in scores])
        tested = []
        for own in scores[1:]:
            difference = own - scores[0]
            error = np.sqrt(difference.var(ddof=1) * (1 / len(difference) + 1 / 9))
            t = difference.mean() / error if error else 0.0
            tested.append(2 * stats.t.sf(abs(t), len(difference) - 1))
        print(name, *(f"{mean:.4f}" for mean in means[-1]), *(f"p {p:.3f}" for p in tested))
    by_learner = np.array(means).T
    print("Friedman", stats.friedmanchisquare(*by_learner).pvalue)
    for (a, x), (b, y) in combinations(zip(LEARNERS, by_learner, strict=True), 2):
        print(a, b, "Wilcoxon", stats.wilcoxon(x, y, method="approx").pvalue)


if __name__ == "__main__":
    sys.exit(main())
