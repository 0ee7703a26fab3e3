# SPDX-License-Identifier: Apache-2.0
# The two commands a newcomer needs are `make demo` and `make test`. Everything else is behind ./signalbox.
.DEFAULT_GOAL := help
.PHONY: help demo test lint format wheel clean

help:
	@echo 'make demo    the published test case T0 on two cores: a table here, a timeline in report.html'
	@echo 'make test    everything that is checked; STAGES="lint rust" runs only those, STAGES=list names them'
	@echo 'make lint    formatting, linters, dependency and style checks'
	@echo 'make format  formats C, Rust and Python'
	@echo 'make wheel   one package with everything in it, in dist/: pip install dist/*.whl'
	@echo 'make clean   removes what was built (not .venv; remove it by hand to start afresh)'

demo:
	@tools/bootstrap.sh demo
	@./signalbox experiment run osek-linx-t0 --report report.html

test:
	@tools/bootstrap.sh test
	@python3 tools/run_stages.py $(STAGES)

lint:
	@tools/bootstrap.sh test
	@python3 tools/run_stages.py setup checkers lint-python lint-rust lint-c

format:
	@tools/bootstrap.sh test
	@SIGNALBOX_DEV=1 ./signalbox --version >/dev/null
	cd sim && cargo fmt
	git ls-files -co --exclude-standard -- '*.c' '*.h' | xargs clang-format -i
	.venv/bin/ruff check --quiet --fix --select I .
	.venv/bin/ruff format --quiet .

wheel:
	@tools/bootstrap.sh test
	@SIGNALBOX_DEV=1 ./signalbox --version >/dev/null
	@.venv/bin/python tools/make_wheel.py

clean:
	rm -rf build apps/*/build tests/*/build report.html sim/target
	find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
