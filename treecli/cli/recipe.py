"""The options that fix what is learned, gathered into a Recipe: what `train` and `crossval` share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any

import click

from treecli import plugins
from treecli.cli import options, pruning
from treecli.cli.learner import collapse, learner
from treecli.errors import UsageError, did_you_mean
from treecli.files import guard
from treecli.learn import Recipe
from treecli.presets import NO_PRUNING, pruning_like, settings_with, tune_fold_like
from treecli.pruners import pruner

NO_METHOD = "none"

CP = "cp"
"""rpart's parameter of complexity: of a learner that prunes itself, or of a pruning method."""

_costs = options.under(
    options.CLASSES,
    click.option(
        "--costs",
        "costs_path",
        type=options.FILE,
        metavar="FILE",
        help="A CSV file: the cost of predicting one class (column) for a case of another (row).",
    ),
)
_prune = click.option(
    "--prune",
    type=options.OneOf((NO_METHOD, *plugins.names("pruners"))),
    default=None,
    help="Prune the tree by this method; 'treecli prune --help' describes them.  [default: none, or as --like does]",
)
_tune_fraction = click.option(
    "--tune-fraction",
    type=options.Real(0.0, 1.0, min_open=True, max_open=True),
    metavar="F",
    show_default="a third",
    help="(reduced-error) Hold this share of the rows aside to prune with, drawn at random.",
)
_tune_fold = click.option(
    "--tune-fold",
    type=options.Whole(min=2),
    metavar="N",
    help="(reduced-error) Hold aside the last of N stratified folds, in the order of the file, as J48's -N does.",
)


def recipe_options(without: tuple[str, ...] = ()) -> options.Decorator[Any]:
    """Options that reach the command as one Recipe, under the name `recipe`, and `like`.

    `without`: options of pruning methods whose names the command needs for something else.
    """

    def decorate(function: Any) -> Any:
        own = partial(pruning.method_options, without=without)
        of_pruning = options.under(options.PRUNING, _prune, own, _tune_fraction, _tune_fold, collapse)
        return learner(options.stacked(_costs, of_pruning)(_gathering(function)))

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
        context = click.get_current_context()
        if method == NO_METHOD and settings.stopping.cp is not None and options.is_given(context, CP):
            # A learner that prunes itself by rpart's cp while growing: the option is its own.
            settings = settings.changed(cp=values.pop(CP))
            context.set_parameter_source(CP, click.core.ParameterSource.DEFAULT)
        if like is not None and not options.is_given(context, "collapse"):
            settings = settings.changed(**settings_with(like, method))
        own = pruning.take_options(
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


def with_costs(recipe: Recipe, path: str | None, labels: Sequence[str]) -> Recipe:
    """The recipe with the costs that a file holds, in the order of the target's labels.

    The first line names the predicted labels, each further line a true label and its costs; blank is 0.
    """
    if path is None:
        return recipe
    try:
        with guard.open_input(path) as stream:
            text = stream.read().decode()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read as a table of costs: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: cannot be read as a table of costs: {error}") from error
    import csv

    header, *lines = list(csv.reader(text.splitlines())) or [[]]
    predicted = [name.strip() for name in header[1:]]
    costs: dict[str, dict[str, float]] = {}
    for number, line in enumerate(lines, start=2):
        if not line:
            continue
        try:
            costs[line[0].strip()] = {label: float(cell or 0) for label, cell in zip(predicted, line[1:], strict=True)}
        except ValueError as error:
            raise UsageError(
                f"{path}:{number}: found '{','.join(line)}', expected a label and {len(predicted)} numbers"
            ) from error
    for name in (*predicted, *costs):
        if name not in labels:
            raise UsageError(f"{path}: '{name}' is not a label of the target", did_you_mean(name, labels))
    for label in labels:
        if label not in predicted or label not in costs:
            raise UsageError(
                f"{path}: has no costs for '{label}'", f"it needs a row and a column for {', '.join(labels)}"
            )
    matrix = tuple(tuple(costs[actual][label] for label in labels) for actual in labels)
    return replace(recipe, settings=recipe.settings.changed(costs=matrix))
