# Sources of volume binding for src/scheduler/CMakeLists.txt.
set(VOLUME_BINDER_SOURCES
  volume_binder.cc
  volume_binding_protocol.cc)
set(VOLUME_BINDER_TESTS
  volume_binder_test.cc
  volume_binding_protocol_test.cc)
