// Skills and tools: what each does, what it may do, and a form to try it.
import { html, useState, useEffect, useMemo, useRef } from "./viewer/ui.js";
import { t, plural, formatBytes, formatDuration, formatNumber } from "./viewer/i18n_core.js";
import { Markdown } from "./viewer/markdown.js";
import { safeText, copyText } from "./viewer/parts.js";
import { Problem, get, post, del, upload } from "./api.js";
import { loginIsNeeded, onRecovered, serverAnswered, serverDidNotAnswer } from "./connection.js";
import { announce, confirm, toast } from "./dialog.js";
import { Icon, fileIcon } from "./icons.js";
import { createStore, routeAddress, session, useStore } from "./store.js";
import { ExactNumber, parseExact, stringifyExact } from "./exact_json.js";
import { SchemaForm, draftOf, draftText, isUnfinished, newDraft } from "./schema_form.js";
import { examples } from "./tool_examples.js";

/**
 * @typedef {{name: string, skill: string, title: string, summary: string, description: string, input_schema: any,
 *   output_schema: any, reads_only: boolean,
 *   is_destructive: boolean, is_idempotent: boolean, grants?: string[], limits?: {seconds?: number | null,
 * memory_bytes?: number | null}}} Tool
 * @typedef {{state: "loading"|"ready"|"failed", tools: Tool[], problem: Problem | null}} Catalogue
 * A document of the calls of this page.
 * @typedef {{id: string | null, name: string, size: number, sandboxFile: string | null}} Attached
 */

/** @type {import("./store.js").Store<Catalogue>} */
const catalogue = createStore({ state: "loading", tools: [], problem: null });

/** Documents that calls see. They stay while the page is open. @type {import("./store.js").Store<Attached[]>} */
const attached = createStore([]);

/** What was written into the form of each tool, and what came of it. @type {Map<string, {draft: any, outcome: any}>} */
const memory = new Map();

/** Sandbox whose files are the documents of calls; `null` as long as there are none. @type {string | null} */
let sandbox = null;

/** Time in milliseconds for which the list of tools is not read again. */
const FRESH_MS = 30_000;
/** Rows of a result that are shown at first, and with each click. */
const FIRST_ROWS = 100;
/** Characters of a text of a result that are shown at first. */
const FIRST_CHARACTERS = 20_000;

let loadedAt = 0;

/** Reads the tools, unless that was done a moment ago. */
async function load(isForced = true) {
  if (!isForced && catalogue.get().state === "ready" && Date.now() - loadedAt < FRESH_MS) return;
  try {
    const { tools } = await get("/v1/tools");
    loadedAt = Date.now();
    catalogue.set({ state: "ready", tools, problem: null });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { tools } = catalogue.get();
    catalogue.set({ state: tools.length ? "ready" : "failed", tools, problem: error });
  }
}

/**
 * Shows all skills with their tools, or one tool.
 * @param {{name?: string}} props name of a tool or of a skill
 */
export function Tools({ name }) {
  const { state, tools, problem } = useStore(catalogue);
  useEffect(() => {
    load(false);
    return onRecovered(load);
  }, []);
  if (state === "loading") return html`<div class="tools page-area"><${Head} /><${Waiting} /></div>`;
  if (state === "failed")
    return html`<div class="tools page-area"><${Head} /><${Failed} problem=${problem} onRetry=${() => load()}
      title=${t("tools.failed")} /></div>`;
  const tool = name && tools.find((it) => it.name === name);
  if (tool) return html`<${ToolPage} key=${tool.name} tool=${tool} all=${tools} />`;
  const skill = name && tools.some((it) => it.skill === name) ? name : "";
  return html`<${Overview} tools=${tools} skill=${skill} missing=${name && !skill ? name : ""} />`;
}

function Head() {
  return html`<header class="page-head"><h1 tabindex="-1">${t("tools.title")}</h1><p class="muted">${t("tools.intro")}
    </p></header>`;
}

function Waiting() {
  return html`<div class="tool-cards" role="status" aria-label=${t("tools.loading")}>
    ${[0, 1, 2, 3, 4, 5].map((it) => html`<div class="card skeleton tool-card" key=${it}></div>`)}
  </div>`;
}

/**
 * Says that something could not be loaded, and why.
 * @param {{problem: Problem | null, onRetry: () => void, title: string}} props
 */
export function Failed({ problem, onRetry, title }) {
  const isOffline = problem?.code === "offline";
  const isDenied = problem?.status === 403;
  return html`<div class="empty" role="alert">
    <${Icon} name=${isOffline ? "offline" : isDenied ? "lock" : "alert"} size=${32} />
    <h2>${isOffline ? t("tools.offline") : isDenied ? t("tools.denied") : title}</h2>
    <p>${isOffline ? t("tools.offline_why") : problem?.detail}${problem?.hint ? html` ${problem.hint}` : null}</p>
    <button type="button" class="btn" onClick=${onRetry}><${Icon} name="refresh" size=${16} /> ${t("tools.retry")}
      </button>
  </div>`;
}

/** A duration with milliseconds below a second: most calls take less. @param {number} milliseconds */
function shortTime(milliseconds) {
  return milliseconds < 950
    ? `${formatNumber(Math.max(1, Math.round(milliseconds)))} ms`
    : formatDuration(milliseconds);
}

/** Text of one line in which `code` is marked as such. @param {{text: string}} props */
export function Line({ text }) {
  return text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 ? html`<code>${part}</code>` : part));
}

/** Returns the documentation without the summary that stands above it already. @param {Tool} tool */
function documentation(tool) {
  const plain = (/** @type {string} */ text) => text.replace(/\s+/g, " ").trim();
  const [first, ...rest] = tool.description.split(/\n\s*\n/);
  return rest.length && plain(first) === plain(tool.summary) ? rest.join("\n\n") : tool.description;
}

/** Returns the tools that have all words of a search. */
function searched(tools, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((it) => {
    const all = `${it.name} ${it.skill} ${it.title} ${it.summary} ${it.description}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** @param {Tool[]} tools @returns {[string, Tool[]][]} */
function bySkill(tools) {
  const skills = new Map();
  for (const tool of tools) skills.set(tool.skill, [...(skills.get(tool.skill) || []), tool]);
  return [...skills].sort(([a], [b]) => (a < b ? -1 : 1));
}

function Overview({ tools, skill, missing }) {
  const [search, setSearch] = useState("");
  const chosen = searched(skill ? tools.filter((it) => it.skill === skill) : tools, search);
  const skills = bySkill(chosen);
  return html`<div class="tools page-area">
    ${skill ? html`<nav class="crumbs" aria-label=${t("tools.where")}><a href="#/tools"><${Icon} name="arrow-left"
      size=${16} /> ${t("tools.title")}</a></nav><header class="page-head"><h1 tabindex="-1">${skill}</h1>
      </header>` : html`<${Head} />`}
    ${missing ? html`<p class="note warn" role="alert"><${Icon} name="alert"
      size=${16} /> ${t("tools.missing", { name: missing })}</p>` : null}
    ${
      tools.length === 0
        ? html`<div class="empty"><${Icon} name="tool" size=${32} /><h2>${t("tools.none")}</h2>
          <p>${t("tools.none_hint")}</p></div>`
        : html`<label class="tool-search">
            <span class="sr-only">${t("tools.search")}</span><${Icon} name="search" />
            <input class="input" type="search" value=${search} placeholder=${t("tools.search")} autocomplete="off"
              onInput=${(event) => setSearch(event.target.value)} />
          </label>
          <p class="sr-only" role="status">${search ? plural("tools.found", chosen.length) : ""}</p>
          ${skills.length === 0 ? html`<div class="empty"><${Icon} name="search" size=${32} />
            <h2>${t("tools.no_match", { text: search })}</h2><button type="button" class="btn"
            onClick=${() => setSearch("")}>${t("tools.show_all")}</button></div>` : null}
          ${skills.map(
            ([name, list]) => html`<section class="skill" key=${name} aria-labelledby=${`skill-${name}`}>
              <div class="skill-head"><h2 id=${`skill-${name}`}>${name}</h2><span
                class="muted">${plural("tools.count", list.length)}</span><${Grants} skill=${list[0].skill}
                  grants=${list[0].grants}
                isShort=${true} /></div>
              <ul class="tool-cards">${list.map(
                (
                  tool,
                ) => html`<li key=${tool.name}><a class="card tool-card"
                  href=${routeAddress({ name: "tools", tool: tool.name })}>
                <span class="tool-title">${tool.title || tool.name}</span>
                <span class="tool-summary"><${Line} text=${tool.summary} /></span>
                <${Badges} tool=${tool} />
              </a></li>`,
              )}</ul>
            </section>`,
          )}`
    }
  </div>`;
}

/** Says what a call of a tool changes. @param {{tool: Tool}} props */
function Badges({ tool }) {
  const list = [];
  if (tool.is_destructive) list.push(["danger", "destructive"]);
  else if (tool.reads_only) list.push(["ok", "reads_only"]);
  else if (tool.grants?.includes("render")) list.push(["accent", "delivers"]);
  if (tool.is_idempotent && !tool.reads_only) list.push(["", "idempotent"]);
  return html`<span class="badges">${list.map(([kind, key]) => html`<span class=${`badge ${kind}`}
    title=${t(`tools.badge.${key}_hint`)}>${t(`tools.badge.${key}`)}</span>`)}</span>`;
}

const KNOWN_GRANTS = new Set(["catalog", "documents", "fetch", "log", "render", "tables", "tools", "workspace"]);

/** A grant may have bounds, in which case it is an object or ends in them. */
function grantName(grant) {
  return typeof grant === "string" ? grant : Object.keys(grant || {})[0] || "";
}

/** Says in words what a skill may do. @param {{skill: string, grants?: any[], isShort?: boolean}} props */
function Grants({ skill, grants, isShort = false }) {
  if (!grants) return null;
  // Only tools of other MCP servers have such names.
  if (skill.startsWith("mcp_")) {
    return isShort ? html`<span class="muted skill-grants">${t("tools.grants_other_short")}</span>`
      : html`<p class="muted">${t("tools.grants_other")}</p>`;
  }
  const names = grants.map(grantName).filter((it) => !isShort || it !== "log");
  if (names.length === 0) return isShort ? null : html`<p class="muted">${t("tools.grants_none")}</p>`;
  const words = (name) => (KNOWN_GRANTS.has(name) ? t(`tools.grant.${name}`) : t("tools.grant.other", { name }));
  if (isShort) return html`<span class="muted skill-grants">${names.map(words).join(t("tools.comma"))}</span>`;
  return html`<ul class="plain-list">${names.map((name) => html`<li><${Icon}
    name=${name === "fetch" ? "external" : "check"} size=${16} /> <span>${words(name)} <code>${name}</code></span>
    </li>`)}</ul>`;
}

function Limits({ limits }) {
  if (!limits) return null;
  const list = [];
  if (limits.seconds) list.push(["clock", t("tools.limit_time", { time: formatDuration(limits.seconds * 1000) })]);
  if (limits.memory_bytes) list.push(["server", t("tools.limit_memory", { size: formatBytes(limits.memory_bytes) })]);
  return html`<ul class="plain-list">${list.map(([icon, text]) => html`<li><${Icon} name=${icon}
    size=${16} /> <span>${text}</span></li>`)}</ul>`;
}

/** Shows one tool: the form to try it beside its documentation. @param {{tool: Tool, all: Tool[]}} props */
function ToolPage({ tool, all }) {
  const others = all.filter((it) => it.skill === tool.skill && it.name !== tool.name);
  return html`<div class="tools page-area">
    <nav class="crumbs" aria-label=${t("tools.where")}>
      <a href="#/tools"><${Icon} name="arrow-left" size=${16} /> ${t("tools.title")}</a><span
        aria-hidden="true">/</span>
      <a href=${routeAddress({ name: "tools", tool: tool.skill })}>${tool.skill}</a>
    </nav>
    <header class="page-head">
      <h1 tabindex="-1">${tool.title || tool.name}</h1>
      <p><${Line} text=${tool.summary} /></p>
      <div class="tool-marks"><code>${tool.name}</code><${Badges} tool=${tool} /></div>
    </header>
    <div class="tool-columns">
      <${Try} tool=${tool} />
      <aside class="tool-about" aria-label=${t("tools.about")}>
        <section><h2>${t("tools.documentation")}</h2>${tool.description ? html`<${Markdown} text=${documentation(tool)}
          headingOffset=${2} words=${{ image: t("tools.image") }} />` : html`<p
          class="muted">${t("tools.no_documentation")}</p>`}</section>
        ${tool.grants ? html`<section><h2>${t("tools.grants", { skill: tool.skill })}</h2><${Grants} skill=${tool.skill}
          grants=${tool.grants} /></section>` : null}
        ${tool.limits && (tool.limits.seconds || tool.limits.memory_bytes) ? html`<section><h2>${t("tools.limits")}</h2>
          <${Limits} limits=${tool.limits} /></section>` : null}
        <section>
          <h2>${t("tools.schemas")}</h2>
          <details class="more-fields"><summary>${t("tools.schema_in")}</summary><pre class="code-block"
            tabindex="0">${JSON.stringify(tool.input_schema, null, 2)}</pre></details>
          <details class="more-fields"><summary>${t("tools.schema_out")}</summary><pre class="code-block"
            tabindex="0">${JSON.stringify(tool.output_schema, null, 2)}</pre></details>
        </section>
        ${others.length ? html`<section><h2>${t("tools.others", { skill: tool.skill })}</h2><ul
          class="plain-list">${others.map((it) => html`<li><a
          href=${routeAddress({ name: "tools", tool: it.name })}>${it.title || it.name}</a></li>`)}</ul>
          </section>` : null}
      </aside>
    </div>
  </div>`;
}

/**
 * Calls a tool. Neither its arguments nor its result are read by `JSON.parse`, so that numbers keep their digits.
 * @param {string} name
 * @param {string} body
 * @param {{isApproved: boolean, session: string | null, signal: AbortSignal}} options
 */
async function callTool(name, body, { isApproved, session: sandboxId, signal }) {
  /** @type {Record<string, string>} */
  const headers = { "Accept": "application/json", "Content-Type": "application/json" };
  if (isApproved) headers["X-Mitt-Approve"] = "true";
  if (sandboxId) headers["X-Mitt-Session"] = sandboxId;
  let response;
  let text;
  try {
    response = await fetch(`/v1/tools/${encodeURIComponent(name)}`, {
      method: "POST",
      headers,
      body,
      signal,
      cache: "no-store",
      credentials: "same-origin",
    });
    text = await response.text();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    serverDidNotAnswer();
    throw new Problem({ status: 0, code: "offline", detail: t("tools.offline_hint") });
  }
  if (!response.ok) {
    let found = /** @type {any} */ ({ detail: text.slice(0, 500) });
    try {
      found = JSON.parse(text) || found;
    } catch {
      // A proxy answers in its own form.
    }
    const isGone = response.status === 502 || (response.status === 504 && !found.code);
    if (response.status === 401) loginIsNeeded();
    else if (isGone) serverDidNotAnswer();
    throw new Problem({
      status: response.status,
      code: isGone ? "offline" : found.code || `status_${response.status}`,
      detail: isGone ? t("tools.offline_hint") : found.detail || found.title || `status ${response.status}`,
      hint: found.hint,
      errors: Array.isArray(found.errors) ? found.errors : [],
      retryAfter: found.retry_after,
    });
  }
  serverAnswered();
  return { value: parseExact(text), text };
}

/** Puts the attached documents into the sandbox of this page, and returns it; `null` if there are none. */
async function prepared() {
  if (attached.get().length === 0) return null;
  if (!sandbox) {
    const made = await post("/v1/containers", { name: "page" });
    sandbox = made.id;
    // What tools delivered into the last sandbox is gone with it.
    attached.set((list) => list.filter((it) => it.id).map((it) => ({ ...it, sandboxFile: null })));
  }
  for (const document of attached.get()) {
    if (document.sandboxFile || !document.id) continue;
    const put = await post(`/v1/containers/${sandbox}/files`, { file_id: document.id });
    attached.set((list) => list.map((it) => (it.id === document.id ? { ...it, sandboxFile: put.id } : it)));
  }
  return sandbox;
}

/** Returns `true` if a problem says that the sandbox of this page has expired. */
function isSandboxGone(problem) {
  return problem instanceof Problem && problem.status === 404 && sandbox !== null && problem.detail.includes(sandbox);
}

/** Uploads a document for the calls, and returns its name. @param {File} file @returns {Promise<string | null>} */
async function attach(file) {
  try {
    const stored = await upload(file);
    attached.set((list) => [
      ...list.filter((it) => it.name !== stored.name),
      { id: stored.id, name: stored.name, size: stored.size, sandboxFile: null },
    ]);
    announce(t("tools.attached", { name: stored.name }));
    return stored.name;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    toast(
      t("tools.refused", {
        name: file.name,
        detail: error.code === "offline" ? t("tools.offline_hint") : error.detail,
      }),
      "danger",
    );
    return null;
  }
}

function detach(document) {
  attached.set((list) => list.filter((it) => it !== document));
  if (document.sandboxFile && sandbox)
    del(`/v1/containers/${sandbox}/files/${document.sandboxFile}`, { quiet: true }).catch(() => {});
  if (document.id) del(`/v1/files/${document.id}`, { quiet: true }).catch(() => {});
}

/** Documents that the tool sees. They are named by their names in arguments. */
function Attachments({ id }) {
  const list = useStore(attached);
  const [count, setCount] = useState(0);
  const [isOver, setOver] = useState(false);
  const add = async (/** @type {Iterable<File>} */ files) => {
    for (const file of files) {
      setCount((it) => it + 1);
      await attach(file);
      setCount((it) => it - 1);
    }
  };
  const picked = (/** @type {any} */ event) => {
    add([...event.target.files]);
    event.target.value = "";
  };
  const dropped = (/** @type {any} */ event) => {
    event.preventDefault();
    setOver(false);
    add([...event.dataTransfer.files]);
  };
  return html`<div class=${isOver ? "attachments over" : "attachments"} role="group"
    aria-labelledby=${`${id}-documents`} onDragOver=${(event) => (event.preventDefault(), setOver(true))}
    onDragLeave=${() => setOver(false)} onDrop=${dropped}>
    <div class="attachments-head">
      <span id=${`${id}-documents`} class="label">${t("tools.documents")}</span>
      <label class="btn small upload-btn"><${Icon} name="paperclip" size=${14} /> ${t("tools.attach")}<input
        type="file" multiple class="sr-only" onChange=${picked} /></label>
    </div>
    ${
      list.length || count
        ? html`<ul class="chips">
          ${list.map(
            (
              it,
            ) => html`<li class="chip" key=${it.name}><${Icon} name=${fileIcon(it.name)} size=${16} /> <span
              class="chip-name">${safeText(it.name)}</span> ${it.size ? html`<span class="muted">${formatBytes(it.size)}
              </span>` : null}
            <button type="button" class="icon-btn tiny" aria-label=${t("tools.detach", { name: it.name })}
              title=${t("tools.detach_short")} onClick=${() => detach(it)}><${Icon} name="close" size=${14} /></button>
              </li>`,
          )}
          ${count ? html`<li class="chip"><span class="spinner" aria-hidden="true"></span> ${t("tools.uploading")}
            </li>` : null}
        </ul>`
        : html`<p class="field-help">${t("tools.documents_hint")}</p>`
    }
  </div>`;
}

/** The form of a tool, and the result of its last call. @param {{tool: Tool}} props */
function Try({ tool }) {
  const schema = tool.input_schema;
  const known = memory.get(tool.name);
  const [draft, setDraftState] = useState(() => known?.draft || newDraft(schema));
  const [outcome, setOutcomeState] = useState(() => known?.outcome || null);
  const [errors, setErrors] = useState(/** @type {{pointer: string, detail: string}[]} */ ([]));
  const [showMissing, setShowMissing] = useState(false);
  const [running, setRunning] = useState(/** @type {{since: number, stop: AbortController} | null} */ (null));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const result = useRef(/** @type {HTMLElement | null} */ (null));
  const mustFocus = useRef(false);
  const documents = useStore(attached);
  const { login } = useStore(session) || { login: "none" };
  const id = `tool-${tool.name}`;
  const remember = (/** @type {any} */ more) =>
    memory.set(tool.name, { draft, outcome, ...memory.get(tool.name), ...more });
  const setDraft = (/** @type {any} */ next) => (remember({ draft: next }), setDraftState(next));
  const setOutcome = (/** @type {any} */ next) => (remember({ outcome: next }), setOutcomeState(next));

  useEffect(() => () => running?.stop.abort(), [running]);
  useEffect(() => {
    if (!mustFocus.current) return;
    mustFocus.current = false;
    const wrong = /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector('[aria-invalid="true"]'));
    for (let around = wrong?.closest("details"); around; around = around.parentElement?.closest("details"))
      around.open = true;
    if (wrong) wrong.focus();
    else
      /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector(".field-error"))?.scrollIntoView({
        block: "center",
      });
  });

  const send = async (
    /** @type {string} */ body,
    /** @type {boolean} */ isApproved,
    /** @type {AbortSignal} */ signal,
  ) => {
    const inSandbox = async () => callTool(tool.name, body, { isApproved, session: await prepared(), signal });
    try {
      return await inSandbox();
    } catch (error) {
      if (!isSandboxGone(error)) throw error;
      sandbox = null;
      return inSandbox();
    }
  };
  const run = async (/** @type {boolean} */ isApprovedBefore = false) => {
    if (running) return;
    setErrors([]);
    if (isUnfinished(schema, draft)) {
      setShowMissing(true);
      mustFocus.current = true;
      setOutcome(null);
      announce(t("tools.unfinished"));
      return;
    }
    let isApproved = isApprovedBefore;
    const body = draftText(draft);
    if (tool.is_destructive && !isApproved) {
      const shown = draftText(draft, 2);
      isApproved = await confirm(
        `${t("tools.approve_text", { tool: tool.title || tool.name })}\n\n${shown.slice(0, 4000)}`,
        { title: t("tools.approve_title"), action: t("tools.approve"), danger: true },
      );
      if (!isApproved) return;
    }
    const stop = new AbortController();
    const since = performance.now();
    setRunning({ since, stop });
    setOutcome(null);
    try {
      const { value, text } = await send(body, isApproved, stop.signal);
      noteDelivered(value);
      const milliseconds = performance.now() - since;
      setOutcome({ value, text, milliseconds });
      announce(t("tools.done", { time: shortTime(milliseconds) }));
      requestAnimationFrame(() => result.current?.scrollIntoView({ block: "nearest" }));
    } catch (error) {
      if (error instanceof DOMException) setOutcome({ stopped: true });
      else if (error instanceof Problem && error.code === "approval_required" && !isApproved) {
        setRunning(null);
        const lines = error.errors.map((it) => `${it.pointer} ${it.detail}`.trim()).join("\n");
        const yes = await confirm(`${t("tools.approve_text", { tool: tool.title || tool.name })}\n\n${lines}`, {
          title: t("tools.approve_title"),
          action: t("tools.approve"),
          danger: true,
        });
        if (yes) await run(true);
        return;
      } else if (error instanceof Problem) {
        setErrors(error.errors || []);
        setShowMissing(true);
        mustFocus.current = (error.errors || []).length > 0;
        setOutcome({ problem: error });
        announce(`${t("tools.call_failed")} ${error.detail}`);
      } else throw error;
    } finally {
      setRunning(null);
    }
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    run();
  };
  const keyed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  };
  const touched = (/** @type {string} */ pointer) => {
    if (errors.length)
      setErrors(
        errors.filter((it) => pointer !== "" && it.pointer !== pointer && !it.pointer.startsWith(`${pointer}/`)),
      );
  };
  const example = Object.hasOwn(examples, tool.name) ? examples[tool.name] : "";
  const fill = () => {
    setErrors([]);
    setShowMissing(false);
    setDraft(draftOf(example));
  };
  const clear = () => {
    setErrors([]);
    setShowMissing(false);
    setOutcome(null);
    setDraft(newDraft(schema));
  };
  const curl = async () => {
    const text = curlText(tool, draftText(draft), login !== "none");
    toast((await copyText(text)) ? t("tools.copied") : t("tools.copy_failed"), "ok");
  };
  return html`<section class="tool-try" aria-labelledby=${`${id}-try`}>
    <form ref=${form} class="card" novalidate onSubmit=${submit} onKeyDown=${keyed}>
      <div class="try-head">
        <h2 id=${`${id}-try`}>${t("tools.try")}</h2>
        <div class="try-tools">
          ${example ? html`<button type="button" class="btn small" onClick=${fill}><${Icon} name="spark"
            size=${14} /> ${t("tools.example")}</button>` : null}
          <button type="button" class="btn quiet small" onClick=${clear}>${t("tools.clear")}</button>
        </div>
      </div>
      <${Attachments} id=${id} />
      <${SchemaForm} id=${id} schema=${schema} draft=${draft} onChange=${setDraft} errors=${errors} onTouch=${touched}
        showMissing=${showMissing} documents=${{ list: documents, upload: attach }} />
      <div class="try-actions">
        ${
          running
            ? html`<button type="button" class="btn" onClick=${() => running.stop.abort()}><${Icon} name="stop"
              size=${14} /> ${t("tools.stop")}</button><${Elapsed} since=${running.since} />`
            : html`<button type="submit" class=${tool.is_destructive ? "btn danger" : "btn primary"}
              title=${t("tools.run_keys")}><${Icon} name="play" size=${16} /> ${t("tools.run")}</button>`
        }
        <button type="button" class="btn quiet" onClick=${curl}><${Icon} name="terminal"
          size=${16} /> ${t("tools.curl")}</button>
      </div>
      ${tool.is_destructive ? html`<p class="field-help">${t("tools.destructive_hint")}</p>` : null}
    </form>
    <section ref=${result} class="tool-result" aria-label=${t("tools.result")}>
      ${outcome ? html`<${Outcome} outcome=${outcome} onRetry=${() => run()} />` : null}
    </section>
  </section>`;
}

function Elapsed({ since }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((it) => it + 1), 200);
    return () => clearInterval(timer);
  }, []);
  return html`<span class="elapsed"><span class="spinner" aria-hidden="true">
    </span> ${t("tools.running", { time: formatDuration(performance.now() - since) })}</span>`;
}

/** Returns the command that makes the same call. */
function curlText(tool, body, hasLogin) {
  const quoted = (/** @type {string} */ text) => `'${text.replace(/'/g, "'\\''")}'`;
  const parts = [
    `curl -sS ${quoted(`${location.origin}/v1/tools/${tool.name}`)}`,
    "-H 'Content-Type: application/json'",
  ];
  if (hasLogin) parts.push('-H "Authorization: Bearer $MITT_TOKEN"');
  if (sandbox && attached.get().length) parts.push(`-H ${quoted(`X-Mitt-Session: ${sandbox}`)}`);
  if (tool.is_destructive) parts.push("-H 'X-Mitt-Approve: true'");
  parts.push(`--data-raw ${quoted(body)}`);
  return parts.join(" \\\n  ");
}

/** Returns the files that a result lists. @returns {Map<string, any>[]} */
function filesOf(value) {
  if (!(value instanceof Map)) return [];
  const isFiles = (it) =>
    Array.isArray(it) &&
    it.length > 0 &&
    it.every(
      (file) => file instanceof Map && typeof file.get("url") === "string" && typeof file.get("name") === "string",
    );
  return [value.get("mitt_files"), value.get("files")].find(isFiles) || [];
}

/** Makes what a call delivered a document of the next calls. */
function noteDelivered(value) {
  for (const file of filesOf(value)) {
    const [name, id] = [file.get("name"), file.get("file") || null];
    // Without a sandbox a delivered file is an uploaded one; a person attaches it if they want it.
    if (id || !sandbox || attached.get().some((it) => it.name === name)) continue;
    attached.set((list) => [
      ...list,
      { id: null, name, size: Number(file.get("size")) || 0, sandboxFile: "delivered" },
    ]);
  }
}

/** Shows what came of a call: a result with files and warnings, or a problem. */
function Outcome({ outcome, onRetry }) {
  const [isRaw, setRaw] = useState(false);
  const pretty = useMemo(() => (outcome.value === undefined ? "" : stringifyExact(outcome.value, 2)), [outcome]);
  if (outcome.stopped)
    return html`<div class="card note"><${Icon} name="stop" size=${16} /> ${t("tools.stopped")}</div>`;
  if (outcome.problem) return html`<${Refusal} problem=${outcome.problem} onRetry=${onRetry} />`;
  const { value, milliseconds } = outcome;
  const files = filesOf(value);
  const hasFailed = isScript(value) && value.get("status") !== "success";
  const warnings = [
    ...(value instanceof Map && Array.isArray(value.get("warnings")) ? value.get("warnings") : []),
  ].filter((it) => typeof it === "string");
  const copy = async () => toast((await copyText(pretty)) ? t("tools.copied") : t("tools.copy_failed"), "ok");
  return html`<div class="card">
    <div class="try-head">
      <h2>${t("tools.result")}</h2>
      ${hasFailed ? html`<span class="badge">${shortTime(milliseconds)}</span>` : html`<span class="badge ok"><${Icon}
        name="check" size=${12} /> ${t("tools.done", { time: shortTime(milliseconds) })}</span>`}
      <div class="try-tools">
        <div class="segments" role="group" aria-label=${t("tools.show_as")}>
          <button type="button" class="segment" aria-pressed=${String(!isRaw)}
            onClick=${() => setRaw(false)}>${t("tools.as_result")}</button>
          <button type="button" class="segment" aria-pressed=${String(isRaw)}
            onClick=${() => setRaw(true)}>JSON</button>
        </div>
        <button type="button" class="icon-btn" aria-label=${t("tools.copy_json")} title=${t("tools.copy_json")}
          onClick=${copy}><${Icon} name="copy" size=${16} /></button>
      </div>
    </div>
    ${warnings.length ? html`<div class="note warn"><${Icon} name="alert" size=${16} />
      <ul>${warnings.map((it) => html`<li>${it}</li>`)}</ul></div>` : null}
    ${files.length ? html`<ul class="delivered">${files.map((file) => html`<${Delivered} file=${file} />`)}
      </ul>` : null}
    ${isRaw ? html`<${LongText} text=${pretty} class="code-block" />` : html`<${Result} value=${value}
      files=${files} />`}
  </div>`;
}

/** A problem of a call, with what helps. */
function Refusal({ problem, onRetry }) {
  const known = ["offline", "blocked", "busy", "time_limit"].includes(problem.code)
    ? problem.code
    : problem.errors.length
      ? "arguments"
      : "other";
  const icon = { offline: "offline", blocked: "shield", busy: "clock", time_limit: "clock" }[known] || "alert";
  return html`<div class="card refusal" role="alert">
    <h2><${Icon} name=${icon} /> ${t(`tools.problem.${known}`)}</h2>
    <p class="refusal-detail">${problem.code === "offline" ? t("tools.offline_why") : html`<${Line}
      text=${problem.detail} />`}</p>
    ${problem.hint ? html`<p class="refusal-hint"><${Icon} name="info" size=${16} /> <span><${Line}
      text=${problem.hint} /></span></p>` : null}
    ${problem.errors.length > 1 ? html`<ul
      class="refusal-list">${problem.errors.map((it) => html`<li>${it.pointer ? html`<code>${it.pointer}
      </code> ` : null}<${Line} text=${it.detail} /></li>`)}</ul>` : null}
    ${problem.code === "offline" || problem.code === "busy" || problem.retryAfter ? html`<button type="button"
      class="btn" onClick=${onRetry}><${Icon} name="refresh" size=${16} /> ${t("tools.retry")}</button>` : null}
  </div>`;
}

/** A link of the server, on the page's own origin. */
function linkOf(url) {
  try {
    const { pathname, search } = new URL(url, location.href);
    return pathname.startsWith("/v1/") ? pathname + search : null;
  } catch {
    return null;
  }
}

/** A file that a tool delivered. @param {{file: Map<string, any>}} props */
function Delivered({ file }) {
  const [name, type, size, id] = [
    String(file.get("name")),
    String(file.get("media_type") || ""),
    Number(file.get("size")) || 0,
    file.get("file"),
  ];
  const link = linkOf(String(file.get("url")));
  const list = useStore(attached);
  const warnings = Array.isArray(file.get("warnings")) ? file.get("warnings").map(String) : [];
  const isPicture = /^image\/(png|jpeg|svg\+xml|gif|webp)$/.test(type);
  const use = () => {
    attached.set((all) => [...all.filter((it) => it.name !== name), { id, name, size, sandboxFile: null }]);
    announce(t("tools.attached", { name }));
  };
  return html`<li class="delivered-file">
    <div class="delivered-head">
      <${Icon} name=${fileIcon(name, type)} /> <span class="delivered-name">${safeText(name)}</span> <span
        class="muted">${formatBytes(size)}</span>
      <span class="delivered-tools">
        ${id && !list.some((it) => it.id === id) ? html`<button type="button" class="btn quiet small" onClick=${use}>
          <${Icon} name="paperclip" size=${14} /> ${t("tools.use_document")}</button>` : null}
        ${link ? html`<a class="btn small" href=${link} download=${name}><${Icon} name="download"
          size=${14} /> ${t("tools.download")}<span class="sr-only"> ${name}</span></a>` : null}
      </span>
    </div>
    ${warnings.length ? html`<ul class="delivered-warnings">${warnings.map((it) => html`<li>${it}</li>`)}</ul>` : null}
    ${isPicture && link ? html`<img class="delivered-picture" src=${link} alt=${t("tools.picture_of", { name })}
      loading="lazy" />` : null}
  </li>`;
}

/** Members that stand elsewhere in the view of a result. */
const ASIDE = new Set(["warnings", "files", "mitt_files"]);
const isScript = (value) =>
  value instanceof Map && typeof value.get("status") === "string" && value.has("stdout") && value.has("stderr");

/** Shows the value of a result, without its files and warnings. */
function Result({ value, files }) {
  if (isScript(value)) return html`<${Script} value=${value} />`;
  const rest =
    value instanceof Map
      ? new Map(
          [...value].filter(
            ([key, it]) => !(ASIDE.has(key) && (key === "warnings" ? Array.isArray(it) : it === files || files.length)),
          ),
        )
      : value;
  if (rest instanceof Map && rest.size === 0)
    return files.length ? null : html`<p class="muted">${t("tools.no_result")}</p>`;
  // A tool that writes a file returns what is known of it, which stands with its link.
  const named = files.length === 1 && rest instanceof Map && rest.get("name") === files[0].get("name");
  if (named)
    return html`<details class="more-fields"><summary>${t("tools.details")}</summary><${Tree} value=${rest}
      depth=${0} /></details>`;
  if (rest instanceof Map && rest.size === 1) return html`<${Tree} value=${[...rest.values()][0]} depth=${0} />`;
  return html`<${Tree} value=${rest} depth=${0} />`;
}

/** Shows how a script ended, what it wrote and what it returned. */
function Script({ value }) {
  const at = (/** @type {string} */ key) => value.get(key);
  const text = (/** @type {string} */ key) => (typeof at(key) === "string" ? at(key) : "");
  const shown = new Set(["status", "stdout", "stderr", "result", "error_message", "files", "mitt_files"]);
  const rest = new Map(
    [...value].filter(([key, it]) => !shown.has(key) && it !== null && !(Array.isArray(it) && it.length === 0)),
  );
  const status = text("status");
  return html`<div class="script-result">
    ${status !== "success" ? html`<div class="note danger"><${Icon} name="alert" size=${16} /> <div>
      <b>${t(`tools.script.${["error", "timeout", "sandbox_error"].includes(status) ? status : "error"}`)}</b>
      <${LongText} text=${text("error_message")} class="code-block" /></div></div>` : null}
    ${at("result") !== null && at("result") !== undefined ? html`<h3>${t("tools.script.result")}</h3><${Tree}
      value=${at("result")} depth=${0} />` : null}
    ${text("stdout") ? html`<h3>${t("tools.script.stdout")}</h3><${LongText} text=${text("stdout")}
      class="code-block" />` : null}
    ${text("stderr") ? html`<h3>${t("tools.script.stderr")}</h3><${LongText} text=${text("stderr")}
      class="code-block" />` : null}
    ${status === "success" && !text("stdout") && !text("stderr") && (at("result") === null
      || at("result") === undefined) ? html`<p class="muted">${t("tools.script.silent")}</p>` : null}
    <details class="more-fields"><summary>${t("tools.details")}</summary><${Tree} value=${rest} depth=${0} /></details>
  </div>`;
}

/** A long text, of which the beginning is shown until a person wants all. */
function LongText({ text, class: name }) {
  const [isAll, setAll] = useState(false);
  const isCut = !isAll && text.length > FIRST_CHARACTERS;
  return html`<pre class=${name} tabindex="0">${isCut ? text.slice(0, FIRST_CHARACTERS) : text}</pre>
    ${isCut ? html`<button type="button" class="btn small"
      onClick=${() => setAll(true)}>${t("tools.show_rest", { n: formatNumber(text.length - FIRST_CHARACTERS) })}
      </button>` : null}`;
}

const isFlat = (value) => value === null || typeof value !== "object" || value instanceof ExactNumber;

/** Returns columns and rows if a value is a table: Mitt's own form, or objects without depth. */
function tableOf(value) {
  if (value instanceof Map) {
    const [columns, rows] = [value.get("columns"), value.get("rows")];
    const isTable =
      Array.isArray(columns) &&
      Array.isArray(rows) &&
      columns.every((it) => typeof it === "string") &&
      rows.every((row) => Array.isArray(row) && row.every(isFlat));
    return isTable ? { columns, rows } : null;
  }
  if (
    !Array.isArray(value) ||
    value.length === 0 ||
    !value.every((row) => row instanceof Map && row.size && [...row.values()].every(isFlat))
  )
    return null;
  const columns = [...new Set(value.flatMap((row) => [...row.keys()]))];
  return columns.length > 40
    ? null
    : { columns, rows: value.map((row) => columns.map((key) => (row.has(key) ? row.get(key) : null))) };
}

/** Shows a value of any form: a table where it is one, otherwise names and values. */
function Tree({ value, depth }) {
  const table = tableOf(value);
  if (table) return html`<${ResultTable} ...${table} />`;
  if (typeof value === "string")
    return value.includes("\n") || value.length > 300
      ? html`<${LongText} text=${value} class="text-block" />`
      : html`<span class="value">${value === "" ? html`<span class="muted">${t("tools.empty_text")}</span>` : value}
        </span>`;
  if (isFlat(value)) return html`<${Flat} value=${value} />`;
  if (depth > 8) return html`<${LongText} text=${stringifyExact(value, 2)} class="code-block" />`;
  if (value instanceof Map) {
    if (value.size === 0) return html`<span class="muted">${t("tools.empty_object")}</span>`;
    const others = [...value].filter(([key]) => key !== "columns" && key !== "rows");
    const within =
      value.has("columns") && others.length < value.size
        ? tableOf(
            new Map([
              ["columns", value.get("columns")],
              ["rows", value.get("rows")],
            ]),
          )
        : null;
    const entries = within ? others : [...value];
    return html`${within ? html`<${ResultTable} ...${within} />` : null}<dl
      class="tree">${entries.map(([key, it]) => html`<div class=${isFlat(it) ? "tree-row" : "tree-row deep"}><dt>${key}
      </dt><dd><${Tree} value=${it} depth=${depth + 1} /></dd></div>`)}</dl>`;
  }
  if (value.length === 0) return html`<span class="muted">${t("tools.empty_list")}</span>`;
  return html`<${List} items=${value} depth=${depth} />`;
}

function List({ items, depth }) {
  const [count, setCount] = useState(FIRST_ROWS);
  return html`<ol class="tree-list">${items.slice(0, count).map((it) => html`<li><${Tree} value=${it}
    depth=${depth + 1} /></li>`)}</ol>
    ${items.length > count ? html`<button type="button" class="btn small"
      onClick=${() => setCount(count + FIRST_ROWS)}>${t("tools.show_more", { n: formatNumber(items.length - count) })}
      </button>` : null}`;
}

function Flat({ value }) {
  if (value === null) return html`<span class="muted">${t("tools.null")}</span>`;
  if (value instanceof ExactNumber) return html`<span class="value number">${value.text}</span>`;
  if (typeof value === "boolean") return html`<span class="value bool">${value ? "true" : "false"}</span>`;
  return html`<span class="value">${String(value)}</span>`;
}

/** @param {{columns: string[], rows: any[][]}} props */
function ResultTable({ columns, rows }) {
  const [count, setCount] = useState(FIRST_ROWS);
  const copy = async () => {
    const cell = (it) =>
      it === null || it === undefined
        ? ""
        : /[\t\n"]/.test(String(it))
          ? `"${String(it).replace(/"/g, '""')}"`
          : String(it);
    const text = [columns, ...rows].map((row) => row.map(cell).join("\t")).join("\n");
    toast((await copyText(text)) ? t("tools.copied") : t("tools.copy_failed"), "ok");
  };
  const isNumber = columns.map((_, at) => rows.some((row) => row[at] instanceof ExactNumber));
  return html`<div class="result-table">
    <div class="result-table-head"><span
      class="muted">${plural("tools.rows", rows.length)}${t("tools.comma")}${plural("tools.columns", columns.length)}
      </span>
      <button type="button" class="btn quiet small" onClick=${copy}><${Icon} name="copy"
        size=${14} /> ${t("tools.copy_table")}</button></div>
    <div class="table-scroll" tabindex="0" role="group" aria-label=${t("tools.table")}>
      <table><thead><tr>${columns.map((it, at) => html`<th scope="col" class=${isNumber[at] ? "number" : ""}>${it}
        </th>`)}</tr></thead>
        <tbody>${rows.slice(0, count).map((row) => html`<tr>${row.map((it) => html`<td
          class=${it instanceof ExactNumber ? "number" : ""}>${it === null ? html`<span class="muted"
          aria-label=${t("tools.null")}>–</span>` : String(it)}</td>`)}</tr>`)}</tbody></table>
    </div>
    ${rows.length > count ? html`<button type="button" class="btn small"
      onClick=${() => setCount(count + 5 * FIRST_ROWS)}>
        ${t("tools.show_more", { n: formatNumber(rows.length - count) })}</button>` : null}
  </div>`;
}
