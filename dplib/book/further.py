"""What is marked *Further*: a page is complete without it, so its sections are folded behind their
first paragraph, which says what they are about, and behind the picture that follows it."""

from docutils import nodes

from .doctrees import draws
from .statements import KINDS

FURTHER = "Further: "


def further_sections(doctree):
    """The sections of a page whose titles begin so."""
    for section in list(doctree.findall(nodes.section)):
        title = section.next_node(nodes.title)
        if title is not None and title.astext().startswith(FURTHER):
            yield section


def keep_addresses(app, doctree):
    """A section that becomes *Further* keeps its old address beside the new one."""
    for section in further_sections(doctree):
        section["classes"].append("dp-further")
        # not made from the title, whose apostrophes may be typographic by now
        own = next(id for id in section["ids"] if id.startswith("further-"))
        old = own.removeprefix("further-")
        if old not in doctree.ids:
            section["ids"].append(old)
            doctree.ids[old] = section


def fold_further(app, doctree, docname):
    """All that comes after the first paragraph of such a section, and after pictures that follow
    it, stands in a fold. It opens by itself for whoever follows a link into it (page.js), and on
    paper."""
    if app.builder.format != "html":
        return
    for section in further_sections(doctree):
        paragraphs = (k for k, part in enumerate(section) if isinstance(part, nodes.paragraph))
        behind = next(paragraphs, len(section)) + 1
        while behind < len(section) and "dp-drawn" in section[behind]["classes"]:
            behind += 1
        rest = section.children[behind:]
        if said := contents_of(rest):
            del section[behind:]
            opening = f"<details class='dp-more'><summary>Read on: {said}</summary>"
            section += nodes.raw("", opening, format="html")
            section += rest
            section += nodes.raw("", "</details>", format="html")


FEW = 150                                      # words that need no fold


def contents_of(parts):
    """What stands in a fold, in words: 2 statements, 1 figure. Nothing if it is too little to be
    folded."""
    found = [node for part in parts for node in part.findall(nodes.Element)]
    statements = sum(node.get("realtype") in KINDS for node in found)
    figures = sum(node.get("nb_element") == "cell_code" and draws(node) for node in found)
    words = sum(len(node.astext().split()) for node in found if isinstance(node, nodes.paragraph))
    counted = [(statements, "statement"), (figures, "figure")]
    said = [f"{count} {name}{'s' * (count > 1)}" for count, name in counted if count]
    return ", ".join(said) or (f"{round(words, -2)} words" if words > FEW else "")


def setup(app):
    app.connect("doctree-read", keep_addresses)
    # behind `doctrees`, which puts figures before their code
    app.connect("doctree-resolved", fold_further, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
