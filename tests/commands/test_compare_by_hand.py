"""compare's cells are those of `train` and `evaluate` on the files of each fold."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random

import pytest

from tests.conftest import Runner

HEADER = """@relation mixed
@attribute size numeric
@attribute colour {red,green,blue,grey}
@attribute age numeric
@attribute shape {round,square}
@attribute w numeric
@attribute class {yes,no,perhaps}
@data
"""

LEARNERS = {
    "gain": "--criterion gain",
    "binary": "--criterion gini --nominal binary --missing branch --laplace",
    "j48": "--like j48",
    "unpruned": "--like j48 --prune none",
    "rep": "--like j48 --prune reduced-error",
    "random-rep": "--prune reduced-error --tune-fraction 0.3 --seed 4",
    "rpart": "--like rpart --min-split 6",
    "sklearn": "--like sklearn --max-depth 3",
    "c45": "--like c45",
}

MEASURES = ("errors", "accuracy", "kappa", "leaves", "log_loss", "brier", "auc", "n")


def lines() -> list[str]:
    """Rows with missing values of every attribute and weights that are not whole."""
    random, found = Random(3), []
    for number in range(75):
        size, age = round(random.gauss(0, 1), 1), random.randint(20, 40) / 4
        colour, shape = random.choice(["red", "green", "blue", "grey"]), random.choice(["round", "square"])
        label = "yes" if size + (colour in ("red", "blue")) > 0.6 else random.choice(["no", "no", "perhaps"])
        cells = [str(size), colour, str(age), shape]
        cells = ["?" if random.random() < 0.12 else cell for cell in cells]
        found.append(",".join([*cells, str(random.choice([1, 2, 0.5, 0.3])), label if number % 5 else "no"]))
    return found


@pytest.mark.parametrize("weights", [(), ("--weights", "w")], ids=["plain", "weighted"])
@pytest.mark.parametrize("jobs", ["1", "3"])
def test_each_cell_is_that_of_a_model_trained_and_evaluated_by_hand(
    treecli: Runner, tmp_path: Path, weights: tuple[str, ...], jobs: str
) -> None:
    rows = lines()
    (tmp_path / "mixed.arff").write_text(HEADER + "\n".join(rows) + "\n")
    reading = weights or ("-x", "w")
    folds = ("--folds", "3", "--repeats", "2", "--seed", "7")
    named = [word for name, options in LEARNERS.items() for word in ("--learner", f"{name}: {options}")]
    done = treecli("compare", "mixed.arff", *reading, *named, *folds, "--jobs", jobs, "--results", "r.jsonl", "--quiet")
    assert done.code == 0, done.err
    assert treecli("crossval", "mixed.arff", *reading, *folds, "--folds-file", "folds.csv").code == 0
    with (tmp_path / "folds.csv").open(encoding="utf-8") as file:
        fold_of = {(int(own["row"]), int(own["run"])): int(own["fold"]) for own in csv.DictReader(file)}
    records = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()[1:]]
    assert len(records) == 2 * len(LEARNERS)
    for record in records:
        for cell in record["cells"] if record["run"] == 1 else record["cells"][:1]:
            is_test = [fold_of[row, record["run"]] == cell["fold"] for row in range(1, len(rows) + 1)]
            for name, wanted in (("train", False), ("test", True)):
                own = [row for row, is_in in zip(rows, is_test, strict=True) if is_in == wanted]
                (tmp_path / f"{name}.arff").write_text(HEADER + "\n".join(own) + "\n")
            options = LEARNERS[record["learner"]].split()
            trained = treecli("train", "train.arff", *reading, *options, "-o", "m.json", "--quiet")
            assert trained.code == 0, trained.err
            judged = treecli("evaluate", "m.json", "test.arff", *weights, "-f", "json", "--quiet")
            assert judged.code == 0, judged.err
            found = json.loads(judged.out)
            assert {name: cell[name] for name in MEASURES} == {name: found[name] for name in MEASURES}
