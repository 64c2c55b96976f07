// A server in virtual time with the namespace "web", and the objects of its tests.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "kube/proto/core.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class ServerFixture : public testing::Test {
 protected:
  ServerFixture() { add_namespace("web"); }

  void add_namespace(const std::string& name) {
    api::Namespace ns;
    ns.mutable_metadata()->set_name(name);
    ASSERT_TRUE(server.create(ns));
  }
  static api::ConfigMap map_of(const std::string& name, const std::string& value = "") {
    api::ConfigMap map;
    map.mutable_metadata()->set_namespace_("web");
    map.mutable_metadata()->set_name(name);
    (*map.mutable_data())["v"] = value;
    return map;
  }
  static api::Pod pod_of(const std::string& name, const std::string& node = "") {
    api::Pod pod;
    pod.mutable_metadata()->set_namespace_("web");
    pod.mutable_metadata()->set_name(name);
    auto& container = *pod.mutable_spec()->add_containers();
    container.set_name("main");
    container.set_image("app:1");
    if (!node.empty()) pod.mutable_spec()->set_node_name(node);
    return pod;
  }
  ApiResult<VersionPtr> update(api::ConfigMap map) {
    const std::string name = map.metadata().name();
    return server.update(maps, "web", name, "", std::make_unique<api::ConfigMap>(std::move(map)));
  }
  template <class T>
  ApiResult<Removed> remove(const std::string& name, const api::DeleteOptions& options = {}) {
    return server.remove(server.kinds().of<T>(), "web", name, options);
  }

  Agenda agenda;
  Server server{agenda, Rng(7), StoreSettings{100}};
  const Kind& maps = server.kinds().of<api::ConfigMap>();
};

}  // namespace rescheduler::sim
