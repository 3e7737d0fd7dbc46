"""The statements of the page on tables that lie on many machines."""

import itertools
import math

import numpy as np
import polars as pl

from dplib.accounting import Ledger
from dplib.mechanisms import discrete_laplace
from dplib.tables import Table
from dplib.tables.answers import means_of
from tests.claims import claim, page_function, to

PAGE = "beyond-one-machine"
records_sent = page_function(PAGE, "records_sent")
spread_means = page_function(PAGE, "spread_means")
partial_sums = page_function(PAGE, "partial_sums")
brought_together = page_function(PAGE, "brought_together")
vote_totals = page_function(PAGE, "vote_totals")
surviving_release = page_function(PAGE, "surviving_release")


# --- what the machines send ----------------------------------------------------------------------------------------------

def one_for_each_row(rows, machines):
    return rows


def the_fewer(rows, machines):
    return min(rows, machines)


def twice_together(rows, machines):
    """The lower bound, in which rows that lie together are only counted in pairs."""
    return rows - rows * (rows - 1) / (2 * machines)


@claim("prop-records-sent", records_sent,
       mutants={"one record for each row": one_for_each_row, "the smaller of the two": the_fewer,
                "pairs of rows alone": twice_together})
def test_records_sent(sent):
    """Enumerate all places of up to six rows on up to five machines and count the machines that have one: the average is
    the formula, and lies within the two bounds. On a million machines the formula is compared with fifty digits.
    """
    worst = 0.
    for machines, rows in itertools.product(range(1, 6), range(1, 7)):
        exact = np.mean([len(set(places)) for places in itertools.product(range(machines), repeat=rows)])
        worst = max(worst, abs(sent(rows, machines) / exact - 1))
        assert worst < 1e-10, (machines, rows)
        assert rows - rows * (rows - 1) / (2 * machines) - 1e-9 <= exact <= min(rows, machines) + 1e-9
    from mpmath import mp, mpf
    with mp.workdps(50):
        many = float(mpf(10) ** 6 * (1 - (1 - mpf(10) ** -6) ** 80))
    assert abs(sent(80, 10**6) / many - 1) < 1e-9
    return f"thirty enumerations agree {to(worst)}"


# --- any partition ---------------------------------------------------------------------------------------------------------

ROWS = [(1, "A", .1), (1, "A", .2), (1, "A", .3), (1, "B", 99.9), (2, "B", 61.7), (3, "B", 33.3), (3, "C", 250.)]
QUESTION = dict(groups=["A", "B", "C"], bounds=(0, 100), most_groups=1)


def partitions(rows):
    """All ways to divide rows among machines that have names for nobody."""
    if not rows:
        yield []
        return
    for smaller in partitions(rows[1:]):
        yield [rows[:1], *smaller]
        for i in range(len(smaller)):
            yield [*smaller[:i], [*smaller[i], rows[0]], *smaller[i + 1:]]


def spread(whole=True, together=True, early=False):
    """The same in this file, with a switch for each mistake."""
    def means(machines, *, groups, bounds, most_groups):
        if not together:                                                # each machine gives a person votes of their own
            return sum(vote_totals(partial_sums(rows, bounds), groups, most_groups) for rows in machines)
        parts = [partial_sums(rows, bounds) for rows in machines]
        if early:                                                       # averages of averages
            parts = [{key: (tokens // count, 1) for key, (tokens, count) in part.items()} for part in parts]
        if whole:
            return vote_totals(brought_together(parts), groups, most_groups)
        sums = brought_together({(p, g): (sum(x for q, h, x in rows if (q, h) == (p, g)), sum((q, h) == (p, g) for q, h, _ in rows))
                                 for p, g, _ in rows} for rows in machines)
        return np.array([[sum(total for (_, g), (total, _) in sums.items() if g == group) for group in groups]] * 2)
    return means


@claim("thm-any-partition", Table, spread_means,
       mutants={"sums of floats": (Table, spread(whole=False)), "each machine counts alone": (Table, spread(together=False)),
                "averages of averages": (Table, spread(early=True))})
def test_every_partition(table, means):
    """Divide seven rows of three people among machines in all 877 ways, and put them on one machine in all 5,040 orders. The
    totals have the same bits each time, and with the noise of one generator these are the bits of `Table.means`.
    """
    one = means([ROWS], **QUESTION)
    ways = list(partitions(ROWS)) + [[list(order)] for order in itertools.permutations(ROWS)]
    for machines in ways:
        for order in (machines, machines[::-1]):
            assert means(order, **QUESTION).tobytes() == one.tobytes(), order
    frame = pl.DataFrame(ROWS, schema=["person", "ward", "cost"], orient="row")
    ask = dict(bounds=QUESTION["bounds"], by={"ward": QUESTION["groups"]}, most_groups=1, epsilon=2)
    people = table(frame, unit="person", neighbor="add_remove", ledger=Ledger(epsilon=9), rng=np.random.default_rng(5))
    released = people.means("cost", **ask)
    noisy = discrete_laplace(one, sensitivity=2**20, epsilon=2, rng=np.random.default_rng(5)) / 2**20
    expected = means_of(noisy, (0., 100.), **{name: getattr(released, name) for name in (
        "question", "by", "epsilon", "delta", "rho", "neighbor", "unit", "noise", "made")})
    assert released.values.tobytes() == expected.values.tobytes()
    return f"{2 * len(ways):,} divisions and orders, one result"


# --- noise is drawn once ---------------------------------------------------------------------------------------------------

def retried(draws=False, doubled=False, dropped=False):
    """The same in this file, with a switch for each mistake."""
    def release(parts, deaths, draw):
        arrived, published = [], []
        for attempt, dying in enumerate([*deaths, ()]):
            for machine, tokens in enumerate(parts):
                known = machine in [name for name, _ in arrived]
                if machine not in dying and (not known or (doubled and attempt == 1)):
                    arrived.append((machine, sum(tokens)))
            if draws:                                                   # each attempt publishes
                published.append(sum(total for _, total in arrived) + draw())
        lost = {0} if dropped and any(0 in dying for dying in deaths) else set()
        return published or [sum(total for name, total in arrived if name not in lost) + draw()]
    return release


def worst_loss(release, deaths, epsilon, *, reach=9):
    """The largest log-ratio of what is published about a count and one more, over all noises of this reach; draws are tried
    like digits."""
    chance = lambda noises: math.exp(-epsilon * sum(map(abs, noises)))
    laws = []
    for parts in ([[2, 0], [1], [4]], [[2, 1], [1], [4]]):
        law, asked = {}, []
        release(parts, deaths, lambda asked=asked: asked.append(0) or 0)
        for noises in itertools.product(range(-reach, reach + 1), repeat=len(asked)):
            script = iter(noises)
            published = tuple(release(parts, deaths, lambda script=script: next(script)))
            law[published] = law.get(published, 0.) + chance(noises)
        laws.append(law)
    both = laws[0].keys() & laws[1].keys()
    return max(abs(math.log(laws[0][value] / laws[1][value])) for value in both)


@claim("thm-one-draw", surviving_release,
       mutants={"each attempt draws and publishes": retried(draws=True), "what arrived is added again": retried(doubled=True),
                "a machine that died is left out": retried(dropped=True)})
def test_deaths(release):
    """Let the machines of two attempts die in all 64 ways. Each time one value is published, the exact sum and one noise, and
    its largest log-ratio between a count and one more is ε. If each of three attempts publishes, it is 3ε.
    """
    epsilon = .7
    some = [tuple(m for m in range(3) if bits >> m & 1) for bits in range(8)]
    for deaths in itertools.product(some, repeat=2):
        assert release([[2, 0], [1], [4]], deaths, lambda: 0) == [7], deaths
        assert abs(worst_loss(release, deaths, epsilon) - epsilon) < 1e-12, deaths
    thrice = worst_loss(retried(draws=True), [(), ()], epsilon, reach=3)
    assert abs(thrice - 3 * epsilon) < 1e-12
    return f"64 histories with a loss of ε; of three published attempts {thrice / epsilon:.0f}ε"
