"""The options of `sweep`, in groups."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grid:
    """The texts of --vary, and whether ranges have equal factors."""

    axes: tuple[str, ...]
    is_log: bool


@dataclass(frozen=True, slots=True)
class Choosing:
    """How the best setting is found, and its choice tested."""

    measure: str | None
    only_best: bool
    one_se: bool
    n_outer: int | None


@dataclass(frozen=True, slots=True)
class Keeping:
    """The results file, and how runs are made."""

    results_file: str | None
    force: bool
    jobs: int | None


@dataclass(frozen=True, slots=True)
class Writing:
    """The report, its file, and the file of the picture."""

    report_format: str
    output: str | None
    plot: str | None
