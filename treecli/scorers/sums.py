"""Impurities from sums of weights; scores that differ by at most the tolerance tie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.scorers._from_tables import cuts_of as cuts_of
from treecli.scorers._sums import cuts as cuts
from treecli.scorers._usual import at_data_values as at_data_values
from treecli.scorers._usual import groups as groups
from treecli.scorers._usual import open as open
from treecli.scorers._usual import order as order
from treecli.scorers._usual import rank as rank
from treecli.scorers._usual import root as root
from treecli.scorers._usual import settle as settle
from treecli.scorers._usual import settle_root as settle_root
from treecli.scorers._usual import worth as worth

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.missing import Policy
    from treecli.settings import Settings


def refuses(settings: Settings, criterion: Criterion, policy: Policy) -> str | None:
    """Return None: sums support all settings."""
    return None
