# What ends: evictions' budgets, nodes, owners, namespaces, jobs.
sim_part(lifecycle
  SOURCES
    disruption.cc
    disruption_math.cc
    node_lifecycle.cc
    owner_scale.cc
    pod_cleanup.cc
    taint_eviction.cc
    taint_math.cc
    zone_disruption.cc)
