// Shows pages that the server draws. Each page takes its place at once and is loaded when it comes near the view.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./ui.js";
import { errorText, icon, Loading, useSize } from "./parts.js";
import { words } from "./viewer_words.js";

/** Pixels of a screen for a point of the paper, at 100 %. */
const PIXELS_PER_POINT = 96 / 72;
/** Widths in pixels in which pages are requested, so that a small change of the size requests no new picture. */
const WIDTHS = [400, 640, 900, 1280, 1800, 2400];
const ZOOMS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3];
/** Pages on each side of the view that stay loaded. */
const NEAR_PAGES = 3;
const GAP = 14;

/**
 * Returns the width in which a page is requested.
 * @param {number} width in pixels of the device
 */
function requestWidth(width) {
  return WIDTHS.find((one) => one >= width) ?? WIDTHS[WIDTHS.length - 1];
}

/**
 * Shows pages.
 * @param {{pages: {width: number, height: number}[], load: (page: number, width: number) => Promise<string>, name:
 *   string,
 *   target?: {page: number} | null}} props `load` gets numbers from 1
 */
function Pages({ pages, load, name, target }) {
  const scroller = useRef(/** @type {any} */ (null));
  const size = useSize(scroller);
  const [zoom, setZoom] = useState(/** @type {number | null} */ (null));
  const [view, setView] = useState({ top: 0 });
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const [marked, setMarked] = useState(0);
  const frame = useRef(0);

  const gap = size.width < 560 ? 8 : GAP;
  // Each page is as wide as the view, but a large view needs no page that is wider than its text can be read.
  const factorOf = (page) => zoom ?? Math.min((Math.max(120, size.width) - 2 * gap) / ((page.width
    || 612) * PIXELS_PER_POINT), 1.6);
  const boxes = [];
  let bottom = gap;
  for (const page of pages) {
    const width = Math.round((page.width || 612) * PIXELS_PER_POINT * factorOf(page));
    const height = Math.round((page.height || 792) * PIXELS_PER_POINT * factorOf(page));
    boxes.push({ top: bottom, width, height });
    bottom += height + gap;
  }
  const reading = view.top + Math.min(140, size.height / 3);
  let current = boxes.findIndex((box) => box.top + box.height + gap > reading);
  if (current < 0) current = boxes.length - 1;
  const first = Math.max(0, boxes.findIndex((box) => box.top + box.height > view.top) - NEAR_PAGES);
  let last = boxes.length - 1;
  while (last > first && boxes[last].top > view.top + size.height) last--;
  last = Math.min(boxes.length - 1, last + NEAR_PAGES);

  const onScroll = () => {
    if (frame.current) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      if (scroller.current) setView({ top: scroller.current.scrollTop });
    });
  };
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  const goTo = (page) => {
    const box = boxes[Math.max(0, Math.min(boxes.length - 1, page - 1))];
    if (box && scroller.current) scroller.current.scrollTop = box.top - gap;
  };
  const hasSize = size.height > 0;
  const factor = factorOf(pages[current] ?? {});
  // The part of the page in view stays in view when the size of pages changes.
  const scale = `${zoom}/${size.width}`;
  const place = useRef({ scale: "", page: 0, part: 0 });
  useLayoutEffect(() => {
    const old = place.current;
    if (old.scale && old.scale !== scale && boxes[old.page] && scroller.current) {
      scroller.current.scrollTop = boxes[old.page].top + old.part * boxes[old.page].height;
    }
    if (hasSize) old.scale = scale;
  }, [scale, hasSize]);
  useLayoutEffect(() => {
    if (!target?.page || !hasSize) return;
    setMarked(target.page);
    goTo(target.page);
  }, [target, hasSize]);
  const at = Math.max(0, boxes.findIndex((box) => box.top + box.height > view.top));
  if (boxes[at] && place.current.scale === scale) {
    place.current = { scale, page: at, part: (view.top - boxes[at].top) / boxes[at].height };
  }

  const larger = ZOOMS.find((one) => one > factor * 1.01);
  const smaller = [...ZOOMS].reverse().find((one) => one < factor * 0.99);
  const shown = [];
  for (let page = first; page <= last && hasSize; page++) {
    shown.push(html`<${Page} key=${page} number=${page + 1} total=${pages.length} box=${boxes[page]} load=${load}
      isMarked=${marked === page + 1} />`);
  }
  const commit = (event) => {
    const page = Number.parseInt(event.target.value, 10);
    setTyped(null);
    if (page >= 1 && page <= pages.length) goTo(page);
  };
  return html`<div class="v-pages">
    <div class="v-bar" role="toolbar" aria-label=${words("pages")}>
      <button type="button" class="v-icon-btn" aria-label=${words("previous_page")} title=${words("previous_page")}
        disabled=${current <= 0} onClick=${() => goTo(current)}>${icon("up")}</button>
      <button type="button" class="v-icon-btn" aria-label=${words("next_page")} title=${words("next_page")}
        disabled=${current >= pages.length - 1} onClick=${() => goTo(current + 2)}>${icon("down")}</button>
      <label class="v-page-number"><span class="v-offscreen">${words("page_number")}</span>
        <input inputmode="numeric" size="4" value=${typed ?? String(current + 1)}
          onInput=${(event) => setTyped(event.target.value)}
          onFocus=${(event) => event.target.select()} onBlur=${commit}
          onKeyDown=${(event) => event.key === "Enter" && commit(event)} />
        <span>${words("pages_total", { total: pages.length })}</span></label>
      <span class="v-space"></span>
      <button type="button" class="v-icon-btn" aria-label=${words("zoom_out")} title=${words("zoom_out")}
        disabled=${!smaller}
        onClick=${() => setZoom(smaller)}>${icon("minus")}</button>
      <output class="v-zoom" aria-label=${words("zoom")}>${Math.round(factor * 100)} %</output>
      <button type="button" class="v-icon-btn" aria-label=${words("zoom_in")} title=${words("zoom_in")}
        disabled=${!larger}
        onClick=${() => setZoom(larger)}>${icon("plus")}</button>
      <button type="button" class="v-text-btn" aria-pressed=${String(zoom === null)} onClick=${() => setZoom(null)}>
        ${words("zoom_fit")}</button>
      <button type="button" class="v-text-btn v-wide-only" aria-pressed=${String(zoom === 1)}
        onClick=${() => setZoom(1)}>${words("zoom_full")}</button>
    </div>
    <div class="v-pages-view" ref=${scroller} tabindex="0" role="region" aria-label=${name} onScroll=${onScroll}>
      <div class="v-pages-all" style=${{ height: `${bottom}px`, minWidth: `${Math.max(0, ...boxes.map((box) =>
        box.width)) + 2 * gap}px` }}>
        ${shown}
      </div>
    </div>
  </div>`;
}

/** Shows one page, or why it cannot be shown. */
function Page({ number, total, box, load, isMarked }) {
  const [address, setAddress] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const [attempt, setAttempt] = useState(0);
  const width = requestWidth(box.width * Math.min(2, globalThis.devicePixelRatio || 1));
  useEffect(() => {
    let isCurrent = true;
    setError(null);
    // A page that is scrolled past quickly is not requested.
    const timer = setTimeout(() => {
      load(number, width).then((one) => isCurrent && setAddress(one), (problem) => isCurrent && setError(problem));
    }, 80);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [load, number, width, attempt]);
  const label = words("page_of", { n: number, total });
  return html`<figure class=${`v-page${isMarked ? " v-page-marked" : ""}`}
    style=${{ top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px`,
      marginLeft: `${-box.width / 2}px` }}>
    ${error ? html`<div class="v-page-wait" role="alert"><p>${label}: ${errorText(error)}</p>
        <button type="button" class="btn v-btn" onClick=${() => setAttempt(attempt + 1)}>${words("retry")}</button>
          </div>`
      : address ? html`<img src=${address} alt=${label} width=${box.width} height=${box.height} decoding="async"
        draggable=${false}
          onError=${() => (setAddress(""), setError(new Error(words("failed"))))} />`
      : html`<div class="v-page-wait"><${Loading} label=${label} /></div>`}
  </figure>`;
}

/**
 * Shows a picture in its own size, or smaller so that it fits.
 * @param {{load: (page: number, width: number) => Promise<string>, name: string}} props
 */
function Picture({ load, name }) {
  const [address, setAddress] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    load(1, 1800).then((one) => isCurrent && setAddress(one), (problem) => isCurrent && setError(problem));
    return () => {
      isCurrent = false;
    };
  }, [load]);
  if (error) return html`<div class="v-message" role="alert"><p>${errorText(error)}</p></div>`;
  if (!address) return html`<${Loading} />`;
  return html`<div class="v-picture">
    <div class="v-bar"><span class="v-space"></span>
      <button type="button" class="v-text-btn" aria-pressed=${String(!isFull)} onClick=${() => setFull(false)}>
        ${words("zoom_fit")}</button>
      <button type="button" class="v-text-btn" aria-pressed=${String(isFull)} onClick=${() => setFull(true)}>
        ${words("zoom_full")}</button>
    </div>
    <div class="v-picture-view" tabindex="0" role="region" aria-label=${name}>
      <img class=${isFull ? "" : "v-fit"} src=${address} alt=${name} decoding="async"
        onError=${() => setError(new Error(words("failed")))} /></div>
  </div>`;
}

export { Pages, Picture, requestWidth };
