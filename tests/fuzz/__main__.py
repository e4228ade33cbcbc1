"""`python -m tests.fuzz [--seconds N] [--seed N] [TARGET…]`: fuzzes for a while; exits 1 if a promise is broken."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from time import monotonic

import hypothesis

from tests.fuzz.targets import Bench, FindingError, all_targets

ROUND_EXAMPLES = 25
FINDINGS = Path("fuzz-findings")
NAMES = ("csv", "arff", "tree", "rules", "ruletext")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[[], *NAMES], metavar="TARGET", help=f"of: {', '.join(NAMES)}")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to go on [60]")
    parser.add_argument("--seed", type=int, default=0, help="where to begin [0]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(Path(scratch))
        try:
            return fuzz(bench, options.targets or NAMES, options.seconds, options.seed)
        finally:
            bench.close()


def fuzz(bench: Bench, names: list[str] | tuple[str, ...], seconds: float, seed: int) -> int:
    """The number of findings, after rounds of every target in turn until the time is over."""
    settings = hypothesis.settings(
        max_examples=ROUND_EXAMPLES,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    targets = {name: settings(target) for name, target in all_targets(bench).items()}
    counts = dict.fromkeys(names, (0, 0))
    findings: dict[str, int] = dict.fromkeys(names, 0)
    causes: set[str] = set()
    end = monotonic() + seconds
    while monotonic() < end:
        for name in names:
            bench.n_inputs = bench.n_accepted = 0
            try:
                hypothesis.seed(seed)(targets[name])()
            except FindingError as finding:
                findings[name] += 1
                cause = str(finding).strip().rsplit("\n", 1)[-1]
                if cause not in causes:
                    keep(bench.folder, name, seed, finding)
                causes.add(cause)
            counts[name] = (counts[name][0] + bench.n_inputs, counts[name][1] + bench.n_accepted)
            if monotonic() > end:
                break
        seed += 1
    for name, (n_inputs, n_accepted) in counts.items():
        print(f"{name}: {n_inputs} inputs, {n_accepted} of them accepted, {findings[name]} findings")
    n_failed = sum(map(bool, findings.values()))
    print(f"{len(names) - n_failed} passed, {n_failed} failed")
    return 1 if n_failed else 0


def keep(folder: Path, name: str, seed: int, finding: FindingError) -> None:
    """Prints a finding and saves the files of its shrunk example."""
    place = FINDINGS / f"{name}-{seed}"
    place.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        if file.is_file():
            shutil.copy(file, place)
    print(f"--- {name}, seed {seed}; files in {place}\n{str(finding)[-3000:]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
