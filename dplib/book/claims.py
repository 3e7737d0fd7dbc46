"""The page that lists every check of the last run, and the statements that have none."""

import itertools

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .checks import (
    WHERE,
    anchor,
    by_chapter,
    caught,
    claims_file,
    folded,
    link_to,
    mistakes,
    records,
    title_of,
    where,
)
from .statements import name_of, statement_name

PAGE = "chapters/claims"


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
        return nodes.section(
            "",
            nodes.title("", title_of(self.env, name)),
            *map(self.entry, checks),
            ids=[f"checks-of-{name}"],
        )

    def entry(self, record):
        place, kinds = anchor(record), WHERE[where(record)[0]]
        source = folded(
            [nodes.Text(record["test"])],
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
            [
                nodes.strong("", "", statement_name(label=record["label"])),
                nodes.Text(f" · {kinds} · {mistakes([record])}"),
            ],
            link,
            *content,
            source,
            classes=["dp-claim"],
            ids=[place],
            names=[place],
        )
        self.state.document.note_explicit_target(box)
        return box


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


def fill_cited(app, doctree, docname):
    for place in list(doctree.findall(cited_list)):
        items = nodes.bullet_list()
        for label, (page, _, cited) in app.env.dp_statements.items():
            if cited:
                uri = app.builder.get_relative_uri(docname, page) + "#" + label
                link = nodes.reference("", name_of(app.env, label), refuri=uri, internal=True)
                items += nodes.list_item("", nodes.paragraph("", "", link))
        place.replace_self(items if items.children else nodes.paragraph("", "None so far."))


def rewrite_page(app, env):
    """The page of claims is written anew when another page has changed how a statement is called,
    or what is cited."""
    called = [(name_of(env, label), cited) for label, (*_, cited) in env.dp_statements.items()]
    changed, env.dp_called = called != getattr(env, "dp_called", None), called
    return [PAGE] if changed and PAGE in env.all_docs else []


def setup(app):
    app.add_directive("claims-table", ClaimsTable)
    app.add_directive("claims-count", ClaimsCount)
    app.add_directive("cited-table", CitedTable)
    app.add_node(cited_list)
    app.connect("doctree-resolved", fill_cited)
    # after Sphinx has numbered the statements
    app.connect("env-get-updated", rewrite_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
