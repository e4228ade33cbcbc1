"""The compiled loops: arrays in, arrays out.

Each is Cython in pure-Python mode: the file runs as it is where it was not compiled, with the same answers.
Callers check, kernels trust.
"""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

UNCOMPILED_VARIABLE = "TREECLI_UNCOMPILED"
"""Set in the environment, it makes the kernels run as Python even where they are compiled."""

_FOLDER = Path(__file__).parent


def are_compiled() -> bool:
    """Whether the kernels run as machine code."""
    if os.environ.get(UNCOMPILED_VARIABLE):
        return False
    sources = [path.stem for path in _FOLDER.glob("*.py") if path.stem != "__init__"]
    return all(any((_FOLDER / f"{stem}{suffix}").exists() for suffix in EXTENSION_SUFFIXES) for stem in sources)


def _load_sources() -> None:
    """Puts the Python files in the place of the compiled modules, which the import system would prefer."""
    for path in sorted(_FOLDER.glob("*.py")):
        name = f"{__name__}.{path.stem}"
        if path.stem == "__init__" or name in sys.modules:
            continue
        spec = spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        setattr(sys.modules[__name__], path.stem, module)


if os.environ.get(UNCOMPILED_VARIABLE):
    _load_sources()
