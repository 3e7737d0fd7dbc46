"""Submissions that attack the grader or the machine, and files that are no notebook; the same for every problem set."""

import json
import re

from submissions import HURRIED, IMPATIENT, ROOT, Submission, code

FILES = sorted(str(file) for kind in ("py", "md") for file in (ROOT / "exercises").glob(f"*.{kind}"))

ATTACKS = {  # each cell ends in `attack`, which must be False; then every point stays
    "overwrite the grader": f"""
import os
attack = [name for name in os.listdir() if name != "sandboxed.py"]
here = ["sandboxed.py", "/submission/new.py", "/packages/numpy/new.py", json.__file__, "/usr/new"]
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
FAKE = """
import json, os, builtins
fake = [{"call": group, "i": i, "value": 28, "error": None} for i in range(99) for group in groups]
fake += [{"name": name, "value": [[0], [1], [[77]]], "error": None} for name in ("broken", "broken_too")]
fake += [{"score": 100}, {"done": True}]
text = "".join(json.dumps(line) + "\\n" for line in fake).encode()
for descriptor in range(64):
    try:
        os.write(descriptor, text)
    except OSError:
        pass
"""

INSTEAD = {  # of the cell that defines the function NAME
    "endless loop": "while True:\n    pass",
    "endless loop that catches everything": """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass""",
    "fork bomb without end": """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass""",
    "flood of the reports": """
import os
while True:
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"x" * 65536 + b"\\n")
        except OSError:
            pass""",
    "an object that equals everything": """
class Anything(float):
    __eq__ = __le__ = __lt__ = __ge__ = __gt__ = lambda *_: True
    __hash__ = float.__hash__

def NAME(*_, **__):
    return Anything(28)""",
    "an array that lies": """
class Liar(np.ndarray):
    def tolist(self):
        return self

def NAME(*_, **__):
    return np.zeros(1).view(Liar)""",
    "an error that cannot be shown": """
class Silent(Exception):
    def __str__(self):
        raise SystemExit

raise Silent""",
}
NO_ALARM = """
import signal
signal.signal(signal.SIGALRM, signal.SIG_IGN)
while True:
    pass"""
SHADOWS = """
import builtins, math, json
builtins.abs = builtins.min = lambda *_: 0
builtins.all = builtins.any = math.isclose = lambda *_: True"""


def attacks_on_the_victim(of):
    """Functions that make a submission with another cell, or body, of the attacked function."""

    def cell(name, source=None, **expected):
        source = INSTEAD[name].replace("NAME", of.victim) if source is None else source
        return Submission(name, {f"def {of.victim}": source}, of.costs, **expected)

    def body(name, source, cells={}, **expected):
        return Submission(name, of.function(of.victim, source) | cells, of.costs, **expected)

    return cell, body


def hostile(of):
    """They are right but for an attack, which costs the checks of the function it replaces and no other."""
    cell, body = attacks_on_the_victim(of)
    same = ", ".join(f"{name}={name}" for name in re.findall(r"\w+", of.arguments[of.victim]))
    return [
        *(
            Submission(name, {"last": source + "\nassert not attack, attack"}, notes="Every cell ran.")
            for name, source in ATTACKS.items()
        ),
        Submission(
            "overwrite the grader openly",
            {"last": "open('/submission/sandboxed.py', 'w')"},
            notes="line 1); submitted code may write into /tmp only",
        ),
        Submission(
            "read the grader openly",
            {"last": f"open({str(ROOT / 'exercises' / of.name)!r} + '.md')"},
            notes="no file is there when your notebook is graded",
        ),
        Submission(
            "download the answer",
            {f"def {of.second}": "import urllib.request\nurllib.request.urlopen('https://example.org')"},
            of.second_costs,
            says="does not exist",
            notes="there is no network when your notebook is graded",
        ),
        Submission("fake reports", {"last": f"groups = {of.groups}\n{FAKE}"}, of.everything),
        Submission(
            "shadowed builtins", {"last": SHADOWS, **of.function(of.second, "return 0.0")}, of.second_costs
        ),
        Submission(
            "builtins broken for everybody",
            {"first": "import builtins\nbuiltins.isinstance = builtins.len = None"},
            notes="ended Python itself",
        ),
        Submission(
            "leaving by os._exit in a function",
            of.function(of.second, "import os\nos._exit(0)"),
            of.second_costs,
            says=of.second,
        ),
        cell("leaving by os._exit", "import os\nos._exit(0)", notes="ended Python itself"),
        cell("leaving by exit", "import sys\nsys.exit()", notes="SystemExit"),
        cell("crash", "import ctypes\nctypes.string_at(0)", notes="ended Python itself"),
        body("recursion without end", f"return {of.victim}({same})", says="RecursionError"),
        body("too much memory", "return len(list(range(10**9)))", says="memory"),
        body("too long a value", "return list(range(200_000))", says="takes more than 1024 kB"),
        cell("flood of the reports", notes="sent more than 8 MB"),
        cell("an object that equals everything", says="a value of type Anything came back"),
        cell("an array that lies", says="RecursionError"),
        cell("an error that cannot be shown", notes="raised an error that cannot be shown"),
    ]


def endless(of):
    """They run down a clock, which is that of the sandbox: for one problem set, since each costs seconds."""
    cell, body = attacks_on_the_victim(of)
    patient_in_vain = HURRIED | {"cell_seconds": 1}
    return [
        cell("endless loop", notes="still running after 1 s: stopped", limits=IMPATIENT),
        body("endless loop in a function", INSTEAD["endless loop"], says="still running after 1 s", limits=IMPATIENT),
        body(
            "endless loop in a function, and no time left",
            INSTEAD["endless loop"],
            of.unasked,
            says="within 4 s",
            limits=HURRIED,
        ),
        cell(
            "endless loop that catches everything",
            notes="did not end, nor let itself be interrupted, within 4 s",
            limits=patient_in_vain,
        ),
        body(
            "endless loop without alarm",
            NO_ALARM,
            of.unasked,
            says="nor let itself be interrupted",
            limits=patient_in_vain,
        ),
        cell("sleeping", "import time\ntime.sleep(1e6)", notes="still running", limits=IMPATIENT),
        cell("fork bomb without end", limits=HURRIED | {"cell_seconds": 5, "run_seconds": 25}),
    ]


def not_a_notebook(everything):
    return [
        Submission(f"not a notebook: {name}", raw=raw, fails=everything, says="does not exist", notes=notes)
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
