"""A plug-in by which mypy reads the kernels' signatures: `cython.double[:, ::1]` is an array of float64.

Cython describes its numbers to mypy, not its memoryviews.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from mypy.nodes import MypyFile, TypeAlias
from mypy.plugin import AnalyzeTypeContext, Plugin
from mypy.typeanal import TypeAnalyser
from mypy.types import AnyType, Type, TypeOfAny

ELEMENTS = {
    "Cython.Shadow.double": "numpy.float64",
    "Cython.Shadow.float": "numpy.float32",
    "Cython.Shadow.int": "numpy.int32",
    "Cython.Shadow.longlong": "numpy.int64",
    "Cython.Shadow.schar": "numpy.int8",
    "Cython.Shadow.uchar": "numpy.uint8",
    "Cython.Shadow.uint": "numpy.uint32",
    "Cython.Shadow.ulonglong": "numpy.uint64",
    "Cython.Shadow.ushort": "numpy.uint16",
}
"""The elements of the memoryviews that kernels take."""


class Memoryviews(Plugin):
    """Reads memoryviews as NumPy arrays of any shape."""

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        return [(10, "numpy", -1)] if file.fullname.startswith("treecli.kernels.") else []

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        return partial(_translated, ELEMENTS[fullname]) if fullname in ELEMENTS else None


def _translated(element: str, context: AnalyzeTypeContext) -> Type:
    """The type of an annotation whose elements are `element`: a number, or an array if it has a subscript."""
    api = context.api
    assert isinstance(api, TypeAnalyser)
    if not context.type.args:
        return api.named_type("builtins.float" if element.startswith("numpy.float") else "builtins.int", [])
    found = api.lookup_fully_qualified(element).node
    of_elements = found.target if isinstance(found, TypeAlias) else api.named_type(element, [])
    return api.named_type("numpy.ndarray", [AnyType(TypeOfAny.explicit), api.named_type("numpy.dtype", [of_elements])])


def plugin(version: str) -> type[Plugin]:
    """The class that mypy loads."""
    return Memoryviews


if TYPE_CHECKING:
    import numpy as np

    from treecli.kernels import route_args

    # Wrong calls. If mypy no longer saw them, it would report that these comments are not needed.
    route_args.Room(np.empty(1), np.empty(1), np.empty((1, 1)))  # type: ignore[arg-type]
    route_args.Room(np.empty(1, np.int64), np.empty(1))  # type: ignore[call-arg]
