from treecli.kernels.ahead_runs cimport spread_of
from treecli.kernels.args cimport Cases, Found, Order, Plan
from treecli.kernels.codes cimport ENTROPY
