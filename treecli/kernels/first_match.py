"""Find the rules that hold for rows.

A block holds the values of some rows: block[row, slot] is a value; a missing number is NaN, a missing label -1 and an
unseen one -2. An index has a set of rules for each bin of values: sets[bin] has a bit for each rule, 0 where the rule
holds for no value of the bin; groups[bin] has a bit for each word of sets[bin], 0 where the word is 0. bins[row] are
the bins of the row's values, at least one.
"""

import cython


@cython.cclass
class Rules:
    """A list of rules.

    rule_start[rule]       where the rule's conditions begin; they end where the next rule's begin
    slot[condition]        the attribute that a condition tests, as a column of the block
    table_start[condition] where the condition's part of the table begins, or -1 for an interval of numbers
    table[...]             whether a label satisfies the condition: an unseen one, a missing one, then each code
    low[condition], high[condition]   values above low, up to high, satisfy an interval; NaN as low is no bound
    missing[condition]     whether a missing number satisfies it
    """

    __slots__ = ("high", "low", "missing", "rule_start", "slot", "table", "table_start")

    def __init__(
        self,
        rule_start: cython.longlong[::1],
        slot: cython.int[::1],
        table_start: cython.longlong[::1],
        table: cython.uchar[::1],
        low: cython.double[::1],
        high: cython.double[::1],
        missing: cython.uchar[::1],
    ):
        self.rule_start = rule_start
        self.slot = slot
        self.table_start = table_start
        self.table = table
        self.low = low
        self.high = high
        self.missing = missing


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _holds(
    rules: Rules,
    rule: cython.Py_ssize_t,
    slot: cython.int[::1],
    table_start: cython.longlong[::1],
    low: cython.double[::1],
    high: cython.double[::1],
    block: cython.double[:, ::1],
    row: cython.Py_ssize_t,
) -> cython.bint:
    """Return whether a rule holds for a row. The arrays that most conditions need are arguments, which is faster."""
    condition: cython.longlong
    value: cython.double
    for condition in range(rules.rule_start[rule], rules.rule_start[rule + 1]):
        value = block[row, slot[condition]]
        if table_start[condition] >= 0:
            if not rules.table[table_start[condition] + cython.cast(cython.longlong, value) + 2]:
                return False
        elif value != value:
            if not rules.missing[condition]:
                return False
        elif value <= low[condition] or not value <= high[condition]:
            return False
    return True


def first_match(
    rules: Rules,
    block: cython.double[:, ::1],
    rule_of_row: cython.int[::1],
):
    """Fill in the first rule that holds for each row, or the number of rules where none does."""
    row: cython.Py_ssize_t
    rule: cython.Py_ssize_t
    n_rules: cython.Py_ssize_t = rules.rule_start.shape[0] - 1
    slot: cython.int[::1] = rules.slot
    table_start: cython.longlong[::1] = rules.table_start
    low: cython.double[::1] = rules.low
    high: cython.double[::1] = rules.high
    with cython.nogil:
        for row in range(rule_of_row.shape[0]):
            rule = 0
            while rule < n_rules and not _holds(rules, rule, slot, table_start, low, high, block, row):
                rule += 1
            rule_of_row[row] = cython.cast(cython.int, rule)


def add_votes(
    rules: Rules,
    block: cython.double[:, ::1],
    vote_of_rule: cython.double[:, ::1],
    votes: cython.double[:, ::1],
):
    """Add to the votes of each row those of every rule that holds."""
    row: cython.Py_ssize_t
    rule: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    n_rules: cython.Py_ssize_t = rules.rule_start.shape[0] - 1
    slot: cython.int[::1] = rules.slot
    table_start: cython.longlong[::1] = rules.table_start
    low: cython.double[::1] = rules.low
    high: cython.double[::1] = rules.high
    with cython.nogil:
        for row in range(votes.shape[0]):
            for rule in range(n_rules):
                if _holds(rules, rule, slot, table_start, low, high, block, row):
                    for entry in range(votes.shape[1]):
                        votes[row, entry] += vote_of_rule[rule, entry]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _common(
    sets: cython.ulonglong[:, ::1], bins: cython.longlong[:, ::1], row: cython.Py_ssize_t, word: cython.Py_ssize_t
) -> cython.ulonglong:
    """Return one word of the bits that the sets of all bins of a row have in common."""
    i: cython.Py_ssize_t
    common: cython.ulonglong = cython.cast(cython.ulonglong, sets[bins[row, 0], word])
    for i in range(1, bins.shape[1]):
        if common == 0:
            break
        common &= cython.cast(cython.ulonglong, sets[bins[row, i], word])
    return common


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _next_candidate(
    sets: cython.ulonglong[:, ::1],
    groups: cython.ulonglong[:, ::1],
    bins: cython.longlong[:, ::1],
    row: cython.Py_ssize_t,
    rule: cython.Py_ssize_t,
    n_rules: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Return the first rule from `rule` on that is in the sets of all bins of a row, or the number of rules."""
    word: cython.Py_ssize_t = rule >> 6
    bits: cython.ulonglong
    if rule >= n_rules:
        return n_rules
    bits = (_common(sets, bins, row, word) >> (rule & 63)) << (rule & 63)
    while bits == 0:
        word += 1
        if word >= sets.shape[1]:
            return n_rules
        # A bit of `groups` is a word: words that are 0 in some set are skipped, 64 at a time where all are 0.
        bits = _common(groups, bins, row, word >> 6) >> (word & 63)
        if bits == 0:
            word |= 63
            continue
        while bits & 1 == 0:
            bits >>= 1
            word += 1
        bits = _common(sets, bins, row, word)
    rule = word << 6
    while bits & 1 == 0:
        bits >>= 1
        rule += 1
    return rule


def first_match_indexed(
    rules: Rules,
    block: cython.double[:, ::1],
    sets: cython.ulonglong[:, ::1],
    groups: cython.ulonglong[:, ::1],
    bins: cython.longlong[:, ::1],
    rule_of_row: cython.int[::1],
):
    """Like first_match, by an index."""
    row: cython.Py_ssize_t
    rule: cython.Py_ssize_t
    n_rules: cython.Py_ssize_t = rules.rule_start.shape[0] - 1
    slot: cython.int[::1] = rules.slot
    table_start: cython.longlong[::1] = rules.table_start
    low: cython.double[::1] = rules.low
    high: cython.double[::1] = rules.high
    with cython.nogil:
        for row in range(rule_of_row.shape[0]):
            rule = _next_candidate(sets, groups, bins, row, 0, n_rules)
            while rule < n_rules and not _holds(rules, rule, slot, table_start, low, high, block, row):
                rule = _next_candidate(sets, groups, bins, row, rule + 1, n_rules)
            rule_of_row[row] = cython.cast(cython.int, rule)


def add_votes_indexed(
    rules: Rules,
    block: cython.double[:, ::1],
    sets: cython.ulonglong[:, ::1],
    groups: cython.ulonglong[:, ::1],
    bins: cython.longlong[:, ::1],
    vote_of_rule: cython.double[:, ::1],
    votes: cython.double[:, ::1],
):
    """Like add_votes, by an index."""
    row: cython.Py_ssize_t
    rule: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    n_rules: cython.Py_ssize_t = rules.rule_start.shape[0] - 1
    slot: cython.int[::1] = rules.slot
    table_start: cython.longlong[::1] = rules.table_start
    low: cython.double[::1] = rules.low
    high: cython.double[::1] = rules.high
    with cython.nogil:
        for row in range(votes.shape[0]):
            rule = _next_candidate(sets, groups, bins, row, 0, n_rules)
            while rule < n_rules:
                if _holds(rules, rule, slot, table_start, low, high, block, row):
                    for entry in range(votes.shape[1]):
                        votes[row, entry] += vote_of_rule[rule, entry]
                rule = _next_candidate(sets, groups, bins, row, rule + 1, n_rules)
