"""What the last run of the claims left behind, and how it is said.

`make book` runs tests/claims first, which leaves what was measured in _build/claims.json. The
pages read that file and nothing else.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref

WHERE = {
    "package": "code of the package",
    "page": "code of the page",
    "formula": "formula of the test",
}


def records(env):
    """The claims of the last run, in the order of the tests."""
    return json.loads(claims_file(env).read_text(encoding="utf-8"))


def claims_file(env):
    return Path(env.srcdir, "_build", "claims.json")


def by_chapter(checks, env):
    """In the order of the book: a chapter's place is its place in the table of contents."""
    order = [Path(name).name for name in env.app.config.external_site_map]
    return sorted(
        checks, key=lambda r: order.index(r["chapter"]) if r["chapter"] in order else len(order)
    )


def title_of(env, chapter):
    """The title of a page, as its source has it."""
    source = Path(env.srcdir, "chapters", f"{chapter}.md").read_text(encoding="utf-8")
    return re.search(r"^# (.*)$", source, flags=re.M)[1]


def anchor(record):
    """The place of a check on the page of claims."""
    return "claim-" + record["test"].split("::")[1].replace("_", "-") + "-" + record["label"]


def where(record):
    """On which kinds of code a check runs, of those of `WHERE`."""
    return [kind for kind in WHERE if any(part["from"] == kind for part in record["code"])]


def first_sentence(text):
    return " ".join(re.split(r"(?<=\.)\s", text, maxsplit=1)[0].split())


def caught(record):
    return "Mutants that it catches: " + "; ".join(record["caught"]) + "."


def mistakes(checks):
    number = sum(len(record["caught"]) for record in checks)
    return f"{number} mistake{'s' * (number > 1)} caught"


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


def folded(summary, *content, **attributes):
    """What unfolds under one line."""
    before, between, after = (
        nodes.raw("", tags, format="html")
        for tags in ("<details><summary>", "</summary>", "</details>")
    )
    return nodes.container("", before, *summary, between, *content, after, **attributes)
