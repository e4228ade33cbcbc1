"""`treecli ask` asks only what the path needs, and predicts as `predict` does."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.pipes import piped

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, treecli: Runner) -> Path:
    """Trees of the 14 days and of J48's irises."""
    for name in ("playtennis.csv", "iris.csv", "cpu.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    assert treecli("train", "playtennis.csv", "-q").code == 0
    assert treecli("train", "iris.csv", "--like", "j48", "-q").code == 0
    return tmp_path


def test_an_unknown_value_takes_every_branch_and_is_named_as_what_decides(treecli: Runner) -> None:
    assert treecli("ask", "playtennis.json", "--answers", "Outlook=rain,Wind=?") == (
        0,
        "Yes 0.60, No 0.40      from 5 training cases\n"
        "because Outlook = Rain; Wind is unknown: Weak (3 of 5) says Yes, Strong (2 of 5) says No\n"
        "Wind decides: Yes 0.00 to 1.00\n",
        "",
    )


def test_a_range_is_divided_at_the_threshold(treecli: Runner) -> None:
    # Half of 1.6 to 1.8 is above 1.7: (0/46 + 1/3) / 2 and (1/46 + 2/3) / 2, as Quinlan's consult computes.
    done = treecli("ask", "iris.json", "--answers", "petallength=5.0,petalwidth=1.6 - 1.8", "-f", "json")
    found = json.loads(done.out)
    assert found["probabilities"]["Iris-virginica"] == pytest.approx((45 / 46 + 1 / 3) / 2)
    assert found["probabilities"]["Iris-versicolor"] == pytest.approx((1 / 46 + 2 / 3) / 2)
    assert (found["low"], found["high"]) == (pytest.approx(1 / 3), pytest.approx(45 / 46))
    assert found["decides"] == ["petalwidth"]
    assert sum(leaf["share"] for leaf in found["leaves"]) == pytest.approx(1)


def test_labels_have_weights_and_the_rest_is_shared_by_the_others(treecli: Runner) -> None:
    # Sunny and High: No; Overcast: Yes with the rest of 0.2; Rain: 3 of 5 Yes.
    found = json.loads(
        treecli("ask", "playtennis.json", "--answers", "Outlook=Rain:0.5, Sunny:0.3,Humidity=High", "-f", "json").out
    )
    assert found["probabilities"]["No"] == pytest.approx(0.3 + 0.5 * 0.4)
    assert found["asked"] == ["Outlook", "Humidity", "Wind"]


def test_answers_come_from_a_file_and_those_not_needed_are_told(treecli: Runner, folder: Path) -> None:
    (folder / "case.txt").write_text("Outlook=Overcast\nTemperature=Hot\n")
    done = treecli("ask", "playtennis.json", "--answers", "case.txt")
    assert done.out == "Yes 1.00      from 4 training cases\nbecause Outlook = Overcast\n"
    assert done.err == "'Temperature' was not needed\n"
    piped(folder / "pipe", b"Outlook=Overcast\nTemperature=Hot\n")
    assert treecli("ask", "playtennis.json", "--answers", folder / "pipe") == done


def test_a_number_is_predicted_with_its_range(treecli: Runner) -> None:
    assert treecli("train", "cpu.csv", "--max-depth", "1", "-q").code == 0
    found = json.loads(treecli("ask", "cpu.json", "--answers", "x=", "-f", "json").out or "{}")
    assert found == {}
    found = json.loads(treecli("ask", "cpu.json", "--answers", "", "-f", "json").out)
    assert found["low"] < found["prediction"] < found["high"]
    assert found["probabilities"] is None


def test_strict_tells_the_question_that_is_not_answered(treecli: Runner) -> None:
    done = treecli("ask", "playtennis.json", "--answers", "Outlook=Rain", "--strict")
    assert done == (1, "", "Error: an answer is missing: Wind? (Weak, Strong)\n")


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("Outlook=Rian", "--answers: Outlook: 'Rian' is no label of Outlook\nHint: did you mean 'Rain'?"),
        ("Outlok=Rain", "found 'Outlok=Rain': the model has no such attribute\nHint: did you mean 'Outlook'?"),
        ("Outlook", "found 'Outlook': expected NAME=VALUE"),
        ("Outlook=Rain,Outlook=Sunny", "'Outlook' is answered twice"),
        ("Outlook=Rain:0.8,Sunny:0.4", "add up to 1.2, expected at most 1"),
        ("Outlook=Rain:x", "found 'Rain:x', expected LABEL:WEIGHT"),
    ],
)
def test_answers_that_cannot_be_used_are_refused(treecli: Runner, answers: str, message: str) -> None:
    done = treecli("ask", "playtennis.json", "--answers", answers)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("answer", "message"),
    [("many", "expected a number, a range such as 1.5 - 2, or ?"), ("2 - 1", "but 2 is above 1")],
)
def test_numbers_that_cannot_be_used_are_refused(treecli: Runner, answer: str, message: str) -> None:
    done = treecli("ask", "iris.json", "--answers", f"petalwidth={answer}")
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_without_a_terminal_answers_have_to_be_given(treecli: Runner) -> None:
    done = treecli("ask", "playtennis.json", input="Rain\nWeak\n")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: nobody can be asked: stdin is not a terminal\nHint: give the answers: --answers")


def test_a_rule_list_names_the_rules_that_decide(treecli: Runner) -> None:
    assert treecli("rules", "playtennis.json", "-o", "rules.json", "-q").code == 0
    assert treecli("ask", "rules.json", "--answers", "Outlook=rain,Wind=weak,Temperature=Hot") == (
        0,
        "Yes 1.00      from rule 4: 3 training cases\nbecause Outlook = Rain AND Wind = Weak says Yes\n",
        "'Temperature' was not needed\n",
    )
    # A missing value satisfies none of these conditions, so that the default decides: 9 of 14 are Yes.
    assert treecli("ask", "rules.json", "--answers", "Outlook=rain") == (
        0,
        "Yes 0.64, No 0.36      from the default\nbecause no rule matches, and the default is Yes\n"
        "Wind decides: Yes 0.00 to 1.00\n",
        "",
    )
    found = json.loads(
        treecli("ask", "rules.json", "--answers", "Outlook=Rain:0.5,Overcast:0.5,Wind=Strong", "-f", "json").out
    )
    assert found == {
        "schema_version": 1,
        "answers": {"Outlook": "Rain:0.5,Overcast:0.5", "Wind": "Strong"},
        "asked": ["Outlook", "Wind"],
        "prediction": "No",
        "probabilities": {"No": 0.5, "Yes": 0.5},
        "low": 0.0,
        "high": 1.0,
        "cases": 6.0,
        "rules": [{"number": 3, "share": 0.5}, {"number": 5, "share": 0.5}],
        "decides": ["Outlook"],
    }
    strict = treecli("ask", "rules.json", "--answers", "Outlook=Sunny", "--strict")
    assert strict == (1, "", "Error: an answer is missing: Humidity? (High, Normal)\n")


@pytest.mark.parametrize("option", ["--forest", "--boost"])
def test_ensembles_predict_as_predict_does(treecli: Runner, folder: Path, option: str) -> None:
    assert treecli("train", "playtennis.csv", option, "5", "--seed", "2", "-o", "many.json", "-q").code == 0
    (folder / "new.csv").write_text("Outlook,Temperature,Humidity,Wind\nRain,Mild,High,?\n")
    row = "Outlook=Rain,Temperature=Mild,Humidity=High,Wind=?"
    predicted = treecli("predict", "many.json", "new.csv", "--proba", "-f", "jsonl").out
    expected = json.loads(predicted)
    found = json.loads(treecli("ask", "many.json", "--answers", row, "--log", "log.csv", "-f", "json").out)
    assert found["prediction"] == expected["prediction"]
    for label, share in found["probabilities"].items():
        assert expected[f"proba_{label}"] == pytest.approx(share, abs=1e-6)
    assert found["low"] <= found["probabilities"][found["prediction"]] <= found["high"]
    for tree in range(1, found["trees"] + 1):
        assert sum(own["share"] for own in found["leaves"] if own["tree"] == tree) == pytest.approx(1)
    assert (folder / "log.csv").read_text().splitlines()[1] == f"Rain,Mild,High,,{found['prediction']}"


def test_a_range_that_divides_the_case_too_often_is_refused(treecli: Runner) -> None:
    assert treecli("train", "iris.csv", "--forest", "60", "-o", "forest.json", "-q").code == 0
    wide = "petallength=1 - 7,petalwidth=0 - 3,sepallength=4 - 8"
    done = treecli("ask", "forest.json", "--answers", wide)
    assert (done.code, done.out) == (2, "")
    assert "Error: --answers: ranges and weights divide the case into" in done.err
    assert "parts, and at most 4096 can be predicted\nHint: give a number, a narrower range or ?\n" in done.err


def test_cases_are_appended_to_a_log(treecli: Runner, folder: Path) -> None:
    for answers in ("Outlook=Rain,Wind=Weak", "Outlook=Rain:0.5,Sunny:0.5"):
        assert treecli("ask", "playtennis.json", "--answers", answers, "--log", "log.csv").code == 0
    assert (folder / "log.csv").read_text() == (
        'Outlook,Temperature,Humidity,Wind,prediction\nRain,,,Weak,Yes\n"Rain:0.5,Sunny:0.5",,,,No\n'
    )
    refused = treecli("ask", "iris.json", "--answers", "petalwidth=1", "--log", "log.csv")
    assert refused.code == 3
    assert "log.csv:1: found other columns than" in refused.err


def conversation(folder: Path, model: str, *typed: str) -> str:
    """What a terminal shows while these lines are typed, each after a question."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "treecli", "ask", model]
    with subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = ""
        lines = list(typed)
        while select.select([ours], [], [], 60)[0]:
            try:
                part = os.read(ours, 4096).decode()
            except OSError:  # the program has ended
                break
            shown += part.replace("\r\n", "\n")
            if lines and shown.endswith(("? ", ") ", "] ")):
                os.write(ours, f"{lines.pop(0)}\n".encode())
        os.close(ours)
    assert process.returncode == 0
    return shown


def test_a_conversation_asks_again_explains_and_goes_back(folder: Path) -> None:
    typed = ["rian", "rain", "?why", "?t", "back", "s", "high", "c", "", "normal", "q"]
    shown = conversation(folder, "playtennis.json", *typed)
    assert "'rian' is no label of Outlook; did you mean 'Rain'?\n" in shown
    assert "?why\nOutlook = Rain\n" in shown
    assert "?t\nOutlook = Rain\nWind = Weak: Yes (3.0)\nWind = Strong: No (2.0)\n" in shown
    assert "back\nOutlook? (Sunny, Overcast, Rain) s\n" in shown
    assert "Humidity? (High, Normal) high\nNo 1.00      from 3 training cases\n" in shown
    assert "Outlook? (Sunny, Overcast, Rain) [Sunny] \nHumidity? (High, Normal) [High] normal\nYes 1.00" in shown
    assert shown.endswith("again with changes [c], new case [n], quit [q]? q\n")


def test_after_three_answers_that_cannot_be_used_the_value_is_unknown(folder: Path) -> None:
    shown = conversation(folder, "playtennis.json", "x", "y", "z", "quit")
    assert "taken as unknown\nHumidity? (High, Normal) quit\n" in shown


def test_a_conversation_with_rules_shows_those_that_can_still_match(treecli: Runner, folder: Path) -> None:
    assert treecli("rules", "playtennis.json", "-o", "rules.json", "-q").code == 0
    shown = conversation(folder, "rules.json", "s", "?why", "?t", "back", "rain", "weak", "q")
    assert "?why\n2 of 5 rules can still match; Humidity is needed by 2\n" in shown
    assert "?t\n1  IF Outlook = Sunny AND Humidity = High THEN No (3/3, confidence 0.80, lift 2.24)\n2  IF" in shown
    assert "lift 1.17)\nDEFAULT Yes\nHumidity? (High, Normal) back\nOutlook? (Sunny, Overcast, Rain) rain\n" in shown
    assert "Wind? (Weak, Strong) weak\nYes 1.00      from rule 4: 3 training cases\n" in shown


def test_a_conversation_with_a_forest_says_how_its_trees_stand(treecli: Runner, folder: Path) -> None:
    assert treecli("train", "playtennis.csv", "--forest", "5", "-o", "forest.json", "-q").code == 0
    shown = conversation(folder, "forest.json", "?t", "?why", "quit")
    assert shown.count("5 of 5 trees are not decided; they ask for ") == 2


MAJORITY = "a,b,c,y\n" + "".join(
    f"{a},{b},{c},{'yes' if (a + b + c).count('y') > 1 else 'no'}\n" for a in "ny" for b in "ny" for c in "ny"
)
"""Every combination of three labels; the class is that of two of them at least."""


@pytest.mark.parametrize(
    ("answers", "code", "text"),
    [
        ("a=y,b=y", 0, "yes 1.00      from 4 training cases\nbecause at most 1 of {a = n, b = n, c = n}\n"),
        ("a=n,b=y,c=n", 0, "no 1.00      from 4 training cases\nbecause at least 2 of {a = n, b = n, c = n}\n"),
        ("a=n,b=y", 1, "an answer is missing: c? (n, y)"),
        ("a=?", 0, "a, b, c decide: no 0.00 to 1.00\n"),
        ("a=n,b=y,c=?", 0, "c decides: no 0.00 to 1.00\n"),
        ("a=n:0.5,b=y", 2, 'a is a part of "count of {a = n, b = n, c = n}", which needs one value'),
    ],
)
def test_a_derived_column_asks_for_its_attributes_until_they_suffice(
    treecli: Runner, tmp_path: Path, answers: str, code: int, text: str
) -> None:
    (tmp_path / "majority.csv").write_text(MAJORITY)
    assert treecli("train", "majority.csv", "--criterion", "gain", "--splits", "mofn", "-q").code == 0
    done = treecli("ask", "majority.json", "--answers", answers, "--strict")
    assert done.code == code
    assert text in done.out + done.err


@pytest.mark.parametrize(
    ("answers", "code", "text"),
    [
        ("x=5,z=3", 0, "v 1.00      from rule 1"),
        ("x=1,z=2", 0, "u 1.00      from rule 2"),
        ("x=1", 1, "an answer is missing: z?"),
        ("x=1,z=?", 0, "z decides: "),
        ("x=1 - 2,z=2", 2, "x is a part of -0.4 * x + z, which needs one value"),
    ],
)
def test_rules_about_derived_columns_ask_for_their_attributes(
    treecli: Runner, tmp_path: Path, answers: str, code: int, text: str
) -> None:
    # The only split is -0.4 x + z <= 1.3: it is 1 for (5, 3), and 1.6 for (1, 2).
    (tmp_path / "lines.csv").write_text("x,z,y\n1,2,u\n2,3,u\n3,5,u\n2,1,v\n3,2,v\n5,3,v\n")
    assert treecli("train", "lines.csv", "--criterion", "gain", "--splits", "linear", "-q").code == 0
    assert treecli("rules", "lines.json", "-o", "rules.json", "-q").code == 0
    done = treecli("ask", "rules.json", "--answers", answers, "--strict")
    assert done.code == code
    assert text in done.out + done.err


def test_a_forest_with_derived_columns_asks_for_their_attributes(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "majority.csv").write_text(MAJORITY)
    words = ("--splits", "mofn", "--features", "all", "--sample", "1")
    assert treecli("train", "majority.csv", "--forest", "3", *words, "-q").code == 0
    code, out, _ = treecli("ask", "majority.json", "--answers", "a=y,b=n,c=y", "-f", "json")
    found = json.loads(out)
    assert (code, found["prediction"], found["probabilities"]) == (0, "yes", {"no": 0.0, "yes": 1.0})
    assert treecli("ask", "majority.json", "--answers", "a=y,b=n", "--strict").err.endswith("c? (n, y)\n")
