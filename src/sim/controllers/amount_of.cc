#include "sim/controllers/amount_of.h"

#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {

std::int32_t amount_of(const api::IntOrString& amount, std::int32_t of, kube::IntOrString::Rounding rounding) {
  const kube::IntOrString value = amount.type() == 0 ? kube::IntOrString::from_int(amount.int_val())
                                                     : kube::IntOrString::from_string(amount.str_val());
  return static_cast<std::int32_t>(value.scaled(of, rounding).value_or(0));
}

}  // namespace rescheduler::sim
