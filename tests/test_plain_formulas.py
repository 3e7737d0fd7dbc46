"""Formulas that the first screen has as text."""

import pytest
from docutils import nodes

from dplib.book.plain_formulas import as_text

MARKS = {nodes.superscript: "^{%s}", nodes.subscript: "_{%s}", nodes.emphasis: "*%s*"}


def written(parts):
    return "".join(str(part) if isinstance(part, nodes.Text) else MARKS[type(part)] % written(part.children) for part in parts)


@pytest.mark.parametrize("tex, text", [
    (r"\varepsilon=\frac12", "*ε* = ½"), (r"\delta=10^{-6}", "*δ* = 10^{−6}"), ("N(0,1)", "*N*(0, 1)"), (r"\pm1.96/\sqrt n", "±1.96/√*n*"),
    ("-1", "−1"), ("(b-a)/n", "(*b* − *a*)/*n*"), ("2^{d+1}", "2^{*d* + 1}"), ("2^10", "2^{1}0"), ("x=(x_1,\\dots,x_n)",
     "*x* = (*x*_{1}, …, *x*_{*n*})"), (r"T_{\varepsilon,\delta}(v)", "*T*_{*ε*, *δ*}(*v*)"), (r"\ln R", "ln *R*"),
    (r"\max(a)", "max(*a*)"),
    (r"\lambda", "*λ*"), (r"\lvert x'\rvert", "|*x*′|"), ("a+", "*a*+"), (r"e^{\varepsilon\cdot\text{votes}/2}", "*e*^{*ε*·votes/2}")])
def test_a_simple_formula_reads_as_it_would_be_set(tex, text):
    assert written(as_text(tex)).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize("tex", [r"\frac a2", r"\frac{10}2", r"\hat\nu", r"\mathcal X", r"\sum_i", "x^2_1", "^2",
                                 "x^", "e^{x", r"\sqrt{2x}", "a&b", "}"])
def test_what_text_has_no_place_for_is_left_to_mathjax(tex):
    assert as_text(tex) is None
