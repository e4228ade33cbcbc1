"""Invalid command lines: one plain line, a hint, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Runner
from treecli import plugins
from treecli.commands.train import command as train
from treecli.options.hints import OPTIONS, SENTENCES, WORDS, for_option, for_word

TRAIN_HELP = "'treecli train --help' lists the options"
WHOLE = "options are not abbreviated"


def options_of_all_commands() -> set[str]:
    """Every option and argument of every command."""
    known = set()
    for name in plugins.names("commands"):
        command = plugins.load("commands", name).command
        for part in getattr(command, "commands", {"": command}).values():
            for parameter in part.params:
                known |= {*parameter.opts, *parameter.secondary_opts, str(parameter.metavar)}
    return known


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("train x.csv --max-depth abc", "--max-depth: found 'abc', expected a whole number of 0 or more"),
        ("train x.csv --max-depth -1", "--max-depth: found '-1', expected a whole number of 0 or more"),
        ("train x.csv --max-depth 2.5", "--max-depth: found '2.5', expected a whole number of 0 or more"),
        ("train x.csv --seed x", "--seed: found 'x', expected a whole number of 0 or more"),
        ("train x.csv --min-leaf 0", "--min-leaf: found '0', expected a number above 0"),
        ("train x.csv --min-gain nan", "--min-gain: found 'nan', expected a number of 0 or more"),
        ("train x.csv --min-split inf", "--min-split: found 'inf', expected a number of 0 or more"),
        ("train x.csv --test-fraction 1", "--test-fraction: found '1', expected a number above 0 and below 1"),
        ("train x.csv --chi2-alpha 2", "--chi2-alpha: found '2', expected a number from 0 to 1"),
        ("evaluate m.json x.csv --fail-under 2", "--fail-under: found '2', expected a number of at most 1"),
        ("prune m.json --alpha x", "--alpha: found 'x', expected a finite number"),
        ("prune m.json --folds x", "--folds: found 'x', expected a whole number"),
        (
            "train x.csv --type x",
            "--type: found 'x', expected NAME=numeric, NAME=nominal or NAME=ordinal:low<mid<high",
        ),
    ],
)
def test_an_invalid_value_is_reported_with_the_expected_type(treecli: Runner, line: str, message: str) -> None:
    assert treecli(*line.split()) == (2, "", f"Error: {message}\n")


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("train", "missing DATA", "usage: treecli train [OPTIONS] DATA"),
        ("evaluate m.json", "missing DATA", "usage: treecli evaluate [OPTIONS] MODEL [MODEL]... DATA"),
        ("explain m.json x.csv", "missing --row N", "usage: treecli explain [OPTIONS] --row N MODEL DATA"),
        ("train x.csv a b", "found 'a', 'b', expected no further argument", "usage: treecli train [OPTIONS] DATA"),
        ("train x.csv --max-depth", "--max-depth: missing value, expected N", TRAIN_HELP),
        ("train x.csv -o", "-o: missing value, expected FILE", TRAIN_HELP),
        ("train x.csv --quiet=1", "'--quiet=1': --quiet takes no value", TRAIN_HELP),
        ("train x.csv -o -q", "-o: found the option '-q', expected a value", "if it is the value: --output=-q"),
        ("train x.csv -t -x", "-t: found the option '-x', expected a value", "if it is the value: --target=-x"),
        ("train x.csv -o=m.json", "'-o=m.json': a short option takes no '='", "did you mean '-o m.json'?"),
        ("train x.csv -output m.json", "'-output': a long option begins with two dashes", "did you mean '--output'?"),
        ("train x.csv -max_depth 3", "no such option '-max_depth'", "did you mean '--max-depth'?"),
        ("train x.csv --max_depth=3", "no such option '--max_depth'", "did you mean '--max-depth'?"),
        ("train x.csv --crit gini", "no such option '--crit'", f"{WHOLE}; did you mean '--criterion'?"),
        ("train x.csv -qz", "no such option '-z'", TRAIN_HELP),
        ("train --data x.csv", "no such option '--data'", "DATA is an argument: leave '--data' out"),
        ("train x.csv --min-samples-leaf 2", "no such option '--min-samples-leaf'", "did you mean '--min-leaf'?"),
        ("train x.csv --random_state 2", "no such option '--random_state'", "did you mean '--seed'?"),
        ("train x.csv -C 0.1", "no such option '-C'", "did you mean '--confidence'?"),
        ("--quiet train x.csv", "no such option '--quiet'", "options come after the command: treecli COMMAND --option"),
        ("x.csv", "no such command 'x.csv'", "a command comes first: treecli train x.csv"),
        ("m.json", "no such command 'm.json'", "a command comes first: treecli show m.json"),
        ("frobnicate", "no such command 'frobnicate'", "'treecli --help' lists the commands"),
        ("help trian", "no such command 'trian'", "did you mean 'train'?"),
        ("help plot boundry", "no such command 'plot boundry'", "did you mean 'boundary'?"),
        ("help train now", "no such command 'train now'", "'treecli --help' lists the commands"),
        ("--", "missing command", "'treecli --help' lists the options"),
        ("--version=2", "option '--version' does not take a value", "'treecli --help' lists the options"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_one_error_and_one_hint(treecli: Runner, line: str, message: str, hint: str) -> None:
    assert treecli(*line.split()) == (2, "", f"Error: {message}\nHint: {hint}\n")


def test_an_option_can_be_a_value_if_written_with_an_equals_sign(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "-x").write_text("a,b\n1,yes\n2,no\n")
    assert treecli("train", "--output=--quiet", "--from", "csv", "-q", "--", "-x").code == 0
    assert (tmp_path / "--quiet").exists()


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("train x.csv --criterion entropy", "gain"),
        ("train x.csv --criterion squared_error", "variance"),
        ("train x.csv --criterion MAE", "absolute"),
        ("train x.csv --like weka", "j48"),
        ("train x.csv --like C4.5", "c45"),
        ("crossval x.csv --like scikit-learn", "sklearn"),
        ("train x.csv --prune ccp", "cost-complexity"),
        ("prune m.json --method REP", "reduced-error"),
        ("prune m.json --method c45", "pessimistic"),
        ("evaluate m.json x.csv -f txt", "table"),
        ("show m.json -f txt", "text"),
        ("show m.json -f jpg", "png"),
        ("rules m.json -f md", "markdown"),
        ("rules m.json -f pdf", "latex"),
        ("info m.json -f yaml", "json"),
    ],
)
def test_another_programs_word_is_answered_with_ours(treecli: Runner, line: str, instead: str) -> None:
    code, out, err = treecli(*line.split())
    assert (code, out) == (2, "")
    assert err.splitlines()[1:] == [f"Hint: did you mean '{instead}'?"]


def test_a_text_for_missing_values_is_not_a_way_to_treat_them(treecli: Runner) -> None:
    assert "--na NA sets which text means missing" in treecli("train", "x.csv", "--missing", "NA").err


@pytest.mark.parametrize(("option", "word"), [(option, word) for option, words in WORDS.items() for word in words])
def test_every_word_in_the_table_is_unknown_and_leads_to_one_that_is_known(option: str, word: str) -> None:
    families = {"--criterion": ["criteria"], "--like": ["presets"], "--prune": ["pruners"],
                "--format": ["renderers", "rule_formats"]}  # fmt: skip
    known = {name for family in families[option] for name in plugins.names(family)} | {"table"}
    assert any(near in known for near in WORDS[option][word])
    assert word == word.casefold()
    assert option == "--format" or word not in known


def test_every_option_in_the_table_leads_to_one_that_there_is() -> None:
    known = options_of_all_commands()
    assert not set(OPTIONS) & {name for parameter in train.params for name in parameter.opts}
    assert {instead.split()[0] for instead in OPTIONS.values()} <= known
    assert {option for option, _ in SENTENCES} <= known


def test_a_hint_names_only_options_of_the_command() -> None:
    assert for_option("--n-jobs", ["--seed"], []) is None
    assert for_option("--model", [], ["DATA"]) is None
    assert for_option("--competitors", ["--priors"], []) is None  # the dashes alone make options no nearer
    assert for_word("--format", "pdf", ["text"]) is None
    assert for_word("--format", "PDF", ["pdf", "svg"]) == "did you mean 'pdf'?"
    assert for_word("--like", "c5.0", ["c45"]) == "did you mean 'c45'?"
    assert for_word("--like", "c5.0", ["c45", "c50"]) == "did you mean 'c50'?"


def test_an_abbreviation_of_many_options_is_not_resolved() -> None:
    known = [name for parameter in train.params for name in parameter.opts]
    assert "abbreviated" not in (for_option("--m", known[:0], []) or "")
    assert for_option("--max", known, []) == (
        "options are not abbreviated; did you mean '--max-depth' or '--max-leaves' or '--max-surrogates'?"
    )
    assert "abbreviated" not in (for_option("--mi", [f"--mi{n}" for n in range(9)], []) or "")


def test_help_of_the_group_names_the_short_version_option(treecli: Runner) -> None:
    assert "-V, --version" in treecli("--help").out
