"""Every explorer of the built book, in a browser: do its numbers and drawing agree with fresh calls of its functions?"""

import contextlib
import re

import numpy as np
import pytest

from dplib.book import guess, sentences, slider
from dplib.book.front import front_end, style
from tests.depth import ALONE, DRAWS, HANDS, PLACES, POSITIONS, WITHOUT_SCRIPT, few
from tests.site.browser import SITE, all_drawn, explorer_pages, one_tab, open_further, opened, others, settle
from tests.site.conftest import WIDE
from tests.site.figures import MOVE, check_everything, check_mark, check_series, explorer_of, fresh, position_of, state, written
from tests.test_explorer import EVERY_MARK, with_marks

IDS = {str(page.relative_to(SITE)): ids for page, ids in explorer_pages().items()}
ALL = [(address, id) for address, ids in IDS.items() for id in ids]
every_explorer = pytest.mark.parametrize("address, id", ALL)
every_page = pytest.mark.parametrize("address", IDS)
some_explorers = pytest.mark.parametrize("address, id", few(ALL, HANDS))       # of what is the same code for all of them
some_pages = pytest.mark.parametrize("address", few(IDS, HANDS))
NARROW = dict(width=360, height=740)


def anywhere(explorer, rng):
    """A random position of the sliders and the draw."""
    position = {name: int(rng.integers(len(c.values))) for name, c in explorer.controls.items()}
    return position | {"draw": int(rng.integers(max(1, explorer.draws)))}


def test_the_book_is_built_and_has_explorers(site):
    assert ALL


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


@every_explorer
def test_numbers_and_marks_follow_at_random_positions(page, address, id):
    explorer, rng, drawings = explorer_of(address, id), np.random.default_rng(20), set()
    for _ in range(POSITIONS()):
        position = anywhere(explorer, rng)
        page.evaluate(MOVE, [id, position])
        assert check_everything(page, explorer)["position"] == position
        drawings.add(page.inner_html(f"#{id} .dp-figure"))
    assert len(drawings) > 1


@every_explorer
def test_the_comparison_can_fail(page, address, id):
    """Shift what the page drew by a pixel, and a column by half a percent: each must be noticed."""
    explorer = explorer_of(address, id)
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


@some_explorers
def test_the_keyboard_moves_every_slider_and_says_its_value(page, address, id):
    explorer = explorer_of(address, id)
    for name, control in explorer.controls.items():
        if control.names:
            page.locator(f"#{id} input[data-control={name}]").last.check(force=True)
            page.locator(f"#{id} input[data-control={name}]").last.focus()
            page.keyboard.press("ArrowUp")
            assert position_of(page, id)[name] == len(control.names) - 2
            continue
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
def test_draw_again_steps_through_the_stored_draws(page, address, id):
    explorer = explorer_of(address, id)
    button = page.locator(f"#{id} button").last
    if not explorer.draws:
        assert page.locator(f"#{id} button").count() == 0
        return
    last = explorer.draws - 1
    shown = lambda: page.inner_html(f"#{id} .dp-figure")
    page.evaluate(MOVE, [id, explorer.position()])
    first = shown()
    drawings = {first}
    for draw in range(min(DRAWS(), last)):
        assert button.inner_text() == f"Draw again ({draw + 1} of {explorer.draws})"
        button.click() if draw == 0 else button.press("Enter")
        drawings.add(shown())
    check_everything(page, explorer)
    page.evaluate(MOVE, [id, explorer.position(draw=last)])
    assert button.inner_text() == f"Draw again ({last + 1} of {explorer.draws})"
    button.press("Enter")
    assert button.inner_text() == f"Draw again (1 of {explorer.draws})" and shown() == first
    assert len(drawings) > DRAWS() / 2


def first_slider(page, id):
    """Its box, and a function that reads its index."""
    slider = page.locator(f"#{id} input[type=range]").first
    slider.evaluate(
        "node => node.scrollIntoView({ behavior: 'instant', block: 'center' })"
    )  # the theme scrolls smoothly
    return (
        slider.bounding_box(),
        lambda: position_of(page, id)[slider.get_attribute("name")],
        int(slider.get_attribute("max")),
    )


@pytest.fixture
def fingers(page):
    """A screen that is touched: a function that tells it where, and that a finger was put down, moved or lifted."""
    devices = page.context.new_cdp_session(page)
    devices.send("Emulation.setTouchEmulationEnabled", dict(enabled=True))

    def touch(kind, *at):
        devices.send("Input.dispatchTouchEvent", dict(type=kind, touchPoints=[dict(x=x, y=y) for x, y in at]))

    yield touch
    devices.send("Emulation.setTouchEmulationEnabled", dict(enabled=False))
    page.mouse.move(1, 1)                                   # off every link, which would look different under it
    devices.detach()


@some_pages
def test_mouse_and_fingers(page, fingers, address):
    with window(page, NARROW):
        for id in IDS[address]:
            if not page.locator(f"#{id} input[type=range]").count():
                continue
            box, index, last = first_slider(page, id)
            x, y = lambda share: box["x"] + box["width"] * share, box["y"] + box["height"] / 2
            page.mouse.click(x(0.01), y)
            assert index() == 0
            page.mouse.move(x(0.02), y)
            page.mouse.down()
            page.mouse.move(x(0.5), y, steps=5)
            page.mouse.up()
            assert abs(index() - last / 2) <= 1
            fingers("touchStart", (x(0.99), y))
            fingers("touchEnd")
            assert index() == last
            fingers("touchStart", (x(0.98), y))
            for share in (0.9, 0.7, 0.5, 0.3, 0.01):
                fingers("touchMove", (x(share), y))
            fingers("touchEnd")
            assert index() == 0


# At each of some positions of an explorer: texts that are cut, that lie on another text, on a line, a dot or a bar. A text's height
# is that of its letters; lines and bars count where the frame shows them, areas and pale bars do not count.
HIDDEN = r"""([id, positions]) => {
  const wrong = new Set(), meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom;
  const segments = node => {                                 // of a rule, or of a path, which has straight pieces only
    if (node.nodeName === 'line') return [[[node.x1, node.y1], [node.x2, node.y2]].map(end => end.map(c => c.baseVal.value))];
    return node.getAttribute('d').split('M').flatMap(piece => {
      const all = (piece.match(/-?\d+(\.\d+)?(e-?\d+)?/g) ?? []).map(Number), points = [];
      for (let k = 0; k + 1 < all.length; k += 2) points.push([all[k], all[k + 1]]);
      return points.slice(1).map((point, k) => [points[k], point]);
    });
  };
  const crosses = (x, y, dx, dy, left, top, right, bottom) => {          // a segment and a box: what is left of it between its four sides
    let from = 0, to = 1;
    for (const [by, room] of [[-dx, x - left], [dx, right - x], [-dy, y - top], [dy, bottom - y]]) {
      if (by === 0 && room < 0) return false;
      if (by < 0) from = Math.max(from, room / by);
      if (by > 0) to = Math.min(to, room / by);
    }
    return from <= to && left < right && top < bottom;
  };
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
        for (const [[x, y], [x2, y2]] of segments(node)) for (const t of labels) {
          const box = [Math.max(left, t.left - half), Math.max(top, t.top - half), Math.min(right, t.right + half), Math.min(bottom, t.bottom + half)];
          if (crosses(x, y, x2 - x, y2 - y, box[0] + 1, box[1] + 1, box[2] - 1, box[3] - 1)) wrong.add(`${t.text} on ${name}`);
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
FITS = """[...document.querySelectorAll('.dp-static')].every(host =>
  host.scrollWidth <= host.clientWidth && host.getBoundingClientRect().right <= document.documentElement.clientWidth)"""


def check_texts(page, address):
    """At the start, at both ends and at other positions of every explorer."""
    rng = np.random.default_rng(1)
    for id in IDS[address]:
        explorer = explorer_of(address, id)
        ends = [{name: i * (len(c.values) - 1) for name, c in explorer.controls.items()} for i in (0, 1)]
        indices = [{}, *ends, *(anywhere(explorer, rng) for _ in range(PLACES() - 3))]
        assert page.evaluate(HIDDEN, [id, [explorer.position(**index) for index in indices]]) == [], id
    assert page.evaluate(FITS)


def test_enough_positions_are_looked_at():
    assert 2 * PLACES.all * len(ALL) >= 2000


@every_page
def test_wide_narrow_and_back_again_texts_stay_inside_the_figure_and_clear_of_each_other(page, address):
    id = IDS[address][0]
    drawn = f"document.getElementById('{id}').explorer.svg.getAttribute('width')"
    wide = page.evaluate(drawn)
    check_texts(page, address)
    with window(page, NARROW):
        page.wait_for_function(f"{drawn} !== '{wide}'")
        check_texts(page, address)
        check_everything(page, explorer_of(address, id))
    page.wait_for_function(f"{drawn} === '{wide}'")


DISPLACE = """([id, text, mark]) => {
  const { svg } = document.getElementById(id).explorer, label = [...svg.querySelectorAll('.dp-label')].find(t => t.textContent === text);
  const path = svg.querySelector(`.dp-mark-${mark}`), line = path.matches('path') ? path : path.querySelector('path');
  const { x, y } = line.getPointAtLength(line.getTotalLength() / 2);
  label.setAttribute('x', x - 5);
  label.setAttribute('y', y);
}"""


@pytest.mark.parametrize("address", ["chapters/naive-mean.html"])
def test_a_text_on_a_line_or_on_a_text_is_noticed(page):
    assert page.evaluate(HIDDEN, ["range", [{}]]) == []
    for text in ("proven", "no privacy"):                   # both to the same place; the next drawing puts them back
        page.evaluate(DISPLACE, ["range", text, 3])
    found = page.evaluate(HIDDEN.replace("explorer.update();", ""), ["range", [{}]])
    assert {"proven on dp-mark dp-mark-3 dp-answer", "no privacy on dp-mark dp-mark-3 dp-answer"} <= set(found)
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


@some_pages
def test_themes_the_toggle_and_paper(page, address):
    id = IDS[address][0]
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


@some_pages
def test_print_shows_the_present_values_without_the_sliders(page, address):
    for id in IDS[address]:
        explorer = explorer_of(address, id)
        page.evaluate(MOVE, [id, explorer.position(**{name: 0 for name in explorer.controls})])
        page.emulate_media(media="print")
        assert page.locator(f"#{id} svg").is_visible() and page.locator(f"#{id} output").is_visible()
        assert not any(node.is_visible() for node in page.locator(f"#{id} input, #{id} button").all())
        text = page.locator(f"#{id} .dp-controls").inner_text()
        assert all(c.label in text and (c.names or [written(c.values[0], c.unit)])[0] in text for c in explorer.controls.values())
        page.emulate_media(media="screen")


@pytest.fixture(scope="module")
def without_javascript(browser):
    with one_tab(browser, java_script_enabled=False, viewport=NARROW) as tab:
        yield tab


@pytest.mark.parametrize("address", few(IDS, WITHOUT_SCRIPT))
def test_without_javascript_there_is_a_picture_and_a_sentence(without_javascript, site, address):
    page = without_javascript
    page.goto((site / address).as_uri())
    for fold in page.locator("details.dp-more > summary").all():
        fold.click()
    for id in IDS[address]:
        if page.locator(f"#{id} noscript summary").count():              # a guess: the answer is folded
            assert not page.locator(f"#{id} noscript svg[role=img]").is_visible()
            page.locator(f"#{id} noscript summary").click()
        assert page.locator(f"#{id} noscript svg[role=img]").is_visible()
        assert page.locator(f"#{id} noscript p").inner_text() == sentences.start_text(explorer_of(address, id), "readout")


# -------------------------------------------------------------------------------- how long a redraw takes

# Milliseconds of script, and then of styling and layout, of the middle one of some redraws.
REDRAWN = """([id, positions]) => {
  const { explorer } = document.getElementById(id), middle = times => times.sort((a, b) => a - b)[times.length >> 1];
  const times = positions.map(position => {
    Object.assign(explorer.position, position);
    const start = performance.now();
    explorer.update();
    const drawn = performance.now();
    document.body.offsetHeight;
    return [drawn - start, performance.now() - drawn];
  });
  return [0, 1].map(part => middle(times.map(time => time[part])));
}"""
RESTYLED = 8                                 # times as long as the script may take: a selector once took 37 times


def redrawn(page, address):
    id = IDS[address][0]
    explorer, rng = explorer_of(address, id), np.random.default_rng(3)
    script, style = page.evaluate(REDRAWN, [id, [anywhere(explorer, rng) for _ in range(9)]])
    return style / max(script, 1)


@every_page
def test_a_redraw_does_not_style_the_page_anew(page, address):
    assert redrawn(page, address) < RESTYLED


@pytest.mark.parametrize("address", ["chapters/naive-mean.html"])
def test_a_selector_that_styles_the_page_anew_is_noticed(page, address):
    style = page.add_style_tag(content=".bd-article:has(#nobody) > section > * { margin-top: 0 }")
    found = redrawn(page, address)
    style.evaluate("style => style.remove()")
    assert found > RESTYLED


# -------------------------------------------------------------------------------- guesses

ASKED = """() => [...document.querySelectorAll('.dp-asking')].map(root => {
  const { guess, svg, spec, columns } = root.explorer, { answer, entry, names } = spec.guess;
  const paragraphs = [...document.querySelectorAll('.bd-article h1, .bd-article p, .bd-article li')].filter(p => p.checkVisibility());
  const before = paragraphs.filter(p => p.compareDocumentPosition(root) & Node.DOCUMENT_POSITION_FOLLOWING).slice(-4);
  const caption = paragraphs.find(p => p.matches('.dp-caption') && root.compareDocumentPosition(p) & Node.DOCUMENT_POSITION_FOLLOWING);
  return {
    id: root.id, said: [...[...root.querySelectorAll('.dp-label, .dp-question label, .dp-question .dp-name')].map(text => text.textContent),
      svg.getAttribute('aria-label'), ...[...before, caption].map(p => p?.innerText ?? '')].join(' | '),
    drawn: spec.plot.marks.flatMap(([, { answer }], k) => answer && svg.querySelector(`.dp-mark-${k}`) ? [k] : []),
    answer: columns[answer][entry], names, tell: spec.guess.tell, values: spec.guess.values, log: spec.guess.log, unit: spec.guess.unit,
    shown: [...root.querySelectorAll('.dp-readout, .dp-controls:not(.dp-question)')].filter(part => part.checkVisibility()).length,
  };
})"""


def tells(said, number):
    """Does a text have this number? What stands before a letter of a formula, 2d, is a part of that."""
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d|\s*[\U0001d400-\U0001d7ff])", said) is not None


def answer_of(asked):
    return sentences.format(asked["answer"]) + (f" {asked['unit']}" if asked["unit"] else "").replace(" %", "%")


def test_a_number_in_a_text_is_found():
    assert tells("off by 129.", "129") and tells("at 0.5, say", "0.5") and not tells("1,129 or 1290 or 129.5 or 129𝑑", "129")


@pytest.mark.parametrize("address", IDS)
def test_nothing_tells_the_answer_before_the_guess_and_keys_set_it(served_page, address):
    """The question's control has the focus of the keyboard; a button of it shows everything and says the distance."""
    page = all_drawn(served_page, decided=False)
    for asked in page.evaluate(ASKED):
        id, box = asked["id"], page.locator(f"#{asked['id']}")
        assert not asked["drawn"] and not asked["shown"], id
        assert asked["names"] or not tells(asked["said"], sentences.format(asked["answer"])), f"{id} tells {asked['answer']}"
        question = box.locator(".dp-question input")
        assert box.locator(".dp-decide button").first.is_disabled(), f"{id}: a guess is made for the reader"
        tries = page.locator(".dp-drawn", has=box).locator(".dp-try")
        assert not tries.count() or not tries.is_visible(), f"{id} says what to do with controls that are not there"
        question.first.press("Space" if asked["names"] else "End")
        box.locator(".dp-decide button").first.press("Enter")
        last = (asked["names"] or [sentences.format(asked["values"][-1])])[0 if asked["names"] else -1]
        box.locator(".dp-verdict strong").wait_for()                     # a control may run first
        question_kept, words = box.locator(".dp-verdict").inner_text().split("\n")
        answer = asked["names"][asked["values"].index(asked["answer"])] if asked["names"] else answer_of(asked)
        exactly = box.locator(".dp-verdict strong").inner_text()
        assert not asked["tell"] or re.search(r"\d", exactly) and not tells(asked["said"], exactly), f"{id} tells {exactly}"
        last += "" if asked["names"] else answer_of(asked)[len(sentences.format(asked["answer"])):]
        guessed = f"You guessed {last}, " if not asked["names"] else "You guessed right." if answer == last else f"Your guess: {last}."
        assert words.startswith(f"Answer: {exactly}. {guessed}") and (asked["tell"] or exactly == answer), id
        assert question_kept == box.locator(".dp-asked").inner_text() != "", id
        assert page.evaluate("document.activeElement.className") == "dp-verdict" and question.count() == 0
        assert box.locator(".dp-readout").is_visible() and page.evaluate(f"document.getElementById('{id}').explorer.guess.made")
        assert not tries.count() or tries.is_visible()


GUESSED = dict(controls=dict(a=slider("factor a", [1, 2, 4, 8], start=0), b=slider("kind", [0, 1], names=("flat", "steep"), start=0)),
               guess=guess("How high is the end at 8?", range(1, 21), answer="end", axis="y", at=dict(a=8), start=1))


def asking(a, b):
    among, crowd = np.meshgrid(np.linspace(0, 1, 40), np.linspace(0, 16, 40))
    return dict(x=[0., 1.], y=[0., a * (1 + b)], end=a * (1 + b), four=4, among=among.ravel(), crowd=crowd.ravel())


def page_that_asks(file, *marks, **asked):
    """A page with one explorer, with these marks or a line and its end."""
    from dplib.book import Explorer
    from tests.test_explorer import figure

    marks = marks or [["line", dict(x="x", y="y", role="proven", answer=True, label="{b}")], ["ruleY", dict(y="end", role="here", answer=True)]]
    explorer = Explorer("asks", asking, **asked, alt="A line to {end}", readout="It ends at {end}, {b}.",
                        plot=figure(*marks, x=dict(label="x", domain=[0, 1]), y=dict(label="y", domain=[0, 20])))
    file.write_text(f'<!doctype html><meta charset="utf-8"><style>{style()}</style>{explorer.html()}<script>{front_end(static=True)}</script>',
                    encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def question(browser, tmp_path_factory):
    address = page_that_asks(tmp_path_factory.mktemp("asks") / "page.html", **GUESSED)
    with one_tab(browser, formulas=False, viewport=dict(width=700, height=700)) as tab:
        yield lambda tail="": opened(tab, "about:blank") and all_drawn(opened(tab, address + tail), decided=False)


def verdict(page):
    return page.locator(".dp-verdict").inner_text().split("\n")[-1]


SCALE = "document.getElementById('asks').explorer.svg.scale('y')"
BRACKET = "(({ y, height }) => [y + height, y])(document.querySelector('path.dp-said').getBBox())"


def test_a_guess_is_dragged_set_and_judged(question):
    page = question()
    handle, line = page.locator(".dp-handle-y"), "document.querySelector('.dp-guessed line, line.dp-guessed').getAttribute('y1')"
    low = page.evaluate(line)
    at = handle.bounding_box()
    page.mouse.move(at["x"] + 20, at["y"] + 20)
    page.mouse.down()
    page.mouse.move(at["x"] + 20, at["y"] - 60, steps=4)
    page.mouse.up()
    assert float(page.evaluate(line)) < float(low) - 50
    page.get_by_role("button", name="This is my guess").click()
    guessed = page.evaluate("document.getElementById('asks').explorer.spec.guess.values[document.getElementById('asks').explorer.guess.index]")
    assert verdict(page) == f"Answer: 8. You guessed {guessed}, which is " + (
        "right, or as near as makes no difference." if guessed == 8 else f"{abs(guessed - 8)} too {'high' if guessed > 8 else 'low'}.")
    assert page.locator(".dp-readout").inner_text() == "It ends at 8, flat." and not handle.is_visible()
    assert page.evaluate(BRACKET) == pytest.approx(page.evaluate(f"[8, {guessed}].map(v => {SCALE}.apply(v))"), abs=.1)
    page.wait_for_url(f"**#asks?a=8&b=0&guess={guessed}")
    page.get_by_label("factor a").press("ArrowLeft")                     # the verdict is on the place that was asked about
    assert page.locator(".dp-said, .dp-guessed").count() == 0 and "Answer: 8." in page.locator(".dp-past").inner_text()
    page.get_by_label("factor a").press("ArrowRight")
    assert page.locator(".dp-said").count() == 1 and page.locator(".dp-guessed").count() == 1


@pytest.mark.parametrize("touch", [lambda slider: slider.press("Home"), lambda slider: slider.press("Enter"),
                                   lambda slider: slider.click(position=dict(x=9, y=20)),
                                   lambda slider: slider.page.locator(".dp-handle-y").click()])
def test_a_guess_is_made_by_its_reader_also_where_the_slider_stands(question, touch):
    """Until slider or handle is touched there is no guess, and afterwards there is one, even if nothing has moved."""
    page = question()
    slider, settle = page.get_by_role("slider"), page.get_by_role("button", name="This is my guess")
    slider.press("Tab")
    assert settle.is_disabled() and page.locator(".dp-question .dp-value").inner_text() == "?"
    assert slider.get_attribute("aria-valuetext") == "not set"
    touch(slider)
    settle.click()
    assert verdict(page).startswith("Answer: 8. You guessed ")


def test_a_distance_is_that_of_the_numbers_that_are_told(browser, tmp_path):
    """16/7 is told as 2.29, and a guess of 2 is .29 off, not .286."""
    ask = guess("How high is the end?", [1.5, 2, 2.5, 3], answer="end", axis="y")
    address = page_that_asks(tmp_path / "page.html", **GUESSED | dict(guess=ask, controls=dict(
        a=slider("factor a", [16 / 7, 4], start=0), b=slider("kind", [0, 1], names=("flat", "steep"), start=0))))
    with one_tab(browser, formulas=False) as page:
        all_drawn(opened(page, address + "#asks?guess=2"), decided=False)
        assert verdict(page) == "Answer: 2.29. You guessed 2, which is 0.29 too low."


def test_a_distance_in_percent_is_one_of_percentage_points(browser, tmp_path):
    ask = guess("How high is the end?", range(1, 101), answer="end", axis="y", unit="%")
    address = page_that_asks(tmp_path / "page.html", **GUESSED | dict(guess=ask))
    with one_tab(browser, formulas=False) as page:
        all_drawn(opened(page, address + "#asks?guess=20"), decided=False)
        assert verdict(page) == "Answer: 1%. You guessed 20%, which is 19 percentage points too high."


def test_a_guess_is_named_beside_its_line_even_in_a_crowd(browser, tmp_path):
    """Dots are everywhere but high above the line; up there its name would be taken for that of something else."""
    address = page_that_asks(tmp_path / "page.html", ["dot", dict(x="among", y="crowd", role="people")],
                             ["ruleY", dict(y="end", role="here", answer=True)], **GUESSED)
    with one_tab(browser, formulas=False) as page:
        all_drawn(opened(page, address + "#asks?guess=10"), decided=False)
        name = page.locator("text", has_text="you guessed")
        assert abs(float(name.get_attribute("y")) - float(name.get_attribute("data-place"))) <= 28


@pytest.mark.parametrize("address", ["chapters/naive-mean.html"])
def test_on_a_phone_the_figure_stays_while_its_controls_are_used(page, address):
    with window(page, NARROW):
        box = page.locator("#window")
        box.locator(".dp-readout").evaluate("readout => readout.scrollIntoView({ block: 'center' })")
        stays, bar = box.locator(".dp-frame").bounding_box(), page.locator(".bd-header-article").bounding_box()
        assert 0 <= bar["y"] + bar["height"] - stays["y"] < 3
        slider = box.get_by_role("slider").first
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        slider.focus()
        assert slider.bounding_box()["y"] > (frame := box.locator(".dp-frame").bounding_box())["y"] + frame["height"]


def test_who_wants_no_guess_is_shown_and_a_link_to_a_state_shows_it(question):
    page = question()
    page.get_by_role("button", name="Show me").click()
    assert verdict(page) == "Answer: 8." and page.locator(".dp-said, .dp-guessed").count() == 0 and page.locator(".dp-readout").is_visible()
    page = question("#asks?a=2&guess=20")
    assert verdict(page) == "Answer: 8. You guessed 20, which is 12 too high."
    assert position_of(page, "asks")["a"] == 1
    page = question("?embed#asks?b=1")
    assert verdict(page) == "" and page.locator(".dp-readout").inner_text() == "It ends at 16, steep."


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_control_runs_to_the_answer_unless_the_reader_takes_over_or_wants_no_motion(browser, tmp_path, motion):
    """From the first to the third factor, with a step every 900 milliseconds."""
    ask = guess("From which factor on is the end at 4 or higher?", [1, 2, 4], answer="four", names=("1", "2", "4"), run=dict(a="four"),
                tell="factor {four}")
    address = page_that_asks(tmp_path / "page.html", **GUESSED | dict(guess=ask))
    with one_tab(browser, formulas=False, reduced_motion=motion) as page:
        page.clock.install()
        seen = []
        for act in (lambda: None, lambda: page.get_by_label("factor a").press("End")):
            all_drawn(opened(page, address), decided=False)
            page.get_by_role("button", name="Show me").click()
            seen.append(position_of(page, "asks")["a"])
            assert page.locator(".dp-verdict strong").is_visible() == (motion == "reduce")
            height = page.locator("input[name=a]").bounding_box()["y"]
            page.clock.run_for(950)
            seen.append(position_of(page, "asks")["a"])
            act()
            page.clock.run_for(5000)
            seen.append(position_of(page, "asks")["a"])
            assert verdict(page) == "Answer: factor 4." and page.locator("[aria-live=off]").count() == 0
            assert page.locator("input[name=a]").bounding_box()["y"] == height          # nothing moves when the answer comes
            assert page.locator(".dp-past").count() == (seen[-1] == 3)
        assert seen == ([0, 1, 2, 0, 1, 3] if motion == "no-preference" else [2, 2, 2, 2, 2, 3])


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_an_answer_is_told_with_its_last_mark_or_when_the_reader_takes_over(browser, tmp_path, motion):
    """Two dots, of which the second comes after 800 milliseconds."""
    address = page_that_asks(tmp_path / "page.html", ["dot", dict(x="x", y="y", role="runs", answer=True)],
                             ["ruleY", dict(y="end", role="here", answer=True)], ["text", dict(x=.5, y=18, text="{end}", answer=True)], **GUESSED)
    with one_tab(browser, formulas=False, reduced_motion=motion) as page:
        page.clock.install()
        told = lambda: (page.locator(".dp-verdict strong").is_visible(), page.locator(".dp-readout").is_visible())
        for last in (lambda: page.clock.run_for(100), lambda: page.get_by_label("factor a").press("End")):
            all_drawn(opened(page, address), decided=False)
            page.get_by_role("button", name="Show me").click()
            page.clock.run_for(750)
            assert told() == 2 * (motion == "reduce",)
            delays = page.locator("g.dp-answer > *, text.dp-answer").evaluate_all("marks => marks.map((mark) => mark.style.animationDelay)")
            assert delays == ["0ms", "800ms", "800ms", "800ms"]
            page.emulate_media(media="print")
            assert told() == (True, True)                                # paper does not wait
            page.emulate_media(media="screen")
            height = page.locator("input[name=a]").bounding_box()["y"]
            last()
            assert told() == (True, True) and page.locator("input[name=a]").bounding_box()["y"] == height


def test_paper_has_the_answer(question):
    page = question()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".dp-readout").is_visible() and page.locator(".dp-question").count() == 0
    assert page.evaluate("document.getAnimations().length") == 0 and page.locator(".dp-answer").count()      # all marks are there at once
    page.emulate_media(media="screen")


def test_the_numbers_that_change_are_strong(question):
    page = question()
    page.get_by_role("button", name="Show me").click()
    assert page.locator(".dp-readout b").all_text_contents() == ["8", "flat"]
    assert page.locator(".dp-answer").count() and page.locator(".dp-revealing").count()        # what was hidden fades in
    delays = page.locator("g.dp-answer > *").evaluate_all("marks => marks.map(mark => parseFloat(mark.style.animationDelay))")
    assert delays == sorted(delays) and len(delays) > 1                  # one after another
    page.wait_for_function("!document.querySelector('.dp-revealing')")


def test_a_guess_is_drawn_as_long_as_the_line_of_the_answer(browser, tmp_path):
    line = ["ruleY", dict(y="end", x1=0, x2=.5, stroke="c1", answer=True)]
    address = page_that_asks(tmp_path / "page.html", line, **GUESSED)
    with one_tab(browser, formulas=False) as page:
        all_drawn(opened(page, address + "#asks?guess=4"), decided=False)
        middle = page.evaluate("document.getElementById('asks').explorer.svg.scale('x').apply(.5)")
        across = lambda part: page.locator(part).evaluate("node => { const { x, width } = node.getBBox(); return [x, x + width]; }")
        assert across(".dp-guessed line")[1] == pytest.approx(middle, abs=.1)
        assert across("path.dp-said")[1] < middle < across("text.dp-direct")[0]


def test_categories_are_buttons_for_pointer_and_keys(question):
    page = question()
    page.get_by_role("button", name="Show me").click()
    group = page.get_by_role("radiogroup", name="kind")
    group.get_by_label("steep").check()
    assert page.locator(".dp-readout").inner_text() == "It ends at 16, steep." and page.locator(".dp-direct").first.text_content() == "steep"
    page.keyboard.press("ArrowLeft")
    assert page.locator(".dp-readout").inner_text() == "It ends at 8, flat."


@pytest.mark.parametrize("motion, moves", [("no-preference", True), ("reduce", False)])
def test_marks_move_between_stops_where_motion_is_welcome(question, motion, moves):
    page = question()
    page.emulate_media(reduced_motion=motion)
    page.get_by_role("button", name="Show me").click()
    page.locator("input[name=a]").press("Home")
    assert (page.evaluate("document.getAnimations().length") > 0) == moves
    page.emulate_media(reduced_motion="no-preference")


# -------------------------------------------------------------------------------- addresses and neighbours


def far_end(explorer):
    """The position with every slider at its last stop, and how an address says it, a little off the grid."""
    last = {name: len(c.values) - 1 for name, c in explorer.controls.items()}
    said = [f"{name}={c.values[-1] * 1.001}" for name, c in explorer.controls.items()] + ["draw=3"] * bool(explorer.draws)
    return explorer.position(**last, draw=2 if explorer.draws else 0), "&".join(said)


GO_TO = "hash => new Promise(done => { addEventListener('hashchange', done, { once: true }); location.hash = hash })"


@some_explorers
def test_the_address_holds_the_state(page, address, id):
    explorer = explorer_of(address, id)
    position, query = far_end(explorer)
    name, control = min(explorer.controls.items(), key=lambda item: bool(item[1].names))  # a slider, where there is one
    for said in (f"{id}?{query}", f"{id}?", f"{id}?{name}=x&draw=-7", "nobody?a=1", f"{id}?draw=1e9&%E0%A4%A", "%"):
        page.evaluate(GO_TO, said)
        assert position_of(page, id) == position, said
    if control.names:
        page.locator(f"#{id} input[data-control={name}]").first.check(force=True)
    else:
        page.locator(f"#{id} input[name={name}]").press("Home")
    page.wait_for_url(re.compile(rf"#{id}\?(.*&)?{name}={re.escape(format(control.values[0], 'g'))}(&|$)"))
    written = page.url.split("#")[1]
    for said, reached in ((f"{id}?{query}", position), (written, position | {name: 0})):
        page.evaluate(GO_TO, said)
        assert position_of(page, id) == reached, said


@pytest.mark.parametrize("address, id", ALL[:1])
def test_an_address_is_gone_to_although_another_was_written_over_it(page, address, id):
    """A slider that moved a moment ago writes its own address, maybe between a click on a link and its event."""
    position, query = far_end(explorer_of(address, id))
    page.evaluate("hash => dispatchEvent(new HashChangeEvent('hashchange', { newURL: location.href.split('#')[0] + hash }))", f"#{id}?{query}")
    assert position_of(page, id) == position


@pytest.fixture(scope="module")
def small_window(browser):
    with one_tab(browser, formulas=False, viewport=dict(width=700, height=700)) as tab:
        yield tab


@pytest.mark.parametrize("address, id", few(ALL, ALONE))
def test_an_explorer_can_stand_alone_in_the_state_of_its_address(small_window, base, address, id):
    explorer = explorer_of(address, id)
    position, query = far_end(explorer)
    page = all_drawn(opened(small_window, f"{base}/{address}?embed={id}#{id}?{query}"))
    assert page.evaluate("[[5, 5], [350, 5], [695, 5], [350, 695]].every(([x, y]) => document.elementFromPoint(x, y)?.closest('.dp-embed'))")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.dp-embed') !== null")  # what is hidden cannot be reached
    assert check_everything(page, explorer)["position"] == position
    assert others(page, base) == [] and page.complaints == []


def test_the_numbers_of_the_point_under_the_pointer_are_shown_and_go_away(browser, site):
    with one_tab(browser, formulas=False, viewport=dict(width=1000, height=900)) as page:
        open_further(opened(page, (site / "chapters/privacy.html").as_uri()))
        figure, box = page.locator("#accuser .dp-figure"), page.locator("#accuser .dp-pointed")
        figure.scroll_into_view_if_needed()
        assert not box.is_visible()
        place = page.evaluate("""() => { const { svg, columns } = document.getElementById('accuser').explorer, { left, top } = svg.getBoundingClientRect();
            return [left + svg.scale('x').apply(columns.at[0]), top + svg.scale('y').apply(columns.height[0])]; }""")
        page.mouse.move(place[0] + 2, place[1] - 2)
        assert box.inner_text() == "5, 13.6"
        page.mouse.move(5, 5)
        assert not box.is_visible()


def test_sliders_with_few_stops_have_a_tick_at_each(browser, site):
    with one_tab(browser, formulas=False) as tab:
        tab.goto((site / "chapters/unbounded-mean.html").as_uri())
        for slider in tab.locator(".dp-explorer input[type=range]").all():
            stops = int(slider.get_attribute("max")) + 1
            name = slider.get_attribute("list")
            assert (tab.locator(f"datalist[id='{name}'] option").count() == stops) if stops < 9 else name is None
