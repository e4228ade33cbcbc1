"""The conclusion of an interview in words: what is predicted, because of which answers, and what would decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from treecli.teaching.answers import Answer, Unknown
from treecli.teaching.interview import Conclusion, Interview, Passed, Walk
from treecli.wording import quoted, readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treecli.data import Schema


VISIBLE = 1e-9
"""Ranges of predictions that are narrower are not shown."""


def lines(interview: Interview, walk: Walk, found: Conclusion) -> Iterator[str]:
    """Yield the prediction, the reasons, and the attributes that decide."""
    yield f"{prediction_text(interview.schema, found)}      from {_count(found.cases)} training cases"
    reasons = because(interview, walk)
    if reasons:
        yield f"because {reasons}"
    if found.decides and found.high - found.low > VISIBLE:
        yield decision(interview.schema, found)


def decision(schema: Schema, found: Conclusion) -> str:
    """Return the attributes that decide, and the range of the prediction."""
    names = ", ".join(quoted(schema.columns[index].name) for index in found.decides)
    verb = "decides" if len(found.decides) == 1 else "decide"
    return f"{names} {verb}: {range_text(schema, found)}"


def because(interview: Interview, walk: Walk) -> str:
    """Return the conditions that hold, then the attributes that leave several branches open."""
    certain = [interview.condition(own.node, own.ways[0].branch) for own in walk.passed if _is_certain(own)]
    open_ = [_several(interview, own) for own in walk.passed if len(own.ways) > 1]
    stays = [f"{_name(interview, own)} is unknown, and the case stays there" for own in walk.passed if not own.ways]
    return "; ".join([*([", ".join(certain)] if certain else []), *dict.fromkeys(open_), *dict.fromkeys(stays)])


def facts(interview: Interview, walk: Walk, found: Conclusion, answers: Mapping[int, Answer]) -> dict[str, Any]:
    """Return the conclusion of a tree as JSON has it."""
    columns = dict.fromkeys(interview.model.tree.attribute[own.node] for own in walk.passed)
    inputs = dict.fromkeys(index for column in columns for index in interview.schema.inputs([column]))
    # Of a derived column, only the attributes that were needed.
    asked = [index for index in inputs if index in answers or index in columns]
    leaves = [{"id": node, "share": share} for node, share in walk.ends]
    return record(interview.schema, found, answers, asked, {"cases": found.cases, "leaves": leaves})


def record(
    schema: Schema, found: Conclusion, answers: Mapping[int, Answer], asked: Sequence[int], parts: dict[str, Any]
) -> dict[str, Any]:
    """Return a conclusion as JSON has it; `parts` are the leaves or rules behind it."""
    columns, target = schema.columns, schema.target
    probabilities = None
    if schema.is_classification:
        probabilities = dict(zip(target.labels, found.probabilities, strict=True))
    return {
        "answers": {columns[index].name: _text(answer) for index, answer in answers.items()},
        "asked": [columns[index].name for index in asked],
        "prediction": found.prediction,
        "probabilities": probabilities,
        "low": found.low,
        "high": found.high,
        **parts,
        "decides": [columns[index].name for index in found.decides],
    }


def question(schema: Schema, attribute: int) -> str:
    """Return the question about an attribute, with its labels or the range of its values."""
    own = schema.columns[attribute]
    if not own.is_numeric:
        return f"{quoted(own.name)}? ({', '.join(map(quoted, own.labels))})"
    if own.range is None:
        return f"{quoted(own.name)}? (a number)"
    return f"{quoted(own.name)}? ({readable(own.range[0])} to {readable(own.range[1])})"


def _text(answer: Answer) -> str | None:
    return None if isinstance(answer, Unknown) else answer.text


def prediction_text(schema: Schema, found: Conclusion) -> str:
    """Return the labels with their probabilities, the predicted one first; or the number."""
    if not schema.is_classification:
        return readable(float(found.prediction))
    pairs: Sequence[tuple[str, float]] = list(zip(schema.target.labels, found.probabilities, strict=True))
    ranked = sorted(pairs, key=lambda pair: (pair[0] != found.prediction, -pair[1]))
    return ", ".join(
        f"{quoted(label)} {share:.2f}" for label, share in ranked if share > 0 or label == found.prediction
    )


def range_text(schema: Schema, found: Conclusion) -> str:
    """Return the least and the greatest prediction that is possible."""
    if not schema.is_classification:
        return f"{readable(found.low)} to {readable(found.high)}"
    return f"{quoted(str(found.prediction))} {found.low:.2f} to {found.high:.2f}"


def _is_certain(own: Passed) -> bool:
    return len(own.ways) == 1 and not isinstance(own.answer, Unknown)


def _name(interview: Interview, own: Passed) -> str:
    return quoted(interview.schema.columns[interview.model.tree.attribute[own.node]].name)


def _several(interview: Interview, own: Passed) -> str:
    """Return why a case takes several branches, with the share and the prediction of each."""
    tree = interview.model.tree
    children = list(tree.children(own.node))
    total = sum(interview.model.node(child).weight for child in children)
    parts = []
    for way in own.ways:
        child = tree.first_child[own.node] + way.branch
        share = f"{way.share:.2f}"
        if isinstance(own.answer, Unknown):
            share = f"{_count(interview.model.node(child).weight)} of {_count(total)}"
        parts.append(f"{interview.branch_label(own.node, way.branch)} ({share}) says {interview.says(child)}")
    given = "is unknown" if isinstance(own.answer, Unknown) else f"is {own.answer.text}"
    return f"{_name(interview, own)} {given}: {', '.join(parts)}"


def _count(number: float) -> str:
    return readable(float(number))
