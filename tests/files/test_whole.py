"""Files are written completely or not at all."""

from __future__ import annotations

import ast
import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

import treecli
from treecli.errors import UsageError
from treecli.files import guard
from treecli.files.whole import write_whole


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


def test_a_link_is_kept_and_its_target_is_replaced(tmp_path: Path) -> None:
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


def test_a_name_as_long_as_the_system_allows_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("é" * 127)  # 254 bytes of 255
    write_whole(str(target), [b"new"])
    assert target.read_bytes() == b"new"


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: File name too long"):
        write_whole(str(tmp_path / ("m" * 256)), [b"new"])


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        write_whole("", [b"new"])
    assert caught.value.message == "-o: found an empty name, expected a file's name"


def killed_while_writing(target: Path) -> None:
    """Leaves what a writer leaves that is killed in the middle."""
    child = os.fork()
    if not child:
        write_whole(str(target), (os.kill(os.getpid(), signal.SIGKILL) or b"" for _ in "x"))
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def test_the_next_write_to_a_name_removes_the_leftovers_of_a_killed_writer(tmp_path: Path) -> None:
    killed_while_writing(tmp_path / "model.json")
    killed_while_writing(tmp_path / "other.json")
    assert len(names(tmp_path)) == 2
    write_whole(str(tmp_path / "model.json"), [b"new"])
    assert len(names(tmp_path)) == 2, "what belongs to another file is left alone"
    write_whole(str(tmp_path / "other.json"), [b"new"])
    assert names(tmp_path) == ["model.json", "other.json"]


def test_two_writers_of_one_name_leave_each_other_alone(tmp_path: Path) -> None:
    target = tmp_path / "model.json"

    def interrupted_by_another() -> Iterator[bytes]:
        yield b"first, "
        write_whole(str(target), [b"second"])
        assert target.read_bytes() == b"second"
        yield b"and complete"

    write_whole(str(target), interrupted_by_another())
    assert target.read_bytes() == b"first, and complete"
    assert names(tmp_path) == ["model.json"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_process_leaves_no_temporary_file(tmp_path: Path, number: int) -> None:
    child = os.fork()
    if not child:
        signal.signal(number, signal.SIG_DFL)
        write_whole(str(tmp_path / "model.json"), (os.kill(os.getpid(), number) or b"" for _ in "x"))
        os._exit(1)
    assert os.waitpid(child, 0)[1] == number
    assert names(tmp_path) == []


def test_an_ignored_hangup_stays_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        write_whole(str(tmp_path / "model.json"), (os.kill(os.getpid(), signal.SIGHUP) or b"x" for _ in "x"))
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert names(tmp_path) == ["model.json"]


def test_no_clobber_writes_new_files_and_keeps_existing_ones(tmp_path: Path) -> None:
    with guard.guarded():
        guard.refuse_to_overwrite()
        write_whole(str(tmp_path / "model.json"), [b"first"])
        with pytest.raises(UsageError, match="exists and is not overwritten"):
            write_whole(str(tmp_path / "model.json"), [b"second"])
    assert (tmp_path / "model.json").read_bytes() == b"first"
    assert names(tmp_path) == ["model.json"]


def test_no_clobber_keeps_a_file_that_appears_while_it_writes(tmp_path: Path) -> None:
    target = tmp_path / "model.json"

    def overtaken() -> Iterator[bytes]:
        yield b"late"
        target.write_bytes(b"first")

    with guard.guarded():
        guard.refuse_to_overwrite()
        with pytest.raises(UsageError, match="exists and is not overwritten"):
            write_whole(str(target), overtaken())
    assert target.read_bytes() == b"first"
    assert names(tmp_path) == ["model.json"]


def test_a_file_that_was_opened_for_reading_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_bytes(b"a,b\n")
    os.link(tmp_path / "data.csv", tmp_path / "same.csv")
    with guard.guarded():
        with guard.open_input(str(tmp_path / "data.csv")) as stream:
            stream.read()
        with pytest.raises(UsageError, match=r"same\.csv: is read by this command and would be overwritten"):
            write_whole(str(tmp_path / "same.csv"), [b"new"])
    write_whole(str(tmp_path / "same.csv"), [b"new"])  # the next command may
    assert (tmp_path / "data.csv").read_bytes() == b"a,b\n"


# What opens files that users name. Whatever reads such a file asks guard for it.
READERS = [
    path
    for path in Path(treecli.__file__).parent.rglob("*.py")
    if path.parent.name in {"commands", "models", "readers", "rules"}
    or path.name in {"intake.py", "options.py", "recipe.py"}
]


@pytest.mark.parametrize("path", READERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_files_are_opened_for_reading_in_one_place(path: Path) -> None:
    opening = {"open", "read_bytes", "read_text"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            if name in opening:
                modes = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
                assert {"wb", "a+b"} & set(modes), f"{path.name}:{node.lineno}: use guard.open_input"
