"""The options of `compare`, in groups."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """The data files, the texts of --learner, the specification file and the seed."""

    data_paths: tuple[str, ...]
    learner_texts: tuple[str, ...]
    spec_path: str | None
    seed: int


@dataclass(frozen=True, slots=True)
class Testing:
    """The measures and tests; measures are empty and the base is None if nobody asked for them."""

    measure_names: tuple[str, ...]
    base: str | None
    alpha: float
    posthoc: str
    adjust: str
    bayes: bool
    rope: float


@dataclass(frozen=True, slots=True)
class Keeping:
    """The results file, and how runs are made."""

    results_file: str | None
    force: bool
    fail_fast: bool
    times: bool
    jobs: int | None


@dataclass(frozen=True, slots=True)
class Writing:
    """The report or the list of runs, its file, and the file of the diagram."""

    report_format: str
    output: str | None
    plot: str | None
    dry_run: bool
