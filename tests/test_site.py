"""The Sphinx side of the book, where the built site would not show a mistake."""

from docutils import nodes
from docutils.utils import new_document

from dplib.book.site import keep_punctuation


def test_a_comma_stays_with_its_own_formula():
    """Two formulas followed by equal texts: texts are compared by their place, never by what they say."""
    paragraph = nodes.paragraph("", "", nodes.Text("If "), nodes.math("", "a"), nodes.Text(", "), nodes.emphasis("", "then"),
                                nodes.Text(", "), nodes.math("", "b"), nodes.Text(", "), nodes.math("", "c"), nodes.Text("."))
    document = new_document("page")
    document += paragraph
    keep_punctuation(None, document)
    assert paragraph.astext() == "If a, then, b, c."
    assert [together.astext() for together in document.findall(nodes.inline)] == ["a,", "b,", "c."]
