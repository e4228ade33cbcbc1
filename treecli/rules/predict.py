"""Predictions of a rule list, and the rules that decide them."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import TYPE_CHECKING, Any

from treecli.data import Dataset, Schema, in_single_precision
from treecli.expressions import values_of
from treecli.outcomes.rows import total
from treecli.predict.predict import block_of, refuse_labels
from treecli.priors import class_scale
from treecli.rules.rule import BY_CONDITION
from treecli.rules.rulelist import RuleList, columns_asked, columns_used
from treecli.values import Interval, as_labels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, Column, FloatArray
    from treecli.kernels.first_match import Rules
    from treecli.outcomes.rows import Outcomes
    from treecli.rules.index import RuleIndex
    from treecli.rules.rule import Rule

    LongArray = NDArray[np.int64]

CERTAIN = 1.0
"""The vote of a rule with unknown confidence."""

_ROWS_AT_ONCE = 8192
"""Small enough that the values of some attributes stay in a core's cache."""


def answers(rules: RuleList, dataset: Dataset, jobs: int | None = None) -> tuple[Column, FloatArray]:
    """Return the prediction for every row, and the class probabilities, n_rows × n_classes.

    Predictions are label codes; for a numeric target they are numbers, returned in place of the probabilities as well.
    With first match, probabilities are the class shares of the cases that the deciding rule covers. A rule that covers
    no cases uses the shares of all cases if its label is the most frequent one, else probability 1. With votes,
    probabilities are shares of the votes.
    """
    import numpy as np

    is_classification = rules.schema.is_classification
    everyone = (*rules.rules, rules.default)
    each = np.array([rule.label if is_classification else rule.value for rule in everyone], np.float64)
    if not rules.votes:
        rule_of_row = deciding(rules, dataset, jobs)
        if is_classification:
            return each[rule_of_row].astype(np.int32), probabilities(rules)[rule_of_row]
        values: FloatArray = each[rule_of_row]
        for rule in (place for place, own in enumerate(everyone) if own.model is not None):
            rows = np.flatnonzero(rule_of_row == rule)
            values[rows] = computed(everyone[rule], dataset, rows)
        return values, values[:, None]
    votes = _votes(rules, dataset, jobs)
    if is_classification:
        total = votes.sum(axis=1)
        is_default = total == 0
        shares = votes / np.where(is_default, 1.0, total)[:, None]
        shares[is_default] = probabilities(rules)[-1]
        return np.where(is_default, each[-1], votes.argmax(axis=1)).astype(np.int32), shares
    _add_formulas(votes, rules, dataset, jobs)
    is_default = votes[:, 1] == 0
    values = np.where(is_default, each[-1], votes[:, 0] / np.where(is_default, 1.0, votes[:, 1]))
    if rules.default.model is not None:
        values[is_default] = computed(rules.default, dataset, np.flatnonzero(is_default))
    return values, values[:, None]


def computed(rule: Rule, dataset: Dataset, rows: LongArray) -> FloatArray:
    """Return what the formula of a rule predicts for some rows."""
    assert rule.model is not None
    return values_of(rule.model.expression(), lambda attribute: dataset.columns[attribute][rows], len(rows))


def _add_formulas(votes: FloatArray, rules: RuleList, dataset: Dataset, jobs: int | None) -> None:
    """Add the predictions of formulas to sums and counts of values, after those of the other rules."""
    for rule in (own for own in rules.rules if own.model is not None):
        rows = (deciding(replace(rules, rules=(rule,), votes=False), dataset, jobs) == 0).nonzero()[0]
        votes[rows] += 0.0, 1.0
        votes[rows, 0] += computed(rule, dataset, rows)


def predictions(rules: RuleList, dataset: Dataset, jobs: int | None = None) -> Column:
    """Return the prediction for every row, as `answers` does, but with first match without probabilities."""
    import numpy as np

    if rules.votes or not rules.schema.is_classification:
        return answers(rules, dataset, jobs)[0]
    each = np.array([rule.label for rule in (*rules.rules, rules.default)], np.int32)
    found: Column = each[deciding(rules, dataset, jobs)]
    return found


def deciding(rules: RuleList, dataset: Dataset, jobs: int | None = None) -> CodeArray:
    """Return the index of the first rule that matches each row; the number of rules if none does."""
    import numpy as np

    rule_of_row = np.empty(dataset.n_rows, np.int32)

    def match(rows: slice, block: FloatArray, given: Rules, index: RuleIndex | None) -> None:
        from treecli.kernels import first_match

        if index is None:
            first_match.first_match(given, block, rule_of_row[rows])
        else:
            of_index = index.rules, index.groups, index.bins(block)
            first_match.first_match_indexed(given, block, *of_index, rule_of_row[rows])

    _for_each_block(match, rules, dataset, jobs)
    return rule_of_row


def refuse_unseen(rules: RuleList, dataset: Dataset, name: str) -> None:
    """Raise a DataError if a column that the rules use contains an unseen label."""
    hint = "--unseen missing takes it for a missing value"
    refuse_labels(dataset, columns_used(rules), name, "has a label that the rules do not know", hint)


def _votes(rules: RuleList, dataset: Dataset, jobs: int | None) -> FloatArray:
    """Return the votes of all matching rules for every row: confidence by label, or the sum and count of values."""
    import numpy as np

    is_classification = rules.schema.is_classification
    vote_of_rule = np.zeros((len(rules.rules), rules.schema.n_outcomes if is_classification else 2))
    for row, rule in zip(vote_of_rule, rules.rules, strict=True):
        if rule.label is None:
            row[:] = (rule.value, 1.0) if rule.model is None else (0.0, 0.0)
        else:
            row[rule.label] = CERTAIN if rule.confidence is None else rule.confidence
    votes = np.zeros((dataset.n_rows, vote_of_rule.shape[1]))

    def count(rows: slice, block: FloatArray, given: Rules, index: RuleIndex | None) -> None:
        from treecli.kernels import first_match

        if index is None:
            first_match.add_votes(given, block, vote_of_rule, votes[rows])
        else:
            of_index = index.rules, index.groups, index.bins(block)
            first_match.add_votes_indexed(given, block, *of_index, vote_of_rule, votes[rows])

    _for_each_block(count, rules, dataset, jobs)
    return votes


def probabilities(rules: RuleList) -> FloatArray:
    """Return the class probabilities of each rule, the default last."""
    import numpy as np

    settings, labels = rules.settings, rules.schema.target.labels
    scale = np.ones(len(labels))
    if settings.predicting.priors is not None and rules.outcomes is not None:
        scale = np.array(class_scale(settings.predicting.priors, labels, rules.outcomes))

    def shares(outcomes: Outcomes) -> FloatArray | None:
        counts = (np.array(outcomes) + (1.0 if settings.predicting.laplace else 0.0)) * scale
        return counts / counts.sum() if total(outcomes) else None

    of_all = None if rules.outcomes is None else shares(rules.outcomes)
    table = np.zeros((len(rules.rules) + 1, len(labels)))
    for row, rule in zip(table, (*rules.rules, rules.default), strict=True):
        own = None if rule.outcomes is None else shares(rule.outcomes)
        if own is None and of_all is not None and of_all.argmax() == rule.label:
            own = of_all
        if own is not None:
            row[:] = own
        else:
            row[rule.label] = 1.0
    return table


def _arrays(rules: RuleList, slot_of: dict[int, int]) -> tuple[Any, ...]:
    """Return the list as arrays for the kernels."""
    import numpy as np

    by_condition = rules.settings.predicting.unseen == BY_CONDITION
    rule_start, slot, table_start, table = [0], [], [], bytearray()
    low, high, missing = array("d"), array("d"), bytearray()
    for rule in rules.rules:
        for condition in rule.conditions:
            attribute = rules.schema.columns[condition.attribute]
            slot.append(slot_of[condition.attribute])
            missing.append(condition.missing)
            if attribute.is_numeric and isinstance(condition, Interval):
                table_start.append(-1)
                # Without a lower bound -inf is included; NaN marks this, because it compares false with everything.
                low.append(nan if condition.low == -inf else condition.low)
                high.append(condition.high)
                continue
            table_start.append(len(table))
            low.append(nan)
            high.append(nan)
            own = bytearray(len(attribute.labels))
            for code in as_labels(condition, len(attribute.labels)).codes:
                own[code] = True
            table += bytes([condition.unseen if by_condition else condition.missing, condition.missing])
            table += own
        rule_start.append(len(slot))
    kinds = (np.int64, np.int32, np.int64, np.uint8, np.float64, np.float64, np.uint8)
    columns = (rule_start, slot, table_start, table, low, high, missing)
    return tuple(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))


def _column(dataset: Dataset, schema: Schema, index: int, rows: slice) -> Column:
    """Return the values of a column in some rows; labels as codes."""
    if index < len(schema.attributes):
        return dataset.columns[index][rows]
    values: Column = block_of(dataset, schema, [index], rows)[0]
    return values


def _for_each_block(
    work: Callable[[slice, FloatArray, Rules, RuleIndex | None], None],
    rules: RuleList,
    dataset: Dataset,
    jobs: int | None,
) -> None:
    """Call `work` for every block of rows with the values that the rules test, the rules for the kernels, and an index.

    The index is None if there are few rules or rows.
    """
    import numpy as np

    from treecli.kernels import first_match
    from treecli.rules.index import index_of, pays

    if rules.schema.attributes != dataset.schema.attributes:
        raise ValueError("the rows were read with the schema of another model")
    if rules.settings.predicting.unseen == "error":
        refuse_unseen(rules, dataset, "the data")
    asked = columns_asked(rules)
    slot_of = {attribute: slot for slot, attribute in enumerate(asked)}
    arrays = _arrays(rules, slot_of)
    given = first_match.Rules(*arrays)
    index = index_of(arrays, len(asked)) if pays(len(rules.rules), dataset.n_rows, len(asked)) else None

    def run(begin: int) -> None:
        rows = slice(begin, min(begin + _ROWS_AT_ONCE, dataset.n_rows))
        block = np.empty((rows.stop - rows.start, max(len(asked), 1)))
        for slot, attribute in enumerate(asked):
            column = _column(dataset, rules.schema, attribute, rows)
            rounds = rules.settings.predicting.single_precision and rules.schema.columns[attribute].is_numeric
            block[:, slot] = in_single_precision(column) if rounds else column
        work(rows, block, given, index)

    blocks = range(0, dataset.n_rows, _ROWS_AT_ONCE)
    n_threads = min(jobs or os.cpu_count() or 1, len(blocks))
    if n_threads <= 1:
        for begin in blocks:
            run(begin)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads) as threads:
        for _ in threads.map(run, blocks):
            pass
