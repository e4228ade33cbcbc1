"""Rules for every command: help, streams, exit codes, errors with hints, formats, `-` for stdin and stdout."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest

from tests.conftest import Runner
from tests.example_models import Inner, model_of, playtennis
from treecli import plugins
from treecli.cli.app import group, run
from treecli.cli.parameters import ENGINE, HEADINGS, File, Real, Whole
from treecli.cli.usage import MOST_IN_ONE_LIST, Command
from treecli.data import Attribute, Schema
from treecli.files import forms
from treecli.models import write_model
from treecli.splits import threshold

SAMPLES = Path(__file__).parents[1] / "sample_data"


def _leaves() -> list[str]:
    """All commands; those of a group by both words."""
    names = []
    for name in plugins.names("commands"):
        found = plugins.load("commands", name).command
        names += [f"{name} {chart}" for chart in found.commands] if isinstance(found, click.Group) else [name]
    return names


COMMANDS = _leaves()

TWO_LEARNERS = ["--learner", "full:", "--learner", "stump: --max-depth 1"]

USES = {
    "ask": ["ask", "model.json", "--answers", "Outlook=Rain"],
    "compare": ["compare", "days.csv", *TWO_LEARNERS, "--folds", "3"],
    "completion": ["completion", "bash"],
    "convert": ["convert", "days.csv", "days.arff"],
    "crossval": ["crossval", "days.csv", "--folds", "3"],
    "curve": ["curve", "days.csv", "--sizes", "4,8", "--repeats", "2"],
    "diff": ["diff", "model.json", "model.json", "days.csv"],
    "edit": ["edit", "model.json", "--collapse", "1", "-o", "edited.json"],
    "evaluate": ["evaluate", "model.json", "days.csv"],
    "distill": ["distill", "model.json", "days.csv", "-o", "imitation.json"],
    "explain": ["explain", "model.json", "days.csv", "--row", "1"],
    "export": ["export", "model.json", "--to", "python"],
    "help": ["help", "train"],
    "importance": ["importance", "model.json", "days.csv"],
    "info": ["info", "model.json"],
    "lesson": ["lesson", "days.csv", "--steps", "1-2"],
    "plot boundary": ["plot", "boundary", "points.csv", "--model", "points.json", "--x", "x", "--y", "y"],
    "plot importance": ["plot", "importance", "model.json"],
    "predict": ["predict", "model.json", "days.csv"],
    "project": ["project", "points.csv", "--project", "gaussian:1"],
    "prune": ["prune", "model.json", "-o", "smaller.json"],
    "replay": ["replay", "grown.json", "days.csv"],
    "rules": ["rules", "model.json"],
    "show": ["show", "model.json"],
    "split": ["split", "days.csv", "--train", "train.csv", "--test", "0.3=test.csv", "--force"],
    "stability": ["stability", "days.csv", "--samples", "5"],
    "sweep": ["sweep", "days.csv", "--vary", "max-depth=1,2", "--folds", "3"],
    "trace": ["trace", "days.csv"],
    "train": ["train", "days.csv", "-o", "new.json"],
    "worksheet": ["worksheet", "--mark", "answers.csv", "--key", "key.csv"],
}
"""A command line of each command that works in the folder below."""

REPORTS = USES | {"prune": ["prune", "model.json", "--path"]}
"""The same, where --format has a meaning."""


@cache
def grown() -> bytes:
    """A model with the lineage of its training."""
    with TemporaryDirectory() as folder:
        target = str(Path(folder) / "grown.json")
        assert run(["train", str(SAMPLES / "playtennis.csv"), "-q", "-o", target]) == 0
        return Path(target).read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The 14 days, and the lecture's tree for them."""
    for name, content in contents().items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@cache
def contents() -> dict[str, bytes]:
    """The files of the folder."""
    with TemporaryDirectory() as folder:
        fill(Path(folder))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def fill(folder: Path) -> None:
    """Writes the files of the folder."""
    shutil.copy(SAMPLES / "playtennis.csv", folder / "days.csv")
    write_model(str(folder / "model.json"), playtennis())
    (folder / "grown.json").write_bytes(grown())
    (folder / "key.csv").write_text("sheet,blank,answer,low,high,points\n7,H(S),0.918,0.916,0.92,1\n")
    (folder / "answers.csv").write_text("student,sheet,blank,answer\namy,7,H(S),0.918\n")
    # Two numbers, for what draws in a plane.
    (folder / "points.csv").write_text("x,y,side\n1,1,left\n2,5,left\n3,2,right\n4,4,right\n")
    schema = Schema(
        (Attribute("x", "numeric"), Attribute("y", "numeric")), Attribute("side", "nominal", ("left", "right"))
    )
    write_model(str(folder / "points.json"), model_of(schema, Inner(threshold.Split(0, 2.5), ((2.0, 0.0), (0.0, 2.0)))))


def command(name: str) -> click.Command:
    found: click.Command | None = group
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found, **group.context_settings), word)
    assert found is not None
    return found


def options_of(name: str) -> list[click.Option]:
    return [parameter for parameter in command(name).params if isinstance(parameter, click.Option)]


def formats_of(name: str) -> list[str]:
    kinds = [option.type for option in options_of(name) if "--format" in option.opts]
    return [choice for kind in kinds if isinstance(kind, click.Choice) for choice in kind.choices]


NOT_FOR_EVERY_MODEL = {"parquet", "png", "pdf", "m5p"}

FORMATS = [(name, each) for name in COMMANDS for each in formats_of(name) if each not in NOT_FOR_EVERY_MODEL]
"""Those that are text, and take a tree of classes."""


def test_this_suite_knows_a_use_of_every_command() -> None:
    assert set(USES) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_the_same_under_both_names_and_goes_to_stdout(treecli: Runner, name: str) -> None:
    long, short = treecli(*name.split(), "--help"), treecli(*name.split(), "-h")
    assert long == short
    assert (long.code, long.err) == (0, "")
    assert long.out.startswith(f"Usage: treecli {name} [OPTIONS] ")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_every_option_once_with_a_description(treecli: Runner, name: str) -> None:
    _, listed = re.split(r"^\S.*:\n", treecli(*name.split(), "--help").out, maxsplit=1, flags=re.MULTILINE)
    lines = re.findall(r"^  (-.*?)(?:  |$)", listed, re.MULTILINE)
    declared = [word.split()[0] for line in lines for word in re.split(", | / ", line)]
    shown = [option for option in options_of(name) if not option.hidden]  # a hidden one only says why it is refused
    known = [text for option in shown for text in [*option.opts, *option.secondary_opts]]
    assert sorted(declared) == sorted([*known, "-h", "--help"])
    assert all(option.help for option in shown)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal_of_80_columns(treecli: Runner, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, treecli(*name.split(), "--help").out.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_many_options_are_listed_in_groups_and_few_in_one_list(treecli: Runner, name: str) -> None:
    headings = re.findall(r"^(\S.*):$", treecli(*name.split(), "--help").out, re.MULTILINE)
    if len(options_of(name)) < MOST_IN_ONE_LIST:
        assert headings == ["Options"]
    else:
        assert headings == [heading for heading in HEADINGS if heading in headings]
        assert len(headings) > 3


def test_the_groups_of_train(treecli: Runner) -> None:
    sections = re.split(r"^(\S.*):\n", treecli("train", "--help").out, flags=re.MULTILINE)[1:]
    texts = zip(sections[::2], sections[1::2], strict=True)
    listed = {heading: re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE) for heading, text in texts}
    assert list(listed) == [heading for heading in HEADINGS if heading != ENGINE or heading in listed]
    assert listed["Data, target and columns"][:2] == ["--target", "--ignore"]
    assert {"--max-depth", "--max-leaves", "--min-leaf", "--min-split"} <= set(listed["Stopping"])
    assert {"--prune", "--confidence", "--tune"} <= set(listed["Pruning"])
    assert listed["Testing"] == ["--test", "--test-fraction"]
    assert {"--seed", "--jobs", "--help"} <= set(listed["General"])


@pytest.mark.parametrize("words", [[], ["train"], ["plot"], ["plot", "boundary"], ["help"]], ids=" ".join)
def test_help_of_a_command_is_its_own_help(treecli: Runner, words: list[str]) -> None:
    assert treecli("help", *words) == treecli(*words, "--help")


@pytest.mark.parametrize("name", plugins.names("commands"))
def test_the_first_line_of_a_command_is_a_sentence_on_what_it_does(name: str) -> None:
    assert re.fullmatch(r"[A-Z][^.]+ [^.]+\.", plugins.summary("commands", name))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_number_and_every_file_is_of_our_own_kind(name: str) -> None:
    # Others would refuse in click's words, and complete no file names.
    for parameter in command(name).params:
        if isinstance(parameter.type, click.types.IntParamType | click.types.FloatParamType):
            assert isinstance(parameter.type, Whole | Real), parameter.opts
        if parameter.metavar in {"FILE", "DATA", "MODEL", "DATA|MODEL"}:
            assert isinstance(parameter.type, File), parameter.opts
    assert isinstance(command(name), Command)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_options_that_all_take(name: str) -> None:
    known = {text for option in options_of(name) for text in option.opts}
    assert {"-q", "--quiet", "-v", "--verbose", "--color", "--debug"} <= known


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_in_the_help_use_options_that_there_are(name: str) -> None:
    found = 0
    for line in (command(name).help or "").splitlines():
        words = (
            list(shlex.shlex(line.replace("'s ", "s "), posix=True, punctuation_chars=True))
            if "treecli " in line
            else []
        )
        for start in (place for place, word in enumerate(words) if word == "treecli"):
            ends = [place for place, word in enumerate(words) if place > start and word in {"|", "<", ">", ";"}]
            verb, *arguments = words[start + 1 : min(ends, default=len(words))]
            if isinstance(command(verb), click.Group):
                verb = f"{verb} {arguments.pop(0)}"
            example = command(verb)
            # Raises for an unknown option.
            example.make_parser(click.Context(example, **group.context_settings)).parse_args(arguments)
            found += verb == name
    assert found >= 2


def test_without_a_command_the_help_is_an_error(treecli: Runner) -> None:
    code, out, err = treecli()
    assert (code, out) == (2, "")
    assert err.startswith("Usage: treecli ")


def test_the_version_shows_whether_the_kernels_are_compiled(treecli: Runner) -> None:
    code, out, err = treecli("--version")
    assert (code, out, err) == treecli("-V")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"treecli \d+\.\d+\.\d+ \(kernels: (compiled|uncompiled, slower)\)\n", out)


@pytest.mark.parametrize("name", COMMANDS)
def test_quiet_changes_nothing_but_the_messages(treecli: Runner, folder: Path, name: str) -> None:
    usual, quiet = treecli(*USES[name]), treecli(*USES[name], "--quiet")
    assert (usual.code, quiet.code) == (0, 0)
    assert quiet.err == ""
    assert quiet.out == usual.out


def test_messages_go_to_stderr_and_results_to_stdout(treecli: Runner, folder: Path) -> None:
    _, out, err = treecli("train", "days.csv")
    assert "left out 'Day'" in err
    assert "Outlook = Overcast: Yes (4.0)" in out
    assert "left out" not in out
    assert "Overcast" not in err
    assert treecli("evaluate", "model.json", "days.csv").err == ""
    assert treecli("evaluate", "model.json", "days.csv", "--verbose").err == "days.csv: 14 rows\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["evaluate", "model.json", "days.csv", "--fail-under", "1"], 0),
        (["evaluate", "wrong.json", "days.csv", "--fail-under", "0.9"], 1),
        (["train"], 2),
        (["train", "days.csv", "--max-depth", "deep"], 2),
        (["train", "days.csv", "more.csv"], 2),
        (["train", "days.csv", "--criterion", "variance"], 2),
        (["predict", "-", "-"], 2),
        (["show", "model.json", "--node", "99"], 2),
        (["plot", "boundary", "points.csv", "--model", "points.json", "--x", "x", "--y", "x"], 2),
        (["plot", "boundary", "days.csv", "--model", "points.json", "--x", "x", "--y", "y"], 3),
        (["plot", "importance", "days.csv"], 4),
        (["train", "nowhere.csv"], 3),
        (["train", "."], 3),
        (["train", "empty.csv"], 3),
        (["evaluate", "model.json", "ragged.csv"], 3),
        (["predict", "model.json", "iris.csv"], 3),
        (["show", "nowhere.json"], 4),
        (["show", "."], 4),
        (["rules", "cut-off.json"], 4),
        (["prune", "empty.json"], 4),
        (["evaluate", "days.csv", "days.csv"], 4),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_exit_codes_and_errors_of_one_line_and_a_hint(
    treecli: Runner, folder: Path, arguments: list[str], code: int
) -> None:
    text = (folder / "model.json").read_text()
    (folder / "wrong.json").write_text(text.replace('["No","Yes"]', '["Yes","No"]'))
    (folder / "cut-off.json").write_text(text[:-20])
    (folder / "empty.csv").write_text("")
    (folder / "empty.json").write_text("")
    (folder / "ragged.csv").write_text("Outlook,Temperature,Humidity,Wind,PlayTennis\nSunny,Hot\n")
    shutil.copy(SAMPLES / "iris.csv", folder)
    before = sorted(path.name for path in folder.iterdir())
    done = treecli(*arguments, "--quiet")
    assert done.code == code
    assert sorted(path.name for path in folder.iterdir()) == before
    if code == 0:
        assert done.err == ""
    else:
        assert re.fullmatch(r"Error: [^\n]+\n(Hint: [^\n]+\n)?|(Failed: [^\n]+\n)+", done.err)
        assert not done.out or code == 1


def test_debug_adds_a_traceback_and_changes_nothing_else(treecli: Runner, folder: Path) -> None:
    plain, debugged = treecli("show", "modle.json"), treecli("show", "modle.json", "--debug")
    assert plain.code == debugged.code == 4
    assert "Traceback" not in plain.err
    assert debugged.err.startswith("Traceback (most recent call last):\n")
    assert debugged.err.endswith(plain.err)


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (["trian", "days.csv"], "train"),
        (["train", "days.csv", "--critrion", "gain"], "--criterion"),
        (["train", "days.csv", "--criterion", "gaim"], "gain"),
        (["train", "days.csv", "--missing", "fraction"], "fractional"),
        (["train", "days.csv", "--target", "PlayTenis"], "PlayTennis"),
        (["train", "days.csv", "-x", "day"], "Day"),
        (["train", "days.csv", "--keep", "Dya"], "Day"),
        (["train", "days.csv", "--type", "Wnd=nominal"], "Wind"),
        (["train", "dasy.csv"], "days.csv"),
        (["evaluate", "model.json", "dasy.csv"], "days.csv"),
        (["evaluate", "modle.json", "days.csv"], "model.json"),
        (["evaluate", "model.json", "renamed.csv"], "Outlok"),
        (["prune", "model.json", "--method", "pesimistic"], "pessimistic"),
        (["show", "model.json", "--format", "jsn"], "json"),
        (["rules", "model.json", "-f", "markdwn"], "markdown"),
        (["show", "model.json", "-f", "mermade"], "mermaid"),
        (["plot", "boundry", "points.csv"], "boundary"),
        (["info", "days.csv", "--from", "cvs"], "csv"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_mistyped_name_is_answered_with_the_nearest_one(
    treecli: Runner, folder: Path, arguments: list[str], known: str
) -> None:
    (folder / "renamed.csv").write_text((folder / "days.csv").read_text().replace("Outlook", "Outlok"))
    done = treecli(*arguments)
    assert done.code in {2, 3, 4}
    assert done.err.splitlines()[-1] == f"Hint: did you mean '{known}'?"


WRITERS = [name for name in COMMANDS if any("--output" in option.opts for option in options_of(name))]

INPUTS = {
    "ask": [["model.json"]],
    "compare": [["days.csv"], ["spec.toml", "--spec", "spec.toml"]],
    "crossval": [["days.csv"]],
    "curve": [["days.csv"]],
    "diff": [["model.json"], ["days.csv"]],
    "distill": [["model.json"], ["days.csv"], ["test.csv", "--test", "test.csv"]],
    "edit": [
        ["model.json"],
        ["days.csv", "--data", "days.csv"],
        ["script.txt", "--script", "script.txt"],
    ],
    "evaluate": [["model.json"], ["days.csv"]],
    "explain": [["model.json"], ["days.csv"]],
    "export": [["model.json"], ["days.csv", "--verify", "days.csv"]],
    "importance": [["model.json"], ["days.csv"]],
    "info": [["model.json"]],
    "lesson": [["days.csv"]],
    "plot boundary": [["points.csv"], ["points.json"]],
    "plot importance": [["model.json"]],
    "predict": [["model.json"], ["days.csv"]],
    "project": [["points.csv"]],
    "prune": [["model.json"], ["days.csv", "--data", "days.csv"]],
    "rules": [["model.json"], ["days.csv", "--data", "days.csv"]],
    "show": [["model.json"]],
    "stability": [["days.csv"], ["costs.csv", "--costs", "costs.csv"]],
    "sweep": [["days.csv"]],
    "trace": [
        ["days.csv"],
        ["model.json", "--model", "model.json"],
        ["tune.csv", "--prune", "reduced-error", "--tune", "tune.csv"],
    ],
    "train": [
        ["days.csv"],
        ["test.csv", "--test", "test.csv"],
        ["tune.csv", "--prune", "reduced-error", "--tune", "tune.csv"],
        ["costs.csv", "--costs", "costs.csv"],
    ],
}
"""For each command that writes: every file that it may read, and the options that name it."""


@pytest.mark.parametrize(
    ("name", "read", "how"),
    [(name, file, more) for name in WRITERS for file, *more in INPUTS[name]],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("link", [None, "symbolic", "hard"])
def test_no_command_overwrites_a_file_that_it_reads(
    treecli: Runner, folder: Path, name: str, read: str, how: list[str], link: str | None
) -> None:
    for extra in ("test.csv", "tune.csv"):
        shutil.copy(folder / "days.csv", folder / extra)
    (folder / "costs.csv").write_text(",No,Yes\nNo,0,1\nYes,2,0\n")
    (folder / "spec.toml").write_text("repeats = 2\n")
    (folder / "script.txt").write_text("collapse 3\n")
    written = read if link is None else f"link{Path(read).suffix}"
    if link == "symbolic":
        (folder / written).symlink_to(read)
    elif link == "hard":
        (folder / written).hardlink_to(folder / read)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    use = USES[name][: USES[name].index("-o")] if "-o" in USES[name] else USES[name]
    done = treecli(*use, *how, "-o", written, "-q")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"Error: {written}: is read by this command and would be overwritten\nHint: give -o another name\n"
    )
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_data_from_stdin_are_not_overwritten_either(folder: Path) -> None:
    for arguments in (["train", "-", "--from", "csv", "-o", "days.csv"], ["predict", "model.json", "days.csv"]):
        before = (folder / "days.csv").read_bytes()
        with (folder / "days.csv").open("rb") as data, (folder / "days.csv").open("ab") as out:
            done = subprocess.run(
                [sys.executable, "-m", "treecli", *arguments],
                cwd=folder,
                stdin=data,
                stdout=out if arguments[0] == "predict" else subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        assert done.returncode == 2
        assert re.fullmatch(r"Error: [^\n]+(overwritten|reads)\nHint: [^\n]+\n", done.stderr)
        assert (folder / "days.csv").read_bytes() == before


def test_the_name_that_a_command_chooses_is_not_that_of_a_file_it_reads(treecli: Runner, folder: Path) -> None:
    shutil.copy(folder / "days.csv", folder / "days.json")
    before = (folder / "days.json").read_bytes()
    done = treecli("train", "days.json", "--from", "csv")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: days.json: is read by this command")
    assert (folder / "days.json").read_bytes() == before


WRITTEN = {"output", "plot", "predictions", "errors_file", "proximity_file"}
"""Parameters that name files to write."""


@pytest.mark.parametrize("name", WRITERS)
def test_parameters_that_name_files_to_read_are_called_so(name: str) -> None:
    # options.output looks at those before the command begins.
    for parameter in command(name).params:
        if parameter.metavar in {"DATA", "MODEL", "DATA|MODEL"} or (
            parameter.metavar == "FILE" and parameter.name not in WRITTEN
        ):
            assert parameter.name is not None
            assert parameter.name == "path" or parameter.name.endswith("_path")


@pytest.mark.parametrize("name", WRITERS)
def test_no_clobber_keeps_every_file_that_exists(treecli: Runner, folder: Path, name: str) -> None:
    use = USES[name][: USES[name].index("-o")] if "-o" in USES[name] else USES[name]
    usual = ".svg" if name.startswith("plot") else ".json"
    suffix = {"export": ".py", "lesson": ".html", "project": ".csv"}.get(name, usual)
    written = folder / f"written{suffix}"
    assert treecli(*use, "--no-clobber", "-o", written.name).code == 0
    before = written.read_bytes()
    done = treecli(*use, "--no-clobber", "-o", written.name, "-q")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {written.name}: exists and is not overwritten\nHint: ")
    assert written.read_bytes() == before
    assert treecli(*use, "-o", written.name).code == 0


@pytest.mark.parametrize("name", WRITERS)
def test_a_name_that_cannot_be_written_is_refused_before_anything_is_read(treecli: Runner, name: str) -> None:
    # In an empty folder: a command that reads first would miss a file.
    use = USES[name][: USES[name].index("-o")] if "-o" in USES[name] else USES[name]
    for written, found in (("", "-o: found an empty name"), ("no/such.svg", "no/such.svg: cannot be written: No such")):
        done = treecli(*use, "-o", written)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"Error: {found}")


BY_SUFFIX = {
    "ask": {".txt": "text", ".json": "json"},
    "compare": {**forms.REPORTS, ".tex": "latex"},
    "crossval": forms.REPORTS,
    "curve": forms.REPORTS,
    "diff": forms.REPORTS,
    "evaluate": forms.REPORTS,
    "explain": {".txt": "text", ".json": "json"},
    "importance": forms.REPORTS,
    "info": forms.REPORTS,
    "predict": forms.of_family("writers") | forms.REPORTS_FOR_PEOPLE,
    "project": forms.of_family("writers"),
    "rules": forms.of_family("rule_formats"),
    "show": forms.of_family("renderers"),
    "stability": forms.REPORTS,
    "sweep": forms.REPORTS,
    "trace": forms.of_family("trace_formats"),
}
"""The commands that write several forms, and the suffix of each."""


def test_every_command_with_formats_and_a_file_to_write_goes_by_the_suffix() -> None:
    assert set(BY_SUFFIX) == {name for name in WRITERS if formats_of(name)} - {"prune", "distill"}


@pytest.mark.parametrize(
    ("name", "suffix", "form"),
    [(name, suffix, form) for name, suffixes in BY_SUFFIX.items() for suffix, form in suffixes.items()],
)
def test_the_suffix_chooses_the_form_unless_the_format_is_given(
    treecli: Runner, folder: Path, name: str, suffix: str, form: str
) -> None:
    is_binary = form in {"png", "parquet", "pdf"}
    assert treecli(*USES[name], "-f", form, "-o", f"named{suffix}").code == 0
    assert treecli(*USES[name], "-o", f"chosen{suffix.upper()}").code == 0
    expected = (folder / f"named{suffix}").read_bytes()
    assert (folder / f"chosen{suffix.upper()}").read_bytes() == expected
    if not is_binary:
        assert treecli(*USES[name], "-f", form, "-o", "named.whatever").code == 0
        assert (folder / "named.whatever").read_bytes() == expected


@pytest.mark.parametrize("name", BY_SUFFIX)
def test_a_suffix_that_a_command_cannot_write_is_refused_before_anything_is_read(treecli: Runner, name: str) -> None:
    done = treecli(*USES[name], "-o", "result.docx")
    assert (done.code, done.out) == (2, "")
    known = ", ".join(BY_SUFFIX[name])
    assert done.err.startswith(f"Error: result.docx: found the suffix '.docx', expected one of {known}\nHint: ")


def test_the_suffix_chooses_the_language_of_an_export(treecli: Runner, folder: Path) -> None:
    for suffix, language in forms.of_family("exporters").items():
        assert treecli("export", "model.json", "-o", f"Model{suffix}").code == 0
        named = ["--name", "Model"] if language == "java" else []
        assert treecli("export", "model.json", "--to", language, *named, "-o", "named").code == 0
        assert (folder / f"Model{suffix}").read_bytes() == (folder / "named").read_bytes()
    done = treecli("export", "model.json", "-o", "model.docx")
    assert done.err.startswith("Error: model.docx: found the suffix '.docx', expected one of .c, .java, .js, ")
    assert treecli("export", "model.json").err.startswith("Error: --to is missing: the language to write (c, java, ")


@pytest.mark.parametrize("name", ["train", "prune"])
def test_a_model_does_not_get_the_suffix_of_something_else(treecli: Runner, folder: Path, name: str) -> None:
    *arguments, _, _ = USES[name]
    for suffix in (".csv", ".svg", ".py", ".txt"):
        done = treecli(*arguments, "-o", f"new{suffix}")
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"Error: new{suffix}: found the suffix '{suffix}', but a model is written as JSON\n")
    for free in ("new", "new.tree", "new.json.gz"):
        assert treecli(*arguments, "-o", free).code == 0
        assert treecli("show", free).code == 0


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_models_and_reports_are_compressed_and_read_again(treecli: Runner, folder: Path, suffix: str) -> None:
    if suffix == ".zst":
        pytest.importorskip("zstandard")
    assert treecli("train", "days.csv", "-q", "-o", f"new.json{suffix}").code == 0
    assert treecli("train", "days.csv", "-q", "-o", "new.json").code == 0
    assert treecli("show", f"new.json{suffix}") == treecli("show", "new.json")
    (folder / f"new.json{suffix}").write_bytes((folder / f"new.json{suffix}").read_bytes()[:-5])
    done = treecli("show", f"new.json{suffix}")
    assert (done.code, done.out) == (4, "")
    assert f"not a complete {suffix} file" in done.err


@pytest.mark.parametrize(("name", "form"), FORMATS)
def test_no_format_brings_colour_or_boxes_into_a_pipe(treecli: Runner, folder: Path, name: str, form: str) -> None:
    code, out, _ = treecli(*REPORTS[name], "--format", form)
    assert code == 0
    assert out.endswith("\n")
    assert not re.search("[\x1b\u2500-\u257f]", out)


@pytest.mark.parametrize("name", [name for name, form in FORMATS if form == "json"])
def test_json_parses_and_carries_its_version(treecli: Runner, folder: Path, name: str) -> None:
    code, out, _ = treecli(*REPORTS[name], "--format", "json")
    assert code == 0
    assert json.loads(out)["schema_version"] == 1


@pytest.mark.parametrize("name", sorted({name for name, _ in FORMATS}))
def test_an_unknown_format_is_answered_with_those_that_there_are(treecli: Runner, folder: Path, name: str) -> None:
    code, out, err = treecli(*REPORTS[name], "--format", "docx")
    assert (code, out) == (2, "")
    assert err == f"Error: --format: unknown 'docx' (known: {', '.join(formats_of(name))})\n"


def test_colour_comes_where_it_is_asked_for(treecli: Runner, folder: Path) -> None:
    plain = treecli("show", "model.json").out
    colored = treecli("show", "model.json", "--color", "always").out
    assert re.sub(r"\x1b\[\d*m", "", colored) == plain != colored
    assert treecli("show", "model.json", "--color", "never").out == plain


@pytest.mark.parametrize(
    ("from_file", "from_stdin", "given"),
    [
        (["train", "days.csv", "-o", "-"], ["train", "-", "--from", "csv", "-o", "-"], "days.csv"),
        (["evaluate", "model.json", "days.csv"], ["evaluate", "model.json", "-", "--from", "csv"], "days.csv"),
        (["evaluate", "model.json", "days.csv"], ["evaluate", "-", "days.csv"], "model.json"),
        (["predict", "model.json", "days.csv"], ["predict", "model.json", "-", "--from", "csv"], "days.csv"),
        (["predict", "model.json", "days.csv"], ["predict", "-", "days.csv"], "model.json"),
        (["info", "model.json"], ["info", "-"], "model.json"),
        (["info", "days.csv", "-f", "json"], ["info", "-", "--from", "csv", "-f", "json"], "days.csv"),
        (["show", "model.json"], ["show", "-"], "model.json"),
        (["rules", "model.json"], ["rules", "-"], "model.json"),
        (["prune", "model.json", "--node", "1", "-o", "-"], ["prune", "-", "--node", "1", "-o", "-"], "model.json"),
        (
            ["prune", "model.json", "--data", "days.csv", "-o", "-"],
            ["prune", "model.json", "--data", "-", "--from", "csv", "-o", "-"],
            "days.csv",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_dash_reads_stdin_like_a_file(
    treecli: Runner, folder: Path, from_file: list[str], from_stdin: list[str], given: str
) -> None:
    file, stdin = treecli(*from_file), treecli(*from_stdin, input=(folder / given).read_bytes())
    assert (file.code, stdin.code) == (0, 0)
    # The lineage of a model names its data; stdin has no other name.
    assert stdin.out == file.out.replace(f'"data":"{given}"', '"data":"stdin"')


@pytest.mark.parametrize("name", ["train", "prune"])
def test_a_dash_writes_to_stdout_the_same_as_to_a_file(treecli: Runner, folder: Path, name: str) -> None:
    *arguments, _, file = USES[name]
    treecli(*arguments, "-o", file)
    code, out, _ = treecli(*arguments, "-o", "-")
    assert code == 0
    assert out == (folder / file).read_text()


def test_data_from_stdin_needs_a_clear_format_and_a_name_for_the_model(treecli: Runner, folder: Path) -> None:
    days = (folder / "days.csv").read_bytes()
    clear = treecli("train", "-", "-o", "new.json", input=days)
    assert clear.code == 0
    assert "stdin is read as csv (use --from to choose)" in clear.err
    unclear = treecli("train", "-", "-o", "new.json", input="one column\n1\n2\n")
    assert (unclear.code, unclear.out) == (2, "")
    assert "Hint: set the format with --from " in unclear.err
    unnamed = treecli("train", "-", "--from", "csv", input=days)
    assert (unnamed.code, unnamed.out) == (2, "")
    assert unnamed.err.endswith("Hint: name the model: -o FILE\n")


TAKES_MODEL = [
    (name, use.index(file)) for name, use in USES.items() for file in ("model.json", "points.json") if file in use
]
TAKES_DATA = [
    (name, use.index(file)) for name, use in USES.items() for file in ("days.csv", "points.csv") if file in use
]
"""Commands, and the place of the file among their words."""

RULES = "target PlayTennis: No Yes\nIF Outlook = Sunny THEN No\nDEFAULT Yes\n"


@pytest.mark.parametrize("given", ["model.json", "packed.json.gz", "unnamed", "rules.txt", "named.csv"])
@pytest.mark.parametrize(("name", "place"), [use for use in TAKES_DATA if use[0] != "info"])
def test_a_model_in_the_place_of_data_is_called_a_model(
    treecli: Runner, folder: Path, name: str, place: int, given: str
) -> None:
    content = RULES.encode() if given == "rules.txt" else (folder / "model.json").read_bytes()
    (folder / given).write_bytes(gzip.compress(content) if given.endswith(".gz") else content)
    use = [*USES[name][:place], given, *USES[name][place + 1 :]]
    for words in (use, use[: use.index("-o")] if "-o" in use else use):
        done = treecli(*words)
        assert (done.code, done.out) == (3, "")
        assert done.err == (
            f"Error: {given}: is a model, expected data\nHint: name a data file; 'treecli info' describes a model\n"
        )


@pytest.mark.parametrize(("name", "place"), [use for use in TAKES_MODEL if use[0] != "info"])
def test_data_in_the_place_of_a_model_are_called_data(treecli: Runner, folder: Path, name: str, place: int) -> None:
    done = treecli(*USES[name][:place], "days.csv", *USES[name][place + 1 :])
    assert (done.code, done.out) == (4, "")
    assert done.err == (
        "Error: days.csv: is data, expected a model\nHint: make a model of it: treecli train days.csv\n"
    )


@pytest.mark.parametrize("name", ["evaluate", "explain", "predict"])
def test_swapped_model_and_data_give_a_hint(treecli: Runner, folder: Path, name: str) -> None:
    words = [{"model.json": "days.csv", "days.csv": "model.json"}.get(word, word) for word in USES[name]]
    done = treecli(*words)
    assert (done.code, done.out) == (4, "")
    assert done.err == (
        "Error: days.csv: is data, expected a model\nHint: the model comes first: model.json days.csv\n"
    )


@pytest.mark.parametrize(("name", "place"), [*TAKES_MODEL, *TAKES_DATA])
def test_a_folder_and_an_empty_name_are_refused(treecli: Runner, folder: Path, name: str, place: int) -> None:
    (folder / "folder").mkdir()
    done = treecli(*USES[name][:place], "folder", *USES[name][place + 1 :])
    assert done.code in (3, 4)
    assert done.err.startswith("Error: folder: is a folder, expected a ")
    done = treecli(*USES[name][:place], "", *USES[name][place + 1 :])
    assert (done.code, done.out) == (2, "")
    assert ": found an empty name, expected a file's name\n" in done.err


def test_a_compressed_model_is_described(treecli: Runner, folder: Path) -> None:
    (folder / "packed.json.gz").write_bytes(gzip.compress((folder / "model.json").read_bytes()))
    assert treecli("info", "packed.json.gz").out == treecli("info", "model.json").out


def test_every_command_prints_what_was_detected_in_its_data(treecli: Runner, folder: Path) -> None:
    rows = "".join(f"{number},5;{'u' if number % 2 else 'NA'};{'x' if number < 6 else 'y'}\n" for number in range(12))
    (folder / "other.csv").write_text(f"a;b;class\n{rows}")
    detected = "detected delimiter ';' (use --delimiter to choose)\ndetected decimal ',' (use --decimal to choose)\n"
    for command in (
        ("info", "other.csv"),
        ("train", "other.csv", "-o", "other.json"),
        ("crossval", "other.csv", "--folds", "2"),
        ("evaluate", "other.json", "other.csv"),
        ("predict", "other.json", "other.csv"),
        ("prune", "other.json", "--method", "reduced-error", "--data", "other.csv", "-o", "pruned.json"),
    ):
        done = treecli(*command)
        assert done.code == 0, done.err
        assert detected in done.err, command
        assert "detected" not in treecli(*command, "-q").err


def test_a_model_file_is_named_after_its_data_and_lands_in_the_current_folder(treecli: Runner, folder: Path) -> None:
    (folder / "here").mkdir()
    assert treecli("train", "../days.csv", cwd=folder / "here").code == 0
    assert treecli("prune", "days.json", cwd=folder / "here").code == 0
    assert sorted(path.name for path in (folder / "here").iterdir()) == ["days.json", "days.pruned.json"]


def test_a_model_file_contains_no_dates_and_no_paths(treecli: Runner, folder: Path) -> None:
    elsewhere = folder / "else where"
    elsewhere.mkdir()
    shutil.copy(folder / "days.csv", elsewhere)
    assert treecli("train", folder / "days.csv", "-o", "one.json", cwd=folder).code == 0
    assert treecli("train", elsewhere / "days.csv", "-o", "two.json", cwd=elsewhere).code == 0
    assert treecli("prune", elsewhere / "two.json", "-o", "two.small.json", cwd=elsewhere).code == 0
    assert (folder / "one.json").read_bytes() == (elsewhere / "two.json").read_bytes()
    assert str(folder) not in (elsewhere / "two.small.json").read_text()


def test_any_number_of_threads_writes_the_same_bytes(treecli: Runner, tmp_path: Path) -> None:
    # Threads come in from 20,000 cases on. The numbers are those of a congruential generator, so nothing is random.
    rows, number = ["size,colour,weight,label"], 1
    for _ in range(21_000):
        number = number * 16807 % 2147483647
        size, colour, weight = number % 97, "rgbk"[number // 97 % 4], number // 388 % 89
        rows.append(f"{size},{colour},{weight / 8},{'yes' if (size > 40) != (colour in 'rg') and weight > 9 else 'no'}")
    (tmp_path / "many.csv").write_text("\n".join(rows) + "\n")
    models = {
        treecli("train", "many.csv", "-q", "--max-depth", "5", "-o", "-", *jobs).out
        for jobs in ([], ["--jobs", "1"], ["--jobs", "2"], ["--jobs", "5"])
    }
    assert len(models) == 1
    assert '"colour"' in models.pop()
