"""`python -m bench.skewing`: greedy search, lookahead and skewing on Boolean functions and on the Monks' problems.

Draws accuracy against the number of training rows for functions of 2 to 6 of 30 fair Boolean variables: random ones
and correlation-immune ones, whose variables gain nothing by themselves. Then prints the Monks' problems and Voting
beside the lecture's table. Heart and Contra (contraceptive method choice), the other two sets of that table, are not
available. `--only cells` compares parities and the Monks' problems with an independent simulation of the same learners
(tests/fixtures/skewing.json: means of 20 runs). All trees are unpruned.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from treecli.data import Attribute, Dataset, Schema
from treecli.grow.grow import grow
from treecli.intake import ReadOptions, read_training
from treecli.model import TreeModel
from treecli.predict.predict import predictions
from treecli.settings import Settings

SAMPLES = Path(__file__).parents[1] / "sample_data"

LEARNERS = {
    "gain": "greedy",
    "lookahead": "lookahead",
    "skewing": "skewing",
    "sequential": "skewing-sequential",
}
"""The value of --search of each curve; the criterion is gain."""

SIMULATED = Path(__file__).parents[1] / "tests" / "fixtures" / "skewing.json"

CURVE_OF = {"id3": "gain", "skew": "skewing", "skew_seq": "sequential", "look2": "lookahead"}
"""The learners of the simulation."""

CELL_RUNS = 20
"""The runs of the simulation."""

ALLOWED = 0.02
"""What accuracies may differ by besides two standard errors."""

LEAST_LEAD = 0.05
"""Learners of the simulation that differ by more must be in the same order."""

N_VARIABLES = 30
N_TEST_ROWS = 2000
SIZES = (100, 200, 400, 700, 1000)
RELEVANT = (2, 3, 4, 5, 6)

LECTURE = {
    "monks-1": (92.6, 100.0),
    "monks-2": (86.5, 89.3),
    "monks-3": (89.8, 91.7),
    "vote": (94.0, 94.2),
}
"""The lecture's accuracies of ID3 and of ID3 with skewing, without pruning; it does not give its protocol."""

Function = Callable[[np.ndarray], np.ndarray]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.skewing", description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="functions for each point [20]")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of training rows")
    parser.add_argument("--relevant", type=int, nargs="+", default=RELEVANT, help="numbers of relevant variables")
    parser.add_argument("--plots", default="bench/plots", help="the folder of skewing.png [bench/plots]")
    parser.add_argument("--only", choices=["functions", "sets", "cells"], help="one of the parts")
    parser.add_argument("--cells", nargs="+", default=[""], metavar="TEXT", help="only cells whose name has a TEXT")
    given = parser.parse_args(arguments)
    if given.only == "cells":
        return _print_cells(given.cells, given.runs)
    if given.only != "sets":
        found = functions_measured(given.relevant, given.sizes, given.runs)
        _print_functions(found, given.sizes)
        _draw(found, given.sizes, Path(given.plots) / "skewing.png")
    if given.only != "functions":
        _print_sets(given.runs)
    return 0


def random_function(k: int, rng: np.random.Generator) -> Function:
    """Return a Boolean function of k variables, drawn among those that depend on all of them."""
    while True:
        table = rng.integers(0, 2, 2**k)
        if _depends_on_all(table, k):
            return _by_table(table, k)


def immune_function(k: int, rng: np.random.Generator) -> Function:
    """Return a correlation-immune function that depends on all its k variables, such as a parity.

    It is drawn among the functions with f(x) = f(not x): flipping all variables leaves the class, so each value of a
    variable has the same share of both classes.
    """
    while True:
        half = rng.integers(0, 2, 2 ** (k - 1))
        table = np.concatenate([half, half[::-1]])
        if _depends_on_all(table, k):
            return _by_table(table, k)


def _depends_on_all(table: np.ndarray, k: int) -> bool:
    place = np.arange(2**k)
    return all((table != table[place ^ (1 << i)]).any() for i in range(k))


def _by_table(table: np.ndarray, k: int) -> Function:
    return lambda rows: table[rows[:, :k] @ (1 << np.arange(k))]


def parity(k: int) -> Function:
    """Return the parity of the first k variables."""
    return lambda rows: rows[:, :k].sum(axis=1) % 2


def boolean_data(rows: np.ndarray, classes: np.ndarray) -> Dataset:
    """Return Boolean variables x1, x2, … and their class as a data set."""
    names = [f"x{i + 1}" for i in range(rows.shape[1])]
    attributes = tuple(Attribute(name, "nominal", ("f", "t")) for name in names)
    schema = Schema(attributes, Attribute("class", "nominal", ("0", "1")))
    columns = [np.ascontiguousarray(column, np.int32) for column in rows.T]
    return Dataset(schema, columns, classes.astype(np.int32), np.ones(len(rows)))


def in_booleans(dataset: Dataset) -> Dataset:
    """Return nominal attributes of three labels or more as a Boolean attribute for each label."""
    attributes, columns = [], []
    for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True):
        if len(attribute.labels) <= 2:
            attributes.append(attribute)
            columns.append(column)
            continue
        for code, label in enumerate(attribute.labels):
            attributes.append(Attribute(f"{attribute.name}={label}", "nominal", ("f", "t")))
            columns.append(np.where(column < 0, -1, column == code).astype(np.int32))
    schema = Schema(tuple(attributes), dataset.schema.target)
    return Dataset(schema, columns, dataset.target, dataset.weights)


def measured(training: Dataset, test: Dataset, search: str, seed: int = 0) -> tuple[float, int]:
    """Return the accuracy on test rows of an unpruned tree, and its number of nodes."""
    settings = Settings.of(criterion="gain", search=search, seed=seed)
    tree = grow(training, settings, jobs=1)
    model = TreeModel(training.schema, settings, (), tree)
    return float(np.mean(predictions(model, test, jobs=1) == test.target)), tree.n_nodes


def functions_measured(relevant: Sequence[int], sizes: Sequence[int], runs: int) -> dict[tuple[str, int], Any]:
    """Return the accuracy of each learner, size and run, by kind of function and number of relevant variables."""
    found = {}
    for kind, drawn in (("random", random_function), ("correlation-immune", immune_function)):
        for k in relevant:
            own = np.zeros((len(LEARNERS), len(sizes), runs))
            for run in range(runs):
                rng = np.random.default_rng([k, run])
                function = drawn(k, rng)
                test_rows = rng.integers(0, 2, (N_TEST_ROWS, N_VARIABLES))
                rows = rng.integers(0, 2, (max(sizes), N_VARIABLES))
                test = boolean_data(test_rows, function(test_rows))
                for s, m in enumerate(sizes):
                    training = boolean_data(rows[:m], function(rows[:m]))
                    for i, search in enumerate(LEARNERS.values()):
                        own[i, s, run] = measured(training, test, search, seed=run)[0]
            found[kind, k] = own
    return found


def cell_data(cell: str, run: int) -> tuple[Dataset, Dataset]:
    """Return the training and test rows of one run of a cell: `n=10 k=2 m=100` or `monks-1 m=124`."""
    number = {name: int(value) for name, _, value in (word.partition("=") for word in cell.split()) if value}
    m = number["m"]
    if "n" not in number:
        name = cell.split()[0]
        dataset = in_booleans(read_training(str(SAMPLES / f"{name}.arff"), ReadOptions()).dataset)
        order = np.random.default_rng([int(name[-1]), run]).permutation(dataset.n_rows)
        return dataset.take(order[:m]), dataset.take(order[m:])
    n, k = number["n"], number["k"]
    rng = np.random.default_rng([k, m, run] if n == N_VARIABLES else [n, k, m, run])
    rows, test_rows = rng.integers(0, 2, (m, n)), rng.integers(0, 2, (N_TEST_ROWS, n))
    return boolean_data(rows, parity(k)(rows)), boolean_data(test_rows, parity(k)(test_rows))


def cell_measured(cell: str, runs: int = CELL_RUNS) -> dict[str, np.ndarray]:
    """Return the accuracy and the number of nodes of each run, by learner of the simulation."""
    found = {name: np.zeros((runs, 2)) for name in CURVE_OF}
    for run in range(runs):
        training, test = cell_data(cell, run)
        for name, curve in CURVE_OF.items():
            found[name][run] = measured(training, test, LEARNERS[curve], seed=run)
    return found


def tolerances(found: dict[str, np.ndarray], simulated: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return by how much the mean accuracy of each learner may differ: two standard errors and 0.02.

    With other runs than the simulation's, which have the same data, their own standard error counts too.
    """
    allowed = {}
    for name, own in simulated.items():
        n_runs = len(found[name])
        share = 1 / CELL_RUNS + (0 if n_runs == CELL_RUNS else 1 / n_runs)
        allowed[name] = 2 * own["accuracy_sd"] * share**0.5 + ALLOWED
    return allowed


def cell_defects(found: dict[str, np.ndarray], simulated: dict[str, dict[str, float]]) -> list[str]:
    """Return what differs from the simulation by more than sampling: accuracies, and the order of learners.

    The order counts where the simulation's accuracies differ by more than 0.05 and two standard errors of the
    difference. Nodes must be equal, except where random numbers decide. Both need as many runs as the simulation has.
    """
    mean = {name: float(own[:, 0].mean()) for name, own in found.items()}
    allowed = tolerances(found, simulated)
    has_all = all(len(own) == CELL_RUNS for own in found.values())
    defects = []
    for name, own in simulated.items():
        if abs(mean[name] - own["accuracy_mean"]) > allowed[name]:
            defects.append(f"{name} {mean[name]:.3f} instead of {own['accuracy_mean']:.3f}")
        if has_all and name != "skew" and abs(float(found[name][:, 1].mean()) - own["nodes_mean"]) > 0.051:
            defects.append(f"{name} has {found[name][:, 1].mean():.1f} nodes instead of {own['nodes_mean']:.1f}")
    return defects + [text for text, is_sure in _swapped(mean, simulated) if is_sure and has_all]


def cell_remarks(found: dict[str, np.ndarray], simulated: dict[str, dict[str, float]]) -> list[str]:
    """Return the learners in another order whose difference of more than 0.05 may be chance in the simulation."""
    mean = {name: float(own[:, 0].mean()) for name, own in found.items()}
    return [text for text, is_sure in _swapped(mean, simulated) if not is_sure]


def _swapped(mean: dict[str, float], simulated: dict[str, dict[str, float]]) -> Iterator[tuple[str, bool]]:
    """Yield the learners that are not in the simulation's order, and whether it leads by two standard errors."""
    error = {name: own["accuracy_sd"] / CELL_RUNS**0.5 for name, own in simulated.items()}
    for one, other in permutations(simulated, 2):
        lead = simulated[one]["accuracy_mean"] - simulated[other]["accuracy_mean"]
        if lead > LEAST_LEAD and mean[one] <= mean[other]:
            chance = 2 * (error[one] ** 2 + error[other] ** 2) ** 0.5
            yield f"{one} is not above {other}: simulated lead {lead:.3f} ± {chance:.3f}", lead > chance


def _print_cells(texts: Sequence[str], runs: int) -> int:
    """Print the cells beside the simulation; return 1 if one of them differs by more than sampling."""
    cells, n_defects = json.loads(SIMULATED.read_text(encoding="utf-8")), 0
    print(f"mean accuracy: treecli's in {runs} runs, the simulation's in {CELL_RUNS}, ± what they may differ by")
    print(f"{'cell':18}" + "".join(f"{name:>22}" for name in CURVE_OF))
    for cell, simulated in cells.items():
        if not any(text in cell for text in texts):
            continue
        found = cell_measured(cell, runs)
        defects, remarks, allowed = (of(found, simulated) for of in (cell_defects, cell_remarks, tolerances))
        n_defects += len(defects)
        figures = (
            f"{found[name][:, 0].mean():.3f} {simulated[name]['accuracy_mean']:.3f} ±{allowed[name]:.3f}"
            for name in CURVE_OF
        )
        said = [f"  differs: {text}" for text in defects] + [f"  ({text})" for text in remarks]
        print(f"{cell:18}" + "".join(f"{text:>22}" for text in figures) + "".join(said), flush=True)
    return int(n_defects > 0)


def _print_functions(found: dict[tuple[str, int], Any], sizes: Sequence[int]) -> None:
    print(f"accuracy on {N_TEST_ROWS} rows; functions of k of {N_VARIABLES} fair Boolean variables")
    print(f"{'function':20}{'k':>3}{'rows':>6}" + "".join(f"{name:>12}" for name in LEARNERS))
    for (kind, k), own in found.items():
        for s, m in enumerate(sizes):
            print(f"{kind:20}{k:3}{m:6}" + "".join(f"{own[i, s].mean():12.3f}" for i in range(len(LEARNERS))))


def _draw(found: dict[tuple[str, int], Any], sizes: Sequence[int], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    kinds = list(dict.fromkeys(kind for kind, _ in found))
    relevant = list(dict.fromkeys(k for _, k in found))
    figure, axes = plt.subplots(
        len(relevant), len(kinds), figsize=(9, 2.4 * len(relevant)), sharex=True, sharey=True, squeeze=False
    )
    for row, k in enumerate(relevant):
        for column, kind in enumerate(kinds):
            axis, own = axes[row][column], found[kind, k]
            for i, (name, mark) in enumerate(zip(LEARNERS, "os^v", strict=True)):
                axis.plot(sizes, 100 * own[i].mean(axis=1), marker=mark, markersize=4, linewidth=1.2, label=name)
            axis.set_title(f"{kind}, {k} relevant of {N_VARIABLES}", fontsize=10)
            axis.set_ylim(45, 102)
            axis.grid(alpha=0.3)
        axes[row][0].set_ylabel("accuracy (%)")
    for axis in axes[-1]:
        axis.set_xlabel("training rows")
    axes[0][0].legend(fontsize=8, loc="lower right")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    print(f"wrote {path}")


def _print_sets(runs: int) -> None:
    print(f"\n{runs} random halves for training, the other half for testing; unpruned, accuracy in percent")
    print("an attribute with three labels or more is a Boolean column for each label")
    print("lecture: ID3 and ID3 with skewing, protocol not given; Heart and Contra are not available")
    print(f"{'data':10}" + "".join(f"{name:>12}" for name in LEARNERS) + f"{'lecture':>16}")
    for name, (id3, skewed) in LECTURE.items():
        dataset = in_booleans(read_training(str(SAMPLES / f"{name}.arff"), ReadOptions()).dataset)
        own = np.zeros((len(LEARNERS), runs))
        for run in range(runs):
            order = np.random.default_rng(run).permutation(dataset.n_rows)
            half = dataset.n_rows // 2
            training, test = dataset.take(np.sort(order[:half])), dataset.take(np.sort(order[half:]))
            for i, search in enumerate(LEARNERS.values()):
                own[i, run] = measured(training, test, search, seed=run)[0]
        means = "".join(f"{100 * mean:12.1f}" for mean in own.mean(axis=1))
        print(f"{name:10}{means}{f'{id3:.1f} → {skewed:.1f}':>16}")


if __name__ == "__main__":
    raise SystemExit(main())
