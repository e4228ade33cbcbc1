"""The model file: written files are read back, and anything else is refused with the location."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import io
import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.example_models import chain, every_kind, iris_like, models, playtennis, regression, single_leaf
from treecli.errors import ModelError
from treecli.model import TreeModel
from treecli.models import decode, encode, read_model, write_model
from treecli.models._heading import FORMAT, FORMAT_VERSION
from treecli.models._nodes import NodeRecord
from treecli.settings import Settings
from treecli.splits._registry import kinds

SCHEMA = json.loads((files("treecli") / "model.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
BUILDERS = [playtennis, iris_like, regression, every_kind, single_leaf]

Document = dict[str, Any]


def text_of(model: TreeModel) -> bytes:
    return b"".join(encode(model))


def document_of(model: TreeModel) -> Document:
    document: Document = json.loads(text_of(model))
    return document


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_states_the_format_that_the_program_writes() -> None:
    """A new setting, kind of split or field must also be in the schema and docs/model.md."""
    assert SCHEMA["properties"]["format"] == {"const": FORMAT}
    assert SCHEMA["properties"]["format_version"] == {"const": FORMAT_VERSION}
    assert list(SCHEMA["$defs"]["settings"]["properties"]) == list(Settings().flat())
    assert SCHEMA["$defs"]["test"]["properties"]["kind"] == {"enum": list(kinds())}
    assert set(SCHEMA["$defs"]["node"]["properties"]) == set(NodeRecord.__struct_fields__)


@pytest.mark.parametrize("build", BUILDERS)
def test_models_satisfy_the_schema(build: Callable[[], TreeModel]) -> None:
    VALIDATOR.validate(document_of(build()))


@given(models())
def test_any_model_satisfies_the_schema_and_reads_back_as_the_same_bytes(model: TreeModel) -> None:
    text = text_of(model)
    VALIDATOR.validate(json.loads(text))
    assert decode(text, "model.json") == model
    assert text_of(decode(text, "model.json")) == text


def test_settings_and_lineage_are_kept() -> None:
    model = dataclasses.replace(
        playtennis(),
        settings=Settings.of(criterion="gini", max_depth=3, min_gain=0.1, seed=7),
        lineage=({"command": "train", "data": "é.csv"}, {"command": "prune", "options": {"confidence": 0.25}}),
    )
    read = decode(text_of(model), "model.json")
    assert (read.settings, read.lineage) == (model.settings, model.lineage)


def test_ranges_are_kept_and_need_not_be_there() -> None:
    document = document_of(iris_like())
    assert "range" not in document["schema"]["attributes"][0]
    document["schema"]["attributes"][0]["range"] = [4.3, 7]
    VALIDATOR.validate(document)
    read = decode(json.dumps(document).encode(), "model.json")
    assert [attribute.range for attribute in read.schema.attributes] == [(4.3, 7.0), None, None, None]
    assert document_of(read) == document


@pytest.mark.parametrize(
    ("attribute", "found", "message"),
    [
        (0, [2, 1], "m.json: schema: 'size': 'range' must be two rising numbers, of a numeric column"),
        (2, [1, 2], "m.json: schema: 'colour': 'range' must be two rising numbers, of a numeric column"),
        (0, [1], "m.json: Expected `array` of length 2 - at `$.schema.attributes[0].range`"),
        (0, [1, "2"], "m.json: Expected `float`, got `str` - at `$.schema.attributes[0].range[1]`"),
        (0, [1, 10**400], "m.json: Number out of range - at `$.schema.attributes[0].range[1]`"),
    ],
)
def test_a_range_that_is_none_is_refused(attribute: int, found: list[object], message: str) -> None:
    assert broken(at("schema", "attributes", attribute, "range", value=found), every_kind) == message


def test_notes_on_a_node_are_kept() -> None:
    model = iris_like()
    model.tree.notes[2] = {"printed": 1.75}
    VALIDATOR.validate(document_of(model))
    assert decode(text_of(model), "model.json") == model


def test_a_file_has_one_node_a_line() -> None:
    lines = text_of(playtennis()).decode().splitlines()
    assert sum(line.startswith('{"id":') for line in lines) == 8


def test_a_file_may_be_laid_out_in_another_way() -> None:
    document = document_of(every_kind())
    shuffled = json.dumps(dict(reversed(document.items())), indent=4).encode()
    assert decode(shuffled, "model.json") == every_kind()


def test_a_model_of_many_pieces_is_written_as_one(tmp_path: Path) -> None:
    # 10,001 nodes: more than are put into one piece of the file.
    model = chain(5_000)
    text = text_of(model)
    document = json.loads(text)
    assert [node["id"] for node in document["nodes"]] == list(range(10_001))
    assert text.count(b"\n{") == 10_001
    assert decode(text, "model.json") == model


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize("text", [text_of(playtennis()), b"{}"], ids=["a model", "no model"])
def test_the_garbage_collector_is_left_as_it_was(is_on: bool, text: bytes) -> None:
    was_on = gc.isenabled()
    (gc.enable if is_on else gc.disable)()
    try:
        with contextlib.suppress(ModelError):
            decode(text, "m.json")
        assert gc.isenabled() == is_on
    finally:
        (gc.enable if was_on else gc.disable)()


RULES = b"IF x > 1 AND y = a THEN b (3/4)\n" * 3000


@pytest.mark.parametrize("text", [text_of(chain(3000)), RULES], ids=["a tree", "rules"])
def test_no_garbage_is_collected_while_a_model_is_read(text: bytes) -> None:
    begun: list[object] = []
    gc.callbacks.append(lambda phase, facts: begun.append(facts) if phase == "start" else None)
    try:
        decode(text, "model")
    finally:
        gc.callbacks.pop()
    assert len(begun) <= 1, "when it goes on again"


def broken(change: Callable[[Document], None], build: Callable[[], TreeModel] = playtennis) -> str:
    """The error message about a model after a change to its document."""
    document = document_of(build())
    change(document)
    with pytest.raises(ModelError) as caught:
        decode(json.dumps(document).encode(), "m.json")
    return caught.value.message


def at(*path: str | int, value: Any) -> Callable[[Document], None]:
    """The change that puts a value at a place of a document."""

    def put(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return put


def without(*path: str | int) -> Callable[[Document], None]:
    """The change that takes a place out of a document."""

    def remove(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return remove


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(at("format_version", value=2), "m.json: format version 2, expected 1", id="a later version"),
        pytest.param(without("format_version"), "m.json: format version None, expected 1", id="no version"),
        pytest.param(at("format", value="onnx"), "m.json: not a model of treecli's", id="another format"),
        pytest.param(without("nodes"), "m.json: Object missing required field `nodes`", id="no nodes"),
        pytest.param(at("nodes", value=[]), "m.json: nodes: there is none, not even a root", id="an empty tree"),
        pytest.param(
            at("extra", value=1), "m.json: Object contains unknown field `extra`", id="a field that nobody knows"
        ),
        pytest.param(
            at("nodes", 0, "children", value=[1, 2, 99]),
            "m.json: node 0: the children [1, 2, 99], expected a run of ids that begins with 1",
            id="a child out of range",
        ),
        pytest.param(
            at("nodes", 3, "children", value=[6, 7, 8]),
            "m.json: node 3: the children [6, 7, 8], but there are 8 nodes",
            id="children beyond the last node",
        ),
        pytest.param(
            at("nodes", 1, "children", value=[0, 1]),
            "m.json: node 1: the children [0, 1], expected a run of ids that begins with 4",
            id="a cycle",
        ),
        pytest.param(
            at("nodes", 3, "children", value=[4, 5]),
            "m.json: node 3: the children [4, 5], expected a run of ids that begins with 6",
            id="shared children",
        ),
        pytest.param(
            at("nodes", 3, "children", value=[]),
            "m.json: node 3: the children [], expected a run of ids that begins with 6",
            id="a split without children",
        ),
        pytest.param(
            at("nodes", 4, "id", value=5), "m.json: node 4: has the id 5; ids count up from 0", id="a wrong id"
        ),
        pytest.param(
            lambda document: document["nodes"].append({"id": 8, "counts": [1, 0]}),
            "m.json: node 8: is no node's child",
            id="a node that nothing leads to",
        ),
        pytest.param(
            at("nodes", 2, "counts", value=[1.0]),
            "m.json: node 2: 1 counts, expected 2, one for each label of the target",
            id="too few counts",
        ),
        pytest.param(
            at("nodes", 2, "counts", value=[1.0, -1.0]),
            "m.json: node 2: counts must be from 0 to 1e+50",
            id="a negative count",
        ),
        pytest.param(
            at("nodes", 2, "counts", value=["many", 1]),
            "m.json: node 2: Expected `float`, got `str` - at `counts[0]`",
            id="a count that is a word",
        ),
        pytest.param(
            without("nodes", 2, "counts"), "m.json: node 2: needs 'counts', for the target is nominal", id="no counts"
        ),
        pytest.param(
            at("nodes", 2, "mean", value=1.0),
            "m.json: node 2: needs 'counts', for the target is nominal",
            id="a mean of classes",
        ),
        pytest.param(
            without("nodes", 0, "split"),
            "m.json: node 0: 'split' and 'children' come together, or not at all",
            id="children without a split",
        ),
        pytest.param(
            at("nodes", 0, "split", "kind", value="multway"),
            "m.json: node 0: unknown kind of split 'multway' (known: binary, bins, known, multiway, subset, threshold)",
            id="an unknown kind of split",
        ),
        pytest.param(
            at("nodes", 0, "split", "kind", value=["multiway"]),
            "m.json: node 0: unknown kind of split '['multiway']' (known: binary, bins, known, multiway, subset, "
            "threshold)",
            id="a kind that is no word",
        ),
        pytest.param(
            at("nodes", 0, "split", "attribute", value="Outlok"),
            "m.json: node 0: splits on 'Outlok', which the schema does not hold",
            id="an unknown attribute",
        ),
        pytest.param(
            at("nodes", 0, "split", "attribute", value=["Outlook"]),
            "m.json: node 0: splits on '['Outlook']', which the schema does not hold",
            id="an attribute that is no word",
        ),
        pytest.param(
            at("nodes", 0, "split", "at_most", value=1),
            "m.json: node 0: the split has 'at_most', which no split of the kind 'multiway' has",
            id="a part of another kind of split",
        ),
        pytest.param(
            at("nodes", 0, "split", "missing_to", value=3),
            "m.json: node 0: 'missing_to' is 3, expected a branch from 0 to 2 or \"here\"",
            id="missing values to nowhere",
        ),
        pytest.param(
            at("nodes", 0, "split", "missing_to", value=True),
            "m.json: node 0: 'missing_to' is True, expected a branch from 0 to 2 or \"here\"",
            id="missing values to true",
        ),
        pytest.param(
            at("nodes", 0, "split", "missing_to", value=-1.0),
            "m.json: node 0: 'missing_to' is -1.0, expected a branch from 0 to 2 or \"here\"",
            id="missing values to a fraction",
        ),
        pytest.param(
            at("nodes", 3, "counts", value=[20.0, 3.0]),
            "m.json: node 0: weighs 14, but its children weigh 32",
            id="children heavier than their parent",
        ),
        pytest.param(
            at("nodes", 0, "counts", value=[5e-324, 0.0]),
            "m.json: node 0: the root weighs 4.94066e-324, expected 0, or 1e-50 or more",
            id="next to no weight",
        ),
        pytest.param(
            at("nodes", 0, "notes", value={"printed": "2"}),
            "m.json: node 0: 'printed' must be a finite number",
            id="a printed threshold that is a word",
        ),
        pytest.param(at("settings", "sed", value=1), "m.json: settings: unknown 'sed'", id="an unknown setting"),
        pytest.param(
            at("settings", "missing", value="fractions"),
            "m.json: settings: unknown 'fractions' for 'missing' "
            "(known: branch, error, fractional, majority, stay, surrogate)",
            id="an unknown policy",
        ),
        pytest.param(
            at("settings", "seed", value=-1),
            "m.json: settings: 'seed' is -1, expected a number from 0 on",
            id="a negative seed",
        ),
        pytest.param(
            at("settings", "criterion", value="variance"),
            "m.json: settings: criterion 'variance' is for a numeric target, but 'PlayTennis' is nominal",
            id="a criterion for another kind of target",
        ),
        pytest.param(
            at("settings", "discretize", value="width"),
            "m.json: settings: --discretize: 'width', expected width:K with 2 bins or more",
            id="bins without their number",
        ),
        pytest.param(
            at("schema", "attributes", 0, "labels", value=["Sunny", "Rain"]),
            "m.json: node 0: has 3 children, but its split has 2 branches",
            id="a branch without a label",
        ),
        pytest.param(
            at("schema", "attributes", 0, "labels", value=["Sunny", "Rain", "Rain"]),
            "m.json: schema: 'Outlook': a label stands twice",
            id="a label twice",
        ),
        pytest.param(
            at("schema", "attributes", 0, "name", value="Wind"),
            "m.json: schema: a column's name stands twice",
            id="a name twice",
        ),
        pytest.param(
            at("schema", "attributes", 0, "kind", value="numeric"),
            "m.json: schema: 'Outlook': a numeric column has no labels",
            id="labels of numbers",
        ),
        pytest.param(
            at("schema", "target", "labels", value=[]),
            "m.json: schema: the target 'PlayTennis' has no labels",
            id="a target without labels",
        ),
        pytest.param(
            at("settings", "max_depth", value="deep"),
            "m.json: Expected `int | null`, got `str` - at `$.settings.max_depth`",
            id="a setting of the wrong type",
        ),
        pytest.param(
            at("lineage", value={}),
            "m.json: Expected `array`, got `object` - at `$.lineage`",
            id="lineage that is no list",
        ),
    ],
)
def test_a_damaged_model_is_refused_with_the_place(change: Callable[[Document], None], message: str) -> None:
    assert broken(change) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (at("nodes", 0, "split", "at_most", value="2.5"), "m.json: node 0: 'at_most' must be a finite number"),
        (at("nodes", 0, "split", "at_most", value=True), "m.json: node 0: 'at_most' must be a finite number"),
        (at("nodes", 0, "split", "at_most", value=10**400), "m.json: node 0: 'at_most' must be a finite number"),
        (at("nodes", 1, "split", "at_most", value="medium"), "m.json: node 1: 'at_most' must be a label of 'grade'"),
        (
            at("nodes", 0, "split", "attribute", value="shape"),
            "m.json: node 0: 'shape' is nominal, which has no order",
        ),
        (
            at("nodes", 7, "split", "attribute", value="size"),
            "m.json: node 7: 'size' is numeric and has no labels to branch on",
        ),
        (at("nodes", 3, "split", "label", value="oval"), "m.json: node 3: 'label' must be a label of 'shape'"),
        (
            at("nodes", 2, "split", "groups", value=[["red"], ["pink"]]),
            "m.json: node 2: 'groups' must contain labels of 'colour'",
        ),
        (
            at("nodes", 2, "split", "groups", value=[["red"], ["red"]]),
            "m.json: node 2: label 'red' is in two groups",
        ),
        (
            at("nodes", 0, "surrogates", value=[{"kind": "threshold", "attribute": "sise", "at_most": 1}]),
            "m.json: node 0: surrogate 1: splits on 'sise', which the schema does not hold",
        ),
        (
            at("nodes", 0, "notes", value={"competitors": [{"kind": "treshold", "score": 1}]}),
            "m.json: node 0: competitor 1: unknown kind of split 'treshold' "
            "(known: binary, bins, known, multiway, subset, threshold)",
        ),
        (at("nodes", 2, "split", "groups", value=[]), "m.json: node 2: 'groups' must be a list of groups of labels"),
        (
            at("nodes", 2, "split", "groups", value=[[], ["red"]]),
            "m.json: node 2: 'groups' must be a list of groups of labels",
        ),
    ],
)
def test_a_split_that_does_not_fit_its_attribute_is_refused(change: Callable[[Document], None], message: str) -> None:
    assert broken(change, every_kind) == message


@pytest.mark.parametrize(
    "change",
    [without("nodes", 1, "mean"), at("nodes", 1, "counts", value=[1.0, 2.0, 3.0])],
    ids=["no mean", "counts as well"],
)
def test_a_numeric_target_needs_weight_mean_and_deviance(change: Callable[[Document], None]) -> None:
    message = "m.json: node 1: needs 'weight', 'mean' and 'deviance', for the target is numeric"
    assert broken(change, regression) == message


@pytest.mark.parametrize(
    ("name", "value", "limits"),
    [
        ("weight", -1.0, "from 0 to 1e+50"),
        ("weight", 1e60, "from 0 to 1e+50"),
        ("deviance", -1.0, "from 0 to 2e+220"),
        ("mean", 1e200, "from -1e+110 to 1e+110"),
    ],
)
def test_weight_mean_and_deviance_have_limits(name: str, value: float, limits: str) -> None:
    found = broken(at("nodes", 1, name, value=value), regression)
    assert found == f"m.json: node 1: '{name}' is {value}, expected a number {limits}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b" \n", id="blank"),
        pytest.param(b"null", id="null"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"{}", id="an empty object"),
        pytest.param(b"day,outlook\nD1,Sunny\n", id="csv"),
        pytest.param(b"\x80\x04\x95pickle", id="pickle"),
        pytest.param(b"\0" * 100, id="zeros"),
        pytest.param(b"[" * 1_000_000, id="deep lists"),
        pytest.param(b'{"a":' * 1_000_000, id="deep objects"),
        pytest.param(
            b'{"format": "treecli-model", "format_version": 1, "lineage": [' + b"[" * 1_000_000, id="deep inside"
        ),
        pytest.param(text_of(playtennis())[:-20], id="cut off"),
        pytest.param(text_of(playtennis()) * 2, id="two models"),
        pytest.param(text_of(playtennis()).decode().encode("utf-16"), id="utf-16"),
        pytest.param(text_of(playtennis()).replace(b"Sunny", b"S\xfcnny"), id="latin-1"),
        pytest.param(text_of(playtennis()).replace(b"Sunny", b"\\ud800"), id="half a character"),
        pytest.param(text_of(playtennis()).replace(b"[3.0,2.0]", b"[NaN,2.0]"), id="NaN"),
        pytest.param(text_of(playtennis()).replace(b"[3.0,2.0]", b"[Infinity,2.0]"), id="Infinity"),
        pytest.param(text_of(playtennis()).replace(b"[3.0,2.0]", b"[1e999,2.0]"), id="beyond the largest number"),
        pytest.param(text_of(playtennis()).replace(b'"score":1.0', b'"score":null'), id="a score of null"),
    ],
)
def test_files_that_are_not_models_are_refused(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(text)
    with pytest.raises(ModelError, match=r"m\.json: ") as caught:
        read_model(str(path))
    assert caught.value.exit_code == 4


def test_a_missing_file_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    write_model(str(tmp_path / "iris.json"), iris_like())
    with pytest.raises(ModelError, match="no such file") as caught:
        read_model(str(tmp_path / "irsi.json"))
    assert caught.value.hint == "did you mean 'iris.json'?"


def test_a_hint_about_a_missing_model_names_no_data(tmp_path: Path) -> None:
    for name in ("iris.csv", "iris.arff", "a.json"):
        (tmp_path / name).write_text("")
    with pytest.raises(ModelError, match="no such file") as caught:
        read_model(str(tmp_path / "iris.json"))
    assert caught.value.hint is None


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a folder, expected a model"):
        read_model(str(tmp_path))


class EndlessNonsense(io.RawIOBase):
    """Zeros for any reader, up to a megabyte."""

    n_given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.n_given += len(buffer)
        assert self.n_given <= 1_000_000, "nonsense is read on and on"
        buffer[:] = bytes(len(buffer))
        return len(buffer)


def test_a_file_that_does_not_start_like_a_model_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(EndlessNonsense())))
    with pytest.raises(ModelError, match="stdin: "):
        read_model("-")


@pytest.mark.parametrize("build", [playtennis, every_kind, regression])
@given(seed=st.integers(0, 2**32))
def test_a_model_with_random_damage_is_refused_or_still_a_model(build: Callable[[], TreeModel], seed: int) -> None:
    text = damaged(text_of(build()), random.Random(seed))
    try:
        model = decode(text, "m.json")
    except ModelError as error:
        assert error.message.startswith("m.json: ")  # noqa: PT017 (either outcome is right)
        return
    assert decode(text_of(model), "m.json") == model


PIECES = (b"[", b"]", b"{}", b'""', b"null", b"true", b"-1", b"1e999", b"9" * 400, b"\\ud800", b",", b"NaN", b"\xff")


def damaged(text: bytes, chance: random.Random) -> bytes:
    """The text after a few bytes were flipped, lost or put in."""
    bytes_now = bytearray(text)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(bytes_now))
        kind = chance.randrange(3)
        if kind == 0:
            bytes_now[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del bytes_now[place : place + chance.randint(1, 20)]
        else:
            bytes_now[place:place] = chance.choice(PIECES)
    return bytes(bytes_now)


PAGE = (Path(__file__).parents[2] / "docs" / "model.md").read_text()


def test_the_example_of_the_documentation_is_a_model() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)
    VALIDATOR.validate(json.loads(example))
    model = decode(example.encode(), "docs/model.md")
    assert (model.schema, model.tree) == (playtennis().schema, playtennis().tree)


def test_the_documentation_names_every_kind_of_split() -> None:
    described = re.findall(r"^\| `(\w+)` \|.*\| (?:0:|one)", PAGE, flags=re.MULTILINE)
    assert sorted(described) == sorted(kinds())


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize("recipe", re.findall(r"^jq .*$", PAGE, flags=re.MULTILINE))
def test_the_recipes_of_the_documentation_find_something(recipe: str, tmp_path: Path) -> None:
    write_model(str(tmp_path / "playtennis.json"), playtennis())
    write_model(str(tmp_path / "iris.json"), iris_like())
    done = subprocess.run(recipe, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() not in ("", "null")
