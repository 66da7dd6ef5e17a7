# The environment is .venv/; the command is .venv/bin/ocrline. Bare `make` prints this help.
SHELL := /bin/bash
PYTHON ?= python3.11
BIN := .venv/bin
UV := $(BIN)/uv
# An empty value switches bytecode caching on: without it every start is three times slower.
export PYTHONDONTWRITEBYTECODE :=
export DO_NOT_TRACK := 1
# The certificates that the machine trusts, a company's own among them, as pip, git and curl do.
export UV_SYSTEM_CERTS ?= true

.DEFAULT_GOAL := help
.PHONY: help setup paddleocr-runtime serving-runtime image serving-image demo demo-ppocr demo-serving day test test-slow check bench serve generations lock

help: ## Print this help
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-17s %s\n", $$1, $$2}'

setup: .venv/.ready ## Make .venv from the hashed lock (well under a minute)

.venv/.ready: requirements.lock bootstrap.lock pyproject.toml deploy/opencv-contrib-python/pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "error: $(PYTHON) not found; install it, or name one: make setup PYTHON=/path/to/python3.11"; exit 2; }
	@test -x $(UV) || deploy/bootstrap.sh $(PYTHON)
	@$(UV) pip install --quiet --python .venv --require-hashes --requirement requirements.lock
	@$(UV) pip install --quiet --python .venv --no-deps --no-build-isolation --editable .
	@# --no-config: our own override in pyproject.toml would leave it out.
	@$(UV) pip install --quiet --python .venv --no-deps --no-build-isolation --no-config ./deploy/opencv-contrib-python
	@touch $@

paddleocr-runtime: .venv-paddleocr/.ready ## Make .venv-paddleocr: what PaddleOCR's own trainer needs

.venv-paddleocr/.ready: deploy/paddleocr/requirements.lock | setup
	@$(UV) venv --quiet --clear --python $(PYTHON) .venv-paddleocr
	@# Compiled now: the trainer writes no bytecode, and would compile these anew at each start.
	@$(UV) pip install --quiet --python .venv-paddleocr --no-deps --require-hashes --compile-bytecode --requirement $<
	@touch $@

serving-runtime: .venv-serving/.ready ## Make .venv-serving: Paddle Serving, on a Python 3.9

.venv-serving/.ready: deploy/paddle_serving/requirements.lock | setup
	@$(UV) venv --quiet --clear --python "$$(deploy/paddle_serving/find_python39.sh)" .venv-serving
	@$(UV) pip install --quiet --python .venv-serving --no-config --no-deps --require-hashes --compile-bytecode --requirement $<
	@touch $@

image: ## Build the images that resources.runtime: container runs jobs in (IMAGE_OPTIONS: of docker build)
	@for target in embedded paddleocr; do \
	  DOCKER_BUILDKIT=1 docker build --quiet --file deploy/images/training/Dockerfile --target $$target \
	    --label org.opencontainers.image.revision="$$(git describe --always --abbrev=40 --exclude '*' --dirty)" \
	    --tag ocrline-training:$$target $(IMAGE_OPTIONS) . || exit; \
	done

serving-image: ## Build the image of Paddle Serving, for a machine without a Python 3.9
	@DOCKER_BUILDKIT=1 docker build --quiet --file deploy/images/paddle_serving/Dockerfile \
	  --tag ocrline-paddle-serving $(IMAGE_OPTIONS) .

demo: setup ## Run every stage on this machine: dataset to an answer over REST
	@$(BIN)/python -m cli.demo

demo-ppocr: setup paddleocr-runtime ## The same with PaddleOCR's own trainer, on rendered meter readings
	@PADDLEOCR_HOME="$${PADDLEOCR_HOME:-$(wildcard ../shared/peers/PaddleOCR)}" $(BIN)/python -m cli.demo meters-ppocr

demo-serving: setup serving-runtime ## The same with Paddle Serving: does it read as the checkpoint does?
	@$(BIN)/python -m cli.demo smoke --set deployment.target=paddle-serving
	@$(BIN)/python -m bench.serve.checkpoint smoke

day: setup ## A day of a team that operates ocrline, in a browser; pictures of each step in .day/
	@DAY_PICTURES=.day $(BIN)/python -m pytest tests/end_to_end/day --capture no --timeout 3000

check: setup ## ruff, mypy, import-linter
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup ## The tests CI runs
	@# By file: what its tests share is made once. Three on two cores, for many wait for processes.
	$(BIN)/python -m pytest -m 'not slow' -n 3 --dist loadfile --no-loadscope-reorder

test-slow: setup ## The long proofs as well
	$(BIN)/python -m pytest --timeout 3600

bench: setup ## The benchmarks that need no data of yours, each beside its peer
	$(BIN)/python -m bench.prepare --rows 20000 200000
	$(BIN)/python -m bench.roots
	$(BIN)/python -m bench.train
	$(BIN)/python -m bench.serve

serve: setup ## Serve the champions of the local registry
	$(BIN)/ocrline serve

generations: setup ## Record the code of every stage, after a thought about what it makes
	$(BIN)/python -m tests.generations

lock: ## Resolve pyproject.toml into the hashed locks again
	$(UV) pip compile --quiet --all-extras --generate-hashes --no-header --no-annotate --python-version 3.11 --output-file requirements.lock pyproject.toml
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --python-version 3.11 --overrides deploy/paddleocr/overrides.txt --output-file deploy/paddleocr/requirements.lock deploy/paddleocr/requirements.in
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --no-config --python-version 3.9 --overrides deploy/paddle_serving/overrides.txt --output-file deploy/paddle_serving/requirements.lock deploy/paddle_serving/requirements.in
	echo 'uv==0.13.8' | $(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --output-file bootstrap.lock -
