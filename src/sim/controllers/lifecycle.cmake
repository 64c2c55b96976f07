# What ends: evictions' budgets, nodes, owners, namespaces, jobs.
sim_part(lifecycle
  SOURCES
    disruption.cc
    disruption_math.cc
    garbage_collector.cc
    namespace_deletion.cc
    node_lifecycle.cc
    object_graph.cc
    owner_scale.cc
    pod_cleanup.cc
    taint_eviction.cc
    taint_math.cc
    zone_disruption.cc)
