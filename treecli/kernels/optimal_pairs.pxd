from treecli.kernels.optimal_args cimport Problem, Room

cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__x86_64__)
    /* The kernels are compiled for any x86-64 processor, and nearly every one has popcnt. */
    static int treecli_has_popcnt;
    __attribute__((constructor)) static void treecli_detect_popcnt(void) {
        __builtin_cpu_init();
        treecli_has_popcnt = __builtin_cpu_supports("popcnt") != 0;
    }
    static inline int treecli_popcount(unsigned long long word) {
        if (treecli_has_popcnt) {
            unsigned long long n;
            __asm__("popcntq %1, %0" : "=r"(n) : "r"(word) : "cc");
            return (int)n;
        }
        return __builtin_popcountll(word);
    }
    #elif defined(__GNUC__)
    #define treecli_popcount __builtin_popcountll
    #else
    static int treecli_popcount(unsigned long long word) {
        word -= (word >> 1) & 0x5555555555555555ULL;
        word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
        word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
        return (int)((word * 0x0101010101010101ULL) >> 56);
    }
    #endif
    """
    int popcount "treecli_popcount"(unsigned long long word) noexcept nogil

cdef enum:  # compile-time constants, unlike module variables
    NO_TEST = -1
    LEAVES = 32

cdef long long risk(Problem problem, long long[:, ::1] counts, Py_ssize_t row) noexcept nogil
cdef long long leaf_value(Problem problem, Room room, unsigned long long[:, ::1] sets, Py_ssize_t depth) noexcept nogil
cdef long long solve_pairs(Problem problem, Room room, Py_ssize_t depth, Py_ssize_t levels) noexcept nogil
