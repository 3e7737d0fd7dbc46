"""Statistical queries: averages, each a little wrong, and what can be learned from them."""

from dplib.queries.oracles import (
    SQOracle,
    exact_oracle,
    adversarial_oracle,
    sample_oracle,
    central_oracle,
    alarm_oracle,
    fresh_oracle,
    local_oracle,
)
from dplib.queries.sizes import central_oracle_size, fresh_oracle_size, local_oracle_size
from dplib.queries.conjunctions import learn_conjunction
from dplib.queries.simulation import (
    local_simulation_plan,
    simulate_local_protocol,
    simulated_report_probabilities,
)

__all__ = [
    "SQOracle",
    "exact_oracle",
    "adversarial_oracle",
    "sample_oracle",
    "central_oracle",
    "alarm_oracle",
    "fresh_oracle",
    "local_oracle",
    "central_oracle_size",
    "fresh_oracle_size",
    "local_oracle_size",
    "learn_conjunction",
    "local_simulation_plan",
    "simulate_local_protocol",
    "simulated_report_probabilities",
]
