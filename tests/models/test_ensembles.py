"""Model files of forests and boosted trees."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.datasets import cases_for
from tests.ensembles.examples import BUILDERS, forest_of, forests
from tests.example_models import every_kind, models, playtennis, regression
from tests.growing import continuous, sample
from tests.models.test_tree import damaged
from treecli.errors import ModelError
from treecli.learn import learn_ensemble
from treecli.model import EnsembleModel, ForestModel, TreeModel
from treecli.models import answers, decode, encode, read_model, write_model
from treecli.models._heading import LARGE
from treecli.models._packedoutcomes import OutcomesRecord, OutcomesText
from treecli.models._packedtrees import TreeRecord, TreeText
from treecli.predict.predict import distributions
from treecli.recipe import Recipe

SCHEMA = json.loads((files("treecli") / "model.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)

Build = Callable[[], EnsembleModel]


def text_of(model: EnsembleModel) -> bytes:
    return b"".join(encode(model))


def test_the_schema_has_the_fields_that_the_program_writes() -> None:
    assert set(SCHEMA["$defs"]["tree"]["properties"]) == set(TreeRecord.__struct_fields__)
    assert set(SCHEMA["$defs"]["outcomes"]["properties"]) == set(OutcomesRecord.__struct_fields__)


@pytest.mark.parametrize(("read", "written"), [(TreeText, TreeRecord), (OutcomesText, OutcomesRecord)])
def test_the_fields_that_are_read_are_those_that_are_written(read: Any, written: Any) -> None:
    assert read.__struct_fields__ == written.__struct_fields__


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
def test_a_file_follows_the_schema_and_reads_back_as_the_same_model(build: Build) -> None:
    model = build()
    text = text_of(model)
    VALIDATOR.validate(json.loads(text))
    assert decode(text, "m.json") == model
    assert text_of(decode(text, "m.json")) == text  # type: ignore[arg-type]


def test_a_large_file_reads_the_same_with_a_tree_a_line_and_with_a_number_a_line() -> None:
    model = learn_ensemble(continuous(1500, 3, 1, noise=1.0), Recipe.parse(["--forest", "30"]))
    text = text_of(model)
    assert len(text) > LARGE
    assert decode(text, "m.json") == model
    assert decode(json.dumps(json.loads(text), indent=0).encode() + b"\n", "m.json") == model
    cut = text.replace(b'},\n{"attribute":[', b'},\n{"attribute":[7x,', 1)
    with pytest.raises(ModelError, match=r"m\.json: tree 2: not readable as JSON"):
        decode(cut, "m.json")
    for end in (b"}}\n", b"}\n", b"},\n,\n"):
        with pytest.raises(ModelError, match=r"m\.json: not readable as JSON"):
            decode(end.join(text.rsplit(b"},\n", 1)), "m.json")


@given(forests())
def test_any_forest_reads_back_as_the_same_bytes(model: EnsembleModel) -> None:
    text = text_of(model)
    VALIDATOR.validate(json.loads(text))
    assert decode(text, "m.json") == model


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("iris.csv", []),
        ("vote.arff", ["--missing", "stay"]),
        ("vote.arff", ["--missing", "surrogate", "--nominal", "binary"]),
        ("vote.arff", ["--missing", "branch", "--nominal", "subset"]),
        ("cpu.csv", []),
        ("cpu.csv", ["--criterion", "absolute"]),
        ("iris.csv", ["--discretize", "mdlp"]),
        ("iris.csv", ["--splits", "linear"]),
        ("iris.csv", ["--priors", "equal"]),
    ],
    ids=str,
)
def test_a_forest_of_any_settings_predicts_the_same_after_it_was_kept(name: str, options: list[str]) -> None:
    dataset = sample(name)
    model = learn_ensemble(dataset, Recipe.parse(["--forest", "4", *options]))
    text = text_of(model)
    VALIDATOR.validate(json.loads(text))
    read = decode(text, "m.json")
    assert read == model
    for ours, theirs in zip(answers(read, dataset), answers(model, dataset), strict=True):
        assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("name", ["iris.csv", "vote.arff", "cpu.csv"])
def test_a_forest_of_one_tree_on_all_rows_and_attributes_is_the_tree(name: str) -> None:
    from treecli.learn import learn

    dataset = sample(name)
    options = ["--forest", "1", "--sample", "1", "--features", "all"]
    forest = learn_ensemble(dataset, Recipe.parse(options))
    criterion = forest.settings.splitting.criterion or ""
    tree = learn(dataset, Recipe.parse(["--criterion", criterion])).tree
    (only,) = forest.trees
    assert (only.attribute, only.number, only.table, only.kind) == (tree.attribute, tree.number, tree.table, tree.kind)
    leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
    assert [only.outcomes_of(node) for node in leaves] == [tree.outcomes_of(node) for node in leaves]
    assert np.array(only.outcomes) == pytest.approx(np.array(tree.outcomes), rel=1e-12, abs=1e-10)


@given(st.data())
def test_a_forest_averages_the_probabilities_of_its_trees(data: st.DataObject) -> None:
    tree = data.draw(models())
    tree = replace(tree, settings=tree.settings.changed(unseen="missing"))
    forest, cases = forest_of(tree), data.draw(cases_for(tree))
    expected = sum(distributions(member, cases) for member in forest.members()) / 3
    assert answers(forest, cases)[1] == pytest.approx(expected)


def test_a_majority_counts_the_votes() -> None:
    days = sample("playtennis.csv", ignore=("Day",))
    forest = learn_ensemble(days, Recipe.parse(["--forest", "5", "--votes", "majority"]))
    labels, shares = answers(forest, days)
    assert {round(share * 5, 9) for share in shares.ravel().tolist()} <= {0, 1, 2, 3, 4, 5}
    assert labels.tolist() == shares.argmax(axis=1).tolist()


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".xz", ".bz2"])
def test_a_file_is_compressed_by_its_suffix(suffix: str, tmp_path: Path) -> None:
    path, model = str(tmp_path / f"m.json{suffix}"), BUILDERS["every kind of split"]()
    write_model(path, model)
    assert read_model(path) == model


def test_a_forest_is_compact() -> None:
    """A tree of 100 nodes in a file of its own takes about 10,000 bytes."""
    model = learn_ensemble(sample("cpu.csv"), Recipe.parse(["--forest", "10"]))
    n_nodes = sum(tree.n_nodes for tree in model.trees)
    trees = text_of(model).partition(b'"trees": [')[2]
    assert len(trees) / n_nodes < 16


Change = Callable[[dict[str, Any]], None]


def tree(document: dict[str, Any], number: int = 1) -> dict[str, Any]:
    found: dict[str, Any] = document["trees"][number - 1]
    return found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(trees=[]), "m.json: trees: there is none"),
        (lambda d: d.update(votes="most"), "m.json: 'votes' is 'most', expected one of average, majority"),
        (lambda d: d.update(kinds=["treshold"]), "m.json: kinds: unknown kind of split 'treshold'"),
        (lambda d: d.update(kinds=["threshold"] * 2), "m.json: kinds: a kind of split stands twice"),
        (lambda d: d.update(nodes=[]), "m.json: Object contains unknown field `nodes`"),
        (lambda d: tree(d, 2).update(attribute=[]), "m.json: tree 2: 'attribute' is empty"),
        (lambda d: tree(d).update(attribut=[]), "m.json: tree 1: Object contains unknown field `attribut`"),
        (lambda d: tree(d).update(attribute="1"), "m.json: tree 1: Expected `array`, got `str` - at `attribute`"),
        (lambda d: tree(d)["attribute"].append(0), "m.json: tree 1: 'attribute' has"),
        (lambda d: tree(d)["attribute"].pop(), "m.json: tree 1: 'attribute' has"),
        (lambda d: tree(d)["attribute"].__setitem__(0, 99), "m.json: tree 1: 'attribute' has 99, expected a number"),
        (lambda d: tree(d)["attribute"].__setitem__(0, -1), "m.json: tree 1: 'attribute' has -1, expected a number"),
        (lambda d: tree(d)["attribute"].__setitem__(0, 2**70), "m.json: tree 1: 'attribute' has a number beyond"),
        (lambda d: tree(d).update(weight=0), "m.json: tree 1: 'weight' is 0, expected a number above 0"),
        (lambda d: tree(d)["kind"].append(0), "m.json: tree 1: 'kind' has"),
        (lambda d: tree(d)["kind"].__setitem__(0, 9), "m.json: tree 1: 'kind' has 9"),
        (lambda d: tree(d)["at_most"].append(1.5), "m.json: tree 1: 'at_most' has"),
        (lambda d: tree(d).update(table=[0]), "m.json: tree 1: 'table' has 1 entries, expected"),
        (lambda d: tree(d).update(table=[0] * 9), "m.json: tree 1: 'table' has"),
        (lambda d: tree(d).update(label=[7]), "m.json: tree 1: 'label' has the number of a label"),
        (lambda d: tree(d).update(missing_to=7), "m.json: tree 1: node 0: 'missing_to' is 7, but its split has"),
        (lambda d: tree(d).update(missing_to=-3), "m.json: tree 1: 'missing_to' has -3"),
        (lambda d: tree(d).update(sparse=[[0, 2]]), "m.json: tree 1: 'sparse' has [0, 2], which fits no table"),
        (lambda d: tree(d).update(surrogates={"0": []}), "m.json: tree 1: node 0: surrogates need"),
        (lambda d: tree(d)["leaves"]["label"].pop(), "m.json: tree 1: 'leaves.label' has"),
        (lambda d: tree(d)["leaves"]["label"].__setitem__(0, 5), "m.json: tree 1: 'leaves.label' has 5"),
        (lambda d: tree(d)["leaves"]["weight"].__setitem__(0, -1), "m.json: tree 1: 'leaves.weight' must contain"),
        (
            lambda d: tree(d)["leaves"]["weight"].__setitem__(0, 10**400),
            "m.json: tree 1: 'leaves.weight' has a number beyond",
        ),
        (lambda d: tree(d)["leaves"]["weight"].append(1), "m.json: tree 1: 'leaves.weight' has"),
        (lambda d: tree(d)["leaves"].update(mean=[1.0]), "m.json: tree 1: 'leaves' has 'mean', expected only"),
        (lambda d: tree(d)["leaves"]["mixed"].reverse(), "m.json: tree 1: 'leaves.mixed' must have the classes"),
        (lambda d: tree(d).update(inner={"label": [-1] * 7}), "m.json: tree 1: 'inner.label' has"),
    ],
)
def test_a_damaged_file_is_refused_with_its_tree(change: Change, message: str) -> None:
    document = json.loads(text_of(forest_of(every_kind())))
    change(document)
    with pytest.raises(ModelError) as caught:
        decode(json.dumps(document).encode(), "m.json")
    assert caught.value.message.startswith(message)
    assert caught.value.exit_code == 4


def test_cases_that_stay_at_inner_nodes_need_their_outcomes() -> None:
    document = json.loads(text_of(forest_of(playtennis())))
    tree(document)["missing_to"] = -2
    with pytest.raises(ModelError, match="tree 1: lacks 'inner', which a tree has if cases stay at inner nodes"):
        decode(json.dumps(document).encode(), "m.json")


@pytest.mark.parametrize(
    ("field", "value"), [("weight", -1), ("mean", 1e200), ("deviance", -1), ("deviance", 1e300), ("weight", 1e60)]
)
def test_weight_mean_and_deviance_have_limits(field: str, value: float) -> None:
    document = json.loads(text_of(forest_of(regression())))
    tree(document)["leaves"][field][0] = value
    with pytest.raises(ModelError, match=rf"tree 1: 'leaves\.{field}' has .*out of range"):
        decode(json.dumps(document).encode(), "m.json")


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
@given(seed=st.integers(0, 2**32))
def test_a_file_with_random_damage_is_refused_or_still_a_model(build: Build, seed: int) -> None:
    text = damaged(text_of(build()), random.Random(seed))
    try:
        model = decode(text, "m.json")
    except ModelError as error:
        assert error.message.startswith("m.json: ")  # noqa: PT017 (either outcome is right)
        return
    assert decode(b"".join(encode(model)), "m.json") == model


def test_a_tree_may_be_very_deep() -> None:
    from tests.example_models import chain

    deep = chain(20_000)
    model = forest_of(deep)
    assert decode(text_of(model), "m.json") == model


def test_the_kind_is_read_by_its_name(tmp_path: Path) -> None:
    write_model(str(tmp_path / "m.json"), forest_of(playtennis()))
    assert isinstance(read_model(str(tmp_path / "m.json")), ForestModel)


def test_members_are_trees_of_the_same_settings() -> None:
    forest = forest_of(playtennis())
    assert [isinstance(member, TreeModel) for member in forest.members()] == [True] * 3
    assert forest.member(0).settings is forest.settings


def test_classes_that_tie_are_equal_where_inner_nodes_are_summed_from_parts_of_rows() -> None:
    """No row has the value z, so its leaf predicts as the root, where each class has four rows."""
    from treecli.data import MISSING, Attribute, Dataset, Schema

    schema = Schema((Attribute("a", "nominal", ("v", "w", "x", "y", "z")),), Attribute("c", "nominal", ("no", "yes")))
    values = np.array([2, 0, 3, MISSING, 3, 1, 1, 2], np.int32)
    target = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)
    dataset = Dataset(schema, [values], target, np.ones(8))
    forest = learn_ensemble(dataset, Recipe.parse(["--forest", "1", "--sample", "1", "--features", "all"]))
    counts = np.array(forest.trees[0].outcomes).reshape(-1, 2)
    assert counts[1:].cumsum(axis=0)[-1].tolist() == [3.9999999999999996, 4.0]
    assert counts[0].tolist() == [4.0, 4.0]
    assert decode(text_of(forest), "m.json") == forest
