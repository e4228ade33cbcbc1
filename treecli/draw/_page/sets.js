// Sets of values, and whether a row's value is in one.

const MISSING = null;
const UNSEEN = -2;
const TAKES_MISSING = 1;
const TAKES_UNSEEN = 2;
const TAKES_NO_NUMBER = 4;

/** Whether a value is in a set: low < value <= high of [attribute, low, high, flags], or [attribute, codes, flags]. */
function isIn(set, row) {
  const value = row[set[0]];
  const flags = set.at(-1);
  if (value === MISSING) return (flags & TAKES_MISSING) !== 0;
  if (set.length === 3) return value === UNSEEN ? (flags & TAKES_UNSEEN) !== 0 : set[1].includes(value);
  const [, low, high] = set;
  return !(flags & TAKES_NO_NUMBER) && (low === null || low < value) && (high === null || value <= high);
}

/** The first conjunction of a test that holds, or undefined. */
function holding(test, row) {
  return test.find((member) => member.every((set) => isIn(set, row)));
}
