"""Constraints on the splits of a tree: attributes that come first (--force), and monotone predictions (--monotone)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treecli.errors import UsageError, did_you_mean
from treecli.grow.monotone import Monotone, check_monotone
from treecli.options.directions import direction_of
from treecli.records import dataclass

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.grow.candidates import Candidates, Flags, Floats, Indices
    from treecli.grow.choose import Chosen, Decision
    from treecli.grow.level import MemoryLevel
    from treecli.kernels.args import Plan


@dataclass(slots=True)
class Constraints:
    """The constraints of a plan, and what the open nodes of the current level inherit of them."""

    forced: Sequence[int]
    monotone: Monotone | None
    place: Indices
    """By open node: how many of the forced attributes its path is done with."""

    def open_root(self, is_open: Flags) -> None:
        """Begin at the root, which may be a leaf."""
        self.place = np.zeros(int(is_open.sum()), np.int64)
        if self.monotone is not None:
            self.monotone.open_root(len(self.place))

    def allowed(self, engine: Any, level: MemoryLevel, candidates: Sequence[Candidates]) -> Sequence[Candidates]:
        """Return the candidates that keep predictions monotone: the best of each attribute that do."""
        return candidates if self.monotone is None else self.monotone.allowed(engine, level, candidates)

    def chosen(self, chosen: Chosen) -> Chosen:
        """Return the choice, with the next forced attribute that can split a node in place of the best one."""
        if not self.forced:
            return chosen
        attribute, score = chosen.attribute.copy(), chosen.score
        done = np.full(len(attribute), len(self.forced), np.int64)
        is_free = np.ones(len(attribute), bool)
        for place, forced in enumerate(self.forced):
            takes = is_free & (self.place <= place) & np.isfinite(chosen.gain[forced])
            attribute[takes], done[takes] = forced, place + 1
            is_free &= ~takes
        self.place = done
        return replace(chosen, attribute=attribute, score=np.where(np.isfinite(score), score, 0.0))

    def pass_down(self, decision: Decision, outcomes: Floats, is_open: Flags) -> None:
        """Move on to the open children of the level."""
        n_children = np.diff(decision.first_child)
        if self.forced:
            self.place = np.repeat(self.place, n_children)[is_open]
        if self.monotone is not None:
            self.monotone.pass_down(decision, outcomes, is_open)


def constraints_of(plan: Plan, schema: Schema) -> Constraints:
    """Return the constraints of a plan; raise UsageError if they do not fit the attributes or other settings."""
    inputs = plan.settings.inputs
    forced = [_index(name, "--force", schema) for name in inputs.force or ()]
    monotone = None
    if inputs.monotone is not None:
        check_monotone(plan, schema)
        sign_of = {}
        for word in inputs.monotone:
            name, sign = direction_of(word)
            index = _index(name, "--monotone", schema)
            if schema.attributes[index].kind == "nominal":
                raise UsageError(
                    f"--monotone: '{name}' is nominal, and its labels have no order",
                    f"leave it out, or say --type {name}=ordinal:low<mid<high",
                )
            sign_of[index] = sign
        monotone = Monotone(plan, sign_of)
    return Constraints(forced, monotone, np.zeros(1, np.int64))


def _index(name: str, option: str, schema: Schema) -> int:
    names = [attribute.name for attribute in schema.attributes]
    if name not in names:
        raise UsageError(f"{option}: found no attribute '{name}'", did_you_mean(name, names))
    return names.index(name)
