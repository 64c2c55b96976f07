// YAML (which includes JSON) as a plain tree with positions.
//
// Strict like Kubernetes: duplicate keys, invalid UTF-8, exponential aliases and unknown tags are errors. For
// parse_yaml(), a second document is an error too. Scalars stay text; yaml_reader.h gives them a type. Error messages
// contain positions and field names, but no values, because a value may be a credential.
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
  bool quoted = false;  // scalar: quoted, a block, or tagged !!str, and so always a string
  int line = 1;         // line and column count from 1
  int column = 1;
  std::string text;
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // in the order of the file; keys are unique

  const YamlNode* find(std::string_view key) const;  // nullptr: not a map, or the key is absent
};

struct YamlEntry {
  std::string key;
  int line = 1;
  int column = 1;
  YamlNode value;
};

// Far above any file that a person writes, and low enough to protect memory. Aliases count as expanded.
struct YamlLimits {
  std::size_t text_bytes = std::size_t{16} << 20;
  std::size_t nodes = 200'000;
  int depth = 64;
};

// One document; empty text is a Null node. Errors: "FILE: line L, column C: what".
Result<YamlNode> parse_yaml(std::string_view text, std::string_view file_name, const YamlLimits& limits = {});

// All documents that are not empty.
Result<std::vector<YamlNode>> parse_yaml_documents(std::string_view text,
                                                   std::string_view file_name,
                                                   const YamlLimits& limits = {});

}  // namespace rescheduler::kube
