// Reads typed values from a YamlNode tree and collects all problems, so that a user can correct a file in one pass.
// Types follow the YAML 1.2 core schema, as Kubernetes expects: a string field rejects an unquoted number.
//
//   YamlProblems problems("config.yaml");
//   YamlReader top(document, problems);
//   top.read("leaderElect", config.leader_elect);
//   for (const YamlReader& item : top.items("profiles")) ...
//   top.refuse_unknown_fields();
//   if (!problems.empty()) return fail(problems.error());
//
// A reader must not outlive its tree or its YamlProblems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kube/config/yaml.h"

namespace rescheduler::kube {

enum class ScalarType { Null, Bool, Integer, Float, String };
ScalarType scalar_type(const YamlNode& node);  // Sequence and Map count as String: check the kind first

// The value, if the node is a scalar of this type and the value can be represented. An integer is also a float.
std::optional<bool> bool_value(const YamlNode& node);
std::optional<std::int64_t> integer_value(const YamlNode& node);
std::optional<double> float_value(const YamlNode& node);

struct YamlRemark {
  int line = 1;
  int column = 1;
  std::string text;  // "PATH: what"
  friend bool operator==(const YamlRemark&, const YamlRemark&) = default;
};

class YamlProblems {
 public:
  explicit YamlProblems(std::string file_name) : file_name_(std::move(file_name)) {}

  void add(const YamlNode& at, std::string_view path, std::string_view what);
  bool empty() const { return sentences_.empty(); }
  const std::vector<std::string>& sentences() const { return sentences_; }  // "line L, column C: PATH: what"
  const std::vector<YamlRemark>& remarks() const { return remarks_; }       // the same, with position and text apart
  Error error() const;                                                      // the file name and the first 20 problems

  // Remarks that are no errors: the value may not mean what its author expects.
  void add_note(const YamlNode& at, std::string_view path, std::string_view what);
  const std::vector<YamlRemark>& notes() const { return notes_; }

 private:
  std::string file_name_;
  std::vector<std::string> sentences_;
  std::vector<YamlRemark> remarks_;
  std::vector<YamlRemark> notes_;
};

class YamlReader {
 public:
  YamlReader(const YamlNode& node, YamlProblems& problems, std::string path = {});

  // Each read() leaves `into` unchanged when the field is absent or null. A value of the wrong type is a problem.
  void read(std::string_view field, std::string& into);
  void read(std::string_view field, bool& into);
  void read(std::string_view field, std::int64_t& into, std::int64_t least = INT64_MIN, std::int64_t most = INT64_MAX);
  void read(std::string_view field, double& into);
  void read(std::string_view field, std::vector<std::string>& into);

  bool has(std::string_view field);          // present and not null
  YamlReader child(std::string_view field);  // an absent or null child behaves like an empty map
  std::vector<YamlReader> items(std::string_view field);
  std::vector<std::pair<std::string, YamlReader>> members();  // for a map whose keys are data

  std::string as_string() const;  // of this node itself
  std::vector<std::string> as_strings() const;

  void refuse_unknown_fields() const;  // reports every key that was not read
  void problem(std::string_view what) const { problems_->add(*node_, path_, what); }
  void problem(std::string_view field, std::string_view what) const;  // at the position of the field if it is present

  void note(std::string_view what) const { problems_->add_note(*node_, path_, what); }
  void note(std::string_view field, std::string_view what) const;  // at the position of the field if it is present

  const YamlNode& node() const { return *node_; }
  const std::string& path() const { return path_; }

 private:
  const YamlNode* look_up(std::string_view field);
  std::string path_of(std::string_view field) const;
  bool read_string(const YamlNode& node, const std::string& path, std::string& into) const;

  const YamlNode* node_;
  YamlProblems* problems_;
  std::string path_;
  std::vector<std::string> known_;  // the fields that were read
};

}  // namespace rescheduler::kube
