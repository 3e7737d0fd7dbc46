"""Files that a reader may fetch: only when told to, checked, and kept. No page, build or test asks
another computer."""

import hashlib
import http.client
import os
import sys
import tempfile
import urllib.request
from pathlib import Path

SUMS = "SHA256SUMS"
PIECE = 1 << 18
PATIENCE = 60           # seconds without a byte


def data_folder(folder=None):
    """The folder of the files: an argument, else the environment variable DPLIB_DATA, else ~/.dplib
    on every system."""
    return Path(folder or os.environ.get("DPLIB_DATA") or Path.home() / ".dplib").expanduser()


def stored(url, folder, *, download, check, instead=None):
    """The path of a file that is there or is fetched now, after `verify`; ``instead`` is its
    content, which may be there alone."""
    name, folder = url.rpartition("/")[2], Path(folder)
    file = folder / name
    if instead and (folder / instead).exists():
        file = folder / instead
    if file.exists():
        verify(file, check)
        return file
    what = f"{name} (or {instead}, which is inside)" if instead else name
    where = f"Put {what} from {url} into the folder {folder.absolute()}"
    if not download:
        raise FileNotFoundError(f"{name} is not on this computer. {where}, or say download=True.")
    _fetch(url, file, check, where)
    return file


def _fetch(url, file, check, where):
    """Downloads to a name of its own, checks, and only then renames: nobody sees half a file, not
    even beside a second download."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(
        dir=file.parent, prefix=f"{file.stem}.part-", suffix=file.suffix
    )
    try:
        with open(handle, "wb") as target:
            try:
                _copy(url, target, file.name)
            except (OSError, http.client.HTTPException) as error:
                raise ConnectionError(
                    f"{file.name} could not be fetched: {error}. {where}, or try again."
                ) from error
        verify(part, check, file)
        os.replace(part, file)
    finally:
        Path(part).unlink(missing_ok=True)


def _copy(url, target, name):
    """All bytes of an address, with progress; fewer than announced are an error."""
    request = urllib.request.Request(
        url, headers={"User-Agent": "dplib", "Accept-Encoding": "identity"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        if url.startswith("https:") and not answer.url.startswith("https:"):
            raise ConnectionError(f"{url} leads to {answer.url}, which is not encrypted")
        size, done, shown = answer.headers.get("Content-Length"), 0, -1
        while piece := answer.read(PIECE):
            target.write(piece)
            done += len(piece)
            if (megabytes := done // 10**6) > shown:
                shown = megabytes
                of = f" of {int(size) / 1e6:.0f}" if size else ""
                print(f"\r{name}: {megabytes}{of} MB", end="", file=sys.stderr, flush=True)
        print(f"\r{name}: {done:,} bytes", file=sys.stderr)
    if size and done != int(size):
        raise ConnectionError(f"the connection ended after {done:,} of {int(size):,} bytes")


def verify(file, check, known_as=None):
    """Compares a file with the SHA-256 that its folder has on record. One that is seen first is
    checked and put on record.

    ``check`` is called with the path and raises a ValueError that says what the file is or lacks;
    ``known_as`` is the path that the file will have.
    """
    known_as = Path(known_as or file)
    name, record = known_as.name, known_as.parent / SUMS
    found, known = _sum(file), _sums(record).get(known_as.name)
    if known is None:
        try:
            check(Path(file))
        except ValueError as error:
            raise ValueError(f"{name} {error}") from None
        _put_on_record(record, f"{found}  {name}\n")
    elif known != found:
        raise ValueError(
            f"{name} is not the file that {record} has on record: its SHA-256 is {found}, not "
            f"{known}. If the one on record was wrong, remove its line."
        )


def _sum(file):
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _sums(record):
    """{name: SHA-256} of a file in the format of sha256sum."""
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    pairs = (line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#"))
    return {pair[1].removeprefix("*").strip(): pair[0].lower() for pair in pairs if len(pair) == 2}


def _put_on_record(record, line):
    """Where the folder may not be written to there is no record, and the file is as good as
    before."""
    try:
        before = record.read_text(encoding="utf-8") if record.exists() else ""
        with open(record, "a", encoding="utf-8") as sums:
            sums.write(("\n" if before and not before.endswith("\n") else "") + line)
    except OSError:
        return
