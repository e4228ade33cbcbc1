"""Rules of the design that hold for the whole package, read from its source."""

from __future__ import annotations

import ast
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import treecli
from tests.conftest import Runner
from treecli.model import Model
from treecli.rules.rulelist import RuleList

PACKAGE = Path(treecli.__file__).parent
CONTRIBUTING = PACKAGE.parent / "CONTRIBUTING.md"

MOST_ARGUMENTS = 8
"""Of a kernel; constructors of argument objects take a field each."""


def subclasses(kind: type[Any]) -> Iterator[str]:
    yield kind.__name__
    for each in kind.__subclasses__():
        yield from subclasses(each)


def calls(path: Path, name: str) -> Iterator[ast.Call]:
    """The calls of a function in a file."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if name in text else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def test_no_code_outside_models_asks_for_the_class_of_a_model() -> None:
    kinds = set(subclasses(Model))
    assert RuleList.__name__ in kinds
    found = [
        f"{path.relative_to(PACKAGE)}:{call.lineno}: {ast.unparse(call)}"
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] != "models"
        for call in calls(path, "isinstance")
        if kinds & set(re.findall(r"\w+", ast.unparse(call.args[1])))
    ]
    assert found == []


def test_no_kernel_takes_more_than_eight_arguments() -> None:
    found = []
    for path in (PACKAGE / "kernels").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name != "__init__":
                given = node.args
                n_arguments = len([*given.posonlyargs, *given.args, *given.kwonlyargs])
                if n_arguments > MOST_ARGUMENTS:
                    found.append(f"{path.name}: {node.name} takes {n_arguments}")
    assert found == []


def how_a_tree_grows() -> str:
    """The section of CONTRIBUTING about the code that runs."""
    return CONTRIBUTING.read_text(encoding="utf-8").partition("## How a tree grows\n")[2].partition("\n## ")[0]


def test_the_files_that_the_page_about_growing_names_exist() -> None:
    named = re.findall(r"`([\w/]+\.py)`", how_a_tree_grows())
    assert len(named) > 15
    assert [name for name in named if not (PACKAGE / name).exists()] == []


def test_the_names_of_the_page_about_growing_are_defined() -> None:
    named = {name.rpartition(".")[2] for name in re.findall(r"`([A-Za-z_.]+?)(?:\(\))?`", how_a_tree_grows())}
    named -= {"py", "csv"}  # ends of the names of files
    assert len(named) > 25
    for path in PACKAGE.rglob("*.py"):
        named -= {*path.parent.relative_to(PACKAGE).parts, path.stem}
        text = path.read_text(encoding="utf-8")
        if named & set(re.findall(r"\w+", text)):
            named -= set(names_in(text))
    assert sorted(named) == []


def names_in(text: str) -> Iterator[str]:
    """Everything that a file defines or sets: functions, classes, variables, fields, parameters."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


STEPS = {
    "recipe.Recipe.of",
    "intake.read_training",
    "learn.learn",
    "grow.grow.grown",
    "grow.plan.plan_of",
    "searches.greedy.grow",
    "grow.packed.refuses",
    "engines.memory.Engine.root",
    "grow.plan.open_root",
    "grow.mixed.refuses",
    "grow.loop.Loop.run",
    "grow.small.SmallNodes.set_aside",
    "grow.small.SmallNodes.grown",
    "grow.nodes.assembled",
    "grow.scores.set_scores",
    "grow.nodes.as_tree",
    "models.tree.encode",
}
"""Functions that the page says run for `treecli train playtennis.csv`."""

STEPS_OBSERVED = {
    "engines.memory.Engine.candidates",
    "nominal.multiway.best",
    "grow.choose.Chooser.choose",
    "grow.choose.decided",
    "engines.memory.Engine.send",
    "engines.memory.Engine.outcomes",
    "engines.memory.Engine.open",
}
"""Those that run where an observer keeps accelerators away, as with `--competitors`."""


@pytest.mark.parametrize(
    ("options", "steps"), [((), STEPS), (("--competitors", "1"), STEPS_OBSERVED)], ids=["plain", "observed"]
)
def test_training_runs_the_functions_of_the_page(
    treecli: Runner, tmp_path: Path, options: tuple[str, ...], steps: set[str]
) -> None:
    called = set()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            called.add(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}")

    shutil.copy(PACKAGE.parent / "sample_data" / "playtennis.csv", tmp_path)
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        done = treecli("train", "playtennis.csv", "-q", *options)
    finally:
        sys.setprofile(before)
    assert done.code == 0
    assert sorted(step for step in steps if f"treecli.{step}" not in called) == []
