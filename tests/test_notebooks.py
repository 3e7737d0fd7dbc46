"""Pages as notebooks, where the built ones would not show a mistake."""

from types import SimpleNamespace

import nbformat
import pytest

from dplib.book.notebooks import launchers, notebook_of, offer_to_run, setup_cell
from dplib.book.prose import Prose

FROM = "chapters/a"


def prose(page):
    return Prose(lambda address: f"there/{address}").convert(page)


@pytest.mark.parametrize("page, text", [
    (r'<p>If <span class="math">\(a_1&lt;b\)</span>, <em>then</em></p>', "If $a_1<b$, *then*"),
    ('<p>costs $5, a &lt; b</p>', r"costs \$5, a &lt; b"),
    ('<div class="math">\\[a\n  +b\\]</div>', "$$a +b$$"),
    ('<h2>A<a class="headerlink" href="#a">#</a></h2>', "## A"),
    ('<p><a href="b.html#c">\nB</a></p>', "[B](there/b.html#c)"),
    ("<details><summary><p>A\n B</p></summary><p>C</p></details>", "<details>\n<summary>A B</summary>\n\nC\n\n</details>"),
    ('<div class="tip admonition"><p class="admonition-title">A</p><p>B</p><details><summary>C</summary>D</details></div>',
     "> **A**\n>\n> B\n>\n> <details>\n> <summary>C</summary>\n>\n> D\n>\n> </details>"),
    ('<div class="solution admonition"><p class="admonition-title">A</p><p>B</p></div>',
     "<details>\n<summary>A</summary>\n\nB\n\n</details>"),
    ('<table><tr><th>A</th></tr><tr><td><span class="math">\\(|x|\\)</span></td></tr></table>', "| A |\n| --- |\n| $\\vert x\\vert $ |"),
])
def test_what_a_page_says_is_said_in_plain_markdown(page, text):
    assert prose(page).strip() == text


def page_of(body, *cells, site="https://example.org/"):
    made = {"code": nbformat.v4.new_code_cell, "text": nbformat.v4.new_markdown_cell}
    kernel = dict(name="python3", display_name="Python 3")
    made = [made[kind](text, metadata=dict(tags=tags)) for kind, text, *tags in cells]
    source = nbformat.v4.new_notebook(metadata=dict(kernelspec=kernel), cells=made)
    return notebook_of(FROM, body, source, site, "setup").cells


CELL = '<div class="cell"><div class="cell_input"><pre>{}</pre></div><div class="cell_output"><p>output</p></div>{}</div>'


def test_cells_stand_where_the_page_has_them_and_those_that_it_does_not_show_before_the_next():
    body = ("<section><h1>A</h1><p>one</p>" + CELL.format("x = 1\n", '<p class="dp-caption">caption</p>')
            + '<section><h2>B</h2><details class="dp-more"><summary>Read on</summary>'
            + CELL.format("y = 1", "") + "<p>two</p></details></section></section>")
    cells = page_of(body, ("text", "raw"), ("code", "x = 1", "hide-input"), ("code", "hidden", "remove-cell"),
                    ("code", "y = 1", "hide-output"), ("code", "last", "hide-cell"))
    assert [cell.source for cell in cells] == ["# A\n\none", "setup", "x = 1", "caption", "## B", "hidden", "y = 1", "two", "last"]
    folded = {cell.source: {place for place, is_folded in cell.metadata.get("jupyter", {}).items() if is_folded} for cell in cells}
    assert {source: places for source, places in folded.items() if places} == {
        "x = 1": {"source_hidden"}, "hidden": {"source_hidden"}, "y = 1": {"outputs_hidden"}, "last": {"source_hidden", "outputs_hidden"}}


def test_code_that_is_in_no_cell_is_refused():
    with pytest.raises(ValueError, match="'chapters/a' shows code that is in no cell"):
        page_of("<section><h1>A</h1>" + CELL.format("x = 2", "") + "</section>", ("code", "x = 1"))


@pytest.mark.parametrize("address, site, link", [
    ("b.html#c", "https://example.org/book/", "https://example.org/book/chapters/b.html#c"),
    ("#c", "https://example.org/book/", "https://example.org/book/chapters/a.html#c"),
    ("../chapters/b.html", "", "../../chapters/b.html"), ("#c", "", "../../chapters/a.html#c"),
    ("https://example.org", "", "https://example.org")])
def test_links_lead_to_the_site_wherever_that_is(address, site, link):
    [cell, _] = page_of(f'<section><h1>A <a href="{address}">b</a></h1></section>', site=site)
    assert cell.source == f"# A [b]({link})"


def test_a_figure_of_another_page_is_a_way_to_it():
    drawn = '<noscript><svg role="img"><text>hidden</text></svg><p>B</p></noscript><script>hidden</script>'
    [cell, _] = page_of(f'<section><h1>A</h1><div class="dp-static" id="b">{drawn}</div></section>')
    assert cell.source == "# A\n\n[A figure with sliders, on the site](https://example.org/chapters/a.html#b)"


def test_the_first_cell_names_the_place_that_the_package_is_installed_from():
    wheels = ["a-1-py3-none-any.whl", "b-1-py3-none-any.whl"]
    there, beside = setup_cell("https://example.org/", wheels), setup_cell("", wheels)
    assert "%pip install --quiet https://example.org/_sources/chapters/a-1-py3-none-any.whl https://example.org/" in there
    assert "%pip install --quiet a-1-py3-none-any.whl b-1-py3-none-any.whl" in beside and "put them into its folder" in beside


@pytest.mark.parametrize("repository, site, buttons", [
    ("https://github.com/someone/book", "https://someone.github.io/book/", ["Binder", "Colab"]),
    ("https://github.com/someone/book", "", []), (None, "https://example.org/", []),
    ("https://example.org/a/b", "https://example.org/", [])])
def test_a_page_can_be_run_elsewhere_where_both_addresses_are_known(repository, site, buttons):
    made = launchers(repository, site, "chapters/privacy")
    assert [button["text"] for button in made] == buttons
    assert [button["url"] for button in made] == [
        "https://mybinder.org/v2/gh/someone/book/notebooks?urlpath=lab/tree/chapters/privacy.ipynb",
        "https://colab.research.google.com/github/someone/book/blob/notebooks/chapters/privacy.ipynb"][:len(buttons)]


@pytest.mark.parametrize("offered", [True, False])
def test_the_buttons_stand_on_pages_that_are_notebooks(monkeypatch, offered):
    monkeypatch.setenv("BOOK_REPOSITORY", "https://github.com/someone/book")
    app = SimpleNamespace(config=SimpleNamespace(html_baseurl="https://someone.github.io/book/"))
    context = dict(header_buttons=["download"]) | (dict(ipynb_source="chapters/a.ipynb") if offered else {})
    offer_to_run(app, "chapters/a", None, context, None)
    *ours, last = context["header_buttons"]
    assert last == "download" and [button["text"] for group in ours for button in group["buttons"]] == ["Binder", "Colab"] * offered
