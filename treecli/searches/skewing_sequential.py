"""Sequential skewing: weights favour the values of one attribute at a time, for data with many attributes."""

from __future__ import annotations

from treecli.searches._skewed import check, grow

__all__ = ["SETTINGS", "SUFFIX", "check", "grow"]

SUFFIX = None

SETTINGS = ("skew",)
