"""Claims: each numbered statement of the book has a check that tries to break it, and planted bugs that the check must catch.

    @claim("thm-laplace", laplace, bugs={"half the noise": half_noise})
    def test_noise(laplace):
        \"\"\"Compare the law of 10^5 draws with the stated one.\"\"\"
        ...
        return "what was measured"

The check runs once with the right code and must pass; what it returns is printed in the book. Then it runs once with each
planted bug in the place of the code, and must fail with an AssertionError: a check that nothing can fail checks nothing.
A bug is one replacement, or a tuple of as many as the check takes.
"""

import inspect
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = []


@dataclass
class Claim:
    """One check of one statement; `measured` is filled in when it has passed, `caught` when its bugs have been."""
    label: str
    check: object
    code: tuple
    measured: str | None = None
    caught: tuple = ()

    @property
    def file(self):
        return Path(inspect.getsourcefile(self.check)).resolve()

    def record(self):
        ours = [f for f in self.code if getattr(f, "__module__", "").startswith("dplib.")]
        functions = [".".join([*f.__module__.split(".")[:2], f.__qualname__]) for f in ours]     # by subject: dplib.mean.error_bound
        return {"label": self.label, "chapter": self.file.stem.removeprefix("test_").replace("_", "-"), "functions": functions,
                "what": inspect.getdoc(self.check), "measured": self.measured, "caught": list(self.caught),
                "test": f"{self.file.relative_to(ROOT)}::{self.check.__name__}", "source": inspect.getsource(self.check)}


def claim(label, *code, bugs):
    """Mark a function as the check of the statement `label`; make of it one test of the code and one of each bug."""
    if not bugs:
        raise ValueError(f"the check of {label} has no planted bug: nothing shows that it can fail")

    def decorate(check):
        if not check.__name__.startswith("test_"):
            raise ValueError(f"the check {check.__name__} of {label} must be named test_..., or pytest will not find it")
        this = Claim(label, check, code)
        CLAIMS.append(this)

        @pytest.mark.claim(label)
        @pytest.mark.parametrize("planted", [None, *bugs], ids=lambda name: name or "the code itself")
        def test(planted):
            if planted is None:
                this.measured = check(*code)
                assert isinstance(this.measured, str) and this.measured, f"{check.__name__} must say what it measured"
                return
            bug = bugs[planted]
            with pytest.raises(AssertionError):
                check(*(bug if isinstance(bug, tuple) else (bug,)))
            this.caught += (planted,)

        test.__doc__ = check.__doc__
        test.__module__ = check.__module__
        return test

    return decorate
