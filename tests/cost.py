"""What each share of the tests costs, in CPU seconds; one that costs more than it may fails the run.

A share is what goes to one process: the tests of one page of the built book, from whatever file, because they share a visit of
the browser, or else the tests of one file. The seconds are those of all processes, the browser's and every sandbox's among them.
"""

import re
import time
from collections import namedtuple
from contextlib import suppress
from statistics import median

import psutil
import pytest

from tests import depth

PAGE = re.compile(r"\[((?:chapters/)?[\w-]+\.html)")
UNIT = 0.005                    # seconds that the loop of `slowness` took where the limits were measured
PAGE_LIMIT, FILE_LIMIT = 80, 80           # two to four times what most of them cost
LIMITS = {                                # of those that may cost more
    "chapters/claims.html": 100, "chapters/experiments.html": 120, "tests/test_neighbours.py": 300, "tests/course/test_build.py": 220,
    "tests/test_engines.py": 300, "tests/course/test_submissions.py": 220, "tests/course/test_boxes.py": 120, "tests/site/test_lab.py": 120,
    "tests/test_paper.py": 240, "tests/site/test_slides.py": 120, "tests/site/test_bare.py": 600}             # make bare alone

Known = namedtuple("Known", "pid ppid created")


def share_of(nodeid):
    page = PAGE.search(nodeid)
    return page[1] if page else nodeid.split("::")[0]


def limit(share):
    return LIMITS.get(share, PAGE_LIMIT if share.endswith(".html") else FILE_LIMIT)


def too_dear(spent, slower=1.0):
    """One line for each share that cost more than it may, on a machine that is slower by this factor."""
    return [f"{share} costs {seconds:.0f} CPU seconds; it may cost {limit(share) * slower:.0f} (tests/cost.py)"
            for share, seconds in spent.items() if seconds > limit(share) * slower]


def slowness():
    """By what factor this machine is slower, just now, than where the limits were measured."""
    def loop():
        start = time.process_time()
        sum(k * k for k in range(100_000))
        return time.process_time() - start
    return min(loop() for _ in range(3)) / UNIT


class Processes:
    """CPU seconds of this process and of all that it started, the browser's among them, whether they live or have ended.

    A process that ended counts with what it had when it was last seen: a browser forgets the time of those that drew a page,
    and when it ends itself, so does all that asks it. Time never runs backwards: what was forgotten so is added again.
    """

    def __init__(self):
        self.seen, self.last, self.forgotten = {}, 0.0, 0.0

    def seconds(self):
        known = self.known()
        self.forgotten += max(0.0, self.last - known)
        self.last = known
        return known + self.forgotten

    def known(self):
        here = psutil.Process()
        living = here.children(recursive=True)
        self.forget([known for known in self.seen if known.ppid == here.pid and known.pid not in {p.pid for p in living}])
        for process in living:
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                self.seen[Known(process.pid, process.ppid(), process.create_time())] = times.user + times.system
        return sum(here.cpu_times()[:4]) + sum(self.seen.values())

    def forget(self, ended):
        """Processes that were waited for, and all that they started, are now among the ended children of this one."""
        for known in ended:
            del self.seen[known]
            self.forget([child for child in self.seen if child.ppid == known.pid])


class Costs:
    """A plugin: every process adds up its shares, the one that started them judges.

    How slow the machine is gets measured after each share, because a neighbour slows it down for minutes and is gone at the end.
    """

    def __init__(self):
        self.spent, self.before, self.slow, self.processes = {}, None, [], Processes()

    @property
    def slower(self):
        return max(1.0, median(self.slow or [1.0]))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        """Taken where one share ends and the next begins: to ask all processes of a browser takes a while."""
        self.before = self.processes.seconds() if self.before is None else self.before
        result = yield
        share = share_of(item.nodeid)
        if nextitem is None or share_of(nextitem.nodeid) != share:
            now = self.processes.seconds()
            self.add({share: now - self.before})
            self.slow.append(slowness())
            self.before = self.processes.seconds()
        return result

    def add(self, spent):
        for share, seconds in spent.items():
            self.spent[share] = self.spent.get(share, 0) + seconds

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.add(node.workeroutput.get("spent", {}))
        self.slow += node.workeroutput.get("slow", [])

    def pytest_sessionfinish(self, session):
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput |= dict(spent=self.spent, slow=self.slow)
        elif too_dear(self.spent, self.slower):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if len(self.spent) > 50:                            # a whole run, not a file or two
            dearest = sorted(self.spent.items(), key=lambda item: -item[1])[:8]
            named = ", ".join(f"{share} {seconds:.0f}" for share, seconds in dearest)
            terminalreporter.write_line(f"{sum(self.spent.values()):.0f} CPU seconds, the browser's among them, on a machine "
                                        f"{self.slower:.1f} times as slow as ours; the dearest of {len(self.spent)} shares: {named}")
            terminalreporter.write_line(depth.said())
        for line in too_dear(self.spent, self.slower):
            terminalreporter.write_line(line, red=True, bold=True)
