"""PMML: the content of the document, safe names, and detection of one wrong bit."""

from __future__ import annotations

import shutil
import sys
from xml.etree import ElementTree

import pytest

from tests.example_models import Inner, chain, every_kind, iris_like, model_of, playtennis
from tests.exporters.models import HOSTILE_LABELS, HOSTILE_NAMES, MODELS, to_one_branch, verified
from treecli.data import Attribute, Schema
from treecli.errors import CheckError, UsageError
from treecli.exporters import Options, pmml
from treecli.model import Model, TreeModel
from treecli.splits import threshold

SPACE = {"p": pmml.NAMESPACE}


def parsed(model: Model, options: Options | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(pmml.export(model, options or Options()).encode())


def body(root: ElementTree.Element) -> ElementTree.Element:
    """The model itself, after the header, the dictionary and derived fields."""
    return root[-1]


def plain(element: ElementTree.Element) -> str:
    return element.tag.removeprefix(f"{{{pmml.NAMESPACE}}}")


def needs_evaluator() -> None:
    pytest.importorskip("pypmml")
    if shutil.which("java") is None:
        pytest.skip("java is not installed")


def checked(text: str, model: TreeModel) -> None:
    assert verified("pmml", text, model, Options())


def test_a_tree_is_a_tree_whose_tests_name_where_missing_values_go() -> None:
    text = pmml.export(to_one_branch(iris_like()), Options())
    node = text[text.index("    <Node") : text.index('      <Node id="2"')]
    assert node == (
        '    <Node id="0" score="Iris-setosa" recordCount="150">\n'
        "      <True/>\n"
        '      <Node id="1" score="Iris-setosa" recordCount="50">\n'
        '        <CompoundPredicate booleanOperator="or">\n'
        '          <SimplePredicate field="petalwidth" operator="lessOrEqual" value="0.6"/>\n'
        '          <SimplePredicate field="petalwidth" operator="isMissing"/>\n'
        "        </CompoundPredicate>\n"
        '        <ScoreDistribution value="Iris-setosa" recordCount="50" probability="1.0"/>\n'
        '        <ScoreDistribution value="Iris-versicolor" recordCount="0" probability="0.0"/>\n'
        '        <ScoreDistribution value="Iris-virginica" recordCount="0" probability="0.0"/>\n'
        "      </Node>\n"
    )


@pytest.mark.parametrize(
    ("name", "proba", "kind", "attributes"),
    [
        ("thresholds", False, "TreeModel", {"functionName": "classification", "splitCharacteristic": "binarySplit"}),
        ("multiway", False, "TreeModel", {"functionName": "classification", "splitCharacteristic": "multiSplit"}),
        ("regression, one branch", False, "TreeModel", {"functionName": "regression"}),
        ("rules", False, "RuleSetModel", {"functionName": "classification"}),
        ("rules", True, "TreeModel", {"functionName": "classification"}),
        ("rules, regression", False, "TreeModel", {"functionName": "regression"}),
        ("fractional", False, "TreeModel", {"functionName": "classification"}),
        ("regression", False, "RegressionModel", {"functionName": "regression"}),
    ],
)
def test_a_model_has_the_best_suited_kind(name: str, proba: bool, kind: str, attributes: dict[str, str]) -> None:
    found = body(parsed(MODELS[name](), Options(proba=proba)))
    assert plain(found) == kind
    assert attributes.items() <= found.attrib.items()


# The order in which the standard's schema wants the parts of these models; other parts are optional.
PARTS = ["MiningSchema", "Output", "LocalTransformations", "RuleSet", "RegressionTable", "Node", "Segmentation"]


@pytest.mark.parametrize("name", MODELS)
def test_the_parts_of_a_model_stand_in_the_order_of_the_standard(name: str) -> None:
    root = parsed(MODELS[name]())
    assert [plain(part) for part in root][:2] == ["Header", "DataDictionary"]
    parts = [plain(part) for part in body(root)]
    assert parts == [part for part in PARTS if part in parts]


def test_the_first_rule_that_holds_decides() -> None:
    rules = body(parsed(MODELS["rules"]())).find("p:RuleSet", SPACE)
    assert rules is not None
    assert rules.find("p:RuleSelectionMethod", SPACE).attrib == {"criterion": "firstHit"}  # type: ignore[union-attr]
    first = rules.find("p:SimpleRule", SPACE)
    assert first is not None
    assert {"id": "1", "score": "No", "recordCount": "3", "nbCorrect": "3"}.items() <= first.attrib.items()


def test_several_labels_are_a_set_and_those_that_an_array_cannot_hold_stand_one_by_one() -> None:
    sets = parsed(to_one_branch(every_kind())).iterfind(".//p:SimpleSetPredicate", SPACE)
    assert {(found.get("field"), found[0].text) for found in sets} >= {("grade", '"high" "top"')}
    assert parsed(MODELS["rules, hostile"]()).find(".//p:Array", SPACE) is None


def test_names_and_labels_come_back_as_they_were() -> None:
    root = parsed(MODELS["hostile"]())
    fields = root.findall(".//p:DataField", SPACE)
    assert [field.get("name") for field in fields[:-1]] == list(HOSTILE_NAMES)
    assert [value.get("value") for value in fields[0]] == list(HOSTILE_LABELS)


def test_an_ordinal_field_lists_its_labels_in_their_order() -> None:
    field = parsed(to_one_branch(every_kind())).find(".//p:DataField[@name='grade']", SPACE)
    assert field is not None
    assert field.get("optype") == "ordinal"
    assert [value.get("value") for value in field] == ["low", "mid", "high", "top"]


@pytest.mark.parametrize(
    ("name", "treatment", "n_values"),
    [
        ("multiway", "asMissing", 3),
        ("unseen error", "returnInvalid", 4),
        ("one branch, unseen majority", "asMissing", 0),
    ],
)
def test_unseen_labels_are_treated_as_in_the_model(name: str, treatment: str, n_values: int) -> None:
    # A field that lists no labels takes any, and the tests tell them from missing ones.
    root = parsed(MODELS[name]())
    column = "Outlook" if name == "multiway" else "colour"
    field = root.find(f".//p:MiningField[@name='{column}']", SPACE)
    assert field is not None
    assert field.get("invalidValueTreatment") == treatment
    assert len(root.findall(f".//p:DataField[@name='{column}']/p:Value", SPACE)) == n_values


def test_probabilities_are_output_fields_beside_the_prediction() -> None:
    for model in (playtennis(), to_one_branch(playtennis())):
        fields = parsed(model, Options(proba=True, name="tennis")).findall(".//p:OutputField", SPACE)
        assert [field.get("name") for field in fields] == ["prediction", "probability(No)", "probability(Yes)"]


def test_fields_of_its_own_get_out_of_the_way_of_columns() -> None:
    schema = Schema(
        tuple(Attribute(name, "numeric") for name in ("prediction", "part_1", "total_0", "best")),
        Attribute("distance_0", "nominal", ("a", "b")),
    )
    node: Inner | tuple[float, ...] = (3.0, 1.0)
    for index in range(4):
        node = Inner(threshold.Split(index, 1.5), (node, (1.0, float(index))))
    model = model_of(schema, node)
    text = pmml.export(model, Options())
    names = [field.get("name") for field in ElementTree.fromstring(text.encode()).iter() if "DerivedField" in field.tag]
    assert len(set(names)) == len(names)
    assert not {"prediction", "part_1", "total_0", "best", "distance_0"} & set(names)
    needs_evaluator()
    checked(text, model)


def _named(column: str, label: str) -> TreeModel:
    schema = Schema((Attribute(column, "numeric"),), Attribute("y", "nominal", (label, "b")))
    return model_of(schema, Inner(threshold.Split(0, 1.5), ((3.0, 0.0), (0.0, 2.0)), 0))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (_named("x\x01", "a"), r"'x\\x01' holds the character U\+0001, which XML and so PMML cannot write"),
        (_named("x", "a\0"), r"'a\\x00' holds the character U\+0000"),
        (_named("x", "\ufffe"), r"'\\ufffe' holds the character U\+FFFE"),
        (_named("", "a"), "PMML has no columns without a name"),
        (chain(201), "too deep for formulas: 201 levels, 200 at most"),
    ],
    ids=["column", "NUL", "no character", "no name", "deep"],
)
def test_an_impossible_export_is_refused_with_a_hint(model: TreeModel, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refusal:
        pmml.export(model, Options())
    assert refusal.value.hint


def test_the_evaluator_notices_one_wrong_bit() -> None:
    needs_evaluator()
    model = to_one_branch(iris_like())
    text = pmml.export(model, Options())
    checked(text, model)
    # The doubles next to 1.7.
    for near in ("1.7000000000000002", "1.6999999999999997"):
        with pytest.raises(CheckError, match=r"petalwidth = 1\.[67].*: the model predicts 'Iris-v"):
            checked(text.replace('"1.7"', f'"{near}"'), model)


def test_a_broken_document_is_reported() -> None:
    needs_evaluator()
    model = to_one_branch(iris_like())
    text = pmml.export(model, Options())
    with pytest.raises(CheckError, match="the artefact does not run: PMML4S"):
        checked(text[: len(text) // 2], model)


def test_a_missing_evaluator_is_named_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypmml", None)
    model = to_one_branch(iris_like())
    with pytest.raises(UsageError, match="needs a PMML evaluator") as refusal:
        checked(pmml.export(model, Options()), model)
    assert "pip install 'treecli[verify]'" in str(refusal.value.hint)
