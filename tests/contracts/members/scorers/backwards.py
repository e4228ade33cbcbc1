"""Sums, and of all attributes that gain anything the last."""

import numpy as np

from treecli.scorers import Ranking
from treecli.scorers._sums import cuts as cuts
from treecli.scorers._usual import at_data_values as at_data_values
from treecli.scorers._usual import groups as groups
from treecli.scorers._usual import open as open
from treecli.scorers._usual import order as order
from treecli.scorers._usual import root as root
from treecli.scorers._usual import settle as settle
from treecli.scorers._usual import settle_root as settle_root
from treecli.scorers._usual import worth as worth


def refuses(settings, criterion, policy):
    return None


def rank(candidates, gain, level, plan):
    place = np.arange(1.0, len(candidates) + 1)[:, None]
    return Ranking(np.where(gain > plan.tolerance, place, -np.inf), 0.0, gain)
