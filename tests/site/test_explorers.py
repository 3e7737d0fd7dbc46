"""Every explorer of the built book, in a browser: do its numbers and drawing agree with fresh calls of its functions?

Nothing here knows a chapter: the code cells of the page's source are executed again in this process, which gives the
explorers' functions, and what the page shows is compared with what they return.
"""

import contextlib
import functools
import json
import re
import warnings
from dataclasses import replace

import jupytext
import numpy as np
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from dplib.book import spec as specs
from dplib.book.explorer import Explorer
from dplib.book.front import front_end, style
from tests.site.browser import SITE, explorer_pages, leave_out_formulas, new_tab, one_tab, others, settle, violations
from tests.site.browser import opened as opened_in
from tests.test_explorer import EVERY_MARK, with_marks

EXPLORERS = [pytest.param(page, id, id=f"{page.stem}-{id}") for page, ids in explorer_pages().items() for id in ids]
PAGES = [pytest.param(page, id=page.stem) for page in explorer_pages()]
every_explorer = pytest.mark.parametrize("path, id", EXPLORERS)
every_page = pytest.mark.parametrize("path", PAGES)
WIDE, NARROW = dict(width=1280, height=900), dict(width=360, height=740)
REACH = 120                         # pixels that a text may move to hide nothing


def test_the_book_is_built_and_has_explorers(site):
    assert EXPLORERS


# -------------------------------------------------------------------------------- what the package says


class Untabulated(Explorer):
    """An explorer of a chapter without its table: it takes what the page says of it, and computes all else afresh."""

    def __init__(self, id, *functions, controls, draws=0, seed=0, spec, **_):
        self.id, self.functions, self.draws, self.seed, self.spec = id, functions, draws, seed, spec
        self.controls = {name: replace(control, name=name) for name, control in controls.items()}
        self._by = [specs.dependencies(self, f) for f in functions]

    def at(self, **index):
        return fresh(self, self.position(**index))[1]


@functools.cache
def made_by(path):
    """{id: explorer} of a page, from executing the code cells of its chapter once more, down to the last explorer."""
    source = SITE.parents[1] / path.relative_to(SITE).with_suffix(".md")
    states = re.findall(r'<script type="application/json">(\{"spec": .*?)</script>', path.read_text(encoding="utf-8"))
    said, made = {spec["id"]: spec for spec in (json.loads(json.loads(state)["spec"]) for state in states)}, {}

    def make(id, *args, **kwargs):
        made[id] = Untabulated(id, *args, spec=said[id], **kwargs)

    names = dict(__name__="__main__", display=lambda *_, **__: None)
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(source.parent), warnings.catch_warnings():
        warnings.simplefilter("default")
        patch.setattr("dplib.book.Explorer", make)
        cells = [cell for cell in jupytext.read(source, fmt="md:myst").cells if cell.cell_type == "code"]
        last = max(i for i, cell in enumerate(cells) if "Explorer(" in cell.source)
        for cell in cells[:last + 1]:
            tags = set(cell.metadata.get("tags", ()))
            if "skip-execution" not in tags:
                with contextlib.suppress(Exception if "raises-exception" in tags else ()):
                    exec(compile(TransformerManager().transform_cell(cell.source), str(source), "exec"), names)
    return made


def explorer_of(path, id):
    return made_by(path)[id]


def fresh(explorer, position):
    """Values of the controls, and columns from a call of the functions that did not go through the table."""
    return computed(explorer, *sorted((name, int(i)) for name, i in position.items()))


@functools.cache
def computed(explorer, *place):
    """Once for each position: some take a second."""
    index = dict(place)
    values = {name: c.values[index[name]] for name, c in explorer.controls.items()}
    return values, explorer.compute(values, index)


# -------------------------------------------------------------------------------- what the page shows

STATE = """id => {
  const root = document.getElementById(id), { columns, values, position, svg } = root.explorer;
  const attributes = node => Object.fromEntries([...node.attributes].map(a => [a.name, a.value]));
  const scale = side => {
    const { type, domain, range } = svg.scale(side);
    return { type, domain: [...domain], range: [...range] };
  };
  return JSON.stringify({                                     // much faster than the driver's way; NaN becomes null
    columns: Object.fromEntries(Object.entries(columns).map(([name, c]) => [name, [...c]])),
    values, position, x: scale('x'), y: scale('y'), size: [+svg.getAttribute('width'), +svg.getAttribute('height')],
    readout: root.querySelector('output').textContent,
    alt: svg.getAttribute('aria-label'),
    marks: root.explorer.spec.plot.marks.map((_, k) => [...svg.querySelectorAll(`.dp-mark-${k}`)].map(g =>
      ({ own: attributes(g), text: g.textContent, parts: [...g.children].map(attributes) }))),
    labels: [...svg.querySelectorAll('.dp-direct')].map(t => t.textContent),
  });
}"""
MOVE = """([id, position]) => {
  const root = document.getElementById(id);
  root.explorer.position.draw = position.draw;
  for (const input of root.querySelectorAll('input')) {
    input.value = position[input.name];
    input.dispatchEvent(new Event('input'));
  }
}"""


def written(value, unit):
    """A control's value as its slider says it."""
    return f"{specs.format(value)} {unit}".strip().replace(" %", "%")


def state(page, id):
    return json.loads(page.evaluate(STATE, id))


def position_of(page, id):
    return page.evaluate("id => document.getElementById(id).explorer.position", id)


def open_page(tab, path, address=None, query=""):
    """The tab with a page in it whose explorers are drawn."""
    opened_in(tab, (f"{address}/{path.relative_to(SITE)}" if address else path.as_uri()) + query)
    tab.wait_for_function("[...document.querySelectorAll('.dp-static')].every(host => host.explorer)")
    return tab


@pytest.fixture(scope="module")
def opened(browser):
    """Pages of the book, opened once: for tests that leave nothing behind but slider positions."""
    context = browser.new_context(viewport=WIDE)
    leave_out_formulas(context)
    tab_of = functools.cache(lambda path: open_page(new_tab(context), path))

    def in_front(path):
        tab_of(path).bring_to_front()                       # a tab behind others draws itself once a second
        return tab_of(path)

    yield in_front
    context.close()


@pytest.fixture(scope="module")
def phone(browser):
    """A narrow window under fingers, of a system that is dark."""
    options = dict(viewport=NARROW, has_touch=True, is_mobile=True, color_scheme="dark")
    with one_tab(browser, formulas=False, **options) as tab:
        yield tab


@pytest.fixture(scope="module")
def small_window(browser):
    with one_tab(browser, formulas=False, viewport=dict(width=700, height=700)) as tab:
        yield tab


@pytest.fixture(scope="module")
def without_javascript(browser):
    with one_tab(browser, java_script_enabled=False, viewport=NARROW) as tab:
        yield tab


@contextlib.contextmanager
def window(page, size):
    """A window of this size for a while, redrawn."""
    page.set_viewport_size(size)
    settle(page)
    try:
        yield
    finally:
        page.set_viewport_size(WIDE)
        settle(page)


def pixels(scale, values):
    f = np.log if scale["type"] == "log" else np.asarray
    (a, b), (p, q) = f(np.asarray(scale["domain"], float)), scale["range"]      # JSON may write 1e20 as an integer
    return p + (f(np.asarray(values, float)) - a) / (b - a) * (q - p)


def check_scales(explorer, shown, values):
    """The axes are those of the description and lie inside the drawing."""
    for side, extent in zip("xy", shown["size"]):
        axis, scale = explorer.spec["plot"][side], shown[side]
        assert scale["type"] == axis["type"] and scale["domain"] == [values.get(v, v) for v in axis["domain"]]
        assert (
            0 <= min(scale["range"]) and max(scale["range"]) <= extent and abs(np.diff(scale["range"])[0]) > extent / 3
        )
        assert (scale["range"][0] < scale["range"][1]) == (side == "x")


def check_series(explorer, shown, columns):
    """Every column is that of a fresh call, to the stated error of its codes and one millionth."""
    assert set(shown["columns"]) == set(columns)
    for name, want in columns.items():
        stored, got = explorer.spec["columns"][name], np.array(shown["columns"][name], float)
        allowed = stored.get("error", 0) * (np.abs(want) if stored.get("scale") == "log" else 1) + 1e-6 * np.abs(want)
        assert got.shape == want.shape and (np.isnan(got) == np.isnan(want)).all(), name
        assert np.nanmax(np.abs(got - want) - allowed, initial=-1) <= 0, name


def runs(points):
    """The stretches of points without a gap."""
    gaps = np.isnan(points).any(axis=1)
    stretches = np.split(points, np.flatnonzero(gaps))
    return [run for run in (s[~np.isnan(s).any(axis=1)] for s in stretches) if len(run)]


def with_corners(points, curve):
    """The corners that a stepped curve puts between its points, one after the other."""
    if curve == "linear" or len(points) < 2:
        return points
    (x, y), (x2, y2) = points[:-1].T, points[1:].T
    turn = {"step": (x + x2) / 2, "step-after": x2, "step-before": x}[curve]
    first, second = (np.c_[turn, y], np.c_[turn, y2]) if curve != "step-before" else (np.c_[x, y2], np.c_[x2, y2])
    corners = np.stack([first, second], axis=1).reshape(-1, 2)
    return np.vstack([points[:1], corners, points[-1:] if curve == "step" else corners[:0]])


def numbers(paths):
    """All points of the paths of a mark."""
    found = [float(t) for path in paths for t in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", path["d"])]
    return np.array(found).reshape(-1, 2)


def agree(drawn, wanted):
    """To half a pixel; far outside the frame, where nothing shows, only that both are there."""
    drawn, wanted = np.asarray(drawn, float), np.asarray(wanted, float)
    assert drawn.shape == wanted.shape
    near = np.abs(wanted) < 2000
    assert np.abs(drawn - wanted)[near].max(initial=0) <= 0.5
    assert (np.abs(drawn)[~near] > 1000).all()


def check_mark(kind, options, drawn, columns, shown, text):
    """One mark of the drawing against its columns."""
    channel = {
        k: np.atleast_1d(columns[v] if isinstance(v, str) else v).astype(float)
        for k, v in options.items()
        if re.fullmatch(r"[xy][12]?|\w+Opacity", k)
    }
    length = max(len(c) for k, c in channel.items())
    channel = {k: np.broadcast_to(c, length) for k, c in channel.items()}
    at = {k: pixels(shown[k[0]], c) for k, c in channel.items() if k[0] in "xy"}
    frame = {side: sorted(shown[side]["range"]) for side in "xy"}
    parts = [part for group in drawn for part in group["parts"]]
    read = lambda *names: np.array([[float(part.get(name, "nan")) for name in names] for part in parts]).reshape(
        -1, len(names)
    )

    nothing = np.zeros((0, 2))
    if kind == "line":
        curves = [with_corners(run, options.get("curve", "linear")) for run in runs(np.c_[at["x"], at["y"]])]
        agree(numbers(parts), np.vstack([nothing, *curves]))
        assert sum(part["d"].count("M") for part in parts) == len(curves)
        return
    if kind == "areaY":
        curve, wanted = options.get("curve", "linear"), [nothing]
        for run in runs(np.c_[at["x"], at["y1"], at["y2"]]):
            wanted += [with_corners(run[:, [0, 2]], curve), with_corners(run[:, [0, 1]], curve)[::-1]]
        agree(numbers(parts), np.vstack(wanted))
        return
    if kind == "text":
        visible = np.isfinite(at["x"]) & np.isfinite(at["y"])
        assert [group["text"] for group in drawn] == [text(options["text"])] * visible.sum()
        agree([float(group["own"]["data-place"]) for group in drawn], at["y"][visible] + options.get("dy", 0))
        assert all(abs(float(group["own"]["y"]) - float(group["own"]["data-place"])) <= REACH for group in drawn)
        assert all(0 <= float(group["own"]["x"]) < shown["size"][0] for group in drawn)
        return
    if kind in ("rect", "rectY"):
        wanted = np.c_[
            np.minimum(at["x1"], at["x2"]),
            np.minimum(at["y1"], at["y2"]),
            np.abs(at["x2"] - at["x1"]),
            np.abs(at["y2"] - at["y1"]),
        ]
        got = read("x", "y", "width", "height")
    elif kind == "dot":
        slack = {s: (high - low) / 1000 for s, (low, high) in frame.items()}
        inside = [(at[s] >= frame[s][0] - slack[s]) & (at[s] <= frame[s][1] + slack[s]) for s in "xy"]
        wanted, got = np.where((inside[0] & inside[1])[:, None], np.c_[at["x"], at["y"]], np.nan), read("cx", "cy")
    else:
        side, other = ("x", "y") if kind == "ruleX" else ("y", "x")
        ends = [at[other + e] if other + e in at else np.full(length, limit) for e, limit in zip("12", frame[other])]
        wanted = np.c_[at[side], np.sort(ends, axis=0).T]
        got = read(side + "1", other + "1", other + "2")
        got[:, 1:].sort(axis=1)
    visible = ~np.isnan(wanted).any(axis=1)
    agree(got, wanted[visible])
    if isinstance(options.get("fillOpacity"), str):
        assert np.abs(read("fill-opacity")[:, 0] - channel["fillOpacity"][visible]).max(initial=0) < 2e-3


def check_everything(page, explorer):
    """Everything that one explorer shows against fresh calls of its functions."""
    shown = state(page, explorer.id)
    values, columns = fresh(explorer, shown["position"])
    assert shown["values"] == values
    check_scales(explorer, shown, values)
    check_series(explorer, shown, columns)
    decoded = {
        name: np.array(c, float) for name, c in shown["columns"].items()
    }  # a last digit may turn on the codes' error
    text = lambda template: specs.fill_in(template, decoded, values)
    for (kind, options), drawn in zip(explorer.spec["plot"]["marks"], shown["marks"]):
        check_mark(kind, options, drawn, columns, shown, text)
    assert shown["readout"] == text(explorer.spec["readout"]) and shown["alt"] == text(explorer.spec["alt"])
    labels = [text(options["label"]) for _, options in explorer.spec["plot"]["marks"] if options.get("label")]
    assert set(shown["labels"]) <= set(labels)
    return shown


@every_explorer
def test_numbers_and_marks_follow_twenty_random_positions(opened, path, id):
    page, explorer = opened(path), explorer_of(path, id)
    rng = np.random.default_rng(20)
    drawings = set()
    for _ in range(20):
        position = {name: int(rng.integers(len(c.values))) for name, c in explorer.controls.items()} | {
            "draw": int(rng.integers(max(1, explorer.draws)))
        }
        page.evaluate(MOVE, [id, position])
        shown = check_everything(page, explorer)
        assert shown["position"] == position
        drawings.add(page.inner_html(f"#{id} .dp-figure"))
    assert len(drawings) > 1


@every_explorer
def test_the_comparison_can_fail(opened, path, id):
    """Shift what the page drew by a pixel, and a column by half a percent: each must be noticed."""
    page, explorer = opened(path), explorer_of(path, id)
    shown = state(page, id)
    values, columns = fresh(explorer, shown["position"])
    noticed = 0
    for side in "xy":
        moved = {**shown, side: {**shown[side], "range": [r + 1 for r in shown[side]["range"]]}}
        for (kind, options), drawn in zip(explorer.spec["plot"]["marks"], shown["marks"]):
            with contextlib.suppress(AssertionError):
                check_mark(kind, options, drawn, columns, moved, str)
                continue
            noticed += 1
    assert noticed >= 1
    for name, want in columns.items():
        wrong = {
            **shown,
            "columns": {**shown["columns"], name: (np.nan_to_num(want) + 0.005 * (1 + np.abs(np.nan_to_num(want)))).tolist()},
        }
        with pytest.raises(AssertionError):
            check_series(explorer, wrong, columns)


@pytest.mark.parametrize("curve", ["linear", "step", "step-before", "step-after"])
def test_every_mark_is_drawn_on_screen_as_in_print(browser, tmp_path, curve):
    """The page draws the whole vocabulary, gaps and steps included; test_explorer.py has the same marks in print."""
    curves = {
        kind: options | dict(curve=curve) if kind in ("line", "areaY") else options
        for kind, options in EVERY_MARK.items()
    }
    explorer = with_marks(**curves)
    head = f'<!doctype html><meta charset="utf-8"><style>{style()}</style>'
    html = f"{head}{explorer.html()}<script>{front_end(static=True)}</script>"
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    for index in range(4):
        page.evaluate(MOVE, ["demo", explorer.position(a=index)])
        shown = check_everything(page, explorer)
        assert all(mark and any(group["parts"] or group["text"] for group in mark) for mark in shown["marks"])
    page.close()


# -------------------------------------------------------------------------------- hands, eyes and ears


@every_explorer
def test_the_keyboard_moves_every_slider_and_says_its_value(opened, path, id):
    page, explorer = opened(path), explorer_of(path, id)
    for name, control in explorer.controls.items():
        slider, last = page.locator(f"#{id} input[name={name}]"), len(control.values) - 1
        assert page.locator(f"#{id} label[for='{slider.get_attribute('id')}']").inner_text() == control.label
        slider.focus()
        for key, index in (
            ("Home", 0),
            ("ArrowRight", 1),
            ("ArrowUp", min(2, last)),
            ("ArrowLeft", min(2, last) - 1),
            ("ArrowDown", max(0, min(2, last) - 2)),
            ("End", last),
            ("PageDown", None),
            ("PageUp", None),
        ):
            page.keyboard.press(key)
            at = position_of(page, id)[name]
            assert at == index if index is not None else at < last if key == "PageDown" else at > 0
            assert slider.get_attribute("aria-valuetext") == written(control.values[at], control.unit)
        check_everything(page, explorer)
    assert page.locator(f"#{id} [aria-live=polite]").count() == 1
    assert page.locator(f"#{id} svg[role=img]").count() == 1


@every_explorer
def test_draw_again_steps_through_the_stored_draws(opened, path, id):
    page, explorer = opened(path), explorer_of(path, id)
    button = page.locator(f"#{id} button")
    if not explorer.draws:
        assert button.count() == 0
        return
    page.evaluate(MOVE, [id, explorer.position()])
    drawings = []
    for draw in range(explorer.draws):
        assert button.inner_text() == f"Draw again ({draw + 1} of {explorer.draws})"
        drawings.append(page.inner_html(f"#{id} .dp-figure"))
        if draw % 7 == 0:
            check_everything(page, explorer)
        button.click() if draw == 0 else button.press("Enter")
    assert (
        button.inner_text() == f"Draw again (1 of {explorer.draws})"
        and page.inner_html(f"#{id} .dp-figure") == drawings[0]
    )
    assert len(set(drawings)) > explorer.draws / 2


def first_slider(page, id):
    """Its box, and a function that reads its index."""
    slider = page.locator(f"#{id} input").first
    slider.evaluate(
        "node => node.scrollIntoView({ behavior: 'instant', block: 'center' })"
    )  # the theme scrolls smoothly
    return (
        slider.bounding_box(),
        lambda: position_of(page, id)[slider.get_attribute("name")],
        int(slider.get_attribute("max")),
    )


@every_page
def test_mouse_and_fingers(phone, path):
    page = open_page(phone, path)
    fingers = page.context.new_cdp_session(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"

    def touch(kind, *at):
        fingers.send("Input.dispatchTouchEvent", dict(type=kind, touchPoints=[dict(x=x, y=y) for x, y in at]))

    for id in explorer_pages()[path]:
        box, index, last = first_slider(page, id)
        x, y = lambda share: box["x"] + box["width"] * share, box["y"] + box["height"] / 2
        page.mouse.click(x(0.01), y)
        assert index() == 0
        page.mouse.move(x(0.02), y)
        page.mouse.down()
        page.mouse.move(x(0.5), y, steps=5)
        page.mouse.up()
        assert abs(index() - last / 2) <= 1
        page.touchscreen.tap(x(0.99), y)
        assert index() == last
        touch("touchStart", (x(0.98), y))
        for share in (0.9, 0.7, 0.5, 0.3, 0.01):
            touch("touchMove", (x(share), y))
        touch("touchEnd")
        assert index() == 0
    fingers.detach()
    assert page.complaints == []


# At each of some positions of an explorer: texts that are cut, that lie on another text, on a line, a dot or a bar. A text's height
# is that of its letters; lines and bars count where the frame shows them, areas and pale bars do not count.
HIDDEN = """([id, positions]) => {
  const wrong = new Set(), meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom;
  const check = svg => {
    const home = svg.getBoundingClientRect(), [left, right] = svg.scale('x').range, [bottom, top] = svg.scale('y').range;
    const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim()).map(t => {
      const box = t.getBoundingClientRect(), middle = (box.top + box.bottom) / 2 - home.top, rise = .38 * parseFloat(getComputedStyle(t).fontSize);
      return { text: t.textContent, own: t.classList.contains('dp-label'), left: box.left - home.left, right: box.right - home.left,
        top: middle - rise, bottom: middle + rise };
    });
    const labels = texts.filter(t => t.own);
    const on = (mark, name) => { for (const t of labels) if (meet(t, mark)) wrong.add(`${t.text} on ${name}`); };
    texts.forEach((a, i) => {
      if (a.left < -1 || a.right > home.width + 1 || a.top < 0 || a.bottom > home.height) wrong.add(`${a.text} is cut`);
      for (const b of texts.slice(0, i)) if (meet(a, b)) wrong.add(`${a.text} on ${b.text}`);
    });
    for (const node of svg.querySelectorAll('.dp-mark:is(path, line, circle, rect), .dp-mark :is(path, line, circle, rect)')) {
      const style = getComputedStyle(node), half = style.stroke === 'none' ? 0 : parseFloat(style.strokeWidth) / 2;
      const name = node.closest('.dp-mark').getAttribute('class');
      const around = (x, y, r) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r });
      if (node.nodeName === 'circle') on(around(node.cx.baseVal.value, node.cy.baseVal.value, node.r.baseVal.value), name);
      else if (node.nodeName === 'rect') {
        const { x, y, width, height } = node, [l, t] = [x.baseVal.value, y.baseVal.value];
        if (style.fill !== 'none' && +style.fillOpacity > .5) on({ left: l, right: l + width.baseVal.value, top: t, bottom: t + height.baseVal.value }, name);
      } else if (half) {
        for (let k = 0, all = node.getTotalLength(); k <= all; k += 2) {
          const { x, y } = node.getPointAtLength(k);
          if (x > left - 1 && x < right + 1 && y > top - 1 && y < bottom + 1) on(around(x, y, half), name);
        }
      }
    }
  };
  for (const position of positions) {
    const { explorer } = document.getElementById(id);
    Object.assign(explorer.position, position);
    explorer.update();
    check(document.getElementById(id).explorer.svg);
  }
  return [...wrong];
}"""
POSITIONS = 34                      # of each explorer at each of two widths: more than 2,000 in all


FITS = """[...document.querySelectorAll('.dp-static')].every(host =>
  host.scrollWidth <= host.clientWidth && host.getBoundingClientRect().right <= document.documentElement.clientWidth)"""


def check_texts(page, path):
    """At the start, at both ends and at other positions of every explorer."""
    rng = np.random.default_rng(1)
    for id in explorer_pages()[path]:
        explorer = explorer_of(path, id)
        ends = [{name: i * (len(c.values) - 1) for name, c in explorer.controls.items()} for i in (0, 1)]
        anywhere = lambda: {name: int(rng.integers(len(c.values))) for name, c in explorer.controls.items()} | {
            "draw": int(rng.integers(max(1, explorer.draws)))}
        indices = [{}, *ends, *(anywhere() for _ in range(POSITIONS - 3))]
        assert page.evaluate(HIDDEN, [id, [explorer.position(**index) for index in indices]]) == [], id
    assert page.evaluate(FITS)


def test_enough_positions_are_looked_at(site):
    assert 2 * POSITIONS * len(EXPLORERS) >= 2000


@every_page
def test_wide_narrow_and_back_again_texts_stay_inside_the_figure_and_clear_of_each_other(opened, path):
    page, id = opened(path), explorer_pages()[path][0]
    drawn = f"document.getElementById('{id}').explorer.svg.getAttribute('width')"
    wide = page.evaluate(drawn)
    check_texts(page, path)
    with window(page, NARROW):
        page.wait_for_function(f"{drawn} !== '{wide}'")
        check_texts(page, path)
        check_everything(page, explorer_of(path, id))
    page.wait_for_function(f"{drawn} === '{wide}'")


DISPLACE = """([id, text, mark]) => {
  const { svg } = document.getElementById(id).explorer, label = [...svg.querySelectorAll('.dp-label')].find(t => t.textContent === text);
  const path = svg.querySelector(`.dp-mark-${mark}`), line = path.matches('path') ? path : path.querySelector('path');
  const { x, y } = line.getPointAtLength(line.getTotalLength() / 2);
  label.setAttribute('x', x - 5);
  label.setAttribute('y', y);
}"""


def test_a_text_on_a_line_or_on_a_text_is_noticed(opened):
    page = opened(next(path for path in explorer_pages() if path.stem == "naive-mean"))
    assert page.evaluate(HIDDEN, ["range", [{}]]) == []
    for text in ("proven", "no privacy"):                   # both to the same place; the next drawing puts them back
        page.evaluate(DISPLACE, ["range", text, 3])
    found = page.evaluate(HIDDEN.replace("explorer.update();", ""), ["range", [{}]])
    assert {"proven on dp-mark dp-mark-3", "no privacy on dp-mark dp-mark-3"} <= set(found)
    assert "proven on no privacy" in found or "no privacy on proven" in found
    page.evaluate("document.getElementById('range').explorer.update()")


INKS = """['--dp-1', '--dp-2', '--dp-3', '--dp-4', '--dp-ink', '--dp-paper'].map(
  name => getComputedStyle(document.documentElement).getPropertyValue(name))"""
PAPER = """(() => {
  const probe = document.createElement('p');
  probe.style.color = 'var(--dp-paper)';
  document.body.append(probe);
  return getComputedStyle(probe).color;
})()"""


@every_page
def test_themes_the_toggle_and_paper(opened, path):
    page, id = opened(path), explorer_pages()[path][0]
    shown = lambda: (page.evaluate(INKS), page.evaluate(f"getComputedStyle(document.querySelector('#{id} svg text')).fill"))
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    light = shown()
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{theme} === 'dark'")
    settle(page)
    dark = shown()
    assert not set(light[0]) & set(dark[0])
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == page.evaluate(PAPER)  # or the halos of labels would show
    page.evaluate(f"delete {theme}")  # a host without a theme follows the system
    assert shown() == dark
    page.evaluate(f"{theme} = 'light'")  # what the theme's own button does
    assert shown() == light
    page.evaluate(f"{theme} = 'dark'")
    page.emulate_media(media="print")
    assert shown() == light
    page.emulate_media(media="screen", color_scheme="light")
    page.wait_for_function(f"{theme} === 'light'")


@every_page
def test_print_shows_the_present_values_without_the_sliders(opened, path):
    page = opened(path)
    for id in explorer_pages()[path]:
        explorer = explorer_of(path, id)
        page.evaluate(MOVE, [id, explorer.position(**{name: 0 for name in explorer.controls})])
        page.emulate_media(media="print")
        assert page.locator(f"#{id} svg").is_visible() and page.locator(f"#{id} output").is_visible()
        assert not any(node.is_visible() for node in page.locator(f"#{id} input, #{id} button").all())
        text = page.locator(f"#{id} .dp-controls").inner_text()
        assert all(c.label in text and written(c.values[0], c.unit) in text for c in explorer.controls.values())
        page.emulate_media(media="screen")


@every_page
def test_without_javascript_there_is_a_picture_and_a_sentence(without_javascript, path):
    page = without_javascript
    page.goto(path.as_uri())
    for id in explorer_pages()[path]:
        assert page.locator(f"#{id} noscript svg[role=img]").is_visible()
        assert page.locator(f"#{id} noscript p").inner_text() == specs.start_text(explorer_of(path, id), "readout")


# -------------------------------------------------------------------------------- addresses and neighbours


def far_end(explorer):
    """The position with every slider at its last stop, and how an address says it, a little off the grid."""
    last = {name: len(c.values) - 1 for name, c in explorer.controls.items()}
    said = [f"{name}={c.values[-1] * 1.001}" for name, c in explorer.controls.items()] + ["draw=3"] * bool(explorer.draws)
    return explorer.position(**last, draw=2 if explorer.draws else 0), "&".join(said)


GO_TO = "hash => new Promise(done => { addEventListener('hashchange', done, { once: true }); location.hash = hash })"


@every_explorer
def test_the_address_holds_the_state(opened, path, id):
    page, explorer = opened(path), explorer_of(path, id)
    (name, control), (position, query) = next(iter(explorer.controls.items())), far_end(explorer)
    for address in (f"{id}?{query}", f"{id}?", f"{id}?{name}=x&draw=-7", "nobody?a=1", f"{id}?draw=1e9&%E0%A4%A", "%"):
        page.evaluate(GO_TO, address)
        assert position_of(page, id) == position, address
    page.locator(f"#{id} input").first.press("Home")
    page.wait_for_url(re.compile(rf"#{id}\?(.*&)?{name}={re.escape(format(control.values[0], 'g'))}(&|$)"))
    written = page.url.split("#")[1]
    for address, reached in ((f"{id}?{query}", position), (written, position | {name: 0})):
        page.evaluate(GO_TO, address)
        assert position_of(page, id) == reached, address


@every_explorer
def test_an_explorer_can_stand_alone_in_the_state_of_its_address(small_window, base, path, id):
    explorer = explorer_of(path, id)
    position, query = far_end(explorer)
    page = open_page(small_window, path, base, f"?embed={id}#{id}?{query}")
    assert page.evaluate("[5, 350, 695].every(x => document.elementFromPoint(x, 5)?.closest('.dp-embed'))")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.dp-embed') !== null")  # what is hidden cannot be reached
    assert check_everything(page, explorer)["position"] == position
    assert others(page, base) == [] and page.complaints == []


@every_page
def test_after_all_this_a_page_from_a_folder_has_asked_nobody_else_and_complained_of_nothing(opened, path):
    """Before axe, which fetches the style sheets itself."""
    page = opened(path)
    assert others(page, "file:") == [] and page.complaints == []


@every_page
def test_axe_finds_nothing_in_an_explorer(opened, path):
    """What is advised beyond WCAG, which test_pages.py looks at on the whole page."""
    assert violations(opened(path), ".dp-explorer", runOnly=["best-practice"]) == []


def test_the_numbers_of_the_point_under_the_pointer_are_shown_and_go_away(browser):
    path = next(path for path in explorer_pages() if path.name == "privacy.html")
    with one_tab(browser, formulas=False, viewport=dict(width=1000, height=900)) as page:
        page.goto(path.as_uri())
        figure, box = page.locator("#accuser .dp-figure"), page.locator("#accuser .dp-pointed")
        figure.scroll_into_view_if_needed()
        assert not box.is_visible()
        place = page.evaluate("""() => { const { svg, columns } = document.getElementById('accuser').explorer, { left, top } = svg.getBoundingClientRect();
            return [left + svg.scale('x').apply(columns.at[0]), top + svg.scale('y').apply(columns.height[0])]; }""")
        page.mouse.move(place[0] + 2, place[1] - 2)
        assert box.inner_text() == "5, 13.6"
        page.mouse.move(5, 5)
        assert not box.is_visible()


def test_sliders_with_few_stops_have_a_tick_at_each(browser):
    path = next(path for path in explorer_pages() if path.name == "unbounded-mean.html")
    with one_tab(browser, formulas=False) as tab:
        tab.goto(path.as_uri())
        for slider in tab.locator(".dp-explorer input[type=range]").all():
            stops = int(slider.get_attribute("max")) + 1
            name = slider.get_attribute("list")
            assert (tab.locator(f"datalist[id='{name}'] option").count() == stops) if stops < 9 else name is None
