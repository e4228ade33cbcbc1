"""Contract suite: the reader of the same name reads back the same values from every writer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treecli import plugins
from treecli.files.forms import of_family
from treecli.files.whole import write_whole
from treecli.intake import ReadOptions
from treecli.interchange.echo import echo_rows
from treecli.readers._source import open_source
from treecli.wording import number_text
from treecli.writers._sheet import Description, Field, Sheet

WRITERS = plugins.names("writers")
BOTH = sorted(set(WRITERS) & set(plugins.names("readers")))

# A file of delimited text has one line end, and no NUL; a text that means missing does so even in quotes.
TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\0"), min_size=1, max_size=8)
LABELS = TEXT.filter(lambda text: text.strip(" \t") not in {"", "?"})
ANY_LABELS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8)
AWKWARD = [
    "it's",
    " a",
    "a\t",
    "\u00a0a ",
    'say "hi"',
    "a, b",
    "50 %",
    "%",
    "{x}",
    "\\",
    "\\n",
    "a\\'b",
    "a\tb",
    "a\nb",
    "ż",
    "日本",
    "'",
    '"',
    "@data",
]
NUMBERS = st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-(10**6), 10**6).map(float))


def sheet_of(names: Sequence[str], labels: Sequence[str | None], numbers: Sequence[float | None]) -> Sheet:
    """A sheet of three columns: numbers, labels, and text of any kind."""
    known = tuple(dict.fromkeys(label for label in labels if label is not None))
    codes = np.array([-1 if label is None else known.index(label) for label in labels], np.int32)
    values = np.array([np.nan if number is None else number for number in numbers])
    fields = [
        Field(names[0], "numeric", (), values),
        Field(names[1], "nominal", known, codes),
        Field(names[2], "nominal", known, codes, is_free=True),
    ]
    rows = [
        ["?" if number is None else number_text(number), *["?" if label is None else label] * 2]
        for number, label in zip(numbers, labels, strict=True)
    ]
    return Sheet(names, rows, lambda: Description("a relation's name", fields, None))


def read_back(path: Path) -> tuple[list[str], list[list[float | str | None]]]:
    """The names and the values of the columns, as the reader of the format reads them."""
    source = open_source(str(path), ReadOptions())
    reader = plugins.load("readers", source.format)
    names, _ = reader.rows(source, ReadOptions())
    kinds = dict.fromkeys(names[1:], "nominal")
    columns: list[list[float | str | None]] = []
    for column in reader.read(source, ReadOptions(), kinds).columns:
        if column.labels is None:
            columns.append([None if np.isnan(value) else float(value) for value in column.values])
        else:
            columns.append([None if code < 0 else column.labels[code] for code in column.values.tolist()])
    return names, columns


def check(name: str, sheet: Sheet, labels: list[str | None], numbers: list[float | None]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"written{plugins.load('writers', name).SUFFIX}"
        write_whole(str(path), plugins.load("writers", name).write(sheet))
        names, columns = read_back(path)
    assert names == list(sheet.names)
    assert columns == [numbers, labels, labels]


@pytest.mark.parametrize("name", BOTH)
@settings(max_examples=40)
@given(data=st.data())
def test_what_is_written_reads_back_as_the_same_values(name: str, data: st.DataObject) -> None:
    free = ANY_LABELS if name == "arff" else LABELS
    labels = data.draw(st.lists(st.one_of(st.none(), free, st.sampled_from(AWKWARD)), min_size=1, max_size=8))
    numbers = data.draw(st.lists(NUMBERS, min_size=len(labels), max_size=len(labels)))
    names = data.draw(st.lists(LABELS, min_size=3, max_size=3, unique=True))
    if all(label is None for label in labels):
        labels[0] = "known"
    check(name, sheet_of(names, labels, numbers), labels, numbers)


@pytest.mark.parametrize("name", BOTH)
def test_awkward_labels_and_names_read_back(name: str) -> None:
    labels: list[str | None] = [*AWKWARD, None]
    numbers: list[float | None] = [*map(float, range(len(AWKWARD))), None]
    for first in range(len(AWKWARD) - 2):
        check(name, sheet_of(AWKWARD[first : first + 3], labels, numbers), labels, numbers)


def test_json_lines_hold_an_object_for_each_row() -> None:
    labels: list[str | None] = [*AWKWARD, None, "?"]
    numbers = [*map(float, range(len(AWKWARD))), None, 0.1]
    written = b"".join(plugins.load("writers", "jsonl").write(sheet_of(["x", 'a "name"', "c"], labels, numbers)))
    objects = [json.loads(line) for line in written.decode().split("\n")[:-1]]
    assert [list(row.values()) for row in objects] == [
        [number, label, label] for number, label in zip(numbers, labels, strict=True)
    ]
    assert list(objects[0]) == ["x", 'a "name"', "c"]


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("name", BOTH)
def test_a_suffix_compresses_and_the_same_rows_give_the_same_bytes(tmp_path: Path, name: str, suffix: str) -> None:
    if suffix == ".zst":
        pytest.importorskip("zstandard")
    written = []
    for attempt in ("first", "second"):
        path = tmp_path / f"{attempt}{plugins.load('writers', name).SUFFIX}{suffix}"
        write_whole(str(path), plugins.load("writers", name).write(sheet_of(["a", "b", "c"], ["x", None], [1.5, None])))
        written.append(path.read_bytes())
        assert read_back(path) == (["a", "b", "c"], [[1.5, None], ["x", None], ["x", None]])
    assert written[0] == written[1]


def test_numbers_keep_their_text() -> None:
    field = Field("a", "numeric", (), np.array([5.1, 100.0, 0.5, 1.5, np.inf]))
    rows = [["5.10"], ["1e2"], [".5"], ["1,5"], ["inf"]]
    written = {
        name: b"".join(
            plugins.load("writers", name).write(Sheet(["a"], rows, lambda: Description("r", [field], None)))
        ).decode()
        for name in ("csv", "arff", "jsonl")
    }
    assert written["csv"] == 'a\n5.10\n1e2\n.5\n"1,5"\ninf\n'
    assert written["arff"].partition("@data\n")[2] == "5.10\n1e2\n.5\n1.5\ninf\n"
    assert written["jsonl"] == '{"a": 5.10}\n{"a": 1e2}\n{"a": 0.5}\n{"a": 1.5}\n{"a": "inf"}\n'


def test_every_writer_has_a_suffix_of_its_own() -> None:
    assert sorted(of_family("writers").values()) == sorted(WRITERS)


def test_rows_as_written_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text('a,b\n1.50,"x, y"\n?,\n')
    names, rows = echo_rows(str(tmp_path / "data.csv"), ReadOptions())
    sheet = Sheet(names, rows, lambda: Description("", [], None))
    assert b"".join(plugins.load("writers", "csv").write(sheet)).decode() == 'a,b\n1.50,"x, y"\n?,\n'
