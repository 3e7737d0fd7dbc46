"""What is measured of a page as it first appears, and what the pages that are not there yet measure today.

    python -m tests.site.measures        measure the built book and write the table, ratchets.json

A page that is not in the table keeps the limit. One that is in it may not get worse; and when it has got better by more than
the slack, the table has to say so, so that it cannot get worse again.
"""
import json
from pathlib import Path
from typing import NamedTuple

from tests.site import browser as browsers

TABLE = Path(__file__).parent / "ratchets.json"
LAPTOP, PHONE = dict(width=1280, height=800), dict(width=360, height=740)

# Run before a page's own scripts: what moves on it while nobody has touched it, and what it was.
WATCH = """window.moved = []; new PerformanceObserver(list => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (!hadRecentInput) window.moved.push([value, ...sources.map(({ node }) => (node?.outerHTML ?? node?.data ?? '').slice(0, 60))]);
  }
}).observe({ type: 'layout-shift', buffered: true })"""

# Where the first slider or button of the page begins, from the top of the page.
CONTROL = """(node => Math.round(node.getBoundingClientRect().top + window.scrollY))(
  document.querySelector('.dp-explorer :is(input, button)'))"""

# The longest stretch of a page, its folds closed, without a picture.
DESERT = """(() => {
  const page = document.querySelector('.bd-article > section').getBoundingClientRect();
  const pictures = [...document.querySelectorAll('.bd-article :is(.dp-still svg, .dp-explorer, .dp-map svg, img)')];
  const seen = pictures.filter(node => node.checkVisibility());          // what is folded has a place, too
  const places = seen.map(node => node.getBoundingClientRect()).sort((a, b) => a.top - b.top);
  let end = page.top, longest = 0;
  for (const { top, bottom } of [...places, { top: page.bottom, bottom: page.bottom }]) {
    longest = Math.max(longest, top - end);
    end = Math.max(end, bottom);
  }
  return Math.round(longest);
})()"""


class Ratchet(NamedTuple):
    """A number of pixels that a page may have, to what the table rounds up those that have more, and by how much a page may fall
    behind what the table says."""
    limit: int
    step: int
    slack: int

    def fault(self, name, page, found):
        """What is wrong with this page, in words; None if nothing is."""
        said = table()[name].get(page)
        if found > max(self.limit, said or 0):
            return f"{name} of {page}: {found} px; it may have {said or self.limit}"
        if said and found < said - self.slack:
            return f"{name} of {page}: {found} px, which is better than the {said} of the table: python -m tests.site.measures"
        return None


RATCHETS = {"first control at 1280 px": Ratchet(740, 10, 40), "first control at 360 px": Ratchet(700, 10, 40),
            "desert": Ratchet(2500, 500, 1000)}


def table():
    return json.loads(TABLE.read_text(encoding="utf-8"))


def moved(tab):
    """The sum of all layout shifts since the page was opened, and the largest of them; everything has to be drawn."""
    browsers.settle(browsers.all_drawn(tab, decided=False))
    shifts = tab.evaluate("window.moved")
    return sum(shift[0] for shift in shifts), max(shifts, default=None)


def controls(tab):
    """{name of a ratchet: pixels} of the first screen, in the windows of a phone and of a laptop; nothing is guessed yet."""
    found = {}
    for width, window in (("360", PHONE), ("1280", LAPTOP)):
        tab.set_viewport_size(window)
        browsers.settle(tab)
        found[f"first control at {width} px"] = tab.evaluate(CONTROL)
    return found


def desert(tab):
    """{name of a ratchet: pixels} of a page with its formulas, its folds closed, in the window of a laptop."""
    return {"desert": tab.evaluate(DESERT)}


def main():
    found = {name: {} for name in RATCHETS}
    with browsers.chromium() as running, browsers.served() as home, browsers.one_tab(running) as tab:
        for page in browsers.explorer_pages():
            if page.parent.name == "chapters":
                browsers.opened(tab, f"{home}/chapters/{page.name}")
                browsers.all_drawn(tab, decided=False)
                for name, pixels in (controls(tab) | desert(tab)).items():
                    if pixels > RATCHETS[name].limit:
                        found[name][page.stem] = -(-pixels // RATCHETS[name].step) * RATCHETS[name].step
    TABLE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print("\n".join(f"{len(pages)} pages: {name}, at most {max(pages.values(), default=0)} px" for name, pages in found.items()))


if __name__ == "__main__":
    main()
