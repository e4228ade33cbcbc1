"""Recipes: all parameters of learning from data, and the options of `train` that set them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from treecli import pruners, settings
from treecli.discretizers import NONE as NO_BINS
from treecli.discretizers import discretizer
from treecli.errors import UsageError
from treecli.grow import searching
from treecli.options import ensembles
from treecli.options.arguments import given_options
from treecli.options.costs import read_attribute_costs, read_costs
from treecli.options.ensembles import HALF_WAY, Ensemble, ensemble_of
from treecli.options.option import PRUNING, SPLITS, Number, OneOf, Option
from treecli.presets import (
    NO_PRUNING,
    boosting_like,
    following,
    pruning_like,
    settings_like,
    settings_with,
    tune_fold_like,
)
from treecli.pruners import pruner
from treecli.records import dataclass
from treecli.settings import Settings
from treecli.settings.searching import GREEDY

NO_METHOD = "none"

LINEAR, OF_MODEL_TREES = "linear", "m5"
"""The leaf models that make a model tree, and the method that prunes it unless another is given."""

OF_FORESTS = "gini"
"""The criterion of forests for a nominal target where none is given, as in Breiman (2001)."""

COSTS = "costs"
"""The setting whose option names a file; the file is read once the target's labels are known."""

ATTRIBUTE_COSTS = "attribute_costs"

LIKE = Option(
    key="like",
    flag="--like",
    kind=OneOf(folder="presets"),
    heading=SPLITS,
    help="Grow and prune as this program does; other options given override its settings.",
)
PRUNE = Option(
    key="prune",
    flag="--prune",
    kind=OneOf((NO_METHOD,), folder="pruners"),
    heading=PRUNING,
    help="Prune the tree by this method; 'treecli prune --help' describes them.  [default: none, or as --like does; m5 "
    "with --leaf-model linear]",
)
TUNING = (
    Option(
        key="tune_fraction",
        flag="--tune-fraction",
        kind=Number(0.0, 1.0, min_open=True, max_open=True),
        heading=PRUNING,
        metavar="F",
        shown="a third",
        help="(reduced-error) Hold this share of the rows aside to prune with, drawn at random.",
    ),
    Option(
        key="tune_fold",
        flag="--tune-fold",
        kind=Number(2, is_whole=True),
        heading=PRUNING,
        metavar="N",
        help="(reduced-error) Hold aside the last of N stratified folds, in the order of the file, as J48's -N does.",
    ),
)


@cache
def all_options() -> tuple[Option, ...]:
    """Return the options of a recipe, in the order of `--help`."""
    own = settings.options().values()
    growing = [option for option in own if option.heading != PRUNING]
    trimming = [option for option in own if option.heading == PRUNING]
    return (LIKE, *growing, *ensembles.OPTIONS, PRUNE, *pruners.all_options(), *TUNING, *trimming)


@dataclass(frozen=True, slots=True)
class Recipe:
    """All parameters of learning from data.

    `method` is a pruning method with its `options`, or None. If it needs tuning data, `tune_fold` holds out the last
    of that many stratified folds, as J48 does, and `tune_fraction` a random share of the rows. `like` names the preset
    that the other fields started from. `costs_path` is a file of costs, not read yet. `ensemble` is None for one tree.
    """

    settings: Settings
    method: str | None = None
    options: Any = None
    tune_fold: int | None = None
    tune_fraction: float | None = None
    like: str | None = None
    costs_path: str | None = None
    ensemble: Ensemble | None = None

    @classmethod
    def parse(cls, words: Sequence[str], without: Sequence[str] = ()) -> Recipe:
        """Parse options into a recipe, as `train` does, with the same errors.

        `without`: keys of options that have no effect where the recipe is used, and are rejected.
        """
        declared = [option for option in all_options() if option.key not in without]
        return cls.of(given_options(declared, words, "'treecli train --help' lists the options"))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Recipe:
        """Return the recipe for the options given by the user, by key; --like and the defaults set the rest."""
        like: str | None = given.get("like")
        ensemble = ensemble_of(given)
        if ensemble is not None and like is not None:
            ensemble = replace(ensemble, boosting=boosting_like(like))
        if given.get("rulesets") and (ensemble is None or ensemble.boosting != HALF_WAY or ensemble.kind == "forest"):
            raise UsageError(
                "--rulesets goes with --like c50 --boost N", "one set of rules: treecli rules MODEL --simplify c50rules"
            )
        is_forest = ensemble is not None and ensemble.kind == "forest"
        chosen = _settings(like, given)
        if is_forest and like is None and "criterion" not in given:
            chosen = chosen.changed(usual_criterion=OF_FORESTS)
        usual_method, usual = NO_PRUNING if like is None or is_forest else pruning_like(like)
        if usual_method == NO_METHOD and chosen.predicting.leaf_model == LINEAR:
            usual_method = OF_MODEL_TREES
        method = given.get("prune") or usual_method
        keys = {option.key for option in pruners.all_options()}
        of_method = {key: value for key, value in given.items() if key in keys}
        if method == NO_METHOD and chosen.stopping.cp is not None and "cp" in of_method:
            # A learner that prunes by rpart's cp while growing: the option is a setting of the learner.
            chosen = chosen.changed(cp=of_method.pop("cp"))
        if like is not None and "collapse" not in given:
            chosen = chosen.changed(**settings_with(like, method))
        pruning = None if method == NO_METHOD else method
        own = pruners.options_of(pruning, of_method, "--prune", usual if method == usual_method else None)
        tune_fold, tune_fraction = _tuning(pruning, like, given)
        return cls(chosen, pruning, own, tune_fold, tune_fraction, like, given.get(COSTS), ensemble)

    def with_costs(self, labels: Sequence[str]) -> Recipe:
        """Return the recipe with the costs from its file, in the order of the target's labels."""
        if self.costs_path is None:
            return self
        return replace(self, settings=self.settings.changed(costs=read_costs(self.costs_path, labels)))


def _settings(like: str | None, given: Mapping[str, Any]) -> Settings:
    """Return the preset's settings, changed by the given options and the settings that these imply."""
    changes = {key: value for key, value in given.items() if key in settings.options() and key != COSTS}
    if changes.get("discretize", NO_BINS) != NO_BINS:
        discretizer(changes["discretize"])
    if ATTRIBUTE_COSTS in changes:
        changes[ATTRIBUTE_COSTS] = read_attribute_costs(changes[ATTRIBUTE_COSTS])
    elif "cost_method" in changes or "cost_weight" in changes:
        raise UsageError("--cost-method and --cost-weight go with --attribute-costs", "name the file of the costs")
    if "redraw" in changes and not {"features", "forest"} & given.keys():
        raise UsageError("--redraw and --no-redraw go with --features or --forest", "add the number of attributes")
    if "most_exhaustive" in changes:
        changes["insists"] = True
    if like is None:
        chosen = Settings.of(**changes)
    else:
        chosen = settings_like(like).changed(**following(like, changes) | changes)
    searching.check(chosen, changes)
    if chosen.computing.ties is not None and (chosen.searching.search != GREEDY or chosen.inputs.force):
        other = "--force" if chosen.inputs.force else f"--search {chosen.searching.search}"
        raise UsageError(f"--ties: with {other}, the split with the best score is not always chosen", "leave one out")
    return chosen


def _tuning(method: str | None, like: str | None, given: Mapping[str, Any]) -> tuple[int | None, float | None]:
    """Return the fold and the share of the rows to hold out for pruning; at most one is not None."""
    fold, fraction = given.get("tune_fold"), given.get("tune_fraction")
    needs_tuning = method is not None and pruner(method).DATA == "needed"
    if (fraction is not None or fold is not None) and not needs_tuning:
        raise UsageError(
            "--tune-fraction and --tune-fold go with a pruning method that needs data of its own",
            "add --prune reduced-error",
        )
    if fraction is not None and fold is not None:
        raise UsageError("--tune-fraction and --tune-fold exclude each other")
    if needs_tuning and fraction is None and fold is None and like is not None:
        fold = tune_fold_like(like)
    return fold, fraction
