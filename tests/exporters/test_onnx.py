"""ONNX: a valid graph with the same results in two runtimes, its names, and detection of one wrong bit."""

from __future__ import annotations

import json
import sys
from math import inf, nextafter
from typing import Any

import pytest

from tests.example_models import Inner, iris_like, model_of, playtennis
from tests.exporters.models import HOSTILE_NAMES, MODELS, to_one_branch, verified
from treecli.data import Attribute, Schema
from treecli.errors import CheckError, UsageError
from treecli.exporters import Options
from treecli.exporters import onnx as exporter
from treecli.model import TreeModel
from treecli.models import probes, program_of
from treecli.splits import threshold

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

EXPRESSIBLE = [name for name in MODELS if not name.endswith("unseen error")]


def session(model: TreeModel, options: Options | None = None) -> Any:
    artefact = exporter.export(model, options or Options())
    return onnxruntime.InferenceSession(artefact, providers=["CPUExecutionProvider"])


def checked(artefact: bytes, model: TreeModel) -> None:
    assert verified("onnx", artefact, model, Options())


@pytest.mark.parametrize("name", EXPRESSIBLE)
def test_every_graph_is_valid_with_all_its_shapes(name: str) -> None:
    model = MODELS[name]()
    artefact = exporter.export(model, Options(proba=model.schema.is_classification))
    onnx.checker.check_model(onnx.load_from_string(artefact), full_check=True)


@pytest.mark.parametrize("name", ["every kind", "surrogates", "costs, fractional", "rules, hostile", "precise"])
def test_the_reference_implementation_agrees_with_onnxruntime(name: str) -> None:
    import numpy as np
    from onnx.reference import ReferenceEvaluator

    from treecli.verifiers import cells

    model = MODELS[name]()
    program = program_of(model)
    columns = [program.schema.attributes[index] for index in program.attributes]
    given = {}
    for column, values in zip(columns, zip(*cells(probes(model), program), strict=True), strict=True):
        if column.is_numeric:
            given[column.name] = np.array([np.nan if value is None else value for value in values])
        else:
            missing = exporter.missing_text(column)
            given[column.name] = np.array([missing if value is None else value for value in values], object)
    reference = ReferenceEvaluator(onnx.load_from_string(exporter.export(model, Options())))
    (theirs,) = session(model).run(None, given)
    assert reference.run(None, given)[0].tolist() == theirs.tolist()


def test_inputs_and_outputs_are_named_and_described() -> None:
    ours = session(playtennis(), Options(proba=True, name="tennis"))
    assert [(x.name, x.type, x.shape) for x in ours.get_inputs()] == [
        ("Outlook", "tensor(string)", ["rows"]),
        ("Humidity", "tensor(string)", ["rows"]),
        ("Wind", "tensor(string)", ["rows"]),
    ]
    assert [(x.name, x.type, x.shape) for x in ours.get_outputs()] == [
        ("prediction", "tensor(string)", ["rows"]),
        ("probabilities", "tensor(double)", ["rows", 2]),
    ]
    described = ours.get_modelmeta()
    assert described.graph_name == "tennis"
    assert "Predicts 'PlayTennis'." in described.description
    assert json.loads(described.custom_metadata_map["labels"]) == ["No", "Yes"]
    graph = onnx.load_from_string(exporter.export(playtennis(), Options())).graph
    assert graph.input[0].doc_string == "a label; '' where it is missing"


def test_hostile_names_are_only_names() -> None:
    # All but the labels are numbers.
    assert [x.name for x in session(MODELS["hostile"]()).get_inputs()] == list(HOSTILE_NAMES)


@pytest.mark.parametrize(
    ("labels", "text"), [(("a", "b"), ""), (("", "b"), "missing"), (("", "missing"), "missing_")], ids=str
)
def test_a_missing_label_is_the_empty_text_unless_that_is_a_label(labels: tuple[str, ...], text: str) -> None:
    assert exporter.missing_text(Attribute("x", "nominal", labels)) == text


def test_values_of_its_own_get_out_of_the_way_of_columns() -> None:
    names = ("prediction", "step_1", "_step_2", "probabilities")
    schema = Schema(tuple(Attribute(name, "numeric") for name in names), Attribute("y", "nominal", ("a", "b")))
    node: Inner | tuple[float, ...] = (3.0, 1.0)
    for index in range(4):
        node = Inner(threshold.Split(index, 1.5), (node, (1.0, float(index))))
    for model in (model_of(schema, node), to_one_branch(model_of(schema, node))):
        assert [x.name for x in session(model, Options(proba=True)).get_outputs()] == ["prediction_", "probabilities_"]
        checked(exporter.export(model, Options()), model)


@pytest.mark.parametrize("name", ["fractional", "multiway", "regression", "single leaf"])
def test_no_rows_get_no_answers(name: str) -> None:
    import numpy as np

    ours = session(MODELS[name]())
    kinds = {"tensor(double)": np.float64, "tensor(string)": object}
    given = {x.name: np.empty(0, kinds[x.type]) for x in ours.get_inputs()}
    assert ours.run(None, given)[0].shape == (0,)


def test_a_model_that_asks_nothing_counts_the_rows_of_its_first_column() -> None:
    import numpy as np

    ours = session(MODELS["single leaf"]())
    assert [x.name for x in ours.get_inputs()] == ["Outlook"]
    (said,) = ours.run(None, {"Outlook": np.array(["Rain", ""], object)})
    assert said.tolist() == ["Yes", "Yes"]


def _named(column: str) -> TreeModel:
    schema = Schema((Attribute(column, "numeric"),), Attribute("y", "nominal", ("a", "b")))
    return model_of(schema, Inner(threshold.Split(0, 1.5), ((3.0, 0.0), (0.0, 2.0)), 0))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (_named(""), "'' cannot be a name in ONNX"),
        (_named("a\0b"), r"'a\\x00b' cannot be a name in ONNX"),
        (MODELS["unseen error"](), "an unseen label for an error, which ONNX cannot raise"),
        (model_of(Schema((), Attribute("y", "nominal", ("a", "b"))), (1.0, 2.0)), "has no attributes"),
    ],
    ids=["no name", "NUL", "unseen", "no attributes"],
)
def test_an_impossible_export_is_refused_with_a_hint(model: TreeModel, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refusal:
        exporter.export(model, Options())
    assert refusal.value.hint


@pytest.mark.parametrize("towards", [-inf, inf])
def test_the_runtime_notices_one_wrong_bit(towards: float) -> None:
    import numpy as np

    model = to_one_branch(iris_like())
    artefact = exporter.export(model, Options())
    checked(artefact, model)
    made = onnx.load_from_string(artefact)
    for constant in made.graph.initializer:
        numbers = onnx.numpy_helper.to_array(constant)
        if numbers.dtype == np.float64 and 1.7 in numbers.ravel():
            changed = np.where(numbers == 1.7, nextafter(1.7, towards), numbers)
            constant.CopyFrom(onnx.numpy_helper.from_array(changed, constant.name))
    with pytest.raises(CheckError, match=r"petalwidth = 1\.[67].*: the model predicts 'Iris-v"):
        checked(made.SerializeToString(), model)


def test_a_broken_graph_is_reported() -> None:
    model = to_one_branch(iris_like())
    artefact = exporter.export(model, Options())
    with pytest.raises(CheckError, match="the artefact does not run: onnxruntime"):
        checked(artefact[: len(artefact) // 2], model)


def test_a_missing_package_is_named_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model = to_one_branch(iris_like())
    artefact = exporter.export(model, Options())
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(UsageError, match="needs onnxruntime") as refusal:
        checked(artefact, model)
    assert "pip install 'treecli[verify]'" in str(refusal.value.hint)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(UsageError, match="--to onnx: needs onnx") as refusal:
        exporter.export(model, Options())
    assert "pip install 'treecli[onnx]'" in str(refusal.value.hint)
