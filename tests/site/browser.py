"""A Chromium and a server for the tests and the benchmark that look at the built book as a reader does."""
import contextlib
import functools
import http.server
import os
import re
import shutil
import threading
from pathlib import Path

SITE = Path(os.environ.get("BOOK_SITE") or Path(__file__).resolve().parents[2] / "_build" / "html").resolve()
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")     # the first one costs a quarter less
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
MISSING = ("NO CHROMIUM FOUND: every test that looks at the book in a browser is SKIPPED. "
           "Install one, or set CHROMIUM to its path.")


def announce():
    """Say loudly, before a run of the tests, that the browser tests will be left out."""
    if not CHROMIUM:
        print(f"{'!' * len(MISSING)}\n{MISSING}\n{'!' * len(MISSING)}", flush=True)


@contextlib.contextmanager
def chromium():
    """A running browser, as Playwright's object. Its scrollbars take room, as on most desktops; Playwright would hide them."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, ignore_default_args=["--hide-scrollbars"])
        yield browser
        browser.close()


def new_tab(context):
    """A tab that remembers what it asked for and what it complained of."""
    tab = context.new_page()
    tab.asked, tab.complaints = [], []
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("requestfailed", lambda request: gone_on(request) or tab.complaints.append(f"{request.failure}: {request.url}"))
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    tab.on("console", lambda message: tab.complaints.append(message.text) if message.type in ("error", "warning") else None)
    return tab


def gone_on(request):
    """Was it given up only because the tab went to another page?"""
    return request.failure == "net::ERR_ABORTED"


@contextlib.contextmanager
def one_tab(browser, formulas=True, **options):
    """A browser with one tab, for one page after the other: a new one costs as much as a page."""
    context = browser.new_context(**{"viewport": dict(width=1280, height=740)} | options)
    if not formulas:
        leave_out_formulas(context)
    yield new_tab(context)
    context.close()


def leave_out_formulas(context):
    """To typeset formulas is most of what a page costs: for tests that look at other things."""
    context.route("**/mathjax.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))


def opened(tab, address):
    """The tab with this address in it, complete; it has forgotten what was before."""
    tab.asked.clear()
    tab.complaints.clear()
    tab.goto(address, wait_until="load")
    tab.wait_for_function("window.MathJax?.startup?.promise ? MathJax.startup.promise.then(() => true) : true")
    tab.wait_for_function("!document.documentElement.matches('.dp-waiting')")
    return tab


def all_drawn(tab, decided=True):
    """The tab, once all explorers of its page are drawn, and, if `decided`, none of them waits for a guess."""
    tab.wait_for_function("[...document.querySelectorAll('.dp-static')].every(host => host.explorer)")
    if decided:
        tab.evaluate("document.querySelectorAll('.dp-static').forEach(host => host.explorer.decide(false, {}))")
    return tab


def open_further(tab):
    """What is marked Further is folded when a page is opened."""
    tab.evaluate("document.querySelectorAll('details.dp-more').forEach(fold => { fold.open = true })")
    settle(tab)


def settle(page):
    """Let what depends on the window's size or on the theme draw itself again, and wait until nothing moves."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_function("document.getAnimations().every(animation => animation.playState === 'finished')")


def others(page, home):
    """What the page asked of anybody else."""
    return [url for url in page.asked if not url.startswith((home, "data:", "blob:"))]


def scrollbar(browser):
    """How many pixels a scrollbar takes in this browser; none where they are hidden or lie on top, as on a phone."""
    page = browser.new_page()
    page.set_content('<div style="width: 99px; height: 99px; overflow: scroll"></div>')
    taken = page.evaluate("(box => box.offsetHeight - box.clientHeight)(document.querySelector('div'))")
    page.close()
    return taken


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder=SITE):
    """The address of a local server of a folder."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def explorer_pages(folder=SITE):
    """The pages of a built book that show explorers, and the ids of these."""
    ids = lambda page: re.findall(r'<div class="dp-static" id="([^"]+)"', page.read_text(encoding="utf-8"))
    pages = {page: ids(page) for page in sorted(Path(folder).rglob("*.html"))}
    return {page: ids for page, ids in pages.items() if ids}


# --- what axe finds -----------------------------------------------------------------------------------------------------

CONTRAST = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}

# What axe would look at ten thousand times without another answer: tokens of code, of which one of each class in each kind of
# block will do, and drawings of formulas of the text, which have no text of their own and are hidden from screen readers.
REPEATS = """() => {
  const seen = new Set(), blocks = [...document.querySelectorAll('.highlight')];
  for (const block of blocks) for (const token of block.querySelectorAll('span')) {
    const kind = `${block.parentElement.className} ${token.className}`;
    if (seen.has(kind)) token.replaceWith(...token.childNodes); else seen.add(kind);
  }
  for (const block of blocks) block.normalize();
  for (const drawing of document.querySelectorAll('mjx-container:not([display]) mjx-math[aria-hidden=true]')) {
    if (!drawing.querySelector('a, [tabindex]')) drawing.replaceChildren();
  }
}"""


# How a text is painted hangs on its own style and on the grounds that it stands on: one of every kind is marked for axe.
MARK_EVERY_KIND = """() => {
  const seen = new Set(), grounds = new Map([[null, '']]);
  const plain = 'rgba(0, 0, 0, 0) none 1 none normal static';
  const groundOf = node => {
    if (!grounds.has(node)) {
      const s = getComputedStyle(node);
      const own = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter, s.mixBlendMode, s.position].join(' ');
      grounds.set(node, groundOf(node.parentElement) + (own === plain ? '' : `/${own}`));
    }
    return grounds.get(node);
  };
  for (const node of document.querySelectorAll('body :not(mjx-container, mjx-container *, script, style, noscript, noscript *)')) {
    if (![...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim())) continue;
    const s = getComputedStyle(node);
    const kind = [groundOf(node), s.color, s.fontSize, s.fontWeight, s.textShadow, s.visibility, s.display === 'none'].join(';');
    if (!seen.has(kind)) node.dataset.kind = seen.add(kind).size;
  }
  return seen.size;
}"""
CONTRAST_OF_KINDS = "axe.configure({ rules: [{ id: 'color-contrast', selector: '[data-kind]' }] });"


def violations(page, context=None, **options):
    """What axe finds wrong; it looks at one of every kind of text and token."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(REPEATS)
    assert page.evaluate(MARK_EVERY_KIND) > 10
    axe = Axe(Axe().axe_script + CONTRAST_OF_KINDS)
    found = axe.run(page, context=context, options=options | {"resultTypes": ["violations"]}).response["violations"]
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]
