"""`python -m bench.probes.model_file MODEL`: reads a model from its file and writes it to another.

Beside it Python's json module reads the file into lists and dictionaries, and writes these.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bench.probes import print_best
from treecli.model import TreeModel
from treecli.models import read_model, write_model


def main(path: str) -> None:
    model = read_model(path)
    assert isinstance(model, TreeModel)
    copy = Path(f"{path}.copy")
    document: dict[str, Any] = {}

    def load() -> None:
        document.clear()
        document.update(json.loads(Path(path).read_bytes()))

    print_best(
        {
            "reading": lambda: read_model(path),
            "writing": lambda: write_model(str(copy), model),
            "Python reading": load,
            "Python writing": lambda: copy.write_text(json.dumps(document)),
        }
    )


if __name__ == "__main__":
    main(sys.argv[1])
