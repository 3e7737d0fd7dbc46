"""Statements: the line under each of them, which says how it was checked, and their names for
other pages.

A statement without a record of the last run, or a record without a statement, fails the build.
"""

from docutils import nodes
from sphinx.util import logging

from .checks import (
    anchor,
    caught,
    claims_file,
    first_sentence,
    folded,
    link_to,
    mistakes,
    records,
)

log = logging.getLogger(__name__)
KINDS = {"theorem", "lemma", "proposition", "corollary"}


# --- under each statement
# --------------------------------------------------------------------------------------------------

def add_checked_lines(app, doctree):
    """Under each statement one line, which unfolds: what was done to try to break it, and which
    mutants that catches."""
    env = app.env
    stated = [node for node in doctree.findall(nodes.Element) if node.get("realtype") in KINDS]
    checks = records(env) if stated else []
    for node in stated:
        env.note_dependency(str(claims_file(env)))
        if "nosearch" not in env.metadata[env.docname]:  # the page for authors
            env.dp_statements[node["label"]] = (
                env.docname,
                node["title"].strip(),
                "cited" in node["classes"],
            )
        mine = [r for r in checks if r["label"] == node["label"]]
        if "cited" in node["classes"]:
            node += nodes.paragraph(
                "", "Cited from the literature; this book does not check it.", classes=["dp-cited"]
            )
        elif mine:
            node += folded(
                [nodes.Text(f"checked · {mistakes(mine)}")],
                *(checked(env, record) for record in mine),
                classes=["dp-checked"],
            )
        else:
            log.warning(
                "the statement %r has no check in tests/claims", node["label"], location=node
            )


def checked(env, record):
    """What one check does, and the way to the whole of it."""
    whole = link_to(env, "std", "ref", anchor(record), "The whole check", explicit=True)
    return nodes.paragraph(
        "", f"{first_sentence(record['what'])} {caught(record)} ", whole, nodes.Text(".")
    )


# --- their names
# --------------------------------------------------------------------------------------------------

class statement_name(nodes.Inline, nodes.TextElement):
    """Stands for "Theorem 3 (Packing)" until all pages are read and the statements are numbered."""


def name_of(env, label):
    """As the page itself says it: the kind, the number and the title; the label of one that no
    page states, which fails the build elsewhere."""
    if label not in env.dp_statements:
        return label
    page, title, _ = env.dp_statements[label]
    stated = env.proof_list[label]
    number = ".".join(map(str, env.toc_fignumbers[page][stated["countertype"]][label]))
    return f"{stated['realtype'].title()} {number} {title}".strip()


def fill_names(app, doctree, docname):
    for place in list(doctree.findall(statement_name)):
        place.replace_self(nodes.Text(name_of(app.env, place["label"])))


# --- bookkeeping
# --------------------------------------------------------------------------------------------------

def start(app):
    if not hasattr(app.env, "dp_statements"):
        app.env.dp_statements = {}          # label -> (page, title, cited)


def forget(app, env, docname):
    env.dp_statements = {
        label: entry
        for label, entry in getattr(env, "dp_statements", {}).items()
        if entry[0] != docname
    }


def merge(app, env, docnames, other):
    env.dp_statements |= other.dp_statements


def check_consistency(app, env):
    for record in records(env):
        if record["label"] not in env.dp_statements:
            log.warning("%s checks %r, which no page states", record["test"], record["label"])


def setup(app):
    app.add_node(statement_name)
    app.connect("builder-inited", start)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("doctree-read", add_checked_lines)
    app.connect("doctree-resolved", fill_names)
    app.connect("env-check-consistency", check_consistency)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
