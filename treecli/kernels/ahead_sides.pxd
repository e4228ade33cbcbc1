from treecli.kernels.ahead_args cimport Ahead
from treecli.kernels.args cimport Cases, Plan
from treecli.kernels.best_mixed cimport score_labels
from treecli.kernels.codes cimport DEVIANCE
from treecli.kernels.impurity cimport spread, total
from treecli.kernels.score_sums cimport best_cut
from treecli.kernels.stop cimport may_split

cdef enum:  # compile-time constants, unlike module variables
    RIGHT = 1
    STEPS = 0
    ALL = 2

cdef void set_first_left(Ahead ahead, Cases cases, Py_ssize_t node) noexcept nogil
cdef void take_side(Ahead ahead, Cases cases, Plan plan) noexcept nogil
cdef bint is_open(Ahead ahead, Plan plan) noexcept nogil
cdef double gain_after(Ahead ahead, double left, Plan plan) noexcept nogil
cdef void set_worth(
    Ahead ahead, double gained, double weight, Py_ssize_t left, Py_ssize_t right
) noexcept nogil
cdef double lowest(Ahead ahead, Py_ssize_t row) noexcept nogil
cdef double set_best(Ahead ahead, Cases cases, Py_ssize_t attribute, Plan plan) noexcept nogil
cdef Py_ssize_t next_attribute(Ahead ahead, Py_ssize_t row) noexcept nogil
cdef double gain_of_side(Ahead ahead, Cases cases, Py_ssize_t row, Plan plan) noexcept nogil
