"""Strategies for model files: models that treecli wrote, with parts of their JSON or their text changed."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.worker import answer

SAMPLES = Path(__file__).parents[2] / "sample_data"

TRAININGS = (
    ("playtennis.csv",),
    ("iris.csv", "--like", "j48"),
    ("vote.arff", "--max-depth", "3"),
    ("vote.arff", "--missing", "branch", "--max-depth", "2"),
    ("vote.arff", "--like", "rpart"),
    ("iris.csv", "-t", "petalwidth", "--max-depth", "3"),
    ("titanic.csv", "--weights", "Count", "--nominal", "subset"),
    ("iris.arff", "--discretize", "mdlp", "--max-depth", "2"),
    ("iris.csv", "--like", "chaid"),
)

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 10, 10**6, 2**31, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e-320, 1e308),
    *("", "a", "NaN", "?", [], {}, [0], [-1], [[]], {"": 0}, "\x1b[2J", "multiway", "threshold", "rules", "tree"),
)


@cache
def trained(folder: Path) -> tuple[tuple[Path, Path], ...]:
    """(model, its data) of every training that the sample data allow."""
    found = []
    for number, (sample, *options) in enumerate(TRAININGS):
        data, model = SAMPLES / sample, folder / f"model{number}.json"
        outcome = answer(["train", str(data), "-o", str(model), "-q", *options], str(folder))
        assert outcome.code == 0, (sample, options, outcome)
        found.append((model, data))
    return tuple(found)


@cache
def rule_texts(folder: Path) -> tuple[tuple[bytes, Path], ...]:
    """(rules as text, data of the model they are from)."""
    found = []
    for model, data in trained(folder):
        path = model.with_suffix(".txt")
        outcome = answer(["rules", str(model), "-o", str(path), "-q"], str(folder))
        assert outcome.code == 0, outcome
        found.append((path.read_bytes(), data))
    return tuple(found)


@cache
def rule_models(folder: Path) -> tuple[tuple[Path, Path], ...]:
    """(rule list as JSON, data of the model it is from)."""
    found = []
    for model, data in trained(folder):
        path = model.with_suffix(".rules.json")
        outcome = answer(["rules", str(model), "-o", str(path), "-q"], str(folder))
        assert outcome.code == 0, outcome
        found.append((path, data))
    return tuple(found)


@st.composite
def changed_json(draw: st.DrawFn, path: Path) -> bytes:
    """A model file with one to three values replaced, removed, repeated or exchanged."""
    document = json.loads(path.read_bytes())
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        place = document
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = keys[draw(st.integers(0, len(keys) - 1))]
            if isinstance(place[key], dict | list) and place[key] and draw(st.integers(0, 5)):
                place = place[key]
                continue
            _change(draw, place, key, keys)
            break
    return json.dumps(document).encode()


def _change(draw: st.DrawFn, place: Any, key: Any, keys: list[Any]) -> None:
    match draw(st.integers(0, 4)):
        case 0:
            del place[key]
        case 1:
            place[key] = place[keys[draw(st.integers(0, len(keys) - 1))]]
        case 2 if isinstance(place, list):
            place.insert(key, place[key])
        case 3 if isinstance(place[key], int | float):
            place[key] = draw(st.one_of(st.integers(-3, 20), st.floats(allow_nan=False, allow_infinity=False)))
        case _:
            place[key] = deepcopy(draw(st.sampled_from(ODD_VALUES)))  # a later change may change it in turn


@st.composite
def changed_text(draw: st.DrawFn, text: bytes) -> bytes:
    """A rule text with some of its words removed, repeated, exchanged or replaced."""
    words = text.decode().split(" ")
    odd = [
        "IF",
        "THEN",
        "AND",
        "default",
        "<=",
        ">",
        "=",
        "in",
        "{",
        "}",
        ",",
        "(",
        "'",
        '"',
        "\n",
        "#",
        "missing",
        "is",
        "1e999",
        "é",
        "\\",
        "",
    ]
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(words) - 1))
        match draw(st.integers(0, 3)):
            case 0 if len(words) > 1:
                del words[place]
            case 1:
                words.insert(place, words[draw(st.integers(0, len(words) - 1))])
            case 2:
                words[place] = draw(st.text(max_size=4))
            case _:
                words[place] = draw(st.sampled_from(odd))
    return " ".join(words).encode(errors="replace")
