import { useEffect, useState } from "preact/hooks";
import type { Decision, PodDetail } from "../api/types";
import { bytes, cores, t, word } from "../i18n";
import { link } from "../state/route";
import { migrations, nodes, nodesChanged } from "../state/store";
import { ActionButton, Badge, Card, Dialog, Empty, Loading, NodeLink, Problem, Text, Time, useData } from "../ui/common";
import { ActivityList } from "../ui/ActivityList";
import { visible } from "../ui/visible";
import { DecisionTable, FIRST_NODES, type Part } from "./DecisionTable";
import { MigrationRow } from "./Migrations";
import { Pairs } from "./Node";
import { phaseTone } from "./PodTable";
import { SlotRow } from "./Recovery";

export function PodPage({ namespace, name }: { namespace: string; name: string }) {
  const base = `pods/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  const mine = migrations.value.filter((one) => one.namespace === namespace && one.pod === name).map((one) => one.phase).join();
  const { data, error, reload } = useData<PodDetail>(base, mine);
  const [part, ask] = useState<Part>({ limit: FIRST_NODES, node: "" });
  const wanted = useLater(part, 250);
  const decision = useData<Decision>(`${base}/decision?limit=${wanted.limit}&node=${encodeURIComponent(wanted.node)}`, data?.pod.node ?? "");
  return (
    <>
      <nav class="crumbs" aria-label={t("crumbs")}><a href={link("pods")}>{t("nav.pods")}</a> / <Text value={namespace} /></nav>
      <header class="page-head">
        <h1><Text value={name} /></h1>
        {data && <Badge tone={phaseTone(data.pod)}>{word("phase", data.pod.phase) === data.pod.phase ? <Text value={data.pod.phase} /> : word("phase", data.pod.phase)}</Badge>}
        <span class="spacer" />
        {data?.pod.node && <MoveButton namespace={namespace} name={name} from={data.pod.node} decision={decision.data} done={reload} />}
      </header>
      {error && !data && <Problem error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data && <Summary detail={data} />}
      <Card title={t("pod.why")} id="why" aside={<button class="small" onClick={decision.reload}>{t("again")}</button>}>
        {decision.error && !decision.data ? <Problem error={decision.error} retry={decision.reload} /> : !decision.data ? <Loading /> : <DecisionTable decision={decision.data} part={part} ask={ask} />}
      </Card>
      {data?.attempts && <Card title={t("nav.recovery")}><ul class="plain-list"><SlotRow slot={data.attempts} /></ul></Card>}
      {data && (
        <div class="columns">
          <Card title={t("pod.migrations")}>
            {data.migrations.length === 0 ? <p class="quiet">{t("pod.noMigrations")}</p> : <ul class="moves">{data.migrations.map((one) => <MigrationRow key={one.namespace + one.name} one={one} />)}</ul>}
          </Card>
          <Card title={t("pod.events")}><Events detail={data} /></Card>
        </div>
      )}
      {data && <Card title={t("labels")}><Pairs pairs={data.labels} /></Card>}
    </>
  );
}

function Events({ detail }: { detail: PodDetail }) {
  const { events, news, eventsProblem } = detail;
  return (
    <>
      {eventsProblem && <p class="quiet">{t("pod.eventsProblem")} <Text value={eventsProblem} /></p>}
      {events.length === 0 && news.length === 0 && !eventsProblem && <p class="quiet">{t("pod.noEvents")}</p>}
      {events.length > 0 && (
        <ol class="news" data-testid="events">
          {events.map((one, index) => (
            <li key={index} class={one.warning ? "warning" : ""}>
              <span class="news-sign" aria-hidden="true">{one.warning ? "!" : "·"}</span>
              <span class="news-text"><strong><Text value={one.reason} /></strong> <Text value={one.text} /> <span class="quiet"><Text value={one.by} />{one.count > 1 && ` × ${one.count}`}</span></span>
              <Time at={one.at} />
            </li>
          ))}
        </ol>
      )}
      {news.length > 0 && <ActivityList most={30} lines={news} />}
    </>
  );
}

// The typed value, once the user pauses.
function useLater<T>(value: T, milliseconds: number): T {
  const [held, hold] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => hold(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value]);
  return held;
}

function Summary({ detail }: { detail: PodDetail }) {
  const pod = detail.pod;
  return (
    <Card>
      <dl class="summary">
        <div><dt>{t("word.node")}</dt><dd>{pod.node ? <NodeLink name={pod.node} /> : <span>{t("pod.noNode")}</span>}</dd></div>
        <div><dt>{t("column.owner")}</dt><dd>{pod.owner ? <Text value={`${pod.owner.kind}/${pod.owner.name}`} /> : t("owner.none")}</dd></div>
        <div><dt>{t("pod.requests")}</dt><dd>{cores(pod.cpuRequested)} CPU · {bytes(pod.memoryRequested)}</dd></div>
        <div><dt>{t("pod.priority")}</dt><dd>{pod.priority}</dd></div>
        <div><dt>{t("pod.scheduler")}</dt><dd><Text value={detail.scheduler} /></dd></div>
        <div><dt>{t("column.since")}</dt><dd><Time at={pod.created} /></dd></div>
        <div><dt>{t("column.movable")}</dt><dd>{pod.movable === null ? "–" : pod.movable.allowed ? t("movable.yes") : <>{t("movable.no")} <Text value={pod.movable.reason ?? ""} /></>}</dd></div>
      </dl>
    </Card>
  );
}

function MoveButton(props: { namespace: string; name: string; from: string; decision: Decision | null; done: () => void }) {
  const [open, setOpen] = useState(false);
  const [to, setTo] = useState("");
  void nodesChanged.value;
  const feasible = props.decision?.nodes.filter((node) => node.feasible && node.name !== props.from)
    .sort((a, b) => (b.feasible ? b.total ?? 0 : 0) - (a.feasible ? a.total ?? 0 : 0)).map((node) => node.name);
  const names = feasible ?? [...nodes.keys()].filter((node) => node !== props.from);
  const chosen = to || names[0] || "";
  return (
    <>
      <button onClick={() => setOpen(true)}>{t("move.open")}</button>
      {open && (
        <Dialog title={t("move.title", { pod: visible(props.name) })} close={() => setOpen(false)}>
          <p>{t("move.what")}</p>
          {names.length === 0 ? <Empty title={t("move.nowhere")} /> : (
            <label class="field">{t("move.to")}
              <select value={chosen} onChange={(event) => setTo(event.currentTarget.value)}>{names.slice(0, 200).map((node) => <option key={node} value={node}>{visible(node)}</option>)}</select>
            </label>
          )}
          <div class="dialog-buttons">
            <button onClick={() => setOpen(false)}>{t("confirm.no")}</button>
            <ActionButton class="primary" action="move" path="moves" body={() => ({ namespace: props.namespace, pod: props.name, to: chosen })} disabled={!chosen}
              done={() => { setOpen(false); props.done(); }}>{t("move.do")}</ActionButton>
          </div>
        </Dialog>
      )}
    </>
  );
}
