"""A figure of another page, shown again: {borrowed} with the argument `why-privacy#secrets`.

It is the same table and the same drawing, taken from what that page put out when it was executed,
so that no page computes what another one has computed.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from .site import cache_folder

log = logging.getLogger(__name__)
FIGURE = r'<div class="dp-static" id="{id}">.*?</script></div>'


def output_with(figure, notebook):
    """The HTML of an explorer among the outputs of an executed page; None if it is not there."""
    pattern = re.compile(FIGURE.format(id=re.escape(figure)), flags=re.S)
    pages = (
        "".join(output.get("data", {}).get("text/html", ""))
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    )
    return next((found[0] for found in map(pattern.search, pages) if found), None)


def executed(root, page):
    """A chapter with its outputs, from the cache of this build; None if it has not run."""
    from jupyter_cache import get_cache

    cache = get_cache(str(cache_folder(root)))
    reader = {"name": "myst_nb_md", "type": "plugin"}
    project = cache.add_nb_to_project(str(Path(root, "chapters", f"{page}.md")), read_data=reader)
    record = cache.get_cached_project_nb(project.uri)
    return record and cache.get_cache_bundle(record.pk).nb


class Borrowed(SphinxDirective):
    """The explorer `page#id`."""

    required_arguments = 1

    def run(self):
        page, _, figure = self.arguments[0].partition("#")
        source = Path(self.env.srcdir, "chapters", f"{page}.md")
        self.env.note_dependency(str(source))
        notebook = executed(self.env.srcdir, page) if source.exists() else None
        if notebook is None:
            wrong = "there is no page %r that has run (python -m dplib.book.execute)"
            log.warning(wrong, page, location=self.get_location())
            return []
        if (found := output_with(figure, notebook)) is None:
            log.warning("page %r has no explorer %r", page, figure, location=self.get_location())
            return []
        # what looks for a page's own explorers looks for an id right behind the class
        shown = found.replace('class="dp-static"', f'class="dp-static" data-from="{page}"', 1)
        return [nodes.raw("", shown, format="html")]


def setup(app):
    app.add_directive("borrowed", Borrowed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
