"""The options that fix how a tree is grown, gathered into Settings: what `train` and `crossval` share."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import wraps
from typing import Any

import click

from treecli.discretizers import NONE as NO_BINS
from treecli.discretizers import discretizer
from treecli.errors import UsageError
from treecli.options import Decorator, OneOf, is_given, member_of, stacked
from treecli.presets import following, settings_like
from treecli.priors import EQUAL
from treecli.routing import UNSEEN_POLICIES
from treecli.settings import Settings
from treecli.splits.threshold import THRESHOLDS

_DEFAULT = Settings()

OBSERVED = "observed"
"""The priors that the data show, which is what is usual."""

NOMINAL_SPLITS = ("multiway", "binary", "subset", "merged")


def _checked_bins(context: click.Context, option: click.Parameter, value: str) -> str:
    if value != NO_BINS:
        discretizer(value)
    return value


def _read_priors(context: click.Context, option: click.Parameter, text: str | None) -> str | dict[str, float] | None:
    """Priors as Settings has them."""
    if text is None or text == OBSERVED:
        return None
    if text == EQUAL:
        return EQUAL
    priors: dict[str, float] = {}
    for part in text.split(","):
        label, _, share = part.rpartition("=")
        try:
            priors[label] = float(share)
        except ValueError:
            label = ""
        if not label:
            raise UsageError(f"--priors: found '{part}', expected {OBSERVED}, {EQUAL} or LABEL=P,LABEL=P,…")
    return priors


_learner_options: tuple[Decorator[Any], ...] = (
    click.option(
        "--like",
        type=member_of("presets"),
        default=None,
        help="Grow, and prune, the tree that this program would; the options below change what they name.",
    ),
    click.option(
        "--criterion",
        type=member_of("criteria"),
        default=None,
        help="What makes a split good.  [default: gainratio; variance for a numeric target]",
    ),
    click.option(
        "--nominal",
        type=OneOf(NOMINAL_SPLITS),
        default=_DEFAULT.nominal,
        show_default=True,
        help="Nominal attributes: a branch for each label, one label against the rest, two groups of labels, or a "
        "branch for all labels that hardly differ (ordinal attributes too).",
    ),
    click.option(
        "--threshold",
        type=OneOf(THRESHOLDS),
        default=_DEFAULT.threshold,
        show_default=True,
        help="Where a threshold lies: halfway between two values, at the largest value below that, or at the mean "
        "or median of the node's values.",
    ),
    click.option(
        "--discretize",
        callback=_checked_bins,
        default=_DEFAULT.discretize,
        show_default=True,
        metavar="none|mdlp|width:K|frequency:K",
        help="Cut numeric attributes into bins, a branch each: where that tells most about the classes, K of equal "
        "width, or K of about equally many cases.",
    ),
    click.option(
        "--missing",
        type=member_of("missing"),
        default=_DEFAULT.missing,
        show_default=True,
        help="Missing values: go down every branch with part of the weight, down the heaviest, or count as a value.",
    ),
    click.option(
        "--unseen",
        type=OneOf(UNSEEN_POLICIES),
        default=_DEFAULT.unseen,
        show_default=True,
        help="At prediction, labels that the training data did not hold: as missing, down the heaviest branch, or an "
        "error.",
    ),
    click.option("--max-depth", type=click.IntRange(min=0), metavar="N", help="At most this many tests in a row."),
    click.option(
        "--min-split",
        type=click.FloatRange(min=0.0),
        metavar="N",
        help="A node with fewer cases is a leaf; if not given, twice --min-leaf.",
    ),
    click.option(
        "--min-leaf",
        type=click.FloatRange(min=0.0, min_open=True),
        default=_DEFAULT.min_leaf,
        show_default=True,
        metavar="N",
        help="At least two branches of a split hold this many cases.",
    ),
    click.option(
        "--min-gain",
        type=click.FloatRange(min=0.0),
        metavar="X",
        show_default="a split may gain nothing",
        help="A split gains at least this (in bits for gain and gainratio).",
    ),
    click.option(
        "--max-leaves",
        type=click.IntRange(min=1),
        metavar="N",
        help="At most this many leaves, grown best first.",
    ),
    click.option(
        "--chi2-alpha",
        type=click.FloatRange(min=0.0, max=1.0),
        metavar="P",
        help="Only splits that a chi-square test finds significant at this level.",
    ),
    click.option(
        "--merge-alpha",
        type=click.FloatRange(min=0.0, max=1.0),
        default=_DEFAULT.merge_alpha,
        show_default=True,
        metavar="P",
        help="With --nominal merged: labels share a branch unless a chi-square test tells them apart at this level.",
    ),
    click.option(
        "--zero-gain/--no-zero-gain",
        default=_DEFAULT.zero_gain,
        help="Whether a split may gain nothing, without which XOR cannot be learned; usual without --like.",
    ),
    click.option(
        "--cut-cost/--no-cut-cost",
        default=_DEFAULT.cut_cost,
        help="Take log2(thresholds tried) / cases bits off a numeric attribute's gain, as C4.5 does.",
    ),
    click.option(
        "--collapse/--no-collapse",
        default=_DEFAULT.collapse,
        help="Make nodes leaves whose subtrees make no fewer training errors, as C4.5 does.",
    ),
    click.option(
        "--priors",
        callback=_read_priors,
        default=None,
        metavar="observed|equal|LABEL=P,…",
        help="How frequent the classes are taken to be.  [default: observed]",
    ),
    click.option(
        "--max-surrogates",
        type=click.IntRange(min=0),
        default=_DEFAULT.max_surrogates,
        show_default=True,
        metavar="K",
        help="With --missing surrogate: tests kept to stand in for a split's own.",
    ),
    click.option(
        "--competitors",
        type=click.IntRange(min=0),
        default=_DEFAULT.competitors,
        show_default=True,
        metavar="K",
        help="Keep the K next best splits of each node, for 'show --details'.",
    ),
    click.option("--laplace", is_flag=True, help="Smooth class probabilities: count one case more of each class."),
    click.option(
        "--seed", type=int, default=_DEFAULT.seed, show_default=True, metavar="N", help="For all that is random."
    ),
)


def learner(function: Any) -> Any:
    """Options that reach the command as one Settings, under the name `settings`, and `like`."""
    # rpart's cp, though a setting, is typed as the option of a pruning method; commands/_recipe.py sees to it.
    names = [field.name for field in fields(Settings) if field.name != "cp"]

    @wraps(function)
    def gather(like: str | None, **values: Any) -> Any:
        context = click.get_current_context()
        settings = Settings() if like is None else settings_like(like)
        taken = {name: values.pop(name) for name in names if name in values}
        given = {name: value for name, value in taken.items() if is_given(context, name)}
        if like is not None:
            given = following(like, given) | given
        return function(settings=replace(settings, **given), like=like, **values)

    return stacked(*_learner_options)(gather)
