"""The book on paper: the pages of the site as one LaTeX document, which `make pdf` sets.

Sphinx's builder for LaTeX writes the text. Here the pages are put in order, and what only a screen
can do gets a printed form: explorers are stills with an address, statements keep the numbers of the
site, and answers and solutions stand at the end. What all of it looks like is said in paper.sty.
"""

from pathlib import Path

from docutils import nodes
from docutils.utils import new_document
from sphinx.addnodes import start_of_file, toctree
from sphinx.builders.latex import LaTeXBuilder

from dplib import __version__

from .paper_figures import (
    depart_figure,
    figures_of,
    latex,
    lone_drawings,
    move_captions,
    printed_figure,
    visit_figure,
)
from .paper_text import finish, label, prepare
from .site import repository

TITLE = "Differentially private statistics, executable"


# --- the pages in order
# --------------------------------------------------------------------------------------------------

class PaperBuilder(LaTeXBuilder):
    """Sphinx's builder, which is given another tree."""

    def assemble_doctree(self, indexfile, toctree_only, appendices):
        book = new_document("<paper>")
        book["docname"] = indexfile
        whole = nodes.section("", nodes.title("", TITLE))
        book += whole
        self.docnames, self.figures = set(), Path(self.outdir, "figures")
        for before, page in order(self.env):
            whole += [latex(before), self.chapter(page)]
        whole[2].next_node(nodes.title).children = [nodes.Text("Preface")]
        self.env.resolve_references(book, indexfile, self)
        finish(book, self.env)
        lone_drawings(book, self.figures)
        self.put_first_on_cover(book)
        return book

    def chapter(self, page):
        """A page, and as its sections the pages that belong to it."""
        self.docnames.add(page)
        tree = self.env.get_doctree(page)
        figures_of(tree, page, self.figures, self.config.html_baseurl.rstrip("/"))
        prepare(tree, page)
        move_captions(tree)
        for section in tree.findall(nodes.section):
            section.setdefault("docname", page)
        own = start_of_file("", latex(label(page, ":doc")), *tree.children, docname=page)
        if page != self.config.root_doc:
            parts = map(self.chapter, self.env.toctree_includes.get(page, ()))
            own.next_node(nodes.section).extend(parts)
        return own

    def put_first_on_cover(self, book):
        first = book.next_node(printed_figure)["name"]
        picture = (self.figures / f"{first}.pdf").read_bytes()
        (self.figures / "cover.pdf").write_bytes(picture)

    def get_contentsname(self, indexfile):
        return "Contents"


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


# --- what LaTeX is told
# --------------------------------------------------------------------------------------------------

def set_latex(app, config):
    """After sphinx-jupyterbook-latex has set a class and a preamble of its own."""
    facts = dict(dpversion=__version__, dpsite=config.html_baseurl, dpsource=repository() or "")
    config.latex_theme, config.latex_toplevel_sectioning = "manual", "chapter"
    # otherwise it counts differently for paper, and pages are read again for each builder
    config.jblatex_captions_to_parts = False
    config.latex_use_xindy, config.latex_domain_indices = False, False
    config.latex_additional_files = [str(Path(__file__).with_name("paper.sty"))]
    config.latex_elements = dict(
        papersize="a4paper", pointsize="10pt", extraclassoptions="openany", fontpkg="", fncychap="",
        passoptionstopackages=r"\PassOptionsToPackage{svgnames}{xcolor}",
        preamble=r"\usepackage{paper}" + "".join(
            rf"\def\{name}{{{value}}}" for name, value in facts.items()),
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
