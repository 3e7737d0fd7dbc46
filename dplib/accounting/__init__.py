"""What several answers cost together, and what a group or a test can make of them."""

from dplib.accounting.composition import (
    compose_basic, compose_advanced, compose_optimal, amplify_by_subsampling, zcdp_epsilon,
    zcdp_rho, pure_zcdp)
from dplib.accounting.ledger import Ledger, Overdraft, Payment
from dplib.accounting.groups import group_privacy, binary_test_bound, largest_gap
from dplib.accounting.privacy_loss import PrivacyLoss
from dplib.accounting.trade_offs import (
    trade_off, gaussian_trade_off, promise_trade_off, blackwell_map, central_limit)
from dplib.accounting.noisy_steps import (
    noisy_sgd_epsilon, noisy_sgd_sigma, shuffled_batches_delta, shuffled_batches_epsilon)

__all__ = [
    "compose_basic",
    "compose_advanced",
    "compose_optimal",
    "amplify_by_subsampling",
    "zcdp_epsilon",
    "zcdp_rho",
    "pure_zcdp",
    "group_privacy",
    "binary_test_bound",
    "largest_gap",
    "PrivacyLoss",
    "trade_off",
    "gaussian_trade_off",
    "promise_trade_off",
    "blackwell_map",
    "central_limit",
    "noisy_sgd_epsilon",
    "noisy_sgd_sigma",
    "shuffled_batches_delta",
    "shuffled_batches_epsilon",
    "Ledger",
    "Overdraft",
    "Payment",
]
