"""Optimal trees: the least errors of all trees of a depth, proved."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.optimal import DATA, binarised, complete
from tests.conftest import Runner, examples
from tests.growing import FRACTIONS, SAMPLE_DATA, UNIT_WEIGHTS, continuous, datasets, sample
from tests.searches.exhaustive import Exhaustive
from treecli import plugins
from treecli.data import Attribute, Dataset, Schema
from treecli.engines.memory import Engine
from treecli.errors import UsageError
from treecli.grow.grow import grow, grown
from treecli.grow.plan import plan_of
from treecli.intake import ReadOptions, read_training
from treecli.kernels.codes import NO_SIDE
from treecli.model import TreeModel
from treecli.models import encode
from treecli.presets import settings_like
from treecli.priors import class_scale
from treecli.searches import _binarytests as binary
from treecli.searches._branchandbound import Search
from treecli.searches.optimal import estimate
from treecli.settings import Settings
from treecli.tree import Tree, risks

TESTS = Path(__file__).parent.parent
LEAST = json.loads((TESTS / "fixtures" / "optimal" / "least_errors.json").read_text())
"""From pystreed 1.4.0 and from an exhaustive search; its field `recipe` tells how columns become binary."""

KINDS = st.lists(st.sampled_from(["numeric", "nominal", "ordinal"]), min_size=1, max_size=3)
SMALL = (2, 14)
PAGE = TESTS.parent / "docs" / "algorithms.md"
PENGUINS = TESTS / "fixtures" / "chaid" / "penguins.csv"


def searched(dataset: Dataset, depth: int, jobs: int = 1, **changes: Any) -> tuple[Tree, dict[str, Any]]:
    """The optimal tree, and what the lineage records of the search."""
    facts: list[dict[str, Any]] = []
    own = Settings.of(search=f"optimal:{depth}", **changes)
    tree, _ = grown(dataset, own, jobs=jobs, on_facts=facts.append)
    return tree, facts[0]


def cost(tree: Tree) -> float:
    """The cost of the leaves, with the priors and costs of the tree."""
    risk = risks(tree, is_classification=True)
    return round(sum(risk[node] for node in range(tree.n_nodes) if tree.is_leaf(node)), 9)


class TestLeastErrors:
    @pytest.mark.parametrize("name", LEAST["raw"])
    def test_all_thresholds_and_labels_give_the_errors_of_an_exhaustive_search(self, name: str) -> None:
        dataset = complete(DATA / f"{name}.arff")
        for depth, errors in LEAST["raw"][name]["errors"].items():
            if depth != "0":
                tree, facts = searched(dataset, int(depth))
                assert (cost(tree), facts["errors"], facts["proved"]) == (errors, errors, True)

    @pytest.mark.parametrize("name", LEAST["binarised"])
    def test_binary_columns_give_the_errors_of_pystreed(self, name: str) -> None:
        dataset = binarised(complete(DATA / f"{name}.arff"))
        assert len(dataset.columns) == LEAST["binarised"][name]["features"]
        for depth, errors in LEAST["binarised"][name]["errors"].items():
            if depth != "0":
                tree, facts = searched(dataset, int(depth))
                assert (cost(tree), facts["errors"], facts["proved"]) == (errors, errors, True)

    @given(st.data())
    def test_no_tree_is_better_whatever_the_weights_penalty_and_limits(self, data: st.DataObject) -> None:
        kinds = data.draw(KINDS)
        weights = data.draw(st.sampled_from([UNIT_WEIGHTS, FRACTIONS]))
        dataset = data.draw(datasets(kinds, n_classes=st.integers(2, 3), weights=weights, rows=SMALL))
        penalty, min_leaf = (
            data.draw(st.sampled_from([0.0, 0.3, 1.0])),
            data.draw(st.sampled_from([0.1, 1.0, 2.0, 3.0])),
        )
        changes = {"penalty": penalty, "min_leaf": min_leaf, "min_split": data.draw(st.sampled_from([None, 4.0, 6.0]))}
        depth = data.draw(st.integers(1, 3))
        tree, facts = searched(dataset, depth, **changes)
        least, n_leaves = Exhaustive(dataset, Settings.of(**changes)).least(depth)
        assert round(cost(tree) + penalty * tree.n_leaves, 6) == round(least, 6)
        assert facts["proved"]
        # Where no error is left that a tree could avoid, the leaves need not be the fewest.
        if depth < 3:
            assert tree.n_leaves == n_leaves

    @settings(max_examples=examples(60))
    @given(st.data())
    def test_missing_values_as_a_value_are_exact(self, data: st.DataObject) -> None:
        dataset = data.draw(datasets(data.draw(KINDS), n_classes=st.integers(2, 3), with_missing=True, rows=SMALL))
        depth = data.draw(st.integers(1, 2))
        tree, _ = searched(dataset, depth, missing="branch")
        assert cost(tree) == Exhaustive(dataset, Settings.of()).least(depth)[0]

    @settings(max_examples=examples(60))
    @given(st.data())
    def test_costs_and_priors_are_respected(self, data: st.DataObject) -> None:
        dataset = data.draw(datasets(["numeric", "nominal"], n_classes=st.just(3), rows=(3, 14)))
        costs = ((0.0, 1.0, 2.5), (4.0, 0.0, 1.0), (1.0, 0.5, 0.0))
        changes: dict[str, Any] = data.draw(
            st.sampled_from([{"costs": costs}, {"priors": {"a": 0.5, "b": 0.25, "c": 0.25}}])
        )
        counts = np.bincount(np.asarray(dataset.target), minlength=3).tolist()
        scale = np.array(class_scale(changes.get("priors"), dataset.schema.target.labels, counts))
        depth = data.draw(st.integers(1, 3))
        tree, _ = searched(dataset, depth, **changes)
        assert round(cost(tree), 6) == round(Exhaustive(dataset, Settings.of(**changes), scale).least(depth)[0], 6)

    def test_penguins_at_depth_3(self) -> None:
        dataset = read_training(str(PENGUINS), ReadOptions(target="species")).dataset
        tree, facts = searched(dataset, 3, missing="branch")
        # No tree of the exhaustive kind is at hand; greedy trees of this depth make more errors.
        assert (cost(tree), facts["proved"]) == (3, True)


class TestOneTree:
    @settings(max_examples=25)
    @given(st.data())
    def test_rows_in_another_order_give_the_same_tree(self, data: st.DataObject) -> None:
        dataset = data.draw(datasets(["numeric", "nominal", "numeric"], n_classes=st.integers(2, 3), rows=(2, 20)))
        order = np.array(data.draw(st.permutations(range(dataset.n_rows))))
        depth = data.draw(st.integers(1, 4))
        assert files(dataset, depth) == files(dataset.take(order), depth)

    def test_trebled_weights_give_the_same_tests(self) -> None:
        dataset = sample("iris.csv")
        heavy = Dataset(dataset.schema, dataset.columns, dataset.target, dataset.weights * 3)
        one, other = searched(dataset, 3)[0], searched(heavy, 3)[0]
        assert (one.attribute, one.number) == (other.attribute, other.number)

    @pytest.mark.parametrize(("depth", "n_rows"), [(2, 150), (3, 90), (4, 40)])
    def test_threads_do_not_change_the_tree(self, depth: int, n_rows: int) -> None:
        dataset = continuous(n_rows, 3, seed=depth, noise=1.0)
        assert files(dataset, depth, jobs=1) == files(dataset, depth, jobs=4)

    def test_uncompiled_kernels_give_the_same_file(self, tmp_path: Path) -> None:
        written = []
        for name, uncompiled in (("compiled", ""), ("uncompiled", "1")):
            words = [str(SAMPLE_DATA / "playtennis.csv"), "--search", "optimal:3", "-q", "-o", str(tmp_path / name)]
            environment = {**os.environ, "TREECLI_UNCOMPILED": uncompiled}
            subprocess.run([sys.executable, "-m", "treecli", "train", *words], env=environment, check=True)
            written.append((tmp_path / name).read_bytes())
        assert written[0] == written[1]

    def test_equal_trees_have_few_leaves_and_the_first_attribute(self) -> None:
        # The attributes are equal; one split is enough.
        values = np.array([1.0, 2.0, 3.0, 4.0])
        attributes = tuple(Attribute(name, "numeric") for name in "ab")
        schema = Schema(attributes, Attribute("y", "nominal", ("no", "yes")))
        tree, _ = searched(Dataset(schema, [values, values], np.array([0, 0, 1, 1], np.int32), np.ones(4)), 3)
        assert (list(tree.attribute), tree.number[0]) == ([0, -1, -1], 2.5)

    def test_a_threshold_lies_between_the_values_of_its_node(self) -> None:
        # By hand: a separates 1-2 from 9; at 9 the values of b are 1 and 7, and 4 only occurs on the other side.
        schema = Schema(
            (Attribute("a", "numeric"), Attribute("b", "numeric")), Attribute("y", "nominal", ("n", "p", "q"))
        )
        columns = [np.array([1.0, 2.0, 9.0, 9.0]), np.array([4.0, 4.0, 1.0, 7.0])]
        tree, _ = searched(Dataset(schema, columns, np.array([0, 0, 1, 2], np.int32), np.ones(4)), 2)
        assert list(tree.number)[:3] == [5.5, 0.0, 4.0]


def files(dataset: Dataset, depth: int, jobs: int = 1) -> bytes:
    """The model file of the optimal tree."""
    own = Settings.of(search=f"optimal:{depth}")
    return b"".join(encode(TreeModel(dataset.schema, own, (), grow(dataset, own, jobs=jobs))))


class TestOtherLearners:
    """No learner makes fewer training errors at a depth than the optimal tree with the same kinds of tests."""

    @settings(max_examples=40)
    @given(st.data())
    def test_a_greedy_tree_of_two_way_splits_is_not_better(self, data: st.DataObject) -> None:
        # One label against the rest is the only kind of nominal test that both have, so presets get numbers.
        like = data.draw(st.sampled_from([None, *(name for name in plugins.names("presets") if name != "m5p")]))
        kinds = data.draw(KINDS) if like is None else ["numeric", "numeric"]
        dataset = data.draw(datasets(kinds, n_classes=st.integers(2, 3), rows=(2, 24)))
        depth = data.draw(st.integers(1, 3))
        criterion = data.draw(st.sampled_from(["gain", "gainratio", "gini", "error"]))
        changes: dict[str, Any] = {"max_depth": depth}
        chosen = Settings.of(nominal="binary", criterion=criterion) if like is None else settings_like(like)
        if chosen.splitting.discretize != "none" or chosen.splitting.nominal == "merged":
            changes |= {"discretize": "none", "nominal": "binary"}
        greedy = grow(dataset, chosen.changed(**changes), jobs=1)
        errors = sum(
            sum(greedy.outcomes_of(n)) - max(greedy.outcomes_of(n)) for n in range(greedy.n_nodes) if greedy.is_leaf(n)
        )
        assert errors >= searched(dataset, depth)[1]["errors"]

    @pytest.mark.parametrize("search", ["lookahead", "skewing", "skewing-sequential"])
    @pytest.mark.parametrize("depth", [1, 2, 3])
    def test_no_other_search_is_better(self, search: str, depth: int) -> None:
        dataset = sample("iris.csv")
        tree = grow(dataset, Settings.of(search=search, max_depth=depth))
        assert cost(tree) >= searched(dataset, depth)[1]["errors"]

    def test_the_page_of_algorithms_shows_the_gap(self) -> None:
        shown = re.findall(r"^\| `(.*)` \| (.* → .*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(shown) == 8
        for name, cells in shown:
            dataset = sample(name, **({"weights": "Count"} if name == "titanic.csv" else {}))
            usual = Settings.of(nominal="binary", missing="branch", criterion="gini")
            found = [
                f"{cost(grow(dataset, usual.changed(max_depth=depth))):g} → "
                f"{searched(dataset, depth, missing='branch')[1]['errors']:g}"
                for depth in (1, 2, 3, 4)
            ]
            assert cells.split(" | ") == found, name


class TestTimeLimit:
    def test_the_best_tree_so_far_is_kept_with_a_bound(self) -> None:
        dataset = continuous(400, 6, seed=1, noise=2.0)
        tree, facts = searched(dataset, 4, time_limit=1e-9)
        assert not facts["proved"]
        assert facts["at_least"] <= facts["errors"] == cost(tree) <= cost(searched(dataset, 1)[0]) * 2

    def test_without_time_the_best_test_has_the_best_tests_below_it(self) -> None:
        dataset = continuous(400, 6, seed=1, noise=2.0)
        tree, facts = searched(dataset, 2, time_limit=1e-9)
        assert facts["proved"] is False
        assert cost(searched(dataset, 2)[0]) <= facts["errors"] == cost(tree) < cost(searched(dataset, 1)[0])

    @pytest.mark.parametrize("depth", [1, 2, 3])
    def test_the_time_may_end_while_tests_are_prepared(self, depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("treecli.searches._binarytests.LEAST_CELLS", 1)
        dataset = continuous(100, 3, seed=1, noise=2.0)
        tree, facts = searched(dataset, depth, time_limit=1e-9)
        assert {tree.attribute[node] for node in tree.inner_nodes()} == {0}
        assert (facts["proved"], facts["at_least"]) == (False, 0)

    def test_the_time_may_end_before_all_tests_are_listed(self) -> None:
        # More than the 2 ** 24 words of 64 cases that are listed in any case.
        dataset = continuous(9000, 14, seed=1)
        plan = plan_of(Settings.of(), dataset)
        engine = Engine(dataset, plan, 1)
        level = engine.unsorted_root()
        labels = dataset.schema.target.labels
        problem, _, _, cases = binary.problem_of(binary.columns_of(engine, level), level, plan, labels, None)
        search = Search(problem, cases, 1, 1)
        found = search.run(0.0, None)
        assert (found.is_proved, found.tree[0] >= 0) == (False, True)
        assert search._first.n_tests == 2**24 // len(cases) + 1 < len(problem.tests)

    def test_enough_time_proves_the_optimum(self) -> None:
        dataset = sample("iris.csv")
        tree, facts = searched(dataset, 3, time_limit=600.0)
        assert (cost(tree), facts["proved"]) == (1, True)

    def test_the_bound_is_told_and_recorded(self, treecli: Runner, tmp_path: Path) -> None:
        data = SAMPLE_DATA / "iris.csv"
        found = treecli("train", data, "--search", "optimal:4", "--time-limit", "0.000001", "-o", "m.json")
        assert found.code == 0
        assert "Warning: --time-limit 1e-06 ended the search: optimal: errors" in found.err
        assert ", at least 0" in found.err
        step = json.loads((tmp_path / "m.json").read_text())["lineage"][1]
        assert (step["command"], step["search"], step["proved"], step["at_least"]) == ("search", "optimal:4", False, 0)


class TestCommandLine:
    def test_the_lineage_records_the_proof(self, treecli: Runner, tmp_path: Path) -> None:
        found = treecli("train", SAMPLE_DATA / "monks-1.arff", "--search", "optimal:3", "-v", "-o", "m.json")
        assert (found.code, "optimal: errors 48 at depth 3, proved" in found.err) == (0, True)
        steps = json.loads((tmp_path / "m.json").read_text())["lineage"]
        assert steps[1] == {"command": "search", "search": "optimal:3", "errors": 48, "proved": True}

    @pytest.mark.parametrize(
        ("penalty", "leaves", "errors"), [("0.4", 7, 1), ("0.5", 5, 2), ("2", 4, 3), ("4", 3, 6), ("60", 1, 100)]
    )
    def test_a_penalty_removes_leaves_that_save_less(
        self, treecli: Runner, penalty: str, leaves: int, errors: int
    ) -> None:
        # Iris: 100 errors with 1 leaf, 50 with 2, 6 with 3, 3 with 4, 2 with 5, 1 with 7; ties go to fewer leaves.
        found = treecli(
            "train", SAMPLE_DATA / "iris.csv", "--search", "optimal:3", "--penalty", penalty, "-o", "m.json"
        )
        assert f"{leaves} lea" in found.out
        assert f"training: {errors} of 150 wrong" in found.out

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--search", "optimal"], "--search: found 'optimal', expected optimal:DEPTH"),
            (["--search", "optimal:5"], "--search optimal:DEPTH"),
            (["--search", "optimal:0"], "--search optimal:DEPTH"),
            (["--search", "optimal:2", "--max-leaves", "3"], "--search optimal and --max-leaves exclude each other"),
            (["--search", "optimal:2", "--nominal", "subset"], "--search optimal and --nominal exclude each other"),
            (["--search", "optimal:2", "--discretize", "mdlp"], "--search optimal and --discretize exclude each other"),
            (["--search", "optimal:2", "--criterion", "chi2"], "--criterion chi2 exclude each other"),
            (["--search", "optimal:2", "--penalty", "-1"], "--penalty"),
            (["--search", "optimal:2", "--time-limit", "0"], "--time-limit"),
            (["--penalty", "1"], "--penalty is for --search optimal, not for greedy"),
        ],
    )
    def test_what_cannot_be_done_is_refused_in_one_line(self, treecli: Runner, words: list[str], message: str) -> None:
        found = treecli("train", SAMPLE_DATA / "iris.csv", *words, "-o", "m.json")
        assert found.code == 2
        assert message in found.err.splitlines()[0]

    def test_a_numeric_target_is_refused(self, treecli: Runner) -> None:
        found = treecli("train", SAMPLE_DATA / "cpu.csv", "--search", "optimal:2", "-q", "-o", "m.json")
        assert (found.code, "is numeric" in found.err) == (2, True)

    def test_missing_values_are_refused_with_cures(self, treecli: Runner) -> None:
        found = treecli("train", PENGUINS, "-t", "species", "--search", "optimal:2", "-q", "-o", "m.json")
        assert found.code == 3
        assert found.err.splitlines() == [
            "Error: --search optimal: 'bill_len' is missing in 2 of 344 rows; --missing fractional has no exact "
            "optimum",
            "Hint: use --missing branch, which is exact, or leave the column out with -x bill_len",
        ]

    def test_a_search_that_cannot_end_is_refused_with_the_estimate(self, treecli: Runner, tmp_path: Path) -> None:
        random = np.random.default_rng(0)
        rows = [f"{a},{b},{c}" for a, b, c in zip(*random.random((2, 3000)), random.integers(0, 2, 3000), strict=True)]
        (tmp_path / "noise.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
        words = ["train", "noise.csv", "-t", "y", "--type", "y=nominal", "--search", "optimal:4", "-q", "-o", "m.json"]
        found = treecli(*words)
        assert found.code == 2
        assert found.err.startswith("Error: --search optimal:4 may take up to ")
        assert "--time-limit SECONDS" in found.err
        assert not (tmp_path / "m.json").exists()

    @pytest.mark.parametrize(
        ("n_rows", "n_attributes", "n_classes", "time"),
        [(5000, 30, 2, "11 minutes"), (10_000, 8, 3, "7 minutes"), (10_000, 30, 2, "an hour")],
    )
    def test_counting_all_pairs_for_minutes_is_refused_with_the_estimate(
        self, n_rows: int, n_attributes: int, n_classes: int, time: str
    ) -> None:
        dataset = continuous(n_rows, n_attributes, seed=1, n_classes=n_classes)
        with pytest.raises(UsageError, match=f"^--search optimal:2 takes about {time} \\(") as refusal:
            searched(dataset, 2)
        assert "round the numbers" in str(refusal.value.hint)

    @pytest.mark.parametrize(
        ("tests", "depth", "n_classes", "least", "most"),
        [
            (100, 3, 2, 0.0, 1.0),
            (1000, 3, 2, 1.0, 60.0),
            (5000, 4, 2, 3600.0, 1e12),
            # Measured, 1000 cases: 3.5 s with two classes, 7.1 s with three.
            (20_000, 2, 2, 2.5, 4.5),
            (20_000, 2, 3, 6.0, 9.0),
        ],
    )
    def test_estimates_grow_with_the_tests_the_depth_and_the_classes(
        self, tests: int, depth: int, n_classes: int, least: float, most: float
    ) -> None:
        assert least <= estimate(tests, 1000 if depth == 2 else 500, depth, n_classes) <= most


class TestTests:
    @settings(max_examples=examples(60))
    @given(st.data())
    def test_the_bits_are_those_of_the_cases_where_a_test_holds(self, data: st.DataObject) -> None:
        dataset = data.draw(datasets(data.draw(KINDS), n_classes=st.integers(2, 3), with_missing=True, rows=SMALL))
        engine = Engine(dataset, plan_of(Settings.of(missing="branch"), dataset), 1)
        columns = binary.columns_of(engine, engine.unsorted_root())
        tests = binary.tests_of(columns, np.arange(dataset.n_rows), 1, None)
        for test in range(len(tests)):
            held = np.flatnonzero(binary.held_cases(columns[tests.attribute[test]], tests, test))
            assert int(tests.bits[test, 0]) == sum(1 << int(case) for case in held)

    def test_different_sets_with_equal_keys_are_kept(self) -> None:
        # Each label has one case, the last of a word: 2 ** 63 times any odd factor is the same in 64 bits.
        values = np.zeros(320)
        values[63::64] = np.arange(1, 6)
        column = binary.Column(True, values, np.arange(6.0), (NO_SIDE,))
        assert binary.tests_of([column, column], np.arange(320), 5, None).number.tolist() == [0, 1, 2, 3, 4, 5]

    def test_other_commands_take_the_model(self, treecli: Runner) -> None:
        data = SAMPLE_DATA / "iris.csv"
        assert treecli("train", data, "--search", "optimal:3", "-q", "-o", "m.json").code == 0
        for words in (
            ["show", "m.json", "--details"],
            ["rules", "m.json"],
            ["explain", "m.json", data, "--row", "1"],
            ["predict", "m.json", data],
            ["evaluate", "m.json", data],
            ["importance", "m.json"],
            ["prune", "m.json", "--method", "pessimistic", "-o", "p.json"],
            ["export", "m.json", "--to", "python", "--verify", data],
            ["info", "m.json"],
            ["crossval", data, "--search", "optimal:2", "--folds", "3"],
        ):
            found = treecli(*words)
            assert found.code == 0, (words, found.err)
