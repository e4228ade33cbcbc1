"""C5.0's boosting of rulesets: a set of rules is made of the tree of each trial, and its errors weigh the cases.

From descriptions of C5.0: no C5.0 was run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from treecli.ensembles.halfstep import Judged, Learner, trials_of
from treecli.ensembles.watch import Watch
from treecli.errors import UsageError
from treecli.rules.rulelist import RuleList, heading_of
from treecli.rules.rulesets import Ruleset, RulesetsModel, ballots
from treecli.rules.treerules import TreeRules
from treecli.simplifiers import simplifier

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel
    from treecli.options.ensembles import Ensemble

METHOD = "c50rules"


def boosted_rulesets(
    dataset: Dataset, learner: Learner, ensemble: Ensemble, *, jobs: int | None = None, watch: Watch | None = None
) -> RulesetsModel:
    """Return the boosted sets of rules for the data; their lineage records the weight of the errors of each."""

    def judge(member: TreeModel, rows: Dataset) -> Judged[RuleList]:
        rules = ruleset_of(member, rows)
        codes, confidence = ballots(rules, rows, jobs)
        by_class = np.zeros((rows.n_rows, rows.schema.n_outcomes))
        by_class[np.arange(rows.n_rows), codes] = confidence
        return Judged(rules, codes, by_class, not rules.rules)

    members, step = trials_of(dataset, learner, judge, ensemble, watch or Watch())
    first = members[0]
    sets = tuple(Ruleset(member.rules, member.default, member.outcomes) for member in members)
    return RulesetsModel(first.schema, first.settings, (step | {"rulesets": METHOD},), sets)


def ruleset_of(member: TreeModel, rows: Dataset) -> RuleList:
    """Return the set of rules that C5.0 makes of a tree and its weighted cases."""
    if member.schema.derived:
        raise UsageError(
            "--rulesets: rules ask about attributes, not about sums of several", "leave out --splits and --project"
        )
    given = replace(heading_of(member), rules=tuple(TreeRules(member)))
    return simplifier(METHOD).simplify(member, given, rows).rules
