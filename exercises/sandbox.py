"""Run submitted code where it can do no harm, and bring back what it reported.

    job         {"cells": [source], "names": [variable], "calls": {group: (function, [arguments])}}, see sandboxed.py
    oracle      an argument of this name stays here: submitted code asks it by values of a function on its `domain`
    reported    {name or (group, i): (value, error)}: plain values, of which one of the two is None; for a call with an
                oracle ("asked", group, i) has the number of its questions
    isolation   how the code is locked away: "bwrap" anywhere, "container" inside a throw-away container
    Fault       our own machinery failed; the submission gets no result at all, and never a zero
"""
import itertools
import json
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
LIMITS = {"cell_seconds": 10, "run_seconds": 30, "runs": 3, "value_bytes": 1 << 20, "report_bytes": 8 << 20,
          "resources": {"RLIMIT_AS": 1 << 30, "RLIMIT_FSIZE": 16 << 20, "RLIMIT_NPROC": 16, "RLIMIT_NOFILE": 256,
                        "RLIMIT_CORE": 0}}
DISK_BYTES = 16 << 20
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "PYTHONHASHSEED": "0",
               "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
READY, DONE = b'{"ready": true}\n', b'\n{"done": true}\n'
HINTS = {"No module named 'dplib'": "the questions ask for what dplib does not contain, so it is not there when your "
                                    "notebook is graded: write the formula yourself",
         "No module named": "only numpy and the standard library are there when your notebook is graded",
         "is not defined": "cells that begin with `# at home` are not run by the grader: write what you need of them into other cells",
         "No such file": "no file is there when your notebook is graded: write what you need of it into your cells",
         "Read-only file system": "submitted code may write into /tmp only, and the grader is out of its reach",
         "Network is unreachable": "there is no network when your notebook is graded",
         "name resolution": "there is no network when your notebook is graded",
         "still running": "is there a loop without end, or a sum over more cases than anybody can go through?",
         "ended Python": "did it call exit, recurse without end, or ask for very much memory?"}


class Fault(Exception):
    """Something of ours failed: a person has to look, and nobody is graded on it."""


# --- isolation -------------------------------------------------------------------------------------------------------
USERS = itertools.count(secrets.randbelow(4_000))           # each run is a user of its own, since limits count by user


def somebody():
    """Become a user who owns nothing: limits do not bind root."""
    user = str(61_200 + next(USERS) % 4_000)
    return ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs", "--bounding-set=-all",
            "--inh-caps=-all"]


def libraries():
    """The folders of numpy: all that submitted code gets besides the standard library."""
    package = Path(numpy.__file__).resolve().parent
    return [folder for folder in (package, package.with_name("numpy.libs")) if folder.exists()]


def python(packages):
    """The bare interpreter, without site-packages, isolated from the working folder and from users' settings."""
    return [os.path.realpath(sys.executable), "-P", "-S", "-B", "sandboxed.py", str(packages)]


def system():
    """What every program needs to see, and Python wherever it is installed, below parents that anybody may pass."""
    seen = ["--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    for name in ("/bin", "/lib", "/lib64"):
        seen += ["--symlink", os.readlink(name), name] if os.path.islink(name) else ["--ro-bind-try", name, name]
    seen += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    seen += ["--perms", "1777", "--size", str(DISK_BYTES), "--tmpfs", "/tmp"]       # before what may lie below it
    base = Path(sys.base_prefix).resolve()
    if not base.is_relative_to("/usr"):
        for parent in reversed(base.parents[:-1]):
            seen += ["--perms", "0755", "--dir", str(parent)]       # /root, say, with nothing else in it
        seen += ["--ro-bind", str(base), str(base)]
    seen += ["--perms", "0755", "--dir", "/packages"]
    for library in libraries():
        seen += ["--ro-bind", str(library), f"/packages/{library.name}"]
    return seen


def bwrap(folder):
    """Own files, processes, network and host name; nothing of ours to read, nothing to write but a small /tmp."""
    command = ["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--die-with-parent",
               "--new-session", *system(), "--ro-bind", str(folder), "/submission", "--chdir", "/submission",
               "--cap-drop", "ALL"]
    if os.getuid():
        return [*command, "--unshare-user", "--", *python("/packages")]
    rights = [part for name in ("SETUID", "SETGID", "SETPCAP") for part in ("--cap-add", f"CAP_{name}")]
    return [*command, *rights, "--", *somebody(), *python("/packages")]


def container(folder):
    """Where namespaces are forbidden: another user, who can neither read nor write what is ours."""
    return [*somebody(), *python(libraries()[0].parent)]


ISOLATION = {"bwrap": bwrap, "container": container}


# --- one run ---------------------------------------------------------------------------------------------------------
def reply(line, calls):
    """What an oracle answers to one line of the child's, as a line; nothing if nothing is asked."""
    try:
        match json.loads(line):
            case {"ask": str(group), "i": int(i), "values": [*values]}:
                return json.dumps(calls[group][1][i]["oracle"].answer(values)).encode() + b"\n"
    except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
        pass                                                # no question of ours
    return b""


def hear(lines, child, calls):
    for line in lines:
        if answer := line.startswith(b'{"ask"') and reply(line, calls):
            with suppress(OSError):                         # nobody listens: we do not wait until somebody does
                child.send(answer, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


def listen(child, calls, limits):
    """(what the child said before it was done, why it had to be stopped or None); its questions are answered."""
    said, begun, deadline = b"", 0, time.monotonic() + limits["run_seconds"]
    while True:
        if not select.select([child], [], [], max(0, deadline - time.monotonic()))[0]:
            return said, f"did not end, nor let itself be interrupted, within {limits['run_seconds']} s"
        try:
            chunk = child.recv(1 << 16)
        except ConnectionResetError:                        # it ended without having read all answers
            chunk = b""
        if not chunk:
            return said, "ended Python itself"
        searched = max(0, len(said) - len(DONE))
        said += chunk
        if (end := said.find(DONE, searched)) >= 0:         # the first one counts, whoever wrote it
            return said[:end + 1], None
        if len(said) > limits["report_bytes"]:
            return said, f"sent more than {limits['report_bytes'] >> 20} MB"
        if (end := said.rfind(b"\n")) >= begun:
            hear(said[begun:end].split(b"\n"), child, calls)
            begun = end + 1


def stop(child):
    try:
        child.wait(.2)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(child.pid, signal.SIGKILL)                # all that lives in bubblewrap dies with it
    except ProcessLookupError:
        pass
    child.wait()


def said_by(job, isolation, limits):
    """Start a sandbox on the job: (what it said, why it had to be stopped or None)."""
    ours, theirs = socket.socketpair()
    with (tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as order,
          tempfile.TemporaryFile() as errors, ours):
        Path(shutil.copy(HERE / "sandboxed.py", folder)).chmod(0o644)
        os.chmod(folder, 0o755)
        order.write(json.dumps(job | {"limits": limits}, default=lambda oracle: oracle.domain).encode())
        order.seek(0)
        with theirs:
            try:
                child = subprocess.Popen(ISOLATION[isolation](folder), cwd=folder, env=ENVIRONMENT, stdin=order,
                                         stdout=theirs, stderr=errors, start_new_session=True)
            except OSError as error:
                raise Fault(f"the sandbox did not start: {error}") from error
        try:
            said, stopped = listen(ours, job["calls"], limits)
        finally:
            stop(child)
        if not said.startswith(READY):                      # said before any submitted code: what fails earlier is ours
            errors.seek(0)
            reason = errors.read()[-500:].decode(errors="replace").strip() or stopped
            raise Fault(f"the sandbox did not start: {reason}")
        return said, stopped


def hinted(error):
    if error is None:
        return None
    return error[:400] + next((f"; {hint}" for sign, hint in HINTS.items() if sign in error), "")


def run(job, isolation, limits):
    """Run once: (reported, problem by cell, the cell, name or group that ended the run or None, why or None)."""
    said, stopped = said_by(job, isolation, limits)
    reported, problems, last = {}, {}, None
    for line in said.split(b"\n"):
        try:
            match json.loads(line, parse_constant=str):
                case {"cell": int(i), "error": str(error)}:
                    problems[i] = hinted(error)
                case {"cell": int(at)} | {"asking": str(at)}:
                    last = at
                case {"name": str(name), "value": value, "error": str() | None as error}:
                    reported[name] = value, hinted(error)
                case {"ask": str(group), "i": int(i)}:
                    reported["asked", group, i] = reported.get(("asked", group, i), (0, None))[0] + 1, None
                case {"call": str(group), "i": int(i), "value": value, "error": str() | None as error}:
                    reported[group, i] = value, hinted(error)
        except (ValueError, RecursionError):
            continue                                        # a line that is not ours says nothing
    if stopped and last is None:
        raise Fault(f"the sandbox {stopped} before the first cell")
    return reported, problems, last if stopped else None, hinted(stopped)


def run_without_the_deadly(cells, names, calls, isolation, limits):
    """(reported, problem by cell). What takes a run down is left out of the next: it costs its own points only."""
    job = {"cells": list(cells), "names": list(names), "calls": dict(calls)}
    deadly = {}
    for _ in range(limits["runs"]):
        reported, problems, culprit, why = run(job, isolation, limits)
        if culprit is None:
            break
        if culprit in calls:
            function = calls[culprit][0]
            deadly |= {(group, 0): (None, why) for group, asked in calls.items() if asked[0] == function}
            job["calls"] = {group: asked for group, asked in job["calls"].items() if asked[0] != function}
        elif culprit in names:
            deadly[culprit] = None, why
            job["names"] = [name for name in job["names"] if name != culprit]
        elif culprit in range(len(cells)):
            deadly[culprit] = why
            job["cells"][culprit] = ""
    return (reported | {key: gap for key, gap in deadly.items() if not isinstance(key, int)},
            problems | {cell: why for cell, why in deadly.items() if isinstance(cell, int)})
