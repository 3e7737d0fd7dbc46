"""One look for what recurs: a mark with a *role* has the ink, dash and width of that role on every
page, on screen and on paper, and so has a line of a still figure.

Blue is what the page releases, orange what it is compared with, and ink what is given: people, the
truth, the position of a slider.
"""

from typing import NamedTuple

from .front import palette


class Role(NamedTuple):
    """How a role is drawn: its ink, the width of its line, its dashes, its opacity; a dot's
    radius."""

    ink: str
    width: float = 2
    dash: str = ""
    opacity: float = 1
    r: float = 3.5


ROLES = {
    "released": Role("c1", 2.5),                 # the private answer that the page is about
    "proven": Role("c1", 2.5),                   # what a theorem says of it
    "two stages": Role("c1", 2.5),
    "pure": Role("c1", 2.5),
    "runs": Role("c1"),                          # single runs, as dots
    "no privacy": Role("c2", 2, "6 3"),
    "sampling": Role("c2", 2, "6 3"),            # the error that a sample makes without privacy
    "one stage": Role("c2", 2, "6 3"),
    "impossible": Role("c2", 2, opacity=.15),    # as an area; its border is a solid line
    "clipped": Role("c3", 2),
    "noise": Role("c3", 1.5, "2 3"),
    "with δ": Role("c4", 2.5),
    "rival": Role("c4", 2, "2 2"),               # another method for the same question
    "here": Role("currentColor", 1.5, opacity=.4),      # where a slider stands
    "truth": Role("currentColor", 1),
    "threshold": Role("currentColor", 1.5, "6 3"),
    "people": Role("currentColor", 1, opacity=.45),
    "you": Role("c2", 2.5, r=6),                 # a ring around one of the people
    "guess": Role("currentColor", 2, "1 4"),
}
# One name for what is set on many pages; another ε says which ("ε of the coarse stage").
CONTROLS = ("privacy parameter ε", "δ", "people n", "range R", "dimensions d", "answers k")
AREAS = {"areaY", "rect", "rectY"}
HOLLOW = {"you"}


def options_of(kind, role):
    """What a mark of this kind has by its role, in the words of a mark."""
    ink, width, dash, opacity, r = ROLES[role]
    dashes = dict(strokeDasharray=dash) if dash else {}
    if kind in AREAS:
        return dict(fill=ink, fillOpacity=opacity)
    if kind == "dot" and role in HOLLOW:
        return dict(fill="none", stroke=ink, strokeWidth=width, r=r)
    if kind == "dot":
        return dict(fill=ink, fillOpacity=opacity, r=r)
    if kind == "text":
        return dict(fill=ink)
    clear = dict(strokeOpacity=opacity) if opacity < 1 and role != "impossible" else {}
    return dict(stroke=ink, strokeWidth=width) | dashes | clear


def with_role(mark):
    """A mark ``[kind, options]`` with its role written out; what it says itself goes before."""
    kind, options = mark
    if not isinstance(options, dict) or "role" not in options:
        return mark
    if (role := options["role"]) not in ROLES:
        raise ValueError(f"role {role!r} has no meaning; roles are {', '.join(ROLES)}")
    given = {name: v for name, v in options.items() if name != "role"}
    return [kind, options_of(kind, role) | given]


def line(role):
    """The same for matplotlib: colour, width and dashes of a line with this role."""
    ink, width, dash, opacity, _ = ROLES[role]
    inks = palette()
    color = inks["--dp-ink" if ink == "currentColor" else f"--dp-{ink[1]}"]
    dashes = tuple(float(part) / width for part in dash.split())
    alpha = opacity if role != "impossible" else 1
    return dict(color=color, lw=width, ls=(0, dashes) if dashes else "-", alpha=alpha)
