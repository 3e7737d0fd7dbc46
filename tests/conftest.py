"""How the tests are shared out among processes; what each share costs is in tests/cost.py, what is left out in tests/depth.py."""

import pytest

from tests.cost import Costs, share_of


def pytest_configure(config):
    config.pluginmanager.register(Costs(), "costs")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With several processes (pytest -n --dist loadscope) the tests of one share go to one process."""
    from xdist.scheduler import LoadScopeScheduling

    class ByShare(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return share_of(nodeid)

    return ByShare(config, log) if config.getvalue("dist") == "loadscope" else None
