from treecli.kernels.args cimport Found, Plan
from treecli.kernels.best_packed cimport least_side
from treecli.kernels.bound_blocks cimport bound_stretch, count_before, may_hold, own_bar, set_bars, set_excess, set_excess_within
from treecli.kernels.codes cimport BY_RATIO
from treecli.kernels.packed_args cimport Lists, Peeling, Search, Subtree
from treecli.kernels.scan_block cimport CLOSE, scan_block
from treecli.kernels.score_classes cimport score_scale, set_before, split_info_of
cdef void open_remaining(Lists lists, Search search, Subtree subtree, Peeling peeling, Plan plan) noexcept nogil
cdef void set_found(
    Py_ssize_t a, long long n_left, double score, Lists lists, Found found, Peeling peeling, Plan plan
) noexcept nogil
cdef void scan_remaining(
    Py_ssize_t a, Lists lists, Search search, Found found, Peeling peeling, Plan plan
) noexcept nogil
