"""The ways of reading delimited text: the kernel, compiled and as Python, and the tokenizer with and without pandas."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import treecli.kernels
from treecli.kernels import parsing
from treecli.readers import _blocks, _columns
from treecli.readers._blocks import Grammar, parse_in_blocks
from treecli.readers._rows import Dialect, MisshapenError

Cells = tuple[np.ndarray, tuple[str, ...] | None]


def _as_python() -> ModuleType:
    path = Path(treecli.kernels.__file__).parent / "parsing.py"
    spec = importlib.util.spec_from_file_location("parsing_as_python", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


AS_PYTHON = _as_python()


def with_kernel(
    kernel: ModuleType,
    text: str,
    n_columns: int,
    dialect: Dialect,
    as_text: Collection[int] = (),
    limit: int = 1 << 20,
) -> list[Cells] | None:
    """The columns of the text, read in blocks of about `limit` bytes; None where the kernel refuses it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_blocks, "parsing", kernel)
        patch.setattr(_blocks, "BLOCK_BYTES", limit)
        patch.setattr(_blocks, "SNIFFED_BYTES", 2 * limit)
        return parse_in_blocks(text.encode(), 0, n_columns, Grammar(dialect, '"'), as_text)


def with_tokenizer(
    many_cells: int,
    text: str,
    n_columns: int,
    dialect: Dialect,
    as_text: Collection[int] = (),
    limit: int = 0,
) -> list[Cells] | None:
    """The columns of the text, by pandas if it has that many cells; None where it is out of shape or has no row."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_columns, "MANY_CELLS", many_cells)
        try:
            return _columns.parse(text.encode(), n_columns, dialect, as_text) or None
        except MisshapenError:
            return None


WAYS: dict[str, Callable[..., list[Cells] | None]] = {
    "kernel": partial(with_kernel, parsing),
    "kernel as Python": partial(with_kernel, AS_PYTHON),
    "tokenizer": partial(with_tokenizer, 1 << 30),
    "tokenizer with pandas": partial(with_tokenizer, 0),
}

in_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def cell_by_cell(values: np.ndarray, labels: tuple[str, ...] | None) -> list[object]:
    """Every cell as a number or a label, None for missing."""
    if labels is None:
        return [None if np.isnan(value) else value for value in values.tolist()]
    return [None if code < 0 else labels[code] for code in values.tolist()]
