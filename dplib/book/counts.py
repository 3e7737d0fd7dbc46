"""Numbers about the book for its text, counted when it is built: {count}`mistakes`."""

import itertools
import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from .checks import claims_file, records
from .reference import public_names

TEST = re.compile(r"^\s*def test_\w+", re.M)


def sources(root):
    """The pages of the book's parts without their openings, and the files of its tests."""
    toc = (root / "_toc.yml").read_text(encoding="utf-8").split("caption: Reference")[0]
    pages = [root / f"{name}.md" for name in re.findall(r"- file: (chapters/(?!part-)[\w-]+)", toc)]
    return pages, sorted((root / "tests").rglob("test_*.py"))


def counts(checks, root):
    """{what: how many}, of the last run of the claims, of the package and of the repository."""
    pages, tests = sources(root)
    text = lambda files: "\n".join(file.read_text(encoding="utf-8") for file in files)
    return {
        "statements": len({record["label"] for record in checks}),
        "checks": len(checks),
        "mistakes": sum(len(record["caught"]) for record in checks),
        "pages": len(pages),
        "figures": text(pages).count('Explorer("'),
        "functions": len(set(public_names().values())),
        "tests": len(TEST.findall(text(tests))),
    }


class Count(SphinxRole):
    """{count}`mistakes`: how many there are in this build."""

    def run(self):
        root = Path(self.env.srcdir)
        for file in (claims_file(self.env), root / "_toc.yml", *itertools.chain(*sources(root))):
            self.env.note_dependency(str(file))
        known = counts(records(self.env), root)
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
