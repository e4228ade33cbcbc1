"""Recipes made of a list of words: what `train` and `crossval` make of the same words."""

from __future__ import annotations

import shlex

import click
import pytest

from treecli import plugins, recipe
from treecli.cli import options
from treecli.cli.app import group
from treecli.cli.learner import recipe_options
from treecli.cli.usage import explained
from treecli.errors import UsageError
from treecli.recipe import Recipe

RECIPES = (
    "",
    *(f"--like {name}" for name in plugins.names("presets")),
    "--like j48 --min-leaf 5 --prune none",
    "--like j48 --prune reduced-error",
    "--like j48 --prune reduced-error --collapse --tune-fraction 0.25",
    "--like j48 --no-raise --confidence=0.1",
    "--like rpart --min-leaf 4",
    "--like rpart --min-split 9 --cp 0.02",
    "--like rpart --prune cost-complexity --cp 0.02",
    "--like cart --leaves 4",
    "--like c45 --no-cut-cost --zero-gain --no-collapse",
    "--criterion gini --nominal subset --exhaustive 12 --threshold mean",
    "--discretize width:4 --merge-alpha 0.1 --chi2-alpha 0.05",
    "--max-depth 3 --max-leaves 8 --min-gain 1e-3 --min-gain 2e-3",
    "--missing surrogate --max-surrogates 2 --unseen error",
    "--priors equal --laplace --costs costs.csv",
    "--priors no=0.3,yes=0.7 --seed 7 --competitors 2",
    "--priors observed",
    "--search lookahead:2 --beam 3 --most-work 1e6",
    "--search skewing:9 --skew 0.8 --skew-gain 0.1 --seed 3",
    "--search skewing-sequential --skew 0.6",
    "--prune pessimistic --raise",
    "--prune min-error --m 3",
    "--prune reduced-error --tune-fold 3 --greedy",
)

REFUSALS = (
    "--like j84",
    "--like weka",
    "--criterion entropy",
    "--missing NA",
    "--prune rep",
    "--min-leaf 0",
    "--min-leaf many",
    "--min-gain nan",
    "--max-depth 2.5",
    "--exhaustive 50",
    "--tune-fraction 1",
    "--tune-fold 1",
    "--discretize width",
    "--discretize equal",
    "--priors yes",
    "--search lookahed",
    "--search lookahead:0",
    "--search skewing:x",
    "--search greedy:2",
    "--beam 3",
    "--search skewing --beam 3",
    "--search skewing --skew 0.5",
    "--search skewing-sequential --skew-gain 0.1",
    "--search lookahead --criterion chi2",
    "--search lookahead --chi2-alpha 0.05",
    "--costs ''",
    "--confidence 0.1",
    "--prune pessimistic --cp 0.1",
    "--prune pessimistic --confidence 2",
    "--tune-fold 3",
    "--prune reduced-error --tune-fold 3 --tune-fraction 0.5",
    "--min-le 3",
    "--min_leaf 3",
    "--minbucket 3",
    "--crit gini",
    "--colour",
    "-M 2",
    "-max_depth 3",
    "-max-depth 3",
    "--min-leaf",
    "--criterion",
    "--min-leaf --laplace",
    "--laplace=yes",
    "--no-laplace",
)
"""Invalid recipes; errors of the command line refer to the command's --help if there is no better hint."""


@click.command(cls=options.Command)
@recipe_options()
def made(recipe: Recipe) -> Recipe:
    """Only the options of a recipe."""
    return recipe


def on_a_command_line(words: list[str]) -> Recipe:
    """The recipe that reaches a command; click's errors as the program reports them."""
    try:
        root = click.Context(group, info_name="treecli", **group.context_settings)
        context = made.make_context("train", list(words), parent=root)
        with context:
            found = made.invoke(context)
    except click.ClickException as error:
        raise UsageError(*explained(error, words)) from error
    assert isinstance(found, Recipe)
    return found


@pytest.mark.parametrize("words", RECIPES)
def test_a_recipe_of_words_is_that_of_the_command_line(words: str) -> None:
    assert Recipe.parse(shlex.split(words)) == on_a_command_line(shlex.split(words))


@pytest.mark.parametrize("words", REFUSALS)
def test_words_that_are_no_recipe_are_refused_as_on_the_command_line(words: str) -> None:
    with pytest.raises(UsageError) as by_parse:
        Recipe.parse(shlex.split(words))
    with pytest.raises(UsageError) as by_click:
        on_a_command_line(shlex.split(words))
    assert (by_parse.value.message, by_parse.value.hint) == (by_click.value.message, by_click.value.hint)


@pytest.mark.parametrize(("words", "found"), [("iris.csv", "'iris.csv'"), ("--laplace -- a b", "'a', 'b'")])
def test_a_recipe_has_no_arguments(words: str, found: str) -> None:
    with pytest.raises(UsageError, match=f"^found {found}, expected options only$"):
        Recipe.parse(words.split())


def test_options_without_effect_can_be_left_out_of_a_recipe() -> None:
    assert Recipe.parse(["--competitors", "2"]).settings.computing.competitors == 2
    with pytest.raises(UsageError, match="no such option '--competitors'"):
        Recipe.parse(["--competitors", "2"], without=("competitors",))


def test_the_last_of_two_values_counts() -> None:
    chosen = Recipe.parse(["--zero-gain", "--min-leaf", "2", "--min-leaf=3", "--no-zero-gain"]).settings.stopping
    assert (chosen.min_leaf, chosen.zero_gain) == (3.0, False)


def test_no_two_options_of_a_recipe_have_the_same_name() -> None:
    found = recipe.all_options()
    flags = [flag for option in found for flag in (option.flag, option.opposite) if flag is not None]
    assert len(set(flags)) == len(flags)
    assert len({option.key for option in found}) == len(found)


@pytest.mark.parametrize("command", ["train", "crossval"])
def test_the_commands_have_the_options_of_a_recipe(command: str) -> None:
    found = plugins.load("commands", command).command
    flags = {flag for parameter in found.params for flag in (*parameter.opts, *parameter.secondary_opts)}
    missing = {option.flag for option in recipe.all_options()} - flags
    # Of a cross-validation no model is kept that could hold competitors and ties.
    assert missing == ({"--competitors", "--ties"} if command == "crossval" else set())
