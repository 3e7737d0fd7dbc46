"""The bibliography: where each work is cited, and nothing of LaTeX."""

from docutils import nodes
from docutils.utils import new_document

from dplib.book import citations

ORDER = ["chapters/index", "chapters/privacy", "chapters/packing"]


def test_pages_that_cite_a_work_stand_in_the_order_of_the_book_and_once():
    refs = [("chapters/packing", "a"), ("chapters/privacy", "a"), ("chapters/packing", "a"), ("chapters/packing", "b")]
    assert citations.cited_on(refs, ORDER) == {"a": ["chapters/privacy", "chapters/packing"], "b": ["chapters/packing"]}
    assert citations.cited_on(refs[2:], ORDER) != citations.cited_on(refs, ORDER)


def test_links_to_the_pages_are_a_sentence():
    links = [nodes.reference("", title, refuri="x") for title in ("A", "B")]
    assert citations.cited_line(links[:1]).astext() == " Cited in A."
    assert citations.cited_line([nodes.reference("", t, refuri="x") for t in ("A", "B")]).astext() == " Cited in A; B."


def entry(*texts):
    document = new_document("page")
    document += nodes.paragraph("", "", *map(nodes.Text, texts))
    return document


def test_what_stood_in_typewriter_type_is_code():
    for texts in (("Distributed as \\texttt ", "anes96", "."), ("Distributed as \\texttt anes96",)):
        found = entry(*texts)
        citations.write_typewriter(found)
        assert found.astext().rstrip(".") == "Distributed as anes96"
        assert [code.astext() for code in found.findall(nodes.literal)] == ["anes96"]


def test_an_entry_without_it_stays_as_it_is():
    found = entry("Rényi differential privacy. 2017.")
    citations.write_typewriter(found)
    assert found.astext() == "Rényi differential privacy. 2017." and not list(found.findall(nodes.literal))
