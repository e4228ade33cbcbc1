"""Strategies for data files: CSV and ARFF texts whose cells, shapes and bytes are unusual."""

from __future__ import annotations

from hypothesis import strategies as st

NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "7",
    "-1",
    "-0",
    "+5",
    ".5",
    "5.",
    "1e5",
    "1E-5",
    "0.1",
    "2.5",
    "-999",
    "-999.0",
    "1e400",
    "-1e400",
    "1e-400",
    "1e308",
    "1e200",
    "4.9e-324",
    "0.30000000000000004",
    "9007199254740993",
    "123456789012345678901234567890",
    "1e22",
    "1e23",
    "8.41e21",
)
WORDS = (
    "a",
    "b",
    "c",
    "yes",
    "no",
    "NA",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "None",
    "true",
    "1_000",
    "0x10",
    "1,5",
    "1e",
    "1e+",
    "--",
    "+",
    ".",
    "??",
    "'?'",
    "é",
    "ä",
    "日本",
    "İ",
    *("", "?", " ", "\t", "a b", " a", "a ", "\u00a0", "\u00a0a", "a\u2003", "\u200b", "\x1b[31m", "\x85", "\x7f"),
)
QUOTED = ('"a"', '" a"', '"a "', '"a,b"', '"a""b"', '"a\nb"', '""', '"?"', '"5"', '" 5"', '"', 'a"b', '"a"b', "'a'")
ARFF_CELLS = ("'a b'", "'a\\'b'", "'\\u00e9'", "'\\t'", "\\", "'\\", "{", "}", "%", "a%b", "'?'", "'", '"', "{1 2}")


def cells(extra: tuple[str, ...] = ()) -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(NUMBERS),
        st.sampled_from(WORDS),
        st.sampled_from(QUOTED + extra),
        st.floats().map(repr),
        st.text(max_size=3),
    )


@st.composite
def mutated(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes, as they are three times of four, else with some of them replaced, removed or repeated."""
    if not data or draw(st.integers(0, 3)):
        return data
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        stop = min(len(data), start + draw(st.integers(0, 4)))
        middle = draw(st.one_of(st.binary(max_size=3), st.just(data[start:stop] * 3), st.just(b"\n"), st.just(b"\r")))
        data = data[:start] + middle + data[stop:]
    return data


@st.composite
def rows(draw: st.DrawFn, n_columns: int, delimiter: str, extra: tuple[str, ...] = ()) -> str:
    """Lines of cells: some columns hold numbers alone, and the lines may be repeated beyond the readers' limits."""
    of_column = [
        draw(st.sampled_from([cells(extra), st.sampled_from(NUMBERS), st.sampled_from("abc")]))
        for _ in range(n_columns)
    ]
    lines = draw(st.lists(st.tuples(*of_column).map(delimiter.join), max_size=8))
    end = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]))
    text = "".join(line + end for line in lines)
    n_repeats = draw(st.sampled_from([1, 1, 1, 1, 1, 1, 1, 2500]))
    return text * n_repeats + (draw(st.sampled_from(["", "\n", "a"])) if lines else "")


@st.composite
def csv_files(draw: st.DrawFn) -> tuple[bytes, list[str]]:
    """The bytes of a CSV file, and options to read it with."""
    delimiter = draw(st.sampled_from([",", ",", ",", ";", "\t", " ", "|"]))
    n_columns = draw(st.integers(1, 4))
    names = draw(st.lists(st.one_of(st.sampled_from("wxyz"), cells()), min_size=n_columns, max_size=n_columns))
    header = draw(st.booleans())
    text = (delimiter.join(names) + "\n" if header else "") + draw(rows(n_columns, delimiter))
    options = [] if header else ["--no-header"]
    if delimiter != "," and draw(st.integers(0, 3)):
        options += ["--delimiter", delimiter]
    for missing in draw(st.lists(st.sampled_from(["", "?", "NA", "-999", " ", "1", "a"]), max_size=2)):
        options += ["--na", missing]
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8", "latin-1", "utf-16", "utf-8-sig"]))
    if encoding != "utf-8":
        options += ["--encoding", encoding]
    return draw(mutated(text.encode(encoding, errors="replace"))), options


ARFF_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("numeric", NUMBERS),
    ("REAL", NUMBERS),
    ("integer", ("0", "1", "2", "-3", "1e2")),
    ("{a,b,c}", ("a", "b", "c", "'a'", "?", " a ")),
    ("{ a , 'b c', \"d\" }", ("a", "'b c'", "d", '"b c"', "?")),
    ("{1,2,3}", ("1", "2", "3", "?")),
    ("{'\\'','\\t',' x'}", ("'\\''", "'\\t'", "' x'")),
)
ODD_KINDS = ("string", "{}", "date", "{a", "{'a,b}", "{a,a}", "{a} % note", "relational", "", "numeric x")


@st.composite
def arff_files(draw: st.DrawFn) -> tuple[bytes, list[str]]:
    """The bytes of an ARFF file, and no options."""
    n_columns = draw(st.integers(1, 4))
    names = draw(st.permutations(["w", "x", "'a b'", '"q"', "'it\\'s'", "é"]))
    kinds = draw(st.lists(st.sampled_from(ARFF_KINDS), min_size=n_columns, max_size=n_columns))
    declared = [kind for kind, _ in kinds]
    if not draw(st.integers(0, 5)):
        declared[draw(st.integers(0, n_columns - 1))] = draw(st.sampled_from(ODD_KINDS))
    head = draw(st.sampled_from(["@relation r\n", "@relation r\n", "@RELATION 'a b'\n\n", "% note\n@relation r\n", ""]))
    attributes = "".join(f"@attribute {name} {kind}\n" for name, kind in zip(names, declared, strict=False))
    begin = draw(st.sampled_from(["@data\n", "@data\n", "@DATA\n", "@data % note\n", "@data"]))
    is_odd = not draw(st.integers(0, 3))
    extra = (*ARFF_CELLS, "0 1", "{0 1}", "{0 a, 1 b}", "{2}", "{1}")
    of_column = [
        st.one_of(st.sampled_from(values), cells(extra)) if is_odd else st.sampled_from(values) for _, values in kinds
    ]
    separator = draw(st.sampled_from([",", ",", "\t", ", "]))
    lines = draw(st.lists(st.tuples(*of_column).map(separator.join), min_size=1, max_size=8))
    body = "".join(line + "\n" for line in lines) * draw(st.sampled_from([1, 1, 1, 1, 1, 2500]))
    return draw(mutated((head + attributes + begin + body).encode(errors="replace"))), []
