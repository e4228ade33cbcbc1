"""Rules that vote, as C5.0's; the numbers are worked by hand from its published rules, no C5.0 was run."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from tests.growing import sample
from treecli.data import Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.learn import learn
from treecli.models import answers
from treecli.recipe import Recipe
from treecli.rules.rulelist import of_tree
from treecli.simplifiers._theory import Theory, cut_bits, gain
from treecli.simplifiers._voting import Election, Voter, default_label, start, vote_of
from treecli.simplifiers.c50rules import simplify
from treecli.values import Interval, Labels


@pytest.mark.parametrize(("n", "errors", "vote"), [(20, 2, 864), (3, 0, 800), (0, 0, 500), (4, 4, 167), (8, 0.5, 850)])
def test_a_vote_is_the_laplace_share_in_thousandths(n: float, errors: float, vote: int) -> None:
    assert vote_of(n, errors) == vote


def test_bits_of_cuts_and_tests() -> None:
    assert [cut_bits(n) for n in (0, 1, 2, 16)] == [0, 0, 1.5, 3]
    schema = Schema(
        (
            Attribute("x", "numeric", ()),
            Attribute("k", "nominal", ("a", "b", "c", "d")),
            Attribute("m", "nominal", ("e", "f")),
            Attribute("y", "numeric", ()),
        ),
        Attribute("sign", "nominal", ("+", "-")),
    )
    columns = [np.arange(4.0), np.array([0, 1, 2, 3], np.int32), np.array([0, 0, 1, 1], np.int32), np.ones(4)]
    theory = Theory(Dataset(schema, columns, np.array([0, 0, 1, 1], np.int32), np.ones(4)))
    # log2(4) bits for the attribute; three cuts; four labels of equal weight; two of four labels in 6 ways.
    cut, label, pair = Interval(0, -np.inf, 1.5), Labels.of(1, [2]), Labels.of(1, [0, 2])
    assert theory.test_bits(cut) == pytest.approx(2 + 1 + log2(3) / 2)
    assert theory.test_bits(label) == pytest.approx(2 + 2)
    assert theory.test_bits(pair) == pytest.approx(2 + log2(6))
    assert theory.test_bits(Interval(3, -np.inf, 1.5)) == 2  # one value: no cut
    assert theory.tests_bits([cut, label]) == pytest.approx(7 + log2(3) / 2 - 1)  # in any order: log2(2!)
    assert theory.rule_bits([cut, label]) == pytest.approx(8 + log2(3) / 2 - 1)


def test_a_rule_saves_the_information_on_its_class() -> None:
    """All 4 cases of a class among 8: 8 bits without the rule, none with it."""
    assert gain(4, 0, 4, 8) == pytest.approx(8)
    assert gain(8, 4, 4, 8) == pytest.approx(0)  # covers everything
    # 3 of 4 right: 4 H(1/4) inside and outside.
    assert gain(4, 1, 4, 8) == pytest.approx(8 - 2 * 4 * (0.75 * log2(4 / 3) + 0.25 * log2(4)))


def test_the_default_has_most_uncovered_cases_and_cases_overall() -> None:
    assert default_label(np.array([0.0, 3.0]), np.array([6.0, 4.0])) == 1  # 1/5 + 0.6 < 4/5 + 0.4
    assert default_label(np.array([0.0, 0.0]), np.array([6.0, 4.0])) == 0


def voters_of(target: np.ndarray, weights: np.ndarray, *rules: tuple[int, list[int]]) -> list[Voter]:
    found = []
    for label, rows in rules:
        n = float(weights[rows].sum())
        errors = float(weights[rows][target[rows] != label].sum())
        found.append(Voter(label, vote_of(n, errors), 3.0, np.array(rows)))
    return found


def test_the_start_takes_rules_of_high_votes_that_win_more_than_two_cases() -> None:
    target, weights = np.array([0] * 8 + [1] * 6, np.int32), np.ones(14)
    voters = voters_of(
        target,
        weights,
        (0, [0, 1, 2, 3, 4]),  # 5 right, vote 857: in
        (0, [3, 4, 5, 6]),  # vote 833, two new cases: not more than MINCASES
        (0, [5, 6, 7, 8]),  # vote 667, wins 3 and loses 1: not more than 2
        (1, [9]),  # only one case right
        (1, [8, 9, 10, 11, 12, 13]),  # in
    )
    assert start(voters, target, weights) == [0, 4]


@pytest.mark.parametrize("seed", range(5))
def test_errors_and_costs_after_toggles_are_those_of_a_new_count(seed: int) -> None:
    random = np.random.default_rng(seed)
    target = random.integers(3, size=60).astype(np.int32)
    weights = random.integers(1, 4, size=60).astype(np.float64)
    rules = [(int(random.integers(3)), np.flatnonzero(random.random(60) < 0.3).tolist()) for _ in range(12)]
    voters = voters_of(target, weights, *rules)
    election = Election(voters, target, weights, 3, 20.0)
    for place in random.integers(12, size=30).tolist():
        election.toggle(place)
        other = Election(voters, target, weights, 3, 20.0)
        for member in np.flatnonzero(election.is_in).tolist():
            other.toggle(member)
        votes = np.zeros((60, 3))
        for member in np.flatnonzero(election.is_in).tolist():
            votes[voters[member].rows, voters[member].label] += voters[member].vote
        said = np.where(votes.sum(axis=1) > 0, votes.argmax(axis=1), election.default)
        assert election.errors() == pytest.approx(weights[said != target].sum())
        assert (election.cost(), election.default) == (other.cost(), other.default)
    before = election.cost()
    chosen = election.climb()
    assert election.cost() <= before
    assert chosen == np.flatnonzero(election.is_in).tolist()


def test_the_length_of_a_set_is_worked_by_hand() -> None:
    """Two rules of 3 bits that cover 4 + 4 of 10 cases of two classes without error; the default gets one of two wrong.

    r = (2 + 1) / (10 + 2) = 1/4; E = 1: 0.23 (6 - log2 2!) + 1 · 2 + 9 log2(4/3) = 6.8853 bits.
    """
    target, weights = np.array([0, 0, 0, 0, 1, 1, 1, 1, 0, 1], np.int32), np.ones(10)
    voters = voters_of(target, weights, (0, [0, 1, 2, 3]), (1, [4, 5, 6, 7]))
    election = Election(voters, target, weights, 2, 2.0)
    for place in (0, 1):
        election.toggle(place)
    assert election.errors() == 1
    assert election.cost() == 689
    # Without the rule for the default class the same cases are right: shorter by 0.23 · (6 - 1 - 3).
    assert election.climb() in ([0], [1])
    assert election.cost() == round(100 * (0.23 * 3 + 2 + 9 * log2(4 / 3)))


def test_rules_come_from_every_node_but_the_root_and_vote() -> None:
    vote = sample("vote.arff")
    model = learn(vote, Recipe.parse(["--like", "c50"]))
    simplified = simplify(model, of_tree(model), vote)
    rules = simplified.rules
    assert rules.votes
    # 'physician-fee-freeze = y' is an inner node of the tree, no leaf.
    inner = [node for node in model.tree.inner_nodes() if node]
    name = vote.schema.columns[model.tree.attribute[0]].name
    assert inner
    assert any(
        [vote.schema.columns[c.attribute].name for c in rule.conditions] == [name] and rule.covered == 177
        for rule in rules.rules
    )
    said, _ = answers(rules, vote)
    assert (said != vote.target).sum() == 14
    assert {step.action for step in simplified.steps} >= {"condition dropped", "rule dropped", "default chosen"}


def test_a_rule_list_is_simplified_like_a_tree() -> None:
    iris = sample("iris.csv")
    model = learn(iris, Recipe.parse(["--like", "c50"]))
    rules = simplify(None, of_tree(model), iris).rules
    assert rules.votes
    assert 0 < len(rules.rules) <= model.tree.n_leaves
    again = simplify(None, rules, iris).rules
    assert len(again.rules) <= len(rules.rules)


@pytest.mark.parametrize(
    ("name", "has_data", "message"),
    [
        ("cpu.csv", True, "c50rules counts wrong labels, but the target 'performance' is numeric"),
        ("iris.csv", False, "c50rules measures each condition on the training data"),
    ],
)
def test_numbers_and_missing_data_are_refused(name: str, has_data: bool, message: str) -> None:
    dataset = sample(name)
    model = learn(dataset, Recipe.parse(["--max-depth", "2"]))
    with pytest.raises(UsageError, match=message):
        simplify(model, of_tree(model), dataset if has_data else None)
