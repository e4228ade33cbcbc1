"""scikit-learn's learners, imported on first use: collecting these tests must not wait for it."""

from __future__ import annotations

from typing import Any


def classifier(**options: Any) -> Any:
    """A classifier that is not fitted yet."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(**options)


def regressor(**options: Any) -> Any:
    """A regressor that is not fitted yet."""
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(**options)
