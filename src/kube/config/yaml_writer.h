// Writes readable YAML that parse_yaml() accepts: block style, two spaces per level, quotes only where necessary.
//
//   YamlWriter yaml;
//   yaml.field("kind", "Example");
//   yaml.open("profiles");
//   yaml.item();  // the fields up to the next item() or close() are one element
//   yaml.field("name", "a");
//   yaml.close();
//   yaml.text();
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::kube {

class YamlWriter {
 public:
  void field(std::string_view key, std::string_view value) { line(key, scalar(value)); }
  void field(std::string_view key, const char* value) { field(key, std::string_view(value)); }
  void field(std::string_view key, double value);
  template <std::same_as<bool> T>  // no implicit conversion to bool
  void field(std::string_view key, T value) {
    line(key, value ? "true" : "false");
  }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void field(std::string_view key, T value) {
    line(key, std::to_string(value));
  }
  void field(std::string_view key, const std::vector<std::string>& values);    // in brackets on one line
  void json(std::string_view key, std::string_view text) { line(key, text); }  // JSON is YAML

  void open(std::string_view key);  // for a map or a list that is not empty
  void item();
  void close();

  const std::string& text() const { return text_; }

 private:
  static std::string scalar(std::string_view value);
  void line(std::string_view key, std::string_view value);

  std::string text_;
  int depth_ = 0;
  bool dash_ = false;  // the next line starts an element
};

}  // namespace rescheduler::kube
