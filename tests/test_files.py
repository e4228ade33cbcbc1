"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from treecli.errors import UsageError
from treecli.files import write_whole


def cut_short(error: BaseException) -> Iterator[bytes]:
    yield b"the first half"
    raise error


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("a defect"), MemoryError()], ids=repr)
def test_whatever_ends_the_writing_the_old_file_stays_and_nothing_else(tmp_path: Path, error: BaseException) -> None:
    target = tmp_path / "model.json"
    target.write_text("old")
    with pytest.raises(type(error)):
        write_whole(str(target), cut_short(error))
    assert target.read_text() == "old"
    assert names(tmp_path) == ["model.json"]


def test_a_file_that_was_not_there_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "model.json"

    def pieces() -> Iterator[bytes]:
        yield b"one, "
        assert not target.exists()
        yield b"two"

    write_whole(str(target), pieces())
    assert target.read_bytes() == b"one, two"
    assert names(tmp_path) == ["model.json"]


def test_a_new_file_gets_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(str(tmp_path / "model.json"), [b"new"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model.json").stat().st_mode) == 0o640


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "model.json"
    target.write_text("old")
    target.chmod(0o604)
    write_whole(str(target), [b"new"])
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


def test_a_link_stays_a_link_and_what_it_names_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "real.json").write_text("old")
    (tmp_path / "latest.json").symlink_to("models/real.json")
    write_whole(str(tmp_path / "latest.json"), [b"new"])
    assert (tmp_path / "latest.json").is_symlink()
    assert (tmp_path / "models" / "real.json").read_text() == "new"
    assert names(tmp_path / "models") == ["real.json"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    # What /dev/null and /dev/stdout would suffer if they were renamed over, without risking those of this machine.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_whole(str(pipe), [b"one, ", b"two"])
    reader.join()
    assert received == [b"one, two"]
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("nowhere/model.json", "cannot be written: No such file or directory"),
        ("a file/model.json", "cannot be written: Not a directory"),
        ("a folder", "is a folder, expected a file's name"),
    ],
)
def test_a_place_that_cannot_hold_a_file_is_named(tmp_path: Path, name: str, found: str) -> None:
    (tmp_path / "a file").write_text("text")
    (tmp_path / "a folder").mkdir()
    with pytest.raises(UsageError) as caught:
        write_whole(str(tmp_path / name), [b"new"])
    assert caught.value.message == f"{tmp_path / name}: {found}"
    assert names(tmp_path) == ["a file", "a folder"]
