// The panel beside the conversation: delivered files and documents, each with its preview, its versions and what
// changed.
import { get } from "./api.js";
import { Icon, fileIcon } from "./icons.js";
import { ComparisonView } from "./viewer/comparison.js";
import { formatBytes, formatNumber, formatTime, plural, t } from "./viewer/i18n_core.js";
import { Failure, icon, Loading, safeText } from "./viewer/parts.js";
import { html, useEffect, useMemo, useRef, useState } from "./viewer/ui.js";
import { View } from "./viewer/view.js";

/** Tables of a document that are listed. */
const MAX_LISTED_TABLES = 12;

/**
 * Returns the source of a preview.
 * @param {Record<string, string>} of which file: `{run, file, version}`, `{run, document, version?}` or `{upload}`
 * @param {string} name
 * @param {() => void} [download]
 * @returns {import("./viewer/view.js").Source}
 */
export function previewSource(of, name, download) {
  return {
    name,
    outline: () => get("/v1/previews", { query: of }),
    rows: (sheet, from, count, signal) => get("/v1/previews/rows", { query: { ...of, sheet, from, count }, signal }),
    text: (offset, length) => get("/v1/previews/text", { query: { ...of, offset, length } }),
    // The browser requests the picture itself, so that it can keep it by its digest.
    page: async (page, width) =>
      `/v1/previews/page?${new URLSearchParams({ ...of, page: String(page), width: String(width) })}`,
    download,
  };
}

/** Starts a download by a link of the same server. @param {string} address @param {string} name */
function startDownload(address, name) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

/** Returns what can be opened: delivered files, then documents. @param {any} state */
function entriesOf(state) {
  const files = (state.files ?? []).map((file) => ({ kind: "file", name: file.name, file }));
  const documents = (state.documents ?? []).map((document) => ({ kind: "document", name: document.name, document }));
  return [...files, ...documents];
}

/** Returns the warnings of the last delivery of a file. @param {any} state @param {string} name */
function warningsOf(state, name) {
  let found = [];
  const look = (items) => {
    for (const item of items ?? []) {
      if (item.type === "file" && item.file?.name === name) found = item.warnings ?? [];
      else if (item.items) look(item.items);
    }
  };
  for (const turn of state.turns ?? []) look(turn.items);
  return found;
}

/**
 * Shows the files and documents of a run, and the one that is open.
 * @param {{
 *   run: any, state: any, open: {name: string, kind: "file" | "document", target?: any} | null,
 *   onOpen: (open: {name: string, kind: "file" | "document", target?: any}) => void, onClose: () => void,
 * }} props `run` is the run or its identifier
 */
export function FilesPanel({ run, state, open, onOpen, onClose }) {
  const id = typeof run === "string" ? run : run?.id ?? state.run?.id;
  const [isWide, setWide] = useState(false);
  const panel = useRef(/** @type {HTMLDivElement | null} */ (null));
  const entries = entriesOf(state);
  const at = entries.findIndex((entry) => entry.name === open?.name && entry.kind === (open?.kind ?? "file"));
  const entry = at >= 0 ? entries[at] : open ? null : entries[0];
  const files = state.files ?? [];
  const base = `/v1/runs/${encodeURIComponent(id)}`;

  useEffect(() => {
    panel.current?.querySelector("[role=tab][aria-selected=true]")?.scrollIntoView({ block: "nearest",
      inline: "nearest" });
  }, [at]);

  const onKeyDown = (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.stopPropagation();
    if (isWide) setWide(false);
    else onClose();
  };
  const onTabKey = (event) => {
    const last = entries.length - 1;
    const next = { ArrowLeft: at <= 0 ? last : at - 1, ArrowRight: at >= last ? 0
      : at + 1, Home: 0, End: last }[event.key];
    if (next === undefined || entries.length === 0) return;
    event.preventDefault();
    onOpen({ name: entries[next].name, kind: /** @type {any} */ (entries[next].kind) });
    const tabs = event.currentTarget.querySelectorAll("[role=tab]");
    requestAnimationFrame(() => tabs[next]?.focus());
  };
  const tab = (one, index) => html`<button key=${`${one.kind}/${one.name}`} type="button" role="tab" class="f-tab"
    id=${`f-tab-${index}`}
    aria-selected=${String(one === entry)} aria-controls="f-panel" tabindex=${one === entry || (!entry && index === 0)
      ? 0 : -1}
    title=${`${t(one.kind === "file" ? "files.delivered" : "files.documents")}: ${safeText(one.name)}`}
    onClick=${() => onOpen({ name: one.name, kind: one.kind })}>
    <${Icon} name=${fileIcon(one.name)} size=${16} /><bdi>${safeText(one.name)}</bdi></button>`;

  return html`<div ref=${panel} class=${`f-panel${isWide ? " f-wide" : ""}`} onKeyDown=${onKeyDown}>
    <div class="f-head">
      <h2 class="f-title">${t("files.title")}</h2>
      <span class="f-space"></span>
      ${files.length > 1 && html`<a class="btn quiet" href=${`${base}/files.zip`} download
        title=${t("files.download_all")}>
        <${Icon} name="download" size=${16} /><span>${t("files.download_all")}</span></a>`}
      <button type="button" class="icon-btn f-widen" aria-pressed=${String(isWide)} aria-label=${t(isWide
        ? "files.narrow" : "files.wide")}
        title=${t(isWide ? "files.narrow" : "files.wide")} onClick=${() => setWide(!isWide)}>${icon(isWide ? "shrink"
          : "expand")}</button>
      <button type="button" class="icon-btn" aria-label=${t("files.close")} title=${t("files.close")}
        onClick=${onClose}><${Icon} name="close" /></button>
    </div>
    ${entries.length > 0 && html`<div class="f-tabs" role="tablist" aria-label=${t("files.tabs")} onKeyDown=${onTabKey}>
      ${entries.map((one, index) => html`${index > 0 && one.kind !== entries[index - 1].kind && html`<span key="-"
        class="f-divider" role="presentation"></span>`}
        ${tab(one, index)}`)}
    </div>`}
    <div class="f-body" id="f-panel" role=${entries.length > 0 ? "tabpanel" : undefined} aria-labelledby=${entry
      ? `f-tab-${entries.indexOf(entry)}` : undefined}>
      ${entry?.kind === "file" ? html`<${DeliveredFile} key=${`file/${entry.name}`} id=${id} base=${base}
        file=${entry.file} state=${state}
          target=${open?.target} onOpen=${onOpen} />`
        : entry ? html`<${RunDocument} key=${`document/${entry.name}`} id=${id} document=${entry.document}
          target=${open?.target} />`
        : html`<div class="v-message"><p class="v-message-title">${t("files.missing")}</p>
          <p>${t("files.missing_hint")}</p></div>`}
    </div>
  </div>`;
}

/** Shows a delivered file, one of its versions, or what changed in that version. */
function DeliveredFile({ id, base, file, state, target, onOpen }) {
  const known = state.versions?.[file.name] ?? [];
  const versions = known.length > 0 ? known : [file];
  // `null` follows the latest version while the run goes on.
  const [chosen, setChosen] = useState(/** @type {string | null} */ (null));
  const [isCompared, setCompared] = useState(false);
  const found = chosen === null ? -1 : versions.findIndex((version) => version.sha256 === chosen);
  const index = found >= 0 ? found : versions.length - 1;
  const version = versions[index];
  const isLatest = index === versions.length - 1;
  const before = index > 0 ? versions[index - 1] : null;
  const address = isLatest ? `${base}/files/${encodeURIComponent(file.name)}` : version.url;
  // The digest also names the latest version: the browser keeps a picture under its address, and would show the old one
  // when the file is delivered again.
  const source = useMemo(() => previewSource(
    { run: id, file: file.name, version: version.sha256 }, file.name,
    address ? () => startDownload(address, file.name) : undefined,
  ), [id, file.name, version.sha256, isLatest]);
  // A source that names a place of the file wants the latest version.
  useEffect(() => {
    if (target) setChosen(null), setCompared(false);
  }, [target]);
  const warnings = warningsOf(state, file.name);
  return html`
    <div class="f-file">
      <div class="f-facts"><bdi class="f-name">${safeText(file.name)}</bdi>
        <span class="f-muted">${formatBytes(version.size ?? file.size)}</span></div>
      ${versions.length > 1 && html`<label class="f-version"><span class="sr-only">${t("files.version")}</span>
        <select class="input" value=${version.sha256}
          onChange=${(event) => (setChosen(event.target.value), setCompared(false))}>
          ${versions.map((one, at) => html`<option key=${one.sha256} value=${one.sha256}>${
            t(at === versions.length - 1 ? "files.version_latest"
              : "files.version_older", { n: at + 1, time: formatTime(one.time_ms) })}</option>`).reverse()}
        </select></label>`}
      ${before && html`<button type="button" class="btn" aria-pressed=${String(isCompared)}
        title=${t("files.compare_title")}
        onClick=${() => setCompared(!isCompared)}><${Icon} name="compare" size=${16} />
        ${t("files.compare")}</button>`}
      ${address && html`<a class="btn primary" href=${address} download=${file.name} aria-label=${`${t(isLatest
        ? "files.download" : "files.download_version")}: ${safeText(file.name)}`}>
        <${Icon} name="download" size=${16} />${t("files.download")}</a>`}
    </div>
    ${warnings.length > 0 && html`<details class="f-notes" open=${warnings.length <= 2}>
      <summary>${plural("files.result_warnings", warnings.length)}</summary>
      <ul>${warnings.map((text, at) => html`<li key=${at} dir="auto">${safeText(text)}</li>`)}</ul></details>`}
    ${isCompared && before
      ? html`<${Comparison} key=${version.sha256} id=${id} name=${file.name} after=${version} before=${before}
        label=${t("files.compared", { before: index, after: index + 1 })}
          onOpen=${(place) => (setCompared(false), onOpen({ name: file.name, kind: "file", target: place }))} />`
      : html`<${View} source=${source} target=${target ?? null} known=${warnings} />`}`;
}

/** Shows what changed from one version to another. */
function Comparison({ id, name, after, before, label, onOpen }) {
  const [state, setState] = useState(/** @type {{value?: any, error?: any}} */ ({}));
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const request = new AbortController();
    setState({});
    const query = { run: id, file: name, version: after.sha256, with: before.sha256 };
    get("/v1/previews/comparison", { query, signal: request.signal }).then(
      (value) => setState({ value }),
      (error) => request.signal.aborted || setState({ error }),
    );
    return () => request.abort();
  }, [attempt]);
  if (state.error) return html`<${Failure} error=${state.error} onRetry=${() => setAttempt(attempt + 1)} />`;
  if (!state.value) return html`<${Loading} />`;
  return html`<p class="f-compared">${label}</p><${ComparisonView} comparison=${state.value} onOpen=${onOpen} />`;
}

/** Shows a document and what was understood of it. */
function RunDocument({ id, document, target }) {
  const source = useMemo(() => previewSource({ run: id, document: document.name,
    ...(document.sha256 ? { version: document.sha256 } : {}) }, document.name), [id, document.name, document.sha256]);
  const { summary } = document;
  const tables = summary?.tables ?? [];
  const facts = [formatBytes(document.size)];
  if (summary?.n_tables > 0) facts.push(plural("files.tables", summary.n_tables));
  if (summary?.places > 1) facts.push(plural("files.places", summary.places));
  if (summary?.characters > 0) facts.push(plural("files.characters", summary.characters));
  const warnings = summary?.warnings ?? [];
  if (document.isReading) return html`<${Loading} label=${t("files.reading")} />`;
  return html`
    <div class="f-file"><div class="f-facts"><bdi class="f-name">${safeText(document.name)}</bdi>
      <span class="f-muted">${facts.join(" · ")}</span></div></div>
    ${(tables.length > 0 || warnings.length > 0) && html`<details class="f-notes" open=${warnings.length > 0}>
      <summary>${t("files.understood")}${warnings.length > 0 && html` <span class="badge warn">
        ${plural("files.warnings", warnings.length)}</span>`}</summary>
      ${warnings.length > 0 && html`<ul>${warnings.map((text, at) => html`<li key=${at}
        dir="auto">${safeText(text)}</li>`)}</ul>`}
      ${tables.length > 0 && html`<ul>${tables.slice(0, MAX_LISTED_TABLES).map((table, at) => html`<li key=${at}
        dir="auto">${
          t("files.table_size", { name: safeText(table.name), rows: formatNumber(table.rows),
            columns: formatNumber(table.columns) })}</li>`)}
        ${summary.n_tables > MAX_LISTED_TABLES
          && html`<li>
            ${t("files.more_tables", { n: formatNumber(summary.n_tables - Math.min(tables.length,
              MAX_LISTED_TABLES)) })}</li>`}
      </ul>`}</details>`}
    <${View} source=${source} target=${target ?? null} known=${warnings} />`;
}
