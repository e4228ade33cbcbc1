from treecli.kernels.args cimport At, Cases, Found, Order, Plan, Scratch
from treecli.kernels.best_mixed cimport score_labels
from treecli.kernels.codes cimport SHIFT
from treecli.kernels.drawing cimport draw_next, put_back
from treecli.kernels.forest_args cimport Bag, Ranked
from treecli.kernels.mixed_args cimport Columns, Work
from treecli.kernels.score_sums cimport best_cut
from treecli.kernels.sort_ranks cimport _FEW, sort_keys

cdef void score_drawn(
    unsigned long long key, Work work, At at, Columns columns, Plan plan, Found found, Scratch scratch
) noexcept nogil
