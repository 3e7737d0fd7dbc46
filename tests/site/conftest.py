"""Fixtures: the built book on a local server, and a browser. Without a Chromium tests skip; under CI they fail.

A page is visited twice, by all tests together: once from a server, with its formulas typeset, and once from a folder, with its
formulas left in TeX. The second visit begins in the window of a phone; of both, what moved while they loaded is kept. What one test leaves behind the next one finds, so that those which take a page apart come last.
"""
import os
from pathlib import Path

import pytest

from tests.site import browser as browsers
from tests.site import measures

HERE = Path(__file__).parent
WIDE = dict(width=1280, height=900)

# Outside of the book's environment: `make bare` sets it.
collect_ignore = [] if "BARE_PYTHON" in os.environ else ["test_bare.py"]


def page_of(item):
    """The page of the book that a test looks at, as its address on the site; none if it looks at several, or at none of them."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    return given.get("address", "")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Page by page, and all tests of a page in one process."""
    here = [k for k, item in enumerate(items) if HERE in item.path.parents]
    for k, item in zip(here, sorted((items[k] for k in here), key=page_of)):
        items[k] = item
        if page_of(item):
            item.add_marker(pytest.mark.xdist_group(page_of(item)))


@pytest.fixture(scope="session")
def browser():
    if not browsers.CHROMIUM:
        if os.environ.get("CI"):
            pytest.fail(browsers.MISSING)
        pytest.skip(browsers.MISSING)
    with browsers.chromium() as running:
        assert browsers.scrollbar(running) > 0, "this browser hides its scrollbars, and with them what they do to a page"
        yield running


@pytest.fixture(scope="session")
def site():
    """The folder of the built book."""
    if not (browsers.SITE / "index.html").exists():
        pytest.fail(f"{browsers.SITE} holds no built book: run make book first")
    return browsers.SITE


@pytest.fixture(scope="session")
def base(site):
    """The address of the built book."""
    with browsers.served(site) as address:
        yield address


def visits(browser, home, first=WIDE, **options):
    """A function that brings the tab to a page of the book, unless it is there already; the page is loaded in the first window."""
    with browsers.one_tab(browser, viewport=first, **options) as tab:
        tab.add_init_script(measures.WATCH)
        there = None

        def visit(address):
            nonlocal there
            if address != there:
                tab.goto("about:blank")                      # a page that is left need not fit the new window
                tab.set_viewport_size(first)
                tab.emulate_media(media="screen", color_scheme="light")
                browsers.opened(tab, f"{home}/{address}")
                tab.moved = measures.moved(tab)
                measure = measures.desert if first == WIDE else measures.controls
                tab.first = measure(tab) if tab.locator(".dp-explorer").count() else {}
                tab.set_viewport_size(WIDE)
                browsers.open_further(tab)
                there = address
            return tab

        yield visit


@pytest.fixture(scope="session")
def visit_served(browser, base):
    yield from visits(browser, base)


@pytest.fixture(scope="session")
def visit_in_folder(browser, site):
    yield from visits(browser, site.as_uri(), first=measures.PHONE, formulas=False)


@pytest.fixture
def served_page(visit_served, address):
    """The page at that address from a server, with its formulas."""
    return visit_served(address)


@pytest.fixture
def page(visit_in_folder, address):
    """The page at that address from a folder, its formulas in TeX, its explorers drawn."""
    return browsers.all_drawn(visit_in_folder(address))
