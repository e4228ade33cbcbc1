"""`python -m bench.probes.model_file MODEL`: reads a model from its file and writes it to another."""

from __future__ import annotations

import sys

from bench.probes import print_best
from treecli.model import TreeModel
from treecli.models import read_model, write_model

if __name__ == "__main__":
    path = sys.argv[1]
    model = read_model(path)
    assert isinstance(model, TreeModel)
    print_best({"reading": lambda: read_model(path), "writing": lambda: write_model(f"{path}.copy", model)})
