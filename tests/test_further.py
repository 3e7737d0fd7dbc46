"""Sections marked Further: folded behind their first paragraph, without a build."""

import pytest
from docutils import nodes

from dplib.book import further
from tests.test_doctrees import HTML, PRINT, cell_with, page_with


def section(title, *parts):
    return nodes.section("", nodes.title("", title), *parts, ids=[nodes.make_id(title)])


def statement():
    return nodes.admonition("", nodes.paragraph("", "so it is"), realtype="theorem")


def figure():
    cell = cell_with('<div class="dp-still">')
    cell["nb_element"] = "cell_code"
    return cell


@pytest.mark.parametrize("title, address", [("Further: The bill", "the-bill"), ("Further: a person's odds", "a-person-s-odds")])
def test_a_section_that_becomes_further_keeps_its_old_address(title, address):
    marked, other = section(title), section("Other")
    marked.next_node(nodes.Text).parent[0] = nodes.Text(title.replace("'", "’"))       # as a builder prints it
    document = page_with(marked, other)
    further.keep_addresses(None, document)
    assert marked["ids"] == [f"further-{address}", address] and marked["classes"] == ["dp-further"]
    assert other["ids"] == ["other"] and not other["classes"]


def test_all_behind_its_first_paragraph_is_folded_and_nothing_is_lost():
    parts = [nodes.paragraph("", "why"), statement(), figure(), section("Below", nodes.paragraph("", "deep"))]
    marked, other = section("Further: more", *parts), section("Other", nodes.paragraph("", "a"), statement())
    document = page_with(marked, other)
    text, before = document.astext(), other.pformat()
    further.fold_further(HTML, document, "page")
    title, first, opening, *rest, closing = marked.children
    assert (first.astext(), rest) == ("why", parts[1:]) and other.pformat() == before
    assert opening.astext() == "<details class='dp-more'><summary>Read on: 1 statement, 1 figure</summary>"
    assert closing.astext() == "</details>"
    assert all(line in document.astext() for line in text.split("\n"))


def test_a_picture_behind_the_first_paragraph_is_not_folded():
    drawn = [nodes.container("", figure(), classes=["dp-drawn"]) for _ in range(2)]
    marked = section("Further: more", nodes.paragraph("", "why"), drawn[0], statement(), drawn[1])
    further.fold_further(HTML, page_with(marked), "page")
    title, first, picture, opening, *rest, closing = marked.children
    assert picture is drawn[0] and rest[1] is drawn[1] and "1 statement, 1 figure" in opening.astext()


@pytest.mark.parametrize("parts, said", [
    ([statement(), statement()], "2 statements"), ([figure()], "1 figure"), ([nodes.paragraph("", "word " * 290)], "300 words"),
    ([nodes.paragraph("", "word " * 90)], ""), ([], ""), ([nodes.section("", statement())], "1 statement")])
def test_the_fold_says_what_is_in_it_and_a_little_is_not_folded(parts, said):
    assert further.contents_of(parts) == said


@pytest.mark.parametrize("parts", [[], [nodes.bullet_list()], [nodes.paragraph("", "all of it")]])
@pytest.mark.parametrize("where", [HTML, PRINT])
def test_what_needs_no_fold_stays(parts, where):
    marked = section("Further: more", *(part.deepcopy() for part in parts))
    document = page_with(marked)
    before = document.pformat()
    further.fold_further(where, document, "page")
    assert document.pformat() == before


def test_other_formats_have_no_folds():
    document = page_with(section("Further: more", nodes.paragraph("", "why"), statement()))
    before = document.pformat()
    further.fold_further(PRINT, document, "page")
    assert document.pformat() == before
