"""Show the arithmetic of every decision while a tree grows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from treecli import limits, models, plugins
from treecli.cli import apply, options, terminal
from treecli.cli.learner import OF_ENSEMBLES, recipe_options
from treecli.errors import UsageError
from treecli.recipe import Recipe, all_options
from treecli.teaching.impurities import GINI_FORMS, GINI_SUM
from treecli.teaching.naming import node_named
from treecli.teaching.notation import NOTATIONS
from treecli.teaching.numbers import ROUNDINGS, Digits
from treecli.teaching.trace import Trace

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.intake import Intake, ReadOptions
    from treecli.model import TreeModel
    from treecli.teaching.candidates import Style
    from treecli.teaching.observing import Growth
    from treecli.teaching.prunings import Subject
    from treecli.teaching.tracing import Place

TEXT = "text"

MOST_NODES = 200
"""A longer trace has to be asked for by --depth or --node."""

MOST_CANDIDATES = 8
MOST_WAYS = 8

MOST_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Part:
    """The part of the tree that is traced."""

    node: str | None
    depth: int | None
    top: int
    thresholds: int
    only: str | None


@dataclass(frozen=True, slots=True)
class Form:
    """How numbers and formulas are written."""

    digits: int
    rounding: str
    notation: str
    gini: str
    form: str
    is_whole: bool

    def style(self, n_ways: int) -> Style:
        from treecli.teaching.candidates import Style

        digits = Digits(self.digits, self.rounding == ROUNDINGS[1])
        return Style(digits, self.notation, self.gini, n_ways)


GROW, PRUNE_ONLY = "grow", "prune"


@click.command(cls=options.Command)
@click.argument("data_path", metavar="DATA", type=options.FILE)
@options.under(
    options.OUTPUT,
    click.option(
        "--node", metavar="NODE", help="Only this node: its number, or its path as in Outlook=Sunny,Wind=Weak."
    ),
    click.option(
        "--depth",
        type=options.Whole(min=0),
        metavar="D",
        help="Only nodes down to this depth; the root has depth 0. With --node, also D levels below that node.",
    ),
    click.option(
        "--top",
        type=options.Whole(min=1),
        default=MOST_CANDIDATES,
        show_default=True,
        metavar="K",
        help="Spell out the K best candidates of each node, and name the others in one line.",
    ),
    click.option(
        "--thresholds",
        type=options.Whole(min=1),
        default=MOST_WAYS,
        show_default=True,
        metavar="K",
        help="List the K best thresholds, or groups of labels, of each attribute.",
    ),
    click.option(
        "--digits",
        type=options.Whole(min=0, max=MOST_DIGITS),
        default=3,
        show_default=True,
        metavar="N",
        help="Digits after the point.",
    ),
    click.option(
        "--rounding",
        type=options.OneOf(ROUNDINGS),
        default=ROUNDINGS[0],
        show_default=True,
        help="Round what is printed only (exact), or each result before it is used in the next step, as by hand "
        "(steps).",
    ),
    click.option(
        "--notation",
        type=options.OneOf(NOTATIONS),
        default=NOTATIONS[0],
        show_default=True,
        help="Names of quantities: H(S) and Gain(S, A); info(S) and gain(A); or I(E) and gain(A).",
    ),
    click.option(
        "--gini",
        type=options.OneOf(GINI_FORMS),
        default=GINI_SUM,
        show_default=True,
        help="How the Gini index is written: 1 − Σp², or for two classes 2pq or pq. The choice of splits is the same.",
    ),
    click.option(
        "--model",
        "model_path",
        type=options.FILE,
        metavar="MODEL",
        help="Trace the splits of this model, with its settings; DATA is what it was grown from. If a split or a score "
        "is not the same, the exit code is 1.",
    ),
    click.option(
        "-f",
        "--format",
        "form",
        type=options.member_of("trace_formats"),
        default=TEXT,
        show_default=True,
        help="The output format.",
    ),
    click.option("--standalone", "is_whole", is_flag=True, help="latex, html: write a document of its own."),
)
@recipe_options(without=("competitors", "tune_fold", *OF_ENSEMBLES))
@options.under(
    options.PRUNING,
    click.option("--tune", "tune_path", type=options.FILE, metavar="FILE", help="(reduced-error) The tuning data."),
    click.option(
        "--only",
        type=options.OneOf((GROW, PRUNE_ONLY)),
        help="Trace only how the tree grows, or only how it is pruned.",
    ),
)
@options.output("stdout")
@options.training_data
@options.voice
@options.together("part", Part)
@options.together("written", Form)
def command(
    data_path: str,
    part: Part,
    written: Form,
    model_path: str | None,
    tune_path: str | None,
    recipe: Recipe,
    output: str | None,
    reading: ReadOptions,
) -> None:
    """Show the arithmetic of every decision while a tree grows from DATA and is pruned, as a lecture writes it.

    Takes the options of 'treecli train'. At each node, the impurity of its cases, and for each attribute the best split
    with its branches, the impurity that remains, the gain and what is derived from it; then which split is chosen, and
    the next best; with --ties, what another choice would give; with --missing surrogate, how far each surrogate agrees
    with the split; with --search lookahead, the splits that follow, and the gain of the subtree; with --search skewing,
    one trial in full, the shares that all trials gain, and what counts; with --search optimal, the errors of the best
    tree with each test. Then, with --prune, the comparison of each subtree with a leaf, and with its largest branch
    where that decides. Every result is compared with the learner's own before it is printed.

    \b
    treecli trace playtennis.csv --criterion gain
    treecli trace playtennis.csv --depth 0 --rounding steps
    treecli trace iris.csv --node "petalwidth > 0.8" --top 2 --thresholds 3
    treecli trace playtennis.csv --criterion gini --standalone -o gini.tex
    treecli trace playtennis.csv -f json | jq '.nodes[0].candidates[].gain'
    treecli trace iris.csv --model iris.json --depth 1
    treecli trace courses.csv --prune pessimistic --only prune
    treecli trace courses.csv --criterion error --ties=0
    """
    form = options.form("form", written.form, output, "trace_formats")
    writer = plugins.load("trace_formats", form)
    if written.is_whole and not writer.HAS_WHOLE:
        raise UsageError(
            f"--standalone: -f {form} is no document with a preamble", "leave it out, or use latex or html"
        )
    if part.only == PRUNE_ONLY and recipe.method is None:
        raise UsageError("--only prune: no pruning method is given", "add --prune METHOD")
    subject = None
    if model_path is not None:
        trace = _of_growth(*_with_model(data_path, model_path, reading), part, written)
    else:
        subject, growing = _learned(data_path, tune_path, recipe, reading, written, part)
        if part.only == PRUNE_ONLY:
            style = written.style(part.thresholds)
            trace = Trace(subject.model.settings.splitting.criterion or "", "", style.digits, style.notation)
        else:
            trace = _of_growth(subject.model, _growth(subject.model, growing), part, written)
    if subject is not None and part.only != GROW:
        trace = _with_pruning(trace, subject, recipe)
    terminal.results(writer.render(trace, is_whole=written.is_whole), output)


def _of_growth(model: TreeModel, growth: Growth, part: Part, written: Form) -> Trace:
    """The trace of the nodes that the options ask for."""
    from treecli.teaching import drawn
    from treecli.teaching.proposed import definitions
    from treecli.teaching.tracing import places, traced

    schema, model = model.schema, growth.as_grown(model)
    _check_gini(written.gini, model)
    shown = _chosen(list(places(model, growth)), part)
    trace = traced(model, growth, shown, written.style(part.thresholds), part.top)
    trace = replace(trace, definitions=definitions(schema, trace.digits), drawing=tuple(drawn.lines(growth)))
    if model.tree.leaf_models:
        from treecli.teaching.leafmodels import Formulas

        found = Formulas(model, growth, schema.attributes, trace.digits)
        trace = replace(trace, nodes=tuple(replace(own, formulas=found.lines(own.id)) for own in trace.nodes))
    if growth.winnowed is not None:
        from treecli.teaching import winnowing

        trace = replace(trace, winnowing=tuple(winnowing.lines(growth.winnowed, schema, trace.digits)))
    if model.settings.computing.ties is not None:
        from treecli.teaching.rivals import with_rivals

        trace = with_rivals(trace, model, growth, shown)
    return trace


def _with_pruning(trace: Trace, subject: Subject, recipe: Recipe) -> Trace:
    """The trace with how the tree is pruned, and how leaves are merged."""
    from treecli.teaching import merging
    from treecli.teaching.prunings import pruned

    if recipe.method is not None:
        trace = replace(trace, pruning=pruned(recipe.method, subject))
    if recipe.settings.stopping.merges_leaves:
        trace = replace(trace, merging=tuple(merging.lines(subject, recipe.method)))
    return trace


def _growth(model: TreeModel, growing: Dataset) -> Growth:
    """The growth of the model with all candidates."""
    from treecli.teaching.observing import observed

    return observed(growing, model.settings, given=model)


def _learned(
    data_path: str, tune_path: str | None, recipe: Recipe, reading: ReadOptions, written: Form, part: Part
) -> tuple[Subject, Dataset]:
    """The model that `train` grows, before pruning, and what it is pruned with; and the data that it grows from."""
    from treecli.intake import read_for_model, read_training
    from treecli.learn import TUNE_FRACTION, held_aside, learn
    from treecli.pruners import pruner
    from treecli.teaching import prunings
    from treecli.teaching.observing import check

    if part.only != PRUNE_ONLY:
        check(recipe.settings)
    needs_tuning = recipe.method is not None and pruner(recipe.method).DATA == "needed"
    if tune_path is not None and not needs_tuning:
        raise UsageError("--tune needs a pruning method with tuning data", "add --prune reduced-error")
    if recipe.method is not None:
        prunings.check(recipe.method, recipe.options)
    is_like = recipe.like is not None
    with terminal.waiting(f"Reading {data_path}"):
        intake = read_training(data_path, reading, keep_identifiers=is_like, keep_unlabelled=is_like)
    _tell(intake)
    limits.check(intake.dataset, intake.name, reading.weights)
    recipe = recipe.with_costs(intake.dataset.schema.target.labels)
    growing, tuning, names = intake.dataset, None, (intake.name, "")
    if tune_path is not None:
        tuning = read_for_model(tune_path, reading, growing.schema).dataset
        names = (intake.name, tune_path)
    elif needs_tuning:
        fraction = recipe.tune_fraction or TUNE_FRACTION
        growing, tuning = held_aside(growing, fraction, recipe.settings.computing.seed)
        names = (f"{growing.n_rows} rows of {intake.name}", f"the other {tuning.n_rows}")
    # Leaves are merged at the end, after pruning.
    apart = replace(recipe, method=None, options=None, settings=recipe.settings.changed(merges_leaves=False))
    model = learn(growing, apart, on_warning=terminal.warn)
    if getattr(recipe.options, "uses_data", False) or getattr(recipe.options, "raises", False):
        tuning = growing  # for cross-validation, or to send cases down a branch that is raised
    return prunings.Subject(model, recipe.options, written.style(1).digits, tuning, names), growing


def _with_model(data_path: str, model_path: str, reading: ReadOptions) -> tuple[TreeModel, Growth]:
    """A model, and the growth of its settings on the data."""
    from treecli.intake import ReadOptions
    from treecli.teaching import merging
    from treecli.teaching.observing import observed

    context = click.get_current_context()
    for option in all_options():
        if any(options.is_given(context, name) for name in (option.key, f"{option.key}_path")):
            raise UsageError(f"{option.flag}: the settings are those of --model", "leave it out")
    for name, value in (("--ignore", reading.ignore), ("--keep", reading.keep), ("--type", reading.types)):
        if value:
            raise UsageError(f"{name}: the columns are those of --model", "leave it out")
    model = models.read_tree(model_path)
    merging.check(model)
    intake = apply.read_data(data_path, reading or ReadOptions(), model, needs_target=True)
    limits.check(intake.dataset, intake.name, reading.weights)
    # The columns that the model derived are found again.
    dataset = replace(intake.dataset, schema=replace(intake.dataset.schema, derived=()))
    return model, observed(dataset, model.settings, given=model)


def _tell(intake: Intake) -> None:
    for notice in (*intake.notices, *intake.remarks):
        terminal.note(notice)
    for warning in intake.warnings:
        terminal.warn(warning)


def _check_gini(gini: str, model: TreeModel) -> None:
    """Raises a UsageError if a form of the Gini index for two classes is not possible."""
    if gini == GINI_SUM:
        return
    if model.settings.splitting.criterion != "gini":
        raise UsageError(
            f"--gini {gini}: the criterion is '{model.settings.splitting.criterion}'", "add --criterion gini"
        )
    n_classes = len(model.schema.target.labels)
    if n_classes != 2:
        raise UsageError(f"--gini {gini}: is for two classes, but the target has {n_classes}", "use --gini sum")


def _chosen(every: list[Place], part: Part) -> list[Place]:
    """The nodes that the options ask for."""
    if part.node is None:
        shown = every if part.depth is None else [place for place in every if place.depth <= part.depth]
        if len(shown) > MOST_NODES and part.depth is None:
            raise UsageError(
                f"the tree has {len(every)} nodes, more than {MOST_NODES}",
                "trace a part of it: --depth 2, or --node 0",
            )
        return shown
    root = every[node_named(part.node, [place.path for place in every], "--node")]
    deepest = root.depth + (part.depth or 0)
    n = len(root.conditions)
    return [place for place in every if place.depth <= deepest and place.conditions[:n] == root.conditions]
