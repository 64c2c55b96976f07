#include "migration/definition.h"

#include "kube/client/client.h"
#include "kube/codec/json.h"
#include "kube/config/yaml.h"
#include "kube/config/yaml_json.h"
#include "migration/proto/migration.pb.h"

namespace rescheduler::migration {
namespace {

Result<api::CustomResourceDefinition> read_definition() {
  auto document = kube::parse_yaml(definition_yaml(), "crd.yaml");
  if (!document) return fail(std::move(document.error()));
  api::CustomResourceDefinition definition;
  auto read = kube::from_json(kube::yaml_to_json(*document), definition);
  if (!read) return fail(std::move(read.error()));
  return definition;
}

}  // namespace

net::Task<Result<void>> ensure_definition(kube::Api& api, net::Timers& timers) {
  auto definition = read_definition();
  if (!definition) co_return fail(std::move(definition.error()));
  kube::Client client(api);
  auto made = co_await client.create(std::move(*definition));
  if (!made && made.error().code != Errc::AlreadyExists) co_return fail(std::move(made.error()));
  constexpr int kTries = 200;
  constexpr std::chrono::milliseconds kBetween{50};
  for (int i = 0; i < kTries; ++i) {
    auto listed = co_await client.list<api::Migration>("default");
    if (listed) co_return Result<void>{};
    if (listed.error().code != Errc::NotFound) co_return fail(std::move(listed.error()));
    auto slept = co_await timers.sleep_for(kBetween);
    if (!slept) co_return slept;
  }
  co_return fail(Errc::Timeout,
                 "the API server accepted the CustomResourceDefinition of Migration but does not serve it");
}

}  // namespace rescheduler::migration
