"""`export --missing`: the same tree with another policy for missing values."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np
import pytest

from tests.example_models import every_kind, iris_like, playtennis, regression
from tests.exporters.models import MODELS, five_surrogates, rules, surrogates, to_one_branch, verified, with_settings
from tests.exporters.test_every_exporter import needs
from treecli import plugins
from treecli.data import MISSING, UNSEEN, Dataset
from treecli.errors import UsageError
from treecli.exporters import POLICIES, Options
from treecli.model import TreeModel
from treecli.models import probes, program_of, with_missing
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions
from treecli.verifiers import REFUSED, said_by

TREES: dict[str, Callable[[], TreeModel]] = {
    "fractional": playtennis,
    "every kind": every_kind,
    "numbers": iris_like,
    "regression": regression,
    "surrogates": surrogates,
    "five surrogates": five_surrogates,
    "unseen majority": lambda: with_settings(every_kind(), unseen="majority"),
}


def changed(name: str, policy: str) -> TreeModel:
    model = with_missing(TREES[name](), policy, "m.json")
    assert isinstance(model, TreeModel)
    return model


def row_of(model: TreeModel, *values: float) -> Dataset:
    columns = [
        np.array([value], np.float64 if attribute.is_numeric else np.int32)
        for attribute, value in zip(model.schema.attributes, values, strict=True)
    ]
    return Dataset(model.schema, columns, None, np.ones(1))


def test_a_missing_value_takes_the_heaviest_branch_the_first_of_equals() -> None:
    model = changed("fractional", "majority")
    # Sunny and Rain have 5 days each, Overcast 4. Under Sunny, High has 3 days, all No; Normal 2, all Yes.
    sunny_normal, sunny, rain = (MISSING, 0, 1, 0), (MISSING, 0, MISSING, 0), (2, 0, MISSING, MISSING)
    found = [predicted(model, distributions(model, row_of(model, *row)))[0] for row in (sunny_normal, sunny, rain)]
    assert [model.schema.target.labels[code] for code in found] == ["Yes", "No", "Yes"]
    assert not program_of(model).spreads
    assert model.settings.missing.policy == "majority"


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("policy", ["majority", "error"])
def test_the_given_model_stays_and_known_values_are_predicted_as_before(name: str, policy: str) -> None:
    model = TREES[name]()
    before = list(model.tree.missing_to), dict(model.tree.surrogates)
    other = with_missing(model, policy, "m.json")
    assert (list(model.tree.missing_to), model.tree.surrogates) == before
    assert isinstance(other, TreeModel)
    rows = probes(model)
    is_known = np.ones(rows.n_rows, bool)
    for column, attribute in zip(rows.columns, model.schema.attributes, strict=True):
        is_known &= ~np.isnan(column) if attribute.is_numeric else column >= 0
        if attribute.name == "colour":  # nobody was dark grey or blue at some node, which is as missing
            is_known &= column < 2
        if attribute.name == "shape":
            is_known &= column < 2
    known = rows.take(np.flatnonzero(is_known))
    assert known.n_rows
    assert said_by(other, known, Options()) == said_by(model, known, Options())


@pytest.mark.parametrize("target", ["python", "c", "javascript", "pmml", "sql", "onnx"])
@pytest.mark.parametrize("policy", ["majority", "error"])
@pytest.mark.parametrize("name", TREES)
def test_an_artefact_answers_as_the_model_with_that_policy(name: str, policy: str, target: str) -> None:
    model = changed(name, policy)
    options = Options(refuses_missing=policy == "error")
    export = plugins.load("exporters", target).export
    if policy == "error" and target in ("sql", "onnx"):
        with pytest.raises(UsageError, match=r"--missing error: .* cannot raise an error"):
            export(model, options)
        return
    needs(target, options)
    assert verified(target, export(model, options), model, options)


def test_java_refuses_missing_values_too() -> None:
    needs("java", Options())
    model, options = changed("every kind", "error"), Options(refuses_missing=True)
    text = plugins.load("exporters", "java").export(model, options)
    assert verified("java", text, model, options)


def test_an_unseen_label_is_an_error_where_it_counts_as_a_missing_value() -> None:
    options = Options(refuses_missing=True)
    missing, unseen, known = (nan, 0, 0, 0), (1.0, 0, UNSEEN, 0), (1.0, 0, 0, 0)
    for name, expected in (("every kind", [True, True, False]), ("unseen majority", [True, False, False])):
        model = changed(name, "error")
        found = [said_by(model, row_of(model, *row), options)[0] is REFUSED for row in (missing, unseen, known)]
        assert found == expected


def test_a_branch_for_missing_values_is_needed_at_every_node() -> None:
    model = to_one_branch(every_kind())
    assert with_missing(model, "branch", "m.json") is model
    with pytest.raises(UsageError, match=r"3 of 3 inner nodes of m\.json have no branch for missing values"):
        with_missing(playtennis(), "branch", "m.json")
    with pytest.raises(UsageError, match="2 of 2 inner nodes"):
        with_missing(five_surrogates(), "branch", "m.json")


@pytest.mark.parametrize("policy", POLICIES)
def test_the_conditions_of_rules_decide_about_missing_values(policy: str) -> None:
    model = rules(to_one_branch(playtennis()))
    if policy != "error":
        with pytest.raises(UsageError, match=f"--missing {policy}: m.json is a rule list"):
            with_missing(model, policy, "m.json")
        return
    assert with_missing(model, policy, "m.json") is model
    options = Options(refuses_missing=True)
    text = plugins.load("exporters", "python").export(model, options)
    assert verified("python", text, model, options)


@pytest.mark.parametrize("dialect", ["spark", "bigquery"])
def test_databases_that_cannot_add_up_parts_take_the_changed_model(dialect: str) -> None:
    export = plugins.load("exporters", "sql").export
    with pytest.raises(UsageError) as refusal:
        export(MODELS["fractional"](), Options(dialect=dialect))
    assert "export it with --missing majority" in str(refusal.value.hint)
    assert export(changed("fractional", "majority"), Options(dialect=dialect)).endswith("END\n")
