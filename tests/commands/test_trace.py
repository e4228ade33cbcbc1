"""`treecli trace` prints the arithmetic of lectures and textbooks, and every number agrees with the learner's."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.commands.tracing import data_of, traced
from tests.conftest import Runner
from treecli.teaching import estimates

ROOT = Path(__file__).parents[2]
EXPECTED = ROOT / "tests" / "fixtures" / "teaching"
"""Whole outputs that were worked out apart from treecli, and numbers of scikit-learn 1.9.1 and SciPy 1.17.1."""

ORACLE = json.loads((EXPECTED / "oracle.json").read_text())

MITCHELL = "Temperature,PlayTennis\n40,No\n48,No\n60,Yes\n72,Yes\n80,Yes\n90,No\n"
"""Mitchell 1997, section 3.7.2."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    """The sample data; `unknown.csv` are the 14 days without the outlook of D12 (Quinlan 1993)."""
    for file in (ROOT / "sample_data").glob("*.csv"):
        shutil.copy(file, tmp_path)
    days = (tmp_path / "playtennis.csv").read_text()
    (tmp_path / "unknown.csv").write_text(days.replace("D12,Overcast", "D12,?"))
    (tmp_path / "mitchell.csv").write_text(MITCHELL)
    return tmp_path


def candidates(node: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {own["split"]: own for own in node["candidates"]}


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        ("playtennis-gain.txt", ["playtennis.csv", "--criterion", "gain"]),
        ("playtennis-gain-steps.txt", ["playtennis.csv", "--criterion", "gain", "--rounding", "steps"]),
        ("playtennis-gainratio.txt", ["playtennis.csv", "--criterion", "gainratio"]),
        ("playtennis-gini.txt", ["playtennis.csv", "--criterion", "gini"]),
        ("courses-gain.txt", ["courses.csv", "--criterion", "gain"]),
        ("courses-error.txt", ["courses.csv", "--criterion", "error"]),
        ("shapes-gain.txt", ["shapes.csv", "--criterion", "gain", "--digits", "4"]),
        ("playtennis-gain.tex", ["playtennis.csv", "--criterion", "gain", "-f", "latex", "--standalone"]),
        ("playtennis-gainratio.tex", ["playtennis.csv", "-f", "latex", "--standalone"]),
        ("playtennis-gini.tex", ["playtennis.csv", "--criterion", "gini", "-f", "latex", "--standalone"]),
    ],
)
def test_a_trace_is_the_one_worked_out_by_hand_to_the_last_byte(
    treecli: Runner, expected: str, arguments: list[str]
) -> None:
    assert traced(treecli, *arguments) == (EXPECTED / expected).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        ("chi2-playtennis.txt", ["playtennis.csv", "--criterion", "chi2", "--depth", "0"]),
        ("chi2-playtennis.txt", ["playtennis.csv", "--criterion", "gain", "--chi2-alpha", "0.05"]),
        ("missing-quinlan.txt", ["unknown.csv", "--depth", "0"]),
    ],
)
def test_the_lines_of_a_test_and_of_missing_values_are_those_worked_out_by_hand(
    treecli: Runner, expected: str, arguments: list[str]
) -> None:
    lines = [line.strip() for line in traced(treecli, *arguments).splitlines() if line.strip()]
    wanted = [line.strip() for line in (EXPECTED / expected).read_text().splitlines() if line.strip()]
    first = lines.index(wanted[0])
    assert lines[first : first + len(wanted)] == wanted


@pytest.mark.parametrize("name", ["playtennis", "courses", "shapes"])
def test_gain_split_information_and_ratio_are_those_of_scikit_learn(treecli: Runner, name: str) -> None:
    root = data_of(treecli, f"{name}.csv", "--depth", "0")["nodes"][0]
    expected = dict(ORACLE["trace"][name])
    assert root["impurity"] == pytest.approx(expected.pop("entropy"), abs=1e-12)
    found = candidates(root)
    assert set(found) == set(expected)
    for attribute, numbers in expected.items():
        for key, number in numbers.items():
            assert found[attribute][key] == pytest.approx(number, abs=1e-12)


def test_chi_square_and_its_p_value_are_those_of_scipy(treecli: Runner) -> None:
    found = candidates(data_of(treecli, "playtennis.csv", "--criterion", "chi2", "--depth", "0")["nodes"][0])
    for attribute, numbers in ORACLE["chi_square"]["playtennis"].items():
        own = found[attribute]["chi2"]
        assert own == {
            "statistic": pytest.approx(numbers["chi2"], abs=1e-12),
            "freedom": numbers["df"],
            "p": pytest.approx(numbers["p"], abs=1e-12),
        }


def test_thresholds_are_listed_where_the_class_changes(treecli: Runner) -> None:
    (own,) = data_of(treecli, "mitchell.csv", "--criterion", "gain", "--depth", "0")["nodes"][0]["candidates"]
    expected = ORACLE["trace"]["mitchell_temperature_thresholds"]["gain"]
    found = {way["split"].removeprefix("<= "): way["gain"] for way in own["thresholds"]}
    assert found == {text: pytest.approx(gain, abs=1e-12) for text, gain in expected.items()}
    text = traced(treecli, "mitchell.csv", "--criterion", "gain", "--depth", "0")
    assert "    No: 40 48 | Yes: 60 72 80 | No: 90\n    <= 54  [2, 0] [1, 3]  gain 0.459  best\n" in text


def test_the_cost_of_a_threshold_is_a_term_of_the_gain(treecli: Runner) -> None:
    # log2(5) / 6 = 0.387 of 0.459; C4.5 release 8 subtracts the same.
    out = traced(treecli, "mitchell.csv", "--cut-cost", "--depth", "0")
    assert "Gain(S, Temperature <= 54) = 1.000 − 0.541 − log2(5) / 6 = 0.072\n" in out


def test_a_numeric_target_is_traced_by_sums_of_squares(treecli: Runner) -> None:
    # Ratings 1, 2 and 6, 7: deviations from 4 are 9 + 4 + 4 + 9; within the branches 0.5 each.
    out = treecli("trace", "-", "--from", "csv", "-q", input="side,rating\na,1\na,2\nb,6\nb,7\n").out
    assert "  SSE(S) = Σ(y − 4.000)² = 26.000\n" in out
    assert "    a  [2 cases, mean 1.500]  SSE = Σ(y − 1.500)² = 0.500\n" in out
    assert "    SSE(S|side) = 0.500 + 0.500 = 1.000\n    Δ(S, side) = (26.000 − 1.000) / 4 = 6.250\n" in out


@pytest.mark.parametrize(
    ("notation", "lines"),
    [
        ("quinlan", ["info(S) = ", "info_Outlook(S) = ", "gain(Outlook) = ", "gain ratio(Outlook) = "]),
        ("markov", ["I(E) = ", "R(Outlook) = ", "gain(Outlook) = ", "GainRatio(Outlook) = "]),
    ],
)
def test_quantities_have_the_names_of_another_textbook(treecli: Runner, notation: str, lines: list[str]) -> None:
    out = traced(treecli, "playtennis.csv", "--depth", "0", "--notation", notation)
    for line in lines:
        assert f" {line}" in out


@pytest.mark.parametrize(
    ("form", "root", "gain"),
    [
        ("two-p-q", "2·5/14·9/14 = 0.459", "0.459 − 0.343 = 0.116"),
        ("p-q", "5/14·9/14 = 0.230", "0.230 − 0.171 = 0.058"),
    ],
)
def test_the_gini_index_has_the_forms_of_lectures(treecli: Runner, form: str, root: str, gain: str) -> None:
    out = traced(treecli, "playtennis.csv", "--criterion", "gini", "--gini", form)
    assert f"Gini(S) = {root}\n" in out
    assert f"Δ(S, Outlook) = {gain}" in out
    assert "⇒ split on Wind:" in out


def test_a_node_is_named_by_its_number_or_its_path(treecli: Runner) -> None:
    by_number = traced(treecli, "playtennis.csv", "--node", "3")
    assert by_number.startswith("Node 3: Outlook = Rain — 5 cases: No 2, Yes 3\n")
    assert traced(treecli, "playtennis.csv", "--node", "outlook=rain") == by_number
    assert traced(treecli, "playtennis.csv", "--node", "Outlook = Rain", "--depth", "1").count("Node ") == 3


def test_the_candidates_that_are_not_spelled_out_are_named(treecli: Runner) -> None:
    out = traced(treecli, "playtennis.csv", "--criterion", "gain", "--depth", "0", "--top", "1")
    assert "H(S|Outlook)" in out
    assert "H(S|Wind)" not in out
    assert "  not spelled out: Temperature 0.029, Humidity 0.152, Wind 0.048\n" in out


def test_thresholds_that_are_not_listed_are_counted(treecli: Runner) -> None:
    out = traced(treecli, "iris.csv", "--criterion", "gain", "--depth", "0", "--thresholds", "2")
    assert "    <= 0.8   [50, 0, 0] [0, 50, 50]  gain 0.918  best\n" in out
    assert "    and 5 more, none of them better\n" in out


def test_the_status_of_each_candidate_says_why_it_was_not_chosen(treecli: Runner) -> None:
    nodes = data_of(treecli, "playtennis.csv")["nodes"]
    assert [own["status"] for own in nodes[0]["candidates"]] == ["chosen", "below-average", "beaten", "below-average"]
    courses = data_of(treecli, "courses.csv", "--criterion", "error")["nodes"]
    assert courses[2]["ties"] == ["Easy", "AI", "Thy", "Morning"]
    assert {own["status"] for own in courses[7]["candidates"]} == {"one-branch"}
    few = data_of(treecli, "mitchell.csv", "--min-leaf", "4", "--min-split", "2", "--depth", "0")["nodes"]
    assert few[0]["candidates"][0]["status"] == "too-small"
    tested = data_of(treecli, "playtennis.csv", "--chi2-alpha", "0.05")["nodes"]
    assert {own["status"] for own in tested[0]["candidates"]} == {"not-significant"}


def test_subsets_of_labels_are_traced(treecli: Runner) -> None:
    out = traced(treecli, "playtennis.csv", "--criterion", "gini", "--nominal", "subset", "--depth", "0")
    # Overcast against the others: 0.459 − 4/14·0 − 10/14·0.5.
    assert "Δ(S, Outlook != Overcast) = 0.459 − 0.357 = 0.102\n" in out


def test_a_model_is_traced_with_its_own_settings(treecli: Runner) -> None:
    assert treecli("train", "playtennis.csv", "--criterion", "gini", "-q").code == 0
    out = traced(treecli, "playtennis.csv", "--model", "playtennis.json")
    assert out == (EXPECTED / "playtennis-gini.txt").read_text()


def test_other_data_than_the_models_are_told_by_the_exit_code(treecli: Runner, folder: Path) -> None:
    assert treecli("train", "playtennis.csv", "--criterion", "gain", "-q").code == 0
    days = (folder / "playtennis.csv").read_text().splitlines()
    (folder / "fewer.csv").write_text("\n".join(days[:-1]) + "\n")
    code, out, err = treecli("trace", "fewer.csv", "--model", "playtennis.json", "-q")
    assert (code, out) == (1, "")
    assert err.startswith("Error: node 0: the model's score is 0.2467498")
    assert "use the data that the model was grown from" in err


def test_a_split_that_is_taken_back_after_growing_is_told(treecli: Runner) -> None:
    out = traced(treecli, "playtennis.csv", "--criterion", "gain", "--max-leaves", "3")
    assert "⇒ split on Humidity: Gain 0.971; next Temperature 0.571; the split was taken back after growing\n" in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["playtennis.csv", "--node", "99"], 2, "--node 99: there is no such node, only 0 to 7"),
        (["playtennis.csv", "--node", "Outlook=Rian"], 2, "no node has the path 'Outlook=Rian'"),
        (["playtennis.csv", "--node", "Outlook=Rian"], 2, "did you mean 'Outlook = Rain'?"),
        (["playtennis.csv", "--standalone"], 2, "--standalone: -f text is no document"),
        (["playtennis.csv", "--gini", "p-q"], 2, "--gini p-q: the criterion is 'gainratio'"),
        (["iris.csv", "--criterion", "gini", "--gini", "p-q"], 2, "is for two classes, but the target has 3"),
        (["playtennis.csv", "--model", "m.json", "--criterion", "gain"], 2, "--criterion: the settings are those of"),
        (["nothing.csv"], 3, "nothing.csv"),
        (["playtennis.csv", "--model", "playtennis.csv"], 4, "playtennis.csv"),
    ],
)
def test_what_cannot_be_traced_is_refused(treecli: Runner, arguments: list[str], code: int, message: str) -> None:
    done = treecli("trace", *arguments, "-q")
    assert (done.code, done.out) == (code, "")
    assert message in done.err + treecli("trace", *arguments).err


def test_a_forced_split_is_told_with_the_best_one(treecli: Runner) -> None:
    out = traced(treecli, "playtennis.csv", "--criterion", "gain", "--force", "Wind", "--depth", "0")
    assert "  ⇒ split on Wind: Gain 0.048, by --force; the best is Outlook 0.247\n" in out
    root = data_of(treecli, "playtennis.csv", "--criterion", "gain", "--force", "Wind", "--depth", "0")["nodes"][0]
    assert (root["chosen"], root["forced"]) == ("Wind", True)
    assert candidates(root)["Outlook"]["status"] == "beaten"


def test_a_large_tree_is_traced_only_in_part(treecli: Runner, folder: Path) -> None:
    rows = "".join(f"{i},{i % 2}\n" for i in range(150))
    (folder / "long.csv").write_text("x,y\n" + rows)
    arguments = ["long.csv", "--type", "y=nominal", "--keep", "x", "--criterion", "gain"]
    refused = treecli("trace", *arguments)
    assert refused.code == 2
    assert "nodes, more than 200" in refused.err
    assert "--depth 2, or --node 0" in refused.err
    assert traced(treecli, *arguments, "--depth", "1").startswith("Node 0: all cases — 150 cases")


def test_hostile_names_are_text_in_every_format(treecli: Runner, folder: Path) -> None:
    (folder / "hostile.csv").write_text('"<script>$x_1$ & \\%{}|*","y"\n<b>,"#1"\n<b>,"#1"\n"a|`_`",no\n', "utf-8")
    name = "<script>"
    assert name not in traced(treecli, "hostile.csv", "-f", "html")
    assert "&lt;script&gt;" in traced(treecli, "hostile.csv", "-f", "html")
    assert r"$<$script$>$\$x\_1\$ \& \textbackslash{}" in traced(treecli, "hostile.csv", "-f", "latex")
    assert r"\<script\>\$x\_1\$ & " in traced(treecli, "hostile.csv", "-f", "markdown")


@pytest.mark.parametrize("name", ["courses", "playtennis"])
def test_pessimistic_pruning_is_traced_as_worked_out_by_hand(treecli: Runner, name: str) -> None:
    arguments = ["--criterion", "gain", "--prune", "pessimistic", "--c45-estimate", "--only", "prune"]
    out = traced(treecli, f"{name}.csv", *arguments)
    heading, _, nodes = out.partition("\n\n")
    assert nodes == (EXPECTED / f"pessimistic-{name}.txt").read_text()
    assert "= 0.6925    (release 8's table)\n" in heading


def test_the_estimate_is_explained_as_in_quinlans_example(treecli: Runner, folder: Path) -> None:
    # Quinlan 1993, section 4.2: leaves of 6, 9 and 1 votes, 'education spending', against one leaf (16/1).
    votes = "n,democrat\n" * 6 + "y,democrat\n" * 9 + "u,republican\n"
    (folder / "spending.csv").write_text("education,vote\n" + votes)
    arguments = ["spending.csv", "--prune", "pessimistic", "--c45-estimate", "--only", "prune"]
    out = traced(treecli, *arguments)
    heading, _, nodes = out.partition("\n\n")
    assert heading == (EXPECTED / "pessimistic-quinlan.txt").read_text().partition("\n\n")[0]
    assert "= 1.238 + 1.285 + 0.750 = 3.273 errors expected\n  leaf:    16·U(1,16) = 16·0.157 = 2.507 errors" in nodes
    # The book multiplies the rounded 0.157.
    assert "16·U(1,16) = 16·0.157 = 2.512 errors expected" in traced(treecli, *arguments, "--rounding", "steps")


def test_limits_without_errors_and_binomial_limits_are_those_of_scipy() -> None:
    for pair, limit in ORACLE["pessimistic"]["U"].items():
        errors, weight = map(float, pair.split(","))
        assert estimates.binomial_limit(errors, weight, 0.25) == pytest.approx(limit, abs=1e-12)
        if errors == 0:
            assert estimates.limit(errors, weight, 0.25, is_c45=True) == pytest.approx(limit, abs=1e-12)


def test_reduced_error_pruning_is_traced_as_worked_out_by_hand(treecli: Runner, folder: Path) -> None:
    head, *rows = (folder / "courses.csv").read_text().splitlines()
    (folder / "odd.csv").write_text("\n".join([head, *rows[::2]]) + "\n")
    (folder / "even.csv").write_text("\n".join([head, *rows[1::2]]) + "\n")
    arguments = ["--criterion", "gain", "--prune", "reduced-error", "--tune", "even.csv", "--only", "prune"]
    first, _, nodes = traced(treecli, "odd.csv", *arguments).partition("\n")
    assert first == "Reduced-error pruning, bottom-up: grown from odd.csv, tuned on even.csv"
    assert nodes == (EXPECTED / "reduced-error-courses.txt").read_text().partition("\n")[2]


@pytest.mark.parametrize(
    ("method", "lines"),
    [
        # R(t) − R(T_t) of node 2 is 2/20 − 1/20, and three leaves more than one are saved.
        ("cost-complexity --alpha 0.1", ["g = (0.100 − 0.050) / (4 − 1) = 0.017", "5 leaves at first, 2 at the end"]),
        ("min-error", ["leaf:    1 − (8 + 2·0.400) / (10 + 2) = 0.267", "⇒ 0.267 > 0.247: kept"]),
        # 8·log2(10/8) + 2·log2(10/2) + 1/2·log2(5) + log2(π) = 2.575 + 4.644 + 1.161 + 1.651.
        ("mdl", ["leaf:    1 + C(2, 8) = 1 + 10.032 = 11.032 bits", "⇒ 23.731 > 18.166: kept"]),
    ],
)
def test_the_other_methods_are_traced(treecli: Runner, method: str, lines: list[str]) -> None:
    arguments = ["courses.csv", "--criterion", "gain", "--prune", *method.split(), "--only", "prune"]
    for line in lines:
        assert line in traced(treecli, *arguments)
    for form in ("markdown", "latex", "html"):
        assert traced(treecli, *arguments, "-f", form)
    pruning = data_of(treecli, *arguments)["pruning"]
    assert {own["method"] for own in pruning} == {method.split()[0]}
    assert {own["decision"] for own in pruning} <= {"leaf", "kept"}


def test_a_cross_validation_shows_the_errors_of_every_fold(treecli: Runner, folder: Path) -> None:
    arguments = ["courses.csv", "--criterion", "gain", "--prune", "cost-complexity", "--folds", "10", "--only", "prune"]
    # √(0.025·0.300) = 0.087; √(0.1·0.9/20) = 0.067.
    assert (
        "  2 leaves, alpha = √(0.025·0.300) = 0.087: 1 + 0 + 0 + 0 + 1 + 0 + 0 + 0 + 0 + 0 = 2 errors of 20 = 0.100, "
        "standard error √(0.100·0.900/20) = 0.067\n"
    ) in traced(treecli, *arguments)
    assert "  ⇒ 2 leaves: the least error, 0.100\n" in traced(treecli, *arguments)
    assert "the smallest tree within a standard error" in traced(treecli, *arguments, "--one-se")
    validation = data_of(treecli, *arguments)["validation"]
    assert treecli("train", *arguments[:3], "-q", "-o", "grown.json").code == 0
    path = json.loads(treecli("prune", "grown.json", "--data", "courses.csv", "--path", "-q", "-f", "json").out)["path"]
    assert [own["leaves"] for own in validation] == [own["leaves"] for own in path]
    assert [sum(own["fold_errors"]) / 20 for own in validation] == [own["error"] for own in validation]
    assert validation[-1]["price"] is None
    for form in ("markdown", "latex", "html"):
        assert "2 errors of 20 = 0.100" in traced(treecli, *arguments, "-f", form)


def test_growing_and_pruning_are_traced_together_or_apart(treecli: Runner) -> None:
    arguments = ["playtennis.csv", "--prune", "pessimistic"]
    both = traced(treecli, *arguments)
    assert both == traced(treecli, *arguments, "--only", "grow") + traced(treecli, *arguments, "--only", "prune")
    assert traced(treecli, *arguments, "--only", "grow") == traced(treecli, "playtennis.csv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "prune"], "--only prune: no pruning method is given"),
        (
            ["--prune", "pessimistic", "--missing", "surrogate"],
            "subtrees cannot be raised with --missing surrogate",
        ),
        (["--prune", "reduced-error", "--greedy"], "--greedy: its arithmetic is not traced"),
        (["--prune", "mdl", "--tune", "playtennis.csv"], "--tune needs a pruning method with tuning data"),
        (["--prune", "m5"], "M5's pruning compares squared errors of numbers"),
    ],
)
def test_prunings_that_cannot_be_traced_are_refused(treecli: Runner, arguments: list[str], message: str) -> None:
    done = treecli("trace", "playtennis.csv", *arguments, "-q")
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize(
    "arguments",
    [
        ["unknown.csv"],
        ["playtennis.csv", "--criterion", "chi2"],
        ["playtennis.csv", "--notation", "quinlan"],
        ["courses-rating.csv"],
        ["courses.csv", "--prune", "pessimistic"],
        ["courses.csv", "--prune", "mdl"],
        ["courses.csv", "--search", "skewing:2", "--prune", "cost-complexity", "--folds", "2"],
        ["iris.csv", "--cut-cost", "--depth", "1"],
    ],
)
def test_a_latex_document_compiles(treecli: Runner, folder: Path, arguments: list[str]) -> None:
    assert treecli("trace", *arguments, "-q", "--standalone", "-o", "trace.tex").code == 0
    compiled = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "trace.tex"], cwd=folder, capture_output=True
    )
    assert compiled.returncode == 0, compiled.stdout.decode()
