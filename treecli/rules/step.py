"""One step of simplifying a rule list."""

from __future__ import annotations

from typing import Any, Literal

from treecli.records import dataclass

Action = Literal["merged", "condition dropped", "condition widened", "rule dropped", "reordered", "default chosen"]


@dataclass(frozen=True, slots=True)
class Step:
    """One change to the list.

    `rules` are the numbers, from 1, of the affected rules in the original list; a merged rule keeps the number of
    its first part. `condition` is the text of the condition that was dropped or widened, and `result` its replacement.
    The error estimates are those of the affected rules, None if not estimated.
    """

    action: Action
    rules: tuple[int, ...]
    condition: str | None = None
    result: str | None = None
    error_before: float | None = None
    error_after: float | None = None

    @property
    def text(self) -> str:
        """The step as one line of text."""
        subject = ("rule " if len(self.rules) == 1 else "rules ") + ", ".join(map(str, self.rules))
        words = [f"{subject}:" if self.rules else "list:", self.action]
        if self.condition is not None:
            words.append(self.condition)
        if self.result is not None:
            words.append(f"-> {self.result}")
        if self.error_before is not None and self.error_after is not None:
            words.append(f"(estimated error {self.error_before:.4g} -> {self.error_after:.4g})")
        return " ".join(words)

    def to_json(self) -> dict[str, Any]:
        """Return the step as a JSON object, in full precision."""
        return {
            "action": self.action,
            "rules": list(self.rules),
            "condition": self.condition,
            "result": self.result,
            "error_before": self.error_before,
            "error_after": self.error_after,
            "text": self.text,
        }
