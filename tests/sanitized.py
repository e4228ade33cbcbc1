"""`python -m tests.sanitized [PYTEST ARGUMENTS]`: the reader and growth tests on kernels with sanitizers.

Compiles a copy of the project in build/sanitized with gcc's AddressSanitizer and UndefinedBehaviorSanitizer: an access
outside an array, an overflow of a conversion or a bad shift ends the run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPY = ROOT / "build" / "sanitized"
COPIED = (
    "treecli",
    "tests",
    "bench",
    "sample_data",
    "docs",
    "setup.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "Makefile",
)

TESTS = (
    *("tests/kernels", "tests/readers", "tests/grow", "tests/scorers", "tests/test_laws.py"),
    *("tests/predict/test_predict.py", "tests/rules/test_index.py"),
)

FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

# Reads beyond the end of a buffer, which the sanitizer must notice.
PLANTED_FAULT = "from treecli.kernels import parsing; parsing.count_lines(b'a' * 64, 0, 1 << 16)"


def main(arguments: list[str]) -> int:
    copy_project()
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        cwd=COPY,
        env=os.environ | {"CFLAGS": FLAGS},
        check=True,
    )
    if run("-c", PLANTED_FAULT, stderr=subprocess.DEVNULL) == 0:
        print("the sanitizers do not notice a planted fault: is the copy compiled?")
        return 1
    return run("-m", "pytest", "-n", "auto", *(arguments or TESTS))


def copy_project() -> None:
    """Copies the sources, unless they are there already: what is unchanged is not compiled again."""
    for name in COPIED:
        source, target = ROOT / name, COPY / name
        if source.is_dir():
            shutil.copytree(
                source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.so", "__pycache__", "*.pyc")
            )
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def run(*arguments: str, stderr: int | None = None) -> int:
    """The exit code of Python with the sanitizers' libraries, in the copy."""
    libraries = [
        subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    environment = os.environ | {
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(COPY),
    }
    return subprocess.run(
        [sys.executable, *arguments], cwd=COPY, env=environment, stderr=stderr, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
