"""The columns of delimited text, in every implementation of reading."""

from __future__ import annotations

import numpy as np
import pytest

from tests.readers.ways import cell_by_cell, in_every_way
from treecli.readers._rows import Dialect

CSV = Dialect(",", '"', frozenset({"", "?"}))


@in_every_way
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2.5", "?"], [1.0, 2.5, None]),
        (["007", "1e5", "+1"], [7.0, 1e5, 1.0]),
        (["inf", "-Infinity", "1"], [float("inf"), float("-inf"), 1.0]),
        (['"1"', '" 2 "', '"?"'], [1.0, 2.0, None]),
        (["nan", "1", "2"], ["nan", "1", "2"]),
        (["1_000", "1", "2"], ["1_000", "1", "2"]),
        (["NA", "None", "null"], ["NA", "None", "null"]),
        (["true", "FALSE", "True"], ["true", "FALSE", "True"]),
        (["2020-01-01", "?", ""], ["2020-01-01", None, None]),
        ([" x ", "x", " ? "], ["x", "x", None]),
        (['" x "', "x", '" ? "'], [" x ", "x", None]),
        (["\u00a0x", '"\u00a0"', "5\u00a0"], ["\u00a0x", "\u00a0", "5\u00a0"]),
        (["?", "", "?"], [None, None, None]),
    ],
)
def test_a_column_is_numeric_only_if_every_known_cell_is_a_decimal_number(way, cells, expected):
    body = "".join(f"{cell},end\n" for cell in cells)
    assert cell_by_cell(*way(body, 2, CSV)[0]) == expected


@in_every_way
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1,5", "2", "-,5"], [1.5, 2.0, -0.5]),
        (['"1,5"', " 1e2 ", "?"], [1.5, 100.0, None]),
        (["1.5", "2", "3"], ["1.5", "2", "3"]),
        (["1.000,5", "2", "3"], ["1.000,5", "2", "3"]),
    ],
)
def test_numbers_may_have_decimal_commas(way, cells, expected):
    body = "".join(f"{cell};end\n" for cell in cells)
    assert cell_by_cell(*way(body, 2, CSV._replace(delimiter=";", decimal=","))[0]) == expected


@in_every_way
@pytest.mark.parametrize("missing_text", ["-999", " -999 "])
def test_a_number_that_means_missing_does_so_beside_blanks(way, missing_text):
    from treecli.readers._table import trimmed

    dialect = Dialect(",", '"', trimmed([missing_text]))
    body = "".join(f"{cell},end\n" for cell in ["-999", " -999", "-999\t", '"-999"', '" -999"', "-999.0", "1"])
    assert cell_by_cell(*way(body, 2, dialect)[0]) == [None, None, None, None, None, -999.0, 1.0]


@in_every_way
def test_numbers_are_the_nearest_doubles(way):
    # 0.1 + 0.2 and its neighbours, a halfway case (2^53 + 1), more digits than a double holds, and a negative zero.
    texts = [
        "0.30000000000000004",
        "0.3",
        "9007199254740993.0",
        "0.1000000000000000055511151231257827",
        "+8798595254025871096.4909336576335479626",
        "4.35",
        "5e-324",
        "-0",
    ]
    values, labels = way("".join(f"{text},end\n" for text in texts), 2, CSV)[0]
    assert labels is None
    assert list(map(repr, values.tolist())) == [repr(float(text)) for text in texts]


@in_every_way
def test_columns_can_be_written_to_as_the_kernels_want_it(way):
    assert all(values.flags.writeable for values, _ in way("1.5,a\n2.5,b\n", 2, CSV))


@in_every_way
def test_labels_come_in_order_of_first_appearance(way):
    codes, labels = way("b,1\na,1\nb,1\nc,1\n", 2, CSV)[0]
    assert (labels, codes.tolist(), codes.dtype) == (("b", "a", "c"), [0, 1, 0, 2], np.int32)


@in_every_way
def test_numbers_kept_as_text_keep_their_text(way):
    _, labels = way("007,1\n7.0,1\n1e5,1\n", 2, CSV, {0})[0]
    assert labels == ("007", "7.0", "1e5")


@in_every_way
@pytest.mark.parametrize(
    ("last", "expected"),
    [("8", 8.0), ("?", None), (" 8 ", 8.0), ("nan", "nan"), ("x", "x"), ('"8"', 8.0), ('"y"', "y"), ('"8""', None)],
)
def test_a_column_that_begins_with_numbers_may_end_otherwise(way, last, expected):
    columns = way("7,a\n" * 20 + f"{last},a\n", 2, CSV, limit=20)
    if last == '"8""':
        assert columns is None
        return
    column = cell_by_cell(*columns[0])
    assert column[-1] == expected
    assert column[0] == ("7" if isinstance(expected, str) else 7.0)


@in_every_way
@pytest.mark.parametrize("text", ["1,2\n3\n", "1,2\n3,4,5\n", '1,"a\n', '1,"a""\n', "\n \n", ""])
def test_text_out_of_shape_has_no_columns(way, text):
    assert way(text, 2, CSV) is None
