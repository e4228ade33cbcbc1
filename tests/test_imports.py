"""Import layers of the package, and where each library may be used.

Every import counts, including those inside functions and for type checkers. An import is listed by the top-level module
or folder that it names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import treecli
from treecli import plugins

PACKAGE = Path(treecli.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

# Each line imports only from lines above it.
LAYERS = (
    ("errors", "expressions", "kernels", "missing", "outcomes", "threads", "wording"),
    ("plugins", "priors", "statistics"),
    ("files",),
    ("data", "options"),
    ("settings", "leaves"),
    ("values", "criteria", "discretizers", "presets", "limits", "writers"),
    ("splits",),
    ("tree",),
    ("node",),
    ("model", "grow"),
    ("features",),
    ("modeltrees",),
    ("scorers", "nominal", "engines", "searches", "predict"),
    ("rules", "evaluate"),
    ("explain", "measures"),
    ("models",),
    ("simplifiers", "draw", "pruners", "difference"),
    ("exporters", "readers", "recipe"),
    ("ensembles",),
    ("intake", "learn", "verifiers"),
    ("experiment", "interchange", "teaching"),
    ("surgery",),
    ("cli",),
    ("renderers", "rule_formats", "trace_formats"),
    ("commands",),
    ("__main__",),
)
LAYER = {member: height for height, members in enumerate(LAYERS) for member in members}

# The libraries that may not be imported just anywhere.
HOMES = {
    "pandas": {"readers"},
    "pyarrow": {"readers", "writers"},
    "arff": {"readers"},
    "zstandard": {"files"},
    "click": {"cli", "commands"},
    "rich": {"cli"},
    "matplotlib": {"draw"},
    "duckdb": {"verifiers"},
    "scipy": {"statistics"},
    "onnx": {"exporters"},
    "onnxruntime": {"verifiers"},
    "jpype": {"verifiers"},
    "cython": {"kernels"},
    "msgspec": {"models", "renderers", "rule_formats", "rules"},
}


def member_of(path: Path) -> str:
    """The top-level module or folder that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> tuple[str, ...]:
    """The full name of everything that a file imports, wherever it does."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(found)


def own_imports(path: Path) -> Iterator[list[str]]:
    """The parts of every name in treecli that a file imports, without the package's own."""
    for name in imports(path):
        top, *rest = name.split(".")
        if top == "treecli" and rest != ["__version__"]:
            yield rest


def test_the_table_of_layers_is_complete() -> None:
    assert set(LAYER) == {member_of(path) for path in FILES} - {"__init__"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_from_layers_below_its_own(path: Path) -> None:
    member = member_of(path)
    if member == "__init__":
        assert not list(own_imports(path))
        return
    for parts in own_imports(path):
        assert parts[0] == member or LAYER[parts[0]] < LAYER[member], f"{member} may not import {'.'.join(parts)}"


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.parent != PACKAGE], ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_members_of_a_family_do_not_import_each_other(path: Path) -> None:
    # A leading underscore marks a file that serves its siblings.
    family = member_of(path)
    if family not in plugins.FAMILIES:
        return
    siblings = {file.stem for file in path.parent.glob("*.py") if not file.stem.startswith("_")}
    for parts in own_imports(path):
        is_sibling = parts[0] == family and len(parts) > 1 and parts[1] in siblings
        assert not is_sibling, f"{path.stem} may not import {'.'.join(parts)}"


@pytest.mark.parametrize("library", sorted(HOMES))
def test_a_library_is_imported_only_where_it_is_at_home(library: str) -> None:
    users = {member_of(path) for path in FILES if any(name.split(".")[0] == library for name in imports(path))}
    assert users <= HOMES[library]
    assert users, f"nobody imports {library}: take it out of the table"
