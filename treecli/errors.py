"""All errors that a user can act on."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence


class TreecliError(Exception):
    """An error: what was found, what was expected, and a hint if there is one."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class CheckError(TreecliError):
    """A requested check failed."""

    exit_code = 1


class GateError(CheckError):
    """Several requested checks may have failed; each failure is reported on its own line."""

    def __init__(self, failures: Sequence[str]) -> None:
        super().__init__("; ".join(failures))
        self.failures = tuple(failures)


class UsageError(TreecliError):
    """The command line is invalid."""

    exit_code = 2


class DataError(TreecliError):
    """A data file cannot be used."""

    exit_code = 3


class ModelError(TreecliError):
    """A model file cannot be used."""

    exit_code = 4


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint with the closest known word, or None if no word is close."""
    near = nearest(word, {name: name for name in known})
    return None if near is None else f"did you mean '{near}'?"


def nearest(word: str, known: Mapping[str, str]) -> str | None:
    """The value of the closest known word, or None if no word is close."""
    from difflib import get_close_matches

    by_folded = {name.casefold(): own for name, own in known.items()}
    close = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def nearby_file(path: str, suffixes: Collection[str]) -> str | None:
    """A hint with a similarly named file that has one of these suffixes, or None if no name is close.

    Names are compared without suffix: otherwise all short names with the same suffix would be close.
    """
    folder, name = os.path.split(path)
    if not os.path.isdir(folder or os.curdir):
        return None
    files = [file for file in sorted(os.listdir(folder or os.curdir)) if _has_suffix(file, suffixes)]
    near = did_you_mean(_stem(name), [_stem(file) for file in files])
    if near is None:
        return None
    # Among files with that stem, the one whose whole name is closest.
    return did_you_mean(name, [file for file in files if f"'{_stem(file)}'" in near])


def _stem(name: str) -> str:
    return name.lstrip(".").partition(".")[0]


def _has_suffix(name: str, suffixes: Collection[str]) -> bool:
    return any(f".{part}".lower() in suffixes for part in name.split(".")[1:])
