"""The reference of the package on the site: names in prose lead to it, and docstrings become
formulas and links."""

import functools
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective


def link_names(app, doctree):
    """`laplace` in prose becomes a link where the package has exactly one public object of that
    name."""
    for literal in list(doctree.findall(nodes.literal)):
        name = literal.astext().removesuffix("()")
        if not re.fullmatch(r"(dplib\.)?[A-Za-z_][\w.]*", name) or isinstance(
            literal.parent, (nodes.reference, pending_xref)
        ):
            continue
        if target := public_names().get(name):
            link = pending_xref(
                "",
                refdomain="py",
                reftype="obj",
                reftarget=target,
                refexplicit=True,
                refwarn=True,
                refdoc=app.env.docname,
            )
            literal.replace_self(link)
            link += literal


@functools.cache
def public_names():
    """What a name in prose may stand for: {"laplace": "dplib.mechanisms.laplace",
    "dplib.mechanisms.laplace": the same}.

    A subject is a module, or a package that says in `__all__` what it offers; its own modules are
    its private matter, but a package inside of it is a subject, too.
    """
    import dplib
    names = {}
    for place in _subjects(dplib):
        subject = importlib.import_module(place)
        own = [
            name
            for name, item in vars(subject).items()
            if getattr(item, "__module__", None) == place
        ]
        names[place] = place
        for name in getattr(subject, "__all__", own):
            if not name.startswith("_") and callable(getattr(subject, name)):
                names[name] = names[f"{place}.{name}"] = f"{place}.{name}"
    return names


def _subjects(package, modules=True):
    """The places of the modules of a package, if these are subjects, and of the packages in it."""
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if info.name.startswith("dplib._") or info.name == "dplib.book":
            continue
        if modules or info.ispkg:
            yield info.name
        if info.ispkg:
            yield from _subjects(importlib.import_module(info.name), modules=False)


class AllNames(SphinxDirective):
    """Every subject of the package with its page, what its docstring says first, and its names."""

    def run(self):
        lines = all_names(Path(self.env.srcdir))
        modules = {target.rpartition(".")[0] for target in public_names().values()}
        for module in modules & set(sys.modules):
            self.env.note_dependency(sys.modules[module].__file__)
        place = nodes.Element()
        self.state.nested_parse(StringList(lines, "the package"), self.content_offset, place)
        return place.children


def all_names(root):
    """Lines of a list: a definition for each page of the reference, in the order of the book."""
    contents, lines = (root / "_toc.yml").read_text(encoding="utf-8"), []
    pages = re.findall(r"file: chapters/(api-[\w-]+)", contents)
    for page in pages:
        text = (root / "chapters" / f"{page}.md").read_text(encoding="utf-8")
        modules = re.findall(r"automodule:: (dplib\.[\w.]+)", text)
        title, [summary, *_] = re.search("^# (.*)", text, re.M)[1], map(said_first, modules)
        names = ", ".join(f"`{name}`" for module in modules for name in names_of(module))
        lines += [f"[{title}]({page}.md)", f": {summary}", f"  {names}", ""]
    return lines


def said_first(module):
    return " ".join(inspect.getdoc(importlib.import_module(module)).split("\n\n")[0].split())


def names_of(module):
    """What a subject offers, in the order in which it says so."""
    return [name for name, full in public_names().items() if full == f"{module}.{name}"]


STATEMENT = re.compile(r"\b((?:thm|lem|prop|cor|def|alg)-[a-z0-9-]+)")
# e^(ε/2), e^-t, q^|m|: what is raised
EXPONENT = re.compile(r"\^(?:\(((?:[^()]|\([^()]*\))*)\)|(-?(?:\\\||[\w']|[₀-₉])+(?:\\\|)?))")
INDEX = re.compile(r"\b([A-Za-zθμεσ])_([a-z0-9])\b")
# an exponent holds no other role, so that an index in it is a letter of its own
LOW = str.maketrans("aehijklmnoprstuvx0123456789", "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₀₁₂₃₄₅₆₇₈₉")
ESCAPED = "\\ "
ROLE = re.compile(r"(\\ :su[bp]:`[^`]*`\\ |:prf:ref:`[^`]*`|``[^`]+``)")
# what napoleon makes of a name and of a type: no role is read in it
EMPHASIS = re.compile(r"(?<![*\w\\])(\*\*?)(?=[^\s*])(.+?)(?<=[^\s*])\1(?![*\w])")


def read_docstring(app, what, name, obj, options, lines):
    """In our docstrings |z| is an absolute value, never a substitution, x^2 and x_i are set as
    such, a label leads to its statement."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[i] = EMPHASIS.sub(emphasised, marked_up(line.replace("|", r"\|")))


def marked_up(line):
    """A line with the roles that set its formulas and lead to its statements."""
    line = EXPONENT.sub(
        lambda found: rf"\ :sup:`{raised(found[1] or found[2])}`\ ", line.replace("√``", "√\\ ``")
    )
    parts = ROLE.split(line)
    parts[::2] = [
        STATEMENT.sub(r":prf:ref:`\1`", INDEX.sub(r"\1\\ :sub:`\2`\\ ", part))
        for part in parts[::2]
    ]
    return "".join(parts)


def raised(text):
    """What stands in an exponent."""
    text = INDEX.sub(lambda found: found[1] + found[2].translate(LOW), text)
    return text.replace("-", "−")


def emphasised(found):
    """Emphasis around a text with roles: around each part between them, since it cannot hold
    them."""
    stars, text = found.groups()
    parts = ROLE.split(text)
    if len(parts) == 1:
        return found[0]
    parts[::2] = [emphasis(stars, part) for part in parts[::2]]
    return "".join(parts)


def emphasis(stars, part):
    """A part of a text between these stars, behind and before which no space may stand; where
    there was none, an escaped one keeps the stars from what is beside them."""
    inner = part.strip()
    if not inner:
        return part
    before, _, after = part.partition(inner)
    return rf"{before or ESCAPED}{stars}{inner}{stars}{after or ESCAPED}"


def setup(app):
    app.add_directive("all-names", AllNames)
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("doctree-read", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
