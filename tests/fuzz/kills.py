"""`python -m tests.fuzz.kills [--times N]`: ends `train` by signals at random moments and looks at what is left.

The model file holds its old bytes or all of the new ones. SIGINT, SIGTERM and SIGHUP leave no temporary file; what
SIGKILL leaves is gone after the next write to the same name.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from time import monotonic, sleep

from tests.exact.random_sets import random_set

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
ROWS = 4000
OLD = b"the file that was there before"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.kills", description=__doc__)
    parser.add_argument("--times", type=int, default=40, help="how many processes to end [40]")
    parser.add_argument("--seed", type=int, default=0, help="of the moments [0]")
    options = parser.parse_args()
    random, findings = Random(options.seed), []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "data.arff").write_text(random_set(1, ROWS).arff())
        begun = monotonic()
        assert train(folder).wait() == 0
        seconds, whole = monotonic() - begun, (folder / "model.json").read_bytes()
        n_ended = 0
        for time in range(options.times):
            number = SIGNALS[time % len(SIGNALS)]
            n_ended += ended(folder, number, random.uniform(0.0, seconds), whole, findings)
    for finding in findings:
        print(finding)
    print(f"{options.times} processes, {n_ended} of them ended by the signal")
    print(f"{options.times - len(findings)} passed, {len(findings)} failed")
    return 1 if findings or not n_ended else 0


def train(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "treecli", "train", "data.arff", "-q", "-o", "model.json"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def ended(folder: Path, number: signal.Signals, moment: float, whole: bytes, findings: list[str]) -> bool:
    """Whether the signal came before the end; adds what is wrong afterwards."""
    model = folder / "model.json"
    model.write_bytes(OLD)
    process = train(folder)
    sleep(moment)
    process.send_signal(number)
    code = process.wait()
    place = f"{number.name} after {moment:.3f} s (exit code {code})"
    if model.read_bytes() not in (OLD, whole):
        findings.append(f"{place}: the model is neither the old file nor the new one")
    left = {path.name for path in folder.iterdir()} - {"data.arff", "model.json"}
    if number != signal.SIGKILL and left:
        findings.append(f"{place}: left {sorted(left)}")
    if left:
        assert train(folder).wait() == 0
        left = {path.name for path in folder.iterdir()} - {"data.arff", "model.json"}
        if left:
            findings.append(f"{place}: the next write did not remove {sorted(left)}")
    return code != 0


if __name__ == "__main__":
    sys.exit(main())
