"""What the pages say, as it is printed: statements keep the numbers of the site, folds are open,
and answers, solutions and the bibliography stand at the end."""

import re

from docutils import nodes
from sphinx.addnodes import index, pending_xref, start_of_file, toctree
from sphinx.builders.latex.nodes import thebibliography
from sphinx_exercise.nodes import exercise_enumerable_node, solution_node
from sphinx_proof.nodes import NODE_TYPES

from .citations import PAGE as BIBLIOGRAPHY
from .citations import (
    cited_line,
    cited_on,
    keys_of_entries,
    read_order,
    references,
    write_typewriter,
)
from .claims import PAGE as CLAIMS
from .paper_figures import latex, printed_figure

STATEMENTS = tuple(NODE_TYPES.values())
ARTICLE = re.compile("^(?:The|An?) ")          # by which an index does not sort


def label(page, place):
    """Where links to a place lead, as Sphinx calls it."""
    return rf"\phantomsection\label{{\detokenize{{{page}:{place}}}}}"


def boxed(environment, given, heading, body, labels=""):
    """A heading and what stands under it, in an environment of paper.sty. The labels stand in the
    line of the heading: in front of it, they are lost where a page ends."""
    if isinstance(body[0], nodes.paragraph):
        begun, body = body[0].children, body[1:]
    else:
        begun = []
    title = nodes.paragraph("", "", latex(labels + r"\dpheading{"), *heading, latex("}"), *begun)
    opening = rf"\begin{{{environment}}}" + "".join(f"{{{one}}}" for one in given)
    return [latex(opening), title, *body, latex(rf"\end{{{environment}}}")]


# --- before links are resolved: what is left out, cells, entries of the index, tables
# --------------------------------------------------------------------------------------------------

def prepare(tree, page):
    leave_out(tree, page)
    print_cells(tree)
    print_checked_lines(tree)
    enter_terms(tree)
    weigh_columns(tree)


def leave_out(tree, page):
    """The list of all checks is longer than the book, and cards that are links lead nowhere."""
    if page == CLAIMS:
        for section in list(tree.findall(nodes.section)):
            if any(name.startswith("checks-of-") for name in section["ids"]):
                section.parent.remove(section)
    for contents in list(tree.findall(toctree)):
        contents.parent.remove(contents)
    for grid in list(tree.findall(nodes.container)):
        links = any("sd-stretched-link" in link["classes"] for link in grid.findall(pending_xref))
        if grid.get("design_component") == "grid-container" and links:
            grid.parent.remove(grid)


def print_cells(tree):
    """The code that a page shows, and all results; code that it folds stays on the site."""
    for cell in list(tree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code":
            continue
        classes, printed = cell["classes"], []
        for part in cell.children:
            shown = part.get("nb_element") == "cell_code_source"
            hidden = "tag_hide-input" if shown else "tag_hide-output"
            if {"tag_hide-cell", hidden} & set(classes):
                continue
            printed += part.children if shown else results(part)
        place = cell.parent.index(cell)
        cell.parent[place:place + 1] = printed


def results(output):
    """Printed lines are set apart from code."""
    for part in output.children:
        lines = isinstance(part, nodes.literal_block)
        yield from (latex(r"\begin{dpresult}"), part, latex(r"\end{dpresult}")) if lines else [part]


def print_checked_lines(tree):
    """Of the line under a statement what can be seen while it is folded."""
    for box in list(tree.findall(nodes.container)):
        if "dp-checked" in box["classes"]:
            said = next(part for part in box.children if isinstance(part, nodes.Text))
            box.replace_self([latex(r"\begin{dpsmall}"), nodes.paragraph("", said),
                              latex(r"\end{dpsmall}")])


LONG = 40                                      # letters, from which on a column breaks its lines


def weigh_columns(tree):
    """A table of the source has columns as wide as what stands in them needs."""
    for table in tree.findall(nodes.table):
        if "colwidths-auto" in table["classes"]:
            table["classes"][:] = ["colwidths-given"]
            rows = [[entry.astext() for entry in row] for row in table.findall(nodes.row)]
            for column, entries in zip(table.findall(nodes.colspec), zip(*rows)):
                column["colwidth"] = min(LONG, max(8, *map(len, entries)))


def enter_terms(tree):
    """Where a term of the glossary is used, the index has its page."""
    for link in list(tree.findall(pending_xref)):
        if link["reftype"] == "term":
            entry = ("single", link["reftarget"], "", "", None)
            place = link.parent.index(link)
            link.parent.insert(place, index(entries=[entry], inline=True))


# --- after links are resolved: statements, proofs, exercises and their solutions
# --------------------------------------------------------------------------------------------------

def finish(book, env):
    for file in book.findall(start_of_file):
        own = file["docname"]
        print_statements(file, own, env)
        print_exercises(file, own, env)
        print_folds(file)
        say_pages(file, own, env)
    move_bibliography(book, env)
    add_answers(book, env)
    move_solutions(book, env)


def own_nodes(file, *kinds):
    """The nodes of a page without those of pages that are its sections."""
    return [node for node in file.findall(lambda node: isinstance(node, kinds))
            if page_of(node) == file["docname"]]


def page_of(node):
    while not isinstance(node, start_of_file):
        node = node.parent
    return node["docname"]


def number_of(env, page, kind, name):
    return ".".join(map(str, env.toc_fignumbers[page][kind][name]))


def print_statements(file, page, env):
    for node in own_nodes(file, *STATEMENTS):
        title, *body = node.children
        number = number_of(env, page, node["countertype"], node["label"])
        called = f"{node['realtype'].title()} {number}"
        entries = []
        if name := ARTICLE.sub("", title.astext().strip(" ()")):
            entries.append(index(entries=[("single", f"{name} ({called})", "", "", None)]))
        labels = label(page, node["label"])
        node.replace_self(boxed("dpstatement", [number], [nodes.Text(called), *title.children],
                                [*entries, *body], labels))


def print_exercises(file, page, env):
    for node in own_nodes(file, exercise_enumerable_node):
        title, *body = node.children
        number = number_of(env, page, "exercise", node["label"])
        labels = label(page, node["label"]) + rf"\label{{exercise:{node['label']}}}"
        node.replace_self(boxed("dpexercise", [number], title.children, body, labels))


def print_folds(file):
    """What a click opens is open."""
    for fold in own_nodes(file, nodes.container):
        if fold.get("design_component") == "dropdown":
            title, *body = fold.children
            if proof := title.astext().startswith("Proof"):
                end = body[-1] if isinstance(body[-1], nodes.paragraph) else fold
                end += latex(r"\dpqed")
                body = fold.children[1:]
            fold.replace_self(boxed("dpproof" if proof else "dpfold", [], title.children, body))


def say_pages(file, page, env):
    """Behind a link to another chapter its page, since paper cannot be clicked."""
    chapters = {name for name, numbers in env.toc_secnumbers.items() if "" in numbers}
    for link in own_nodes(file, nodes.reference):
        target, _, place = link.get("refuri", "").removeprefix("%").partition("#")
        if target in chapters - {page} and not in_title(link):
            to = rf"\detokenize{{{target}:{place or ':doc'}}}"
            link.parent.insert(link.parent.index(link) + 1, latex(rf"\dppage{{{to}}}"))


def in_title(node):
    return isinstance(node.parent, nodes.title) or (node.parent and in_title(node.parent))


def add_answers(book, env):
    """To the questions that figures ask, in the order of the book."""
    appendix, seen = nodes.section("", nodes.title("", "Answers"), ids=["answers"]), set()
    for figure in list(book.findall(printed_figure)):
        if figure.get("answer") and figure["name"] not in seen:
            seen.add(figure["name"])
            appendix += printed_figure("", *figure["answer"])
    book[0] += [latex(r"\dpdivision{Answers and solutions}\dpunnumbered"), appendix]


def move_solutions(book, env):
    """At the end, page by page."""
    appendix = nodes.section("", nodes.title("", "Solutions"), ids=["solutions"])
    for file in list(book.findall(start_of_file)):
        page, found = file["docname"], own_nodes(file, solution_node)
        if found:
            section = nodes.section("", nodes.title("", env.titles[page].astext()))
            for node in found:
                node.parent.remove(node)
                title, *body = node.children
                labels = label(page, node["label"])
                section += boxed("dpsolution", [], title.children[1:], body, labels)
            appendix += start_of_file("", section, docname=page)
    book[0] += [latex(r"\dpunnumbered"), appendix]


def move_bibliography(book, env):
    """To the page that has its title; an entry says which pages of the book cite it."""
    files = {file["docname"]: file for file in book.findall(start_of_file)}
    pages, keys = cited_on(references(env), read_order(env)), keys_of_entries(env)
    for entries in list(book.findall(thebibliography)):
        entries.parent.remove(entries)
        for entry in entries:
            write_typewriter(entry)
            on = [page for page in pages[keys[entry["ids"][0]]] if page in files]
            entry[-1] += cited_line([link_to_page(env, page) for page in on])
        files[BIBLIOGRAPHY].next_node(nodes.section).append(entries)


def link_to_page(env, page):
    return nodes.reference("", env.titles[page].astext(), refuri=f"%{page}", internal=True)
