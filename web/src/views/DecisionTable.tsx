import type { Decision } from "../api/types";
import { number, t, word } from "../i18n";
import { Badge, Bar, NodeLink, Text, useMore } from "../ui/common";
import { readDecision } from "./decisionReading";

export function DecisionTable({ decision }: { decision: Decision }) {
  const { plugins, takers, refused, most } = readDecision(decision);
  const { shown, more } = useMore(takers, 25);
  const here = takers.find((node) => node.name === decision.current);
  const list = here && !shown.includes(here) ? [...shown, here] : shown;
  return (
    <>
      <p class="lead"><Badge tone={decision.outcome === "scheduled" ? "good" : decision.outcome === "nominated" ? "warn" : "bad"}>{word("outcome", decision.outcome)}</Badge> <Text value={decision.message} /></p>
      {decision.current && <p class="quiet">{t("why.asIfNow")}</p>}
      {(decision.victims?.length ?? 0) > 0 && <p>{t("why.victims")} {decision.victims!.map((victim) => <><Text value={victim} /> </>)}</p>}
      {takers.length > 0 && (
        <>
          <h3>{t("why.here", { n: takers.length })}</h3>
          <div class="scroll" role="group" aria-label={t("why.here", { n: takers.length })} tabIndex={0}>
            <table class="data decision" data-testid="decision">
              <thead><tr><th scope="col">{t("word.node")}</th><th scope="col">{t("why.total")}</th>{plugins.map((plugin) => <th key={plugin} scope="col" class="num plugin">{plugin.split(/(?=[A-Z][a-z])/).map((part) => <><Text value={part} /><wbr /></>)}</th>)}</tr></thead>
              <tbody>
                {list.map((node) => (
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
          {more}
        </>
      )}
      {refused.length > 0 && (
        <>
          <h3>{t("why.notThere", { n: refused.reduce((sum, group) => sum + group.nodes.length, 0) })}</h3>
          <ul class="refused">
            {refused.map((group) => (
              <li key={group.plugin + group.reason}>
                <details>
                  <summary><span class="count">{group.nodes.length}</span> <strong><Text value={group.plugin} /></strong> <Text value={group.reason} /></summary>
                  <p class="names">{group.nodes.slice(0, 200).map((name) => <><NodeLink name={name} /> </>)}{group.nodes.length > 200 && "…"}</p>
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
