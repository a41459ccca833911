// Shows where a number of an answer comes from.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./viewer/ui.js";
import { t } from "./viewer/i18n_core.js";
import { visibleText } from "./viewer/markdown.js";
import { get, Problem } from "./api.js";
import { Icon, fileIcon } from "./icons.js";
import { revealCall, toolTitle } from "./calls.js";

/**
 * @typedef {{kind: "document"|"file"|"call", name: string, label: string, sheet?: number, row?: number, column?:
 *   number, page?: number,
 *   offset?: number, excerpt?: string, call?: string, is_exact?: boolean}} Match
 */

/** Distance in pixels between a number and its sources, and between these and the edge of the window. */
const GAP = 8;

/**
 * Places an element below another one, or above it where there is no room below. Narrow screens show it at the bottom
 * by their style.
 * @param {HTMLElement} element
 * @param {HTMLElement} anchor
 */
export function placeBy(element, anchor) {
  const box = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = element;
  const isBelow = box.bottom + GAP + height <= innerHeight || box.top < innerHeight - box.bottom;
  const top = isBelow ? Math.min(box.bottom + GAP, innerHeight - height - GAP) : box.top - GAP - height;
  const left = Math.min(Math.max(GAP, box.left + box.width / 2 - width / 2), innerWidth - width - GAP);
  element.style.top = `${Math.max(GAP, top)}px`;
  element.style.left = `${Math.max(GAP, left)}px`;
}

/** Shows an excerpt with the number marked in it. */
function Excerpt({ text, value }) {
  const at = text.indexOf(value);
  if (at < 0) return html`<span class="c-excerpt">${visibleText(text)}</span>`;
  return html`<span class="c-excerpt">${visibleText(text.slice(0, at))}<mark>${visibleText(value)}</mark>
    ${visibleText(text.slice(at + value.length))}</span>`;
}

/**
 * Shows the sources of a number beside it.
 * @param {object} props
 * @param {string} props.run
 * @param {string} props.value the number as it is written
 * @param {HTMLElement} props.anchor
 * @param {(id: string) => string|null} props.callTool returns the tool of a call
 * @param {(place: {kind: "file"|"document", name: string, sheet?: number, row?: number, column?: number, page?:
 *   number, offset?: number}) => void} props.onOpenPlace
 * @param {(text: string) => void} props.onAsk
 * @param {() => void} props.onClose
 */
export function NumberSources({ run, value, anchor, callTool, onOpenPlace, onAsk, onClose }) {
  const [found, setFound] = useState(/** @type {{matches: Match[], more: boolean} | null} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [attempt, setAttempt] = useState(0);
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));

  useEffect(() => {
    const abort = new AbortController();
    setProblem(null);
    get(`/v1/runs/${encodeURIComponent(run)}/sources`, { query: { value }, signal: abort.signal }).then(
      (answer) => setFound({ matches: answer.matches ?? [], more: Boolean(answer.more) }),
      (error) => {
        if (!abort.signal.aborted) setProblem(error);
      },
    );
    return () => abort.abort();
  }, [run, value, attempt]);

  useLayoutEffect(() => {
    if (box.current) placeBy(box.current, anchor);
  });

  useEffect(() => {
    box.current?.focus({ preventScroll: true });
    const outside = (event) => {
      if (!box.current?.contains(event.target) && event.target !== anchor) onClose();
    };
    const place = () => box.current && placeBy(box.current, anchor);
    document.addEventListener("scroll", place, true);
    document.addEventListener("pointerdown", outside, true);
    addEventListener("resize", onClose);
    anchor.classList.add("chosen");
    return () => {
      document.removeEventListener("scroll", place, true);
      document.removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", onClose);
      anchor.classList.remove("chosen");
    };
  }, [anchor]);

  const close = () => {
    onClose();
    if (anchor.isConnected) anchor.focus({ preventScroll: true });
  };
  const pressed = (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
      return;
    }
    if (event.key !== "Tab") return;
    // The sources are beside the number, so the tab key stays in them until they are closed.
    const all = /** @type {HTMLElement[]} */ ([...box.current.querySelectorAll("button, [tabindex='0']")]);
    const first = all[0];
    const last = all[all.length - 1];
    const now = document.activeElement;
    if (event.shiftKey && (now === first || now === box.current)) last?.focus();
    else if (!event.shiftKey && now === last) first?.focus();
    else return;
    event.preventDefault();
  };

  const matches = found?.matches ?? [];
  const places = matches.filter((it) => it.kind !== "call");
  const calls = [...new Set(matches.map((it) => it.call).filter((it) => typeof it === "string"))];
  const title = t("conversation.number_title", { value });
  const isMissing = problem instanceof Problem && problem.status === 404;
  return html`<div ref=${box} class="c-popover c-sources" role="dialog" aria-label=${title} tabindex="-1"
    onKeyDown=${pressed}>
    <header>
      <h2>${title}</h2>
      <button type="button" class="icon-btn c-small" aria-label=${t("conversation.close")}
        title=${t("conversation.close")} onClick=${close}><${Icon} name="close" size=${16} /></button>
    </header>
    <div class="c-sources-body" aria-live="polite">
      ${problem ? html`<p class="c-wrap">${t(isMissing ? "conversation.number_unavailable"
        : "conversation.number_error")}</p>
        ${isMissing ? null : html`<p class="c-muted c-wrap">${visibleText(problem.detail ?? "")}</p>
        <button type="button" class="btn" onClick=${() => setAttempt(attempt + 1)}><${Icon} name="refresh"
          size=${16} />${t("conversation.retry")}</button>`}` : null}
      ${!problem && !found ? html`<p class="c-muted"><span class="spinner">
        </span> ${t("conversation.number_loading")}</p>
        <span class="skeleton"></span><span class="skeleton"></span>` : null}
      ${found && !problem && matches.length === 0 ? html`<p class="c-none"><${Icon} name="alert" size=${18} /> <strong>
        ${t("conversation.number_none")}</strong></p>
        <p class="c-muted">${t("conversation.number_none_hint", { value })}</p>
        <button type="button" class="btn"
          onClick=${() => { onClose(); onAsk(t("conversation.number_none_text", { value })); }}>
            ${t("conversation.number_none_ask")}</button>` : null}
      ${places.length ? html`<ul class="c-source-list">${places.map((it) => html`<li>
        <button type="button" class="c-source"
          title=${t("conversation.number_open", { name: it.name, label: it.label })}
          onClick=${() => { onClose(); onOpenPlace({ kind: it.kind === "file" ? "file"
            : "document", name: it.name, sheet: it.sheet, row: it.row, column: it.column, page: it.page,
              offset: it.offset }); }}>
          <${Icon} name=${fileIcon(it.name)} />
          <span class="c-source-text">
            <span class="c-source-name">${visibleText(it.name)} <span class="c-source-label">
              ${visibleText(it.label)}</span></span>
            ${it.excerpt ? html`<${Excerpt} text=${it.excerpt} value=${value} />` : null}
            <span class="c-source-kind">${t(`conversation.number_kind_${it.kind === "file" ? "file" : "document"}`)}
              <span class=${`badge ${it.is_exact ? "ok" : ""}`}>${t(it.is_exact ? "conversation.number_exact"
                : "conversation.number_rounded")}</span></span>
          </span>
        </button>
      </li>`)}</ul>` : null}
      ${calls.length ? html`<p class="c-label">${t("conversation.number_calls")}</p>
        <ul class="c-source-list">${calls.map((id) => {
          const match = matches.find((it) => it.kind === "call" && it.call === id);
          const tool = callTool(id) ?? match?.name ?? id;
          return html`<li><button type="button" class="c-source" onClick=${() => { onClose(); revealCall(id); }}>
            <${Icon} name="tool" />
            <span class="c-source-text">
              <span class="c-source-name">${visibleText(toolTitle(tool))}</span>
              ${match?.excerpt ? html`<${Excerpt} text=${match.excerpt} value=${value} />` : null}
              <span class="c-source-kind">${t("conversation.number_show")}</span>
            </span>
          </button></li>`;
        })}</ul>` : null}
      ${found?.more ? html`<p class="c-muted">${t("conversation.number_more")}</p>` : null}
    </div>
  </div>`;
}
