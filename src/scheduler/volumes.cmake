# What src/scheduler/CMakeLists.txt builds for storage.
set(VOLUME_BINDER_SOURCES
  volume_binder.cc
  volume_binding_protocol.cc)
set(VOLUME_BINDER_TESTS
  volume_binder_test.cc
  volume_binding_protocol_test.cc)
