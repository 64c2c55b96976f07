// metrics.k8s.io as metrics-server would serve it: averages over the last whole 15 s of everything that has run long
// enough, on nodes whose kubelets answer.
#pragma once

namespace rescheduler::sim {

class LoadModel;
class Server;

// `kubectl top` and its like work from here on. Both must live as long as the server is asked.
void provide_metrics(Server& server, LoadModel& load);

}  // namespace rescheduler::sim
