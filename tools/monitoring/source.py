"""Recording rules, alerts and dashboards: the only source of the files that `generate` writes.

A panel is (title, unit, description, [(legend, query)]). Queries take rates over $__rate_interval in dashboards and over
fixed windows in rules.
"""

RECORDS = [
    ('rescheduler:node_cpu_used:percent', '''
# Idle time as a share of all time, so that the value is correct for a node that was first scraped a minute ago.
# Without the division, one minute of samples in a rate over five minutes would give a fifth of the real value, and
# the node would look busy.''', '''
100 * (1 - sum by(instance) (rate(node_cpu_seconds_total{mode="idle"}[5m]))
         / sum by(instance) (rate(node_cpu_seconds_total[5m])))'''),
    ('rescheduler:node_memory_used:percent', '', '''
100 * (1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes)'''),
    ('rescheduler:node_heard:timestamp', '''
# The time of the last sample of a node. Rates continue for five minutes after the last sample; this value does not.''', '''
max by(instance) (timestamp(node_memory_MemAvailable_bytes))'''),
]

# (name, for, severity, query, summary)
ALERTS = [
    ('ReschedulerLoadNotMeasured', '5m', 'warning', 'rescheduler_load_source{source=~"requests|turns"} == 1',
     'Nodes are judged by {{ $labels.source }}, because no load source answers.'),
    ('ReschedulerLoadSamplesDropped', '10m', 'warning',
     'sum by(reason) (increase(rescheduler_load_samples_dropped_total[10m])) > 0',
     'Load samples are not used ({{ $labels.reason }}).'),
    ('ReschedulerNobodyLeads', '2m', 'critical',
     'sum(leader_election_master_status{name="rescheduler-scheduler"}) < 1',
     'No replica holds the lease, so no pod is placed or moved.'),
    ('ReschedulerTwoLead', '1m', 'critical',
     'sum(leader_election_master_status{name="rescheduler-scheduler"}) > 1',
     'More than one replica believes that it holds the lease.'),
    ('ReschedulerInstallationIncomplete', '10m', 'warning', 'max by(part) (rescheduler_installation_problem) == 1',
     'A part of the installation is missing ({{ $labels.part }}); run rescheduler doctor.'),
    ('ReschedulerPodsWait', '15m', 'warning',
     'sum by(plugin) (scheduler_unschedulable_pods) > 0',
     'Pods are unschedulable: {{ $labels.plugin }} rejects them.'),
    ('ReschedulerAttemptsFail', '10m', 'warning',
     'sum(rate(scheduler_schedule_attempts_total{result="error"}[5m])) > 0.1',
     '{{ $value | humanize }} scheduling attempts per second end in errors.'),
    ('ReschedulerSlow', '10m', 'warning',
     'histogram_quantile(0.99, sum by(le) (rate(scheduler_scheduling_attempt_duration_seconds_bucket[5m]))) > 1',
     'One placement in a hundred takes {{ $value | humanizeDuration }} or more.'),
    ('ReschedulerApiErrors', '10m', 'warning',
     'sum(rate(rest_client_requests_total{code=~"5..|<error>"}[5m])) / sum(rate(rest_client_requests_total[5m])) > 0.05',
     '{{ $value | humanizePercentage }} of requests to the API server fail.'),
    ('ReschedulerMovesFail', '10m', 'warning',
     'sum(increase(rescheduler_pod_movements_total{result="failed"}[30m])) '
     '/ sum(increase(rescheduler_pod_movements_total[30m])) > 0.5',
     '{{ $value | humanizePercentage }} of moves fail.'),
    ('ReschedulerBrakeHolds', '30m', 'info',
     'rescheduler_brake_engaged{brake!~"cap-reached|outside-window|paused"} == 1',
     'The brake {{ $labels.brake }} has stopped moves for half an hour.'),
    ('ReschedulerUneven', '30m', 'info', 'rescheduler_load_balance_score < 60',
     'The cluster stays unbalanced: balance score {{ $value | humanize }} of 100.'),
    ('ReschedulerMaintenanceStalls', '1h', 'warning',
     'rescheduler_maintenance_pods_left > 0 and delta(rescheduler_maintenance_pods_left[1h]) >= 0',
     'No pod has left node {{ $labels.node }} for an hour; {{ $value }} pods remain.'),
    ('ReschedulerEventsDropped', '10m', 'info',
     'sum by(reason) (increase(rescheduler_events_dropped_total[10m])) > 0',
     'Events are not written ({{ $labels.reason }}).'),
]

RATE = '[$__rate_interval]'


def quantile(q, metric, by=''):
    labels = f'le, {by}' if by else 'le'
    return f'histogram_quantile({q}, sum by({labels}) (rate({metric}_bucket{RATE})))'


DASHBOARDS = {
    'rescheduler-nodes': ('Rescheduler: nodes', [
        ('CPU of nodes', 'percent', 'As node_exporter measures it.', [
            ('{{instance}}', 'rescheduler:node_cpu_used:percent')]),
        ('Memory of nodes', 'percent', 'As node_exporter measures it.', [
            ('{{instance}}', 'rescheduler:node_memory_used:percent')]),
        ('CPU of nodes, as used by decisions', 'percent', 'Smoothed load; requests if the load is not measured.', [
            ('{{node}}', 'max by(node) (rescheduler_node_utilization_percent{resource="cpu"})')]),
        ('Memory of nodes, as used by decisions', 'percent', 'Smoothed load; requests if the load is not measured.', [
            ('{{node}}', 'max by(node) (rescheduler_node_utilization_percent{resource="memory"})')]),
        ('Pods per node', 'short', '', [('{{node}}', 'max by(node) (rescheduler_node_pods)')]),
        ('Load source in use', 'short', '1: nodes are judged by this source.', [
            ('{{source}}', 'max by(source) (rescheduler_load_source)')]),
        ('Age of the newest load sample', 's', 'Samples older than `load.freshness` are not used.', [
            ('age', 'min(rescheduler_load_sample_age_seconds)')]),
        ('Load samples not used', 'short', '', [
            ('{{reason}}', f'sum by(reason) (rate(rescheduler_load_samples_dropped_total{RATE}))'),
            ('{{source}} fails', f'sum by(source) (rate(rescheduler_load_source_failures_total{RATE}))')]),
    ]),
    'rescheduler-scheduler': ('Rescheduler: scheduler', [
        ('Attempts', 'ops', 'Scheduling attempts, by result.', [
            ('{{result}}', f'sum by(result) (rate(scheduler_schedule_attempts_total{RATE}))')]),
        ('Time of an attempt', 's', 'From the queue to the binding.', [
            ('half', quantile(0.5, 'scheduler_scheduling_attempt_duration_seconds')),
            ('99 of 100', quantile(0.99, 'scheduler_scheduling_attempt_duration_seconds'))]),
        ('Time from creation to placement', 's', 'Includes all attempts and waiting times.', [
            ('half', quantile(0.5, 'scheduler_pod_scheduling_sli_duration_seconds')),
            ('99 of 100', quantile(0.99, 'scheduler_pod_scheduling_sli_duration_seconds'))]),
        ('Time of the decision alone', 's', '', [
            ('half', quantile(0.5, 'scheduler_scheduling_algorithm_duration_seconds')),
            ('99 of 100', quantile(0.99, 'scheduler_scheduling_algorithm_duration_seconds'))]),
        ('Time at each extension point, 99 of 100', 's', '', [
            ('{{extension_point}}',
             quantile(0.99, 'scheduler_framework_extension_point_duration_seconds', 'extension_point'))]),
        ('Time of the plugin Rescheduler, 99 of 100', 's', 'Measured for a sample of its calls.', [
            ('{{extension_point}}',
             'histogram_quantile(0.99, sum by(le, extension_point) '
             f'(rate(scheduler_plugin_execution_duration_seconds_bucket{{plugin="Rescheduler"}}{RATE})))')]),
        ('Pending pods', 'short', '', [('{{queue}}', 'sum by(queue) (scheduler_pending_pods)')]),
        ('Pending pods, by the plugin that rejects them', 'short', '', [
            ('{{plugin}}', 'sum by(plugin) (scheduler_unschedulable_pods)')]),
        ('Pods added to a queue, by event', 'ops', '', [
            ('{{event}}', f'sum by(event) (rate(scheduler_queue_incoming_pods_total{RATE}))')]),
        ('Preemptions', 'ops', '', [('attempts', f'sum(rate(scheduler_preemption_attempts_total{RATE}))')]),
        ('Objects in the scheduler cache', 'short', 'Nodes, pods, and pods whose binding is in progress.', [
            ('{{type}}', 'max by(type) (scheduler_cache_size)')]),
        ('Requests to the API server', 'reqps', '', [
            ('{{method}} {{code}}', f'sum by(method, code) (rate(rest_client_requests_total{RATE}))')]),
        ('Time of requests, 99 of 100', 's', '', [
            ('{{verb}}', quantile(0.99, 'rest_client_request_duration_seconds', 'verb'))]),
        ('Leader', 'short', '', [('{{instance}}', 'leader_election_master_status')]),
    ]),
    'rescheduler-moves': ('Rescheduler: moves', [
        ('Balance score', 'short', '100: all nodes are equally loaded.', [
            ('score', 'max(rescheduler_load_balance_score)')]),
        ('Moves', 'short', 'Finished moves, by strategy and result, in the last five minutes.', [
            ('{{strategy}} {{result}}', 'sum by(strategy, result) (increase(rescheduler_pod_movements_total[5m]))')]),
        ('Moves in progress', 'short', '', [('in progress', 'sum(rescheduler_moves_under_way)')]),
        ('Brakes', 'short', '1: the brake is engaged and stops moves.', [
            ('{{brake}}', 'max by(brake) (rescheduler_brake_engaged)')]),
        ('Planned moves', 'short', 'In the last five minutes. Mode observe: the moves are published, not carried out.', [
            ('{{strategy}} {{mode}}', 'sum by(strategy, mode) (increase(rescheduler_plan_moves_total[5m]))')]),
        ('Why pods stay', 'short', 'Pods that were considered and not moved, in the last five minutes.', [
            ('{{reason}}', 'sum by(reason) (increase(rescheduler_refusals_total[5m]))')]),
        ('Rescheduling cycles', 'ops', '', [('{{result}}', f'sum by(result) (rate(rescheduler_cycles_total{RATE}))')]),
        ('Time of a plan, 99 of 100', 's', '', [('plan', quantile(0.99, 'rescheduler_plan_duration_seconds'))]),
        ('Effect of plans', 'percent', 'Decrease of the load of hot nodes in percentage points: predicted and measured.', [
            ('{{strategy}} predicted', 'max by(strategy) (rescheduler_effect_predicted_points)'),
            ('{{strategy}} measured', 'max by(strategy) (rescheduler_effect_measured_points)')]),
        ('Maintenance: pods left', 'short', '', [('{{node}}', 'max by(node) (rescheduler_maintenance_pods_left)')]),
        ('Maintenance: progress', 'percent', '', [
            ('{{node}}', 'max by(node) (rescheduler_maintenance_progress_percent)')]),
        ('Preventive requests', 'ops', 'Placements that will bring a node above a threshold.', [
            ('requests', f'sum(rate(rescheduler_preventive_requests_total{RATE}))')]),
    ]),
}
