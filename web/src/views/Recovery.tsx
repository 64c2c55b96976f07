import type { RecoverySlot } from "../api/types";
import { moment, t, word } from "../i18n";
import { recovery } from "../state/store";
import { Badge, Card, Empty, Loading, NodeLink, Text, Time, useMore, type Tone } from "../ui/common";

const TONES: Record<RecoverySlot["verdict"], Tone> = { retrying: "accent", healthy: "good", exhausted: "bad", application: "warn" };
const ORDER: RecoverySlot["verdict"][] = ["retrying", "exhausted", "application", "healthy"];

export function RecoveryPage() {
  const r = recovery.value;
  const sorted = r ? [...r.lineages].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) || `${a.namespace}/${a.name}`.localeCompare(`${b.namespace}/${b.name}`)) : [];
  const { shown, more } = useMore(sorted, 60);
  return (
    <>
      <h1>{t("nav.recovery")}</h1>
      <p class="quiet">{t("recovery.what")}</p>
      {!r ? <Loading /> : !r.enabled ? <Empty title={t("recovery.off")}>{t("recovery.offWhat")}</Empty> : (
        <div class="columns wide-left">
          <Card title={t("recovery.lineages")}>
            {sorted.length === 0 ? <Empty title={t("recovery.none")}>{t("recovery.noneWhat")}</Empty> : <ul class="plain-list slots" data-testid="lineages">{shown.map((slot) => <SlotRow key={`${slot.namespace}/${slot.kind}/${slot.name}/${slot.slot}`} slot={slot} />)}</ul>}
            {more}
          </Card>
          <Card title={t("recovery.quarantine")}>
            {r.quarantined.length === 0 ? <Empty title={t("recovery.noQuarantine")}>{t("recovery.noQuarantineWhat")}</Empty> : (
              <ul class="plain-list" data-testid="quarantine">
                {r.quarantined.map((one) => (
                  <li key={one.node}><NodeLink name={one.node} /> <Badge tone={one.state === "quarantined" ? "bad" : "warn"}>{word("quarantine", one.state)}</Badge>
                    <p class="quiet">{t("until", { at: moment(one.until) })} <Text value={one.why} /></p></li>
                ))}
              </ul>
            )}
          </Card>
        </div>
      )}
    </>
  );
}

export function SlotRow({ slot }: { slot: RecoverySlot }) {
  return (
    <li class="slot">
      <div class="slot-head"><strong><Text value={`${slot.namespace}/${slot.name}`} /></strong> <span class="quiet"><Text value={slot.kind} />{slot.slot && <> · <Text value={slot.slot} /></>}</span> <Badge tone={TONES[slot.verdict]}>{word("verdict", slot.verdict)}</Badge></div>
      <div class="attempts" role="img" aria-label={t("recovery.attempts", { n: slot.attempts, allowed: slot.allowed })}>
        {Array.from({ length: Math.min(12, Math.max(slot.allowed, slot.attempts)) }, (_, index) => <span key={index} class={`attempt ${index < slot.attempts ? "used" : ""}`} />)}
        <span class="quiet">{t("recovery.attempts", { n: slot.attempts, allowed: slot.allowed })}</span>
      </div>
      {slot.visited.length > 0 && <p class="visited">{slot.visited.map((one, index) => <span key={one.node + one.at}>{index > 0 && <span aria-hidden="true"> → </span>}<NodeLink name={one.node} /> <span class="quiet"><Time at={one.at} /></span></span>)}</p>}
      <p class="quiet"><Text value={slot.sentence} /></p>
    </li>
  );
}
