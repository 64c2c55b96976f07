# The storage plugins and their tests, for src/placement/CMakeLists.txt.
set(VOLUME_PLUGIN_SOURCES
  plugins/node_volume_limits.cc
  plugins/pod_claims.cc
  plugins/volume_binding.cc
  plugins/volume_restrictions.cc
  plugins/volume_zone.cc
  volume_decision.cc)
set(VOLUME_PLUGIN_TESTS
  plugins/node_volume_limits_test.cc
  plugins/volume_binding_test.cc
  plugins/volume_hints_test.cc
  plugins/volume_restrictions_test.cc
  plugins/volume_zone_test.cc)
