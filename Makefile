# Everything a user needs on a machine that has only Python and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo docs browser test kilted lint coverage fuzz mutants lock clean

## Walk from a sticky floor onto a slippery one over real ROS 2 topics, without and with slip prevention.
demo: $(STAMP)
	$(BIN)/biped-slip demo

## A browser for the tests that look at pages, where the system's packages can be installed; they skip without one.
browser:
	command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver; } || \
		echo "no browser could be installed: the tests that need one skip"

## The whole test suite.
test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -rsR

## The ROS tests with the client library of ROS 2 Kilted: an environment that lies before the first one.
KILTED := .venv-kilted
kilted: $(KILTED)/.installed
	$(KILTED)/bin/python -m pytest -n 2 --dist loadfile -rsR test/ros

PURELIB := -c "import sysconfig; print(sysconfig.get_path('purelib'))"
$(KILTED)/.installed: $(STAMP) requirements/kilted.txt
	$(PYTHON) -m venv --clear $(KILTED)
	$(KILTED)/bin/python -m pip install --no-deps --require-hashes -r requirements/kilted.txt
	echo "import site; site.addsitedir('$$($(BIN)/python $(PURELIB))')" > "$$($(KILTED)/bin/python $(PURELIB))/behind.pth"
	touch $@

## Linters and type checks.
lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

## Line coverage of the library: everything compiled, then the kernels' own tests as the plain Python that kernels are.
KERNEL_TESTS := test/control test/robots test/estimation test/contact test/simulation/planar/test_plant.py \
	test/simulation/planar/test_contact_physics.py test/simulation/humanoid test/friction_estimation/test_interval_estimator.py \
	test/friction_laws/test_bliman_sorine.py test/friction_estimation/test_rls.py test/friction_estimation/test_limit_rule.py \
	test/friction_estimation/test_sliding.py test/friction_estimation/test_slip_based.py test/friction_estimation/test_force_plateau.py
coverage: $(STAMP)
	rm -rf .coverage* && mkdir .coverage-cache
	BIPED_SLIP_CACHE=$(CURDIR)/.coverage-cache $(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report=
	mv .coverage .coverage.compiled
	NUMBA_DISABLE_JIT=1 COVERAGE_FILE=.coverage.plain $(BIN)/coverage run -m pytest \
		-m "not slow and not ros and not compiled" $(KERNEL_TESTS)
	$(BIN)/coverage combine
	$(BIN)/coverage report --fail-under=90 --skip-covered

INSTALL := $(BIN)/python -m pip install --no-deps
$(STAMP): setup.py requirements/make.txt
	@echo "1 of 4: an environment in $(VENV)"
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "2 of 4: the libraries of requirements/make.txt, 2.4 GB: some minutes"
	$(INSTALL) --require-hashes -r requirements/make.txt
	@echo "3 of 4: biped_slip itself"
	$(INSTALL) --no-build-isolation -e .
	@echo "4 of 4: kernels, compiled once"
	$(BIN)/python -c "import quantecon.optimize.lcp_lemke"  # compiles on import, which two processes must not do at once
	$(BIN)/biped-slip compile
	touch $(STAMP)

## New versions and hashes of everything that is installed here, for every Python and platform (needs uv).
LOCK := uv pip compile -q --universal --python-version 3.10 --generate-hashes --no-annotate --no-header
EXTRAS := ros humanoids campaigns view unitree test lint
lock:
	printf 'pip\nsetuptools<80\nwheel\n' | $(LOCK) $(EXTRAS:%=--extra %) setup.py - -o requirements/make.txt
	printf 'ros-kilted-rclpy\nros-kilted-rmw-fastrtps-cpp\nros-kilted-common-interfaces\n' | $(LOCK) \
		$(addprefix --no-emit-package ,numpy pyyaml setuptools typing-extensions) - -o requirements/kilted.txt
	printf 'furo\nmyst-nb\nsphinx\nsphinx-mathjax-offline\n' | $(LOCK) - -o requirements/docs.txt

## The site, in docs/_build/html: warnings are errors, tutorials are executed, scenes are walked once, nothing is fetched.
SCENES := docs/_scenes/scenes
docs: $(VENV)/.documented $(addprefix $(SCENES)/,planar.html talos.html g1.html)
	bash -c 'time $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html'
	$(BIN)/python docs/links.py docs/_build/html
	du -sh docs/_build/html

$(SCENES)/planar.html: VIEWED := --limit none touchdown --span 3 12
$(SCENES)/talos.html: VIEWED := --robot talos
$(SCENES)/g1.html: VIEWED := --robot g1
$(SCENES)/%.html: | $(VENV)/.documented
	mkdir -p $(SCENES)
	$(BIN)/biped-slip view $(VIEWED) --html $@

$(VENV)/.documented: $(STAMP) requirements/docs.txt
	$(INSTALL) --require-hashes -r requirements/docs.txt
	touch $@

## Half an hour of hostile files of every format (not part of the tests).
fuzz: $(STAMP)
	$(BIN)/python -m studies fuzz --seconds 1800 $(FILES)

## Do the tests of what keeps a robot safe notice wrong lines? An hour (not part of the tests).
mutants: $(STAMP)
	$(BIN)/python -m studies mutation --minutes 60

clean:
	rm -rf $(VENV) $(KILTED) build install log report docs/_build docs/_scenes *.egg-info
