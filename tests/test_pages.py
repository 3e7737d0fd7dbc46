"""What the pages and the docstrings say outside of numbered statements, where no cell of a page can check it."""

import functools
import re
from pathlib import Path

import jupytext
import numpy as np
import pytest
from scipy.special import gammaln, ndtr, xlogy

from dplib.book import Explorer
from dplib.book.datasets import rand_covariates
from dplib.histograms import stability_threshold
from dplib.mean import adaptive_mean, coarse_failure_bound, scale_failure_bound, three_cells_failure_bound
from dplib.mechanisms import discrete_laplace, laplace
from tests import minutes
from tests.chance import FAR, rng, standard_errors

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
SEEDS = ("**Seeds** Every draw on this page has a public seed, so that you can reproduce the page. A real release uses "
         "`np.random.default_rng()` ({ref}`why <public-seeds>`).")


@functools.cache
def text(page):
    return (CHAPTERS / f"{page}.md").read_text(encoding="utf-8")


def run(page, *marks):
    """The names that a page has defined after those of its cells that contain one of the marks; explorers are not made."""
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Explorer, "__init__", lambda *_, **__: None)
        for cell in jupytext.reads(text(page), fmt="md:myst").cells:
            if cell.cell_type == "code" and any(mark in cell.source for mark in marks):
                exec(cell.source, names)
    return names


# --- seeds ------------------------------------------------------------------------------------------------------------

DRAWN = sorted(page.stem for page in CHAPTERS.glob("*.md")
               if re.search(r"default_rng\([^)]|draws=", page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", DRAWN)
def test_a_page_with_seeds_says_what_they_are_for(page):
    assert text(page).count(SEEDS) == 1


def test_there_are_pages_with_seeds():
    assert {"why-privacy", "histograms", "packing", "index"} <= set(DRAWN)


def test_the_first_private_number_is_undone_by_its_seed(capsys):
    visits = run("why-privacy", "import functools", "default_rng(1974)\noften")["visits"]
    printed = float(re.match(r"[\d.]+", capsys.readouterr().out)[0])
    noise = laplace(0., sensitivity=1, epsilon=.5, rng=np.random.default_rng(1974))
    assert round(printed - noise) == (visits >= 10).sum() != round(printed)


def test_a_histogram_is_undone_by_its_seed():
    names = run("histograms", "import Explorer", "default_rng(1974)")
    noise = discrete_laplace(np.zeros(100, dtype=int), sensitivity=2, epsilon=1, rng=np.random.default_rng(1974))
    assert np.array_equal(names["release"]["people"] - noise, names["exact"]["people"]) and noise.any()


# --- times ------------------------------------------------------------------------------------------------------------

TIMED = [page.stem for page in sorted(CHAPTERS.glob("*.md")) if "**Time**" in text(page.stem)]


@pytest.mark.parametrize("page", TIMED)
def test_a_page_says_how_long_it_takes_by_the_rule(page):
    assert minutes.sentence(text(page)) in text(page)


def test_the_rule_counts_what_takes_time():
    page = text("privacy")
    core, read, proofs, exercises = minutes.minutes(page)
    assert len(TIMED) > 10 and core <= read < proofs < exercises
    longer = {"figure": "```{code-cell}\n" + "Explorer(\"x\")\n" * 10 + "```\n", "words": "word " * 2000, "formulas": "$$x$$\n" * 40,
              "proof": ":::{dropdown} Proof\n" + "word " * 2000 + "\n:::\n", "exercise": ":::{exercise} By hand · easy\n:::\n"}
    for what, more in longer.items():
        steps = [new - old for new, old in zip(minutes.minutes(f"{page}\n{more}")[1:], (read, proofs, exercises), strict=True)]
        assert (steps[0] > 0) == (what in ("figure", "words", "formulas")) and (steps[1] > 0) == (what != "exercise") and steps[2] > 0, what
    assert minutes.minutes(f"{page}\n```\n" + "code " * 2000 + "\n```\n") == [core, read, proofs, exercises]
    longer = minutes.minutes(f"{page}\n## Further: more of it\n" + "word " * 2000 + "\n## Where next\n")
    assert longer[0] == core and longer[1] > read + 50


# --- words ------------------------------------------------------------------------------------------------------------

# Said of a distribution, of somebody without an antecedent, of sizes; what the house says instead is in CONTRIBUTING.md.
UNWANTED = [r"\blaws?\b(?! of large numbers)", r"\bwhoever\b", r"\bfrom (?!there|here|now)\S+ on\b", r"\bto feel it\b",
            r"[.!?:] Who \w+ [^?]*\.(?:\s|$)"]


def unwanted(page):
    """The words of a page, code left out, that the house does not use."""
    open_text = re.sub(r"^```.*?^```$|^:\w+:[^\n]*$|`[^`]*`|\$[^$]*\$", " ", page, flags=re.M | re.S)
    return [found[0] for words in UNWANTED for found in re.finditer(words, open_text, flags=re.I)]


@pytest.mark.parametrize("page", sorted(page.stem for page in CHAPTERS.glob("*.md")))
def test_a_page_uses_no_words_that_the_house_does_not(page):
    assert not unwanted(text(page))


def test_unwanted_words_are_found():
    found = "The laws agree. Whoever asks, from 12 on, is told. To feel it: Who asks is told.\n"
    assert len(unwanted(found)) == len(UNWANTED) and not unwanted("The law of large numbers. `law` $law$ Who asks? You do.")


def numbers_in_formulas(page):
    """Lines with a number of the run between the dollar signs of a formula, where nothing fills it in."""
    prose = re.sub(r"^```.*?^```", "", page, flags=re.M | re.S)
    return [line for line in prose.splitlines() if any("{glue" in formula for formula in line.split("$")[1::2])]


@pytest.mark.parametrize("page", sorted(page.stem for page in CHAPTERS.glob("*.md")))
def test_numbers_of_the_run_stand_outside_of_formulas(page):
    assert not numbers_in_formulas(text(page))


def test_a_number_in_a_formula_is_found():
    assert numbers_in_formulas("from $d={glue:text}`a-b`$ on") and not numbers_in_formulas("from $d=$ {glue:text}`a-b`$/n$ on")


def test_exercises_say_how_hard_they_are():
    titles = [title for page in CHAPTERS.glob("*.md") for title in re.findall(r"^:::\{exercise\} (.*)$", text(page.stem), flags=re.M)]
    assert len(titles) > 60
    assert not [title for title in titles if not re.search(r" · (easy|medium|hard)$", title)]


# --- figures ----------------------------------------------------------------------------------------------------------

def test_no_attack_of_the_first_figure_is_above_what_its_bill_allows():
    names = run("why-privacy", "import functools", "def attack")
    for answers in (175, 400, 1300, 4900):
        average, most = names["predicted"](answers, names["EPSILON"]), names["limit"](answers, names["EPSILON"])
        found = np.mean([names["attack"](answers, draw)["recovered"] for draw in rng(5).spawn(60)], axis=0)
        noise = FAR * 5 / np.sqrt(60)                       # one run has a standard deviation of at most 5 bits
        assert np.all(average <= most) and np.all(found <= most + noise)
        assert np.abs(found - average).max() <= noise


def test_the_figure_of_the_sensitivity_of_totals_is_that_of_its_groups():
    names = run("why-privacy", "import functools", "def attack")
    groups = names["halves"](400)
    assert np.array_equal(groups, names["halves"](400)) and set(np.unique(groups)) == {0, 1}
    assert names["bill"](400, .1) == pytest.approx(.1 * max(groups[:, person].sum() for person in range(100)))


def test_nobody_is_where_the_figure_of_two_worlds_forbids():
    names = run("two-distributions", "def says_q", "def two_tests", "def within_range")
    for shift in (.5, 1, 2):
        tests = names["two_tests"](shift)
        assert np.all(tests["votes"] >= tests["bound"]) and np.all(tests["clamped"] >= tests["bound"])
    bound = names["two_tests"](1)["bound"][np.isin(names["TESTED"], names["EPSILON"])]  # the figure of means has fewer ε
    anywhere = names["without_range"]()
    assert np.all(anywhere["norange"] >= np.maximum(bound, anywhere["free"]))
    for R in (1, 100, 10**6):
        means = names["within_range"](R)
        assert np.all(means["forbidden"] >= bound)
        assert not any(np.any(means[name] < means["forbidden"]) for name in ("clip", "two"))      # not found: masked


def test_nobody_is_where_the_map_of_a_mean_forbids():
    names = run("packing", "import Explorer", "def without_delta")
    for epsilon in (.2, .5, 1):
        pure = names["without_delta"](epsilon)
        assert np.all(pure["two"] >= pure["pure"]) and np.all(pure["clip"] >= pure["pure"])        # off the map: masked
        for delta in (1e-12, 1e-3):
            approximate = names["with_delta"](epsilon, delta)
            assert np.all(approximate["free"] >= approximate["bent"]) and np.all(approximate["bent"] <= pure["pure"])


def long_captions(page):
    """The captions of a page with more than 40 words; a formula is one word. What is longer is text, and stands below."""
    captions = re.findall(r"^\{\.dp-caption\}\n(.*?)(?=\n\n|\n:::|\n```|\Z)", page, flags=re.S | re.M)
    return [caption for caption in captions if minutes.count(caption)[0] > 40]


@pytest.mark.parametrize("page", sorted(page.stem for page in CHAPTERS.glob("*.md")))
def test_a_caption_has_at_most_forty_words(page):
    assert not long_captions(text(page))


def test_a_caption_of_forty_one_words_is_found():
    forty = "word " * 39 + "$1+1$"
    assert not long_captions(f"Text.\n\n{{.dp-caption}}\n{forty}\n\nText.")
    assert not long_captions(f"{{.dp-caption}}\n[{forty}]{{.dp-try}}\n\nText.")
    assert long_captions(f"Text.\n\n{{.dp-caption}}\n{forty} more.\n\nText.") == [f"{forty} more."]


# --- data -------------------------------------------------------------------------------------------------------------

def test_rows_of_a_person_stand_together():
    names = run("privacy", "def runs", "import numpy as np\nfrom dplib.accounting")
    assert rand_covariates().shape == (5912, 9)
    assert names["runs"](np.array([[1, 1], [1, 1], [1, 2], [1, 1]])).tolist() == [2, 1, 1]
    assert names["found"].sum() == 20190 and np.isin(names["found"], (3, 5)).sum() == 3101 + 1238


# --- how loose a bound is ---------------------------------------------------------------------------------------------

def lost_at_the_end(n, epsilon, radius):
    """How often the exponential mechanism picks a far cell when μ = R and all far cells are empty, which is rarer."""
    p = ndtr([0, -1]) - ndtr([-1, -2])
    own, beside = np.meshgrid(np.arange(n + 1.), np.arange(n + 1.), indexing="ij")
    rest = np.maximum(n - own - beside, 0)
    chance = np.exp(gammaln(n + 1) - gammaln(own + 1) - gammaln(beside + 1) - gammaln(rest + 1)
                    + xlogy(own, p[0]) + xlogy(beside, p[1]) + xlogy(rest, 1 - p.sum())) * (own + beside <= n)
    near, far = np.exp(epsilon / 2 * own) + np.exp(epsilon / 2 * beside), 2 * radius - 2
    return (chance * far / (far + near)).sum()


@pytest.mark.parametrize("failure, least, most", [(.25, .67, .78), (.01, .9, 1)])
def test_the_coarse_bound_is_nearly_attained_at_the_end_of_a_long_range(failure, least, most):
    for n, epsilon, radius in {.25: [(1065, .05, 1e3), (537, .1, 1e3), (947, .1, 1e6)],
                               .01: [(1451, .05, 1e3), (733, .1, 1e3), (1139, .1, 1e6)]}[failure]:
        F = coarse_failure_bound(size=n, radius=radius, epsilon=epsilon)
        assert F == pytest.approx(failure, rel=.02)
        assert least <= lost_at_the_end(n, epsilon, radius) / F <= most


def lost(masses, right, n, epsilon, delta, runs=20_000):
    """How often a stability histogram over cells with these masses names none, or a wrong one first, in so many runs."""
    draw = rng(3)
    counts = draw.multinomial(n, masses / masses.sum(), runs)
    noisy = counts + draw.laplace(scale=2 / epsilon, size=counts.shape)
    T = stability_threshold(epsilon=epsilon, delta=delta, neighbor="replace", noise="laplace")
    noisy[(counts == 0) | (noisy <= T)] = 0
    return (~right[noisy.argmax(axis=1)] | ~noisy.any(axis=1)).sum()


@pytest.mark.parametrize("n, epsilon, delta", [(696, .25, 1e-12), (369, .25, 1e-6), (1787, .05, 1e-6)])
def test_three_cells_are_close_to_the_truth_for_a_small_budget(n, epsilon, delta):
    cells, F = np.arange(-9, 10), three_cells_failure_bound(size=n, epsilon=epsilon, delta=delta)
    assert F == pytest.approx(.01, rel=.06)
    hits = max(lost(ndtr(cells + 1 - u) - ndtr(cells - u), abs(cells) <= 1, n, epsilon, delta) for u in (0, .5))
    assert standard_errors(hits, 20_000, F) < FAR and standard_errors(hits, 20_000, .45 * F) > -FAR


@pytest.mark.parametrize("n, epsilon, delta", [(4650, .05, 1e-6), (520, .5, 1e-6), (296, 1, .5)])
def test_the_bound_for_a_scale_is_loose_by_as_much_as_it_says(n, epsilon, delta):
    octaves, F = np.arange(-40, 7), scale_failure_bound(size=n, epsilon=epsilon, delta=delta)
    assert F == pytest.approx(.2, rel=.02)
    hits = lost(ndtr(2. ** (octaves + 1)) - ndtr(2. ** octaves), abs(octaves) <= 1, n // 2, epsilon, delta)     # u = 0: the worst
    assert standard_errors(hits, 20_000, F / 15) < FAR and standard_errors(hits, 20_000, F / 140) > -FAR


def test_on_two_bumps_the_adaptive_mean_lies_beyond_median_and_mean():
    x = np.where(np.arange(100_000) < 30_000, .6, 0) + np.linspace(-.01, .01, 100_000)
    answers = adaptive_mean(np.tile(x, (20, 1)), radius=5, epsilon=.01, runs=True, rng=rng(1))
    assert np.median(answers) > 2 * x.mean() > x.mean() > np.median(x)
