"""Languages of lessons.

Each module has TEXTS: the sentences of a page by key, with placeholders in braces. A text that a language does not have
is taken from English.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Language(Protocol):
    """A member of this family."""

    TEXTS: Mapping[str, str]
