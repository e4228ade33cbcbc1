"""A file that is converted and converted back has the same content."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from treecli.cli.app import run
from treecli.readers import arff
from treecli.readers._source import ReadOptions, open_source

# CSV and ARFF have no carriage returns inside of cells, and no file has NUL or half of a character.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=6)
TRICKY = st.sampled_from(["", "?", " ", "a b", "'", '"', "a,b", "1", "0.10", "NA", "%", "{", "\\", "a\nb", "ü", "x;y"])
LABELS = st.lists(TRICKY | TEXTS, min_size=1, max_size=4, unique=True)
NUMBERS = st.sampled_from(["0.10", "1", "1.0", "-0", "1e5", "1E-3", ".5", "+2", "12345678901234567890", "0.1", "5."])
NAMES = st.lists(TRICKY.filter(str.strip) | TEXTS.filter(str.strip), min_size=1, max_size=4, unique=True)


def convert(folder: str, *arguments: str) -> None:
    """Runs the command in a folder; it must succeed."""
    err = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stderr(err):
        assert run(["convert", *arguments]) == 0, err.getvalue()


def quoted(text: str) -> str:
    """An ARFF token, written without the program's help."""
    named = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t"}
    return "'" + "".join(named.get(c, c) for c in text) + "'"


@st.composite
def arff_files(draw: st.DrawFn) -> str:
    """An ARFF file with numbers, labels, texts, missing values, sometimes weights."""
    names = draw(NAMES)
    n_rows = draw(st.integers(1, 5))
    lines, columns = [f"@relation {quoted(draw(TEXTS) or 'r')}"], []
    for name in names:
        kind = draw(st.sampled_from(["numeric", "REAL", "integer", "string", "nominal"]))
        labels = draw(LABELS)
        cells = NUMBERS if kind in {"numeric", "REAL", "integer"} else st.sampled_from(list(map(quoted, labels)))
        columns.append(draw(st.lists(cells | st.just("?"), min_size=n_rows, max_size=n_rows)))
        lines.append(
            f"@attribute {quoted(name)} {f'{{{chr(44).join(map(quoted, labels))}}}' if kind == 'nominal' else kind}"
        )
    weights = draw(st.none() | st.lists(st.sampled_from(["1", "0.5"]), min_size=n_rows, max_size=n_rows))
    rows = [",".join(cells) for cells in zip(*columns, strict=True)]
    if weights is not None:
        rows = [f"{row}, {{{weight}}}" for row, weight in zip(rows, weights, strict=True)]
    return "\n".join([*lines, "@data", *rows, ""])


TYPES: list[tuple[Any, list[Any]]] = [
    (pyarrow.int8(), [1, -2]),
    (pyarrow.int64(), [9007199254740993, 0]),
    (pyarrow.float32(), [0.1, 1e30]),
    (pyarrow.float64(), [0.1, 1e300, -0.0]),
    (pyarrow.bool_(), [True, False]),
    (pyarrow.string(), ["", "?", "a,b", " x ", "1", "a\nb"]),
    (pyarrow.large_string(), ["a", "b"]),
    (pyarrow.date32(), [0, 20000]),
    (pyarrow.timestamp("us", "UTC"), [0, 1700000000000000]),
    (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), ["b", "a"]),
    (pyarrow.dictionary(pyarrow.int32(), pyarrow.string(), ordered=True), ["low", "high"]),
]


@st.composite
def arrow_tables(draw: st.DrawFn) -> Any:
    """A table of typed columns with nulls."""
    names = draw(NAMES)
    n_rows = draw(st.integers(1, 5))
    columns = []
    for _ in names:
        arrow_type, values = draw(st.sampled_from(TYPES))
        cells = draw(st.lists(st.sampled_from([*values, None]), min_size=n_rows, max_size=n_rows))
        if pyarrow.types.is_dictionary(arrow_type):
            # The labels in another order than that of the rows, and one that does not occur.
            labels = [*values, "unused"]
            codes = pyarrow.array(
                [None if cell is None else labels.index(cell) for cell in cells], arrow_type.index_type
            )
            columns.append(pyarrow.DictionaryArray.from_arrays(codes, labels, ordered=arrow_type.ordered))
        else:
            columns.append(pyarrow.array(cells, arrow_type))
    return pyarrow.table(columns, names=names)


@contextlib.contextmanager
def folder_with(name: str, content: str | Any) -> Iterator[str]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8", newline="")
        else:
            parquet.write_table(content, path)
        yield folder


@pytest.mark.parametrize("other", ["b.parquet", "b.csv", "b.tsv"])
@given(text=arff_files())
def test_arff_comes_back_byte_for_byte(other: str, text: str) -> None:
    with folder_with("given.arff", text) as folder:
        convert(folder, "given.arff", "a.arff")  # without the spacing and quotes that are not kept
        schema = () if other == "b.parquet" else ("--schema", "s.json")
        convert(folder, "a.arff", other, *schema, "--strict")
        convert(folder, other, "again.arff", *schema)
        assert (Path(folder) / "again.arff").read_bytes() == (Path(folder) / "a.arff").read_bytes()


@pytest.mark.parametrize("other", ["b.arff", "b.csv", "b.tsv"])
@given(table=arrow_tables())
def test_parquet_comes_back_with_its_types_values_and_dictionaries(other: str, table: Any) -> None:
    with folder_with("a.parquet", table) as folder:
        schema = () if other == "b.arff" else ("--schema", "s.json")
        convert(folder, "a.parquet", other, *schema, "--strict")
        convert(folder, other, "again.parquet", *schema)
        first, again = (parquet.read_table(Path(folder) / name) for name in ("a.parquet", "again.parquet"))
        assert again.schema.equals(first.schema, check_metadata=True)
        assert again.to_pydict() == first.to_pydict()
        for name in first.column_names:
            if pyarrow.types.is_dictionary(first.schema.field(name).type):
                assert again[name].chunk(0).dictionary.equals(first[name].chunk(0).dictionary)


@pytest.mark.parametrize("other", ["b.arff", "b.parquet"])
@given(text=arff_files())
def test_csv_with_its_schema_comes_back_byte_for_byte(other: str, text: str) -> None:
    with folder_with("given.arff", text) as folder:
        convert(folder, "given.arff", "a.csv", "--schema", "s.json")
        convert(folder, "a.csv", other, "--schema", "s.json")
        convert(folder, other, "again.csv", "--schema", "t.json", "--strict")
        for before, after in (("a.csv", "again.csv"), ("s.json", "t.json")):
            assert (Path(folder) / after).read_bytes() == (Path(folder) / before).read_bytes()


@given(text=arff_files())
def test_arff_written_again_has_the_same_cells_and_declarations(text: str) -> None:
    with folder_with("given.arff", text) as folder:
        convert(folder, "given.arff", "a.arff")
        first, again = (arff_content(Path(folder) / name) for name in ("given.arff", "a.arff"))
        assert again == first


def arff_content(path: Path) -> tuple[Any, ...]:
    """The names, labels, codes, cells and weights of a file, as the reader of `train` sees them."""
    source = open_source(str(path), ReadOptions())
    table = arff.read(source, ReadOptions(), {})
    _, rows = arff.rows(source, ReadOptions())
    title, types = arff.native(source, ReadOptions())
    columns = [(column.name, column.labels, column.declared) for column in table.columns]
    values = [repr(column.values.tolist()) for column in table.columns]
    return columns, values, list(rows), title, list(types), None if table.weights is None else table.weights.tolist()
