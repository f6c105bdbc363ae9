# Start with:
#   make demo          tune from recordings, explain and report; needs no GPU
#   make test          build, then run all tests that need no GPU, and print the counts
# Other targets:
#   make build         debug build in build/dev
#   make dist          a relocatable tree and .tar.gz in dist/, to copy to a GPU machine
#   make packages      .deb and .tar.gz packages in dist/
#   make bench-search  rewrite the table of docs/search.md
#   make sanitize      run the tests under sanitizers
#   make fuzz          run every fuzz target for SECONDS seconds (default 60)
#   make attack        kills, damage and hostile files; about an hour; ATTACK_SCALE=0.02 runs 2 % of it
#   make setup         install missing Debian packages; the targets above do this first
#   make format, make tidy, make clean
# JOBS=N: number of parallel jobs; default: the number of cores.
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
	cmake --build --preset release -j $(JOBS) --target warptune
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
