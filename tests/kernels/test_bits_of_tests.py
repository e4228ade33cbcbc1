"""The bit sets of tests hold the cases that the tests' definitions give."""

import numpy as np
import pytest

from treecli.kernels.bits_of_tests import set_bits

N = 150
N_WORDS = 4


@pytest.mark.parametrize("missing_hold", [False, True])
@pytest.mark.parametrize("is_nominal", [False, True])
@pytest.mark.parametrize("cuts", [[], [2], [0, 1, 2, 3], [1, 3, 5]])
def test_a_bit_is_set_where_the_test_holds(cuts: list[float], is_nominal: bool, missing_hold: bool) -> None:
    random = np.random.default_rng(len(cuts))
    values = random.integers(0, 6, N).astype(float)
    values[random.random(N) < 0.2] = np.nan
    place = random.permutation(64 * N_WORDS)[:N]
    bits = np.zeros((len(cuts), N_WORDS), np.uint64)
    set_bits(values, place, np.array(cuts, float), is_nominal, missing_hold, bits)
    for cut, words in zip(cuts, bits, strict=True):
        holds = (values == cut) if is_nominal else (values <= cut)
        expected = np.zeros(64 * N_WORDS, bool)
        expected[place[holds | (np.isnan(values) & missing_hold)]] = True
        assert np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool).tolist() == expected.tolist()
