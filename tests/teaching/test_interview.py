"""An interview with a row's values ends with the prediction for the row."""

from __future__ import annotations

from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from tests.teaching.test_agreement import datasets
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
        assert found.probabilities == pytest.approx(expected[row].tolist(), abs=1e-9)
        number = found.probabilities[0] if dataset.schema.target.is_numeric else max(found.probabilities)
        assert found.low - 1e-9 <= number <= found.high + 1e-9


def _is_missing(dataset: Dataset, attribute: int, value: float) -> bool:
    return not dataset.schema.attributes[attribute].is_numeric and value < 0
