"""The book on paper: what of a page is printed and how, and the whole of it where there is a LaTeX."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.addnodes import index, pending_xref, start_of_file
from sphinx_exercise.nodes import solution_node
from sphinx_proof.nodes import theorem_node

from dplib.book import paper
from tests import depth

ROOT = Path(__file__).resolve().parents[1]
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
    paper.print_cells(tree)
    assert ("x = 1" in tree.astext(), "prints 1" in tree.astext()) == (code, result)


def test_a_statement_has_the_number_of_the_site_and_its_name_in_the_index():
    node = theorem_node("", nodes.title("", " (Packing)"), nodes.paragraph("", "It is so."), countertype="theorem",
                        realtype="theorem", label="thm-packing", ids=["thm-packing"])
    file = page(node)
    paper.print_statements(file, "chapters/packing", ENV)
    assert r"\begin{dpstatement}{12.3}" in printed(file) and "Theorem 12.3 (Packing)" in printed(file)
    assert r"\label{\detokenize{chapters/packing:thm-packing}}" in printed(file)
    assert [entry["entries"][0][1] for entry in file.findall(index)] == ["Packing (Theorem 12.3)"]


@pytest.mark.parametrize("title, environment, ends", [("Proof", "dpproof", 1), ("Proof of (a)", "dpproof", 1), ("Answer", "dpfold", 0)])
@pytest.mark.parametrize("last", [nodes.paragraph("", "done"), nodes.math_block("", "x")])
def test_a_fold_is_open_and_a_proof_ends_with_its_sign(title, environment, ends, last):
    file = page(nodes.container("", nodes.rubric("", title), nodes.paragraph("", "First."), last.deepcopy(), design_component="dropdown"))
    paper.print_folds(file)
    assert rf"\begin{{{environment}}}" in printed(file) and "First." in printed(file)
    assert printed(file).count(r"\dpqed") == ends


def test_a_term_that_is_used_is_in_the_index():
    tree = new_document("page")
    tree += nodes.paragraph("", "", pending_xref("", nodes.inline("", "the event"), reftype="term", reftarget="event"),
                            pending_xref("", nodes.inline("", "page"), reftype="ref", reftarget="page"))
    paper.enter_terms(tree)
    assert [entry["entries"][0][:2] for entry in tree.findall(index)] == [("single", "event")]


def link(text, uri):
    return nodes.reference("", text, refuri=uri, internal=True)


def test_a_link_to_another_chapter_says_its_page():
    file = page(nodes.paragraph("", "", link("there", "%chapters/privacy#thm-accuser"), link("whole", "%chapters/privacy"),
                                link("here", "%chapters/packing#thm-packing"), link("term", "%chapters/notation#term-event"),
                                link("elsewhere", "https://example.org")))
    paper.say_pages(file, "chapters/packing", ENV)
    assert re.findall(r"dppage\{\\detokenize\{(.*?)\}", file.astext()) == ["chapters/privacy:thm-accuser", "chapters/privacy::doc"]


def test_solutions_stand_at_the_end():
    book = new_document("book")
    solution = solution_node("", nodes.title("", "Solution to Exercise 12.1"), nodes.paragraph("", "It is 7."), label="s", ids=["s"])
    book += nodes.section("", page(nodes.paragraph("", "text"), solution, nodes.paragraph("", "more")))
    paper.move_solutions(book, ENV)
    said = printed(book)
    assert said.index("more") < said.index("Solutions") < said.index("Solution to Exercise 12.1") < said.index("It is 7.")
    assert said.count("It is 7.") == 1


# --- the whole book, where there is a LaTeX

def overfull(log):
    """By how many points lines stand out of their column."""
    return [float(points) for points in re.findall(r"^Overfull \\hbox \(([\d.]+)pt too wide\)", log, re.M)]


def complaints(log):
    """What LaTeX has not found: references, letters, files."""
    return re.findall(r"^(?:! .*|.*undefined.*|Missing character.*)$", log, re.M)


def test_complaints_are_heard():
    log = ("Overfull \\hbox (12.5pt too wide) in paragraph at lines 3--4\nLaTeX Warning: Reference `a' on page 1 undefined on input line 2.\n"
           "Missing character: There is no x in font y!\n! Missing $ inserted.\nOutput written on book.pdf (600 pages).\n")
    assert overfull(log) == [12.5] and len(complaints(log)) == 3
    assert overfull("Overfull \\vbox (12.5pt too high)\n") == complaints("Output written on book.pdf\n") == []


@pytest.mark.skipif(not depth.EVERYTHING, reason="to set the book costs minutes: make test-all")
@pytest.mark.skipif(not all(map(shutil.which, ["latexmk", "xelatex", "rsvg-convert"])), reason="make pdf says what is missing here")
def test_the_book_is_set(monkeypatch):
    """No reference leads nowhere, no line stands out of its column, and each statement of the site has its number."""
    monkeypatch.setenv("max_print_line", "1000")
    monkeypatch.setenv("BOOK_ADDRESS", "https://example.org/book")
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    subprocess.run([jupyter_book, "build", "-W", "-n", "--keep-going", "--builder", "latex", "."], cwd=ROOT, check=True)
    folder = ROOT / "_build" / "latex"
    subprocess.run(["latexmk", "-pdf", "-silent", "-dvi-", "-ps-", "book.tex"], cwd=folder, check=True)
    log = (folder / "book.log").read_text(encoding="utf-8", errors="replace")
    assert complaints(log) == [] and max(overfull(log), default=0) <= 10
    text = (folder / "book.tex").read_text(encoding="utf-8")
    kind = "(?:Theorem|Lemma|Proposition|Corollary|Definition|Algorithm)"
    set_here = set(re.findall(rf"\\dpheading\{{({kind} [\d.]+)", text))
    on_site = set()
    for file in set((ROOT / "_build" / "html" / "chapters").glob("*.html")) - {ROOT / "_build/html/chapters/style.html"}:
        on_site |= set(re.findall(rf'<span class="caption-number">({kind} [\d.]+) </span>', file.read_text(encoding="utf-8")))
    assert set_here == on_site and len(on_site) > 200
