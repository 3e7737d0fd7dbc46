"""The statements of the page on privacy."""

import itertools
import math

import numpy as np

from dplib.accounting import binary_test_bound, group_privacy, largest_gap
from dplib.audit import hockey_stick, max_log_ratio, noise_distribution_test
from dplib.mechanisms import discrete_laplace, laplace, laplace_max_quantile, randomized_response
from tests.chance import laplace_cdf
from tests.claims import claim, page_function, to
from tests.claims.coins import noisy_count

EPSILONS = (.05, .5, 1., 3.)
after, lottery, somebody = (page_function("privacy", name) for name in ("after", "lottery", "somebody"))


def events(p):
    """The probabilities under p of all events."""
    subsets = np.array(list(itertools.product([0, 1], repeat=p.shape[-1])))
    return subsets @ p


# --- what the two numbers mean ---------------------------------------------------------------------------------------------

@claim("prop-odds", after,
       mutants={"the probability and not the odds": lambda before, epsilon: np.minimum(np.exp(epsilon) * before, 1),
                "1 + epsilon in place of its exponential":
                    lambda before, epsilon: (1 + epsilon) * before / (1 - before + (1 + epsilon) * before),
                "twice epsilon": lambda before, epsilon: after(before, 2 * epsilon)})
def test_odds(after):
    """Apply Bayes' rule to every output of a clamped geometric count, in both directions, and attain both bounds with
    randomised response.
    """
    before, above, missed = np.linspace(.01, .99, 99)[:, np.newaxis], -np.inf, 0
    for epsilon in EPSILONS:
        heads = 1 / (1 + math.exp(-epsilon))
        private = np.array([noisy_count(c, epsilon, 8) for c in (3, 4)])
        coin = np.array([heads, 1 - heads])
        for p, q, attains in ((*private, False), (*private[::-1], False), (coin, coin[::-1], True)):
            believed = before * p / (before * p + (1 - before) * q)
            most, least = after(before, epsilon), 1 - after(1 - before, epsilon)
            above = max(above, (believed - most).max(), (least - believed).max())
            if attains:
                missed = max(missed, np.abs(believed.max(axis=1, keepdims=True) - most).max(),
                             np.abs(believed.min(axis=1, keepdims=True) - least).max())
    assert above <= 1e-12 and missed <= 1e-12
    return f"no output above or below the bounds; randomised response meets them {to(missed)}"


def all_together(records, delta):
    """Everybody is published, or nobody."""
    return {tuple(records): delta, (None,) * len(records): 1 - delta}


def one_drawn(records, delta):
    """One record is drawn, and published with probability delta."""
    n = len(records)
    shown = [(None,) * i + (records[i],) + (None,) * (n - 1 - i) for i in range(n)]
    return {(None,) * n: 1 - delta} | dict.fromkeys(shown, delta / n)


@claim("prop-lottery", lottery, somebody,
       mutants={"everybody or nobody": (all_together, somebody), "one record drawn": (one_drawn, somebody),
                "twice the probability": (lambda records, delta: lottery(records, 2 * delta), somebody),
                "n delta": (lottery, lambda n, delta: min(1, n * delta))})
def test_lottery(lottery, somebody):
    """Enumerate all outputs for one to four records of two kinds: their exact delta for every pair of neighbours and five
    values of epsilon, and how often anything is published.
    """
    worst = 0
    for n, delta in itertools.product((1, 2, 3, 4), (.001, .1, .4)):
        sets = list(itertools.product("ab", repeat=n))
        for x, y in itertools.product(sets, sets):
            if sum(a != b for a, b in zip(x, y)) == 1:
                p, q = lottery(x, delta), lottery(y, delta)
                outputs = [*p, *(o for o in q if o not in p)]
                p, q = (np.array([law.get(o, 0.) for o in outputs]) for law in (p, q))
                worst = max(worst, *(abs(float(hockey_stick(p, q, epsilon=e)) - delta) for e in (0., *EPSILONS)))
        law = lottery(sets[0], delta)
        worst = max(worst, abs(somebody(n, delta) - (1 - law[(None,) * n])))
    assert worst <= 1e-12
    return f"exactly delta for every epsilon, {to(worst)}"


# --- what a test can do ----------------------------------------------------------------------------------------------------

@claim("thm-binary-tests", binary_test_bound,
       mutants={"only the first branch": lambda v, *, epsilon: np.minimum(1, np.exp(epsilon) * v),
                "only the second branch": lambda v, *, epsilon: 1 - np.exp(-epsilon) * (1 - v),
                "1 + epsilon in place of its exponential":
                    lambda v, *, epsilon: np.minimum((1 + epsilon) * v, 1 - (1 - v) / (1 + epsilon))})
def test_tests_of_private_mechanisms(bound):
    """Try all 512 events of a clamped geometric count against the bound, and attain it with randomised response."""
    slack = attained = 0
    for epsilon in EPSILONS:
        p, q = (noisy_count(c, epsilon, 8) for c in (3, 4))
        above = events(q) - bound(events(p), epsilon=epsilon)
        slack = max(slack, above.max())
        heads = 1 / (1 + math.exp(-epsilon))
        v = np.linspace(0, 1, 101)
        best = np.where(v <= 1 - heads, v * heads / (1 - heads), heads + (1 - heads) * (v - 1 + heads) / heads)
        attained = max(attained, np.abs(best - bound(v, epsilon=epsilon)).max())
    assert slack <= 1e-12 and attained <= 1e-12
    return f"no event above the bound; randomised response meets it {to(attained)}"


def one_order(p, q, *, epsilon):
    return np.maximum(p - math.exp(epsilon) * q, 0).sum()


@claim("thm-hockey-stick", hockey_stick,
       mutants={"one order of the neighbours only": one_order,
                "total variation, whatever epsilon": lambda p, q, *, epsilon: np.maximum(p - q, 0).sum(),
                "the positive part forgotten":
                    lambda p, q, *, epsilon: max((p - math.exp(epsilon) * q).sum(), (q - math.exp(epsilon) * p).sum())})
def test_best_event(divergence):
    """Compare with the best of all 4096 events of random distributions on 12 outputs, in both orders of the neighbours.
    """
    rng, worst = np.random.default_rng(1), 0
    for epsilon in EPSILONS:
        for p, q in rng.dirichlet(np.full(12, .3), (5, 2)):
            best = max(max(events(a) - math.exp(epsilon) * events(b)) for a, b in ((p, q), (q, p)))
            worst = max(worst, abs(float(divergence(p, q, epsilon=epsilon)) - best))
    assert worst <= 1e-12
    return f"divergence and best event agree {to(worst)} over {5 * len(EPSILONS)} pairs of distributions"


def fixed_kernel(rng, outputs, secret):
    return rng.dirichlet(np.ones(outputs), outputs)


def kernel_that_looks(rng, outputs, secret):
    return np.roll(np.eye(outputs), secret, axis=1)


@claim("thm-post-processing", fixed_kernel, mutants={"post-processing that looks at the data again": kernel_that_looks})
def test_processed_afterwards(kernel):
    """Send random pairs of distributions through random channels and watch the exact delta, at four values of epsilon.
    """
    rng, growth = np.random.default_rng(2), -np.inf
    for _ in range(200):
        p, q = rng.dirichlet(np.full(6, .5), 2)
        seed = rng.integers(1 << 32)
        after = [law @ kernel(np.random.default_rng(seed), 6, secret) for secret, law in enumerate((p, q))]
        for epsilon in EPSILONS:
            growth = max(growth, float(hockey_stick(*after, epsilon=epsilon) - hockey_stick(p, q, epsilon=epsilon)))
    assert growth <= 1e-12
    return "delta never grew in 800 cases"


# --- sensitivities ---------------------------------------------------------------------------------------------------------

def sensitivity_table(low, high, n):
    """The statement, as numbers: {(what, relation): sensitivity}."""
    return {("count", "replace"): 1, ("count", "add_remove"): 1, ("histogram", "replace"): 2, ("histogram", "add_remove"): 1,
            ("histogram in l2", "replace"): math.sqrt(2), ("histogram in l2", "add_remove"): 1,
            ("sum", "replace"): high - low, ("sum", "add_remove"): max(abs(low), abs(high)), ("mean", "replace"): (high - low) / n}


def without_swap(low, high, n):
    return sensitivity_table(low, high, n) | {("histogram", "replace"): 1}


def one_record_weighs(low, high, n):
    return sensitivity_table(low, high, n) | {("mean", "replace"): 1 / n}


@claim("prop-sensitivities", sensitivity_table,
       mutants={"the swap factor 2 of a histogram forgotten": without_swap, "a mean of answers in [-1, 1] moves by 1/n": one_record_weighs})
def test_sensitivities_by_enumeration(table):
    """Enumerate all data sets of at most four records from -1, 0, 1, and all their neighbours, in both relations."""
    values, n = (-1, 0, 1), 4
    answers = {"count": lambda x: np.array([x.count(1)]), "histogram": lambda x: np.array([x.count(v) for v in values]),
               "sum": lambda x: np.array([sum(x)]), "mean": lambda x: np.array([sum(x) / len(x)])}
    moved = {}
    for x in itertools.product(values, repeat=n):
        for i in range(n):
            pairs = [("replace", (*x[:i], v, *x[i + 1:])) for v in values] + [("add_remove", (*x[:i], *x[i + 1:]))]
            for relation, y in pairs:
                for what, f in answers.items():
                    step = f(x) - f(y)
                    moved[what, relation] = max(moved.get((what, relation), 0), np.abs(step).sum())
                    if what == "histogram":
                        moved["histogram in l2", relation] = max(moved.get(("histogram in l2", relation), 0), np.linalg.norm(step))
    stated = table(-1, 1, n)
    wrong = [key for key in stated if abs(stated[key] - moved[key]) > 1e-12]
    assert not wrong, wrong
    return f"all {len(stated)} entries attained and none exceeded, over 81 data sets"


# --- Laplace ---------------------------------------------------------------------------------------------------------------

def with_noise(change=lambda b, shape, rng: rng.laplace(0, b, shape)):
    return lambda value, *, sensitivity, epsilon, rng: value + change(sensitivity / epsilon, np.shape(value), rng)


@claim("thm-laplace", laplace,
       mutants={"half the noise": with_noise(lambda b, shape, rng: rng.laplace(0, b / 2, shape)),
                "5% too little noise": with_noise(lambda b, shape, rng: rng.laplace(0, .95 * b, shape)),
                "scale epsilon over sensitivity": with_noise(lambda b, shape, rng: rng.laplace(0, 1 / b, shape)),
                "one draw for all coordinates":
                    with_noise(lambda b, shape, rng: np.broadcast_to(rng.laplace(0, b, shape[:1] + (1,)), shape)),
                "one-sided noise": with_noise(lambda b, shape, rng: rng.exponential(b, shape))})
def test_laplace_noise(laplace):
    """Test the distribution of 100 000 draws (a change of scale by 5% is missed less than once in 10^9), their
    independence, and compute the ratio exactly.
    """
    rng, sensitivity, epsilon = np.random.default_rng(3), 3., .7
    b = sensitivity / epsilon
    noise = laplace(np.full((50_000, 2), 10.), sensitivity=sensitivity, epsilon=epsilon, rng=rng) - 10
    result = noise_distribution_test(noise.ravel() / b, laplace_cdf)
    together = np.mean(np.sign(noise[:, 0]) == np.sign(noise[:, 1]))
    assert result.pvalue > 1e-9, result
    # For Lap(b) the mean of |z|/b is 1 with standard deviation 1/sqrt(10^5): 5% is sixteen of them.
    assert abs(np.abs(noise).mean() / b - 1) < 6 / math.sqrt(noise.size)
    assert abs(together - .5) < 6 * .5 / math.sqrt(len(noise))
    y = np.linspace(-50, 50, 10_001)
    ratio = np.max((np.abs(y - sensitivity) - np.abs(y)) / b)
    assert ratio <= epsilon + 1e-12
    return (f"p = {result.pvalue:.2f} for the distribution, mean |noise| {np.abs(noise).mean() / b:.4f} scales; "
            f"log-ratio of densities at most {ratio / epsilon:.6f} epsilon")


def integer_noise(ratio=lambda sensitivity, epsilon: math.exp(-epsilon / sensitivity)):
    def release(value, *, sensitivity, epsilon, rng):
        stop = 1 - ratio(sensitivity, epsilon)
        return value + rng.geometric(stop, np.shape(value)) - rng.geometric(stop, np.shape(value))
    return release


@claim("thm-discrete-laplace", discrete_laplace,
       mutants={"half the noise": integer_noise(lambda sensitivity, epsilon: math.exp(-2 * epsilon / sensitivity)),
                "sensitivity forgotten": integer_noise(lambda sensitivity, epsilon: math.exp(-epsilon)),
                "Laplace noise, rounded": lambda value, *, sensitivity, epsilon, rng:
                    value + np.rint(rng.laplace(0, sensitivity / epsilon, value.shape)).astype(int)})
def test_integer_noise(discrete_laplace):
    """Count 400 000 draws cell by cell (5% too little noise is missed less than once in 10^9), then compute ratio, tail
    and variance exactly.
    """
    sensitivity, epsilon, n = 2, 1.4, 400_000
    q = math.exp(-epsilon / sensitivity)
    noise = np.asarray(discrete_laplace(np.full(n, 7), sensitivity=sensitivity, epsilon=epsilon, rng=np.random.default_rng(5))) - 7
    m = np.arange(-200, 201)
    law = (1 - q) / (1 + q) * q ** np.abs(m)
    cells = np.abs(m) <= 8
    counts = np.bincount(np.clip(noise, -200, 200) + 200, minlength=401)[cells]
    z = np.abs(counts / n - law[cells]) / np.sqrt(law[cells] * (1 - law[cells]) / n)
    assert z.max() < 6.5
    assert abs(law[np.abs(m) >= 3].sum() - 2 * q**3 / (1 + q)) < 1e-12 and abs((m**2 * law).sum() - 2 * q / (1 - q) ** 2) < 1e-9
    loss = float(max_log_ratio(law[sensitivity:] / law[sensitivity:].sum(), law[:-sensitivity] / law[:-sensitivity].sum()))
    assert abs(loss - epsilon) < 1e-9
    return f"17 cells within {z.max():.1f} standard errors; log-ratio at distance {sensitivity} is {loss / epsilon:.9f} epsilon"


def union_bound(*, count, beta, sensitivity, epsilon):
    return sensitivity / epsilon * np.log(count / beta)


def one_sided(*, count, beta, sensitivity, epsilon):
    return -sensitivity / epsilon * np.log(2 * (1 - (1 - beta) ** (1 / count)))


@claim("prop-laplace-error", laplace_max_quantile,
       mutants={"the union bound": union_bound, "one tail instead of two": one_sided})
def test_largest_error(quantile):
    """Put the quantile back into the exact distribution function of the largest of k errors."""
    worst = 0
    for count, beta in itertools.product((1, 2, 10, 10**6), (.5, .05, 1e-6)):
        t = float(quantile(count=count, beta=beta, sensitivity=1, epsilon=.5))
        assert t > 0
        worst = max(worst, abs(-math.expm1(count * math.log1p(-math.exp(-t / 2))) / beta - 1))
        assert t < 2 * math.log(count / beta) + 1e-12 or count == 1
    assert worst <= 1e-8
    return f"failure probability right {to(worst)} at 12 settings"


# --- randomised response -----------------------------------------------------------------------------------------------------

def truth_probability(rule=lambda epsilon, k: math.exp(epsilon) / (math.exp(epsilon) + k - 1)):
    def answer(labels, *, epsilon, rng, categories=2):
        p = rule(epsilon, categories)
        lie = (labels + rng.integers(1, categories, labels.shape)) % categories
        return np.where(rng.random(labels.shape) < p, labels, lie)
    return answer


@claim("thm-randomized-response", randomized_response,
       mutants={"truth probability (1 + epsilon)/2": truth_probability(lambda epsilon, k: (1 + epsilon) / 2),
                "any answer instead of another one":
                    truth_probability(lambda epsilon, k: (math.exp(epsilon) + 1 / 2) / (math.exp(epsilon) + k - 1)),
                "the coin of k = 2 for all k": truth_probability(lambda epsilon, k: 1 / (1 + math.exp(-epsilon)))})
def test_truthful_share(randomized_response):
    """Count 300 000 reports for each of k = 2 and k = 5 (1% off in the truth probability is missed less than once in
    10^9), then compute the ratio, bias and variance.
    """
    rng, n, epsilon, far = np.random.default_rng(4), 300_000, .6, 0
    for k in (2, 5):
        p = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
        q = (1 - p) / (k - 1)
        assert abs(math.log(p / q) - epsilon) < 1e-12
        reports = np.asarray(randomized_response(np.ones(n, dtype=int), categories=k, epsilon=epsilon, rng=rng))
        shares = np.bincount(reports, minlength=k) / n
        law = np.full(k, q)
        law[1] = p
        z = np.abs(shares - law) / np.sqrt(law * (1 - law) / n)
        far = max(far, z.max())
        assert far < 6.5 and len(shares) == k
        f = .3                                                       # unbiased: the expected share of reports, put into the estimate
        assert abs(((f * p + (1 - f) * q) - q) / (p - q) - f) < 1e-12
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    estimates = (rng.binomial(300, p, 40_000) + rng.binomial(700, 1 - p, 40_000)) / 1000
    variance = ((estimates - (1 - p)) / (2 * p - 1)).var() / (p * (1 - p) / 1000 / (2 * p - 1) ** 2)
    assert abs(variance - 1) < 6 * math.sqrt(2 / 40_000)
    return f"shares of reports within {far:.1f} standard errors; variance {variance:.3f} of the formula"


# --- groups --------------------------------------------------------------------------------------------------------------------

def chain(epsilon, delta, length):
    """The chances of one event along a path of neighbours when each step takes all that the definition allows."""
    chances = [0.]
    while len(chances) <= length:
        chances.append(math.exp(epsilon) * chances[-1] + delta)
    return chances


@claim("thm-group-privacy", group_privacy,
       mutants={"delta added up without factors": lambda *, epsilon, delta, distance: (distance * epsilon, distance * delta),
                "delta times e^(D epsilon)": lambda *, epsilon, delta, distance: (distance * epsilon, math.exp(distance * epsilon) * delta),
                "delta forgotten": lambda *, epsilon, delta, distance: (distance * epsilon, delta)})
def test_walk_of_neighbours(group_privacy):
    """Walk D steps that each take all that the definition allows, and compare with the promise for the group."""
    worst = 0
    for epsilon, distance in itertools.product(EPSILONS, (1, 2, 3, 8)):
        group_epsilon, group_delta = group_privacy(epsilon=epsilon, delta=1e-12, distance=distance)
        assert abs(group_epsilon - distance * epsilon) < 1e-12
        worst = max(worst, abs(group_delta / chain(epsilon, 1e-12, distance)[-1] - 1))
    assert worst <= 1e-9
    return f"the worst walk meets the promise {to(worst)} at 16 settings"


@claim("prop-largest-gap", largest_gap,
       mutants={"D epsilon-privacy alone": lambda *, epsilon, distance: np.tanh(epsilon * np.asarray(distance) / 2),
                "odd distances like even ones": lambda *, epsilon, distance: 1 - np.exp(-epsilon * np.asarray(distance) / 2),
                "one step too few": lambda *, epsilon, distance: largest_gap(epsilon=epsilon, distance=max(distance - 1, 0))})
def test_iterated_tests(gap):
    """Iterate the bound on tests from 20 001 starting points and compare the best gap, for D up to 12."""
    start, worst = np.linspace(0, 1, 20_001), 0
    for epsilon in EPSILONS:
        kinks = 1 / (1 + math.exp(epsilon)) * np.exp(-epsilon * np.arange(13))        # where the best start can lie
        v = first = np.concatenate([start, kinks])
        for distance in range(1, 13):
            v = binary_test_bound(v, epsilon=epsilon)
            stated = float(gap(epsilon=epsilon, distance=distance))
            worst = max(worst, abs(stated - (v - first).max()))
            assert stated <= math.tanh(epsilon * distance / 2) + 1e-12
            assert distance == 1 or stated < math.tanh(epsilon * distance / 2)
    assert worst <= 1e-9
    return f"the gaps agree {to(worst)} over D = 1..12 at {len(EPSILONS)} values of epsilon"


@claim("prop-largest-gap", largest_gap,
       mutants={"more than any mechanism has": lambda *, epsilon, distance: np.tanh(epsilon * distance / 2),
                "half of the way": lambda *, epsilon, distance: largest_gap(epsilon=epsilon, distance=distance) / 2})
def test_chain_that_attains_the_gap(gap):
    """Build the mechanism of the proof for D from 2 to 12, check that neighbours in its chain keep epsilon, and measure its gap."""
    loss = worst = 0
    for epsilon, distance in itertools.product(EPSILONS, range(2, 13)):
        start = math.exp(-epsilon * (distance // 2)) / (1 + math.exp(epsilon))        # meets the kink half way
        chances = [start]
        for _ in range(distance):
            chances.append(float(binary_test_bound(chances[-1], epsilon=epsilon)))
        laws = [np.array([u, 1 - u]) for u in chances]
        loss = max(loss, *(float(max_log_ratio(p, q)) - epsilon for p, q in itertools.pairwise(laws)))
        worst = max(worst, abs(chances[-1] - chances[0] - float(gap(epsilon=epsilon, distance=distance))))
    assert loss <= 1e-7 and worst <= 1e-9                # 1 - u is rounded where u is near 1
    return f"no step above epsilon; the gap met {to(worst)} at {11 * len(EPSILONS)} settings"
