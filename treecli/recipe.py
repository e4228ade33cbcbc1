"""All that fixes what is learned from data, and the options of `train` that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from treecli import pruners, settings
from treecli.discretizers import NONE as NO_BINS
from treecli.discretizers import discretizer
from treecli.errors import UsageError
from treecli.options.arguments import given_options
from treecli.options.option import PRUNING, SPLITS, Number, OneOf, Option
from treecli.presets import NO_PRUNING, following, pruning_like, settings_like, settings_with, tune_fold_like
from treecli.pruners import pruner
from treecli.settings import Settings

NO_METHOD = "none"

COSTS = "costs"
"""The setting whose option names a file that is read once the target's labels are known."""

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
    help="Prune the tree by this method; 'treecli prune --help' describes them.  [default: none, or as --like does]",
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
    """The options of a recipe, in the order in which --help lists them."""
    own = settings.options().values()
    growing = [option for option in own if option.heading != PRUNING]
    trimming = [option for option in own if option.heading == PRUNING]
    return (LIKE, *growing, PRUNE, *pruners.all_options(), *TUNING, *trimming)


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that fixes what is learned from data.

    `method` is a pruning method with its `options`, or None. Where it needs tuning data: `tune_fold` holds aside the
    last of that many stratified folds, as J48 does, and `tune_fraction` a share of the rows drawn at random.
    `like` names the preset that the rest began with. `costs_path` is a file of costs, not yet read.
    """

    settings: Settings
    method: str | None = None
    options: Any = None
    tune_fold: int | None = None
    tune_fraction: float | None = None
    like: str | None = None
    costs_path: str | None = None

    @classmethod
    def parse(cls, words: Sequence[str], without: Sequence[str] = ()) -> Recipe:
        """The recipe that `train` makes of these options, with the same errors.

        `without`: the keys of options that have no effect where the recipe is used, and are refused.
        """
        declared = [option for option in all_options() if option.key not in without]
        return cls.of(given_options(declared, words, "'treecli train --help' lists the options"))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Recipe:
        """The recipe of the options that a user has given, by key; --like and the defaults say the rest."""
        like: str | None = given.get("like")
        usual_method, usual = NO_PRUNING if like is None else pruning_like(like)
        method = given.get("prune") or usual_method
        chosen = _settings(like, given)
        keys = {option.key for option in pruners.all_options()}
        of_method = {key: value for key, value in given.items() if key in keys}
        if method == NO_METHOD and chosen.stopping.cp is not None and "cp" in of_method:
            # A learner that prunes itself by rpart's cp while growing: the option is its own.
            chosen = chosen.changed(cp=of_method.pop("cp"))
        if like is not None and "collapse" not in given:
            chosen = chosen.changed(**settings_with(like, method))
        pruning = None if method == NO_METHOD else method
        own = pruners.options_of(pruning, of_method, "--prune", usual if method == usual_method else None)
        tune_fold, tune_fraction = _tuning(pruning, like, given)
        return cls(chosen, pruning, own, tune_fold, tune_fraction, like, given.get(COSTS))

    def with_costs(self, labels: Sequence[str]) -> Recipe:
        """The recipe with the costs that its file holds, in the order of the target's labels."""
        from treecli.options.costs import read_costs

        if self.costs_path is None:
            return self
        return replace(self, settings=self.settings.changed(costs=read_costs(self.costs_path, labels)))


def _settings(like: str | None, given: Mapping[str, Any]) -> Settings:
    """The preset's settings, changed by the options that were given and by what follows from them."""
    changes = {key: value for key, value in given.items() if key in settings.options() and key != COSTS}
    if changes.get("discretize", NO_BINS) != NO_BINS:
        discretizer(changes["discretize"])
    if "most_exhaustive" in changes:
        changes["insists"] = True
    if like is None:
        return Settings.of(**changes)
    return settings_like(like).changed(**following(like, changes) | changes)


def _tuning(method: str | None, like: str | None, given: Mapping[str, Any]) -> tuple[int | None, float | None]:
    """The fold and the share of the rows to hold aside for pruning; at most one of them."""
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
