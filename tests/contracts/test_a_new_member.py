"""A file that is added to a family is a choice, and is obeyed: `members` has one for each, `extended` adds them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner
from tests.example_models import iris_like, playtennis, single_leaf
from treecli.models import write_model

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with sample data and models."""
    for name in ("playtennis.csv", "iris.csv", "vote.arff"):
        shutil.copy(SAMPLES / name, tmp_path)
    write_model(str(tmp_path / "days.json"), playtennis())
    write_model(str(tmp_path / "flowers.json"), iris_like())
    write_model(str(tmp_path / "leaf.json"), single_leaf())
    return tmp_path


def model_of(treecli: Runner, *arguments: str) -> dict[str, Any]:
    """The model that a command writes to stdout."""
    code, out, err = treecli(*arguments, "-q", "-o", "-")
    assert code == 0, err
    model: dict[str, Any] = json.loads(out)
    return model


def splits_of(model: dict[str, Any]) -> list[dict[str, Any]]:
    return [node["split"] for node in model["nodes"] if "split" in node]


@pytest.mark.usefixtures("folder")
def test_a_command_runs_and_is_listed(new_treecli: Runner) -> None:
    assert new_treecli("greet", "Ada") == (0, "Hello, Ada\n", "")
    assert "  greet       Greet a person.\n" in new_treecli("--help").out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("data", ["playtennis.csv", "iris.csv", "vote.arff"])
def test_a_criterion_changes_the_tree(new_treecli: Runner, data: str) -> None:
    worst, best = (model_of(new_treecli, "train", data, "--criterion", name) for name in ("worst", "gain"))
    assert worst["settings"]["criterion"] == "worst"
    assert worst["nodes"][0]["split"]["attribute"] != best["nodes"][0]["split"]["attribute"]


@pytest.mark.usefixtures("folder")
def test_a_grouping_splits_labels(new_treecli: Runner) -> None:
    splits = splits_of(model_of(new_treecli, "train", "playtennis.csv", "--criterion", "gain", "--nominal", "parity"))
    assert splits
    assert {split["kind"] for split in splits} == {"parity"}


@pytest.mark.usefixtures("folder")
def test_a_discretizer_cuts_numbers_into_its_bins(new_treecli: Runner) -> None:
    splits = splits_of(model_of(new_treecli, "train", "iris.csv", "--discretize", "halves"))
    # The 75th of the 150 values of each attribute, in ascending order.
    bounds = {"sepallength": 5.8, "sepalwidth": 3.0, "petallength": 4.3, "petalwidth": 1.3}
    assert splits
    assert all(split["at_most"] == bounds[split["attribute"]] for split in splits)


def test_an_exporter_writes_and_takes_its_options(new_treecli: Runner, folder: Path) -> None:
    assert new_treecli("export", "days.json", "--to", "motto") == (0, "always: Yes\n", "")
    assert new_treecli("export", "days.json", "-o", "days.motto", "--name", "play").code == 0
    assert (folder / "days.motto").read_text() == "play: Yes\n"
    refused = new_treecli("export", "days.json", "--to", "motto", "--proba")
    assert refused.code == 2
    assert "--proba: not for --to motto" in refused.err


def test_a_verifier_compares_the_export_with_the_model(new_treecli: Runner, folder: Path) -> None:
    verified = new_treecli("export", "leaf.json", "-o", "leaf.motto", "--verify", "playtennis.csv")
    assert verified.code == 0
    assert "the same predictions as the model on 14 rows" in verified.err
    wrong = new_treecli("export", "days.json", "-o", "days.motto", "--verify", "playtennis.csv")
    assert wrong.code == 1
    assert "row 1 of playtennis.csv" in wrong.err
    assert "the model predicts 'No', the artefact 'Yes'" in wrong.err
    assert not (folder / "days.motto").exists()


@pytest.mark.usefixtures("folder")
def test_a_way_to_treat_missing_values_is_followed(new_treecli: Runner) -> None:
    nodes = model_of(new_treecli, "train", "vote.arff", "--missing", "label")["nodes"]
    # As 'branch', which says the same, and not as the default.
    assert nodes == model_of(new_treecli, "train", "vote.arff", "--missing", "branch")["nodes"]
    assert nodes != model_of(new_treecli, "train", "vote.arff")["nodes"]


@pytest.mark.usefixtures("folder")
def test_a_preset_sets_its_settings(new_treecli: Runner) -> None:
    model = model_of(new_treecli, "train", "playtennis.csv", "--like", "stump")
    assert (model["settings"]["criterion"], model["settings"]["max_depth"]) == ("gini", 1)
    assert [split["kind"] for split in splits_of(model)] == ["binary"]
    deeper = model_of(new_treecli, "train", "playtennis.csv", "--like", "stump", "--max-depth", "2")
    assert len(splits_of(deeper)) > 1


@pytest.mark.parametrize(("data", "last"), [("playtennis.csv", "Wind"), ("iris.csv", "petalwidth")])
def test_a_scorer_that_a_preset_names_decides_between_attributes(
    new_treecli: Runner, folder: Path, data: str, last: str
) -> None:
    model = model_of(new_treecli, "train", data, "--like", "last-first")
    assert model["settings"]["arithmetic"] == "backwards"
    assert model["nodes"][0]["split"]["attribute"] == last
    assert model_of(new_treecli, "train", data, "--criterion", "gain")["nodes"] != model["nodes"]
    (folder / "model.json").write_text(json.dumps(model))
    shown = new_treecli("show", "model.json")
    assert (shown.code, shown.out.startswith(last)) == (0, True)


@pytest.mark.usefixtures("folder")
def test_a_pruner_prunes_with_its_own_option(new_treecli: Runner) -> None:
    prune = ("prune", "flowers.json", "--method", "levels")
    assert len(splits_of(model_of(new_treecli, *prune))) == 1
    pruned = model_of(new_treecli, *prune, "--keep-levels", "2")
    assert len(splits_of(pruned)) == 2
    assert pruned["lineage"][-1]["method"] == "levels"
    assert "--keep-levels" in new_treecli("prune", "--help").out
    other = new_treecli("prune", "flowers.json", "--method", "mdl", "--keep-levels", "2")
    assert other.code == 2
    assert "--keep-levels is for --method levels" in other.err
    trained = model_of(new_treecli, "train", "iris.csv", "--prune", "levels", "--keep-levels", "2")
    assert trained["nodes"] != model_of(new_treecli, "train", "iris.csv")["nodes"]


def test_a_reader_reads_files_of_its_suffix(new_treecli: Runner, folder: Path) -> None:
    text = (folder / "playtennis.csv").read_text().replace(",", "~")
    (folder / "days.xyz").write_text(text)
    expected = model_of(new_treecli, "train", "playtennis.csv")["nodes"]
    assert model_of(new_treecli, "train", "days.xyz")["nodes"] == expected
    (folder / "days.txt").write_text(text)
    assert model_of(new_treecli, "train", "days.txt", "--from", "xyz")["nodes"] == expected
    assert new_treecli("predict", "days.json", "days.xyz").out.startswith("Day,Outlook,")


def test_a_renderer_shows(new_treecli: Runner, folder: Path) -> None:
    assert new_treecli("show", "days.json", "-f", "initials") == (0, "OH...W..\n", "")
    assert new_treecli("show", "days.json", "-o", "days.abc", "--depth", "1").code == 0
    assert (folder / "days.abc").read_text() == "OH.W\n"


def test_a_rule_format_prints(new_treecli: Runner, folder: Path) -> None:
    assert new_treecli("rules", "days.json", "-f", "tally") == (0, "2\n2\n1\n2\n2\n", "")
    assert new_treecli("rules", "days.json", "-o", "days.tally").code == 0
    assert (folder / "days.tally").read_text() == "2\n2\n1\n2\n2\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("search", "n_splits"), [("shallow", 1), ("shallow:2", 3)])
def test_a_search_grows_the_tree_and_takes_its_number(new_treecli: Runner, search: str, n_splits: int) -> None:
    # At depth 1, Sunny and Rain are split again.
    model = model_of(new_treecli, "train", "playtennis.csv", "--search", search)
    assert (len(splits_of(model)), model["settings"]["search"]) == (n_splits, search)
    refused = new_treecli("train", "playtennis.csv", "--search", "shallow:0")
    assert (refused.code, refused.err) == (
        2,
        "Error: --search shallow:DEPTH: found '0', expected a whole number of 1 or more\n",
    )


@pytest.mark.usefixtures("folder")
def test_an_engine_finds_the_splits(new_treecli: Runner) -> None:
    model = model_of(new_treecli, "train", "playtennis.csv", "--engine", "forgetful")
    assert model["lineage"][0]["engine"]["name"] == "forgetful"
    asked = {split["attribute"] for split in splits_of(model)}
    assert asked
    assert "Outlook" not in asked
    assert splits_of(model_of(new_treecli, "train", "playtennis.csv"))[0]["attribute"] == "Outlook"


@pytest.mark.usefixtures("folder")
def test_a_simplifier_simplifies(new_treecli: Runner) -> None:
    code, out, _ = new_treecli("rules", "days.json", "--simplify", "first", "-f", "tally")
    assert (code, out) == (0, "2\n")
    audit = json.loads(new_treecli("rules", "days.json", "--simplify", "first", "--audit", "-f", "json").out)
    assert [step["result"] for step in audit["steps"]] == ["not the first"]


def test_a_kind_of_split_is_shown_followed_and_written(new_treecli: Runner, folder: Path) -> None:
    model = json.loads((folder / "days.json").read_text())
    model["nodes"] = [
        {"id": 0, "counts": [5.0, 9.0], "split": {"kind": "parity", "attribute": "Outlook"}, "children": [1, 2]},
        {"id": 1, "counts": [5.0, 5.0]},
        {"id": 2, "counts": [0.0, 4.0]},
    ]
    (folder / "odd.json").write_text(json.dumps(model))
    shown = new_treecli("show", "odd.json").out
    assert shown == "Outlook != Overcast: No (10.0/5.0)\nOutlook = Overcast: Yes (4.0)\n"
    rows = new_treecli("predict", "odd.json", "playtennis.csv").out.splitlines()[1:]
    assert all(row.endswith(",Yes") == (",Overcast," in row) for row in rows)
    pruned = model_of(new_treecli, "prune", "odd.json", "--method", "levels")
    assert splits_of(pruned) == [{"kind": "parity", "attribute": "Outlook"}]


def test_a_kind_of_model_predicts_is_measured_and_described(new_treecli: Runner, folder: Path) -> None:
    model = json.loads((folder / "days.json").read_text())
    del model["nodes"]
    # Outlook: Sunny, Overcast, Rain; PlayTennis: No, Yes. The 4 days with Overcast are Yes, as are 5 of the 10 others.
    model |= {"kind": "stumps", "column": 0, "codes": [0, 1, 0]}
    (folder / "table.json").write_text(json.dumps(model))
    rows = new_treecli("predict", "table.json", "playtennis.csv", "--leaf", "--flags").out.splitlines()[1:]
    assert all(row.endswith(",Yes,," if ",Overcast," in row else ",No,,") for row in rows)
    measured = json.loads(new_treecli("evaluate", "table.json", "playtennis.csv", "-f", "json").out)
    assert (measured["n"], measured["errors"]) == (14, 5)
    described = json.loads(new_treecli("info", "table.json", "-f", "json").out)
    assert (described["kind"], described["asks"], described["settings"]["unseen"]) == ("stumps", "Outlook", "missing")
    code, _, err = new_treecli("prune", "table.json")
    assert (code, err.splitlines()[0]) == (4, "Error: table.json: is a table of labels, expected a tree")
    for command in ("show", "rules", "export --to python"):
        code, _, err = new_treecli(*command.split(), "table.json")
        assert code == 4
        assert "the model is a table of labels, which cannot be" in err


def test_an_unknown_label_is_refused_for_a_new_kind_of_model(new_treecli: Runner, folder: Path) -> None:
    model = json.loads((folder / "days.json").read_text())
    del model["nodes"]
    (folder / "table.json").write_text(json.dumps(model | {"kind": "stumps", "column": 0, "codes": [0, 1, 0]}))
    (folder / "new.csv").write_text((folder / "playtennis.csv").read_text().replace("Sunny", "Foggy"))
    code, _, err = new_treecli("predict", "table.json", "new.csv", "--unseen", "error")
    assert code == 3
    assert "row 1 (the first of 5): 'Outlook' has a label that the model has not seen" in err


def test_a_measure_is_reported_and_checked(new_treecli: Runner, folder: Path) -> None:
    measured = new_treecli("evaluate", "days.json", "playtennis.csv", "-q", "-f", "json", "--fail-under", "hits=15")
    assert (measured.code, json.loads(measured.out)["hits"], measured.err) == (1, 14, "Failed: hits 14.0000 < 15\n")


def test_a_writer_writes_predictions(new_treecli: Runner, folder: Path) -> None:
    lines = new_treecli("predict", "days.json", "playtennis.csv").out.splitlines()
    expected = "".join(f"|{line.replace(',', '|')}|\n" for line in lines)
    assert new_treecli("predict", "days.json", "playtennis.csv", "-f", "bars").out == expected
    assert new_treecli("predict", "days.json", "playtennis.csv", "-o", "new.bars").code == 0
    assert (folder / "new.bars").read_text() == expected


@pytest.mark.usefixtures("folder")
def test_a_trace_format_prints_the_trace(new_treecli: Runner) -> None:
    traced = new_treecli("trace", "playtennis.csv", "--criterion", "gain", "-f", "scores", "-q")
    assert traced == (0, "0 0.247\n1 0.971\n3 0.971\n", "")


@pytest.mark.usefixtures("folder")
def test_a_worksheet_format_writes_the_sheet(new_treecli: Runner) -> None:
    made = new_treecli("worksheet", "playtennis.csv", "--tasks", "entropy,root", "--to", "answers", "-q")
    assert made == (0, "0.940\nOutlook\n", "")


@pytest.mark.usefixtures("folder")
def test_a_language_is_spoken_and_lacking_texts_are_english(new_treecli: Runner) -> None:
    code, page, err = new_treecli("lesson", "playtennis.csv", "--lang", "shout", "-q")
    assert code == 0, err
    assert '<html lang="shout">' in page
    assert "ONWARDS! →" in page
    assert "← Back" in page
