"""Runs a Python artefact in a separate Python process."""

from __future__ import annotations

import sys

from treecli.exporters import Options
from treecli.exporters.python import Python
from treecli.predict.program import Program
from treecli.verifiers import Answer, Row
from treecli.verifiers._exchange import answers_in, run, workshop

_HARNESS = """
import runpy, struct, sys

def read(cell):
    if cell == "-":
        return None
    data = bytes.fromhex(cell[1:])
    return data.decode() if cell[0] == "s" else struct.unpack(">d", data)[0]

def written(answer):
    if isinstance(answer, dict):
        return " ".join(map(written, answer.values()))
    return "s" + answer.encode().hex() if isinstance(answer, str) else "n" + struct.pack(">d", answer).hex()

predict = runpy.run_path("artefact.py")[sys.argv[1]]
columns = list(map(read, open("columns.txt").read().split()))
for line in open("rows.txt"):
    try:
        print(written(predict(dict(zip(columns, map(read, line.split()))))))
    except ValueError:
        print("!")
"""


def answers(text: str, program: Program, options: Options, rows: list[Row]) -> list[Answer]:
    """Return the function's answer for every row."""
    with workshop({"artefact.py": text, "harness.py": _HARNESS}, program, rows) as folder:
        return answers_in(run([sys.executable, "-I", "-S", "harness.py", options.name or Python.DEFAULT_NAME], folder))
