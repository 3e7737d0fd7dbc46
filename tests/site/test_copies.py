"""The site as one file: unpacked in a folder, its figures move and its pages ask nobody for anything."""

import shutil
import zipfile

import pytest

from dplib.book import copies
from tests import depth
from tests.site.browser import all_drawn, one_tab, open_further, opened, others
from tests.site.figures import MOVE

NEEDED = ("_static", "searchindex.js", "chapters/index.html", "chapters/privacy.html")


@pytest.fixture
def unpacked(site, tmp_path, monkeypatch):
    """The site packed and unpacked: a small part of it for every change, all of it for a night."""
    part = tmp_path / "part"
    for name in (".",) if depth.EVERYTHING else NEEDED:
        copy = shutil.copytree if (site / name).is_dir() else shutil.copy
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        copy(site / name, part / name)
    copies.pack(part)
    with zipfile.ZipFile(part / "book.zip") as packed:
        packed.extractall(tmp_path / "somewhere")
    return tmp_path / "somewhere" / copies.FOLDER


def test_a_slider_of_the_unpacked_site_moves_its_figure(browser, unpacked):
    with one_tab(browser, formulas=False) as tab:
        page = all_drawn(opened(tab, (unpacked / "chapters/privacy.html").as_uri()))
        open_further(page)
        said = page.inner_text("#accuser .dp-readout")
        page.evaluate(MOVE, ["accuser", {"epsilon": 0, "innocent": 11, "draw": 0}])
        assert page.inner_text("#accuser .dp-readout") != said
        assert others(page, unpacked.as_uri()) == [] and page.complaints == []


def test_the_front_page_has_a_place_where_copies_are_offered(site):
    assert copies.PLACE.search((site / copies.FRONT).read_text(encoding="utf-8"))
