"""Every page of the built book, as a reader meets it: alone, on a phone, in both themes, with a screen reader."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.site.browser import SITE

FRONT = "index.html"             # sends the reader on to the first chapter
PAGES = sorted({str(page.relative_to(SITE)) for page in SITE.rglob("*.html") if "_static" not in page.parts} - {FRONT})
OURS = ("data:", "blob:")
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

# Scrollbars that nobody wants: any beside a box, and one below it unless it is a displayed formula, code, an output or a
# table whose content is wider than its room. A formula of the text has none: it breaks.
SCROLLBARS = """[...document.querySelectorAll('.bd-article *')].flatMap(box => {
  const style = getComputedStyle(box);
  const borders = (...sides) => sides.reduce((sum, side) => sum + parseFloat(style[`border${side}Width`]), 0);
  const scrolls = overflow => ['auto', 'scroll'].includes(overflow) && style.display !== 'inline';
  const beside = scrolls(style.overflowY) && box.offsetWidth - box.clientWidth - borders('Left', 'Right') > 1;
  const below = scrolls(style.overflowX) && box.offsetHeight - box.clientHeight - borders('Top', 'Bottom') > 1;
  const may = box.matches('mjx-container[display="true"], pre, .cell_output, .pst-scrollable-table-container');
  const wanted = !beside && may && box.scrollWidth > box.clientWidth;
  return (beside || below) && !wanted ? [`${beside ? 'beside' : 'below'} ${box.outerHTML.slice(0, 120)}`] : [];
})"""

EVERY_KIND_ONCE = """() => { const seen = new Set();
  for (const token of document.querySelectorAll('.highlight span')) {
    const kind = token.closest('.highlight').parentElement.className + ' ' + token.className;
    if (seen.has(kind)) token.replaceWith(...token.childNodes); else seen.add(kind);
  }
}"""


def opened(browser, address, **options):
    """A page that remembers what it asked for and what it complained of."""
    page = browser.new_page(**options)
    page.asked, page.complaints = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    noted = ("error", "warning")
    page.on("console", lambda message: page.complaints.append(message.text) if message.type in noted else None)
    page.on("requestfailed", lambda request: page.complaints.append(f"failed: {request.url}"))
    page.goto(address, wait_until="load")
    page.wait_for_function("window.MathJax?.startup?.promise ? MathJax.startup.promise.then(() => true) : true")
    return page


def unfold(page):
    """Open what is folded, proofs and code, and wait until it has stopped moving."""
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    page.wait_for_function("document.getAnimations().every(animation => animation.playState === 'finished')")


@pytest.mark.parametrize("scheme", ["http", "file"])
@pytest.mark.parametrize("name", [FRONT, *PAGES])
def test_asks_nobody_else_and_complains_of_nothing(browser, site, base, name, scheme):
    page = opened(browser, f"{base}/{name}" if scheme == "http" else (site / name).as_uri())
    home = base if scheme == "http" else "file:"
    others = [url for url in page.asked if not url.startswith((home, *OURS))]
    complaints = page.complaints
    page.close()
    assert others == [] and complaints == []


def test_the_front_page_leads_on_and_brings_its_icon(browser, base, site):
    assert '<link rel="icon" href="data:,">' in (site / FRONT).read_text(encoding="utf-8")
    page = opened(browser, f"{base}/{FRONT}")
    page.wait_for_url(f"{base}/chapters/index.html")
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_fits_a_wide_window_and_a_narrow_one(browser, base, name):
    """Windows of a desktop, whose scrollbars take room: at 360 px they leave less of it than a phone, where they lie on top."""
    page = opened(browser, f"{base}/{name}", viewport=dict(width=1280, height=740))
    unfold(page)
    for width in (1280, 360):
        page.set_viewport_size(dict(width=width, height=740))
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")      # figures redraw
        room, needed = page.evaluate("(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])(document.documentElement)")
        bars, cut = page.evaluate(SCROLLBARS), page.evaluate(CUT_OFF)
        assert not bars, f"{width} px: {len(bars)} scrollbars that nobody wants, the first ones {bars[:3]}"
        assert needed <= room and cut == [], f"{width} px: {needed} px wide in a room of {room}"
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(browser, base, name, scheme):
    """WCAG 2.1 A and AA, contrast included; folded parts opened first, since axe skips what is hidden. Contrast is looked
    at token by token: of all tokens of code with the same class in the same kind of block, one will do. In the dark only what has to do with colour is
    looked at again.
    """
    page = opened(browser, f"{base}/{name}", color_scheme=scheme)
    unfold(page)
    page.evaluate(EVERY_KIND_ONCE)
    rules = WCAG if scheme == "light" else {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    found = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]}).response["violations"]
    page.close()
    violations = [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]
    assert violations == []


def test_no_solution_of_an_assignment_is_on_the_site(site):
    for file in site.rglob("*"):
        assert not re.search(r"(^|/)(exercises|course|autograder)(/|$)", str(file.relative_to(site)))
        if file.suffix in {".html", ".txt", ".md", ".js", ".ipynb"}:
            text = file.read_text(encoding="utf-8", errors="ignore")
            assert "BEGIN SOLUTION" not in text and "# SOLUTION" not in text, file
