"""What a row holds that a prediction has no grounds for: missing values, unseen labels, numbers out of range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from treecli.data import MISSING, UNSEEN, Dataset
from treecli.model import Model
from treecli.rules.rulelist import RuleList
from treecli.tree import LEAF
from treecli.wording import quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Flag = Literal["missing", "unseen", "out-of-range"]

SEPARATOR = ";"
"""Between the flags of one row; a name that holds it stands in quotes."""


def asked_attributes(model: Model | RuleList) -> list[int]:
    """The attributes that a model asks about, in the place of others too."""
    if isinstance(model, RuleList):
        return sorted({condition.attribute for rule in model.rules for condition in rule.conditions})
    instead = (surrogate.split.attribute for them in model.tree.surrogates.values() for surrogate in them)
    return sorted({*model.tree.attribute, *instead} - {LEAF})


def without_range(model: Model | RuleList) -> list[str]:
    """The numeric attributes that a model asks about without knowing their range in training."""
    asked = (model.schema.attributes[index] for index in asked_attributes(model))
    return [attribute.name for attribute in asked if attribute.is_numeric and attribute.range is None]


def flagged(model: Model | RuleList, dataset: Dataset) -> Iterator[tuple[int, Flag, NDArray[np.bool_]]]:
    """Each attribute that the model asks about with a flag that some rows have, and which; a row has one at most."""
    import numpy as np

    for index in asked_attributes(model):
        attribute, values = model.schema.attributes[index], dataset.columns[index]
        found: dict[Flag, NDArray[np.bool_]]
        if attribute.is_numeric:
            found = {"missing": np.isnan(values)}
            if attribute.range is not None:
                low, high = attribute.range
                found["out-of-range"] = (values < low) | (values > high)
        else:
            found = {"missing": values == MISSING, "unseen": values == UNSEEN}
        for flag, has_flag in found.items():
            if has_flag.any():
                yield index, flag, has_flag


def flag_texts(model: Model | RuleList, dataset: Dataset) -> list[str]:
    """The flags of every row as text, `missing:humidity;out-of-range:age`, empty where there are none."""
    import numpy as np

    texts = np.full(dataset.n_rows, "", object)
    for index, flag, has_flag in flagged(model, dataset):
        text = f"{flag}:{quoted(model.schema.attributes[index].name)}"
        rows = np.flatnonzero(has_flag)
        before = texts[rows]
        texts[rows] = np.where(before == "", text, before + (SEPARATOR + text))
    listed: list[str] = texts.tolist()
    return listed
