"""Arrow's arrays as numpy's, without pandas, which pyarrow's own conversion imports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def values_of(chunks: Sequence[Any], fill: float, kind: type[np.generic]) -> NDArray[Any]:
    """A copy of the values of Arrow arrays, one after the other, with `fill` where a value is null."""
    parts = []
    for chunk in chunks:
        known = chunk.fill_null(fill)
        values = np.frombuffer(known.buffers()[1], kind) if len(known) else np.empty(0, kind)
        parts.append(values[known.offset : known.offset + len(known)])
    return np.concatenate(parts) if parts else np.empty(0, kind)
