"""Parses options from a list of words, with the same values and errors as the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treecli.errors import UsageError
from treecli.options import hints
from treecli.options.option import Flag, Option


def given_options(declared: Iterable[Option], words: Sequence[str], help_hint: str) -> dict[str, Any]:
    """Return the values of the options among the words, by key, in the order of first appearance.

    If an option is repeated, the last value is used. `help_hint` is the hint for words that are not options.
    """
    by_name = {name: option for option in declared for name in (option.flag, option.opposite) if name is not None}
    refuse_misread({name: _longest(option) for name, option in by_name.items()}, words)
    texts: dict[str, tuple[str, Any]] = {}
    rest = iter(words)
    for word in rest:
        if word == "--" or len(word) < 2 or word[0] != "-":
            left = [*rest] if word == "--" else [word]
            if left:
                found = ", ".join(f"'{each}'" for each in left)
                raise UsageError(f"found {found}, expected options only", help_hint)
            break
        name, equals, text = word.partition("=")
        if name not in by_name:
            typed = name if name.startswith("--") else name[:2]  # as click names it
            shown, hint = hints.for_unknown_option(typed, words, by_name, ())
            raise UsageError(f"no such option '{shown}'", hint or help_hint)
        option = by_name[name]
        if isinstance(option.kind, Flag):
            if equals:
                raise UsageError(f"'{word}': {name} takes no value", help_hint)
            texts[option.key] = (name, name == option.flag)
            continue
        value = text if equals else option.implied or next(rest, None)
        if value is None:
            expected = option.metavar or option.kind.metavar
            raise UsageError(f"{name}: missing value, expected {expected}", help_hint)
        texts[option.key] = (name, value)
    return {key: by_name[name].kind.read(value, by_name[name].flag) for key, (name, value) in texts.items()}


def words_of(flag: str, value: str) -> list[str]:
    """Return an option and its value as words of a command line."""
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def refuse_misread(longest: Mapping[str, str | None], words: Iterable[str]) -> None:
    """Raise a UsageError for `-output`, `-o=FILE` and `-o --quiet`, which click reads as `-o utput` and so on.

    `longest` maps each known option name to the longest name of the option, or to None if it takes no value.
    """
    waits_for_value: str | None = None
    for word in words:
        if word == "--":
            return
        name, equals, value = word.partition("=")
        if waits_for_value is not None and word in longest:
            raise UsageError(
                f"{waits_for_value}: found the option '{word}', expected a value",
                f"if it is the value: {longest[waits_for_value]}={word}",
            )
        if waits_for_value is not None:
            waits_for_value = None
            continue
        if name not in longest and name[:1] == "-" and len(name) > 2 and f"-{name}" in longest:
            raise UsageError(f"'{name}': a long option begins with two dashes", f"did you mean '-{name}'?")
        if longest.get(name) is not None:
            if equals and len(name) == 2:
                raise UsageError(f"'{word}': a short option takes no '='", f"did you mean '{name} {value}'?")
            waits_for_value = None if equals else name


def _longest(option: Option) -> str | None:
    return None if isinstance(option.kind, Flag) or option.implied is not None else option.flag
