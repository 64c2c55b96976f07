// The OpenAPI documents, as far as kubectl reads them: the parameters of operations and (version 3) the fields of each
// kind, for `kubectl explain`. There are no descriptions and no merge keys; kubectl then takes the merge keys from its
// own types. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/frontend/discovery.h"

namespace rescheduler::sim {

// Version 3: an index, and a document for each group and version ("api/v1", "apis/apps/v1").
std::string open_api_index(const std::vector<ServedGroup>& groups, std::uint64_t revision);
std::string open_api_document(const ServedGroup& group, const ServedVersion& version);

// Version 2: all groups in one document, without definitions. kubectl does not validate kinds without a definition. Go
// clients read the protobuf form (gnostic's openapi.v2.Document).
std::string open_api_v2_json(const std::vector<ServedGroup>& groups);
std::string open_api_v2_protobuf(const std::vector<ServedGroup>& groups);
// The media type of the protobuf form. Clients request it with an '@', which is not allowed in a media type. Answers
// have the second form.
inline constexpr std::string_view kOpenApiV2Asked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
inline constexpr std::string_view kOpenApiV2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

}  // namespace rescheduler::sim
