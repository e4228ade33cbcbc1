"""Installing treecli: from the tree into an empty environment, with a C compiler and without one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
NEEDED_TO_BUILD = ["pyproject.toml", "setup.py", "README.md", "LICENSE"]
EXTENSION_SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def normalized(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_constraints_pin_every_dependency_to_one_version() -> None:
    lines = [line for line in CONSTRAINTS.read_text().splitlines() if not line.startswith("#")]
    pins = dict(line.split("==") for line in lines)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [
        *project["dependencies"],
        *(requirement for extra in project["optional-dependencies"].values() for requirement in extra),
    ]
    names = {normalized(re.split(r"[^\w.-]", requirement)[0]) for requirement in asked} - {"treecli"}
    assert names <= {normalized(name) for name in pins}


def test_the_layout_in_contributing_names_every_file_and_folder_of_the_package() -> None:
    (layout,) = re.findall(r"^treecli/\n((?:  .*\n)+)", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE)
    named = re.findall(r"^  (\S+)", layout, flags=re.MULTILINE)
    modules = [path.name for path in (ROOT / "treecli").glob("*.py")]
    folders = [f"{path.parent.name}/" for path in (ROOT / "treecli").glob("*/__init__.py")]
    assert sorted(named) == sorted(modules + folders)


@dataclass(frozen=True)
class Installation:
    """A separate environment with treecli installed."""

    tree: Path
    wheel: Path
    commands: Path
    is_compiled: bool

    def run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The outcome of `treecli ARGUMENTS` in a folder, found on the PATH like in a user's shell."""
        environment = {**os.environ, "PATH": f"{self.commands}{os.pathsep}{os.environ['PATH']}"}
        for name in ("PYTHONPATH", "TREECLI_UNCOMPILED"):
            environment.pop(name, None)
        treecli = shutil.which("treecli", path=environment["PATH"])
        assert treecli == str(self.commands / "treecli")
        return subprocess.run(
            [treecli, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module", params=["compiled", "uncompiled"])
def installation(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    is_compiled = request.param == "compiled"
    folder = tmp_path_factory.mktemp(request.param)
    # A copy without build/ and *.so: an earlier build's machine code would be taken for this one's.
    tree = folder / "tree"
    shutil.copytree(ROOT / "treecli", tree / "treecli", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in NEEDED_TO_BUILD:
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "docs" / "man", tree / "docs" / "man")

    environment = {
        **os.environ,
        "PIP_CONSTRAINT": str(CONSTRAINTS),
        "PIP_BUILD_CONSTRAINT": str(CONSTRAINTS),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    if not is_compiled:
        environment["CC"] = str(folder / "no-such-compiler")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    commands = folder / "venv" / "bin"
    pip: list[str | Path] = [commands / "python", "-m", "pip"]
    subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, tree], env=environment, check=True)
    (wheel,) = folder.glob("treecli-*.whl")
    subprocess.run([*pip, "install", "--quiet", wheel], env=environment, check=True)
    yield Installation(tree, wheel, commands, is_compiled)
    shutil.rmtree(folder)


@pytest.mark.install
def test_a_wheel_holds_every_module_and_schema_and_the_kernels_in_both_forms(installation: Installation) -> None:
    with ZipFile(installation.wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("treecli/")}
    files = [path.relative_to(installation.tree) for path in (installation.tree / "treecli").rglob("*.*")]
    wanted = {
        path.as_posix()
        for path in files
        if path.suffix in {".py", ".pxd"}
        or path.name.endswith(".schema.json")
        or path.name == "py.typed"
        or path.parent.name == "_page"
    }
    if installation.is_compiled:
        wanted |= {
            path.with_suffix(EXTENSION_SUFFIX).as_posix()
            for path in files
            if path.match("kernels/*.py") and path.stem not in {"__init__", "codes"}
        }
        wanted.add(f"treecli/kernels/_shared{EXTENSION_SUFFIX}")
    assert packed == wanted


@pytest.mark.install
def test_the_manual_pages_are_installed(installation: Installation) -> None:
    pages = {path.name for path in (ROOT / "docs" / "man").glob("*.1")}
    installed = {path.name for path in (installation.commands.parent / "share" / "man" / "man1").glob("treecli*")}
    assert installed == pages != set()


@pytest.mark.install
def test_the_version_tells_whether_the_kernels_are_compiled(installation: Installation, tmp_path: Path) -> None:
    answer = installation.run(tmp_path, "--version")
    assert answer.returncode == 0
    expected = "compiled" if installation.is_compiled else "uncompiled"
    assert re.findall(r"\b(?:un)?compiled\b", answer.stdout) == [expected]


@pytest.mark.install
def test_training_works_in_both_forms_and_says_once_when_it_is_slow(installation: Installation, tmp_path: Path) -> None:
    shutil.copy(ROOT / "sample_data" / "playtennis.csv", tmp_path)
    answer = installation.run(tmp_path, "train", "playtennis.csv", "--criterion", "gainratio")
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "playtennis.json").exists()
    # Outlook has the best gain ratio, 0.1564 (Day, which names each row, is left out).
    assert "Outlook" in answer.stdout
    assert answer.stderr.count("not compiled") == (0 if installation.is_compiled else 1)
