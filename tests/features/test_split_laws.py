"""Properties of trees with linear and m-of-n splits, for any data."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growing import model_from
from tests.test_laws import LEARNERS, any_data, file_of
from treecli.data import Dataset
from treecli.models import decode, predictions
from treecli.settings import Settings


@settings(max_examples=40)
@given(any_data(), LEARNERS, st.randoms(use_true_random=False))
def test_rows_may_be_reordered_and_files_read_back(dataset: Dataset, learner: Settings, random: object) -> None:
    n_numeric = sum(attribute.is_numeric for attribute in dataset.schema.attributes)
    learner = learner.changed(splits=("mofn", "linear") if n_numeric > 1 else ("mofn",), search="greedy")
    model = model_from(dataset, learner)
    assert file_of(decode(file_of(model), "m.json")) == file_of(model)  # type: ignore[arg-type]
    assert len(predictions(model, dataset)) == dataset.n_rows
    order = list(range(dataset.n_rows))
    random.shuffle(order)  # type: ignore[attr-defined]
    other = model_from(dataset.take(np.array(order)), learner)
    assert other.schema == model.schema
    assert list(other.tree.attribute) == list(model.tree.attribute)
