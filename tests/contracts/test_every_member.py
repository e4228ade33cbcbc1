"""Every member of every family implements its protocol, and has a summary and a place in the documentation."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests import docs_cli
from tests.contracts.conftest import MEMBERS, PACKAGE, members
from treecli import plugins
from treecli.plugins import FAMILIES

DOCS = Path(__file__).parents[2] / "docs"

ALL = [(family, name) for family in FAMILIES for name in plugins.names(family)]
NEW = [(file.parent.name, file.stem.replace("_", "-")) for file in members()]


def protocol_of(family: str) -> type[Any]:
    """The class that a member of the family implements."""
    protocol = getattr(importlib.import_module(f"treecli.{family}"), FAMILIES[family].protocol)
    assert isinstance(protocol, type)
    return protocol


def new_member(family: str, name: str) -> ModuleType:
    """A throw-away member, as a module of the tests."""
    return importlib.import_module(f"tests.contracts.members.{family}.{name.replace('-', '_')}")


def lacking(member: Any, protocol: type[Any]) -> list[str]:
    """The differences between a member and its protocol."""
    found = [f"{name} is missing" for name in inspect.get_annotations(protocol) if not hasattr(member, name)]
    for name, expected in vars(protocol).items():
        if name.startswith("_") or name in inspect.get_annotations(protocol):
            continue
        if not hasattr(member, name):
            found.append(f"{name} is missing")
        elif not isinstance(expected, property):
            found += differences(name, inspect.signature(getattr(member, name)), own_signature(expected))
    return found


def own_signature(function: Any) -> inspect.Signature:
    """The parameters of a method without the first, which is the member itself."""
    plain = function.__func__ if isinstance(function, classmethod) else function
    signature = inspect.signature(plain)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def differences(name: str, given: inspect.Signature, expected: inspect.Signature) -> list[str]:
    """How the parameters of a function differ from those of its protocol.

    One with a default may be left out. Where a protocol takes any keywords, a member names its own, with defaults. One
    that is given by position alone may have any name.
    """
    parameters = [each for each in given.parameters.values() if each.name != "self"]
    is_open = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in expected.parameters.values())
    needed = [each for each in expected.parameters.values() if is_needed(each)]
    found = []
    for place, each in enumerate(needed):
        theirs = parameters[place].name if place < len(parameters) else None
        if theirs is None or (each.kind is not inspect.Parameter.POSITIONAL_ONLY and theirs != each.name):
            found.append(f"{name}: found the parameter '{theirs}', expected '{each.name}'")
    for each in parameters[len(needed) :]:
        is_known = each.name in expected.parameters or (is_open and not is_needed(each))
        found += [] if is_known else [f"{name}: nobody gives it '{each.name}'"]
    return found


def is_needed(parameter: inspect.Parameter) -> bool:
    """Whether a call must give the parameter."""
    is_one = parameter.kind not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return is_one and parameter.default is inspect.Parameter.empty


def check(family: str, module: ModuleType) -> None:
    held_as, protocol = FAMILIES[family].held_as, protocol_of(family)
    held = getattr(module, held_as) if held_as else module
    if is_dataclass(protocol):
        assert isinstance(held, protocol)
    else:
        assert not lacking(held, protocol)


def test_the_table_of_families_names_folders_that_are_there_and_no_other_folder_holds_choices() -> None:
    # A room has its verb's name and is imported by name; only members of families are looked up.
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "plugins." in text else ():
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if is_call and ast.unparse(node.func) in ("plugins.load", "plugins.names", "plugins.summary"):
                first = node.args[0]
                assert not isinstance(first, ast.Constant) or first.value in FAMILIES, f"{path}: {first.value}"
    for family in FAMILIES:
        # The program may have no feature, and one is added to it below.
        assert plugins.names(family) or family in {new for new, _ in NEW}
        assert protocol_of(family).__doc__


@pytest.mark.parametrize(("family", "name"), ALL)
def test_a_member_implements_its_protocol(family: str, name: str) -> None:
    check(family, plugins.load(family, name))


@pytest.mark.parametrize(("family", "name"), NEW)
def test_what_a_protocol_names_is_all_that_a_new_member_has(family: str, name: str) -> None:
    check(family, new_member(family, name))


@pytest.mark.parametrize(("family", "name"), ALL)
def test_the_first_line_of_a_member_is_its_summary(family: str, name: str) -> None:
    summary = plugins.summary(family, name)
    documented = inspect.getdoc(plugins.load(family, name))
    assert documented is not None
    assert summary == documented.splitlines()[0]
    assert re.fullmatch(r"\S.*[^.]\.", summary), "one sentence"


@pytest.mark.parametrize(("family", "name"), ALL)
def test_a_member_is_documented_where_it_is_chosen(family: str, name: str) -> None:
    chosen_by = FAMILIES[family].chosen_by
    # Measures are also keys of JSON, and may be typed with underscores.
    assert not chosen_by or {name, name.replace("-", "_")} & documented_choices(chosen_by)


def documented_choices(chosen_by: str) -> set[str]:
    """The words that docs/cli.md names for an option or, for a field of a model file, that docs/model.md does."""
    program, _, option = chosen_by.partition(" ")
    if program != "treecli":
        return set(re.findall(r"`\"?([\w-]+)\"?`", (DOCS / "model.md").read_text(encoding="utf-8")))
    text = docs_cli.PATH.read_text(encoding="utf-8")
    if not option:
        return set(re.findall(r"^## treecli ([\w-]+)$", text, re.MULTILINE))
    command, name = option.split()
    _, _, section = text.partition(f"\n## treecli {command}\n")
    # From the option to the next one, or to the next heading.
    paragraph = re.search(rf"^ +(-\w, )?{name} .*?(?=^ +-|^\S|\Z)", section, re.MULTILINE | re.DOTALL)
    assert paragraph is not None, f"docs/cli.md has no {chosen_by}"
    return set(re.findall(r"[\w-]+", paragraph[0]))


def test_every_family_has_a_throw_away_member() -> None:
    # Where the program chooses, no command can be told to take another member.
    assert {family for family, _ in NEW} == {name for name, family in FAMILIES.items() if family.chosen_by}
    assert {path.name for path in MEMBERS.iterdir()} - {"__pycache__"} <= set(FAMILIES)
