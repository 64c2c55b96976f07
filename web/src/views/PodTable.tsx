import type { PodRow } from "../api/types";
import { bytes, cores, t, word } from "../i18n";
import { Badge, NodeLink, PodLink, Text, Time, useMore, type Tone } from "../ui/common";

export function phaseTone(pod: PodRow): Tone {
  if (pod.failing) return "bad";
  if (pod.phase === "Pending") return "warn";
  return pod.ready ? "good" : "plain";
}

export function PodTable({ pods, withNode, label }: { pods: PodRow[]; withNode: boolean; label: string }) {
  const { shown, more } = useMore(pods, 100);
  return (
    <>
      <div class="scroll" role="group" aria-label={label} tabIndex={0}>
        <table class="data" data-testid="pods">
          <thead>
            <tr>
              <th scope="col">{t("word.pod")}</th><th scope="col">{t("column.state")}</th>{withNode && <th scope="col">{t("word.node")}</th>}
              <th scope="col">{t("column.owner")}</th><th scope="col" class="num">{t("metric.cpu")}</th><th scope="col" class="num">{t("metric.memory")}</th>
              <th scope="col">{t("column.movable")}</th><th scope="col">{t("column.since")}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((pod) => (
              <tr key={`${pod.namespace}/${pod.name}`}>
                <th scope="row"><PodLink namespace={pod.namespace} name={pod.name} /></th>
                <td><Badge tone={phaseTone(pod)}>{word("phase", pod.phase) === pod.phase ? <Text value={pod.phase} /> : word("phase", pod.phase)}</Badge></td>
                {withNode && <td>{pod.node ? <NodeLink name={pod.node} /> : "–"}</td>}
                <td>{pod.owner ? <Text value={`${pod.owner.kind}/${pod.owner.name}`} /> : <span class="quiet">{t("owner.none")}</span>}</td>
                <td class="num">{cores(pod.cpuRequested)}</td><td class="num">{bytes(pod.memoryRequested)}</td>
                <td>{pod.movable === null ? <span class="quiet">–</span> : pod.movable.allowed ? t("movable.yes") : <span>{t("movable.no")} {pod.movable.reason && <span class="quiet"><Text value={pod.movable.reason} /></span>}</span>}</td>
                <td><Time at={pod.created} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more}
    </>
  );
}
