"""The compiled loops: functions from arrays to arrays.

Each module is Cython in pure-Python mode: if not compiled, it runs as Python with the same results. Kernels do not
validate their arguments; callers must.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType

UNCOMPILED_VARIABLE = "TREECLI_UNCOMPILED"
"""If this environment variable is set, kernels run as Python even if compiled."""

_NEVER_COMPILED = ("__init__.py", "codes.py")

_SHARED = "_shared"
"""The compiled module of Cython's own functions, which all compiled kernels use; it has no source file."""

_FOLDER = os.path.dirname(__file__)


def are_compiled() -> bool:
    """Return whether the kernels run as machine code."""
    if os.environ.get(UNCOMPILED_VARIABLE):
        return False
    files = set(os.listdir(_FOLDER))
    sources = [file.removesuffix(".py") for file in files if file.endswith(".py") and file not in _NEVER_COMPILED]
    return all(any(f"{source}{suffix}" in files for suffix in EXTENSION_SUFFIXES) for source in [_SHARED, *sources])


class _Sources:
    """Import the Python files instead of the compiled modules, which the import system prefers.

    This applies to all kernels: a Python file cannot call the C functions of a compiled one.
    """

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, stem = name.rpartition(".")
        source = os.path.join(_FOLDER, f"{stem}.py")
        return spec_from_file_location(name, source) if package == __name__ and os.path.exists(source) else None


if not are_compiled():
    sys.meta_path.insert(0, _Sources())
