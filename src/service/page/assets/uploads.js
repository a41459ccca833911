// Documents that a person adds: their upload, and what the server understood of them.
import { html, useEffect, useRef, useState } from "./viewer/ui.js";
import { t, plural, formatBytes } from "./viewer/i18n_core.js";
import { visibleText } from "./viewer/markdown.js";
import { get, upload, Problem } from "./api.js";
import { createStore, loadDraft, saveDraft, session } from "./store.js";
import { announce } from "./dialog.js";
import { Icon, fileIcon } from "./icons.js";
import { distinctNames } from "./file_names.js";
import { prose } from "./notices.js";
import { placeBy } from "./numbers.js";

/** Most uploads at the same time. */
const AT_ONCE = 3;
/** Time in milliseconds between two renderings of the progress. */
const PROGRESS_MS = 100;

/**
 * A document that is being added. `state`: `waiting` for its turn, `sending`, `reading` on the server, `done`,
 * `failed` and can be
 * tried again, `refused` for good, `address` if the server fetches it.
 * @typedef {{key: number, name: string, size: number, sent: number, state:
 *   "waiting"|"sending"|"reading"|"done"|"failed"|"refused"|"address",
 *   id: string|null, url: string|null, outline: any, reason: string, hint: string}} Upload
 */

/**
 * Makes a list of documents that are added, and uploads them.
 * @param {string} draft key under which uploaded documents are kept when the page is loaded again
 */
export function createUploads(draft) {
  const store = createStore(/** @type {Upload[]} */ ([]));
  /** @type {Map<number, File>} */
  const files = new Map();
  /** @type {Map<number, AbortController>} */
  const sending = new Map();
  let serial = 0;

  const keep = () => {
    const done = store.get().filter((it) => it.state === "done" || it.state === "address");
    saveDraft(`${draft}.documents`, done.length
      ? JSON.stringify(done.map(({ name, size, id, url }) => ({ name, size, id, url }))) : "");
  };
  /** @param {number} key @param {Partial<Upload>} fields */
  const change = (key, fields) => {
    store.set((list) => list.map((it) => (it.key === key ? { ...it, ...fields } : it)));
  };
  const find = (key) => store.get().find((it) => it.key === key);

  const next = () => {
    for (const it of store.get()) {
      if (sending.size >= AT_ONCE) return;
      if (it.state === "waiting") send(it.key);
    }
  };

  /** @param {number} key */
  async function send(key) {
    const file = files.get(key);
    if (!file) return;
    const abort = new AbortController();
    sending.set(key, abort);
    change(key, { state: "sending", sent: 0, reason: "", hint: "" });
    let last = 0;
    const onProgress = (/** @type {number} */ sent) => {
      const now = performance.now();
      if (now - last < PROGRESS_MS && sent < file.size) return;
      last = now;
      change(key, { sent });
    };
    try {
      const stored = await upload(file, { onProgress, signal: abort.signal });
      files.delete(key);
      change(key, { state: "reading", id: stored.id, sent: file.size });
      sending.delete(key);
      next();
      await read(key, stored.id);
      keep();
    } catch (error) {
      if (!abort.signal.aborted && find(key)) {
        const problem = error instanceof Problem ? error : null;
        const isFinal = problem !== null && [413, 415, 422].includes(problem.status);
        change(key, {
          state: isFinal ? "refused" : "failed",
          reason: problem?.status === 413 && limit()
            ? t("conversation.upload_too_large", { size: formatBytes(limit()) })
            : problem?.code === "offline" ? t("conversation.upload_offline")
              : problem?.detail ?? t("conversation.upload_failed"),
          hint: problem?.hint ?? "",
        });
        announce(`${file.name}: ${t("conversation.upload_failed")}`);
      }
    } finally {
      sending.delete(key);
      next();
    }
  }

  /** Asks what the server understood of an uploaded document. A server that cannot say it is no obstacle. */
  async function read(key, id) {
    try {
      const outline = await get("/v1/previews", { query: { upload: id } });
      const isNone = outline.kind === "none";
      const warnings = outline.warnings ?? [];
      change(key, isNone
        ? { state: "refused", outline, reason: warnings[0] ?? t("conversation.upload_unsupported"), hint: "" }
        : { state: "done", outline });
    } catch (error) {
      const problem = error instanceof Problem ? error : null;
      const isRefused = problem !== null && [400, 413, 415, 422].includes(problem.status);
      const isLocked = isRefused && /encrypt|password/i.test(`${problem.code} ${problem.detail}`);
      change(key, isRefused
        ? { state: "refused", reason: isLocked ? t("conversation.upload_encrypted") : problem.detail, hint: isLocked
          ? "" : problem.hint ?? "" }
        : { state: "done" });
    }
    const it = find(key);
    if (it) announce(it.state === "done" ? t("conversation.upload_done", { name: it.name })
      : `${it.name}: ${it.reason}`);
  }

  const limit = () => session.get()?.limits?.upload_bytes ?? 0;

  /** @param {File[]} added */
  const add = (added) => {
    const documentLimit = session.get()?.limits?.document_bytes ?? 0;
    const uploads = added.map((file) => {
      serial += 1;
      /** @type {Upload} */
      const it = { key: serial, name: file.name, size: file.size, sent: 0, state: "waiting", id: null, url: null,
        outline: null, reason: "", hint: "" };
      const tooLarge = limit() && file.size > limit()
        ? t("conversation.upload_too_large", { size: formatBytes(limit()) })
        : documentLimit && file.size > documentLimit
          ? t("conversation.upload_too_large_document", { size: formatBytes(documentLimit) }) : "";
      if (tooLarge || file.size === 0) Object.assign(it, { state: "refused", reason: tooLarge
        || t("conversation.upload_empty") });
      else files.set(serial, file);
      return it;
    });
    store.set((list) => [...list, ...uploads]);
    next();
  };

  /** @param {string} url */
  const addAddress = (url) => {
    serial += 1;
    const it = { key: serial, name: url, size: 0, sent: 0, state: /** @type {"address"} */ ("address"), id: null, url,
      outline: null, reason: "", hint: "" };
    store.set((list) => (list.some((other) => other.url === url) ? list : [...list, it]));
    keep();
  };

  /** @param {number} key */
  const remove = (key) => {
    sending.get(key)?.abort();
    files.delete(key);
    store.set((list) => list.filter((it) => it.key !== key));
    keep();
    next();
  };

  /** @param {number} key */
  const retry = (key) => {
    if (!files.has(key)) return;
    change(key, { state: "waiting", reason: "", hint: "" });
    next();
  };

  const clear = () => {
    for (const abort of sending.values()) abort.abort();
    files.clear();
    store.set([]);
    keep();
  };

  /** Returns the documents for a request. */
  const documents = () => {
    const list = store.get().filter((it) => it.state === "done" || it.state === "address");
    // The server names what it fetches.
    const names = distinctNames(list.filter((it) => !it.url).map((it) => it.name)).values();
    return list.map((it) => {
      if (it.url) return { url: it.url };
      const name = names.next().value;
      return name === it.name ? { file: it.id } : { file: it.id, name };
    });
  };

  // Uploaded documents of a draft are still on the server after the page was loaded again.
  try {
    for (const { name, size, id, url } of JSON.parse(loadDraft(`${draft}.documents`) || "[]")) {
      serial += 1;
      const it = { key: serial, name, size, sent: size, state: /** @type {"done"|"address"} */ (url ? "address"
        : "done"), id, url, outline: null, reason: "", hint: "" };
      store.set((list) => [...list, it]);
      if (id) read(serial, id);
    }
  } catch {
    saveDraft(`${draft}.documents`, "");
  }

  return { store, add, addAddress, remove, retry, clear, documents };
}

/** Returns `true` if an upload is not finished. @param {Upload[]} list */
export const isUploading = (list) => list.some((it) => it.state === "waiting" || it.state === "sending"
  || it.state === "reading");

/** Returns `true` if a document cannot be sent as it is. @param {Upload[]} list */
export const hasRefused = (list) => list.some((it) => it.state === "failed" || it.state === "refused");

/**
 * Returns in one line what was understood of a document; an empty text if that is not known.
 * @param {any} outline the server's outline of a file
 * @returns {string}
 */
export function outlineLine(outline) {
  if (!outline) return "";
  const parts = [];
  if (outline.kind === "workbook") {
    const sheets = outline.sheets ?? [];
    parts.push(plural("conversation.sheets", sheets.length));
    parts.push(plural("conversation.rows", sheets.reduce((sum, it) => sum + Math.max(0, it.rows - (it.header ? 1
      : 0)), 0)));
  } else if (outline.kind === "pages") parts.push(plural("conversation.pages", (outline.pages ?? []).length));
  else if (outline.kind === "text") parts.push(plural("conversation.characters", outline.characters ?? 0));
  else if (outline.kind === "picture") parts.push(t("conversation.picture"));
  const warnings = (outline.warnings ?? []).length;
  if (warnings) parts.push(plural("conversation.warnings", warnings));
  return parts.join(" · ");
}

/**
 * Returns in one line what a run understood of a document.
 * @param {any} summary `summary` of a document of a run
 * @returns {string}
 */
export function summaryLine(summary) {
  if (!summary) return "";
  const tables = summary.tables ?? [];
  const count = summary.n_tables ?? tables.length;
  const parts = [];
  if (count) {
    parts.push(plural("conversation.tables", count));
    if (tables.length === count) parts.push(plural("conversation.rows", tables.reduce((sum, it) =>
      sum + (it.rows ?? 0), 0)));
  } else if (summary.characters) parts.push(plural("conversation.characters", summary.characters));
  const warnings = (summary.warnings ?? []).length;
  if (warnings) parts.push(plural("conversation.warnings", warnings));
  return parts.join(" · ");
}

/**
 * Shows a box beside a button until a person clicks elsewhere or presses Esc.
 * @param {{anchor: HTMLElement, label: string, onClose: () => void, children?: any, class?: string}} props
 */
export function Popover({ anchor, label, onClose, children, class: extra = "" }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    placeBy(element, anchor);
    element.focus({ preventScroll: true });
    const outside = (event) => {
      if (!element.contains(event.target) && !anchor.contains(event.target)) onClose();
    };
    const place = () => placeBy(element, anchor);
    const observer = new ResizeObserver(place);
    observer.observe(element);
    document.addEventListener("scroll", place, true);
    document.addEventListener("pointerdown", outside, true);
    addEventListener("resize", onClose);
    return () => {
      observer.disconnect();
      document.removeEventListener("scroll", place, true);
      document.removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", onClose);
    };
  }, [anchor]);
  const close = () => {
    onClose();
    anchor.focus();
  };
  const pressed = (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
  };
  const left = (event) => {
    // The tab key leaves the box for what follows it, and closes it.
    if (event.relatedTarget instanceof Node && !event.currentTarget.contains(event.relatedTarget)) onClose();
  };
  return html`<div ref=${box} class=${`c-popover ${extra}`} role="dialog" aria-label=${label} tabindex="-1"
    onKeyDown=${pressed} onFocusOut=${left}>
    <button type="button" class="icon-btn c-small c-popover-close" aria-label=${t("conversation.close")}
      title=${t("conversation.close")} onClick=${close}><${Icon} name="close" size=${16} /></button>
    ${children}
  </div>`;
}

/** Shows in full what was understood of a document. */
function Understood({ item }) {
  const { outline } = item;
  const sheets = outline?.sheets ?? [];
  const warnings = outline?.warnings ?? [];
  return html`<div class="c-understood">
    <h2 class="c-wrap">${visibleText(item.name)}</h2>
    <p class="c-muted">${formatBytes(item.size)}${outline?.title ? html` · ${visibleText(outline.title)}` : null}</p>
    <p class="c-label">${t("conversation.understood")}</p>
    ${sheets.length ? html`<ul>${sheets.map((it) => html`<li>
      <strong class="c-wrap">${visibleText(it.name)}</strong>${it.hidden ? html` <span
        class="badge">${t("conversation.hidden")}</span>` : null}
      <span class="c-muted"> ${plural("conversation.rows", Math.max(0, it.rows - (it.header ? 1
        : 0)))} · ${plural("conversation.columns", it.columns)}${(it.charts ?? []).length
          ? ` · ${plural("conversation.charts", it.charts.length)}` : ""}</span>
    </li>`)}</ul>` : html`<p>${outlineLine({ ...outline, warnings: [] })}</p>`}
    ${warnings.length ? html`<p class="c-label">${t("conversation.left_out")}</p>
      <ul class="c-warnings">${warnings.map((it) => html`<li class="c-wrap">${prose(it)}</li>`)}</ul>` : html`<p
        class="c-muted">${t("conversation.understood_all")}</p>`}
  </div>`;
}

/** @param {{item: Upload, uploads: ReturnType<typeof createUploads>}} props */
function UploadChip({ item, uploads }) {
  const [anchor, setAnchor] = useState(/** @type {HTMLElement | null} */ (null));
  const isBusy = item.state === "waiting" || item.state === "sending" || item.state === "reading";
  const isBad = item.state === "failed" || item.state === "refused";
  const percent = item.size ? Math.floor((item.sent / item.size) * 100) : 0;
  const line = item.state === "waiting" ? t("conversation.upload_waiting")
    : item.state === "sending" ? t("conversation.upload_sending", { percent })
    : item.state === "reading" ? t("conversation.upload_reading")
    : item.state === "address" ? t("conversation.upload_address")
    : isBad ? item.reason
    : outlineLine(item.outline) || formatBytes(item.size);
  const hasDetails = item.state === "done" && item.outline;
  const text = html`<span class="c-chip-text">
    <span class="c-chip-name">${visibleText(item.name)}</span>
    <span class="c-chip-line">${isBad ? prose(line) : visibleText(line)}${item.hint ? html` · ${prose(item.hint)}`
      : null}</span>
  </span>`;
  return html`<li class=${`c-upload ${item.state}`}>
    ${isBusy ? html`<span class="spinner"></span>` : html`<${Icon} name=${isBad ? "alert" : item.url ? "link"
      : fileIcon(item.name)} />`}
    ${hasDetails ? html`<button type="button" class="c-chip-button" aria-haspopup="dialog"
      aria-expanded=${String(anchor !== null)} title=${t("conversation.upload_details", { name: item.name })}
      onClick=${(event) => setAnchor(anchor ? null : event.currentTarget)}>${text}</button>` : text}
    ${item.state === "failed" ? html`<button type="button" class="btn quiet c-tight"
      aria-label=${t("conversation.upload_retry_name", { name: item.name })} onClick=${() => uploads.retry(item.key)}>
        ${t("conversation.upload_retry")}</button>` : null}
    <button type="button" class="icon-btn c-small" onClick=${() => uploads.remove(item.key)}
      aria-label=${t(isBusy ? "conversation.upload_cancel" : "conversation.upload_remove", { name: item.name })}
      title=${t(isBusy ? "conversation.upload_cancel" : "conversation.upload_remove", { name: item.name })}>
        <${Icon} name="close" size=${14} /></button>
    ${item.state === "sending" ? html`<progress max="100" value=${percent} aria-label=${item.name}></progress>` : null}
    ${anchor ? html`<${Popover} anchor=${anchor} label=${t("conversation.upload_details", { name: item.name })}
      onClose=${() => setAnchor(null)}><${Understood} item=${item} /><//>` : null}
  </li>`;
}

/**
 * Shows the documents that are added.
 * @param {{list: Upload[], uploads: ReturnType<typeof createUploads>}} props
 */
export function UploadList({ list, uploads }) {
  if (!list.length) return null;
  return html`<ul class="c-uploads" aria-label=${t("conversation.uploads")}>${list.map((item) =>
    html`<${UploadChip} key=${item.key} item=${item} uploads=${uploads} />`)}</ul>`;
}

/**
 * Shows where documents can be dropped, while a person drags some over the page.
 * @param {{onFiles: (files: File[], folders: number) => void}} props
 */
export function DropZone({ onFiles }) {
  const [isOver, setOver] = useState(false);
  const handler = useRef(onFiles);
  handler.current = onFiles;
  useEffect(() => {
    let depth = 0;
    const hasFiles = (event) => Boolean(event.dataTransfer && [...event.dataTransfer.types].includes("Files"));
    const enter = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth += 1;
      setOver(true);
    };
    const over = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
    };
    const leave = (event) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const drop = (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      const items = [...event.dataTransfer.items].filter((it) => it.kind === "file");
      const folders = items.filter((it) => it.webkitGetAsEntry?.()?.isDirectory).length;
      const files = items.filter((it) => !it.webkitGetAsEntry?.()?.isDirectory).map((it) =>
        it.getAsFile()).filter(Boolean);
      handler.current(files, folders);
    };
    const pairs = /** @type {const} */ ([["dragenter", enter], ["dragover", over], ["dragleave", leave], ["drop",
      drop]]);
    for (const [name, listener] of pairs) addEventListener(name, listener);
    return () => {
      for (const [name, listener] of pairs) removeEventListener(name, listener);
    };
  }, []);
  if (!isOver) return null;
  return html`<div class="c-drop" aria-hidden="true"><div>
    <${Icon} name="upload" size=${36} />
    <strong>${t("conversation.drop")}</strong>
    <span>${t("conversation.drop_detail")}</span>
  </div></div>`;
}
