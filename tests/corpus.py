"""`python -m tests.corpus [--rewrite] [--jobs N] [LEARNER…]`: the bytes of many models, by their SHA-256.

A change to growing that is meant to change no tree must leave every line of corpus.json as it is, with compiled and
with uncompiled kernels (TREECLI_UNCOMPILED=1) and for any number of threads.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.exact.random_sets import random_set
from treecli.cli.app import run

SAMPLES = Path(__file__).parents[1] / "sample_data"
CORPUS = Path(__file__).parent / "corpus.json"
N_RANDOM_SETS = 30
LARGE_SETS = (1, 2, 3)
LARGE_ROWS = 20_000
"""Enough rows that nodes are split level by level, by several threads, before small ones are finished."""
REFUSED = "refused"

LEARNERS = (
    *("", "--like id3", "--like c45", "--like j48", "--like cart", "--like rpart", "--like sklearn", "--like chaid"),
    *("--like c45 --prune none", "--like j48 --nominal binary", "--like j48 --prune none --min-leaf 1"),
    *("--like rpart --nominal multiway", "--like rpart --criterion gain --cp 0", "--like sklearn --max-leaves 8"),
    *(
        "--criterion gain",
        "--criterion gini",
        "--criterion error",
        "--criterion chi2",
        "--criterion gini --nominal subset",
    ),
    *("--nominal binary", "--nominal subset --missing surrogate", "--missing branch", "--missing majority"),
    *("--missing stay", "--threshold datavalue", "--threshold mean", "--threshold median", "--discretize mdlp"),
    *("--discretize width:4", "--min-leaf 3 --min-gain 0.01", "--max-leaves 7", "--chi2-alpha 0.05", "--competitors 2"),
    *("--prune pessimistic", "--prune mdl", "--prune cost-complexity --folds 3", "--priors equal --criterion gini"),
)
"""Options of train; of a set that one of them does not suit, the corpus holds that it is refused."""

SAMPLE_OPTIONS = {"titanic.csv": "--weights Count"}

REGRESSIONS = (
    *(
        "",
        "--like cart",
        "--like rpart",
        "--like sklearn",
        "--criterion absolute",
        "--criterion absolute --like sklearn",
    ),
    *("--nominal subset", "--nominal binary --missing branch", "--threshold mean", "--max-leaves 6", "--min-leaf 4"),
)


def sources(folder: Path) -> Iterator[tuple[str, str, Iterable[str]]]:
    """(data file, options that it needs, learners to try on it)."""
    for path in sorted(SAMPLES.iterdir()):
        if path.suffix in (".csv", ".arff"):
            yield str(path), SAMPLE_OPTIONS.get(path.name, ""), LEARNERS
    yield str(SAMPLES / "iris.csv"), "-t petalwidth", REGRESSIONS
    yield str(SAMPLES / "cpu.csv"), "", REGRESSIONS
    for seed in range(N_RANDOM_SETS):
        made = random_set(seed)
        path = folder / f"random{seed}.arff"
        path.write_text(made.arff())
        yield str(path), "", LEARNERS
        numeric = [name for name, labels in made.attributes if labels is None]
        if numeric and len(made.attributes) > 2:
            yield str(path), f"-t {numeric[0]}", REGRESSIONS
    for seed in LARGE_SETS:
        path = folder / f"large{seed}.arff"
        path.write_text(random_set(seed, LARGE_ROWS).arff())
        yield str(path), "", LEARNERS[:8]


def hashes(jobs: int, wanted: Iterable[str] = (), every: int = 1) -> Iterator[tuple[str, str]]:
    """(training, SHA-256 of its model) of every training, or of every N-th."""
    with tempfile.TemporaryDirectory() as scratch:
        model = Path(scratch) / "model.json"
        number = 0
        for data, needed, learners in sources(Path(scratch)):
            for learner in learners:
                number += 1
                if number % every or (wanted and learner not in wanted):
                    continue
                options = shlex.split(f"{needed} {learner}")
                model.unlink(missing_ok=True)
                out, err = (io.TextIOWrapper(io.BytesIO()) for _ in range(2))
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                    code = run(["train", data, "-q", "-o", str(model), "--jobs", str(jobs), *options])
                key = " ".join([Path(data).name, *options])
                yield key, REFUSED if code else hashlib.sha256(model.read_bytes()).hexdigest()[:16]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("learners", nargs="*", metavar="LEARNER", help="options of train, quoted; none: all")
    parser.add_argument("--jobs", type=int, default=1, help="threads [1]")
    parser.add_argument("--every", type=int, default=1, help="only every N-th training [1]")
    parser.add_argument("--rewrite", action="store_true", help="write corpus.json; read the diff")
    options = parser.parse_args(arguments)
    found = dict(hashes(options.jobs, options.learners, options.every))
    if options.rewrite:
        CORPUS.write_text(json.dumps(found, indent=0) + "\n")
        return 0
    expected = json.loads(CORPUS.read_text())
    different = [key for key, value in found.items() if expected.get(key) != value]
    for key in different:
        print(f"different: train {key}")
    print(f"{len(found) - len(different)} passed, {len(different)} failed")
    return 1 if different or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
