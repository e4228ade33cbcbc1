from treecli.kernels.args cimport At, Cases, Found, Order, Plan
from treecli.kernels.codes cimport KNOWN_OR_NOT, NO_SIDE, SKLEARN, SPREAD
from treecli.kernels.linked_medians cimport ABOVE, BELOW, Ranked, unlink
from treecli.kernels.score_sklearn cimport parted

cdef enum:  # compile-time constants, unlike module variables
    _WEIGHT = 0
    _SUM = 1
    _WITH_MISSING = 2
    _MISSING = 4

cdef class Groups:
    cdef public long long[::1] start
    cdef public int[::1] of_case
    cdef public double[::1] share
    cdef public double[::1] weight
    cdef public int[::1] case
    cdef public long long[::1] end
    cdef public double[::1] median
    cdef public double[::1] deviation
    cdef public double[::1] passed
