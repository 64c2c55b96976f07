import { useState } from "preact/hooks";
import type { MaintenanceNode } from "../api/types";
import { span, t, word } from "../i18n";
import { maintenance, nodes, nodesChanged } from "../state/store";
import { ActionButton, Badge, Card, Empty, Loading, NodeLink, Text, type Tone } from "../ui/common";
import { visible } from "../ui/visible";

const TONES: Record<MaintenanceNode["state"], Tone> = { waiting: "plain", blocked: "warn", draining: "accent", drained: "good" };

export function MaintenancePage() {
  const m = maintenance.value;
  return (
    <>
      <h1>{t("nav.maintenance")}</h1>
      <p class="quiet">{t("maintenance.what")}</p>
      <Start />
      {!m ? <Loading /> : m.nodes.length === 0 ? <Empty title={t("maintenance.none")}>{t("maintenance.noneWhat")}</Empty> : (
        <ul class="cards" data-testid="maintenance">
          {m.nodes.map((node) => (
            <li key={node.node} class="card">
              <header class="card-head"><h2><NodeLink name={node.node} /></h2><Badge tone={TONES[node.state]} pulse={node.state === "draining"}>{word("drain", node.state)}</Badge></header>
              <MaintenanceBar node={node} />
              <p>{node.state === "drained" ? t("maintenance.done") : node.etaSeconds !== null ? t("maintenance.eta", { span: span(node.etaSeconds) }) : t("maintenance.noEta")}</p>
              <Blockers list={node.blockers} />
              <Staying list={node.staying} />
              <ActionButton action="maintenance" path="maintenance" body={() => ({ node: node.node, on: false })}>{t("maintenance.off")}</ActionButton>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Start() {
  const [node, setNode] = useState("");
  void nodesChanged.value;
  const under = new Set(maintenance.value?.nodes.map((one) => one.node));
  const names = [...nodes.keys()].filter((name) => !under.has(name)).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return (
    <Card>
      <div class="toolbar">
        <label class="field inline">{t("maintenance.choose")}
          <input list="maintenance-nodes" placeholder={t("maintenance.type")} value={node} onInput={(event) => setNode(event.currentTarget.value)} autocomplete="off" spellcheck={false} />
        </label>
        <datalist id="maintenance-nodes">{names.slice(0, 500).map((name) => <option key={name} value={name} />)}</datalist>
        <ActionButton class="primary" action="maintenance" path="maintenance" body={() => ({ node: node.trim(), on: true })} disabled={!nodes.has(node.trim())} confirm={t("maintenance.confirm", { node: visible(node) })} done={() => setNode("")}>{t("maintenance.on")}</ActionButton>
      </div>
    </Card>
  );
}

export function MaintenanceBar({ node }: { node: MaintenanceNode }) {
  const gone = node.total - node.left;
  const share = node.total > 0 ? (100 * gone) / node.total : 100;
  return (
    <div class="progress-row">
      <progress max={Math.max(1, node.total)} value={node.total > 0 ? gone : 1} aria-label={t("maintenance.progress")} />
      <span>{t("maintenance.left", { gone, total: node.total })} · {Math.round(share)} %</span>
    </div>
  );
}

export function Blockers({ list }: { list: string[] }) {
  if (list.length === 0) return null;
  return (
    <div class="blockers"><h3>{t("maintenance.blockers", { n: list.length })}</h3><ul>{list.slice(0, 50).map((one, i) => <li key={i}><Text value={one} /></li>)}</ul></div>
  );
}

// Pods that the policy leaves on the node: the drain does not wait for them.
export function Staying({ list }: { list: string[] }) {
  if (list.length === 0) return null;
  return (
    <div><h3>{t("maintenance.staying", { n: list.length })}</h3><ul>{list.slice(0, 50).map((one, i) => <li key={i}><Text value={one} /></li>)}</ul></div>
  );
}
