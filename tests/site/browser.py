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
NAMES = ("chromium", "chromium-browser", "google-chrome")
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
