"""Copies of the book to take away: on paper, as book.pdf, and the whole site as one file, book.zip.

    python -m dplib.book.copies        offers on the front page what lies beside it
    python -m dplib.book.copies zip    packs the site first
"""

import re
import sys
import zipfile
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

SITE = Path("_build", "html")
FRONT = "chapters/index.html"
FOLDER = "private-statistics"                  # where the file unpacks to
COPIES = {
    "book.pdf": "the book on paper",
    "book.zip": "this site in one file, whose figures move without a network",
}
PLACE = re.compile(r'<p class="dp-copies">.*?</p>', re.S)
ANY_DAY = (1980, 1, 1, 0, 0, 0)                # so that equal sites give equal files


class Copies(SphinxDirective):
    """`{copies}`: the place where copies are offered. It is filled whenever there is a new one."""

    def run(self):
        return [nodes.raw("", '<p class="dp-copies"></p>', format="html")]


def offer(site, among=COPIES):
    """The paragraph that offers the copies which lie in the folder of the site."""
    there = [name for name in among if Path(site, name).exists()]
    links = " or ".join(f'<a href="../{name}">{COPIES[name]}</a> ({size(Path(site, name))})'
                        for name in there)
    return f'<p class="dp-copies">{f"You can also take away {links}." if links else ""}</p>'


def size(file):
    return f"{file.suffix[1:].upper()}, {max(1, round(file.stat().st_size / 1e6))} MB"


def with_offer(page, paragraph):
    return PLACE.sub(lambda _: paragraph, page)


def pack(site):
    """All files of the site in one, with a front page that does not offer the file itself."""
    files = sorted(file for file in site.rglob("*") if file.is_file())
    with zipfile.ZipFile(site / "book.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in files:
            name = file.relative_to(site).as_posix()
            if name.startswith(".") or name == "book.zip":
                continue
            content = file.read_bytes()
            if name == FRONT:
                content = with_offer(content.decode(), offer(site, ["book.pdf"])).encode()
            entry = zipfile.ZipInfo(f"{FOLDER}/{name}", ANY_DAY)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content, zipfile.ZIP_DEFLATED)


def offer_copies(app, pagename, template, context, doctree):
    """A front page that is written anew goes on offering them."""
    if f"{pagename}.html" == FRONT:
        context["body"] = with_offer(context["body"], offer(app.outdir))


def main(site=SITE):
    if sys.argv[1:] == ["zip"]:
        pack(site)
    front = site / FRONT
    front.write_text(with_offer(front.read_text(encoding="utf-8"), offer(site)), encoding="utf-8")


def setup(app):
    app.add_directive("copies", Copies)
    app.connect("html-page-context", offer_copies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    main()
