"""CHAID: merging, multipliers, p-values, and whole trees compared with another program and a plain implementation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import exp, inf, log, log10
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr
from scipy.stats import chi2 as chi2_distribution
from scipy.stats import chi2_contingency

from tests.conftest import Runner, examples
from tests.growing import FRACTIONS, UNIT_WEIGHTS, candidates_at_root, datasets, model_from, outline, sample
from tests.test_laws import assert_rules_agree
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.grow.candidates import Candidates
from treecli.grow.candidates import Test as ChiSquare
from treecli.grow.grow import grow
from treecli.grow.plan import plan_of
from treecli.intake import ReadOptions, read_training
from treecli.model import TreeModel
from treecli.models import decode, encode
from treecli.nominal._multiplier import log_multiplier
from treecli.predict.predict import distributions
from treecli.presets import settings_like
from treecli.settings import Settings

FIXTURES = Path(__file__).parent / "fixtures" / "chaid"

MERGED = Settings.of(criterion="chi2", nominal="merged", missing="branch")


def penguins() -> Dataset:
    return read_training(str(FIXTURES / "penguins.csv"), ReadOptions()).dataset


def one_attribute(kind: str, table: Sequence[Sequence[int]], missing: Sequence[int] | None = None) -> Dataset:
    """A row for each case of a table of label × class counts, and of missing values."""
    labels = tuple(f"l{code}" for code in range(len(table)))
    rows = [(code, label, n) for code, counts in enumerate(table) for label, n in enumerate(counts)]
    rows += [(-1, label, n) for label, n in enumerate(missing or ())]
    codes = np.repeat([row[0] for row in rows], [row[2] for row in rows]).astype(np.int32)
    target = np.repeat([row[1] for row in rows], [row[2] for row in rows]).astype(np.int32)
    classes = tuple("abcdef"[: len(table[0])])
    schema = Schema((Attribute("x", kind, labels),), Attribute("y", "nominal", classes))  # type: ignore[arg-type]
    return Dataset(schema, [codes], target, np.ones(len(codes)))


def groups_of(found: Candidates, n_labels: int) -> list[int]:
    assert found.table is not None
    return found.table[0, :n_labels].tolist()


# The ordinal ones are binomial coefficients; those of a floating category 714, and 28, 9, 8 without one, are printed in
# the vignette of the R package chaidr 0.1.0, as are 127, 1701, 266 and 524287 for nominal attributes.
@pytest.mark.parametrize(
    ("n_categories", "n_groups", "is_ordered", "is_floating", "multiplier"),
    [
        (5, 3, True, False, 6),
        (5, 3, False, False, 25),
        (5, 3, True, True, 12),
        (11, 5, True, True, 714),
        (9, 2, True, True, 15),
        (9, 3, True, False, 28),
        (10, 2, True, False, 9),
        (9, 2, True, False, 8),
        (4, 3, False, False, 6),
        (8, 2, False, False, 127),
        (8, 4, False, False, 1701),
        (8, 6, False, False, 266),
        (20, 2, False, False, 524287),
        (7, 7, False, False, 1),
        (7, 7, True, False, 1),
        (2, 2, True, True, 1),
    ],
)
def test_the_multiplier_counts_the_ways_to_merge(
    n_categories: int, n_groups: int, is_ordered: bool, is_floating: bool, multiplier: int
) -> None:
    found = log_multiplier(n_categories, n_groups, is_ordered=is_ordered, is_floating=is_floating)
    assert exp(found) == pytest.approx(multiplier, rel=1e-12)


def test_the_multiplier_of_a_thousand_labels_is_a_number() -> None:
    # By hand: S(n, 2) = 2^(n - 1) - 1, and S(n, n - 1) = n (n - 1) / 2.
    many = log_multiplier(1000, 2, is_ordered=False, is_floating=False)
    assert many == pytest.approx(999 * log(2), rel=1e-12)
    assert log_multiplier(1000, 999, is_ordered=False, is_floating=False) == pytest.approx(log(499500), rel=1e-10)


def test_labels_that_do_not_differ_are_merged_and_the_p_value_is_adjusted() -> None:
    # l0 and l2 are in proportion (statistic 0), so they are merged first, to (30, 15); then l1 and l3 with
    # 44 (10·11 - 12·11)² / (22·22·21·23) = 0.091, p 0.76, to (21, 23). Two groups are left.
    # Their statistic: 89 (30·23 - 15·21)² / (45·44·51·38) = 3.2616; p 0.070919; times S(4, 2) = 7: 0.49643.
    found = candidates_at_root(one_attribute("nominal", [(20, 10), (10, 12), (10, 5), (11, 11)]), 0, MERGED)
    assert groups_of(found, 4) == [0, 1, 0, 1]
    assert found.test.chi2[0] == pytest.approx(89 * (30 * 23 - 15 * 21) ** 2 / (45 * 44 * 51 * 38))
    assert found.test.p_values()[0] == pytest.approx(0.49643, abs=1e-5)


def test_only_neighbours_of_an_order_are_merged() -> None:
    # The same counts: l0 and l2 are no neighbours now. l1|l3 are none either; of the neighbours l2|l3 have
    # 37 (10·11 - 5·11)²/(15·22·21·16) = 1.009, l0|l1 52 (20·12 - 10·10)²/(30·22·30·22) = 2.340 and l1|l2
    # 37 (10·5 - 12·10)²/(22·15·20·17) = 1.616. After l2 and l3, (21, 16): l1 against it has
    # 59 (10·16 - 12·21)²/(22·37·31·28) = 0.707, and is merged: l0 stays alone.
    found = candidates_at_root(one_attribute("ordinal", [(20, 10), (10, 12), (10, 5), (11, 11)]), 0, MERGED)
    assert groups_of(found, 4) == [0, 1, 1, 1]
    assert exp(found.test.log_multiplier[0]) == pytest.approx(3)  # type: ignore[index] # C(3, 1)


@pytest.mark.parametrize(
    ("missing", "expected", "n_branches"),
    [
        ((9, 1), 0, 2),  # as the first group
        ((2, 18), 1, 2),
        ((20, 20), 2, 3),  # like neither
    ],
)
def test_missing_values_of_an_order_float(missing: tuple[int, int], expected: int, n_branches: int) -> None:
    dataset = one_attribute("ordinal", [(45, 5), (44, 6), (6, 44), (5, 45)], missing)
    found = candidates_at_root(dataset, 0, MERGED)
    assert groups_of(found, 4) == [0, 0, 1, 1]
    assert (found.missing_to[0], found.n_branches[0]) == (expected, n_branches)
    # I = 5 with the missing values: C(3, r - 2) + r C(3, r - 1) is 1 + 2·3 = 7 for two groups, 3 + 3·3 = 12 for three.
    assert exp(found.test.log_multiplier[0]) == pytest.approx(7 if n_branches == 2 else 12)  # type: ignore[index]


def test_missing_values_are_separated_from_known_ones() -> None:
    model = model_from(one_attribute("ordinal", [(20, 1)], (1, 20)), MERGED)
    assert outline(model) == ["all", "| x is known: 20 1", "| x is missing: 1 20"]


def test_groups_that_are_too_small_join_the_one_that_differs_least_from_them() -> None:
    # l2 with 4 cases differs from both others (p < 0.05), and less from l1.
    table = [(50, 0), (0, 50), (2, 2)]
    assert groups_of(candidates_at_root(one_attribute("nominal", table), 0, MERGED), 3) == [0, 1, 2]
    few = MERGED.changed(min_leaf=5.0)
    assert groups_of(candidates_at_root(one_attribute("nominal", [(50, 0), (10, 50), (2, 2)]), 0, few), 3) == [0, 1, 1]
    assert groups_of(candidates_at_root(one_attribute("nominal", table), 0, few), 3) == [0, 1, 0]  # a tie: the first


def test_two_groups_with_one_too_small_are_not_a_split() -> None:
    dataset = one_attribute("nominal", [(50, 0), (0, 4)])
    assert candidates_at_root(dataset, 0, MERGED.changed(min_leaf=5.0)).gain[0] == -inf


def test_merge_alpha_decides_what_is_merged() -> None:
    table = [(30, 20), (20, 30), (25, 25)]
    # l0|l1: 4.0, p 0.0455; the other pairs 1.0, p 0.317: first l0 and l2, to (55, 45).
    assert groups_of(candidates_at_root(one_attribute("nominal", table), 0, MERGED), 3) == [0, 1, 0]
    apart = MERGED.changed(merge_alpha=0.4)
    assert groups_of(candidates_at_root(one_attribute("nominal", table), 0, apart), 3) == [0, 1, 2]


# p-values by scipy 1.17's chi2_contingency without correction; Outlook's three labels and Temperature's are merged to
# two groups in S(3, 2) = 3 ways.
@pytest.mark.parametrize(
    ("attribute", "p", "adjusted"),
    [
        ("Outlook", 0.169766, 3 * 0.0777599),  # Overcast 4, 0 against 5, 5: 14·(4·5)²/(4·10·9·5) = 3.1111
        ("Temperature", 0.751875, 1.0),
        ("Humidity", 0.094264, 0.094264),
        ("Wind", 0.333998, 0.333998),
    ],
)
def test_p_values_of_the_fourteen_days(attribute: str, p: float, adjusted: float) -> None:
    dataset = sample("playtennis.csv")
    plain = candidates_at_root(dataset, attribute, Settings.of(criterion="chi2")).test.p_values()[0]
    assert plain == pytest.approx(p, abs=1e-6)
    found = candidates_at_root(dataset, attribute, MERGED).test
    if attribute == "Outlook":
        # Sunny (2, 3) and Rain (3, 2) differ by 0.4, less than either from Overcast.
        assert found.chi2[0] == pytest.approx(14 * 20**2 / (4 * 10 * 9 * 5))
    assert found.p_values()[0] == pytest.approx(adjusted, abs=2e-5)


def test_the_criterion_takes_the_smallest_p_value() -> None:
    dataset = sample("playtennis.csv")
    tree = grow(dataset, Settings.of(criterion="chi2", max_depth=1))
    assert dataset.schema.attributes[tree.attribute[0]].name == "Humidity"
    assert tree.score[0] == pytest.approx(-log10(0.094264), abs=1e-5)
    # Nothing is significant at 5 %.
    assert grow(dataset, settings_like("chaid")).n_nodes == 1


def test_underflowing_p_values_are_distinguished() -> None:
    # Both p-values are 0 in doubles; the second attribute parts the classes without an error.
    n = 4000
    target = np.repeat([0, 1], n // 2).astype(np.int32)
    almost = target.copy()
    almost[:20] = 1
    attributes = tuple(Attribute(name, "nominal", ("u", "v")) for name in ("almost", "all"))
    schema = Schema(attributes, Attribute("y", "nominal", ("a", "b")))
    tree = grow(Dataset(schema, [almost, target.copy()], target, np.ones(n)), Settings.of(criterion="chi2"))
    assert tree.attribute[0] == 1
    # The p-value of one degree of freedom is twice the tail of the normal distribution beyond the root.
    assert tree.score[0] == pytest.approx(-(log(2) + log_ndtr(-(4000**0.5))) / log(10), rel=1e-9)


def test_equal_p_values_are_ranked_by_the_statistic() -> None:
    # Both are 1: 3 labels merged to 2 and a weak difference; the second attribute's statistic is larger.
    first = one_attribute("nominal", [(10, 10), (10, 11), (10, 10)])
    second = one_attribute("nominal", [(10, 10), (9, 12), (11, 9)])
    attributes = (first.schema.attributes[0], replace(second.schema.attributes[0], name="z"))
    order = np.argsort(first.target, kind="stable"), np.argsort(second.target, kind="stable")  # type: ignore[arg-type]
    assert first.target is not None
    dataset = Dataset(
        Schema(attributes, first.schema.target),
        [first.columns[0][order[0]], second.columns[0][order[1]]],
        first.target[order[0]],
        first.weights,
    )
    both = [candidates_at_root(dataset, a, MERGED).test for a in (0, 1)]
    assert [test.p_values()[0] for test in both] == [1.0, 1.0]
    assert both[0].chi2[0] < both[1].chi2[0]
    assert grow(dataset, MERGED.changed(max_depth=1)).attribute[0] == 1


@pytest.mark.parametrize("freedom", [1, 2, 7, 400])
@pytest.mark.parametrize("statistic", [0.0, 1e-9, 0.5, 3.0, 50.0, 401.0, 1200.0])
def test_logarithms_of_p_values_are_those_of_scipy(statistic: float, freedom: int) -> None:
    found = ChiSquare(np.array([statistic]), np.array([freedom])).log_p_values()[0]
    assert found == pytest.approx(chi2_distribution.logsf(statistic, freedom), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("statistic", [1500.0, 5000.0, 1e6, 1e12])
def test_logarithms_of_p_values_go_on_where_p_values_end(statistic: float) -> None:
    # Of two degrees of freedom p = exp(-x / 2); of one see above.
    found = ChiSquare(np.full(2, statistic), np.array([1, 2])).log_p_values()
    assert found.tolist() == pytest.approx([log(2) + log_ndtr(-(statistic**0.5)), -statistic / 2], rel=1e-12)


# The tree that the R package chaidr 0.1.0 prints for R's penguins (Gorman, Williams and Fraser 2014; CC0) in its
# vignette, with min_parent = 30, min_child = 10 and depth 3 at most; island, sex and year, which it has too, win
# nowhere. It leaves bins without a case out of its wording: (41.8, 47.3] | > 49.3 is > 41.8 here, and <= 45.9 against
# > 47.3 is <= 47.3 and > 47.3.
def test_the_tree_of_the_penguins_is_chaidrs() -> None:
    learner = settings_like("chaid").changed(min_split=30.0, min_leaf=10.0, max_depth=3)
    model = model_from(penguins(), learner)
    assert outline(model) == [
        "all",
        "| flipper_len <= 190",
        "| | bill_len <= 40.1 or missing: 70 0 0",
        "| | 40.1 < bill_len <= 41.8: 12 0 1",
        "| | bill_len > 41.8: 2 0 14",
        "| 190 < flipper_len <= 196",
        "| | bill_len <= 44.4 or missing: 43 0 0",
        "| | bill_len > 44.4: 2 0 22",
        "| 196 < flipper_len <= 202",
        "| | bill_len <= 47.3 or missing: 18 0 2",
        "| | bill_len > 47.3: 0 0 18",
        "| 202 < flipper_len <= 214 or missing",
        "| | bill_dep <= 17.8: 0 44 0",
        "| | bill_dep > 17.8 or missing: 5 1 11",
        "| flipper_len > 214: 0 79 0",
    ]
    adjusted = [10 ** -model.tree.score[node] for node in model.tree.inner_nodes()]
    assert adjusted == pytest.approx([2.484038e-63, 2.915163e-16, 1.66e-13, 2.31e-07, 9.690029e-12], rel=5e-3)
    assert adjusted[0] == pytest.approx(2.484038e-63, rel=1e-6)
    assert adjusted[-1] == pytest.approx(9.690029e-12, rel=1e-6)


# chaidr's Japanese vignette has R's Titanic, with the sizes that SPSS has by default.
def test_the_tree_of_the_titanic_is_chaidrs() -> None:
    learner = settings_like("chaid").changed(min_split=100.0, min_leaf=50.0, max_depth=3)
    model = model_from(sample("titanic.csv", weights="Count"), learner)
    assert outline(model) == [
        "all",
        "| Sex = Male or missing",
        "| | Age = Child: 29 35",
        "| | Age = Adult or missing",
        "| | | Class = 1st: 57 118",
        "| | | Class = 2nd: 14 154",
        "| | | Class = 3rd: 75 387",
        "| | | Class = Crew or missing: 192 670",
        "| Sex = Female",
        "| | Class = 1st: 141 4",
        "| | Class in {2nd, Crew}: 113 16",
        "| | Class = 3rd or missing: 90 106",
    ]
    adjusted = [10 ** -model.tree.score[node] for node in model.tree.inner_nodes()]
    assert adjusted == pytest.approx([2.3e-101, 1.52e-06, 2.51e-28, 2.84e-08], rel=3e-3)


class Plain:
    """A readable implementation of merging: every pair is tested each time, with scipy."""

    def __init__(self, table: dict[int, np.ndarray], *, is_ordered: bool, missing: np.ndarray | None) -> None:
        self.is_ordered = is_ordered
        self.rows = dict(table)
        self.missing = missing
        if missing is not None and not is_ordered:
            self.rows[max(table, default=-1) + 1] = missing

    @staticmethod
    def p(rows: Sequence[np.ndarray]) -> float:
        table = np.array(rows)
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        return float(chi2_contingency(table, correction=False).pvalue) if min(table.shape) > 1 else 1.0

    def pooled(self, group: tuple[int, ...]) -> np.ndarray:
        return np.sum([self.rows[code] for code in group], axis=0)

    def merged(self, alpha: float) -> tuple[list[tuple[int, ...]], int | None]:
        """The groups, and that of the missing values of an order: None where they have their own."""
        groups: list[tuple[int, ...]] = [(code,) for code in sorted(self.rows)]
        while len(groups) > 2:
            pairs = pairwise(groups) if self.is_ordered else combinations(groups, 2)
            tested = [(self.p([self.pooled(a), self.pooled(b)]), a, b) for a, b in pairs]
            most = max(p for p, _, _ in tested)
            if most <= alpha:
                break
            _, first, second = next(pair for pair in tested if pair[0] >= most * (1 - 1e-9))
            groups = sorted([tuple(sorted(first + second)), *(g for g in groups if g not in (first, second))])
        if not self.is_ordered or self.missing is None or len(groups) < 2:
            return groups, None
        alike = [self.p([self.pooled(group), self.missing]) for group in groups]
        nearest = next(i for i, p in enumerate(alike) if p >= max(alike) * (1 - 1e-9))
        rows = [self.pooled(group) for group in groups]
        joined = [row + self.missing if i == nearest else row for i, row in enumerate(rows)]
        return groups, nearest if self.p(joined) <= self.p([*rows, self.missing]) * (1 + 1e-9) else None


@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
@pytest.mark.parametrize("with_missing", [False, True])
@settings(max_examples=examples(60))
@given(data=st.data())
def test_merging_agrees_with_a_plain_implementation(kind: str, with_missing: bool, data: st.DataObject) -> None:
    dataset = data.draw(
        datasets(
            [kind],
            n_classes=st.integers(2, 4),
            weights=data.draw(st.sampled_from([UNIT_WEIGHTS, FRACTIONS])),
            with_missing=with_missing,
            n_labels=st.integers(2, 9),
            rows=(2, 60),
        )
    )
    alpha = data.draw(st.sampled_from([0.01, 0.05, 0.3]))
    learner = MERGED.changed(merge_alpha=alpha, min_leaf=0.25)
    found = candidates_at_root(dataset, 0, learner)
    counts = np.zeros((len(dataset.schema.attributes[0].labels) + 1, len(dataset.schema.target.labels)))
    np.add.at(counts, (dataset.columns[0], dataset.target), dataset.weights)  # type: ignore[arg-type] # -1 is the last row
    known = {code: row for code, row in enumerate(counts[:-1]) if row.sum() > 0}
    missing = counts[-1] if counts[-1].sum() > 0 else None
    groups, floats_to = Plain(known, is_ordered=kind == "ordinal", missing=missing).merged(alpha)
    if not known or len(groups) < 2 or np.count_nonzero(counts.sum(axis=0)) < 2:
        return
    table = groups_of(found, len(counts) - 1)
    for number, group in enumerate(groups):
        for code in group:
            assert (table[code] if code in known else found.missing_to[0]) == number
    if kind == "ordinal" and missing is not None:
        assert found.missing_to[0] == (len(groups) if floats_to is None else floats_to)


def plain_choice(dataset: Dataset, rows: np.ndarray) -> tuple[int, float, list[np.ndarray]]:
    """The nominal attribute of the smallest adjusted p-value, that value, and the rows of each branch."""
    assert dataset.target is not None
    best: tuple[int, float, list[np.ndarray]] = (-1, inf, [])
    for attribute, column in enumerate(dataset.columns):
        table = {
            int(code): np.bincount(dataset.target[rows][column[rows] == code], minlength=2)
            for code in np.unique(column[rows])
        }
        if len(table) < 2:
            continue
        missing = table.pop(-1, None)
        plain = Plain(table, is_ordered=False, missing=missing)
        groups, _ = plain.merged(0.05)
        ways = exp(log_multiplier(len(plain.rows), len(groups), is_ordered=False, is_floating=False))
        p = min(1.0, ways * plain.p([plain.pooled(group) for group in groups]))
        if p < best[1] * (1 - 1e-9):
            codes = [[-1 if missing is not None and c == max(plain.rows) else c for c in g] for g in groups]
            best = attribute, p, [rows[np.isin(column[rows], group)] for group in codes]
    return best


def test_the_tree_of_the_votes_agrees_with_a_plain_implementation() -> None:
    dataset = sample("vote.arff")
    assert dataset.target is not None
    learner = settings_like("chaid").changed(min_leaf=1.0, min_split=20.0)
    tree = grow(dataset, learner)
    pending = [(0, np.arange(dataset.n_rows))]
    n_inner = 0
    while pending:
        node, rows = pending.pop()
        counts = np.bincount(dataset.target[rows], minlength=2)
        assert list(tree.outcomes_of(node)) == counts.tolist()
        attribute, p, branches = (-1, inf, []) if len(rows) < 20 or counts.min() == 0 else plain_choice(dataset, rows)
        if p > 0.05:
            assert tree.is_leaf(node)
            continue
        n_inner += 1
        assert tree.attribute[node] == attribute
        assert tree.score[node] == pytest.approx(-log10(p), rel=1e-8)
        pending += list(zip(tree.children(node), branches, strict=True))
    assert n_inner >= 3


@settings(max_examples=examples(50))
@given(
    datasets(
        ["numeric", "nominal", "ordinal"],
        n_classes=st.integers(2, 4),
        weights=FRACTIONS,
        with_missing=True,
        rows=(2, 40),
    ),
    st.sampled_from(["frequency:3", "width:4", "mdlp", "none"]),
    st.sampled_from(["merged", "multiway"]),
    st.sampled_from(["branch", "fractional", "majority", "stay", "surrogate"]),
)
def test_a_saved_tree_of_bins_sends_cases_where_growing_sent_them(
    dataset: Dataset, discretize: str, nominal: str, missing: str
) -> None:
    learner = Settings.of(criterion="chi2", nominal=nominal, discretize=discretize, missing=missing, min_leaf=0.25)
    model = model_from(dataset, learner)
    loaded = decode(b"".join(encode(model)), "model.json")
    assert loaded.tree == model.tree
    if missing != "branch":  # others send missing values by what came after them
        dataset = dataset.take(np.flatnonzero(~np.isnan(dataset.columns[0]) & (dataset.columns[1] >= 0)))
        dataset = dataset.take(np.flatnonzero(dataset.columns[2] >= 0))
        if not dataset.n_rows:
            return
        model = model_from(dataset, learner)
    assert_leaves_hold_what_reaches_them(model, dataset)
    if missing in ("branch", "majority"):
        assert_rules_agree(model, dataset)


def assert_leaves_hold_what_reaches_them(model: TreeModel, dataset: Dataset) -> None:
    from treecli.predict.predict import arrivals

    np.testing.assert_allclose(
        arrivals(model, dataset), np.array(model.tree.outcomes).reshape(model.tree.n_nodes, -1), atol=1e-9
    )
    assert np.allclose(distributions(model, dataset).sum(axis=1), 1.0)


@pytest.mark.parametrize("criterion", ["gain", "gainratio", "gini"])
def test_labels_may_be_merged_under_any_criterion_for_classes(criterion: str) -> None:
    dataset = sample("titanic.csv", weights="Count")
    tree = grow(dataset, Settings.of(criterion=criterion, nominal="merged", max_depth=1))
    assert dataset.schema.attributes[tree.attribute[0]].name == "Sex"


@pytest.mark.parametrize(
    "changes",
    [
        {"nominal": "merged"},
        {"criterion": "chi2"},
        {"discretize": "mdlp"},
        {"criterion": "absolute", "discretize": "width:3"},
    ],
)
def test_options_for_classes_are_refused_for_a_numeric_target(changes: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        plan_of(Settings.of(**changes), sample("cpu.csv"))  # type: ignore[arg-type]
    assert caught.value.hint


def test_a_numeric_target_may_have_bins_too() -> None:
    tree = grow(sample("cpu.csv"), Settings.of(discretize="frequency:4", max_depth=1))
    assert tree.n_nodes == 5


def test_one_thousand_labels_are_merged_in_no_time() -> None:
    random = np.random.default_rng(3)
    n = 20_000
    codes = random.integers(0, 1000, n).astype(np.int32)
    target = (random.random(n) < np.where(codes < 500, 0.2, 0.8)).astype(np.int32)
    labels = tuple(map(str, range(1000)))
    schema = Schema((Attribute("x", "nominal", labels),), Attribute("y", "nominal", ("a", "b")))
    found = candidates_at_root(Dataset(schema, [codes], target, np.ones(n)), 0, MERGED)
    assert found.n_branches[0] < 20
    assert np.isfinite(found.test.log_p_values()[0])


@pytest.mark.parametrize(
    "prune", [(), ("--prune", "pessimistic"), ("--prune", "mdl"), ("--prune", "cost-complexity", "--leaves", "9")]
)
def test_a_tree_of_bins_is_pruned_shown_and_put_into_rules(
    treecli: Runner, tmp_path: Path, prune: tuple[str, ...]
) -> None:
    data = str(FIXTURES / "penguins.csv")
    small = ("--like", "chaid", "--min-leaf", "2", "--min-split", "4", "--chi2-alpha", "0.5")
    code, out, err = treecli("train", data, *small, *prune, "-o", "model.json")
    assert code == 0, err
    assert "flipper_len <= 214" in out
    code, shown, _ = treecli("show", "model.json")
    assert (code, "< flipper_len <=" in shown) == (0, True)
    code, rules, _ = treecli("rules", "model.json")
    assert (code, "IF" in rules) == (0, True)
    code, measured, _ = treecli("evaluate", "model.json", data, "--format", "json")
    assert json.loads(measured)["errors"] <= 25
    code, _, err = treecli("prune", "model.json", "--method", "pessimistic", "--data", data, "-o", "pruned.json")
    assert code == 0, err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("freqency:3", "frequency"),
        ("frequency", "frequency:10"),
        ("frequency:1", "frequency:10"),
        ("width:x", "width:10"),
        ("mdlp:3", "--discretize mdlp"),
    ],
)
def test_bins_that_make_no_sense_are_refused(treecli: Runner, given: str, said: str) -> None:
    code, _, err = treecli("train", str(FIXTURES / "penguins.csv"), "--discretize", given, "-o", "model.json")
    assert code == 2
    assert f"'{given.partition(':')[0]}" in err
    assert said in err.partition("Hint: ")[2]


def test_merge_alpha_and_bins_reach_the_learner(treecli: Runner, tmp_path: Path) -> None:
    options = ("--nominal", "merged", "--merge-alpha", "0.2", "--discretize", "width:4", "--criterion", "chi2")
    code, out, err = treecli("train", str(FIXTURES / "penguins.csv"), *options, "--max-depth", "1", "-o", "model.json")
    assert code == 0, err
    chosen = json.loads((tmp_path / "model.json").read_text())["settings"]
    assert (chosen["merge_alpha"], chosen["discretize"], chosen["nominal"]) == (0.2, "width:4", "merged")
    # Flippers are 172 to 231 mm long: 59 / 4 = 14.75.
    assert "186.75 < flipper_len <= 201.5" in out
