"""Copies of the book to take away, and what the front page says of them."""

import zipfile

import pytest

from dplib.book import copies

PAGE = 'before <p class="dp-copies"></p> after'


@pytest.fixture
def site(tmp_path):
    """A small site that lies somewhere."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / copies.FRONT).write_text(PAGE)
    (tmp_path / "chapters" / "two.html").write_text("two")
    (tmp_path / ".buildinfo").write_text("of the build")
    return tmp_path


def run(site, monkeypatch, *arguments):
    monkeypatch.setattr(copies.sys, "argv", ["copies", *arguments])
    copies.main(site)
    return (site / copies.FRONT).read_text()


def test_only_what_is_there_is_offered(site, monkeypatch):
    assert run(site, monkeypatch) == PAGE
    (site / "book.pdf").write_bytes(b"x" * 2_600_000)
    page = run(site, monkeypatch)
    assert '<a href="../book.pdf">the book on paper</a> (PDF, 3 MB)' in page and "book.zip" not in page
    (site / "book.pdf").unlink()
    assert run(site, monkeypatch) == PAGE


def test_the_site_in_one_file_is_the_site(site, monkeypatch):
    (site / "book.pdf").write_bytes(b"%PDF")
    page = run(site, monkeypatch, "zip")
    assert 'href="../book.zip"' in page and 'href="../book.pdf"' in page
    with zipfile.ZipFile(site / "book.zip") as packed:
        inside = {name.removeprefix("private-statistics/"): packed.read(name).decode() for name in packed.namelist()}
    assert inside.keys() == {"chapters/index.html", "chapters/two.html", "book.pdf"} and inside["chapters/two.html"] == "two"
    assert "book.pdf" in inside[copies.FRONT] and "book.zip" not in inside[copies.FRONT]


def test_equal_sites_give_equal_files(site, monkeypatch):
    run(site, monkeypatch, "zip")
    first = (site / "book.zip").read_bytes()
    (site / "chapters" / "two.html").write_text("two")             # the same, later
    run(site, monkeypatch, "zip")
    assert (site / "book.zip").read_bytes() == first
    (site / "chapters" / "two.html").write_text("three")
    run(site, monkeypatch, "zip")
    assert (site / "book.zip").read_bytes() != first
