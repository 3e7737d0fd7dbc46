"""What a built page says as Markdown that needs no Sphinx: JupyterLab, Colab and VS Code show it
alike. Statements are quotes, folds are <details>, formulas stand between dollars."""

import html
import re

from markdownify import MarkdownConverter

BLANK = "\n\n"


class Prose(MarkdownConverter):
    """From HTML of a page to Markdown."""

    class Options(MarkdownConverter.DefaultOptions):
        heading_style, bullets, autolinks = "atx", "-", False
        sub_symbol, sup_symbol = "<sub>", "<sup>"

    def __init__(self, link):
        super().__init__()
        self.link = link                       # from an address on the page to one in the notebook

    def escape(self, text, parent_tags):
        return html.escape(super().escape(text, parent_tags), quote=False).replace("$", r"\$")

    def convert_a(self, el, text, parent_tags):
        if "headerlink" in classes(el):
            return ""
        return f"[{text.strip()}]({self.link(el['href'])})" if text.strip() else ""

    def convert_span(self, el, text, parent_tags):
        return f"${formula(el, parent_tags)}$" if "math" in classes(el) else text

    def convert_div(self, el, text, parent_tags):
        if "math" in classes(el):
            return f"{BLANK}$${formula(el, parent_tags)}$${BLANK}"
        if "solution" in classes(el):
            return fold(el.find(class_="admonition-title"), text)
        if "dp-static" in classes(el):         # of another page: cells draw those of this one
            there = self.link(f"#{el['id']}")
            return f"{BLANK}[A figure with sliders, on the site]({there}){BLANK}"
        boxed = {"admonition", "dp-strip"} & set(classes(el))
        return quoted(text) if boxed else f"{BLANK}{text}{BLANK}"

    def convert_p(self, el, text, parent_tags):
        if "admonition-title" in classes(el):
            in_fold = "solution" in classes(el.parent)
            return "" if in_fold else f"{BLANK}**{text.strip()}**{BLANK}"
        return super().convert_p(el, text, parent_tags)

    def convert_details(self, el, text, parent_tags):
        return fold(el.find("summary"), text)

    def leave_out(self, el, text, parent_tags):
        return ""

    convert_script = convert_style = leave_out
    convert_summary = leave_out                # `fold` writes it


def classes(el):
    return el.get("class", [])


def formula(el, parent_tags):
    r"""The TeX of a formula, on one line: behind the ">" of a quote a second one would show it. In
    a table a bar is the end of a cell."""
    tex = " ".join(el.get_text().split())
    tex = re.sub(r"^\\[(\[]\s*|\s*\\[)\]]$", "", tex)
    if "td" in parent_tags:
        tex = tex.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
    return tex


def quoted(text):
    lines = tidy(text).split("\n")
    return BLANK + "\n".join(f"> {line}".rstrip() for line in lines) + BLANK


def tidy(text):
    """Markdown with one blank line between its blocks."""
    return re.sub(r"\n{3,}", BLANK, text).strip()


def fold(heading, text):
    """HTML reads its own lines up to a blank one; what comes after that is Markdown again."""
    said = re.sub(r"\\\((.*?)\\\)", r"$\1$", " ".join(heading.get_text().split()))
    opening = f"<details>\n<summary>{html.escape(said, quote=False)}</summary>"
    return f"{BLANK}{opening}{BLANK}{text.strip()}{BLANK}</details>{BLANK}"
