// The scheduler's part in how busy nodes are: readings go into the book, what is placed is booked there until a reading
// shows it, and each pod is told what was predicted for its node.
#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/args.h"
#include "placement/predicted_load.h"
#include "scheduler/scheduler.h"

namespace rescheduler::scheduler {

void Scheduler::load_taken(const usage::Reading& reading, const std::string& source, WallTime now) {
  if (book_ == nullptr) return;
  book_->take(reading, source, now);
  load_changed(now);
}

void Scheduler::load_fell_back(cluster::LoadBasis basis, const std::string& source, WallTime now) {
  if (book_ == nullptr) return;
  book_->fall_back(basis, source, now);
  load_changed(now);
}

void Scheduler::load_changed(WallTime now) {
  book_->look(now);
  if (!queue_->cares()) return;
  happened(std::make_shared<const cluster::Happening>(cluster::Happening{
               .subject = cluster::Subject::Load, .changes = cluster::Change::Update, .label = "LoadUpdate"}),
           now);
}

// Whoever placed it: its load will come, and nobody has measured it yet.
void Scheduler::book(const api::Pod& object, cluster::PodIndex index, WallTime now) {
  if (book_ == nullptr) return;
  const cluster::PlacedPod& pod = cluster_.pod(index);
  book_->placed(pod.uid, pod.node, *pod.form->needs, pod.started == WallTime{} ? now : pod.started,
                usage::habit_of(habits_, object));
}

void Scheduler::unbook(std::string_view uid) {
  if (book_ != nullptr) book_->gone(uid);
}

void Scheduler::book_move(std::string_view key, std::string_view node, const cluster::Loads& load, WallTime now) {
  const auto index = cluster_.find_node(node);
  if (book_ != nullptr && index) book_->book(key, *index, load, now);
}

void Scheduler::release_move(std::string_view key) { unbook(key); }

// Goes with the binding, at no further cost: why the pod is where it is can be read on the pod.
void Scheduler::predict(BindOrder& order, cluster::NodeIndex node) const {
  if (book_ == nullptr) return;
  if (!frameworks_[order.profile]->profile().uses("Rescheduler", placement::Point::PreBind)) return;
  const cluster::LoadPicture& picture = cluster_.load_picture();
  if (picture.basis == cluster::LoadBasis::Turns) return;  // nobody knows
  const auto predicted = placement::predicted_loads(cluster_.node(node), picture);
  std::string text = "{";
  for (std::size_t i = 0; i < picture.resources.size(); ++i) {
    if (!std::isnan(predicted[i])) text += fmt::format("\"{}\":{:.3f},", picture.resources[i], predicted[i]);
  }
  order.annotations[std::string(kPredictedLoad)] = text + fmt::format("\"source\":\"{}\"}}", picture.source);

  const auto* args = frameworks_[order.profile]->args_of<placement::ReschedulerArgs>("Rescheduler");
  if (args == nullptr || !args->enable_preventive_rescheduling || picture.basis != cluster::LoadBasis::Usage) return;
  order.overloads = predicted[cluster::kCpuLoad] * 100 > args->cpu_threshold
                    || predicted[cluster::kMemoryLoad] * 100 > args->memory_threshold;
}

}  // namespace rescheduler::scheduler
