"""A tree far deeper than Python's stack goes through every command: nothing that follows a tree is recursive.

Each command takes a chain of 50,000 tests once. Its further forms and methods, and all that writes much for each node,
take one of 2,500, which is deep enough for Python's stack of 1,000 calls.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from math import isclose
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.conftest import Outcome, Runner
from tests.example_models import chain
from tests.pruners.tuning import assert_is_pruning, dataset_of
from treecli import plugins
from treecli.model import TreeModel
from treecli.models import read_tree, write_model
from treecli.predict.predict import arrivals
from treecli.pruners import pruner
from treecli.renderers._weka import MOST_BARS
from treecli.tree import predicted_codes

DEEP = 50_000
LONG = 2_500
TURNS = 2_400
TRACED = 1_200
"""Rows of files whose trees have a level for each; a trace looks at every candidate of every level."""
REFUSED = 5_000
"""The levels of a tree that is too large for PNG and for code of calls within each other."""

WITHOUT_MODEL = {"completion", "convert", "help", "project", "split", "worksheet"}


@pytest.fixture(scope="module")
def deep() -> TreeModel:
    """x <= 1: a, else x <= 2: b, else x <= 3: a, …"""
    return chain(DEEP)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, deep: TreeModel) -> Path:
    """deep.json, long.json, and rows that end at the top, at the bottom, and in all leaves."""
    folder = tmp_path_factory.mktemp("deep")
    write_model(str(folder / "deep.json"), deep)
    write_model(str(folder / "long.json"), chain(LONG))
    (folder / "rows.csv").write_text("x,y\n0.5,a\n60000,a\n?,b\n")
    write_model(str(folder / "refused.json"), chain(REFUSED))
    (folder / "first.csv").write_text("x,y\n0.5,a\n1.5,b\n2.5,a\n")
    for name, n_rows in (("turns.csv", TURNS), ("traced.csv", TRACED)):
        (folder / name).write_text("x,y\n" + "".join(f"{row},{'ab'[row % 2]}\n" for row in range(n_rows)))
    return folder


@pytest.fixture
def run(treecli: Runner, folder: Path) -> Any:
    """Runs a command line in the folder, which must succeed, and gives back its stdout."""

    def succeed(line: str) -> str:
        code, out, err = treecli(*line.split(), cwd=folder)
        assert (code, "Error" in err) == (0, False), err
        return out

    return succeed


def outcome(treecli: Runner, folder: Path, line: str) -> Outcome:
    return treecli(*line.split(), cwd=folder)


def test_every_command_is_here() -> None:
    tests = [name.removeprefix("test_").partition("_")[0] for name in globals() if name.startswith("test_")]
    assert set(plugins.names("commands")) - WITHOUT_MODEL <= set(tests)


# Of a b a b …, no cut is better than one that takes off an end.
def test_train_makes_a_deep_tree_of_classes_in_turn(run: Any, folder: Path) -> None:
    run("train turns.csv --criterion gain -q -o turns.json")
    tree = read_tree(str(folder / "turns.json")).tree
    assert tree.n_leaves == TURNS
    assert max(tree.depths()) > 1000


def test_crossval_predicts_with_deep_trees(run: Any) -> None:
    found = json.loads(run("crossval turns.csv --criterion gain --folds 2 -f json"))
    assert all(fold["leaves"] > 500 for fold in found["per_fold"])


def test_compare_predicts_with_deep_trees(run: Any) -> None:
    learners = "--learner gain:--criterion=gain --learner gini:--criterion=gini"
    found = json.loads(run(f"compare turns.csv {learners} --folds 2 --measure leaves -f json"))
    assert all(cell["leaves"] > 500 for cell in found["cells"])


def test_sweep_predicts_with_deep_trees(run: Any) -> None:
    lines = run("sweep turns.csv --criterion gain --vary min-leaf=1,2 --folds 2 -f csv").splitlines()
    assert max(float(row["leaves"]) for row in csv.DictReader(lines)) > 500


def test_curve_follows_deep_trees(run: Any) -> None:
    lines = run("curve turns.csv --criterion gain --by depth --folds 2 -f csv").splitlines()
    assert max(int(row["depth"]) for row in csv.DictReader(lines)) > 200


def test_stability_compares_deep_trees(run: Any) -> None:
    found = json.loads(run("stability turns.csv --criterion gain --samples 2 -f json"))
    assert found["leaves"]["of_all_rows"] == TURNS


def test_diff_finds_no_difference_between_equal_chains(run: Any) -> None:
    assert run("diff long.json long.json").strip() == "they predict the same for known values"


def test_importance_of_a_chain_is_that_of_its_only_attribute(run: Any) -> None:
    (only,) = json.loads(run("importance deep.json rows.csv --repeats 1 -f json"))["importance"]
    assert (only["attribute"], only["uses"], only["impurity"]) == ("x", DEEP, 1.0)


def test_trace_goes_to_a_deep_node(run: Any) -> None:
    node = 2 * TRACED - 4
    assert run(f"trace traced.csv --criterion gain --node {node} --top 1 --thresholds 1").startswith(f"Node {node}: ")


def test_lesson_refuses_a_deep_tree_and_says_which_depth_fits(treecli: Runner, folder: Path) -> None:
    found = outcome(treecli, folder, "lesson traced.csv -o lesson.html")
    assert (found.code, found.err.count("Error")) == (2, 1)
    assert "--depth" in found.err


def test_ask_asks_once_for_the_only_attribute(run: Any) -> None:
    assert json.loads(run("ask deep.json --answers x=60000 -f json"))["prediction"] == "a"


def test_edit_collapses_a_deep_node(run: Any, folder: Path) -> None:
    run(f"edit long.json --collapse {2 * LONG - 2} -q -o edited.json")
    assert read_tree(str(folder / "edited.json")).tree.n_nodes == 2 * LONG - 1


def test_replay_grows_a_deep_tree_again(run: Any) -> None:
    run("train turns.csv --criterion gain -q -o again.json")
    assert run("replay again.json turns.csv") == "same bytes\n"


def test_distill_imitates_deep_trees(run: Any) -> None:
    run("train turns.csv --forest 2 --features all --sample 1 --criterion gain -q -o forest.json")
    options = "--criterion gain --prune none --min-leaf 1"
    found = json.loads(run(f"distill forest.json turns.csv {options} -q -f json -o distilled.json"))
    assert found["leaves"] > 500


def test_a_model_file_reads_back_as_the_same_model(deep: TreeModel, folder: Path) -> None:
    assert read_tree(str(folder / "deep.json")) == deep


def test_a_tree_is_walked_from_its_root_and_from_its_leaves(deep: TreeModel) -> None:
    tree = deep.tree
    assert max(tree.depths()) == DEEP
    assert tree.parents()[-1] == 2 * (DEEP - 1)
    assert sum(1 for _ in tree.in_reading_order()) == 2 * DEEP + 1
    assert len(predicted_codes(tree)) == 2 * DEEP + 1
    assert tree.collapsed(lambda node: node == 2 * DEEP - 2).n_nodes == 2 * DEEP - 1
    rows = dataset_of(deep.schema, [(0.5, 0), (DEEP + 1.0, 1), (None, 0)])
    assert arrivals(deep, rows)[0].tolist() == [2, 1]


def test_info_measures(run: Any) -> None:
    facts = json.loads(run("info deep.json -f json"))
    assert (facts["nodes"], facts["leaves"], facts["depth"]) == (2 * DEEP + 1, DEEP + 1, DEEP)


def test_evaluate_counts_errors(run: Any) -> None:
    # The missing value goes down all branches and meets one leaf more of a than of b.
    assert json.loads(run("evaluate deep.json rows.csv -f json"))["errors"] == 1


def test_predict_finds_the_leaves(run: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(run("predict deep.json rows.csv --leaf --proba"))))
    assert [row["prediction"] for row in rows] == ["a", "a", "a"]
    assert [row["leaf"] for row in rows] == ["1", str(2 * DEEP), ""]
    # One case in every leaf, in turn a and b, of 50,001 leaves.
    assert isclose(float(rows[2]["proba_a"]), 25_001 / 50_001, rel_tol=1e-9)
    assert isclose(float(rows[2]["proba_b"]), 25_000 / 50_001, rel_tol=1e-9)


def test_explain_prints_one_line_per_test(run: Any) -> None:
    lines = run("explain deep.json rows.csv --row 2").splitlines()
    assert lines[2 + DEEP - 1].startswith(f"{DEEP}. x <= {DEEP}? It is 60000, so x > {DEEP} (1 case: ")
    spread = run("explain long.json rows.csv --row 3")
    assert max(map(len, spread.splitlines())) < 300


def test_explain_finds_the_nearest_leaf_of_another_label(run: Any) -> None:
    found = json.loads(run("explain long.json rows.csv --row 1 --row 2 --flip-to b -f json"))
    # From the first leaf, and from the last: all others of that label are further away.
    changes = [row["flip"]["changes"] for row in found["rows"]]
    assert [(change["above"], change["at_most"]) for (change,) in changes] == [(1, 2), (LONG - 1, LONG)]


def test_show_refuses_a_picture_that_is_too_large(treecli: Runner, folder: Path) -> None:
    code, _, err = outcome(treecli, folder, "show refused.json -f png -q")
    assert code == 2
    assert "is too large for PNG" in err
    assert "--depth" in err


# pdf does as svg does, in a page of any size, for minutes.
@pytest.mark.parametrize("renderer", sorted(set(plugins.names("renderers")) - {"m5p", "pdf", "png"}))
def test_show_draws_every_node(run: Any, renderer: str) -> None:
    model, depth = ("deep.json", DEEP) if renderer == "text" else ("long.json", LONG)
    out = run(f"show {model} -f {renderer} -q")
    assert out.count(str(depth)) >= 2
    if renderer == "text":
        assert 1_000_000 < len(out) < 5_000_000
        assert out.endswith(f"|*{DEEP - 1}  x <= {DEEP}: b (1.0)\n|*{DEEP - 1}  x > {DEEP}: a (1.0)\n")
    if renderer == "json":
        assert out.count('"id"') == 2 * LONG + 1
    if renderer == "html":
        assert re.search(rf"IF x (>|\\u003e) {LONG} THEN", out)
    if renderer == "svg":
        assert out.count("<g") >= 2 * LONG + 1
    # The text of a node is no longer than another's, however deep it stands.
    assert len(out) < depth * 2 * (4 * MOST_BARS if renderer == "j48" else 3000)


def test_show_takes_parts(run: Any) -> None:
    assert run(f"show long.json --node {2 * LONG - 1}") == f"{LONG - 1} < x <= {LONG}: b (1.0)\n"
    assert "x <= 1" in run("show long.json --depth 3")


@pytest.mark.parametrize("form", plugins.names("rule_formats"))
def test_rules_have_two_bounds_at_most(run: Any, form: str) -> None:
    model, depth = ("deep.json", DEEP) if form == "text" else ("long.json", LONG)
    out = run(f"rules {model} -f {form}")
    assert str(depth) in out
    assert len(out) < depth * 500
    if form in ("csv", "json", "text"):
        assert out.count(f"{depth - 1} < x <= {depth}") == 1
    if form == "csv":
        assert out.count("\n") == LONG + 2


def test_rules_become_a_model_that_predicts_the_same(run: Any) -> None:
    run("rules long.json -o long.rules.json")
    # Where the missing value satisfies no rule, the default decides: what the root says.
    assert json.loads(run("evaluate long.rules.json rows.csv -f json"))["errors"] == 1


def test_rules_are_checked_counted_and_made_fewer(run: Any, folder: Path) -> None:
    assert "DEFAULT" not in run("rules long.json --lint")
    assert run("rules long.json --data first.csv").count("(1/1, ") == 3
    run("rules long.json --simplify exact -o fewer.json")
    assert len(json.loads((folder / "fewer.json").read_text())["rules"]) <= LONG // 2 + 1


DEEP_PRUNINGS = {
    # Every test splits off one case, which alone is expected to make 0.75 errors; in one leaf with all the others it
    # costs about half an error.
    "pessimistic": ("", 1),
    "mdl": ("", 1),
    "min-error": ("", 2 * LONG + 1),
    "cost-complexity": ("--alpha 0.02", 1),
    # The third case meets the leaf a that the third test would become, so this and all below go. The second test would
    # become a as well (1,250 each), the first too (1,251), and be wrong about the second case.
    "reduced-error": ("--data first.csv", 5),
}


@pytest.mark.parametrize(
    "method", [name for name in plugins.names("pruners") if not hasattr(pruner(name), "NUMERIC_ONLY")]
)
def test_prune_by_every_method(run: Any, folder: Path, method: str) -> None:
    needs = "--data first.csv" if pruner(method).DATA == "needed" else ""
    arguments, n_nodes = DEEP_PRUNINGS.get(method, (needs, None))
    run(f"prune long.json --method {method} {arguments} -o pruned.json")
    pruned = read_tree(str(folder / "pruned.json")).tree
    assert_is_pruning(pruned, chain(LONG).tree)
    assert n_nodes is None or pruned.n_nodes == n_nodes
    assert list(pruned.outcomes_of(0)) == [1_251, 1_250]


@pytest.mark.parametrize("arguments", ["--data first.csv", "--data first.csv --greedy", "--node 4"])
def test_prune_keeps_the_part_that_helps(run: Any, folder: Path, arguments: str) -> None:
    run(f"prune long.json {arguments} -o pruned.json")
    assert read_tree(str(folder / "pruned.json")).tree == chain(LONG).tree.collapsed(lambda node: node == 4)


def test_prune_finds_one_weakest_link(run: Any) -> None:
    # 25,000 errors fewer for 50,000 leaves more, and no part of the chain saves less or more; as shares of the cases.
    stages = json.loads(run("prune deep.json --method cost-complexity --path -f json"))["path"]
    assert [stage["leaves"] for stage in stages] == [DEEP + 1, 1]
    assert stages[0]["alpha"] == 0
    assert isclose(stages[1]["alpha"], 0.5 / (DEEP + 1), rel_tol=1e-12)


def test_prune_to_a_depth_and_where_leaves_agree(run: Any, folder: Path) -> None:
    run("prune long.json --depth 2000 -o pruned.json")
    assert max(read_tree(str(folder / "pruned.json")).tree.depths()) == 2_000
    run("prune long.json --collapse -o pruned.json")
    assert read_tree(str(folder / "pruned.json")).tree.n_leaves == LONG + 1


def test_plot_draws_importances_and_regions(run: Any, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    run("plot importance long.json -q -o importance.svg")
    model = json.loads((folder / "long.json").read_text())
    model["schema"]["attributes"].append({"name": "z", "kind": "numeric"})
    (folder / "plane.json").write_text(json.dumps(model))
    (folder / "plane.csv").write_text("x,z,y\n0.5,1,a\n60000,2,a\n")
    run("plot boundary plane.csv --model plane.json --x x --y z -q -o plane.svg")


@pytest.mark.parametrize("language", plugins.names("exporters"))
def test_export_writes_flat_code(run: Any, folder: Path, language: str) -> None:
    if language == "onnx":
        pytest.importorskip("onnx")
    run(f"export long.json --to {language} --missing majority -o Deep.{language}")
    content = (folder / f"Deep.{language}").read_bytes()
    assert content
    if language in ("c", "java", "javascript", "python"):
        lines = content.decode().splitlines()
        assert max(len(line) - len(line.lstrip()) for line in lines) <= 16
    if language == "python":
        ast.parse(content)
    if language == "pmml":
        assert depth_of_xml(content) < 20


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("python", f"too deep to be written as code: {REFUSED} levels"),
        ("pmml", f"too deep for formulas: {REFUSED} levels"),
    ],
)
def test_export_refuses_calls_within_each_other(treecli: Runner, folder: Path, language: str, message: str) -> None:
    code, out, err = outcome(treecli, folder, f"export refused.json --to {language}")
    assert (code, out) == (2, "")
    assert message in err
    assert "--missing majority" in err


def depth_of_xml(text: bytes) -> int:
    """How many elements stand within each other at most; parsers give up at 256."""
    depth = deepest = 0
    for event, _ in ElementTree.iterparse(io.BytesIO(text), ("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest
