"""The book on paper: the pages of the site as one LaTeX document, which `make pdf` sets.

Sphinx's builder for LaTeX writes the text. Here the pages are put in order, and what only a screen
can do gets a printed form: explorers are stills with an address, statements keep the numbers of the
site, and answers and solutions stand at the end. What all of it looks like is said in paper.sty.
"""

import os
from pathlib import Path

from docutils import nodes
from docutils.utils import new_document
from sphinx.addnodes import index, pending_xref, start_of_file, toctree
from sphinx.builders.latex import LaTeXBuilder
from sphinx.builders.latex.nodes import thebibliography
from sphinx_exercise.nodes import exercise_enumerable_node, solution_node
from sphinx_proof.nodes import NODE_TYPES

from dplib import __version__

from .citations import PAGE as BIBLIOGRAPHY
from .citations import write_typewriter
from .claims import PAGE as CLAIMS
from .paper_figures import (
    depart_figure,
    figures_of,
    latex,
    lone_drawings,
    move_captions,
    printed_figure,
    visit_figure,
)
from .site import repository

STATEMENTS = tuple(NODE_TYPES.values())
BOX = "admonition-on-this-page"
TITLE = "Differentially private statistics, executable"


def site_address():
    """Where the site will be, which `make pdf SITE=https://…` says; "" if nobody has said it."""
    return os.environ.get("BOOK_ADDRESS", "").rstrip("/")


def label(page, place):
    """Where links to a place lead, as Sphinx calls it."""
    return rf"\phantomsection\label{{\detokenize{{{page}:{place}}}}}"


def boxed(environment, given, heading, body, labels=""):
    """A heading and what stands under it, in an environment of paper.sty."""
    title = nodes.paragraph("", "", latex(r"\dpheading{"), *heading, latex("}"))
    if isinstance(body[0], nodes.paragraph):
        title, body = nodes.paragraph("", "", *title.children, *body[0].children), body[1:]
    opening = rf"\begin{{{environment}}}" + "".join(f"{{{one}}}" for one in given) + labels
    return [latex(opening), title, *body, latex(rf"\end{{{environment}}}")]


# --- the pages in order
# --------------------------------------------------------------------------------------------------

class PaperBuilder(LaTeXBuilder):
    """Sphinx's builder, which is given another tree."""

    def assemble_doctree(self, indexfile, toctree_only, appendices):
        book = new_document("<paper>")
        book["docname"] = indexfile
        whole = nodes.section("", nodes.title("", TITLE))
        book += whole
        self.docnames = set()
        for before, page in order(self.env):
            whole += [latex(before), self.chapter(page)]
        self.env.resolve_references(book, indexfile, self)
        finish(book, self.env, Path(self.outdir, "figures"))
        return book

    def get_contentsname(self, indexfile):
        return "Contents"

    def chapter(self, page):
        """A page, and as its sections the pages that belong to it."""
        tree = self.env.get_doctree(page)
        self.docnames.add(page)
        prepare(tree, page, self.env, Path(self.outdir, "figures"))
        for section in tree.findall(nodes.section):
            section.setdefault("docname", page)
        own = start_of_file("", latex(label(page, ":doc")), *tree.children, docname=page)
        parts = [self.chapter(part) for part in self.env.toctree_includes.get(page, ())]
        own.next_node(nodes.section).extend(parts if page != self.config.root_doc else ())
        return own


def order(env):
    """[(what stands before a page, the page)]: the front page is the preface, and the page for
    authors is left out."""
    root = env.config.root_doc
    yield r"\dpunnumbered", root
    for tree in env.tocs[root].findall(toctree):
        for _, page in tree["entries"]:
            if "nosearch" in env.metadata[page]:
                continue
            if number := env.toc_secnumbers.get(page, {}).get(""):
                yield rf"\dpnumbered{{{number[0]}}}", page
            elif page.startswith("chapters/part-"):
                yield r"\dppart", page
            else:
                first = tree["entries"][0][1] == page
                yield rf"\dpdivision{{{tree['caption']}}}" * first + r"\dpunnumbered", page


# --- before links are resolved: what is left out, figures, cells, entries of the index
# --------------------------------------------------------------------------------------------------

def prepare(tree, page, env, folder):
    leave_out(tree, page)
    name_preface(tree, page, env)
    figures_of(tree, page, folder, site_address())
    print_cells(tree)
    move_captions(tree)
    print_checked_lines(tree)
    enter_terms(tree)
    weigh_columns(tree)


def leave_out(tree, page):
    """The list of all checks is longer than the book, and cards that are links lead nowhere."""
    if page == CLAIMS:
        for section in list(tree.findall(nodes.section)):
            if any(name.startswith("checks-of-") for name in section["ids"]):
                section.parent.remove(section)
    for contents in list(tree.findall(toctree)):
        contents.parent.remove(contents)
    for grid in list(tree.findall(nodes.container)):
        links = any("sd-stretched-link" in link["classes"] for link in grid.findall(pending_xref))
        if grid.get("design_component") == "grid-container" and links:
            grid.parent.remove(grid)


def name_preface(tree, page, env):
    if page == env.config.root_doc:
        tree.next_node(nodes.title).children = [nodes.Text("Preface")]


def print_cells(tree):
    """The code that a page shows, and all results; code that it folds stays on the site."""
    for cell in list(tree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code":
            continue
        classes, printed = cell["classes"], []
        for part in cell.children:
            shown = part.get("nb_element") == "cell_code_source"
            hidden = "tag_hide-input" if shown else "tag_hide-output"
            if {"tag_hide-cell", hidden} & set(classes):
                continue
            printed += part.children if shown else results(part)
        place = cell.parent.index(cell)
        cell.parent[place:place + 1] = printed


def results(output):
    """Printed lines are set apart from code."""
    for part in output.children:
        lines = isinstance(part, nodes.literal_block)
        yield from (latex(r"\begin{dpresult}"), part, latex(r"\end{dpresult}")) if lines else [part]


def print_checked_lines(tree):
    """Of the line under a statement what can be seen while it is folded."""
    for box in list(tree.findall(nodes.container)):
        if "dp-checked" in box["classes"]:
            said = next(part for part in box.children if isinstance(part, nodes.Text))
            box.replace_self([latex(r"\begin{dpsmall}"), nodes.paragraph("", said),
                              latex(r"\end{dpsmall}")])


LONG = 40                                      # letters, from which on a column breaks its lines


def weigh_columns(tree):
    """A table of the source has columns as wide as what stands in them needs."""
    for table in tree.findall(nodes.table):
        if "colwidths-auto" in table["classes"]:
            table["classes"].remove("colwidths-auto")
            rows = [[entry.astext() for entry in row] for row in table.findall(nodes.row)]
            for column, entries in zip(table.findall(nodes.colspec), zip(*rows)):
                column["colwidth"] = min(LONG, max(8, *map(len, entries)))


def enter_terms(tree):
    """Where a term of the glossary is used, the index has its page."""
    for link in list(tree.findall(pending_xref)):
        if link["reftype"] == "term":
            entry = ("single", link["reftarget"], "", "", None)
            place = link.parent.index(link)
            link.parent.insert(place, index(entries=[entry], inline=True))


# --- after links are resolved: statements, proofs, exercises and their solutions
# --------------------------------------------------------------------------------------------------

def finish(book, env, folder):
    for file in book.findall(start_of_file):
        own = file["docname"]
        print_statements(file, own, env)
        print_exercises(file, own, env)
        print_folds(file)
        say_pages(file, own, env)
    first = book.next_node(printed_figure)
    (folder / "cover.pdf").write_bytes((folder / f"{first['name']}.pdf").read_bytes())
    lone_drawings(book, folder)
    move_bibliography(book)
    add_answers(book, env)
    move_solutions(book, env)


def own_nodes(file, *kinds):
    """The nodes of a page without those of pages that are its sections."""
    return [node for node in file.findall(lambda node: isinstance(node, kinds))
            if page_of(node) == file["docname"]]


def page_of(node):
    while not isinstance(node, start_of_file):
        node = node.parent
    return node["docname"]


def number_of(env, page, kind, name):
    return ".".join(map(str, env.toc_fignumbers[page][kind][name]))


def print_statements(file, page, env):
    for node in own_nodes(file, *STATEMENTS):
        title, *body = node.children
        number = number_of(env, page, node["countertype"], node["label"])
        called = f"{node['realtype'].title()} {number}"
        entries = []
        if name := title.astext().strip(" ()"):
            entries.append(index(entries=[("single", f"{name} ({called})", "", "", None)]))
        labels = label(page, node["label"])
        node.replace_self(boxed("dpstatement", [number], [nodes.Text(called), *title.children],
                                [*entries, *body], labels))


def print_exercises(file, page, env):
    for node in own_nodes(file, exercise_enumerable_node):
        title, *body = node.children
        number = number_of(env, page, "exercise", node["label"])
        labels = label(page, node["label"]) + rf"\label{{exercise:{node['label']}}}"
        node.replace_self(boxed("dpexercise", [number], title.children, body, labels))


def print_folds(file):
    """What a click opens is open."""
    for fold in own_nodes(file, nodes.container):
        if fold.get("design_component") == "dropdown":
            title, *body = fold.children
            if proof := title.astext().startswith("Proof"):
                end = body[-1] if isinstance(body[-1], nodes.paragraph) else fold
                end += latex(r"\dpqed")
                body = fold.children[1:]
            fold.replace_self(boxed("dpproof" if proof else "dpfold", [], title.children, body))


def say_pages(file, page, env):
    """Behind a link to another chapter its page, since paper cannot be clicked."""
    chapters = {name for name, numbers in env.toc_secnumbers.items() if "" in numbers}
    for link in own_nodes(file, nodes.reference):
        target, _, place = link.get("refuri", "").removeprefix("%").partition("#")
        if target in chapters - {page} and not in_title(link):
            to = rf"\detokenize{{{target}:{place or ':doc'}}}"
            link.parent.insert(link.parent.index(link) + 1, latex(rf"\dppage{{{to}}}"))


def in_title(node):
    return isinstance(node.parent, nodes.title) or (node.parent and in_title(node.parent))


def add_answers(book, env):
    """To the questions that figures ask, in the order of the book."""
    appendix, seen = nodes.section("", nodes.title("", "Answers"), ids=["answers"]), set()
    for figure in list(book.findall(printed_figure)):
        if figure.get("answer") and figure["name"] not in seen:
            seen.add(figure["name"])
            appendix += printed_figure("", *figure["answer"])
    book[0] += [latex(r"\dpdivision{Answers and solutions}\dpunnumbered"), appendix]


def move_solutions(book, env):
    """At the end, page by page."""
    appendix = nodes.section("", nodes.title("", "Solutions"), ids=["solutions"])
    for file in list(book.findall(start_of_file)):
        page, found = file["docname"], own_nodes(file, solution_node)
        if found:
            section = nodes.section("", nodes.title("", env.titles[page].astext()))
            for node in found:
                node.parent.remove(node)
                title, *body = node.children
                labels = label(page, node["label"])
                section += boxed("dpsolution", [], title.children, body, labels)
            appendix += start_of_file("", section, docname=page)
    book[0] += [latex(r"\dpunnumbered"), appendix]


def move_bibliography(book):
    """To the page that has its title."""
    place = next(file for file in book.findall(start_of_file) if file["docname"] == BIBLIOGRAPHY)
    for entries in list(book.findall(thebibliography)):
        entries.parent.remove(entries)
        for entry in entries:
            write_typewriter(entry)
        place.next_node(nodes.section).append(entries)


# --- what LaTeX is told
# --------------------------------------------------------------------------------------------------

def set_latex(app, config):
    """After sphinx-jupyterbook-latex has set a class and a preamble of its own."""
    address = site_address()
    facts = dict(dpversion=__version__, dpsite=address, dpsource=repository() or "")
    config.latex_theme, config.latex_toplevel_sectioning = "manual", "chapter"
    # otherwise it counts differently for paper, and pages are read again for each builder
    config.jblatex_captions_to_parts = False
    config.latex_use_xindy, config.latex_domain_indices = False, False
    config.latex_additional_files = [str(Path(__file__).with_name("paper.sty"))]
    config.latex_elements = dict(
        papersize="a4paper", pointsize="10pt", extraclassoptions="openany", fontpkg="", fncychap="",
        passoptionstopackages=r"\PassOptionsToPackage{svgnames}{xcolor}",
        preamble=r"\usepackage{paper}" + "".join(
            rf"\newcommand{{\{name}}}{{{value}}}" for name, value in facts.items()),
        maketitle=r"\dpcover", tableofcontents=r"\tableofcontents", figure_align="H",
        sphinxsetup="TitleColor={rgb}{0,0,0},InnerLinkColor={rgb}{0,.23,.46},"
                    "OuterLinkColor={rgb}{0,.23,.46},VerbatimBorderColor={rgb}{.85,.85,.85},"
                    "verbatimwrapslines=true",
    )


def setup(app):
    app.add_node(printed_figure, latex=(visit_figure, depart_figure))
    app.add_builder(PaperBuilder, override=True)
    app.connect("config-inited", set_latex, priority=850)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
