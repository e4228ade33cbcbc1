from treecli.kernels.args cimport Found, Plan
from treecli.kernels.bound_blocks cimport (
    bound_stretch, count_before, may_hold, own_bar, set_bars, set_excess, set_excess_within, smaller_side
)
from treecli.kernels.packed_args cimport Lists, Peeling, Search
from treecli.kernels.scan_block cimport scan_block
from treecli.kernels.scan_remaining cimport set_found
from treecli.kernels.score_classes cimport score_of_two, split_info_of
cdef bint set_known(
    Py_ssize_t a, Lists lists, Search search, Found found, Peeling peeling, Plan plan
) noexcept nogil
cdef bint is_ruled_out(
    Py_ssize_t a,
    double times,
    double ratio,
    Lists lists,
    Search search,
    Found found,
    Peeling peeling,
    Plan plan
) noexcept nogil
