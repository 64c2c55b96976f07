// Reading any bytes as a kubeconfig returns a configuration or an error, without a crash or a hang.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/log.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/kubeconfig_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rescheduler;
  set_log_level(LogLevel::Off);
  auto entries = kube::read_kubeconfig(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!entries) return 0;
  // Do not open files that the input names; some of them would block.
  for (auto& cluster : entries->clusters) cluster.value.certificate_authority.path.clear();
  for (auto& user : entries->users) {
    user.value.certificate.path.clear();
    user.value.key.path.clear();
  }
  const kube::KubeconfigSource source;
  (void)kube::choose_client_config(*entries, "kubeconfig fuzz", source);  // success and failure are both valid
  return 0;
}
