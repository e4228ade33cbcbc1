"""Compiles the kernels if a C compiler is available; without one they run as plain Python."""

import os
from glob import glob
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# codes.py holds constants; codes.pxd hands them to the compiled kernels.
KERNELS = sorted(path for path in glob("treecli/kernels/*.py") if Path(path).stem not in ("__init__", "codes"))

FLAGS = [
    "-O3",
    "-g0",
    "-ffp-contract=off",  # the same results on every processor
    "-fno-math-errno",  # otherwise log2 might write memory, and arrays are loaded again after each call
]

# Cython's own functions (memory views, argument parsing) are compiled once in this module, not in every kernel:
# a third of the time.
SHARED = "treecli.kernels._shared"

extensions = cythonize(
    [
        Extension(SHARED, [], extra_compile_args=FLAGS),
        *(Extension(f"treecli.kernels.{Path(path).stem}", [path], extra_compile_args=FLAGS) for path in KERNELS),
    ],
    build_dir="build",
    shared_utility_qualified_name=SHARED,
    language_level=3,
    compiler_directives={
        "boundscheck": False,
        "wraparound": False,
        "cdivision": True,
        "initializedcheck": False,
    },
)
for extension in extensions:
    # A failed compilation is only a warning. Set here because cythonize drops it.
    extension.optional = True

setup(ext_modules=extensions, options={"build_ext": {"parallel": os.cpu_count() or 1}})
