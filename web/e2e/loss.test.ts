// A lost connection is shown, and restored.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import type { Session } from "../src/api/types";
import { Demo, launch, missing, open, skipping, stopAll } from "./support";

const skip = missing ? skipping(missing) : false;
let browser: Browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(async () => {
  await browser?.close();
  await stopAll();
});

test("the page shows that the server is unreachable, and shows the new state when the server is back", { skip }, async () => {
  const demo = await Demo.start();
  const { page, context } = await open(browser, `${demo.url}/ui/`);
  await page.locator(".live:not(.off)").waitFor();
  const { boot } = await demo.get<Session>("session");
  await demo.stop();
  await page.locator("[data-testid=lost]").waitFor();
  await page.locator(".live.off").waitFor();
  // The last known data stays visible.
  await page.locator(".score-number").waitFor();
  // A page without data shows the error, and loads by itself later.
  await page.goto(`${demo.url}/ui/#/settings`);
  await page.locator(".problem").waitFor();
  const again = page.locator("[data-testid=again]").waitFor(); // shown for some seconds only
  await demo.startAgain();
  assert.notEqual((await demo.get<Session>("session")).boot, boot);
  // It may have reconnected already.
  await page.getByRole("button", { name: "Retry now" }).click({ timeout: 500 }).catch(() => undefined);
  await again;
  await page.locator("[data-testid=lost]").waitFor({ state: "detached" });
  await page.locator(".live:not(.off)").waitFor();
  await page.locator("[data-testid=settings] tbody tr").first().waitFor();
  await context.close();
  await demo.stop();
});

test("a page that is opened while the server is unreachable shows what to check", { skip }, async () => {
  const demo = await Demo.start();
  const { page, context } = await open(browser, `${demo.url}/ui/`);
  await page.route("**/api/v1/**", (route) => route.abort());
  await page.reload();
  await page.getByText("Check that rescheduler runs").waitFor();
  await context.close();
  await demo.stop();
});
