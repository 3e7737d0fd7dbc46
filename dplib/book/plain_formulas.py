"""Short formulas as text. MathJax sets formulas when a page is on the screen already, and then what
stands below them moves; so those of the first screen come as text, if they are simple enough."""

import re

from docutils import nodes

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|\d+(?:\.\d+)?|.", re.S)
GREEK = dict(
    alpha="α", beta="β", gamma="γ", delta="δ", varepsilon="ε", zeta="ζ", eta="η", theta="θ",
    kappa="κ", lambda_="λ", mu="μ", nu="ν", xi="ξ", pi="π", rho="ρ", sigma="σ", tau="τ", phi="ϕ",
    varphi="φ", chi="χ", psi="ψ", omega="ω",
)
UPRIGHT = dict(Gamma="Γ", Delta="Δ", Theta="Θ", Lambda="Λ", Xi="Ξ", Pi="Π", Sigma="Σ", Phi="Φ",
               Psi="Ψ", Omega="Ω", lvert="|", rvert="|", dots="…", pm="±", cdot="·")
BETWEEN = {"=": "=", "+": "+", "-": "−", r"\times": "×", r"\le": "≤", r"\ge": "≥", "<": "<"}
NAMES = ("ln", "log", "max", "min", "tanh", "coth", "exp")
FRACTIONS = {("1", "2"): "½", ("1", "4"): "¼", ("3", "4"): "¾"}
SPACE = "\N{NO-BREAK SPACE}"


class NotPlain(Exception):
    """The formula has something that text has not."""


def as_text(tex):
    """Nodes that read like the formula, or None if it needs MathJax."""
    tokens = [token for token in TOKEN.findall(tex) if token.strip()]
    try:
        return merge(row(tokens))
    except NotPlain:
        return None


def row(tokens, closed_by=None):
    """The nodes up to the brace that closes the group, which is taken away, too."""
    found, after_term = [], False
    while tokens and tokens[0] != closed_by:
        token = tokens.pop(0)
        if token in ("^", "_"):
            # a second one would stand above the first, and text has no such place
            if not after_term or isinstance(found[-1], (nodes.superscript, nodes.subscript)):
                raise NotPlain(token)
            kind = nodes.superscript if token == "^" else nodes.subscript
            found.append(kind("", "", *merge(argument(tokens))))
        elif token in BETWEEN:
            sign = BETWEEN[token]
            # a sign in front of a term belongs to it; one between two terms stands free
            found.append(nodes.Text(f"{SPACE}{sign}{SPACE}" if after_term and tokens else sign))
            after_term = False
        else:
            found += term(token, tokens)
            after_term = token not in ("(", "[", ",", r"\pm", r"\,")
    if closed_by:
        if not tokens:
            raise NotPlain(closed_by)
        tokens.pop(0)
    return found


def argument(tokens):
    """What an exponent, a root or half of a fraction takes: a group or one token."""
    if not tokens:
        raise NotPlain("nothing")
    token = tokens.pop(0)
    if token == "{":
        return row(tokens, "}")
    # a number of two digits lends its first alone, as TeX does it
    if token[0].isdigit() and len(token) > 1:
        tokens.insert(0, token[1:])
        token = token[0]
    return [nodes.Text(BETWEEN[token])] if token in BETWEEN else term(token, tokens)


def term(token, tokens):
    name = token[1:]
    if token.isascii() and token.isalpha():
        return [nodes.emphasis("", token)]
    if token[0].isdigit() or token in "()[].,/|!'":
        return [nodes.Text({",": ", ", "'": "′"}.get(token, token))]
    if token.startswith("\\") and (letter := GREEK.get(name) or GREEK.get(f"{name}_")):
        return [nodes.emphasis("", letter)]
    if token.startswith("\\") and name in UPRIGHT:
        return [nodes.Text(UPRIGHT[name])]
    if token.startswith("\\") and name in NAMES:
        opens = bool(tokens) and tokens[0] in ("(", "^", "_")
        return [nodes.Text(name if opens or not tokens else f"{name}{SPACE}")]
    if token == r"\text" and tokens[:1] == ["{"] and "}" in tokens:
        words, tokens[:] = tokens[1:tokens.index("}")], tokens[tokens.index("}") + 1:]
        return [nodes.Text("".join(words))]
    if token == r"\,":
        return [nodes.Text(SPACE)]
    if token == r"\frac":
        return fraction(said(argument(tokens)), said(argument(tokens)))
    if token == r"\sqrt":
        under = argument(tokens)
        if len(said(under)) == 1:
            return [nodes.Text("√"), *under]
    raise NotPlain(token)


def fraction(above, below):
    if (above, below) not in FRACTIONS:
        raise NotPlain("a fraction")
    return [nodes.Text(FRACTIONS[above, below])]


def said(parts):
    return "".join(part.astext() for part in parts)


def merge(parts):
    """Neighbouring texts as one."""
    merged = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, nodes.Text) and isinstance(last, nodes.Text):
            merged[-1] = nodes.Text(last.astext() + part.astext())
        else:
            merged.append(part)
    return merged
