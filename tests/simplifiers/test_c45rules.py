from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations
from math import factorial, log2, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import example_models
from tests.conftest import examples
from tests.datasets import dataset_of
from tests.growing import FRACTIONS, continuous, datasets, model_from, sample
from tests.rows import holds, rows
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import DataError, UsageError
from treecli.model import TreeModel
from treecli.rules.boxes import Space
from treecli.rules.from_tree import Paths
from treecli.rules.rule import BY_CONDITION, Rule, wording
from treecli.rules.rulelist import RuleList, of_tree
from treecli.settings import Settings
from treecli.simplifiers import Simplified
from treecli.simplifiers._arrangement import default_label, harmful, in_order
from treecli.simplifiers._description import Alphabet, exception_bits
from treecli.simplifiers._generalize import Generalized, Generalizer
from treecli.simplifiers._selection import Candidates
from treecli.simplifiers.c45rules import simplify
from treecli.splits import multiway
from treecli.values import Condition, Interval, Labels

Selection = tuple[list[set[int]], list[float], list[float], set[int]]
"""The rows that each rule covers, its bits, the weights of the rows, and those of the class."""

FULL = Settings.of(criterion="gainratio")


def of_data(dataset: Dataset, seed: int = 0, settings: Settings = FULL) -> Simplified:
    """The rules of the full tree of the data, simplified on them."""
    model = model_from(dataset, settings)
    return simplify(model, of_tree(model), dataset, seed)


def texts(simplified: Simplified) -> list[str]:
    """The rules as a person reads them, the default last."""
    rules = simplified.rules
    everyone = (*rules.rules, rules.default)
    return [
        f"{wording(rule.conditions, rules.schema) or 'DEFAULT'}: {rules.schema.target.labels[rule.label or 0]} "
        f"{rule.correct:g}/{rule.covered:g}"
        for rule in everyone
    ]


def pessimistic(weight: float, errors: float) -> float:
    """The share of errors that C4.5 expects at a confidence of 0.25, for no error or whole ones, as Quinlan has it."""
    if errors == 0:
        return 1 - 0.25 ** (1 / weight)
    if errors + 0.5 >= weight:
        return (errors + 0.67 * (weight - errors)) / weight
    c, f = 0.6925**2, errors + 0.5
    return (f + c / 2 + sqrt(c * (f * (1 - f / weight) + c / 4))) / (weight + c)


def test_the_rules_of_playtennis_are_those_worked_out_by_hand() -> None:
    simplified = of_data(sample("playtennis.csv"))
    # Sunny and High -> No: 3 of 3 right, 0.3700; without High 5/2 0.6479, without Sunny 7/3 0.6266: stays whole.
    # Sunny and Normal -> Yes: 2/0 is 0.5; without Sunny 7/1 is 0.3381, without Normal 5/3 is 0.8192: Sunny goes.
    # Without Normal too 14/5 is 0.4854: stays.
    # Overcast -> Yes: 4/0 is 0.2929, and nothing may be dropped but all.
    # Rain and Weak -> Yes: 3/0 is 0.3700, which is just below 1 - (9 + 1) / (14 + 2) = 0.375; without Rain 8/2 0.4338.
    # Rain and Strong -> No: 2/0 is 0.5, below 1 - (5 + 1) / 16 = 0.625; without Rain 6/3 0.7114, without Strong 5/3.
    dropped = [step for step in simplified.steps if step.action == "condition dropped"]
    assert [(step.rules, step.condition) for step in dropped] == [((2,), "Outlook = Sunny")]
    assert dropped[0].error_before == pytest.approx(pessimistic(2, 0))
    assert dropped[0].error_after == pytest.approx(pessimistic(7, 1))
    assert dropped[0].error_after == pytest.approx(0.3381, abs=5e-5)
    # No class has a false positive but Yes, for which Normal covers the sixth day, so No comes first; in a class the
    # least expected error first. Nothing is left to the default.
    assert texts(simplified) == [
        "Outlook = Sunny AND Humidity = High: No 3/3",
        "Outlook = Rain AND Wind = Strong: No 2/2",
        "Outlook = Overcast: Yes 4/4",
        "Humidity = Normal: Yes 4/4",
        "Outlook = Rain AND Wind = Weak: Yes 1/1",
        "DEFAULT: Yes 0/0",
    ]


def test_the_rules_of_the_first_monk_have_no_irrelevant_conditions() -> None:
    # The robot is 1 if its jacket is red (a5 = 1) or its head and body have the same shape (a1 = a2). Of 432 robots 12
    # have a5 = 2 and both shapes round; 48 have both shapes round.
    simplified = of_data(sample("monks-1.arff"))
    second = next(step for step in simplified.steps if step.rules == (2,))
    assert (second.action, second.condition) == ("condition dropped", "a5 = 2")
    assert second.error_before == pytest.approx(1 - 0.25 ** (1 / 12))
    assert second.error_after == pytest.approx(1 - 0.25 ** (1 / 48))
    merged = [step.rules for step in simplified.steps if step.action == "merged"]
    assert merged == [(2, 11), (6, 15), (10, 19), (2, 20), (6, 24), (10, 28)]
    assert [text for text in texts(simplified) if ": 1 " in text] == [
        "a5 = 1: 1 108/108",
        "a1 = 1 AND a2 = 1: 1 36/36",
        "a1 = 2 AND a2 = 2: 1 36/36",
        "a1 = 3 AND a2 = 3: 1 36/36",
    ]
    # Each of 18 rules for 0 covers 12 robots; no condition of them can go.
    assert sum(text.endswith("0 12/12") for text in texts(simplified)) == 18


def test_the_rules_of_the_third_monk_drop_conditions_that_a_fifth_attribute_decides() -> None:
    # 1 if a5 = 3 and a4 = 1, or if a5 is not 4 and a2 is not 3. Each value of a5 has 108 robots, 36 with each a2.
    simplified = of_data(sample("monks-3.arff"))
    fourth = next(step for step in simplified.steps if step.rules == (4,))
    assert (fourth.condition, fourth.result) == ("a2 = 1", None)
    assert fourth.error_before == pytest.approx(pessimistic(36, 0))
    assert fourth.error_after == pytest.approx(pessimistic(108, 0))
    assert texts(simplified)[0] == "a5 = 4: 0 108/108"
    # 36 robots with a5 = 3 and a4 = 1, 24 of which the rules above, of the same estimated error, took.
    assert texts(simplified)[-2:] == ["a5 = 3 AND a4 = 1: 1 12/12", "DEFAULT: 1 0/0"]


def test_a_bound_that_goes_leaves_the_wider_one_of_the_path() -> None:
    # The path to the fifth leaf of iris asks petallength > 2.45, petalwidth <= 1.75, petallength > 4.95,
    # petalwidth > 1.55, sepallength <= 6.95. What remains of two bounds is the other one.
    steps = [(s.action, s.condition, s.result) for s in of_data(sample("iris.csv")).steps if s.rules == (5,)]
    assert steps[:2] == [
        ("condition widened", "petallength > 4.95", "petallength > 2.45"),
        ("condition widened", "1.55 < petalwidth <= 1.75", "petalwidth <= 1.75"),
    ]


def test_a_list_from_a_file_loses_single_bounds() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("a", "b")))
    dataset = dataset_of(schema, [[x, "a" if x > 2 else "b"] for x in range(10)])
    given = RuleList(schema, Settings(), (), (Rule((Interval(0, 2.5, 6.5),), label=0),), Rule((), label=1))
    simplified = simplify(None, given, dataset)
    # 4/0 is expected to err on 1 - 0.25^(1/4), without the upper bound 7/0 on 1 - 0.25^(1/7).
    (step,) = (step for step in simplified.steps if step.action == "condition widened")
    assert (step.condition, step.result) == ("2.5 < x <= 6.5", "x > 2.5")
    assert (step.error_before, step.error_after) == pytest.approx((1 - 0.25**0.25, 1 - 0.25 ** (1 / 7)))
    assert texts(simplified) == ["x > 2.5: a 7/7", "DEFAULT: b 3/3"]


def test_a_missing_value_satisfies_no_condition() -> None:
    schema = Schema((Attribute("k", "nominal", ("p", "q")),), Attribute("y", "nominal", ("a", "b")))
    known = [["p", "a"]] * 5 + [["q", "b"]] * 4
    simplified = of_data(dataset_of(schema, [*known, [None, "b"], [None, "b"]]))
    assert texts(simplified) == ["k = p: a 5/5", "k = q: b 4/4", "DEFAULT: b 2/2"]


def test_a_rule_no_better_than_a_guess_goes() -> None:
    # Each leaf of the tree is as mixed as all cases: 4/2 is expected to err on 0.7706, above 1 - (4 + 1) / (8 + 2).
    schema = Schema((Attribute("k", "nominal", ("p", "q")),), Attribute("y", "nominal", ("a", "b")))
    dataset = dataset_of(schema, [[k, y] for k in "pq" for y in "aabb"])
    model = example_models.model_of(schema, example_models.Inner(multiway.Split(0, 2), ((2.0, 2.0), (2.0, 2.0))))
    simplified = simplify(model, of_tree(model), dataset)
    assert texts(simplified) == ["DEFAULT: a 4/8"]
    # All cases are 8/4, which is expected to err less than 4/2, so the only condition went first.
    assert [(s.action, s.result) for s in simplified.steps][:2] == [
        ("condition dropped", None),
        ("rule dropped", "no condition is left"),
    ]


@pytest.mark.parametrize(
    ("covered", "false_positives", "false_negatives", "bits"),
    [
        # Of 14 cases: log2 14 and the bits of errors among those covered and among the others.
        (4, 1, 2, 14.4021),
        (9, 0, 0, 3.8074),
        (9, 2, 2, 15.5399),
        (0, 0, 0, 3.8074),
    ],
)
def test_exceptions_take_as_many_bits_as_in_quinlan(
    covered: float, false_positives: float, false_negatives: float, bits: float
) -> None:
    columns = (np.array([n], float) for n in (covered, false_positives, false_negatives))
    assert exception_bits(14.0, *columns)[0] == pytest.approx(bits, abs=5e-5)


def test_a_rule_takes_as_many_bits_as_its_tests() -> None:
    # PlayTennis: Outlook is 5, 4, 5 of 14, Temperature 4, 6, 4, Humidity 7, 7 and Wind 8, 6: entropies of 1.5774,
    # 1.5567, 1 and 0.9852 bits. Which of the four is asked about takes the entropy of their shares, 1.9633 bits.
    alphabet = Alphabet(sample("playtennis.csv"))
    outlook, humidity = Labels.of(0, (0,)), Labels.of(2, (1,))
    assert alphabet.rule_bits([outlook]) == pytest.approx(1.9633 + 1.5774, abs=1e-4)
    # Two tests: log2 2 bits for their number, and log2 2! less for their order.
    assert alphabet.rule_bits([outlook, humidity]) == pytest.approx(2 * 1.9633 + 1.5774 + 1, abs=1e-4)
    # A set of labels takes a bit for each label there is.
    assert alphabet.rule_bits([Labels.of(0, (0, 2))]) == pytest.approx(1.9633 + 3, abs=1e-4)


def test_a_threshold_takes_half_the_logarithm_of_the_values() -> None:
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "nominal", ("a", "b")))
    alphabet = Alphabet(dataset_of(schema, [[x, "a"] for x in (1.0, 1.0, 2.0, 3.0, 4.0, None)]))
    # One attribute, four values, two sides.
    assert alphabet.rule_bits([Interval(0, 1.5)]) == pytest.approx(1 + log2(4) / 2)


def description(
    subset: Sequence[int], covered: Sequence[set[int]], bits: Sequence[float], weights: Sequence[float], own: set[int]
) -> float:
    """The length of a description, from the definition."""
    total = sum(weights)

    def heavy(some: set[int]) -> float:
        return sum(weights[row] for row in some)

    def biased(n: float, e: float, x: float) -> float:
        if x < 1e-6:
            return 0 if e < 1e-6 else 1e6
        if x > n - 1e-6:
            return 0 if e > n - 1e-6 else 1e6
        return -e * log2(x / n) - (n - e) * log2(1 - x / n)

    union = set(chain.from_iterable(covered[rule] for rule in subset))
    f, fp, fn = heavy(union), heavy(union - own), heavy(own - union)
    x1, x2 = ((fp + fn) / 2, fn) if f > total / 2 else (fp, (fp + fn) / 2)
    exceptions = log2(total) + biased(f, fp, x1) + biased(total - f, fn, x2)
    return (sum(bits[rule] for rule in subset) - log2(factorial(len(subset)))) / 2 + exceptions


@st.composite
def selections(draw: st.DrawFn, n_rules: st.SearchStrategy[int]) -> Selection:
    n_rows = draw(st.integers(2, 30))
    some = st.sets(st.integers(0, n_rows - 1))
    covered = [draw(some) for _ in range(draw(n_rules))]
    bits = [draw(st.integers(1, 40)) / 4 for _ in covered]
    weights = [draw(FRACTIONS) for _ in range(n_rows)]
    return covered, bits, weights, draw(some)


def candidates(covered: list[set[int]], bits: list[float], weights: list[float], own: set[int]) -> Candidates:
    has_label = np.isin(np.arange(len(weights)), list(own))
    return Candidates([np.array(sorted(r), np.int64) for r in covered], bits, np.array(weights), has_label)


@given(selections(st.integers(1, 6)))
@settings(max_examples=examples(60))
def test_of_few_rules_the_very_best_subset_is_found(
    selection: Selection,
) -> None:
    found = candidates(*selection).best(0)
    every = range(len(selection[0]))
    subsets = chain.from_iterable(combinations(every, n) for n in range(len(every) + 1))
    shortest = min(description(subset, *selection) for subset in subsets)
    assert description(found, *selection) == pytest.approx(shortest, abs=1e-5)


@given(selections(st.integers(11, 14)), st.integers(0, 3))
@settings(max_examples=examples(60))
def test_of_many_rules_no_change_of_one_makes_the_subset_better(selection: Selection, seed: int) -> None:
    found = set(candidates(*selection).best(seed))
    length = description(sorted(found), *selection)
    for rule in range(len(selection[0])):
        assert description(sorted(found ^ {rule}), *selection) >= length - 1e-5
    # A search that sets out from no rule at all ends below that.
    assert length <= description([], *selection) + 1e-5


@pytest.mark.parametrize("case", [13, 25, 50])
@pytest.mark.parametrize("seed", range(3))
def test_the_search_finds_the_shortest_description_where_one_round_does_not(case: int, seed: int) -> None:
    random = np.random.default_rng(case)
    own = set(np.flatnonzero(random.random(40) < 0.5).tolist())
    covered = [set(np.flatnonzero(random.random(40) < 0.25).tolist()) for _ in range(11)]
    bits, weights = (random.integers(1, 16, 11) / 4).tolist(), [1.0] * 40
    found = candidates(covered, bits, weights, own).best(seed)
    every = chain.from_iterable(combinations(range(11), n) for n in range(12))
    shortest = min(description(subset, covered, bits, weights, own) for subset in every)
    assert description(found, covered, bits, weights, own) == pytest.approx(shortest, abs=1e-5)


def generalized(tests: Sequence[Condition], label: int, dataset: Dataset) -> tuple[list[Condition], float]:
    """The rest of a rule, and its expected error, row by row from the definition."""
    assert dataset.target is not None
    cases = list(zip(map(tuple, _rows_of(dataset)), dataset.target.tolist(), dataset.weights.tolist(), strict=True))

    def errors(conditions: Sequence[Condition]) -> tuple[float, float]:
        weights = [(w, w * (y != label)) for row, y, w in cases if holds(conditions, row, "missing")]
        total, wrong = (sum(column) for column in zip(*weights, strict=True)) if weights else (0, 0)
        right = sum(w for _, y, w in cases if y == label)
        default = 1 - (right + 1) / (sum(w for *_, w in cases) + 2)
        return (pessimistic(total, wrong), wrong / total) if total else (default, 0.0)

    left = list(tests)
    while left:
        now = errors(left)
        without = [errors(left[:i] + left[i + 1 :]) for i in range(len(left))]
        if not any(pess <= now[0] + 1e-9 or seen <= now[1] + 1e-9 for pess, seen in without):
            break
        least = min(pess for pess, _ in without)
        del left[max(i for i, (pess, _) in enumerate(without) if pess <= least + 1e-9)]
    return left, errors(left)[0]


def _rows_of(dataset: Dataset) -> Iterator[list[float | None]]:
    for row in range(dataset.n_rows):
        values = [float(column[row]) for column in dataset.columns]
        yield [
            None if value != value or (not attribute.is_numeric and value < 0) else value
            for attribute, value in zip(dataset.schema.attributes, values, strict=True)
        ]


@given(datasets(("numeric", "nominal", "ordinal"), n_classes=st.integers(2, 3), with_missing=True, rows=(8, 40)))
@settings(max_examples=examples(60))
def test_conditions_are_dropped_as_in_a_plain_implementation(dataset: Dataset) -> None:
    model = model_from(dataset, FULL)
    rules = of_tree(model)
    generalizer, paths = Generalizer(rules, dataset), Paths(model)
    for number, rule in enumerate(rules.rules, start=1):
        assert rule.leaf is not None
        assert rule.label is not None
        tests = paths.to_end_at(rule.leaf)
        found, steps = generalizer.generalized(number, rule.label, tests)
        kept, error = generalized(tests, rule.label, dataset)
        assert list(found.tests) == kept
        assert found.error == pytest.approx(error)
        members = [i for i, row in enumerate(_rows_of(dataset)) if holds(kept, tuple(row), "missing")]
        assert found.rows.tolist() == members
        if steps:
            assert steps[-1].error_after is not None


@given(example_models.models(is_classification=True))
@settings(max_examples=examples(60))
def test_the_tests_of_a_path_are_equivalent_to_the_rule(model: TreeModel) -> None:
    # Also at an inner node, where rows with a missing value stay.
    paths, space = Paths(model), Space(model.schema, tells_unseen=model.settings.predicting.unseen == BY_CONDITION)
    for rule in of_tree(model).rules:
        assert rule.leaf is not None
        assert space.box(paths.to_end_at(rule.leaf)) == space.box(rule.conditions)


def test_classes_with_fewer_false_positives_come_first_and_sure_rules_before_others() -> None:
    target = np.array([0, 0, 1, 1, 1, 2], np.int32)
    made = [
        Generalized(1, 0, (), np.array([0, 1, 2]), 0.4),
        Generalized(2, 1, (), np.array([2, 3]), 0.3),
        Generalized(3, 1, (), np.array([4]), 0.2),
        Generalized(4, 2, (), np.array([0, 1, 5]), 0.1),
    ]
    ordered = in_order(made, target, np.ones(6))
    # Class 1 has no false positive, class 0 has one until the third row is taken by class 1, class 2 has two.
    assert [rule.number for rule in ordered] == [3, 2, 1, 4]
    weights = np.array([1, 1, 9, 9, 9, 1.0])
    # Nobody covers the rows that are left out here; as one is heavier, its class is the default.
    assert default_label(made[:1], target, weights, 3) == 1
    assert default_label(made, target, weights, 3) == 1
    assert default_label(made, target, np.ones(6), 4) == 1


def test_a_rule_that_does_harm_is_taken_out() -> None:
    target = np.array([0, 0, 1, 1], np.int32)
    made = [
        # Two of its cases the next rule has right, one it has right where the default is wrong.
        Generalized(1, 0, (), np.array([1, 2, 3]), 0.1),
        Generalized(2, 1, (), np.array([2, 3]), 0.1),
        # Where all agree, a rule neither helps nor harms.
        Generalized(3, 1, (), np.array([3]), 0.1),
    ]
    assert [(rule.number, better, worse) for rule, better, worse in harmful(made, 1, target, np.ones(4))] == [(1, 1, 2)]
    assert harmful(made[1:], 1, target, np.ones(4)) == []
    assert harmful([], 1, target, np.ones(4)) == []


@pytest.mark.parametrize("name", ["iris.csv", "vote.arff", "monks-2.arff"])
def test_the_order_of_the_rows_does_not_matter(name: str) -> None:
    dataset = sample(name)
    weighted = replace(dataset, weights=np.random.default_rng(1).integers(1, 9, dataset.n_rows) / 7)
    for cases in (dataset, weighted):
        model = model_from(cases, FULL)
        shuffled = cases.take(np.random.default_rng(0).permutation(cases.n_rows))
        one, other = (simplify(model, of_tree(model), d) for d in (cases, shuffled))
        assert texts(one) == texts(other)
        assert [replace(s, error_before=None, error_after=None) for s in one.steps] == [
            replace(s, error_before=None, error_after=None) for s in other.steps
        ]


def test_labels_are_nothing_but_names() -> None:
    dataset = sample("iris.csv")
    target = replace(dataset.schema.target, labels=("z", "y", "x"))
    renamed = replace(dataset, schema=replace(dataset.schema, target=target))
    one, other = of_data(dataset).rules, of_data(renamed).rules
    assert [(r.conditions, r.label, r.covered) for r in one.rules] == [
        (r.conditions, r.label, r.covered) for r in other.rules
    ]


def test_a_row_of_weight_two_is_two_rows() -> None:
    dataset = sample("iris.csv")
    model = model_from(dataset, FULL)
    rules = of_tree(model)
    twice = simplify(model, rules, dataset.take(np.repeat(np.arange(dataset.n_rows), 2)))
    weighted = simplify(model, rules, replace(dataset, weights=dataset.weights * 2, has_weights=True))
    assert texts(twice) == texts(weighted)
    assert [s.error_after for s in twice.steps] == [s.error_after for s in weighted.steps]


def test_rows_that_tell_nothing_change_nothing() -> None:
    dataset = sample("playtennis.csv")
    model = model_from(dataset, FULL)
    more = dataset.take(np.append(np.arange(14), [0, 1]))
    assert more.target is not None
    unknown = replace(more, target=np.append(more.target[:14], [-1, 0]).astype(np.int32))
    unknown = replace(unknown, weights=np.append(np.ones(15), 0.0))
    assert texts(simplify(model, of_tree(model), unknown)) == texts(of_data(dataset))


def test_a_leaf_of_fractions_of_a_case_is_not_looked_at() -> None:
    schema = Schema(
        (Attribute("k", "nominal", ("p", "q")), Attribute("l", "nominal", ("r", "s"))),
        Attribute("y", "nominal", ("a", "b")),
    )
    below = example_models.Inner(multiway.Split(1, 2), ((3.0, 0.0), (0.0, 0.4)))
    model = example_models.model_of(schema, example_models.Inner(multiway.Split(0, 2), (below, (0.0, 3.6))))
    dataset = dataset_of(schema, [["p", "r", "a"]] * 3 + [["q", "s", "b"]] * 3 + [[None, "s", "b"]])
    steps = simplify(model, of_tree(model), dataset).steps
    assert [step.rules for step in steps if step.result == "its leaf holds less than one case"] == [(2,)]


def test_the_same_seed_gives_the_same_list_and_numbers_are_plain() -> None:
    dataset = continuous(800, 4, 0, noise=0.3)
    one, other = of_data(dataset, seed=5), of_data(dataset, seed=5)
    assert texts(one) == texts(other)
    assert len(one.rules.rules) > 3
    json.dumps([step.to_json() for step in one.steps])
    for step in one.steps:
        assert all(type(error) in (float, type(None)) for error in (step.error_before, step.error_after))
    for rule in (*one.rules.rules, one.rules.default):
        assert (type(rule.covered), type(rule.label)) == (float, int)


def test_progress_is_reported() -> None:
    dataset = sample("iris.csv")
    model = model_from(dataset, FULL)
    told: list[float] = []
    simplify(model, of_tree(model), dataset, 0, told.append)
    assert told == sorted(told)
    assert told[-1] == 1


def test_counts_are_those_of_the_rows_that_each_rule_decides() -> None:
    simplified = of_data(sample("vote.arff"))
    rules = simplified.rules
    assert sum(rule.covered or 0 for rule in (*rules.rules, rules.default)) == 435
    assert list(rules.outcomes or ()) == [267, 168]


@given(datasets(("numeric", "nominal"), n_classes=st.integers(2, 3), with_missing=True, weights=FRACTIONS))
@settings(max_examples=examples(60))
def test_any_data_give_a_list_that_decides_each_row(dataset: Dataset) -> None:
    simplified = of_data(dataset)
    numbers = {number for step in simplified.steps for number in step.rules}
    assert numbers <= set(range(1, model_from(dataset, FULL).tree.n_leaves + 1))
    assert rows(dataset.schema, simplified.rules.rules)
    for rule in simplified.rules.rules:
        assert rule.conditions
        assert len({condition.attribute for condition in rule.conditions}) == len(rule.conditions)


def test_models_that_cannot_be_generalized_are_refused() -> None:
    tree = example_models.playtennis()
    rules = of_tree(tree)
    with pytest.raises(UsageError, match="measures each condition on the training data") as refused:
        simplify(tree, rules, None)
    assert refused.value.hint == "name the file: --data FILE"
    with pytest.raises(UsageError, match="in this list they vote"):
        simplify(None, replace(rules, votes=True), sample("playtennis.csv"))
    numeric = example_models.regression()
    with pytest.raises(UsageError, match="is numeric"):
        simplify(numeric, of_tree(numeric), None)
    nothing = sample("playtennis.csv").take(np.array([], np.int64))
    with pytest.raises(DataError, match="found no row with a known value of the target 'PlayTennis'"):
        simplify(tree, rules, nothing)
