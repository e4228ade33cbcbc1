"""One label against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.kernels.codes import ONE_AGAINST_REST
from treecli.nominal._two_way import two_way

if TYPE_CHECKING:
    from treecli.grow.candidates import Candidates, CountTables
    from treecli.kernels.args import Plan


def best(tables: CountTables, plan: Plan) -> Candidates:
    """Return the best split of one label against the rest at every node."""
    return two_way("binary", tables, ONE_AGAINST_REST, plan)
