// metrics.k8s.io as metrics-server serves it: averages over the last complete 15 s of all pods and nodes that have run
// long enough, on nodes whose kubelets report.
#pragma once

namespace rescheduler::sim {

class LoadModel;
class Server;

// Enables `kubectl top` and similar clients. `load` must live as long as the server.
void provide_metrics(Server& server, LoadModel& load);

}  // namespace rescheduler::sim
