import { useEffect, useState } from "preact/hooks";
import type { PodList } from "../api/types";
import { number, t } from "../i18n";
import { route } from "../state/route";
import { overview } from "../state/store";
import { Card, Empty, Loading, Problem, Segmented, useData } from "../ui/common";
import { PodTable } from "./PodTable";

const STATES = ["all", "pending", "failing"] as const;
type State = (typeof STATES)[number];
const LIMIT = 500;

export function PodsPage() {
  const asked = route.value.query.get("state");
  const [state, setState] = useState<State>(asked === "pending" || asked === "failing" ? asked : "all");
  const [typed, setTyped] = useState("");
  const [query, setQuery] = useState("");
  useEffect(() => setState(asked === "pending" || asked === "failing" ? asked : "all"), [asked]);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const path = `pods?limit=${LIMIT}&query=${encodeURIComponent(query)}${state === "all" ? "" : `&state=${state}`}`;
  const o = overview.value;
  const { data, error, reload } = useData<PodList>(path, state === "all" ? (o?.pods.total ?? 0) : `${o?.pods.pending}/${o?.pods.failing}`);
  return (
    <>
      <h1>{t("nav.pods")}</h1>
      <Card>
        <div class="toolbar">
          <label class="filter"><span class="sr-only">{t("pods.filter")}</span><input type="search" placeholder={t("pods.filter")} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></label>
          <Segmented label={t("column.state")} value={state} options={STATES} name={(one) => t(`pods.${one}`)} choose={setState} />
          {data && <span class="quiet">{data.total > data.pods.length ? t("pods.part", { n: number(data.total), shown: number(data.pods.length) }) : t("pods.count", { n: data.total })}</span>}
        </div>
        {error && <Problem error={error} retry={reload} />}
        {!data && !error && <Loading />}
        {data && data.pods.length === 0 && <Empty title={t(state === "pending" ? "pods.nonePending" : state === "failing" ? "pods.noneFailing" : "pods.none")}>{query && t("pods.noneWhat")}</Empty>}
        {data && data.pods.length > 0 && <PodTable pods={data.pods} withNode label={t("nav.pods")} />}
      </Card>
    </>
  );
}
