// YAML (and so JSON) as a plain tree with positions.
//
// Strict where Kubernetes is strict: duplicate keys, a second document, bytes that are not UTF-8 text, aliases that
// explode and unknown tags are refused. Scalars stay text here; what they mean is the reader's business
// (yaml_reader.h). Error texts carry places and field names, never values: a value may be a credential.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rescheduler::kube {

struct YamlEntry;

enum class YamlKind { Null, Scalar, Sequence, Map };

struct YamlNode {
  YamlKind kind = YamlKind::Null;
  bool quoted = false;  // scalar: written in quotes, as a block, or tagged !!str; always a string then
  int line = 1;         // both count from 1
  int column = 1;
  std::string text;
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // in the order of the file; keys are unique

  const YamlNode* find(std::string_view key) const;  // nullptr: not a map, or no such key
};

struct YamlEntry {
  std::string key;
  int line = 1;
  int column = 1;
  YamlNode value;
};

// Far above any configuration a person writes, far below what hurts. Aliases count as if written out.
struct YamlLimits {
  std::size_t text_bytes = std::size_t{16} << 20;
  std::size_t nodes = 200'000;
  int depth = 64;
};

// One document; an empty text is a Null node. Errors: "FILE: line L, column C: what".
Result<YamlNode> parse_yaml(std::string_view text, std::string_view file_name, const YamlLimits& limits = {});

// Every document that is not empty.
Result<std::vector<YamlNode>> parse_yaml_documents(std::string_view text,
                                                   std::string_view file_name,
                                                   const YamlLimits& limits = {});

}  // namespace rescheduler::kube
