"""Only the first rule stays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treecli.rules.step import Step
from treecli.simplifiers import Simplified

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.model import TreeModel
    from treecli.rules.rulelist import RuleList


def simplify(model: TreeModel | None, rules: RuleList, dataset: Dataset | None) -> Simplified:
    """The first rule and the default."""
    dropped = tuple(range(2, len(rules.rules) + 1))
    return Simplified(replace(rules, rules=rules.rules[:1]), [Step("rule dropped", dropped, result="not the first")])
