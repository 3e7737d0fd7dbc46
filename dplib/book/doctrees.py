"""What a page of the site looks like where it differs from its source: figures come before their
code, the box *On this page* is a strip, and the way on says what the next page asks."""

import html
import re

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode

from .plain_formulas import as_text, said

FIGURES = ("dp-static", "dp-still")            # what explorers and figures of the package write
BOX = "On this page"
CODE = "Code"
SHORT = {"minutes": "min", "hours": "h", "hour": "h"}


# --- figures before code
# ------------------------------------------------------------------------------------------

def draws(cell):
    """Does the output of this cell hold a figure of ours?"""
    return any(
        figure in raw.astext() for raw in cell.findall(nodes.raw) for figure in FIGURES
    ) or any(True for _ in cell.findall(nodes.image))


def prepared_by(cell):
    """The cells that stand between the opening of a page and its figure and show nothing, the last
    one first: imports. They are taken from the page."""
    place, taken = cell.parent.index(cell), []
    # the section of a page's title holds its opening; those of other titles stand in it
    while isinstance(cell.parent.parent, nodes.document) and place > 0:
        before = cell.parent[place - 1]
        if before.get("nb_element") != "cell_code" or len(before.children) != 1:
            break
        cell.parent.remove(before)
        taken.append(before)
        place -= 1
    return taken


def put_code_below(app, doctree, docname):
    """Under a figure its caption, and then the fold with its code: readers come for the figure.
    The caption moves into the cell, so that paper keeps both on one page."""
    if app.builder.format != "html":
        return
    for cell in list(doctree.findall(nodes.container)):
        fold, *outputs = cell.children or [None]
        if not isinstance(fold, HideCodeCellNode) or not outputs or not draws(cell):
            continue
        after = cell.next_node(descend=False, siblings=True)
        cell.remove(fold)
        for before in prepared_by(cell):
            fold.insert(0, before.children[0])
        if isinstance(after, nodes.paragraph) and "dp-caption" in after["classes"]:
            after.parent.remove(after)
            cell += after
        fold["classes"].append("dp-below")
        cell["classes"].append("dp-drawn")
        cell += fold


def fold_shown_code(app, doctree, docname):
    """Code that a page shows stands in an open fold, which page.js closes on a phone."""
    if app.builder.format != "html":
        return
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") == "cell_code" and cell.children:
            source = cell.children[0]
            if source.get("nb_element") == "cell_code_source":
                heading = f"<details class='hide dp-shown' open><summary>{CODE}</summary>"
                fold = nodes.container("", classes=["dp-code"])
                source.replace_self(fold)
                fold += nodes.raw("", heading, format="html")
                fold += source
                fold += nodes.raw("", "</details>", format="html")


# --- the box as a strip
# -------------------------------------------------------------------------------------------

def fold_box(app, doctree, docname):
    """The box *On this page* is a line that says how long the page takes, what it needs and what it
    checks; all that the box says is folded under it."""
    if app.builder.format != "html":
        return
    for box in list(doctree.findall(nodes.admonition)):
        title = box.next_node(nodes.title)
        if title is not None and title.astext() == BOX:
            strip = nodes.container("", summary_of(box), classes=["dp-strip"], ids=box["ids"])
            strip += nodes.raw("", f"<details><summary>{BOX}</summary>", format="html")
            strip += [part for part in box.children if part is not title]
            strip += nodes.raw("", "</details>", format="html")
            box.replace_self(strip)


def summary_of(box):
    """One line: 60 min to read · needs A, B · checks 5 statements · draws have public seeds."""
    line = nodes.paragraph("", classes=["dp-strip-line"])
    for piece in (time_of(box), needs_of(box), checks_of(box), seeds_of(box)):
        if piece:
            line += [nodes.Text(" · ")] if line.children else []
            line += nodes.inline("", "", *piece)
    return line


def said_after(box, heading):
    """The nodes behind a heading in bold, up to the next heading in bold; none if it is absent."""
    for strong in box.findall(nodes.strong):
        if strong.astext() == heading:
            rest = strong.parent.children[strong.parent.index(strong) + 1:]
            ends = (k for k, node in enumerate(rest) if isinstance(node, nodes.strong))
            return rest[: next(ends, len(rest))]
    return []


def time_of(box):
    """The time to read alone: that with proofs and exercises is under the fold."""
    text = "".join(node.astext() for node in said_after(box, "Time"))
    if not (time := re.match(r"\s*(.+?) to read\b", text)):
        return []
    short = re.sub(r"\b(minutes|hours|hour)\b", lambda word: SHORT[word[0]], time[1])
    return [nodes.Text(f"{short} to read")]


def needs_of(box):
    """The pages that all of this one rests on; those of single sections come behind a semicolon."""
    pages = []
    for node in said_after(box, "You need"):
        if isinstance(node, nodes.Text) and ";" in node:
            break
        pages += [node] if isinstance(node, nodes.reference) else []
    if not pages:
        return []
    named = [nodes.Text("needs ")]
    for page in pages:
        named += [nodes.Text(", ")] if len(named) > 1 else []
        named.append(page.deepcopy())
    return named


def checks_of(box):
    """How many statements of the page a test tries to break."""
    count = sum(
        any(True for _ in node.findall(nodes.reference)) for node in said_after(box, "Checked here")
    )
    return [nodes.Text(f"checks {count} statement{'s' * (count > 1)}")] if count else []


def seeds_of(box):
    """A short note that leads to where the long one does."""
    for node in said_after(box, "Seeds"):
        for link in node.findall(nodes.reference):
            short = link.deepcopy()
            short.children = [nodes.Text("draws have public seeds")]
            return [short]
    return []


# --- what the next page asks
# --------------------------------------------------------------------------------------

def keep_question(app, doctree):
    """The first question of a page's opening, as HTML, for the foot of the page before it. The
    opening is set closer, for what it opens."""
    paragraphs = list(opening(doctree))
    app.env.metadata[app.env.docname]["question"] = first_question(paragraphs)
    for paragraph in paragraphs:
        paragraph["classes"].append("dp-opening")


def opening(doctree):
    """The paragraphs between the title of a page and its first figure, box or section."""
    title = doctree.next_node(nodes.title)
    for node in title.parent.children[title.parent.index(title) + 1:] if title else ():
        if not isinstance(node, nodes.paragraph):
            break
        yield node


def first_question(paragraphs):
    """Its last sentence up to the first question mark, or "" if nothing is asked."""
    for paragraph in paragraphs:
        text = "".join(map(as_html, paragraph.children))
        if question := re.search(r"(?:[^.?!]|[.](?!\s))*\?", text):
            return question[0].strip()
    return ""


TAGS = {nodes.emphasis: "em", nodes.superscript: "sup", nodes.subscript: "sub"}


def as_html(node):
    """Text and formulas; a link in it is its text, because it will stand in a link."""
    if isinstance(node, nodes.math):
        if plain := as_text(node.astext()):
            return "".join(map(as_html, plain))
        formula = html.escape(node.astext())
        return rf'<span class="math notranslate nohighlight">\({formula}\)</span>'
    if isinstance(node, nodes.Text):
        return html.escape(node.astext())
    inner, tag = "".join(map(as_html, node.children)), TAGS.get(type(node))
    return f"<{tag}>{inner}</{tag}>" if tag else inner


# --- formulas of the first screen
# ---------------------------------------------------------------------------------

LONG = 16                                      # letters of a formula that may break, as in page.js


def write_formulas(app, doctree, docname):
    """The simple formulas of the opening and of captions are text, which is there at once."""
    if app.builder.format != "html":
        return
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if {"dp-opening", "dp-caption"} & set(paragraph["classes"]):
            for formula in list(paragraph.findall(nodes.math)):
                if plain := as_text(formula.astext()):
                    short = len(said(plain)) < LONG
                    classes = ["dp-plain", *["dp-together"] * short]
                    formula.replace_self(nodes.inline("", "", *plain, classes=classes))


def rewrite_before(app, env):
    """The pages whose next page asks something else than when they were written."""
    asked = {name: env.metadata[name].get("question", "") for name in sorted(env.found_docs)}
    old, env.dp_questions = getattr(env, "dp_questions", {}), asked
    return [
        name
        for name, (_, _, after) in env.collect_relations().items()
        if asked.get(after) != old.get(after)
    ]


def say_what_comes(app, pagename, template, context, doctree):
    """The way on: the title of the next page and its question."""
    after = app.builder.relations.get(pagename, (None, None, None))[2]
    if context.get("next") and (question := app.env.metadata[after].get("question")):
        title = context["next"]["title"]
        context["next_title"] = f'{title}</p><p class="dp-question">{question}'


def setup(app):
    app.connect("doctree-read", keep_question)
    app.connect("env-updated", rewrite_before)
    app.connect("doctree-resolved", put_code_below)
    app.connect("doctree-resolved", fold_shown_code)
    app.connect("doctree-resolved", fold_box)
    app.connect("doctree-resolved", write_formulas)
    # after site.py has taken away what leads to the page for authors
    app.connect("html-page-context", say_what_comes, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
