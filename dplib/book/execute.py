"""Execute the pages that need it, as many at a time as there are cores, into the cache that the
book's builder reads.

    python -m dplib.book.execute

The builder itself executes one page after another. What runs here beforehand it finds in the cache.
"""

import logging
import sys
from pathlib import Path

import yaml

from . import site        # marks this process as a book build; the kernels inherit it

ROOT = Path(__file__).resolve().parents[2]


def pages(root):
    """Source files of the pages in the table of contents that have code to run, in the order of the
    book."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    names = [
        toc["root"],
        *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"]),
    ]
    files = [root / f"{name}.md" for name in names]
    return [file for file in files if "{code-cell}" in file.read_text(encoding="utf-8")]


def stale(root, stamp):
    """The pages that changed after the last complete run with this package and these libraries."""
    since = stamp.stat().st_mtime if stamp.exists() else 0
    return [page for page in pages(root) if page.stat().st_mtime > since]


def execute(root, folder, changed, timeout):
    """Run those of the changed pages that the cache does not hold; return the pages that failed."""
    from jupyter_cache import get_cache
    from jupyter_cache.executors import load_executor

    site.use_own_profile(root)
    cache = get_cache(str(folder))
    reader = {"name": "myst_nb_md", "type": "plugin"}
    files = [str(cache.add_nb_to_project(str(page), read_data=reader).uri) for page in changed]
    executor = load_executor("local-parallel", cache=cache, logger=logging.getLogger("execute"))
    result = executor.run_and_cache(filter_uris=files, timeout=timeout)
    return result.excepted + result.errored


def main():
    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stdout)
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    folder = site.cache_folder(ROOT)
    # "executed" is the folder of the cache itself, which is written to before all pages have run
    stamp = folder / "complete"
    changed = stale(ROOT, stamp)
    # one page the builder could do itself, but pages that borrow its figures may be read before it
    if changed:
        if failed := execute(ROOT, folder, changed, config["execute"]["timeout"]):
            sys.exit("These pages failed: " + ", ".join(failed))
    folder.mkdir(parents=True, exist_ok=True)
    stamp.touch()


if __name__ == "__main__":
    main()
