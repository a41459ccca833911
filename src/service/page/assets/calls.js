// Shows what a model did: its calls as a tree, scripts with their output, reasoning, and the work of agents.
import { html, useEffect, useRef, useState } from "./viewer/ui.js";
import { t, plural, language, formatBytes, formatDuration, formatNumber } from "./viewer/i18n_core.js";
import { visibleText } from "./viewer/markdown.js";
import { get } from "./api.js";
import { exactOf, ExactNumber, parseFaithful, stringifyExact } from "./exact_json.js";
import { createStore, useStore } from "./store.js";
import { Icon } from "./icons.js";
import { prose } from "./notices.js";
import { toolTitles } from "./words/conversation.js";

/** Most characters of a text that are shown before a person asks for all. */
const SHOWN_CHARACTERS = 20_000;
/** Most rows of a table in a result that are shown. */
const SHOWN_ROWS = 50;
/** Most characters of a call's line about its arguments. */
const HINT_CHARACTERS = 80;

/** Titles of tools by their names, from the server. */
const titles = createStore(/** @type {Map<string, string> | null} */ (null));
let isLoading = false;

/** Reads the titles of the tools, once. */
export function loadTitles() {
  if (isLoading || titles.get()) return;
  isLoading = true;
  get("/v1/tools", { quiet: true }).then(
    (value) => titles.set(new Map((value.tools ?? value.data ?? []).map((it) => [it.name, it.title ?? ""]))),
    () => {
      isLoading = false;
    },
  );
}

/**
 * Returns the title of a tool for people; its name if it has none.
 * @param {string} name
 * @returns {string}
 */
export function toolTitle(name) {
  if (language() === "zh" && Object.hasOwn(toolTitles, name)) return toolTitles[name];
  return titles.get()?.get(name) || name.replace(/__/g, ": ").replace(/_/g, " ");
}

/** The call that a person asked to see, by its identifier in the turn or in the session. */
const revealed = createStore(/** @type {{id: string, turn: number}} */ ({ id: "", turn: 0 }));

/**
 * Unfolds a call, scrolls to it and gives it the focus.
 * @param {string} id
 */
export function revealCall(id) {
  revealed.set((last) => ({ id, turn: last.turn + 1 }));
}

const isCall = (call, id) => id !== "" && (call.modelCall === id || call.call === id);

/** Returns `true` if a call or one below it is the wanted one. */
function holds(call, id) {
  return id !== "" && (isCall(call, id) || (call.children ?? []).some((it) => holds(it, id)));
}

/** Returns `true` if an item, or one of an agent's items, is the wanted call. */
function itemHolds(item, id) {
  if (item.type === "call") return holds(item, id);
  return item.type === "agent" && (item.items ?? []).some((it) => itemHolds(it, id));
}

/** @param {any} value */
function parseJson(value) {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (!/^[[{"]/.test(text)) return undefined;
  try {
    return parseFaithful(text);
  } catch {
    return undefined;
  }
}

/** Returns the arguments of a call as an object; `null` if they are none. */
function argumentsOf(call) {
  const value = parseJson(call.arguments ?? "{}");
  return value && typeof value === "object" && !Array.isArray(value) ? value : null;
}

/** Returns the beginning of what distinguishes this call from others of its tool. */
function hintOf(call, values) {
  if (call.failure) return call.failure.message.split("\n", 1)[0];
  if (call.isStopped) return t("conversation.agent_cancelled");
  if (!values) return "";
  const preferred = ["name", "filename", "document", "query", "text", "column", "title", "sql", "address", "url"];
  const key = preferred.find((it) => typeof values[it] === "string" && values[it].trim()) ??
    Object.keys(values).find((it) => it !== "code" && typeof values[it] === "string");
  if (key) return values[key].replace(/\s+/g, " ").trim();
  const code = codeKey(call.tool, values);
  if (!code) return "";
  const lines = plural("conversation.lines", values[code].trimEnd().split("\n").length);
  return call.children?.length ? `${lines} · ${plural("conversation.calls", call.children.length)}` : lines;
}

/**
 * Returns the time in milliseconds that a call took, as a person saw it; `null` while it works. It includes the
 * compilation of a tool.
 */
function spentMs(call) {
  if (call.startedMs && call.endedMs) return call.endedMs - call.startedMs;
  return call.durationMs ?? null;
}

/** Returns the time in milliseconds from the beginning of the first item to the end of the last. */
function spanMs(items) {
  const starts = items.map((it) => it.startedMs).filter(Boolean);
  const ends = items.map((it) => it.endedMs).filter(Boolean);
  return starts.length && ends.length ? Math.max(0, Math.max(...ends) - Math.min(...starts)) : 0;
}

/** Returns a duration for a line; nothing for one that nobody notices. */
const timeText = (ms) => (ms === null || ms < 50 ? "" : formatDuration(ms));

/** Returns the titles of the tools that were used, each once. */
function summaryOf(items) {
  return [...new Set(callsOf(items).map((it) => toolTitle(it.tool)))].join(", ");
}

const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

/**
 * Shows a long text in a box that scrolls. A very long one is cut until a person asks for all.
 * @param {{text: string, label: string, numbered?: boolean, class?: string}} props
 */
export function TextBox({ text, label, numbered = false, class: extra = "" }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole || text.length <= SHOWN_CHARACTERS ? text : text.slice(0, SHOWN_CHARACTERS);
  const body = shown.replace(/\n$/, "");
  return html`<div class=${`c-box ${extra}`}>
    <pre dir="ltr" tabindex="0" role="group" aria-label=${label}>${numbered
      ? html`<span class="c-line-numbers" aria-hidden="true">${Array.from(body.split("\n"), (_, index) =>
        index + 1).join("\n")}</span>`
      : null}<code>${visibleText(body)}</code></pre>
    <div class="c-box-tools">
      <${CopyButton} text=${text} />
    </div>
    ${shown.length < text.length ? html`<button type="button" class="btn quiet c-all" onClick=${() => setWhole(true)}>
      ${t("conversation.show_all", { size: formatBytes(text.length) })}</button>` : null}
  </div>`;
}

/**
 * Shows a button that copies a text.
 * @param {{text: string, label?: string, class?: string, children?: any}} props
 */
export function CopyButton({ text, label, class: extra = "icon-btn c-small", children }) {
  const [state, setState] = useState("");
  const copy = () => {
    const written = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject(new Error("none"));
    written.then(() => setState("copied"), () => setState("copy_failed"));
    setTimeout(() => setState(""), 1800);
  };
  const name = state ? t(`conversation.${state}`) : label ?? t("conversation.copy");
  return html`<button type="button" class=${extra} title=${name} aria-label=${name} onClick=${copy}>
    <${Icon} name=${state === "copied" ? "check" : "copy"} size=${16} />${children}
  </button>`;
}

/** Returns the table in a value: `{columns, rows}`. */
function tableOf(value) {
  const table = value && typeof value === "object" ? (Array.isArray(value.columns) && Array.isArray(value.rows) ? value
    : value.data) : null;
  const isTable = table && Array.isArray(table.columns) && Array.isArray(table.rows) && table.columns.length > 0
    && table.columns.length <= 40 &&
    table.rows.every((it) => Array.isArray(it));
  return isTable && Object.keys(value).length <= 4 ? table : null;
}

const cellText = (value) =>
  value === null || value === undefined ? "" : typeof value === "object" ? stringifyExact(exactOf(value))
    : String(value);

function TableBox({ table, label }) {
  const rows = table.rows.slice(0, SHOWN_ROWS);
  const columns = table.columns.map((it) => (it && typeof it === "object" ? cellText(it.name) : cellText(it)));
  return html`<div class="c-box c-table" tabindex="0" role="group" aria-label=${label}>
    <table>
      <thead><tr>${columns.map((it) => html`<th scope="col">${visibleText(it)}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row.slice(0, columns.length).map((it) => html`<td
        class=${typeof it === "number" || it instanceof ExactNumber ? "c-number"
          : null}>${visibleText(cut(cellText(it), 300))}</td>`)}</tr>`)}</tbody>
    </table>
    ${table.rows.length > rows.length ? html`<p
      class="c-muted">${t("conversation.rows_more", { n: formatNumber(table.rows.length - rows.length) })}</p>` : null}
  </div>`;
}

/**
 * Shows a value: a table as a table, text as text, everything else as JSON.
 * @param {{value: any, label: string}} props
 */
export function Value({ value, label }) {
  const parsed = parseJson(value);
  if (parsed === undefined) return html`<${TextBox} text=${String(value)} label=${label} />`;
  const table = tableOf(parsed);
  if (table) return html`<${TableBox} table=${table} label=${label} />`;
  if (typeof parsed === "string") return html`<${TextBox} text=${parsed} label=${label} />`;
  return html`<${TextBox} text=${stringifyExact(exactOf(parsed), 2)} label=${label} />`;
}

/** Returns the name of an argument that holds source text. */
function codeKey(tool, values) {
  if (!values) return null;
  return ["code", "script", "sql"].find((it) => typeof values[it] === "string" && (it === "code" || it === "script"
    || tool.startsWith("sql"))) ?? null;
}

/** Shows what a call was given, wrote and returned. */
function CallDetails({ call }) {
  const values = argumentsOf(call);
  const code = codeKey(call.tool, values);
  const rest = values ? Object.fromEntries(Object.entries(values).filter(([key]) => key !== code)) : null;
  const output = joined(call.output ?? []);
  const result = call.result === undefined || call.result === null ? null : call.result;
  const script = code ? scriptResult(result) : null;
  return html`<div class="c-details">
    ${code ? html`<section>
      <p class="c-label">${t("conversation.code")}</p>
      <${TextBox} text=${values[code]} label=${t("conversation.code_label", { n: values[code].split("\n").length })}
        numbered class="c-code" />
    </section>` : null}
    ${rest && Object.keys(rest).length ? html`<section>
      <p class="c-label">${t("conversation.arguments")}</p>
      <${Value} value=${rest} label=${t("conversation.arguments")} />
    </section>` : null}
    ${!values && call.arguments ? html`<section>
      <p class="c-label">${t("conversation.arguments")}</p>
      <${TextBox} text=${String(call.arguments)} label=${t("conversation.arguments")} />
    </section>` : null}
    ${(call.children ?? []).length ? html`<section>
      <p class="c-label">${plural("conversation.nested", call.children.length)}</p>
      <${CallTree} calls=${call.children} />
    </section>` : null}
    ${output.map((it) => html`<section>
      <p class="c-label">${t(it.stream === "stderr" ? "conversation.error_output" : "conversation.output")}</p>
      <${TextBox} text=${it.text} label=${t("conversation.output")} class=${it.stream === "stderr" ? "c-stderr" : ""} />
    </section>`)}
    ${call.failure ? html`<section>
      <p class="c-label">${t("conversation.failed")}</p>
      <div class="c-failure">
        <p class="c-wrap">${prose(call.failure.message)}</p>
        ${call.failure.hint ? html`<p class="c-wrap c-way">${prose(call.failure.hint)}</p>` : null}
      </div>
    </section>` : null}
    ${script ? (script.error ? html`<section>
      <p class="c-label">${t("conversation.failed")}</p>
      <${TextBox} text=${script.error} label=${t("conversation.failed")} class="c-stderr" />
    </section>` : script.value !== undefined && script.value !== null ? html`<section>
      <p class="c-label">${t("conversation.value")}</p>
      <${Value} value=${script.value} label=${t("conversation.value")} />
    </section>` : null) : null}
    ${result !== null && !(call.failure && String(result).includes(call.failure.message)) ? (script && !call.isError
      ? html`<${Folded} label=${t("conversation.result")}><${TextBox} text=${String(result)}
        label=${t("conversation.result")} /><//>`
      : html`<section>
        <p class="c-label">${t("conversation.result")}</p>
        <${Value} value=${result} label=${t("conversation.result")} />
      </section>`) : null}
  </div>`;
}

/** Returns value and error in the result of a script; `null` if it has another form. */
function scriptResult(result) {
  if (typeof result !== "string") return null;
  const value = parseJson(result) ?? parseJson(result.split("\n", 1)[0]);
  if (!value || typeof value !== "object" || typeof value.status !== "string") return null;
  return { value: value.result, error: value.status === "success" ? ""
    : String(value.error_message ?? value.stderr ?? value.status) };
}

/** Joins pieces of output that follow each other in the same stream. */
function joined(output) {
  const streams = [];
  for (const { stream, text } of output) {
    const last = streams[streams.length - 1];
    if (last && last.stream === stream) last.pieces.push(text);
    else streams.push({ stream, pieces: [text] });
  }
  return streams.map(({ stream, pieces }) => ({ stream, text: pieces.join("") })).filter((it) => it.text.trim() !== "");
}

function Folded({ label, children }) {
  const [isOpen, setOpen] = useState(false);
  return html`<section>
    <button type="button" class="c-fold" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>
      <${Icon} name=${isOpen ? "chevron-down" : "chevron-right"} size=${14} />${label}
    </button>
    ${isOpen ? children : null}
  </section>`;
}

/** Shows the state of work as an icon with a name. */
export function StateIcon({ state, label }) {
  if (state === "running" || state === "reflecting") return html`<span class="spinner" role="img" aria-label=${label}>
    </span>`;
  const name = state === "done" ? "check" : state === "failed" ? "x-circle" : state === "skipped" ? "minus" : "clock";
  return html`<${Icon} name=${name} size=${16} label=${label} class=${`c-state ${state}`} />`;
}

/** Shows a call in one line that unfolds. */
function CallRow({ call }) {
  const [isOpen, setOpen] = useState(false);
  const row = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const wanted = useStore(revealed);
  const seen = useRef(0);
  useEffect(() => {
    if (wanted.turn === 0 || seen.current === wanted.turn || !holds(call, wanted.id)) return;
    seen.current = wanted.turn;
    setOpen(true);
    if (isCall(call, wanted.id) && row.current) {
      row.current.scrollIntoView({ block: "center" });
      row.current.focus({ preventScroll: true });
    }
  });
  const values = argumentsOf(call);
  const hint = hintOf(call, values);
  const state = call.state ?? "done";
  return html`<li class=${`c-call ${state}`}>
    <button ref=${row} type="button" class="c-row" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>
      <${StateIcon} state=${state} label=${t(`conversation.${state === "running" ? "running" : state === "failed"
        ? "failed" : "done"}`)} />
      <span class="c-row-title" title=${call.tool}>${visibleText(toolTitle(call.tool))}</span>
      ${hint ? html`<span class="c-row-hint">${visibleText(cut(hint, HINT_CHARACTERS))}</span>` : null}
      <span class="c-row-time">${timeText(spentMs(call))}</span>
      <${Icon} name="chevron-right" size=${14} class="c-chevron" />
    </button>
    ${isOpen ? html`<${CallDetails} call=${call} />` : null}
    ${!isOpen && state === "running" && (call.children ?? []).length
      ? html`<${CallTree} calls=${call.children.slice(-3)} />` : null}
  </li>`;
}

/** Shows calls below each other. */
function CallTree({ calls }) {
  return html`<ul class="c-tree">${calls.map((call) => html`<${CallRow} key=${call.key} call=${call} />`)}</ul>`;
}

/** Shows reasoning of a model in one line that unfolds. */
function Reasoning({ item }) {
  const [isOpen, setOpen] = useState(false);
  const text = (item.text ?? "").trim();
  const last = item.done ? "" : text.slice(-240).split("\n").pop() ?? "";
  return html`<li class="c-call">
    <button type="button" class="c-row" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>
      ${item.done ? html`<${Icon} name="spark" size=${16} class="c-state" />` : html`<span class="spinner" role="img"
        aria-label=${t("conversation.running")}></span>`}
      <span class="c-row-title">${t(item.done ? "conversation.reasoning" : "conversation.thinking")}</span>
      ${last && !isOpen ? html`<span class="c-row-hint">${visibleText(last)}</span>` : null}
      <span class="c-row-time"></span>
      <${Icon} name="chevron-right" size=${14} class="c-chevron" />
    </button>
    ${isOpen ? html`<div class="c-reasoning" dir="auto">${visibleText(text)}</div>` : null}
  </li>`;
}

/** Returns all calls in items of a group, without those of agents. */
const callsOf = (items) => items.filter((it) => it.type === "call");

/**
 * Shows work between two texts of a model: calls and reasoning. It is folded into one line when it is done.
 * @param {{items: any[], isLive: boolean}} props `isLive: true`: more may follow
 */
export function WorkGroup({ items, isLive }) {
  const [choice, setChoice] = useState(/** @type {boolean | null} */ (null));
  const wanted = useStore(revealed);
  useStore(titles);
  useEffect(loadTitles, []);
  const seen = useRef(0);
  const isWanted = wanted.turn !== seen.current && items.some((it) => itemHolds(it, wanted.id));
  useEffect(() => {
    if (!isWanted) return;
    seen.current = wanted.turn;
    setChoice(true);
  }, [isWanted, wanted.turn]);
  const calls = callsOf(items);
  const isRunning = items.some((it) => (it.type === "call" ? it.state === "running" : !it.done));
  const failed = calls.filter((it) => it.state === "failed").length;
  const isOpen = choice ?? (isRunning || isLive);
  const time = spanMs(items);
  // A single finished call needs no line above it.
  const isSingle = items.length === 1;
  const list = html`<ul class="c-tree">${items.map((it) =>
    it.type === "call" ? html`<${CallRow} key=${it.key} call=${it} />` : html`<${Reasoning} key=${it.key}
      item=${it} />`)}</ul>`;
  if (isSingle) return html`<div class="c-work">${list}</div>`;
  const count = calls.length || items.length;
  return html`<div class="c-work">
    <button type="button" class="c-row c-summary" aria-expanded=${String(isOpen)} onClick=${() => setChoice(!isOpen)}>
      <${StateIcon} state=${isRunning ? "running" : failed === calls.length && failed > 0 ? "failed" : "done"}
        label=${t(isRunning ? "conversation.running" : "conversation.done")} />
      <span class="c-row-title">${plural("conversation.steps", count)}</span>
      <span class="c-row-hint">${isOpen ? "" : visibleText(cut(summaryOf(items), 200))}</span>
      ${failed ? html`<span class="badge danger">${plural("conversation.steps_failed", failed)}</span>` : null}
      ${isRunning ? null : html`<span class="c-row-time">${timeText(time)}</span>`}
      <${Icon} name="chevron-right" size=${14} class="c-chevron" />
    </button>
    ${isOpen ? list : null}
  </div>`;
}

/** States of an agent that have words of their own. */
const AGENT_STATES = ["running", "done", "failed", "cancelled", "handed-over"];

/** Returns the words for how the work of an agent ended. */
function agentState(item) {
  const status = item.status ?? "running";
  return AGENT_STATES.includes(status) ? t(`conversation.agent_${status}`) : t("conversation.agent_other", { status });
}

/**
 * Shows the work of an agent as a group that unfolds.
 * @param {{item: any, children: any}} props
 */
export function AgentGroup({ item, children }) {
  const [choice, setChoice] = useState(/** @type {boolean | null} */ (null));
  const wanted = useStore(revealed);
  const isWanted = wanted.turn > 0 && (item.items ?? []).some((it) => itemHolds(it, wanted.id));
  useEffect(() => {
    if (isWanted) setChoice(true);
  }, [isWanted, wanted.turn]);
  const isRunning = !item.status || item.status === "running";
  const isOpen = choice ?? isRunning;
  const state = isRunning ? "running" : ["done", "handed-over"].includes(item.status) ? "done" : "failed";
  return html`<div class="c-agent" role="group" aria-label=${t("conversation.agent", { name: item.name })}>
    <button type="button" class="c-row c-summary" aria-expanded=${String(isOpen)} onClick=${() => setChoice(!isOpen)}>
      <${StateIcon} state=${state} label=${agentState(item)} />
      <span class="c-row-title"><${Icon} name="agent" size=${16} /> ${visibleText(item.name)}</span>
      <span class="c-row-hint">${visibleText(cut((item.task ?? "").replace(/\s+/g, " "), 160))}</span>
      <span class="c-row-time">${agentState(item)}</span>
      <${Icon} name="chevron-right" size=${14} class="c-chevron" />
    </button>
    ${isOpen ? html`<div class="c-agent-body">
      ${item.task ? html`<p class="c-task c-wrap" dir="auto">${visibleText(item.task)}</p>` : null}
      ${children}
      ${item.failure ? html`<p class="c-failure c-wrap">${prose(item.failure)}</p>` : null}
    </div>` : null}
  </div>`;
}
