# make book   build the site into _build/html          make serve   build and show it on this machine
# make test   test package, site and problem sets       make course  problem sets: student, solution, autograder editions
# make test-all  the same, and all that make test says it left out: for a night
# make pdf    the book on paper; SITE=https://… gives its figures codes that lead to the live ones     make zip    the site as one file
# make bench  other libraries, baselines and ours       make live    the pages as notebooks in JupyterLab
# make slides a deck for each page, made from the built page, into _build/html/slides
# make check  before a commit, in seconds: the linter and the fast tests of what changed; PAGE=packing adds the claims of that page
# make public writes the tree that may be published, all but the problem sets for marks, into _build/public
# make bare   runs every page as a notebook in a fresh environment with JupyterLab, NumPy, SciPy and Matplotlib alone: about five minutes
# make mutants  samples N=40 small changes of dplib (SEED=1, ONLY=friendly) and prints those that no test notices
# Everything is set up on first use: Python 3.11 or newer is all that has to be there.

PYTHON ?= python3
ENV    := .venv
BIN    := $(ENV)/bin
SHELL  := bash
CODE   := $(shell find dplib -name '*.py') tests/chance.py $(wildcard tests/claims/*.py)
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export PYTHONHASHSEED := 0
# What a process has compiled the next one reads: without that, importing SciPy and IPython costs three more seconds each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: book test test-all check mutants serve slides live bare course pdf zip public bench clean
.DEFAULT_GOAL := book

$(ENV)/ready: requirements.txt pyproject.toml
	@echo "== setting up $(ENV) (once): the libraries of requirements.txt and this package"
	$(PYTHON) -m venv $(ENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.txt
	@touch $@

# The code and the labels of the pages: claims run on both, and not again when only the prose has changed.
_build/pages: $(wildcard chapters/*.md)
	@mkdir -p _build && awk '/^```\{code-cell\}/,/^```$$/; /^:label:/' $^ > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

_build/claims.json: $(ENV)/ready $(CODE) _build/pages
	@echo "== checking every claim of the book"
	$(BIN)/python -m pytest -q -n auto --dist loadfile tests/claims

book: _build/claims.json
	@echo "== executing the pages that changed"
	$(BIN)/python -m dplib.book.execute
	@echo "== building the site"
	$(BIN)/jupyter-book build -W -n --keep-going .
	@echo "== done: open _build/html/index.html"

test: book
	@$(BIN)/python -c "from tests.site.browser import announce; announce()"
	$(BIN)/python -m pytest -q -n auto --dist loadscope --doctest-modules dplib tests --ignore=tests/claims

test-all: export TEST_ALL := 1
test-all: test

# Spark is asked by make test-all alone, where a Java is there to run it.
$(ENV)/spark: $(ENV)/ready tests/spark.txt
	@if command -v java > /dev/null; then $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r tests/spark.txt; \
	else echo "== no Java: make test-all leaves out Spark"; fi
	@touch $@

ifneq ($(TEST_ALL)$(filter test-all,$(MAKECMDGOALS)),)
test: $(ENV)/spark
endif

check: $(ENV)/ready
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -q -n auto --dist loadfile -m "not slow" --doctest-modules $$($(BIN)/python tests/changed.py)
	@$(if $(PAGE),$(BIN)/python -m pytest -q tests/claims/test_$(subst -,_,$(PAGE)).py)

mutants: $(ENV)/ready
	$(BIN)/python tests/mutate.py -n $(or $(N),40) --seed $(or $(SEED),1) --only "$(ONLY)"

serve: book
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000

slides: book
	@echo "== writing a deck for each page"
	$(BIN)/python -m dplib.book.decks

live: book
	$(BIN)/jupyter lab _build/html/_sources/chapters/why-privacy.ipynb

# A fresh one each time: the first page installs the package into it.
bare: book
	$(PYTHON) -m venv --clear .venv-bare
	.venv-bare/bin/python -m pip install --quiet --disable-pip-version-check -c .binder/pins.txt jupyterlab numpy scipy matplotlib
	BARE_PYTHON=.venv-bare/bin/python $(BIN)/python -m pytest -q tests/site/test_bare.py

PAPER := latexmk texlive-xetex texlive-latex-extra texlive-fonts-recommended texlive-lang-english fonts-stix fonts-dejavu-core \
         fonts-texgyre fonts-texgyre-math librsvg2-bin

pdf: export BOOK_ADDRESS := $(or $(SITE),$(BOOK_ADDRESS))
pdf:
	@for tool in latexmk xelatex rsvg-convert; do command -v $$tool > /dev/null || { echo "make pdf needs: apt install $(PAPER)"; exit 1; }; done
	$(MAKE) book
	$(BIN)/jupyter-book build -W -n --keep-going --builder latex .
	cd _build/latex && latexmk -pdf -silent -dvi- -ps- book.tex
	cp _build/latex/book.pdf _build/html/book.pdf
	$(BIN)/python -m dplib.book.copies

zip: book
	$(BIN)/python -m dplib.book.copies zip

course: $(ENV)/ready
	$(BIN)/python exercises/course.py build all _build/course

public: $(ENV)/ready
	$(BIN)/python exercises/publish.py

.venv-bench/ready: benchmarks/requirements.txt pyproject.toml
	@echo "== setting up .venv-bench (once): the libraries that we measure ourselves against"
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	@touch $@

bench: .venv-bench/ready
	.venv-bench/bin/python benchmarks/run.py
	.venv-bench/bin/python benchmarks/accuracy.py
	.venv-bench/bin/python benchmarks/audits.py
	.venv-bench/bin/python benchmarks/accounts.py
	.venv-bench/bin/python benchmarks/designs.py
	.venv-bench/bin/python benchmarks/tables.py
	.venv-bench/bin/python benchmarks/medians.py
	.venv-bench/bin/python benchmarks/coefficients.py
	.venv-bench/bin/python benchmarks/engines.py
	.venv-bench/bin/python benchmarks/noisy_gradients.py
	.venv-bench/bin/python benchmarks/words.py
	@if [ -d _build/html ]; then $(BIN)/python benchmarks/redraw.py; else echo "no built book: redraw times left out (make book first)"; fi

clean:
	rm -rf _build
