"""`python -m bench.forests`: forests of treecli, scikit-learn, YDF and ranger, with the same settings on the same rows.

L has numbers and two classes; M has numbers, labels, gaps and three classes. Each program runs in a process of its own,
which makes the rows from their seed and reports CPU seconds, accuracy on other rows, and its peak memory.
On M treecli and YDF split labels into groups; scikit-learn takes their codes for numbers and gaps for the least number,
and so does ranger here. `treecli usual` has treecli's own defaults: a branch for each label, and fractions of cases
where values are missing.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench.datasets import MAKERS, SEED
from bench.measure import run

if TYPE_CHECKING:
    import pyarrow as pa

    from treecli.data import Dataset

SIZES = {"L": 100_000, "M": 50_000}
N_OTHERS = 100_000
"""The rows that accuracy is measured on, and prediction timed with, unless --rows asks for more."""

TARGET = "class"
MEGABYTE = 1 << 20

Predict = Callable[["pa.Table"], Callable[[], np.ndarray]]
"""Takes in rows, and returns a function that predicts their classes."""


class Cost(NamedTuple):
    """The time and memory of one program; memory in megabytes."""

    grow: float
    predict: float
    accuracy: float
    nodes: float
    memory: float


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.forests", description=__doc__)
    parser.add_argument("--trees", type=int, default=100, help="trees of a forest [100]")
    parser.add_argument("--sets", nargs="+", choices=SIZES, default=list(SIZES), help="the data [L M]")
    parser.add_argument("--programs", nargs="+", choices=NAMES, default=NAMES, help="the programs [all]")
    parser.add_argument("--criterion", choices=["gini", "entropy"], default="gini", help="except for YDF [gini]")
    parser.add_argument("--files", action="store_true", help="from a CSV file to a model file, without ranger")
    parser.add_argument("--rows", type=int, default=N_OTHERS, help="rows that are predicted [100000]")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one:
        cost = measured(given.programs[0], given.sets[0], given.trees, given.criterion, given.rows)
        print(json.dumps(cost._asdict()))
        return 0
    for name in given.sets:
        (_print_files if given.files else _print_set)(name, given)
    return 0


def _print_set(name: str, given: argparse.Namespace) -> None:
    print(f"{name}: {SIZES[name]:,} rows, {given.trees} trees; CPU seconds, {given.rows:,} rows predicted")
    print(
        f"{'program':14}{'grow':>9}{'predict':>9}{'accuracy':>10}{'nodes':>10}{'MB':>7}{'grow x':>8}{'predict x':>11}"
    )
    own: Cost | None = None
    for program in given.programs:
        if not is_here(program):
            print(f"{program:14}not installed")
            continue
        options = ["--one", "--programs", program, "--sets", name, "--trees", str(given.trees)]
        options += ["--rows", str(given.rows)]
        command = [sys.executable, "-m", "bench.forests", *options, "--criterion", given.criterion]
        cost = Cost(**json.loads(run(command).stdout))
        own = cost if own is None else own
        grown, predicted = cost.grow / own.grow, cost.predict / own.predict
        print(
            f"{program:14}{cost.grow:9.2f}{cost.predict:9.2f}{cost.accuracy:10.4f}{cost.nodes:10,.0f}"
            f"{cost.memory:7.0f}{grown:8.1f}{predicted:11.1f}",
            flush=True,
        )


def _print_files(name: str, given: argparse.Namespace) -> None:
    """Print what each program needs from a CSV file to a model file, in a process of its own."""
    import pyarrow as pa
    import pyarrow.csv

    print(f"{name}: {SIZES[name]:,} rows, {given.trees} trees; from a CSV file to a model file")
    print(f"{'program':14}{'CPU s':>9}{'MB':>7}{'x':>8}")
    own: float | None = None
    with tempfile.TemporaryDirectory() as folder:
        rows = MAKERS[name](np.random.default_rng(SEED), SIZES[name])
        columns = {label: rows[label].combine_chunks() for label in rows.column_names}
        plain = {label: c.dictionary_decode() if hasattr(c, "dictionary") else c for label, c in columns.items()}
        pyarrow.csv.write_csv(pa.table(plain), f"{folder}/rows.csv")
        for program in (one for one in given.programs if one in FILES and is_here(one)):
            places = [f"{folder}/rows.csv", f"{folder}/{program}.json", str(given.trees)]
            done = run([sys.executable, "-c", FILES[program], *places, given.criterion])
            own = own or done.cpu
            print(f"{program:14}{done.cpu:9.2f}{done.memory / MEGABYTE:7.0f}{done.cpu / own:8.1f}", flush=True)


FILES = {
    "treecli": """
import sys
from treecli.__main__ import main
data, model, n_trees, criterion = sys.argv[1:]
words = "-t class --nominal subset --missing majority --exhaustive 0 -q".split()
criterion = {"entropy": "gain"}.get(criterion, criterion)
sys.argv = ["treecli", "train", data, "--forest", n_trees, "--criterion", criterion, "-o", model, *words]
main()
""",
    "scikit-learn": """
import pickle, sys
import numpy as np, pandas as pd
from sklearn.ensemble import RandomForestClassifier
data, model, n_trees, criterion = sys.argv[1:]
rows = pd.read_csv(data)
classes = rows.pop("class")
for name in rows.columns:
    if not pd.api.types.is_numeric_dtype(rows[name]):
        rows[name] = rows[name].astype("category").cat.codes
forest = RandomForestClassifier(int(n_trees), criterion=criterion, n_jobs=-1, random_state=0)
forest.fit(rows.fillna(-1e6).to_numpy(np.float32), classes)
with open(model, "wb") as file:
    pickle.dump(forest, file)
""",
    "YDF": """
import sys
import ydf
data, model, n_trees, criterion = sys.argv[1:]
ydf.verbose(0)
with open(data) as file:
    n_sampled = int((len(file.readline().split(",")) - 1) ** 0.5)
ydf.RandomForestLearner(
    label="class", num_trees=int(n_trees), num_candidate_attributes=n_sampled, min_examples=1, max_depth=-1,
    compute_oob_performances=False, winner_take_all=False,
).train("csv:" + data).save(model)
""",
}
"""Scripts that read a CSV file and write a model; treecli also measures the errors in training and out of bag."""


def measured(program: str, name: str, n_trees: int, criterion: str, n_others: int = N_OTHERS) -> Cost:
    """Return what a program needs for a forest, in this process."""
    rows = MAKERS[name](np.random.default_rng(SEED), SIZES[name] + n_others)
    train, others = rows.slice(0, SIZES[name]), rows.slice(SIZES[name])
    if program == "ranger":
        return measured_ranger(train, others, n_trees, criterion)
    grow_seconds, predict, n_nodes = PROGRAMS[program](train, n_trees, criterion)
    predict_others = predict(others)
    begun = time.process_time()
    labels = predict_others()
    predict_seconds = time.process_time() - begun
    accuracy = float((labels == codes_of(others)).mean())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Cost(grow_seconds, predict_seconds, accuracy, n_nodes / n_trees, memory / MEGABYTE)


def is_here(program: str) -> bool:
    """Return whether a program is installed."""
    if program == "ranger":
        return (
            which("Rscript") is not None
            and not subprocess.run(["Rscript", "-e", "library(ranger)"], capture_output=True, check=False).returncode
        )
    return (
        find_spec({"treecli usual": "treecli", "scikit-learn": "sklearn", "YDF": "ydf"}.get(program, program))
        is not None
    )


def codes_of(rows: pa.Table) -> np.ndarray:
    """Return the class of each row."""
    found: np.ndarray = rows[TARGET].combine_chunks().indices.to_numpy(zero_copy_only=False).astype(np.int32)
    return found


def treecli_dataset(rows: pa.Table) -> Dataset:
    """Return the rows as treecli reads them."""
    from treecli.data import MISSING, Attribute, Dataset, Schema

    attributes, columns = [], []
    for name in rows.column_names[:-1]:
        column = rows[name].combine_chunks()
        if hasattr(column, "dictionary"):
            attributes.append(Attribute(name, "nominal", tuple(column.dictionary.to_pylist())))
            columns.append(column.indices.fill_null(MISSING).to_numpy(zero_copy_only=False).astype(np.int32))
        else:
            attributes.append(Attribute(name, "numeric"))
            columns.append(column.to_numpy(zero_copy_only=False).astype(np.float64))
    labels = tuple(rows[TARGET].combine_chunks().dictionary.to_pylist())
    target = Attribute(TARGET, "nominal", labels)
    return Dataset(Schema(tuple(attributes), target), columns, codes_of(rows), np.ones(rows.num_rows))


def grow_treecli(rows: pa.Table, n_trees: int, criterion: str, **own: Any) -> tuple[float, Predict, int]:
    from treecli.ensembles.bagging import Bagging, grown_trees
    from treecli.model import TreeModel
    from treecli.predict.manytrees import ManyTrees
    from treecli.settings import Settings

    name = "gain" if criterion == "entropy" else criterion
    settings = Settings.of(criterion=name, features="sqrt", **own)
    dataset = treecli_dataset(rows)
    begun = time.process_time()
    grown = grown_trees(dataset, settings, Bagging(n_trees), with_scores=False)  # as train --forest does
    members = [TreeModel(one.schema, settings, (), one.tree) for one in grown]
    seconds = time.process_time() - begun

    def predict(others: pa.Table) -> Callable[[], np.ndarray]:
        table = treecli_dataset(others)

        def predict_table() -> np.ndarray:
            sums = np.zeros((table.n_rows, table.schema.n_outcomes))
            ManyTrees(members).add_votes(sums, table, by_label=False)
            return np.asarray(sums.argmax(axis=1))

        return predict_table

    return seconds, predict, sum(member.tree.n_nodes for member in members)


def grow_sklearn(rows: pa.Table, n_trees: int, criterion: str) -> tuple[float, Predict, int]:
    from sklearn.ensemble import RandomForestClassifier

    def matrix(table: pa.Table) -> Any:
        dataset = treecli_dataset(table)
        columns = [column.astype(np.float32) for column in dataset.columns]
        return np.ascontiguousarray(np.array([np.where(own == own, own, -1e6) for own in columns]).T)

    forest = RandomForestClassifier(n_trees, criterion=criterion, max_features="sqrt", n_jobs=-1, random_state=0)
    given, classes = matrix(rows), codes_of(rows)
    begun = time.process_time()
    forest.fit(given, classes)
    seconds = time.process_time() - begun
    n_nodes = sum(tree.tree_.node_count for tree in forest.estimators_)

    def predict(others: pa.Table) -> Callable[[], np.ndarray]:
        values = matrix(others)
        return lambda: np.asarray(forest.predict_proba(values).argmax(axis=1))

    return seconds, predict, n_nodes


def grow_ydf(rows: pa.Table, n_trees: int, criterion: str) -> tuple[float, Predict, int]:
    import ydf

    ydf.verbose(0)

    def frame(table: pa.Table) -> dict[str, Any]:
        columns = {}
        for name in table.column_names:
            column = table[name].combine_chunks()
            is_text = hasattr(column, "dictionary")
            values = column.to_numpy(zero_copy_only=False)
            columns[name] = np.array(["" if v is None else v for v in values], str) if is_text else values
        return columns

    n_sampled = max(int((len(rows.column_names) - 1) ** 0.5), 1)
    learner = ydf.RandomForestLearner(
        label=TARGET,
        num_trees=n_trees,
        num_candidate_attributes=n_sampled,
        min_examples=1,
        max_depth=-1,
        compute_oob_performances=False,
        winner_take_all=False,
    )
    given = frame(rows)
    begun = time.process_time()
    model = learner.train(given)
    seconds = time.process_time() - begun
    labels = rows[TARGET].combine_chunks().dictionary.to_pylist()
    code_of = np.array([labels.index(label) for label in model.label_classes()])

    def predict(others: pa.Table) -> Callable[[], np.ndarray]:
        table = frame(others)

        def predict_table() -> np.ndarray:
            found = model.predict(table)
            return np.asarray(code_of[(found > 0.5).astype(int) if found.ndim == 1 else found.argmax(axis=1)])

        return predict_table

    return seconds, predict, 0


RANGER = """
library(ranger)
given <- commandArgs(trailingOnly = TRUE)
train <- read.csv(given[1]); others <- read.csv(given[2])
train$class <- factor(train$class); classes <- others$class; others$class <- NULL
seconds <- function(work) { times <- system.time(work); times[["user.self"]] + times[["sys.self"]] }
grown <- seconds(forest <- ranger(class ~ ., train, num.trees = as.integer(given[3]), oob.error = FALSE,
                                  probability = TRUE, min.node.size = 1, seed = 1, verbose = FALSE))
predicted <- seconds(found <- predict(forest, others, verbose = FALSE)$predictions)
nodes <- mean(sapply(forest$forest$split.varIDs, length))
cat(grown, predicted, mean(as.integer(colnames(found))[max.col(found, "first")] == classes), nodes)
"""
"""Grows and predicts with ranger; it has no entropy. Not verbose: it reports progress where results are printed."""


def measured_ranger(train: pa.Table, others: pa.Table, n_trees: int, criterion: str) -> Cost:
    """Return what ranger needs, in a process of its own that reads the rows from files; labels are their codes."""
    if criterion != "gini":
        raise SystemExit("ranger has no entropy: leave it out with --programs")
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for name, rows in (("train", train), ("others", others)):
            dataset = treecli_dataset(rows)
            table = np.column_stack([*(np.where(own == own, own, -1e6) for own in dataset.columns), codes_of(rows)])
            names.append(f"{folder}/{name}.csv")
            header = ",".join([*rows.column_names[:-1], TARGET])
            np.savetxt(names[-1], table, delimiter=",", header=header, comments="", fmt="%.10g")
        script = Path(folder) / "ranger.R"
        script.write_text(RANGER)
        done = run(["Rscript", str(script), *names, str(n_trees)])
    grow, predict, accuracy, nodes = map(float, done.stdout.split())
    return Cost(grow, predict, accuracy, nodes, done.memory / MEGABYTE)


PROGRAMS: dict[str, Callable[[pa.Table, int, str], tuple[float, Predict, int]]] = {
    "treecli": partial(grow_treecli, nominal="subset", missing="majority", most_exhaustive=0),
    "treecli usual": grow_treecli,
    "scikit-learn": grow_sklearn,
    "YDF": grow_ydf,
}

NAMES = [*PROGRAMS, "ranger"]

if __name__ == "__main__":
    sys.exit(main())
