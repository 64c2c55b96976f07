import { useState } from "preact/hooks";
import type { Settings } from "../api/types";
import { language, t, word } from "../i18n";
import { session } from "../state/store";
import { Badge, Card, Empty, Loading, Problem, Segmented, Text, useData, useMore } from "../ui/common";

const SHOWN = ["all", "changed"] as const;

export function SettingsPage() {
  const { data, error, reload } = useData<Settings>("settings", session.value?.boot);
  const [filter, setFilter] = useState("");
  const [which, choose] = useState<(typeof SHOWN)[number]>("all");
  const wanted = filter.trim().toLowerCase();
  const rows = (data?.rows ?? []).filter((row) => (which === "all" || row.origin !== "default") && `${row.path} ${row.value} ${row.meaning[language.value]}`.toLowerCase().includes(wanted));
  const { shown, more } = useMore(rows, 150);
  return (
    <>
      <h1>{t("nav.settings")}</h1>
      <p class="quiet">{t("settings.what")} {data && (data.file ? <>{t("settings.file")} <code><Text value={data.file} /></code></> : session.value?.demo ? t("settings.demo") : t("settings.noFile"))}</p>
      <Card>
        <div class="toolbar">
          <label class="filter"><span class="sr-only">{t("settings.filter")}</span><input type="search" placeholder={t("settings.filter")} value={filter} onInput={(event) => setFilter(event.currentTarget.value)} /></label>
          <Segmented label={t("settings.which")} value={which} options={SHOWN} name={(one) => t(`settings.${one}`)} choose={choose} />
        </div>
        {error && !data && <Problem error={error} retry={reload} />}
        {!data && !error && <Loading />}
        {data && rows.length === 0 && (data.rows.length === 0 ? <Empty title={t("settings.none")} /> : <Empty title={t("table.none")}>{t("settings.noneWhat")}</Empty>)}
        {rows.length > 0 && (
          <div class="scroll" role="group" aria-label={t("nav.settings")} tabIndex={0}>
            <table class="data settings" data-testid="settings">
              <thead><tr><th scope="col">{t("settings.path")}</th><th scope="col">{t("settings.value")}</th><th scope="col">{t("settings.origin")}</th><th scope="col">{t("settings.meaning")}</th></tr></thead>
              <tbody>{shown.map((row) => (
                <tr key={row.path}><th scope="row"><code><Text value={row.path} /></code></th><td><code><Text value={row.value} /></code></td><td><Badge tone={row.origin === "default" ? "plain" : "accent"}>{word("origin", row.origin)}</Badge></td><td class="quiet"><Text value={row.meaning[language.value]} /></td></tr>
              ))}</tbody>
            </table>
          </div>
        )}
        {more}
      </Card>
    </>
  );
}
