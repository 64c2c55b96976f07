// The reflector against a collection that behaves like an API server with a bad network: streams break, versions
// expire, lists fail half-way. In all cases the store must be correct in the end, and handlers must get a consistent
// sequence.
#include "kube/informer/reflector.h"

#include <deque>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/log.h"
#include "kube/client/forwarding_api.h"
#include "kube/codec/metadata.h"
#include "kube/informer/informer.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::kube {
namespace {

using PodPtr = std::shared_ptr<const api::Pod>;

// Objects by name with one history, as in etcd. All members run on the loop's thread.
class Collection final : public Api {
 public:
  struct Past {
    std::uint64_t version;
    WatchEventType kind;
    PodPtr object;
  };

  Collection(Rng& rng, double failure_rate, bool streaming)
      : rng_(rng), failure_rate_(failure_rate), streaming_(streaming) {}

  void mutate() {
    const std::string name = "p" + std::to_string(rng_.below(8));
    auto pod = std::make_shared<api::Pod>();
    auto& meta = *pod->mutable_metadata();
    meta.set_name(name);
    meta.set_resource_version(std::to_string(++version_));
    const auto found = objects_.find(name);
    if (found == objects_.end()) {
      meta.set_uid("uid" + std::to_string(version_));
      history_.push_back({version_, WatchEventType::Added, pod});
      objects_[name] = pod;
    } else if (rng_.below(3) == 0) {
      meta.set_uid(found->second->metadata().uid());
      history_.push_back({version_, WatchEventType::Deleted, pod});
      objects_.erase(found);
    } else {
      meta.set_uid(found->second->metadata().uid());
      history_.push_back({version_, WatchEventType::Modified, pod});
      objects_[name] = pod;
    }
  }
  void fill(int count) {
    for (int i = 0; i < count; ++i) {
      auto pod = std::make_shared<api::Pod>();
      pod->mutable_metadata()->set_name("filled" + std::to_string(i));
      pod->mutable_metadata()->set_uid(pod->metadata().name());
      pod->mutable_metadata()->set_resource_version(std::to_string(++version_));
      objects_[pod->metadata().name()] = pod;
    }
    compact();
  }
  void compact() {
    history_.clear();
    oldest_ = version_;
  }
  const std::map<std::string, PodPtr>& objects() const { return objects_; }

  net::Task<Result<void>> call(ApiCall, Message*) override { co_return fail(Errc::Unsupported, "not here"); }
  net::Task<Result<std::string>> get_text(std::string, std::string) override {
    co_return fail(Errc::Unsupported, "not here");
  }
  net::Task<Result<ListPage>> list(ApiCall call, ItemSink sink) override {
    if (should_fail()) co_return fail(Errc::Unavailable, "list failed");
    if (!call.continue_token.empty() && should_fail()) co_return fail(Errc::Expired, "continue token expired");
    // All pages have one version: a list is a snapshot even if it takes several requests.
    if (call.continue_token.empty()) {
      listed_ = objects_;
      listed_version_ = version_;
    }
    auto next = listed_.upper_bound(call.continue_token);
    std::string last;
    for (std::uint32_t count = 0; next != listed_.end() && count < call.limit; ++next, ++count) {
      sink(next->second);
      last = next->first;
    }
    ListPage page;
    page.resource_version = std::to_string(listed_version_);
    if (next != listed_.end()) page.continue_token = last;
    co_return page;
  }
  net::Task<Result<std::unique_ptr<WatchStream>>> watch(ApiCall call) override {
    if (should_fail()) co_return fail(Errc::Unavailable, "watch refused");
    if (call.send_initial_events && !streaming_) co_return fail(Errc::Invalid, "sendInitialEvents is forbidden");
    co_return std::make_unique<Stream>(*this, call);
  }

 private:
  class Stream final : public WatchStream {
   public:
    Stream(Collection& collection, const ApiCall& call) : collection_(collection) {
      if (call.send_initial_events) {
        for (const auto& [name, pod] : collection.objects_) {
          initial_.push_back({WatchEventType::Added, pod, pod->metadata().resource_version()});
        }
        position_ = collection.version_;
        initial_.push_back({WatchEventType::Bookmark, nullptr, std::to_string(position_), true});
      } else {
        position_ = std::stoull(call.resource_version);
      }
    }
    net::Task<Result<std::vector<WatchEvent>>> next() override {
      if (collection_.should_fail()) co_return fail(Errc::Unavailable, "stream broke");
      if (collection_.should_fail()) co_return std::vector<WatchEvent>{};
      if (position_ < collection_.oldest_) co_return fail(Errc::Expired, "too old resource version");
      std::vector<WatchEvent> events;
      if (!initial_.empty()) {
        events.push_back(std::move(initial_.front()));
        initial_.pop_front();
        co_return events;
      }
      for (const Past& past : collection_.history_) {
        if (past.version <= position_) continue;
        events.push_back({past.kind, past.object, std::to_string(past.version)});
        position_ = past.version;
        if (collection_.should_fail()) break;
      }
      if (events.empty()) {
        // No new event. A real stream stays silent; here on_idle() makes the next mutation or cancels the reader, and
        // sleep_for() then reports the cancellation.
        collection_.on_idle();
        auto waited = co_await collection_.timers_.sleep_for(std::chrono::nanoseconds::zero());
        if (!waited) co_return fail(std::move(waited.error()));
        events.push_back({WatchEventType::Bookmark, nullptr, std::to_string(position_)});
      }
      co_return events;
    }

   private:
    Collection& collection_;
    std::deque<WatchEvent> initial_;
    std::uint64_t position_ = 0;
  };

  bool should_fail() { return rng_.unit() < failure_rate_; }

 public:
  // Called when a reader has got all events: it makes new mutations or ends the test.
  std::function<void()> on_idle;

 private:
  net::RealTimers timers_;
  Rng& rng_;
  double failure_rate_;
  bool streaming_;
  std::uint64_t version_ = 1;
  std::uint64_t oldest_ = 0;
  std::map<std::string, PodPtr> objects_;
  std::map<std::string, PodPtr> listed_;
  std::uint64_t listed_version_ = 0;
  std::vector<Past> history_;
};

class NoWait final : public net::Timers {
 public:
  net::Task<Result<void>> sleep_for(std::chrono::nanoseconds) override {
    return real_.sleep_for(std::chrono::nanoseconds::zero());
  }

 private:
  net::RealTimers real_;
};

// A handler that checks for contradictions and duplicates.
struct Listener {
  std::map<std::string, std::string> version_of;
  std::vector<std::string> complaints;
  int synced = 0;

  void attach(Informer<api::Pod>& informer) {
    Informer<api::Pod>::Handler handler;
    handler.added = [this](const PodPtr& pod) {
      if (version_of.contains(pod->metadata().name())) complaints.push_back("added twice: " + pod->metadata().name());
      version_of[pod->metadata().name()] = pod->metadata().resource_version();
    };
    handler.updated = [this](const PodPtr& before, const PodPtr& after) {
      auto& known = version_of[after->metadata().name()];
      if (known != before->metadata().resource_version()) complaints.push_back("updated from an unknown version");
      if (before->metadata().uid() != after->metadata().uid()) complaints.push_back("updated into another object");
      if (std::stoull(after->metadata().resource_version()) <= std::stoull(known))
        complaints.push_back("updated to an older version");
      known = after->metadata().resource_version();
    };
    handler.removed = [this](const PodPtr& pod) {
      if (version_of.erase(pod->metadata().name()) == 0) complaints.push_back("removed an unknown object");
    };
    handler.synced = [this] { ++synced; };
    informer.add_handler(std::move(handler));
  }
};

net::Task<void> run_to_end(Informer<api::Pod>& informer, std::promise<void>& ended) {
  co_await informer.run();
  ended.set_value();
}

// Runs on the loop's thread, where on_idle cancels the job.
net::Task<Result<void>> start(net::Job& job, net::Executor executor, net::Task<void> task) {
  job = net::spawn(std::move(executor), "informer", std::move(task));
  co_return Result<void>{};
}

struct RunResult {
  Listener early;
  Listener late;
  std::map<std::string, std::string> in_store;
  std::map<std::string, std::string> on_server;
};

RunResult run_informer(std::uint64_t seed, double failure_rate, bool streaming, int mutations) {
  set_log_level(LogLevel::Off);  // hundreds of broken streams are expected here
  net::EventLoop loop;
  Rng rng(seed);
  MetricRegistry metrics;
  NoWait timers;
  SystemClock clock;
  const LoopServices services{loop.executor(), &timers, &clock, &rng, &metrics};
  Collection collection(rng, failure_rate, streaming);
  InformerSettings settings;
  settings.page = 3;
  Informer<api::Pod> informer(collection, settings, services);
  RunResult result;
  result.early.attach(informer);
  net::Job running;
  int left = mutations;
  collection.on_idle = [&] {
    if (left == mutations / 2) result.late.attach(informer);
    if (left == 0) {
      // The informer is up to date: end the test.
      running.cancel();
      return;
    }
    --left;
    const std::uint64_t burst = 1 + rng.below(4);
    for (std::uint64_t count = 0; count < burst; ++count) collection.mutate();
    if (rng.below(6) == 0) collection.compact();
  };
  std::promise<void> done;
  (void)loop.await_result(start(running, loop.executor(), run_to_end(informer, done)));
  done.get_future().wait();
  informer.for_each(
      [&](const PodPtr& pod) { result.in_store[pod->metadata().name()] = pod->metadata().resource_version(); });
  for (const auto& [name, pod] : collection.objects()) result.on_server[name] = pod->metadata().resource_version();
  return result;
}

void expect_consistent(const RunResult& result, std::uint64_t seed) {
  EXPECT_EQ(result.in_store, result.on_server) << "seed " << seed;
  for (const Listener* listener : {&result.early, &result.late}) {
    EXPECT_EQ(listener->version_of, result.on_server) << "seed " << seed;
    EXPECT_TRUE(listener->complaints.empty()) << "seed " << seed << ": " << listener->complaints.front();
    EXPECT_EQ(listener->synced, 1) << "seed " << seed;
  }
}

TEST(Reflector, FollowsACollectionOverAGoodNetwork) {
  expect_consistent(run_informer(1, 0.0, true, 50), 1);
  expect_consistent(run_informer(2, 0.0, false, 50), 2);
}

// Decoded objects that other threads have not processed yet must not accumulate.
TEST(Reflector, WaitsUntilHandlersAreDrainedWhileReadingTheInitialState) {
  for (const bool streaming : {true, false}) {
    net::EventLoop loop;
    Rng rng(1);
    MetricRegistry metrics;
    NoWait timers;
    SystemClock clock;
    Collection collection(rng, 0.0, streaming);
    collection.fill(3000);
    std::size_t undrained = 0;
    std::size_t most = 0;
    InformerSettings settings;
    settings.page = 250;
    settings.drained = [&]() -> net::Task<void> {
      undrained = 0;
      co_return;
    };
    Informer<api::Pod> informer(collection, settings, {loop.executor(), &timers, &clock, &rng, &metrics});
    informer.add_handler({.upserted = [&](const PodPtr&) { most = std::max(most, ++undrained); }});
    net::Job running;
    collection.on_idle = [&] { running.cancel(); };
    std::promise<void> done;
    (void)loop.await_result(start(running, loop.executor(), run_to_end(informer, done)));
    done.get_future().wait();
    EXPECT_EQ(informer.size(), 3000U);
    EXPECT_EQ(most, 500U) << (streaming ? "streamed" : "listed");
  }
}

// Serves the kind only after a number of requests, as when its CustomResourceDefinition is installed late.
class LateKind final : public ForwardingApi {
 public:
  using ForwardingApi::ForwardingApi;
  net::Task<Result<std::unique_ptr<WatchStream>>> watch(ApiCall call) override {
    if (refusals > 0) {
      --refusals;
      co_return fail(Errc::NotFound, "404 page not found");
    }
    before_served();
    auto stream = co_await api_.watch(std::move(call));
    co_return stream;
  }
  int refusals = 3;
  std::function<void()> before_served;
};

TEST(Reflector, AKindThatIsNotServedYetIsReportedOnceAndFollowedWhenItIs) {
  std::vector<std::string> lines;
  set_log_level(LogLevel::Info);
  set_log_sink([](LogLevel, std::string_view line, void* to) { static_cast<decltype(lines)*>(to)->emplace_back(line); },
               &lines);
  net::EventLoop loop;
  Rng rng(1);
  MetricRegistry metrics;
  NoWait timers;
  SystemClock clock;
  Collection collection(rng, 0.0, true);
  collection.fill(2);
  LateKind api(collection);
  Informer<api::Pod> informer(api, {}, {loop.executor(), &timers, &clock, &rng, &metrics});
  std::optional<Error> failure;
  api.before_served = [&] { failure = informer.reflector().failure(); };
  net::Job running;
  collection.on_idle = [&] { running.cancel(); };
  std::promise<void> done;
  (void)loop.await_result(start(running, loop.executor(), run_to_end(informer, done)));
  done.get_future().wait();
  set_log_sink(nullptr, nullptr);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, Errc::NotFound);
  EXPECT_FALSE(informer.reflector().failure());
  EXPECT_EQ(informer.size(), 2U);
  EXPECT_EQ(lines, (std::vector<std::string>{"informer of pods: the API server does not serve v1 Pod; retrying",
                                             "informer of pods: watching again"}));
}

RC_GTEST_PROP(Reflector, HandlersGetAConsistentSequenceAndTheFinalStateOverABadNetwork, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const bool streaming = *rc::gen::arbitrary<bool>();
  const double failure_rate = *rc::gen::element(0.05, 0.2, 0.4);
  const RunResult result = run_informer(seed, failure_rate, streaming, 20);
  RC_ASSERT(result.in_store == result.on_server);
  RC_ASSERT(result.early.version_of == result.on_server);
  RC_ASSERT(result.late.version_of == result.on_server);
  RC_ASSERT(result.early.complaints.empty());
  RC_ASSERT(result.late.complaints.empty());
  RC_ASSERT(result.early.synced == 1);
}

}  // namespace
}  // namespace rescheduler::kube
