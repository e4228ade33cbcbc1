"""The options that fix how a tree is grown, gathered into Settings: what `train` and `crossval` share."""

from __future__ import annotations

from functools import wraps
from typing import Any

import click

from treecli import plugins
from treecli.cli import options
from treecli.cli.options import OneOf, is_given, member_of, stacked
from treecli.discretizers import NONE as NO_BINS
from treecli.discretizers import discretizer
from treecli.errors import UsageError
from treecli.presets import following, settings_like
from treecli.priors import EQUAL
from treecli.settings import NOMINAL_SPLITS, UNSEEN_POLICIES, Settings
from treecli.splits.threshold import THRESHOLDS

_DEFAULT = Settings().flat()

OBSERVED = "observed"
"""The priors that the data show, the default."""

MOST_LABELS = 40
"""More labels than these have more groupings than can be tried in a day."""


def _checked_bins(context: click.Context, option: click.Parameter, value: str) -> str:
    if value != NO_BINS:
        discretizer(value)
    return value


def _complete_bins(context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    words = (NO_BINS, *plugins.names("discretizers"))
    return [word for word in words if word.startswith(incomplete)]


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


_splits = options.under(
    options.SPLITS,
    click.option(
        "--like",
        type=member_of("presets"),
        default=None,
        help="Grow and prune as this program does; other options given override its settings.",
    ),
    click.option(
        "--criterion",
        type=member_of("criteria"),
        default=None,
        help="How splits are scored.  [default: gainratio; variance for a numeric target]",
    ),
    click.option(
        "--nominal",
        type=OneOf(NOMINAL_SPLITS),
        default=_DEFAULT["nominal"],
        show_default=True,
        help="Splits on nominal attributes: a branch for each label (multiway), one label against the rest (binary), "
        "two groups of labels (subset), or a branch for each group of labels that hardly differ (merged; ordinal "
        "attributes too).",
    ),
    click.option(
        "--exhaustive",
        "most_exhaustive",
        type=options.Whole(min=0, max=MOST_LABELS),
        default=_DEFAULT["most_exhaustive"],
        metavar="N",
        help="With --nominal subset and three classes or more: try every grouping of up to N labels, which takes "
        "twice as long for each label more; beyond, groupings in the order of a principal component.  "
        "[default: 10; --like rpart: 30, as long as that takes seconds]",
    ),
    click.option(
        "--threshold",
        type=OneOf(THRESHOLDS),
        default=_DEFAULT["threshold"],
        show_default=True,
        help="Where a threshold lies: halfway between two neighbouring values (midpoint), at the largest value in the "
        "data not above that (datavalue), or only at the mean or the median of the node's values.",
    ),
    click.option(
        "--discretize",
        callback=_checked_bins,
        shell_complete=_complete_bins,
        default=_DEFAULT["discretize"],
        show_default=True,
        metavar="none|mdlp|width:K|frequency:K",
        help="Cut numeric attributes into bins, a branch for each: by entropy and description length (mdlp), K bins of "
        "equal width, or K bins with about equally many cases.",
    ),
    click.option(
        "--zero-gain/--no-zero-gain",
        default=_DEFAULT["zero_gain"],
        help="Whether to accept a split that gains nothing, without which XOR cannot be learned.  [default: zero-gain; "
        "with --like as that program]",
    ),
    click.option(
        "--cut-cost/--no-cut-cost",
        default=_DEFAULT["cut_cost"],
        help="Subtract log2(number of thresholds) / cases from a numeric attribute's gain, as C4.5 does.  [default: "
        "no-cut-cost; with --like as that program]",
    ),
    click.option(
        "--merge-alpha",
        type=options.Real(min=0.0, max=1.0),
        default=_DEFAULT["merge_alpha"],
        show_default=True,
        metavar="P",
        help="With --nominal merged: labels share a branch unless a chi-square test tells them apart at this level.",
    ),
)

_stopping = options.under(
    options.STOPPING,
    click.option("--max-depth", type=options.Whole(min=0), metavar="N", help="At most N tests from root to leaf."),
    click.option("--max-leaves", type=options.Whole(min=1), metavar="N", help="At most N leaves, grown best first."),
    click.option(
        "--min-leaf",
        type=options.Real(min=0.0, min_open=True),
        default=_DEFAULT["min_leaf"],
        show_default=True,
        metavar="N",
        help="At least two branches of a split hold N cases or more.",
    ),
    click.option(
        "--min-split",
        type=options.Real(min=0.0),
        metavar="N",
        show_default="twice --min-leaf",
        help="A node with fewer than N cases becomes a leaf.",
    ),
    click.option(
        "--min-gain",
        type=options.Real(min=0.0),
        metavar="X",
        help="The least gain of a split (in bits for gain and gainratio).",
    ),
    click.option(
        "--chi2-alpha",
        type=options.Real(min=0.0, max=1.0),
        metavar="P",
        help="Only splits that are significant at this level by a chi-square test.",
    ),
)

_missing = options.under(
    options.MISSING,
    click.option(
        "--missing",
        type=member_of("missing"),
        default=_DEFAULT["missing"],
        show_default=True,
        help="A case whose value is missing goes down every branch with part of its weight (fractional), follows "
        "similar tests on other attributes (surrogate), takes the heaviest branch (majority), is treated as one more "
        "value (branch), ends at this node (stay), or is an error.",
    ),
    click.option(
        "--max-surrogates",
        type=options.Whole(min=0),
        default=_DEFAULT["max_surrogates"],
        show_default=True,
        metavar="K",
        help="With --missing surrogate: how many surrogate tests a split keeps.",
    ),
    click.option(
        "--unseen",
        type=OneOf(UNSEEN_POLICIES),
        default=_DEFAULT["unseen"],
        show_default=True,
        help="At prediction, a label that the training data did not have: counts as missing, takes the heaviest branch "
        "(majority), or is an error.",
    ),
)

_classes = options.under(
    options.CLASSES,
    click.option(
        "--priors",
        callback=_read_priors,
        default=None,
        metavar="observed|equal|LABEL=P,…",
        help="The share that each class is taken to have.  [default: observed]",
    ),
    click.option("--laplace", is_flag=True, help="Smooth class probabilities: add one case to each class of a leaf."),
)

collapse = click.option(
    "--collapse/--no-collapse",
    default=_DEFAULT["collapse"],
    help="Replace a subtree by a leaf if that makes no more training errors, as C4.5 does.  [default: no-collapse; "
    "with --like as that program]",
)

_general = options.under(
    options.GENERAL,
    click.option(
        "--seed",
        type=options.Whole(min=0),
        default=_DEFAULT["seed"],
        show_default=True,
        metavar="N",
        help="The seed for all random choices.",
    ),
)

_output = options.under(
    options.OUTPUT,
    click.option(
        "--competitors",
        type=options.Whole(min=0),
        default=_DEFAULT["competitors"],
        show_default=True,
        metavar="K",
        help="Keep the K next best splits of each node in the model, for 'show --details'.",
    ),
)


def learner(function: Any) -> Any:
    """Options that reach the command as one Settings, under the name `settings`, and `like`."""
    # rpart's cp, though a setting, is typed as the option of a pruning method; commands/_recipe.py sees to it.
    names = [key for key in _DEFAULT if key != "cp"]

    @wraps(function)
    def gather(like: str | None, **values: Any) -> Any:
        context = click.get_current_context()
        settings = Settings() if like is None else settings_like(like)
        taken = {name: values.pop(name) for name in names if name in values}
        given = {name: value for name, value in taken.items() if is_given(context, name)}
        if "most_exhaustive" in given:
            given["insists"] = True
        if like is not None:
            given = following(like, given) | given
        return function(settings=settings.changed(**given), like=like, **values)

    return stacked(_splits, _stopping, _missing, _classes, _output, _general)(gather)
