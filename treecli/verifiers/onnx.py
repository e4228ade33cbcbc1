"""Runs an ONNX artefact in onnxruntime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treecli.errors import CheckError, UsageError
from treecli.exporters import Options
from treecli.exporters._graph_columns import inputs, missing_text
from treecli.exporters.onnx import output_names
from treecli.predict.program import Program
from treecli.verifiers import Answer, Row

if TYPE_CHECKING:
    from treecli.data import Attribute

MOST_ROWS_AT_ONCE = 1000
MOST_CELLS_AT_ONCE = 2_000_000
"""Rows times nodes: if rows spread over several branches, memory grows with both."""

_ERRORS_ONLY = 3


def answers(artefact: bytes, program: Program, options: Options, rows: list[Row]) -> list[Answer]:
    """Return the graph's answer for every row."""
    try:
        import onnxruntime
    except ImportError as error:
        raise UsageError(
            "--verify: needs onnxruntime, which is not installed",
            "pip install 'treecli[verify]', or leave out --verify",
        ) from error
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    failures = (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NotImplemented,
        state.RuntimeException,
    )
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = _ERRORS_ONLY
    columns = [program.schema.columns[index] for index in inputs(program)]
    wanted = [output_names(program)[options.proba]]
    n_at_once = MOST_ROWS_AT_ONCE
    if program.spreads:
        n_at_once = max(1, min(n_at_once, MOST_CELLS_AT_ONCE // len(program.steps)))
    found: list[Answer] = []
    try:
        session = onnxruntime.InferenceSession(artefact, settings, providers=["CPUExecutionProvider"])
        for start in range(0, len(rows), n_at_once):
            part = rows[start : start + n_at_once]
            (said,) = session.run(wanted, _fed(part, columns, is_asked=bool(program.attributes)))
            found += map(tuple, said.tolist()) if options.proba else said.tolist()
    except failures as error:
        raise CheckError(f"the artefact does not run: onnxruntime: {error}", "nothing was written") from error
    return found


def _fed(rows: list[Row], columns: list[Attribute], *, is_asked: bool) -> dict[str, Any]:
    """Return the rows as inputs; a column that the model does not use only gives their number."""
    import numpy as np

    cells = list(zip(*rows, strict=True)) if is_asked else [[None] * len(rows)]
    fed = {}
    for column, values in zip(columns, cells, strict=True):
        if column.is_numeric:
            fed[column.name] = np.array([np.nan if cell is None else cell for cell in values], np.float64)
        else:
            missing = missing_text(column)
            fed[column.name] = np.array([missing if cell is None else cell for cell in values], object)
    return fed
