"""The texts of an explorer: placeholders, numbers as readers see them, and names of values."""
import math
import re
from decimal import ROUND_HALF_UP, Context

import numpy as np

PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)(?:\[(\d+)\])?\}")


def check_texts(explorer, table, texts, plot):
    """Every {placeholder} must be a control, a column of one entry, or name[i] with an entry that
    exists."""
    for name, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{explorer}: {name} is empty")
    marked = {
        f"{option} of mark {i} ({kind})": options[option]
        for i, (kind, options) in enumerate(plot["marks"])
        for option in ("label", "text")
        if option in options
    }
    for name, text in (texts | marked).items():
        for placeholder, entry in PLACEHOLDER.findall(text):
            if placeholder in explorer.controls and not entry:
                continue
            length = table[placeholder].shape[-1] if placeholder in table else 0
            if not (int(entry) < length if entry else length == 1):
                known = f"an entry of it (it has {length})" if length else "a control or a column"
                raise ValueError(
                    f"{explorer}: {{{placeholder}{entry and f'[{entry}]'}}} in {name} is not "
                    f"{known}"
                )
        if set(PLACEHOLDER.sub("", text)) & set("{}"):
            raise ValueError(f"{explorer}: {name} has a brace that is no placeholder: {text!r}")


def check_names(explorer, names, table):
    """The names of columns as plain lists: a word for each value of a column, 0, 1, 2, ..."""
    names = {name: list(words) for name, words in (names or {}).items()}
    for name, words in names.items():
        where = f"{explorer}: names of {name!r}"
        if name not in table:
            raise ValueError(f"{where}: there is no such column, there are {sorted(table)}")
        if not words or not all(isinstance(word, str) and word for word in words):
            raise ValueError(f"{where} must be words, got {words}")
        taken = np.unique(table[name][~np.isnan(table[name])])
        if wrong := [v for v in taken if v not in range(len(words))]:
            raise ValueError(
                f"{where} must be a word for each of 0, 1, 2, ..., got {len(words)}, and the "
                f"column has {wrong[0]:g}"
            )
    return names


def power_of_ten(exponent):
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def format(value):
    """A number as readers see it: integers in full, else three digits; the same as `format` in
    draw.js."""
    if not math.isfinite(value):
        return "–"
    sign, size = ("−" if value < 0 else ""), abs(value)
    if size >= 1e6 or 0 < size < 1e-3:
        mantissa, power = (
            f"{Context(prec=2, rounding=ROUND_HALF_UP).create_decimal(size):.1e}".split("e")
        )
        ten = power_of_ten(int(power))
        return sign + (ten if mantissa == "1.0" else f"{mantissa.removesuffix('.0')}·{ten}")
    if size % 1:
        size = float(Context(prec=3, rounding=ROUND_HALF_UP).create_decimal(size))
    return sign + (f"{size:,.0f}" if size % 1 == 0 else f"{size:,.10f}".rstrip("0"))


def named_values(explorer):
    """The words for the values of controls and columns that have names: {name: {value: word}}."""
    controls = {c.name: dict(zip(c.values, c.names)) for c in explorer.controls.values()}
    columns = explorer.spec["names"].items()
    return controls | {name: dict(enumerate(words)) for name, words in columns}


def fill_in(explorer, text, columns, values):
    """A text with its placeholders replaced by the values of controls and entries of columns; a
    value that has a name reads as its name."""
    named = named_values(explorer)

    def said(m):
        name, entry = m[1], int(m[2] or 0)
        value = values[name] if name in values else columns[name][entry]
        return named.get(name, {}).get(value) or format(value)

    return PLACEHOLDER.sub(said, text)


def at_start(explorer, text):
    """A text with its placeholders filled in at the starting values."""
    start = {name: c.values[c.start] for name, c in explorer.controls.items()}
    return fill_in(explorer, text, explorer.at(), start)


def start_text(explorer, field):
    """The readout or the alt text at the starting values."""
    return at_start(explorer, explorer.spec[field])
