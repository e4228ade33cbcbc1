"""Compiles the kernels if a C compiler is available; without one they run as plain Python."""

import os
import sys
from glob import glob
from hashlib import sha256
from pathlib import Path

import Cython
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# codes.py holds constants; codes.pxd hands them to the compiled kernels.
KERNELS = sorted(path for path in glob("treecli/kernels/*.py") if Path(path).stem not in ("__init__", "codes"))

N_JOBS = os.cpu_count() or 1

APART = "TREECLI_KERNELS_APART"
"""If this environment variable is set, the kernels are left out: `build_ext --inplace` compiles them meanwhile."""

FLAGS = [
    "-O3",
    "-g0",
    "-ffp-contract=off",  # the same results on every processor
    "-fno-math-errno",  # otherwise log2 might write memory, and arrays are loaded again after each call
]

# The objects that kernels take, and Cython's own functions, have no loops over cases; a stronger optimization would
# only take time.
FLAGS_OF_FIELDS = ["-O1", *FLAGS[1:]]

# Cython's own functions (memory views, argument parsing) are compiled once in this module, not in every kernel:
# a third of the time.
SHARED = "treecli.kernels._shared"


def build_folder() -> str:
    """A folder for all that is compiled by this file, this Python, this Cython and these compiler settings.

    It stays when a build has ended, so what has not changed since is not compiled again.
    """
    settings = [os.environ.get(name, "") for name in ("CC", "CFLAGS")]
    recipe = Path(__file__).read_bytes() + "\0".join([Cython.__version__, sys.version, *settings]).encode()
    return f"build/{sys.implementation.cache_tag}-{sha256(recipe).hexdigest()[:8]}"


class BuildKernels(build_ext):
    """Compiles on all cores in the build folder, also for an editable install.

    There setuptools would use a temporary folder, and forgets the options of commands.
    """

    def finalize_options(self) -> None:
        if self.editable_mode or self.inplace:
            self.build_lib = f"{build_folder()}/lib"
            self.build_temp = f"{build_folder()}/temp"
        super().finalize_options()
        self.parallel = N_JOBS


def extension(path: str) -> Extension:
    name = Path(path).stem
    flags = FLAGS_OF_FIELDS if name.endswith("args") else FLAGS
    return Extension(f"treecli.kernels.{name}", [path], extra_compile_args=flags)


def extensions() -> list[Extension]:
    found = cythonize(
        [Extension(SHARED, [], extra_compile_args=FLAGS_OF_FIELDS), *map(extension, KERNELS)],
        build_dir=build_folder(),
        nthreads=N_JOBS,
        shared_utility_qualified_name=SHARED,
        language_level=3,
        compiler_directives={
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "auto_pickle": False,  # a quarter of the C code; none of these objects is pickled
        },
    )
    for each in found:
        # A failed compilation is only a warning. Set here because cythonize drops it.
        each.optional = True
    return found


if __name__ == "__main__":  # worker processes of Cython may import this file
    setup(ext_modules=[] if os.environ.get(APART) else extensions(), cmdclass={"build_ext": BuildKernels})
