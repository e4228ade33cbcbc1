"""C5.0's boosting; the numbers are worked by hand from its published rules, no C5.0 was run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.growing import sample
from treecli.data import Dataset
from treecli.ensembles.halfstep import _Trials, boosted_half_way, cast_votes, half_way
from treecli.ensembles.watch import Watch
from treecli.grow.siblings import n_leaves_expanded
from treecli.learn import _later_trial, learn, learn_ensemble
from treecli.model import TreeModel
from treecli.models import answers, decode, encode
from treecli.options.ensembles import Ensemble
from treecli.predict.predict import distributions
from treecli.recipe import Recipe

LIKE = ["--like", "c50"]


def test_the_error_of_one_of_ten_cases_weighs_3_and_the_others_7_ninths() -> None:
    """K = 9, E = 1, x = 2: (9 - 2) / 9, and 1 + 2; the share of errors moves from 0.1 to 0.3, half-way to 0.5."""
    is_wrong = np.arange(10) == 4
    ones = np.ones(10)
    found = half_way(ones, is_wrong, np.ones(10, bool), ones)
    assert found == pytest.approx(np.where(is_wrong, 3.0, 7 / 9))
    assert found[is_wrong].sum() / found.sum() == pytest.approx(0.3)
    # K = 7, E = 3, x = 1: nine cases of 6/7 · 7/9 = 2/3, one of 4.
    again = half_way(found, is_wrong, np.ones(10, bool), ones)
    assert again == pytest.approx(np.where(is_wrong, 4.0, 2 / 3))


def test_errors_get_equal_parts_whatever_they_weighed_and_dropped_cases_stay_out() -> None:
    """K = 6, E = 3, x = 0.75, two errors of 2 and 1: 2.375 and 1.375; scaled by 5 / 9 as 5 of 6 cases are in."""
    weights = np.array([2.0, 1.0, 2.0, 2.0, 2.0, 0.0])
    is_wrong = np.array([True, True, False, False, False, False])
    is_in = np.array([True, True, True, True, True, False])
    found = half_way(weights, is_wrong, is_in, np.ones(6))
    scale = 5 / 9
    assert found == pytest.approx([2.375 * scale, 1.375 * scale, *[2 * 5.25 / 6 * scale] * 3, 0.0])


def test_correct_cases_keep_a_least_weight() -> None:
    weights = np.array([1e-3, 1e-3, 50.0, 2.0])
    found = half_way(weights, np.array([False, False, False, True]), np.ones(4, bool), np.ones(4))
    assert found[:2].tolist() == [0.001, 0.001]


def test_a_row_of_weight_two_counts_as_two_rows() -> None:
    is_wrong = np.array([True, True, False, False])
    apart = half_way(np.ones(4), is_wrong, np.ones(4, bool), np.ones(4))
    together = half_way(np.array([2.0, 2.0]), np.array([True, False]), np.ones(2, bool), np.array([2.0, 2.0]))
    assert together == pytest.approx([apart[:2].sum(), apart[2:].sum()])


@pytest.mark.parametrize(
    ("left", "lead", "is_in"),
    [(6, 9.0, True), (5, 9.0, True), (4, 4.0, True), (4, 4.5, False), (0, 0.5, False), (0, 0.0, True)],
)
def test_a_case_is_dropped_in_the_second_half_once_no_vote_can_save_it(left: int, lead: float, is_in: bool) -> None:
    """Of ten trials; the true class 0 has no votes, and class 1 `lead` with the vote of this trial."""
    trials = _Trials(np.ones(1), np.ones(1), np.ones(1, bool), np.array([[0.0, lead - 0.5]]))
    share = np.array([[0.5, 0.5]])
    wrong = cast_votes(trials, share, np.array([1], np.int32), np.array([0], np.int32), left, 10)
    dropped_early = left <= 4  # the sixth trial is the first of the second half
    assert trials.is_in.tolist() == [is_in or not dropped_early]
    assert trials.weights.tolist() == [float(trials.is_in[0])]
    assert wrong.tolist() == trials.is_in.tolist()


def boosted(dataset: Dataset, members: list[TreeModel], n_trials: int, watch: Watch | None = None):  # type: ignore[no-untyped-def]
    """The ensemble whose trees are given, and the weights and limits that each was grown with."""
    seen = []

    def learner(rows: Dataset, rate: float | None) -> TreeModel:
        seen.append((rows.weights, rate))
        return members[min(len(seen), len(members)) - 1]

    return boosted_half_way(dataset, learner, Ensemble("boosted", n_trials), watch=watch), seen


def tree_of(*options: str) -> TreeModel:
    return learn(sample("vote.arff"), Recipe.parse([*LIKE, *options]))


def test_later_trees_are_limited_in_size_by_the_first() -> None:
    vote, first = sample("vote.arff"), tree_of()
    _, seen = boosted(vote, [first], 10)
    assert seen[0][1] is None
    assert {rate for _, rate in seen[1:]} == {1.1 * n_leaves_expanded(first.tree) / 435}


def test_hardly_any_error_ends_the_boosting_and_few_trials_leave_one_tree() -> None:
    iris = sample("iris.csv")
    whole = learn(iris, Recipe.parse([]))  # no training error
    model, seen = boosted(iris, [whole], 10)
    assert (model.n_trees, len(seen)) == (1, 1)
    assert model.lineage[-1]["ended_by"] == "hardly any error"


def test_a_tree_without_a_split_ends_the_boosting_and_does_not_vote() -> None:
    vote, stump = sample("vote.arff"), tree_of("--max-depth", "0")
    model, seen = boosted(vote, [*[tree_of()] * 3, stump], 10)
    assert (model.n_trees, len(seen)) == (3, 4)
    assert model.lineage[-1]["ended_by"] == "a tree without a split"
    model, seen = boosted(vote, [*[tree_of()] * 2, stump], 10)
    assert (model.n_trees, len(seen)) == (1, 3)  # boosting with two trees is abandoned
    model, seen = boosted(vote, [stump], 10)
    assert (model.n_trees, len(seen)) == (1, 2)  # the first is kept


def test_errors_of_nearly_one_half_end_the_boosting() -> None:
    """The same tree again and again: its errors weigh more from trial to trial, until they weigh half."""
    model, _ = boosted(sample("vote.arff"), [tree_of()], 100)
    assert model.lineage[-1]["ended_by"] == "errors of nearly one half"
    assert all(error < 0.49 for error in model.lineage[-1]["errors"])


def test_an_interrupt_keeps_the_trees_so_far() -> None:
    vote, first = sample("vote.arff"), tree_of()
    calls = []

    def learner(rows: Dataset, rate: float | None) -> TreeModel:
        calls.append(rate)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return first

    ensemble = Ensemble("boosted", 10)
    model = boosted_half_way(vote, learner, ensemble, watch=Watch(keeps_partial=True))
    assert model.n_trees == 2
    assert model.lineage[-1]["ended_by"] == "interrupt"
    calls.clear()
    with pytest.raises(KeyboardInterrupt):
        boosted_half_way(vote, learner, ensemble)


def test_trees_vote_with_their_smoothed_confidence() -> None:
    vote = sample("vote.arff")
    model = learn_ensemble(vote, Recipe.parse([*LIKE, "--boost", "5"]))
    assert model.votes == "confidence"
    sums = np.zeros((vote.n_rows, 2))
    for member in model.members():
        shares = distributions(member, vote)
        best = shares.argmax(axis=1)
        sums[np.arange(vote.n_rows), best] += shares[np.arange(vote.n_rows), best]
    labels, found = answers(model, vote)
    assert labels.tolist() == sums.argmax(axis=1).tolist()
    assert found == pytest.approx(sums / sums.sum(axis=1, keepdims=True))
    again = decode(b"".join(encode(model)), "m.json")
    assert answers(again, vote)[1].tolist() == found.tolist()


def test_a_leaf_of_3_and_1_in_a_tree_of_equal_classes_has_the_confidence_70_percent() -> None:
    """(4 · 0.75 + 0.5) / 5 = 0.7."""
    from tests.example_models import Inner, model_of
    from treecli.data import Attribute, Schema
    from treecli.predict.nodevalues import node_distributions
    from treecli.splits import multiway

    schema = Schema((Attribute("k", "nominal", ("a", "b")),), Attribute("sign", "nominal", ("+", "-")))
    model = model_of(schema, Inner(multiway.Split(0, 2), ((3.0, 1.0), (1.0, 3.0))))
    model = replace(model, settings=model.settings.changed(prior_case=True))
    assert node_distributions(model)[1] == pytest.approx([0.7, 0.3])


def test_the_recipe_of_later_trees_has_the_limit_and_raises_nothing() -> None:
    recipe = _later_trial(Recipe.parse(LIKE), 0.1)
    assert recipe.settings.stopping.leaf_rate == 0.1
    assert not recipe.options.regrows
    assert recipe.options.globally


def test_winnowing_is_done_once_before_boosting() -> None:
    vote = sample("vote.arff")
    model = learn_ensemble(vote, Recipe.parse([*LIKE, "--boost", "5", "--winnow"]))
    alone = learn(vote, Recipe.parse([*LIKE, "--winnow"]))
    assert model.trees[0].attribute == alone.tree.attribute
    assert model.n_trees > 1


def test_the_same_trees_whatever_the_jobs() -> None:
    vote, recipe = sample("vote.arff"), Recipe.parse([*LIKE, "--boost", "4"])
    one, two = (b"".join(encode(learn_ensemble(vote, recipe, jobs=jobs))) for jobs in (1, 2))
    assert one == two
