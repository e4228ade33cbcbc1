"""The wrong rows of `evaluate --errors`: row, truth, prediction, and the leaf and rule that decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli import models, plugins
from treecli.files import forms
from treecli.files.whole import write_whole
from treecli.rules.from_tree import from_tree
from treecli.wording import Cell
from treecli.writers._delimited import exact
from treecli.writers._sheet import Description, Sheet, field_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import Dataset
    from treecli.evaluate.result import Result
    from treecli.model import Model

CSV = "csv"


def form_of(path: str) -> str:
    """The format that the suffix of a file's name selects."""
    return forms.chosen(path, "writers", CSV, "--errors")


def write(path: str, columns: dict[str, Sequence[Cell]], labels: Sequence[str]) -> None:
    """Write the columns in the format that the suffix of the path selects."""
    rows = ([exact(cell) for cell in row] for row in zip(*columns.values(), strict=True))

    def describe() -> Description:
        own = {"truth": None, "prediction": labels or None}
        return Description("errors", [field_of(name, cells, own.get(name)) for name, cells in columns.items()], None)

    writer = plugins.load("writers", form_of(path))
    write_whole(path, writer.write(Sheet(list(columns), rows, describe)))


def error_columns(
    model: Model, dataset: Dataset, result: Result, row_numbers: NDArray[np.int64], truths: Sequence[str] | None
) -> dict[str, Sequence[Cell]]:
    """The columns of the file, for the rows whose prediction differs from the truth.

    `row_numbers` are those in the data file, from 1. `truths` are the true labels of all its rows as written; None for
    a numeric target.
    """
    import numpy as np

    wrong = np.flatnonzero(result.actual != result.predicted)
    labels = result.labels
    places = models.places(model, dataset.take(wrong)) if len(wrong) else []
    texts = _antecedents(model, {place for place in places if place is not None})
    numbers = row_numbers[wrong].tolist()
    codes = result.predicted[wrong].tolist()
    predictions = [labels[code] for code in codes] if labels else codes
    return {
        "row": numbers,
        "truth": result.actual[wrong].tolist() if truths is None else [truths[number - 1] for number in numbers],
        "prediction": predictions,
        "leaf": places,
        "rule": [
            None if place is None else f"IF {texts[place]} THEN {exact(prediction)}"
            for place, prediction in zip(places, predictions, strict=True)
        ],
    }


def _antecedents(model: Model, places: set[int]) -> dict[int, str]:
    """The conditions of each leaf, or of each number in a rule list."""
    if not places:
        return {}
    tree = models.as_tree(model)
    # Not models.as_rules, which refuses trees whose leaves have models: here the row's own prediction follows.
    rules = models.as_rules(model)[1] if tree is None else from_tree(tree)
    found = {}
    for number, rule in enumerate(rules, start=1):
        place = number if tree is None else rule.leaf
        if place is not None and place in places:
            found[place] = rule.antecedent(model.schema)
    return found
