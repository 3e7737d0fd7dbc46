"""Results in rows: a table on the page, and aligned text where there is no HTML."""

import html
import numbers

from .sentences import format

# letters of a row that fit; a wider table turns into a card for each row there (book.css)
PHONE = 40


class Table:
    """Rows under their headings; make it with `table`."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": self.text(), "text/html": self.html()}

    def right(self):
        """For each column: are its entries numbers, to be written with their last digits below each
        other?"""
        return [
            all(cell[:1].isdigit() or cell[:1] in "−–-±" for cell in column)
            for column in zip(*self.rows)
        ]

    def html(self):
        side = [' class="dp-number"' * right for right in self.right()]
        head = "".join(
            f"<th scope=col{place}>{html.escape(name)}</th>"
            for place, name in zip(side, self.columns)
        )
        cell = lambda place, name, text: (
            f'<td{place} data-name="{html.escape(name)}">{html.escape(text)}</td>'
        )
        body = "\n".join(
            "<tr>" + "".join(map(cell, side, self.columns, row)) + "</tr>" for row in self.rows
        )
        wide = " dp-wide" * (sum(self.widths()) + len(side) > PHONE)
        rows = f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody>"
        return f'<div class="dp-table{wide}"><table class="table">\n{rows}\n</table></div>'

    def widths(self):
        """Letters that each column needs; a heading may break between its words."""
        longest = lambda cells: max(map(len, cells))
        return [longest([*name.split(), *cells]) for name, *cells in zip(self.columns, *self.rows)]

    def text(self):
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows)]
        sides = [">" if right else "<" for right in self.right()]
        aligned = lambda row: "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths))
        return "\n".join(aligned(row).rstrip() for row in (self.columns, *self.rows))


def table(columns, rows):
    """A table with these headings. A number is written as in figures; a text, such as f"{x:.3f}",
    as it is."""
    write = lambda cell: (
        format(float(cell))
        if isinstance(cell, numbers.Real) and not isinstance(cell, bool)
        else str(cell)
    )
    columns, rows = [str(name) for name in columns], [[write(cell) for cell in row] for row in rows]
    if not rows or any(len(row) != len(columns) for row in rows):
        raise ValueError(
            f"every row must have {len(columns)} entries, one under each of {columns}, got rows of "
            f"{[len(row) for row in rows]}"
        )
    return Table(columns, rows)
