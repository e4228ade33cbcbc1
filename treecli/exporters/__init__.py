"""The languages that a model can be written in.

A member is a module with
TITLE                                  what it is called in a sentence
SUFFIX                                 the suffix of -o that chooses it; left out where that is its name
OPTIONS                                which of the options below it takes
export(model, options)                 the artefact as text, or as bytes where it is none; raises a UsageError where
                                       the language cannot say what the model does: an artefact predicts as the model
                                       or is not written
name_for_file(path)                    the name of the artefact in a file, where the language ties the two together;
                                       raises a UsageError where it can have none; may be left out
and has a sibling of the same name in `verifiers` that runs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from treecli.model import Model

POLICIES = ("majority", "branch", "error")
"""Of `--missing`: a missing value takes the heaviest branch, or the one that its node names, or is an error."""

ERROR = "error"

CURE = "export it with --missing majority, which sends a missing value down the heaviest branch"
"""The hint where a language cannot send rows down all branches."""


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen about an artefact; None: the language's own default."""

    name: str | None = None
    proba: bool = False
    dialect: str | None = None
    form: str | None = None
    table: str | None = None
    refuses_missing: bool = False
    """Whether a missing value is an error."""


class Exporter(Protocol):
    """A member of this family."""

    TITLE: str
    OPTIONS: frozenset[str]

    def export(self, model: Model, options: Options) -> str | bytes: ...
