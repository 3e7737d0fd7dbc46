"""One message a person, with its noise in it: what is sent when nobody is trusted to add it later.

Every function that draws is ε-DP (or (ε, δ)-DP) for each message by itself, whatever the others
hold or have sent: in the *local model*. If everybody sends one message, all of them together keep
the same promise under ``replace``. If somebody shuffles the messages before anybody reads them,
they keep a better one: `shuffled_epsilon`.

Symbols
-------
c = coth(ε/2)
    The size of a report ±c. Without privacy it would be 1; a report has c² - μ² for a variance.
B
    The length of the vectors that `l2_ball_randomizer` sends.
accuracy : τ
    The mean of a population, or a share of it, is to be found to within less than this.
χ_z(x) : (-1)^⟨z,x⟩
    -1 if z and x, written in binary digits, have an odd number of ones in common, else 1.
φ, b, L
    Strings of this share are to be found, in L levels of b bits.
ε₀, r, N
    What each message promises by itself; how often another person's message is as good as made from
    a fair coin between two records; and how many people, you among them, have such a message.
"""

from dplib.local.numbers import (
    local_randomized_response,
    local_laplace,
    local_mean_interval,
    local_mean_sample_size,
    local_mean_sample_size_lower_bound,
)
from dplib.local.vectors import l2_ball_randomizer, l2_ball_scale, local_gaussian
from dplib.local.cells import unary_reports, unary_shares, sign_reports, sign_shares
from dplib.local.prefixes import Prefixes, heavy_prefixes, prefix_sample_size
from dplib.local.shuffling import shuffled_delta, shuffled_epsilon

__all__ = [
    "local_randomized_response",
    "local_laplace",
    "local_mean_interval",
    "local_mean_sample_size",
    "local_mean_sample_size_lower_bound",
    "l2_ball_randomizer",
    "l2_ball_scale",
    "local_gaussian",
    "unary_reports",
    "unary_shares",
    "sign_reports",
    "sign_shares",
    "Prefixes",
    "heavy_prefixes",
    "prefix_sample_size",
    "shuffled_delta",
    "shuffled_epsilon",
]
