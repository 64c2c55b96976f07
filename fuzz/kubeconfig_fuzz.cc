// Whatever the bytes, reading them as a kubeconfig ends with a configuration or an error: no crash, no hang.
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
  // Files named by the input are none of the fuzzer's business; some of them would block.
  for (auto& cluster : entries->clusters) cluster.value.certificate_authority.path.clear();
  for (auto& user : entries->users) {
    user.value.certificate.path.clear();
    user.value.key.path.clear();
  }
  const kube::KubeconfigSource source;
  (void)kube::choose_client_config(*entries, "kubeconfig fuzz", source);  // either outcome is fine
  return 0;
}
