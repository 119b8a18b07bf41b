# Everything a user needs on a machine that has only Python and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint coverage fuzz clean

## Walk from a sticky floor onto a slippery one over real ROS 2 topics, without and with slip prevention.
demo: $(STAMP)
	$(BIN)/biped-slip demo

## The whole test suite.
test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile

## Linters and type checks.
lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

## Line coverage of the library; kernels run as plain Python so that their lines count.
coverage: $(STAMP)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist loadfile -m "not ros and not compiled" \
		--cov --cov-report=term --cov-fail-under=90

$(STAMP): setup.py constraints.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip "setuptools<80" wheel
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[ros,recordings,test,lint]"
	touch $(STAMP)

## Ten minutes of hostile recordings (not part of the tests).
fuzz: $(STAMP)
	$(BIN)/python fuzz/recordings.py 600 $(FILES)

clean:
	rm -rf $(VENV) build install log report *.egg-info
