"""A figure that a page borrows of another one."""

from types import SimpleNamespace

import nbformat
import pytest

from dplib.book import borrowed, front
from tests import minutes
from tests.test_explorer import make

OWN = make().html()                                   # its id is "demo"


def notebook(*outputs):
    """An executed page whose cells have put these out, as HTML."""
    cell = nbformat.v4.new_code_cell
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("text"), *(
        cell(outputs=[nbformat.v4.new_output("display_data", {"text/html": html})]) for html in outputs)])


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A book in which one page has run and another has not; what the build warns of."""
    (tmp_path / "chapters").mkdir()
    for page in ("there", "new"):
        (tmp_path / "chapters" / f"{page}.md").write_text("")
    warnings = []
    monkeypatch.setattr(borrowed.log, "warning", lambda message, *said, location: warnings.append(message % said))
    runs = {"there": notebook("<table></table>", OWN.replace('id="demo"', 'id="other"'), OWN)}
    monkeypatch.setattr(borrowed, "executed", lambda root, page: runs.get(page))
    return SimpleNamespace(root=tmp_path, warnings=warnings, noted=[])


def shown(book, argument):
    """What the directive puts into a page."""
    directive = borrowed.Borrowed.__new__(borrowed.Borrowed)
    env = SimpleNamespace(srcdir=str(book.root), note_dependency=book.noted.append)
    directive.arguments, directive.lineno = [argument], 1
    directive.state = SimpleNamespace(document=SimpleNamespace(settings=SimpleNamespace(env=env)))
    directive.state_machine = SimpleNamespace(get_source_and_line=lambda line: ("page.md", line))
    return "".join(node.astext() for node in directive.run())


def test_it_is_the_figure_of_the_other_page_says_so_and_is_read_anew_with_it(book):
    assert shown(book, "there#demo") == OWN.replace('class="dp-static"', 'class="dp-static" data-from="there"', 1)
    assert book.warnings == [] and book.noted == [str(book.root / "chapters" / "there.md")]


@pytest.mark.parametrize("argument, warning", [
    ("there#gone", "page 'there' has no explorer 'gone'"), ("there#dem", "no explorer 'dem'"), ("there", "no explorer ''"),
    ("nowhere#demo", "no page 'nowhere'"), ("new#demo", "no page 'new'")])
def test_a_figure_that_is_not_there_is_a_warning(book, argument, warning):
    assert shown(book, argument) == "" and warning in book.warnings[0]


def test_a_borrowed_figure_weighs_as_its_own_does_and_shares_its_id_with_nothing(book, monkeypatch):
    body = shown(book, "there#demo")
    front.check_page("page", body)
    with pytest.raises(ValueError, match="more than once"):
        front.check_page("page", body + OWN)
    weight = front.compressed(front.front_end(static=True)) + front.compressed(body)
    monkeypatch.setattr(front, "MAX_PAGE", weight - 1)
    with pytest.raises(ValueError, match="weigh"):
        front.check_page("page", body)


def test_what_looks_for_the_figures_of_a_page_leaves_borrowed_ones_out(book, tmp_path):
    from tests.site.browser import explorer_pages

    (tmp_path / "own.html").write_text(OWN, encoding="utf-8")
    (tmp_path / "borrows.html").write_text(shown(book, "there#demo"), encoding="utf-8")
    assert explorer_pages(tmp_path) == {tmp_path / "own.html": ["demo"]}


def test_a_borrowed_figure_takes_as_long_as_another():
    page = "---\n---\n# Title\n"
    assert minutes.minutes(page + "```{borrowed} a#b\n```\n" * 10)[0] == 20
