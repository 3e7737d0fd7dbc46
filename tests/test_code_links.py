"""The links in code are those that the library puts there."""

import html
import re
import shutil

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx_codeautolink.extension.block import SourceTransform, link_html
from sphinx_codeautolink.parse import parse_names

from dplib.book import code_links

SOURCE = '''import numpy as np
from dplib.mechanisms import laplace, geometric
answer = laplace(np.array([1 < 2, "a & b"]).sum(), sensitivity=1,
                 epsilon=.5, rng=laplace)  # "quoted" & <kept>
geometric(answer).size = geometric
'''
TWICE = "from dplib.mechanisms import laplace\nlaplace = laplace\n"


def a_page(folder):
    folder.joinpath("chapters").mkdir(parents=True)
    block = '<div class="highlight-ipython3 notranslate">{}</div>\n'
    blocks = [block.format(highlight(code, PythonLexer(), HtmlFormatter(wrapcode=False))) for code in (SOURCE, TWICE, SOURCE, TWICE)]
    page = folder / "chapters" / "page.html"
    page.write_text(f"<html><body><p>ε &amp; δ</p>{'<hr/>'.join(blocks)}</body></html>", encoding="utf-8")
    return page


def transforms(*sources):
    return [SourceTransform(source, names_of(source), None, 0) for source in sources]


def names_of(source):
    names = [name for name in parse_names(source, None) if "dplib" in "".join(name.import_components)]
    for name in names:
        name.resolved_location = ".".join(name.import_components).split(".()")[0]
    return names


INVENTORY = {"dplib.mechanisms": "chapters/api.html#m", "dplib.mechanisms.laplace": "chapters/api.html#laplace",
             "dplib.mechanisms.geometric": "https://elsewhere.org/#geometric", "dplib.mechanisms.geometric.size": "x.html#size"}


def links(page):
    found = re.finditer(r"<a ([^>]*)>(.*?)</a>", page.read_text(encoding="utf-8"), re.S)
    return [(sorted(re.findall(r'(\w+)="([^"]*)"', m[1])), re.sub("<[^>]*>", "", m[2])) for m in found]


def text(page):
    return html.unescape(re.sub("<[^>]*>", "", page.read_text(encoding="utf-8")))


def test_the_links_are_those_of_the_library(tmp_path):
    ours = a_page(tmp_path / "ours")
    theirs = tmp_path / "theirs" / "chapters" / "page.html"
    shutil.copytree(tmp_path / "ours", tmp_path / "theirs")
    before = text(ours)
    given = transforms(SOURCE, TWICE, TWICE, SOURCE)
    code_links.link_page("chapters/page", ours.parents[1], given, INVENTORY)
    link_html("chapters/page", theirs.parents[1], given, INVENTORY, {}, [], disable_link_titles=False)
    assert len(links(ours)) > 10
    assert links(ours) == links(theirs)
    assert text(ours) == before == text(theirs)


def test_code_or_a_name_that_is_not_on_the_page_is_told(tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(code_links, "warn", lambda kind, *_: told.append(kind))
    page = a_page(tmp_path)
    missing, strange = transforms("import dplib.mechanisms\n", TWICE)
    strange.names = names_of("from dplib.mechanisms import geometric\n")
    code_links.link_page("chapters/page", tmp_path, [missing, strange], INVENTORY)
    assert told == ["match_block", "match_name"]            # the module is there, the function is not
    assert "geometric</a>" not in page.read_text(encoding="utf-8")
