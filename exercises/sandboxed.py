"""What runs inside the sandbox: execute a notebook's cells, then report plain values. It knows no expected answer.

Standard input holds one JSON job: the cells, the names to report, the calls to make and the limits. Standard output, a
socket, carries one JSON report a line, first {"ready": true}, last {"done": true}; on {"ask": ...} an answer comes back.
Submitted code shares this process and may do to it whatever it likes: all that it can change are the values reported here.

    python sandboxed.py FOLDER     FOLDER holds numpy
"""
import ast
import json
import os
import random
import re
import resource
import signal
import sys
import traceback


class Late(BaseException):
    """Time is up. Not an Exception, so that a student's `except Exception` does not swallow it."""


def late(*_):
    raise Late


def python(source):
    """A notebook's source as Python: lines that talk to Jupyter (%magic, !shell, help?) do nothing here."""
    try:
        ast.parse(source)
        return source
    except SyntaxError:
        return re.sub(r"^([ \t]*)([%!?].*|.*\?)$", r"\1pass", source, flags=re.M)


def execute(source, where, namespace):
    exec(compile(python(source), where, "exec"), namespace)


def plain(value):
    """value as JSON can carry it, with no object of the student's own left in it."""
    import numpy as np
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (np.generic, np.ndarray)):
        return plain(value.tolist())
    if type(value) in (list, tuple, set, frozenset):
        return [plain(v) for v in value]
    if type(value) is dict:
        return {str(k): plain(v) for k, v in value.items()}
    if value is ...:
        raise ValueError("the blank is still there")
    raise TypeError(f"a value of type {type(value).__name__} came back; a number, a text, or a list, tuple or set "
                    "of those is needed")


def explained(error):
    """The error as a line of text, with the place in the student's cells where it was raised."""
    places = [f" ({f.filename}, line {f.lineno})" for f in traceback.extract_tb(error.__traceback__)
              if f.filename.startswith("code cell")]
    return f"{type(error).__name__}: {str(error)[:200]}" + (places or [""])[-1]


def timed(act, limits):
    """(value, None), or (None, what went wrong)."""
    try:
        signal.setitimer(signal.ITIMER_REAL, limits["cell_seconds"])
        try:
            return act(), None
        except (Late, MemoryError):
            raise
        except BaseException as error:
            return None, explained(error)
    except Late:
        return None, f"still running after {limits['cell_seconds']} s: stopped"
    except MemoryError:
        return None, f"needed more than {limits['resources']['RLIMIT_AS'] >> 20} MB of memory: stopped"
    except BaseException:
        return None, "raised an error that cannot be shown"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def become_small(limits):
    """Limit this process for good, and let it be the first to go when the machine runs out of memory."""
    for name, limit in limits["resources"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")


def main():
    job = json.load(sys.stdin)
    limits = job["limits"]
    report, answers = os.fdopen(os.dup(1), "w", buffering=1), os.fdopen(os.dup(1))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):                        # what a cell prints goes nowhere, and there is nothing to read
        os.dup2(nowhere, fd)
    become_small(limits)
    signal.signal(signal.SIGALRM, late)
    sys.path.append(sys.argv[1])
    import numpy as np
    random.seed(0)                              # so that grading twice gives the same, even for code that
    np.random.seed(0)                           # leans on the global state

    home = os.getpid()

    def tell(**entry):
        if os.getpid() != home:
            os._exit(0)                         # a fork of a cell has nothing to say
        report.write(json.dumps(entry) + "\n")

    def told(value):
        if len(json.dumps(small := plain(value))) > limits["value_bytes"]:
            raise ValueError(f"the value takes more than {limits['value_bytes'] >> 10} kB")
        return small

    def oracle(group, i, domain):
        """What stands for an oracle of the judge's: the records that it knows of are not in this process."""
        def ask(phi):
            tell(ask=group, i=i, values=[float(phi(tuple(record))) for record in domain])
            return json.loads(answers.readline())
        return ask

    namespace = {"__name__": "__main__", "display": print}
    tell(ready=True)
    for i, source in enumerate(job["cells"]):
        tell(cell=i)
        _, error = timed(lambda: execute(source, f"code cell {i + 1}", namespace), limits)
        if error:
            tell(cell=i, error=error)
    for name in job["names"]:
        tell(asking=name)
        if name in namespace:
            value, error = timed(lambda: told(namespace[name]), limits)
            tell(name=name, value=value, error=error)
    slow = {}
    for group, (function, arguments) in job["calls"].items():
        tell(asking=group)
        for i, kwargs in enumerate(arguments if function in namespace else []):
            made = {"rng": np.random.default_rng(kwargs["rng"])} if "rng" in kwargs else {}
            made |= {"oracle": oracle(group, i, kwargs["oracle"])} if "oracle" in kwargs else {}
            value, error = (None, slow[function]) if function in slow else timed(
                lambda: told(namespace[function](**kwargs | made)), limits)
            tell(call=group, i=i, value=value, error=error)
            if error:                           # the first thing that goes wrong is what the student hears about
                if error.startswith("still running"):
                    slow[function] = error
                break
    tell(done=True)
    os._exit(0)                                 # no farewell for threads and exit handlers


if __name__ == "__main__":
    main()
