"""Accounts of noisy steps beside those of others, and a small network trained with noisy steps.

    .venv-bench/bin/python benchmarks/noisy_gradients.py                   (accounts, and `noisy_sgd`; part of make bench)

    python -m venv .venv-torch
    .venv-torch/bin/pip install -r benchmarks/requirements-torch.txt       (1.2 GB)
    .venv-torch/bin/python benchmarks/noisy_gradients.py --network         (the same, and a network on scikit-learn's digits)

An account is a number that ε is not above; ours also has one that it is not below. Opacus draws its batches by coins, as our
theorem asks for; its sums are floats, so that the theorem is about its formula and not about its program.
"""

import logging
import os
import sys
import time
import warnings
from importlib.metadata import version
from importlib.util import find_spec

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

from dplib.accounting import PrivacyLoss, noisy_sgd_epsilon
from dplib.glm import LOGISTIC, Box, noisy_sgd

RUNS = [(4, .01, 10_000, 1e-5, 1e-5), (1.1, 256 / 60_000, 14_062, 1e-5, 2e-5), (.8, .01, 1000, 1e-6, 2e-5),
        (1, .001, 1000, 1e-6, 2e-5)]


def timed(act):
    """What it returns, and the least seconds of three times."""
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        result = act()
        best = min(best, time.perf_counter() - start)
    return result, best


def google(sigma, rate, iterations, delta, step, pessimistic=True):
    from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
    loss = from_gaussian_mechanism(sigma, pessimistic_estimate=pessimistic, value_discretization_interval=step, sampling_prob=rate)
    return loss.self_compose(iterations).get_epsilon_for_delta(delta)


def opacus(sigma, rate, iterations, delta, kind):
    from opacus.accountants import create_accountant
    account = create_accountant(kind)
    account.history = [(sigma, rate, iterations)]
    return account.get_epsilon(delta)


def from_above(sigma, rate, iterations, delta, step):
    one = dict(sigma=sigma, sensitivity=1, rate=rate, step=step)
    return max(PrivacyLoss.from_subsampled_gaussian(**one, order=order).compose(iterations).epsilon(delta) for order in ("remove", "add"))


def accounts():
    """The same four runs by everybody who is installed."""
    for sigma, rate, iterations, delta, step in RUNS:
        run = sigma, rate, iterations, delta
        print(f"σ = {sigma}, q = {rate:.5f}, T = {iterations:,}, δ = {delta:g}")
        ways = {f"ours, from both sides, step {step:g}": lambda: noisy_sgd_epsilon(
                    sigma=sigma, rate=rate, iterations=iterations, delta=delta, step=step),
                "ours, from above, step 1e-4": lambda: from_above(*run, 1e-4)}
        if find_spec("dp_accounting"):
            name = f"dp_accounting {version('dp-accounting')}"
            ways |= {f"{name}, from above, step 1e-4": lambda: google(*run, 1e-4),
                     f"{name}, from below, step 1e-4": lambda: google(*run, 1e-4, pessimistic=False),
                     f"{name}, from below, step {step:g}": lambda: google(*run, step, pessimistic=False)}
        if find_spec("opacus"):
            ways |= {f"Opacus {version('opacus')}, {kind}": lambda kind=kind: opacus(*run, kind) for kind in ("prv", "rdp", "gdp")}
        for who, way in ways.items():
            found, seconds = timed(way)
            print(f"  {who:46} {np.array2string(np.array(found), precision=6, floatmode='fixed'):24} {seconds:7.2f} s")


def steps_of_a_model(size=100_000):
    """`noisy_sgd`, and the same arithmetic in plain NumPy, with floats, real noise and products of matrices."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1., 1.], (size, 10))
    y = (rng.random(size) < 1 / (1 + np.exp(-X[:, 0]))).astype(float)
    given = dict(size=size, rate=.05, iterations=100)
    ours = lambda: noisy_sgd(X, y, domain=Box([(-1, 1)] * 10), loss=LOGISTIC, clip=2, epsilon=1, delta=1e-6, step=2, **given, rng=rng)

    def plain():
        design, theta = np.column_stack([np.ones(size), X]), np.zeros(11)
        for _ in range(given["iterations"]):
            kept = rng.random(size) < given["rate"]
            gradients = (1 / (1 + np.exp(-design[kept] @ theta)) - y[kept])[:, None] * design[kept]
            gradients *= np.minimum(1, 2 / np.linalg.norm(gradients, axis=1))[:, None]
            theta -= 2 / (given["rate"] * size) * (gradients.sum(axis=0) + 5 * rng.normal(size=11))
        return theta

    ours()                                                       # finds its σ, and remembers it
    print(f"100 steps on a twentieth of {size:,} records of 11 columns: noisy_sgd {timed(ours)[1]:.2f} s, "
          f"plain NumPy {timed(plain)[1]:.2f} s")


def network(sigma=1.5, passes=30, batch=64, clip=1.0, delta=1e-5):
    """A network with one hidden layer on 8 by 8 digits, trained by Opacus; its ε, ours, and what a loader that shuffles would have."""
    import torch
    from opacus import PrivacyEngine
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    from dplib.accounting import shuffled_batches_epsilon

    torch.manual_seed(1)
    torch.set_num_threads(1)
    X, y = load_digits(return_X_y=True)
    train, test, labels, answers = train_test_split(X / 16, y, test_size=.25, random_state=0)
    data = torch.utils.data.TensorDataset(torch.tensor(train, dtype=torch.float32), torch.tensor(labels))
    test, answers = torch.tensor(test, dtype=torch.float32), torch.tensor(answers)

    def trained(private):
        model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        loader, engine = torch.utils.data.DataLoader(data, batch_size=batch, shuffle=True), PrivacyEngine(accountant="prv")
        if private:
            model, optimizer, loader = engine.make_private(module=model, optimizer=optimizer, data_loader=loader,
                                                           noise_multiplier=sigma, max_grad_norm=clip)
        start = time.perf_counter()
        for _ in range(passes):
            for images, digits in loader:
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(model(images), digits).backward()
                optimizer.step()
        right = (model(test).argmax(1) == answers).float().mean().item()
        return right, engine, time.perf_counter() - start

    plain, _, seconds = trained(private=False)
    right, engine, slower = trained(private=True)
    [(_, rate, steps)] = engine.accountant.history
    least, most = noisy_sgd_epsilon(sigma=sigma, rate=rate, iterations=steps, delta=delta)
    print(f"digits, {len(train)} for training, {len(test)} to test: {plain:.1%} right without privacy ({seconds:.1f} s), {right:.1%} with "
          f"σ = {sigma}, clip {clip} ({slower:.1f} s)")
    print(f"{steps} steps, q = {rate:.4f}, δ = {delta:g}: Opacus says {engine.get_epsilon(delta):.4f}; ours is between {least:.4f} "
          f"and {most:.4f}")
    shuffled = shuffled_batches_epsilon(sigma=sigma, batches=round(1 / rate), passes=passes, delta=delta)
    print(f"with batches of shuffled data in place of drawn ones, ε would be at least {shuffled:.2f} (clipped gradients that all agree)")


if __name__ == "__main__":
    logging.disable(logging.WARNING)                             # of dp_accounting, which says how it computes from below
    warnings.filterwarnings("ignore")
    accounts()
    steps_of_a_model()
    if "--network" in sys.argv:
        network()
