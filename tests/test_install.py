"""The package as others install it: a name of its own, a wheel with the algorithms only, quick to import, with types."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import dplib
from dplib.book import site

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = sorted(file for file in (ROOT / "dplib").rglob("*.py") if "book" not in file.parts)
MOST_BYTES = 320_000
READMES = [ROOT / "README.md", ROOT / PROJECT["readme"]]


# --- the wheel --------------------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from the files that git knows of, without asking another computer."""
    folder = tmp_path_factory.mktemp("wheel")
    known = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(known, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if name.startswith("dplib/") or "/" not in name:
            copy = folder / "source" / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).exists():
                copy.write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
           "--no-build-isolation", "--wheel-dir", folder, folder / "source"]
    run = subprocess.run(pip, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    [file] = folder.glob("*.whl")
    return file


def inside(wheel, what=""):
    """Names of files, or the text of the one whose name ends so."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        return archive.read(next(name for name in names if name.endswith(what))).decode() if what else names


def test_the_wheel_has_the_algorithms_and_nothing_of_the_book(wheel):
    ours = {name for name in inside(wheel) if ".dist-info/" not in name}
    assert ours == {str(file.relative_to(ROOT)) for file in MODULES} | {"dplib/py.typed"}
    assert wheel.stat().st_size < MOST_BYTES


def test_the_wheel_has_a_name_that_is_not_the_name_of_another_and_our_version(wheel):
    """`pip install --upgrade dplib` would put a bot framework in our place."""
    metadata = inside(wheel, "/METADATA")
    assert PROJECT["name"] != "dplib" and f"\nName: {PROJECT['name']}\n" in metadata
    assert f"\nVersion: {dplib.__version__}\n" in metadata
    extras = re.findall("^Provides-Extra: (.*)", metadata, re.M)
    assert extras == ["tables"]                                       # what no wheel can have is not offered
    assert "License-File: LICENSE\n" in metadata


def test_the_wheel_alone_is_enough(wheel):
    """All modules are imported from it, and one of them is asked for a number; nothing else of this folder is on the path."""
    modules = [".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in MODULES]
    code = f"""if True:
        import importlib, sys
        sys.path.insert(0, {str(wheel)!r})
        for name in {modules!r}:
            importlib.import_module(name)
        import numpy as np
        from dplib.mechanisms import laplace
        released = laplace(3, sensitivity=1, epsilon=9, rng=np.random.default_rng(1))
        print(sys.modules["dplib"].__file__, released)"""
    run = subprocess.run([sys.executable, "-I", "-c", code], cwd=wheel.parent, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(wheel)) and abs(float(run.stdout.split()[-1]) - 3) < 3


def test_what_the_index_shows_needs_no_checkout(wheel):
    """A picture or a link that is relative leads nowhere there."""
    description = inside(wheel, "/METADATA").partition("\n\n")[2]
    assert f"pip install {PROJECT['name']}" in description
    assert re.findall(r"\]\((?!https?://)|<img|\bmake \w|chapters/|\]:", description) == []


@pytest.mark.parametrize("readme", READMES, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_examples_of_a_readme_run(readme, capsys):
    names = {}
    for block in re.findall(r"^ *```python\n(.*?)^ *```", readme.read_text(encoding="utf-8"), re.M | re.S):
        exec("if True:\n" + re.sub("^(?! )", " ", block, flags=re.M), names)
    assert names and 200 < int(capsys.readouterr().out) < 400             # noise of scale 6 at most: outside once in 10^7 runs


def test_the_footer_names_our_version_whatever_is_installed_under_the_name_of_the_module(monkeypatch):
    monkeypatch.setattr(site.importlib.metadata, "version", lambda name: "1.5")
    app, config = None, SimpleNamespace(html_theme_options={})
    site.say_version(app, config)
    assert f"Computed with dplib {dplib.__version__}." in config.html_theme_options["extra_footer"]


# --- what is imported -------------------------------------------------------------------------------------------------------

def loaded_by(code):
    """Parts of SciPy, and of what only the book needs, that this loads in a new process."""
    code += "\nimport json, sys; print(json.dumps([*sys.modules]))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    names = json.loads(run.stdout)
    return {name for name in names if re.fullmatch(r"scipy\.[a-z]\w*", name) and name != "scipy.version"
            or name in {"numpy", "scipy", "matplotlib", "pandas", "multiprocessing", "dplib.mechanisms"}}


def test_the_package_itself_imports_nothing():
    assert loaded_by("import dplib") == set()


def test_noise_for_an_answer_needs_none_of_scipys_parts():
    release = "laplace(3, sensitivity=1, epsilon=1, rng=np.random.default_rng())"
    found = loaded_by(f"import numpy as np\nfrom dplib.mechanisms import laplace\n{release}")
    assert found == {"numpy", "scipy", "dplib.mechanisms"}
    calculate = "gaussian_sigma(sensitivity=1, epsilon=1, delta=.1)"
    assert "scipy.special" in loaded_by(f"from dplib.mechanisms import gaussian_sigma\n{calculate}")


def test_no_module_is_slow_to_import():
    """SciPy's special functions are quick; statistics, optimization and linear algebra are loaded where they are called."""
    modules = {file.relative_to(ROOT).with_suffix("").parts[1] for file in MODULES} - {"__init__"}
    found = loaded_by("\n".join(f"import dplib.{module}" for module in modules))
    assert found <= {"numpy", "scipy", "scipy.special", "multiprocessing", "dplib.mechanisms"}


# --- what a type checker says -----------------------------------------------------------------------------------------------

RIGHT = '''
import numpy as np
from dplib.accounting import PrivacyLoss, compose_basic
from dplib.aggregation import bounded_mean, private_median, subsample_and_aggregate
from dplib.histograms import laplace_histogram, stability_histogram
from dplib.mean import adaptive_plan, mean_interval, two_stage_mean
from dplib.mechanisms import discrete_laplace, gaussian, gaussian_sigma, laplace

rng = np.random.default_rng()
ages = rng.normal(40, 10, size=1000).clip(0, 99)
count = laplace((ages > 65).sum(), sensitivity=1, epsilon=0.5, rng=rng)
print(f"{count:.1f}", round(float(count), 2), discrete_laplace(3, sensitivity=1, epsilon=1, rng=rng) + 1)
many = laplace([[1, 2], [3, 4]], sensitivity=np.float64(2), epsilon=1 / len(ages), rng=rng)
print(many[0], many.mean())
sigma = gaussian_sigma(sensitivity=1, epsilon=[0.1, 1], delta=1e-6)
print(gaussian(ages, sensitivity=sigma[0], epsilon=np.log(3), delta=1e-6, rng=rng))
cells = laplace_histogram(
    np.floor(ages).astype(int), cells=100, epsilon=1, neighbor="replace", noise="laplace", rng=rng)
found = stability_histogram(
    ["a", "b"], domain="text", epsilon=1, delta=1e-6, neighbor="add_remove", noise="discrete_laplace", rng=rng)
print(cells.sum(), found.labels.size, found.threshold)
low, high = mean_interval(ages / 10, radius=10, epsilon=1, rng=rng)
print(two_stage_mean(ages.reshape(2, -1), radius=10, epsilon=1, runs=True, rng=rng)[1] < high - low)
print(bounded_mean(ages, bounds=(0, 100), epsilon=1, rng=rng))
print(bounded_mean(ages, bounds=[0, 100.5], epsilon=1, rng=rng))
spent = PrivacyLoss.from_laplace(epsilon=0.1).compose(100).epsilon(1e-6)
print(spent + sum(compose_basic(count=3, epsilon=[0.1], delta=0)))
print(adaptive_plan(size=ages.size, radius=3, epsilon=1).stages + 1)
print(subsample_and_aggregate(
    ages, np.std,
    lambda a, rng: private_median(a, candidates=np.linspace(0, 10, 11), epsilon=1, neighbor="replace", rng=rng),
    blocks=10, default=0, rng=rng))
'''
START = "import numpy as np\nfrom dplib.{} import {} as release\nrng = np.random.default_rng()\n"
WRONG = {
    "misspelt": (START.format("mechanisms", "laplace") + "release(3, sensitivity=1, epsilom=1, rng=rng)",
                 'Unexpected keyword argument "epsilom" for "laplace"; did you mean "epsilon"?'),
    "choice": (START.format("histograms", "laplace_histogram")
               + 'release([0, 1], cells=2, epsilon=1, neighbor="add-remove", noise="laplace", rng=rng)',
               "expected \"Literal['replace', 'add_remove']\""),
    "text": (START.format("mean", "clipped_mean") + 'release([.1, .2], radius=1, epsilon="1", rng=rng)',
             'Argument "epsilon" to "clipped_mean" has incompatible type "str"')}


def test_a_type_checker_finds_what_is_wrong_in_a_script_and_nothing_in_a_right_one(tmp_path):
    """Three scripts with a mistake each, and a longer one without; all at once, since the checker reads NumPy for each run."""
    scripts = {"right": RIGHT} | {name: script for name, (script, _) in WRONG.items()}
    for name, script in scripts.items():
        (tmp_path / f"{name}.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", *(f"{name}.py" for name in scripts)]
    environment = {"MYPYPATH": str(ROOT), "MYPY_CACHE_DIR": str(tmp_path)}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    errors = [line for line in run.stdout.splitlines() if ": error: " in line]
    assert len(errors) == len(WRONG), run.stdout + run.stderr
    for error, (name, (_, message)) in zip(errors, WRONG.items()):
        assert error.startswith(f"{name}.py:4: error: ") and message in error


def test_the_right_script_runs(capsys):
    exec(RIGHT, {})
    assert capsys.readouterr().out
