"""How a statement is called on pages other than its own."""

from types import SimpleNamespace

from docutils import nodes
from docutils.utils import new_document

from dplib.book import statements


def environment(number=(12, 1)):
    return SimpleNamespace(
        dp_statements={"thm-packing": ("chapters/packing", "(Packing)", False)},
        proof_list={"thm-packing": dict(countertype="theorem", realtype="theorem")},
        toc_fignumbers={"chapters/packing": {"theorem": {"thm-packing": number}}})


def test_a_statement_is_called_by_its_kind_its_number_and_its_title():
    assert statements.name_of(environment(), "thm-packing") == "Theorem 12.1 (Packing)"
    assert statements.name_of(environment((3, 2)), "thm-packing") == "Theorem 3.2 (Packing)"


def test_one_that_no_page_states_keeps_its_label():
    assert statements.name_of(environment(), "thm-lost") == "thm-lost"


def test_a_name_takes_the_place_that_was_kept_for_it():
    document = new_document("page")
    document += nodes.paragraph("", "", nodes.Text("By "), statements.statement_name(label="thm-packing"), nodes.Text("."))
    statements.fill_names(SimpleNamespace(env=environment()), document, "chapters/claims")
    assert document.astext() == "By Theorem 12.1 (Packing)."
