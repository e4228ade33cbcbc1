"""Exporters: each member writes a model in one language or format.

A member is a module with
TITLE                                  the name of the language in messages
SUFFIX                                 the file suffix of -o that selects it; omit if it equals the module's name
OPTIONS                                the names of the Options fields that it accepts
export(model, options)                 returns the artefact as text, or as bytes for binary formats; raises UsageError
                                       if the language cannot express the model: an artefact predicts as the model
                                       does or is not written
name_for_file(path)                    optional: returns the artefact's name for a file, where the language ties the
                                       two together; raises UsageError if the file name gives no valid name
and has a module of the same name in `verifiers` that runs the artefact.
"""

from __future__ import annotations

from typing import Protocol

from treecli.model import Model
from treecli.records import dataclass

POLICIES = ("majority", "branch", "error")
"""Values of `--missing`: a missing value takes the heaviest branch or the branch its node names, or is an error."""

ERROR = "error"

CURE = "export it with --missing majority, which sends a missing value down the heaviest branch"
"""Hint for languages that cannot send a row down several branches."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an artefact; None selects the language's default."""

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
