from treecli.kernels.remainders cimport parted
from treecli.kernels.unlinking cimport unlink
