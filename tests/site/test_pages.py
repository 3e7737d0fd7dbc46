"""Every page of the built book, as a reader meets it: alone, on a phone, in both themes, with a screen reader."""

import re

import pytest

from tests.depth import DARK, few
from tests.site.browser import CONTRAST, SITE, explorer_pages, one_tab, opened, others, settle, violations
from tests.site.measures import PHONE, RATCHETS, WATCH, Ratchet, moved, table

FRONT = "index.html"             # sends the reader on to the first chapter
PAGES = sorted({str(page.relative_to(SITE)) for page in SITE.rglob("*.html") if not {"_static", "slides"} & {*page.relative_to(SITE).parts}} - {FRONT})
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
CUT_OFF = """[...document.querySelectorAll('article :is(mjx-container, pre, table, svg, img)')].filter(node => {
  const { right } = node.getBoundingClientRect();
  if (right <= document.documentElement.clientWidth + 1 || node.closest('mjx-assistive-mml')) return false;
  for (let box = node; box.tagName !== 'ARTICLE'; box = box.parentElement) {
    const { overflowX, display } = getComputedStyle(box);
    if (['auto', 'scroll'].includes(overflowX) && display !== 'inline') return false;     // the reader can get there
  }
  return true;
}).map(node => node.outerHTML.slice(0, 200))"""

# Scrollbars that nobody wants: any beside a box, and one below it unless it is code, an output or a table whose content is
# wider than its room. A formula has none: it breaks. A long list of contents may have one beside it.
SCROLLBARS = """['.bd-article', '.bd-sidebar-primary', '.bd-sidebar-secondary'].flatMap(
    part => [...document.querySelectorAll(`${part}, ${part} *`)]).flatMap(box => {
  const style = getComputedStyle(box);
  const borders = (...sides) => sides.reduce((sum, side) => sum + parseFloat(style[`border${side}Width`]), 0);
  const scrolls = overflow => ['auto', 'scroll'].includes(overflow) && style.display !== 'inline';
  const contents = box.closest('.bd-sidebar-primary, .bd-sidebar-secondary');
  const beside = !contents && scrolls(style.overflowY) && box.offsetWidth - box.clientWidth - borders('Left', 'Right') > 1;
  const below = scrolls(style.overflowX) && box.offsetHeight - box.clientHeight - borders('Top', 'Bottom') > 1;
  const may = box.matches('pre, .cell_output, .dp-table, .pst-scrollable-table-container');
  const wanted = !beside && may && box.scrollWidth > box.clientWidth;
  return (beside || below) && !wanted ? [`${beside ? 'beside' : 'below'} ${box.outerHTML.slice(0, 120)}`] : [];
})"""


every_page = pytest.mark.parametrize("address", PAGES)
PARTS = [address for address in PAGES if address.startswith("chapters/part-")]                # their figures are borrowed
CHAPTERS = sorted(f"chapters/{page.name}" for page in explorer_pages() if page.parent.name == "chapters")


def unfold(page):
    """Open what is folded: proofs, code, and the contents beside the text."""
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    page.evaluate("document.querySelectorAll('.section-nav').forEach(list => { list.classList.add('pst-show_toc_level') })")
    settle(page)
    return page


@every_page
def test_asks_nobody_else_and_complains_of_nothing(served_page, base):
    assert others(served_page, base) == [] and served_page.complaints == []


@every_page
def test_from_a_folder_and_after_all_that_was_done_in_it_it_asks_nobody_else_and_complains_of_nothing(page):
    assert others(page, "file:") == [] and page.complaints == []


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_the_front_page_leads_on_asks_nobody_else_and_brings_its_icon(browser, base, site, scheme):
    assert '<link rel="icon" href="data:,">' in (site / FRONT).read_text(encoding="utf-8")
    home = base if scheme == "http" else site.as_uri()
    with one_tab(browser) as tab:
        opened(tab, f"{home}/{FRONT}")
        tab.wait_for_url(f"{home}/chapters/index.html")
        assert others(tab, home) == [] and tab.complaints == []


# --- how a page first appears ---------------------------------------------------------------------------------------------

STILL = .05                      # the sum of layout shifts, below which a page counts as still: half of what is usually called good


@every_page
def test_nothing_moves_while_a_page_loads(served_page):
    total, largest = served_page.moved
    assert total <= STILL, f"moved by {total:.3f}, most by {largest}"


@every_page
def test_nothing_moves_while_a_page_loads_on_a_phone(page):
    total, largest = page.moved
    assert total <= STILL, f"moved by {total:.3f}, most by {largest}"


@pytest.mark.parametrize("address", few(CHAPTERS, DARK))
def test_nothing_moves_on_a_phone_while_formulas_are_set(browser, base, address):
    with one_tab(browser, viewport=PHONE) as tab:
        tab.add_init_script(WATCH)
        total, largest = moved(opened(tab, f"{base}/{address}"))
    assert total <= STILL, f"moved by {total:.3f}, most by {largest}"


def test_what_moves_is_noticed(browser):
    with one_tab(browser, viewport=PHONE) as tab:
        tab.add_init_script(WATCH)
        tab.goto("data:text/html,<div></div><p style='height: 400px'>text</p>"
                 "<script>setTimeout(() => { document.querySelector('div').style.height = '300px' }, 200)</script>")
        tab.wait_for_function("document.querySelector('div').offsetHeight > 0")
        assert moved(tab)[0] > STILL


def faults(tab, address):
    """What is wrong with how the page appeared at first, in words."""
    assert tab.first
    page = address.removeprefix("chapters/").removesuffix(".html")
    found = [RATCHETS[name].fault(name, page, pixels) for name, pixels in tab.first.items()]
    return [fault for fault in found if fault]


@pytest.mark.parametrize("address", [*CHAPTERS, *PARTS])
def test_the_first_slider_is_on_the_first_screen(page, address):
    assert faults(page, address) == []


@pytest.mark.parametrize("address", CHAPTERS)
def test_no_stretch_is_without_a_picture(served_page, address):
    assert faults(served_page, address) == []


def test_the_table_of_what_is_not_there_yet_names_pages_beyond_the_limit_alone():
    for name, pages in table().items():
        assert set(pages) <= {address[9:-5] for address in CHAPTERS}, name
        assert not [page for page, pixels in pages.items() if pixels <= RATCHETS[name].limit], name


@pytest.mark.parametrize("page, found, wrong", [("new", 100, False), ("new", 101, True), ("old", 150, False), ("old", 151, True),
                                                ("old", 110, False), ("old", 109, True)])
def test_a_ratchet_lets_a_page_get_better_alone_and_asks_to_be_told(monkeypatch, page, found, wrong):
    monkeypatch.setattr("tests.site.measures.table", lambda: {"height": {"old": 150}})
    assert bool(Ratchet(100, 4, 40).fault("height", page, found)) == wrong


@every_page
def test_fits_a_wide_window_and_a_narrow_one(served_page):
    """Windows of a desktop, whose scrollbars take room: at 360 px they leave less of it than a phone, where they lie on top."""
    page = unfold(served_page)
    for width in (1280, 360):                              # as it is, and then narrower: each change sets all formulas once more
        page.set_viewport_size(dict(width=width, height=740))
        settle(page)
        page.evaluate("window.MathJax && fit(document.body)")          # what happens a moment after the window has changed
        room, needed = page.evaluate("(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])(document.documentElement)")
        bars, cut = page.evaluate(SCROLLBARS), page.evaluate(CUT_OFF)
        assert not bars, f"{width} px: {len(bars)} scrollbars that nobody wants, the first ones {bars[:3]}"
        assert needed <= room and cut == [], f"{width} px: {needed} px wide in a room of {room}"


def turn(page, theme):
    """The reader's system turns from light to dark, or back, and the page with it."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")
    settle(page)


@every_page
def test_axe_finds_nothing(page):
    """WCAG 2.1 A and AA; folded parts opened first, since axe skips what is hidden. Of an explorer, what is advised beyond it."""
    unfold(page)
    assert violations(page, runOnly=WCAG) == []
    if page.locator(".dp-explorer").count():
        assert violations(page, ".dp-explorer", runOnly=["best-practice"]) == []


@pytest.mark.parametrize("address", few(PAGES, DARK))
def test_axe_finds_contrast_in_the_dark(page):
    turn(unfold(page), "dark")
    found = violations(page, runOnly=CONTRAST)
    turn(page, "light")                                           # for the tests that share this visit
    assert found == []


BLACK = """[...document.querySelectorAll('.dp-still :is(path, text, use)')].filter(
  node => node.checkVisibility() && getComputedStyle(node).fill === 'rgb(0, 0, 0)').length"""


@pytest.mark.parametrize("address", ["chapters/histograms.html", "chapters/intervals-and-scale.html"])
def test_what_is_black_in_a_drawing_is_ink_in_the_dark(page, address):
    """Bars in black: SVG fills so what names no fill, and matplotlib then names none. Without the rule of book.css they are there."""
    turn(unfold(page), "dark")
    found = page.evaluate(BLACK)
    style = page.add_style_tag(content=".dp-still svg { fill: black !important }")
    without = page.evaluate(BLACK)
    style.evaluate("style => style.remove()")
    turn(page, "light")                                           # for the tests that share this visit
    assert found == 0 and without > 10


def formulas(page):
    return page.read_text(encoding="utf-8").count('class="math notranslate')


def test_formulas_from_a_folder(browser, site):
    """On the page with the most of them: all come from one script and one folder of fonts."""
    with one_tab(browser, color_scheme="light") as tab:
        page = opened(tab, max((site / name for name in PAGES), key=formulas).as_uri())
        assert page.evaluate("document.fonts.ready.then(() => document.querySelectorAll('mjx-container').length)") > 100
        assert others(page, "file:") == [] and page.complaints == []
        assert violations(unfold(page), runOnly=WCAG) == []


@pytest.mark.parametrize("scheme, colour, found", [("light", "inherit", False), ("light", "#9aa0a6", True),
                                                   ("dark", "inherit", False), ("dark", "#555", True)])
def test_one_pale_text_is_found_among_all_kinds(browser, base, scheme, colour, found):
    with one_tab(browser, color_scheme=scheme) as tab:
        page = opened(tab, f"{base}/chapters/bibliography.html")
        page.evaluate("colour => { document.querySelector('article p').style.color = colour }", colour)
        assert any("color-contrast" in line for line in violations(page, runOnly=WCAG)) == found


def test_no_solution_of_an_assignment_is_on_the_site(site):
    for file in site.rglob("*"):
        assert not re.search(r"(^|/)(exercises|course|autograder)(/|$)", str(file.relative_to(site)))
        if file.suffix in {".html", ".txt", ".md", ".js", ".ipynb"}:
            text = file.read_text(encoding="utf-8", errors="ignore")
            assert "BEGIN SOLUTION" not in text and "# SOLUTION" not in text, file


# --- what page.js does ----------------------------------------------------------------------------------------------------

def test_an_old_address_of_a_name_leads_to_the_page_of_its_module(browser, base):
    with one_tab(browser) as tab:
        opened(tab, f"{base}/chapters/api.html#dplib.mechanisms.laplace")
        tab.wait_for_url("**/api-mechanisms.html#dplib.mechanisms.laplace")


VISIBLE = "[...document.querySelectorAll('div.dp-claim')].filter(claim => claim.checkVisibility()).map(claim => claim.innerText.toLowerCase())"


def test_a_claim_unfolds_when_something_leads_to_it_and_a_word_leaves_only_the_claims_that_have_it(browser, base):
    with one_tab(browser) as tab:
        page = opened(tab, f"{base}/chapters/claims.html")
        claims = page.locator("div.dp-claim")
        name, all_claims = claims.nth(3).get_attribute("id"), claims.count()
        assert page.locator("div.dp-claim > details[open]").count() == 0
        page.evaluate("name => { location.hash = name }", name)
        page.wait_for_function("document.querySelectorAll('div.dp-claim > details[open]').length === 1")
        page.get_by_label("Show only").fill("thm-laplace sensitivity")
        shown = page.evaluate(VISIBLE)
        assert 0 < len(shown) < all_claims / 10 and all("laplace" in claim for claim in shown)
        page.get_by_label("Show only").fill("")
        assert len(page.evaluate(VISIBLE)) == all_claims


def test_formulas_fit_the_window_when_it_changes_and_folds_that_open(browser, site):
    too_wide = """[...document.querySelectorAll('mjx-container[display] mjx-math')].filter(formula =>
        formula.offsetWidth && formula.getBoundingClientRect().right > document.documentElement.clientWidth).length"""
    with one_tab(browser) as tab:
        page = opened(tab, max((site / name for name in PAGES), key=formulas).as_uri())
        page.set_viewport_size(dict(width=360, height=740))
        page.wait_for_function(f"{too_wide} === 0")
        unfold(page)
        page.wait_for_function(f"{too_wide} === 0")


def test_paper_has_no_folds_but_those_of_code(browser, site):
    closed = "document.querySelectorAll('.bd-article details:not([open])').length"
    with one_tab(browser, formulas=False) as tab:
        page = opened(tab, (site / "chapters/privacy.html").as_uri())
        before = page.evaluate(closed)
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.locator("details.sd-dropdown:not([open])").count() == 0 < page.evaluate(closed) < before
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.evaluate(closed) == before
