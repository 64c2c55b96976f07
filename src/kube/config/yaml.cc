#include "kube/config/yaml.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_set>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace rescheduler::kube {
namespace {

// Thrown from the event handler through yaml-cpp's parser, and caught below together with yaml-cpp's exceptions.
struct YamlFault {
  int line;
  int column;
  std::string what;
};

[[noreturn]] void refuse(const YAML::Mark& mark, std::string what) {
  throw YamlFault{mark.line + 1, mark.column + 1, std::move(what)};
}

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

// The cost of copying a tree for an alias.
struct Weight {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
};

Weight weigh(const YamlNode& node) {
  Weight sum{1, node.text.size()};
  const auto add = [&sum](const Weight& more) {
    sum.nodes += more.nodes;
    sum.bytes += more.bytes;
  };
  for (const YamlNode& item : node.items) add(weigh(item));
  for (const YamlEntry& entry : node.entries) {
    sum.bytes += entry.key.size();
    add(weigh(entry.value));
  }
  return sum;
}

// Builds one tree per document from the events of the parser.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlLimits& limits) : limits_(limits) {}

  std::vector<YamlNode> take_documents() { return std::move(documents_); }

  void OnDocumentStart(const YAML::Mark&) override {
    root_.reset();
    anchors_.clear();  // aliases are valid only within one document
  }
  void OnDocumentEnd() override {
    if (root_ && root_->kind != YamlKind::Null) documents_.push_back(std::move(*root_));
    root_.reset();
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(make(mark, YamlKind::Null), anchor, mark);
  }
  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = make(mark, YamlKind::Scalar);
    node.quoted = is_string_tag(mark, tag);
    node.text = value;
    count(mark, Weight{0, value.size()});
    place(std::move(node), anchor, mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) refuse(mark, "an alias refers to a node that contains it");
    count(mark, weigh(target->second));
    place(target->second, YAML::NullAnchor, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, YamlKind::Sequence, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, YamlKind::Map, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {  // a sequence or map that has not ended yet
    YamlNode node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    std::optional<YamlEntry> key{};  // map: a key that waits for its value
    std::unordered_set<std::string> keys{};
  };

  static YAML::Mark mark_of(const YamlNode& node) {
    YAML::Mark mark;
    mark.line = node.line - 1;
    mark.column = node.column - 1;
    return mark;
  }

  static bool is_string_tag(const YAML::Mark& mark, std::string_view tag) {
    if (tag == "!") return true;
    if (tag.empty() || tag == "?") return false;
    if (tag.starts_with(kCoreTag)) {
      const std::string_view name = tag.substr(kCoreTag.size());
      if (name == "str") return true;
      if (name == "int" || name == "float" || name == "bool" || name == "null") return false;
    }
    refuse(mark, "tags other than YAML's own simple ones are not supported");
  }

  YamlNode make(const YAML::Mark& mark, YamlKind kind) {
    count(mark, Weight{1, 0});
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void count(const YAML::Mark& mark, const Weight& more) {
    total_.nodes += more.nodes;
    total_.bytes += more.bytes;
    if (total_.nodes > limits_.nodes) {
      refuse(mark, fmt::format("more than {} values, aliases written out; split the file", limits_.nodes));
    }
    if (total_.bytes > limits_.text_bytes) {
      refuse(mark, fmt::format("more than {} bytes of text, aliases written out; split the file", limits_.text_bytes));
    }
  }

  void open(const YAML::Mark& mark, YamlKind kind, std::string_view tag, YAML::anchor_t anchor) {
    const std::string_view own = kind == YamlKind::Map ? "map" : "seq";
    if (!tag.empty() && tag != "?" && tag != "!"
        && !(tag.starts_with(kCoreTag) && tag.substr(kCoreTag.size()) == own)) {
      refuse(mark, "tags other than YAML's own simple ones are not supported");
    }
    if (std::ssize(open_) >= limits_.depth) refuse(mark, fmt::format("nested deeper than {} levels", limits_.depth));
    if (!open_.empty() && open_.back().node.kind == YamlKind::Map && !open_.back().key) {
      refuse(mark, "a key must be a simple word, not a map or a sequence");
    }
    open_.push_back(Open{make(mark, kind), anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    const YAML::Mark mark = mark_of(done.node);
    place(std::move(done.node), done.anchor, mark);
  }

  void place(YamlNode node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (anchor != YAML::NullAnchor) {
      count(mark, weigh(node));  // the copy for aliases counts too: nested anchors cause many such copies
      anchors_.insert_or_assign(anchor, node);
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlKind::Sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      take_key(parent, std::move(node), mark);
    } else {
      parent.key->value = std::move(node);
      parent.node.entries.push_back(std::move(*parent.key));
      parent.key.reset();
    }
  }

  static void take_key(Open& parent, YamlNode node, const YAML::Mark& mark) {
    if (node.kind != YamlKind::Scalar) refuse(mark, "a key must be a simple word, not empty, a map or a sequence");
    if (node.text == "<<" && !node.quoted) {
      refuse(mark, "merge keys (<<) are not supported: write the fields out");
    }
    if (!parent.keys.insert(node.text).second) {
      refuse(mark, fmt::format("key \"{}\" is given twice", node.text.substr(0, 80)));
    }
    parent.key = YamlEntry{std::move(node.text), mark.line + 1, mark.column + 1, YamlNode{}};
  }

  const YamlLimits& limits_;
  Weight total_;
  std::optional<YamlNode> root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::vector<YamlNode> documents_;
};

// The length of the valid UTF-8 sequence at the front, or 0.
std::size_t utf8_length(std::string_view rest) {
  const auto byte = [&rest](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char least = 0x80;  // bounds of the second byte: exclude overlong forms and surrogates
  unsigned char most = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) least = 0xA0;
    if (lead == 0xED) most = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) least = 0x90;
    if (lead == 0xF4) most = 0x8F;
  }
  if (length == 0 || rest.size() < length || byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

Result<void> check_text(std::string_view text, std::string_view file_name, const YamlLimits& limits) {
  if (text.size() > limits.text_bytes) {
    return fail(Errc::Invalid, "{}: larger than {} bytes; this cannot be a configuration file", file_name,
                limits.text_bytes);
  }
  int line = 1;
  int column = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0) {
      return fail(Errc::Invalid, "{}: line {}, column {}: not UTF-8 text; save the file as UTF-8", file_name, line,
                  column);
    }
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') {
      return fail(Errc::Invalid, "{}: line {}, column {}: a control character (0x{:02x}); this is not a text file",
                  file_name, line, column, byte);
    }
    at += length;
    ++column;
    if (byte == '\n') {
      ++line;
      column = 1;
    }
  }
  return {};
}

// The messages of yaml-cpp, without the input that some of them quote.
std::string what_of(const YAML::Exception& error) { return error.msg.substr(0, error.msg.find(':')); }

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::ranges::find_if(entries, [key](const YamlEntry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

Result<std::vector<YamlNode>> parse_yaml_documents(std::string_view text,
                                                   std::string_view file_name,
                                                   const YamlLimits& limits) {
  if (auto checked = check_text(text, file_name, limits); !checked) return fail(std::move(checked.error()));
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    TreeBuilder builder(limits);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take_documents();
  } catch (const YamlFault& refusal) {
    return fail(Errc::Invalid, "{}: line {}, column {}: {}", file_name, refusal.line, refusal.column, refusal.what);
  } catch (const YAML::Exception& error) {
    return fail(Errc::Invalid, "{}: line {}, column {}: not valid YAML: {}", file_name, error.mark.line + 1,
                error.mark.column + 1, what_of(error));
  } catch (const std::exception&) {  // from the standard library used by yaml-cpp
    return fail(Errc::Invalid, "{}: not valid YAML", file_name);
  }
}

Result<YamlNode> parse_yaml(std::string_view text, std::string_view file_name, const YamlLimits& limits) {
  auto documents = parse_yaml_documents(text, file_name, limits);
  if (!documents) return fail(std::move(documents.error()));
  if (documents->empty()) return YamlNode{};
  if (documents->size() > 1) {
    const YamlNode& second = (*documents)[1];
    return fail(Errc::Invalid, "{}: line {}, column {}: a second document begins here, but one is expected", file_name,
                second.line, second.column);
  }
  return std::move(documents->front());
}

}  // namespace rescheduler::kube
