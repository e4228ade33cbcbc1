"""Features for tests: members that are added to the family while a test runs, and models that use them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from tests.contracts.members.features import literals, weighted
from treecli import plugins, recipe, settings
from treecli.grow.proposals import OpenNodes, Proposal

Propose = Callable[[OpenNodes], Iterator[Proposal]]


def add_member(monkeypatch: pytest.MonkeyPatch, family: str, module: ModuleType, name: str) -> None:
    """Make a module a member of a family."""
    names = plugins.names
    monkeypatch.setattr(plugins, "names", lambda folder: (*names(folder), *([name] if folder == family else [])))
    monkeypatch.setitem(sys.modules, f"treecli.{family}.{name}", module)
    # The cache of loaded members must not keep this one.
    monkeypatch.setattr(plugins, "load", getattr(plugins.load, "__wrapped__", plugins.load))


@pytest.fixture
def with_features(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Adds the throw-away features, with the option that chooses them."""
    add_member(monkeypatch, "features", weighted, "weighted")
    add_member(monkeypatch, "features", literals, "literals")
    for cached in (settings.options, recipe.all_options):
        cached.cache_clear()
    yield
    for cached in (settings.options, recipe.all_options):
        cached.cache_clear()


@pytest.fixture
def proposing(monkeypatch: pytest.MonkeyPatch) -> Callable[[Propose], None]:
    """Adds a member `own` that proposes as a given function does."""

    def add(propose: Propose) -> None:
        module = ModuleType("treecli.features.own")
        module.propose = propose  # type: ignore[attr-defined]
        add_member(monkeypatch, "features", module, "own")

    return add
