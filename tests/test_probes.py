"""Probes lie where predictions change, and verification detects differences."""

from __future__ import annotations

from math import inf, isnan, nextafter

import pytest

from tests.example_models import iris_like, playtennis
from tests.exporters.models import to_one_branch
from treecli import plugins
from treecli.data import MISSING, UNSEEN
from treecli.errors import CheckError
from treecli.exporters import Options
from treecli.models import probes
from treecli.predict.predict import leaves
from treecli.verifiers import verify


def test_every_bound_is_probed_with_its_neighbours_and_without_a_value() -> None:
    values = probes(iris_like()).columns[3].tolist()
    for bound in (0.6, 1.7, 1.5):
        assert {bound, nextafter(bound, inf), nextafter(bound, -inf)} <= set(values)
    assert any(map(isnan, values))
    assert {inf, -inf} <= set(values)


def test_every_label_is_probed_and_so_are_a_missing_and_an_unseen_one() -> None:
    model = playtennis()
    columns = probes(model).columns
    for attribute in (0, 2, 3):
        labels = model.schema.attributes[attribute].labels
        assert set(columns[attribute].tolist()) == {*range(len(labels)), MISSING, UNSEEN}


def test_every_leaf_has_a_probe_that_comes_there() -> None:
    model = to_one_branch(iris_like())
    reached = set(leaves(model, probes(model)).tolist())
    assert {node for node in range(model.tree.n_nodes) if model.tree.is_leaf(node)} <= reached


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("petalwidth <= 0.6 or", "petalwidth < 0.6 or"),
        ("<= 4.9 ", "<= 4.900000000000001 "),
        (" or isnan(petallength)", ""),
        ("'Iris-versicolor'  # 2", "'Iris-virginica'  # 2"),
    ],
)
def test_a_slip_in_an_artefact_is_found_and_the_first_row_is_named(right: str, wrong: str) -> None:
    model = to_one_branch(iris_like())
    text = plugins.load("exporters", "python").export(model, Options())
    assert right in text
    rows = probes(model).take(slice(0, 0))  # type: ignore[arg-type]
    with pytest.raises(CheckError, match=r"probe \d+ \(petallength = .*\): the model predicts 'Iris-\w+', the"):
        verify("python", text.replace(right, wrong, 1), model, Options(), rows, "no data")


def test_an_artefact_that_does_not_run_is_said_so() -> None:
    model = to_one_branch(iris_like())
    rows = probes(model)
    with pytest.raises(CheckError, match=r"does not run.*SyntaxError"):
        verify("python", "def predict(row:", model, Options(), rows, "probes")
