from treecli.kernels.ahead_args cimport Ahead
from treecli.kernels.ahead_blocks cimport count_blocks, weigh_all_runs
from treecli.kernels.ahead_bounds cimport least_left
from treecli.kernels.ahead_ranges cimport finish
from treecli.kernels.ahead_runs cimport least_of_runs
from treecli.kernels.ahead_sides cimport (
    gain_after,
    gain_of_side,
    is_open,
    lowest,
    next_attribute,
    set_best,
    set_first_left,
    set_worth,
    take_side,
)
from treecli.kernels.args cimport Cases, Plan
from treecli.kernels.codes cimport DEVIANCE
from treecli.kernels.impurity cimport spread, total

cdef enum:  # compile-time constants, unlike module variables
    LEFT = 0
    RIGHT = 1
    STEPS = 0
    DECIDED = 1
    LEAST_PART = 16
