"""The arithmetic of a trace agrees with the learner on random data, under all criteria and rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.conftest import examples
from treecli import plugins
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import CheckError
from treecli.learn import learn
from treecli.recipe import Recipe
from treecli.teaching.candidates import Style
from treecli.teaching.monotony import NOT_KEPT
from treecli.teaching.numbers import Digits
from treecli.teaching.observing import observed
from treecli.teaching.prunings import Subject, check, pruned
from treecli.teaching.trace import BELOW_AVERAGE, NOT_DRAWN, Trace
from treecli.teaching.tracing import places, traced

LABELS = ("a", "b", "c", "d")
CLASSES = ("u", "v", "w")


@st.composite
def datasets(draw: st.DrawFn, *, is_numeric: bool = False) -> Dataset:
    """Some rows with labels, numbers, missing values and weights."""
    n = draw(st.integers(2, 25))
    kinds = draw(st.lists(st.sampled_from(["nominal", "numeric"]), min_size=1, max_size=4))
    attributes, columns = [], []
    for place, kind in enumerate(kinds):
        if kind == "nominal":
            attributes.append(Attribute(f"A{place}", "nominal", LABELS))
            columns.append(np.array(draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)), np.int32))
        else:
            attributes.append(Attribute(f"A{place}", "numeric"))
            values = draw(st.lists(st.none() | st.integers(-9, 9), min_size=n, max_size=n))
            columns.append(np.array([np.nan if value is None else value / 2 for value in values]))
    target = Attribute("Y", "numeric") if is_numeric else Attribute("Y", "nominal", CLASSES)
    of_rows = st.integers(-20, 20) if is_numeric else st.integers(0, 2)
    drawn = np.array(draw(st.lists(of_rows, min_size=n, max_size=n)), np.float64 if is_numeric else np.int32)
    if is_numeric:
        drawn = drawn * draw(st.sampled_from([1.0, 1 / 3, 1e-3, 1e4])) + draw(st.sampled_from([0.0, 1e3, 1e6, 1e9]))
    weights = np.array(draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.5, 1 / 3]), min_size=n, max_size=n)))
    return Dataset(Schema(tuple(attributes), target), columns, drawn, weights, has_weights=True)


def trace_of(dataset: Dataset, words: list[str], *, at_steps: bool = False, **changes: Any) -> Trace:
    """The trace of the tree that these options grow; it raises an error if a number is not the learner's."""
    recipe = replace(Recipe.parse(words), method=None, options=None)
    recipe = replace(recipe, settings=recipe.settings.changed(**changes))
    model = learn(dataset, recipe)
    growth = observed(dataset, model.settings)
    model = growth.as_grown(model)
    found = traced(model, growth, list(places(model, growth)), Style(Digits(3, at_steps)), 8)
    for form in plugins.names("trace_formats"):
        assert "".join(plugins.load("trace_formats", form).render(found, is_whole=False))
    return found


RULES = st.tuples(
    st.sampled_from(["multiway", "binary", "subset"]),
    st.sampled_from(["fractional", "surrogate", "majority", "branch", "stay"]),
    st.sampled_from(["midpoint", "datavalue", "mean", "median"]),
    st.sampled_from(["1", "2"]),
)


def words_of(criterion: str, rules: tuple[str, ...]) -> list[str]:
    flags = ("--nominal", "--missing", "--threshold", "--min-leaf")
    pairs = [word for pair in zip(flags, rules, strict=True) for word in pair]
    return ["--criterion", criterion, *pairs]


@settings(max_examples=examples(60))
@given(datasets(), st.sampled_from(["gain", "gainratio", "plainratio", "gini", "error", "chi2"]), RULES, st.booleans())
def test_a_trace_of_classes_agrees_with_the_learner(
    dataset: Dataset, criterion: str, rules: tuple[str, ...], at_steps: bool
) -> None:
    for node in trace_of(dataset, words_of(criterion, rules), at_steps=at_steps).nodes:
        for own in node.every:
            if own.gain is not None:
                assert sum(branch.weight for branch in own.branches) + own.unknown == pytest.approx(node.weight)
                assert sum(way.is_best for way in own.ways) <= 1
            for way in own.ways:
                assert way.gain == pytest.approx(gain_of(criterion, way.counts, node.weight), abs=1e-9)


def gain_of(criterion: str, counts: tuple[tuple[float, ...], ...], weight: float) -> float:
    """Return the gain of branches with these class weights, of all cases of a node with this weight."""

    def spread(own: Any) -> float:
        total = sum(own)
        if criterion in ("gini", "chi2"):
            return float(total - sum(count**2 for count in own) / total)
        if criterion == "error":
            return float(total - max(own))
        return float(-sum(count * np.log2(count / total) for count in own if count))

    whole = np.sum(counts, axis=0)
    return (spread(whole) - sum(map(spread, counts))) / weight


def has_values(dataset: Dataset) -> bool:
    """Whether there are rows to learn from; rpart leaves out rows without any value."""
    return any((column >= 0 if column.dtype.kind == "i" else column == column).any() for column in dataset.columns)


JUDGED = st.tuples(
    st.sampled_from([None, "equal", {"u": 0.2, "v": 0.7, "w": 0.1}]),
    st.sampled_from([None, ((0.0, 1.0, 1.0), (2.0, 0.0, 3.0), (1.0, 0.5, 0.0))]),
).filter(any)


@settings(max_examples=examples(40))
@given(
    datasets(),
    st.sampled_from(["gain", "gainratio", "plainratio", "gini", "error", "chi2"]),
    RULES,
    JUDGED,
    st.sampled_from(["", "--like rpart", "--like sklearn", "--search lookahead:2", "--search skewing:3", "--cut-cost"]),
)
def test_a_trace_with_priors_and_costs_agrees_with_the_learner(
    dataset: Dataset, criterion: str, rules: tuple[str, ...], judged: tuple[Any, Any], further: str
) -> None:
    assume("search" not in further or (criterion in ("gain", "gini") and rules[2] in ("midpoint", "datavalue")))
    is_like = further.startswith("--like")
    assume(has_values(dataset) or not is_like)
    words = [*further.split(), *([] if is_like else words_of(criterion, rules))]
    priors, costs = judged
    found = trace_of(dataset, words, priors=priors, costs=costs)
    for node in found.nodes:
        if node.scaled and node.id == 0 and all(node.counts):
            # Weights of classes are such that all cases together keep their weight.
            assert sum(node.scaled) == pytest.approx(node.weight)
        if node.costs:
            least = min(node.costs, key=lambda step: step.exact)
            assert least.name.whole == node.prediction


@settings(max_examples=15)
@given(datasets(), st.sampled_from(["gain", "gainratio", "gini", "chi2"]), RULES)
def test_a_trace_of_forced_splits_agrees_with_the_learner(
    dataset: Dataset, criterion: str, rules: tuple[str, ...]
) -> None:
    first = dataset.schema.attributes[-1].name
    for node in trace_of(dataset, words_of(criterion, rules), force=(first,)).nodes:
        if node.is_forced and node.id == 0:
            assert node.chosen is not None
            assert node.chosen.attribute == first


@settings(max_examples=20)
@given(
    datasets(),
    RULES,
    st.sampled_from([("eg2", 1.0), ("eg2", 0.5), ("idx", 1.0), ("csid3", 1.0)]),
    st.lists(st.sampled_from([0.5, 1.0, 7.25]), min_size=4, max_size=4),
)
def test_a_trace_of_costs_of_attributes_agrees_with_the_learner(
    dataset: Dataset, rules: tuple[str, ...], method: tuple[str, float], costs: list[float]
) -> None:
    given = tuple((own.name, cost) for own, cost in zip(dataset.schema.attributes, costs, strict=False))
    found = trace_of(
        dataset, words_of("gain", rules), attribute_costs=given, cost_method=method[0], cost_weight=method[1]
    )
    for node in found.nodes:
        if node.chosen is not None:
            assert node.chosen.priced is not None
            assert node.chosen.priced.exact >= max(own.priced.exact for own in node.every if own.priced) - 1e-9


@settings(max_examples=20)
@given(
    st.booleans().flatmap(lambda is_numeric: datasets(is_numeric=is_numeric)),
    RULES.filter(lambda own: own[2] in ("midpoint", "datavalue")),
    st.lists(st.sampled_from("+-"), min_size=4, max_size=4),
)
def test_a_trace_of_monotone_predictions_agrees_with_the_learner(
    dataset: Dataset, rules: tuple[str, ...], signs: list[str]
) -> None:
    names = [own.name for own in dataset.schema.attributes if own.is_numeric]
    assume(names)
    columns = [np.maximum(own, 0) if own.dtype.kind == "i" else np.nan_to_num(own) for own in dataset.columns]
    schema = dataset.schema
    if schema.is_classification:
        schema = replace(schema, target=replace(schema.target, kind="ordinal"))
    # Of targets that hardly differ, rounding may decide what is refused, and no rule is found that is broken.
    is_flat = not schema.is_classification and np.ptp(dataset.target) < 1e-6 * np.abs(dataset.target).max()
    words = words_of("gain" if schema.is_classification else "variance", rules)
    monotone = tuple(f"{name}={sign}" for name, sign in zip(names, signs, strict=False))
    for node in trace_of(replace(dataset, schema=schema, columns=columns), words, monotone=monotone).nodes:
        for own in node.every:
            assert all(way.is_allowed for way in own.ways if way.is_best)
        if node.monotony is not None and node.chosen is not None:
            for refused in node.monotony.refused:
                assert refused.why != NOT_KEPT or is_flat


@settings(max_examples=30)
@given(
    st.booleans().flatmap(lambda is_numeric: datasets(is_numeric=is_numeric)),
    st.sampled_from(["--splits mofn", "--splits linear", "--splits mofn,linear", "--project gaussian:2"]),
    RULES,
)
def test_a_trace_of_derived_columns_agrees_with_the_learner(
    dataset: Dataset, columns: str, rules: tuple[str, ...]
) -> None:
    if columns.startswith("--project"):
        numeric = [index for index, own in enumerate(dataset.schema.attributes) if own.is_numeric]
        dataset = dataset.narrowed(numeric)
        assume(has_values(dataset))
    assume("linear" not in columns or sum(own.is_numeric for own in dataset.schema.attributes) > 1)
    words = [*words_of("gain" if dataset.schema.is_classification else "variance", rules), *columns.split()]
    trace_of(dataset, words)


@settings(max_examples=40)
@given(datasets(is_numeric=True), st.sampled_from(["variance", "sdr", "absolute"]), RULES)
def test_a_trace_of_numbers_agrees_with_the_learner(dataset: Dataset, criterion: str, rules: tuple[str, ...]) -> None:
    trace_of(dataset, words_of(criterion, rules))


@settings(max_examples=40)
@given(
    datasets(),
    st.sampled_from(["gain", "gainratio", "gini", "error"]),
    RULES,
    st.sampled_from(["1 --beam 3", "1", "2", "2 --beam 1", "3 --beam 2"]),
)
def test_a_trace_of_lookahead_agrees_with_the_learner(
    dataset: Dataset, criterion: str, rules: tuple[str, ...], ahead: str
) -> None:
    words = [*words_of(criterion, rules), "--search", *f"lookahead:{ahead}".split()]
    for node in trace_of(dataset, words).nodes:
        for own in node.every:
            if own.ahead is not None and own.gain is not None:
                assert own.ahead.gain.exact >= own.gain.exact - 1e-12  # the sum of nothing further is rounded
                below = sum(further.weight for further in own.ahead.further)
                assert below <= node.weight * (1 + 1e-9)


@settings(max_examples=20)
@given(datasets(is_numeric=True), st.sampled_from(["variance", "sdr"]), RULES)
def test_a_trace_of_lookahead_agrees_on_numbers(dataset: Dataset, criterion: str, rules: tuple[str, ...]) -> None:
    trace_of(dataset, [*words_of(criterion, rules), "--search", "lookahead"])


@settings(max_examples=10)
@given(
    datasets(),
    st.sampled_from(["gain", "gainratio", "gini", "error"]),
    RULES.filter(lambda own: own[2] in ("midpoint", "datavalue")),
    st.sampled_from(["skewing:3", "skewing-sequential", "skewing:3 --cut-cost"]),
)
def test_a_trace_of_skewing_agrees_with_the_learner(
    dataset: Dataset, criterion: str, rules: tuple[str, ...], search: str
) -> None:
    for node in trace_of(dataset, [*words_of(criterion, rules), "--search", *search.split()]).nodes:
        if node.skewing is not None:
            for place, count in enumerate(node.skewing.counts):
                counts = [trial.counts[place] or 0.0 for trial in (node.skewing.plain, *node.skewing.trials)]
                assert sum(counts) == pytest.approx(count)


@settings(max_examples=12)
@given(datasets(), st.sampled_from(["1", "2"]), st.sampled_from(["0", "0.3", "1"]))
def test_a_trace_of_an_optimal_tree_with_a_penalty_and_missing_values_proves_it(
    dataset: Dataset, depth: str, penalty: str
) -> None:
    for node in trace_of(dataset, ["--search", f"optimal:{depth}", "--missing", "branch", "--penalty", penalty]).nodes:
        if node.bound is not None:
            assert node.impurity is not None
            assert node.bound.errors <= node.impurity.exact + 1e-9


@settings(max_examples=20)
@given(datasets(), st.sampled_from(["1", "2", "3"]), st.sampled_from(["1", "2"]))
def test_a_trace_of_an_optimal_tree_proves_it(dataset: Dataset, depth: str, min_leaf: str) -> None:
    columns = [np.maximum(own, 0) if own.dtype.kind == "i" else np.nan_to_num(own) for own in dataset.columns]
    found = trace_of(
        replace(dataset, columns=columns),
        ["--search", f"optimal:{depth}", "--min-leaf", min_leaf, "--missing", "surrogate"],
    )
    for node in found.nodes:
        if node.bound is not None:
            assert node.bound.floor <= node.bound.errors + 1e-9
            assert node.impurity is not None
            assert node.bound.errors <= node.impurity.exact + 1e-9


@settings(max_examples=10)
@given(datasets(), JUDGED, st.sampled_from(["0", "0.3"]))
def test_a_trace_of_an_optimal_tree_with_priors_and_costs_proves_it(
    dataset: Dataset, judged: tuple[Any, Any], penalty: str
) -> None:
    words = ["--search", "optimal:2", "--missing", "branch", "--penalty", penalty]
    for node in trace_of(dataset, words, priors=judged[0], costs=judged[1]).nodes:
        if node.bound is not None:
            assert node.impurity is not None
            assert node.bound.floor <= node.bound.errors + 1e-9
            assert node.bound.errors <= node.impurity.exact + 1e-9


@settings(max_examples=20)
@given(
    st.booleans().flatmap(lambda is_numeric: datasets(is_numeric=is_numeric)),
    RULES,
    st.sampled_from(["", "random"]),
    st.integers(0, 99),
)
def test_a_trace_of_random_choices_agrees_with_the_learner(
    dataset: Dataset, rules: tuple[str, ...], threshold: str, seed: int
) -> None:
    words = words_of(
        "gain" if dataset.schema.is_classification else "sdr", (*rules[:2], threshold or rules[2], rules[3])
    )
    for node in trace_of(dataset, [*words, "--features", "0.5", "--seed", str(seed)]).nodes:
        for own in node.every:
            assert (own.status == NOT_DRAWN) == (own.why == "not drawn at this node")


@settings(max_examples=30)
@given(datasets(), st.sampled_from(["id3", "c45", "c50", "j48", "cart", "rpart", "sklearn", "chaid"]))
def test_a_trace_of_another_programs_settings_agrees_with_the_learner(dataset: Dataset, like: str) -> None:
    assume(has_values(dataset) or like != "rpart")
    trace_of(dataset, ["--like", like], merges_leaves=False)


@settings(max_examples=40)
@given(datasets())
def test_a_ratio_is_passed_over_exactly_below_the_average_gain_that_is_printed(dataset: Dataset) -> None:
    for node in trace_of(dataset, ["--criterion", "gainratio"]).nodes:
        for own in node.every:
            if node.average is not None and own.gain is not None and own.ratio is not None:
                is_below = own.gain.exact < node.average.exact - 0.001
                assert (own.status == BELOW_AVERAGE) == is_below


def test_every_node_is_checked_against_the_score_in_the_tree() -> None:
    dataset = Dataset(
        Schema((Attribute("A", "nominal", LABELS),), Attribute("Y", "nominal", CLASSES)),
        [np.array([0, 0, 1, 1], np.int32)],
        np.array([0, 1, 1, 1], np.int32),
        np.ones(4),
        has_weights=False,
    )
    model = learn(dataset, Recipe.parse(["--criterion", "gain"]))
    growth = observed(dataset, model.settings)
    (root, *_) = places(model, growth)
    growth.tree.score[0] += 1e-6
    with pytest.raises(CheckError, match="the score in the trace is"):
        traced(model, growth, [root], Style(Digits()), 8)


@settings(max_examples=examples(60))
@given(
    datasets(),
    datasets(),
    st.sampled_from(
        [
            "reduced-error",
            "pessimistic --raise",
            "pessimistic --raise --missing majority",
            "pessimistic --no-raise",
            "c50",
            "c50 --no-regrow --cf 0.6",
            "cost-complexity --alpha 0.05",
            "cost-complexity --folds 2",
            "mdl",
            "min-error --m 1",
        ]
    ),
    st.booleans(),
    st.just((None, None)) | JUDGED,
)
def test_a_trace_of_pruning_prunes_as_the_method_does(
    dataset: Dataset, tuning: Dataset, method: str, is_c45: bool, judged: tuple[Any, Any]
) -> None:
    words = ["--prune", *method.split(), *(["--c45-estimate"] if is_c45 and method.startswith("pess") else [])]
    recipe = Recipe.parse(words)
    recipe = replace(recipe, settings=recipe.settings.changed(priors=judged[0], costs=judged[1]))
    model = learn(dataset, replace(recipe, method=None, options=None))
    needs_tuning = method in ("reduced-error", "cost-complexity --folds 2", "c50") or "--raise" in method
    if needs_tuning:
        tuning = tuning if tuning.schema == dataset.schema and method == "reduced-error" else dataset
    check(recipe.method or "", recipe.options)
    subject = Subject(model, recipe.options, Digits(), tuning if needs_tuning else None)
    # It raises an error if the tree or a number is not that of the method.
    found = pruned(recipe.method or "", subject)
    if not method.startswith("c") and not any(own.is_raised for own in found.nodes):
        assert len(found.nodes) == model.tree.n_nodes - model.tree.n_leaves
