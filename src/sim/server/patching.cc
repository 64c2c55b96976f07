// Patches, and who owns which field since.
#include <google/protobuf/message.h>

#include "sim/server/server.h"

namespace rescheduler::sim {

void Server::note_managers(Draft& draft, const Version& before) const {
  draft.managed_fields = before.managed_fields();
}

}  // namespace rescheduler::sim
