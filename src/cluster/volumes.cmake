# What src/cluster/CMakeLists.txt builds for storage.
set(VOLUME_MODEL_SOURCES
  csi_migration.cc
  pod_volumes.cc
  volume_compile.cc
  volume_use.cc
  volumes.cc)
set(VOLUME_MODEL_TESTS
  pod_volumes_test.cc
  volumes_test.cc)
