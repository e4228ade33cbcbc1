"""Settings of predictions."""

from __future__ import annotations

from treecli.options.option import MISSING, NUMBERS, File, Flag, OneOf, Text
from treecli.priors import Priors, priors_of
from treecli.records import dataclass
from treecli.settings.declared import setting, without_option

UNSEEN_POLICIES = ("missing", "majority", "error")
"""An unseen label counts as missing, takes the heaviest branch, or is an error."""

LEAF_MODELS = ("constant", "linear")
"""The predictions of leaves for a numeric target."""


@dataclass(frozen=True, slots=True)
class Predicting:
    """Settings of predictions; priors and costs also affect impurity."""

    unseen: str = setting(
        "missing",
        "At prediction, a label that the training data did not have: counts as missing, takes the heaviest branch "
        "(majority), or is an error.",
        OneOf(UNSEEN_POLICIES),
        heading=MISSING,
    )
    # "equal", or a share for each label; None: as in the data.
    priors: Priors = setting(
        None,
        "The share that each class is taken to have.  [default: observed]",
        Text(priors_of),
        metavar="observed|equal|LABEL=P,…",
    )
    laplace: bool = setting(False, "Smooth class probabilities: add one case to each class of a leaf.", Flag())
    # None: 1 for each error.
    costs: tuple[tuple[float, ...], ...] | None = setting(
        None, "A CSV file: the cost of predicting one class (column) for a case of another (row).", File()
    )
    leaf_model: str = setting(
        "constant",
        "What a leaf predicts for a numeric target: the mean or median (constant), or a linear function of the "
        "attributes that the splits below the node asked about before pruning (linear).  [default: constant; --like "
        "m5p: linear]",
        OneOf(LEAF_MODELS),
        heading=NUMBERS,
        shown=False,
    )
    smooth: bool | None = setting(
        None,
        "Whether to mix what a leaf predicts with the models of the nodes above it.  [default: smooth with "
        "--leaf-model linear and --like m5p, else no-smooth]",
        Flag(has_opposite=True),
        heading=NUMBERS,
    )
    prior_case: bool = without_option(
        False,
        "Smooth class probabilities: add one case to each leaf, with the class shares of the root, as C5.0 does when "
        "boosted trees predict.",
        by="--like c50 --boost",
    )
    single_precision: bool = without_option(
        False, "Numbers are rounded to 32 bits, in training and at prediction, as in scikit-learn."
    )

    @property
    def smooths(self) -> bool:
        """Whether leaves are smoothed."""
        return self.leaf_model == "linear" if self.smooth is None else self.smooth

    @property
    def has_models(self) -> bool:
        """Whether nodes have models of their own."""
        return self.leaf_model != "constant" or self.smooths
