# Every command a newcomer needs; `make help` lists them. The work itself is in CMake and scripts/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
BASE ?=
# Nothing is tried twice: a test that fails has failed. Tests that mostly wait share a core.
CTEST := ctest --output-on-failure --no-tests=error -j $(JOBS)
build = cmake --preset $(1) >/dev/null && cmake --build --preset $(1) -j $(JOBS) $(2)

.PHONY: help demo release test test-real test-all manifests reference image-test bench bench-sync bench-embedded bench-dashboard bench-decisions bench-load bench-planner bench-roadef bench-peers bench-descheduler conformance lint tidy format asan tsan gcc fuzz rig deps deps-build deps-release clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

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

test: deps ## every test that needs no control plane built from source
	@$(call build,check)
	@$(CTEST) --test-dir build/check -LE real

test-real: deps rig ## the tests on the real control plane (built once, cached outside the tree)
	@$(call build,check)
	@$(CTEST) --test-dir build/check -L real

test-all: test test-real ## all of both

rig: ## build the real control plane and Helm for the tests (Kubernetes, etcd, KWOK; needs Go)
	@{ tools/kube-rig/rig build && tools/kube-rig/rig build --only helm; } || { code=$$?; [ $$code -eq 3 ] || exit $$code; \
	  echo 'rig: the tests against the real control plane will be reported as skipped'; }

reference: manifests ## the configuration reference, from the program's own reader (written with the manifests)

manifests: deps ## write again what follows from the program and tools/monitoring/source.py: RBAC, chart, reference, rules, dashboards
	@$(call build,dev,--target rescheduler)
	@tools/manifests/generate build/dev/src/cli/rescheduler
	@tools/monitoring/generate

image-test: ## every step of the Dockerfile without Docker, in a fresh Debian (root, debootstrap, network, patience)
	@tests/deploy/image_test --full $(if $(BINARY),--binary $(BINARY))

bench: deps deps-release ## micro-benchmarks (release build)
	@$(call build,release,--target codec_bench)
	@build/release/bench/codec_bench

bench-sync: deps rig ## first sync of 20,000 pods beside client-go, same real API server
	@$(call build,release,--target sync_bench)
	@bench/sync --build build/release

bench-embedded: deps ## the embedded cluster with 5,000 nodes and 100,000 pods: speed and memory
	@$(call build,release,--target embedded_bench)
	@build/release/bench/embedded_bench

bench-decisions: deps ## decisions a second without an API server, and how cost grows with nodes and pods
	@$(call build,release,--target decision_bench)
	@build/release/bench/decision_bench

bench-dashboard: deps ## 20 viewers, 100 pod changes a second, 5,000 nodes: what serving the pages costs (ARGS='20 100 5000 30')
	@$(call build,release,--target dashboard_bench)
	@build/release/bench/dashboard_bench $(ARGS)

bench-load: deps ## a day of recorded load placed by each published rule and by ours: minutes above 80 % (ARGS='--quick')
	@$(call build,release,--target load_replay)
	@build/release/bench/load_replay/load_replay $(ARGS) || { code=$$?; [ $$code -eq 77 ] || exit $$code; \
	  echo 'bench-load: skipped'; }

bench-planner: deps ## a first plan of 200 moves: time, what it brings, and growth from 100 to 5,000 machines
	@$(call build,release,--target planner_bench)
	@build/release/bench/planner_bench $(ARGS)

bench-roadef: deps ## the planner on the ROADEF/EURO 2012 instances, some 90 minutes (ARGS='--only b_1,b_2 --time 60')
	@$(call build,release,--target roadef)
	@build/release/bench/roadef/roadef $(ARGS) || { code=$$?; [ $$code -eq 77 ] || exit $$code; \
	  echo 'bench-roadef: skipped'; }

bench-peers: deps rig ## kube-scheduler and ours on one real control plane, about an hour (ARGS='--quick')
	@$(call build,release,--target rescheduler --target peers_client)
	@bench/peers --build build/release $(ARGS)

bench-descheduler: deps rig ## descheduler's LowNodeUtilization and ours on one real control plane, some 10 minutes (ARGS='--nodes 100')
	@tools/kube-rig/rig build --only descheduler
	@$(call build,release,--target rescheduler)
	@bench/descheduler --build build/release $(ARGS)

conformance: deps rig ## 2,000 random scenarios, decided by the real kube-scheduler and by ours (SEED, SCENARIOS, KEEP)
	@$(call build,release,--target rescheduler)
	@tests/conformance/run --scenarios $(or $(SCENARIOS),2000) --seed $(or $(SEED),1) $(if $(KEEP),--keep $(KEEP)) \
	  --ours build/release/src/cli/rescheduler

# ONLY: names of ctest entries (a regular expression) and TARGETS what they are built from; else everything but the real tier.
sanitized = $(call build,$(1),$(if $(TARGETS),--target $(TARGETS))) && \
  $(CTEST) --test-dir build/$(1) -LE 'real|web|lint' $(if $(ONLY),-R '$(ONLY)')

asan: deps ## tests under the address and undefined-behaviour sanitizers (ONLY='^kube_test' TARGETS=kube_test)
	@$(call sanitized,asan)

tsan: deps ## tests under the thread sanitizer (ONLY='^kube_test' TARGETS=kube_test)
	@$(call sanitized,tsan)

gcc: deps ## the second compiler: build everything with g++ and run the tests (ONLY='^kube_test' TARGETS=kube_test)
	@$(call sanitized,gcc)

fuzz: deps ## every fuzz target for a bounded time (SECONDS_EACH, default 20)
	@$(call build,fuzz,--target fuzz_targets)
	@scripts/fuzz $(SECONDS_EACH)

lint: deps ## layers, awaits, sizes, formatting; clang-tidy over what changed since BASE (default origin/main)
	@cmake --preset dev >/dev/null
	@scripts/lint --tidy changed $(if $(BASE),--base $(BASE))

tidy: deps ## clang-tidy over everything (about 15 s of CPU a file)
	@cmake --preset dev >/dev/null
	@scripts/lint --tidy all

format: deps ## clang-format everything in place
	@git ls-files '*.cc' '*.h' | xargs clang-format-19 -i

clean: ## remove the build trees
	rm -rf build
