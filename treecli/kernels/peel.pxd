from treecli.kernels.args cimport At, Found, Order, Plan, Scratch
from treecli.kernels.best_mixed cimport score_entries
from treecli.kernels.choose cimport first_best, set_merits
from treecli.kernels.codes cimport ONE_AGAINST_REST, SPREAD
from treecli.kernels.equal_labels cimport list_labels, remove, set_apart
from treecli.kernels.grow_mixed cimport set_one_label
from treecli.kernels.impurity cimport total
from treecli.kernels.mixed_args cimport Columns, Subtrees, Work
from treecli.kernels.peel_args cimport Chain
from treecli.kernels.places cimport place_cases_of, place_order_of_many
from treecli.kernels.score_groups cimport best_label_of
from treecli.kernels.score_sums cimport best_cut
from treecli.kernels.stop cimport may_split
