import { render } from "preact";
import { useEffect } from "preact/hooks";
import "./style.css";
import { tokenWanted } from "./api/client";
import { followLanguage, t } from "./i18n";
import { followTheme } from "./state/choices";
import { connection, keepConnected } from "./state/connection";
import { followHash, link, route } from "./state/route";
import { overview, session } from "./state/store";
import { Announcements } from "./ui/announce";
import { Empty, Loading, Text } from "./ui/common";
import { Shell } from "./ui/Shell";
import { visible } from "./ui/visible";
import { MaintenancePage } from "./views/Maintenance";
import { MigrationsPage } from "./views/Migrations";
import { NodePage } from "./views/Node";
import { OverviewPage } from "./views/Overview";
import { PlanPage } from "./views/Plan";
import { PodPage } from "./views/Pod";
import { PodsPage } from "./views/Pods";
import { RecoveryPage } from "./views/Recovery";
import { SettingsPage } from "./views/Settings";

function Page() {
  const [first = "overview", second, third] = route.value.path;
  // Before the first data arrives only the loading state is shown; the banner has the reason.
  if (connection.value.state === "forbidden") return <Forbidden message={connection.value.message} />;
  if (!overview.value) return connection.value.state === "token" ? <Empty title={t("token.title")}>{t("token.what")}</Empty> : <Loading />;
  switch (first) {
    case "overview": return <OverviewPage />;
    case "nodes": return second === undefined ? <OverviewPage /> : <NodePage key={second} name={second} />;
    case "pods": return second === undefined || third === undefined ? <PodsPage /> : <PodPage key={`${second}/${third}`} namespace={second} name={third} />;
    case "plan": return <PlanPage />;
    case "migrations": return <MigrationsPage namespace={second} name={third} />;
    case "recovery": return <RecoveryPage />;
    case "maintenance": return <MaintenancePage />;
    case "settings": return <SettingsPage />;
    default: return <><h1>{t("nowhere")}</h1><p><a href={link("overview")}>{t("nav.overview")}</a></p></>;
  }
}

function Forbidden({ message }: { message: string }) {
  return (
    <div class="problem" role="alert" data-testid="forbidden">
      <p class="empty-title">{t("forbidden.title", { user: visible(session.value?.user ?? t("nobody")) })}</p>
      <p class="quiet"><Text value={message} /></p>
      <p>{t("forbidden.what")}</p>
      <button onClick={() => (tokenWanted.value = true)}>{t("forbidden.other")}</button>
    </div>
  );
}

const TITLES = { overview: "nav.overview", pods: "nav.pods", plan: "nav.plan", migrations: "nav.migrations", recovery: "nav.recovery", maintenance: "nav.maintenance", settings: "nav.settings" } as const;

function App() {
  const path = route.value.path;
  const page = (path[0] ?? "overview") as keyof typeof TITLES;
  const title = path.length > 1 ? visible(path.slice(1).join("/")) : page in TITLES ? t(TITLES[page]) : "";
  useEffect(() => {
    document.title = title ? `${title} · rescheduler` : "rescheduler";
  }, [title]);
  return <><Shell><Page /></Shell><Announcements /></>;
}

followLanguage();
followTheme();
followHash();
render(<App />, document.getElementById("app")!);
void keepConnected();
