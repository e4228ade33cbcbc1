"""Labels with blanks at their edges stay apart from those without, from the file to the exported model."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from tests.conftest import Runner
from treecli.readers import _delimited, arff

ROWS = [("x", "yes"), (" x", "no"), ("x ", "maybe"), ("\u00a0x", "never"), ("\u00a0", "ever")] * 3


def write_csv(folder: Path) -> str:
    rows = "".join(f'"{a}",{label}\n' for a, label in ROWS)
    (folder / "data.csv").write_text(f"a,class\n{rows}", encoding="utf-8")
    return "data.csv"


def write_arff(folder: Path) -> str:
    labels = ",".join(f"'{a}'" for a in dict(ROWS))
    rows = "".join(f"'{a}',{label}\n" for a, label in ROWS)
    header = f"@relation r\n@attribute a {{{labels}}}\n@attribute class {{{','.join(dict(ROWS).values())}}}\n@data\n"
    (folder / "data.arff").write_text(header + rows, encoding="utf-8")
    return "data.arff"


def write_parquet(folder: Path) -> str:
    columns = {"a": [a for a, _ in ROWS], "class": [label for _, label in ROWS]}
    parquet.write_table(pyarrow.table(columns), folder / "data.parquet")
    return "data.parquet"


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("write", [write_csv, write_arff, write_parquet])
def test_predict_evaluate_and_export_agree_on_labels_with_blanks(
    treecli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write, is_compiled: bool
) -> None:
    for module in (_delimited, arff):
        monkeypatch.setattr(module, "are_compiled", lambda: is_compiled)
    data = write(tmp_path)
    expected = [label for _, label in ROWS]
    assert treecli("train", data, "-q", "-o", "model.json").code == 0
    predicted = treecli("predict", "model.json", data, "-q")
    assert [row["prediction"] for row in csv.DictReader(io.StringIO(predicted.out))] == expected
    evaluated = treecli("evaluate", "model.json", data, "-q", "-f", "json")
    assert json.loads(evaluated.out)["errors"] == 0
    exported = treecli("export", "model.json", "--to", "python", "-q", "--verify", data, "-o", "model.py")
    assert exported.code == 0, exported.err
    program: dict[str, object] = {}
    exec((tmp_path / "model.py").read_text(encoding="utf-8"), program)
    assert [program["predict"]({"a": a}) for a, _ in ROWS] == expected  # type: ignore[operator]
