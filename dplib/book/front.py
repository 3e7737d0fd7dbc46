"""The front end's files in `web/`: script, style sheet and palette, as a page and a live kernel
load them."""

import collections
import gzip
import re
from pathlib import Path

WEB = Path(__file__).parent / "web"
PALETTE = WEB / "palette.css"
# bytes of all explorers of a page with our script and the chart library, compressed
MAX_PAGE = 350_000


def front_end(static):
    """The script: classic for a page (it also runs from ``file://``), or the module that anywidget
    loads."""
    script = "".join(
        (WEB / name).read_text(encoding="utf-8")
        for name in ("plot.js", "columns.js", "draw.js", "texts.js", "controls.js", "guess.js",
                     "kernel.js", "explore.js", "page.js")
    )
    return (
        f"(() => {{\n{script}\nboot();\n}})();\n"
        if static
        else f"{script}\nexport default {{ render }};\n"
    )


def style():
    """The style sheet of both hosts, the book's palette first."""
    return "".join(file.read_text(encoding="utf-8") for file in (PALETTE, WEB / "explore.css"))


def palette():
    """The light theme's colours by variable name, for print and wherever a style sheet cannot
    reach."""
    return dict(
        re.findall(r"(--dp-\w+): (#[0-9a-f]{6})", PALETTE.read_text(encoding="utf-8").split("}")[0])
    )


def compressed(text):
    """Bytes of a text as a web server sends it."""
    return len(gzip.compress(text.encode(), 9, mtime=0))


def check_page(name, body):
    """Raise if an explorer shares its id with anything else on its page, or if the page's explorers
    weigh too much."""
    ids = collections.Counter(re.findall(r'<[^>]*\sid="([^"]+)"', body))
    # its own, and those that it borrows (`borrowed`)
    explorers = list(
        re.finditer(
            r'<div class="dp-static"(?: data-from="[^"]*")? id="([^"]+)">.*?</script></div>',
            body,
            flags=re.S,
        )
    )
    if twice := sorted({part[1] for part in explorers if ids[part[1]] > 1}):
        raise ValueError(
            f"page {name!r}: the explorer ids {twice} occur more than once (perhaps in a heading)"
        )
    weight = compressed(front_end(static=True)) + sum(compressed(part[0]) for part in explorers)
    if explorers and weight > MAX_PAGE:
        raise ValueError(
            f"page {name!r}: its explorers weigh {weight} bytes compressed, more than {MAX_PAGE}"
        )
