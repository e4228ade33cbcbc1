from treecli.kernels.impurity cimport xlog2
from treecli.kernels.pearson cimport degrees_of_freedom, statistic
cdef bint parted(double lower, double upper, double value_gap, bint is_single) noexcept nogil
