"""The bytes of models do not change: a part of the corpus, which `python -m tests.corpus` compares in full."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("every", "jobs", "uncompiled"),
    [(23, 1, ""), (61, 2, ""), (241, 1, "1")],
    ids=["one thread", "threads", "uncompiled"],
)
def test_models_have_the_bytes_of_the_corpus(every: int, jobs: int, uncompiled: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.corpus", "--every", str(every), "--jobs", str(jobs)],
        env=os.environ | {"TREECLI_UNCOMPILED": uncompiled},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
