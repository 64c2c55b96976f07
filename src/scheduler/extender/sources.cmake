set(EXTENDER_SOURCES
  extender/extender_client.cc
  extender/settings.cc)
set(EXTENDER_TESTS
  extender/settings_test.cc)
