"""Skewing: a node splits on the attribute that gains in most of TRIALS trials with random weights."""

from __future__ import annotations

from treecli.options.option import Number
from treecli.searches import Suffix
from treecli.searches._skewed import check, grow

__all__ = ["SETTINGS", "SUFFIX", "check", "grow"]

MOST_TRIALS = 100_000
"""The random numbers of all trials of a level are in memory."""

SUFFIX = Suffix("TRIALS", Number(1, MOST_TRIALS, is_whole=True), usual=30)

SETTINGS = ("skew", "skew_gain")
