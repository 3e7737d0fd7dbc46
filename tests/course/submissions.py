"""Right, wrong and hostile submissions to problem set 1: which checks each must fail and what it must be told."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import grading
import sandbox

STUDENT = "ada@example.edu"
ROOT = Path(__file__).resolve().parents[2]
IMPATIENT = sandbox.LIMITS | {"cell_seconds": 1, "run_seconds": 6}
HURRIED = sandbox.LIMITS | {"run_seconds": 4}
UNASKED = {"one, two = (": None, "def noise_deviation": None}  # the cells that call people_threshold

BOX = {"two_neighbours", "an_event", "broken_there"}
THRESHOLD = {"one_label", "never_too_small", "never_too_large", "tiny_delta"}
NOISE = {"noise_from_rng", "noise_law", "empty_cells"}
REPLIES = {"one_reply", "two_options", "never_too_private", "never_pessimistic"}
EVERYTHING = BOX | THRESHOLD | NOISE | REPLIES


@dataclass
class Submission:
    """The solution with some code cells replaced (None: deleted), found by how they begin, or new ones around them."""

    name: str
    cells: dict = field(default_factory=dict)
    fails: set = frozenset()
    says: str = ""  # in the message of every failed check, or in the notes when none fails
    notes: str = ""
    edition: str = "solution"
    raw: object = None  # the whole file instead
    limits: dict = field(default_factory=lambda: sandbox.LIMITS)

    def write(self, built, folder):
        file = folder / f"{self.name.replace(' ', '-').replace('/', '')}.ipynb"
        if self.raw is not None:
            file.write_bytes(self.raw)
            return file
        notebook = json.loads((built / self.edition / "ps1.ipynb").read_text())
        for begins, source in self.cells.items():
            if begins in ("first", "last"):
                notebook["cells"].insert(0 if begins == "first" else len(notebook["cells"]), code(source))
                continue
            places = [
                i
                for i, cell in enumerate(notebook["cells"])
                if cell["cell_type"] == "code" and "".join(cell["source"]).startswith(begins)
            ]
            assert len(places) == 1, f"{self.name}: {len(places)} cells begin with {begins!r}"
            notebook["cells"][places[0] : places[0] + 1] = [] if source is None else [code(source)]
        file.write_text(json.dumps(notebook))
        return file


def code(source):
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}


def function(name, body):
    """A cell that defines one of the asked functions with another body."""
    arguments = {
        "people_threshold": "*, epsilon, delta, m",
        "noisy_counts": "counts, *, epsilon, m, rng",
        "person_delta": "*, epsilon, epsilon0, k, m",
    }[name]
    return {f"def {name}": f"def {name}({arguments}):\n    " + body.strip("\n").replace("\n", "\n    ")}


def broken(source):
    return {"# BEGIN SOLUTION\nfrom itertools": source}


def student(address):
    return {
        "import hashlib": "import hashlib, json, math\nfrom fractions import Fraction\nimport numpy as np\n"
        f"STUDENT = {address!r}"
    }


def threshold(alone, noise="2 * m"):
    """The threshold for a wrong chance that one cell is shown, or a wrong size of noise."""
    return function(
        "people_threshold",
        f"""
alpha = math.exp(-epsilon / ({noise}))
return 1 + math.ceil(math.log({alone} * (1 + alpha)) / math.log(alpha))""",
    )


def noise(ratio, touched="counts > 0", source="rng"):
    return function(
        "noisy_counts",
        f"""
counts, stop = np.asarray(counts), 1 - math.exp({ratio})
noise = {source}.geometric(stop, counts.shape) - {source}.geometric(stop, counts.shape)
return np.where({touched}, counts + noise, counts)""",
    )


def replies(body):
    return function(
        "person_delta", "q = 1 / (math.exp(epsilon0) + k - 1)\np = math.exp(epsilon0) * q\n" + body.strip("\n")
    )


def binary(loss_part):
    """delta over m replies that each lose plus or minus epsilon0, as if there were only two options."""
    return replies(f"""
keep = p / (p + q)
return sum(math.comb(m, up) * keep**up * (1 - keep) ** (m - up) * {loss_part} for up in range(m + 1))""")


HOCKEY = "max(0.0, 1 - math.exp(epsilon - (2 * up - m) * epsilon0))"
ALONE = "-math.expm1(math.log1p(-delta) / m)"

RIGHT = [
    Submission("right", notes="Every cell ran."),
    Submission(
        "right, with other types",
        student(" Ada@Example.edu ")
        | {
            "last": "broken = (np.array(broken[0]), list(broken[1]), frozenset(broken[2]))\n"
            "whole = people_threshold\n"
            "def people_threshold(**asked):\n    return np.float64(whole(**asked))\n"
            "draw = noisy_counts\n"
            "def noisy_counts(counts, **asked):\n    return tuple(draw(counts, **asked))"
        },
    ),
    Submission(
        "right, with Jupyter's own commands",
        {"first": "%matplotlib inline\n!pip install everything\nsum?", "last": "%%time\ndisplay(sum([1, 2]))"},
        notes="Every cell ran.",
    ),
    Submission(
        "right, then a cell that fails",
        {"last": "1 / 0"},
        notes="ZeroDivisionError: division by zero (code cell 12, line 1)",
    ),
]

WRONG = [
    Submission("unfinished", edition="student", fails=EVERYTHING, notes="write your address into STUDENT first"),
    # question 1
    Submission(
        "no neighbours",
        broken("zeros, ones = (0,) * n, (1,) * n\nbroken = (ones, zeros, list(mechanism_pmf(ones)))"),
        {"two_neighbours", "broken_there"},
        says="neighbours differ in exactly one",
    ),
    Submission(
        "promise holds there",
        broken("x = (0,) * n\nbroken = (x, (1,) + x[1:], list(mechanism_pmf(x)))"),
        {"broken_there"},
        says="try the pair both ways round",
    ),
    Submission(
        "no such output",
        broken("x = (0,) * n\nbroken = (x, (1,) + x[1:], [*mechanism_pmf(x), (77,)])"),
        {"an_event", "broken_there"},
        says="(77) in the event is no output of your box",
    ),
    Submission(
        "an event without outputs",
        broken("x = (0,) * n\nbroken = (x, (1,) + x[1:], [])"),
        {"an_event", "broken_there"},
        says="it never happens",
    ),
    Submission("one data set", broken("broken = [(0,) * n]"), BOX, says="not a triple"),
    Submission(
        "records that are no numbers",
        broken("broken = ('ab', 'ac', list(mechanism_pmf((0,) * n)))"),
        {"two_neighbours", "broken_there"},
        says="not a list or tuple of whole numbers",
    ),
    Submission("somebody else's box", student("carol@example.edu"), BOX, says="box"),
    # question 2
    Submission(
        "threshold for one label", threshold("delta", "2"), {"never_too_small", "never_too_large", "tiny_delta"}
    ),
    Submission(
        "threshold for one fresh cell", threshold("delta"), {"never_too_small", "never_too_large", "tiny_delta"}
    ),
    Submission(
        "threshold with noise for one label",
        threshold(ALONE, "2"),
        {"never_too_small", "never_too_large", "tiny_delta"},
    ),
    Submission("threshold with half the noise", threshold(ALONE, "m"), THRESHOLD),
    Submission("threshold by the union bound", threshold("delta / m"), {"never_too_large"}, says="union bound"),
    Submission(
        "threshold of the literature",
        function("people_threshold", "return 1 + math.ceil(2 * m / epsilon * math.log(2 * m / delta))"),
        {"one_label", "never_too_large", "tiny_delta"},
    ),
    Submission(
        "threshold in naive floating point", threshold("(1 - (1 - delta) ** (1 / m))"), {"tiny_delta"}, says="log1p"
    ),
    Submission(
        "threshold without rounding",
        function("people_threshold", "return 1 + 2 * m / epsilon * math.log(m / (2 * delta))"),
        THRESHOLD,
        says="not a whole number",
    ),
    Submission("threshold zero", function("people_threshold", "return 0"), THRESHOLD, says="a whole number from 1 on"),
    Submission(
        "threshold beyond all numbers",
        function("people_threshold", "return 10**400"),
        THRESHOLD,
        says="not a finite number",
    ),
    Submission(
        "threshold is not a number",
        function("people_threshold", "return float('nan')"),
        THRESHOLD,
        says="NaN, not a finite number",
    ),
    Submission(
        "golden values",
        function("people_threshold", "return {(1, 1e-6, 1): 28, (1, 1e-3, 1): 14}.get((epsilon, delta, m), 56)"),
        THRESHOLD,
    ),
    Submission("golden values of question 3", function("person_delta", "return 1e-6 if m > 1 else 0.0"), REPLIES),
    Submission(
        "imported from dplib",
        {"def people_threshold": "from dplib.histograms import stability_threshold as people_threshold"},
        THRESHOLD,
        says="does not exist",
        notes="No module named 'dplib' (code cell 5, line 1); the questions ask for what dplib does not contain",
    ),
    Submission(
        "imported from dplib inside",
        function("people_threshold", "import dplib\nreturn 28"),
        THRESHOLD,
        says="write the formula yourself",
    ),
    Submission(
        "imported from scipy",
        function("person_delta", "import scipy.stats\nreturn 0"),
        REPLIES,
        says="only numpy and the standard library",
    ),
    Submission(
        "global random state",
        noise("-epsilon / (2 * m)", source="np.random"),
        {"noise_from_rng"},
        says="global np.random",
    ),
    Submission(
        "fixed seed",
        {"def noisy_counts": """
def noisy_counts(counts, *, epsilon, m, rng):
    counts, stop, rng = np.asarray(counts), 1 - math.exp(-epsilon / (2 * m)), np.random.default_rng(1)
    return np.where(counts > 0, counts + rng.geometric(stop, counts.shape) - rng.geometric(stop, counts.shape), 0)"""},
        {"noise_from_rng"},
        says="a key that everybody holds",
    ),
    Submission("sensitivity of one label", noise("-epsilon / 2"), {"noise_law"}, says="change all counts together"),
    Submission("sensitivity without the swap", noise("-epsilon / m"), {"noise_law"}, says="change all counts together"),
    Submission(
        "rounded Laplace noise",
        function(
            "noisy_counts",
            """
counts = np.asarray(counts)
return np.where(counts > 0, counts + np.round(rng.laplace(0, 2 * m / epsilon, counts.shape)).astype(int), 0)""",
        ),
        {"noise_law"},
        says="whole numbers from the start",
    ),
    Submission(
        "Laplace noise",
        function("noisy_counts", "return np.asarray(counts) + rng.laplace(0, 2 * m / epsilon, len(counts))"),
        NOISE,
        says="not a whole number",
    ),
    Submission(
        "noise in empty cells",
        noise("-epsilon / (2 * m)", "counts >= 0"),
        {"empty_cells"},
        says="an empty cell got noise",
    ),
    Submission("no noise", function("noisy_counts", "return counts"), NOISE),
    # question 3
    Submission(
        "basic composition",
        function("person_delta", "return 0.0 if epsilon >= m * epsilon0 else 1.0"),
        {"one_reply", "two_options", "never_pessimistic"},
    ),
    Submission("optimal composition of any mechanism", binary(HOCKEY), {"one_reply", "never_pessimistic"}),
    Submission(
        "tail of the loss",
        binary("((2 * up - m) * epsilon0 > epsilon)"),
        {"one_reply", "two_options", "never_pessimistic"},
    ),
    Submission(
        "replies without loss forgotten",
        replies("return sum(math.comb(m, up) * p**up * q ** (m - up) * " + HOCKEY + " for up in range(m + 1))"),
        {"never_too_private", "never_pessimistic"},
        says="person_delta",
    ),
    Submission(
        "a single reply",
        replies("return max(0.0, p - math.exp(epsilon) * q)"),
        {"two_options", "never_too_private", "never_pessimistic"},
    ),
    Submission(
        "logarithm of nothing",
        replies("""
total = 0.0
for up in range(m + 1):
    for down in range(m + 1 - up):
        silent = m - up - down
        ways = math.lgamma(m + 1) - math.lgamma(up + 1) - math.lgamma(down + 1) - math.lgamma(silent + 1)
        log = ways + up * math.log(p) + down * math.log(q) + silent * math.log((k - 2) * q)
        total += math.exp(log) * max(0.0, 1 - math.exp(epsilon - (up - down) * epsilon0))
return total"""),
        {"two_options"},
        says="math domain error",
    ),
    Submission(
        "every output one by one",
        replies(
            """
from itertools import product
one = [(p, q), (q, p)] + [(q, q)] * (k - 2)
chances = ((math.prod(a for a, b in z), math.prod(b for a, b in z)) for z in product(one, repeat=m))
return sum(max(0.0, a - math.exp(epsilon) * b) for a, b in chances)"""
        ),
        {"never_too_private", "never_pessimistic"},
        says="still running",
        limits=IMPATIENT,
    ),
    # cells
    Submission(
        "syntax error",
        {"def people_threshold": "def people_threshold(*, epsilon, delta, m)\n    return 28"},
        THRESHOLD,
        says="does not exist",
        notes="SyntaxError: expected ':' (code cell 5, line 1)",
    ),
    Submission(
        "cells deleted",
        {"def people_threshold": None, "def person_delta": None},
        THRESHOLD | REPLIES,
        says="does not exist",
    ),
    Submission(
        "a text for a function", {"last": "person_delta = 'see my other notebook'"}, REPLIES, says="not callable"
    ),
]

FILES = [str(ROOT / "exercises" / name) for name in ("course.py", "grading.py", "sandbox.py", "sandboxed.py", "ps1.md")]

ATTACKS = {  # each cell ends in `attack`, which must be False; then every point stays
    "overwrite the grader": f"""
attack = []
here = ["sandboxed.py", "ps1_boxes.json", "/submission/new.py", "/packages/numpy/new.py", json.__file__, "/usr/new"]
for file in {FILES} + here:
    for mode in ("w", "a"):
        try:
            open(file, mode).write("owned")
            attack.append(file)
        except OSError:
            pass""",
    "read the grader": f"""
import os
tops = ("/submission", "/tmp", "/packages", "/root", "/home", "/work", "/proc/1/root", "/proc/1/cwd")
seen = [os.path.join(folder, file) for top in tops
        for folder, _, files in os.walk(top) for file in files if "python3" not in folder and "numpy" not in folder]
attack = [file for file in seen if "checks" in file or "grading" in file or file.endswith(".md")]
attack += [file for file in {FILES} if os.path.exists(file)]""",
    "reach the network": """
import socket
attack = []
for address in (("1.1.1.1", 53), ("127.0.0.1", 22)):
    try:
        socket.create_connection(address, timeout=2)
        attack.append(address)
    except ConnectionRefusedError:      # nobody listens on the sandbox's own loopback
        pass
    except OSError:
        pass
with open("/proc/net/dev") as devices:
    attack += [line for line in devices if ":" in line and "lo:" not in line]""",
    "become root": """
import os, subprocess
attack = [os.getuid() == 0 and open("/proc/self/uid_map").read().split()[2] != "1"]
try:
    os.setuid(0)
    attack.append(os.getuid() == 0)
except OSError:
    pass
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
attack += [int(status["CapEff"], 16), status["NoNewPrivs"].strip() != "1"]
attack = [a for a in attack if a]""",
    "kill the judge": """
import os, signal
attack = []
for target in {os.getppid(), 1} - {os.getpid()}:
    try:
        os.kill(target, signal.SIGKILL)
    except OSError:
        pass""",
    "fill the disk": """
attack = []
try:
    for i in range(100):
        with open(f"/tmp/{i}", "wb") as file:
            file.write(bytes(2 << 20))
    attack.append("disk")
except OSError:
    pass""",
    "hoard memory": """
attack = []
try:
    attack.append(len(bytes(3 << 30)) > 0)
except MemoryError:
    pass""",
    "leave a process behind": """
import subprocess
subprocess.Popen(["sleep", "98765.4321"], start_new_session=True)
attack = []""",
    "bomb with forks": """
import os
attack, children = [], 0
for _ in range(200):
    try:
        if os.fork() == 0:
            import time
            time.sleep(60)
            os._exit(0)
        children += 1
    except OSError:
        break
attack = [children] if children > 20 else []""",
    "flood the output": """
attack = []
for _ in range(200_000):
    print("x" * 1000)""",
}
ATTACKS = [
    Submission(name, {"last": source + "\nassert not attack, attack"}, notes="Every cell ran.")
    for name, source in ATTACKS.items()
]

FAKE = """
import json, os, builtins
groups = ("one label", "several labels", "tiny delta")
fake = [{"call": group, "i": i, "value": 28, "error": None} for i in range(99) for group in groups]
fake += [{"name": "broken", "value": [[0], [1], [[0]]], "error": None}, {"score": 100}, {"done": True}]
text = "".join(json.dumps(line) + "\\n" for line in fake).encode()
for descriptor in range(64):
    try:
        os.write(descriptor, text)
    except OSError:
        pass
"""

HOSTILE = ATTACKS + [
    Submission(
        "overwrite the grader openly",
        {"last": "open('/submission/sandboxed.py', 'w')"},
        notes="Read-only file system: '/submission/sandboxed.py' (code cell 12, line 1); submitted code may write into",
    ),
    Submission(
        "read the grader openly",
        {"last": f"open({str(ROOT / 'exercises' / 'ps1.md')!r})"},
        notes="only the files that were handed out with the notebook are there",
    ),
    Submission(
        "download the answer",
        {"def person_delta": "import urllib.request\nurllib.request.urlopen('https://example.org')"},
        REPLIES,
        says="does not exist",
        notes="there is no network when your notebook is graded",
    ),
    Submission(
        "endless loop in a cell",
        {"def people_threshold": "while True:\n    pass"},
        THRESHOLD,
        notes="still running after 1 s: stopped",
        limits=IMPATIENT,
    ),
    Submission(
        "endless loop in a function",
        function("people_threshold", "while True:\n    pass"),
        THRESHOLD,
        says="still running after 1 s",
        limits=IMPATIENT,
    ),
    Submission(
        "endless loop in a function, and no time left",
        function("people_threshold", "while True:\n    pass") | UNASKED,
        THRESHOLD,
        says="within 4 s",
        limits=HURRIED,
    ),
    Submission(
        "endless loop that catches everything",
        {"def people_threshold": """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass"""},
        THRESHOLD,
        notes="did not end, nor let itself be interrupted, within 4 s",
        limits=HURRIED | {"cell_seconds": 1},
    ),
    Submission(
        "endless loop without alarm",
        UNASKED
        | function(
            "people_threshold",
            """
import signal
signal.signal(signal.SIGALRM, signal.SIG_IGN)
while True:
    pass""",
        ),
        THRESHOLD,
        says="nor let itself be interrupted",
        limits=HURRIED | {"cell_seconds": 1},
    ),
    Submission(
        "sleeping",
        {"def people_threshold": "import time\ntime.sleep(1e6)"},
        THRESHOLD,
        notes="still running",
        limits=IMPATIENT,
    ),
    Submission(
        "leaving by os._exit",
        {"def people_threshold": "import os\nos._exit(0)"},
        THRESHOLD,
        notes="ended Python itself",
    ),
    Submission(
        "leaving by os._exit in a function",
        function("person_delta", "import os\nos._exit(0)"),
        REPLIES,
        says="person_delta",
    ),
    Submission("leaving by exit", {"def people_threshold": "import sys\nsys.exit()"}, THRESHOLD, notes="SystemExit"),
    Submission(
        "crash", {"def people_threshold": "import ctypes\nctypes.string_at(0)"}, THRESHOLD, notes="ended Python itself"
    ),
    Submission(
        "recursion without end",
        function("people_threshold", "return people_threshold(epsilon=epsilon, delta=delta, m=m)"),
        THRESHOLD,
        says="RecursionError",
    ),
    Submission(
        "too much memory", function("people_threshold", "return len(list(range(10**9)))"), THRESHOLD, says="memory"
    ),
    Submission(
        "too long a value",
        function("people_threshold", "return list(range(200_000))"),
        THRESHOLD,
        says="takes more than 1024 kB",
    ),
    Submission(
        "fork bomb without end",
        {"def people_threshold": """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass"""},
        THRESHOLD,
        limits=IMPATIENT,
    ),
    Submission(
        "flood of the reports",
        {"def people_threshold": """
import os
while True:
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"x" * 65536 + b"\\n")
        except OSError:
            pass"""},
        THRESHOLD,
        limits=IMPATIENT,
    ),
    Submission("fake reports", {"last": FAKE}, EVERYTHING),
    Submission(
        "an object that equals everything",
        {"def people_threshold": """
class Anything(float):
    __eq__ = __le__ = __lt__ = __ge__ = __gt__ = lambda *_: True
    __hash__ = float.__hash__

def people_threshold(**_):
    return Anything(28)"""},
        THRESHOLD,
        says="a value of type Anything came back",
    ),
    Submission(
        "an array that lies",
        {"def people_threshold": """
class Liar(np.ndarray):
    def tolist(self):
        return self

def people_threshold(**_):
    return np.zeros(1).view(Liar)"""},
        THRESHOLD,
        says="RecursionError",
    ),
    Submission(
        "shadowed builtins",
        {
            "last": """
import builtins, math, json
builtins.abs = builtins.min = builtins.max = lambda *_: 0
builtins.all = builtins.any = math.isclose = lambda *_: True""",
            **function("person_delta", "return 0.0"),
        },
        REPLIES,
    ),
    Submission(
        "builtins broken for everybody",
        {"first": "import builtins\nbuiltins.isinstance = builtins.len = None"},
        notes="ended Python itself",
    ),
    Submission(
        "an error that cannot be shown",
        {"def people_threshold": """
class Silent(Exception):
    def __str__(self):
        raise SystemExit

raise Silent"""},
        THRESHOLD,
        notes="raised an error that cannot be shown",
    ),
]

NOT_A_NOTEBOOK = [
    Submission(f"not a notebook: {name}", raw=raw, fails=EVERYTHING, says="does not exist", notes=notes)
    for name, raw, notes in [
        ("empty", b"", "cannot be opened"),
        ("text", b"print(28)", "cannot be opened"),
        ("list", b"[1, 2]", "cannot be opened"),
        ("no cells", b'{"cells": 5}', "cannot be opened"),
        ("strange cells", b'{"cells": [{"source": 5}]}', "cannot be opened"),
        ("a deep hole", b"[" * 100_000, "cannot be opened"),
        ("binary", bytes(range(256)), "cannot be opened"),
        ("too large", b" " * (6 << 20), "larger than 5 MB: clear its outputs"),
        (
            "half a character",
            json.dumps(
                {
                    "cells": [
                        code("x = '\ud800'"),
                        {"cell_type": "markdown", "metadata": {"question": "q4"}, "source": "\ud800"},
                    ]
                }
            ).encode(),
            "UnicodeEncodeError",
        ),
    ]
]

ALL = RIGHT + WRONG + HOSTILE + NOT_A_NOTEBOOK
