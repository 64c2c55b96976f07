import { effect, signal } from "@preact/signals";
import { en, type Key } from "./en";
import { zh } from "./zh";

export type Language = "en" | "zh";
export const tables: Record<Language, Record<Key, string>> = { en, zh };

function initial(): Language {
  if (typeof navigator === "undefined" || typeof localStorage === "undefined") return "en";
  try {
    const kept = localStorage.getItem("rescheduler.language");
    if (kept === "en" || kept === "zh") return kept;
  } catch {
    // localStorage is not available: use the language of the browser
  }
  const wanted = navigator.languages.find((tag) => /^(zh|en)\b/i.test(tag)) ?? "en";
  return /^zh/i.test(wanted) ? "zh" : "en";
}
export const language = signal<Language>(initial());

export function followLanguage(): void {
  effect(() => {
    document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
    try {
      localStorage.setItem("rescheduler.language", language.value);
    } catch {
      // localStorage is not available: the choice lasts until the page is closed
    }
  });
}

export type Values = Record<string, string | number>;

// "{n} pod|{n} pods": the first form if n is 1, else the second. Chinese texts have only one form.
export function fill(pattern: string, values: Values = {}): string {
  const forms = pattern.split("|");
  const chosen = forms.length === 2 && values["n"] !== 1 ? forms[1]! : forms[0]!;
  return chosen.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

export function t(key: Key, values?: Values): string {
  return fill(tables[language.value][key], values);
}

// The text for a code of the server; an unknown code is shown as it is.
export function word(family: string, code: string): string {
  const key = `${family}.${code}`;
  return key in en ? t(key as Key) : code;
}

const locale = (): string => (language.value === "zh" ? "zh-CN" : "en-GB");

export function number(value: number, digits = 0): string {
  return value.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
export function percent(value: number | null, digits = 0): string {
  return value === null ? "–" : `${number(value, digits)}\u00a0%`;
}
export function clock(at: string | number): string {
  return new Date(at).toLocaleTimeString(locale(), { hour12: false });
}
export function moment(at: string | number): string {
  return new Date(at).toLocaleString(locale(), { hour12: false });
}
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return t("span.seconds", { n: whole });
  if (whole < 3600) return t("span.minutes", { n: Math.floor(whole / 60), s: whole % 60 });
  if (whole < 172800) return t("span.hours", { n: Math.floor(whole / 3600), m: Math.floor((whole % 3600) / 60) });
  return t("span.days", { n: Math.floor(whole / 86400) });
}
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let step = 0;
  while (value >= 1024 && step < units.length - 1) {
    value /= 1024;
    step++;
  }
  return `${number(value, value < 10 && step > 0 ? 1 : 0)} ${units[step]}`;
}
export function cores(millicores: number): string {
  return millicores % 1000 === 0 ? number(millicores / 1000) : `${number(millicores)} m`;
}
