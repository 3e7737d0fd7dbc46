"""What of a page is printed on paper, and how."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.addnodes import index, pending_xref, start_of_file
from sphinx_exercise.nodes import solution_node
from sphinx_proof.nodes import theorem_node

from dplib.book import paper_text

NUMBERS = {"chapters/packing": {"theorem": {"thm-packing": (12, 3)}, "exercise": {}}}
ENV = SimpleNamespace(toc_fignumbers=NUMBERS, toc_secnumbers={"chapters/packing": {"": (12,)}, "chapters/privacy": {"": (2,)}},
                      titles={"chapters/packing": nodes.title("", "Packing")})


def page(*content, name="chapters/packing"):
    return start_of_file("", nodes.section("", *content), docname=name)


def printed(tree):
    """What the tree says, the commands of LaTeX among it."""
    return " ".join(tree.astext().split())


def cell(*classes):
    source = nodes.container("", nodes.literal_block("", "x = 1"), nb_element="cell_code_source")
    output = nodes.container("", nodes.literal_block("", "prints 1"), nb_element="cell_code_output")
    return nodes.container("", source, output, nb_element="cell_code", classes=["cell", *classes])


@pytest.mark.parametrize("tag, code, result", [("", True, True), ("tag_hide-input", False, True), ("tag_hide-output", True, False),
                                               ("tag_hide-cell", False, False)])
def test_of_a_cell_paper_has_what_the_page_shows_unfolded(tag, code, result):
    tree = new_document("page")
    tree += cell(tag)
    paper_text.print_cells(tree)
    assert ("x = 1" in tree.astext(), "prints 1" in tree.astext()) == (code, result)


@pytest.mark.parametrize("title, entry", [("Packing", "Packing"), ("The packing bound", "packing bound"), ("Anything", "Anything")])
def test_a_statement_has_the_number_of_the_site_and_its_name_in_the_index(title, entry):
    node = theorem_node("", nodes.title("", f" ({title})"), nodes.paragraph("", "It is so."), countertype="theorem",
                        realtype="theorem", label="thm-packing", ids=["thm-packing"])
    file = page(node)
    paper_text.print_statements(file, "chapters/packing", ENV)
    assert r"\begin{dpstatement}{12.3}" in printed(file) and f"Theorem 12.3 ({title})" in printed(file)
    assert r"\label{\detokenize{chapters/packing:thm-packing}}" in printed(file)
    assert [node["entries"][0][1] for node in file.findall(index)] == [f"{entry} (Theorem 12.3)"]


@pytest.mark.parametrize("title, environment, ends", [("Proof", "dpproof", 1), ("Proof of (a)", "dpproof", 1), ("Answer", "dpfold", 0)])
@pytest.mark.parametrize("last", [nodes.paragraph("", "done"), nodes.math_block("", "x")])
def test_a_fold_is_open_and_a_proof_ends_with_its_sign(title, environment, ends, last):
    file = page(nodes.container("", nodes.rubric("", title), nodes.paragraph("", "First."), last.deepcopy(), design_component="dropdown"))
    paper_text.print_folds(file)
    assert rf"\begin{{{environment}}}" in printed(file) and "First." in printed(file)
    assert printed(file).count(r"\dpqed") == ends


def test_a_term_that_is_used_is_in_the_index():
    tree = new_document("page")
    tree += nodes.paragraph("", "", pending_xref("", nodes.inline("", "the event"), reftype="term", reftarget="event"),
                            pending_xref("", nodes.inline("", "page"), reftype="ref", reftarget="page"))
    paper_text.enter_terms(tree)
    assert [entry["entries"][0][:2] for entry in tree.findall(index)] == [("single", "event")]


def link(text, uri):
    return nodes.reference("", text, refuri=uri, internal=True)


def test_a_link_to_another_chapter_says_its_page():
    file = page(nodes.paragraph("", "", link("there", "%chapters/privacy#thm-accuser"), link("whole", "%chapters/privacy"),
                                link("here", "%chapters/packing#thm-packing"), link("term", "%chapters/notation#term-event"),
                                link("elsewhere", "https://example.org")))
    paper_text.say_pages(file, "chapters/packing", ENV)
    assert re.findall(r"dppage\{\\detokenize\{(.*?)\}", file.astext()) == ["chapters/privacy:thm-accuser", "chapters/privacy::doc"]


def test_solutions_stand_at_the_end():
    book = new_document("book")
    title = nodes.title("", "", nodes.Text("Solution to"), nodes.Text(" Exercise 12.1"))
    solution = solution_node("", title, nodes.paragraph("", "It is 7."), label="s", ids=["s"])
    book += nodes.section("", page(nodes.paragraph("", "text"), solution, nodes.paragraph("", "more")))
    paper_text.move_solutions(book, ENV)
    said = printed(book)
    assert said.index("more") < said.index("Solutions") < said.index("Exercise 12.1") < said.index("It is 7.")
    assert said.count("It is 7.") == 1
