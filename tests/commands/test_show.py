"""treecli show"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import BINARY, Runner
from tests.example_models import chain, iris_like, playtennis
from tests.growing import SAMPLE_DATA
from treecli import plugins
from treecli.models import write_model

PLAYTENNIS = """\
Outlook = Sunny
|   Humidity = High: No (3.0)
|   Humidity = Normal: Yes (2.0)
Outlook = Overcast: Yes (4.0)
Outlook = Rain
|   Wind = Weak: Yes (3.0)
|   Wind = Strong: No (2.0)
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "playtennis.json"
    write_model(str(path), playtennis())
    return path


@pytest.mark.usefixtures("model")
def test_the_tree_goes_to_stdout_and_nothing_to_stderr(treecli: Runner) -> None:
    assert treecli("show", "playtennis.json") == (0, PLAYTENNIS, "")


def test_a_model_is_read_from_stdin(treecli: Runner, model: Path) -> None:
    assert treecli("show", "-", input=model.read_bytes()) == (0, PLAYTENNIS, "")


@pytest.mark.parametrize("renderer", sorted(set(plugins.names("renderers")) - {"m5p"}))  # for numeric targets
def test_every_format_writes_the_same_to_a_file_and_to_stdout(
    treecli: Runner, model: Path, tmp_path: Path, renderer: str
) -> None:
    code, out, _ = treecli("show", model, "-f", renderer)
    assert (code, out != "") == (0, True)
    assert treecli("show", model, "-f", renderer, "-o", "tree.out") == (0, "", "")
    assert (tmp_path / "tree.out").read_bytes() == out.encode(errors=BINARY)
    assert treecli("show", model, "-f", renderer, "-o", "-").out == out


def test_a_part_of_the_tree_is_shown(treecli: Runner, model: Path) -> None:
    assert treecli("show", model, "--node", "3", "--ids").out == (
        "3  Outlook = Rain\n6  Wind = Weak: Yes (3.0)\n7  Wind = Strong: No (2.0)\n"
    )
    assert treecli("show", model, "--depth", "0", "--counts").out == (
        "all cases: Yes (14.0/5.0) … 7 nodes  {No: 5.0, Yes: 9.0}\n"
    )


def test_json_shows_the_same_part(treecli: Runner, model: Path) -> None:
    nodes = json.loads(treecli("show", model, "-f", "json", "--node", "1", "--depth", "0").out)["nodes"]
    assert [(node["id"], node["n_hidden"]) for node in nodes] == [(1, 2)]


def test_a_pipe_gets_colours_only_when_they_are_asked_for(treecli: Runner, model: Path) -> None:
    assert "\x1b" not in treecli("show", model).out
    assert "\x1b" not in treecli("show", model, "--color", "never").out
    assert "\x1b" in treecli("show", model, "--color", "always").out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["playtennis.json", "--node", "8"], 2, "Error: playtennis.json: there is no node 8, only 0 to 7\n"),
        (
            ["playtenis.json"],
            4,
            "Error: playtenis.json: no such file\nHint: did you mean 'playtennis.json'?",
        ),
        (["."], 4, "Error: .: is a folder, expected a model\n"),
        (["playtennis.json", "-f", "txt"], 2, "unknown 'txt'"),
        (["playtennis.json", "--depth", "-1"], 2, "--depth"),
        ([], 2, "Error: missing MODEL\n"),
        (["playtennis.json", "-o", "nowhere/tree.txt"], 2, "Error: nowhere/tree.txt: cannot be written"),
    ],
)
@pytest.mark.usefixtures("model")
def test_errors_leave_stdout_empty(treecli: Runner, arguments: list[str], code: int, message: str) -> None:
    outcome = treecli("show", *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err


def test_a_damaged_model_is_exit_code_4_with_the_place(treecli: Runner, model: Path) -> None:
    text = model.read_text().replace('"attribute":"Wind"', '"attribute":"Wnd"')
    outcome = treecli("show", "-", input=text)
    assert outcome == (
        4,
        "",
        "Error: stdin: node 3: splits on 'Wnd', which the schema does not hold\nHint: did you mean 'Wind'?\n",
    )


def test_labels_of_any_language_pass(treecli: Runner, tmp_path: Path) -> None:
    write_model(str(tmp_path / "iris.json"), iris_like())
    text = (tmp_path / "iris.json").read_text().replace("Iris-setosa", "アヤメ")
    assert treecli("show", "-", input=text).out.startswith("petalwidth <= 0.6: アヤメ (50.0)\n")


@pytest.mark.parametrize("format", ["svg", "html", "png", "pdf"])
@pytest.mark.usefixtures("model")
def test_details_in_a_picture_are_charts_of_the_branches_or_of_data(
    treecli: Runner, tmp_path: Path, format: str
) -> None:
    found = []
    for number, options in enumerate([[], ["--details"], ["--details", "--data", SAMPLE_DATA / "playtennis.csv"]]):
        done = treecli("show", "playtennis.json", "-f", format, *options, "-o", f"{number}.{format}")
        assert (done.code, done.err) == (0, "")
        found.append((tmp_path / f"{number}.{format}").read_bytes())
    plain, details, of_data = found
    assert plain != details
    # All attributes are nominal, and the data are those of training: the branches hold the same cases.
    assert details == of_data


def test_data_draw_a_histogram_with_the_threshold(treecli: Runner, tmp_path: Path) -> None:
    write_model(str(tmp_path / "iris.json"), iris_like())
    data = ["--data", SAMPLE_DATA / "iris.csv"]
    plain = treecli("show", "iris.json", "-f", "svg", "--details").out
    done = treecli("show", "iris.json", "-f", "svg", "--details", *data)
    assert (done.code, done.err) == (0, "")
    assert plain.count(">0.1</text>") == 0
    assert done.out.count(">0.1</text>") == 1  # the least petalwidth, at the root
    assert done.out.count(">2.5</text>") == 2  # the greatest, at the root and at the node below


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "x.csv"], "Error: --data: is only for the charts of --details in svg, png, pdf and html\n"),
        (["-f", "svg", "--data", "x.csv"], "Error: --data: is only for the charts of --details"),
        (["--details", "--data", "x.csv"], "Error: --data: is only for the charts of --details"),
        (["-f", "svg", "--na", "x"], "Error: options such as --target and --na are for --data\n"),
    ],
)
@pytest.mark.usefixtures("model")
def test_data_are_for_charts_only(treecli: Runner, arguments: list[str], message: str) -> None:
    done = treecli("show", "playtennis.json", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)


def test_a_picture_of_many_leaves_suggests_other_formats(treecli: Runner, tmp_path: Path) -> None:
    write_model(str(tmp_path / "deep.json"), chain(120))
    show = ["show", "deep.json", "-f", "svg", "-o", "deep.svg"]
    note = "121 leaves are hard to read in a picture; use -f html to search and fold, --depth D to draw the top\n"
    assert treecli(*show).err == note
    assert treecli(*show, "-q").err == ""
    assert treecli(*show, "--depth", "3").err == ""


def test_a_rule_list_is_not_drawn_from_data(treecli: Runner, model: Path) -> None:
    assert treecli("rules", model.name, "-o", "rules.txt").code == 0
    done = treecli("show", "rules.txt", "--data", "x.csv")
    assert done.code == 2
    assert done.err.startswith("Error: --data: rules.txt is a rule list, which has no nodes\n")
