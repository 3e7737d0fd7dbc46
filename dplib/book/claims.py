"""Statements and their checks: the line under each statement, and the page that lists them all.

`make book` runs tests/claims first, which leaves what was measured in _build/claims.json. This
extension reads that file and nothing else; a statement without a record, or a record without a
statement, fails the build.
"""

import html
import itertools
import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)
STATEMENTS = {"theorem", "lemma", "proposition", "corollary"}
PAGE = "chapters/claims"


def records(env):
    """The claims of the last run, in the order of the tests."""
    return json.loads(claims_file(env).read_text(encoding="utf-8"))


def claims_file(env):
    return Path(env.srcdir, "_build", "claims.json")


def statements(doctree):
    return [node for node in doctree.findall(nodes.Element) if node.get("realtype") in STATEMENTS]


def link_to(env, domain, kind, target, text, explicit=False):
    """A link that Sphinx resolves; unless `text` is explicit, it reads as what it leads to."""
    link = pending_xref(
        "",
        refdomain=domain,
        reftype=kind,
        reftarget=target,
        refexplicit=explicit,
        refwarn=True,
        refdoc=env.docname,
    )
    link += nodes.inline("", text)
    return link


def caught(record):
    return "Mutants that it catches: " + "; ".join(record["caught"]) + "."


def folded(summary, *content, **attributes):
    """What unfolds under one line."""
    start, end = (
        nodes.raw("", tag, format="html")
        for tag in (f"<details><summary>{summary}</summary>", "</details>")
    )
    return nodes.container("", start, *content, end, **attributes)


def mistakes(checks):
    number = sum(len(record["caught"]) for record in checks)
    return f"{number} mistake{'s' * (number > 1)} caught"


# --- under each statement
# --------------------------------------------------------------------------------------------------

def add_checked_lines(app, doctree):
    """Under each statement one line, which unfolds: what was done to try to break it, and which
    mutants that catches."""
    env, stated = app.env, statements(doctree)
    checks = records(env) if stated else []
    for node in stated:
        env.note_dependency(str(claims_file(env)))
        if "nosearch" not in env.metadata[env.docname]:  # the page for authors
            env.dp_statements[node["label"]] = (
                env.docname,
                node["title"],
                "cited" in node["classes"],
            )
        mine = [r for r in checks if r["label"] == node["label"]]
        if "cited" in node["classes"]:
            node += nodes.paragraph(
                "", "Cited from the literature; this book does not check it.", classes=["dp-cited"]
            )
        elif mine:
            node += folded(
                f"checked · {mistakes(mine)}",
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


def first_sentence(text):
    return " ".join(re.split(r"(?<=\.)\s", text, maxsplit=1)[0].split())


def anchor(record):
    return "claim-" + record["test"].split("::")[1].replace("_", "-") + "-" + record["label"]


# --- the page
# --------------------------------------------------------------------------------------------------

class ClaimsTable(SphinxDirective):
    """`{claims-table}`: every claim of the last run, page by page."""

    def run(self):
        self.env.note_dependency(str(claims_file(self.env)))
        checks = by_chapter(records(self.env), self.env)
        return [
            self.page(name, list(of_page))
            for name, of_page in itertools.groupby(checks, key=lambda record: record["chapter"])
        ]

    def page(self, name, checks):
        title = re.search(
            r"^# (.*)$",
            Path(self.env.srcdir, "chapters", f"{name}.md").read_text(encoding="utf-8"),
            flags=re.M,
        )[1]
        return nodes.section(
            "", nodes.title("", title), *map(self.entry, checks), ids=[f"checks-of-{name}"]
        )

    def entry(self, record):
        name, kinds = anchor(record), WHERE[where(record)[0]]
        source = folded(
            html.escape(record["test"]),
            nodes.literal_block(record["source"], record["source"], language="python"),
        )
        content = [
            runs_on(record),
            nodes.paragraph("", record["what"]),
            nodes.paragraph("", f"Measured in this build: {record['measured']}."),
            nodes.paragraph("", caught(record)),
        ]
        if record["twins"]:
            content.append(
                nodes.paragraph(
                    "",
                    "It passes on what they are made from, without the mistake: ",
                    *names(record["twins"]),
                    nodes.Text("."),
                )
            )
        link = nodes.paragraph(
            "", "The statement: ", link_to(self.env, "prf", "ref", record["label"], record["label"])
        )
        box = folded(
            f"<b>{record['label']}</b> · {kinds} · {mistakes([record])}",
            link,
            *content,
            source,
            classes=["dp-claim"],
            ids=[name],
            names=[name],
        )
        self.state.document.note_explicit_target(box)
        return box


WHERE = {
    "package": "code of the package",
    "page": "code of the page",
    "formula": "formula of the test",
}


def where(record):
    return [kind for kind in WHERE if any(part["from"] == kind for part in record["code"])]


def runs_on(record):
    """What the check is run on: code of the package or of the page, or a formula that the test
    repeats from the statement."""
    line, kinds = nodes.paragraph("", "Runs on ", classes=["dp-claim-code"]), where(record)
    for kind in kinds:
        line += nodes.Text(WHERE[kind] if kind == kinds[0] else f"; {WHERE[kind]}")
        if written := [
            part["name"]
            for part in record["code"]
            if part["from"] == kind and part["name"] != "<lambda>"
        ]:
            line += [nodes.Text(": "), *names(written)]
    line += nodes.Text(".")
    return line


def names(words):
    """Names of functions, with commas between them."""
    return [part for word in words for part in (nodes.Text(", "), nodes.literal("", word))][1:]


class ClaimsCount(SphinxDirective):
    """`{claims-count}`: how many statements are checked on code, how many on a formula only."""

    def run(self):
        self.env.note_dependency(str(claims_file(self.env)))
        checks = records(self.env)
        on_code = {
            r["label"] for r in checks if any(part["from"] != "formula" for part in r["code"])
        }
        stated = {r["label"] for r in checks}
        mutants = sum(len(record["caught"]) for record in checks)
        return [
            nodes.paragraph(
                "",
                f"In this build {len(checks)} checks, with {mutants} mutants, stand behind "
                f"{len(stated)} statements. {len(on_code)} statements have a check that runs on "
                f"code of the package or of a page; {len(stated - on_code)} are checked on a "
                "formula only.",
            )
        ]


class CitedTable(SphinxDirective):
    """`{cited-table}`: the statements that the book takes from the literature without a check."""

    def run(self):
        return [cited_list("")]


class cited_list(nodes.General, nodes.Element):
    """Stands for the list until all pages are read."""


def by_chapter(claims, env):
    """In the order of the book: a chapter's place is its place in the table of contents."""
    order = [Path(name).name for name in env.app.config.external_site_map]
    return sorted(
        claims, key=lambda r: order.index(r["chapter"]) if r["chapter"] in order else len(order)
    )


def fill_cited(app, doctree, docname):
    for place in list(doctree.findall(cited_list)):
        cited = [
            (label, page, title)
            for label, (page, title, cited) in app.env.dp_statements.items()
            if cited
        ]
        items = nodes.bullet_list()
        for label, page, title in cited:
            uri = app.builder.get_relative_uri(docname, page) + "#" + label
            items += nodes.list_item(
                "",
                nodes.paragraph(
                    "", "", nodes.reference("", title.strip() or label, refuri=uri, internal=True)
                ),
            )
        place.replace_self(items if cited else nodes.paragraph("", "None so far."))


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


def rewrite_list(app, env):
    """The page of claims is written anew when another page has changed what is cited."""
    cited = [entry for entry in env.dp_statements.items() if entry[1][2]]
    changed = cited != getattr(env, "dp_cited", None)
    env.dp_cited = cited
    return [PAGE] if changed and PAGE in env.all_docs else []


def check_consistency(app, env):
    for record in records(env):
        if record["label"] not in env.dp_statements:
            log.warning("%s checks %r, which no page states", record["test"], record["label"])


def setup(app):
    app.add_directive("claims-table", ClaimsTable)
    app.add_directive("claims-count", ClaimsCount)
    app.add_directive("cited-table", CitedTable)
    app.add_node(cited_list)
    app.connect("builder-inited", start)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("doctree-read", add_checked_lines)
    app.connect("doctree-resolved", fill_cited)
    app.connect("env-updated", rewrite_list)
    app.connect("env-check-consistency", check_consistency)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
