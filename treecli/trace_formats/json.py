"""All numbers of a trace, in full precision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from math import isfinite, log2
from typing import Any

from treecli.teaching.formulas import Step
from treecli.teaching.prunetrace import PruneTrace, Validated
from treecli.teaching.skewwording import title
from treecli.teaching.trace import Candidate, NodeTrace, Trace, Trial

SUFFIX = ".json"
HAS_WHOLE = False

SCHEMA_VERSION = 1


def render(trace: Trace, *, is_whole: bool) -> Iterator[str]:
    """Return one object with the nodes and their candidates."""
    found = {
        "schema_version": SCHEMA_VERSION,
        "criterion": trace.criterion,
        "nodes": [_node(node) for node in trace.nodes],
        "pruning": [] if trace.pruning is None else _pruning(trace.pruning),
    }
    if trace.definitions:
        found["definitions"] = list(trace.definitions)
    if trace.merging:
        found["merging"] = list(trace.merging)
    if trace.drawing:
        found["drawing"] = list(trace.drawing)
    if trace.winnowing:
        found["winnowing"] = list(trace.winnowing)
    if trace.weighting:
        found["class_weights"] = {step.name.whole: step.exact for step in trace.weighting}
    if trace.pruning is not None and trace.pruning.validation:
        found["validation"] = [_validated(own) for own in trace.pruning.validation]
    yield json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _node(node: NodeTrace) -> dict[str, Any]:
    return (
        {
            "id": node.id,
            "path": node.path,
            "n": node.weight,
            "counts": _counts(node, node.counts),
            "is_leaf": node.chosen is None or bool(node.undone),
            "prediction": node.prediction,
            "impurity": _exact(node.impurity),
            "candidates": [_candidate(own, node) for own in node.every],
            "average_gain": _exact(node.average),
            "chosen": None if node.chosen is None else title(node.chosen),
            "score": node.score,
            "ties": list(node.ties),
        }
        | ({"costs": {step.name.whole: step.exact for step in node.costs}} if node.costs else {})
        | ({"model": list(node.formulas)} if node.formulas else {})
        | ({"forced": True} if node.is_forced else {})
        | ({"rivals": [asdict(own) for own in node.rivals]} if node.rivals else {})
        | _monotony(node)
        | _stand_ins(node)
        | _bound(node)
        | _skewing(node)
    )


def _skewing(node: NodeTrace) -> dict[str, Any]:
    """The trials of a node, under skewing."""
    own = node.skewing
    if own is None:
        return {}
    names = [each.attribute for each in node.every]

    def trial(each: Trial) -> dict[str, Any]:
        return {
            "favoured": list(each.favoured),
            "impurity": each.impurity,
            "gains": dict(zip(names, each.gains, strict=True)),
            "counts": dict(zip(names, each.counts, strict=True)),
        }

    counts = dict(zip(names, own.counts, strict=True))
    trials = [trial(each) for each in own.trials]
    return {"skewing": {"least": own.least, "data": trial(own.plain), "trials": trials, "counts": counts}}


def _bound(node: NodeTrace) -> dict[str, Any]:
    """The proof of the best tree, under optimal search."""
    own = node.bound
    if own is None:
        return {}
    found: dict[str, Any] = {"tests": own.n_tests, "levels": own.depth}
    found |= {"cost" if own.is_cost else "errors": own.errors, "floor": own.floor}
    if not own.n_tests:
        found["at_least"] = own.at_least
    return {"bound": found}


def _monotony(node: NodeTrace) -> dict[str, Any]:
    """The splits that are refused because predictions must be monotone."""
    if node.monotony is None:
        return {}
    refused = [{"split": own.title, "gain": own.gain.exact, "why": own.why} for own in node.monotony.refused]
    return {"refused": refused}


def _stand_ins(node: NodeTrace) -> dict[str, Any]:
    """The surrogates of a node that has some."""
    if node.stand_ins is None:
        return {}
    found = [
        {"split": own.title, "branch": own.branch, "agreement": own.agreement.exact, "adjusted": own.adjusted.exact}
        for own in node.stand_ins.found
    ]
    return {"surrogates": found, "otherwise": node.stand_ins.usual or None}


def _pruning(pruning: PruneTrace) -> list[dict[str, Any]]:
    return [
        {
            "id": node.id,
            "method": pruning.method,
            "subtree": node.subtree,
            "leaf": node.leaf,
            "terms": list(node.terms),
            "decision": "leaf" if node.is_replaced else "raised" if node.is_raised else "kept",
        }
        | ({} if node.branch is None else {"branch": node.branch})
        for node in pruning.nodes
    ]


def _validated(own: Validated) -> dict[str, Any]:
    """The cross-validation of one of the nested trees; the price of the last one is null."""
    return {
        "leaves": own.n_leaves,
        "price": own.price if isfinite(own.price) else None,
        "fold_errors": list(own.errors),
        "error": own.error,
        "standard_error": own.standard_error,
    }


def _counts(node: NodeTrace, counts: tuple[float, ...]) -> dict[str, float]:
    numeric = ("weight", "median", "absolute_error") if node.is_median else ("weight", "mean", "deviance")
    names = numeric if node.labels is None else node.labels
    return dict(zip(names, counts, strict=True))


def _candidate(own: Candidate, node: NodeTrace) -> dict[str, Any]:
    found: dict[str, Any] = {
        "attribute": own.attribute,
        "split": own.title,
        "branches": [
            {
                "label": branch.label,
                "n": branch.weight,
                "counts": _counts(node, branch.counts),
                "impurity": branch.impurity.exact,
            }
            | ({"scaled": _counts(node, branch.scaled)} if branch.scaled else {})
            for branch in own.branches
        ],
        "unknown": own.unknown,
        "known_impurity": _exact(own.known),
        "remainder": _exact(own.remainder),
        "gain": _exact(own.gain) if own.measure == "gain" else None,
        "split_info": _exact(own.info),
        "ratio": _exact(own.ratio),
        "cut_cost": None if own.n_cuts is None else log2(own.n_cuts) / (sum(node.scaled) or node.weight),
        "thresholds": [{"split": way.label, "gain": way.gain} for way in own.ways],
        "status": own.status,
        "why": own.why,
    }
    if own.measure != "gain":
        found[own.measure] = _exact(own.gain)
    if own.test is not None:
        p = own.test.p if isfinite(own.test.p) else None
        found["chi2"] = {"statistic": own.test.chi2, "freedom": own.test.freedom, "p": p}
    if own.priced is not None:
        found["score_by_cost"] = own.priced.exact
    if own.instead is not None:
        found["instead"] = {"trial": own.instead.trial, **_candidate(own.instead.candidate, node)}
    if own.ahead is not None:
        found["ahead"] = {
            "further": [
                {
                    "branch": further.branch,
                    "n": further.weight,
                    "impurity": further.impurity.exact,
                    "candidate": _candidate(further.candidate, node),
                }
                for further in own.ahead.further
            ],
            "gain": own.ahead.gain.exact,
            "split_info": _exact(own.ahead.info),
            "ratio": _exact(own.ahead.ratio),
        }
    return found


def _exact(step: Step | None) -> float | None:
    return None if step is None else step.exact
