"""Numbers about the book for its text, counted when it is built: {count}`mistakes`."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from .checks import claims_file, records
from .reference import public_names

TEST = re.compile(r"^\s*def test_\w+", re.M)


def counts(checks, root):
    """{what: how many}, of the last run of the claims, of the package and of the repository."""
    toc = (root / "_toc.yml").read_text(encoding="utf-8").split("caption: Reference")[0]
    pages = re.findall(r"- file: (chapters/[\w-]+)", toc)
    sources = [(root / f"{page}.md").read_text(encoding="utf-8") for page in pages]
    return {
        "statements": len({record["label"] for record in checks}),
        "checks": len(checks),
        "mistakes": sum(len(record["caught"]) for record in checks),
        "pages": len(pages),
        "figures": sum(source.count('Explorer("') for source in sources),
        "functions": len(set(public_names().values())),
        "tests": sum(
            len(TEST.findall(file.read_text(encoding="utf-8")))
            for file in (root / "tests").rglob("test_*.py")
        ),
    }


class Count(SphinxRole):
    """{count}`mistakes`: how many there are in this build."""

    def run(self):
        self.env.note_dependency(str(claims_file(self.env)))
        known = counts(records(self.env), Path(self.env.srcdir))
        if self.text not in known:
            message = self.inliner.reporter.error(
                f"nothing counts {self.text!r}; what is counted: {', '.join(known)}",
                line=self.lineno,
            )
            return [], [message]
        return [nodes.inline("", f"{known[self.text]:,}", classes=["dp-count"])], []


def setup(app):
    app.add_role("count", Count())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
