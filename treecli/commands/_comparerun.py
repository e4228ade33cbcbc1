"""The steps of `compare`: check, read the data, run what is missing, report."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treecli import __version__, measures
from treecli.cli import report, terminal
from treecli.commands._compareoptions import Keeping, Testing, Writing
from treecli.commands._comparespec import Request, learners_of
from treecli.errors import CheckError, UsageError, did_you_mean
from treecli.experiment import results as files
from treecli.experiment.folds import LEAVE_ONE_OUT
from treecli.experiment.verdicts import NEMENYI, Answer, Question, Table, answered, check
from treecli.wording import Cell, counted, readable

if TYPE_CHECKING:
    from treecli.experiment.comparison import Learner, Loaded
    from treecli.experiment.results import Record, Results, Spec
    from treecli.intake import Intake

COMMAND = "compare"
TOO_FEW_FOR_RANKS = "ranks need two data sets or more on which all learners ran"
USUAL_MEASURE = {True: "accuracy", False: "rmse"}
FOLD_KEYS = {"n_folds": "folds", "folds_like": "folds_like", "repeats": "repeats", "seed": "seed"}
"""The keys of a specification by the names of the options that set them."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """The results of a comparison, with the learners and data sets that it is about."""

    results: Results
    learners: Sequence[Learner]
    datasets: Sequence[str]


def check_measures(testing: Testing) -> None:
    """Raise for an unknown measure."""
    for name in testing.measure_names:
        measures.measure(name)


def ran(request: Request, testing: Testing, keeping: Keeping, given: Collection[str], *, keeps_all: bool) -> Experiment:
    """Return the comparison after running whatever the results file lacks; without a request, what the file has.

    Unless the report or the results file `keeps_all` measures, only those of the questions are computed.
    """
    if request.is_empty and keeping.results_file is not None:
        return _reread(keeping.results_file, request, given)
    learners, datasets, spec = _prepared(request, testing, keeping)
    results = files.opened(keeping.results_file, spec, is_new=keeping.force)
    is_classification, is_loo = datasets[0].is_classification, request.division.n_folds is None
    asked = [question.measure for question in questions(testing, is_classification, is_loo, learners)]
    keeps_all = keeps_all or keeping.results_file is not None
    _complete(datasets, learners, results, keeping, None if keeps_all else asked)
    results.finish()
    return Experiment(results, learners, [data.name for data in datasets])


def _reread(path: str, request: Request, given: Collection[str]) -> Experiment:
    """Return the comparison of a results file; options about folds must be those of the file."""
    results = files.read(path)
    spec = results.spec
    if spec[files.KIND] != COMMAND:
        raise UsageError(f"{path}: made by {spec[files.KIND]}, not by {COMMAND}")
    wanted = _spec_of_folds(request)
    for name in given:
        key = FOLD_KEYS[name]
        if wanted[key] != spec[key]:
            raise UsageError(
                f"{path}: made with {key.replace('_', '-')} {spec[key]}, not {wanted[key]}",
                "leave the option out to report what the file has",
            )
    learners = learners_of([(entry["name"], entry["options"]) for entry in spec["learners"]], spec["seed"])
    return Experiment(results, learners, [entry["name"] for entry in spec["datasets"]])


def _prepared(request: Request, testing: Testing, keeping: Keeping) -> tuple[list[Learner], list[Loaded], Spec]:
    """Return the learners, the data sets and the specification, after all checks that need no tree."""
    from treecli.statistics import library

    texts = list(request.learners)
    if not texts and keeping.results_file is not None and not keeping.force:
        texts = [(entry["name"], entry["options"]) for entry in files.read(keeping.results_file).spec["learners"]]
    learners = learners_of(texts, request.division.seed)
    if len(learners) < 2:
        found = "no learner" if not learners else "one learner"
        raise UsageError(f"found {found}, expected two or more", 'add --learner "NAME: OPTIONS"')
    if not request.sources:
        raise UsageError("found learners but no data", "name the data files, or list them in --spec FILE.toml")
    check_base(testing, learners)
    library.check()
    datasets = _read(request, learners)
    questions(testing, datasets[0].is_classification, request.division.n_folds is None, learners)
    return learners, datasets, _spec(request, learners, datasets)


def check_base(testing: Testing, learners: Sequence[Learner]) -> str:
    """Return the learner that the others are compared with."""
    names = [learner.name for learner in learners]
    if testing.base is not None and testing.base not in names:
        raise UsageError(
            f"--base: no learner is called '{testing.base}'",
            did_you_mean(testing.base, names) or f"use one of {', '.join(names)}",
        )
    return testing.base or names[0]


def questions(
    testing: Testing, is_classification: bool, is_loo: bool, learners: Sequence[Learner], seed: int = 0
) -> list[Question]:
    """Return a question for each measure; raise a UsageError for those that the target does not have."""
    base = check_base(testing, learners)
    names = [measures.key(name) for name in testing.measure_names] or [USUAL_MEASURE[is_classification]]
    measures.check(names, is_classification)
    rope = testing.rope if testing.bayes else None
    found = [
        Question(name, base, testing.alpha, testing.posthoc, testing.adjust, rope, seed, is_loo)
        for name in dict.fromkeys(names)
    ]
    for question in found:
        check(question)
    return found


def _read(request: Request, learners: Sequence[Learner]) -> list[Loaded]:
    """Return the data sets; messages about them are printed."""
    from treecli.experiment.comparison import check_kinds, loaded

    several = len(request.sources) > 1
    datasets = []
    for source in request.sources:
        with terminal.waiting(f"Reading {source.path}"):
            data, intake, warning = loaded(source, learners, request.division)
        _print_messages(intake, f"{source.name}: " if several else "")
        if warning is not None:
            terminal.warn(f"{source.name}: {warning}")
        datasets.append(data)
    check_kinds(datasets)
    return datasets


def _print_messages(intake: Intake, prefix: str) -> None:
    for notice in intake.notices:
        terminal.detail(notice)
    for remark in intake.remarks:
        terminal.note(prefix + remark)
    for warning in intake.warnings:
        terminal.warn(prefix + warning)


def _spec(request: Request, learners: Sequence[Learner], datasets: Sequence[Loaded]) -> Spec:
    """Return everything that fixes the results."""
    from treecli.experiment.comparison import described

    return {
        files.KIND: COMMAND,
        "version": __version__,
        **_spec_of_folds(request),
        "is_classification": datasets[0].is_classification,
        "learners": [{"name": learner.name, "options": learner.options} for learner in learners],
        "datasets": [described(data, source.reading) for data, source in zip(datasets, request.sources, strict=True)],
    }


def _spec_of_folds(request: Request) -> Spec:
    from treecli.experiment.comparison import described_folds

    return described_folds(request.division)


def _complete(
    datasets: Sequence[Loaded],
    learners: Sequence[Learner],
    results: Results,
    keeping: Keeping,
    measure_names: Sequence[str] | None,
) -> None:
    """Run what the results lack; each run is kept when it is done, each failure is named at once."""
    from treecli.experiment.comparison import computed, missing_runs
    from treecli.statistics.library import functions

    total = missing_runs(datasets, learners, results)
    n_folds = {data.name: data.folds.n_folds for data in datasets}
    failed: set[tuple[str, str]] = set()
    done = 0
    computing = computed(
        datasets,
        learners,
        results,
        keeping.jobs,
        has_times=keeping.times,
        measure_names=measure_names,
        on_warning=terminal.warn,
        meanwhile=functions,
    )
    with terminal.progress("Trees") as bar, closing(computing) as runs:
        for record in runs:
            results.add(record)
            done += n_folds[record["dataset"]]
            bar(done / total)
            place = record["dataset"], record["learner"]
            if "error" in record and place not in failed:
                failed.add(place)
                if keeping.fail_fast:
                    raise CheckError(failure(record), "without --fail-fast the other runs continue")
                terminal.say(failure(record), "Failed: ", "red")


def failure(record: Record) -> str:
    return f"'{record['learner']}' on '{record['dataset']}': {record['error']}"


def list_runs(request: Request, testing: Testing, keeping: Keeping, writing: Writing) -> None:
    """Write what would be run."""
    from treecli.experiment.comparison import missing_runs

    learners, datasets, spec = _prepared(request, testing, keeping)
    results = files.planned(keeping.results_file, spec, is_new=keeping.force)
    rows: list[list[Cell]] = []
    for data in datasets:
        for learner in learners:
            n_all = len(data.folds)
            rows.append([data.name, learner.name, n_all, n_all - missing_runs([data], [learner], results)])
    columns = ("dataset", "learner", "trees", "done")
    facts = {
        **spec,
        "runs": [dict(zip(columns, row, strict=True)) for row in rows],
        "trees": missing_runs(datasets, learners, results),
    }
    del facts[files.KIND]
    report.write(writing.report_format, [report.Table("", columns, rows)], facts, writing.output)
    folds = "leave-one-out" if spec["folds"] == LEAVE_ONE_OUT else f"{spec['repeats']} × {spec['folds']} folds"
    terminal.note(
        f"{counted(len(learners), 'learner')} on {counted(len(datasets), 'data set')}, {folds}: "
        f"{counted(facts['trees'], 'tree')} to grow"
    )


def write_report(experiment: Experiment, testing: Testing, writing: Writing) -> None:
    """Write the report, and raise if a learner has failed or is not finished."""
    from treecli.commands import _comparefacts as facts
    from treecli.commands import _comparereport as texts
    from treecli.commands import _comparetables as tables

    results, learners, spec = experiment.results, experiment.learners, experiment.results.spec
    names = [learner.name for learner in learners]
    is_loo = spec["folds"] == LEAVE_ONE_OUT
    wanted = questions(testing, spec["is_classification"], is_loo, learners, spec["seed"])
    table = _table(experiment)
    answers = [answered(table, experiment.datasets, names, question) for question in wanted]
    if testing.posthoc == NEMENYI:
        terminal.warn("whether Nemenyi's test calls two learners different depends on the other learners; see wilcoxon")
    failures = _failures(experiment, table)
    if writing.plot is not None:
        _draw(answers[0], writing.plot)
    remarks = [*failures, *_times(table, names)]
    pages = [texts.Page(answer, experiment.datasets, names, remarks) for answer in answers]
    form = writing.report_format
    if form in ("json", "csv"):
        report.write(form, [facts.cell_table(table)], facts.facts(answers, results, learners, table), writing.output)
    else:
        lines = {"table": texts.text, "markdown": tables.markdown, "latex": tables.latex}[form]
        parts = ["\n".join(lines(page)) + "\n" for page in pages]
        terminal.results([report.LATEX_PREAMBLE if form == "latex" else "", "\n".join(parts)], writing.output)
    if failures:
        raise CheckError(f"{counted(len(failures), 'cell')} of {len(table)} failed or not finished")


def _table(experiment: Experiment) -> Table:
    """Return the cells of each data set and learner; None if a run has failed or is missing."""
    table: dict[tuple[str, str], list[dict[str, Any]] | None] = {}
    for dataset in experiment.datasets:
        for learner in experiment.learners:
            runs = [
                experiment.results.finished(dataset, learner.name, run)
                for run in range(1, experiment.results.spec["repeats"] + 1)
            ]
            table[dataset, learner.name] = (
                None
                if None in runs
                else [{"run": own["run"], **cell} for own in runs if own is not None for cell in own["cells"]]
            )
    return table


def _failures(experiment: Experiment, table: Table) -> list[str]:
    """Return a sentence for each data set and learner without all runs."""
    records = experiment.results.records
    found = []
    for dataset, learner in (key for key, cells in table.items() if cells is None):
        errors = [own for key, own in records.items() if key[:2] == (dataset, learner) and "error" in own]
        if errors:
            found.append(f"failed: {failure(errors[0])}")
        else:
            found.append(f"not finished: '{learner}' on '{dataset}'; run the comparison again with its data")
    return found


def _times(table: Table, names: Sequence[str]) -> list[str]:
    """Return a sentence about the mean time of a tree, if times were asked for."""
    found = []
    for name in names:
        own = [
            cell["seconds"]
            for (_, learner), cells in table.items()
            if learner == name
            for cell in cells or ()
            if "seconds" in cell
        ]
        if own:
            found.append(f"{name} {readable(sum(own) / len(own))}")
    return [f"seconds a tree: {', '.join(found)}"] if found else []


def _draw(answer: Answer, plot: str) -> None:
    """Write the critical-difference diagram."""
    from treecli.commands._comparereport import caption, marked
    from treecli.draw.canvas import check_suffix
    from treecli.draw.fonts import lacking_text
    from treecli.draw.ranks import critical_difference_diagram
    from treecli.files.whole import write_whole

    if answer.ranks is None:
        terminal.warn(f"{plot}: not written, because {TOO_FEW_FOR_RANKS}")
        return
    ranks = {marked(answer, name): rank for name, rank in answer.ranks.items()}
    picture = critical_difference_diagram(
        check_suffix(plot), ranks, answer.cliques, caption(answer), answer.critical_difference
    )
    if picture.lacking:
        terminal.warn(lacking_text(picture.lacking, "write .svg"))
    write_whole(plot, [picture.content])
    terminal.note(f"wrote {plot}")
