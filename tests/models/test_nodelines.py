"""Large files are read line by line: the same models and the same errors as by reading them as JSON."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given

from tests.example_models import chain, every_kind, iris_like, models, playtennis, regression, single_leaf
from treecli.errors import ModelError
from treecli.model import MEAN_KEYS, TreeModel
from treecli.models import _heading, decode, encode
from treecli.models._nodelines import tree_of_lines

BUILDERS = [playtennis, iris_like, regression, every_kind, single_leaf, lambda: chain(300)]
MIB = 1 << 20


def text_of(model: TreeModel) -> bytes:
    return b"".join(encode(model))


def read_by(large: int, text: bytes) -> TreeModel | str:
    """Return the model in a file, or the error; files with less than `large` bytes are read as JSON."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_heading, "LARGE", large)
        try:
            model = decode(text, "model.json")
        except ModelError as error:
            return f"{error}, {error.hint}"
        assert isinstance(model, TreeModel)
        return model


def in_lines(model: TreeModel) -> bytes:
    """Return a model's file after checking that its nodes are read line by line."""
    text = text_of(model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_heading, "LARGE", 0)
        lines = _heading.lines_of(text)
    assert lines is not None
    assert tree_of_lines(text, *lines, model.schema, MEAN_KEYS) is not None
    return text


@pytest.mark.parametrize("build", BUILDERS)
def test_a_file_is_read_line_by_line_as_the_same_model(build: Callable[[], TreeModel]) -> None:
    model = build()
    assert read_by(0, in_lines(model)) == model


@given(models())
def test_any_model_is_read_line_by_line_as_the_same_model(model: TreeModel) -> None:
    assert read_by(0, in_lines(model)) == model


def test_a_large_file_is_recognized() -> None:
    text = text_of(chain(2000))
    assert len(text) > _heading.LARGE
    assert _heading.lines_of(text) == (text.index(b'{"id":0'), len(text) - 5)
    assert _heading.lines_of(text + b"\n") is None
    assert _heading.lines_of(text.replace(b'"nodes": [\n', b'"nodes":[\n')) is None


NUMBERS = (
    b"1",
    b"-1",
    b"0",
    b"-0",
    b"-0.0",
    b"+1",
    b"01",
    b"-01",
    b"1.",
    b".5",
    b"-.5",
    b"1.e5",
    b"1e",
    b"1e5",
    b"1E+2",
)
NUMBERS += (b"0.1", b"123456789012345678901234567890", b"1e300", b"1e-300", b"1e400", b"4.9e-324", b"null", b'"1"', b"")
NUMBERS += (b"NaN", b"true", b"1 ", b" 1", b"0.30000000000000004", b"9007199254740993", b"1.7976931348623157e308")


@pytest.mark.parametrize(
    ("place", "now"),
    [
        (b'"at_most":%b}', b"0.6"),
        (b'"score":%b,', b"0.0"),
        (b"[50.0,%b,", b"50.0"),
        (b'{"id":%b,', b"0"),
        (b"[1,%b]", b"2"),
    ],
)
def test_a_number_means_the_same_and_is_refused_with_the_same_message(place: bytes, now: bytes) -> None:
    text = in_lines(iris_like())
    assert place % now in text
    for number in NUMBERS:
        changed = text.replace(place % now, place % number, 1)
        assert read_by(0, changed) == read_by(MIB, changed), number


CHANGES = [
    (b'"petalwidth","at_most"', b'"petal  width","at_most"'),
    (b'"petalwidth","at_most"', b'"petal\\u0077idth","at_most"'),
    (b'"petalwidth","at_most"', b'"petalwidth\\","at_most"'),
    (b'"petalwidth","at_most"', b'"petal \xff","at_most"'),
    (b'"at_most":0.6', b'"at_most":0.6,"missing_to":0'),
    (b'"at_most":0.6', b'"at_most":0.6,"missing_to":1'),
    (b'"at_most":0.6', b'"at_most":0.6,"missing_to":2'),
    (b'"at_most":0.6', b'"at_most":0.6,"missing_to":01'),
    (b'"at_most":0.6', b'"at_most":0.6,"missing_to":"here"'),
    (b'"at_most":0.6', b'"at_most":0.6,"more":1'),
    (b'"kind":"threshold"', b'"kind":"treshold"'),
    (b'"children":[1,2]', b'"children":[1,2,3]'),
    (b'"children":[1,2]', b'"children":[2,3]'),
    (b'"children":[1,2]', b'"children":[]'),
    (b'{"id":1,', b' {"id":1, '),
    (b'{"id":1,', b'{"id":7,'),
    (b'{"id":1,', b'{"forced":"setosa","id":1,'),
    (b'{"id":1,', b'{"id":1,"notes":{},'),
    (b"]},\n", b"]}\n"),
    (b"]},\n", b"]},\n\n"),
    (b"]},\n", b"]}, \n"),
    (b"]},\n", b"]},"),
    (b"\n]\n}\n", b",\n]\n}\n"),
    (b"\n]\n}\n", b'\n],\n"nodes": [\n]\n}\n'),
    (b'"nodes": [\n', b'"nodes": [\n\n'),
    (b'"kind": "tree"', b'"kind": "forest"'),
    (b'"format_version": 1', b'"format_version": 2'),
    (b'"lineage": [', b'"lineage": [{"a":{},\n"nodes": [\n]},'),
]


def test_a_changed_file_is_read_or_refused_alike() -> None:
    text = in_lines(iris_like())
    for found, put in CHANGES:
        assert found in text
        changed = text.replace(found, put, 1)
        assert read_by(0, changed) == read_by(MIB, changed), put


@pytest.mark.parametrize("build", [iris_like, regression, every_kind])
def test_a_file_with_random_damage_is_read_or_refused_alike(build: Callable[[], TreeModel]) -> None:
    source, whole = random.Random(1), in_lines(build())
    start = whole.index(b'"nodes"')
    for _ in range(60):
        text = bytearray(whole)
        for _ in range(source.randint(1, 3)):
            place = source.randrange(start, len(text))
            text[place : place + source.randint(0, 2)] = source.choice([b"", b"0", b"-", b",", b"\n", b'"', b"9", b"}"])
        assert read_by(0, bytes(text)) == read_by(MIB, bytes(text)), text


def test_children_that_outweigh_their_node_and_a_light_root_are_refused_alike() -> None:
    text = in_lines(iris_like())
    for found, put in (
        (b'"counts":[50.0,50.0,50.0]', b'"counts":[1.0,1.0,1.0]'),
        (b"[50.0,50.0,50.0]", b"[1e-90,0.0,0.0]"),
    ):
        assert found in text
        changed = text.replace(found, put, 1)
        refusal = read_by(0, changed)
        assert isinstance(refusal, str)
        assert refusal == read_by(MIB, changed)
