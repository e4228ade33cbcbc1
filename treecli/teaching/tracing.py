"""Trace how a tree grew: match it with the candidates that the learner saw, and write the steps of each node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import CheckError
from treecli.node import Node
from treecli.teaching import gainlimits, prices, trace
from treecli.teaching.candidates import Style, Writer
from treecli.teaching.checks import ACCURACY, disagree
from treecli.teaching.classweights import costs_of_labels, scale_of, weighting, weighting_by_priors
from treecli.teaching.monotony import with_bounds
from treecli.teaching.naming import path_text
from treecli.teaching.notation import AHEAD
from treecli.teaching.optimal import Prover
from treecli.teaching.proposed import HINT
from treecli.teaching.skewsteps import with_trials
from treecli.teaching.surrogates import stand_ins
from treecli.teaching.trace import Candidate, NodeTrace, Trace
from treecli.tree import DEVIANCE
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.model import TreeModel
    from treecli.teaching.observing import Growth
    from treecli.teaching.seen import Seen


@dataclass(frozen=True, slots=True)
class Place:
    """A node of the model: its number there, its number in the growth, its depth, and the conditions above it."""

    number: int
    grown: int
    depth: int
    conditions: tuple[str, ...]
    used: frozenset[int]
    """The nominal attributes whose labels are all apart above this node."""

    @property
    def path(self) -> str:
        return path_text(self.conditions)


def places(model: TreeModel, growth: Growth) -> Iterator[Place]:
    """Yield the nodes of a model in the order of their numbers; raise a CheckError where it was not grown so."""
    tree, schema = model.tree, model.schema
    pending = [Place(0, 0, 0, (), frozenset())]
    for place in pending:  # the list grows by the children
        yield place
        if tree.is_leaf(place.number):
            continue
        split = tree.split(place.number)
        if growth.tree.is_leaf(place.grown) or growth.tree.split(place.grown) != split:
            own = split.condition(0, schema).wording(schema.columns[split.attribute])
            raise CheckError(
                f"node {place.number}: the model asks '{own}', but these data and settings give another split here",
                HINT,
            )
        score, grown = tree.score[place.number], growth.tree.score[place.grown]
        if not abs(score - grown) <= ACCURACY * max(1.0, abs(score)):
            raise CheckError(f"node {place.number}: the model's score is {score!r}, these data give {grown!r}", HINT)
        used = place.used | ({split.attribute} if split.KIND == "multiway" else set())
        node = Node(tree, place.number, schema)
        for branch, (child, grown) in enumerate(
            zip(tree.children(place.number), growth.tree.children(place.grown), strict=True)
        ):
            condition = node.condition(branch).wording(schema.columns[split.attribute])
            pending.append(Place(child, grown, place.depth + 1, (*place.conditions, condition), frozenset(used)))


def traced(model: TreeModel, growth: Growth, shown: Sequence[Place], style: Style, most: int) -> Trace:
    """Return the trace of some nodes of a model; `most` candidates of each are spelled out."""
    writer = Writer(growth, style)
    prover = None if growth.depth is None else Prover.of(model, growth, growth.depth, style.digits)
    nodes = tuple(_node(model, place, writer, most, prover) for place in shown)
    if prover is not None:
        weights, symbol = weighting_by_priors(model, growth.tree, style.digits), prover.symbol
        found = Trace(symbol.lower(), symbol, style.digits, style.notation, nodes, weighting=weights)
        return replace(found, weighting_rule="by priors, a case counts as the weight of its class")
    weights = weighting(model, growth.plan, growth.tree.outcomes_of(0), style.digits)
    symbol = writer.notation.ratio_symbol if writer.is_ratio else writer.notation.gain_symbol
    if not writer.is_ratio and any(own.ahead is not None for node in nodes for own in node.every):
        symbol = AHEAD
    criterion = model.settings.splitting.criterion or ""
    symbol = "p" if writer.is_test else prices.symbol(model.settings) or symbol
    return Trace(criterion, symbol, style.digits, style.notation, nodes, weighting=weights)


def _node(model: TreeModel, place: Place, writer: Writer, most: int, prover: Prover | None) -> NodeTrace:
    tree, schema = model.tree, model.schema
    node = Node(writer.growth.tree, place.grown, schema)
    outcomes = tuple(node.outcomes)
    labels = tuple(map(quoted, schema.target.labels)) if schema.is_classification else None
    is_pure = sum(count > 0 for count in outcomes) < 2 if schema.is_classification else outcomes[DEVIANCE] <= 0
    prediction = quoted(schema.target.labels[tree.label(outcomes)]) if labels else number_text(outcomes[1])
    seen = writer.growth.seen.get(place.grown)
    found = NodeTrace(
        place.number, place.path, node.weight, outcomes, labels, seen is not None, prediction, "pure" if is_pure else ""
    )
    if writer.impurity == "absolute":
        found = replace(found, is_median=True)
    if labels and tree.is_leaf(place.number) and not is_pure:
        costs = costs_of_labels(place.number, tree, outcomes, schema.target.labels, writer.style.digits)
        found = replace(found, costs=costs)
    if seen is None:
        return found
    if prover is None and scale_of(writer.growth.plan) is not None:
        found = replace(found, scaled=tuple(writer.scaled(np.array(outcomes)).tolist()))
    surrogates = None
    if writer.growth.plan.by_surrogates and seen.chosen >= 0:
        surrogates = stand_ins(model, place, seen, writer)
    if prover is not None:
        return replace(prover.node(model, place, found, seen, most), stand_ins=surrogates)
    whole = writer.impurity_step(writer.notation.whole(), np.array(outcomes))
    candidates = [
        writer.candidate(place.number, seen, option, whole)
        for option in seen.options
        if option.attribute not in place.used
    ]
    attributes = [option.attribute for option in seen.options if option.attribute not in place.used]
    found = replace(found, impurity=whole)
    if seen.ordered is not None:
        found = with_bounds(writer, replace(found, candidates=tuple(candidates)), seen)
        candidates = list(found.candidates)
    if seen.chosen < 0:
        return _shortened(replace(found, candidates=tuple(candidates)), most, writer.is_test)
    if seen.skewed is not None:
        found = with_trials(writer, replace(found, candidates=tuple(candidates)), seen, attributes, model.settings)
        candidates, ties = list(found.candidates), _tied(found.candidates)
    else:
        candidates, ties = _ranked(candidates, attributes, seen, writer)
    chosen = candidates[attributes.index(seen.chosen)]
    score = writer.growth.tree.score[place.grown]
    judged = chosen if chosen.instead is None else chosen.instead.candidate
    _check_score(place, judged, score, writer, writer.size(whole, seen))
    undone = "the split was taken back after growing" if tree.is_leaf(place.number) else ""
    counts = [0.0] * len(candidates) if found.skewing is None else found.skewing.counts
    merits = [(count, _merit(own, is_test=writer.is_test)) for count, own in zip(counts, candidates, strict=True)]
    others = [i for i, own in enumerate(candidates) if own.status in (trace.BEATEN, trace.TIED)]
    runner_up = candidates[max(others, key=merits.__getitem__)] if others else None
    average = gainlimits.least_gain(candidates, attributes, seen, writer.growth.plan, writer.style.digits)
    found = replace(found, candidates=tuple(candidates), average=average, chosen=chosen, runner_up=runner_up)
    is_forced = False
    if model.settings.inputs.force and runner_up is not None:
        own, other = (_merit(each, is_test=writer.is_test) for each in (chosen, runner_up))
        is_forced = own < other - writer.growth.plan.tolerance
    found = replace(found, ties=ties, score=score, undone=undone, stand_ins=surrogates, is_forced=is_forced)
    return _shortened(_with_rules(found, chosen, writer), most, writer.is_test)


def _with_rules(found: NodeTrace, chosen: Candidate, writer: Writer) -> NodeTrace:
    """Return the node with the rules of ties and limits that are not the usual ones."""
    if gainlimits.is_c50(writer.growth.plan):
        found = replace(found, tie_rule=gainlimits.C50_TIE, average_rule=gainlimits.C50_RULE)
    if chosen.ahead is not None:
        found = replace(found, tie_rule="the larger gain by itself wins, then the first column")
    return found


def _ranked(
    candidates: list[Candidate], attributes: list[int], seen: Seen, writer: Writer
) -> tuple[list[Candidate], tuple[str, ...]]:
    """Return the candidates with the status of the chosen one and of those that tie with it, and their names."""
    merits = {option.attribute: option.merit for option in seen.options}
    plan, best = writer.growth.plan, candidates[attributes.index(seen.chosen)]
    ranked = []
    for attribute, own in zip(attributes, candidates, strict=True):
        if attribute == seen.chosen:
            own = replace(own, status=trace.CHOSEN)
        elif own.status == trace.BEATEN and (
            abs(merits[attribute] - merits[seen.chosen]) <= plan.tolerance or gainlimits.is_near(plan, own, best)
        ):
            own = replace(own, status=trace.TIED)
        ranked.append(own)
    return ranked, _tied(ranked)


def _tied(ranked: Sequence[Candidate]) -> tuple[str, ...]:
    """Return the names of the chosen candidate and those that tie with it; none if there are none."""
    ties = tuple(own.title for own in ranked if own.status in (trace.CHOSEN, trace.TIED))
    return ties if len(ties) > 1 else ()


def _merit(candidate: Candidate, *, is_test: bool) -> float:
    """Return the exact number by which candidates are ranked; -inf if there is none."""
    if candidate.gain is None:
        return -np.inf
    if is_test:
        assert candidate.test is not None
        return -candidate.test.p
    step = candidate.decisive
    assert step is not None
    return step.exact


def _check_score(place: Place, chosen: Candidate, score: float, writer: Writer, size: float) -> None:
    """Raise an error if the chosen split's printed result is not the score in the tree."""
    own = _merit(chosen, is_test=writer.is_test) if chosen.ahead is None else chosen.ahead.score
    if writer.is_test:
        own = -np.log10(-own) if own else score  # a p-value that underflows is printed as 0
    weight = sum(branch.weight for branch in chosen.branches)
    accuracy = ACCURACY * max(size, abs(score)) + writer.growth.plan.tolerance / weight
    disagree(place.number, chosen.title, "score", own / (1.0 if writer.is_ratio else writer.scale), score, accuracy)


def _shortened(node: NodeTrace, most: int, is_test: bool) -> NodeTrace:
    """Return the node with its `most` best candidates, in the order of their columns, and the rest apart."""
    node = replace(node, every=node.candidates)
    split = [own for own in node.candidates if own.gain is not None]
    if len(split) <= most:
        return node
    best = sorted(split, key=lambda own: -_merit(own, is_test=is_test))
    if node.chosen is not None:
        best = [node.chosen, *(own for own in best if own is not node.chosen)]
    kept = {id(own) for own in best[:most]}
    others = tuple(own for own in split if id(own) not in kept)
    shown = tuple(own for own in node.candidates if own.gain is None or id(own) in kept)
    return replace(node, candidates=shown, others=others)
