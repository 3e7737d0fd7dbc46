"""Input to redraw, first paint and bytes of the pages of a built book: python benchmarks/redraw.py [folder of the site]

*Redraw* is the time from an input event until the new figure is in the page and laid out; *shown* ends when the browser
has made the next frame, so it also contains the wait for that frame (up to 16.7 ms on a 60 Hz screen).
"""
import gzip
import re
import statistics
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.site.browser import CHROMIUM, MISSING, SITE, chromium, explorer_pages, one_tab, open_further, opened, served  # noqa: E402

MOVES, WARM_UP = 60, 10

# Move the sliders to scattered grid points, in turn, one in a frame, as a reader's hand does.
MEASURE = """async ([id, moves]) => {
  const root = document.getElementById(id);
  root.explorer.decide(false, {});
  const inputs = [...root.querySelectorAll('input[type=range]')];
  if (!inputs.length) return null;                                       // buttons alone
  const figure = root.querySelector('.dp-figure');
  const frame = () => new Promise(done => requestAnimationFrame(() => {
    const after = new MessageChannel();
    after.port1.onmessage = done;
    after.port2.postMessage(0);
  }));
  root.scrollIntoView();
  const redraw = [], shown = [];
  for (let k = 0; k < moves; k++) {
    const input = inputs[k % inputs.length], size = +input.max + 1;
    await frame();
    input.value = (+input.value + 1 + (7 * k) % Math.max(1, size - 1)) % size;
    const start = performance.now();
    input.dispatchEvent(new Event('input'));
    figure.firstChild.getBoundingClientRect();
    redraw.push(performance.now() - start);
    if (root.explorer.position[input.name] !== +input.value) throw new Error(id + ' did not redraw');
    await frame();
    shown.push(performance.now() - start);
  }
  return [redraw, shown];
}"""


def size(text):
    return len(gzip.compress(text if isinstance(text, bytes) else text.encode(), 9, mtime=0)) / 1024


def redraw_times(site):
    """[(page, explorer, times of redraw, times until shown)], in milliseconds."""
    rows = []
    with chromium() as browser:
        for path, ids in explorer_pages(site).items():
            page = browser.new_page(viewport=dict(width=1280, height=900))
            page.goto(path.as_uri())
            page.wait_for_function("[...document.querySelectorAll('.dp-static')].every(e => e.explorer)")
            open_further(page)
            for id in ids:
                if times := page.evaluate(MEASURE, [id, MOVES + WARM_UP]):
                    redraw, shown = times
                    rows.append((path.stem, id, redraw[WARM_UP:], shown[WARM_UP:]))
            page.close()
    return rows


def print_times(rows):
    print(f"input to redraw, milliseconds, {MOVES} moves each\n")
    print(f"{'page':<24}{'explorer':<24}{'median':>8}{'max':>8}{'shown: median':>16}{'max':>8}")
    for page, id, redraw, shown in rows:
        middles = statistics.median(redraw), statistics.median(shown)
        print(f"{page:<24}{id:<24}{middles[0]:8.1f}{max(redraw):8.1f}{middles[1]:16.1f}{max(shown):8.1f}")
    print(f"{'worst':<48}{max(statistics.median(r[2]) for r in rows):8.1f}{max(max(r[2]) for r in rows):8.1f}\n")


def print_paint(site):
    """First contentful paint, from a local server with an empty cache, and all bytes that a page asks for, compressed."""
    print(f"{'page':<24}{'first contentful paint, ms':>28}{'kilobytes, gzip':>18}{'requests':>10}")
    with chromium() as browser, served(site) as home:
        for path in sorted(site.glob("chapters/*.html")):
            with one_tab(browser) as tab:
                opened(tab, f"{home}/{path.relative_to(site)}")
                paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN")
                files = {site / unquote(urlsplit(url).path).lstrip("/") for url in tab.asked if url.startswith(home)}
                weight = sum(size(file.read_bytes()) for file in files if file.is_file())
                print(f"{path.stem:<24}{paint:28.0f}{weight:18.0f}{len(files):10}")
    print()


def print_bytes(site):
    static = site / "_static"
    script = (static / "explorer.js").read_text(encoding="utf-8")
    ours = script[script.index("// Figures from descriptions"):]
    library = script.removesuffix(ours)
    common = size(ours) + size(library)
    print(f"kilobytes, gzip: our script {size(ours):.1f}, chart library {size(library):.1f}\n")
    print(f"{'page':<24}{'tables':>8}{'script + library + tables (limit 350)':>40}")
    for path in explorer_pages(site):
        parts = re.findall(r'<div class="dp-static".*?</script></div>', path.read_text(encoding="utf-8"), flags=re.S)
        tables = sum(map(size, parts))
        print(f"{path.stem:<24}{tables:8.1f}{common + tables:40.1f}")
    assets = [f for f in static.rglob("*") if f.suffix in {".js", ".css"}]
    mathjax = [f for f in assets if "mathjax" in f.as_posix()]
    theme = [f for f in assets if f not in mathjax and f.name not in {"explorer.js", "explorer.css"}]
    total = lambda files: sum(size(f.read_bytes()) for f in files)
    print(f"\nreported apart: MathJax {total(mathjax):.0f} (its fonts come as a page needs them), "
          f"theme and Sphinx {total(theme):.0f}")


def main():
    site = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else SITE
    if not CHROMIUM:
        sys.exit(MISSING)
    if not explorer_pages(site):
        sys.exit(f"{site} holds no built page with an explorer: run make book first")
    print_times(redraw_times(site))
    print_paint(site)
    print_bytes(site)


if __name__ == "__main__":
    main()
