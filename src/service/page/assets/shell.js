// The layout: the sidebar, the main part by the route, and the files panel. On narrow screens the sidebar is a drawer.
import { html, useState, useEffect, useLayoutEffect, useRef } from "./viewer/ui.js";
import { Component } from "./viewer/preact.js";
import { t, plural } from "./viewer/i18n_core.js";
import { route, session, useStore, navigate, openFile, closeFile, loadChoice, saveChoice } from "./store.js";
import { connection, probeNow } from "./connection.js";
import { liveRun, rememberInstruction } from "./runs.js";
import { DialogHost, Dialog, Menu, announce } from "./dialog.js";
import { Sidebar, Rename, statusText, askAndDelete } from "./sidebar.js";
import { Icon } from "./icons.js";
import { Start } from "./welcome.js";
import { Conversation } from "./conversation.js";
import { Composer } from "./composer.js";
import { Lazy } from "./lazy.js";

// The vendored library has no types for classes.
const View = /** @type {any} */ (Component);

/** Shows in place of a part that failed what can be done. */
class Guard extends View {
  /** @param {any} props */
  constructor(props) {
    super(props);
    this.state = { hasFailed: false };
  }

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  /** @param {unknown} error */
  componentDidCatch(error) {
    console.error(error);
  }

  render() {
    if (!this.state.hasFailed) return this.props.children;
    return html`<${Notice} icon="alert" title=${t("shell.broken_title")} text=${t("shell.broken_text")}>
      <button type="button" class="btn primary" onClick=${() => location.reload()}>${t("shell.reload")}</button>
    <//>`;
  }
}

/**
 * A full-size notice in the main part.
 * @param {{icon: string, title: string, text?: string, children?: any}} props
 */
function Notice({ icon, title, text, children }) {
  return html`<div class="page-state">
    <div class="empty">
      <${Icon} name=${icon} size=${32} />
      <h1 tabindex="-1">${title}</h1>
      ${text ? html`<p>${text}</p>` : null}
      <div class="row">${children}</div>
    </div>
  </div>`;
}

/**
 * Returns whether a media query holds, and renders the view again when that changes.
 * @param {string} query
 * @returns {boolean}
 */
function useMedia(query) {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const changed = () => setHolds(list.matches);
    changed();
    list.addEventListener("change", changed);
    return () => list.removeEventListener("change", changed);
  }, [query]);
  return holds;
}

/** @param {Event} event */
function isTyping(event) {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/**
 * The whole page of a person who is logged in.
 * @param {{onModels: () => Promise<void>}} props
 */
export function Shell({ onModels }) {
  const here = useStore(route);
  const isPhone = useMedia("(max-width: 900px)");
  const isMiddle = useMedia("(max-width: 1240px)");
  const isNarrow = isPhone || (isMiddle && Boolean(here.open));
  const [isHidden, setHidden] = useState(() => loadChoice("sidebar") === "closed");
  const [hasDrawer, setDrawer] = useState(false);
  const [hasHelp, setHelp] = useState(false);
  const opener = useRef(/** @type {Element | null} */ (null));
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const isDrawer = isNarrow && hasDrawer;

  const showSidebar = () => {
    opener.current = document.activeElement;
    if (isNarrow) setDrawer(true);
    else {
      setHidden(false);
      saveChoice("sidebar", null);
    }
  };
  const hideSidebar = () => {
    if (isNarrow) {
      setDrawer(false);
      if (opener.current instanceof HTMLElement) opener.current.focus();
    } else {
      setHidden(true);
      saveChoice("sidebar", "closed");
    }
  };

  useEffect(() => {
    if (isDrawer) /** @type {HTMLElement | null} */ (document.querySelector("#sidebar .sidebar-new .btn"))?.focus();
  }, [isDrawer]);

  // Another place: the drawer closes, and the focus moves to the new heading, which screen readers then read.
  const place = `${here.name} ${here.run || ""} ${here.tool || ""}`;
  const firstPlace = useRef(place);
  useEffect(() => {
    if (firstPlace.current === place) return;
    firstPlace.current = "";
    setDrawer(false);
    if (here.name !== "new") focusMain();
  }, [place]);

  const focusMain = () => {
    const heading = main.current?.querySelector("h1[tabindex]");
    const target = heading instanceof HTMLElement ? heading : main.current;
    target?.focus({ preventScroll: true });
  };

  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const pressed = (event) => {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const search = () => {
        showSidebar();
        // The field can take the focus only when it is shown.
        setTimeout(() => /** @type {HTMLInputElement | null} */ (document.getElementById("search"))?.select(), 30);
        setTimeout(() => document.getElementById("search")?.focus(), 30);
      };
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        search();
        return;
      }
      if (event.key === "Escape") {
        if (isDrawer) hideSidebar();
        else if (route.get().open && !isTyping(event)) closeFile();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || loadChoice("keys") === "off") return;
      if (event.key === "/") search();
      else if (event.key === "n") {
        navigate("#/");
        setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector("#main textarea"))?.focus(), 30);
      } else if (event.key === "?") setHelp(true);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });

  const names = ["app"];
  if (isNarrow) names.push("narrow");
  if (isDrawer) names.push("drawer");
  if (!isNarrow && isHidden) names.push("no-sidebar");
  const hasButton = isNarrow || isHidden;
  const menu = hasButton
    ? html`<button type="button" class="icon-btn" aria-label=${t("shell.open_navigation")}
      title=${t("shell.open_navigation")} aria-expanded=${String(isDrawer)} aria-controls="sidebar"
        onClick=${showSidebar}>
        <${Icon} name=${isNarrow ? "menu" : "sidebar"} />
      </button>`
    : null;
  /** @param {Event} event */
  const skip = (event) => {
    event.preventDefault();
    focusMain();
  };
  return html`<div class=${names.join(" ")}>
    <a class="skip-link" href="#main" onClick=${skip}>${t("shell.skip")}</a>
    <${Banner} />
    <${Sidebar} onHelp=${() => setHelp(true)} onHide=${hideSidebar} isDrawer=${isNarrow} />
    ${isDrawer ? html`<div class="scrim" onClick=${hideSidebar}></div>` : null}
    ${here.name === "run" && here.run
      ? html`<${RunPage} key=${here.run} id=${here.run} open=${here.open} menu=${menu} mainRef=${main}
        isInert=${isDrawer} isPhone=${isPhone} />`
      : html`<main class="main" id="main" tabindex="-1" ref=${main} inert=${isDrawer}>
          ${menu ? html`<header class="topbar">${menu}${here.name === "new" ? null : html`<a class="brand"
            href="#/">Mitt</a>`}</header>` : null}
          <div class="scroll" key=${place}><${Guard} key=${place}><${Page} here=${here} onModels=${onModels} /><//>
            </div>
        </main>`}
    ${hasHelp ? html`<${Shortcuts} onClose=${() => setHelp(false)} />` : null}
    <${DialogHost} />
  </div>`;
}

/** @param {{here: import("./store.js").Route, onModels: () => Promise<void>}} props */
function Page({ here, onModels }) {
  const title = { new: "", tools: t("shell.tools"), settings: t("shell.settings") }[here.name] ?? "";
  useTitle(here.tool ? `${here.tool} · ${title}` : title);
  if (here.name === "new") return html`<${Start} onModels=${onModels} />`;
  if (here.name === "tools") return html`<${Lazy} area="tools" name=${here.tool} />`;
  if (here.name === "settings") return html`<${Lazy} area="settings" />`;
  return html`<${Notice} icon="question" title=${t("shell.unknown_title")} text=${t("shell.unknown_text")}>
    <a class="btn primary" href="#/">${t("shell.new")}</a>
  <//>`;
}

/** @param {string} title */
function useTitle(title) {
  useEffect(() => {
    document.title = title ? `${title} · Mitt` : "Mitt";
  }, [title]);
}

/** Says what is wrong with the connection, if anything. */
function Banner() {
  const { state, until } = useStore(connection);
  const [, tick] = useState(0);
  const [isLong, setLong] = useState(false);
  const isAway = state === "offline" || state === "reconnecting";
  const wasAway = useRef(false);
  useEffect(() => {
    // A hiccup of less than a second is not worth a word.
    const timer = isAway ? setTimeout(() => setLong(true), 800) : undefined;
    if (!isAway) setLong(false);
    return () => clearTimeout(timer);
  }, [isAway]);
  useEffect(() => {
    if (isAway && isLong) {
      announce(t(`shell.${state}`));
      wasAway.current = true;
    } else if (state === "online" && wasAway.current) {
      announce(t("shell.recovered"));
      wasAway.current = false;
    }
  }, [state, isLong]);
  useEffect(() => {
    if (state !== "busy") return undefined;
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [state]);
  if (state === "busy") {
    const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1000));
    return html`<section class="banner" aria-label=${t("shell.connection")}><${Icon} name="clock" size=${16} />
      <span>${t("shell.busy", { n: seconds })}</span></section>`;
  }
  if (!isAway || !isLong) return null;
  return html`<section class="banner" aria-label=${t("shell.connection")}>
    ${state === "offline" ? html`<${Icon} name="offline" size=${16} />` : html`<span class="spinner" aria-hidden="true">
      </span>`}
    <span>${t(`shell.${state}`)}</span>
    <button type="button" class="btn" onClick=${probeNow}>${t("shell.try_now")}</button>
  </section>`;
}

/**
 * A conversation, with its files.
 * @param {{id: string, open: import("./store.js").OpenFile | null, menu: any, mainRef: {current: HTMLElement | null},
 *   isInert: boolean, isPhone: boolean}} props
 */
function RunPage({ id, open, menu, mainRef, isInert, isPhone }) {
  const live = liveRun(id);
  const { state, problem, live: stream } = useStore(live.store);
  const network = useStore(connection);
  const [isRenaming, setRenaming] = useState(false);
  const panel = useRef(/** @type {HTMLElement | null} */ (null));
  const opener = useRef(/** @type {Element | null} */ (null));
  useEffect(() => {
    live.enter();
    return () => live.leave();
  }, [live]);

  // Opening a file moves the focus to it; closing gives it back.
  const wasOpen = useRef(false);
  const isOpen = Boolean(open && state);
  useLayoutEffect(() => {
    if (isOpen && !wasOpen.current) {
      opener.current = document.activeElement;
      panel.current?.focus({ preventScroll: true });
    } else if (!isOpen && wasOpen.current) {
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
      else mainRef.current?.focus();
    }
    wasOpen.current = isOpen;
  }, [isOpen]);

  const title = state ? state.run.title : "";
  // The heading comes with the run; the focus waits for it on the main part.
  const isLoaded = state !== null;
  useLayoutEffect(() => {
    const heading = mainRef.current?.querySelector("h1[tabindex]");
    if (isLoaded && document.activeElement === mainRef.current && heading instanceof HTMLElement) heading.focus();
  }, [isLoaded]);

  const status = state?.status;
  const isNews = status && status !== "completed";
  useTitle(problem ? t("shell.problem_title") : isNews ? `${statusText(status)}: ${title}` : title);

  if (problem && !state) {
    const isGone = problem.status === 404;
    return html`<main class="main" id="main" tabindex="-1" ref=${mainRef} inert=${isInert}>
      <header class="topbar">${menu}</header>
      <${Notice}
        icon=${isGone ? "question" : "alert"}
        title=${t(isGone ? "shell.gone_title" : "shell.problem_title")}
        text=${isGone ? t("shell.gone_text") : problem.code === "offline" ? t("shell.offline")
          : [problem.detail, problem.hint].filter(Boolean).join(" · ")}
      >
        ${isGone
          ? html`<a class="btn primary" href="#/">${t("shell.new")}</a>`
          : html`<button type="button" class="btn primary" onClick=${() => live.load()}>${t("shell.retry")}</button>`}
      <//>
    </main>`;
  }
  if (!state) {
    return html`<main class="main" id="main" tabindex="-1" ref=${mainRef} inert=${isInert} aria-busy="true">
      <header class="topbar">${menu}<span class="skeleton topbar-skeleton"></span></header>
      <div class="scroll"><div class="run-skeleton"><span class="skeleton"></span><span class="skeleton"></span>
        <span class="skeleton"></span></div></div>
    </main>`;
  }
  const run = state.run;
  const files = state.files.length;
  const first = state.files[state.files.length - 1] || state.documents[0];
  const showFiles = () => {
    if (open) closeFile();
    else openFile({ name: first.name, kind: files > 0 ? "file" : "document" });
  };
  const items = [
    { label: t("shell.rename"), icon: "edit", run: () => setRenaming(true) },
    { label: t("shell.delete"), icon: "trash", danger: true, run: () => askAndDelete(run) },
  ];
  const badge = { failed: "danger", waiting: "warn", running: "accent", queued: "accent" }[state.status] || "";
  /** @param {any} changed @param {{instruction?: string}} [sent] */
  const created = (changed, sent) => {
    if (changed.id === id) return;
    rememberInstruction(changed.id, sent?.instruction);
    navigate({ name: "run", run: changed.id });
  };
  return html`<main class="main" id="main" tabindex="-1" ref=${mainRef} inert=${isInert || (isPhone && isOpen)}>
      <header class="topbar lined">
        ${menu}
        ${isRenaming ? html`<h1 class="sr-only" tabindex="-1">${title}</h1><${Rename} run=${run}
          onDone=${() => setRenaming(false)} />` : html`<h1 tabindex="-1" title=${title}>${title}</h1>`}
        ${isNews
          ? html`<span class=${`badge ${badge}`}>${["running", "queued"].includes(state.status) ? html`<span
            class="dot running" aria-hidden="true"></span>` : null}${statusText(state.status)}</span>`
          : null}
        <span class="spacer"></span>
        ${first
          ? html`<button type="button" class="btn quiet files-button" aria-expanded=${String(isOpen)} title=${files > 0
            ? plural("shell.files_count", files) : t("shell.files_label")} onClick=${showFiles}>
              <${Icon} name="panel" /><span>${t("shell.files")}</span>${files > 0 ? html` <span
                class="count">${files}</span>` : null}
            </button>`
          : null}
        <${Menu} label=${t("shell.run_menu")} items=${items} />
      </header>
      <div class="scroll" id="conversation-scroll" tabindex="0" role="region" aria-label=${t("shell.conversation")}>
        <${Guard}><${Conversation} run=${run} state=${state} /><//>
      </div>
      <div class="main-foot">
        ${stream === "reconnecting" && network.state === "online" ? html`<p class="quiet-note"><span class="spinner"
          aria-hidden="true"></span>${t("shell.live_lost")}</p>` : null}
        <${Guard}><${Composer} run=${run} state=${state} onCreated=${created} /><//>
      </div>
    </main>
    ${isOpen
      ? html`<aside class="files-panel" ref=${panel} tabindex="-1" aria-label=${t("shell.files_label")}
        inert=${isInert}>
          <${Guard}><${Lazy} area="files" run=${run} state=${state} open=${open} onOpen=${openFile} onClose=${closeFile} /><//>
        </aside>`
      : null}`;
}

/** @param {{onClose: () => void}} props */
function Shortcuts({ onClose }) {
  const [isOn, setOn] = useState(() => loadChoice("keys") !== "off");
  const mod = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";
  const rows = [
    [[mod, "K"], "search"],
    [["/"], "search", true],
    [["N"], "new", true],
    [["Esc"], "close"],
    [["F2"], "rename"],
    [["Delete"], "delete"],
    [["?"], "help", true],
  ];
  /** @param {any} event */
  const change = (event) => {
    setOn(event.target.checked);
    saveChoice("keys", event.target.checked ? null : "off");
  };
  return html`<${Dialog} title=${t("shell.shortcuts")} onClose=${onClose}>
    <dl class="key-list">
      ${rows
        .filter((row) => isOn || !row[2])
        .map(([keys, name]) => html`<dt>${/** @type {string[]} */ (keys).map((key) => html`<kbd>${key}</kbd>`)}</dt>
          <dd>${t(`shell.shortcut_${name}`)}</dd>`)}
    </dl>
    <label class="check"><input type="checkbox" checked=${isOn} onChange=${change} />
      <span>${t("shell.single_keys")}</span></label>
  <//>`;
}

/** The page while the server does not answer at the first start. @param {{problem: any, onRetry: () => void}} props */
export function Unreachable({ problem, onRetry }) {
  const { state } = useStore(connection);
  const isAway = problem.code === "offline";
  return html`<main class="boot" id="main">
    <${Notice} icon=${isAway ? "offline" : "alert"} title=${t(isAway ? "shell.unreachable_title"
      : "shell.problem_title")} text=${isAway ? t(state === "offline" ? "shell.offline" : "shell.unreachable_text")
        : problem.detail}>
      ${isAway ? html`<span class="spinner" aria-hidden="true"></span>` : null}
      <button type="button" class="btn primary" onClick=${onRetry}>${t("shell.try_now")}</button>
    <//>
  </main>`;
}
