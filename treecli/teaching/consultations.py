"""The interview of a model, by the kind of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli import models
from treecli.errors import UsageError
from treecli.teaching.consulting import Consultation, TreeConsultation

if TYPE_CHECKING:
    from treecli.model import Model


def consultation_of(model: Model, name: str) -> Consultation:
    """Return the questions of a model; `name` is its file's name in messages."""
    tree, rules, ensemble = models.as_tree(model), models.as_rule_list(model), models.as_ensemble(model)
    if tree is not None:
        return TreeConsultation(tree)
    if rules is not None:
        from treecli.teaching.ruleconsulting import RuleConsultation

        return RuleConsultation(rules)
    if ensemble is not None:
        from treecli.teaching.ensembleconsulting import EnsembleConsultation

        return EnsembleConsultation(ensemble)
    raise UsageError(
        f"{name}: is {models.kind_of(model).TITLE}; only trees, rule lists and ensembles ask", "use 'treecli predict'"
    )
