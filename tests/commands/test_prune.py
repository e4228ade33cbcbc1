from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests import models
from tests.conftest import Runner
from treecli.files import read_model, write_model
from treecli.model import Model

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
    return saved(tmp_path, "playtennis.json", models.playtennis())


@pytest.fixture
def tuning(tmp_path: Path) -> Path:
    path = tmp_path / "tuning.csv"
    path.write_text(TUNING)
    return path


def saved(folder: Path, name: str, model: Model) -> Path:
    path = folder / name
    write_model(str(path), model)
    return path


def last_step(path: Path) -> dict[str, Any]:
    return read_model(str(path)).lineage[-1]


def test_without_a_method_pruning_is_pessimistic_and_says_so(treecli: Runner, playtennis: Path) -> None:
    code, out, err = treecli("prune", playtennis.name, *SINGLE_LEAF_AT_5_PERCENT)
    assert (code, out) == (0, "")
    assert err == (
        "no --method given, so this was --method pessimistic --confidence 0.05\n"
        "playtennis.json: 8 → 1 nodes, 5 → 1 leaves; wrote playtennis.pruned.json\n"
    )
    new = read_model(str(playtennis.parent / "playtennis.pruned.json"))
    assert list(new.tree.outcomes) == [5, 9]


def test_with_data_pruning_is_by_reduced_error_and_says_so(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    code, out, err = treecli("prune", playtennis.name, "--data", tuning.name)
    assert (code, out) == (0, "")
    assert err == (
        "no --method given, so this was --method reduced-error\n"
        "playtennis.json: 8 → 6 nodes, 5 → 4 leaves; wrote playtennis.pruned.json\n"
    )
    new = read_model(str(playtennis.parent / "playtennis.pruned.json"))
    assert new.tree == models.playtennis().tree.collapsed(lambda node: node == 3)


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


def test_the_lineage_tells_how_it_was_pruned(treecli: Runner, playtennis: Path, tuning: Path) -> None:
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
        (
            ("--node", "3", "--method", "pessimistic"),
            {"method": "pessimistic", "options": {"node": [3], "confidence": 0.25}, "leaves_after": 4},
        ),
    ],
)
def test_nodes_and_a_depth_are_pruned_by_hand_and_by_a_method_only_if_asked(
    treecli: Runner, playtennis: Path, arguments: tuple[str, ...], step: dict[str, Any]
) -> None:
    assert treecli("prune", playtennis.name, *arguments, "-o", "new.json").code == 0
    assert last_step(playtennis.parent / "new.json") == {"command": "prune", "leaves_before": 5} | step


def test_a_method_works_on_what_is_left_by_hand(treecli: Runner, playtennis: Path, tuning: Path) -> None:
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
    saved(tmp_path, "houses.json", models.regression())
    (tmp_path / "prices.csv").write_text("area,district,price\n50,harbour,12\n70,old town,24\n70,harbour,26\n")
    # By district 20 and 30 are both 4 off, the mean of 25 only 1.
    _, _, err = treecli("prune", "houses.json", "--data", "prices.csv")
    assert err.endswith("houses.json: 6 → 3 nodes, 4 → 2 leaves; wrote houses.pruned.json\n")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("--node", "8"), "playtennis.json: there is no node 8, expected an inner node from 0 to 7 (0, 1, 3)", "--ids"),
        (("--node", "-1"), "there is no node -1, expected an inner node from 0 to 7", "--ids"),
        (("--node", "2"), "playtennis.json: node 2 is a leaf already, expected an inner node", "--ids"),
        (("--method", "pesimistic"), "unknown 'pesimistic'", "did you mean 'pessimistic'?"),
        (("--method", "reduced-error"), "--method reduced-error needs tuning data", "--data FILE"),
        (("--method", "pessimistic", "--data", "tuning.csv"), "--method pessimistic uses no data", "leave --data out"),
        (("--greedy",), "--greedy goes with --method reduced-error, but 'pessimistic' is", "--method reduced-error"),
        (
            ("--data", "tuning.csv", "--confidence", "0.25"),
            "--confidence goes with --method pessimistic, but 'reduced-error' is",
            "--method pessimistic",
        ),
        (("--node", "3", "--confidence", "0.1"), "--method pessimistic, but no method is", "--method pessimistic"),
        (("--confidence", "0"), "--confidence 0: expected a number above 0", None),
        (("--confidence", "nan"), "--confidence nan: expected a number above 0", None),
        (("--depth", "-1"), "'--depth'", "--help"),
        (("--delimiter", ";"), "how to read data, but no data", "--data FILE"),
        (("-o", "playtennis.json"), "playtennis.json: is read here and would be overwritten", "-o"),
        (("-o", "link.json"), "link.json: is read here and would be overwritten", "-o"),
        (("--data", "tuning.csv", "-o", "tuning.csv"), "tuning.csv: is read here and would be overwritten", "-o"),
        (("-o", "no/such/folder.json"), "no/such/folder.json: cannot be written", None),
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


def test_a_numeric_target_without_data_is_refused_with_the_cure(treecli: Runner, tmp_path: Path) -> None:
    saved(tmp_path, "houses.json", models.regression())
    code, _, err = treecli("prune", "houses.json")
    assert code == 2
    assert err.splitlines()[0] == ("Error: pessimistic pruning counts wrong labels, but the target 'price' is numeric")
    assert "--method reduced-error --data FILE" in err.splitlines()[1]


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


def test_tuning_rows_without_a_target_are_counted_and_said(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    tuning.write_text(TUNING + "Rain,Mild,High,Strong,?\n")
    code, _, err = treecli("prune", playtennis.name, "--data", tuning.name)
    assert code == 0
    assert "Warning: tuning.csv: 1 of 6 rows do not count, for their target is missing or unknown to the model\n" in err


def test_a_model_file_that_is_none_has_exit_code_4_and_a_missing_data_file_3(treecli: Runner, playtennis: Path) -> None:
    (playtennis.parent / "broken.json").write_text("{")
    assert treecli("prune", "broken.json").code == 4
    code, _, err = treecli("prune", playtennis.name, "--data", "tunning.csv")
    assert code == 3
    assert err.startswith("Error: tunning.csv: ")


def test_quiet_says_nothing(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    assert treecli("prune", playtennis.name, "--data", tuning.name, "-q") == (0, "", "")


def test_the_same_command_line_writes_the_same_bytes(treecli: Runner, playtennis: Path, tuning: Path) -> None:
    for name in ("one.json", "two.json"):
        assert treecli("prune", playtennis.name, "--data", tuning.name, "-o", name).code == 0
    one, two = ((playtennis.parent / name).read_bytes() for name in ("one.json", "two.json"))
    assert one == two
    assert str(playtennis.parent).encode() not in one


def test_every_option_of_a_method_is_in_the_help_with_the_method(treecli: Runner) -> None:
    text = " ".join(treecli("prune", "--help").out.split())
    assert "--confidence X (pessimistic) The chance" in text
    assert "--greedy (reduced-error) Remove" in text


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose tests follow one another 50,000 times."""
    return saved(tmp_path_factory.mktemp("deep"), "chain.json", models.chain(50_000))


@pytest.mark.parametrize("arguments", [(), ("--data", "x.csv"), ("--data", "x.csv", "--greedy"), ("--node", "4")])
def test_a_model_50000_tests_deep_is_pruned(treecli: Runner, deep: Path, arguments: tuple[str, ...]) -> None:
    (deep.parent / "x.csv").write_text("x,y\n0.5,a\n1.5,b\n2.5,a\n")
    code, _, err = treecli("prune", "chain.json", *arguments, "-o", "new.json", cwd=deep.parent)
    assert code == 0
    # Pessimism expects nothing of so many tests for one case each; the data support two.
    n_nodes, n_leaves = (5, 3) if arguments else (1, 1)
    assert f"chain.json: 100001 → {n_nodes} nodes, 50001 → {n_leaves} leaves" in err
