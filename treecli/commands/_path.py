"""`treecli prune --path`: the nested trees of a model, as a table and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.cli import report, terminal
from treecli.files import guard
from treecli.files.whole import write_whole
from treecli.wording import counted, readable

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.draw.plotting import Curve
    from treecli.model import TreeModel
    from treecli.pruners.cost_complexity import Options


def show(model: TreeModel, name: str, options: Options, dataset: Dataset | None, format: str, plot: str | None) -> None:
    """Prints the pruning path of a model, with errors on data if given, and draws it if requested."""
    from treecli.draw.plotting import Curve
    from treecli.pruners._path import cross_validated, held_out, path_of

    path = path_of(model, by_impurity=options.by_impurity)
    columns: dict[str, list[int] | list[float] | list[float | None]] = {
        "splits": path.n_splits,
        "leaves": path.n_leaves,
        "alpha": path.alpha,
        "cp": _relative(path.alpha, path.risk[-1]),
        "error": path.error,
        "relative_error": _relative(path.error, path.error[-1]),
    }
    if options.by_impurity:
        columns["impurity"] = path.risk
    facts: dict[str, object] = {"risk": "impurity" if options.by_impurity else "error"}
    curves = [Curve("training data", path.error)]
    if dataset is not None and options.folds is None:
        columns["held_out_error"] = errors = held_out(model, path, dataset)
        curves.append(Curve("data not used for growing", errors))
    elif dataset is not None and options.folds is not None:
        with terminal.progress("Cross-validating") as bar:
            found = cross_validated(
                model, path, dataset, options.folds, by_impurity=options.by_impurity, on_progress=bar
            )
        columns |= {"cv_error": found.error, "cv_se": found.standard_error}
        best, within = found.best(one_se=False), found.best(one_se=True)
        facts |= {"folds": options.folds, "best_leaves": path.n_leaves[best], "one_se_leaves": path.n_leaves[within]}
        curves.append(Curve(f"{options.folds}-fold cross-validation", found.error, found.standard_error))
        terminal.note(
            f"least cross-validated error: {readable(found.error[best])} ± "
            f"{readable(found.standard_error[best])} with {counted(path.n_leaves[best], 'leaf', 'leaves')}; "
            f"within one standard error of it: {counted(path.n_leaves[within], 'leaf', 'leaves')}"
        )
    rows = list(zip(*columns.values(), strict=True))
    facts["path"] = [dict(zip(columns, row, strict=True)) for row in rows]
    if plot is not None:
        _draw(model, name, path.n_leaves, curves, plot)
    report.write(format, [report.Table("", tuple(columns), rows)], facts)


def _relative(values: list[float], whole: float) -> list[float | None]:
    return [value / whole if whole else None for value in values]


def _draw(model: TreeModel, name: str, n_leaves: list[int], curves: list[Curve], plot: str) -> None:
    from treecli.draw.canvas import check_suffix
    from treecli.draw.fonts import lacking_text
    from treecli.draw.plotting import errors_against_leaves
    from treecli.pruners._risk import is_absolute

    if not model.schema.is_classification:
        measure = f"mean {'absolute' if is_absolute(model) else 'squared'} error"
    elif model.settings.predicting.costs is not None or model.settings.predicting.priors is not None:
        measure = "cost of a case"
    else:
        measure = "share of wrong cases"
    title = f"Pruning {guard.as_text(name)}"
    picture = errors_against_leaves(check_suffix(plot), title, measure, n_leaves, curves)
    if picture.lacking:
        terminal.warn(lacking_text(picture.lacking, "write .svg"))
    write_whole(plot, [picture.content])
    terminal.note(f"wrote {plot}")
