"""Fixtures: the built book on a local server, and a browser. Without a Chromium tests skip; under CI they fail."""
import os

import pytest

from tests.site import browser as browsers


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
