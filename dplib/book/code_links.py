"""Names in code lead to the reference. sphinx-codeautolink finds the names; it also puts the links
into the finished pages, for which it parses each of them whole, and that was half of the time of
building the site. Here only the blocks of code are touched, as text."""

import html
import re
from collections import defaultdict
from pathlib import Path

import sphinx_codeautolink.extension as library
from sphinx_codeautolink.extension.block import construct_name_pattern, format_title
from sphinx_codeautolink.warn import logger, warn_type

BLOCK = re.compile(
    r'(?<=<div class="highlight"><pre>)'          # what Pygments writes, in all languages
    r".*?(?=</pre>)", re.S
)
TAG = re.compile("<[^>]*>")


def link_page(document, out_dir, transforms, inventory, *_, **__):
    """Put the links of one page into its blocks of code: what `link_html` of the library does."""
    file = Path(out_dir, f"{document}.html")
    page, up = file.read_text(encoding="utf-8"), "../" * document.count("/")
    of_source = defaultdict(list)                 # the same code can stand on a page twice
    for block in BLOCK.finditer(page):
        of_source[source_of(block[0])].append(block)
    linked = {}                                   # where a block begins: its code with links
    for transform in transforms:
        blocks = of_source[transform.source.rstrip()]
        if not blocks:
            warn("match_block", document, f"no block on the page has the code:\n{transform.source}")
            continue
        block = blocks.pop(0)
        lines = block[0].split("\n")
        for name in transform.names:
            place = inventory[name.resolved_location]
            link = place if re.match("https?://", place) else up + place
            if not link_name(lines, name, link):
                warn("match_name", document, f"{name.code_str} is not in:\n{transform.source}")
        linked[block.start()] = "\n".join(lines)
    page = BLOCK.sub(lambda block: linked.get(block.start(), block[0]), page)
    file.write_text(page, encoding="utf-8")


def source_of(block):
    """The code of a block of HTML."""
    return html.unescape(TAG.sub("", block)).rstrip()


def link_name(lines, name, link):
    """Make the last place where a name stands in its lines a link; whether there is one."""
    first, last = name.lineno - 1, name.end_lineno
    code = "\n".join(lines[first:last])
    found = list(re.finditer(construct_name_pattern(name), code))
    if found:
        start, end = found[-1].start() + len(found[-1][1]), found[-1].end()
        title = format_title(name.resolved_location, code[start:end])
        anchor = f'<a href="{link}"{title} class="sphinx-codeautolink-a">{code[start:end]}</a>'
        lines[first:last] = (code[:start] + anchor + code[end:]).split("\n")
    return bool(found)


def warn(kind, document, message):
    logger.warning(message, type=warn_type, subtype=kind, location=document)


def setup(app):
    library.link_html = link_page
    return {"parallel_read_safe": True}
