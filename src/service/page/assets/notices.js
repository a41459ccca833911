// Says what went wrong and what a person can do about it.
import { html } from "./viewer/ui.js";
import { t } from "./viewer/i18n_core.js";
import { visibleText } from "./viewer/markdown.js";
import { Icon } from "./icons.js";

/** Codes of problems and failures that have words of their own. */
const KNOWN = new Set([
  "model", "limit", "budget_exhausted", "price_unknown", "no_model", "model_not_allowed", "model_key_missing", "busy",
    "offline", "unauthorized",
  "too_large", "too_many_messages", "blocked", "not_found",
]);

/** Codes whose cause is in the settings. */
const SETTLED = new Set(["no_model", "budget_exhausted", "blocked"]);

/** Codes that mean the same to a person. */
const SAME = { unavailable: "busy", too_many_requests: "busy", too_many_uploads: "busy", time_limit: "busy",
  budget: "budget_exhausted" };

/** @param {string} code */
function known(code) {
  const name = SAME[code] ?? code;
  return KNOWN.has(name) ? name : "default";
}

/**
 * Returns one sentence for people about a problem of a request or a failure of a run.
 * @param {{code: string}} problem
 * @returns {string}
 */
export function problemTitle(problem) {
  return t(`conversation.fail_${known(problem.code)}`);
}

/**
 * Returns the way out of a problem: the server's hint, or what the page knows.
 * @param {{code: string, detail?: string, message?: string, hint?: string|null, retryAfter?: number}} problem
 * @returns {string}
 */
export function problemWay(problem) {
  const name = known(problem.code);
  if (name === "offline") return t("conversation.way_offline");
  if (name === "budget_exhausted") return t("conversation.way_budget");
  // Rules of a person's own settings are numbered by their lines there.
  const line = name === "blocked" ? /`settings\/(\d+)`/.exec(problem.detail ?? problem.message ?? "") : null;
  if (line) return t("conversation.way_blocked", { n: line[1] });
  if (name === "no_model") return t("conversation.way_no_model");
  if (name === "busy" && problem.retryAfter) return t("conversation.way_busy", { n: Math.ceil(problem.retryAfter) });
  return problem.hint ?? "";
}

/**
 * Returns a message of the server, in which names between backticks are shown as code.
 * @param {string} text
 * @returns {any}
 */
export function prose(text) {
  const parts = String(text).split(/`([^`\n]+)`/);
  return parts.map((part, index) => (index % 2 ? html`<code>${visibleText(part)}</code>` : visibleText(part)));
}

/**
 * Shows a problem of a request or a failure of a run, with the way out.
 * @param {{problem: any, title?: string, kind?: "danger"|"warn", onDismiss?: () => void, children?: any}} props
 */
export function Notice({ problem, title, kind = "danger", onDismiss, children }) {
  const name = known(problem.code);
  const detail = name === "offline" ? "" : problem.detail ?? problem.message ?? "";
  const way = problemWay(problem);
  const places = (problem.errors ?? []).filter((it) => it.detail && it.detail !== detail);
  return html`<div class=${`c-notice ${kind}`} role="group" aria-label=${title ?? problemTitle(problem)}>
    <${Icon} name=${name === "offline" ? "offline" : name === "budget_exhausted" ? "dollar" : "alert"} size=${20} />
    <div class="c-notice-text">
      <strong>${title ?? problemTitle(problem)}</strong>
      ${title && name !== "default" ? html`<p>${problemTitle(problem)}</p>` : null}
      ${detail ? html`<p class="c-wrap c-detail">${prose(detail)}</p>` : null}
      ${places.length ? html`<ul>${places.slice(0, 20).map((it) => html`<li class="c-wrap">${it.pointer ? html`<code>
        ${visibleText(it.pointer)}</code> ` : null}${prose(it.detail)}</li>`)}</ul>` : null}
      ${way ? html`<p class="c-wrap c-way">${prose(way)}</p>` : null}
      ${children || SETTLED.has(name) ? html`<div class="c-actions">
        ${children}
        ${SETTLED.has(name) ? html`<a class="btn" href="#/settings">${t("conversation.open_settings")}</a>` : null}
      </div>` : null}
    </div>
    ${onDismiss ? html`<button type="button" class="icon-btn" aria-label=${t("conversation.dismiss")}
      title=${t("conversation.dismiss")} onClick=${onDismiss}><${Icon} name="close" size=${16} /></button>` : null}
  </div>`;
}
