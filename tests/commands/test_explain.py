"""treecli explain, and the flags of predict."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import Inner, model_of, playtennis, regression
from treecli.data import Attribute, Schema
from treecli.models import write_model
from treecli.splits import multiway

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"

DAYS = """Outlook,Temperature,Humidity,Wind,PlayTennis
Rain,Mild,High,Strong,No
Sunny,Hot,?,Weak,?
Foggy,Hot,High,Weak,Yes
Overcast,Hot,High,Weak,Yes
"""

RULES = """target PlayTennis: nominal {No, Yes}
attribute Outlook: nominal {Sunny, Overcast, Rain}
attribute Humidity: nominal {High, Normal}
attribute Wind: nominal {Weak, Strong}
IF Outlook = Overcast THEN Yes
IF Humidity = High AND Wind = Weak THEN Yes
IF Wind = Strong THEN No
DEFAULT Yes
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_model(str(tmp_path / "days.json"), playtennis())
    write_model(str(tmp_path / "houses.json"), regression())
    (tmp_path / "days.csv").write_text(DAYS)
    (tmp_path / "houses.csv").write_text("area,district,price\n70,hills,26\n,harbour,\n")
    (tmp_path / "rules.txt").write_text(RULES)
    (tmp_path / "votes.txt").write_text(f"decide by vote\n{RULES}")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("path", ["days.json", "days.csv", "--row", "1"]),
        ("spread", ["days.json", "days.csv", "--row", "2"]),
        ("unseen", ["days.json", "days.csv", "--row", "3"]),
        ("flip", ["days.json", "days.csv", "--row", "1", "--flip-to", "Yes", "--fixed", "Outlook"]),
        ("regression", ["houses.json", "houses.csv", "--row", "1", "--row", "2"]),
        ("rules", ["rules.txt", "days.csv", "--row", "4", "--flip-to", "No"]),
        ("default", ["rules.txt", "days.csv", "--row", "2"]),
        ("votes", ["votes.txt", "days.csv", "--row", "4"]),
        ("json", ["days.json", "days.csv", "--row", "2", "--flip-to", "Yes", "-f", "json"]),
        ("rules-json", ["rules.txt", "days.csv", "--row", "4", "-f", "json"]),
    ],
)
def test_explanations_look_as_they_should(
    treecli: Runner, folder: Path, golden: Callable[[str, str], None], name: str, arguments: list[str]
) -> None:
    code, out, _ = treecli("explain", *arguments)
    assert code == 0
    golden(f"explain/{name}", out)


def test_a_flower_of_the_samples_is_flipped_to_another_kind(treecli: Runner, folder: Path) -> None:
    assert treecli("train", SAMPLES / "iris.csv", "-o", "iris.json", "--like", "j48").code == 0
    arguments = ("explain", "iris.json", SAMPLES / "iris.csv", "--row", "51", "--flip-to", "Iris-virginica")
    facts = json.loads(treecli(*arguments, "-f", "json").out)
    (row,) = facts["rows"]
    assert (row["row"], row["actual"], row["prediction"]) == (51, "Iris-versicolor", "Iris-versicolor")
    # J48's tree (tests/models.py): 1.4 to above 1.7 is 0.3 of the 2.4 between the narrowest and the widest petal; 4.7
    # to above 4.9 is 0.2 of the 5.9 between the shortest and the longest, and less.
    (change,) = row["flip"]["changes"]
    assert change["text"] == "petallength > 4.9, for instance 5"
    assert row["flip"]["distance"] == pytest.approx(0.2 / 5.9)
    assert treecli(*arguments, "--fixed", "petallength").out.endswith(
        "It would be Iris-virginica if one attribute changes:\n - petalwidth > 1.7, for instance 1.8 (now 1.4)\n"
    )


def test_the_page_agrees_with_the_output(treecli: Runner, folder: Path) -> None:
    page = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
    command, _, shown = page.split("```\n$ treecli ")[1].partition("\n")
    shutil.copy(SAMPLES / "iris.csv", folder)
    assert treecli("train", "iris.csv").code == 0
    assert treecli(*command.split()).out == shown.partition("```\n")[0]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["days.json", "days.csv"], 2, "Error: missing --row N\nHint: "),
        (["days.json", "days.csv", "--row", "0"], 2, "Error: --row: found '0', expected a whole number of 1 or more"),
        (
            ["days.json", "days.csv", "--row", "two"],
            2,
            "Error: --row: found 'two', expected a whole number of 1 or more",
        ),
        (["days.json", "days.csv", "--row", "5"], 3, "Error: days.csv: found 4 rows, expected a row 5\n"),
        (["days.json", "empty.csv", "--row", "1"], 3, "Error: empty.csv:1: "),
        (
            ["days.json", "days.csv", "--row", "1", "--flip-to", "yes"],
            2,
            "Error: --flip-to: 'yes' is not a label of 'PlayTennis' (No, Yes)\nHint: did you mean 'Yes'?\n",
        ),
        (
            ["days.json", "days.csv", "--row", "1", "--flip-to", "Yes", "--fixed", "Wind,Outlok"],
            2,
            "Error: --fixed: 'Outlok' is not an attribute of the model (Outlook, Temperature, Humidity, Wind)\n"
            "Hint: did you mean 'Outlook'?\n",
        ),
        (["days.json", "days.csv", "--row", "1", "--fixed", "Wind"], 2, "Error: --fixed is for --flip-to\nHint: "),
        (
            ["houses.json", "houses.csv", "--row", "1", "--flip-to", "9"],
            2,
            "Error: --flip-to: the target 'price' is num",
        ),
        (["days.json", "days.csv", "--row", "3", "--unseen", "error"], 3, "Error: days.csv: row 3: 'Outlook' has a "),
        (["days.csv", "days.csv", "--row", "1"], 4, "Error: days.csv: "),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_impossible_requests_are_refused(
    treecli: Runner, folder: Path, arguments: list[str], code: int, message: str
) -> None:
    (folder / "empty.csv").write_text(DAYS.splitlines()[0] + "\n")
    done = treecli("explain", *arguments, "--quiet")
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(message)


def test_a_label_out_of_reach_is_a_check_that_fails(treecli: Runner, folder: Path) -> None:
    arguments = ["explain", "days.json", "days.csv", "--row", "1", "--row", "4", "--flip-to", "Yes", "-q"]
    done = treecli(*arguments, "--fixed", "Outlook", "--fixed", "Wind,Humidity")
    assert done.code == 1
    # The fourth day is a Yes already.
    assert done.err == "Error: days.csv: row 1: no change of the other attributes reaches 'Yes'\n"
    assert done.out.endswith("It is Yes already.\n")
    done = treecli(*arguments, "--fixed", "Outlook", "--fixed", "Wind,Humidity", "-f", "json")
    assert [row["flip"]["changes"] for row in json.loads(done.out)["rows"]] == [None, []]


def test_the_whole_file_is_there_or_none(treecli: Runner, folder: Path) -> None:
    expected = treecli("explain", "days.json", "days.csv", "--row", "1").out
    assert treecli("explain", "days.json", "days.csv", "--row", "1", "-o", "why.txt").out == ""
    assert (folder / "why.txt").read_text() == expected
    assert treecli("explain", "days.json", "-", "--from", "csv", "--row", "1", input=DAYS).out == expected.replace(
        "days.csv", "stdin"
    )


def test_an_unseen_label_from_stdin_is_shown_as_written(treecli: Runner, folder: Path) -> None:
    done = treecli("explain", "days.json", "-", "--from", "csv", "--row", "3", input=DAYS)
    assert "flag unseen: Outlook is Foggy\n" in done.out


def test_a_model_without_ranges_says_that_they_are_not_checked(treecli: Runner, folder: Path) -> None:
    done = treecli("explain", "houses.json", "houses.csv", "--row", "1")
    assert done.err == "out-of-range is not checked for area: the model stores no range of the training values\n"
    facts = json.loads(treecli("explain", "houses.json", "houses.csv", "--row", "1", "-f", "json").out)
    assert facts["range_unknown"] == ["area"]


def test_names_that_could_draw_on_the_terminal_are_spelled_out(treecli: Runner, folder: Path) -> None:
    schema = Schema(
        (Attribute("\x1b[31mred", "nominal", ("a\nb", "c, d; e")),),
        Attribute("z", "nominal", ("yes\x07", "no")),
    )
    write_model(str(folder / "hostile.json"), model_of(schema, Inner(multiway.Split(0, 2), ((1.0, 0.0), (0.0, 1.0)))))
    (folder / "hostile.csv").write_text('\x1b[31mred\n"c, d; e"\nx\x1b[2J\n')
    arguments = ("explain", "hostile.json", "hostile.csv", "--row", "1", "--row", "2", "--flip-to", "yes\x07")
    code, out, _ = treecli(*arguments, "--quiet")
    assert code == 0
    assert out.isascii()
    assert all(line.isprintable() for line in out.splitlines())
    assert json.loads(treecli(*arguments, "-f", "json").out)["rows"][0]["flip"]["changes"][0]["value"] == "a\nb"


def test_predict_gives_the_flags_as_a_column(treecli: Runner, folder: Path) -> None:
    done = treecli("predict", "days.json", "days.csv", "--flags", "--leaf")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["flags"] for row in rows] == ["", "missing:Humidity", "unseen:Outlook", ""]
    assert list(rows[0])[-2:] == ["leaf", "flags"]
    as_json = json.loads(treecli("predict", "days.json", "days.csv", "--flags", "-f", "json").out)
    assert [row["flags"] for row in as_json["rows"]] == [row["flags"] for row in rows]


def test_a_trained_model_has_ranges(treecli: Runner, folder: Path) -> None:
    assert treecli("train", SAMPLES / "iris.csv", "-o", "iris.json", "--prune", "pessimistic").code == 0
    assert treecli("rules", "iris.json", "-o", "iris-rules.json").code == 0
    # Petals of iris are 1 to 6.9 long; the sepals, which the pruned tree does not ask about, 2 to 4.4 wide.
    (folder / "new.csv").write_text("sepallength,sepalwidth,petallength,petalwidth\n5,99,6.9,1\n5,3,7,1\n")
    for model in ("iris.json", "iris-rules.json"):
        code, out, err = treecli("predict", model, "new.csv", "--flags")
        assert (code, err) == (0, "")
        assert [line.rpartition(",")[2] for line in out.splitlines()] == ["flags", "", "out-of-range:petallength"]
