import { useEffect, useState } from "preact/hooks";
import type { Migration } from "../api/types";
import { moment, number, span, t, word } from "../i18n";
import { link } from "../state/route";
import { migrationKey, migrations, overview } from "../state/store";
import { ActionButton, Badge, Card, Empty, NodeLink, PodLink, Segmented, Text, Time, useMore, type Tone } from "../ui/common";
import { visible } from "../ui/visible";

const SHOWN = ["all", "underWay", "notWell"] as const;

export function phaseTone(one: Migration): Tone {
  if (!one.over) return "accent";
  if (one.phase === "Succeeded") return "good";
  return one.phase === "Failed" || one.phase === "Refused" ? "bad" : "warn";
}

export function MigrationsPage({ namespace, name }: { namespace: string | undefined; name: string | undefined }) {
  const [which, choose] = useState<(typeof SHOWN)[number]>("all");
  const [filter, setFilter] = useState("");
  const all = migrations.value;
  const one = namespace !== undefined && name !== undefined ? all.find((other) => other.namespace === namespace && other.name === name) : undefined;
  const wanted = filter.trim().toLowerCase();
  const list = all.filter((other) => (which === "all" || (which === "underWay" ? !other.over : other.over && other.phase !== "Succeeded"))
    && (wanted === "" || `${other.namespace}/${other.pod} ${other.source} ${other.target} ${other.phase} ${other.strategy}`.toLowerCase().includes(wanted)));
  const { shown, more } = useMore(list, 60);
  const o = overview.value;
  return (
    <>
      <h1>{t("nav.migrations")}</h1>
      {namespace !== undefined && !one && <Empty title={t("migrations.gone")}>{t("migrations.goneWhat")}</Empty>}
      {one && <Card title={visible(`${one.namespace}/${one.name}`)} id="migration-one" aside={<a href={link("migrations")}>{t("close")}</a>}><ul class="moves"><MigrationRow one={one} open /></ul></Card>}
      <Card>
        <div class="toolbar">
          <label class="filter"><span class="sr-only">{t("table.filter")}</span><input type="search" placeholder={t("migrations.filter")} value={filter} onInput={(event) => setFilter(event.currentTarget.value)} /></label>
          <Segmented label={t("column.state")} value={which} options={SHOWN} name={(each) => t(`migrations.${each}`)} choose={choose} />
          {o && <span class="quiet">{t("migrations.sum", { underWay: number(all.filter((each) => !each.over).length), succeeded: number(o.moves.succeeded), failed: number(o.moves.failed) })}</span>}
        </div>
        {list.length === 0 ? <Empty title={t(all.length === 0 ? "migrations.none" : "table.none")}>{all.length === 0 && t("migrations.noneWhat")}</Empty> : <ul class="moves" data-testid="migrations">{shown.map((each) => <MigrationRow key={migrationKey(each)} one={each} />)}</ul>}
        {more}
      </Card>
    </>
  );
}

// Updates the time of running migrations every second, also without new events.
function useNow(running: boolean): number {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => set(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

export function MigrationRow({ one, open }: { one: Migration; open?: boolean }) {
  const speed = overview.value?.speed ?? 1;
  useNow(!one.over);
  // In a demo the clock is virtual; "now" is the last time that the server sent.
  const end = one.finished ?? (speed === 1 ? new Date().toISOString() : overview.value?.at ?? one.created);
  return (
    <li class={`move ${phaseTone(one)}`} data-phase={one.phase}>
      <div class="move-head">
        <Badge tone={phaseTone(one)} pulse={!one.over}>{word("phase", one.phase)}</Badge>
        <PodLink namespace={one.namespace} name={one.pod} />
        <span class="way"><NodeLink name={one.source} /> <span aria-hidden="true">→</span><span class="sr-only">{t("to")}</span> {one.target ? <NodeLink name={one.target} /> : "–"}</span>
        {one.landed && one.landed !== one.target && <span class="quiet">{t("migrations.landed")} <NodeLink name={one.landed} /></span>}
        <span class="spacer" />
        <span class="quiet">{word("strategy", one.strategy)} · {word("moveMode", one.mode)} · <Time at={one.created} /></span>
        {!one.over && <ActionButton class="small" action="cancelMigration" path="migrations/cancel" body={() => ({ namespace: one.namespace, name: one.name })} confirm={t("migrations.cancelConfirm", { pod: visible(`${one.namespace}/${one.pod}`) })}>{t("cancel")}</ActionButton>}
      </div>
      <PhaseTrack one={one} end={end} />
      {one.over && one.phase !== "Succeeded" && one.message && <p class="move-failed"><Text value={one.message} /></p>}
      <details open={open}>
        <summary>{t("details")}</summary>
        <dl class="summary">
          <div><dt>{t("column.why")}</dt><dd><Text value={one.reason || "–"} /></dd></div>
          <div><dt>{t("migrations.mode")}</dt><dd>{word("moveMode", one.mode)} <span class="quiet"><Text value={one.modeReason} /></span></dd></div>
          {one.workload && <div><dt>{t("column.owner")}</dt><dd><Text value={`${one.workload.kind}/${one.workload.name}`} /></dd></div>}
          {one.replacement && <div><dt>{t("migrations.replacement")}</dt><dd><PodLink namespace={one.namespace} name={one.replacement} /></dd></div>}
          {one.predicted && <div><dt>{t("migrations.predicted")}</dt><dd><Figures text={one.predicted} /></dd></div>}
          {one.measured && <div><dt>{t("migrations.measured")}</dt><dd><Figures text={one.measured} /></dd></div>}
          {one.message && <div><dt>{t("migrations.message")}</dt><dd><Text value={one.message} /></dd></div>}
        </dl>
        <ol class="steps">{one.steps.map((step, i) => <li key={i}><Time at={step.at} /> <strong>{word("phase", step.name)}</strong> <Text value={step.message} /></li>)}</ol>
      </details>
    </li>
  );
}

// The record has numbers as JSON; the page shows them as text.
function Figures({ text }: { text: string }) {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(text);
  } catch {
    // it is a sentence
  }
  if (typeof parsed !== "object" || parsed === null) return <Text value={text} />;
  return <>{Object.entries(parsed).map(([key, value], index) => <span key={key}>{index > 0 && " · "}{word("figure", key)} <Text value={typeof value === "number" ? number(value, value % 1 === 0 ? 0 : 1) : String(value)} /></span>)}</>;
}

// One segment for each phase; its length is the duration.
function PhaseTrack({ one, end }: { one: Migration; end: string }) {
  if (one.steps.length === 0) return null;
  const from = Date.parse(one.steps[0]!.at);
  const until = Math.max(Date.parse(end), Date.parse(one.steps[one.steps.length - 1]!.at), from + 1);
  const stretches = one.steps.map((step, index) => {
    const begin = Date.parse(step.at);
    const next = index + 1 < one.steps.length ? Date.parse(one.steps[index + 1]!.at) : until;
    return { name: step.name, took: Math.max(0, next - begin), last: index === one.steps.length - 1 };
  });
  // A phase without duration stays visible.
  const least = (until - from) * 0.03;
  return (
    <div class="track" role="img" aria-label={t("migrations.track", { phases: stretches.map((each) => `${word("phase", each.name)} ${span(each.took / 1000)}`).join(", ") })}>
      {stretches.map((each, index) => {
        const over = each.last && one.over;
        return (
          <span key={index} class={`stretch ${over ? phaseTone(one) : each.last ? "running" : ""}`} style={{ flexGrow: over ? 0.001 : Math.max(each.took, least) / (until - from) }} title={`${word("phase", each.name)} · ${span(each.took / 1000)}`}>
            <span>{word("phase", each.name)}</span>
          </span>
        );
      })}
      <span class="track-span">{span((until - from) / 1000)}{one.finished && <span class="sr-only"> {moment(one.finished)}</span>}</span>
    </div>
  );
}
