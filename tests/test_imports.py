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
    ("errors", "records"),
    ("expressions", "kernels", "languages", "missing", "outcomes", "threads", "wording"),
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
    ("scorers", "nominal", "searches", "predict"),
    ("rules", "evaluate"),
    ("explain", "measures"),
    ("models",),
    ("simplifiers", "draw", "pruners", "difference"),
    ("exporters", "readers", "recipe"),
    ("ensembles", "engines"),
    ("intake", "learn", "verifiers"),
    ("experiment", "interchange", "teaching"),
    ("lesson", "surgery", "worksheets"),
    ("cli",),
    ("large", "renderers", "rule_formats", "trace_formats", "worksheet_formats"),
    ("commands",),
    ("__main__",),
)
LAYER = {member: height for height, members in enumerate(LAYERS) for member in members}

# The libraries that may not be imported just anywhere.
HOMES = {
    "pandas": {"readers"},
    "pyarrow": {"engines", "readers", "writers"},
    "arff": {"readers"},
    "zstandard": {"files"},
    "click": {"cli", "commands"},
    "rich": {"cli"},
    "matplotlib": {"draw"},
    "duckdb": {"engines", "verifiers"},
    "scipy": {"statistics"},
    "onnx": {"exporters"},
    "onnxruntime": {"verifiers"},
    "jpype": {"verifiers"},
    "cython": {"kernels"},
    "msgspec": {"lesson", "models", "renderers", "rule_formats", "rules"},
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


MEMBERS = sorted(LAYER)


@pytest.mark.parametrize("member", MEMBERS)
def test_a_file_imports_only_from_layers_below_its_own(member: str) -> None:
    imported = [(path, parts) for path in FILES if member_of(path) == member for parts in own_imports(path)]
    refused = [
        f"{path.relative_to(PACKAGE)} may not import {'.'.join(parts)}"
        for path, parts in imported
        if parts[0] != member and LAYER[parts[0]] >= LAYER[member]
    ]
    assert refused == []


def test_the_package_itself_imports_nothing_of_its_own() -> None:
    assert list(own_imports(PACKAGE / "__init__.py")) == []


@pytest.mark.parametrize("family", sorted(plugins.FAMILIES))
def test_members_of_a_family_do_not_import_each_other(family: str) -> None:
    files = [path for path in FILES if member_of(path) == family]
    # A leading underscore marks a file that serves its siblings.
    siblings = {file.stem for file in files if not file.stem.startswith("_")}
    refused = [
        f"{path.stem} may not import {'.'.join(parts)}"
        for path in files
        for parts in own_imports(path)
        if parts[0] == family and len(parts) > 1 and parts[1] in siblings
    ]
    assert refused == []


def test_at_most_sixteen_files_stand_at_the_top() -> None:
    assert len([path for path in PACKAGE.glob("*.py") if not path.stem.startswith("__")]) <= 16


@pytest.mark.parametrize("library", sorted(HOMES))
def test_a_library_is_imported_only_where_it_is_at_home(library: str) -> None:
    users = {member_of(path) for path in FILES if any(name.split(".")[0] == library for name in imports(path))}
    assert users <= HOMES[library]
    assert users, f"nobody imports {library}: take it out of the table"
