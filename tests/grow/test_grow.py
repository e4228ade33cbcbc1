"""Growing: the whole tree against a plain grower, other programs, and every rule that ends it."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.datasets import dataset_of
from tests.growing import (
    FRACTIONS,
    SAMPLE_DATA,
    UNIT_WEIGHTS,
    continuous,
    datasets,
    model_from,
    nodes_by_levels,
    numeric_table,
    outline,
    sample,
)
from tests.plain import PlainGrower
from treecli.data import Attribute, Dataset, Schema
from treecli.evaluate.measure import measure
from treecli.evaluate.metrics import Classification, Regression
from treecli.grow.grow import grow
from treecli.grow.nodes import as_tree
from treecli.grow.trim import best_first
from treecli.intake import ReadOptions, read_training
from treecli.model import TreeModel
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions
from treecli.rules.from_tree import from_tree
from treecli.settings import Settings
from treecli.tree import Tree, predicted_codes

KINDS = ("numeric", "nominal", "ordinal")


def assert_agrees_with_plain(tree: Tree, plain: PlainGrower) -> None:
    assert tree.n_nodes == len(plain.nodes)
    for index, node in enumerate(plain.nodes):
        np.testing.assert_allclose(list(tree.outcomes_of(index)), plain.outcomes(node.cases), atol=1e-9)
        assert tree.is_leaf(index) == (node.split is None)
        if node.split is None:
            continue
        split = tree.split(index)
        assert (split.KIND, split.attribute) == (node.split.kind, node.split.attribute)
        assert tree.n_branches[index] == node.split.n_branches
        assert tree.first_child[index] == node.first_child
        assert tree.missing_to[index] == node.missing_to
        if split.KIND == "threshold":
            assert split.number == node.split.number
        if split.KIND == "binary":
            assert split.table[node.split.label] == 0


# Binary splits are left out of gainratio, which chooses their label by ratio; the plain grower does by gain.
@pytest.mark.parametrize(
    ("criterion", "nominal"),
    [(c, n) for c in ("gain", "gini", "error", "variance", "gainratio") for n in ("multiway", "binary")][:-1],
)
@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
@settings(max_examples=12)
@given(data=st.data())
def test_the_whole_tree_is_that_of_a_plain_grower(
    criterion: str, nominal: str, missing: str, data: st.DataObject
) -> None:
    dataset = data.draw(
        datasets(
            KINDS,
            n_classes=None if criterion == "variance" else st.integers(2, 4),
            weights=data.draw(st.sampled_from([UNIT_WEIGHTS, FRACTIONS])),
            with_missing=data.draw(st.booleans()),
            rows=(2, 14),
        )
    )
    learner = Settings.of(
        criterion=criterion,
        nominal=nominal,
        missing=missing,
        max_depth=data.draw(st.sampled_from([None, 0, 1, 3])),
        min_leaf=data.draw(st.sampled_from([1.0, 0.5, 2.0])),
        min_split=data.draw(st.sampled_from([2.0, 4.5])),
        min_gain=data.draw(st.sampled_from([None, 0.05])),
    )
    assert_agrees_with_plain(grow(dataset, learner, jobs=1), PlainGrower(dataset, learner))


# The lecture prints both trees, and the rules of the first.
def test_markov_s_disjunctive_concept() -> None:
    dataset = sample("shapes-disjunctive.csv")
    model = model_from(dataset, Settings.of(criterion="gain"))
    rules = {(r.antecedent(model.schema), model.schema.target.labels[r.label or 0]) for r in from_tree(model)}
    assert rules == {
        ("color = blue", "YES"),
        ("color = red AND shape = circle", "YES"),
        ("color = red AND shape = square", "NO"),
        ("color = red AND shape = triangle", "NO"),
    }


def test_markov_s_six_instances() -> None:
    assert outline(model_from(sample("shapes.csv"), Settings.of(criterion="gain"))) == [
        "all",
        "| shape = circle",
        "| | color = red: 1 0",
        "| | color = blue: 0 1",
        "| shape = square: 0 2",
        "| shape = triangle: 0 2",
    ]


@pytest.mark.parametrize("criterion", ["gain", "gainratio", "gini", "error"])
def test_exclusive_or_takes_two_levels(criterion: str) -> None:
    assert outline(model_from(sample("sxl.csv"), Settings.of(criterion=criterion))) == [
        "all",
        "| Female = no",
        "| | SxlActive = no: 1 0",
        "| | SxlActive = yes: 0 1",
        "| Female = yes",
        "| | SxlActive = no: 0 1",
        "| | SxlActive = yes: 1 0",
    ]


def test_exclusive_or_cannot_be_learned_if_every_split_must_gain() -> None:
    assert grow(sample("sxl.csv"), Settings.of(criterion="gain", min_gain=1e-6)).n_nodes == 1


def test_no_attribute_of_the_fourteen_days_is_significant_at_95_percent() -> None:
    # p is 0.170, 0.752, 0.094 and 0.334: at 0.05 the tree is one leaf, at 0.1 only Humidity is left.
    dataset = sample("playtennis.csv")
    assert outline(model_from(dataset, Settings.of(chi2_alpha=0.05))) == ["all: 5 9"]
    tree = grow(dataset, Settings.of(chi2_alpha=0.1))
    assert dataset.schema.attributes[tree.attribute[0]].name == "Humidity"


def id3_text(model: TreeModel) -> str:
    """The tree in the layout of Weka's Id3."""
    tree, codes, depths = model.tree, predicted_codes(model.tree), model.tree.depths()
    lines = []
    for node in tree.in_reading_order():
        for parent in [p for p in tree.inner_nodes() if node in tree.children(p)]:
            branch = node - tree.first_child[parent]
            attribute = model.schema.attributes[tree.attribute[parent]]
            line = "|  " * (depths[node] - 1) + f"{attribute.name} = {attribute.labels[branch]}"
            if tree.is_leaf(node):
                is_empty = not any(tree.outcomes_of(node))
                line += f": {'null' if is_empty else model.schema.target.labels[codes[node]]}"
            lines.append(line)
    return "\n".join(lines) + "\n"


# The expected trees are those of Id3 in Weka 3.6.14. It makes a leaf where no split gains anything; ours would go on.
@pytest.mark.parametrize("name", ["contact-lenses", "promotergene", "many-labels"])
def test_information_gain_grows_the_trees_of_weka_s_id3(name: str) -> None:
    fixtures = Path(__file__).parents[1] / "fixtures" / "id3"
    dataset = read_training(str(fixtures / f"{name}.arff"), ReadOptions()).dataset
    model = model_from(dataset, Settings.of(criterion="gain", min_gain=1e-6))
    assert id3_text(model) == (fixtures / f"{name}.txt").read_text()


def as_matrix(dataset: Dataset) -> np.ndarray:
    return np.column_stack(list(dataset.columns))


def test_a_full_tree_of_iris_makes_no_error() -> None:
    dataset = sample("iris.csv")
    for criterion in ("gain", "gainratio", "gini", "error"):
        measures = measure(model_from(dataset, Settings.of(criterion=criterion)), dataset)
        assert isinstance(measures, Classification)
        assert measures.errors == 0


@pytest.mark.parametrize("max_depth", [0, 1, 2, 5])
def test_no_path_is_longer_than_asked(max_depth: int) -> None:
    tree = grow(sample("iris.csv"), Settings.of(max_depth=max_depth))
    assert max(tree.depths()) == min(max_depth, max(grow(sample("iris.csv"), Settings()).depths()))


@pytest.mark.parametrize("min_split", [2.0, 10.0, 50.5, 151.0])
def test_a_node_with_fewer_cases_is_a_leaf(min_split: float) -> None:
    tree = grow(sample("iris.csv"), Settings.of(min_split=min_split))
    assert all(sum(tree.outcomes_of(node)) >= min_split for node in tree.inner_nodes())
    assert (tree.n_nodes == 1) == (min_split > 150)


@pytest.mark.parametrize("min_leaf", [1.0, 4.0, 20.0])
def test_both_sides_of_a_threshold_hold_enough_cases(min_leaf: float) -> None:
    tree = grow(sample("iris.csv"), Settings.of(min_leaf=min_leaf))
    assert all(sum(tree.outcomes_of(node)) >= min_leaf for node in range(tree.n_nodes))
    assert tree.n_nodes > 1


def test_two_branches_of_a_multiway_split_must_hold_enough_and_others_may_hold_less() -> None:
    schema = Schema((Attribute("x", "nominal", tuple("abc")),), Attribute("y", "nominal", ("no", "yes")))
    rows = [("a", "no"), ("a", "no"), ("b", "yes"), ("b", "yes"), ("c", "yes")]
    dataset = dataset_of(schema, rows)
    assert outline(model_from(dataset, Settings.of(min_leaf=2)))[1:] == ["| x = a: 2 0", "| x = b: 0 2", "| x = c: 0 1"]
    assert grow(dataset, Settings.of(min_leaf=2.5)).n_nodes == 1


def test_every_split_gains_as_much_as_asked() -> None:
    dataset = sample("playtennis.csv")
    # Outlook gains 0.246750 bits at the root; below it Humidity and Wind gain 0.970951.
    assert grow(dataset, Settings.of(criterion="gain", min_gain=0.24)).n_leaves == 5
    assert grow(dataset, Settings.of(criterion="gain", min_gain=0.25)).n_leaves == 1


def naive_best_first(dataset: Dataset, learner: Settings, max_leaves: int) -> float:
    """The impurity that is left after splitting, again and again, the leaf that gains most; two-way splits only."""
    plain = PlainGrower(dataset, learner.changed(max_leaves=None))
    leaves = [0]
    while len(leaves) < max_leaves:
        open_leaves = [leaf for leaf in leaves if plain.nodes[leaf].split is not None]
        if not open_leaves:
            break

        def fall(leaf: int) -> float:
            node = plain.nodes[leaf]
            assert node.split is not None
            return node.split.gain * sum(weight for _, weight in node.cases)

        most = max(map(fall, open_leaves))
        leaf = next(leaf for leaf in sorted(open_leaves) if fall(leaf) > most - 1e-9)
        leaves.remove(leaf)
        leaves += [plain.nodes[leaf].first_child, plain.nodes[leaf].first_child + 1]
    return sum(plain.spread(plain.nodes[leaf].cases) for leaf in leaves)


@pytest.mark.parametrize("max_leaves", [1, 2, 3, 5, 9])
def test_few_leaves_are_grown_best_first(max_leaves: int) -> None:
    dataset = continuous(60, 3, seed=8, noise=0.5)
    learner = Settings.of(criterion="gini", max_leaves=max_leaves)
    tree = grow(dataset, learner)
    assert tree.n_leaves == max_leaves
    plain = PlainGrower(dataset.take(np.arange(1)), learner)
    total = 0.0
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            counts = np.array(tree.outcomes_of(node))
            total += float(counts.sum() - (counts**2).sum() / counts.sum())
    assert plain.impurity == "gini"
    assert total == pytest.approx(naive_best_first(dataset, learner, max_leaves), abs=1e-9)


def test_a_multiway_split_that_would_exceed_the_leaves_is_passed_over() -> None:
    # Outlook has three branches, Humidity two: with two leaves only a two-way split fits, and the root has three.
    assert grow(sample("playtennis.csv"), Settings.of(max_leaves=2)).n_leaves == 1
    assert grow(sample("playtennis.csv"), Settings.of(max_leaves=3)).n_leaves == 3
    assert grow(sample("playtennis.csv"), Settings.of(max_leaves=4)).n_leaves == 4


def test_best_first_takes_the_first_node_of_equals() -> None:
    # Both halves gain the same; the left one comes first.
    dataset = numeric_table([[1, 2, 3, 4, 5, 6, 7, 8]], list("ababcdcd"))
    nodes = nodes_by_levels(dataset, Settings.of(criterion="gini"))
    tree = best_first(as_tree(nodes), nodes.improvement, 3)
    assert not tree.is_leaf(1)
    assert tree.is_leaf(2)


GRADES = Attribute("grade", "ordinal", ("low", "mid", "high", "top"))


def test_an_ordinal_attribute_is_cut_between_its_labels() -> None:
    schema = Schema((GRADES,), Attribute("y", "nominal", ("no", "yes")))
    dataset = dataset_of(schema, [("low", "no"), ("high", "no"), ("top", "yes"), ("top", "yes")])
    # Nobody is mid, so the cut between high and top is the only pure one; the threshold is a label.
    assert outline(model_from(dataset, Settings())) == ["all", "| grade <= high: 2 0", "| grade > high: 0 2"]


def test_an_ordinal_threshold_between_absent_labels_is_a_label() -> None:
    schema = Schema((GRADES,), Attribute("y", "nominal", ("no", "yes")))
    dataset = dataset_of(schema, [("low", "no"), ("low", "no"), ("top", "yes"), ("top", "yes")])
    # Halfway between positions 0 and 3 is 1.5: mid.
    for threshold in ("midpoint", "mean", "median"):
        assert outline(model_from(dataset, Settings.of(threshold=threshold)))[1] == "| grade <= mid: 2 0"
    assert outline(model_from(dataset, Settings.of(threshold="datavalue")))[1] == "| grade <= low: 2 0"


def test_missing_values_take_the_heaviest_branch_by_majority() -> None:
    dataset = numeric_table([[1, 2, 3, 4, 5, nan]], list("aabbba"))
    model = model_from(dataset, Settings.of(missing="majority", max_depth=1))
    assert model.tree.missing_to[0] == 1
    assert outline(model) == ["all", "| x0 <= 2.5: 2 0", "| x0 > 2.5 or missing: 1 3"]


def test_missing_values_join_the_side_where_they_fit_best_under_branch() -> None:
    dataset = numeric_table([[1, 2, 3, 4, 5, nan]], list("aabbba"))
    assert outline(model_from(dataset, Settings.of(missing="branch"))) == [
        "all",
        "| x0 <= 2.5 or missing: 3 0",
        "| x0 > 2.5: 0 3",
    ]


def test_missing_values_may_be_all_that_matters_under_branch() -> None:
    dataset = numeric_table([[1, 2, 3, nan, nan, nan]], list("aaabbb"))
    assert outline(model_from(dataset, Settings.of(missing="branch"))) == [
        "all",
        "| x0 is known: 3 0",
        "| x0 is missing: 0 3",
    ]


def test_missing_labels_have_a_branch_of_their_own_under_branch() -> None:
    schema = Schema((Attribute("x", "nominal", ("p", "q")),), Attribute("y", "nominal", tuple("abc")))
    dataset = dataset_of(schema, [("p", "a"), ("q", "b"), (None, "c"), (None, "c")])
    expected = ["all", "| x = p: 1 0 0", "| x = q: 0 1 0", "| x is missing: 0 0 2"]
    assert outline(model_from(dataset, Settings.of(missing="branch"))) == expected


def test_without_missing_values_in_training_they_take_the_heaviest_branch() -> None:
    for missing in ("majority", "branch"):
        tree = grow(numeric_table([[1, 2, 3, 4, 5]], list("aabbb")), Settings.of(missing=missing))
        assert tree.missing_to[0] == 1


def test_labels_without_cases_get_empty_branches() -> None:
    schema = Schema((Attribute("x", "nominal", ("p", "q", "r")),), Attribute("y", "nominal", tuple("ab")))
    dataset = dataset_of(schema, [("p", "a"), ("r", "b"), ("r", "b")])
    model = model_from(dataset, Settings())
    assert outline(model) == ["all", "| x = p: 1 0", "| x = q: 0 0", "| x = r: 0 2"]
    assert predicted_codes(model.tree) == [1, 0, 1, 1]  # an empty leaf says what its parent says


@pytest.mark.parametrize("threshold", ["midpoint", "mean", "median"])
@pytest.mark.parametrize("target", [list("abbab"), [1.0, 5.0, 5.0, 1.0, 2.0]])
def test_a_row_of_weight_0_might_as_well_be_absent(target: list, threshold: str) -> None:
    with_it = numeric_table([[1, 2, 3, 1.25, 2.25]], target, [1, 1, 2, 0, 0])
    without = with_it.take(np.arange(3))
    learner = Settings.of(threshold=threshold)
    assert grow(with_it, learner) == grow(without, learner)


@pytest.mark.parametrize(
    "dataset",
    [
        numeric_table([[1, 2, 3]], list("aaa"), labels=("a", "b")),
        numeric_table([[1, 2, 3]], [4.0, 4.0, 4.0]),
        numeric_table([[7, 7, 7, 7]], list("abab")),
        numeric_table([[nan, nan, nan]], list("aba")),
        numeric_table([[nan, nan]], [1.0, 2.0]),
        numeric_table([[1]], ["a"]),
    ],
    ids=["one class", "one value", "constant column", "all missing", "all missing, numeric target", "one row"],
)
@pytest.mark.parametrize("missing", ["fractional", "majority", "branch"])
def test_where_nothing_can_be_split_the_tree_is_a_leaf(dataset: Dataset, missing: str) -> None:
    assert grow(dataset, Settings.of(missing=missing)).n_nodes == 1


def test_contradicting_rows_stay_together() -> None:
    dataset = numeric_table([[1, 1, 2]], list("abb"))
    assert outline(model_from(dataset, Settings())) == ["all", "| x0 <= 1.5: 1 1", "| x0 > 1.5: 0 1"]


def test_infinite_values_are_the_largest_and_the_smallest() -> None:
    dataset = numeric_table([[-inf, 1, 2, inf]], list("abba"))
    model = model_from(dataset, Settings())
    assert predicted(model, distributions(model, dataset)).tolist() == [0, 1, 1, 0]


def test_neighbouring_doubles_are_separated() -> None:
    values = [1.0]
    for _ in range(7):
        values.append(float(np.nextafter(values[-1], 2)))
    dataset = numeric_table([values], list("abababab"))
    model = model_from(dataset, Settings())
    assert predicted(model, distributions(model, dataset)).tolist() == [0, 1] * 4


def test_a_thousand_classes() -> None:
    labels = tuple(f"class {code}" for code in range(1000))
    random = np.random.default_rng(0)
    codes = random.permutation(np.repeat(np.arange(1000), 2)).astype(np.int32)
    schema = Schema((Attribute("x", "numeric"), Attribute("z", "numeric")), Attribute("y", "nominal", labels))
    dataset = Dataset(schema, [codes + random.random(2000) / 2, random.random(2000)], codes, np.ones(2000))
    model = model_from(dataset, Settings.of(criterion="gini"))
    assert (predicted(model, distributions(model, dataset)) == codes).all()


def test_two_hundred_attributes() -> None:
    random = np.random.default_rng(6)
    columns = [random.normal(size=300) for _ in range(200)]
    target = ["yes" if x + y > 0 else "no" for x, y in zip(columns[150], columns[7], strict=True)]
    dataset = numeric_table(columns, target)  # type: ignore[arg-type]
    model = model_from(dataset, Settings())
    assert model.tree.attribute[0] in (7, 150)
    assert (predicted(model, distributions(model, dataset)) == dataset.target).all()


def test_the_first_of_equal_attributes_wins() -> None:
    column = [1.0, 2.0, 3.0, 4.0]
    assert grow(numeric_table([column, column, column], list("aabb")), Settings()).attribute[0] == 0


def test_large_numbers_of_a_numeric_target_keep_their_variance() -> None:
    random = np.random.default_rng(2)
    near, far = (
        numeric_table([list(np.arange(200.0)), list(random.random(200))], [offset + y for y in signal])
        for signal in [np.round(np.sin(np.arange(200) / 20) * 64) / 64]
        for offset in (0.0, 2.0**30)
    )
    one, other = (grow(dataset, Settings.of(max_depth=4)) for dataset in (near, far))
    assert list(one.number) == list(other.number)
    deviances = [np.array(tree.outcomes).reshape(-1, 3)[:, 2] for tree in (one, other)]
    np.testing.assert_allclose(*deviances, atol=1e-9)


def test_a_regression_tree_grows_until_it_fits() -> None:
    dataset = sample("cpu.csv")
    model = model_from(dataset, Settings())
    measures = measure(model, dataset)
    assert isinstance(measures, Regression)
    # Rows with the same inputs and other targets cannot be told apart; all others fit.
    inputs = [tuple(row) for row in as_matrix(dataset)]
    assert dataset.target is not None
    left = sum(
        float(((y := dataset.target[[i == one for i in inputs]]) - y.mean()).__pow__(2).sum()) for one in set(inputs)
    )
    assert measures.rmse == pytest.approx((left / dataset.n_rows) ** 0.5, abs=1e-9)


def test_growing_reports_its_progress() -> None:
    shares: list[float] = []
    grow(sample("iris.csv"), Settings(), on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_the_sample_files_are_all_grown_from() -> None:
    for path in SAMPLE_DATA.iterdir():
        if path.suffix in (".csv", ".arff"):
            assert grow(sample(path.name), Settings.of(max_depth=2)).n_nodes > 1


def test_a_branch_for_each_of_300000_labels_takes_no_quadratic_time() -> None:
    # Each of the branches holds two rows: to look at every label in each of them would take 10^11 steps.
    n_labels = 300_000
    schema = Schema(
        (Attribute("a", "nominal", tuple(f"L{i}" for i in range(n_labels))), Attribute("x", "numeric")),
        Attribute("y", "nominal", ("p", "q")),
    )
    codes, x = np.repeat(np.arange(n_labels, dtype=np.int32), 2), np.tile([0.0, 1.0], n_labels)
    y = np.random.default_rng(1).integers(0, 2, 2 * n_labels).astype(np.int32)
    tree = grow(Dataset(schema, [codes, x], y, np.ones(2 * n_labels)), Settings.of(criterion="gain"), jobs=1)
    assert tree.n_branches[0] == n_labels
    assert tree.n_nodes > n_labels
