"""What an explorer of the built book shows, and what it ought to show: fresh calls of its functions.

Nothing here knows a chapter: of the code cells of the page's source, what the explorers hang on is executed again in this
process, which gives their functions, and what the page shows is compared with what they return.
"""

import ast
import contextlib
import dis
import functools
import json
import re
import types
import warnings
from dataclasses import replace
from pathlib import Path

import jupytext
import numpy as np
from IPython.core.inputtransformer2 import TransformerManager
from pytest import MonkeyPatch

from dplib.book import sentences
from dplib.book import spec as specs
from dplib.book.explorer import Explorer
from tests.site.browser import SITE

ROOT = Path(__file__).resolve().parents[2]
REACH = 120                         # pixels that a text may move to hide nothing


# -------------------------------------------------------------------------------- what the package says


class Untabulated(Explorer):
    """An explorer of a chapter without its table: it takes what the page says of it, and computes all else afresh."""

    def __init__(self, id, *functions, controls, draws=0, seed=0, spec, **_):
        self.id, self.functions, self.draws, self.seed, self.spec = id, functions, draws, seed, spec
        self.controls = {name: replace(control, name=name) for name, control in controls.items()}
        self.moved_by = [specs.dependencies(self, f) for f in functions]

    def at(self, **index):
        return fresh(self, self.position(**index))[1]


def globals_of(code, *operations):
    """The names of a page that a piece of its code reads, or binds, those of the functions in it included."""
    own = {i.argval for i in dis.get_instructions(code) if i.opname in operations}
    return own.union(*(globals_of(inner, *operations) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def changed_by(statement):
    """The names whose values a statement may change although it does not bind them: receivers of a method, what it writes into,
    generators that it is given. Any other change shows: the numbers differ from those of the page."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return set()
    into = [n.value for n in ast.walk(statement) if isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.ctx, ast.Store)]
    asked = [n.func.value for n in ast.walk(statement) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
    return {n.id for n in into + asked if isinstance(n, ast.Name)} | {name for name in names if name.endswith("rng")}


def needed(statements):
    """Of the statements of a page those that its explorers hang on, in their order: from the last one back to the first."""
    kept, wanted = [], {"Explorer"}
    imported = {alias.asname or alias.name for s in statements if isinstance(s, (ast.Import, ast.ImportFrom)) for alias in s.names}
    for statement in reversed(statements):
        code = compile(ast.Module([statement], []), "", "exec")
        read = globals_of(code, "LOAD_NAME", "LOAD_GLOBAL")
        bound = globals_of(code, "STORE_NAME", "STORE_GLOBAL")
        if "Explorer" in read or bound & wanted or (changed_by(statement) - imported) & wanted:
            kept.append(statement)
            if isinstance(statement, (ast.Assign, ast.FunctionDef)):      # what was bound to these names before is gone
                wanted -= bound
            wanted |= read
    return kept[::-1]


@functools.cache
def made_by(name):
    """{id: explorer} of a page, from executing once more what its explorers hang on of the code cells of its chapter."""
    source, page = ROOT / Path(name).with_suffix(".md"), (SITE / name).read_text(encoding="utf-8")
    states = re.findall(r'<script type="application/json">(\{"spec": .*?)</script>', page)
    said, made = {spec["id"]: spec for spec in (json.loads(json.loads(state)["spec"]) for state in states)}, {}

    def make(id, *args, **kwargs):
        made[id] = Untabulated(id, *args, spec=said[id], **kwargs)

    cells = [cell for cell in jupytext.read(source, fmt="md:myst").cells if cell.cell_type == "code"]
    run = [cell.source for cell in cells if not {"skip-execution", "raises-exception"} & set(cell.metadata.get("tags", ()))]
    code = ast.Module(needed([s for cell in run for s in ast.parse(TransformerManager().transform_cell(cell)).body]), [])
    with MonkeyPatch.context() as patch, contextlib.chdir(source.parent), warnings.catch_warnings():
        warnings.simplefilter("default")
        patch.setattr("dplib.book.Explorer", make)
        exec(compile(code, str(source), "exec"), dict(__name__="__main__", display=lambda *_, **__: None))
    assert set(made) == set(said)
    return made


def explorer_of(name, id):
    return made_by(name)[id]


def fresh(explorer, position):
    """Values of the controls, and columns from a call of the functions that did not go through the table."""
    return computed(explorer, *sorted((name, int(i)) for name, i in position.items()))


@functools.cache
def computed(explorer, *place):
    """Once for each position: some take a second."""
    index = dict(place)
    values = {name: c.values[index[name]] for name, c in explorer.controls.items()}
    return values, explorer.compute(values, index)


# -------------------------------------------------------------------------------- what the page shows

STATE = """id => {
  const root = document.getElementById(id), { columns, values, position, svg } = root.explorer;
  const attributes = node => Object.fromEntries([...node.attributes].map(a => [a.name, a.value]));
  const scale = side => {
    const { type, domain, range } = svg.scale(side);
    return { type, domain: [...domain], range: [...range] };
  };
  return JSON.stringify({                                     // much faster than the driver's way; NaN becomes null
    columns: Object.fromEntries(Object.entries(columns).map(([name, c]) => [name, [...c]])),
    values, position, x: scale('x'), y: scale('y'), size: [+svg.getAttribute('width'), +svg.getAttribute('height')],
    readout: root.querySelector('output').textContent,
    alt: svg.getAttribute('aria-label'),
    marks: root.explorer.spec.plot.marks.map((_, k) => [...svg.querySelectorAll(`.dp-mark-${k}`)].map(g =>
      ({ own: attributes(g), text: g.textContent, parts: [...g.children].map(attributes) }))),
    labels: [...svg.querySelectorAll('.dp-direct')].map(t => t.textContent),
  });
}"""
MOVE = """([id, position]) => {
  const root = document.getElementById(id);
  root.explorer.position.draw = position.draw;
  for (const input of root.querySelectorAll('input[type=range]')) {
    input.value = position[input.name];
    input.dispatchEvent(new Event('input'));
  }
  for (const input of root.querySelectorAll('input[type=radio]')) {
    if (+input.value === position[input.dataset.control]) input.click();
  }
}"""


def written(value, unit):
    """A control's value as its slider says it."""
    return f"{sentences.format(value)} {unit}".strip().replace(" %", "%")


def state(page, id):
    return json.loads(page.evaluate(STATE, id))


def position_of(page, id):
    return page.evaluate("id => document.getElementById(id).explorer.position", id)


def pixels(scale, values):
    f = np.log if scale["type"] == "log" else np.asarray
    (a, b), (p, q) = f(np.asarray(scale["domain"], float)), scale["range"]      # JSON may write 1e20 as an integer
    return p + (f(np.asarray(values, float)) - a) / (b - a) * (q - p)


def check_scales(explorer, shown, values):
    """The axes are those of the description and lie inside the drawing."""
    for side, extent in zip("xy", shown["size"]):
        axis, scale = explorer.spec["plot"][side], shown[side]
        assert scale["type"] == axis["type"] and scale["domain"] == [values.get(v, v) for v in axis["domain"]]
        assert (
            0 <= min(scale["range"]) and max(scale["range"]) <= extent and abs(np.diff(scale["range"])[0]) > extent / 3
        )
        assert (scale["range"][0] < scale["range"][1]) == (side == "x")
    if explorer.spec["plot"].get("equal"):
        across, up = (abs(np.diff(shown[side]["range"]) / np.diff(shown[side]["domain"]))[0] for side in "xy")
        assert abs(across / up - 1) < .01


def check_series(explorer, shown, columns):
    """Every column is that of a fresh call, to the stated error of its codes and one millionth."""
    assert set(shown["columns"]) == set(columns)
    for name, want in columns.items():
        stored, got = explorer.spec["columns"][name], np.array(shown["columns"][name], float)
        allowed = stored.get("error", 0) * (np.abs(want) if stored.get("scale") == "log" else 1) + 1e-6 * np.abs(want)
        assert got.shape == want.shape and (np.isnan(got) == np.isnan(want)).all(), name
        assert np.nanmax(np.abs(got - want) - allowed, initial=-1) <= 0, name


def runs(points):
    """The stretches of points without a gap."""
    gaps = np.isnan(points).any(axis=1)
    stretches = np.split(points, np.flatnonzero(gaps))
    return [run for run in (s[~np.isnan(s).any(axis=1)] for s in stretches) if len(run)]


def with_corners(points, curve):
    """The corners that a stepped curve puts between its points, one after the other."""
    if curve == "linear" or len(points) < 2:
        return points
    (x, y), (x2, y2) = points[:-1].T, points[1:].T
    turn = {"step": (x + x2) / 2, "step-after": x2, "step-before": x}[curve]
    first, second = (np.c_[turn, y], np.c_[turn, y2]) if curve != "step-before" else (np.c_[x, y2], np.c_[x2, y2])
    corners = np.stack([first, second], axis=1).reshape(-1, 2)
    return np.vstack([points[:1], corners, points[-1:] if curve == "step" else corners[:0]])


def numbers(paths):
    """All points of the paths of a mark."""
    found = [float(t) for path in paths for t in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", path["d"])]
    return np.array(found).reshape(-1, 2)


def agree(drawn, wanted):
    """To half a pixel; far outside the frame, where nothing shows, only that both are there."""
    drawn, wanted = np.asarray(drawn, float), np.asarray(wanted, float)
    assert drawn.shape == wanted.shape
    near = np.abs(wanted) < 2000
    assert np.abs(drawn - wanted)[near].max(initial=0) <= 0.5
    assert (np.abs(drawn)[~near] > 1000).all()


def check_mark(kind, options, drawn, columns, shown, text):
    """One mark of the drawing against its columns."""
    channel = {
        k: np.atleast_1d(columns[v] if isinstance(v, str) else v).astype(float)
        for k, v in options.items()
        if re.fullmatch(r"[xy][12]?|\w+Opacity", k)
    }
    length = max(len(c) for k, c in channel.items())
    channel = {k: np.broadcast_to(c, length) for k, c in channel.items()}
    at = {k: pixels(shown[k[0]], c) for k, c in channel.items() if k[0] in "xy"}
    frame = {side: sorted(shown[side]["range"]) for side in "xy"}
    parts = [part for group in drawn for part in group["parts"]]
    read = lambda *names: np.array([[float(part.get(name, "nan")) for name in names] for part in parts]).reshape(
        -1, len(names)
    )

    nothing = np.zeros((0, 2))
    if kind == "line":
        curves = [with_corners(run, options.get("curve", "linear")) for run in runs(np.c_[at["x"], at["y"]])]
        agree(numbers(parts), np.vstack([nothing, *curves]))
        assert sum(part["d"].count("M") for part in parts) == len(curves)
        return
    if kind == "areaY":
        curve, wanted = options.get("curve", "linear"), [nothing]
        for run in runs(np.c_[at["x"], at["y1"], at["y2"]]):
            wanted += [with_corners(run[:, [0, 2]], curve), with_corners(run[:, [0, 1]], curve)[::-1]]
        agree(numbers(parts), np.vstack(wanted))
        return
    if kind == "text":
        visible = np.isfinite(at["x"]) & np.isfinite(at["y"])
        assert [group["text"] for group in drawn] == [text(options["text"])] * visible.sum()
        agree([float(group["own"]["data-place"]) for group in drawn], at["y"][visible] + options.get("dy", 0))
        assert all(abs(float(group["own"]["y"]) - float(group["own"]["data-place"])) <= REACH for group in drawn)
        assert all(0 <= float(group["own"]["x"]) < shown["size"][0] for group in drawn)
        return
    if kind in ("rect", "rectY"):
        wanted = np.c_[
            np.minimum(at["x1"], at["x2"]),
            np.minimum(at["y1"], at["y2"]),
            np.abs(at["x2"] - at["x1"]),
            np.abs(at["y2"] - at["y1"]),
        ]
        got = read("x", "y", "width", "height")
    elif kind == "dot":
        slack = {s: (high - low) / 1000 for s, (low, high) in frame.items()}
        inside = [(at[s] >= frame[s][0] - slack[s]) & (at[s] <= frame[s][1] + slack[s]) for s in "xy"]
        wanted, got = np.where((inside[0] & inside[1])[:, None], np.c_[at["x"], at["y"]], np.nan), read("cx", "cy")
    else:
        side, other = ("x", "y") if kind == "ruleX" else ("y", "x")
        ends = [at[other + e] if other + e in at else np.full(length, limit) for e, limit in zip("12", frame[other])]
        wanted = np.c_[at[side], np.sort(ends, axis=0).T]
        got = read(side + "1", other + "1", other + "2")
        got[:, 1:].sort(axis=1)
    visible = ~np.isnan(wanted).any(axis=1)
    agree(got, wanted[visible])
    if isinstance(options.get("fillOpacity"), str):
        assert np.abs(read("fill-opacity")[:, 0] - channel["fillOpacity"][visible]).max(initial=0) < 2e-3


def check_everything(page, explorer):
    """Everything that one explorer shows against fresh calls of its functions."""
    shown = state(page, explorer.id)
    values, columns = fresh(explorer, shown["position"])
    assert shown["values"] == values
    check_scales(explorer, shown, values)
    check_series(explorer, shown, columns)
    decoded = {name: np.array(c, float) for name, c in shown["columns"].items()}        # a last digit may turn on the codes' error
    text = lambda template: sentences.fill_in(explorer, template, decoded, values)
    for (kind, options), drawn in zip(explorer.spec["plot"]["marks"], shown["marks"]):
        check_mark(kind, options, drawn, columns, shown, text)
    assert shown["readout"] == text(explorer.spec["readout"]) and shown["alt"] == text(explorer.spec["alt"])
    labels = [text(options["label"]) for _, options in explorer.spec["plot"]["marks"] if options.get("label")]
    assert set(shown["labels"]) <= set(labels)
    return shown
