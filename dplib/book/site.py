"""The Sphinx side of the book: pages that need nobody else's server, and builds that fail where
something is wrong."""

import hashlib
import html
import importlib.metadata
import json
import os
import re
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import toctree
from sphinx.util import logging
from sphinx.util.fileutil import copy_asset

from dplib import __version__

from .front import check_page, front_end, style
from .sentences import power_of_ten

# the kernels that execute the chapters inherit it: explorers become tables
os.environ["DPLIB_STATIC"] = "1"
log = logging.getLogger(__name__)

PACKAGE = Path(__file__).resolve().parents[1]
NUMBERS_COME_FROM = ("numpy", "scipy", "matplotlib", "statsmodels", "myst-nb")
# scripts and styles reach the site by themselves: `write_assets`
OUTPUTS_COME_FROM = ("**/*.py", "book/web/palette.css", "book/rand_years.txt")
# modules that no page imports
SITE_ONLY = (
    "addresses", "borrowed", "checks", "citations", "claims", "code_links", "copies", "counts",
    "decks", "doctrees", "drawings", "execute", "further", "mosaic", "notebooks", "paper",
    "paper_figures", "paper_text", "plain_formulas", "prose", "reference", "site", "slides",
    "statements", "teaching", "ways",
)

# modules that say what a page looks like
MAKERS = ("doctrees", "further", "notebooks", "plain_formulas", "prose", "site")


# --- the cache of executed pages
# -----------------------------------------------------------------------------------------

def cache_folder(root):
    """Where executed pages are kept. jupyter-cache sees only a page's own code; the folder's name
    covers the rest."""
    key = hashlib.sha256(
        " ".join(
            f"{name} {importlib.metadata.version(name)}" for name in NUMBERS_COME_FROM
        ).encode()
    )
    files = {file for pattern in OUTPUTS_COME_FROM for file in PACKAGE.glob(pattern)}
    for file in sorted(files - {PACKAGE / "book" / f"{name}.py" for name in SITE_ONLY}):
        key.update(str(file.relative_to(PACKAGE)).encode() + file.read_bytes())
    return Path(root, "_build", ".jupyter_cache", key.hexdigest()[:12])


def set_cache(app, config):
    config.nb_execution_cache_path = str(cache_folder(app.srcdir))
    use_own_profile(app.srcdir)


def use_own_profile(root):
    """Kernels of a build read no start-up file of whoever builds, and do not warn of sockets that
    never leave the machine."""
    profile = Path(root, "_build", "ipython", "profile_default")
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(
        "get_config().IPKernelApp.log_level = 'ERROR'\n", encoding="utf-8"
    )
    os.environ["IPYTHONDIR"] = str(profile.parent)


# --- what the configuration cannot know
# ----------------------------------------------------------------------------------

def say_version(app, config):
    """Under each page: which package computed it, how to cite it, and what a reader may do with
    it."""
    version, address = __version__, repository()
    source = f' <a href="{html.escape(address)}">Source</a>.' if address else ""
    config.html_theme_options["extra_footer"] = (
        "<p>Cite as: The contributors, <i>Differentially private statistics, executable</i>, "
        f"version {version}, 2026.{source}<br>Computed with dplib {version}. "
        "Text and figures: CC BY 4.0. Code: BSD 3-Clause.</p>"
    )


def repository():
    """Its address, which the publishing workflow sets; None in a checkout."""
    return os.environ.get("BOOK_REPOSITORY")


def set_repository(app, config):
    """The front page says where the repository is, and a button leads there. Links of notebooks
    lead to the site, whose address is known where it is published."""
    address = repository()
    site = os.environ.get("BOOK_ADDRESS", "").rstrip("/")
    config.html_baseurl = site and f"{site}/"
    config.myst_substitutions = {
        "repository": f"Book and package are at <{address}>." if address else ""
    }
    if address:
        config.html_theme_options |= {
            "repository_url": address,
            "repository_provider": "github",
            "repository_branch": "main",
            "use_repository_button": True,
        }


# --- scripts and styles
# --------------------------------------------------------------------------------------------------

# Brings an icon, an empty one: a browser that is not led on at once would ask the root of the
# server for one.
FRONT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Differentially private statistics, executable</title>
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url=chapters/index.html">
<p><a href="chapters/index.html">Differentially private statistics, executable</a></p>
"""


def write_assets(app):
    """The front page and our front end, into the site's own folders."""
    if app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    static.mkdir(parents=True, exist_ok=True)
    (static.parent / "index.html").write_text(FRONT, encoding="utf-8")
    # Sphinx copies them only if a page has changed, too
    for folder in app.config.html_static_path:
        copy_asset(str(Path(app.confdir, folder)), str(static))
    (static / "explorer.js").write_text(front_end(static=True), encoding="utf-8")
    (static / "explorer.css").write_text(style(), encoding="utf-8")


def rewrite_pages(app, env):
    """Pages name scripts and styles with their checksums, for browsers that keep old ones: if one
    changes, or what puts a page together, all are written anew."""
    web = sorted(Path(app.confdir, "chapters", "_web").rglob("*"))
    makers = [PACKAGE / "book" / f"{name}.py" for name in MAKERS]
    ours = [file.read_bytes() for file in [*web, *makers] if file.is_file()]
    assets = hashlib.sha256(
        b"".join([front_end(static=True).encode(), style().encode(), *ours])
    ).hexdigest()
    changed, env.dp_assets = assets != getattr(env, "dp_assets", None), assets
    return sorted(env.found_docs) if changed else []


# Paper says which page it is.
RUNNING_HEAD = """
<style media="print">@page {{ @top-right {{ content: {title}; font: 9pt serif; }} }}</style>
"""
# A line that breaks elsewhere in another face would move all that stands below it. So the page
# asks for its faces at once and waits for them, less than a second; a stand-in is shown after that.
WAIT = """(page => {
  page.classList.add('dp-waiting');
  const faces = ['1em "STIX Two Text"', 'bold 1em "STIX Two Text"', 'italic 1em "STIX Two Text"',
    '1em "STIX Two Greek"', '900 1em "Font Awesome 6 Free"'];
  const come = Promise.all(faces.map(face => document.fonts.load(face, 'aε\\uf0c9')));
  Promise.race([come.catch(() => 0), new Promise(done => setTimeout(done, 800))])
    .then(() => page.classList.remove('dp-waiting'));
})(document.documentElement)"""


def add_scripts(app, pagename, template, context, doctree):
    """The explorers' script, only where there is one; and of the others what the page needs."""
    app.add_css_file("explorer.css")
    title = re.sub("<[^>]*>", "", context.get("title", ""))
    quoted = json.dumps(html.unescape(title), ensure_ascii=False)
    context["metatags"] = context.get("metatags", "") + RUNNING_HEAD.format(title=quoted)
    app.add_js_file(None, body=WAIT, priority=100)
    # deprecated, says axe
    context["body"] = body = context.get("body", "").replace(
        'role="doc-biblioentry"', 'role="listitem"'
    )
    if "dp-static" in body:
        check_page(pagename, body)
        app.add_js_file("explorer.js", loading_method="defer")
    if (after := context.get("next")) and after["link"].endswith("style.html"):
        # a page for authors: nothing leads there
        context["next"] = None
    context["body"] = body.replace("<h1>", f'<h1 class="dp-part-{part_of(app, pagename)}">', 1)
    context["script_files"][:] = once_and_without_thebe(context.get("script_files", []))


def part_of(app, pagename):
    """The number of a page's part, which gives its colour. A part is a numbered list of pages with
    its opening, a list of its own, in front; pages of no part have the number behind the last one,
    those outside of the table of contents 0."""
    lists = [
        (tree["numbered"], [page for _, page in tree["entries"]])
        for tree in app.env.tocs[app.config.root_doc].findall(toctree)
    ]
    parts = [
        [*lists[place - 1][1], *pages]
        for place, (numbered, pages) in enumerate(lists)
        if numbered
    ]
    beyond = [page for _, pages in lists for page in pages]
    return next((k for k, pages in enumerate([*parts, beyond], 1) if pagename in pages), 0)


def once_and_without_thebe(scripts):
    """Thebe would run cells on somebody else's server; it is off, and its script, registered twice,
    throws."""
    kept = {}
    for script in scripts:
        body = str(getattr(script, "attributes", {}).get("body"))
        name = str(getattr(script, "filename", None))
        if "thebe" not in (name + body).lower():
            kept.setdefault((name, body), script)
    return list(kept.values())


# --- what a page offers: its statements to a search
# -------------------------------------------------

KINDS = dict(
    thm="Theorem", lem="Lemma", prop="Proposition", cor="Corollary", alg="Algorithm", ex="Exercise"
) | {"def": "Definition"}


def name_statements(app):
    """In the search a statement is found by its name: "Theorem (Packing)", and not " (Packing)"."""
    for titles in (
        getattr(app.builder, "indexer", None) and app.builder.indexer._all_titles.values() or ()
    ):
        titles[:] = [
            (
                f"{KINDS.get((place or '').split('-')[0], '')}{title}"
                if title.startswith(" (")
                else title,
                place,
            )
            for title, place in titles
        ]
    return []


# --- checks that fail the build
# -------------------------------------------------------------------------------------------

def check_figures(app, doctree, docname):
    """A figure without words is a warning; and warnings are fatal. (A page: print also uses the
    pictures of explorers.)"""
    for image in doctree.findall(nodes.image) if app.builder.format == "html" else ():
        if not image.get("alt", "").strip():
            log.warning(
                "a figure without alt text: draw it with dplib.book.figure(alt=...)", location=image
            )


def replace_untitled_sections(app, doctree):
    """The bodies of statements and exercises come as sections without titles, all with one id; a
    page may have an id only once."""
    for section in [
        node
        for node in doctree.findall(nodes.section)
        if not isinstance(node.next_node(), nodes.title)
    ]:
        section.replace_self(nodes.container("", *section.children, classes=section["classes"]))


def keep_punctuation(app, doctree):
    """A browser may break a line between a formula and the comma behind it; here they are kept
    together."""
    for math in list(doctree.findall(nodes.math)):
        parent, place = math.parent, math.parent.index(math)
        after = parent[place + 1] if place + 1 < len(parent) else None
        if isinstance(after, nodes.Text) and (mark := re.match(r"[,.;:!?)\]”’…]+", after)):
            # by place: equal texts are equal nodes
            parent[place + 1] = nodes.Text(after[mark.end():])
            math.replace_self(together := nodes.inline(classes=["dp-together"]))
            together += [math, nodes.Text(mark[0])]


def write_powers(app, doctree, docname):
    """A number of the run reads 8.6·10⁻⁵, as on the axes, and not 8.6e-05."""
    for number in doctree.findall(nodes.inline):
        if "pasted-text" in number["classes"] and (
            parts := re.fullmatch(r"([\d.]+)e([+-]\d+)", number.astext().strip())
        ):
            ten = power_of_ten(int(parts[2]))
            number.children = [nodes.Text(ten if float(parts[1]) == 1 else f"{parts[1]}·{ten}")]


def setup(app):
    app.connect("config-inited", set_cache, priority=10)
    app.connect("config-inited", say_version, priority=10)
    app.connect("config-inited", set_repository, priority=10)
    app.connect("builder-inited", write_assets)
    app.connect("env-updated", rewrite_pages)
    app.connect("doctree-resolved", check_figures)
    app.connect("doctree-resolved", write_powers)
    app.connect("doctree-read", replace_untitled_sections, priority=100)
    app.connect("doctree-read", keep_punctuation)
    app.connect("html-page-context", add_scripts, priority=900)
    # before the index is written
    app.connect("html-collect-pages", name_statements)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
