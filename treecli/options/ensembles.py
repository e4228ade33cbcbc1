"""Options for several trees instead of one: forests and boosted trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from treecli.errors import UsageError
from treecli.options.option import ENSEMBLES, Flag, Number, OneOf, Option
from treecli.records import dataclass

AVERAGE, MAJORITY = "average", "majority"
VOTES = (AVERAGE, MAJORITY)
"""How the trees of a forest decide: by the mean of their class probabilities, or by the number of their votes."""

CONFIDENCE = "confidence"
"""Each tree votes for its most probable class, with that probability."""

HALF_WAY, AS_WEKA = "c50", "j48"
"""Ways of boosting in presets: C5.0's, and AdaBoost.M1 with ties of classes decided as in Weka; others boost by
AdaBoost.M1."""

FEATURES = "features"
"""The setting that draws attributes at every node."""

FOREST = Option(
    key="forest",
    flag="--forest",
    kind=Number(1, is_whole=True),
    heading=ENSEMBLES,
    metavar="N",
    help="Grow a random forest of N trees, each on a bootstrap sample of the rows, with --features sqrt "
    "(numeric target: third) and --criterion gini unless --criterion or --like is given; not pruned.",
)
BOOST = Option(
    key="boost",
    flag="--boost",
    kind=Number(1, is_whole=True),
    heading=ENSEMBLES,
    metavar="N",
    help="Grow up to N boosted trees by AdaBoost.M1, or with --like c50 as C5.0 does: each counts the cases that those "
    "before it got wrong with more weight. A nominal target only.",
)
RULESETS = Option(
    key="rulesets",
    flag="--rulesets",
    kind=Flag(),
    heading=ENSEMBLES,
    help="(--like c50 --boost) Make a set of rules of each tree, as C5.0 does; the sets vote, and cases are weighed by "
    "their errors.",
)
OF_FORESTS = (
    Option(
        key="sample",
        flag="--sample",
        kind=Number(0.0, 1.0, min_open=True),
        heading=ENSEMBLES,
        metavar="F",
        shown="as many rows as there are, with replacement",
        help="(--forest) Grow each tree on this share of the rows, drawn without replacement; 1 takes all rows.",
    ),
    Option(
        key="votes",
        flag="--votes",
        kind=OneOf(VOTES),
        heading=ENSEMBLES,
        shown=AVERAGE,
        help="(--forest) Predict by the mean of the trees' class probabilities, or by the majority of their votes.",
    ),
    Option(
        key="patience",
        flag="--patience",
        kind=Number(1, is_whole=True),
        heading=ENSEMBLES,
        metavar="K",
        help="(--forest) Stop growing after K trees without a smaller out-of-bag error.",
    ),
)
OPTIONS = (FOREST, BOOST, RULESETS, *OF_FORESTS)


@dataclass(frozen=True, slots=True)
class Ensemble:
    """How several trees are grown. `sample` as in bagging; `usual_features`: no option set the attributes per node."""

    kind: Literal["forest", "boosted"]
    n_trees: int
    sample: float | None = None
    votes: str = AVERAGE
    patience: int | None = None
    usual_features: bool = True
    boosting: str | None = None
    """The way of boosting: HALF_WAY, AS_WEKA, or None for AdaBoost.M1."""
    rulesets: bool = False
    """Whether a set of rules is made of each boosted tree."""

    @property
    def flag(self) -> str:
        return FOREST.flag if self.kind == "forest" else BOOST.flag


def ensemble_of(given: Mapping[str, Any]) -> Ensemble | None:
    """Return the ensemble that the given options ask for, None for one tree."""
    if "forest" in given and "boost" in given:
        raise UsageError("--forest and --boost exclude each other")
    if "forest" not in given:
        for option in OF_FORESTS:
            if option.key in given:
                raise UsageError(f"{option.flag} goes with --forest", "add the number of trees: --forest 100")
        return Ensemble("boosted", given["boost"], rulesets=given.get("rulesets", False)) if "boost" in given else None
    if given.get("prune", "none") != "none":
        raise UsageError(
            "--prune: the trees of a forest are not pruned", "leave it out; --max-depth and --min-leaf keep trees small"
        )
    if "tune_fraction" in given or "tune_fold" in given:
        raise UsageError(
            "--tune-fraction and --tune-fold are for pruning, but the trees of a forest are not pruned",
            "leave them out",
        )
    sample = given.get("sample")
    if sample == 1.0 and "patience" in given:
        raise UsageError("--patience needs rows that a tree was not grown on, but --sample 1 leaves out none")
    return Ensemble(
        "forest", given["forest"], sample, given.get("votes", AVERAGE), given.get("patience"), FEATURES not in given
    )
