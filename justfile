# `just` checks everything; `just --list` shows the rest.

export PATH := justfile_directory() / ".venv/bin:" + env("PATH")

default: check

# Lint, formats, imports, types, tests
check:
    scripts/test

# A fresh environment in .venv
setup:
    scripts/setup

# The long suites as well
slow:
    pytest -n auto --maxprocesses 4 --dist loadfile -m "slow or not slow"

# Only what a change of code may break quickly
quick:
    ruff check . && pytest -x -q tests -m "not slow and not model and not browser and not real_server"

format:
    ruff check --fix . ; ruff format .

# Ratios against a reference run beside them
bench:
    for file in benchmarks/bench_*.py; do python $file; done

# The published coverage of every interval (five minutes)
coverage:
    python benchmarks/coverage_page.py

# Pin the development environment again
lock:
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
      --extra local --extra llamacpp --extra parquet --extra frames --no-header pyproject.toml requirements/dev.in -o requirements/dev.txt

# Test our own grader again and write its certificate (whenever a reader or scorer changes)
certify:
    eyechart grader test careful --seed 20261201 --shelf src/eyechart/data/certificates
