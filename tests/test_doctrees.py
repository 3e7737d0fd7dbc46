"""What the site makes of a page, without a build: each transformation on a small tree."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from myst_nb.sphinx_ import HideCodeCellNode

from dplib.book import doctrees

HTML = SimpleNamespace(builder=SimpleNamespace(format="html"))
PRINT = SimpleNamespace(builder=SimpleNamespace(format="latex"))


def page_with(*parts):
    document = new_document("page")
    document += parts
    return document


def link(text):
    return nodes.reference("", text, refuri=f"{text}.html")


def cell_with(output):
    fold = HideCodeCellNode(prompt_show="Show the code", prompt_hide="Hide the code", classes=["above-input"])
    fold += nodes.container("", nodes.literal_block("", "code"))
    return nodes.container("", fold, nodes.container("", nodes.raw("", output, format="html")))


@pytest.mark.parametrize("output, below", [('<div class="dp-static">', True), ('<div class="dp-still">', True), ("<table>", False)])
def test_code_goes_below_a_figure_and_its_caption_and_stays_above_a_table(output, below):
    caption = nodes.paragraph("", "caption", classes=["dp-caption"])
    page = page_with(cell_with(output), caption, nodes.paragraph("", "text"))
    doctrees.put_code_below(HTML, page, "page")
    order = ["dp-static" in text or "dp-still" in text or text for text in page.astext().split("\n\n") if text]
    assert order == ([True, "caption", "code", "text"] if below else ["code", "<table>", "caption", "text"])
    assert (caption.parent is page.children[0]) == below


def test_a_caption_of_something_else_stays_where_it_is():
    page = page_with(cell_with('<div class="dp-still">'), nodes.paragraph("", "text"), nodes.paragraph("", "its", classes=["dp-caption"]))
    doctrees.put_code_below(HTML, page, "page")
    assert [child.astext() for child in page.children[1:]] == ["text", "its"]


def source_cell(text):
    source = nodes.container("", nodes.literal_block("", text), nb_element="cell_code_source")
    return nodes.container("", source, nb_element="cell_code")


def test_imports_before_the_first_figure_go_into_its_fold_and_those_of_a_section_stay():
    drawn, later = cell_with('<div class="dp-still">'), cell_with('<div class="dp-still">')
    section = nodes.section("", nodes.title("", "Section"), source_cell("import b"), later)
    page = page_with(nodes.section("", nodes.title("", "Page"), source_cell("import a"), source_cell("import c"), drawn, section))
    doctrees.put_code_below(HTML, page, "page")
    assert drawn.children[-1].astext().split() == ["import", "a", "import", "c", "code"]
    assert [part.astext().split()[-1] for part in section.children] == ["Section", "b", "code"] and later.children[-1].astext() == "code"


def test_shown_code_stands_in_an_open_fold_and_folded_code_in_its_own():
    shown, drawn = source_cell("shown"), cell_with('<div class="dp-still">')
    page = page_with(shown, drawn)
    doctrees.put_code_below(HTML, page, "page")
    doctrees.fold_shown_code(HTML, page, "page")
    assert [raw.astext()[:8] for raw in shown.findall(nodes.raw)] == ["<details", "</detail"]
    assert not [raw for raw in drawn.findall(nodes.raw) if "details" in raw.astext()]


def test_formulas_of_the_opening_and_of_captions_are_text_where_they_can():
    kinds = [nodes.paragraph("", "", nodes.math("", tex), classes=classes)
             for tex, classes in [("a=1", ["dp-opening"]), ("b", ["dp-caption"]), (r"\hat c", ["dp-opening"]), ("d", [])]]
    page = page_with(*kinds)
    doctrees.write_formulas(HTML, page, "page")
    assert [formula.astext() for formula in page.findall(nodes.math)] == [r"\hat c", "d"]
    assert [plain["classes"] for plain in page.findall(nodes.inline)] == [["dp-plain", "dp-together"]] * 2


def box_with(*paragraphs):
    return nodes.admonition("", nodes.title("", doctrees.BOX), *paragraphs, ids=["on-this-page"])


def full_box():
    return box_with(
        nodes.paragraph("", "", nodes.strong("", "You will be able to"), nodes.Text(" say it.")),
        nodes.paragraph("", "", nodes.strong("", "You need"), nodes.Text(" "), link("A"), nodes.Text(", "), link("B"),
                        nodes.Text("; for one exercise also "), link("C"), nodes.Text(". "), nodes.strong("", "Time"),
                        nodes.Text(" 2 hours to read, 3 h 10 min with the proofs, 5 hours with the exercises.")),
        nodes.paragraph("", "", nodes.strong("", "Seeds"), nodes.Text(" Every draw: "), link("why"), nodes.Text(".")),
        nodes.paragraph("", "", nodes.strong("", "Checked here"), nodes.Text(" "), link("thm-a"), nodes.Text(", "), link("thm-b")))


def test_the_box_becomes_a_line_and_keeps_all_that_it_says():
    said = [part.astext() for part in full_box().children[1:]]
    page = page_with(full_box())
    doctrees.fold_box(HTML, page, "page")
    (strip,) = page.children
    line, _, *folded, _ = strip.children
    assert line.astext() == "2 h to read · needs A, B · checks 2 statements · draws have public seeds"
    assert [part.astext() for part in folded] == said and strip["ids"] == ["on-this-page"]
    assert [link["refuri"] for link in line.findall(nodes.reference)] == ["A.html", "B.html", "why.html"]


@pytest.mark.parametrize("needs, checked, line", [
    ([nodes.Text(" nothing. ")], [nodes.Text(" nothing: it proves nothing.")], "5 min to read"),
    ([nodes.Text(" "), link("A"), nodes.Text(". ")], [nodes.Text(" "), link("thm-a")], "5 min to read · needs A · checks 1 statement")])
def test_the_line_leaves_out_what_the_box_has_not(needs, checked, line):
    page = page_with(box_with(
        nodes.paragraph("", "", nodes.strong("", "You need"), *needs, nodes.strong("", "Time"), nodes.Text(" 5 minutes to read.")),
        nodes.paragraph("", "", nodes.strong("", "Checked here"), *checked)))
    doctrees.fold_box(HTML, page, "page")
    assert page.children[0].children[0].astext() == line


def test_print_by_latex_has_the_box_and_another_box_is_left_alone():
    page, other = page_with(full_box()), page_with(nodes.admonition("", nodes.title("", "Spot the bug")))
    before = page.pformat(), other.pformat()
    doctrees.fold_box(PRINT, page, "page")
    doctrees.fold_box(HTML, other, "page")
    assert (page.pformat(), other.pformat()) == before


@pytest.mark.parametrize("paragraphs, question", [
    ([["You drew noise of 0.5 as asked. Is it private? Why?"]], "Is it private?"),
    ([["Is "], ["No question.", nodes.emphasis("", "Is")]], ""),
    ([["You know. What of ", nodes.math("", "a<b"), "?"]], "What of <em>a</em>\N{NO-BREAK SPACE}&lt;\N{NO-BREAK SPACE}<em>b</em>?"),
    ([["What of ", nodes.math("", r"\hat a"), "?"]], r'What of <span class="math notranslate nohighlight">\(\hat a\)</span>?'),
    ([["How ", nodes.emphasis("", "far"), " is ", link("that"), "?"]], "How <em>far</em> is that?")])
def test_the_question_of_an_opening_is_its_first(paragraphs, question):
    made = [nodes.paragraph("", "", *(nodes.Text(p) if isinstance(p, str) else p for p in parts)) for parts in paragraphs]
    assert doctrees.first_question(made) == question


def test_the_opening_ends_at_the_figure():
    section = nodes.section("", nodes.title("", "Title"), nodes.paragraph("", "Ask."), cell_with("<table>"), nodes.paragraph("", "Late?"))
    assert [part.astext() for part in doctrees.opening(page_with(section))] == ["Ask."]


def test_a_page_is_written_again_when_the_next_one_asks_something_else():
    relations = {"a": (None, None, "b"), "b": (None, "a", "c"), "c": (None, "b", None)}
    env = SimpleNamespace(found_docs=set(relations), metadata={name: {} for name in relations}, collect_relations=lambda: relations)
    assert doctrees.rewrite_before(None, env) == ["a", "b"]            # nothing is known of what they were written with
    assert doctrees.rewrite_before(None, env) == []
    env.metadata["c"]["question"] = "Why?"
    assert doctrees.rewrite_before(None, env) == ["b"]
