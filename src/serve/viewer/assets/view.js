// Shows a file: a workbook by its sheets, a document by its pages or its text, a picture, or why there is no preview.
import { html, useCallback, useEffect, useMemo, useState } from "./ui.js";
import { Chart } from "./chart.js";
import { Failure, icon, Loading, safeText } from "./parts.js";
import { Pages, Picture } from "./pages.js";
import { Sheet } from "./sheet.js";
import { TextView } from "./text.js";
import { counted, words } from "./viewer_words.js";

/**
 * @typedef {{sheet?: number | string, row?: number, column?: number, page?: number, offset?: number}} Target
 * @typedef {{
 *   name: string,
 *   outline: () => Promise<any>,
 *   rows: (sheet: number, from: number, count: number, signal?: AbortSignal) => Promise<any>,
 *   text: (offset: number, length: number) => Promise<{text: string, offset: number, total: number}>,
 *   page: (number: number, width: number) => Promise<string>,
 *   download?: () => void,
 *   blockRows?: number,
 * }} Source `blockRows`: most rows that it is asked for at once. Default: 200.
 */

/**
 * Shows one file.
 * @param {{source: Source, target?: Target | null, onOpen?: (target: Target) => void, onOutline?: (outline: any) =>
 *   void,
 *   known?: string[]}} props
 *   `source` must be the same object as long as the file is the same; `target` is the place to scroll to and mark;
 * `onOpen` is
 *   called with the cell that the user selects; `known` are warnings that are shown already
 */
function View({ source, target, onOpen, onOutline, known }) {
  const [state, setState] = useState(/** @type {{source?: Source, outline?: any, error?: any}} */ ({}));
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setState({});
    source.outline().then(
      (outline) => {
        if (!isCurrent) return;
        setState({ source, outline });
        onOutline?.(outline);
      },
      (error) => isCurrent && setState({ source, error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [source, attempt]);
  if (state.source !== source) return html`<div class="v-view"><${Loading} /></div>`;
  if (state.error) {
    return html`<div class="v-view"><${Failure} error=${state.error} onRetry=${() => setAttempt(attempt + 1)} /></div>`;
  }
  const { outline } = state;
  return html`<div class="v-view" key=${outline.sha256 ?? ""}>
    ${outline.kind !== "none" && html`<${Warnings} list=${(outline.warnings ?? []).filter((text) =>
      !known?.includes(text))} />`}
    <${Content} source=${source} outline=${outline} target=${target} onOpen=${onOpen} />
  </div>`;
}

/** Shows what was left out or could not be read of a file. @param {{list: string[]}} props */
function Warnings({ list }) {
  if (list.length === 0) return null;
  if (list.length === 1) return html`<p class="v-warning" role="note">${icon("warning")}<span
    dir="auto">${safeText(list[0])}</span></p>`;
  return html`<details class="v-warnings" >
    <summary>${icon("warning")}<span>${words("file_warnings")} (${list.length})</span></summary>
    <ul>${list.map((text, at) => html`<li key=${at} dir="auto">${safeText(text)}</li>`)}</ul></details>`;
}

function Content({ source, outline, target, onOpen }) {
  const name = safeText(source.name);
  switch (outline.kind) {
    case "workbook":
      return html`<${Workbook} source=${source} outline=${outline} target=${target} onOpen=${onOpen} />`;
    case "pages":
      if (!outline.pages?.length) break;
      return html`<${Pages} pages=${outline.pages} load=${source.page} name=${name} target=${target?.page ? target
        : null} />`;
    case "text":
      return html`<${TextView} outline=${outline} load=${source.text} name=${name}
        target=${target?.offset !== undefined ? target : null} />`;
    case "picture":
      return html`<${Picture} load=${source.page} name=${name} />`;
    default:
  }
  return html`<div class="v-message">
    <p class="v-message-title">${words("none")}</p>
    ${outline.warnings?.length > 0 && html`<ul>${outline.warnings.map((text, at) => html`<li key=${at}
      dir="auto">${safeText(text)}</li>`)}</ul>`}
    ${source.download && html`<p>${words("none_hint")}</p>`}
    ${source.download && html`<button type="button" class="btn primary v-btn" onClick=${() => source.download()}>
      ${icon("download")} ${words("download")}</button>`}
  </div>`;
}

/**
 * Shows the sheets of a workbook.
 * @param {{source: Source, outline: any, target?: Target | null, onOpen?: (target: Target) => void}} props
 */
function Workbook({ source, outline, target, onOpen }) {
  const sheets = outline.sheets ?? [];
  const wanted = useMemo(() => {
    if (target?.sheet === undefined && target?.row === undefined) return null;
    const index = typeof target.sheet === "string" ? sheets.findIndex((sheet) => sheet.name === target.sheet)
      : target.sheet ?? 0;
    return { index: Math.max(0, Math.min(sheets.length - 1, index)), place: target };
  }, [target, outline]);
  const firstShown = Math.max(0, sheets.findIndex((sheet) => !sheet.hidden));
  const [chosen, setChosen] = useState(firstShown);
  useEffect(() => {
    if (wanted) setChosen(wanted.index);
  }, [wanted]);
  const index = Math.min(chosen, sheets.length - 1);
  const load = useCallback((from, count, signal) => source.rows(index, from, count, signal), [source, index]);
  const select = useCallback((place) => onOpen?.({ sheet: index, ...place }), [index, onOpen]);
  if (sheets.length === 0) return html`<div class="v-message"><p>${words("empty_file")}</p></div>`;
  const sheet = sheets[index];
  const place = wanted && wanted.index === index && wanted.place.row !== undefined ? wanted.place : null;
  const onKeyDown = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (index + step + sheets.length) % sheets.length;
    setChosen(next);
    event.currentTarget.children[next]?.focus();
  };
  return html`<div class="v-workbook">
    <div class="v-panel" role=${sheets.length > 1 ? "tabpanel" : undefined} id="v-panel" aria-label=${sheets.length > 1
      ? safeText(sheet.name) : undefined}>
      <${Charts} key=${`c${index}`} charts=${sheet.charts ?? []} isAlone=${!sheet.rows || !sheet.columns} />
      ${(sheet.rows && sheet.columns) || !sheet.charts?.length
        ? html`<${Sheet} key=${index} sheet=${sheet} name=${`v-cell-${index}`} load=${load} target=${place}
          onSelect=${select} blockRows=${source.blockRows} />` : null}
    </div>
    ${sheets.length > 1 && html`<div class="v-tabs" role="tablist" aria-label=${words("sheets")} onKeyDown=${onKeyDown}>
      ${sheets.map((one, at) => html`<button key=${at} type="button" role="tab" class=${`v-tab${one.hidden ? " v-hidden"
        : ""}`}
        aria-selected=${String(at === index)} aria-controls="v-panel" tabindex=${at === index ? 0 : -1}
        title=${one.hidden ? words("hidden_sheet") : undefined} onClick=${() => setChosen(at)}>
        <span dir="auto">${safeText(one.name)}</span>${one.hidden && html`<span
          class="v-tag">${words("hidden")}</span>`}</button>`)}
    </div>`}
  </div>`;
}

/** Shows the charts of a sheet above its cells. @param {{charts: any[], isAlone: boolean}} props */
function Charts({ charts, isAlone }) {
  const [isOpen, setOpen] = useState(isAlone || globalThis.innerHeight >= 720);
  if (charts.length === 0) return null;
  const list = html`<div class="v-charts" tabindex="0" role="region" aria-label=${counted("charts", charts.length)}>
    ${charts.map((chart, at) => html`<${Chart} key=${at} chart=${chart} height=${isAlone ? 280 : 190} />`)}</div>`;
  if (isAlone) return list;
  return html`<div class="v-chart-strip">
    <button type="button" class="v-text-btn" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>
      ${icon("chart")} ${counted("charts", charts.length)} ${icon(isOpen ? "up" : "down")}</button>
    ${isOpen && list}</div>`;
}

export { View, Warnings };
