"""The front page, the mosaic of caught mistakes, the reference and the bibliography of the built book."""

import html
import json
import re

import pytest

from tests.site.browser import SITE, all_drawn, one_tab, opened, settle
from tests.site.figures import MOVE

FRONT = "chapters/index.html"
FIRST_CONTROL = "document.querySelector('.dp-controls input').getBoundingClientRect().bottom"
HEAP = "[...document.querySelectorAll('#worlds .dp-mark-5 circle')].map(dot => [dot.cx.baseVal.value, dot.cy.baseVal.value].join())"
FALLING = """[4, 5].map(k => [...document.querySelectorAll(`#worlds .dp-mark-${k} circle`)].slice(-3)
  .map(dot => dot.getAnimations().map(fall => fall.animationName).join()))"""


def read(name):
    return (SITE / "chapters" / f"{name}.html").read_text(encoding="utf-8")


def article(name):
    return re.sub(r"<script.*?</script>", "", re.search(r"<article.*?</article>", read(name), re.S)[0], flags=re.S)


def seen(name):
    return html.unescape(re.sub(r"<[^>]+>", "", article(name)))


# --- the front page -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("width, height, above", [(1280, 800, 740), (360, 740, 700)])
def test_the_first_control_stands_on_the_first_screen(browser, site, width, height, above):
    with one_tab(browser, formulas=False, viewport=dict(width=width, height=height)) as tab:
        page = all_drawn(opened(tab, (site / FRONT).as_uri()))
        settle(page)
        assert page.evaluate(FIRST_CONTROL) < above
        page.evaluate("document.querySelector('article h1').style.marginTop = '300px'")
        assert page.evaluate(FIRST_CONTROL) > above


def test_answers_fall_on_those_that_have_fallen_and_a_slider_moves_them(browser, site):
    with one_tab(browser, formulas=False) as tab:
        page = all_drawn(opened(tab, (site / FRONT).as_uri()))
        before = page.evaluate(HEAP)
        page.locator("#worlds button").click()
        after = page.evaluate(HEAP)
        assert after[:-2] == before and len(after) == len(before) + 2
        assert page.evaluate(FALLING) == [["", "dp-fall", "dp-fall"]] * 2
        page.evaluate(MOVE, ["worlds", {"epsilon": 0, "draw": 1}])
        assert page.evaluate(HEAP) != after
        assert "1.49 times as likely with you as without you" in page.inner_text("#worlds .dp-readout")


def test_its_numbers_are_those_of_the_last_run(site):
    checks = json.loads((site.parent / "claims.json").read_text(encoding="utf-8"))
    counted = dict(re.findall(r'<span class="dp-count">([\d,]+)</span> (\w+)', article("index")))
    caught = sum(len(check["caught"]) for check in checks)
    assert {counted[str(len({check["label"] for check in checks}))], counted[str(len(checks))], counted[f"{caught:,}"]} == {
        "statements", "programs", "mistakes"}


# --- the mosaic ---------------------------------------------------------------------------------------------------------

def astray(tiles, text):
    """Tiles whose name is not said by the check that they lead to."""
    return [name for place, name in tiles if name.split(": caught by the check of ")[0] not in text.get(place, "")
            or name.split(": caught by the check of ")[1] not in text.get(place, "")]


def test_every_tile_leads_to_the_check_that_says_its_mistake(site):
    claims = read("claims")
    tiles = [(place, html.unescape(name)) for place, name in re.findall(r'class="dp-tile[^"]*" href="#([^"]+)" aria-label="([^"]*)"', claims)]
    boxes = re.split(r'<div class="dp-claim docutils container" id="([^"]+)">', claims)[1:]
    text = {place: html.unescape(re.sub(r"<[^>]+>", "", box)) for place, box in zip(boxes[::2], boxes[1::2], strict=True)}
    squeezed = {place: " ".join(box.split()) for place, box in text.items()}
    assert len(tiles) > 900 and not astray(tiles, squeezed)
    (here, _), (_, other) = tiles[0], next(tile for tile in tiles if tile[0] != tiles[0][0])
    assert astray([(here, other)], squeezed)
    assert not re.search(r"<summary><strong>(thm|lem|prop|cor)-", claims)


def test_a_tile_says_its_name_and_a_thousand_are_one_stop_of_the_tab_key(browser, site):
    with one_tab(browser, formulas=False) as tab:
        page = opened(tab, (site / "chapters/claims.html").as_uri())
        tiles, line = page.locator(".dp-tile"), page.locator(".dp-tile-name")
        name = lambda k: tiles.nth(k).get_attribute("aria-label")
        assert page.locator(".dp-tile[tabindex='0']").count() == 1
        tiles.first.focus()
        assert line.inner_text() == name(0)
        page.keyboard.press("ArrowRight")
        assert line.inner_text() == name(1) and page.evaluate("document.activeElement.tabIndex") == 0
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Home")
        assert line.inner_text() == name(0) and page.locator(".dp-tile[tabindex='0']").count() == 1
        tiles.nth(40).hover()
        assert line.inner_text() == name(40)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('.dp-mosaic')") is None
        tiles.nth(5).focus()
        page.keyboard.press("Enter")
        place = tiles.nth(5).get_attribute("href")
        page.wait_for_function("document.querySelectorAll('div.dp-claim > details[open]').length === 1")
        assert page.locator(f"{place} > details[open]").count() == 1


# --- the reference and the bibliography -----------------------------------------------------------------------------------

RAW = re.compile(r":[a-z]+(?::[a-z]+)?:`|\{[a-z:]+\}`|``|\\[a-z]{2,}|\{\\")


@pytest.mark.parametrize("name", sorted(file.stem for file in SITE.glob("chapters/api*.html")))
def test_no_role_is_left_in_the_reference(name):
    assert not RAW.findall(seen(name))


def test_no_latex_is_left_in_the_bibliography():
    assert not RAW.findall(seen("bibliography")) and "$" not in seen("bibliography")


def test_raw_text_is_found():
    assert len(RAW.findall(r"e:sup:`ε`, {prf:ref}`thm-x`, ``epsilon``, \texttt a, {\"o}")) == 6


def test_each_work_and_each_page_that_cites_it_lead_to_one_another():
    entries = re.findall(r'<div class="citation" id="(\w+)".*?</div>', article("bibliography"), flags=re.S)
    said = {(page, id) for id, box in zip(entries, re.split(r'<div class="citation" id="\w+"', article("bibliography"))[1:], strict=True)
            for page in re.findall(r'href="([\w-]+)\.html"', box.partition('class="dp-cited-in"')[2])}
    there = {(file.stem, id) for file in SITE.glob("chapters/*.html") if file.stem != "bibliography"
             for id in re.findall(r'href="bibliography\.html#(id\w+)"', file.read_text(encoding="utf-8"))}
    assert len(said) > 100 and said == there and {id for _, id in said} == set(entries)
