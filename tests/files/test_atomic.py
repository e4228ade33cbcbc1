"""Several files that appear together or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from treecli.files import atomic


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    old, new, folder = tmp_path / "old", tmp_path / "new", tmp_path / "folder"
    old.write_bytes(b"old")
    (folder / "within").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        atomic.replace_all({old: [b"1"], new: [b"2"], folder: [b"3"]})  # a folder with files is not replaced
    assert old.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "old"]
    atomic.replace_all({old: [b"1"], new: [b"2"]})
    assert (old.read_bytes(), new.read_bytes()) == (b"1", b"2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "new", "old"]


def test_none_of_the_files_is_written_if_one_exists_and_must_not_be_overwritten(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"old")
    with pytest.raises(FileExistsError):
        atomic.replace_all({new: [b"1"], old: [b"2"]}, may_overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert old.read_bytes() == b"old"
