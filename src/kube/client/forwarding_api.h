// An Api that passes every call on to another one. A decorator overrides the calls that it changes.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kube/client/api.h"

namespace rescheduler::kube {

class ForwardingApi : public Api {
 public:
  explicit ForwardingApi(Api& api) : api_(api) {}

  net::Task<Result<void>> call(ApiCall call, Message* answer) override { return api_.call(std::move(call), answer); }
  net::Task<Result<ListPage>> list(ApiCall call, ItemSink sink) override {
    return api_.list(std::move(call), std::move(sink));
  }
  net::Task<Result<std::unique_ptr<WatchStream>>> watch(ApiCall call) override { return api_.watch(std::move(call)); }
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override {
    return api_.get_text(std::move(path), std::move(accept));
  }

 protected:
  Api& api_;
};

}  // namespace rescheduler::kube
