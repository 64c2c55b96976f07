# The benchmarks: a target for every number in docs/benchmarks.md. All measure the `release` preset and refuse another.
# Included by the Makefile, which has `build`, `deps`, `deps-release` and `rig`.

.PHONY: bench-codec bench-sync bench-peers bench-decisions bench-load bench-twelve-pods bench-plans bench-planner \
  bench-roadef bench-scenarios bench-descheduler bench-moves bench-webhook bench-dashboard bench-pages bench-embedded bench-memory

# $(1): a program below build/release/bench; $(2): its arguments.
measure = $(call build,release,--target $(notdir $(1))) && bench/run build/release/bench/$(1) $(2)

bench-codec: deps deps-release ## decoding and encoding a pod: time and heap
	@$(call measure,codec_bench,$(ARGS))

bench-sync: deps deps-release rig ## first sync of 20,000 pods beside client-go, same real API server (ARGS='--quick')
	@$(call build,release,--target sync_bench)
	@bench/sync --build build/release $(ARGS)

bench-peers: deps deps-release rig ## kube-scheduler and ours on one real control plane, more than an hour (ARGS='--quick')
	@$(call build,release,--target rescheduler --target peers_client)
	@bench/peers --build build/release $(ARGS)

bench-decisions: deps deps-release ## decisions a second without an API server (ARGS='--load': the price of placing by load)
	@$(call measure,decision_bench,$(ARGS))

bench-load: deps deps-release ## a day of recorded load placed by each published rule and by ours, some minutes (ARGS='--quick' or '--burst')
	@$(call measure,load_replay/load_replay,$(ARGS))

bench-twelve-pods: deps deps-release ## the twelve test pods on four busy nodes, placed in three ways: numbers of docs/load.md
	@$(call measure,twelve_pods,$(ARGS))

bench-plans: deps deps-release ## a plan of 200 moves for 100 to 5,000 nodes: time, memory, effect (ARGS='--all': all strategies)
	@$(call measure,plan_bench,$(ARGS))

bench-planner: deps deps-release ## the search alone: a first plan of 200 moves for 100 to 5,000 machines
	@$(call measure,planner_bench,$(ARGS))

bench-roadef: deps deps-release ## the planner on the ROADEF/EURO 2012 instances, 90 minutes (ARGS='--clock cpu --only b_1,b_2 --time 60')
	@$(call measure,roadef/roadef,$(ARGS))

bench-scenarios: deps deps-release ## what moving brings in two shipped scenarios, in virtual time
	@$(call build,release,--target embedded_scheduler_test)
	@bench/scenarios --build build/release

bench-descheduler: deps deps-release rig ## descheduler's LowNodeUtilization and ours on one real control plane, half an hour or more (ARGS='--quick')
	@tools/kube-rig/rig build --only descheduler
	@$(call build,release,--target rescheduler)
	@bench/descheduler --build build/release $(ARGS)

bench-moves: deps deps-release rig ## moves with and without us: how many succeed and end where meant (ARGS='--embedded' or '--quick')
	@$(call build,release,--target migration_bench)
	@bench/moves --build build/release $(ARGS)

bench-webhook: deps deps-release rig ## what the recovery webhook adds to the creation of a pod, 2 minutes (ARGS='50 3 1')
	@$(call measure,webhook_bench,$(or $(ARGS),200 5 3))

bench-dashboard: deps deps-release ## 20 viewers, 100 pod changes a second, 5,000 nodes: what serving the pages costs (ARGS='20 100 5000 30')
	@$(call measure,dashboard_bench,$(ARGS))

bench-pages: deps deps-release ## the pages in a browser, 5,000 nodes: first picture, frames, memory (ARGS='--nodes=500')
	@$(call build,release,--target rescheduler)
	@RESCHEDULER_BINARY=$(CURDIR)/build/release/src/cli/rescheduler \
	  bench/run --of build/release/src/cli/rescheduler node web/e2e/performance.mjs $(ARGS)

bench-embedded: deps deps-release ## the embedded cluster with 5,000 nodes and 100,000 pods: speed and memory
	@$(call measure,embedded_bench,$(ARGS))

bench-memory: deps deps-release ## `rescheduler run` as shipped on 5,000 nodes and 100,000 pods: memory and processor time
	@$(call build,release,--target rescheduler)
	@bench/run --of build/release/src/cli/rescheduler bench/memory build/release/src/cli/rescheduler $(ARGS)
