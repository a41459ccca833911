// The MCP App `ui://mitt/viewer.html` (extension `io.modelcontextprotocol/ui`, specification 2026-01-26): shows in a
// client's conversation what a tool of Mitt made. It speaks the protocol itself: JSON-RPC 2.0 in messages between
// windows.
//
// What the server must send
// =========================
// Resource: `ui://mitt/viewer.html`, MIME type `text/html;profile=mcp-app`, with `_meta.ui = {"prefersBorder": true}`
// on the   content that `resources/read` returns. No `csp` (the app connects to nothing) and no `permissions`.
// Tools that show it: `_meta.ui = {"resourceUri": "ui://mitt/viewer.html", "visibility": ["model", "app"]}` in
// `tools/list`,   and the older alias `_meta["ui/resourceUri"]` beside it. Only for clients whose capabilities have
//   `extensions["io.modelcontextprotocol/ui"].mimeTypes` with `text/html;profile=mcp-app`.
// Result of such a tool: as without the app (text, links, structured content), and `_meta["mitt/view"]`. All members
// are optional;   members with other names are ignored. Without `mitt/view` the app shows the text and the links of
// the result.   {
//     "files": [{
//       "id": "opaque",              identifies the file in calls of the tools below
//       "name": "a.xlsx", "media_type": "…", "size": 6052,
//       "url": "https://…" | null,   signed link to download it
//       "uri": "mitt://artifacts/…", the file as a resource, for hosts that download files themselves; without both
// there is no button       "outline"?: Outline,         as `GET /v1/previews` returns it; if it is missing, the app
// calls `view__outline`       "rows": Rows & {"sheet": 0}, first block of a sheet (`sheet` is 0 if it is missing):
// {"from","total","rows","styles"}       "page": "data:image/png;base64,…",  page 1, or the picture itself for the
// kind `picture`       "text": Text                 first piece: {"text","offset":0,"total"}
//     }],                            at most 20 files; of a large one send `rows` or `page` or `text` of up to some
// 100 kB, or none     "table": {"name": str|null, "columns": [str], "rows": [[cell]], "total": N},
//                                    a cell is null, text, number, boolean, or an object as in Rows
//     "charts": [Chart],             as in Outline
//     "plan": {"title": str, "steps": [{"id","title","description"?,"kind"?,"needs"?:[id],"state"?,"detail"?}]},
//                                    `state`: waiting, running, reflecting, done, failed, skipped
//     "question": {"kind": "approval", "tool": str, "title": str|null, "arguments": {…}} | {"kind": "plan", "plan":
// Plan}                                    what the user is asked; the answer is given in the host
//   }
// Tools of the app: `_meta.ui.visibility = ["app"]`, so that the model never sees them. `isError: true` with a text
// says why not.   view__outline {"id": str}                                        -> structuredContent: Outline
//   view__rows {"id": str, "sheet": N, "from": N, "count": N<=1000}  -> structuredContent: Rows
//   view__text {"id": str, "offset": N, "length": N<=20000}          -> structuredContent: Text
//   view__page {"id": str, "page": N>=1, "width": pixels<=2400}      -> content:
// [{"type":"image","data":base64,"mimeType":"image/png"}]   `page` of a picture is 1, and returns the picture in its
// own format or as PNG.   An `id` must hold for as long as the link does; a file that is gone is an error of the tool.
import { html, render, useEffect, useReducer, useRef, useState } from "./ui.js";
import { Chart } from "./chart.js";
import { formatNumber, languageOf, setLanguage } from "./i18n_core.js";
import { Markdown } from "./markdown.js";
import { errorText, icon, Loading, safeText } from "./parts.js";
import { View } from "./view.js";
import { words } from "./viewer_words.js";

const PROTOCOL = "2026-01-26";
/** Height in pixels that the app takes at most in a conversation. */
const INLINE_HEIGHT = 500;
const CALL_TIMEOUT_MS = 60000;
/** Most files of a result that are shown: as many as the server sends. */
const MAX_FILES = 20;

/** Talks to the host. Only messages of the parent window are read. */
class Host {
  /** @param {(method: string, params: any) => any} onMessage returns the result of a request */
  constructor(onMessage) {
    this.onMessage = onMessage;
    this.next = 1;
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: any) => void, timer: any}>} */
    this.pending = new Map();
    this.capabilities = /** @type {any} */ ({});
    this.context = /** @type {any} */ ({});
    this.listener = (event) => {
      if (event.source === window.parent && event.data?.jsonrpc === "2.0") this.receive(event.data);
    };
    window.addEventListener("message", this.listener);
  }

  /** @param {any} message */
  receive(message) {
    if (message.method === undefined) {
      const pending = this.pending.get(message.id);
      if (!pending) return;
      this.pending.delete(message.id);
      clearTimeout(pending.timer);
      if (message.error) pending.reject(new Error(String(message.error.message ?? "")));
      else pending.resolve(message.result ?? {});
      return;
    }
    let answer;
    try {
      answer = { result: this.onMessage(message.method, message.params ?? {}) };
      if (answer.result === undefined) answer = { error: { code: -32601, message: "method not found" } };
    } catch (error) {
      answer = { error: { code: -32603, message: String(error?.message ?? error) } };
    }
    if (message.id !== undefined) this.send({ id: message.id, ...answer });
  }

  /** @param {any} message */
  send(message) {
    // The origin of the host is not known to the app, and nothing that is sent here is secret from the program that
    // shows it.
    window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  /** @param {string} method @param {any} [params] */
  notify(method, params = {}) {
    this.send({ method, params });
  }

  /** @param {string} method @param {any} params @param {AbortSignal} [signal] @returns {Promise<any>} */
  request(method, params, signal) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const give_up = (reason) => {
        if (!this.pending.delete(id)) return;
        clearTimeout(timer);
        this.notify("notifications/cancelled", { requestId: id, reason });
        reject(new Error(reason));
      };
      const timer = setTimeout(() => give_up("timeout"), CALL_TIMEOUT_MS);
      signal?.addEventListener("abort", () => give_up("no longer needed"));
      this.pending.set(id, { resolve, reject, timer });
      this.send({ id, method, params });
    });
  }

  /**
   * Calls a tool of the server that only the app sees.
   * @param {string} name
   * @param {any} args
   * @param {AbortSignal} [signal]
   */
  async call(name, args, signal) {
    if (!this.capabilities.serverTools) throw new Error(words("more_needs_host"));
    const result = await this.request("tools/call", { name, arguments: args }, signal);
    if (result.isError) throw new Error(contentText(result.content) || words("failed"));
    return result;
  }

  close() {
    window.removeEventListener("message", this.listener);
  }
}

/** Returns the text of a result. @param {any} content */
function contentText(content) {
  if (!Array.isArray(content)) return "";
  return content.filter((block) => block?.type === "text" && typeof block.text === "string").map((block) =>
    block.text).join("\n\n");
}

/** Returns `true` if a link can be opened. @param {any} url */
function isLink(url) {
  return typeof url === "string" && /^https?:\/\//i.test(url);
}

/**
 * Returns the source of a file's view: what came with the result, and the rest by tools.
 * @param {Host} host
 * @param {any} file
 */
function fileSource(host, file) {
  return {
    name: String(file.name ?? ""),
    // So that the rows which came with the result are all that is needed first, also if the host calls no tools.
    blockRows: file.rows?.rows?.length || undefined,
    outline: async () => {
      // The server leaves the outline out if the file takes long to read.
      if (!file.outline && host.capabilities.serverTools) {
        file.outline = (await host.call("view__outline", { id: file.id })).structuredContent;
      }
      return file.outline ?? { kind: "none", warnings: [] };
    },
    rows: async (sheet, from, count, signal) => {
      const known = file.rows;
      const start = known?.from ?? 0;
      const isKnown = Array.isArray(known?.rows) && (known.sheet ?? 0) === sheet && from >= start
        && (from + count <= start + known.rows.length || start + known.rows.length >= known.total);
      if (isKnown) return { ...known, from, rows: known.rows.slice(from - start, from - start + count) };
      return (await host.call("view__rows", { id: file.id, sheet, from, count }, signal)).structuredContent;
    },
    text: async (offset, length) => {
      const known = file.text;
      if (known && offset === 0 && (known.offset ?? 0) === 0) {
        // The server cut this piece, in its own units, so that it is used only where it is exactly the piece that is
        // needed.
        const size = [...known.text].length;
        if (size >= Math.min(length, known.total)) return { ...known, text: [...known.text].slice(0, length).join("") };
      }
      return (await host.call("view__text", { id: file.id, offset, length })).structuredContent;
    },
    page: async (page, width) => {
      const isWide = width > 1000 && host.capabilities.serverTools && file.outline?.kind !== "picture";
      if (page === 1 && typeof file.page === "string" && file.page.startsWith("data:image/")
        && !isWide) return file.page;
      const result = await host.call("view__page", { id: file.id, page, width });
      const image = (result.content ?? []).find((block) => block.type === "image");
      if (!image || !/^image\/(png|jpeg|webp|gif)$/.test(image.mimeType)) throw new Error(words("failed"));
      return `data:${image.mimeType};base64,${image.data}`;
    },
  };
}

/** Returns the source of a table result. @param {any} table */
function tableSource(table) {
  const cell = (value) => {
    if (value === null || value === undefined || typeof value === "string") return value ?? null;
    if (typeof value === "number") return { d: formatNumber(value), v: value, k: "n" };
    if (typeof value === "boolean") return { d: String(value), v: value, k: "b" };
    return typeof value === "object" && ("d" in value || "v" in value) ? value : JSON.stringify(value);
  };
  const rows = [(table.columns ?? []).map((name) => String(name)), ...(table.rows ?? []).map((row) => row.map(cell))];
  const columns = Math.max(1, ...rows.slice(0, 1000).map((row) => row.length));
  const name = String(table.name || words("app_table"));
  return {
    name,
    outline: async () => ({
      kind: "workbook", name, warnings: [],
      sheets: [{ name, rows: rows.length, columns, header: true, frozen_rows: 1, frozen_columns: 0, widths: [],
        merges: [], charts: [] }],
    }),
    rows: async (_sheet, from, count) => ({ from, total: rows.length, rows: rows.slice(from, from + count),
      styles: {} }),
    text: async () => ({ text: "", offset: 0, total: 0 }),
    page: async () => "",
  };
}

/**
 * Returns the panels of a result: one for each file, and one for each other thing.
 * @param {Host} host
 * @param {any} result
 */
function panelsOf(host, result) {
  const view = result?._meta?.["mitt/view"] ?? {};
  const panels = [];
  if (view.question) panels.push({ kind: "question", label: () => words("app_question"), question: view.question });
  const plan = view.plan ?? null;
  if (plan) panels.push({ kind: "plan", label: () => words("app_plan"), plan });
  if (view.table) {
    panels.push({ kind: "table", label: () => safeText(view.table.name
      || words("app_table")), table: view.table, source: tableSource(view.table) });
  }
  for (const chart of view.charts ?? []) {
    panels.push({ kind: "chart", label: () => safeText(chart.title || words("chart_other")), chart });
  }
  for (const file of (view.files ?? []).slice(0, MAX_FILES)) {
    panels.push({ kind: "file", label: () => safeText(file.name), file, source: fileSource(host, file) });
  }
  return panels;
}

/**
 * Shows what the host said so far.
 * @param {{host: Host, state: any}} props
 */
function App({ host, state }) {
  const root = useRef(/** @type {any} */ (null));
  const [chosen, setChosen] = useState(0);
  const [note, setNote] = useState("");
  useEffect(() => {
    let last = 0;
    const report = () => {
      if (!root.current || !state.isReady) return;
      const height = Math.ceil(root.current.getBoundingClientRect().height);
      if (height === last) return;
      last = height;
      // Without a width. The app takes the width that it gets. A host fixes its frame to a width that is reported, and
      // the frame then does not become narrower with the conversation.
      host.notify("ui/notifications/size-changed", { height });
    };
    const observer = new ResizeObserver(report);
    observer.observe(root.current);
    report();
    return () => observer.disconnect();
  }, [state.isReady]);
  useEffect(() => setChosen(0), [state.result]);

  const context = host.context;
  const isFull = context.displayMode === "fullscreen";
  const fixed = context.containerDimensions?.height;
  const fills = isFull || fixed > 0;
  const most = Math.min(INLINE_HEIGHT, context.containerDimensions?.maxHeight || INLINE_HEIGHT);
  const inset = context.safeAreaInsets;
  const style = { "--v-height": `${most}px` };
  if (inset) style.padding = ["top", "right", "bottom", "left"].map((side) => `${Math.max(0, Number(inset[side])
    || 0)}px`).join(" ");

  const panel = state.panels[Math.min(chosen, state.panels.length - 1)];
  const canGrow = (context.availableDisplayModes ?? []).includes(isFull ? "inline" : "fullscreen");
  const openLink = async (url) => {
    setNote("");
    if (!isLink(url)) return;
    const answer = await host.request("ui/open-link", { url }).catch(() => ({ isError: true }));
    if (answer.isError) setNote(words("app_no_link"));
  };
  const download = async (file) => {
    setNote("");
    if (!host.capabilities.downloadFile) return openLink(file.url);
    const link = { type: "resource_link", uri: file.url ?? file.uri, name: file.name, mimeType: file.media_type,
      size: file.size };
    const answer = await host.request("ui/download-file", { contents: [link] }).catch(() => null);
    // A host that cannot fetch the link itself can still open it; one that answers with an error has asked the user.
    if (answer === null) return openLink(file.url);
    if (answer.isError) setNote(words("app_no_download"));
    return undefined;
  };
  const resize = async () => {
    const answer = await host.request("ui/request-display-mode", { mode: isFull ? "inline" : "fullscreen" }).catch(() =>
      null);
    if (answer?.mode) state.change({ displayMode: answer.mode });
  };
  const onClick = (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link) return;
    event.preventDefault();
    openLink(link.href);
  };
  const onKeyDown = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (chosen + step + state.panels.length) % state.panels.length;
    setChosen(next);
    event.currentTarget.children[next]?.focus();
  };
  const symbol = (one) => icon(/** @type {any} */ ({
    chart: "chart", table: "sheet", plan: "check", question: "warning", workbook: "sheet", picture: "picture",
  }[one.file?.outline?.kind ?? one.kind] ?? "document"));
  const isTabbed = state.panels.length > 1;
  return html`<div class="v-app" ref=${root} style=${style} data-fill=${fills ? "" : undefined} onClick=${onClick}>
    <h1 class="v-offscreen">${safeText(context.toolInfo?.tool?.title || words("app_title"))}</h1>
    ${panel && html`<div class="v-app-bar">
      ${isTabbed ? html`<div class="v-app-tabs" role="tablist" aria-label=${words("app_title")} onKeyDown=${onKeyDown}>
          ${state.panels.map((one, at) => html`<button key=${at} type="button" role="tab" class="v-tab"
            aria-selected=${String(at === chosen)}
            aria-controls="v-app-panel" tabindex=${at === chosen ? 0 : -1} onClick=${() => setChosen(at)}>
            ${symbol(one)}<bdi>${one.label()}</bdi></button>`)}</div>`
        : html`<div class="v-app-name">${symbol(panel)}<bdi title=${panel.label()}>${panel.label()}</bdi></div>`}
      <div class="v-app-actions">
        ${panel.kind === "file" && (isLink(panel.file.url) || (panel.file.uri && host.capabilities.downloadFile))
          && html`<button type="button" class="v-text-btn" onClick=${() => download(panel.file)}
          aria-label=${`${words("download")}: ${panel.label()}`} title=${words("download")}>
            ${icon("download")}</button>`}
        ${canGrow && html`<button type="button" class="v-icon-btn" aria-label=${words(isFull ? "app_inline"
          : "app_fullscreen")}
          title=${words(isFull ? "app_inline" : "app_fullscreen")} onClick=${resize}>${icon(isFull ? "shrink"
            : "expand")}</button>`}
      </div></div>`}
    ${note && html`<div class="v-app-note" role="alert">${note}</div>`}
    <div class="v-app-panel" id="v-app-panel" role=${isTabbed ? "tabpanel" : undefined} aria-label=${isTabbed
      ? panel?.label() : undefined}
      tabindex=${panel && panel.kind !== "file" && panel.kind !== "table" ? 0 : undefined}>
      ${panel ? html`<${Panel} key=${chosen} panel=${panel} />` : html`<${Waiting} state=${state} host=${host} />`}
    </div>
  </div>`;
}

function Panel({ panel }) {
  switch (panel.kind) {
    case "file":
      return html`<${View} source=${panel.source} />`;
    case "table": {
      const rows = panel.table.rows?.length ?? 0;
      return html`${panel.table.total > rows && html`<div class="v-app-note">
          ${words("app_rows_of", { n: formatNumber(rows), total: formatNumber(panel.table.total) })}</div>`}
        <${View} source=${panel.source} />`;
    }
    case "chart":
      return html`<div class="v-app-body"><${Chart} chart=${panel.chart} height=${320} /></div>`;
    case "plan":
      return html`<div class="v-app-body"><${Plan} plan=${panel.plan} /></div>`;
    default:
      return html`<div class="v-app-body"><${Question} question=${panel.question} /></div>`;
  }
}

function Question({ question }) {
  if (question.kind === "plan") {
    return html`<h2>${words("question_plan")}</h2><p class="v-app-where">${words("question_where")}</p>
      ${question.plan && html`<${Plan} plan=${question.plan} />`}`;
  }
  return html`<h2><bdi>${words("question_approval", { tool: safeText(question.title || question.tool) })}</bdi></h2>
    <p class="v-app-where">${words("question_where")}</p>
    <${Arguments} value=${question.arguments} />`;
}

/** Shows arguments of a call in full. @param {{value: any}} props */
function Arguments({ value }) {
  const entries = value && typeof value === "object" ? Object.entries(value) : [];
  return html`<dl>${entries.map(([name, one]) => html`<dt key=${`t${name}`}>${safeText(name)}</dt>
    <dd key=${`d${name}`} dir="auto">${one !== null && typeof one === "object" ? html`<pre
      tabindex="0">${safeText(JSON.stringify(one, null, 2))}</pre>`
      : safeText(String(one))}</dd>`)}</dl>`;
}

function Plan({ plan }) {
  const steps = plan.steps ?? [];
  const number = new Map(steps.map((step, at) => [step.id, at + 1]));
  return html`<h2 dir="auto">${safeText(plan.title || words("plan_untitled"))}</h2>
    <ol class="v-app-steps">${steps.map((step, at) => {
      const needs = (step.needs ?? []).map((id) => number.get(id)).filter(Boolean);
      const known = ["waiting", "running", "reflecting", "done", "failed", "skipped"].includes(step.state);
      return html`<li key=${at}><strong dir="auto">${safeText(step.title || step.id)}</strong>
        ${known && html`<span class="v-tag">${words(`state_${step.state}`)}</span>`}
        ${needs.length > 0 && html`<span class="v-tag">${words("plan_needs", { steps: needs.join(", ") })}</span>`}
        ${(step.description || step.detail) && html`<p dir="auto">${safeText(step.description
          || step.detail)}</p>`}</li>`;
    })}</ol>`;
}

/** Shows the state before there is a result, and results without data for the app. */
function Waiting({ state, host }) {
  if (!state.isReady) return state.isAlone ? html`<div class="v-message"><p>${words("app_no_host")}</p>
    </div>` : html`<${Loading} />`;
  if (state.cancelled) return html`<div class="v-message"><p class="v-message-title">${words("app_cancelled")}</p>
    ${state.cancelled.reason && html`<p>${safeText(state.cancelled.reason)}</p>`}</div>`;
  if (state.result) {
    const text = contentText(state.result.content);
    const links = (state.result.content ?? []).filter((block) => block?.type === "resource_link" && isLink(block.uri));
    return html`<div class="v-app-body">
      ${state.result.isError && html`<h2>${words("app_error")}</h2>`}
      ${text ? html`<${Markdown} text=${text} headingOffset=${2} />` : links.length === 0
        && html`<p>${words("app_nothing")}</p>`}
      ${links.length > 0 && html`<ul>${links.map((link, at) => html`<li key=${at}><a href=${link.uri}
        rel="noreferrer">${safeText(link.title || link.name || link.uri)}</a></li>`)}</ul>`}
    </div>`;
  }
  const tool = host.context.toolInfo?.tool;
  const title = safeText(tool?.title || tool?.annotations?.title || tool?.name || "");
  // The host asks its user before such a call; here the user reads in full what would happen.
  if (tool?.annotations?.destructiveHint && state.hasInput) {
    const question = { kind: "approval", tool: tool.name, title, arguments: state.input };
    return html`<div class="v-app-body"><${Question} question=${question} /></div>`;
  }
  return html`<div>
    <${Loading} label=${title ? words("app_running", { tool: title }) : words("app_waiting")} />
    ${state.input && Object.keys(state.input).length > 0 && html`<details class="v-app-body">
      <summary>${words("app_arguments")}</summary>
      <${Arguments} value=${state.input} /></details>`}</div>`;
}

/** Applies the theme, the variables and the language of the host. @param {any} context */
function applyContext(context) {
  const root = document.documentElement;
  if (context.theme === "light" || context.theme === "dark") root.dataset.theme = context.theme;
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    // Fonts of the host's style sheet are not loaded: the app requests nothing from anywhere.
    if (/^--(color|font|border|shadow)-[a-z0-9-]+$/.test(name)
      && typeof value === "string") root.style.setProperty(name, value);
  }
  if (typeof context.locale === "string") setLanguage(languageOf([context.locale]), { keep: false });
  root.lang = typeof context.locale === "string" && languageOf([context.locale]) === "zh" ? "zh" : "en";
}

/** Starts the app. */
function start() {
  const place = document.getElementById("app");
  const state = {
    isReady: false, isAlone: window.parent === window, input: null, hasInput: false, result: null, cancelled: null,
      panels: [], change: (_context) => {},
  };
  const draw = () => render(html`<${Root} host=${host} state=${state} />`, place);
  const change = (context) => {
    host.context = { ...host.context, ...context };
    applyContext(context);
    draw();
  };
  state.change = change;
  const host = new Host((method, params) => {
    switch (method) {
      case "ping":
        return {};
      case "ui/notifications/tool-input-partial":
      case "ui/notifications/tool-input":
        state.input = params.arguments ?? {};
        state.hasInput = method === "ui/notifications/tool-input";
        break;
      case "ui/notifications/tool-result":
        state.result = params;
        state.cancelled = null;
        state.panels = panelsOf(host, params);
        break;
      case "ui/notifications/tool-cancelled":
        state.cancelled = params;
        break;
      case "ui/notifications/host-context-changed":
        change(params);
        return {};
      case "ui/resource-teardown":
        render(null, place);
        setTimeout(() => host.close());
        return {};
      default:
        return undefined;
    }
    draw();
    return {};
  });
  draw();
  if (state.isAlone) return;
  host.request("ui/initialize", {
    protocolVersion: PROTOCOL,
    appInfo: { name: "mitt-viewer", title: "Mitt", version: "1.0.0" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  }).then((answer) => {
    host.capabilities = answer.hostCapabilities ?? {};
    host.context = answer.hostContext ?? {};
    state.isReady = true;
    applyContext(host.context);
    host.notify("ui/notifications/initialized");
    draw();
  }, (error) => {
    state.isReady = true;
    state.result = { isError: true, content: [{ type: "text", text: errorText(error) }] };
    draw();
  });
}

/** Draws anew whenever the state changed, which is one object for all of the app's life. */
function Root({ host, state }) {
  const [, repaint] = useReducer((count) => count + 1, 0);
  useEffect(() => {
    const listener = () => repaint(undefined);
    window.addEventListener("resize", listener);
    return () => window.removeEventListener("resize", listener);
  }, []);
  return html`<${App} host=${host} state=${state} />`;
}

start();
