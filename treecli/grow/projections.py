"""Random projections (Johnson and Lindenstrauss 1984): a few random combinations of many numeric attributes.

The attributes are standardized by the weighted mean and standard deviation of the training rows, then multiplied by a
random matrix R / √K. R has independent entries of mean 0 and variance 1: normal (gaussian), or √S, 0 and -√S with
probabilities 1/(2S), 1 - 1/S and 1/(2S) (sparse; Achlioptas 2003, Li, Hastie and Church 2006). Squared distances keep
their expected value. With K ≥ 4 ln n / (EPS²/2 - EPS³/3) normal columns, n points most likely keep all of them within a
factor of 1 ± EPS (Dasgupta and Gupta 2003).
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, log
from typing import TYPE_CHECKING

import numpy as np

from treecli import plugins
from treecli.errors import DataError, UsageError
from treecli.grow.plan import refuse_missing
from treecli.options.projections import GAUSSIAN, LEMMA, Projection, projection_of
from treecli.wording import counted, shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from treecli.data import Dataset, Feature, FloatArray, Schema
    from treecli.settings import Settings
    from treecli.threads import OnWarning

DIGITS = 10
"""Means, deviations and coefficients are rounded to so many digits: their last ones depend on the order of the sums."""

MOST_NAMED = 5
"""The number of attributes that a message names."""

STREAM = 5
"""Keeps these random numbers apart from others of the same seed."""


def projected(
    dataset: Dataset, settings: Settings, on_warning: OnWarning | None = None
) -> tuple[Dataset, Sequence[int]]:
    """Return the data with the projected columns as derived ones, and the columns that the tree is grown on.

    If the lemma needs more columns than there are attributes, a warning says so, and these are the attributes.
    """
    assert settings.inputs.project is not None
    _check(settings)
    chosen = projection_of(settings.inputs.project)
    if settings.missing.policy == "error":
        refuse_missing(dataset)
    first, warn = len(dataset.schema.columns), on_warning or (lambda _: None)
    n_columns = number_of_columns(chosen, dataset)
    n_attributes = len(dataset.schema.attributes)
    if n_columns > n_attributes:
        text = f"--project {settings.inputs.project}: {counted(n_columns, 'column')} for {n_attributes} attributes"
        if chosen.kind == LEMMA:
            warn(f"{text}, which reduces nothing: the tree is grown on the attributes")
            return dataset, range(first)
        warn(f"{text}, which reduces nothing")
    schema = dataset.schema.with_features(features(dataset, chosen, n_columns, settings.computing.seed))
    return replace(dataset, schema=schema), range(first, len(schema.columns))


def settings_of_growth(settings: Settings) -> Settings:
    """Return the settings for growing on projected columns, which have no missing values.

    So no row goes down several branches, and exports need not provide for it.
    """
    spreads = settings.missing.policy in ("fractional", "surrogate")
    if spreads and settings.computing.arithmetic == "sums":
        return settings.changed(project=None, missing="majority")
    return settings.changed(project=None)


def number_of_columns(chosen: Projection, dataset: Dataset) -> int:
    """Return the number of columns: as given, or the least that the lemma asks for, by the number of rows."""
    if chosen.n_columns is not None:
        return chosen.n_columns
    assert chosen.distortion is not None
    return columns_of_lemma(len(_counting(dataset)), chosen.distortion)


def columns_of_lemma(n_points: int, distortion: float) -> int:
    """Return the least whole number of at least 4 ln n / (EPS²/2 - EPS³/3)."""
    return max(ceil(4 * log(max(n_points, 1)) / (distortion**2 / 2 - distortion**3 / 3)), 1)


def features(dataset: Dataset, chosen: Projection, n_columns: int, seed: int) -> list[Feature]:
    """Return the projected columns, in the units of the data; raise an error if an attribute cannot be projected."""
    _refuse_labels(dataset.schema)
    rows = _counting(dataset)
    moments = [
        _moments(attribute.name, np.asarray(column[rows], np.float64), dataset.weights[rows])
        for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True)
    ]
    drawn = matrix(chosen, len(moments), n_columns, seed)
    return [_feature(place, coefficients, moments) for place, coefficients in enumerate(drawn, 1)]


def matrix(chosen: Projection, n_attributes: int, n_columns: int, seed: int) -> FloatArray:
    """Return the random matrix, with one row per projected column."""
    random = np.random.default_rng([seed, STREAM])
    shape = n_columns, n_attributes
    if chosen.kind in (GAUSSIAN, LEMMA):
        return np.asarray(random.standard_normal(shape) / np.sqrt(n_columns))
    share = random.random(shape) * chosen.sparsity
    signs = np.where(share < 0.5, 1.0, np.where(share < 1.0, -1.0, 0.0))
    return np.asarray(signs * np.sqrt(chosen.sparsity / n_columns))


def _feature(place: int, coefficients: FloatArray, moments: list[tuple[float, float]]) -> Feature:
    """Return a projected column: the standardization becomes part of the coefficients and the constant."""
    terms, constant = [], 0.0
    for index, (coefficient, (mean, scale)) in enumerate(zip(coefficients.tolist(), moments, strict=True)):
        if coefficient != 0 and scale > 0:
            factor = _rounded(coefficient / scale)
            terms.append((factor, index, mean, scale))
            constant -= factor * mean
    feature: Feature = plugins.load("features", "projection").Feature(place, _rounded(constant), tuple(terms))
    return feature


def _moments(name: str, values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation of the known values; 0 and 0 if there are none."""
    is_known = values == values
    # Sorted, so that the sums do not depend on the order of the rows.
    order = np.lexsort((weights[is_known], values[is_known]))
    values, weights = values[is_known][order], weights[is_known][order]
    if not len(values):
        return 0.0, 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        total = weights.sum()
        mean = (weights * values).sum() / total
        scale = np.sqrt((weights * (values - mean) ** 2).sum() / total)
    if not (np.isfinite(mean) and np.isfinite(scale)):
        raise DataError(
            f"'{name}' has values that are infinite or too large to be projected",
            f"leave it out: -x {shell_word(name)}",
        )
    return _rounded(float(mean)), _rounded(float(scale)) if values[0] < values[-1] else 0.0


def _counting(dataset: Dataset) -> NDArray[np.int64]:
    """Return the rows with a target, if the data has one, and a weight."""
    is_counted = dataset.weights > 0
    if dataset.target is not None:
        target = dataset.target
        is_counted = is_counted & (target == target if dataset.schema.target.is_numeric else target >= 0)
    return np.flatnonzero(is_counted)


def _rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def _refuse_labels(schema: Schema) -> None:
    """Raise UsageError if an attribute is not numeric."""
    names = [attribute.name for attribute in schema.attributes if not attribute.is_numeric]
    if names:
        others = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        listed = ", ".join(f"'{name}'" for name in names[:MOST_NAMED])
        verb = "is" if len(names) == 1 else "are"
        cure = " ".join(f"-x {shell_word(name)}" for name in names)
        raise UsageError(
            f"--project: {listed}{others} {verb} not numeric, and only numbers are projected",
            f"leave {'it' if len(names) == 1 else 'them'} out: {cure}",
        )


def _check(settings: Settings) -> None:
    """Raise UsageError if other settings exclude a projection."""
    if settings.splitting.splits:
        raise UsageError(
            "--project and --splits exclude each other", "projected columns are combinations of attributes already"
        )
    for key in ("force", "monotone", "attribute_costs"):
        if settings.value(key):
            raise UsageError(f"--project and --{key.replace('_', '-')} exclude each other: no attribute is split on")
    if settings.predicting.single_precision:
        raise UsageError("--project: derived columns are not rounded to 32 bits", "leave out --like sklearn")
