"""Arrow arrays as numpy arrays, without pandas, which pyarrow's own conversion imports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def values_of(chunks: Sequence[Any], fill: float, kind: type[np.generic]) -> NDArray[Any]:
    """A copy of the concatenated values of Arrow arrays, with `fill` where a value is null."""
    parts = []
    for chunk in chunks:
        if not len(chunk):
            continue
        own = slice(chunk.offset, chunk.offset + len(chunk))
        validity, data = chunk.buffers()
        values = np.frombuffer(data, kind)[own]
        if chunk.null_count:
            # Not chunk.fill_null, which imports pandas to inspect its argument.
            is_known = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little")[own]
            values = np.where(is_known, values, kind(fill))
        parts.append(values)
    return np.concatenate(parts) if parts else np.empty(0, kind)
