"""C compiles without a warning, whatever the model."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engines.models import ALL
from tests.example_models import Inner, model_of
from tests.exporters.test_every_exporter import JAVA_MODELS
from treecli.data import Attribute, Schema
from treecli.exporters import Options
from treecli.exporters.c import export
from treecli.model import Model, TreeModel
from treecli.splits import known, multiway, threshold

STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")


def one_leaf(**target: object) -> TreeModel:
    """A single leaf with a schema without attributes."""
    schema = Schema((), Attribute("y", **target))  # type: ignore[arg-type]
    return model_of(schema, (1.0, 2.0, 0.0) if not schema.is_classification else (1.0, 2.0))


def without_labels() -> TreeModel:
    """A test on a column without seen labels."""
    schema = Schema((Attribute("x", "nominal", ()), Attribute("", "numeric")), Attribute("y", "nominal", ("a", "b")))
    below = Inner(threshold.Split(1, 0.5), ((1.0, 0.0), (0.0, 2.0)), missing_to=0)
    return model_of(schema, Inner(known.Split(0), (below, (0.0, 3.0)), missing_to=1))


def words_of_c() -> TreeModel:
    """Columns named as functions, types and macros of C are."""
    names = (
        "main",
        "double",
        "NULL",
        "NAN",
        "isnan",
        "strcmp",
        "y0",
        "gamma",
        "errno",
        "add",
        "total",
        "v",
        "values",
        "x86",
    )
    attributes = tuple(Attribute(name, "nominal", ("add(&total[0], 1)", "%d")) for name in names)
    schema = Schema(attributes, Attribute("labels", "nominal", ("a", "b")))
    node: Inner | tuple[float, ...] = (1.0, 0.0)
    for index in range(len(names)):
        node = Inner(multiway.Split(index, 2), ((0.0, 1.0), node))
    return model_of(schema, node)


MODELS: dict[str, Callable[[], Model]] = {
    **ALL,
    "one leaf": lambda: one_leaf(kind="nominal", labels=("a", "b")),
    "one leaf, a number": lambda: one_leaf(kind="numeric"),
    "without labels": without_labels,
    "words of C": words_of_c,
}


OWN = MODELS.keys() - ALL.keys()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in JAVA_MODELS | OWN else pytest.mark.thorough) for name in MODELS]
)
def test_c_compiles_without_a_warning(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    model = MODELS[name]()
    for options in [Options(), Options(proba=True)][: 1 + model.schema.is_classification]:
        (tmp_path / "model.c").write_text(export(model, options), encoding="utf-8")
        command = [compiler, *STRICT, "-c", "-o", "model.o", "model.c"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
