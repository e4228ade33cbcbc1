"""`edit --label` gives a leaf a class by hand, which everything else then follows."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Runner
from treecli import plugins

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, treecli: Runner) -> Path:
    """The tree of the 14 days, and the same with Yes for the 3 sunny and humid days, which are all No."""
    shutil.copy(SAMPLES / "playtennis.csv", tmp_path)
    assert treecli("train", "playtennis.csv", "-q").code == 0
    done = treecli("edit", "playtennis.json", "--label", "Outlook=Sunny, Humidity=High=Yes", "-o", "forced.json")
    assert done == (0, "", "node 4: Yes [forced]\n8 → 8 nodes, 5 → 5 leaves; wrote forced.json\n")
    return tmp_path


def nodes(path: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(path.read_text())["nodes"]
    return found


def test_the_model_keeps_the_counts_and_the_class(folder: Path) -> None:
    before, after = nodes(folder / "playtennis.json"), nodes(folder / "forced.json")
    assert after[4] == before[4] | {"forced": "Yes"}
    assert after[:4] == before[:4]
    assert json.loads((folder / "forced.json").read_text())["lineage"][-1] == {
        "command": "edit",
        "operations": ["--label Outlook=Sunny, Humidity=High=Yes"],
    }


def test_it_is_shown_as_forced(treecli: Runner) -> None:
    assert "|   Humidity = High: Yes (3.0/3.0) [forced]\n" in treecli("show", "forced.json").out
    assert "Humidity = High: Yes (3.0/3.0) [forced]" in treecli("show", "forced.json", "-f", "j48").out
    for form in ("svg", "dot", "mermaid", "html", "latex"):
        forced, plain = (treecli("show", f"{name}.json", "-f", form).out for name in ("forced", "playtennis"))
        assert forced.count("forced") > plain.count("forced")
    facts = json.loads(treecli("show", "forced.json", "-f", "json").out)["nodes"]
    assert [(own["id"], own["label"], own["errors"]) for own in facts if own.get("forced")] == [(4, "Yes", 3)]


def test_predictions_and_rules_follow_it_with_certainty(treecli: Runner) -> None:
    found = treecli("predict", "forced.json", "playtennis.csv", "--proba", "-q").out
    for row in csv.DictReader(io.StringIO(found)):
        is_forced = row["Outlook"] == "Sunny" and row["Humidity"] == "High"
        expected = "Yes" if is_forced else row["PlayTennis"]
        assert row["prediction"] == expected
        assert row[f"proba_{expected}"] == "1"
    assert treecli("rules", "forced.json").out.startswith("IF Outlook = Sunny AND Humidity = High THEN Yes (0/3, ")
    assert json.loads(treecli("evaluate", "forced.json", "playtennis.csv", "-q", "-f", "json").out)["errors"] == 3
    # Without the humidity, 3 of 5 sunny days go to the forced leaf, and 2 to one that says Yes.
    asked = treecli("ask", "forced.json", "--answers", "Outlook=Sunny,Humidity=?")
    assert asked.out.startswith("Yes 1.00")


@pytest.mark.parametrize("language", plugins.names("exporters"))
def test_every_export_follows_it(treecli: Runner, language: str) -> None:
    made = treecli("export", "forced.json", "--to", language, "-o", "Made", "--verify", "playtennis.csv")
    if "not installed" in made.err:
        pytest.skip(made.err.splitlines()[0])
    assert made.code == 0, made.err
    assert "verified: the same predictions as the model on 14 rows" in made.err


def test_pruning_keeps_it(treecli: Runner, folder: Path) -> None:
    # Without the forced class, this alpha leaves the root alone.
    for name, n_nodes in (("playtennis", 1), ("forced", 6)):
        arguments = ["--method", "cost-complexity", "--alpha", "0.9", "-q", "-o", f"{name}.small.json"]
        assert treecli("prune", f"{name}.json", *arguments).code == 0
        assert len(nodes(folder / f"{name}.small.json")) == n_nodes
    assert "Yes (3.0/3.0) [forced]" in treecli("show", "forced.small.json").out
    refused = treecli("prune", "forced.json", "--node", "1", "-o", "no.json")
    assert refused.code == 2
    assert refused.err.startswith("Error: forced.json: a leaf below node 1 has a forced class\n")
    assert treecli("prune", "forced.json", "--node", "3", "-q", "-o", "yes.json").code == 0
    refused = treecli("prune", "forced.json", "--method", "pessimistic", "--raise", "--data", "playtennis.csv")
    assert (refused.code, "add --no-raise" in refused.err) == (2, True)


def test_further_edits_keep_it_or_take_it_away(treecli: Runner, folder: Path) -> None:
    arguments = ["--rename", "Wind=Breeze", "--data", "playtennis.csv", "-q", "-o", "renamed.json"]
    assert treecli("edit", "forced.json", "--collapse", "3", *arguments[2:]).code == 0
    assert nodes(folder / "renamed.json")[4]["forced"] == "Yes"
    back = treecli("edit", "forced.json", "--label", "4=No", "-o", "back.json")
    assert back.err.startswith("node 4: No, as its cases say\n")
    assert nodes(folder / "back.json") == nodes(folder / "playtennis.json")
    assert treecli("edit", "forced.json", "--collapse", "1", "-q", "-o", "gone.json").code == 0
    assert all("forced" not in node for node in nodes(folder / "gone.json"))


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["--label", "1=No"], "--label 1=No: node 1 is not a leaf\nHint: collapse it first"),
        (["--label", "4=Nope"], "--label: 'Nope' is no label of 'PlayTennis'\nHint: did you mean 'No'?"),
        (["--label", "4"], "--label: found '4', expected NODE=LABEL"),
        (["--label", "44=No"], "--label 44: there is no such node, only 0 to 7"),
        (["--collapse", "1", "--label", "4=No"], "--label 4=No: node 4 was removed by an earlier operation"),
    ],
)
def test_what_cannot_be_forced_is_refused(treecli: Runner, folder: Path, arguments: list[str], found: str) -> None:
    done = treecli("edit", "playtennis.json", *arguments, "-o", "new.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {found}")
    assert not (folder / "new.json").exists()


def test_a_tree_with_priors_refuses(treecli: Runner) -> None:
    assert treecli("train", "playtennis.csv", "--priors", "equal", "-q", "-o", "priors.json").code == 0
    done = treecli("edit", "priors.json", "--label", "4=Yes", "-o", "new.json")
    assert done.code == 2
    assert done.err.startswith("Error: --label 4=Yes: no class is forced in trees with priors, costs, or more than 64")


@pytest.mark.parametrize(("node", "forced"), [(4, "Maybe"), (1, "Yes")])
def test_a_damaged_file_is_refused(treecli: Runner, folder: Path, node: int, forced: str) -> None:
    model = json.loads((folder / "playtennis.json").read_text())
    model["nodes"][node]["forced"] = forced
    (folder / "bad.json").write_text(json.dumps(model))
    done = treecli("show", "bad.json")
    assert done.code == 4
    assert f"node {node}: 'forced' is '{forced}', expected a class, at a leaf" in done.err
