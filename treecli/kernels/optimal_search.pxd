from treecli.kernels.optimal_args cimport Memory, Problem, Room
from treecli.kernels.optimal_pairs cimport LEAVES, NO_TEST, leaf_value, popcount, solve_pairs
