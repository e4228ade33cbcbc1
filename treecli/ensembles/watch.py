"""Reports on several trees while they grow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from treecli.threads import OnProgress, OnWarning


@dataclass(frozen=True, slots=True)
class Watch:
    """Called while an ensemble grows; all parts are optional.

    `on_error` is told the number of trees and their out-of-bag error. `keeps_partial`: an interrupt ends the growing,
    and the trees grown so far are kept.
    """

    on_progress: OnProgress | None = None
    on_warning: OnWarning | None = None
    on_remark: OnWarning | None = None
    on_error: Callable[[int, float], None] | None = None
    keeps_partial: bool = False
