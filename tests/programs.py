"""Programs for a process that starts anew: it imports them, so they stand in a module of their own."""

import os
import time


def total(block):
    return block.sum()


def stuck(block):
    """Ends on all blocks but one."""
    while block.max() == 19:
        time.sleep(1)
    return block.sum()


def leaves(block):
    os.write(1, b"a record")
    os._exit(3)


def draws(block, rng):
    return rng.random()


class Unsendable:
    """A record that no other process can be given."""

    def __reduce__(self):
        raise KeyError("a record")


class Unreadable:
    """One that falls apart where it arrives."""

    def __reduce__(self):
        return int, ("a record",)
