from treecli.kernels.args cimport At, Cases, Found, Order, Plan
from treecli.kernels.codes cimport KNOWN_OR_NOT, NO_SIDE, SKLEARN, SPREAD
from treecli.kernels.group_medians cimport Groups
from treecli.kernels.linked_medians cimport ABOVE, BELOW, Ranked, gather, unlink
from treecli.kernels.score_sklearn cimport parted

cdef enum:  # compile-time constants, unlike module variables
    _WEIGHT = 0
    _SUM = 1
    _WITH_MISSING = 2
    _MISSING = 4
