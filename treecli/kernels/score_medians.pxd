from treecli.kernels.score_sklearn cimport parted
from treecli.kernels.linked_medians cimport unlink
