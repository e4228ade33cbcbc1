"""Convert a model to IF-THEN rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treecli import models, plugins
from treecli.cli import options, report, terminal
from treecli.errors import CheckError, UsageError
from treecli.files import forms
from treecli.files.guard import STREAM
from treecli.records import dataclass
from treecli.rule_formats import Page
from treecli.rules.rulelist import ORDERS, RuleList, in_order
from treecli.wording import counted

if TYPE_CHECKING:
    from treecli.intake import Intake, ReadOptions
    from treecli.model import Lineage, Model
    from treecli.rules.step import Step

PLAIN = "plain"
"""Sentences instead of formulas."""

TEXT = "text"
LINT_FORMATS = (TEXT, "json")
AUDIT_FORMATS = (*LINT_FORMATS, "csv", "markdown")


@dataclass(frozen=True, slots=True)
class Changes:
    """The options that change the rules."""

    order: str
    simplify: str | None
    seed: int | None


@dataclass(frozen=True, slots=True)
class Printed:
    """The options on what is printed, and in which form."""

    is_audit: bool
    is_lint: bool
    rule_format: str | None
    wording: str


@click.command(cls=options.Command)
@click.argument("model_path", metavar="MODEL", type=options.FILE)
@click.option(
    "--set",
    "number",
    type=options.Whole(min=1),
    default=None,
    metavar="K",
    help="The rules of set K of boosted rulesets, which vote.",
)
@click.option(
    "--order",
    type=options.OneOf(ORDERS),
    default=ORDERS[0],
    show_default=True,
    help="The order of the rules: as in the tree, by highest confidence (numeric target: least error), most cases "
    "(coverage), or highest utility.",
)
@click.option(
    "--simplify",
    type=options.member_of("simplifiers"),
    default=None,
    help="Make the rules fewer and shorter; exact: without changing any prediction; c45rules: like C4.5, by the "
    "estimated error on new cases; c50rules: rules that vote, like C5.0's; both with the training data as --data.",
)
@click.option(
    "--seed",
    type=options.Whole(min=0),
    default=None,
    metavar="N",
    help="The seed for c45rules.  [default: 0]",
)
@click.option(
    "--audit",
    "is_audit",
    is_flag=True,
    help="Instead of the rules, print each simplification step, with the estimated errors, and the rows of --data on "
    "which the rules and MODEL disagree. -o also writes the rules, and -f is the format of the audit: text, json, csv "
    "or markdown.",
)
@click.option(
    "--lint",
    "is_lint",
    is_flag=True,
    help="Instead of the rules, print their defects, with an example row: rules that no row reaches, redundant "
    "conditions, rules that contradict each other; also the rows left to the default. Exit with code 1 if there is a "
    "defect.",
)
@click.option(
    "--data",
    "data_path",
    type=options.FILE,
    metavar="FILE",
    default=None,
    help="Count the cases of each rule on this data instead of the training data.",
)
@click.option(
    "-f",
    "--format",
    "rule_format",
    type=options.member_of("rule_formats"),
    default=None,
    help="The format of the rules.  [default: by the suffix of -o, else text]",
)
@click.option(
    "--wording",
    type=options.OneOf(("formal", PLAIN)),
    default="formal",
    show_default=True,
    help="Rules as formulas (formal) or in sentences (plain).",
)
@options.output("stdout")
@options.model_data
@options.jobs
@options.voice
@options.together("changes", Changes)
@options.together("printed", Printed)
def command(
    model_path: str,
    number: int | None,
    changes: Changes,
    printed: Printed,
    data_path: str | None,
    output: str | None,
    reading: ReadOptions,
    jobs: int | None,
) -> None:
    """Convert a model to IF-THEN rules, one for each leaf; MODEL - is stdin.

    All conditions on one attribute are merged into one. Each rule is followed by its correct and covered cases; its
    confidence, (correct + 1) / (covered + 2); and its lift, the confidence divided by the label's share of all cases.
    With a numeric target a rule has the mean and the root mean squared error instead, or the median and the mean
    absolute error if the tree was grown by that. The cases are from training, or from --data.

    Each row satisfies exactly one rule, with one exception: if the model sends missing values down several branches
    of a split, or uses surrogates, a row with such a value may satisfy none. It then gets the default, the prediction
    of the root.

    With -o the rules become a model, as JSON or as text that can be edited: evaluate, predict, explain, show, info
    and export accept either, and so does this command. The utility of a rule (--order utility) is the weight of its
    correct cases minus the weight of its wrong ones; with a numeric target, the weight of its cases times the
    distance between its value and that of all cases.

    \b
    treecli rules iris.json
    treecli rules iris.json --order confidence --wording plain
    treecli rules iris.json -f csv -o rules.csv
    treecli rules iris.json -f json | jq '.rules | sort_by(-.confidence) | .[0]'
    treecli rules iris.json --simplify exact -o rules.txt
    treecli rules iris.json --simplify c45rules --data iris.csv --audit
    treecli evaluate rules.txt iris.csv
    treecli rules rules.txt --lint
    """
    if changes.simplify is not None and changes.order != ORDERS[0]:
        raise UsageError("--order: the meaning of simplified rules depends on their order", "leave it out")
    if printed.is_audit:
        _check_audit(changes, printed, data_path, output)
    chosen = _format(None if printed.is_audit else printed.rule_format, output)
    is_plain = printed.wording == PLAIN
    if printed.is_lint and (chosen not in LINT_FORMATS or is_plain):
        raise UsageError(f"--lint prints {' or '.join(LINT_FORMATS)}, in its own wording", "leave -f and --wording out")
    form = plugins.load("rule_formats", chosen)
    if is_plain and not form.HAS_WORDING:
        raise UsageError(f"--wording {PLAIN}: -f {chosen} has its own wording", "leave one of them out")
    _check_data_options(model_path, data_path, reading, jobs)
    changes = replace(changes, seed=_seed(changes))
    model = _chosen_set(models.read_model(model_path), number, model_path)
    data = None if data_path is None else _read_data(data_path, reading, model)
    step: Lineage = {"command": "rules", **({} if number is None else {"set": number}), **_asked(changes, data)}
    heading, rules = models.as_rules(model)
    is_list = models.as_tree(model) is None
    if is_list:
        _refuse_order(heading, model_path, changes.order)
    before = heading
    steps: list[Step] = []
    if changes.order != ORDERS[0] or changes.simplify is not None or data is not None or printed.is_lint:
        before = replace(heading, rules=tuple(rules))
        heading, steps = _changed(before, model, changes, data, jobs)
        rules = heading.rules
    if printed.is_lint:
        _lint(heading, "stdin" if model_path == STREAM else model_path, chosen, output)
        return
    page = Page(
        replace(heading, lineage=(*heading.lineage, step)),
        rules,
        has_default=is_list or changes.simplify is not None,
        is_whole=output not in (None, STREAM),
        is_plain=is_plain,
    )
    if not printed.is_audit or output is not None:
        terminal.results(form.render(page), output)
    if printed.is_audit:
        _audit(before, heading, steps, model, data, jobs, printed.rule_format or TEXT)


def _chosen_set(model: Model, number: int | None, path: str) -> Model:
    """The model, or the one of its sets of rules that is asked for, with the same lineage."""
    sets = models.rule_sets(model)
    if number is None:
        return model
    if not sets:
        raise UsageError(f"--set: {path} is {models.kind_of(model).TITLE}, which has no sets of rules", "leave it out")
    if number > len(sets):
        raise UsageError(f"--set {number}: {path} has {counted(len(sets), 'set')} of rules")
    return replace(sets[number - 1], lineage=model.lineage)


def _check_audit(changes: Changes, printed: Printed, data_path: str | None, output: str | None) -> None:
    if printed.is_lint:
        raise UsageError("--audit and --lint both print a report", "leave one of them out")
    if changes.simplify is None and data_path is None:
        raise UsageError(
            "--audit: nothing is simplified, and there is no data to compare on",
            "add --simplify NAME, --data FILE or both",
        )
    if output == STREAM:
        raise UsageError(
            "--audit and -o -: both the audit and the rules would go to stdout", "name a file, or leave -o out"
        )
    if printed.wording == PLAIN and output is None:
        raise UsageError(f"--wording {PLAIN}: --audit prints no rules", "write them to a file: -o FILE")
    if printed.rule_format is not None and printed.rule_format not in AUDIT_FORMATS:
        raise UsageError(
            f"--audit prints {', '.join(AUDIT_FORMATS[:-1])} or {AUDIT_FORMATS[-1]}",
            "the suffix of -o selects the format of the rules",
        )


def _audit(
    before: RuleList,
    after: RuleList,
    steps: list[Step],
    model: Model,
    data: Intake | None,
    jobs: int | None,
    chosen: str,
) -> None:
    """Prints the simplification steps, and the rows on which the rules and the model disagree."""
    from treecli.commands import _audit
    from treecli.rules.audit import audit, compared

    comparison = None
    if data is not None:
        comparison = compared(models.predictions(model, data.dataset, jobs), after, data.dataset, jobs)
    _audit.write(audit(before, after, steps, comparison), "table" if chosen == TEXT else chosen)


def _lint(rules: RuleList, name: str, chosen: str, output: str | None) -> None:
    """Prints the defects of a rule list, and raises a CheckError if there are any."""
    from treecli.rules.lint import findings

    found = findings(rules)
    if chosen == TEXT:
        pieces: Iterable[str] = (f"{finding.text}\n" for finding in found)
    else:
        pieces = report.render("json", [], {"findings": [finding.to_json() for finding in found]})
    terminal.results(pieces, output)
    n_defects = sum(finding.is_defect for finding in found)
    if n_defects:
        raise CheckError(f"{name}: found {n_defects} defect{'s' if n_defects > 1 else ''}, expected none")
    terminal.note(f"{name}: no defects in {len(rules.rules)} rule{'' if len(rules.rules) == 1 else 's'}")


def _format(rule_format: str | None, output: str | None) -> str:
    """The requested format: by name, by the suffix of the file, or text."""
    return rule_format or forms.chosen(output, "rule_formats", TEXT)


def _check_data_options(model_path: str, data_path: str | None, reading: ReadOptions, jobs: int | None) -> None:
    from treecli.readers._readoptions import ReadOptions

    if data_path is None and (reading != ReadOptions() or jobs is not None):
        raise UsageError("options such as --target and --jobs are for --data", "name the file: --data FILE")
    if model_path == data_path == STREAM:
        raise UsageError("both the model and the data are '-', but there is only one stdin", "name one of the files")


def _refuse_order(rules: RuleList, path: str, order: str) -> None:
    if order != ORDERS[0] and not rules.votes:
        raise UsageError(
            f"--order {order}: the first rule of {path} that holds decides, so reordering would change predictions",
            "leave --order out",
        )


def _read_data(path: str, reading: ReadOptions, model: Model) -> Intake:
    from treecli.cli import apply

    return apply.read_data(path, reading, model, needs_target=True)


def _seed(changes: Changes) -> int | None:
    """The seed for a randomized simplifier, None for any other."""
    if changes.simplify is not None:
        from treecli.simplifiers import simplifier

        if getattr(simplifier(changes.simplify), "IS_SEEDED", False):
            return changes.seed or 0
    if changes.seed is not None:
        raise UsageError("--seed: only --simplify c45rules is random", "leave it out")
    return None


def _asked(changes: Changes, data: Intake | None) -> Lineage:
    """The options for a lineage step."""
    asked: Lineage = {} if changes.order == ORDERS[0] else {"order": changes.order}
    if changes.simplify is not None:
        asked["simplify"] = changes.simplify
    if changes.seed is not None:
        asked["seed"] = changes.seed
    return asked if data is None else asked | {"data": data.name, "sha256": data.sha256}


def _changed(
    rules: RuleList, model: Model, changes: Changes, data: Intake | None, jobs: int | None
) -> tuple[RuleList, list[Step]]:
    """The rules after all requested changes, and the simplification steps."""
    steps: list[Step] = []
    if changes.simplify is not None:
        from treecli.simplifiers import simplifier

        way = simplifier(changes.simplify)
        tree = models.as_tree(model)
        dataset = None if data is None else data.dataset
        if changes.seed is None:
            simplified = way.simplify(tree, rules, dataset)
        else:
            _advise_on_generalizing(model, data)
            with terminal.progress("Simplifying") as bar:
                simplified = way.simplify(tree, rules, dataset, seed=changes.seed, on_progress=bar)
        rules, steps = simplified.rules, simplified.steps
    if data is not None:
        from treecli import limits
        from treecli.rules.recount import recounted

        if rules.schema.target.is_numeric:
            limits.check(data.dataset, data.name)
        rules = recounted(rules, data.dataset, jobs)
    return in_order(rules, changes.order), steps


def _advise_on_generalizing(model: Model, data: Intake | None) -> None:
    """Notes on stderr that rules are best generalized from the full tree, on its training rows."""
    if any(step.get("command") == "prune" for step in model.lineage):
        terminal.note("The model was pruned; rules generalized from the unpruned tree are often better")
    if data is not None:
        from treecli.cli import apply

        apply.warn_of_other_data(model, data)
