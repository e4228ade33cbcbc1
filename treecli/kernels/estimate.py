"""C4.5's pessimistic error estimate: the expected errors of a leaf on new cases.

It is the upper confidence limit of a binomial proportion: exact for 0 errors, Wilson's with continuity correction from
1 error, and interpolated linearly in between.
"""

import cython
from cython.cimports.libc.math import pow, sqrt

_NO_PESSIMISM = cython.declare(cython.double, 0.5)
_NO_WEIGHT = cython.declare(cython.double, 1e-6)
_C45_NO_ERROR = cython.declare(cython.double, 1e-6)
_C45_ONE_ERROR = cython.declare(cython.double, 0.9999)
_C45_SHARE_OF_REST = cython.declare(cython.double, 0.67)


@cython.cclass
class Estimate:
    """Parameters of the estimate.

    The estimate is that of Weka's J48 or, with `is_c45`, of C4.5 release 8, which differs if nearly all cases are wrong
    and in the limits for 0 errors and for 1 error. z is the normal quantile of the confidence. Errors between 0 and 1
    are interpolated if the weight is above `mixed_above`.
    """

    __slots__ = ("confidence", "is_c45", "mixed_above", "z")

    def __init__(
        self, confidence: cython.double, z: cython.double, is_c45: cython.bint, mixed_above: cython.double = 0.0
    ):
        self.confidence = confidence
        self.z = z
        self.is_c45 = is_c45
        self.mixed_above = mixed_above


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def added_errors(weight: cython.double, errors: cython.double, estimate: Estimate) -> cython.double:
    """Return the expected errors beyond those observed; 0 if the confidence is above 0.5."""
    confidence: cython.double = estimate.confidence
    z: cython.double = estimate.z
    is_c45: cython.bint = estimate.is_c45
    none: cython.double
    rate: cython.double
    if weight < _NO_WEIGHT or confidence > _NO_PESSIMISM:
        return 0.0
    if errors <= (_C45_NO_ERROR if is_c45 else 0.0):
        return weight * (1.0 - pow(confidence, 1.0 / weight))
    if errors < (_C45_ONE_ERROR if is_c45 else 1.0) and weight > estimate.mixed_above:
        none = weight * (1.0 - pow(confidence, 1.0 / weight))
        return none + errors * (added_errors(weight, 1.0, estimate) - none)
    if errors + 0.5 >= weight:
        if is_c45:
            return _C45_SHARE_OF_REST * (weight - errors)
        return weight - errors if weight > errors else 0.0
    rate = (errors + 0.5) / weight
    rate = (
        rate + z * z / (2.0 * weight) + z * sqrt(rate / weight - rate * rate / weight + z * z / (4.0 * weight * weight))
    ) / (1.0 + z * z / weight)
    return weight * rate - errors


def expected_errors(counts: cython.double[:, ::1], estimate: Estimate, out: cython.double[::1]) -> None:
    """Fill `out` with the expected errors of leaves, given their class weights, one leaf per row."""
    row: cython.Py_ssize_t
    c: cython.Py_ssize_t
    weight: cython.double
    most: cython.double
    with cython.nogil:
        for row in range(counts.shape[0]):
            weight = 0.0
            most = 0.0
            for c in range(counts.shape[1]):
                weight += counts[row, c]
                if counts[row, c] > most:
                    most = counts[row, c]
            out[row] = weight - most + added_errors(weight, weight - most, estimate)


def with_added(
    weights: cython.double[::1],
    errors: cython.double[::1],
    estimate: Estimate,
    out: cython.double[::1],
) -> None:
    """Fill `out` with the expected errors of groups of cases, given each group's weight and errors."""
    group: cython.Py_ssize_t
    with cython.nogil:
        for group in range(weights.shape[0]):
            out[group] = errors[group] + added_errors(weights[group], errors[group], estimate)
