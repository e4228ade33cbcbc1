"""Cells as the Arrow columns that they once were."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Mapping, Sequence
from typing import Any

from treecli.errors import DataError, UsageError


def schema_of(serialized: str, place: str) -> Any:
    """The Arrow schema that a record holds."""
    try:
        import pyarrow
    except ImportError:
        raise UsageError("writing Parquet needs the package pyarrow", "pip install 'treecli[parquet]'") from None
    try:
        return pyarrow.ipc.read_schema(pyarrow.py_buffer(b64decode(serialized, validate=True)))
    except (pyarrow.ArrowException, Error, OSError) as error:
        raise DataError(f"{place}: the Arrow schema under 'parquet' cannot be read: {error}") from None


def column_of(arrow_field: Any, cells: Sequence[str | None], labels: Sequence[str], place: str) -> Any:
    """The cells in the type of an Arrow field, None as null; `labels` are those of a dictionary."""
    import pyarrow
    from pyarrow import types

    arrow_type = arrow_field.type
    try:
        if types.is_dictionary(arrow_type):
            code_of = {label: code for code, label in enumerate(labels)}
            codes = pyarrow.array([None if cell is None else code_of[cell] for cell in cells], arrow_type.index_type)
            values = _cast(list(labels), arrow_type.value_type)
            return pyarrow.DictionaryArray.from_arrays(codes, values, ordered=arrow_type.ordered)
        return _cast(cells, arrow_type)
    except (pyarrow.ArrowException, ValueError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{place}: '{arrow_field.name}' cannot be stored as {arrow_type}: {reason}") from None


def _cast(cells: Sequence[str | None], arrow_type: Any) -> Any:
    import pyarrow
    from pyarrow import types

    if types.is_time(arrow_type):
        from datetime import time

        return pyarrow.array([None if cell is None else time.fromisoformat(cell) for cell in cells], arrow_type)
    texts = pyarrow.array(cells, pyarrow.string())
    if types.is_duration(arrow_type):
        return texts.cast(pyarrow.int64()).cast(arrow_type)
    return texts.cast(arrow_type)


def is_restorable(arrow_type: Any) -> bool:
    """Whether text in CSV or ARFF can be turned back into this type."""
    from pyarrow import types

    own = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    return bool(types.is_primitive(own) or types.is_decimal(own) or types.is_null(own) or _is_text(own))


def _is_text(arrow_type: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(arrow_type) or types.is_large_string(arrow_type) or types.is_string_view(arrow_type))


def fields_of(schema: Any) -> Mapping[str, Any]:
    """The fields of an Arrow schema by name."""
    return {field.name: field for field in schema}
