// The list of conversations, with search, and the links to the other pages.
import { html, useState, useEffect, useLayoutEffect, useRef, useCallback } from "./viewer/ui.js";
import { t, plural, locale, languagePreference, setLanguage } from "./viewer/i18n_core.js";
import { route, session, theme, setTheme, useStore, navigate, routeAddress } from "./store.js";
import { logOut } from "./account.js";
import { runList, found, moreRuns, refreshRuns, searchRuns, renameRun, deleteRun } from "./runs.js";
import { isActive } from "./run_state.js";
import { confirm, toast, announce, Menu } from "./dialog.js";
import { Icon } from "./icons.js";

const DAY_MS = 86_400_000;
/** Time in milliseconds after the last letter after which the search begins. */
const SEARCH_MS = 250;
/** Longest title that can be given. */
const MOST_TITLE = 200;

/**
 * The sign of the program.
 * @param {{size?: number}} props
 */
export function Mark({ size = 24 }) {
  return html`<svg class="brand-mark" width=${size} height=${size} viewBox="0 0 32 32" aria-hidden="true"
    focusable="false">
    <rect width="32" height="32" rx="8" fill="currentColor" />
    <path class="brand-line" d="M8 23V10l8 8 8-8v13" fill="none" stroke-width="3" stroke-linecap="round"
      stroke-linejoin="round" />
  </svg>`;
}

/**
 * Returns the words for a status.
 * @param {string} status
 * @returns {string}
 */
export function statusText(status) {
  const key = `shell.status_${status}`;
  const text = t(key);
  return text === key ? status : text;
}

/** @param {{onHelp: () => void, onHide: () => void, isDrawer: boolean}} props */
export function Sidebar({ onHelp, onHide, isDrawer }) {
  const here = useStore(route);
  const offered = useStore(session);
  return html`<nav class="sidebar" id="sidebar" aria-label=${t("shell.navigation")}>
    <div class="sidebar-head">
      <a class="brand" href="#/"><${Mark} /><span>Mitt</span></a>
      <button type="button" class="icon-btn" aria-label=${t("shell.close_navigation")}
        title=${t("shell.close_navigation")} onClick=${onHide}>
        <${Icon} name=${isDrawer ? "close" : "sidebar"} />
      </button>
    </div>
    <div class="sidebar-new">
      <a class="btn" href="#/" aria-current=${here.name === "new" ? "page" : undefined}>
        <${Icon} name="plus" />${t("shell.new")}</a>
      <${Search} />
    </div>
    <${Runs} current=${here.name === "run" ? here.run : undefined} />
    <div class="sidebar-foot">
      <a class="nav-link" href="#/tools" aria-current=${here.name === "tools" ? "page" : undefined}>
        <${Icon} name="tool" />${t("shell.tools")}</a>
      <a class="nav-link" href="#/settings" aria-current=${here.name === "settings" ? "page" : undefined}>
        <${Icon} name="settings" />${t("shell.settings")}</a>
      <div class="sidebar-tools">
        <${Menu} label=${t("shell.language")} icon="language" items=${languages()} />
        <${ThemeMenu} />
        <button type="button" class="icon-btn only-keys" aria-label=${t("shell.shortcuts")}
          title=${t("shell.shortcuts")} onClick=${onHelp}><${Icon} name="question" /></button>
        <span class="spacer"></span>
        ${offered && offered.login !== "none"
          ? html`<button type="button" class="icon-btn" aria-label=${t("shell.log_out")} title=${t("shell.log_out")}
            onClick=${leavePage}><${Icon} name="logout" /></button>`
          : null}
      </div>
    </div>
  </nav>`;
}

function languages() {
  const chosen = languagePreference();
  const item = (/** @type {"auto"|"en"|"zh"} */ name, /** @type {string} */ label) => ({
    label,
    checked: chosen === name,
    run: () => setLanguage(name),
  });
  return [item("auto", t("shell.language_auto")), item("en", "English"), item("zh", "中文")];
}

function ThemeMenu() {
  const chosen = useStore(theme);
  const icons = { auto: "monitor", light: "sun", dark: "moon" };
  const items = /** @type {const} */ (["auto", "light", "dark"]).map((name) => ({
    label: t(`shell.theme_${name}`),
    checked: chosen === name,
    run: () => setTheme(name),
  }));
  return html`<${Menu} label=${t("shell.theme")} icon=${icons[chosen]} items=${items} />`;
}

async function leavePage() {
  try {
    await logOut();
  } catch {
    toast(t("shell.log_out_failed"), "danger");
  }
}

function Search() {
  const [text, setText] = useState("");
  const timer = useRef(/** @type {any} */ (0));
  const results = useStore(found);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** @param {string} value */
  const change = (value) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => searchRuns(value), value.trim() === "" ? 0 : SEARCH_MS);
  };
  const count = results && results.runs && !results.isLoading ? results.runs.length : -1;
  useEffect(() => {
    if (count >= 0) announce(count === 0 ? t("shell.search_none", { text }) : plural("shell.search_count", count));
  }, [count]);
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    if (event.key === "Escape" && text !== "") {
      event.preventDefault();
      event.stopPropagation();
      change("");
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      const first = document.querySelector("#sidebar .run-link");
      if (first instanceof HTMLElement) first.focus();
    }
  };
  return html`<div class="search" role="search">
    <${Icon} name="search" size=${16} />
    <input
      ref=${input}
      id="search"
      class="input"
      type="search"
      autocomplete="off"
      placeholder=${t("shell.search")}
      aria-label=${t("shell.search_label")}
      value=${text}
      onInput=${(/** @type {any} */ event) => change(event.target.value)}
      onKeyDown=${pressed}
    />
    ${text
      ? html`<button type="button" class="icon-btn" aria-label=${t("shell.search_clear")}
        title=${t("shell.search_clear")} onClick=${() => (change(""), input.current?.focus())}><${Icon} name="close"
          size=${16} /></button>`
      : null}
  </div>`;
}

/**
 * Returns the heading below which a run is listed.
 * @param {number} time
 * @param {Date} now
 */
function groupOf(time, now) {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  if (time >= midnight) return t("shell.today");
  if (time >= midnight - DAY_MS) return t("shell.yesterday");
  if (time >= midnight - 7 * DAY_MS) return t("shell.week");
  if (time >= midnight - 30 * DAY_MS) return t("shell.month");
  return new Intl.DateTimeFormat(locale(), { month: "long", year: "numeric" }).format(time);
}

/** @param {{current: string | undefined}} props */
function Runs({ current }) {
  const all = useStore(runList);
  const results = useStore(found);
  const list = results || all;
  const end = useRef(/** @type {HTMLDivElement | null} */ (null));
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  useEffect(() => {
    if (!end.current || !list.next) return undefined;
    const watcher = new IntersectionObserver((entries) => entries.some((it) => it.isIntersecting) && moreRuns(), {
      root: box.current,
      rootMargin: "300px",
    });
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [list.next, Boolean(list.runs)]);
  /** Moves between the conversations with the arrow keys. @param {KeyboardEvent} event */
  const pressed = (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    if (!(event.target instanceof HTMLAnchorElement)) return;
    const links = /** @type {HTMLElement[]} */ ([...(box.current?.querySelectorAll(".run-link") || [])]);
    const at = links.indexOf(event.target);
    const next = links[at + (event.key === "ArrowDown" ? 1 : -1)];
    event.preventDefault();
    if (next) next.focus();
    else if (event.key === "ArrowUp") document.getElementById("search")?.focus();
  };
  return html`<div class="runs" ref=${box} onKeyDown=${pressed}>${content()}</div>`;

  function content() {
    if (list.runs === null || (list.runs.length === 0 && list.problem)) {
      return list.problem
        ? html`<div class="runs-note"><span>${t("shell.list_failed")}</span>
            <button type="button" class="btn" onClick=${() => (results ? searchRuns(results.text) : refreshRuns())}>
              ${t("shell.retry")}</button></div>`
        : html`<div class="runs-skeleton" aria-busy="true" aria-label=${t("shell.loading")}
          role="img">${[80, 62, 90, 70, 55].map((width) => html`<span class="skeleton" style=${{ width: `${width}%` }}>
            </span>`)}</div>`;
    }
    if (list.runs.length === 0) {
      return html`<p class="runs-note">${results ? t("shell.search_none", { text: results.text.trim() })
        : t("shell.list_empty")}</p>`;
    }
    const now = new Date();
    /** @type {{title: string, runs: any[]}[]} */
    const groups = [];
    for (const run of list.runs) {
      const title = groupOf(run.created_ms ?? now.getTime(), now);
      const last = groups[groups.length - 1];
      if (last && last.title === title) last.runs.push(run);
      else groups.push({ title, runs: [run] });
    }
    return html`${groups.map(
        (group) => html`<section key=${group.title}>
          <h2>${group.title}</h2>
          <ul>
            ${group.runs.map((run) => html`<${Run} key=${run.id} run=${run} isCurrent=${run.id === current} />`)}
          </ul>
        </section>`,
      )}
      ${list.next
        ? html`<div class="runs-more" ref=${end}>
            ${list.isLoading
              ? html`<span class="spinner" role="img" aria-label=${t("shell.loading")}></span>`
              : html`<button type="button" class="btn quiet" onClick=${() => moreRuns()}>${t("shell.older")}</button>`}
          </div>`
        : null}`;
  }
}

/** @param {{run: any, isCurrent: boolean}} props */
function Run({ run, isCurrent }) {
  const [isRenaming, setRenaming] = useState(false);
  const link = useRef(/** @type {HTMLAnchorElement | null} */ (null));
  const wasRenaming = useRef(false);
  useEffect(() => {
    if (wasRenaming.current && !isRenaming) link.current?.focus();
    wasRenaming.current = isRenaming;
  }, [isRenaming]);
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    if (event.key === "F2") setRenaming(true);
    else if (event.key === "Delete") askAndDelete(run);
    else return;
    event.preventDefault();
  };
  const items = [
    { label: t("shell.rename"), icon: "edit", run: () => setRenaming(true) },
    { label: t("shell.delete"), icon: "trash", danger: true, run: () => askAndDelete(run) },
  ];
  const quiet = run.status === "completed" || !run.status;
  return html`<li class=${isCurrent ? "run current" : "run"}>
    ${isRenaming
      ? html`<${Rename} run=${run} onDone=${() => setRenaming(false)} />`
      : html`<a
            ref=${link}
            class="run-link"
            href=${routeAddress({ name: "run", run: run.id })}
            aria-current=${isCurrent ? "page" : undefined}
            title=${run.title}
            onKeyDown=${pressed}
          >
            ${quiet ? null : html`<span class=${`dot ${run.status}`} title=${statusText(run.status)}></span>`}
            <span class="run-title">${run.title}</span>
            ${quiet ? null : html`<span class="sr-only">, ${statusText(run.status)}</span>`}
          </a>
          <${Menu} label=${`${t("shell.run_menu")}: ${run.title}`} items=${items} />`}
  </li>`;
}

/**
 * Asks, and then deletes a run for good.
 * @param {any} run
 */
export async function askAndDelete(run) {
  const text = t(isActive(run.status) ? "shell.delete_active" : "shell.delete_text", { title: run.title });
  const yes = await confirm(text, { title: t("shell.delete_title"), action: t("shell.delete_action"), danger: true });
  if (!yes) return;
  try {
    await deleteRun(run.id);
  } catch (problem) {
    toast(t("shell.delete_failed", { detail: problem.detail }), "danger");
    return;
  }
  if (route.get().run === run.id) navigate("#/", { replace: true });
  toast(t("shell.deleted"), "ok");
}

/**
 * A field for the title of a run. Enter and leaving the field save it, Esc does not.
 * @param {{run: any, onDone: () => void}} props
 */
export function Rename({ run, onDone }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const isOver = useRef(false);
  // Before the next key arrives, which would be taken as a shortcut otherwise.
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const save = useCallback(
    async (/** @type {string} */ value) => {
      if (isOver.current) return;
      isOver.current = true;
      onDone();
      const title = value.trim();
      if (title === "" || title === run.title) return;
      try {
        await renameRun(run.id, title);
      } catch (problem) {
        toast(t("shell.rename_failed", { detail: problem.detail }), "danger");
      }
    },
    [run.id, run.title],
  );
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    event.stopPropagation();
    // Enter also ends a word of an input method.
    if (event.isComposing) return;
    if (event.key === "Enter") save(input.current?.value || "");
    else if (event.key === "Escape") {
      isOver.current = true;
      onDone();
    }
  };
  return html`<div class="run-rename">
    <input ref=${input} class="input" aria-label=${t("shell.rename_label")} maxlength=${MOST_TITLE} value=${run.title}
      onKeyDown=${pressed} onBlur=${(/** @type {any} */ event) => save(event.target.value)} />
  </div>`;
}
