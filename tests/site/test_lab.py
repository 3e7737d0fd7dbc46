"""An explorer in JupyterLab, in a browser: the same cell as on the page, with a kernel, a silent kernel, and none."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import numpy as np
import pytest

from tests.site.browser import SITE
from tests.site.figures import made_by

TOKEN, CHAPTER = "test", "privacy"
ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = SITE / "_sources" / "chapters"
PAGES = sorted(page.stem for page in (ROOT / "chapters").glob("*.md") if "{code-cell}" in page.read_text(encoding="utf-8"))
START = str(ROOT / ".binder" / "start")                          # Binder starts everything through it
PYTHON = os.environ.get("BINDER_PYTHON") or sys.executable       # of another environment, such as one made from .binder/ alone
CELL = """
import numpy as np
from dplib.book import Explorer, slider

X = np.linspace(0, 1, 9)

def wave(factor):
    if 2 < factor < 2.2:
        raise ArithmeticError("this factor is too odd")
    return dict(x=X, y=factor * X, top=factor)

def dots(factor, rng):
    return dict(noise=rng.laplace(size=9))

explorer = Explorer("demo", wave, dots, draws=20,
    controls=dict(factor=slider("factor", [1, 2, 4, 8], start=2, log=True, unit="metres")),
    plot=dict(x=dict(label="x"), y=dict(label="y", domain=[-4, 12]),
              marks=[["line", dict(x="x", y="y", stroke="c1", label="factor {factor}")],
                     ["dot", dict(x="x", y="noise", fill="c2")]]),
    readout="The line ends at {top}.", alt="A line through the origin and noise")
explorer
"""
HELPERS = """
  window.root = () => document.querySelector('.dp-explorer');
  window.drawn = () => root()?.explorer;
  window.panel = () => jupyterapp.shell.currentWidget;
  window.mismatch = () => Math.abs(drawn().values.factor - drawn().columns.top[0]);
  window.push = position => {
    const input = root().querySelector('input');
    input.value = position;
    input.dispatchEvent(new Event('input'));
  };
"""
SHOWN = """(() => {
  const { values, columns, position, kernel } = drawn();
  const plain = Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, [...column]]));
  return JSON.stringify({ values, position, live: kernel.live, columns: plain });
})()"""
# Of the text of a notebook, all of it: a tab shows only the cells near the window.
READ = """(async () => {
  const shown = [];
  for (const widget of panel().content.widgets.filter(widget => widget.model.type === 'markdown')) {
    panel().content.scrollToItem(panel().content.widgets.indexOf(widget));
    await widget.ready;
    const deadline = Date.now() + 10000;
    const settled = () => widget.node.querySelector('.jp-RenderedMarkdown') && !/[$][^$]+[$]/.test(widget.node.innerText);
    while (!settled() && Date.now() < deadline) await new Promise(done => setTimeout(done, 50));
    shown.push(widget.node);
  }
  const all = query => shown.flatMap(node => [...node.querySelectorAll(query)]);
  return {
    formulas: all('mjx-container').length, wrong: all('mjx-merror').map(node => node.textContent), boxes: all('blockquote').length,
    folds: all('details').length, collapsed: panel().content.widgets.filter(widget => widget.model.type === 'code' && widget.inputHidden).length,
    left: shown.map(node => node.innerText).filter(text => /:::|[{][a-z]+(:[a-z]+)*[}]`|[$]/.test(text)),
  };
})()"""
NUMBER = "import os, pathlib\npathlib.Path('process').write_text(str(os.getpid()))"


@pytest.fixture(scope="module")
def lab(browser, tmp_path_factory):
    """The address of a JupyterLab of its own, with a notebook in it, and the notebook's folder."""
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("notebooks")
    cells = [nbformat.v4.new_code_cell(NUMBER), nbformat.v4.new_code_cell(CELL), nbformat.v4.new_markdown_cell("after")]
    kernel = dict(name="python3", display_name="Python 3", language="python")
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=dict(kernelspec=kernel)), folder / "demo.ipynb")
    quiet = home / "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text(json.dumps(dict(fetchNews="false", checkForUpdates=False)))
    environment = {
        **os.environ,
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "run"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
    }
    environment.pop("DPLIB_STATIC", None)
    for name in PAGES:
        shutil.copy(NOTEBOOKS / f"{name}.ipynb", folder)
    command = [
        START,
        PYTHON,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--expose-app-in-browser",
        "--ip=127.0.0.1",
        "--port=0",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={folder}",
    ]
    with open(home / "log", "w+") as log, subprocess.Popen(command, env=environment, stdout=log, stderr=log) as server:
        try:
            yield address_of(server, home / "run"), folder
        finally:
            server.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(15)
            server.kill()


def ask(lab, path, method="GET"):
    """What the Jupyter server answers; anything but a success raises."""
    request = urllib.request.Request(f"{lab[0]}{path}", method=method, headers=dict(Authorization=f"token {TOKEN}"))
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or "null")


def address_of(server, runtime, patience=40):
    """The address that a Jupyter server writes into its runtime folder shortly before it listens."""
    deadline = time.monotonic() + patience
    while server.poll() is None and time.monotonic() < deadline:
        for file in runtime.glob("jpserver-*.json"):
            with contextlib.suppress(json.JSONDecodeError, OSError):  # still being written, or nobody listens yet
                told = json.loads(file.read_text())
                socket.create_connection(("127.0.0.1", told["port"]), timeout=1).close()
                return told["url"].rstrip("/")
        time.sleep(0.05)
    raise RuntimeError(f"JupyterLab did not start in {patience} s; see {runtime.parent / 'log'}")


@pytest.fixture(scope="module")
def page(lab, browser):
    """The notebook, executed up to the explorer, which is live."""
    context = browser.new_context(viewport=dict(width=1200, height=1000))
    context.add_init_script(HELPERS)
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(f"{lab[0]}/lab/tree/demo.ipynb?token={TOKEN}&reset")
    run_all(page)
    yield page
    context.close()


@pytest.fixture(scope="module")
def explorer():
    names = {}
    exec(CELL, names)
    return names["explorer"]


def run_all(page):
    """Run the notebook that is opening, until its first figure is live."""
    page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell", timeout=40_000)
    page.wait_for_function(
        "panel().sessionContext.isReady && panel().sessionContext.session?.kernel?.status === 'idle'", timeout=40_000
    )
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function("drawn()?.kernel.live", timeout=30_000)


def shown(page):
    """Values, columns and position of the figure, and whether it is live."""
    got = json.loads(page.evaluate(SHOWN))
    columns = {name: np.array(column, float) for name, column in got["columns"].items()}
    return got["values"], columns, got["position"], got["live"]


def push(page, *positions):
    """Move the slider to each of these positions, without waiting."""
    page.evaluate("positions => positions.forEach(push)", list(positions))


def arrive(page, position):
    """Wait until the figure for this position is drawn; the grid is 1, 2, 4, 8, so its value is a power of two."""
    page.wait_for_function("value => Math.abs(drawn().values.factor - value) + mismatch() < 1e-9", arg=2**position)


def slide(page, position):
    push(page, position)
    arrive(page, position)


def notebook_state(page):
    return page.evaluate("[panel().content.mode, panel().content.activeCellIndex, panel().content.widgets.length]")


def test_the_first_live_answer_is_the_table_at_the_start(page, explorer):
    values, columns, position, live = shown(page)
    assert live and values == dict(factor=4) and position == dict(factor=2, draw=0)
    assert all((columns[name] == want).all() for name, want in explorer.at().items())
    assert page.locator(".dp-explorer output").inner_text() == "The line ends at 4."
    assert page.locator(".dp-unplugged").count() == 1 and not page.locator(".dp-unplugged").is_visible()


def test_sliders_compute_between_grid_points_in_python(page, explorer):
    for index in (1.55, 0.05, 2.95, 1.5):
        slide(page, index)
        values, columns, position, live = shown(page)
        assert live and position["factor"] == pytest.approx(index) and values["factor"] == pytest.approx(2**index)
        want = explorer.compute(values, dict(factor=int(np.floor(index + 0.5)), draw=0))
        assert all((columns[name] == want[name]).all() for name in want)
    assert page.locator(".dp-explorer input").get_attribute("aria-valuetext") == "2.83 metres"


def test_many_quick_moves_end_at_the_last(page, explorer):
    page.evaluate("root().addEventListener('dp-moved', () => window.moves = (window.moves ?? 0) + 1)")
    push(page, *(1.5 + k % 31 / 20 for k in range(200)))
    arrive(page, 1.5 + 199 % 31 / 20)
    assert page.evaluate("moves") == 200


def test_the_figure_follows_while_the_slider_is_still_moving(page):
    """Moves come faster than answers; each answer is drawn, with the values that it belongs to."""
    drawn = page.evaluate("""async () => {
      const seen = new Set();
      for (let k = 0; k < 120; k++) {
        push(1.5 + k / 100);
        await new Promise(done => setTimeout(done, 5));
        if (mismatch() > 1e-9) throw new Error('columns of other values');
        seen.add(drawn().values.factor);
      }
      return seen.size;
    }""")
    assert drawn > 3
    arrive(page, 2.7)


def test_the_keyboard_moves_the_slider_and_nothing_else(page):
    slide(page, 2)
    page.evaluate(
        "() => { const notebook = panel().content; notebook.activeCellIndex = 1; notebook.mode = 'command'; }"
    )
    slider = page.locator(".dp-explorer input")
    slider.focus()
    before = notebook_state(page)
    assert before[0] == "command"
    for key, index in (
        ("ArrowRight", 2.05),
        ("ArrowUp", 2.1),
        ("ArrowLeft", 2.05),
        ("ArrowDown", 2),
        ("End", 3),
        ("Home", 0),
        ("PageUp", None),
        ("PageDown", None),
    ):
        was = shown(page)[2]["factor"]
        page.keyboard.press(key)
        now = shown(page)[2]["factor"]
        assert now == pytest.approx(index) if index is not None else (now > was if key == "PageUp" else now < was)
        assert notebook_state(page) == before and slider.evaluate("node => node === document.activeElement")
    for key in "ddaxbm0":  # delete, insert, cut, turn to text, restart
        page.keyboard.press(key)
    page.locator(".dp-explorer button").focus()
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert notebook_state(page) == before
    assert page.locator(".jp-Dialog").count() == 0


def test_fresh_randomness_is_fresh_and_stays_while_the_slider_moves(page, explorer):
    slide(page, 2)
    button = page.locator(".dp-explorer button")
    assert button.inner_text() == "Fresh randomness"
    seen = [shown(page)[1]["noise"].tolist()]
    for press in range(4):
        page.evaluate("window.before = drawn().columns")
        button.click() if press % 2 else button.press("Enter")
        page.wait_for_function("drawn().columns !== window.before")
        seen.append(shown(page)[1]["noise"].tolist())
    assert len(set(map(tuple, seen))) == 5
    slide(page, 2.4)
    assert shown(page)[1]["noise"].tolist() == seen[-1]


def test_an_error_in_the_authors_function_is_shown_and_passes(page):
    push(page, 1.05)
    message = page.locator(".dp-explorer [role=alert]")
    message.get_by_text("this factor is too odd").wait_for()
    assert re.fullmatch(
        r"explorer 'demo': wave\(factor=2\.07\d*\) raised ArithmeticError: this factor is too odd", message.inner_text()
    )
    assert page.locator(".dp-figure.dp-stale").count() == 1 and page.locator(".dp-explorer output").inner_text() == ""
    slide(page, 2)
    assert message.inner_text() == "" and page.locator(".dp-stale").count() == 0


def test_while_the_kernel_is_silent_the_table_serves_and_afterwards_the_kernel_again(page, lab):
    slide(page, 2)
    kernel = int((lab[1] / "process").read_text())
    os.kill(kernel, signal.SIGSTOP)
    try:
        push(page, 1.2, 1.3)
        page.wait_for_function("!drawn().kernel.live", timeout=4000)
        values, columns, position, _ = shown(page)
        assert values == dict(factor=2) and position["factor"] == 1 and columns["top"] == 2
        assert page.locator(".dp-explorer input").input_value() == "1"
        assert page.locator(".dp-explorer button").inner_text().startswith("Draw again (")
    finally:
        os.kill(kernel, signal.SIGCONT)
    page.wait_for_function("drawn().kernel.live")
    slide(page, 1.7)


def test_a_saved_notebook_shows_its_picture_without_a_kernel(page, lab, browser):
    page.evaluate("panel().context.save().then(() => true)")
    saved = nbformat.read(lab[1] / "demo.ipynb", 4)
    assert set(saved.cells[1].outputs[0].data) == {"text/html", "text/plain"}
    shutil.copy(lab[1] / "demo.ipynb", lab[1] / "sent.ipynb")  # under its own name it would find its kernel again
    context = browser.new_context(viewport=dict(width=1200, height=1000))
    again = context.new_page()
    again.goto(f"{lab[0]}/lab/tree/sent.ipynb?token={TOKEN}&reset")
    picture = again.locator(".dp-unplugged")
    picture.wait_for(timeout=30_000)
    assert picture.evaluate("node => node.complete && node.naturalWidth") > 300
    assert (
        picture.get_attribute("alt") == "A line through the origin and noise"
        and again.locator(".dp-explorer").count() == 0
    )
    context.close()


def test_without_a_kernel_the_table_takes_over(page, lab, explorer):
    slide(page, 2.4)
    for kernel in ask(lab, "/api/kernels"):
        ask(lab, f"/api/kernels/{kernel['id']}", "DELETE")
    slider = page.locator(".dp-explorer input")
    slider.press("ArrowLeft")
    page.wait_for_function("!drawn().kernel.live", timeout=4000)
    for key, index in (("Home", 0), ("ArrowRight", 1), ("End", 3)):
        slider.press(key)
        values, columns, position, live = shown(page)
        want = explorer.at(factor=index, draw=position["draw"])
        assert not live and position["factor"] == index and values["factor"] == 2**index
        assert np.abs(columns["y"] - want["y"]).max() < 1e-3 and np.abs(columns["noise"] - want["noise"]).max() < 1e-3
    assert page.errors == []


def opened(lab, name):
    """The notebook that JupyterLab gets when a reader of Binder opens a page."""
    return nbformat.from_dict(ask(lab, f"/api/contents/{name}.ipynb?type=notebook&content=1")["content"])


@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens_as_a_notebook(lab, name):
    notebook = opened(lab, name)
    nbformat.validate(notebook)
    text = (ROOT / "chapters" / f"{name}.md").read_text(encoding="utf-8")
    kinds = [cell.cell_type for cell in notebook.cells]
    # the first cell of code is that which installs the package
    assert kinds.count("code") == 1 + text.count("```{code-cell}") and kinds.count("markdown") > 0 and set(kinds) <= {"code", "markdown"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.cells[0].source.startswith("# ")                  # the title, not the header


if "BINDER_PYTHON" in os.environ:                                 # make book has run every page in the environment of the book
    @pytest.mark.parametrize("name", PAGES)
    def test_every_page_runs_from_top_to_bottom(lab, name, tmp_path):
        """In the environment of that Python: a page needs nothing that is there only to build the book."""
        nbformat.write(opened(lab, name), tmp_path / "page.ipynb")
        environment = {**os.environ, "HOME": str(tmp_path)}
        environment.pop("DPLIB_STATIC", None)
        command = [START, PYTHON, "-m", "jupyter", "execute", "page.ipynb"]
        run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr[-2000:]


def off_the_grid(page):
    """What the first figure shows after a press of a key; one that was just drawn anew, or whose kernel was busy, is asked again."""
    from playwright.sync_api import TimeoutError as TooLong
    moved = "drawn().position.epsilon % 1 && drawn().kernel.live && drawn().values.epsilon !== 1"
    for last in (False, False, True):
        page.evaluate("document.querySelector('.dp-explorer').explorer.decide(false)")
        page.locator(".dp-explorer input[type=range]").first.focus()
        page.keyboard.press("ArrowRight")
        try:
            page.wait_for_function(moved, timeout=10_000)
            return shown(page)
        except TooLong:
            if last:
                raise


def test_a_page_reads_as_a_notebook_and_its_figure_computes(lab, browser):
    """Formulas are typeset, statements are quotes, proofs and code are folded; and the first figure follows off the grid."""
    explorer = next(iter(made_by(f"chapters/{CHAPTER}.html").values()))
    context = browser.new_context(viewport=dict(width=1200, height=1000))
    context.add_init_script(HELPERS)
    page = context.new_page()
    page.goto(f"{lab[0]}/lab/tree/{CHAPTER}.ipynb?token={TOKEN}&reset")
    run_all(page)
    read = page.evaluate(READ)
    source = (ROOT / "chapters" / f"{CHAPTER}.md").read_text(encoding="utf-8")
    assert read["formulas"] > 100 and read["wrong"] == [] and read["left"] == []
    assert read["boxes"] >= len(re.findall(r"^:+\{prf:(?!proof)\w+\}", source, re.M)) > 3
    assert read["folds"] >= source.count("{dropdown} Proof") > 3
    assert read["collapsed"] == len(re.findall(r"\btags: \[(?:hide-input|hide-cell|remove-cell)\]", source))
    page.wait_for_function("panel().content.widgets.every(({model}) => model.type !== 'code' || model.executionCount)", timeout=60_000)
    values, columns, position, live = off_the_grid(page)
    want = explorer.compute(values, {name: round(index) for name, index in position.items()})
    assert live and values["epsilon"] not in explorer.controls["epsilon"].values
    assert all(np.allclose(columns[name], want[name], rtol=1e-12, equal_nan=True) for name in want)
    context.close()
