"""How long a page takes, by a rule: to read, with its proofs, and with its exercises.

    python tests/minutes.py        what every page should say

130 words a minute, half a minute for a displayed formula, two minutes for a figure; proofs and other folds at 50 words a
minute, one minute for a displayed formula; an exercise five minutes, and one more for each 15 words of its solution. Rounded
to five minutes. A formula of the text is one word. Code is not counted.
"""

import re
from itertools import accumulate
from pathlib import Path

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
WORD = re.compile(r"[^\W_](?:[\w'’.,-]*[^\W_])?")
OPENS, CLOSES = re.compile(r":{3,}\{([\w:]+)\}"), re.compile(r":{3,}$")
PARTS = {"solution": "solution", "exercise": "exercise", "dropdown": "proof"}        # of what is nested, the first one counts


def parts(page):
    """{part: its lines}, and how many exercises there are: what is open, and what is folded or asked."""
    text = re.sub(r"^```.*?^```$", "", page.split("\n---\n", 1)[1], flags=re.M | re.S)
    found, inside, exercises = {}, [], 0
    for line in text.splitlines():
        if opening := OPENS.match(line):
            inside.append(opening[1])
            exercises += opening[1] == "exercise"
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
    return len(WORD.findall(re.sub(r"\]\([^)]*\)", "]", prose))), formulas


def minutes(page):
    """Minutes to read a page, to read it with its proofs, and with proofs and exercises."""
    texts, exercises = parts(page)
    figures = len(re.findall(r"\bExplorer\(\"|\bfigure\(", page))
    (words, shown), (in_proofs, shown_there), (in_solutions, _) = (count(texts.get(part, "")) for part in ("open", "proof", "solution"))
    steps = words / 130 + shown / 2 + 2 * figures, in_proofs / 50 + shown_there, 5 * exercises + in_solutions / 15
    return [max(5, 5 * round(total / 5)) for total in accumulate(steps)]


def sentence(page):
    read, proofs, exercises = minutes(page)
    return f"**Time** {read} minutes to read, {proofs} with the proofs, {exercises} with the exercises."


def main():
    for file in sorted(CHAPTERS.glob("*.md")):
        if "**Time**" in (page := file.read_text(encoding="utf-8")):
            print(f"{file.stem:20}", sentence(page))


if __name__ == "__main__":
    main()
