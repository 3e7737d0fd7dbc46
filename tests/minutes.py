"""How long a page takes, by a rule: its core, all of it, with its proofs, and with its exercises.

    python tests/minutes.py        what every page should say

35 words a minute, a minute for a displayed formula, two for a figure, its own or borrowed; proofs and other folds at 18 words a minute,
three minutes for a displayed formula; 15 minutes for an easy exercise, 25 for a medium one, 55 for a hard one. Rounded to five
minutes. A formula of the text is one word. Code is not counted, nor what stands between exercises: their minutes include it; nor
the sentence that says how long the page takes, which could make itself wrong.
The numbers are fitted to three newcomers, who wrote down what each section and each exercise of a page took them. Of 18 totals of
six others 17 are within a quarter of the rule.
The *core* is a page without its sections that begin with "Further:"; no core needs them (tests/test_layers.py).
"""

import re
from itertools import accumulate
from pathlib import Path

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
WORD = re.compile(r"[^\W_](?:[\w'’.,-]*[^\W_])?")
OPENS, CLOSES = re.compile(r":{3,}\{([\w:]+)\}(?:.* · (\w+))?"), re.compile(r":{3,}$")
PARTS = {"solution": "exercises", "exercise": "exercises", "dropdown": "folds"}        # of what is nested, the first one counts
EXERCISE = dict(easy=15, medium=25, hard=55)


def parts(page):
    """{part: its text}, and how hard each exercise is: what is open, what is folded, and the exercises."""
    text = re.sub(r"^```.*?^```$|\*\*Time\*\* .*? with the exercises\.", "", page.split("\n---\n", 1)[1], flags=re.M | re.S)
    found, inside, exercises = {}, [], []
    for line in text.splitlines():
        if opening := OPENS.match(line):
            inside.append(opening[1])
            exercises += [opening[2]] if opening[1] == "exercise" else []
        elif CLOSES.match(line) and inside:
            inside.pop()
        elif not re.match(r":\w+:", line):
            part = next((name for kind, name in PARTS.items() if kind in inside), "open")
            found.setdefault(part, []).append(line)
    return {part: "\n".join(lines) for part, lines in found.items()}, exercises


def count(text):
    """How many words, and how many displayed formulas."""
    prose, formulas = re.subn(r"\$\$.+?\$\$", " ", text, flags=re.S)
    for one_word in (r"\$[^$]+\$", r"\{[^}]*\}`[^`]*`", r"`[^`]*`"):
        prose = re.sub(one_word, " x ", prose)
    return len(WORD.findall(re.sub(r"\]\([^)]*\)|\]\{[^}]*\}", "]", prose))), formulas


def sections(page):
    """The sections of a page with their headings; what stands before the first one has the heading ""."""
    head, body = page.split("\n---\n", 1)
    opening, *rest = re.split(r"^## ", body, flags=re.M)
    return [("", f"{head}\n---\n{opening}")] + [(section.partition("\n")[0], f"## {section}") for section in rest]


def core(page):
    """The page without what is marked as further."""
    return "".join(text for heading, text in sections(page) if not heading.startswith("Further:"))


def minutes(page):
    """Minutes to read the core of a page, to read all of it, to read it with its proofs, and with proofs and exercises."""
    return [timed(core(page))[0], *timed(page)]


def timed(page):
    _, exercises = parts(page)
    reading = "".join(text for heading, text in sections(page) if heading != "Exercises")
    texts, _ = parts(reading)
    figures = len(re.findall(r"\bExplorer\(\"|\bfigure\(|^```\{borrowed\}", reading, flags=re.M))
    (words, shown), (folded, shown_there) = (count(texts.get(part, "")) for part in ("open", "folds"))
    steps = words / 35 + shown + 2 * figures, folded / 18 + 3 * shown_there, sum(EXERCISE[how] for how in exercises)
    return [max(5, 5 * round(total / 5)) for total in accumulate(steps)]


def spoken(total):
    """95 minutes; 2 hours; 2 h 45 min."""
    hours, rest = divmod(total, 60)
    return f"{total} minutes" if total < 100 else f"{hours} h {rest} min" if rest else f"{hours} hours"


def sentence(page):
    core, read, proofs, exercises = map(spoken, minutes(page))
    further = f" the core, {read} with the sections marked *Further*" if core != read else ""
    return f"**Time** {core} to read{further}, {proofs} with the proofs, {exercises} with the exercises."


def main():
    for file in sorted(CHAPTERS.glob("*.md")):
        if "**Time**" in (page := file.read_text(encoding="utf-8")):
            print(f"{file.stem:20}", sentence(page))


if __name__ == "__main__":
    main()
