"""Prune a model into a smaller one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treecli import limits, pruners
from treecli.cli import apply, options, terminal
from treecli.cli.learner import method_options, typed
from treecli.commands import _path
from treecli.commands._byhand import ByHand, collapsed_by_hand, with_step
from treecli.draw.canvas import check_suffix
from treecli.errors import DataError, UsageError
from treecli.files import forms, guard
from treecli.files.compression import without_suffix
from treecli.files.guard import STREAM
from treecli.files.names import name_of
from treecli.learn import pruned
from treecli.models import read_tree, write_model
from treecli.pruners import cost_complexity, pruner
from treecli.records import dataclass
from treecli.wording import counted, number_text, readable

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Lineage, TreeModel

METHOD_WITH_DATA = "reduced-error"
METHOD_WITHOUT_DATA = "pessimistic"
METHOD_WITH_PATH = "cost-complexity"
METHOD_FOR_NUMBERS = "cost-complexity"
"""The default for a numeric target without --data, or with its training data."""

USUAL_CP = 0.01
"""The default cp for a numeric target without data, as in rpart."""


@dataclass(frozen=True, slots=True)
class PathReport:
    """The options of the report on nested trees."""

    is_path: bool
    plot: str | None
    report_format: str


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@options.under(
    options.PRUNING,
    click.option(
        "--method",
        type=options.member_of("pruners"),
        default=None,
        help=f"The pruning method.  [default: {METHOD_WITH_DATA} with --data, else {METHOD_WITHOUT_DATA}; numeric "
        f"target: {METHOD_FOR_NUMBERS}, with the training data as --data by cross-validation and --one-se, without "
        f"data with --cp {USUAL_CP}; with --node, --depth or --collapse alone, none]",
    ),
    click.option(
        "--data",
        "data_path",
        type=options.FILE,
        metavar="FILE",
        default=None,
        help=f"For {METHOD_WITH_DATA}, and for --path without --folds: data that was not used for growing. For other "
        "methods: the training data.",
    ),
    method_options,
    click.option(
        "--node",
        "nodes",
        type=options.Whole(),
        multiple=True,
        metavar="N",
        help="Make this node a leaf; repeatable. 'show --ids' shows the numbers.",
    ),
    click.option(
        "--depth", type=options.Whole(min=0), default=None, metavar="D", help="Make every node at depth D a leaf."
    ),
    click.option(
        "--collapse",
        is_flag=True,
        help="Merge sibling leaves that predict the same label, after everything else. Class probabilities change; "
        "predicted labels do not, unless a row lacks a value that no training row lacked.",
    ),
)
@options.under(
    options.OUTPUT,
    click.option(
        "--path",
        "is_path",
        is_flag=True,
        help="Prune nothing: print the nested trees of cost-complexity pruning; with --data also their error on it, "
        "with --data and --folds also their cross-validated error.",
    ),
    click.option(
        "--plot",
        type=options.FILE,
        metavar="FILE",
        default=None,
        help="With --path: draw errors against leaves, as .png, .svg or .pdf.",
    ),
)
@options.report_format
@options.output("STEM.pruned.json in this folder", has_forms=False)
@options.model_data
@options.voice
@options.together("by_hand", ByHand)
@options.together("path", PathReport)
def command(
    model_path: str,
    method: str | None,
    data_path: str | None,
    by_hand: ByHand,
    path: PathReport,
    output: str | None,
    reading: ReadOptions,
    **method_values: Any,
) -> None:
    """Prune a saved model into a new one; the original file is kept.

    Pruned nodes become leaves that predict from their training cases. --node and --depth apply before a method,
    --collapse after it. The methods choose the tree with:

    \b
    cost-complexity  the least errors + price * leaves, for a price per leaf
                     (Breiman, Friedman, Olshen and Stone 1984)
    mdl              the shortest description of tree and classes, in bits
                     (Mehta, Rissanen and Agrawal 1995)
    min-error        the least error by the m-estimate (Niblett and Bratko 1986)
    pessimistic      the least estimated error, as C4.5 does (Quinlan 1993)
    reduced-error    the least error on data not used to grow it (Quinlan 1987)

    The columns of --path: alpha is the least price per leaf at which this tree is the best, in errors per training
    case; cp is alpha as a fraction of the root's error; error and relative_error are on the training data. For a
    numeric target the error is the mean squared error, or the mean absolute error of a tree grown by it.

    \b
    treecli prune playtennis.json
    treecli prune playtennis.json --confidence 0.1 -o small.json
    treecli prune playtennis.json --data tuning.csv
    treecli prune playtennis.json --method cost-complexity --leaves 3
    treecli prune playtennis.json --method cost-complexity --data playtennis.csv
    treecli prune playtennis.json --path --data test.csv --plot overfitting.png
    treecli prune playtennis.json --node 1 --node 3
    """
    if path.is_path:
        _check_path_options(method, output, by_hand.collapse, path.plot)
    else:
        _refuse_without_path(path.plot)
        output = _output_path(model_path, data_path, output)
    model = read_tree(model_path)
    data: Intake | None = None
    usual: dict[str, Any] = {}
    if path.is_path:
        chosen: str | None = METHOD_WITH_PATH
    elif method is not None or model.schema.is_classification:
        chosen = method or _default_method(has_data=data_path is not None, by_hand=by_hand.is_any)
    else:
        data = None if data_path is None else _read_data(data_path, reading, model)
        chosen, usual = _default_for_numbers(model, data, by_hand=by_hand.is_any)
    own = pruners.options_of(chosen, typed(method_values, pruners.all_options()), "--method", usual)
    if path.is_path:
        _check_choice(own, has_data=data_path is not None)
    _check_data_options(chosen, own, data_path, reading)

    name = "stdin" if model_path == STREAM else model_path
    smaller = collapsed_by_hand(model, name, by_hand.nodes, by_hand.depth)
    if data is None and data_path is not None:
        data = _read_data(data_path, reading, model)
    if data is not None:
        _warn_of_data(model, data, chosen, own, is_path=path.is_path)
    if path.is_path:
        _path.show(smaller, name, own, None if data is None else data.dataset, path.report_format, path.plot)
        return
    if by_hand.step:
        smaller = with_step(smaller, model, by_hand.step)
    if chosen is not None:
        smaller = _pruned(smaller, chosen, own, data)
    if by_hand.collapse:
        from treecli.pruners._agreement import merged

        smaller = with_step(replace(smaller, tree=merged(smaller)), smaller, {"collapse": True})
    assert output is not None
    write_model(output, smaller)

    if chosen is not None and method is None:
        terminal.note(f"no --method given, so this was {pruners.as_typed(chosen, own, '--method')}")
    terminal.note(
        f"{name}: {model.tree.n_nodes} → {counted(smaller.tree.n_nodes, 'node')}, "
        f"{model.tree.n_leaves} → {counted(smaller.tree.n_leaves, 'leaf', 'leaves')}; "
        f"wrote {'the model to stdout' if output == STREAM else output}"
    )


def _warn_of_data(model: TreeModel, data: Intake, chosen: str | None, own: Any, *, is_path: bool) -> None:
    """Warns if the training rows are given where other rows are needed, or the other way round."""
    is_training = chosen is not None and pruner(chosen).DATA == "optional"
    if is_path:  # measured on other data, unless cross-validated
        is_training = own.folds is not None
    if is_training:
        apply.warn_of_other_data(model, data)
    else:
        advice = "their errors are too optimistic" if is_path else f"{chosen} needs other rows"
        apply.warn_of_training_rows(model, data, advice)


def _pruned(model: TreeModel, chosen: str, own: Any, data: Intake | None) -> TreeModel:
    """The model pruned by a method; cross-validation on the data chooses the price of cost-complexity pruning."""
    facts: Lineage = {}
    if data is not None:
        facts = {"data": data.name, "sha256": data.sha256}
        if isinstance(own, cost_complexity.Options):
            own, chosen_by = _cross_validated(model, own, data.dataset)
            facts |= chosen_by
    return pruned(model, chosen, own, None if data is None else data.dataset, facts)


def _check_path_options(method: str | None, output: str | None, collapse: bool, plot: str | None) -> None:
    """Refuses options that are incompatible with --path."""
    if method not in (None, METHOD_WITH_PATH):
        raise UsageError(f"--path is the path of {METHOD_WITH_PATH}, but --method is {method}", "leave --method out")
    if output is not None:
        raise UsageError("--path writes no model, so -o has no effect", "leave -o out; > FILE keeps the report")
    if collapse:
        raise UsageError("--path prunes nothing, so --collapse has no effect", "leave one of them out")
    if plot is not None:
        check_suffix(plot)
        guard.check_output(plot)


def _refuse_without_path(plot: str | None) -> None:
    context = click.get_current_context()
    for name, is_there in (("--plot", plot is not None), ("--format", options.is_given(context, "report_format"))):
        if is_there:
            raise UsageError(f"{name} needs --path", "add --path")


def _check_choice(own: cost_complexity.Options, *, has_data: bool) -> None:
    """Refuses options that choose one tree, because --path reports all of them."""
    for name, is_there in (
        ("--alpha", own.alpha is not None),
        ("--cp", own.cp is not None),
        ("--leaves", own.leaves is not None),
        ("--one-se", own.one_se),
    ):
        if is_there:
            raise UsageError(f"{name} chooses a tree, but --path reports all of them", "leave one of the two out")
    if own.folds is not None and not has_data:
        raise UsageError("--folds needs the training data", "name the file: --data FILE")


def _cross_validated(
    model: TreeModel, own: cost_complexity.Options, dataset: Dataset
) -> tuple[cost_complexity.Options, Lineage]:
    """The options with the cross-validated price, and the facts about the choice."""
    from treecli.pruners._path import cross_validated, path_of

    n_folds = own.folds or cost_complexity.N_FOLDS
    path = path_of(model, by_impurity=own.by_impurity)
    with terminal.progress("Cross-validating") as bar:
        found = cross_validated(model, path, dataset, n_folds, by_impurity=own.by_impurity, on_progress=bar)
    best = found.best(one_se=own.one_se)
    error, spread = found.error[best], found.standard_error[best]
    terminal.note(
        f"{n_folds}-fold cross-validation chose alpha {number_text(path.alpha[best])}: "
        f"error {readable(error)} ± {readable(spread)}"
    )
    facts: Lineage = {"folds": n_folds, "one_se": own.one_se, "cv_error": error, "cv_se": spread}
    return replace(own, alpha=path.alpha[best], folds=None, one_se=False), facts


def _default_method(has_data: bool, by_hand: bool) -> str | None:
    if has_data:
        return METHOD_WITH_DATA
    return None if by_hand else METHOD_WITHOUT_DATA


def _default_for_numbers(model: TreeModel, data: Intake | None, *, by_hand: bool) -> tuple[str | None, dict[str, Any]]:
    """The default method for a numeric target, with its options."""
    if data is not None and not apply.is_training_data(model, data):
        return METHOD_WITH_DATA, {}
    if data is not None:
        return METHOD_FOR_NUMBERS, {"one_se": True}
    return (None, {}) if by_hand else (METHOD_FOR_NUMBERS, {"cp": USUAL_CP})


def _check_data_options(chosen: str | None, own: Any, data_path: str | None, reading: ReadOptions) -> None:
    """Refuses data that is not used, and a method that lacks data."""
    from treecli.readers._readoptions import ReadOptions

    use = "none" if chosen is None else pruner(chosen).DATA
    if use == "needed" and data_path is None:
        raise UsageError(
            f"--method {chosen} needs tuning data", "give a file that was not used for growing: --data FILE"
        )
    if data_path is not None and (use == "none" or not getattr(own, "uses_data", True)):
        how = pruners.as_typed(chosen, own, "--method") if chosen is not None else "no method"
        raise UsageError(f"{how} uses no data", f"leave --data out, or use --method {METHOD_WITH_DATA}")
    if data_path is None and reading != ReadOptions():
        raise UsageError("options for reading data are given, but no data", "name the file: --data FILE")


def _output_path(model_path: str, data_path: str | None, output: str | None) -> str:
    """The path of the new model."""
    if model_path == data_path == STREAM:
        raise UsageError("the model and the data cannot both come from stdin")
    if output is None:
        if model_path == STREAM:
            raise UsageError("a model from stdin has no name to derive the new name from", "name the new file: -o FILE")
        name = name_of(without_suffix(model_path))
        output = f"{name.removesuffix('.json')}.pruned.json"
    guard.check_output(output)
    forms.check_model(output)
    return output


def _read_data(path: str, reading: ReadOptions, model: TreeModel) -> Intake:
    from treecli.intake import read_for_model
    from treecli.predict.predict import UNSEEN_REFUSED, refuse_unseen

    data = read_for_model(path, reading, model.schema)
    for text in data.notices:
        terminal.detail(text)
    for text in data.remarks:
        terminal.note(text)
    for text in data.warnings:
        terminal.warn(text)
    dataset = data.dataset
    assert dataset.target is not None
    is_known = dataset.target >= 0 if model.schema.is_classification else dataset.target == dataset.target  # not NaN
    if not dataset.weights[is_known].any():
        raise DataError(
            f"{data.name}: no row has a value of the target '{model.schema.target.name}' that the model knows",
            "without one every node would be pruned; --node 0 does that on purpose",
        )
    limits.check(dataset, data.name, reading.weights)
    if not is_known.all():
        terminal.warn(
            f"{data.name}: {(~is_known).sum()} of {dataset.n_rows} rows are ignored, "
            "because their target is missing or unknown to the model"
        )
    if model.settings.predicting.unseen == "error":
        refuse_unseen(model, dataset, data.name, UNSEEN_REFUSED)
    return data
