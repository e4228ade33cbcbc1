"""The parts of a file's name are those of pathlib."""

from __future__ import annotations

from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecli.files import names

PATHS = [
    "",
    ".",
    "..",
    "/",
    "a",
    "a.csv",
    "A.CSV",
    "a.csv.gz",
    "x/a.csv",
    "x.d/a",
    ".bashrc",
    "a.",
    "a..b",
    "x/a.csv/",
    "x/a.b/.",
]


@pytest.mark.parametrize("path", PATHS)
def test_names_stems_and_suffixes_are_those_of_pathlib(path: str) -> None:
    expected = PurePath(path)
    assert names.name_of(path) == expected.name
    if path != "a.":  # pathlib changed its mind in Python 3.14
        assert names.stem_of(path) == expected.stem
        assert names.suffix_of(path) == expected.suffix.lower()


@given(st.text(alphabet="ab./ ", max_size=8))
def test_the_name_of_any_path_is_that_of_pathlib(path: str) -> None:
    assert names.name_of(path) == PurePath(path).name
