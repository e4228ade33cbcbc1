from treecli.kernels.ahead_args cimport Ahead
from treecli.kernels.ahead_bounds cimport count_blocks, least_left
from treecli.kernels.ahead_sides cimport gain_of_side, is_open, set_best, set_first_left, take_side
from treecli.kernels.args cimport Cases, Plan
from treecli.kernels.codes cimport DEVIANCE
from treecli.kernels.impurity cimport spread, total

cdef enum:  # compile-time constants, unlike module variables
    LEFT = 0
    RIGHT = 1
    STEPS = 0
    DECIDED = 1
