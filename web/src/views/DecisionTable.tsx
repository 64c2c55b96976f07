import type { Decision } from "../api/types";
import { number, t, word } from "../i18n";
import { Badge, Bar, Empty, NodeLink, Text } from "../ui/common";
import { readDecision } from "./decisionReading";

export interface Part { limit: number; node: string } // the `limit` best nodes with `node` in their names
export const FIRST_NODES = 25;

export function DecisionTable({ decision, part, ask }: { decision: Decision; part: Part; ask: (part: Part) => void }) {
  const { plugins, takers, refusers, most } = readDecision(decision);
  const { counts } = decision;
  const rest = counts.matching - takers.length;
  return (
    <>
      <p class="lead"><Badge tone={decision.outcome === "scheduled" ? "good" : decision.outcome === "nominated" ? "warn" : "bad"}>{word("outcome", decision.outcome)}</Badge> <Text value={decision.message} /></p>
      {decision.current && <p class="quiet">{t("why.asIfNow")}</p>}
      {(decision.victims?.length ?? 0) > 0 && <p>{t("why.victims")} {decision.victims!.map((victim) => <><Text value={victim} /> </>)}</p>}
      {counts.nodes > FIRST_NODES && (
        <label class="filter of-nodes"><span class="sr-only">{t("why.filter")}</span>
          <input type="search" placeholder={t("why.filter")} value={part.node} onInput={(event) => ask({ limit: FIRST_NODES, node: event.currentTarget.value })} />
        </label>
      )}
      {takers.length > 0 && (
        <>
          <h3>{t("why.here", { n: counts.feasible })}</h3>
          <div class="scroll" role="group" aria-label={t("why.here", { n: counts.feasible })} tabIndex={0}>
            <table class="data decision" data-testid="decision">
              <thead><tr><th scope="col">{t("word.node")}</th><th scope="col">{t("why.total")}</th>{plugins.map((plugin) => <th key={plugin} scope="col" class="num plugin">{plugin.split(/(?=[A-Z][a-z])/).map((part) => <><Text value={part} /><wbr /></>)}</th>)}</tr></thead>
              <tbody>
                {takers.map((node) => (
                  <tr key={node.name} class={node.name === decision.current ? "current" : node.name === decision.node ? "best" : ""}>
                    <th scope="row">
                      <NodeLink name={node.name} />{" "}
                      {node.name === decision.current && <Badge tone="accent">{t("why.current")}</Badge>}
                      {node.name !== decision.current && node.name === decision.node && <Badge tone="good">{t("why.best")}</Badge>}
                    </th>
                    <td><span class="bar-cell"><Bar value={(100 * (node.total ?? 0)) / most} /><span>{number(node.total ?? 0)}</span></span></td>
                    {plugins.map((plugin) => {
                      const score = node.scores?.[plugin];
                      return <td key={plugin} class="num" title={score ? t("why.raw", { raw: score.raw, normalized: score.normalized }) : undefined}>{score ? number(score.weighted) : "–"}</td>;
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {rest > 0 && <button class="more" onClick={() => ask({ ...part, limit: part.limit + 100 })}>{t("more", { n: rest })}</button>}
        </>
      )}
      {part.node !== "" && takers.length + refusers.length === 0 && <Empty title={t("table.none")} />}
      {refusers.length > 0 && (
        <ul class="plain-list refusers" data-testid="refusers">
          {refusers.map((node) => <li key={node.name}><NodeLink name={node.name} /> {node.name === decision.current && <Badge tone="accent">{t("why.current")}</Badge>} <strong><Text value={node.plugin} /></strong> <Text value={node.reasons.join("; ") || node.code} /></li>)}
        </ul>
      )}
      {counts.refused.length > 0 && (
        <>
          <h3>{t("why.notThere", { n: counts.nodes - counts.feasible })}</h3>
          <ul class="refused">
            {counts.refused.map((group) => (
              <li key={group.plugin + group.reason}>
                <details>
                  <summary><span class="count">{number(group.nodes)}</span> <strong><Text value={group.plugin} /></strong> <Text value={group.reason || group.code} /></summary>
                  <p class="names">{group.names.map((name) => <><NodeLink name={name} /> </>)}{group.nodes > group.names.length && "…"}</p>
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
