# Two targets a newcomer needs: `make demo` and `make test`.
# The others: build (debug build), dist (a tree to copy to a GPU machine), packages (.deb and .tar.gz), bench-search (the
# table of docs/search.md), sanitize (the tests under sanitizers), fuzz (every fuzz target for SECONDS), attack (kills, damage,
# hostile files, an hour; ATTACK_SCALE), format, tidy.
JOBS ?= $(shell nproc)
SECONDS ?= 60
ATTACK_SCALE ?= 1

.PHONY: help demo test build dist packages bench-search sanitize fuzz attack format tidy clean setup

help:
	@sed -n 's/^# //p' Makefile

setup:
	@scripts/setup.sh

demo:
	@scripts/setup.sh demo
	@scripts/demo.sh

test: setup
	@scripts/test.sh $(JOBS)

build: setup
	cmake --preset dev
	cmake --build --preset dev -j $(JOBS)

dist: setup
	@scripts/dist.sh $(JOBS)

packages: setup
	@scripts/packages.sh $(JOBS)

bench-search: setup
	cmake --preset release
	cmake --build --preset release -j $(JOBS)
	tests/bench/search_table.py build/release/bin/warptune

sanitize: setup
	@scripts/sanitize.sh $(JOBS)

fuzz: setup
	@scripts/fuzz.sh $(SECONDS) $(JOBS)

attack: setup
	@scripts/attack.sh $(ATTACK_SCALE) $(JOBS)

format:
	git ls-files -co --exclude-standard '*.cpp' '*.h' '*.hpp' '*.c' | xargs clang-format -i

tidy:
	cmake --preset dev >/dev/null
	@scripts/tidy.sh build/dev

clean:
	rm -rf build dist
