"""`python -m bench.probes.reading CSV ARFF`: reads the same rows from both formats, as `train` does."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from bench.probes import print_best
from treecli.intake import ReadOptions, read_training

if __name__ == "__main__":
    options = ReadOptions()
    print_best({Path(path).suffix[1:]: partial(read_training, path, options) for path in sys.argv[1:]})
