"""The tables of docs/algorithms.md are those that `make algorithms` prints, except for the times."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import algorithms

PAGE = Path(__file__).parents[1] / "docs" / "algorithms.md"

TABLES = [
    (algorithms.CLASS_SETS, algorithms.CLASS_METHODS),
    (algorithms.NUMBER_SETS, algorithms.NUMBER_METHODS),
]


def shown() -> list[list[list[str]]]:
    """The cells of the tables on the page that begin with the options of train."""
    found: list[list[list[str]]] = []
    is_inside = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| options of `train` |"):
            found.append([])
            is_inside = True
        is_inside = is_inside and line.startswith("|")
        if is_inside and not line.startswith("|---"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def test_the_page_has_the_rows_and_columns_that_the_program_prints() -> None:
    tables = shown()
    assert len(tables) == len(TABLES)
    for table, (sets, methods) in zip(tables, TABLES, strict=True):
        assert table[0] == ["options of `train`", *sets, "seconds"]
        assert [row[0] for row in table[1:]] == [f"`{method}`" if method else "the defaults" for method in methods]
        assert {len(row) for row in table} == {len(sets) + 2}


@pytest.mark.parametrize(
    ("number", "name", "method"),
    [
        (0, "playtennis", ""),
        (0, "playtennis", "--splits linear"),
        (0, "iris", "--splits linear"),
        (1, "cpu", "--like m5p"),
        (1, "cpu", "--leaf-model linear"),
    ],
)
def test_the_page_has_the_figures_that_the_program_prints(number: int, name: str, method: str) -> None:
    sets, methods = TABLES[number]
    table = shown()[number]
    cell = table[1 + methods.index(method)][1 + list(sets).index(name)]
    assert algorithms.measured(sets[name], method)[0] == cell
