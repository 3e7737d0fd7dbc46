"""Explorers without a browser: what an author may write, what the table keeps, what the kernel says, what prints."""

import base64
import itertools
import json
import re

import numpy as np
import pytest

from dplib.book import Explorer, figures, front, grammar, guess, live, sentences, slider, still
from dplib.book import spec as specs
from dplib.book.columns import dequantise, pack, quantise
from dplib.book.explorer import MAX_TABLE
from dplib.book.front import palette

LINE = dict(x="x", y="y")
GRID = [1, 2, 4, 8]
X = np.linspace(0, 1, 5)


def wave(a):
    return dict(x=X, y=a * X)


def noisy(a, rng):
    return dict(x=X, y=rng.integers(0, 9, 5), total=a)


def make(*functions, **changes):
    """A small right explorer; every test of an error changes one thing in it."""
    options = dict(
        controls=dict(a=slider("factor a", GRID, log=True)),
        alt="A line through the origin",
        readout="At a = {a} it ends at {y[4]}.",
        plot=figure(["line", dict(x="x", y="y", stroke="c1", label="a = {a}")]),
    )
    return Explorer("demo", *(functions or (wave,)), **(options | changes))


def figure(*marks, **changes):
    return dict(x=dict(label="x (metres)"), y=dict(label="y (metres)"), marks=list(marks)) | changes


# -------------------------------------------------------------------------------- what an author gets wrong


def raises(*words):
    return pytest.raises(ValueError, match=".*".join(map(re.escape, words)))


@pytest.mark.parametrize(
    "control, words",
    [
        (slider("a", [1, 2, 2]), ["'a'", "increase strictly", "[1.0, 2.0, 2.0]"]),
        (slider("a", [3, 2, 1]), ["'a'", "increase strictly"]),
        (slider("a", [1]), ["'a'", "two or more"]),
        (slider("a", []), ["'a'", "two or more"]),
        (slider("a", [1, np.nan]), ["'a'", "finite"]),
        (slider("a", [1, np.inf]), ["'a'", "finite"]),
        (slider("a", [0, 1, 2], log=True), ["'a'", "log scale needs positive values", "0.0"]),
        (slider("a", [1, 1.5, 2], integer=True), ["'a'", "integers", "1.5"]),
        (slider("a", GRID, start=4), ["'a'", "from 0 to 3", "4"]),
        (slider("a", GRID, start=-1), ["'a'", "from 0 to 3", "-1"]),
        (slider("a", GRID, start=2.0), ["'a'", "from 0 to 3", "2.0"]),
        (slider("", GRID), ["'a'", "label is empty"]),
        (slider("a", GRID, names=("one", "two")), ["'a'", "one word for each", "['one', 'two']"]),
        (slider("a", GRID, names=("one", "two", "", "four")), ["'a'", "one word for each"]),
        (slider("a", GRID, drag="z"), ["'a'", "drag must be 'x' or 'y'", "'z'"]),
    ],
)
def test_a_wrong_control_is_named_with_its_value(control, words):
    with raises("explorer 'demo': control", *words):
        make(controls=dict(a=control))


ASK = dict(answer="y[4]", axis="y", at=dict(a=8))


@pytest.mark.parametrize(
    "asked, words",
    [
        (guess("How high", range(9), **ASK), ["guess", "must be a question", "'How high'"]),
        (guess("How high?", [1], **ASK), ["guess", "two or more"]),
        (guess("How high?", range(9), **ASK | dict(axis="z")), ["guess", "drag must be 'x' or 'y'"]),
        (guess("How high?", range(9), **ASK | dict(axis="")), ["guess", "axis must be x or y", "names"]),
        (guess("How high?", range(9), **ASK | dict(at=dict(b=1))), ["at:", "'b' has no meaning"]),
        (guess("How high?", range(9), **ASK | dict(at=dict(a=3))), ["at a = 3 is no stop"]),
        (guess("How high?", range(9), **ASK, run=dict(b=1)), ["run:", "'b' has no meaning"]),
        (guess("How high?", range(9), **ASK, run=dict(a=3)), ["run a = 3 is no stop"]),
        (guess("How high?", range(9), **ASK, run=dict(a="z")), ["run a = 'z' is no stop"]),
        (guess("How high?", range(9), **ASK, run=dict(a=8, b=1)), ["run must have one control", "['a', 'b']"]),
        (guess("How high?", range(9), **ASK | dict(answer="z")), ["'z' is no entry of ['x', 'y']"]),
        (guess("How high?", range(9), **ASK | dict(answer="y[5]")), ["'y[5]' is no entry"]),
        (guess("How high?", range(9), **ASK, tell="{z} of 9"), ["{z} in guess tell is not"]),
        (guess("Which?", [0, 1], answer="y[4]", names=("a", "b")), ["the answer 4.0 is none of [0.0, 1.0]"]),
    ],
)
def test_a_wrong_guess_is_named(asked, words):
    with raises("explorer 'demo'", *words):
        make(guess=asked, plot=figure(["line", LINE | dict(answer=True)]))


def test_a_guess_and_the_marks_that_answer_it_go_together():
    asked = guess("How high?", range(9), **ASK)
    with raises("explorer 'demo'", "no mark has answer=True"):
        make(guess=asked)
    with raises("explorer 'demo'", "marks [0] show an answer, but nothing is asked"):
        make(plot=figure(["line", LINE | dict(answer=True)]))
    with raises("answer = 'yes' must be True"):
        make(guess=asked, plot=figure(["line", LINE | dict(answer="yes")]))
    with raises("the answer at {'a': 8} is nan"):
        hidden = figure(["line", LINE | dict(answer=True)], y=dict(label="y", domain=[0, 1]))
        make(lambda a: dict(x=X, y=np.ma.masked_all(5)), guess=asked, plot=hidden)
    said = make(guess=asked, plot=figure(["line", LINE | dict(answer=True)])).spec["guess"]
    assert (said["answer"], said["entry"], said["at"], said["axis"], said["run"]) == ("y", 4, dict(a=3), "y", None)


def test_a_run_to_a_gap_is_named():
    asked = guess("How high?", range(9), **ASK, run=dict(a="gap"))
    with raises("run a: 'gap' is nan where the question is asked"):
        make(lambda a: dict(x=X, y=a * X, gap=np.ma.masked), guess=asked, plot=figure(["line", LINE | dict(answer=True)]))


@pytest.mark.parametrize("run, to", [(2, 1), ("near", 2)])
def test_a_run_ends_at_a_value_or_at_the_one_nearest_to_an_answer(run, to):
    asked = guess("How high?", range(9), **ASK, run=dict(a=run))
    hidden = figure(["line", LINE | dict(answer=True)])
    said = make(lambda a: dict(x=X, y=a * X, near=5), guess=asked, plot=hidden).spec["guess"]
    assert said["run"] == dict(name="a", to=to)


def test_a_guess_without_a_script_is_a_question_with_its_answer_folded():
    page = make(guess=guess("How high < 9?", range(9), **ASK), plot=figure(["line", LINE | dict(answer=True)])).html()
    assert "<noscript><details><summary>How high &lt; 9? The answer</summary><svg" in page


def test_a_role_is_written_out_and_what_a_mark_says_itself_goes_before():
    mark = make(plot=figure(["line", LINE | dict(role="no privacy", strokeWidth=4)])).spec["plot"]["marks"][0]
    assert mark == ["line", dict(stroke="c2", strokeWidth=4, strokeDasharray="6 3") | LINE]
    with raises("explorer 'demo': mark 0 (line): role 'nobody' has no meaning", "no privacy"):
        make(plot=figure(["line", LINE | dict(role="nobody")]))
    assert grammar.line("no privacy") == dict(color=palette()["--dp-2"], lw=2, ls=(0, (3, 1.5)), alpha=1)
    for role in grammar.ROLES:
        for kind, options in EVERY_MARK.items():
            placed = {name: v for name, v in options.items() if re.fullmatch("text|[xy][12]?", name)}
            with_marks(**{kind: placed | dict(role=role)})


def test_a_control_with_names_is_said_by_name():
    named = slider("factor", GRID, names=("one", "two", "four", "eight"))
    explorer = make(controls=dict(a=named), readout="{a} times", alt="A line of {a}")
    assert sentences.start_text(explorer, "readout") == "four times"
    labelled = make(controls=dict(a=named), plot=figure(["line", LINE | dict(label="{a}")]))
    assert [text.get_text() for text in still.still(labelled).axes[0].texts] == ["four"]


def toggled(a):
    return dict(x=X, y=a * X, which=a > 2, gap=np.ma.masked)


def test_a_column_with_names_is_said_by_name():
    explorer = make(toggled, names=dict(which=["few", "many"], gap=["never"]), readout="{which[0]}, {gap}, {a}",
                    plot=figure(["line", LINE | dict(label="{which}")]))
    assert sentences.start_text(explorer, "readout") == "many, –, 4"
    assert sentences.fill_in(explorer, "{which}", explorer.at(a=0), dict(a=1)) == "few"
    assert explorer.spec["names"] == dict(which=["few", "many"], gap=["never"])
    assert [text.get_text() for text in still.still(explorer).axes[0].texts] == ["many"]


@pytest.mark.parametrize("names, words", [
    (dict(what=["few"]), ["'what'", "no such column", "['gap', 'which', 'x', 'y']"]),
    (dict(which=["few"]), ["'which'", "each of 0, 1, 2", "got 1", "has 1"]),
    (dict(which=[]), ["'which'", "must be words, got []"]),
    (dict(which=["few", ""]), ["'which'", "must be words", "''"]),
    (dict(y=["few"] * 9), ["'y'", "a word for each", "0.25"]),
    (dict(a=["few"] * 9), ["'a'", "no such column"])])
def test_wrong_names_of_a_column_are_named(names, words):
    with raises("explorer 'demo': names of", *words):
        make(toggled, names=names)


def test_a_dot_that_is_nowhere_at_the_start_is_not_drawn_in_print():
    nowhere = dict(x="x", y="y", fillOpacity=.5)
    first = slider("a", GRID, start=0)
    far = lambda a: dict(x=X, y=np.ma.masked_less(a * X, 5))
    explorer = make(far, controls=dict(a=first), plot=figure(["dot", nowhere]), readout="{a}")
    assert still.save(explorer, "svg") and not artists(explorer)["dots"]


def test_a_function_of_something_that_is_no_control():
    with raises("explorer 'demo'", "noisy", "'b' has no meaning", "controls are a, rng"):

        def noisy(a, b):
            return dict(x=X, y=X)

        make(noisy)


def test_a_control_that_moves_nothing():
    with raises("explorer 'demo'", "['idle'] move nothing"):
        make(controls=dict(a=slider("a", GRID), idle=slider("idle", GRID)))


def test_a_function_that_raises_is_named_with_its_grid_point_and_chained():
    def fragile(a):
        return dict(x=X, y=X / int(a != 4) if a != 4 else [][1])

    with raises("explorer 'demo'", "fragile(a=4.0) raised IndexError") as caught:
        make(fragile)
    assert isinstance(caught.value.__cause__, IndexError)


@pytest.mark.parametrize(
    "column, words",
    [
        ([1.0, np.nan], ["'y' has nan at entry 1", "masked"]),
        ([np.inf, 1.0], ["'y' has inf at entry 0"]),
        ([[1.0, 2.0]], ["'y'", "1-d", "(1, 2)"]),
        ([], ["'y'", "non-empty"]),
        (["a", "b"], ["'y' is not numeric"]),
        ([1 + 2j], ["'y' is not numeric"]),
        (np.ma.masked_invalid([[1.0, np.nan]]), ["1-d"]),
    ],
)
def test_a_wrong_column_is_named_with_its_grid_point(column, words):
    with raises("explorer 'demo'", "f(a=1.0) column", *words):

        def f(a):
            return dict(x=X, y=column)

        make(f)


@pytest.mark.parametrize("result", [None, [1, 2], {}, 3.0])
def test_a_function_must_return_columns(result):
    with raises("explorer 'demo'", "must return a dict of columns"):
        make(lambda a: result)


@pytest.mark.parametrize(
    "f",
    [lambda a: dict(x=X, y=np.ones(int(a))), lambda a: dict(x=X, y=X) if a < 8 else dict(x=X)],
    ids=["ragged", "missing"],
)
def test_grid_points_must_give_the_same_columns(f):
    with raises("explorer 'demo'", "column lengths", "at {'a':"):
        make(f)


def test_draws_go_with_rng():
    with raises("explorer 'demo'", "draws must be at least 20", "got 0"):
        make(noisy)
    with raises("explorer 'demo'", "draws must be at least 20", "got 19"):
        make(noisy, draws=19)
    with raises("explorer 'demo'", "0 if none does, got 20"):
        make(draws=20)


@pytest.mark.parametrize(
    "mark, words",
    [
        (["arrow", LINE], ["mark 0", "arrow"]),
        (["line"], ["mark 0", "[kind, options]"]),
        (["line", dict(x="x")], ["mark 0 (line)", "needs ['y']"]),
        (["line", dict(x="x", y="z")], ["mark 0 (line)", "y = 'z'", "column"]),
        (["line", dict(x="x", y=None)], ["y = None"]),
        (["line", LINE | dict(stroke="red")], ["stroke = 'red'", "c1"]),
        (["line", LINE | dict(stroke="y")], ["stroke = 'y'"]),
        (["line", LINE | dict(curve="basis")], ["curve = 'basis'", "step"]),
        (["line", LINE | dict(strokeWidth="wide")], ["strokeWidth = 'wide'"]),
        (["line", LINE | dict(strokeDasharray="dotted")], ["strokeDasharray = 'dotted'"]),
        (["line", LINE | dict(ariaLabel="a")], ["mark 0 (line): option 'ariaLabel' has no"]),
        (["line", LINE | dict(y1=0)], ["option 'y1' has no meaning", "did you mean 'y'?"]),
        (["line", LINE | dict(text="{y[4]}")], ["option 'text' has no meaning"]),
        (["line", LINE | dict(colour="c1")], ["option 'colour' has no meaning"]),
        (["line", LINE | dict(linewidth=2)], ["did you mean 'strokeWidth'?"]),
        (["line", LINE | dict(strokeDashes="6 3")], ["did you mean 'strokeDasharray'?"]),
        (["bar", LINE], ["mark 0: 'bar' has no meaning; marks are areaY, dot, line,", "'rectY'?"]),
        (["areay", LINE], ["'areay' has no meaning", "did you mean 'areaY'?"]),
        (["dot", LINE | dict(r="y")], ["r = 'y'"]),
        (["dot", LINE | dict(fillOpacity="y")], ["fillOpacity = 'y'", "between 0 and 1"]),
        (["dot", LINE | dict(fillOpacity=1.5)], ["fillOpacity = 1.5", "between 0 and 1"]),
        (["line", LINE | dict(label="{b}")], ["{b}", "label of mark 0"]),
        (["line", LINE | dict(label="{y}")], ["{y}", "entry of it (it has 5)"]),
        (["text", LINE | dict(text="{y[5]}")], ["{y[5]}", "it has 5"]),
        (["text", LINE | dict(text="set {1, 2}")], ["brace"]),
    ],
)
def test_a_wrong_mark_is_named(mark, words):
    with raises("explorer 'demo'", *words):
        make(plot=figure(mark))


@pytest.mark.parametrize(
    "plot, words",
    [
        (figure(), ["no marks"]),
        (figure(["line", LINE], colour={}), ["'colour' has no meaning; entries are x, y, marks, empty, equal"]),
        (figure(["line", LINE], equal=1), ["equal must be True", "got 1"]),
        (figure(["ruleY", dict(y=1)], x=dict(label="x", domain=[0, 1]), y=dict(label="y", type="log", domain=[1, 2]), equal=True),
         ["y axis is logarithmic", "no equal axes"]),
        (figure(["line", LINE], x={}), ["x axis", "label"]),
        (figure(["line", LINE], x=dict(label="x", scale="log")),
         ["x axis: option 'scale' has no meaning", "did you mean 'type'?"]),
        (figure(["line", LINE], x=dict(label="x", type="sqrt")), ["x axis", "'sqrt'"]),
        (figure(["line", LINE], x=dict(label="x", type="log")), ["x axis is logarithmic", "'x'", "0.0"]),
        (figure(["line", LINE], y=dict(label="y", domain=[0, "b"])), ["y axis", "domain"]),
        (figure(["line", LINE], y=dict(label="y", domain=[1, 0])), ["y axis", "increasing"]),
        (figure(["line", LINE], y=dict(label="y", domain=[4, "a"])), ["y axis", "increasing"]),
        (figure(["line", LINE], y=dict(label="y", ticks="few")), ["y axis", "ticks", "few"]),
        (figure(["line", LINE], x=dict(label="x", domain=[np.nan, 1])), ["plot must be finite"]),
        (figure(["ruleY", dict(y=1)]), ["x axis", "needs a domain"]),
        (figure(["line", dict(x="x", y="a")]), ["y = 'a'"]),
    ],
)
def test_a_wrong_figure_is_named(plot, words):
    with raises("explorer 'demo'", *words):
        make(plot=plot)


@pytest.mark.parametrize(
    "changes, words",
    [
        (dict(alt=""), ["alt is empty"]),
        (dict(alt="  "), ["alt is empty"]),
        (dict(alt=None), ["alt is empty"]),
        (dict(readout=""), ["readout is empty"]),
        (dict(readout="{q}"), ["{q} in readout"]),
        (dict(alt="{x}"), ["{x} in alt", "it has 5"]),
        (dict(readout="{a[0]}"), ["{a[0]} in readout"]),
    ],
)
def test_a_wrong_text_is_named(changes, words):
    with raises("explorer 'demo'", *words):
        make(**changes)


def test_columns_of_different_lengths_in_one_mark():
    with raises("mark 0 (line)", "different lengths", "'y': 5"):
        make(wave, lambda: dict(few=[1, 2]), plot=figure(["line", dict(x="few", y="y")]))


def test_two_columns_or_a_column_and_a_control_of_one_name():
    with raises("explorer 'demo'", "['a']", "control and a column"):
        make(wave, lambda: dict(a=[1]))
    with raises("explorer 'demo'", "two functions", "['y']"):
        make(wave, lambda: dict(y=X))


@pytest.mark.parametrize("id", ["", "Demo", "a b", "1st", "a?b", None])
def test_an_id_must_serve_as_an_address(id):
    with raises("explorer id", repr(id)):
        Explorer(id, wave, controls=dict(a=slider("a", GRID)), plot=figure(["line", LINE]), alt="a", readout="a")


def test_a_table_over_its_size():
    with raises("explorer 'demo'", "weighs", f"more than {MAX_TABLE}"):
        make(lambda a, rng: dict(x=X, y=rng.standard_normal(5), z=rng.standard_normal(3000)), draws=20)


def test_a_column_that_uint16_cannot_keep():
    with raises("column 'tiny' spans 1.0e-200 to 1.0e+00"):
        make(wave, lambda a: dict(tiny=[1e-200 * a, 1]))


def test_a_page_is_checked_for_its_ids_and_its_weight(monkeypatch):
    body = f"<section id='s'><h2 id=\"other\">x</h2>{make().html()}</section>"
    front.check_page("page", body)
    with raises("page 'page'", "['demo'] occur more than once"):
        front.check_page("page", body + make().html())
    with raises("['demo']", "heading"):
        front.check_page("page", body + '<section id="demo">')
    monkeypatch.setattr(front, "MAX_PAGE", 1000)
    with raises("page 'page'", "more than 1000"):
        front.check_page("page", body)


# -------------------------------------------------------------------------------- the table


@pytest.mark.parametrize(
    "values, scale, bound",
    [
        ([0, 1, 65532], "linear", 0),
        ([-5, 0, 7], "linear", 0),
        ([3, 3, 3], "linear", 0),
        ([0.25], "linear", 0),
        ([np.nan], "linear", 0),
        ([0.1, 0.2, 0.5], "linear", 0.4 / 65532 / 2),
        ([-3, 0.001, 900], "linear", 903 / 65532 / 2),
        ([1e-6, 1e-3, 1], "log", np.log(1e6) / 65532 / 2),
        ([0, 1e-6, 1], "log", np.log(1e6) / 65532 / 2),
        ([1, 70_000], "log", np.log(7e4) / 65532 / 2),
    ],
)
def test_a_column_survives_its_codes(values, scale, bound):
    column = np.array([*values, np.nan])
    codes, how, error = quantise(column)
    back = dequantise(codes, **how)
    assert how["scale"] == scale and (np.isnan(back) == np.isnan(column)).all() and ((back == 0) == (column == 0)).all()
    assert error <= bound * 1.001 + 1e-15
    allowed = error * (np.abs(column) if scale == "log" else 1) + 1e-12 * np.abs(column)
    assert np.nanmax(np.abs(back - column) - allowed, initial=-1) <= 0


def test_random_columns_survive_the_whole_way():
    rng = np.random.default_rng(5)
    columns = [
        rng.standard_normal((7, 11)),
        np.exp(9 * rng.standard_normal((3, 4))),
        rng.integers(-9, 9, 40).astype(float),
    ]
    coded = [quantise(c) for c in columns]
    steps = np.frombuffer(base64.b64decode(pack([codes for codes, _, _ in coded])), "u1").astype(int)
    half = len(steps) // 2
    whole = np.cumsum(steps[:half] + 256 * steps[half:]) % 65536  # as `unpack` in columns.js
    for column, (codes, how, error) in zip(columns, coded):
        mine, whole = whole[: column.size], whole[column.size :]
        assert (mine.astype("<u2") == codes.ravel()).all()
        back = dequantise(mine.astype("<u2"), **how).reshape(column.shape)
        assert (np.abs(back - column) <= error * (np.abs(column) if how["scale"] == "log" else 1) + 1e-12).all()


def test_columns_are_tabulated_only_over_what_they_depend_on():
    explorer = make(wave, lambda: dict(fixed=X), lambda a, rng: dict(random=rng.random(2)), draws=20)
    assert [explorer._table[name].shape for name in ("y", "fixed", "random")] == [(4, 5), (5,), (4, 20, 2)]
    assert explorer.at(a=3)["y"].tolist() == (8 * X).tolist() and explorer.at()["y"].tolist() == (4 * X).tolist()


def test_every_grid_point_draw_and_function_has_its_own_stream():
    explorer = make(
        lambda a, rng: dict(x=rng.random(1)),
        lambda a, rng: dict(y=rng.random(1)),
        draws=20,
        plot=figure(["dot", LINE]),
        readout="{y}",
    )
    values = np.concatenate([explorer._table["x"].ravel(), explorer._table["y"].ravel()])
    assert len(np.unique(values)) == values.size == 160
    again = make(
        lambda a, rng: dict(x=rng.random(1)),
        lambda a, rng: dict(y=rng.random(1)),
        draws=20,
        plot=figure(["dot", LINE]),
        readout="{y}",
    )
    assert (again._table["x"] == explorer._table["x"]).all() and again.html() == explorer.html()
    other = make(
        lambda a, rng: dict(x=rng.random(1)),
        lambda a, rng: dict(y=rng.random(1)),
        draws=20,
        seed=1,
        plot=figure(["dot", LINE]),
        readout="{y}",
    )
    assert not (other._table["x"] == explorer._table["x"]).any()


def test_gaps_are_masked_entries():
    explorer = make(lambda a: dict(x=X, y=np.ma.masked_greater(a * X, 2)), readout="{a}")
    assert np.isnan(explorer.at(a=3)["y"]).tolist() == [False, False, True, True, True]


def test_an_axis_without_a_domain_covers_every_grid_point():
    domain = make().spec["plot"]["y"]["domain"]
    assert domain == [0, 8]
    log = make(lambda a: dict(x=X + 1, y=a * (X + 1)), plot=figure(["line", LINE], y=dict(label="y", type="log")))
    assert log.spec["plot"]["y"]["domain"] == [1, 100]


@pytest.mark.parametrize(
    "low, high, log, domain",
    [
        (0.013, 0.94, False, [0, 1]),
        (-3, 17, False, [-5, 20]),
        (2, 3, False, [2, 3]),
        (0, 0.5, False, [0, 0.5]),
        (0.02, 300, True, [0.01, 1000]),
    ],
)
def test_round_domains(low, high, log, domain):
    assert specs.round_domain(low, high, log) == domain


# -------------------------------------------------------------------------------- the kernel


def ask(explorer, values, index, seed=0, id="v-1"):
    reply, buffers = live.answer(explorer, dict(id=id, values=values, index=index, fresh=False), seed)
    return reply, {name: np.frombuffer(b) for name, b in zip(reply.get("names", []), buffers)}


def test_the_first_live_answer_equals_the_table_at_the_start():
    explorer = make(noisy, draws=20, readout="{total}")
    reply, columns = ask(explorer, dict(a=4), dict(a=2, draw=0))
    assert reply == dict(id="v-1", names=["x", "y", "total"])
    assert all((columns[name] == explorer.at()[name]).all() for name in columns)


def test_the_kernel_computes_between_grid_points_and_with_fresh_randomness():
    explorer = make(noisy, draws=20, readout="{total}")
    _, between = ask(explorer, dict(a=4.5), dict(a=2, draw=0))
    assert between["total"] == 4.5 and (between["y"] == explorer.at()["y"]).all()  # the nearest grid point's stream
    _, fresh = ask(explorer, dict(a=4.5), dict(a=2, draw=0), seed=2**63 + 1)
    assert (fresh["y"] != between["y"]).any()


def test_integer_controls_reach_functions_as_int_and_others_as_float():
    kinds = []
    explorer = make(
        lambda a, n: dict(x=X, y=X, kind=kinds.append((type(a), type(n))) or 0),
        readout="{n}",
        controls=dict(a=slider("a", GRID), n=slider("n", GRID, integer=True)),
    )
    ask(explorer, dict(a=3, n=3), dict(a=1, n=1, draw=0))
    assert set(kinds) == {(float, int)}


def test_a_function_that_fails_off_the_grid_is_answered_with_its_message():
    def picky(a):
        if a == 3:
            raise RuntimeError("not three")
        return dict(x=X, y=X)

    reply, columns = ask(make(picky), dict(a=3), dict(a=1, draw=0))
    assert (
        reply == dict(id="v-1", error="explorer 'demo': picky(a=3.0) raised RuntimeError: not three") and columns == {}
    )


def test_the_widget_keeps_its_seed_until_fresh_randomness_is_asked_for(monkeypatch):
    explorer = make(noisy, draws=20, readout="{total}")
    widget, sent = live.widget(explorer), []
    monkeypatch.setattr(
        type(widget),
        "send",
        lambda self, content, buffers=None: sent.append([np.frombuffer(b).tolist() for b in buffers]),
    )
    for fresh in (False, False, True, False, True):
        widget._handle_custom_msg(dict(id="v", values=dict(a=4), index=dict(a=2, draw=0), fresh=fresh), [])
    assert sent[0] == sent[1] != sent[2] == sent[3] != sent[4]


def test_a_page_shows_the_table_and_a_notebook_the_widget_with_a_picture_for_later(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda *objects, raw=False: shown.extend(objects))
    monkeypatch.setenv("DPLIB_STATIC", "1")
    explorer = make(readout="a < b & </script> {a}")
    explorer._ipython_display_()
    assert list(shown[0]) == ["text/html", "text/plain", "application/pdf"] and len(shown) == 1
    page = shown.pop()["text/html"]
    assert (
        page.count("</script>") == 1
        and json.loads(json.loads(re.search(r'json">(.*)</script>', page)[1])["spec"]) == explorer.spec
    )
    assert "<p>a &lt; b &amp; &lt;/script&gt; 4</p></noscript>" in page
    monkeypatch.delenv("DPLIB_STATIC")
    explorer._ipython_display_()
    picture, widget = shown
    assert 'alt="A line through the origin"' in picture["text/html"] and json.loads(widget.spec) == explorer.spec


def test_what_a_page_keeps_of_an_explorer_contains_nothing_of_the_front_end(monkeypatch, tmp_path):
    """So a change of the script needs no page to be executed again; `site.cache_folder` relies on it."""
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda *objects, raw=False: shown.extend(objects))
    monkeypatch.setenv("DPLIB_STATIC", "1")
    make()._ipython_display_()
    monkeypatch.setattr(front, "WEB", tmp_path)  # without any of its files
    make()._ipython_display_()
    assert shown[0] == shown[1]


# -------------------------------------------------------------------------------- texts and colours


@pytest.mark.parametrize(
    "value, text",
    [
        (0, "0"),
        (-0.0, "0"),
        (1234, "1,234"),
        (12345.6, "12,300"),
        (999999, "999,999"),
        (1e6, "10⁶"),
        (2.34e7, "2.3·10⁷"),
        (1 / 3, "0.333"),
        (-2.5, "−2.5"),
        (0.001, "0.001"),
        (0.00099, "9.9·10⁻⁴"),
        (1e-12, "10⁻¹²"),
        (9.96e-7, "10⁻⁶"),
        (999.96, "1,000"),
        (2.125, "2.13"),
        (0.1 + 0.2, "0.3"),
        (float("nan"), "–"),
    ],
)
def test_numbers_as_readers_see_them(value, text):
    assert sentences.format(value) == text


def test_still_figures_and_explorers_share_one_palette():
    assert figures.INKS == palette()


def channels(colour):
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def linear(colour):
    c = channels(colour)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    """The contrast ratio of WCAG 2."""
    light, dark = sorted((linear(c) @ [0.2126, 0.7152, 0.0722] for c in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def themes():
    """Every block of the style sheet that sets the palette."""
    blocks = [dict(re.findall(r"(--dp-\w+): (#[0-9a-f]{6})", block)) for block in front.style().split("}")]
    return [b for b in blocks if b]


def test_the_contrast_formula():
    assert contrast("#ffffff", "#000000") == pytest.approx(21) and contrast("#777777", "#ffffff") == pytest.approx(
        4.48, abs=0.01
    )


def test_each_theme_is_complete_and_text_and_marks_have_contrast_in_it():
    light, dark, system, printed = themes()
    assert light == printed and dark == system and set(light) == set(dark)
    for theme in (light, dark):
        for ink in ("--dp-1", "--dp-2", "--dp-3", "--dp-4", "--dp-ink"):
            assert contrast(theme[ink], theme["--dp-paper"]) >= 4.5, ink  # all are used for text, which needs most


# Machado, Oliveira and Fernandes (2009): complete loss of one kind of cone, on linear RGB.
BLINDNESS = dict(
    none=np.eye(3),
    protanopia=[[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    deuteranopia=[[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    tritanopia=[[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
)
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(rgb):
    f = np.cbrt(np.clip(XYZ @ rgb / [0.95047, 1, 1.08883], 0.008856, None))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("kind", BLINDNESS)
def test_the_four_inks_differ_for_every_kind_of_colour_vision(kind):
    for theme in themes()[:2]:
        seen = [lab(np.clip(np.array(BLINDNESS[kind]) @ linear(theme[f"--dp-{i}"]), 0, 1)) for i in (1, 2, 3, 4)]
        nearest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
        assert nearest >= 25, (theme, nearest)  # about ten just noticeable differences


# -------------------------------------------------------------------------------- print

BOX = dict(x1="left", x2="right", y1=0, y2="y")
EVERY_MARK = dict(
    areaY=dict(x="x", y1=0, y2="y", fill="c1", fillOpacity=0.3),
    line=dict(x="x", y="y", stroke="c2", strokeDasharray="6 3", curve="step-after", label="line"),
    dot=dict(x="x", y="y", fill="none", stroke="c3", r=4),
    rect=BOX | dict(fill="c4", fillOpacity="shade"),
    rectY=BOX | dict(stroke="currentColor", fill="none"),
    ruleX=dict(x=0.5, stroke="c1", label="here"),
    ruleY=dict(y="y", x1="left", x2="right", stroke="c2"),
    text=dict(x=0.2, y="top", text="top {top}", fill="c3", dy=-9),
)


def everything(a):
    return dict(x=X, left=X - 0.1, right=X + 0.1, y=np.ma.masked_equal(a * X, a / 2), shade=X, top=a)


def with_marks(**marks):
    return make(
        everything,
        readout="{top}",
        plot=figure(
            *map(list, marks.items()), x=dict(label="x", domain=[-0.2, 1.2]), y=dict(label="y", domain=[0, 10])
        ),
    )


def in_scripts(pattern):
    """What a pattern finds in our scripts for the screen."""
    scripts = [(front.WEB / name).read_text(encoding="utf-8") for name in ("draw.js", "texts.js", "controls.js", "guess.js")]
    return set(re.findall(pattern, "".join(scripts)))


def test_the_kinds_of_marks_stand_in_one_table():
    """Print looks functions up in it, the screen asks Plot by name; scripts that treat some kinds
    in their own way, and the bundle of what is taken from Plot, know no other ones."""
    assert set(EVERY_MARK) == set(specs.MARKS) == set(still.DRAW)
    drawn = {name for name in vars(still) if name.startswith("draw_")}
    assert drawn == {mark.drawn_by for mark in specs.MARKS.values()}
    treated = in_scripts(r'kind [!=]== "(\w+)"')
    assert {"line", "dot", "ruleX", "ruleY", "text"} <= treated <= set(specs.MARKS)
    assert in_scripts(r'kind\.startsWith\("(\w+)"\)') == {"rect"}
    assert set(
        re.search(r"names = \[(.*?)\]", (front.WEB / "vendor/build.mjs").read_text())[1].replace('"', "").split(", ")
    ) == set(specs.MARKS) - {"text"} | {"plot"}


def artists(explorer):
    ax = still.still(explorer).axes[0]
    return dict(
        line=ax.lines,
        area=[c for c in ax.collections if type(c).__name__ == "FillBetweenPolyCollection"],
        dots=[c for c in ax.collections if type(c).__name__ == "PathCollection"],
        boxes=ax.patches,
        rules=[c for c in ax.collections if type(c).__name__ == "LineCollection"],
        texts=ax.texts,
    )


@pytest.mark.parametrize(
    "kind, drawn",
    [
        ("areaY", dict(area=1)),
        ("line", dict(line=1, texts=1)),
        ("dot", dict(dots=1)),
        ("rect", dict(boxes=4)),
        ("rectY", dict(boxes=4)),
        ("ruleX", dict(rules=1, texts=1)),
        ("ruleY", dict(rules=1)),
        ("text", dict(texts=1)),
    ],
)
def test_print_draws_every_mark_with_its_gaps(kind, drawn):
    counts = {name: len(found) for name, found in artists(with_marks(**{kind: EVERY_MARK[kind]})).items()}
    assert {name: n for name, n in counts.items() if n} == drawn


def test_print_draws_the_numbers():
    found = artists(with_marks(**EVERY_MARK))
    assert found["line"][0].get_ydata()[[0, 1, 3, 4]].tolist() == [0, 1, 3, 4] and np.isnan(
        found["line"][0].get_ydata()[2]
    )
    assert found["dots"][0].get_offsets().tolist() == [[0, 0], [0.25, 1], [0.75, 3], [1, 4]]
    assert (
        found["boxes"][3].get_xy()[:4].tolist() == [[0.9, 0], [1.1, 0], [1.1, 4], [0.9, 4]]
        and found["boxes"][3].get_facecolor()[3] == 1
    )
    assert sorted(text.get_text() for text in found["texts"]) == ["here", "line", "top 4"]
    assert found["rules"][0].get_segments()[0].tolist() == [[0.5, 0], [0.5, 10]]


def test_stills_are_the_same_bytes_every_time_and_follow_the_theme():
    explorer = with_marks(**EVERY_MARK)
    one_by_one = [still.save(explorer, kind)[0] for kind in ("svg", "pdf", "png")]
    assert one_by_one == [still.save(explorer, kind)[0] for kind in ("svg", "pdf", "png")]
    together = still.save(explorer, "svg", "pdf")                # laid out once, for both
    assert together[0] == one_by_one[0] and together == still.save(explorer, "svg", "pdf")
    text = still.svg(explorer)
    assert (
        text.startswith("<svg")
        and "<metadata>" not in text
        and not set(re.findall("#[0-9a-f]{6}", text)) & set(palette().values())
    )
    assert all(f"var({name})" in text for name in palette())


def test_the_front_end_is_one_script_for_both_hosts():
    page, module = front.front_end(static=True), front.front_end(static=False)
    assert "export" not in page.split("// Figures from descriptions")[1] and module.rstrip().endswith(
        "export default { render };"
    )
    assert "http" not in page.split("// Figures from descriptions")[1]
    assert page.count("@observablehq/plot 0.6.17") == 1


def test_the_lock_of_the_bundle_names_no_registry():
    text = (front.WEB / "vendor/package-lock.json").read_text()
    assert "resolved" not in text and "http" not in text
    assert json.loads(text)["packages"]["node_modules/@observablehq/plot"]["version"] == "0.6.17"
    assert (front.WEB / "plot.js").read_text().startswith("/* @observablehq/plot 0.6.17 ")
