import type { NodeDetail, NodeRow } from "../api/types";
import { moment, percent, span, t, word } from "../i18n";
import { link } from "../state/route";
import { nodes, nodesChanged, session } from "../state/store";
import { ActionButton, Badge, Bar, Card, Empty, Loading, Problem, StateBadge, Text, Time, useData } from "../ui/common";
import { visible } from "../ui/visible";
import { Blockers, MaintenanceBar, Staying } from "./Maintenance";
import { PodTable } from "./PodTable";

export function NodePage({ name }: { name: string }) {
  void nodesChanged.value;
  const live = nodes.get(name);
  // The pods are fetched again when a pod comes or goes or the state of the node changes; the load is in the row.
  const { data, error, reload } = useData<NodeDetail>(`nodes/${encodeURIComponent(name)}`, live ? `${live[3]}/${live[4]}` : "");
  const row = live ?? data?.row;
  return (
    <>
      <nav class="crumbs" aria-label={t("crumbs")}><a href={link("overview")}>{t("nav.overview")}</a> / {t("word.node")}</nav>
      <header class="page-head">
        <h1><Text value={name} /></h1>
        {row && <StateBadge state={row[3]} />}
        <span class="spacer" />
        {session.value?.grafana && <a class="button" href={grafanaFor(session.value.grafana, name)} target="_blank" rel="noopener noreferrer">{t("grafana")} ↗</a>}
        {row && (data?.maintenance || row[3] === "maintenance"
          ? <ActionButton action="maintenance" path="maintenance" body={() => ({ node: name, on: false })} done={reload}>{t("maintenance.off")}</ActionButton>
          : <ActionButton action="maintenance" path="maintenance" body={() => ({ node: name, on: true })} done={reload} confirm={t("maintenance.confirm", { node: visible(name) })}>{t("maintenance.on")}</ActionButton>)}
      </header>
      {error && !data && <Problem error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {row && <Loads row={row} />}
      {data && <Rest detail={data} />}
    </>
  );
}

export function grafanaFor(base: string, node: string): string {
  return `${base}${base.includes("?") ? "&" : "?"}var-node=${encodeURIComponent(node)}`;
}

function Loads({ row }: { row: NodeRow }) {
  const line = (name: string, values: [number | null, number | null, number | null]) => (
    <tr>
      <th scope="row">{name}</th>
      {values.map((value, index) => <td key={index}><span class="bar-cell wide"><Bar value={value} /><span>{percent(value)}</span></span></td>)}
    </tr>
  );
  return (
    <Card title={t("node.load")} aside={<span class="quiet">{t("pods.of", { n: row[4], most: row[5] })} · <Text value={row[1] || "—"} /> · <Text value={row[2] || "—"} /></span>}>
      <div class="scroll" role="group" aria-label={t("node.load")} tabIndex={0}>
        <table class="data loads">
          <thead><tr><td /><th scope="col">{t("kind.real")}</th><th scope="col">{t("kind.predicted")}</th><th scope="col">{t("kind.requested")}</th></tr></thead>
          <tbody>{line(t("metric.cpu"), [row[6], row[8], row[10]])}{line(t("metric.memory"), [row[7], row[9], row[11]])}</tbody>
        </table>
      </div>
      {row[6] === null && <p class="quiet">{t("node.noLoad")}</p>}
    </Card>
  );
}

function Rest({ detail }: { detail: NodeDetail }) {
  const q = detail.quarantine;
  return (
    <>
      {q && (
        <div class="banner bad"><span class="mark" aria-hidden="true">!</span><span><strong>{word("quarantine", q.state)}</strong> {t("until", { at: moment(q.until) })} <Text value={q.why} /></span></div>
      )}
      {detail.maintenance && (
        <Card title={t("nav.maintenance")}>
          <MaintenanceBar node={detail.maintenance} />
          {detail.maintenance.etaSeconds !== null && <p>{t("maintenance.eta", { span: span(detail.maintenance.etaSeconds) })}</p>}
          <Blockers list={detail.maintenance.blockers} />
          <Staying list={detail.maintenance.staying} />
        </Card>
      )}
      <Card title={t("node.pods", { n: detail.pods.length })} id="node-pods">
        {detail.pods.length === 0 ? <Empty title={t("node.noPods")} /> : <PodTable pods={detail.pods} withNode={false} label={t("node.pods", { n: detail.pods.length })} />}
      </Card>
      <div class="columns">
        <Card title={t("node.conditions")}>
          <ul class="plain-list">
            {detail.conditions.map((one) => {
              const bad = one.type === "Ready" ? one.status !== "True" : one.status === "True";
              return <li key={one.type}><Badge tone={bad ? "bad" : "good"}><Text value={`${one.type}: ${one.status}`} /></Badge> <span class="quiet"><Text value={one.message || one.reason} /> <Time at={one.since} /></span></li>;
            })}
          </ul>
        </Card>
        <Card title={t("node.taints")}>
          {detail.taints.length === 0 ? <p class="quiet">{t("none")}</p> : (
            <ul class="plain-list">{detail.taints.map((one) => <li key={one.key + one.effect}><code><Text value={`${one.key}${one.value ? `=${one.value}` : ""}:${one.effect}`} /></code> {one.ours && <Badge tone="accent">{t("node.ours")}</Badge>}</li>)}</ul>
          )}
          <h3>{t("node.allocatable")}</h3>
          <Pairs pairs={detail.allocatable} />
        </Card>
      </div>
      <Card title={t("labels")}><Pairs pairs={detail.labels} /></Card>
    </>
  );
}

export function Pairs({ pairs }: { pairs: Record<string, string> }) {
  const all = Object.entries(pairs);
  if (all.length === 0) return <p class="quiet">{t("none")}</p>;
  return <dl class="pairs">{all.map(([key, value]) => <div key={key}><dt><Text value={key} /></dt><dd><Text value={value} /></dd></div>)}</dl>;
}
