"""The sample files agree with sample_data/README.md."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

SAMPLE_DATA = Path(__file__).parent.parent / "sample_data"
DATA_FILES = sorted(path.name for path in SAMPLE_DATA.iterdir() if path.name != "README.md")

Rows = list[list[str]]


def read_csv(name: str) -> tuple[list[str], Rows]:
    """The header and the rows of a sample, as text."""
    with (SAMPLE_DATA / name).open(newline="") as lines:
        header, *rows = csv.reader(lines)
    return header, rows


def read_arff(name: str) -> tuple[dict[str, list[str] | None], Rows]:
    """The declared labels of each attribute (None: numeric) and the rows of a sample, as text.

    The samples use neither quotes nor sparse rows; ARFF in full is the reader's business, and tested there.
    """
    header, data = (SAMPLE_DATA / name).read_text().split("@data\n")
    declarations = re.findall(r"^@attribute (\S+) (?:numeric|\{(.*)\})$", header, flags=re.MULTILINE)
    labels = {
        attribute: [label.strip() for label in declared.split(",")] if declared else None
        for attribute, declared in declarations
    }
    return labels, [line.split(",") for line in data.splitlines()]


def read_rows(name: str) -> tuple[list[str], Rows]:
    """The attributes' names and the rows of a sample in either format."""
    if name.endswith(".csv"):
        return read_csv(name)
    labels, rows = read_arff(name)
    return list(labels), rows


# Where a source states the counts, they are the source's: playtennis (Mitchell 1997), iris, vote and monks (the
# .names files of the UCI repository). The small tables were counted by hand.
@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("playtennis.csv", {"No": 5, "Yes": 9}),
        ("playtennis.arff", {"No": 5, "Yes": 9}),
        ("courses.csv", {"y": 12, "n": 8}),
        ("courses-rating.csv", {"2": 5, "1": 3, "0": 4, "-1": 4, "-2": 4}),
        ("shapes.csv", {"+": 1, "-": 5}),
        ("shapes-disjunctive.csv", {"YES": 3, "NO": 2}),
        ("sxl.csv", {"no": 2, "yes": 2}),
        ("iris.csv", {"Iris-setosa": 50, "Iris-versicolor": 50, "Iris-virginica": 50}),
        ("iris.arff", {"Iris-setosa": 50, "Iris-versicolor": 50, "Iris-virginica": 50}),
        ("vote.arff", {"democrat": 267, "republican": 168}),
        ("titanic.csv", {"No": 10, "Yes": 14}),
        ("monks-1.arff", {"0": 216, "1": 216}),
        ("monks-2.arff", {"0": 290, "1": 142}),
        ("monks-3.arff", {"0": 204, "1": 228}),
    ],
)
def test_each_class_has_as_many_rows_as_in_its_source(name: str, classes: dict[str, int]) -> None:
    _, rows = read_rows(name)
    assert Counter(row[-1] for row in rows) == classes


@pytest.mark.parametrize("name", DATA_FILES)
def test_every_row_has_a_value_for_every_attribute(name: str) -> None:
    header, rows = read_rows(name)
    assert {len(row) for row in rows} == {len(header)}
    assert all(value and value == value.strip() for row in rows for value in row)


@pytest.mark.parametrize("name", [name for name in DATA_FILES if name.endswith(".arff")])
def test_an_arff_sample_declares_exactly_the_labels_that_occur(name: str) -> None:
    labels, rows = read_arff(name)
    for column, declared in enumerate(labels.values()):
        if declared is not None:
            assert {row[column] for row in rows} - {"?"} == set(declared)


@pytest.mark.parametrize("stem", ["playtennis", "iris"])
def test_csv_and_arff_of_one_name_hold_the_same_rows_and_order_of_labels(stem: str) -> None:
    header, rows = read_csv(f"{stem}.csv")
    labels, arff_rows = read_arff(f"{stem}.arff")
    assert header == list(labels)
    assert rows == arff_rows
    for column, declared in enumerate(labels.values()):
        # In a CSV file labels are numbered by first appearance: equal orders give equal trees, ties included.
        assert declared is None or declared == list(dict.fromkeys(row[column] for row in rows))


# The definitions of Thrun et al. 1991; a1 .. a6 are robot[0] .. robot[5].
@pytest.mark.parametrize(
    ("name", "is_member"),
    [
        ("monks-1.arff", lambda robot: robot[0] == robot[1] or robot[4] == 1),
        ("monks-2.arff", lambda robot: robot.count(1) == 2),
        (
            "monks-3.arff",
            lambda robot: (robot[4] == 3 and robot[3] == 1) or (robot[4] != 4 and robot[1] != 3),
        ),
    ],
)
def test_the_monks_are_all_robots_classified_by_their_definition(
    name: str, is_member: Callable[[tuple[int, ...]], bool]
) -> None:
    labels, rows = read_arff(name)
    assert list(labels) == ["a1", "a2", "a3", "a4", "a5", "a6", "class"]
    n_labels = (3, 3, 2, 3, 4, 2)
    robots = product(*(range(1, n + 1) for n in n_labels))
    assert rows == [[*map(str, robot), str(int(is_member(robot)))] for robot in robots]


def test_a_course_is_liked_where_its_rating_is_not_negative() -> None:
    header, liked = read_csv("courses.csv")
    rating_header, ratings = read_csv("courses-rating.csv")
    assert header[:-1] == rating_header[:-1]
    assert liked == [[*row[:-1], "y" if int(row[-1]) >= 0 else "n"] for row in ratings]


def test_survival_of_the_flies_is_the_exclusive_or() -> None:
    _, rows = read_csv("sxl.csv")
    assert len({(female, active) for female, active, _ in rows}) == 4
    assert all((female != active) == (survival == "yes") for female, active, survival in rows)


def test_the_titanic_carried_2201_people_and_711_survived() -> None:
    # Dawson 1995; R's datasets::Titanic has the same margins.
    header, rows = read_csv("titanic.csv")
    assert header == ["Count", "Class", "Sex", "Age", "Survived"]
    by_class: Counter[str] = Counter()
    for row in rows:
        by_class[row[1]] += int(row[0])
    assert by_class == {"1st": 325, "2nd": 285, "3rd": 706, "Crew": 885}
    assert sum(int(row[0]) for row in rows if row[-1] == "Yes") == 711
    assert len({tuple(row[1:]) for row in rows}) == len(rows) == 24


def test_the_votes_lack_392_values_in_203_rows() -> None:
    # UCI, house-votes-84.names, lists the missing values of each attribute; they sum to 392.
    _, rows = read_arff("vote.arff")
    assert sum(row.count("?") for row in rows) == 392
    assert sum("?" in row for row in rows) == 203


def test_the_computers_are_209_rows_of_whole_numbers() -> None:
    # UCI, machine.names: 209 instances; published performance has minimum 6, maximum 1150, mean 105.6.
    header, rows = read_csv("cpu.csv")
    performance = [int(row[-1]) for row in rows]
    assert (len(rows), header[-1]) == (209, "performance")
    assert (min(performance), max(performance)) == (6, 1150)
    assert sum(performance) / len(performance) == pytest.approx(105.6, abs=0.05)


def test_the_table_lists_every_file_once_with_its_number_of_rows() -> None:
    table = re.findall(r"^\| (`.*?`) \| (\d+)", (SAMPLE_DATA / "README.md").read_text(), flags=re.MULTILINE)
    rows_of = {name: int(rows) for names, rows in table for name in re.findall(r"`(\S+?)`", names)}
    assert rows_of == {name: len(read_rows(name)[1]) for name in DATA_FILES}
