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

cdef class Problem:
    cdef public unsigned long long[:, ::1] tests
    cdef public unsigned char[::1] is_nested
    cdef public int[::1] segment_end, segment_class
    cdef public long long[::1] segment_weight, segment_cost
    cdef public double[::1] segment_size
    cdef public unsigned long long[::1] minority
    cdef public long long[:, ::1] costs
    cdef public Py_ssize_t n_classes
    cdef public bint has_costs, is_free
    cdef public double min_leaf, min_split
    cdef public long long leaf_fee

cdef class Room:
    cdef public unsigned long long[:, ::1] sets, rows
    cdef public int[:, ::1] tree, order
    cdef public int[::1] test, word, segment_begin, segment_end, segment, left_test, right_test
    cdef public long long[:, ::1] count, cell, hint, left_bound, right_bound
    cdef public long long[::1] node_count, left, right, value
    cdef public double[::1] size
    cdef public Py_ssize_t n_tests, n_segments, n_words
    cdef public double node_size
    cdef public long long[::1] n_open
    cdef public unsigned char[::1] stop
    cdef public long long n_solved

cdef enum:  # compile-time constants, unlike module variables
    NO_TEST = -1
    LEAVES = 32

cdef long long risk(Problem problem, long long[:, ::1] counts, Py_ssize_t row) noexcept nogil
cdef long long leaf_value(Problem problem, Room room, unsigned long long[:, ::1] sets, Py_ssize_t depth) noexcept nogil
cdef long long solve_pairs(Problem problem, Room room, Py_ssize_t depth, Py_ssize_t levels) noexcept nogil
