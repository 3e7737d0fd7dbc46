"""The slides of a page, made from the page as it was built.

What a lecturer shows is on the page already: its question, its figures, its statements and its
warnings. Each of them is a slide, in the order of the page, and the paragraphs around it are the
notes of the speaker.
"""

import json
import re
from dataclasses import dataclass, field
from html import escape
from urllib.parse import urljoin

from bs4 import BeautifulSoup, NavigableString

from .further import FURTHER
from .sentences import format as written

NOT_SHOWN = ".headerlink, .dp-checked, .dp-below, .dp-narrow, .sd-summary-icon"
LINES = 22                                    # of code and of what it prints, on a slide
AFTERWARDS = ("Exercises", "Where next")      # sections that the last slide speaks of


@dataclass
class Slide:
    """One slide: which block of the template shows it, under which heading, and what is said."""

    kind: str
    heading: str = ""
    notes: str = ""
    name: str = ""                            # its address in the deck, of those that have one
    content: dict = field(default_factory=dict)


# --- a page as it was built
# -----------------------------------------------------------------------------------------

def read(file):
    """The page without what a slide does not show. Its links lead from the folder of the decks."""
    page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
    article = page.select_one(".bd-article")
    for node in article.select(NOT_SHOWN):
        node.decompose()
    for link in page.select(".bd-article a[href], .prev-next-area a[href]"):
        # from the root and back, because urljoin drops dots that lead out of a relative address
        link["href"] = re.sub("^/", "../", urljoin(f"/chapters/{file.name}", link["href"]))
        link["target"] = "_blank"             # the talk stays where it is
    for node in article.select("[id]:not(.proof, .dp-static, svg, svg *)"):
        del node["id"]
    return page


def inside(node):
    return node.decode_contents().strip() if node else ""


def text_of(nodes):
    """HTML of nodes that stand side by side."""
    return "".join(
        escape(node, quote=False) if isinstance(node, NavigableString) else str(node)
        for node in nodes
    ).strip()


# it ends where white space and a capital letter follow; a full stop inside of a tag ends nothing
SENTENCE = re.compile(
    r"(?:<[^>]*>|[^<])*?[.?!](?:</\w+>)*(?=\s+(?:<[^>]+>)*[A-Z“]|$)", flags=re.S
)


def sentences(paragraph):
    """As HTML, each with the tags that it needs."""
    found = SENTENCE.findall(inside(paragraph)) or [inside(paragraph)]
    return [str(BeautifulSoup(sentence.strip(), "html.parser")) for sentence in found]


def question(paragraph):
    """What it asks; nothing if the question cannot be understood without what is before it."""
    asked = [sentence for sentence in sentences(paragraph) if sentence.endswith("?")]
    return next((sentence for sentence in asked if len(sentence.split()) > 3), "")


INTUITION = "<strong>Intuition.</strong>"


def read_as(paragraphs):
    """How to read what stands before these paragraphs: the first sentence, unless it leads on to
    what comes behind them."""
    first = sentences(paragraphs[0])[0] if paragraphs else ""
    return "" if first.startswith(INTUITION) or first.endswith(":") else first


def paragraphs_beside(node, direction):
    """The paragraphs right before a node, or right behind it and its proof, in their order."""
    beside = node.find_previous_siblings if direction == "before" else node.find_next_siblings
    found = []
    for other in beside(True):
        if other.name == "details" and not found:
            continue                          # a proof
        if other.name != "p":
            break
        found.append(other)
    return found[::-1] if direction == "before" else found


def around(node):
    """The notes of a slide: the paragraphs around what it shows."""
    return "".join(map(str, paragraphs_beside(node, "before") + paragraphs_beside(node, "after")))


# --- one slide for each thing that is shown
# ------------------------------------------------------------------------------------------

def statement(node, heading):
    """Its words, the intuition before it, and how to read it."""
    before = paragraphs_beside(node, "before")[-1:]
    intuition = [p for p in before if inside(p).startswith(INTUITION)]
    content = dict(
        title=inside(node.select_one(".admonition-title")),
        says=inside(node.select_one(":scope > .container")),
        intuition="".join(map(inside, intuition)),
        read=read_as(paragraphs_beside(node, "after")),
    )
    yield Slide("statement", heading, around(node), node["id"], content)


def explorer(node, heading, address):
    """The question that it asks, to the room; and the figure itself, alive."""
    spec = json.loads(json.loads(node.script.string)["spec"])
    cell = node.find_parent(class_="dp-drawn") or node
    caption = cell.select_one(".dp-caption") or node.find_next_sibling(class_="dp-caption")
    notes = around(cell)
    if asked := spec["guess"]:
        setting = cell.find_previous_siblings("p", class_="dp-opening")[::-1][1:]
        content = dict(setting=text_of(setting), question=asked["label"], choices=choices(asked))
        yield Slide("guess", heading, notes, content=content)
    content = dict(
        address=f"{address}?embed={spec['id']}",
        height=height(spec),
        alt=spec["alt"],
        still=str(node.noscript.svg),
        caption=inside(caption),
    )
    yield Slide("explorer", heading, notes, spec["id"], content)


def height(spec):
    """Pixels that the figure takes with all that is handled, a readout of two lines and, if
    something is asked, the question and the answer."""
    return 460 + 46 * len(spec["controls"]) + 50 * bool(spec["draws"]) + 100 * bool(spec["guess"])


def choices(asked):
    """What the room may answer: one of some names, or a number of a range."""
    if asked["names"]:
        return asked["names"]
    low, high = (written(asked["values"][end]) for end in (0, -1))
    return [f"a number from {low} to {high}{asked['unit']}"]


def figure(cell, heading):
    drawing = cell.select_one(".dp-still, img")
    caption = inside(cell.select_one(".dp-caption"))
    yield Slide("figure", heading, around(cell), content=dict(drawing=drawing, caption=caption))


def program(cell, heading):
    """What a cell prints, with its code if both are short, and how to read it. A table is shown in
    any case."""
    code, tables = cell.select(".dp-shown .highlight"), cell.select(".cell_output .dp-table")
    printed = tables or cell.select(".cell_output .highlight")
    short = sum(map(lines, code + printed)) <= LINES
    if tables or code and short:
        content = dict(
            code=text_of(code) if short else "",
            output=text_of(printed),
            read=read_as(paragraphs_beside(cell, "after")),
        )
        yield Slide("program", heading, around(cell), content=content)


def lines(block):
    return len(block.select("tr")) or block.get_text().strip().count("\n") + 1


def box(node, heading):
    """A warning, a mistake to be found or a report from practice; what it folds comes after a
    click."""
    folded = [inside(fold) for fold in node.select(".sd-summary-content")]
    title = node.select_one(".admonition-title")
    said = [other for other in node.find_all(True, recursive=False)
            if other is not title and other.name != "details"]
    content = dict(title=inside(title), says=text_of(said), answer="".join(folded))
    yield Slide("box", heading, around(node), content=content)


# --- a deck
# ---------------------------------------------------------------------------------------------

def slides_of(section, address):
    """The slides of a section and of those in it, in the order of the page."""
    heading = inside(section.h2 or section.h3)
    for node in section.find_all(True, recursive=False):
        yield from slides_of(node, address) if node.name == "section" else shown(
            node, heading, address
        )


def shown(node, heading, address):
    """The slides of one part of a page; none if it is text."""
    kinds = node.get("class", [])
    if "proof" in kinds:
        yield from statement(node, heading)
    elif explorers := [node] if "dp-static" in kinds else node.select(".dp-static"):
        for one in explorers:
            yield from explorer(one, heading, address)
    elif "cell" in kinds and node.select_one(".dp-still, .cell_output img"):
        yield from figure(node, heading)
    elif "cell" in kinds and node.select_one(".cell_output"):
        yield from program(node, heading)
    elif "admonition" in kinds:
        yield from box(node, heading)


def title_of(section):
    return section.h2.get_text().split(". ", 1)[-1]


def opening(article):
    """The title with the question of the page, what it is for, and its first figure."""
    first, *setting = article.select("section > .dp-opening")
    aims, needs, time = promised(article)
    yield Slide("title", notes=text_of(setting) + time,
                content=dict(title=inside(article.h1), question=inside(first)))
    yield Slide("promise", "On this page", time, content=dict(aims=aims, needs=needs))


def promised(article):
    """What the box *On this page* says: the aims one by one, the pages needed, and the time."""
    said = {}
    for strong in article.select(".dp-strip details strong"):
        said[strong.get_text()] = behind = []
        for node in strong.next_siblings:
            if node.name == "strong":
                break
            behind.append(node)
    return (
        clauses(said["You will be able to"]),
        text_of(said["You need"]),
        f"<p>{text_of(said['Time'])}</p>",
    )


def clauses(nodes):
    """A sentence as the list of its clauses, which semicolons divide; that of an entity does
    not."""
    end = r"(?<!&lt)(?<!&gt)(?<!&amp);((?:</span>)*)\s+(?:and,? )?"
    return re.sub(end, r"\1\0", text_of(nodes)).rstrip(".").split("\0")


def ending(page):
    exercises = [inside(title) for title in page.select(".exercise > .admonition-title")]
    after = page.select_one("a.right-next")
    yield Slide("ending", content=dict(
        exercises=exercises,
        address=after["href"] if after else "",
        title=inside(after.select_one(".prev-next-title")) if after else "",
        question=inside(after.select_one(".dp-question")) if after else "",
    ))


def deck(page, address):
    """The slides of a page, as a list of columns: all that is marked Further stands in one, which
    one goes down."""
    article = page.select_one(".bd-article")
    first = article.section
    core, further = list(opening(article)), []
    for node in first.find_all(True, recursive=False):
        if node.name != "section":
            core += shown(node, "", address)
        elif "dp-further" in node.get("class", []):
            further.append(node)
        elif title_of(node) not in AFTERWARDS:
            core += slides_of(node, address)
    beyond = further_slides(further, address)
    columns = [[slide] for slide in core] + [beyond] * bool(beyond) + [list(ending(page))]
    return columns


def further_slides(sections, address):
    """What else is on the page, and the figures that can be moved of it."""
    if not sections:
        return []
    asked = [(title_of(s).removeprefix(FURTHER), question(s.p)) for s in sections]
    slides = [Slide("further", "Further on the page", content=dict(asked=asked))]
    for section in sections:
        heading = inside(section.h2)
        for node in section.select(".dp-static"):
            slides += explorer(node, heading, address)
    return slides
