"""The decks in a browser, as a lecturer meets them: a projector, a keyboard or a remote control, no network, and paper."""
import re

import pytest

from dplib.book import decks
from tests.depth import SHOWN_DECKS, few
from tests.site.browser import SITE, explorer_pages, one_tab, others, served, violations

PROJECTOR = dict(width=1280, height=720)
EXPLORERS = {page.stem: ids for page, ids in explorer_pages().items()}
TAUGHT = [file.stem for file in decks.pages(SITE)]
SHOWN = few(TAUGHT, SHOWN_DECKS)
ONE = SHOWN[0]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
READABLE = 21                    # pixels of the text of a slide whose height is 720

# What hangs out of its slide, or out of the part of it that has the room; what is far smaller than it may be.
FAULTS = """([least]) => {
  const slide = document.querySelector('.slide.present:not(:has(section))'), body = slide.querySelector('.body');
  const room = slide.getBoundingClientRect(), parts = [...body.querySelectorAll('*:not(mjx-assistive-mml, mjx-assistive-mml *, svg *)')];
  const out = parts.filter(part => {
    const { left, right, top, bottom, width } = part.getBoundingClientRect();
    return width && (left < room.left - 1 || right > room.right + 1 || top < room.top - 1 || bottom > room.bottom + 1);
  });
  const size = parseFloat(getComputedStyle(body).fontSize);
  return [...out.map(part => part.outerHTML.slice(0, 90)), ...(body.scrollHeight > body.clientHeight + 1 ? ['too high'] : []),
          ...(body.scrollWidth > body.clientWidth + 1 ? ['too wide'] : []), ...(size < least ? [`text of ${size} px`] : [])];
}"""


@pytest.fixture(scope="module")
def taught(site, tmp_path_factory):
    """A copy of the site that has decks; the site itself is left as it was built."""
    copy = tmp_path_factory.mktemp("taught")
    for part in site.iterdir():
        (copy / part.name).symlink_to(part)
    decks.write([site / "chapters" / f"{name}.html" for name in SHOWN], copy / decks.FOLDER)
    return copy


@pytest.fixture(scope="module")
def home(taught):
    with served(taught) as address:
        yield address


@pytest.fixture(scope="module")
def tab(browser):
    with one_tab(browser, viewport=PROJECTOR, color_scheme="light") as tab:
        yield tab


def opened(tab, address):
    """The tab with this deck in it, its first slide shown."""
    tab.asked.clear()
    tab.complaints.clear()
    tab.goto("about:blank")
    tab.goto(address)
    tab.wait_for_function("window.Talk?.Reveal.isReady()")
    return tab


def without_figures(tab):
    """Each figure is a page of the book with all its formulas; these tests look at what is around it."""
    tab.route("**/*embed=*", lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))


def test_every_page_that_is_taught_can_be_a_deck():
    assert len(TAUGHT) >= 30 and set(SHOWN) <= set(TAUGHT)


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_deck_leads_to_is_there(taught, name):
    deck = (taught / decks.FOLDER / f"{name}.html").read_text(encoding="utf-8")
    links = {link.split("#")[0].split("?")[0] for link in re.findall(r'(?:href|src)="([^"]+)"', deck) if "://" not in link}
    assert len([link for link in links if link.startswith("../chapters/")]) > 2
    assert [link for link in links - {""} if not (taught / decks.FOLDER / link).exists()] == []


@pytest.mark.parametrize("name", SHOWN)
def test_the_keyboard_leads_through_all_slides_and_each_fits(tab, home, name):
    without_figures(tab)
    opened(tab, f"{home}/slides/{name}.html")
    slides, faults = tab.locator("section.slide").count(), {}
    for _ in range(3 * slides):
        if found := tab.evaluate(FAULTS, [READABLE]):
            faults[tab.evaluate("location.hash + ' ' + document.querySelector('.slide.present:not(:has(section))').className")] = found
        if tab.evaluate("Talk.Reveal.isLastSlide() && !Talk.Reveal.availableFragments().next"):
            break
        tab.keyboard.press("Space")
    assert tab.evaluate("Talk.Reveal.getSlidePastCount()") == slides - 1 and faults == {}
    notes = tab.evaluate("[...document.querySelectorAll('.notes')].map(note => note.innerHTML).join()")
    assert "<math" in notes and "mjx-container" not in notes and "\\(" not in notes      # every browser shows it, without a script
    figures = re.findall(r"\?embed=([\w-]+)", tab.content())
    assert set(figures) == set(EXPLORERS.get(name, []))
    assert others(tab, home) == [] and tab.complaints == []
    tab.unroute_all()


def test_what_hangs_out_of_a_slide_is_noticed(browser, home):
    add = "style => document.querySelector('.present .body').insertAdjacentHTML('beforeend', `<p style='${style}'>too much</p>`)"
    with one_tab(browser, formulas=False, viewport=PROJECTOR) as tab:
        opened(tab, f"{home}/slides/{ONE}.html")
        for style in ("min-height: 900px", "width: 1300px", "position: absolute; left: 1270px", "position: absolute; top: 700px"):
            assert tab.evaluate(FAULTS, [READABLE]) == []
            tab.evaluate(add, style)
            assert tab.evaluate(FAULTS, [READABLE]) != [], style
            tab.evaluate("document.querySelector('.present .body').lastElementChild.remove()")
        tab.evaluate("document.querySelector('.present .body').style.fontSize = '15px'")
        assert tab.evaluate(FAULTS, [READABLE]) == ["text of 15 px"]


def at_a_figure(tab, address):
    """The deck at its first figure, which is drawn and waits for a guess if it asks for one."""
    opened(tab, address)
    tab.evaluate("""() => {
      const { h, v } = Talk.Reveal.getIndices(document.querySelector('.slide.explorer'));
      Talk.Reveal.slide(h, v);
    }""")
    frame = tab.locator(".slide.present iframe")
    return frame, frame.element_handle().content_frame()


def fills_the_screen(tab, frame):
    small = frame.bounding_box()
    tab.locator(".slide.present .whole").click()
    tab.wait_for_function("document.fullscreenElement?.style.getPropertyValue('--larger') > 0")
    large, room = frame.bounding_box(), tab.evaluate("[innerWidth, innerHeight]")
    assert large["height"] > small["height"] and large["x"] > -.01 and large["y"] > -.01       # pixels: a scale is rounded
    assert abs(large["height"] - room[1]) < 2 or abs(large["width"] - room[0]) < 2
    tab.evaluate("document.exitFullscreen()")


def test_from_a_folder_a_figure_is_alive_in_its_slide_gives_the_keys_back_and_fills_the_screen(tab, taught):
    frame, inside = at_a_figure(tab, f"{taught.as_uri()}/slides/{ONE}.html")
    inside.wait_for_selector(".dp-embed.dp-explorer")
    box = inside.evaluate("(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight])(document.querySelector('.dp-embed'))")
    assert box[0] <= box[1]
    before = tab.evaluate("location.hash")
    tab.mouse.move(300, 300)
    inside.evaluate("document.querySelector('.dp-embed :is(input, button)').focus()")
    tab.mouse.move(300, 10)
    tab.keyboard.press("ArrowRight")
    tab.wait_for_function("before => location.hash !== before", arg=before)
    tab.keyboard.press("ArrowLeft")
    fills_the_screen(tab, frame)
    assert others(tab, "file:") == [] and tab.complaints == []
    assert violations(tab, ".reveal", runOnly=WCAG, iframes=False) == []    # the figure is looked at on its page


def test_from_a_folder_the_speaker_has_a_window_with_the_paragraphs_around(browser, taught):
    with one_tab(browser, formulas=False, viewport=PROJECTOR) as tab:
        without_figures(tab)
        opened(tab, f"{taught.as_uri()}/slides/{ONE}.html")
        with tab.expect_popup() as window:
            tab.keyboard.press("s")
        window.value.wait_for_function("document.querySelector('.speaker-controls-notes .value')?.textContent.trim().length > 20")


def test_a_printed_deck_has_a_page_for_each_slide_with_its_figures_and_axe_finds_nothing(browser, home):
    with one_tab(browser, viewport=PROJECTOR) as tab:
        without_figures(tab)
        opened(tab, f"{home}/slides/{ONE}.html?print-pdf")
        # counted at one moment: while pages are laid out, slides leave the document and come back
        tab.wait_for_function("document.querySelectorAll('.pdf-page').length === document.querySelectorAll('section.slide').length")
        slides = tab.locator("section.slide").count()
        assert tab.locator(".demo .still svg").first.is_visible() and not tab.locator(".demo iframe").first.is_visible()
        pdf = tab.pdf(prefer_css_page_size=True, print_background=True)
        assert violations(tab, runOnly=WCAG) == []                          # all slides are there at once
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == slides
    assert set(re.findall(rb"/MediaBox\s*\[([^\]]*)\]", pdf)) == {b"0 0 960 540"}
