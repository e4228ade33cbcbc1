"""`python -m bench.probes.routing MODEL PICKLE DATA`: predicts rows in memory with treecli and scikit-learn."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np

from bench.probes import print_best
from treecli.data import Dataset
from treecli.intake import ReadOptions, read_for_model
from treecli.model import TreeModel
from treecli.models import read_model
from treecli.predict.nodevalues import predicted
from treecli.predict.predict import distributions


def main(model_path: str, pickle_path: str, data_path: str) -> None:
    model = read_model(model_path)
    assert isinstance(model, TreeModel)
    rows: Dataset = read_for_model(data_path, ReadOptions(), model.schema).dataset
    # scikit-learn's own type, so that it converts nothing.
    matrix = np.column_stack(rows.columns).astype(np.float32)
    tree = pickle.loads(Path(pickle_path).read_bytes())
    print_best(
        {
            "treecli": lambda: predicted(model, distributions(model, rows)),
            "treecli --jobs 1": lambda: predicted(model, distributions(model, rows, jobs=1)),
            "scikit-learn": lambda: tree.predict(matrix),
        }
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
