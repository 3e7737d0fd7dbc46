"""Decks: the slides of each page in a file that reveal.js shows, beside the chapters.

    python -m dplib.book.decks
"""

import re
import shutil
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, select_autoescape

from .front import WEB
from .slides import deck, read

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
FOLDER = "slides"
# what a page needs for its formulas, faces and code, a deck needs, too
SHARED = re.compile(r"_static/(mathjax/mathjax\.js|page\.js|(explorer|book|pygments)\.css)")
templates = Environment(loader=FileSystemLoader(WEB / "slides"), autoescape=select_autoescape())


def write_deck(file, out):
    """The deck of a page into the folder of the decks."""
    page, address = read(file), f"../chapters/{file.name}"
    shared = [node for node in page.head.select("script[src], link[href]")
              if SHARED.search(node.get("src") or node["href"])]
    settings = page.find("script", string=re.compile(r"^window\.MathJax"))
    html = templates.get_template("deck.html").render(
        title_text=page.h1.get_text(), columns=deck(page, address),
        head="\n".join(map(str, [settings, *shared])), part=" ".join(page.h1.get("class", [])),
    )
    (out / file.name).write_text(html, encoding="utf-8")


MENU = re.compile(r'dropdown-download-buttons">.*?<ul class="dropdown-menu">', flags=re.S)
LINK = """
<li><a href="../{folder}/{name}" class="btn btn-sm dropdown-item" title="Slides of this page"
   data-bs-placement="left" data-bs-toggle="tooltip">
<span class="btn__icon-container"><i class="fas fa-chalkboard"></i></span>
<span class="btn__text-container">Slides</span></a></li>"""


def link(file):
    """The menu of downloads leads to the deck. A page that Sphinx writes anew has lost the link, as
    its deck is old then."""
    text, entry = file.read_text(encoding="utf-8"), LINK.format(folder=FOLDER, name=file.name)
    if entry not in text:
        text, found = MENU.subn(lambda menu: menu[0] + entry, text, count=1)
        if not found:
            raise ValueError(f"{file} has no menu of downloads")
        file.write_text(text, encoding="utf-8")


def pages(site):
    """The pages whose box says how long they take: those that are read and taught."""
    return [file for file in sorted((site / "chapters").glob("*.html"))
            if "<strong>Time</strong>" in file.read_text(encoding="utf-8")]


def write(files, out):
    """The decks of these pages, and what shows them."""
    out.mkdir(parents=True, exist_ok=True)
    for asset in [*(WEB / "reveal").iterdir(), *(WEB / "slides").glob("deck.[cj]s*")]:
        shutil.copy(asset, out)
    for file in files:
        write_deck(file, out)


def main():
    files = pages(SITE)
    shutil.rmtree(SITE / FOLDER, ignore_errors=True)        # pages may have gone
    write(files, SITE / FOLDER)
    for file in files:
        link(file)
    print(f"{len(files)} decks in {SITE / FOLDER}")


if __name__ == "__main__":
    main()
