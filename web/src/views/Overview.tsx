import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { act } from "../api/client";
import type { NodeRow } from "../api/types";
import { number, percent, span, t, word } from "../i18n";
import type { Key } from "../i18n/en";
import { GROUPS, KINDS, METRICS, SHAPES, dark, group, kind, metric, shape, type Group } from "../state/choices";
import { link } from "../state/route";
import { history, migrations, nodes, nodesChanged, overview, session } from "../state/store";
import { valueOf } from "../tiles/groups";
import { STATE_SIGNS } from "../tiles/draw";
import { shade } from "../tiles/scale";
import { TileMap } from "../tiles/TileMap";
import { ActionButton, Badge, Bar, Card, Empty, Loading, NodeLink, Segmented, StateBadge, Text, useMore } from "../ui/common";
import { announce } from "../ui/announce";
import { HistoryChart } from "../ui/HistoryChart";
import { ActivityList } from "../ui/ActivityList";

export function OverviewPage() {
  const o = overview.value;
  if (!o) return <Loading />;
  return (
    <div class="overview">
      <h1 class="sr-only">{t("nav.overview")}</h1>
      <div class="overview-main">
        <Hero />
        <Facts />
        <Map />
      </div>
      <aside class="overview-side" aria-label={t("overview.side")}>
        <Card title={t("overview.doing")} id="doing" aside={!o.paused && o.strategies.length > 0 && <ActionButton class="small" action="pause" path="pause" confirm={t("pause.confirm")} body={() => ({ paused: true, reason: "dashboard" })}>{t("pause")}</ActionButton>}>
          <ul class="plain-list">
            {o.strategies.map((one) => (
              <li key={one.name} class="strategy">
                <span class="strategy-name">{word("strategy", one.name)}</span>
                {session.value?.demo && session.value.may.demo ? <ModeChoice name={one.name} mode={one.mode} /> : <Badge tone={one.mode === "act" ? "accent" : "plain"}>{word("mode", one.mode)}</Badge>}
                {one.sentence && <p class="quiet"><Text value={one.sentence} /></p>}
              </li>
            ))}
            {o.strategies.length === 0 && <li class="quiet">{t("strategies.none")} {t("strategies.noneWhat")}</li>}
          </ul>
          {!o.leader.here && <p class="quiet note">{o.leader.name ? <>{t("leader.other")} <Text value={o.leader.name} /></> : t("leader.none")}</p>}
        </Card>
        <Card title={t("overview.brakes")} id="brakes">
          {o.brakes.length === 0 ? <p class="quiet">{t("brakes.none")}</p> : (
            <ul class="plain-list">{o.brakes.map((brake) => <li key={brake.name}><Badge tone="warn">{word("brake", brake.name)}</Badge> <span class="quiet"><Text value={brake.sentence} /></span></li>)}</ul>
          )}
        </Card>
        <Card title={t("overview.news")} id="news"><ActivityList most={14} /></Card>
      </aside>
    </div>
  );
}

// Only the strategies of a demo can be switched here; in a real cluster the configuration sets them.
function ModeChoice({ name, mode }: { name: string; mode: string }) {
  const change = (event: JSX.TargetedEvent<HTMLSelectElement>): void => {
    act("demo", { do: "setStrategy", strategy: name, mode: event.currentTarget.value }).then((text) => announce(text, "good"), (error: Error) => announce(error.message, "bad"));
  };
  return (
    <select class={`mode ${mode}`} aria-label={t("mode.of", { name: word("strategy", name) })} value={mode} onChange={change}>
      {["off", "observe", "act"].map((one) => <option key={one} value={one}>{word("mode", one)}</option>)}
    </select>
  );
}

function verdict(score: number | null): Key {
  if (score === null) return "balance.unknown";
  return score >= 90 ? "balance.even" : score >= 75 ? "balance.nearly" : score >= 55 ? "balance.uneven" : "balance.bad";
}

function Hero() {
  const o = overview.value!;
  const under = migrations.value.filter((one) => !one.over).length || o.moves.underWay;
  const h = history.value;
  const first = h?.balance.find((value) => value !== null) ?? null;
  const score = o.balance.score;
  const change = score !== null && first !== null ? Math.round(score) - Math.round(first) : 0;
  return (
    <section class="card hero" aria-labelledby="balance-title">
      <div class="hero-score">
        <h2 id="balance-title">{t("balance.title")}</h2>
        <p class="score" data-testid="score"><span class="score-number">{score === null ? "–" : number(score)}</span><span class="score-of">{t("balance.of")}</span></p>
        <p class="score-word">{t(verdict(score))}</p>
        <p class="quiet">
          {change !== 0 && <span class={change > 0 ? "up" : "down"}>{change > 0 ? "▲" : "▼"} {t("balance.change", { n: Math.abs(change) })}</span>}{change !== 0 && " · "}
          {under > 0 ? t("moving.now", { n: under }) : t("moving.none")}
        </p>
      </div>
      <HistoryChart />
    </section>
  );
}

function Facts() {
  const o = overview.value!;
  const away = o.nodes.total - o.nodes.ready;
  return (
    <dl class="facts">
      <Fact label={t("fact.nodes")} value={number(o.nodes.total)} tone={away > 0 ? "bad" : "plain"}
        note={away > 0 ? t("fact.notReady", { n: away }) : o.nodes.unschedulable > 0 ? t("fact.unschedulable", { n: o.nodes.unschedulable }) : t("fact.allReady")} />
      <Fact label={t("fact.pods")} value={number(o.pods.total)} href={o.pods.failing > 0 ? link("pods") + "?state=failing" : link("pods")}
        tone={o.pods.failing > 0 ? "bad" : "plain"} note={o.pods.failing > 0 ? t("fact.failing", { n: o.pods.failing }) : t("fact.noneFailing")} />
      <Fact label={t("fact.pending")} value={number(o.pods.pending)} href={link("pods") + "?state=pending"} tone={o.pods.pending > 0 ? "warn" : "plain"}
        note={o.pods.pending > 0 ? t("fact.pendingWhy") : t("fact.nonePending")} />
      <Fact label={t("fact.hottest")} value={percent(o.balance.cpuMax)} note={t("fact.memoryMax", { n: percent(o.balance.memoryMax) })} tone="plain" />
      <Fact label={t("fact.moves")} value={number(o.moves.succeeded)} href={link("migrations")} tone={o.moves.failed > 0 ? "warn" : "plain"}
        note={o.moves.failed > 0 ? t("fact.movesFailed", { n: o.moves.failed }) : t("fact.noMoveFailed")} />
      <Fact label={t("fact.metrics")} value={o.load.fresh ? t("fresh") : t("stale")} tone={o.load.fresh ? "plain" : "bad"}
        note={<>{o.load.source ? <><Text value={o.load.source} />{o.load.ageSeconds !== null && ` · ${t("ago", { span: span(o.load.ageSeconds) })}`}</> : <Text value={o.load.sentence} />}</>} title={o.load.sentence} />
    </dl>
  );
}

function Fact(props: { label: string; value: string; note: preact.ComponentChildren; tone: "plain" | "warn" | "bad"; href?: string; title?: string }) {
  return (
    <div class={`fact ${props.tone}`}>
      <dt>{props.label}</dt>
      <dd>
        <span class="fact-value">{props.href ? <a href={props.href}>{props.value}</a> : props.value}</span>
        <span class="fact-note">{props.tone !== "plain" && <span class="mark" aria-hidden="true">{props.tone === "bad" ? "✕" : "!"}</span>}{props.note}</span>
      </dd>
    </div>
  );
}

function Map() {
  void nodesChanged.value;
  return (
    <section class="card map" aria-labelledby="map-title">
      <header class="card-head">
        <h2 id="map-title">{t("map.title")}</h2>
        <div class="switches">
          <Segmented label={t("map.metric")} value={metric.value} options={METRICS} name={(one) => t(`metric.${one}`)} choose={(one) => (metric.value = one)} />
          {metric.value !== "pods" && <Segmented label={t("map.kind")} value={kind.value} options={KINDS} name={(one) => t(`kind.${one}`)} choose={(one) => (kind.value = one)} />}
          <select aria-label={t("map.group")} value={group.value} onChange={(event) => (group.value = event.currentTarget.value as Group)}>
            {GROUPS.map((one) => <option key={one} value={one}>{t(`group.${one}`)}</option>)}
          </select>
          <Segmented label={t("map.shape")} value={shape.value} options={SHAPES} name={(one) => t(`shape.${one}`)} choose={(one) => (shape.value = one)} />
        </div>
      </header>
      {nodes.size === 0 ? <Empty title={t("map.empty")}>{t("map.emptyWhat")}</Empty> : shape.value === "tiles" ? <TileMap /> : <NodeTable />}
      {nodes.size > 0 && <Legend />}
    </section>
  );
}

function Legend() {
  const isDark = dark.value;
  const steps = [0, 20, 40, 60, 80, 100];
  return (
    <div class="legend">
      <span>{t("legend.scale", { what: metric.value === "pods" ? t("metric.pods") : `${t(`metric.${metric.value}`)} (${t(`kind.${kind.value}`)})` })}</span>
      <span class="legend-scale">
        {steps.map((value) => <span key={value} class="legend-step" style={{ background: shade(value, isDark).fill, color: shade(value, isDark).ink }}>{value}</span>)}
      </span>
      <span class="legend-states">
        {(["notReady", "cordoned", "maintenance", "quarantined"] as const).map((state) => (
          <span key={state} class="legend-state"><span class="legend-sign" aria-hidden="true">{STATE_SIGNS[state]}</span>{word("state", state)}</span>
        ))}
        <span class="legend-state"><span class="legend-sign none" aria-hidden="true">–</span>{t("legend.none")}</span>
        <span class="legend-state"><span class="legend-arrow" aria-hidden="true">➝</span>{t("legend.move")}</span>
      </span>
    </div>
  );
}

type Column = "name" | "zone" | "state" | "pods" | "value";

function NodeTable() {
  const by = useSignal<Column>("value");
  const filter = useSignal("");
  const rows = useComputed(() => {
    void nodesChanged.value;
    const wanted = filter.value.toLowerCase();
    const all = [...nodes.values()].filter((row) => `${row[0]} ${row[1]} ${row[2]} ${row[3]}`.toLowerCase().includes(wanted));
    const order: Record<Column, (a: NodeRow, b: NodeRow) => number> = {
      name: (a, b) => a[0].localeCompare(b[0], "en", { numeric: true }),
      zone: (a, b) => a[1].localeCompare(b[1]),
      state: (a, b) => (a[3] === "ready" ? 1 : 0) - (b[3] === "ready" ? 1 : 0),
      pods: (a, b) => b[4] - a[4],
      value: (a, b) => (valueOf(b, metric.value, kind.value) ?? -1) - (valueOf(a, metric.value, kind.value) ?? -1),
    };
    return all.sort((a, b) => order[by.value](a, b) || order.name(a, b));
  });
  const { shown, more } = useMore(rows.value, 100);
  const head = (column: Column, text: string, cls = "") => (
    <th class={cls} scope="col" aria-sort={by.value === column ? (column === "name" || column === "zone" ? "ascending" : "descending") : undefined}>
      <button class="plain sort" onClick={() => (by.value = column)}>{text}{by.value === column && <span aria-hidden="true"> ↓</span>}</button>
    </th>
  );
  return (
    <div>
      <label class="filter"><span class="sr-only">{t("table.filter")}</span><input type="search" placeholder={t("table.filter")} value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} /></label>
      <div class="scroll" role="group" aria-label={t("map.title")} tabIndex={0}>
        <table class="data" data-testid="node-table">
          <thead><tr>{head("name", t("word.node"))}{head("state", t("column.state"))}{head("zone", t("column.zonePool"))}{head("pods", t("metric.pods"), "num")}{head("value", `${t(`metric.${metric.value}`)}${metric.value === "pods" ? "" : ` · ${t(`kind.${kind.value}`)}`}`)}<th scope="col" class="num">{t("metric.cpu")}</th><th scope="col" class="num">{t("metric.memory")}</th></tr></thead>
          <tbody>
            {shown.map((row) => {
              const value = valueOf(row, metric.value, kind.value);
              return (
                <tr key={row[0]}>
                  <th scope="row"><NodeLink name={row[0]} /></th><td><StateBadge state={row[3]} /></td><td><Text value={`${row[1] || "—"} · ${row[2] || "—"}`} /></td>
                  <td class="num">{row[4]}</td><td><span class="bar-cell"><Bar value={value} /><span>{percent(value)}</span></span></td><td class="num">{percent(row[6])}</td><td class="num">{percent(row[7])}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {rows.value.length === 0 && <Empty title={t("table.none")} />}
      {more}
    </div>
  );
}
