"""The statements of the page on a mean of vectors, weighted by friends."""

from dataclasses import replace

import numpy as np
from scipy.special import chdtri, ndtr

from dplib.audit import hockey_stick
from dplib.friendly import friend_counts, friendly_mean, friendly_plan, friendly_radius, friendly_tuples, friendly_weights
from tests.chance import FAR, standard_errors
from tests.claims import claim, page_function, to

climb = page_function("friendly-mean", "climb")


def filtered(weight=lambda c, n: np.clip((2 * c - n - 1) / (n - 1), 0, 1)):
    """Weights from counts, with room for another formula."""
    return lambda x, *, radius: weight(friend_counts(x, radius=radius), x.shape[-2])


def mean_of(weights, x):
    """The weighted mean of points on a line, their total weight, and 0 if there is none."""
    w = weights(x[..., None], radius=1)
    total = w.sum(axis=-1)
    return (w * x).sum(axis=-1) / np.where(total > 0, total, 1), total


def neighbours(draws, n, runs):
    """Data sets on a line with r = 1, and what becomes of them when one record goes somewhere else."""
    spread = draws.choice([.1, .3, .6, 1], size=(runs, 1))
    x = np.where(draws.random((runs, 1)) < .5, spread * draws.normal(size=(runs, n)), draws.choice([-1, -.5, 0, .5, 1], size=(runs, n)))
    x[draws.random(runs) < .3, :n // 3] += 1.2
    y = x.copy()
    y[:, 0] = draws.choice([-1.5, -1, 0, 1, 1.5, 1e3], size=runs)
    return x, y


def two_camps():
    """As many on the left as on the right, and one who walks across; and a camp of n - 1 whose last friend leaves."""
    for n in (3, 41, 200):
        camps = np.repeat([0., 1e3], n // 2 + 1)[:n]
        camps[-1] = 1e3
        camps[:n // 2] = 0
        for walker in (0., 1e3):
            x = camps.copy()
            x[n // 2] = walker
            y = camps.copy()
            y[n // 2] = 1e3 - walker
            yield x[None], y[None]
    for n in (50, 200):                # 0, 1 and 2: the ones are friends of all, and so are the zeros if the two goes
        x = np.r_[2., np.repeat([0., 1.], [n // 2, n - n // 2 - 1])]
        y = x.copy()
        y[0] = 1
        yield x[None], y[None]


@claim("lem-friendly-distance", filtered(),
       mutants={"keep or drop": filtered(lambda c, n: (c > n / 2).astype(float)),
                "the usual weights, without the shift": filtered(lambda c, n: np.clip((c - n / 2) / (n / 2), 0, 1)),
                "the printed weight": filtered(lambda c, n: np.where(c == n, 1, np.clip((c - n / 2) / n, 0, 1))),
                "all weigh 1": filtered(lambda c, n: np.ones(c.shape))})
def test_two_means(weights):
    """Compare the weighted means of 60,000 random neighbours on a line, of records that walk from one camp to another, and of the
    worst that 800 climbers find, with the bound.
    """
    draws, worst = np.random.default_rng(1), 0.
    pairs = [neighbours(draws, n, 10_000) for n in (3, 4, 5, 8, 13, 30)] + list(two_camps())
    for x, y in pairs:
        (m, W), (other, V) = (mean_of(weights, data) for data in (x, y))
        both = (W > 0) & (V > 0)
        moved = np.where(both, np.abs(m - other) * np.maximum(W, V), 0)
        assert moved.max() <= 6 + 1e-9, moved.max()
        worst = max(worst, moved.max())
    found = max(climb(n, np.random.default_rng(n)) for n in (5, 9))
    assert found <= 6
    return f"at most {max(worst, found):.2f} r / max(W, W'), of 6"


def planned(scale=1., margin=True, test=True, noise=1.):
    """friendly_plan, with room for mistakes in the test and in the noise."""
    def plan(**given):
        right = friendly_plan(**given)
        width = right.scale * scale
        return replace(right, scale=width, passes_above=(right.floor - width * np.log(2 * given["delta"]) if margin else right.floor)
                       if test else -1e9, sigma=right.sigma * noise)
    return plan


GRID = np.unique(np.r_[np.linspace(-.3, .3, 401), np.linspace(-12, 12, 801), np.linspace(-2e3, 2e3, 201)])


def output(plan, weights, x):
    """The distribution of the answer on a line with r = 1: its mass in the cells of a grid, and that of the refusal."""
    mean, total = mean_of(weights, x)
    shown = np.where(total > 0, plan.pass_probability(total), 0)
    ends = np.r_[-np.inf, GRID, np.inf]
    cells = np.maximum(np.diff(ndtr((ends - mean[..., None]) / plan.sigma), axis=-1), 0)
    return np.concatenate([shown[..., None] * cells, 1 - shown[..., None]], axis=-1)


def worlds():
    """(n, strangers): a cloud from which one more leaves, at every size, and random neighbours."""
    draws = np.random.default_rng(3)
    for n, strangers in [(101, 0), (101, 34), (60, 0)]:
        left = np.arange(0, n - 1)
        x = np.where(np.arange(n) >= left[:, None], 0., 10.)
        y = np.where(np.arange(n) > left[:, None], 0., 10.)
        yield n, strangers, x, y
        yield n, strangers, *neighbours(draws, n, 60)
        yield n, strangers, np.eye(1, n), -np.eye(1, n)          # one record goes from one end of its friends to the other


@claim("thm-friendly-mean", friendly_plan, filtered(),
       mutants={"a test with the noise for a sensitivity of 2": (planned(scale=2 / 3), filtered()),
                "a test without its margin": (planned(margin=False), filtered()),
                "no test": (planned(test=False), filtered()),
                "a tenth of the noise": (planned(noise=.1), filtered()),
                "keep or drop": (friendly_plan, filtered(lambda c, n: (c > n / 2).astype(float))),
                "all weigh 1": (friendly_plan, filtered(lambda c, n: np.ones(c.shape)))})
def test_exact_delta(plan, weights):
    """Compute the output distribution of the mechanism on a line, and with it the exact delta, in both orders, of neighbours: a
    cloud that one more person leaves, at every size, and random ones. None may exceed what is promised.
    """
    worst, pairs = 0., 0
    for n, strangers, x, y in worlds():
        for split in (.5, .9):
            given = dict(epsilon=4, delta=1e-3)
            made = plan(size=n, radius=1, **given, strangers=strangers, split=split)
            assert made.floor > 3
            delta = hockey_stick(output(made, weights, x), output(made, weights, y), epsilon=4)
            worst, pairs = max(worst, delta.max()), pairs + len(delta)
            assert delta.max() <= 1e-3 * (1 + 1e-9), (n, strangers, split, delta.max())
    return f"at most {worst / 1e-3:.3f} of the promised delta, on {pairs} pairs of neighbours"


def steps_of_the_proof(n, deficit):
    """The last line of the proof, in units of r / W."""
    return 3 + 3 * (deficit + 1) / n + deficit / (n - 1)


def kappa_of(constant=None):
    return lambda **given: friendly_plan(**given) if constant is None else replace(friendly_plan(**given), kappa=constant)


@claim("prop-closer-kappa", friendly_plan, filtered(),
       mutants={"a constant of 3 for all floors": (kappa_of(3.), filtered()),
                "a constant of 2": (kappa_of(2.), filtered()),
                "a constant of 6 for all floors": (kappa_of(6.), filtered()),
                "keep or drop": (friendly_plan, filtered(lambda c, n: (c > n / 2).astype(float)))})
def test_closer_constant(plan, weights):
    """Compare the constant with the last line of the proof for many floors, where it has to be at least as large and within
    0.1 for 500 records or more, and 40,000 neighbours on a line with that line.
    """
    for n, strangers in [(300, 0), (500, 20), (1000, 100), (4000, 0), (4000, 600)]:
        made = plan(size=n, radius=1, epsilon=2, delta=1e-6, strangers=strangers)
        deficit = n - made.floor + 3
        assert deficit <= (n - 1) / 2
        least = steps_of_the_proof(n, deficit)
        assert least <= made.kappa + 1e-12 and (n < 500 or made.kappa <= least + .1)
    draws, worst, cases = np.random.default_rng(7), 0., 0
    for n in (5, 9, 20, 40):
        x, y = neighbours(draws, n, 10_000)
        (m, W), (other, V) = (mean_of(weights, data) for data in (x, y))
        deficit = n - np.minimum(W, V)
        close = deficit <= (n - 1) / 2
        ratio = np.abs(m - other) * np.maximum(W, V) / steps_of_the_proof(n, deficit)
        worst, cases = max(worst, ratio[close].max()), cases + close.sum()
    (m, W), (other, V) = (mean_of(weights, data) for data in next(pair for pair in two_camps() if pair[0].shape[1] == 41))
    assert np.all((np.minimum(W, V) < 21) | (np.abs(m - other) * W <= steps_of_the_proof(41, 41 - V)))
    assert worst <= 1 + 1e-9 and cases > 1000
    return f"at most {worst:.2f} of the bound, for {cases:,} neighbours"


@claim("thm-friendly-normal", friendly_radius, friendly_plan,
       mutants={"the distance of one record from the mean": (lambda *, size, dimension: friendly_radius(size=size, dimension=dimension)
                                                             / np.sqrt(2), friendly_plan),
                "a pair is missed twice as often": (lambda *, size, dimension: np.sqrt(2 * chdtri(dimension, 2 / size)), friendly_plan),
                "no room for a missing weight": (friendly_radius, lambda **given: replace(
                    friendly_plan(**given), passes_above=friendly_plan(**given).passes_above + 4)),
                "passes twice too seldom": (friendly_radius, lambda **given: friendly_plan(**given, beta=.2))})
def test_normal_records(radius, plan):
    """Average the missing weight of 1200 normal data sets: at most 2, and near it. Compute how often a weight of n - 4 passes. Compare
    weighted and plain means with the bound.
    """
    draws, n, d, runs = np.random.default_rng(9), 150, 3, 1200
    r = float(radius(size=n, dimension=d))
    assert abs(standard_errors((np.square(draws.normal(size=(100_000, d)) - draws.normal(size=(100_000, d))).sum(-1) > r * r).sum(),
                               100_000, 1 / n)) < FAR
    x = draws.normal(size=(runs, n, d))
    weights = friendly_weights(x, radius=r)
    missing = n - weights.sum(axis=-1)
    error = missing.std() / np.sqrt(runs)
    assert 1.8 < missing.mean() < 2 + FAR * error
    for size in (500, 4000):
        made = plan(size=size, radius=1, epsilon=1, delta=1e-6)
        assert abs(made.pass_probability(size - 4) - .95) < 1e-9
    few = missing <= 4
    plain = x.mean(axis=1)
    mean = np.einsum("rn,rnd->rd", weights, x) / weights.sum(axis=-1, keepdims=True)
    furthest = np.linalg.norm(x - plain[:, None], axis=-1).max(axis=-1)
    ratio = np.linalg.norm(mean - plain, axis=-1)[few] / furthest[few] * (n - 4) / 4
    assert few.mean() > .9 and ratio.max() <= 1
    return f"a missing weight of {missing.mean():.2f} on average; the weighted mean moved by at most {ratio.max():.2f} of the bound"


def tuples_mean(align=True, noise=1., sort=True):
    """The mean of tuples, one data set at a time, with room for mistakes."""
    def release(x, *, radius, epsilon, delta, strangers=0, rng):
        n, m, d = x.shape
        shown = friendly_plan(size=n, radius=np.sqrt(m) * radius * noise, epsilon=epsilon, delta=delta, strangers=strangers)
        near = np.linalg.norm(x[:, None, :, None] - x[None, :, None], axis=-1)
        gaps = np.linalg.norm(x[:, :, None] - x[:, None], axis=-1)[:, *np.triu_indices(m, 1)]
        separate = (gaps > 8 * radius).all(axis=-1)
        friends = (near <= radius).any(axis=-1).all(axis=-1) & separate & separate[:, None]
        weights = np.clip((2 * friends.sum(axis=-1) - n - 1) / (n - 1), 0, 1)
        first = x[weights.argmax()]
        order = np.linalg.norm(first[:, None] - x[:, None], axis=-1).argmin(axis=-1)
        ordered = np.take_along_axis(x, order[..., None], axis=1) if align else x
        mean = np.einsum("n,nmd->md", weights, ordered) / weights.sum() + shown.sigma * rng.normal(size=(m, d))
        return mean[np.argsort(mean[:, 0])] if sort else mean
    return release


@claim("cor-friendly-tuples", friendly_tuples,
       mutants={"points in the order in which they come": tuples_mean(align=False),
                "the radius of one point": tuples_mean(noise=1 / np.sqrt(3)),
                "points in the order of a record": tuples_mean(sort=False)})
def test_tuples(release):
    """With next to no noise, shuffle the points in every tuple: the released set is the same. Replace one tuple: the set moves by less
    than the sensitivity. And compare the noise of 250 releases with that of vectors of radius √m ρ.
    """
    draws, centres = np.random.default_rng(11), np.array([[-9., 3], [0, 0], [8, -5]])
    quiet = dict(radius=.5, epsilon=3000., delta=1e-3)
    worst = 0.
    for trial in range(40):
        x = centres + .1 * draws.normal(size=(60, 3, 2))
        y = x.copy()
        y[0] = [centres + .4, 50 + centres, np.zeros((3, 2)), centres[::-1] - .4][trial % 4]
        shuffled = np.array([draws.permutation(row) for row in x])
        here, again, there = (release(data, **quiet, rng=np.random.default_rng(trial)) for data in (x, shuffled, y))
        plan = friendly_plan(size=60, radius=np.sqrt(3) * .5, epsilon=3000., delta=1e-3)
        assert np.abs(here - again).max() < 10 * plan.sigma          # the noise is in another order
        moved = np.linalg.norm(here - there) / (plan.kappa * np.sqrt(3) * .5 / plan.floor)
        worst = max(worst, moved)
    assert worst < 1
    x = np.broadcast_to(centres, (100, 3, 2))
    given = dict(radius=.5, epsilon=4., delta=1e-6)
    sigma = friendly_plan(size=100, **given | dict(radius=np.sqrt(3) * .5)).sigma
    noise = np.array([release(x, **given, rng=draws) for _ in range(250)]) - centres
    squares = np.square(noise[~np.isnan(noise).any(axis=(1, 2))] / sigma)
    assert abs(squares.mean() - 1) < FAR * np.sqrt(2 / squares.size)
    return f"one tuple moved the set by {worst:.2f} of the sensitivity at most; the noise is right {to(abs(squares.mean() - 1))}"


def test_the_mechanism_is_the_one_whose_distribution_is_computed():
    """friendly_mean refuses, and answers, as often and as far off as the plan says."""
    x = np.r_[np.zeros(95), 10. * np.ones(6)]
    given = dict(size=101, radius=1, epsilon=4, delta=1e-3, strangers=5)
    plan = friendly_plan(**given)
    answers = friendly_mean(np.broadcast_to(x[:, None], (4000, 101, 1)), radius=1, epsilon=4, delta=1e-3, strangers=5,
                            runs=True, rng=np.random.default_rng(13))[:, 0]
    mean, total = mean_of(filtered(), x)
    shown = ~np.isnan(answers)
    assert abs(standard_errors(shown.sum(), 4000, float(plan.pass_probability(total)))) < FAR
    assert abs(np.square((answers[shown] - mean) / plan.sigma).mean() - 1) < FAR * np.sqrt(2 / shown.sum())
