"""Slides, from a small page as Sphinx writes it: what is shown, in which order, and what is left to the speaker."""

import json

import pytest
from bs4 import BeautifulSoup

from dplib.book import decks, slides
from dplib.book.front import WEB


def state(id, guess=None, draws=0, controls=1):
    spec = dict(id=id, alt=f"The figure {id}", guess=guess, draws=draws, controls=[{}] * controls)
    return json.dumps(dict(spec=json.dumps(spec), table=""))


def drawn(id, **spec):
    return (f'<div class="cell dp-drawn"><div class="cell_output"><div class="dp-static" id="{id}">'
            '<noscript><svg><path id="p"/></svg></noscript>'
            f'<script type="application/json">{state(id, **spec)}</script></div></div><p class="dp-caption">Move {id}.</p>'
            '<details class="hide dp-below">code</details></div>')


ASKED = dict(label="How many?", names=["few", "many"], values=[0, 1], unit="")
PAGE = f"""<!doctype html><html><head><script>window.MathJax = {{}}</script><script src="../_static/mathjax/mathjax.js?v=1"></script>
<script src="../_static/explorer.js"></script><link rel="stylesheet" href="../_static/book.css?v=2"></head><body>
<div class="dropdown dropdown-download-buttons"><ul class="dropdown-menu"><li>.md</li></ul></div>
<article class="bd-article"><section id="a-page">
<h1 class="dp-part-2"><span class="section-number">3. </span>A page<a class="headerlink">#</a></h1>
<p class="dp-opening">Who is there?</p><p class="dp-opening">Look at the map.</p>{drawn("town", guess=ASKED, controls=2)}
<div class="dp-strip"><p class="dp-strip-line">short</p><details><summary>On this page</summary>
<p><strong>You will be able to</strong> count &lt; 3; add <span>two;</span> and subtract.</p>
<p><strong>You need</strong> <a href="first.html">The first</a>. <strong>Time</strong> 5 minutes to read.</p></details></div>
<section id="one"><h2><span class="section-number">3.1. </span>One</h2><p>Before it.</p><p><strong>Intuition.</strong> It is small.</p>
<div class="proof theorem admonition" id="thm-one"><p class="admonition-title">Theorem 3.1 (One)</p>
<div class="theorem-content docutils container" id="proof-content"><p id="x">It is <a href="#thm-two">small</a>.</p></div>
<div class="dp-checked"><details>checked</details></div></div><details class="sd-dropdown"><summary>Proof</summary>By hand.</details>
<p>By <a title="Ann. Bob" href="first.html#a">her</a> <a href="https://example.org/x">paper</a> it is 0. Then more.</p>
<div class="admonition tip"><p class="admonition-title">Spot the bug</p><p>It is 1.</p>
<details><summary>Answer</summary><div class="sd-summary-content"><p>No.</p></div></details></div>
<section id="deep"><h3>3.1.1. Deep</h3>
<div class="cell"><div class="dp-code"><details class="dp-shown">
<div class="highlight"><pre>print(1)</pre></div></details></div>
<div class="cell_output"><div class="highlight"><pre>1</pre></div></div></div><p>One is printed:</p></section></section>
<section id="more" class="dp-further"><h2>3.2. Further: more</h2><p>Is there more? Yes.</p><details class="dp-more">
<div class="proof lemma admonition" id="lem-two"><p class="admonition-title">Lemma 3.1</p><div class="container"><p>Two.</p></div></div>
{drawn("ghosts", draws=20)}</details></section>
<section id="exercises"><h2>3.3. Exercises</h2>
<div class="exercise admonition"><p class="admonition-title">Exercise 3.1 (By hand)</p></div></section>
</section></article><div class="prev-next-area"><a class="right-next" href="next.html"><p class="prev-next-title">Next one</p>
<p class="dp-question">And then?</p></a></div></body></html>"""


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "chapters" / "three.html"
    file.parent.mkdir()
    file.write_text(PAGE, encoding="utf-8")
    return file


@pytest.fixture
def columns(file):
    return slides.deck(slides.read(file), "../chapters/three.html")


def test_a_deck_has_what_the_page_shows_in_its_order_and_what_is_further_in_one_column(columns):
    assert [[slide.kind for slide in column] for column in columns] == [
        ["title"], ["promise"], ["guess"], ["explorer"], ["statement"], ["box"], ["program"], ["further", "explorer"], ["ending"]]


def only(columns, kind):
    [slide] = [slide for column in columns for slide in column if slide.kind == kind]
    return slide


def test_a_statement_comes_with_its_intuition_and_how_to_read_it_and_the_paragraphs_around_are_said(columns):
    slide = only(columns, "statement")
    assert slide.name == "thm-one" and slide.heading.endswith("One")
    assert slide.content["title"] == "Theorem 3.1 (One)" and "checked" not in str(slide.content)
    assert slide.content["says"] == '<p>It is <a href="../chapters/three.html#thm-two" target="_blank">small</a>.</p>'
    assert 'href="../chapters/first.html#a"' in slide.notes and 'href="https://example.org/x"' in slide.notes
    assert slide.content["intuition"].endswith("It is small.") and slide.content["read"].endswith("it is 0.")
    assert "Before it." in slide.notes and "Then more." in slide.notes and "By hand" not in slide.notes


def test_what_a_figure_asks_is_asked_before_it_is_shown_and_every_figure_can_be_moved(columns):
    asked = only(columns, "guess")
    assert asked.content["question"] == "How many?" and asked.content["choices"] == ["few", "many"]
    assert "Look at the map." in asked.content["setting"] and "Who is there" not in asked.content["setting"]
    town, ghosts = (slide for column in columns for slide in column if slide.kind == "explorer")
    assert town.content["address"] == "../chapters/three.html?embed=town" and ghosts.content["caption"] == "Move ghosts."
    assert town.content["height"] == 460 + 2 * 46 + 100 and ghosts.content["height"] == 460 + 46 + 50
    assert 'id="p"' in town.content["still"]                    # a drawing refers to its own parts


def test_the_box_of_a_page_is_a_list_of_aims_and_its_end_asks_what_comes_next(columns):
    promise, ending = only(columns, "promise").content, only(columns, "ending").content
    assert promise["aims"] == ["count &lt; 3", "add <span>two</span>", "subtract"] and promise["needs"].endswith("The first</a>.")
    assert "5 minutes" in only(columns, "promise").notes
    assert ending == dict(exercises=["Exercise 3.1 (By hand)"], address="../chapters/next.html", title="Next one", question="And then?")


def test_a_mistake_is_shown_before_its_answer_and_a_program_with_what_it_prints(columns):
    box, program = only(columns, "box").content, only(columns, "program").content
    assert box == dict(title="Spot the bug", says="<p>It is 1.</p>", answer="<p>No.</p>")
    assert "print(1)" in program["code"] and "<pre>1</pre>" in program["output"]
    assert program["read"] == ""                                # it leads on to what is not on the slide


def paragraph(text):
    return BeautifulSoup(f"<p>{text}</p>", "html.parser").p


@pytest.mark.parametrize("text, found", [
    ("One. Two.", ["One.", "Two."]), ("It is 0.5 of $x$. Then?", ["It is 0.5 of $x$.", "Then?"]), ("none", ["none"]),
    ("See <em>A. B</em>. C.", ["See <em>A.</em>", "B.", "C."]), ("By D. et al. it holds.", ["By D. et al. it holds."]),
    ('<a title="A. B?">one</a> two. Three!', ['<a title="A. B?">one</a> two.', "Three!"])])
def test_a_sentence_ends_where_the_next_one_begins_and_never_inside_a_tag(text, found):
    assert slides.sentences(paragraph(text)) == found


@pytest.mark.parametrize("text, asked", [
    ("It grows. How fast does it grow, with <em>n</em>? By 1.", "How fast does it grow, with <em>n</em>?"), ("It grows. How?", ""),
    ('<a title="Why is it so?">It</a> grows.', "")])
def test_a_section_is_asked_for_by_a_question_that_can_be_understood(text, asked):
    assert slides.question(paragraph(text)) == asked


@pytest.mark.parametrize("texts, read", [
    (["It is 0. Then more.", "Other."], "It is 0."), ([], ""), (["What follows: a list:"], ""),
    (["<strong>Intuition.</strong> Of the next."], "")])
def test_a_statement_is_read_by_the_first_sentence_behind_it_unless_this_is_about_what_comes_next(texts, read):
    assert slides.read_as([paragraph(text) for text in texts]) == read


@pytest.mark.parametrize("length, rows, code, shown", [(3, 0, True, True), (30, 0, False, False), (3, 4, True, True), (20, 4, False, True)])
def test_long_code_is_left_out_and_what_it_prints_as_well_unless_it_is_a_table(length, rows, code, shown):
    table = f'<div class="dp-table"><table>{"<tr><td>1</td></tr>" * rows}</table></div>' if rows else ""
    code_shown = "x = 1\n" * length
    cell = BeautifulSoup(f'<div class="cell"><details class="dp-shown"><div class="highlight"><pre>{code_shown}</pre></div></details>'
                         f'<div class="cell_output"><div class="highlight"><pre>1</pre></div>{table}</div></div>', "html.parser").div
    found = list(slides.program(cell, ""))
    assert len(found) == shown and all(bool(slide.content["code"]) == code for slide in found)


@pytest.mark.parametrize("asked, offered", [
    (dict(names=["a", "b"], values=[0, 1], unit=""), ["a", "b"]), (dict(names=[], values=[0, .5, 1], unit=""), ["a number from 0 to 1"]),
    (dict(names=[], values=[1, 10**6], unit=" people"), ["a number from 1 to 10⁶ people"])])
def test_the_room_may_answer_what_a_reader_may(asked, offered):
    assert slides.choices(asked) == offered


def test_a_deck_is_a_file_beside_the_chapters_that_takes_what_its_page_takes(file):
    out = file.parents[1] / decks.FOLDER
    decks.write([file], out)
    deck = BeautifulSoup((out / "three.html").read_text(encoding="utf-8"), "html.parser")
    sources = [node.get("src") or node.get("href") for node in deck.head.select("script[src], link[href]")]
    assert "../_static/mathjax/mathjax.js?v=1" in sources and "../_static/book.css?v=2" in sources
    assert not [name for name in sources if "explorer.js" in name or ":" in name]
    assert all((out / name).exists() for name in sources if not name.startswith("../_static"))
    assert len(deck.select("section.slide")) == 10 and len(deck.select("section > section")) == 2
    assert deck.select_one("main")["class"] == ["deck", "dp-part-2"] and deck.select_one("#thm-one") and not deck.select("#x")


def test_a_page_leads_to_its_deck_once(file):
    decks.link(file)
    decks.link(file)
    page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
    [entry] = page.select(".dropdown-menu a")
    assert entry["href"] == "../slides/three.html" and entry.get_text(strip=True) == "Slides"
    file.write_text("<p>no menu</p>")
    with pytest.raises(ValueError, match="no menu of downloads"):
        decks.link(file)


def test_the_pages_that_are_taught_are_those_that_say_how_long_they_take(file):
    (file.parent / "notation.html").write_text("<p>signs</p>")
    assert decks.pages(file.parents[1]) == [file]


def test_what_shows_the_slides_has_the_version_of_the_lock():
    lock = json.loads((WEB / "vendor" / "package-lock.json").read_text())["packages"]
    version = lock["node_modules/reveal.js"]["version"]
    assert (WEB / "reveal" / "reveal.js").read_text(encoding="utf-8").startswith(f"/* reveal.js {version} (MIT)")
    assert f"\nreveal.js {version} (MIT)\n" in (WEB / "reveal" / "reveal.LICENSES.txt").read_text(encoding="utf-8")
