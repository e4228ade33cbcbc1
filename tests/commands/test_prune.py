from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests import example_models
from tests.conftest import Runner
from treecli.model import TreeModel
from treecli.models import read_model, write_model

# Sunny days go by humidity, as in the tree; on rainy days wind does not matter, unlike in the tree.
TUNING = """\
Outlook,Temperature,Humidity,Wind,PlayTennis
Sunny,Hot,High,Weak,No
Sunny,Hot,Normal,Weak,Yes
Overcast,Hot,High,Weak,Yes
Rain,Mild,High,Weak,Yes
Rain,Mild,High,Strong,Yes
"""

SINGLE_LEAF_AT_5_PERCENT = ("--confidence", "0.05")


@pytest.fixture
def playtennis(tmp_path: Path) -> Path:
    """The tree of the 14 days: 0 Outlook, 1 Humidity and 3 Wind ask, the other five of eight nodes are leaves."""
    return saved(tmp_path, "playtennis.json", example_models.playtennis())


@pytest.fixture
def tuning(tmp_path: Path) -> Path:
    path = tmp_path / "tuning.csv"
    path.write_text(TUNING)
    return path


def saved(folder: Path, name: str, model: TreeModel) -> Path:
    path = folder / name
    write_model(str(path), model)
    return path


def last_step(path: Path) -> dict[str, Any]:
    return read_model(str(path)).lineage[-1]


def test_without_a_method_pruning_is_pessimistic_with_a_notice(treecli: Runner, playtennis: Path) -> None:
    code, out, err = treecli("prune", playtennis.name, *SINGLE_LEAF_AT_5_PERCENT)
    assert (code, out) == (0, "")
    assert err == (
        "no --method given, so this was --method pessimistic --confidence 0.05\n"
        "playtennis.json: 8 → 1 node, 5 → 1 leaf; wrote playtennis.pruned.json\n"
    )
    new = read_model(str(playtennis.parent / "playtennis.pruned.json"))
    assert list(new.tree.outcomes) == [5, 9]


def test_with_data_pruning_is_by_reduced_error_with_a_notice(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    code, out, err = treecli("prune", playtennis.name, "--data", tuning.name)
    assert (code, out) == (0, "")
    assert err == (
        "no --method given, so this was --method reduced-error\n"
        "playtennis.json: 8 → 6 nodes, 5 → 4 leaves; wrote playtennis.pruned.json\n"
    )
    new = read_model(str(playtennis.parent / "playtennis.pruned.json"))
    assert new.tree == example_models.playtennis().tree.collapsed(lambda node: node == 3)


def test_a_method_that_was_asked_for_is_not_talked_about(treecli: Runner, playtennis: Path) -> None:
    assert "--method" not in treecli("prune", playtennis.name, "--method", "pessimistic").err


def test_the_default_output_goes_into_the_current_folder(treecli: Runner, playtennis: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    code, _, err = treecli("prune", "../playtennis.json", cwd=folder)
    assert code == 0
    assert err.endswith("; wrote playtennis.pruned.json\n")
    assert [path.name for path in folder.iterdir()] == ["playtennis.pruned.json"]


def test_the_model_before_is_the_same_to_the_byte(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    before = playtennis.read_bytes()
    assert treecli("prune", playtennis.name, "--data", tuning.name, "--greedy", "--depth", "1").code == 0
    assert playtennis.read_bytes() == before


def test_the_lineage_records_the_pruning(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    assert treecli("prune", playtennis.name, "--data", tuning.name, "--greedy", "-o", "new.json").code == 0
    trained, step = read_model(str(tuning.parent / "new.json")).lineage
    assert trained["command"] == "train"
    assert list(step.items()) == [
        ("command", "prune"),
        ("method", "reduced-error"),
        ("options", {"greedy": True}),
        ("data", "tuning.csv"),
        ("sha256", hashlib.sha256(TUNING.encode()).hexdigest()),
        ("leaves_before", 5),
        ("leaves_after", 4),
    ]


@pytest.mark.parametrize(
    ("arguments", "step"),
    [
        (("--node", "3", "--node", "1", "--node", "3"), {"options": {"node": [1, 3]}, "leaves_after": 3}),
        (("--node", "0"), {"options": {"node": [0]}, "leaves_after": 1}),
        (("--depth", "1"), {"options": {"depth": 1}, "leaves_after": 3}),
        (("--depth", "0"), {"options": {"depth": 0}, "leaves_after": 1}),
        (("--depth", "9"), {"options": {"depth": 9}, "leaves_after": 5}),
        (("--node", "3", "--depth", "1"), {"options": {"node": [3], "depth": 1}, "leaves_after": 3}),
        (("--collapse",), {"options": {"collapse": True}, "leaves_after": 5}),
    ],
)
def test_nodes_and_a_depth_are_pruned_by_hand_without_a_method(
    treecli: Runner, playtennis: Path, arguments: tuple[str, ...], step: dict[str, Any]
) -> None:
    assert treecli("prune", playtennis.name, *arguments, "-o", "new.json").code == 0
    assert last_step(playtennis.parent / "new.json") == {"command": "prune", "leaves_before": 5} | step


def test_pruning_by_hand_by_a_method_and_by_collapsing_are_three_steps(treecli: Runner, playtennis: Path) -> None:
    arguments = ("--node", "3", "--method", "min-error", "--collapse", "-o", "new.json")
    assert treecli("prune", playtennis.name, *arguments).code == 0
    steps = read_model(str(playtennis.parent / "new.json")).lineage[1:]
    assert [(step["options"], step["leaves_before"], step["leaves_after"]) for step in steps] == [
        ({"node": [3]}, 5, 4),
        ({"m": 2.0}, 4, 4),
        ({"collapse": True}, 4, 4),
    ]


def test_a_method_applies_after_manual_pruning(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    # With the rainy and the sunny days as leaves the root is right 4 times of 5, and so it is as a leaf.
    assert treecli("prune", playtennis.name, "--node", "1", "--data", tuning.name, "-o", "new.json").code == 0
    assert last_step(playtennis.parent / "new.json")["leaves_after"] == 1


def test_a_model_flows_from_stdin_to_stdout(treecli: Runner, playtennis: Path) -> None:
    code, out, err = treecli("prune", "-", "--node", "3", "-o", "-", input=playtennis.read_bytes())
    assert code == 0
    assert err == "stdin: 8 → 6 nodes, 5 → 4 leaves; wrote the model to stdout\n"
    assert [node["id"] for node in json.loads(out)["nodes"]] == [0, 1, 2, 3, 4, 5]


def test_tuning_data_may_come_from_stdin(treecli: Runner, playtennis: Path) -> None:
    code, *_ = treecli("prune", playtennis.name, "--data", "-", "--from", "csv", "-o", "new.json", input=TUNING)
    assert code == 0
    assert last_step(playtennis.parent / "new.json")["data"] == "stdin"


def test_weights_of_tuning_rows_count(treecli: Runner, playtennis: Path) -> None:
    header, *rows = TUNING.splitlines()
    # The humid sunny day weighs nothing, so Sunny as a leaf "No" is wrong about all that is left of it, and the root
    # as a leaf "Yes" about nothing.
    weighted = [f"{header},w", f"{rows[0]},0", *(f"{row},1" for row in rows[1:])]
    (playtennis.parent / "weighted.csv").write_text("\n".join(weighted))
    arguments = ("prune", playtennis.name, "--data", "weighted.csv", "-o", "new.json")
    assert treecli(*arguments).code == 0
    assert last_step(playtennis.parent / "new.json")["leaves_after"] == 4
    assert treecli(*arguments, "--weights", "w").code == 0
    assert last_step(playtennis.parent / "new.json")["leaves_after"] == 1


def test_a_tree_for_a_numeric_target_is_pruned_with_data(treecli: Runner, tmp_path: Path) -> None:
    saved(tmp_path, "houses.json", example_models.regression())
    (tmp_path / "prices.csv").write_text("area,district,price\n50,harbour,12\n70,old town,24\n70,harbour,26\n")
    # By district 20 and 30 are both 4 off, the mean of 25 only 1.
    _, _, err = treecli("prune", "houses.json", "--data", "prices.csv")
    assert err.endswith("houses.json: 6 → 3 nodes, 4 → 2 leaves; wrote houses.pruned.json\n")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("--node", "8"), "playtennis.json: there is no node 8, expected an inner node from 0 to 7 (0, 1, 3)", "--ids"),
        (("--node", "-1"), "there is no node -1, expected an inner node from 0 to 7", "--ids"),
        (("--node", "2"), "playtennis.json: node 2 is already a leaf, expected an inner node", "--ids"),
        (("--method", "pesimistic"), "unknown 'pesimistic'", "did you mean 'pessimistic'?"),
        (("--method", "reduced-error"), "--method reduced-error needs tuning data", "--data FILE"),
        (("--method", "mdl", "--data", "tuning.csv"), "--method mdl uses no data", "leave --data out"),
        (("--collapse", "--confidence", "0.1"), "--method pessimistic, but no method is used", "--method pessimistic"),
        (("--alpha", "0.1"), "--alpha is for --method cost-complexity", "--method cost-complexity"),
        (
            ("--method", "cost-complexity", "--alpha", "0.1", "--data", "tuning.csv"),
            "--method cost-complexity --alpha 0.1 uses no data",
            "leave --data out",
        ),
        (("--method", "cost-complexity", "--cp", "0.1", "--leaves", "2"), "--cp and --leaves each", "leave one"),
        (("--method", "cost-complexity"), "needs a price per leaf", "--alpha, --cp or --leaves"),
        (("--format", "json"), "--format needs --path", "add --path"),
        (("--plot", "a.png"), "--plot needs --path", "add --path"),
        (("--path", "-o", "new.json"), "--path writes no model", "leave -o out"),
        (("--path", "--collapse"), "--path prunes nothing", "leave one"),
        (("--path", "--method", "mdl"), "--path is the path of cost-complexity, but --method is mdl", "--method out"),
        (("--path", "--leaves", "2"), "--leaves chooses a tree, but --path reports all", "leave one"),
        (("--path", "--one-se"), "--one-se chooses a tree, but --path reports all", "leave one"),
        (("--path", "--folds", "3"), "--folds needs the training data", "--data FILE"),
        (("--path", "--confidence", "0.1"), "--confidence is for --method pessimistic", "--method pessimistic"),
        (("--path", "--plot", "a.gif"), "a.gif: pictures are .png, .svg or .pdf", None),
        (("--greedy",), "--greedy is for --method reduced-error, but 'pessimistic' is", "--method reduced-error"),
        (
            ("--data", "tuning.csv", "--confidence", "0.25"),
            "--confidence is for --method pessimistic, but 'reduced-error' is",
            "--method pessimistic",
        ),
        (("--node", "3", "--confidence", "0.1"), "--method pessimistic, but no method is used", "--method pessimistic"),
        (("--confidence", "0"), "--confidence 0: expected a number above 0", None),
        (("--confidence", "nan"), "--confidence: found 'nan', expected a finite number", None),
        (("--depth", "-1"), "--depth: found '-1', expected a whole number of 0 or more", None),
        (("--delimiter", ";"), "reading data are given, but no data", "--data FILE"),
        (("-o", "playtennis.json"), "playtennis.json: is read by this command and would be overwritten", "-o"),
        (("-o", "link.json"), "link.json: is read by this command and would be overwritten", "-o"),
        (
            ("--data", "tuning.csv", "-o", "tuning.csv"),
            "tuning.csv: is read by this command and would be overwritten",
            "-o",
        ),
        (("-o", "no/such/folder.json"), "no/such/folder.json: cannot be written", "make the folder"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused_and_writes_nothing(
    treecli: Runner, playtennis: Path, tuning: Path, arguments: tuple[str, ...], message: str, hint: str | None
) -> None:
    os.symlink(playtennis, playtennis.parent / "link.json")
    files = {path: path.read_bytes() for path in playtennis.parent.iterdir()}
    code, out, err = treecli("prune", playtennis.name, *arguments)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[0]
    assert ("Hint: " in err) == (hint is not None)
    assert hint is None or hint in err.splitlines()[1]
    assert {path: path.read_bytes() for path in playtennis.parent.iterdir()} == files


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-",), "a model from stdin has no name"),
        (("-", "--data", "-", "-o", "new.json"), "cannot both come from stdin"),
    ],
)
def test_stdin_is_one_file_without_a_name(
    treecli: Runner, playtennis: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, _, err = treecli("prune", *arguments, input=playtennis.read_bytes())
    assert code == 2
    assert message in err


def test_a_numeric_target_without_data_is_pruned_by_cost_complexity_with_a_notice(
    treecli: Runner, tmp_path: Path
) -> None:
    saved(tmp_path, "houses.json", example_models.regression())
    code, _, err = treecli("prune", "houses.json")
    assert code == 0
    assert err.splitlines()[0] == "no --method given, so this was --method cost-complexity --cp 0.01"
    step = last_step(tmp_path / "houses.pruned.json")
    assert (step["method"], step["options"]["cp"]) == ("cost-complexity", 0.01)
    # An option that chooses a tree takes the place of the usual one; by hand no method is at work.
    for arguments, said in (
        (("--leaves", "2"), "no --method given, so this was --method cost-complexity --leaves 2"),
        (("--depth", "1"), "houses.json: 6 → 3 nodes, 4 → 2 leaves; wrote houses.pruned.json"),
    ):
        assert treecli("prune", "houses.json", *arguments).err.splitlines()[0] == said


def test_a_numeric_target_with_its_training_data_is_cross_validated(treecli: Runner, tmp_path: Path) -> None:
    rows = [f"{i},{i % 3},{10 * (i // 10) + i % 2}\n" for i in range(40)]
    (tmp_path / "rows.csv").write_text("x,z,y\n" + "".join(rows))
    (tmp_path / "more.csv").write_text("x,z,y\n" + "".join(rows[:20]))
    assert treecli("train", "rows.csv", "-q").code == 0
    code, _, err = treecli("prune", "rows.json", "--data", "rows.csv")
    assert code == 0
    assert err.splitlines()[0].startswith("10-fold cross-validation chose alpha ")
    assert err.splitlines()[1] == "no --method given, so this was --method cost-complexity --one-se"
    assert last_step(tmp_path / "rows.pruned.json")["one_se"] is True
    by_hand = treecli(
        "prune", "rows.json", "--method", "cost-complexity", "--one-se", "--data", "rows.csv", "-o", "same.json"
    )
    assert by_hand.code == 0
    assert (tmp_path / "same.json").read_bytes() == (tmp_path / "rows.pruned.json").read_bytes()
    # Other data than those of training are for reduced-error, as with a nominal target.
    err = treecli("prune", "rows.json", "--data", "more.csv").err
    assert err.splitlines()[0] == "no --method given, so this was --method reduced-error"


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ((), "reduced-error needs other rows"),
        (("--path",), "their errors are too optimistic"),
    ],
)
def test_pruning_with_the_very_training_rows_is_warned_of(
    treecli: Runner, tmp_path: Path, arguments: tuple[str, ...], advice: str
) -> None:
    (tmp_path / "tuning.csv").write_text(TUNING)
    assert treecli("train", "tuning.csv", "-q").code == 0
    command = ("prune", "tuning.json", "--data", "tuning.csv", *arguments)
    warning = f"Warning: tuning.csv: these are the rows the model was grown from; {advice}"
    assert treecli(*command).err.splitlines()[0] == warning
    assert treecli(*command, "-q").err == ""
    (tmp_path / "tuning.csv").write_text(TUNING.replace("Rain,Mild,High,Strong,Yes\n", ""))
    assert "Warning" not in treecli(*command).err


def test_the_hint_about_unseen_labels_names_no_option_that_prune_lacks(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "tuning.csv").write_text(TUNING)
    (tmp_path / "other.csv").write_text(TUNING.replace("Rain", "Fog"))
    assert treecli("train", "tuning.csv", "-q", "--unseen", "error").code == 0
    code, _, err = treecli("prune", "tuning.json", "--data", "other.csv", "-q")
    assert code == 3
    assert err.splitlines()[1] == (
        "Hint: the model was trained with --unseen error: leave such rows out, or train with another --unseen"
    )


@pytest.mark.parametrize("targets", ["?", "maybe"])
def test_tuning_data_without_any_known_target_is_refused_rather_than_everything_pruned(
    treecli: Runner, playtennis: Path, targets: str
) -> None:
    header, *rows = TUNING.splitlines()
    unknown = [f"{row.rpartition(',')[0]},{targets}" for row in rows]
    (playtennis.parent / "unknown.csv").write_text("\n".join([header, *unknown]))
    code, _, err = treecli("prune", playtennis.name, "--data", "unknown.csv")
    assert code == 3
    assert "Error: unknown.csv: no row has a value of the target 'PlayTennis' that the model knows" in err
    assert not (playtennis.parent / "playtennis.pruned.json").exists()


def test_tuning_rows_without_a_target_are_counted_in_a_warning(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    tuning.write_text(TUNING + "Rain,Mild,High,Strong,?\n")
    code, _, err = treecli("prune", playtennis.name, "--data", tuning.name)
    assert code == 0
    found = "1 of 6 rows are ignored, because their target is missing or unknown to the model"
    assert f"Warning: tuning.csv: {found}\n" in err


def test_a_model_file_that_is_none_has_exit_code_4_and_a_missing_data_file_3(treecli: Runner, playtennis: Path) -> None:
    (playtennis.parent / "broken.json").write_text("{")
    assert treecli("prune", "broken.json").code == 4
    code, _, err = treecli("prune", playtennis.name, "--data", "tunning.csv")
    assert code == 3
    assert err.startswith("Error: tunning.csv: ")


def test_quiet_prints_no_messages(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    assert treecli("prune", playtennis.name, "--data", tuning.name, "-q") == (0, "", "")


def test_the_same_command_line_writes_the_same_bytes(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    for name in ("one.json", "two.json"):
        assert treecli("prune", playtennis.name, "--data", tuning.name, "-o", name).code == 0
    one, two = ((playtennis.parent / name).read_bytes() for name in ("one.json", "two.json"))
    assert one == two
    assert str(playtennis.parent).encode() not in one


PATH = [
    # 5 days of 14 are wrong under the root alone. Sunny with its 2 leaves saves 2 errors, Rain 2, Outlook 1 more for 2
    # leaves: all 5 for 4 leaves is 1.25 a leaf, which is less than 2, so that all go at once.
    {"splits": 3, "leaves": 5, "alpha": 0.0, "cp": 0.0, "error": 0.0, "relative_error": 0.0},
    {"splits": 0, "leaves": 1, "alpha": 1.25 / 14, "cp": 0.25, "error": 5 / 14, "relative_error": 1.0},
]


def test_the_path_is_reported_and_nothing_written(treecli: Runner, playtennis: Path) -> None:
    code, out, err = treecli("prune", playtennis.name, "--path", "-f", "json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["schema_version"] == 1
    assert report["risk"] == "error"
    for row, expected in zip(report["path"], PATH, strict=True):
        assert row == pytest.approx(expected)
    assert [path.name for path in playtennis.parent.iterdir()] == ["playtennis.json"]


def test_the_path_in_every_format(treecli: Runner, playtennis: Path) -> None:
    table = treecli("prune", playtennis.name, "--path").out
    assert table == (
        "splits  leaves    alpha    cp   error  relative_error\n"
        "     3       5  0        0     0                    0\n"
        "     0       1  0.08929  0.25  0.3571               1\n"
    )
    assert treecli("prune", playtennis.name, "--path", "-f", "csv").out == (
        "splits,leaves,alpha,cp,error,relative_error\n3,5,0,0,0,0\n0,1,0.08928571428571429,0.25,0.35714285714285715,1\n"
    )
    markdown = treecli("prune", playtennis.name, "--path", "-f", "markdown").out
    assert markdown.startswith("| splits | leaves | alpha | cp | error | relative_error |\n")


def test_the_path_has_the_error_on_other_data(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    # The tree is wrong about the rainy day of strong wind, the root alone, which says "Yes", about the humid sunny one.
    out = treecli("prune", playtennis.name, "--path", "--data", tuning.name, "-f", "json").out
    assert [row["held_out_error"] for row in json.loads(out)["path"]] == pytest.approx([0.2, 0.2])


def test_the_path_of_a_manually_pruned_tree_is_that_of_the_rest(treecli: Runner, playtennis: Path) -> None:
    out = treecli("prune", playtennis.name, "--path", "--depth", "1", "-f", "json").out
    # Sunny as "No" and Rain as "Yes" are each wrong twice: 4 errors in 3 leaves against 5 in one.
    assert [row["leaves"] for row in json.loads(out)["path"]] == [3, 1]
    assert json.loads(out)["path"][1]["alpha"] == pytest.approx(0.5 / 14)


def test_by_impurity_the_path_has_the_impurity_too(treecli: Runner, playtennis: Path) -> None:
    report = json.loads(treecli("prune", playtennis.name, "--path", "--by-impurity", "-f", "json").out)
    assert report["risk"] == "impurity"
    # The entropy of 5 and 9 is 0.940286 bits; Outlook saves 0.246750 of them for 2 leaves, the others 0.346768 each.
    assert report["path"][-1]["impurity"] == pytest.approx(0.940286, abs=5e-7)
    assert report["path"][-1]["error"] == pytest.approx(5 / 14)
    assert report["path"][-1]["alpha"] == pytest.approx(0.940286 / 4, abs=5e-7)


@pytest.fixture
def noisy(treecli: Runner, tmp_path: Path) -> Path:
    """A model of 200 rows, nine of ten of which follow the sign of x, grown until every leaf is pure."""
    random = Random(5)
    lines = ["x,z,y"]
    for _ in range(200):
        x, z = random.gauss(0, 1), random.gauss(0, 1)
        lines.append(f"{x},{z},{'ab'[(x > 0) != (random.random() < 0.1)]}")
    (tmp_path / "noisy.csv").write_text("\n".join(lines))
    assert treecli("train", "noisy.csv", "--criterion", "gini", "-q").code == 0
    return tmp_path / "noisy.json"


def test_cross_validation_chooses_a_tree_and_prints_its_error(treecli: Runner, noisy: Path) -> None:
    arguments = ("--method", "cost-complexity", "--data", "noisy.csv", "--folds", "5", "--one-se", "-o", "new.json")
    code, out, err = treecli("prune", "noisy.json", *arguments)
    assert (code, out) == (0, "")
    step = last_step(noisy.parent / "new.json")
    assert step["leaves_after"] == 2
    assert (step["folds"], step["one_se"]) == (5, True)
    assert step["options"]["alpha"] > 0
    assert step["cv_se"] == pytest.approx((step["cv_error"] * (1 - step["cv_error"]) / 200) ** 0.5)
    assert err.startswith("5-fold cross-validation chose alpha ")
    assert " leaves; wrote new.json\n" in err


def test_the_cross_validated_path_agrees_with_the_choice(treecli: Runner, noisy: Path) -> None:
    arguments = ("--data", "noisy.csv", "--folds", "5")
    code, out, err = treecli("prune", "noisy.json", "--path", *arguments, "-f", "json")
    assert code == 0
    assert err.startswith("least cross-validated error: ")
    report = json.loads(out)
    for leaves, flags in ((report["best_leaves"], ()), (report["one_se_leaves"], ("--one-se",))):
        assert (
            treecli("prune", "noisy.json", "--method", "cost-complexity", *arguments, *flags, "-o", "new.json").code
            == 0
        )
        step = last_step(noisy.parent / "new.json")
        row = next(row for row in report["path"] if row["leaves"] == leaves)
        assert step["leaves_after"] == leaves
        assert (row["cv_error"], row["cv_se"]) == (step["cv_error"], step["cv_se"])


def test_cross_validation_on_other_data_than_the_model_was_trained_from_is_warned_of(
    treecli: Runner, noisy: Path
) -> None:
    lines = (noisy.parent / "noisy.csv").read_text().splitlines()
    (noisy.parent / "other.csv").write_text("\n".join(lines[:101]))
    warning = "Warning: other.csv: is not the training data of the model, which was noisy.csv\n"
    chosen = ("--method", "cost-complexity", "-o", "new.json")
    assert warning in treecli("prune", "noisy.json", "--data", "other.csv", *chosen).err
    assert warning in treecli("prune", "noisy.json", "--data", "other.csv", "--path", "--folds", "3").err
    assert warning not in treecli("prune", "noisy.json", "--data", "other.csv", "--path").err
    assert "Warning" not in treecli("prune", "noisy.json", "--data", "noisy.csv", *chosen).err


@pytest.mark.parametrize(("name", "begin"), [("path.png", b"\x89PNG"), ("path.svg", b"<?xml")])
def test_a_picture_is_drawn_beside_the_report(treecli: Runner, noisy: Path, name: str, begin: bytes) -> None:
    code, out, err = treecli("prune", "noisy.json", "--path", "--data", "noisy.csv", "--folds", "3", "--plot", name)
    assert code == 0
    assert out.startswith("splits  leaves")
    assert err.endswith(f"wrote {name}\n")
    assert (noisy.parent / name).read_bytes().startswith(begin)


def test_leaves_that_agree_become_one_and_no_label_changes(treecli: Runner, noisy: Path) -> None:
    assert treecli("train", "noisy.csv", "--max-depth", "4", "-o", "shallow.json", "-q").code == 0
    assert treecli("prune", "shallow.json", "--collapse", "-o", "new.json").code == 0
    step = last_step(noisy.parent / "new.json")
    assert step["leaves_after"] < step["leaves_before"]
    before, after = (treecli("predict", name, "noisy.csv").out for name in ("shallow.json", "new.json"))
    assert before == after


def test_every_option_of_a_method_is_in_the_help_with_the_method(treecli: Runner) -> None:
    text = " ".join(treecli("prune", "--help").out.split())
    assert "--confidence X (pessimistic) The confidence level" in text
    assert "--greedy (reduced-error) Repeatedly remove" in text


def test_the_report_of_the_path_goes_into_a_file_that_stdout_is(tmp_path: Path) -> None:
    import subprocess
    import sys

    def run(*arguments: str, out: Path) -> int:
        command = [sys.executable, "-m", "treecli", *arguments]
        with out.open("wb") as stream:
            return subprocess.run(command, cwd=tmp_path, stdout=stream, stderr=subprocess.PIPE, check=False).returncode

    (tmp_path / "d.csv").write_text("x,y\n" + "".join(f"{i},{'ab'[i % 3 // 2]}\n" for i in range(30)))
    assert run("train", "d.csv", "-o", "m.json", out=tmp_path / "tree.txt") == 0
    assert run("prune", "m.json", "--path", out=tmp_path / "path.txt") == 0
    assert "leaves" in (tmp_path / "path.txt").read_text()
