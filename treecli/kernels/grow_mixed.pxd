from treecli.kernels.args cimport At, Cases, Found, Moves, Order, Plan, Scratch, Sent
from treecli.kernels.best_drawn cimport score_drawn
from treecli.kernels.best_mixed cimport score_labels, score_node
from treecli.kernels.choose cimport first_best, set_merits
from treecli.kernels.codes cimport DEVIANCE, KNOWN_OR_NOT, MULTIWAY, ONE_AGAINST_REST, SPREAD
from treecli.kernels.drawing cimport child_key
from treecli.kernels.impurity cimport total
from treecli.kernels.mixed_args cimport Columns, Subtrees, Work
from treecli.kernels.node_surrogates cimport fuller_branch_of, has_room, resolve_of
from treecli.kernels.partition cimport (
    child_outcomes_of, clear_children_of, count_moved_of, move_cases_of, move_order_of, send_by_table_of, send_by_value_of,
    send_one_label_of
)
from treecli.kernels.places cimport place_cases_of, place_order_of, place_order_of_many
from treecli.kernels.stop cimport may_split
cdef void set_one_label(Py_ssize_t begin, int n_labels, int label, Py_ssize_t most_listed, int[::1] table) noexcept nogil
