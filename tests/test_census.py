"""Income in the census: small files made here, a server on this computer that fails in every way, a population that is made up."""

import csv
import hashlib
import http.server
import io
import itertools
import threading
import urllib.request
import zipfile

import numpy as np
import pytest

from dplib.book import census, downloads
from dplib.book.census import AREAS, BOUNDS, COLUMNS, EMPLOYERS, NAMES, ONE_HOT, census_income, synthetic_census
from tests.chance import rng

HEADER = ("RT", "SERIALNO", "ST", "PWGTP", *COLUMNS)
WORKER = dict(AGEP=40, PINCP=40_001, WKHP=40, SCHL=21, RAC1P=1, OCCP="0010", MAR=1, SEX=2, COW=1)
BABY = dict.fromkeys(COLUMNS, "") | dict(AGEP=0, RAC1P=2, MAR=5, SEX=1)
PEOPLE = [WORKER, BABY, WORKER | dict(PINCP=40_000, OCCP=9800, COW=7, WKHP=99, SEX=1, RAC1P=9)]


def written(people, header=HEADER, serial="2018HU0000001", st=6):
    """The text of a person file."""
    text = io.StringIO()
    rows = csv.DictWriter(text, header, extrasaction="ignore", lineterminator="\n")
    rows.writeheader()
    rows.writerows(dict(RT="P", SERIALNO=serial, ST=st, PWGTP=9) | person for person in people)
    return text.getvalue()


def zipped(text, member="psam_p06.csv"):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ACS2018_PUMS_README.pdf", b"%PDF")
        archive.writestr(member, text)
    return content.getvalue()


def read(folder, people, **options):
    folder.mkdir(exist_ok=True)
    (folder / "psam_p06.csv").write_text(written(people))
    return census_income("CA", folder=folder, **options)


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch):
    """No test of this file reaches another computer."""
    def refuse(request, **_):
        raise AssertionError(f"asked for {request.full_url}")
    monkeypatch.setattr(urllib.request, "urlopen", refuse)


# --- the features ---------------------------------------------------------------------------------------------------------

def column(data, name):
    return data.X[:, NAMES.index(name)].tolist()


def test_the_features_of_three_people(tmp_path):
    data = read(tmp_path, PEOPLE)
    assert data.X.shape == (3, 16) and data.X.dtype == float and data.y.tolist() == [1, 0, 0] and data.y.dtype == np.int64
    expected = {"working age": [1, 0, 1], "hours": [40 / 99, 0, 1], "school": [21 / 24, 0, 21 / 24], "white": [1, 0, 0],
                "management, business, finance": [1, 0, 0], "married": [1, 0, 1], "female": [1, 0, 0], "private": [1, 0, 0],
                "self-employed": [0, 0, 1]}
    for name in NAMES:
        assert column(data, name) == expected.get(name, [0, 0, 0]), name
    assert data.source == "American Community Survey 2018, one-year person file of CA, all persons"
    assert "X=" not in repr(data)


def test_the_corners_of_the_domain():
    """16 columns, and with the intercept 2^6 * 8 * 4 corners, none longer than 3."""
    assert NAMES == ("working age", "hours", "school", "white", *AREAS, "married", "female", *EMPLOYERS) and len(NAMES) == 16
    assert BOUNDS == ((0, 1),) * 16 and ONE_HOT == (tuple(range(4, 11)), (13, 14, 15))
    corners = domain_corners()
    assert len(corners) == 2_048 and np.square(corners).sum(axis=1).max() == 9


@pytest.mark.parametrize("age, working", [(17, 0), (18, 1), (60, 1), (61, 0)])
def test_working_age(tmp_path, age, working):
    assert column(read(tmp_path, [WORKER | dict(AGEP=age)]), "working age") == [working]


@pytest.mark.parametrize("code, area", [
    ("0010", 0), ("0960", 0), (1005, 1), (1980, 1), (2001, 2), (2920, 2), (3000, 3), (3550, 3), (3601, 4), (4655, 4), (4700, 5),
    (5940, 5), (6005, 6), (7640, 6), (7700, None), (9760, None), (9830, None), (9920, None), ("", None)])
def test_the_eight_areas(tmp_path, code, area):
    data = read(tmp_path, [WORKER | dict(OCCP=code)])
    assert data.X[0, 4:11].tolist() == [float(place == area) for place in range(7)]


@pytest.mark.parametrize("code, employer", [(1, 0), (2, 0), (3, 1), (4, 1), (5, 1), (6, 2), (7, 2), (8, None), (9, None), ("", None)])
def test_the_four_employers(tmp_path, code, employer):
    assert read(tmp_path, [WORKER | dict(COW=code)]).X[0, 13:].tolist() == [float(place == employer) for place in range(3)]


@pytest.mark.parametrize("name", COLUMNS)
def test_no_value_raises_drops_a_row_or_leaves_the_bounds(tmp_path, name):
    """Ten values that the column may or may not have; the last row is a worker, whose features they do not touch."""
    values = ["", "N.A.", "-19998", "1e400", "-1e400", "1e30", "2.5", "b", "None", " "]
    data = read(tmp_path, [*(WORKER | {name: value} for value in values), WORKER])
    assert data.X.shape == (11, 16) and data.X.min() >= 0 and data.X.max() <= 1 and set(data.y.tolist()) <= {0, 1}
    assert all(data.X[:, group].sum(axis=1).max() <= 1 for group in map(list, data.one_hot))
    assert np.array_equal(data.X[-1], read(tmp_path / "alone", [WORKER]).X[0])


def test_adults_are_those_who_work_and_earn(tmp_path):
    others = [WORKER | change for change in (dict(AGEP=16), dict(WKHP=0), dict(WKHP=""), dict(PINCP=99), dict(PINCP=""), dict(AGEP=""))]
    data = read(tmp_path, [*others, BABY, WORKER | dict(AGEP=17, WKHP=1, PINCP=100), WORKER], adults=True)
    assert data.y.tolist() == [0, 1] and data.source.endswith("adults who work")


# --- files that are there -------------------------------------------------------------------------------------------------

def test_the_zip_as_it_is_served_reads_as_what_is_inside(tmp_path):
    (tmp_path / "csv_pca.zip").write_bytes(zipped(written(PEOPLE)))
    data = census_income("ca", folder=tmp_path)
    assert np.array_equal(data.X, read(tmp_path / "open", PEOPLE).X) and np.array_equal(data.y, [1, 0, 0])


def test_the_folder_is_an_argument_or_in_the_environment_or_at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("DPLIB_DATA", str(tmp_path))
    (tmp_path / "psam_p06.csv").write_text(written(PEOPLE))
    assert len(census_income("CA").y) == 3
    monkeypatch.delenv("DPLIB_DATA")
    assert downloads.data_folder().name == ".dplib" and downloads.data_folder("here").name == "here"


def test_a_file_that_is_not_there(tmp_path):
    """The message says which file to put where, and nobody is asked for it."""
    with pytest.raises(FileNotFoundError) as error:
        census_income("WY", folder=tmp_path / "none")
    for part in ("csv_pwy.zip", "psam_p56.csv", "1-Year/csv_pwy.zip", str(tmp_path / "none"), "download=True"):
        assert part in str(error.value)
    assert not (tmp_path / "none").exists()


def test_there_are_fifty_states_and_two_more():
    assert len(census.FIPS) == len(set(census.FIPS.values())) == 52
    for wrong in ("XX", "California", "06", None, 6):
        with pytest.raises(ValueError, match="state must be one of"):
            census_income(wrong)


@pytest.mark.parametrize("text, message", [
    (written(PEOPLE, [name for name in HEADER if name not in {"COW", "SEX"}]), "the columns COW, SEX"),
    (written([]), "no persons"), ("", "damaged, or no table"), ("\0\xff\n1,2\n1,2,3", "damaged, or no table|the columns"),
    (written(PEOPLE, serial="2017000000001"), "not every SERIALNO begins with 2018"),
    (written([WORKER, WORKER | dict(SERIALNO="")]), "not every SERIALNO"),
    (written(PEOPLE, st=36), "not every ST is 6"), (written([WORKER, WORKER | dict(ST="")]), "not every ST is 6")])
def test_a_wrong_table_is_named_and_not_put_on_record(tmp_path, text, message):
    for name, content in (("csv_pca.zip", zipped(text)), ("psam_p06.csv", text.encode("latin-1"))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=f"{name} .*({message})"):
            census_income("CA", folder=tmp_path)
    assert not (tmp_path / "SHA256SUMS").exists()


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1:]


GOOD = zipped(written(PEOPLE * 50))
INSIDE = GOOD.index(b"psam_p06.csv") + 60                              # a byte of the compressed table
DAMAGED = {"cut": GOOD[:-9], "half": GOOD[:len(GOOD) // 2], "empty": b"", "a page that says no": b"<html>404</html>",
           "one bit": flipped(GOOD, INSIDE), "another state": zipped(written(PEOPLE), "psam_p36.csv")}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_zip_is_found_and_can_be_replaced(tmp_path, damage):
    file = tmp_path / "csv_pca.zip"
    file.write_bytes(DAMAGED[damage])
    with pytest.raises(ValueError, match=r"csv_pca.zip (is damaged|has no psam_p06.csv)"):
        census_income("CA", folder=tmp_path)
    file.write_bytes(GOOD)
    assert len(census_income("CA", folder=tmp_path).y) == 150


def test_a_bit_that_flips_anywhere_in_the_table_is_found(tmp_path):
    """Some leave no table to unpack, others one with another checksum. The first bit says only that no block follows."""
    with zipfile.ZipFile(io.BytesIO(GOOD)) as archive:
        inside = archive.getinfo("psam_p06.csv")
    start = inside.header_offset + 30 + len(inside.filename)
    for place in range(start + 1, start + inside.compress_size):
        file = tmp_path / "csv_pca.zip"
        file.write_bytes(flipped(GOOD, place))
        with pytest.raises(ValueError, match="is damaged"):
            census._read(file, "psam_p06.csv", 6)


def test_the_first_file_is_put_on_record_and_the_second_must_agree(tmp_path):
    file, record = tmp_path / "csv_pca.zip", tmp_path / "SHA256SUMS"
    file.write_bytes(GOOD)
    for _ in range(2):
        census_income("CA", folder=tmp_path)
        assert record.read_text() == f"{hashlib.sha256(GOOD).hexdigest()}  csv_pca.zip\n"
    file.write_bytes(zipped(written(PEOPLE[:2])))
    with pytest.raises(ValueError, match="csv_pca.zip is not the file that .* has on record"):
        census_income("CA", folder=tmp_path)


def test_a_sum_from_elsewhere_is_believed(tmp_path):
    """With a comment, in capitals, for a binary file, without a line's end, after another."""
    file, record = tmp_path / "csv_pca.zip", tmp_path / "SHA256SUMS"
    file.write_bytes(GOOD)
    record.write_text(f"# from a friend\n{'0' * 64}  csv_pny.zip\n{hashlib.sha256(GOOD).hexdigest().upper()} *csv_pca.zip")
    census_income("CA", folder=tmp_path)
    record.write_text(f"{'0' * 64} *csv_pca.zip")
    with pytest.raises(ValueError, match="not 0000"):
        census_income("CA", folder=tmp_path)
    read(tmp_path, PEOPLE)                                               # a name of its own: a new line
    assert [line.split()[1] for line in record.read_text().splitlines()] == ["*csv_pca.zip", "psam_p06.csv"]


def test_a_folder_without_permission_keeps_no_record(tmp_path, monkeypatch):
    (tmp_path / "SHA256SUMS.d").mkdir()
    monkeypatch.setattr(downloads, "_sums", lambda record: {})
    monkeypatch.setattr(downloads, "SUMS", "SHA256SUMS.d")               # a folder: nobody can append to it, not even root
    assert len(read(tmp_path, PEOPLE).y) == 3


# --- files that are fetched -----------------------------------------------------------------------------------------------

URLOPEN = urllib.request.urlopen


@pytest.fixture
def server(monkeypatch):
    """Serves `server.answers`, one for each request: bytes, or (bytes, announced length), or a status; counts the requests."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            answer = answers.pop(0)
            if isinstance(answer, int):
                return self.send_error(answer)
            content, size = answer if isinstance(answer, tuple) else (answer, len(answer))
            self.send_response(200)
            if size is not None:
                self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    answers, asked = [], []
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs=dict(poll_interval=.01))
        thread.start()
        running.answers, running.asked = answers, asked
        monkeypatch.setattr(urllib.request, "urlopen", URLOPEN)
        monkeypatch.setattr(urllib.request, "_opener", urllib.request.build_opener(urllib.request.ProxyHandler({})))
        monkeypatch.setattr(census, "SERVER", f"http://127.0.0.1:{running.server_port}")
        yield running
        running.shutdown()
        thread.join()


@pytest.mark.parametrize("size", [len(GOOD), None])
def test_a_download_is_kept_and_made_once(tmp_path, server, capsys, size):
    server.answers[:] = [(GOOD, size)]
    for download in (True, True, False):
        assert len(census_income("CA", folder=tmp_path / "new", download=download).y) == 150
    assert server.asked == ["/csv_pca.zip"]
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["SHA256SUMS", "csv_pca.zip"]
    out, err = capsys.readouterr()
    assert out == "" and f"csv_pca.zip: {len(GOOD):,} bytes" in err and "0 MB" in err


@pytest.mark.parametrize("answer, error, message", [
    ((GOOD[:-100], len(GOOD)), ConnectionError, "ended after|IncompleteRead"), (404, ConnectionError, "404"), (503, ConnectionError, "503"),
    ((GOOD[:-100], None), ValueError, "csv_pca.zip is damaged"), (b"<html>busy</html>", ValueError, "csv_pca.zip is damaged"),
    (DAMAGED["one bit"], ValueError, "csv_pca.zip is damaged")])
def test_a_download_that_fails_leaves_nothing_and_the_next_one_starts_anew(tmp_path, server, answer, error, message):
    server.answers[:] = [answer, GOOD]
    with pytest.raises(error, match=message):
        census_income("CA", folder=tmp_path, download=True)
    assert list(tmp_path.iterdir()) == []
    assert len(census_income("CA", folder=tmp_path, download=True).y) == 150 and len(server.asked) == 2


def test_a_download_that_is_stopped_by_hand_leaves_nothing(tmp_path, server, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt
    monkeypatch.setattr(downloads, "_copy", stopped)
    with pytest.raises(KeyboardInterrupt):
        census_income("CA", folder=tmp_path, download=True)
    assert list(tmp_path.iterdir()) == []


def test_a_download_that_is_not_the_file_on_record_is_not_kept(tmp_path, server):
    server.answers[:] = [GOOD]
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  csv_pca.zip\n")
    with pytest.raises(ValueError, match="csv_pca.zip is not the file"):
        census_income("CA", folder=tmp_path, download=True)
    assert [file.name for file in tmp_path.iterdir()] == ["SHA256SUMS"]


def test_without_a_network_the_message_says_what_to_put_where(tmp_path, server, monkeypatch):
    monkeypatch.setattr(census, "SERVER", "http://127.0.0.1:1")          # nobody listens there
    with pytest.raises(ConnectionError) as error:
        census_income("CA", folder=tmp_path, download=True)
    for part in ("csv_pca.zip could not be fetched", "http://127.0.0.1:1/csv_pca.zip", str(tmp_path), "try again"):
        assert part in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_progress_counts_megabytes_and_an_open_connection_is_refused(monkeypatch, capsys):
    class Answer(io.BytesIO):
        url, headers = "https://elsewhere/file.zip", {"Content-Length": "2500000"}
    monkeypatch.setattr(urllib.request, "urlopen", lambda request, timeout: Answer(bytes(2_500_000)))
    downloads._copy("https://here/file.zip", io.BytesIO(), "file.zip")
    assert "\rfile.zip: 0 of 2 MB\rfile.zip: 1 of 2 MB\rfile.zip: 2 of 2 MB\rfile.zip: 2,500,000 bytes\n" in capsys.readouterr().err
    monkeypatch.setattr(Answer, "url", "http://elsewhere/file.zip")
    with pytest.raises(ConnectionError, match="not encrypted"):
        downloads._copy("https://here/file.zip", io.BytesIO(), "file.zip")


# --- people that are made up ----------------------------------------------------------------------------------------------

def domain_corners():
    """All corners of the domain, with the intercept first."""
    groups = [np.vstack([np.zeros(len(group)), np.eye(len(group))]) for group in ONE_HOT]
    return np.array([[1, *bits[:4], *area, *bits[4:], *employer]
                     for bits in itertools.product((0, 1), repeat=6) for area in groups[0] for employer in groups[1]])


def mean_curvature(data):
    """The fit by Newton's method and the mean curvature there: the slow oracle of this file."""
    x, theta = np.column_stack([np.ones(len(data.y)), data.X]), np.zeros(17)
    for _ in range(12):
        p = 1 / (1 + np.exp(-x @ theta))
        curvature = x.T @ (x * (p * (1 - p))[:, None]) / len(x)
        step = np.linalg.solve(curvature, x.T @ (p - data.y) / len(x))
        theta -= step
    assert np.abs(step).max() < 1e-9
    return theta, curvature


def test_the_made_up_people_are_as_badly_conditioned_as_the_census():
    theta, curvature = mean_curvature(synthetic_census(150_000, rng(1)))
    eigenvalues, corners = np.linalg.eigvalsh(curvature), domain_corners()
    weakest = np.einsum("ij,jk,ik->i", corners, np.linalg.inv(curvature), corners).max()
    assert 340 < eigenvalues[-1] / eigenvalues[0] < 400 and 4_100 < 9 / eigenvalues[0] < 4_800 and 490 < weakest < 550
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)) / 150_000)
    assert np.abs((theta - census.EFFECTS) / errors).max() < 4.5         # the incomes follow the model that is said


def test_the_made_up_people_are_in_the_columns_of_the_census(tmp_path):
    """Written to a file and read again they are the same."""
    raw = census._made_up(200, rng(2))
    people = [dict(zip(raw, map(int, row))) for row in zip(*raw.values())]
    made, back = synthetic_census(200, rng(2)), read(tmp_path, people)
    assert np.array_equal(made.X, back.X) and np.array_equal(made.y, back.y) and made.source.startswith("synthetic")
    assert len(read(tmp_path / "adults", people, adults=True).y) == 200
    assert (made.names, made.bounds, made.one_hot) == (back.names, back.bounds, back.one_hot)


def test_a_seed_makes_the_same_people_and_one_is_enough():
    one, two = synthetic_census(50, rng(3)), synthetic_census(50, rng(3))
    assert np.array_equal(one.X, two.X) and synthetic_census(1, rng()).X.shape == (1, 16)
    with pytest.raises(ValueError, match="size must be at least 1"):
        synthetic_census(0, rng())
    with pytest.raises(TypeError, match="rng must be"):
        synthetic_census(5, 1)
