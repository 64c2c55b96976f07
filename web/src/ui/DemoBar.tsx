// Only in a demo: actions on the cluster, to see how rescheduler reacts.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { act, get } from "../api/client";
import type { DemoAction, DemoChoices } from "../api/types";
import { t, word } from "../i18n";
import { connection } from "../state/connection";
import { maintenance, nodes, nodeSetChanged, overview } from "../state/store";
import { ActionButton } from "./common";
import { visible } from "./visible";

// The default choice: the node with the highest load that is alive.
function busiest(choices: DemoChoices): string {
  let best = "";
  let most = -1;
  for (const one of choices.nodes) {
    const load = nodes.get(one.name)?.[6] ?? 0;
    if (one.alive && load > most) [best, most] = [one.name, load];
  }
  return best;
}

const MOST_CHOICES = 200; // a longer list would be useless

// The nodes that an action has changed, and the first ones of the rest.
function offered({ nodes: all }: DemoChoices, chosen: string): DemoChoices["nodes"] {
  if (all.length <= MOST_CHOICES) return all;
  const marked = all.filter((one) => !one.alive || one.crashing || one.name === chosen);
  return [...marked, ...all.filter((one) => !marked.includes(one)).slice(0, MOST_CHOICES)];
}

// The strategies that were in mode `act`: switching on restores them.
let switchedOff: string[] = [];

async function switchAll(changes: object[]): Promise<string> {
  for (const change of changes) await act("demo", change);
  return "";
}

export function DemoBar() {
  const choices = useSignal<DemoChoices>({ nodes: [], workloads: [] });
  const node = useSignal("");
  const workload = useSignal("");
  const load = (): void => {
    get<DemoChoices>("demo/choices").then((value) => (choices.value = value), () => undefined);
  };
  // Not before the first data: with thousands of nodes the choices are as large as that data.
  const there = connection.value.state === "live";
  useEffect(() => {
    if (!there) return undefined;
    load();
    const timer = setInterval(load, choices.value.nodes.length > MOST_CHOICES ? 30_000 : 5000);
    return () => clearInterval(timer);
  }, [there, nodeSetChanged.value]);
  const name = node.value || busiest(choices.value);
  const one = choices.value.nodes.find((other) => other.name === name);
  const [namespace, ...rest] = workload.value.split("/");
  const what = workload.value ? { namespace, workload: rest.join("/") } : {};
  const draining = maintenance.value?.nodes.some((other) => other.node === name) ?? false;
  const demoAction = (action: DemoAction, more: object = {}) => () => ({ do: action, node: name, ...more });
  const strategies = overview.value?.strategies ?? [];
  const acting = strategies.filter((strategy) => strategy.mode === "act").map((strategy) => strategy.name);
  if (acting.length > 0) switchedOff = acting;
  const changed = (acting.length > 0 ? acting : switchedOff.length > 0 ? switchedOff : strategies.map((strategy) => strategy.name))
    .map((strategy) => ({ do: "setStrategy", strategy, mode: acting.length > 0 ? "off" : "act" }));
  return (
    <section aria-label={t("demo.label")}>
    <details class="demo" open={matchMedia("(min-width: 700px)").matches}>
      <summary class="demo-title">{t("demo.title")}</summary>
      <div class="demo-sets">
      <div class="demo-set">
        <label><span class="sr-only">{t("demo.workload")}</span>
          <select value={workload.value} onChange={(event) => (workload.value = event.currentTarget.value)}>
            <option value="">{t("demo.anyWorkload")}</option>
            {choices.value.workloads.map((w) => <option key={`${w.namespace}/${w.name}`} value={`${w.namespace}/${w.name}`}>{visible(`${w.namespace}/${w.name}`)}</option>)}
          </select>
        </label>
        <ActionButton action="demo" path="demo" body={() => ({ do: "addLoad", ...what })}>{t("demo.addLoad")}</ActionButton>
      </div>
      <div class="demo-set">
        <label><span class="sr-only">{t("demo.node")}</span>
          <select value={node.value} onChange={(event) => (node.value = event.currentTarget.value)}>
            <option value="">{t("demo.busiest", { node: visible(busiest(choices.value)) })}</option>
            {offered(choices.value, name).map((other) => <option key={other.name} value={other.name}>{visible(other.name)}{other.alive ? "" : " ✕"}{other.crashing ? " !" : ""}</option>)}
          </select>
        </label>
        {one && !one.alive
          ? <ActionButton action="demo" path="demo" body={demoAction("reviveNode")} done={load}>{t("demo.revive")}</ActionButton>
          : <ActionButton action="demo" path="demo" body={demoAction("killNode")} done={load} disabled={!name}>{t("demo.kill")}</ActionButton>}
        <ActionButton action="maintenance" path="maintenance" body={() => ({ node: name, on: !draining })} disabled={!name}>{t(draining ? "demo.maintenanceOff" : "demo.maintenance")}</ActionButton>
        {one?.crashing
          ? <ActionButton action="demo" path="demo" body={demoAction("healNode")} done={load}>{t("demo.heal")}</ActionButton>
          : <ActionButton action="demo" path="demo" body={demoAction("crashOnNode", what)} done={load} disabled={!name}>{t("demo.crash")}</ActionButton>}
      </div>
      <div class="demo-set">
        <ActionButton action="demo" perform={() => switchAll(changed)} disabled={changed.length === 0}>{t(acting.length > 0 ? "demo.strategiesOff" : "demo.strategiesOn")}</ActionButton>
      </div>
      {(overview.value?.speed ?? 1) !== 1 && <span class="quiet demo-speed">{t("demo.speed", { n: overview.value!.speed })}</span>}
      </div>
      <span class="sr-only">{strategies.map((strategy) => `${strategy.name}: ${word("mode", strategy.mode)}`).join(", ")}</span>
    </details>
    </section>
  );
}
