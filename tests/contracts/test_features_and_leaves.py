"""Throw-away features and leaf models in every command, in a copy of the package with their files added."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner
from treecli import plugins

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("playtennis.csv", "iris.csv", "cpu.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    return tmp_path


def said(treecli: Runner, *arguments: str) -> str:
    code, out, err = treecli(*arguments)
    assert code == 0, err
    return out


def trained(treecli: Runner, *arguments: str) -> dict[str, Any]:
    model: dict[str, Any] = json.loads(said(treecli, "train", *arguments, "-q", "-o", "-"))
    return model


@pytest.mark.usefixtures("folder")
def test_a_feature_is_an_option_and_splits_ask_about_its_columns(new_treecli: Runner) -> None:
    assert "--splits KIND,…" in new_treecli("train", "--help").out
    model = trained(new_treecli, "iris.csv", "--splits", "weighted")
    names = [column["name"] for column in model["schema"]["derived"]]
    asked = [node["split"]["attribute"] for node in model["nodes"] if "split" in node]
    assert model["settings"]["splits"] == ["weighted"]
    assert set(names) <= set(asked)
    assert names
    plain = trained(new_treecli, "iris.csv")
    assert "derived" not in plain["schema"]
    assert len(model["nodes"]) < len(plain["nodes"])
    refused = new_treecli("train", "iris.csv", "--splits", "waited")
    assert (refused.code, refused.err.splitlines()[0]) == (
        2,
        "Error: --splits: unknown 'waited' (known: linear, literals, mofn, weighted)",
    )


def test_a_model_with_derived_columns_is_used_like_any_other(new_treecli: Runner, folder: Path) -> None:
    trained_as = ("train", "playtennis.csv", "--splits", "literals", "-q", "-o", "m.json")
    assert new_treecli(*trained_as).code == 0
    first, second = said(new_treecli, "show", "m.json").splitlines()[:2]
    assert first.startswith("at most 1 of {Outlook in {Sunny, Rain}, ")
    assert second.startswith("at least 2 of {Outlook in {Sunny, Rain}, ")
    for name in set(plugins.names("renderers")) - {"j48", "m5p"}:
        assert new_treecli("show", "m.json", "-f", name, "-o", f"tree.{name}").code == 0
    assert "of {Outlook" in said(new_treecli, "show", "m.json", "-f", "j48")
    measured = json.loads(said(new_treecli, "evaluate", "m.json", "playtennis.csv", "-f", "json"))
    assert measured["errors"] == 0
    rows = said(new_treecli, "predict", "m.json", "playtennis.csv")
    assert all(row.split(",")[-1] == row.split(",")[-2] for row in rows.splitlines()[1:])
    # As text and back; the rules predict the same.
    assert new_treecli("rules", "m.json", "-o", "rules.txt").code == 0
    assert 'IF "count of {Outlook in ' in (folder / "rules.txt").read_text()
    assert said(new_treecli, "predict", "rules.txt", "playtennis.csv") == rows
    assert said(new_treecli, "rules", "rules.txt", "-f", "json") != ""
    assert new_treecli("rules", "m.json", "-o", "rules.json").code == 0
    assert said(new_treecli, "predict", "rules.json", "playtennis.csv") == rows
    linted = new_treecli("rules", "m.json", "--lint", "-f", "json").out
    assert {finding["kind"] for finding in json.loads(linted)["findings"]} == {"redundant"}
    assert said(new_treecli, "rules", "m.json", "--simplify", "exact").startswith("IF at least 2 of {")
    assert "derived_1(A1, " in said(new_treecli, "rules", "m.json", "-f", "prolog")
    explained = said(new_treecli, "explain", "m.json", "playtennis.csv", "--row", "1")
    assert "at most 1 of {Outlook in {Sunny, Rain}" in explained
    assert "It is 4" in explained
    flipped = said(new_treecli, "explain", "m.json", "playtennis.csv", "--row", "1", "--flip-to", "Yes")
    assert "It would be Yes if one attribute changes:" in flipped
    assert "count of {Outlook" in said(new_treecli, "info", "m.json")
    assert new_treecli("plot", "importance", "m.json", "-o", "i.svg").code == 0
    assert new_treecli("export", "m.json", "-o", "m.py", "--verify", "playtennis.csv").code == 0
    assert new_treecli("export", "rules.txt", "--to", "sql", "--missing", "error").code == 2


def test_oblique_borders_are_drawn_and_folds_derive_their_own_columns(new_treecli: Runner, folder: Path) -> None:
    assert new_treecli("train", "iris.csv", "--splits", "weighted", "-q", "-o", "m.json").code == 0
    axes = ("--x", "petallength", "--y", "petalwidth")
    assert new_treecli("plot", "boundary", "iris.csv", "--model", "m.json", *axes, "-o", "b.svg").code == 0
    assert (folder / "b.svg").stat().st_size > 10_000
    pruned = new_treecli("prune", "m.json", "--data", "iris.csv", "--method", "cost-complexity", "-q", "-o", "p.json")
    assert pruned.code == 0, pruned.err
    smaller = json.loads((folder / "p.json").read_text())
    asked = {node["split"]["attribute"] for node in smaller["nodes"] if "split" in node}
    assert {column["name"] for column in smaller["schema"].get("derived", [])} <= asked
    assert new_treecli("crossval", "iris.csv", "--splits", "weighted", "--folds", "3").code == 0


def test_a_leaf_model_predicts_and_is_shown_explained_and_exported(new_treecli: Runner, folder: Path) -> None:
    model = trained(new_treecli, "cpu.csv", "--max-depth", "1")
    model["nodes"][1]["model"] = {"kind": "line", "constant": 2.0, "terms": [[0.5, "MYCT", 100.0], [0.25, "CACH", 0.0]]}
    (folder / "m.json").write_text(json.dumps(model))
    shown = said(new_treecli, "show", "m.json")
    assert shown.splitlines()[0].endswith(": 2 + 0.5 * MYCT + 0.25 * CACH (205.0)")
    (folder / "one.csv").write_text("MYCT,MMIN,MMAX,CACH,CHMIN,CHMAX\n10,1,100,8,1,1\n")
    assert said(new_treecli, "predict", "m.json", "one.csv").splitlines()[1].endswith(",9")
    assert "prediction: 9, from 205 cases" in said(new_treecli, "explain", "m.json", "one.csv", "--row", "1")
    assert new_treecli("evaluate", "m.json", "cpu.csv").code == 0
    for name in ("dot", "html", "json", "latex", "mermaid", "svg", "png", "pdf"):
        assert new_treecli("show", "m.json", "-f", name, "-o", f"tree.{name}").code == 0
    assert "0.5 * MYCT" in (folder / "tree.dot").read_text()
    assert json.loads((folder / "tree.json").read_text())["nodes"][1]["model"]["text"].startswith("2 + 0.5 * MYCT")
    for suffix in ("py", "sql"):
        verified = new_treecli("export", "m.json", "-o", f"m.{suffix}", "--verify", "cpu.csv")
        assert verified.code == 0, verified.err
    assert "THEN performance = 2 + 0.5 * MYCT + 0.25 * CACH (" in said(new_treecli, "rules", "m.json")
    refused = new_treecli("prune", "m.json")
    assert (refused.code, refused.out) == (2, "")
    assert "models of their own" in refused.err.splitlines()[0]
