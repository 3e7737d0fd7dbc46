"""Parities: found by a curator in private, out of reach of averages and of whispers."""

from dplib.parity.equations import (
    parity_pac_sample_size, parity_sample_size, parity_success_probability, private_parity)
from dplib.parity.scores import eliminate_parities, private_parity_by_scores, walsh_hadamard
from dplib.parity.reports import (
    learn_parity_locally, local_parity_sample_size, local_parity_success, parity_information,
    parity_sample_size_lower_bound)

__all__ = [
    "private_parity", "parity_success_probability", "parity_sample_size", "parity_pac_sample_size",
    "walsh_hadamard", "private_parity_by_scores", "eliminate_parities",
    "learn_parity_locally", "local_parity_success", "local_parity_sample_size",
    "parity_information", "parity_sample_size_lower_bound",
]
