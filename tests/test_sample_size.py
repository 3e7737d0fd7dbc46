"""The search for the least size that is enough."""

import numpy as np
import pytest

from dplib.sample_size import least_size


@pytest.mark.parametrize("at_least, at_most", [(0, 40), (1, 40), (7, 7), (3, 2**62 - 1)])
def test_least_size_finds_every_threshold_and_asks_nothing_outside_its_limits(at_least, at_most):
    thresholds = np.r_[np.arange(at_least, min(at_most, 60) + 1), at_most]
    asked = []

    def enough(n):
        asked.append(n)
        return n >= thresholds

    found = least_size(enough, at_least=at_least, at_most=at_most)
    assert found.dtype == np.int64 and found.tolist() == thresholds.tolist()
    assert [least_size(lambda n: n >= t, at_least=at_least, at_most=at_most) for t in thresholds[:5]] == thresholds[:5].tolist()
    assert min(map(np.min, asked)) == at_least and max(map(np.max, asked)) <= at_most and len(asked) <= 2 * 62 + 2
    assert least_size(lambda n: np.array([[False], [True]]), at_least=at_least, at_most=at_most).tolist() == [
        [at_most + 1], [at_least]]


@pytest.mark.parametrize("limits", [dict(at_least=-1), dict(at_least=5, at_most=4), dict(at_most=2**62 + 1), dict(at_least=1.5)])
def test_least_size_names_a_wrong_limit(limits):
    with pytest.raises(ValueError, match="at_"):
        least_size(lambda n: True, **limits)


def test_least_size_takes_plain_truth_values():
    assert least_size(lambda n: bool(n >= 17)) == 17
    assert least_size(lambda n: [bool(n >= 17)]).tolist() == [17]
