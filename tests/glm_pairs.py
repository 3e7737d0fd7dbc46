"""Pairs of neighbouring data sets of a generalised linear model, random or of two towns, and a fit of them that is our own."""

import numpy as np

SIGNS = {1: np.array([[1.0]]), 2: np.array([[1.0, 1], [1, -1]])}  # corners of the cube [-1, 1]^d, up to their sign


def loss(kind, t, y):
    """h, h', h'' of every record: robust at t - y, logistic at ty."""
    if kind == "robust":
        p = np.tanh((t - y) / 2)
        return np.logaddexp(0, t - y) + np.logaddexp(0, y - t), p, (1 - p**2) / 2
    p = -y / (1 + np.exp(np.clip(y * t, -500, 500)))
    return np.logaddexp(0, -y * t), p, np.abs(p) * (1 - np.abs(p))


def objective(kind, x, y, theta):
    value, p, w = loss(kind, x @ theta, y)
    return value.sum(), x.T @ p, x.T @ (x * w[:, None])


def fit(kind, x, y):
    """θ and H at the minimiser, or None where there is none or it is hard to find."""
    theta = np.zeros(x.shape[1])
    value, g, H = objective(kind, x, y, theta)
    for _ in range(80):
        if np.abs(g).max() < 1e-11 * len(x):
            return theta, H
        step = -np.linalg.solve(H + 1e-13 * np.eye(len(g)), g)
        step *= min(1, 3 / np.abs(step).max())
        for _ in range(30):
            new = objective(kind, x, y, theta + step)
            if new[0] <= value + 1e-4 * g @ step + 1e-12 * len(x):
                break
            step = step / 2
        theta, (value, g, H) = theta + step, new
    return (theta, H) if np.abs(g).max() < 1e-9 else None


def width(z):
    return np.abs(z).sum()


def corner(H):
    """ν on the cube."""
    signs = SIGNS[len(H)]
    return 1 / np.einsum("ci,ij,cj->c", signs, np.linalg.inv(H), signs).max()


def random_data(kind, d, rng):
    n = int(rng.integers(4, 40)) * 2 ** int(rng.integers(0, 4))
    x = rng.uniform(-1, 1, (n + 1, d)) if rng.random() < .5 else rng.choice([-1.0, 1], (n + 1, d))
    theta = rng.normal(size=d) * rng.exponential(1)
    y = x @ theta + rng.standard_t(2, n + 1) * rng.exponential(2)
    if kind == "logistic":
        y = np.where(rng.random(n + 1) < 1 / (1 + np.exp(-x @ theta)), 1.0, -1.0)
    else:
        y[[0, -1]] = rng.choice([-1, 1], 2) * 50.0 if rng.random() < .7 else y[[0, -1]]
    return x, y


def two_towns(lead=4, far=40.0, people=1000):
    """Everybody at 0 or at -far, the former a few more; one of them moves over."""
    here = people // 2 + lead // 2
    y = np.r_[0.0, np.zeros(here - 1), np.full(people - here, -far), -far]
    return np.ones((people + 1, 1)), y
