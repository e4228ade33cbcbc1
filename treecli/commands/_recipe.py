"""The options that fix what is learned, gathered into a Recipe: what `train` and `crossval` share."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, wraps
from typing import Any

import click

from treecli import options, plugins
from treecli.commands import _pruning
from treecli.errors import UsageError
from treecli.learn import Recipe
from treecli.presets import NO_PRUNING, pruning_like, settings_with, tune_fold_like
from treecli.pruners import pruner

NO_METHOD = "none"

_prune = click.option(
    "--prune",
    type=options.OneOf((NO_METHOD, *plugins.names("pruners"))),
    default=None,
    help="Prune the tree by this method.  [default: none, or as --like does]",
)
_tune_fraction = click.option(
    "--tune-fraction",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    metavar="F",
    help="Hold this share of the rows aside to prune with, drawn at random; a third, if need be.",
)
_tune_fold = click.option(
    "--tune-fold",
    type=click.IntRange(min=2),
    metavar="N",
    help="Hold aside the last of N stratified folds, in the order of the file, as J48's -N does.",
)


def recipe_options(without: tuple[str, ...] = ()) -> options.Decorator[Any]:
    """Options that reach the command as one Recipe, under the name `recipe`, and `like`.

    `without`: options of pruning methods whose names the command needs for something else.
    """

    def decorate(function: Any) -> Any:
        own = partial(_pruning.method_options, without=without)
        return options.learner(options.stacked(_prune, own, _tune_fraction, _tune_fold)(_gathering(function)))

    return decorate


def _gathering(function: Any) -> Any:
    @wraps(function)
    def gather(
        like: str | None,
        settings: Any,
        prune: str | None,
        tune_fraction: float | None,
        tune_fold: int | None,
        **values: Any,
    ) -> Any:
        usual_method, usual = NO_PRUNING if like is None else pruning_like(like)
        method = prune or usual_method
        if like is not None and not options.is_given(click.get_current_context(), "collapse"):
            settings = replace(settings, **settings_with(like, method))
        own = _pruning.take_options(
            None if method == NO_METHOD else method, values, "--prune", usual if method == usual_method else None
        )
        needs_tuning = method != NO_METHOD and pruner(method).DATA == "needed"
        if (tune_fraction is not None or tune_fold is not None) and not needs_tuning:
            raise UsageError("--tune-fraction and --tune-fold go with a pruning method that needs data of its own",
                             "add --prune reduced-error")  # fmt: skip
        if tune_fraction is not None and tune_fold is not None:
            raise UsageError("--tune-fraction and --tune-fold exclude each other")
        if needs_tuning and tune_fraction is None and tune_fold is None and like is not None:
            tune_fold = tune_fold_like(like)
        made = Recipe(settings, None if method == NO_METHOD else method, own, tune_fold, tune_fraction)
        return function(recipe=made, like=like, **values)

    return gather
