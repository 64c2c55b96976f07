# Every command a newcomer needs; `make help` lists them. The work itself is in CMake and scripts/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
BASE ?=
# Tests that drive an embedded cluster wait more than they compute: five of them keep two processors busy.
TEST_JOBS ?= $(shell echo $$((5 * $(JOBS) / 2)))
# No --repeat: a test that fails once has failed.
CTEST := ctest --output-on-failure --no-tests=error
build = cmake --preset $(1) $(3) >/dev/null && cmake --build --preset $(1) -j $(JOBS) $(2)

.PHONY: help demo release test test-real test-all manifests reference image-test conformance lint tidy format asan tsan gcc mutate fuzz rig deps deps-build deps-release clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install the Debian packages that are missing (root or sudo)
	@scripts/install-deps --quiet

deps-build:
	@scripts/install-deps --quiet build web

deps-release: deps-build
	@scripts/install-deps --quiet release

demo: deps-build ## build the program, quickly, and watch an embedded cluster live through a scenario
	@$(call build,demo,--target rescheduler)
	@build/demo/src/cli/rescheduler demo

release: deps-release ## the program as the image has it and the benchmarks measure it: optimised, ThinLTO
	@$(call build,release,--target rescheduler)

test: deps ## every test that takes seconds and needs no control plane built from source
	@$(call build,check)
	@$(CTEST) -j $(TEST_JOBS) --test-dir build/check -LE 'real|long'

test-real: deps rig ## the tests on the real control plane (built once, cached outside the tree), and the long runs
	@$(call build,check,,-DRESCHEDULER_REAL=ON)
	@$(CTEST) -j $(JOBS) --test-dir build/check -L 'real|long'

test-all: test test-real ## all of both

rig: ## build the real control plane and Helm for the tests (Kubernetes, etcd, KWOK; needs Go)
	@{ tools/kube-rig/rig build && tools/kube-rig/rig build --only helm; } || { code=$$?; [ $$code -eq 3 ] || exit $$code; \
	  echo 'rig: the tests against the real control plane will be reported as skipped'; }

reference: manifests ## the configuration reference, from the code that reads the configuration (written with the manifests)

manifests: deps ## write again what follows from the program and tools/monitoring/source.py: RBAC, chart, reference, rules, dashboards
	@$(call build,dev,--target rescheduler)
	@tools/manifests/generate build/dev/src/cli/rescheduler
	@tools/monitoring/generate

image-test: ## every step of the Dockerfile without Docker, in a fresh Debian (root, debootstrap, network, patience)
	@tests/deploy/image_test --full $(if $(BINARY),--binary $(BINARY))

include bench/bench.mk

conformance: deps rig ## 2,000 random scenarios, decided by the real kube-scheduler and by ours (SEED, SCENARIOS, KEEP)
	@$(call build,release,--target rescheduler)
	@tests/conformance/run --scenarios $(or $(SCENARIOS),2000) $(if $(SEED),--seed $(SEED)) $(if $(KEEP),--keep $(KEEP)) \
	  --ours build/release/src/cli/rescheduler

# TARGETS: the targets to build; ONLY: a regular expression for the names of ctest entries. Without them, all targets
# are built, and all tests run except those with the labels real, long, web and lint.
sanitized = $(call build,$(1),$(if $(TARGETS),--target $(TARGETS))) && \
  $(CTEST) -j $(JOBS) --test-dir build/$(1) -LE 'real|long|web|lint' $(if $(ONLY),-R '$(ONLY)')

asan: deps ## tests under the address and undefined-behaviour sanitizers (ONLY='^kube_test' TARGETS=kube_test)
	@$(call sanitized,asan)

tsan: deps ## tests under the thread sanitizer (ONLY='^kube_test' TARGETS=kube_test)
	@$(call sanitized,tsan)

gcc: deps ## the second compiler: build everything with g++ and run the tests (ONLY='^kube_test' TARGETS=kube_test)
	@$(call sanitized,gcc)

mutate: deps ## one-line mistakes, each of which a test must catch (ONLY=NAME for one); not part of any test run
	@tools/mutate/mutate $(if $(ONLY),--only $(ONLY))

fuzz: deps ## every fuzz target for a bounded time (SECONDS_EACH, default 20)
	@$(call build,fuzz,--target fuzz_targets)
	@scripts/fuzz $(SECONDS_EACH)

lint: deps ## layers, awaits, sizes, retired names, spelling, formatting; clang-tidy over what changed since BASE (default origin/main)
	@cmake --preset dev >/dev/null
	@scripts/lint --tidy changed $(if $(BASE),--base $(BASE))

tidy: deps ## clang-tidy over everything (about 15 s of CPU a file)
	@cmake --preset dev >/dev/null
	@scripts/lint --tidy all

format: deps ## clang-format everything in place
	@git ls-files '*.cc' '*.h' | xargs clang-format-19 -i

clean: ## remove the build trees
	rm -rf build
