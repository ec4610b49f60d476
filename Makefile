# Everything sets itself up: Python 3.11 or newer and make are all that must be there.
# PORT, HOST, RACECARD_DATA, DATABASE_URL and REDIS_URL say where and on what `make run` serves.

PYTHON3 ?= python3
RUN = @$(PYTHON3) tools/bootstrap.py run && exec .venv/bin/python
DEV = @$(PYTHON3) tools/bootstrap.py dev && exec .venv/bin/python

.PHONY: help setup run client kit compiled test test-quick one servers lint browser screenshots nightly soak cluster bench scaling openapi licences vectors docs release lock clean

help:
	@echo 'make run      set up, build, migrate and serve on http://127.0.0.1:8000/ (Ctrl-C stops)'
	@echo 'make test     everything that must pass: SQLite, PostgreSQL + Valkey, web client'
	@echo 'make test-quick  four tests of five in 80 s, on SQLite: at every save'
	@echo 'make one TEST=tests/jobs [DATABASE=postgresql]  some tests; `make servers` in another shell makes it quick'
	@echo 'make lint     style, wording, types, import layers, dependency audit'
	@echo 'make browser  the tests that drive a real Chromium'
	@echo 'make kit      show all parts of the web client at http://localhost:5173/kit/'
	@echo 'make screenshots  the pictures of docs/screens.md'
	@echo 'make nightly  every test on both databases, every page in every view, every target in a fresh clone; ARGS="--since REF" for a change'
	@echo 'make soak     the full counts of the kill, concurrency and playing tests'
	@echo 'make cluster  as root: play on a cluster of 15 hosts on this machine while parts of it fail, about 8 minutes'
	@echo 'make bench    compare the speed of the installation with its peers'
	@echo 'make scaling  the tables and the plot of docs/scaling.md, from tools/scaling/*.toml'
	@echo 'make setup    the development environment in .venv, with the racecard command'
	@echo 'make compiled  compile the rules for RACECARD_COMPILED=1; needs a C compiler'
	@echo 'make openapi  write docs/openapi.json, and the texts of the code in docs/api.md and docs/errors.md'
	@echo 'make licences  write docs/licences.md'
	@echo 'make vectors  write docs/vectors/, for verifiers in other languages'
	@echo 'make docs     the documentation as a site, in build/docs/site'
	@echo 'make release  wheels, sdist, documentation, and bill of materials in dist/, tried in an empty environment'
	@echo 'make lock     pin requirements/ again    make clean'

setup:
	@$(PYTHON3) tools/bootstrap.py dev

run:
	@$(PYTHON3) tools/bootstrap.py run
	@.venv/bin/python -m tools.frontend build --if-possible
	@exec .venv/bin/python manage.py serve

client:
	$(RUN) -m tools.frontend build

kit:
	$(DEV) -m tools.frontend kit

compiled:
	$(DEV) -m tools.compiled

test:
	$(DEV) -m tools.suite $(ARGS)

test-quick:
	$(DEV) -m tools.suite --quick $(ARGS)

one:
	$(DEV) -m tools.suite --one $(or $(DATABASE),sqlite) $(TEST) $(ARGS)

servers:
	$(DEV) -m tools.services

lint:
	$(DEV) -m tools.lint

browser:
	$(DEV) -m tools.browser $(ARGS)

screenshots:
	$(DEV) -m tools.screenshots

nightly:
	$(DEV) -m tools.nightly $(ARGS)

soak:
	$(DEV) -m tools.suite --soak $(ARGS)

cluster:
	$(DEV) -m tools.cluster $(ARGS)

bench:
	@$(PYTHON3) tools/bootstrap.py dev
	@$(PYTHON3) tools/bootstrap.py bench
	@.venv-bench/bin/python -m bench._boardgame
	@exec .venv/bin/python -m tools.services --durable -- .venv-bench/bin/python -m bench

scaling:
	$(DEV) -m tools.scaling

openapi:
	$(DEV) manage.py spectacular --format openapi-json --file docs/openapi.json --validate --fail-on-warn
	$(DEV) -m tools.reference

licences:
	$(DEV) -m tools.licences

vectors:
	$(DEV) -m tools.vectors

docs:
	$(DEV) -m tools.docs

release:
	$(DEV) -m tools.release

lock:
	$(DEV) -m tools.lock

clean:
	rm -rf .venv .venv-bench .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf frontend/node_modules frontend/dist clients/typescript/dist clients/typescript/src/schema.ts clients/python/racecard_client/rest clients/*/LICENSE build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo 'The data folder (var/) is left as it is.'
