"""An interview with a row's values ends with the prediction for the row."""

from __future__ import annotations

from math import isnan

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.teaching.test_agreement import datasets, has_values
from treecli.data import Dataset
from treecli.learn import learn
from treecli.predict.predict import distributions
from treecli.recipe import Recipe
from treecli.teaching.answers import Answer, Known, Unknown
from treecli.teaching.interview import Interview


@settings(max_examples=examples(60))
@given(
    st.booleans().flatmap(lambda is_numeric: datasets(is_numeric=is_numeric)),
    st.sampled_from(["fractional", "surrogate", "majority", "branch", "stay"]),
    st.sampled_from(["multiway", "binary", "subset"]),
)
def test_an_interview_predicts_as_predict_does(dataset: Dataset, missing: str, nominal: str) -> None:
    model = learn(dataset, Recipe.parse(["--missing", missing, "--nominal", nominal]))
    interview, expected = Interview(model), distributions(model, dataset)
    for row in range(dataset.n_rows):
        answers: dict[int, Answer] = {}
        walk = interview.walk(answers)
        while walk.needed is not None:
            assert walk.needed not in answers
            value = float(dataset.columns[walk.needed][row])
            answers[walk.needed] = (
                Unknown() if isnan(value) or _is_missing(dataset, walk.needed, value) else Known(value, "")
            )
            walk = interview.walk(answers)
        found = interview.conclusion(walk)
        assert found.probabilities == pytest.approx(expected[row].tolist(), rel=1e-12, abs=1e-9)
        number = found.probabilities[0] if dataset.schema.target.is_numeric else max(found.probabilities)
        slack = 1e-9 + 1e-12 * abs(number)
        assert found.low - slack <= number <= found.high + slack


def _is_missing(dataset: Dataset, attribute: int, value: float) -> bool:
    return not dataset.schema.attributes[attribute].is_numeric and value < 0


@settings(max_examples=examples(30))
@given(
    st.booleans().flatmap(lambda is_numeric: datasets(is_numeric=is_numeric)),
    st.sampled_from(["--splits mofn", "--splits mofn,linear", "--project gaussian:2"]),
    st.sampled_from(["fractional", "surrogate", "branch"]),
)
def test_an_interview_about_derived_columns_asks_for_attributes_and_predicts_as_predict_does(
    dataset: Dataset, columns: str, missing: str
) -> None:
    if columns.startswith("--project"):
        dataset = dataset.narrowed([i for i, own in enumerate(dataset.schema.attributes) if own.is_numeric])
        assume(has_values(dataset))
    assume("linear" not in columns or sum(own.is_numeric for own in dataset.schema.attributes) > 1)
    model = learn(dataset, Recipe.parse([*columns.split(), "--missing", missing]))
    interview, expected = Interview(model), distributions(model, dataset)
    for row in range(dataset.n_rows):
        answers: dict[int, Answer] = {}
        while (needed := interview.walk(answers).needed) is not None:
            assert needed < len(dataset.schema.attributes)
            assert needed not in answers
            value = float(dataset.columns[needed][row])
            is_unknown = isnan(value) or _is_missing(dataset, needed, value)
            answers[needed] = Unknown() if is_unknown else Known(value, "")
        # A value that was not needed can change the prediction only if it is missing.
        left = [i for i in range(len(dataset.columns)) if i not in answers]
        if all(not (isnan(v := float(dataset.columns[i][row])) or _is_missing(dataset, i, v)) for i in left):
            found = interview.conclusion(interview.walk(answers))
            assert found.probabilities == pytest.approx(expected[row].tolist(), rel=1e-12, abs=1e-9)
