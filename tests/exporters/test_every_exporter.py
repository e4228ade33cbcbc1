"""Contract suite: in every language, a model predicts the same, or is refused with a reason."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from hypothesis import given, settings

from tests.example_models import models
from tests.exporters.models import MODELS, verified
from treecli import plugins
from treecli.errors import UsageError
from treecli.exporters import Options
from treecli.model import BoostedModel, Model, TreeModel

TOOLS = {"c": ("cc", "gcc", "clang"), "java": ("javac",), "javascript": ("node", "nodejs"), "pmml": ("java",)}
"""The programs of which one is needed to run a language."""

PACKAGES = {"onnx": ("onnx", "onnxruntime"), "pmml": ("pypmml",)}
"""The packages that must be there."""

CHOICES = {
    "sql": [Options(), Options(dialect="duckdb"), Options(form="view", table='a "table"', name="it's a view")],
    "java": [Options()],
}
"""The options that each model is written with; other languages: with and without probabilities."""

JAVA_MODELS = {
    "every kind",
    "every kind, unseen majority",
    "unseen error",
    "precise",
    "hostile",
    "rules, hostile",
    "deep",
    "derived, unseen majority",
    "derived, deep",
    "leaf models",
    "forest, fractional",
    "forest, votes",
    "boosted",
}
"""Starting a Java compiler takes longer than anything else here, and the others are not compiled as Java. Languages
that need another program run them in `make test-thorough` only."""

OFTEN = {"every kind", "hostile", "deep"}
"""The models that are compiled and run as Java in `make test` too."""

REFUSED = {(name, target) for name in ("unseen error", "derived, unseen error") for target in ("sql", "onnx")}
"""Policies that cannot be expressed: SQL and ONNX cannot raise errors."""


def cases() -> list[Any]:
    found = []
    for target in plugins.names("exporters"):
        for name in MODELS:
            if target == "java" and name not in JAVA_MODELS:
                continue
            for options in CHOICES.get(target, [Options(), Options(proba=True)]):
                is_slow = name not in (OFTEN if target == "java" else JAVA_MODELS)
                is_slow &= target in ("c", "java", "javascript", "pmml")
                found.append(pytest.param(name, target, options, marks=pytest.mark.thorough if is_slow else ()))
    return found


def needs(target: str, options: Options) -> None:
    if target in TOOLS and not any(map(shutil.which, TOOLS[target])):
        pytest.skip(f"{TOOLS[target][0]} is not installed")
    for package in PACKAGES.get(target, ()):
        pytest.importorskip(package)
    if options.dialect == "duckdb":
        pytest.importorskip("duckdb")


def check(target: str, model: Model, options: Options) -> None:
    """Fails unless the export predicts the same as the model for all probes."""
    text = plugins.load("exporters", target).export(model, options)
    assert verified(target, text, model, options)


def test_every_exporter_has_a_runner() -> None:
    assert plugins.names("verifiers") == plugins.names("exporters")


@pytest.mark.parametrize(("name", "target", "options"), cases(), ids=str)
def test_an_artefact_answers_as_its_model_or_is_refused(name: str, target: str, options: Options) -> None:
    model = MODELS[name]()
    if options.proba and (not model.schema.is_classification or isinstance(model, BoostedModel)):
        return  # the command refuses them
    if (name, target) in REFUSED:
        with pytest.raises(UsageError) as refusal:
            plugins.load("exporters", target).export(model, options)
        assert refusal.value.hint
        return
    needs(target, options)
    check(target, model, options)


@pytest.mark.parametrize("target", plugins.names("exporters"))
@pytest.mark.parametrize("name", MODELS)
def test_the_same_model_gives_the_same_text_which_ends_its_last_line(target: str, name: str) -> None:
    exporter = plugins.load("exporters", target)
    if (name, target) in REFUSED:
        return
    if target == "onnx":
        pytest.importorskip("onnx")
    text = exporter.export(MODELS[name](), Options())
    assert text == exporter.export(MODELS[name](), Options())
    if isinstance(text, str):
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


@pytest.mark.parametrize(
    ("target", "options"),
    [("python", Options()), ("sql", Options()), ("pmml", Options()), ("onnx", Options())],
    ids=str,
)
def test_any_small_tree_answers_as_its_model(target: str, options: Options) -> None:
    needs(target, options)

    @given(models())
    @settings(max_examples=25)
    def holds(model: TreeModel) -> None:
        refusal = None
        try:
            check(target, model, options)
        except UsageError as error:
            refusal = error
        # Names and labels that cannot be held: without a letter, with a NUL or what XML has not, or, in SQL, two that
        # differ in case only.
        assert refusal is None or (target != "python" and str(refusal.hint).startswith("rename "))

    holds()
