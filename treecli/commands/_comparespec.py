"""The learners and data sets of a comparison, from options and from a TOML file."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import dirname, join
from typing import TYPE_CHECKING, Any

from treecli.errors import UsageError, did_you_mean
from treecli.experiment.comparison import Learner, Source
from treecli.experiment.folds import LEAVE_ONE_OUT, LIKE, Division
from treecli.files import forms, guard
from treecli.recipe import Recipe

if TYPE_CHECKING:
    from treecli.commands._compareoptions import Named
    from treecli.intake import ReadOptions

KEYS = ("folds", "repeats", "seed", "folds-like", "base", "measures", "learners", "datasets")
"""The keys of a specification file."""

OF_DATASET = ("file", "name", "target", "ignore", "keep", "weights", "type")
"""The keys of a data set in a specification file."""

KIND = re.compile(r"numeric|nominal|ordinal:.+", re.DOTALL)
"""The kinds of a column, as in --type."""

WITHOUT_EFFECT = ("competitors", "ties")
"""Options of `train` that change no tree."""


@dataclass(frozen=True, slots=True)
class FromFile:
    """The content of a specification file; None for entries that it does not have."""

    folder: str = ""
    n_folds: int | str | None = None
    repeats: int | None = None
    seed: int | None = None
    folds_like: str | None = None
    base: str | None = None
    measures: tuple[str, ...] = ()
    learners: tuple[tuple[str, str], ...] = ()
    datasets: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """A requested comparison: data sets and learners, possibly those of a results file, and the folds."""

    sources: tuple[Source, ...]
    learners: tuple[tuple[str, str], ...]
    division: Division
    measures: tuple[str, ...]
    base: str | None
    spec_path: str | None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is named: a results file is reported again."""
        return not self.sources and not self.learners

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that are read."""
        own = () if self.spec_path is None else (self.spec_path,)
        return (*own, *(source.path for source in self.sources))


def requested(named: Named, reading: ReadOptions, division: Division, given: Collection[str]) -> Request:
    """Return the request of the options and the specification file; the options that were `given` count first."""
    spec = FromFile() if named.spec_path is None else read_spec(named.spec_path)
    seed = spec.seed if "seed" not in given and spec.seed is not None else named.seed
    return Request(
        tuple(sources_of(named.data_paths, spec, reading)),
        (*map(learner_of, named.learner_texts), *spec.learners),
        division_of(given, spec, division, seed),
        spec.measures,
        spec.base,
        named.spec_path,
    )


def read_spec(path: str) -> FromFile:
    """Return the content of a specification file; raise a UsageError that names the file and the key."""
    try:
        with guard.open_input(path) as stream:
            found = tomllib.load(stream)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}, expected TOML") from None
    found = {key.replace("_", "-"): value for key, value in found.items()}
    for key in found:
        if key not in KEYS:
            raise UsageError(f"{path}: unknown key '{key}'", did_you_mean(key, KEYS) or f"known: {', '.join(KEYS)}")
    n_folds = found.get("folds")
    if n_folds is not None and n_folds != LEAVE_ONE_OUT and not _is_whole(n_folds, 2):
        raise _expected(path, "folds", n_folds, f'a whole number from 2, or "{LEAVE_ONE_OUT}"')
    for key, least in (("repeats", 1), ("seed", 0)):
        if key in found and not _is_whole(found[key], least):
            raise _expected(path, key, found[key], f"a whole number from {least}")
    if found.get("folds-like", LIKE[0]) not in LIKE:
        raise _expected(path, "folds-like", found["folds-like"], " or ".join(LIKE))
    return FromFile(
        dirname(path),
        n_folds,
        found.get("repeats"),
        found.get("seed"),
        found.get("folds-like"),
        _typed(path, found, "base", str, "the name of a learner"),
        tuple(_texts(path, "measures", found.get("measures", ()))),
        tuple(_learners(path, found.get("learners", {}))),
        tuple(_datasets(path, found.get("datasets", ()))),
    )


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _expected(path: str, key: str, value: Any, expected: str) -> UsageError:
    return UsageError(f"{path}: {key}: found {value!r}, expected {expected}")


def _typed(path: str, found: Mapping[str, Any], key: str, kind: type, expected: str) -> Any:
    value = found.get(key)
    if value is not None and not isinstance(value, kind):
        raise _expected(path, key, value, expected)
    return value


def _texts(path: str, key: str, value: Any) -> list[str]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(each, str) for each in values):
        raise _expected(path, key, value, "a text or a list of texts")
    return list(values)


def _learners(path: str, found: Any) -> Iterable[tuple[str, str]]:
    if not isinstance(found, dict):
        raise _expected(path, "learners", found, 'a table: name = "options"')
    for name, text in found.items():
        if not isinstance(text, str):
            raise _expected(path, f"learners.{name}", text, "a text of options")
        yield name, text


def _datasets(path: str, found: Any) -> Iterable[Mapping[str, Any]]:
    if not isinstance(found, list | tuple):
        raise _expected(path, "datasets", found, "a list of files")
    for entry in found:
        own = {"file": entry} if isinstance(entry, str) else entry
        if not isinstance(own, dict) or not isinstance(own.get("file"), str):
            raise _expected(path, "datasets", entry, "a file, or a table with the key file")
        for key in own:
            if key not in OF_DATASET:
                hint = did_you_mean(key, OF_DATASET) or f"known: {', '.join(OF_DATASET)}"
                raise UsageError(f"{path}: datasets: unknown key '{key}'", hint)
        for key in ("name", "target", "weights"):
            _typed(path, own, key, str, "a text")
        for key in ("ignore", "keep"):
            _texts(path, f"datasets: {key}", own.get(key, ()))
        kinds = own.get("type", {})
        if not isinstance(kinds, dict) or not all(KIND.fullmatch(str(kind)) for kind in kinds.values()):
            raise _expected(path, "datasets: type", kinds, "a table: column = numeric, nominal or ordinal:low<mid<high")
        yield own


def learner_of(text: str) -> tuple[str, str]:
    """Return the name and the options in the text of --learner."""
    name, colon, options = text.partition(":")
    if not colon or not name.strip():
        raise UsageError(f"--learner: found '{text}', expected NAME: OPTIONS", 'for example "pruned: --like j48"')
    return name.strip(), options.strip()


def learners_of(given: Sequence[tuple[str, str]], seed: int) -> list[Learner]:
    """Return the learners; raise a UsageError for options that `train` does not have."""
    for name in (names := [name for name, _ in given]):
        if names.count(name) > 1:
            raise UsageError(f"two learners are called '{name}'", "give each a name of its own")
    learners = []
    for name, text in given:
        try:
            words = shlex.split(text)
            # The learner's own --seed comes later, and counts.
            recipe = Recipe.parse([f"--seed={seed}", *words], WITHOUT_EFFECT)
        except ValueError as error:
            raise UsageError(f"learner '{name}': {error} in '{text}'") from None
        except UsageError as error:
            raise UsageError(f"learner '{name}': {error.message}", error.hint) from None
        learners.append(Learner(name, shlex.join(words), recipe))
    return learners


def sources_of(paths: Sequence[str], spec: FromFile, reading: ReadOptions) -> list[Source]:
    """Return the data sets of the command line and of the specification file.

    A data set is called by the name of its file without suffix. If two would have the same name, the suffix or all that
    was typed is added.
    """
    entries = [{"file": path} for path in paths]
    for own in spec.datasets:
        file = own["file"]
        entries.append({**own, "file": file if file == guard.STREAM else join(spec.folder, file)})
    names = [entry.get("name") or forms.stem_of(entry["file"]) for entry in entries]
    for longer in (guard.name_of, str):
        names = [
            longer(entry["file"]) if names.count(name) > 1 else name for name, entry in zip(names, entries, strict=True)
        ]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the data set '{name}' is given twice", "name each once")
    return [
        Source(guard.as_text(name), entry["file"], _reading(reading, entry))
        for name, entry in zip(names, entries, strict=True)
    ]


def _reading(reading: ReadOptions, entry: Mapping[str, Any]) -> ReadOptions:
    """Return how a data set is read: the options, changed by the keys of its entry."""
    changes: dict[str, Any] = {key: entry[key] for key in ("target", "weights") if key in entry}
    for key in ("ignore", "keep"):
        if key in entry:
            changes[key] = (entry[key],) if isinstance(entry[key], str) else tuple(entry[key])
    if "type" in entry:
        changes["types"] = tuple(entry["type"].items())
    return replace(reading, **changes)


def division_of(given: Collection[str], spec: FromFile, division: Division, seed: int) -> Division:
    """Return the division of the options that were `given`, else of the specification file, else the usual one."""
    n_folds = division.n_folds
    if "n_folds" not in given and spec.n_folds is not None:
        n_folds = None if spec.n_folds == LEAVE_ONE_OUT else int(spec.n_folds)
    repeats = spec.repeats if "repeats" not in given and spec.repeats is not None else division.repeats
    like = spec.folds_like if "folds_like" not in given and spec.folds_like is not None else division.like
    return Division(n_folds, repeats, like, seed)
