"""The bibliography: each entry says which pages cite it, and shows no LaTeX."""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

PAGE = "chapters/bibliography"
TYPEWRITER = "\\texttt "


def cited_on(refs, order):
    """{key: the pages that cite it}, in the order of the book."""
    pages = {}
    for docname, key in sorted(refs, key=lambda ref: order.index(ref[0])):
        pages.setdefault(key, {})[docname] = None
    return {key: list(on) for key, on in pages.items()}


def references(env):
    """All pairs (page, key): who cites what."""
    of_pages = env.get_domain("cite").citation_refs
    return [(ref.docname, target.key) for ref in of_pages for target in ref.targets]


def read_order(env):
    """The pages in the order of the table of contents, and then those that stand in none."""
    listed = list(env.app.config.external_site_map)
    return listed + sorted(env.found_docs - set(listed))


def keys_of_entries(env):
    """{the id of an entry: its key}."""
    return {
        value.citation_nodes[key]["ids"][0]: key
        for value in env.get_domain("cite").bibliographies.values()
        for key in value.citation_nodes
    }


class SayWhereCited(SphinxPostTransform):
    """After the entries have been made (priority 5) and before their links are resolved (10)."""

    default_priority = 6

    def run(self, **kwargs):
        if self.env.docname != PAGE:
            return
        pages = cited_on(references(self.env), read_order(self.env))
        keys = keys_of_entries(self.env)
        for entry in self.document.findall(nodes.citation):
            write_typewriter(entry)
            links = [self.link(page) for page in pages[keys[entry["ids"][0]]]]
            entry[-1] += cited_line(links)

    def link(self, page):
        title = self.env.titles[page].astext()
        uri = self.app.builder.get_relative_uri(PAGE, page)
        return nodes.reference("", title, refuri=uri, internal=True)


def cited_line(links):
    """" Cited in A; B." behind an entry."""
    line = nodes.inline("", " Cited in ", classes=["dp-cited-in"])
    for number, link in enumerate(links):
        line += [nodes.Text("; ")] * (number > 0) + [link]
    line += nodes.Text(".")
    return line


def write_typewriter(entry):
    r"""Pybtex leaves "\texttt " in front of what stood in it."""
    for text in list(entry.findall(nodes.Text)):
        before, found, after = text.partition(TYPEWRITER)
        if not found:
            continue
        parent, place = text.parent, text.parent.index(text)
        if after:
            parent[place] = nodes.Text(before)
            parent.insert(place + 1, nodes.literal("", after))
        else:
            following = parent[place + 1]
            parent[place] = nodes.Text(before)
            parent[place + 1] = nodes.literal("", following.astext())


def rewrite_page(app, env):
    """The bibliography is written anew when another page has changed what it cites."""
    refs = sorted(set(references(env)))
    changed, env.dp_references = refs != getattr(env, "dp_references", None), refs
    return [PAGE] if changed and PAGE in env.all_docs else []


def setup(app):
    app.add_post_transform(SayWhereCited)
    app.connect("env-get-updated", rewrite_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
