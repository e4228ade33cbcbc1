"""The results as text: one block per task, one line per program."""

from __future__ import annotations

from collections.abc import Iterable

from bench.results import TREECLI, Result

MEGABYTE = 2**20
MILLION = 10**6

HEADER = ("work", "program", "seconds", "ratio", "cpu", "fit", "ratio", "memory", "leaves", "accuracy", "instructions")


def lines(results: list[Result]) -> list[str]:
    """The table; a ratio is a peer's value divided by that of treecli's first variant, so large ratios are good."""
    rows: list[tuple[str, ...]] = [HEADER]
    last = None
    for result in results:
        own = next((r for r in results if r.work == result.work and r.program == TREECLI and not r.error), None)
        rows.append(_row(result, own if result.program != TREECLI else None, is_first=result.work != last))
        last = result.work
    return aligned(rows)


def aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows of cells as lines, the first two columns left-aligned, all others right-aligned."""
    listed = list(rows)
    widths = [max(len(row[column]) for row in listed) for column in range(len(listed[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in listed
    ]


def _row(result: Result, own: Result | None, *, is_first: bool) -> tuple[str, ...]:
    named = (result.work if is_first else "", f"{result.program} {result.way}".strip())
    if result.error:
        return (*named, "failed", *[""] * (len(HEADER) - len(named) - 1))
    return (
        *named,
        f"{result.wall:.2f}" if result.wall or result.instructions is None else "",
        _ratio(result.wall, own.wall) if own else "",
        f"{result.cpu:.2f}" if result.cpu else "",
        "" if result.fit is None else f"{result.fit:.2f}",
        _ratio(result.fit, own.fit) if own else "",
        "" if result.memory is None else f"{result.memory / MEGABYTE:,.0f} MB",
        "" if result.leaves is None else f"{result.leaves:,}",
        "" if result.accuracy is None else f"{result.accuracy:.4f}",
        "" if result.instructions is None else f"{result.instructions / MILLION:,.0f} M",
    )


def _ratio(theirs: float | None, ours: float | None) -> str:
    return f"{theirs / ours:.1f} ×" if theirs and ours else ""
