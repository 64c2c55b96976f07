import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, act } from "../api/client";
import type { Plan, Picture } from "../api/types";
import { number, percent, t, word } from "../i18n";
import { metric } from "../state/choices";
import { loadPlans, overview, plans } from "../state/store";
import { ActionButton, Badge, Bar, Card, Empty, Loading, NodeLink, PodLink, Segmented, Text, Time, useMore } from "../ui/common";
import { groupRefusals, nodesAfter, sameMoves, stepsOf } from "./planSteps";

const MOST_NODES = 40;

export function PlanPage() {
  const both = plans.value;
  const [which, choose] = useState<"actedOn" | "observed" | null>(null);
  const [pinned, pin] = useState<{ which: string; plan: Plan } | null>(null);
  if (!both) return <><h1>{t("nav.plan")}</h1><Loading /></>;
  const chosen = which ?? (both.observed && both.observed.moves.length > 0 ? "observed" : both.actedOn ? "actedOn" : "observed");
  const latest = both[chosen];
  // A user who steps through a plan keeps it until they ask for the newest.
  const plan = pinned && pinned.which === chosen ? pinned.plan : latest;
  const newer = plan && latest && latest.id !== plan.id && !sameMoves(latest, plan);
  return (
    <>
      <header class="page-head">
        <h1>{t("nav.plan")}</h1>
        <span class="spacer" />
        <Segmented label={t("plan.which")} value={chosen} options={["actedOn", "observed"] as const} name={(one) => t(`plan.${one}`)} choose={choose} />
      </header>
      <p class="quiet">{t(chosen === "actedOn" ? "plan.actedOnWhat" : "plan.observedWhat")}</p>
      {overview.value && !overview.value.leader.here && (
        <div class="banner warn" data-testid="not-leading">
          <span class="mark" aria-hidden="true">!</span>
          <span><strong>{t("plan.notHere")}</strong> {overview.value.leader.name ? <>{t("leader.other")} <Text value={overview.value.leader.name} />. {t("plan.askLeader")}</> : t("leader.none")}</span>
        </div>
      )}
      {newer && <div class="banner warn"><span class="mark" aria-hidden="true">!</span><span>{t("plan.newer")}</span><button onClick={() => pin(null)}>{t("plan.newest")}</button></div>}
      {!plan ? <Empty title={t("plan.none")}>{t(overview.value?.strategies.length === 0 ? "plan.noneOff" : "plan.noneWhat")}</Empty> : <One key={chosen} plan={plan} applicable={chosen === "observed"} touch={() => pin({ which: chosen, plan })} />}
    </>
  );
}

// Applies the shown plan, under its newest id if the moves are the same.
async function apply(plan: Plan): Promise<string> {
  for (let tries = 0; ; tries++) {
    const latest = plans.value?.observed;
    try {
      return await act("plan/apply", { plan: latest && sameMoves(latest, plan) ? latest.id : plan.id });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409 || tries === 3) throw error;
      await loadPlans();
      if (!plans.value?.observed || !sameMoves(plans.value.observed, plan)) throw error;
    }
  }
}

function One({ plan, applicable, touch }: { plan: Plan; applicable: boolean; touch: () => void }) {
  const last = stepsOf(plan);
  const [chosen, setChosen] = useState<number | null>(null);
  const step = Math.min(chosen ?? last, last);
  const setStep = (next: number): void => {
    touch();
    setChosen(next);
  };
  return (
    <>
      <Card>
        <div class="plan-top">
          <Effect name={t("balance.title")} before={plan.before.balanceScore} after={plan.after.balanceScore} up />
          <Effect name={t("plan.cpuMax")} before={plan.before.cpuMax} after={plan.after.cpuMax} unit />
          <Effect name={t("plan.memoryMax")} before={plan.before.memoryMax} after={plan.after.memoryMax} unit />
          <div class="effect"><span class="effect-name">{t("plan.cost")}</span><span class="effect-value">{t("plan.moves", { n: plan.moves.length })}</span><span class="quiet">{t("plan.steps", { n: last })}</span></div>
          <div class="plan-act">
            {applicable && <ActionButton class="primary" action="applyPlan" perform={() => apply(plan)} disabled={plan.moves.length === 0} confirm={t("plan.confirm", { n: plan.moves.length })}>{t("plan.apply")}</ActionButton>}
            <span class="quiet">{t("plan.made")} <Time at={plan.made} /> · <Text value={plan.judgedBy} /></span>
          </div>
        </div>
        {plan.notes.length > 0 && <ul class="notes">{plan.notes.map((note, i) => <li key={i}><Text value={note} /></li>)}</ul>}
      </Card>
      {plan.moves.length === 0 ? <Empty title={t("plan.nothing")}>{t("plan.nothingWhat")}</Empty> : (
        <>
          <Arrows plan={plan} step={step} last={last} setStep={setStep} />
          <Moves plan={plan} step={step} setStep={setStep} />
        </>
      )}
      <Refusals plan={plan} />
    </>
  );
}

function Effect(props: { name: string; before: number | null; after: number | null; up?: boolean; unit?: boolean }) {
  const format = (value: number | null): string => (props.unit ? percent(value) : value === null ? "–" : number(value));
  const change = props.before === null || props.after === null ? 0 : props.after - props.before;
  const better = props.up ? change > 0 : change < 0;
  return (
    <div class="effect">
      <span class="effect-name">{props.name}</span>
      <span class="effect-value">{format(props.before)} <span aria-hidden="true">→</span><span class="sr-only">{t("to")}</span> {format(props.after)}</span>
      {Math.round(change) !== 0 && <span class={better ? "up" : "down"}>{change > 0 ? "▲" : "▼"} {number(Math.abs(change))}</span>}
    </div>
  );
}

// Nodes before on the left, after on the right, and the moves between them.
function Arrows({ plan, step, last, setStep }: { plan: Plan; step: number; last: number; setStep: (step: number) => void }) {
  const all = nodesAfter(plan, step);
  const nodes = all.slice(0, MOST_NODES);
  const place = new Map(nodes.map((node, index) => [node.name, index]));
  const by = metric.value === "memory" ? "memory" : "cpu";
  const row = 34;
  const height = nodes.length * row;
  return (
    <Card title={t("plan.picture")} id="plan-picture" aside={<Segmented label={t("map.metric")} value={by} options={["cpu", "memory"] as const} name={(one) => t(`metric.${one}`)} choose={(one) => (metric.value = one)} />}>
      <div class="stepper">
        <button onClick={() => setStep(Math.max(0, step - 1))} disabled={step === 0} aria-label={t("plan.back")}>‹</button>
        <input type="range" min={0} max={last} value={step} aria-label={t("plan.slider")} aria-valuetext={t("plan.afterStep", { n: step, all: last })} onInput={(event) => setStep(Number(event.currentTarget.value))} />
        <button onClick={() => setStep(Math.min(last, step + 1))} disabled={step === last} aria-label={t("plan.forward")}>›</button>
        <output>{step === 0 ? t("plan.beforeAll") : t("plan.afterStep", { n: step, all: last })}</output>
      </div>
      <div class="sides">
        <PlanSide title={t("plan.before")} nodes={nodes.map((node) => ({ name: node.name, value: node.before[by], pods: node.before.pods }))} />
        <Ways plan={plan} step={step} height={height} middle={(name) => (place.has(name) ? place.get(name)! * row + row / 2 : null)} />
        <PlanSide title={step === last ? t("plan.after") : t("plan.afterStep", { n: step, all: last })} nodes={nodes.map((node) => ({ name: node.name, value: node.now[by], pods: node.now.pods, was: node.before[by], wasPods: node.before.pods }))} />
      </div>
      {all.length > nodes.length && <p class="quiet">{t("plan.moreNodes", { n: all.length - nodes.length })}</p>}
      <Untouched picture={plan.before} touched={all.length} />
      {step > 0 && step < last && <p class="quiet">{t("plan.interpolated")}</p>}
    </Card>
  );
}

// One arrow for each move, with the number of its step: drawn in real pixels, so that numbers and arrowheads are not
// distorted.
function Ways({ plan, step, height, middle }: { plan: Plan; step: number; height: number; middle: (name: string) => number | null }) {
  const ref = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(160);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(30, Math.round(entry!.contentRect.width))));
    observer.observe(ref.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <svg ref={ref} class="arrows" height={height} role="img" aria-label={t("plan.arrows", { n: plan.moves.length })}>
      {plan.moves.map((move) => {
        const [from, to] = [middle(move.source), middle(move.target)];
        if (from === null || to === null) return null;
        const end = width - 12;
        return (
          <g key={`${move.namespace}/${move.pod}/${move.step}`} class={`arrow ${move.step < step ? "done" : move.step === step ? "now" : "later"}`}>
            <path d={`M6 ${from} C${width * 0.45} ${from} ${width * 0.55} ${to} ${end} ${to}`} />
            <polygon points={`${end + 8},${to} ${end - 2},${to - 5} ${end - 2},${to + 5}`} />
            {width > 90 && <><circle cx={width / 2} cy={(from + to) / 2} r={9} /><text x={width / 2} y={(from + to) / 2 + 3.5} text-anchor="middle">{move.step}</text></>}
          </g>
        );
      })}
    </svg>
  );
}

function Untouched({ picture, touched }: { picture: Picture; touched: number }) {
  const rest = picture.nodes.length - touched;
  return rest > 0 ? <p class="quiet">{t("plan.untouched", { n: rest })}</p> : null;
}

function PlanSide({ title, nodes }: { title: string; nodes: { name: string; value: number | null; pods: number; was?: number | null; wasPods?: number }[] }) {
  return (
    <div class="side-list">
      <h3>{title}</h3>
      <ul>
        {nodes.map((node) => (
          <li key={node.name}>
            <span class="side-name"><NodeLink name={node.name} /></span>
            <Bar value={node.value} before={node.was} label={percent(node.value)} />
            <span class="side-value">{percent(node.value)}</span>
            <span class="side-pods quiet">{node.pods}<span class="sr-only"> {t("metric.pods")}</span></span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Moves({ plan, step, setStep }: { plan: Plan; step: number; setStep: (step: number) => void }) {
  const { shown, more } = useMore(plan.moves, 60);
  return (
    <Card title={t("plan.list")} id="plan-list">
      <div class="scroll" role="group" aria-label={t("plan.list")} tabIndex={0}>
        <table class="data" data-testid="plan-moves">
          <thead><tr><th scope="col" class="num">{t("plan.step")}</th><th scope="col">{t("word.pod")}</th><th scope="col">{t("plan.way")}</th><th scope="col">{t("column.strategy")}</th><th scope="col" class="num">{t("plan.gain")}</th><th scope="col">{t("plan.budget")}</th><th scope="col">{t("column.why")}</th></tr></thead>
          <tbody>
            {shown.map((move) => (
              <tr key={move.uid + move.step} class={move.step === step ? "current" : ""}>
                <td class="num"><button class="plain" onClick={() => setStep(move.step)} aria-label={t("plan.goto", { n: move.step })}>{move.step}</button></td>
                <th scope="row"><PodLink namespace={move.namespace} name={move.pod} /> {move.detour && <Badge tone="warn">{t("plan.detour")}</Badge>}</th>
                <td class="way"><NodeLink name={move.source} /> <span aria-hidden="true">→</span> <NodeLink name={move.target} /></td>
                <td>{word("strategy", move.strategy)}</td><td class="num">{move.gain > 0 ? "+" : ""}{number(move.gain, 1)}</td><td class="short"><Text value={move.budget} /></td>
                <td class="reason"><Text value={move.reason} />
                  {move.refusedTargets.length > 0 && <details><summary>{t("plan.refusedTargets", { n: move.refusedTargets.length })}</summary><ul>{move.refusedTargets.slice(0, 50).map((one) => <li key={one.node}><Text value={one.node} />: <Text value={one.reason} /></li>)}</ul></details>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more}
    </Card>
  );
}

function Refusals({ plan }: { plan: Plan }) {
  const groups = groupRefusals(plan);
  if (groups.length === 0) return null;
  return (
    <Card title={t("plan.refused", { n: plan.refused.length })} id="plan-refused">
      <ul class="refused" data-testid="refused">
        {groups.map((group) => (
          <li key={group.code}>
            <details>
              <summary><span class="count">{group.pods.length}</span> <strong>{word("refusal", group.code)}</strong> <span class="quiet"><Text value={group.pods[0]!.reason} /></span></summary>
              <ul class="inner">{group.pods.slice(0, 100).map((one) => <li key={`${one.namespace}/${one.pod}`}><PodLink namespace={one.namespace} name={one.pod} /> <span class="quiet"><Text value={one.reason} /></span></li>)}</ul>
            </details>
          </li>
        ))}
      </ul>
    </Card>
  );
}
