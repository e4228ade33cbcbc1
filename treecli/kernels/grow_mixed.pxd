from treecli.kernels.cases cimport child_outcomes_of
from treecli.kernels.impurity cimport total
from treecli.kernels.passing cimport branches_by_table, branches_by_value, count_moved, move_cases, move_list
from treecli.kernels.best_mixed cimport most_merit, score_labels, score_node
