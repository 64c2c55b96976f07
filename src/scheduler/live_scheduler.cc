#include "scheduler/live_scheduler.h"

#include <algorithm>
#include <limits>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "cluster/feed.h"
#include "cluster/objects/pods.h"
#include "kube/client/cross_loop_api.h"
#include "kube/client/fenced_api.h"
#include "kube/codec/metadata.h"
#include "kube/events/event_recorder.h"
#include "kube/informer/reflector.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "net/run_on.h"
#include "scheduler/action_executor.h"
#include "scheduler/bounded_queue.h"
#include "scheduler/extender_chain.h"
#include "scheduler/load_sources.h"
#include "scheduler/load_watch.h"

namespace rescheduler::scheduler {
namespace {

// The cluster model has everything that decisions need; only extenders need whole objects.
kube::InformerSettings informer_settings(const kube::ResourceType& kind, bool extenders, bool finished_pods) {
  kube::InformerSettings settings;
  settings.keep = extenders ? kube::Keep::Objects : kube::Keep::Names;
  // Finished pods use no resources, so the API server need not send them.
  if (&kind == &kube::resource_of<api::Pod>() && !finished_pods) {
    settings.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
  }
  return settings;
}

SchedulerSettings scheduler_settings(const LiveSettings& live) {
  SchedulerSettings settings;
  settings.profiles = live.configuration.placing();
  settings.queue.retry.initial_backoff = live.configuration.pod_initial_backoff;
  settings.queue.retry.max_backoff = live.configuration.pod_max_backoff;
  settings.percentage_of_nodes_to_score = live.configuration.percentage_of_nodes_to_score;
  settings.seed = live.seed;
  return settings;
}

}  // namespace

struct LiveScheduler::State : std::enable_shared_from_this<State> {
  State(LiveApis the_apis, LiveSettings the_settings, kube::LoopServices the_services)
      : apis(the_apis), settings(std::move(the_settings)), services(the_services) {}

  LiveApis apis;
  LiveSettings settings;
  kube::LoopServices services;
  std::vector<std::unique_ptr<kube::EventRecorder>> recorders{};
  std::unique_ptr<ActionExecutor> action_executor{};
  std::unique_ptr<ExtenderChain> extender_chain{};
  std::unique_ptr<DecisionLoop> decisions{};
  net::Executor deciding{};
  std::unique_ptr<kube::FencedApi> writes{};
  std::unique_ptr<kube::CrossLoopApi> volume_api{};
  std::unique_ptr<BoundedQueue> volumes{};  // on the decision thread: pods whose claims are being bound
  std::vector<std::unique_ptr<kube::Reflector>> reflectors{};
  const kube::Reflector* nodes = nullptr;
  const kube::Reflector* pods = nullptr;
  std::unique_ptr<LoadWatch> load{};  // null: no profile uses load
  std::vector<net::Job> jobs{};
  std::vector<ClusterSink> listeners{};                                     // constant while informers run
  PodAnnotator annotator{};                                                 // empty: none
  std::map<std::string, std::map<std::string, std::string>> annotations{};  // by uid of a pending pod: from annotator

  // The object as the scheduler decides on it.
  kube::ObjectPtr annotated(const kube::ObjectPtr& object) {
    if (!annotator || object->GetDescriptor() != api::Pod::descriptor()) return object;
    const auto& pod = static_cast<const api::Pod&>(*object);
    if (!pod.spec().node_name().empty() || cluster::is_finished(pod)) {
      annotations.erase(pod.metadata().uid());
      return object;
    }
    const bool ours = std::ranges::any_of(settings.configuration.profiles, [&](const placement::Profile& profile) {
      return profile.scheduler_name == pod.spec().scheduler_name();
    });
    if (!ours) return object;
    const auto [known, first] = annotations.try_emplace(pod.metadata().uid());
    if (first) known->second = annotator(pod);
    if (known->second.empty()) return object;
    auto copy = std::make_shared<api::Pod>(pod);
    for (const auto& [key, value] : known->second) (*copy->mutable_metadata()->mutable_annotations())[key] = value;
    return copy;
  }
  void add_annotations(BindAction& order) const {
    const auto found = annotations.find(order.pod->metadata().uid());
    if (found != annotations.end()) order.annotations.insert(found->second.begin(), found->second.end());
  }

  void notify_sinks(auto ClusterSink::* what, const auto& about) const {
    for (const ClusterSink& one : listeners) {
      if (one.*what) (one.*what)(about);
    }
  }
  void notify_upsert(const kube::ObjectPtr& object) const {
    const bool finished = object->GetDescriptor() == api::Pod::descriptor()
                          && cluster::is_finished(static_cast<const api::Pod&>(*object));
    for (const ClusterSink& one : listeners) {
      const auto& notify = finished && !one.finished_pods ? one.remove : one.upsert;
      if (notify) notify(object);
    }
  }

  static net::Task<void> follow(std::shared_ptr<State> /*kept*/, kube::Reflector& reflector) {
    co_await reflector.run();
  }
  static net::Task<void> record(std::shared_ptr<State> /*kept*/, kube::EventRecorder& recorder) {
    co_await recorder.run();
  }
  static net::Task<void> watch(std::shared_ptr<State> kept) { co_await kept->load->run(); }

  // Readings go to the decision loop; changes of the load source become events.
  Result<void> watch_load(const cluster::LoadSettings& how) {
    LoadWatch::Callbacks callbacks;
    callbacks.taken = [this](usage::Reading reading, std::string source) {
      decisions->post([this, reading = std::move(reading), source = std::move(source)](Scheduler& to, WallTime now) {
        to.load_taken(reading, source, now);
        share_loads(to, now);
      });
    };
    callbacks.fell_back = [this](cluster::LoadBasis basis, std::string source) {
      decisions->post([this, basis, source = std::move(source)](Scheduler& to, WallTime now) {
        to.load_fell_back(basis, source, now);
        share_loads(to, now);
      });
    };
    callbacks.changed = [this](const usage::Fallback::Change& change) { record_source_change(change); };
    auto made = LoadWatch::make(how, *apis.api, services, std::move(callbacks));
    if (!made) return fail(std::move(made.error()));
    load = std::move(*made);
    count_overloads(0);  // creates the metric with value 0: none so far, which differs from unknown
    return {};
  }

  // On the decision thread.
  void share_loads(const Scheduler& from, WallTime now) {
    if (std::ranges::none_of(listeners, [](const ClusterSink& one) { return bool(one.loads); })) return;
    auto seen = std::make_shared<LoadUpdate>();
    const cluster::Cluster& model = from.cluster();
    seen->load_summary = model.load_summary();
    seen->at = now;
    seen->nodes.reserve(model.node_count());
    for (const cluster::NodeIndex index : model.existing_nodes()) {
      seen->nodes.emplace_back(model.node(index).node->name, model.node(index).load);
    }
    boost::asio::post(services.executor,
                      [self = shared_from_this(), seen] { self->notify_sinks(&ClusterSink::loads, seen); });
  }

  // An event on the Lease, the only object that belongs to this process in every installation.
  void record_source_change(const usage::Fallback::Change& change) {
    if (settings.fence && !settings.fence->may_act()) return;
    const config::LeaderElection& lease = settings.configuration.leader_election;
    kube::EventRecord record;
    record.regarding = {.api_version = "coordination.k8s.io/v1",
                        .kind = "Lease",
                        .ns = lease.resource_namespace,
                        .name = lease.resource_name};
    record.type = change.loss ? kube::EventType::Warning : kube::EventType::Normal;
    record.reason = "LoadSourceChanged";
    record.action = "Measuring";
    record.note = fmt::format("Nodes are now judged by {}: {}", change.to, change.why);
    recorders.front()->record(std::move(record));
  }

  // The results of actions go back to the decision loop. `sink` receives the actions that follow from them.
  ActionCallbacks action_callbacks(const std::function<void(SchedulingAction)>& sink) {
    ActionCallbacks results;
    results.bound = [this](std::string uid) {
      decisions->post([uid = std::move(uid)](Scheduler& to, WallTime now) { to.bound(uid, now); });
    };
    results.bind_failed = [this, sink](std::string uid, const Error& error) {
      decisions->post([uid = std::move(uid), error, sink](Scheduler& to, WallTime now) {
        for (SchedulingAction& order : to.bind_failed(uid, error, now)) sink(std::move(order));
      });
    };
    results.preemption_finished = [this](std::string uid, bool all) {
      decisions->post(
          [uid = std::move(uid), all](Scheduler& to, WallTime now) { to.preemption_finished(uid, all, now); });
    };
    return results;
  }

  void add_reflector(const kube::ResourceType& kind) {
    kube::InformerSettings informer = informer_settings(kind, extender_chain != nullptr, settings.finished_pods);
    if (settings.deciding != nullptr) informer.drained = [this] { return drained(); };
    auto& reflector =
        reflectors.emplace_back(std::make_unique<kube::Reflector>(*apis.api, kind, std::move(informer), services));
    kube::ObjectHandler handler;
    handler.upserted = [this](const kube::ObjectPtr& object) {
      decisions->post([object = annotated(object)](Scheduler& to, WallTime now) { to.upsert(object, now); });
      notify_upsert(object);
    };
    handler.removed = [this](const kube::ObjectPtr& object) {
      if (annotator) annotations.erase(kube::metadata_of(*object).uid());
      decisions->post([object](Scheduler& to, WallTime now) { to.remove(object, now); });
      notify_sinks(&ClusterSink::remove, object);
    };
    reflector->add_handler(std::move(handler));
    if (&kind == &kube::resource_of<api::Node>()) {
      nodes = reflector.get();
      if (load) reflector->add_handler(load_handler());
    }
    if (&kind == &kube::resource_of<api::Pod>()) pods = reflector.get();
  }

  kube::ObjectHandler load_handler() {
    kube::ObjectHandler handler;
    handler.upserted = [this](const kube::ObjectPtr& object) {
      load->upsert_node(static_cast<const api::Node&>(*object));
    };
    handler.removed = [this](const kube::ObjectPtr& object) {
      load->remove_node(static_cast<const api::Node&>(*object).metadata().name());
    };
    return handler;
  }

  // On the decision thread.
  void carry_out(SchedulingAction order) {
    auto* binding = std::get_if<BindAction>(&order);
    if (binding != nullptr && binding->has_claims) {
      volumes->add([self = this, one = std::move(*binding)] { return self->bind_volumes_first(one); });
      return;
    }
    const std::string overloaded = binding != nullptr && binding->overloads ? binding->node : std::string();
    boost::asio::post(services.executor, [self = shared_from_this(), order = std::move(order), overloaded]() mutable {
      if (auto* bind = std::get_if<BindAction>(&order)) self->add_annotations(*bind);
      self->action_executor->take(std::move(order));
      if (!overloaded.empty()) self->ask_to_relieve(overloaded);
    });
  }

  void count_overloads(double more) {
    services.metrics
        ->counter("rescheduler_preventive_requests_total",
                  "Placements that will bring a node above a threshold, so that rescheduling is needed.")
        .add(more);
  }

  void ask_to_relieve(const std::string& node) {
    count_overloads(1);
    notify_sinks(&ClusterSink::overloaded, node);
  }

  // The volumes are bound before the pod: a kubelet must not start a pod whose volumes cannot be mounted.
  net::Task<void> bind_volumes_first(BindAction order) {
    const auto& meta = order.pod->metadata();
    Scheduler& scheduler = decisions->scheduler();
    const ClusterStorageView view(scheduler.cluster(),
                                  [&scheduler](std::string_view uid) { return scheduler.is_waiting(uid); });
    kube::LoopServices here = services;
    here.executor = deciding;
    VolumeBinder binder(*volume_api, here, view);
    const auto* args = scheduler.framework(order.profile).args_of<placement::VolumeBindingArgs>("VolumeBinding");
    const auto timeout = args != nullptr ? args->bind_timeout : placement::VolumeBindingArgs{}.bind_timeout;
    PodToBind pod{meta.namespace_(), meta.name(), meta.uid()};
    auto outcome = co_await binder.bind(scheduler.take_reserved(meta.uid()), std::move(pod), timeout);
    if (outcome.bound) {
      order.has_claims = false;
      carry_out(std::move(order));
      co_return;
    }
    scheduler.unreserve(outcome.unwritten);
    decisions->post(
        [self = shared_from_this(), uid = meta.uid(), error = outcome.bound.error()](Scheduler& to, WallTime now) {
          for (SchedulingAction& next : to.bind_failed(uid, error, now)) self->carry_out(std::move(next));
        });
  }

  // Returns when all objects from the informers so far are processed, here and by the listeners.
  net::Task<void> drained() {
    co_await taken_in();
    for (const ClusterSink& one : listeners) {
      if (one.drained) co_await one.drained();
    }
  }

  // Runs an empty task on the decision thread: everything posted before it is processed.
  net::Task<void> taken_in() {
    const auto nothing = []() -> net::Task<bool> { co_return true; };
    (void)co_await net::run_on(deciding, nothing());
  }

  // Waits until all actions are carried out. A result that is posted to the decision thread can produce a new action.
  static net::Task<void> finish(std::shared_ptr<State> self) {
    do {
      const auto carried = co_await self->action_executor->wait_idle();
      if (!carried) co_return;
      const auto bound = co_await net::run_on(self->deciding, self->volumes->wait_idle());
      if (!bound) co_return;
    } while (!self->action_executor->idle());
  }
};

LiveScheduler::LiveScheduler(std::shared_ptr<State> state) : state_(std::move(state)) {}

LiveScheduler::~LiveScheduler() {
  for (net::Job& job : state_->jobs) job.cancel();
}

Result<std::unique_ptr<LiveScheduler>> LiveScheduler::make(LiveApis apis,
                                                           LiveSettings settings,
                                                           kube::LoopServices services) {
  auto scheduler_wants = scheduler_settings(settings);
  scheduler_wants.clock = services.clock;
  if (settings.configuration.load) scheduler_wants.load = load_tracker_settings(*settings.configuration.load);
  auto scheduler = Scheduler::make(scheduler_wants, *services.metrics, services.clock->wall_now());
  if (!scheduler) return fail(std::move(scheduler.error()));
  auto state = std::make_shared<State>(apis, std::move(settings), services);
  if (state->apis.events == nullptr) state->apis.events = state->apis.api;
  const net::Executor deciding =
      state->settings.deciding != nullptr ? state->settings.deciding->executor() : services.executor;

  ActionExecutorSettings action_executor;
  action_executor.bindings_at_once = state->settings.bindings_at_once;
  action_executor.fence = state->settings.fence;
  std::vector<kube::EventRecorder*> recorders;
  for (const placement::Profile& profile : state->settings.configuration.profiles) {
    kube::EventRecorderSettings recorder;
    recorder.reporter = {profile.scheduler_name, profile.scheduler_name + "-" + state->settings.host};
    state->recorders.push_back(std::make_unique<kube::EventRecorder>(*state->apis.events, recorder, services));
    recorders.push_back(state->recorders.back().get());
    action_executor.scheduler_names.push_back(profile.scheduler_name);
  }
  // Actions go from the decision loop to the loop of `services`; results go back to the decision loop.
  State* raw = state.get();
  state->deciding = deciding;
  state->writes = std::make_unique<kube::FencedApi>(*state->apis.api, state->settings.fence);
  state->volume_api = std::make_unique<kube::CrossLoopApi>(*state->writes, services.executor);
  constexpr auto kAllAtOnce = std::numeric_limits<std::size_t>::max();
  state->volumes = std::make_unique<BoundedQueue>(deciding, "bind volumes", kAllAtOnce);
  state->volumes->keep(state);
  // Weak, because the state owns the decision loop. Running actions keep the state alive.
  const auto sink = [weak = state->weak_from_this()](SchedulingAction order) {
    if (const auto self = weak.lock()) self->carry_out(std::move(order));
  };
  auto extender_chain = ExtenderChain::make(state->settings.configuration.extenders, state->settings.network, services);
  if (!extender_chain) return fail(std::move(extender_chain.error()));
  state->extender_chain = std::move(*extender_chain);
  state->action_executor = std::make_unique<ActionExecutor>(
      *state->writes, std::move(recorders), std::move(action_executor), state->action_callbacks(sink), services);
  if (state->extender_chain) {
    state->action_executor->bind_by(
        [raw](const BindAction& order) { return raw->extender_chain->bind(order, *raw->action_executor); });
  }
  state->action_executor->keep(state);
  state->decisions = std::make_unique<DecisionLoop>(std::move(*scheduler), deciding, *services.timers, *services.clock,
                                                    sink, state->extender_chain.get());
  if (const auto& load = state->settings.configuration.load) {
    auto watch = state->watch_load(*load);
    if (!watch) return fail(std::move(watch.error()));
  }
  for (const kube::ResourceType* kind : cluster::model_kinds()) state->add_reflector(*kind);
  if (state->extender_chain) {
    state->extender_chain->look_up_in(
        {[raw](const std::string& name) {
           return std::static_pointer_cast<const api::Node>(raw->nodes->store().find({}, name));
         },
         [raw](const std::string& ns, const std::string& name) {
           return std::static_pointer_cast<const api::Pod>(raw->pods->store().find(ns, name));
         }});
  }
  return std::unique_ptr<LiveScheduler>(new LiveScheduler(std::move(state)));
}

void LiveScheduler::listen(ClusterSink sink) { state_->listeners.push_back(std::move(sink)); }

void LiveScheduler::annotate_by(PodAnnotator annotator) { state_->annotator = std::move(annotator); }

void LiveScheduler::follow() {
  const net::Executor& executor = state_->services.executor;
  for (const auto& reflector : state_->reflectors) {
    state_->jobs.push_back(net::spawn(executor, "scheduler informer", State::follow(state_, *reflector)));
  }
  for (const auto& recorder : state_->recorders) {
    state_->jobs.push_back(net::spawn(executor, "scheduler events", State::record(state_, *recorder)));
  }
  if (state_->load) state_->jobs.push_back(net::spawn(executor, "loads", State::watch(state_)));
}

std::vector<std::string> LiveScheduler::not_synced() const {
  std::vector<std::string> resources;
  for (const auto& one : state_->reflectors) {
    if (!one->synced()) resources.emplace_back(one->resource().plural);
  }
  return resources;
}

net::Task<Result<void>> LiveScheduler::wait_synced() {
  for (const auto& reflector : state_->reflectors) {
    auto synced = co_await reflector->wait_synced();
    if (!synced) co_return fail(std::move(synced.error()));
  }
  co_return Result<void>{};
}

void LiveScheduler::lead() { state_->decisions->begin_deciding(); }

net::Task<bool> LiveScheduler::stop(std::chrono::nanoseconds grace) {
  // A copy: the caller may destroy the LiveScheduler during the wait.
  const std::shared_ptr<State> state = state_;
  state->decisions->stop_deciding();
  co_await state->taken_in();  // afterwards the ActionExecutor has all actions that were decided so far
  state->action_executor->drop_waiting();
  net::Job finishing = net::spawn(state->services.executor, "finish what was decided", State::finish(state));
  const bool ended = co_await net::ended_within(finishing, *state->services.timers, grace);
  finishing.cancel();
  for (const auto& recorder : state->recorders) {
    [[maybe_unused]] const auto flushed = co_await recorder->flush();
  }
  (void)co_await net::end_all(state->jobs);
  co_return ended;
}

void LiveScheduler::set_intents(std::vector<Intent> intents) {
  state_->decisions->post([intents = std::move(intents)](Scheduler& to, WallTime) { to.set_intents(intents); });
}

std::optional<std::string> LiveScheduler::load_status() const {
  if (!state_->load) return std::nullopt;
  return state_->load->status().text(state_->services.clock->wall_now());
}

net::Task<Result<std::vector<usage::PodUse>>> LiveScheduler::read_pod_usage() {
  const std::shared_ptr<State> state = state_;
  if (!state->load) co_return fail(Errc::NotFound, "no profile uses load");
  auto pods = co_await state->load->read_pods();
  co_return pods;
}

void LiveScheduler::reserve_load(const std::string& key, const std::string& node, const cluster::Loads& load) {
  state_->decisions->post([key, node, load](Scheduler& to, WallTime now) { to.reserve_move(key, node, load, now); });
}

void LiveScheduler::release(const std::string& key) {
  state_->decisions->post([key](Scheduler& to, WallTime) { to.release_move(key); });
}

void LiveScheduler::expect(usage::WorkloadUsagesPtr workload_usages) {
  state_->decisions->post(
      [workload_usages = std::move(workload_usages)](Scheduler& to, WallTime) { to.expect(workload_usages); });
}

void LiveScheduler::inspect(std::function<void(Scheduler&)> look) {
  state_->decisions->post([look = std::move(look)](Scheduler& scheduler, WallTime) { look(scheduler); });
}

net::Task<std::unique_ptr<cluster::Cluster>> LiveScheduler::copy_cluster() {
  std::unique_ptr<cluster::Cluster> copy;
  const auto make_copy = [&copy](Scheduler& from) { copy = std::make_unique<cluster::Cluster>(from.cluster()); };
  co_await visit(make_copy);
  co_return copy;
}

namespace {

net::Task<bool> look_at(DecisionLoop& decisions, std::function<void(Scheduler&)> look) {
  look(decisions.scheduler());
  co_return true;
}

}  // namespace

net::Task<void> LiveScheduler::visit(std::function<void(Scheduler&)> look) {
  DecisionLoop& decisions = *state_->decisions;
  (void)co_await net::run_on(state_->deciding, look_at(decisions, std::move(look)));
}

}  // namespace rescheduler::scheduler
