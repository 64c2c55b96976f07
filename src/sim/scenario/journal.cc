#include "sim/scenario/journal.h"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/time.h"

namespace rescheduler::sim {
namespace {

std::string_view word_of(Change::What what) {
  switch (what) {
    case Change::What::Added: return "ADDED";
    case Change::What::Modified: return "MODIFIED";
    case Change::What::Deleted: return "DELETED";
  }
  return "?";
}

// FNV-1a, folded to 32 bits: short, and the same on every machine.
std::uint32_t short_hash(std::string_view bytes) {
  std::uint64_t hash = 14'695'981'039'346'656'037ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ULL;
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

Journal::Journal(Server& server, Line line) : agenda_(server.agenda()), line_(std::move(line)) {
  subscription_ = server.store().subscribe(nullptr, [this](const Change& change) { write(change); });
}

Journal::~Journal() = default;

void Journal::write(const Change& change) {
  const ObjectPtr object = change.after->object();
  const api::ObjectMeta& metadata = kube::metadata_of(*object);
  text_.clear();
  fmt::format_to(std::back_inserter(text_), "{} {} {} {}{}{} {} {:08x}\n", kube::format_micro_time(agenda_.wall_now()),
                 word_of(change.what), change.kind().kind, metadata.namespace_(),
                 metadata.namespace_().empty() ? "" : "/", metadata.name(), change.number,
                 short_hash(change.after->bytes()));
  ++lines_;
  line_(text_);
}

}  // namespace rescheduler::sim
