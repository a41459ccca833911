// Shows the text of a document: Markdown in sections (pages, slides, chapters), loaded in pieces when they come near
// the view, with a list to jump to sections and a search in the text.
import { html, useCallback, useEffect, useMemo, useReducer, useRef, useState } from "./ui.js";
import { Markdown } from "./markdown.js";
import { errorText, icon, Loading, safeText } from "./parts.js";
import { words } from "./viewer_words.js";
import { formatNumber } from "./i18n_core.js";

/** Characters of one request. */
const CHUNK = 20000;
/** Characters of a rendered piece, which is not rendered again when more of the text arrives. */
const PIECE = 8000;
/** Documents up to this many characters are loaded in full for a search. */
const MAX_SEARCHED = 2000000;
const MAX_MATCHES = 2000;

/**
 * Splits Markdown into pieces that can be rendered one by one: at blank lines outside of code blocks.
 * @param {string} text
 * @param {number} [size] characters from which a piece may end
 * @returns {string[]}
 */
function splitPieces(text, size = PIECE) {
  const pieces = [];
  let start = 0;
  let at = 0;
  let fence = "";
  while (at < text.length) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text.slice(at, Math.min(end, at + 40)))?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && fence && mark[0] === fence[0] && mark.length >= fence.length) fence = "";
    const isBlank = text.slice(at, end).trim() === "";
    at = end + 1;
    // An indented line after the blank one can belong to a list, whose numbers must go on.
    if (isBlank && !fence && at - start >= size && !/^(\s|[-*+]\s|\d+[.)]\s)/.test(text.slice(at, at + 12))) {
      pieces.push(text.slice(start, at));
      start = at;
    }
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}

/**
 * Returns the sections of a text: from each place to the next.
 * @param {{label: string, offset: number}[]} places
 * @param {number} characters
 * @returns {{label: string, from: number, to: number}[]}
 */
function sectionsOf(places, characters) {
  const sorted = places.filter((place) => place.offset >= 0 && place.offset < characters).sort((a, b) =>
    a.offset - b.offset);
  const sections = sorted.map((place, at) => ({
    label: safeText(place.label), from: place.offset, to: sorted[at + 1]?.offset ?? characters,
  }));
  const first = sections[0]?.from ?? characters;
  if (first > 0 && characters > 0) sections.unshift({ label: "", from: 0, to: first });
  return sections;
}

/**
 * Returns words of Markdown near an offset as they are shown, to find them in the rendered text.
 * @param {string} text
 * @param {number} offset in characters as the server counts them, which are code points
 */
function excerptAt(text, offset) {
  const from = [...text.slice(0, offset * 2)].slice(0, offset).join("").length;
  const line = text.slice(from, from + 400).split("\n").find((one) => /[\p{L}\p{N}]/u.test(one)) ?? "";
  const plain = line.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").split(/[|*_`#\\<>[\]]/).map((one) => one.trim());
  return (plain.find((one) => /[\p{L}\p{N}]/u.test(one)) ?? "").slice(0, 60);
}

/**
 * Shows a text.
 * @param {{outline: any, load: (offset: number, length: number) => Promise<{text: string, offset: number, total:
 *   number}>,
 *   name: string, target?: {offset: number} | null}} props
 */
function TextView({ outline, load, name, target }) {
  const scroller = useRef(/** @type {any} */ (null));
  const [, repaint] = useReducer((count) => count + 1, 0);
  const characters = outline.characters ?? 0;
  const sections = useMemo(() => sectionsOf(outline.places ?? [], characters), [outline]);
  const loaded = useMemo(() =>
    sections.map(() => ({ text: "", at: 0, isBusy: false, error: /** @type {any} */ (null) })), [sections]);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  const loadMore = useCallback(async (index) => {
    const [section, part] = [sections[index], loaded[index]];
    if (!section || part.isBusy || section.from + part.at >= section.to) return;
    part.isBusy = true;
    part.error = null;
    const length = Math.min(CHUNK, section.to - section.from - part.at);
    try {
      const chunk = await load(section.from + part.at, length);
      part.text += chunk.text;
      part.at += length;
    } catch (error) {
      part.error = error;
    }
    part.isBusy = false;
    if (isOpen.current) repaint(undefined);
  }, [sections, loaded, load]);

  /** Loads all of a section up to an offset in it. */
  const loadTo = async (index, offset) => {
    while (isOpen.current && loaded[index] && !loaded[index].error
      && loaded[index].at < Math.min(offset + 1, sections[index].to - sections[index].from)) {
      if (loaded[index].isBusy) await new Promise((done) => setTimeout(done, 50));
      else await loadMore(index);
    }
  };

  // Sections near the view are loaded, and the ends of long ones.
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) loadMore(Number(/** @type {HTMLElement} */ (entry.target).dataset.section));
      }
    }, { root: scroller.current, rootMargin: "800px 0px" });
    for (const element of scroller.current?.querySelectorAll("[data-section]") ?? []) observer.observe(element);
    return () => observer.disconnect();
  });

  const goTo = (index) =>
    scroller.current?.querySelector(`#${CSS.escape(`v-section-${index}`)}`)?.scrollIntoView({ block: "start" });
  useEffect(() => {
    if (target?.offset === undefined || sections.length === 0) return;
    const index = Math.max(0, sections.findLastIndex((section) => section.from <= target.offset));
    const inside = target.offset - sections[index].from;
    goTo(index);
    loadTo(index, inside + 400).then(() => requestAnimationFrame(() => {
      const root = scroller.current?.querySelector(`#${CSS.escape(`v-section-${index}`)}`);
      if (!root) return;
      const range = findRanges(root, excerptAt(loaded[index].text, inside), 1)[0];
      goTo(index);
      if (range) {
        highlight("v-target", [range]);
        scrollToRange(range, scroller.current);
      }
    }));
  }, [target, sections]);
  useEffect(() => () => (highlight("v-target", []), highlight("v-find", []), highlight("v-found", [])), []);

  if (sections.length === 0) return html`<div class="v-message"><p>${words("empty_file")}</p></div>`;
  const loadAll = async () => {
    if (characters > MAX_SEARCHED) return;
    for (let index = 0; index < sections.length && isOpen.current; index++) await loadTo(index, Infinity);
  };
  return html`<div class="v-text">
    <div class="v-bar">
      ${sections.length > 1 && html`<label class="v-places"><span class="v-offscreen">${words("places")}</span>
        <select onChange=${(event) => (goTo(Number(event.target.value)), (event.target.selectedIndex = 0))}>
          <option selected disabled>${words("places")}</option>
          ${sections.map((section, index) => html`<option key=${index} value=${index}>${section.label
            || words("start")}</option>`)}
        </select></label>`}
      <span class="v-space"></span>
      <${Find} root=${scroller} loadAll=${loadAll} />
    </div>
    <div class="v-text-view" ref=${scroller} tabindex="0" role="region" aria-label=${name}>
      ${sections.map((section, index) => html`<${Section} key=${index} index=${index} section=${section}
        part=${loaded[index]}
        text=${loaded[index].text} error=${loaded[index].error} hasHead=${sections.length > 1}
          onRetry=${() => loadMore(index)} />`)}
    </div>
  </div>`;
}

/** Shows a section as far as it is loaded. */
function Section({ index, section, part, text, error, hasHead, onRetry }) {
  const known = useRef(/** @type {Map<string, any>} */ (new Map()));
  const pieces = useMemo(() => splitPieces(text), [text]);
  // A piece that did not change is the same node, so that nothing of it is rendered again.
  const nodes = pieces.map((piece, at) => {
    const key = `${at}:${piece.length}:${piece.slice(0, 64)}`;
    let node = known.current.get(key);
    if (!node || node.text !== piece) {
      node = { text: piece, view: html`<div class="v-piece" key=${at}><${Markdown} text=${piece} headingOffset=${2} />
        </div>` };
      known.current.set(key, node);
    }
    return node.view;
  });
  const isComplete = section.from + part.at >= section.to;
  const missing = section.to - section.from - part.at;
  return html`<section id=${`v-section-${index}`} class="v-section" aria-label=${section.label || undefined}>
    ${hasHead && section.label && html`<div class="v-section-head"><span dir="auto">${section.label}</span></div>`}
    ${nodes}
    ${error ? html`<div class="v-strip" role="alert">${icon("warning")}<span>${errorText(error)}</span>
        <button type="button" class="btn v-btn" onClick=${onRetry}>${words("retry")}</button></div>`
      : !isComplete && html`<div data-section=${index} class="v-more"
        style=${{ minHeight: `${Math.min(4000, 60 + missing / 4)}px` }}>
        <${Loading} /></div>`}
  </section>`;
}

/** Finds text in what is shown. */
function Find({ root, loadAll }) {
  const [text, setText] = useState("");
  const [found, setFound] = useState(/** @type {{ranges: Range[], at: number} | null} */ (null));
  const timer = useRef(0);
  const run = useRef("");
  const search = async (wanted) => {
    run.current = wanted;
    if (!wanted) {
      highlight("v-find", []);
      highlight("v-found", []);
      return setFound(null);
    }
    show(findRanges(root.current, wanted, MAX_MATCHES), 0);
    await loadAll();
    // Views of what was just loaded are rendered in the next frame.
    return requestAnimationFrame(() => requestAnimationFrame(() => {
      if (run.current === wanted && root.current) show(findRanges(root.current, wanted, MAX_MATCHES), 0);
    }));
  };
  const show = (ranges, at) => {
    highlight("v-find", ranges);
    highlight("v-found", ranges[at] ? [ranges[at]] : []);
    if (ranges[at]) scrollToRange(ranges[at], root.current);
    setFound({ ranges, at });
  };
  const move = (step) => {
    if (!found || found.ranges.length === 0) return;
    show(found.ranges, (found.at + step + found.ranges.length) % found.ranges.length);
  };
  const onInput = (event) => {
    const wanted = event.target.value;
    setText(wanted);
    clearTimeout(timer.current);
    timer.current = /** @type {any} */ (setTimeout(() => search(wanted.trim()), 200));
  };
  const onKeyDown = (event) => {
    if (event.key === "Enter") event.preventDefault(), move(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && text) event.stopPropagation(), setText(""), search("");
  };
  const count = found && (found.ranges.length === 0 ? words("find_none")
    : words("find_count", {
      n: formatNumber(found.at + 1), total: formatNumber(found.ranges.length) + (found.ranges.length >= MAX_MATCHES
        ? "+" : ""),
    }));
  return html`<div class="v-find" role="search" aria-label=${words("find")}>
    ${icon("search")}
    <input type="search" placeholder=${words("find")} aria-label=${words("find")} value=${text} onInput=${onInput}
      onKeyDown=${onKeyDown} />
    <span class="v-find-count" role="status">${count}</span>
    ${found && found.ranges.length > 1 && html`
      <button type="button" class="v-icon-btn" aria-label=${words("find_previous")} title=${words("find_previous")}
        onClick=${() => move(-1)}>${icon("up")}</button>
      <button type="button" class="v-icon-btn" aria-label=${words("find_next")} title=${words("find_next")}
        onClick=${() => move(1)}>${icon("down")}</button>`}
  </div>`;
}

/**
 * Finds text in the nodes of an element without changing them. A match may reach over several nodes.
 * @param {Element} root
 * @param {string} wanted
 * @param {number} most
 * @returns {Range[]}
 */
function findRanges(root, wanted, most) {
  const ranges = [];
  if (!wanted) return ranges;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  let all = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    // Lowering some letters changes their number, so that positions would not fit.
    const text = node.nodeValue ?? "";
    const lower = text.toLowerCase();
    nodes.push({ node, from: all.length });
    all += lower.length === text.length ? lower : text;
  }
  const needle = wanted.toLowerCase();
  let index = 0;
  for (let at = all.indexOf(needle); at >= 0 && ranges.length < most; at = all.indexOf(needle, at + needle.length)) {
    while (index + 1 < nodes.length && nodes[index + 1].from <= at) index++;
    let end = index;
    while (end + 1 < nodes.length && nodes[end + 1].from < at + needle.length) end++;
    const range = document.createRange();
    range.setStart(nodes[index].node, at - nodes[index].from);
    range.setEnd(nodes[end].node, at + needle.length - nodes[end].from);
    ranges.push(range);
  }
  return ranges;
}

/**
 * Marks ranges where the browser can, without a change of the document.
 * @param {string} name
 * @param {Range[]} ranges
 */
function highlight(name, ranges) {
  const registry = /** @type {any} */ (CSS).highlights;
  if (!registry) return;
  if (ranges.length === 0) registry.delete(name);
  else registry.set(name, new /** @type {any} */ (globalThis).Highlight(...ranges));
}

/** @param {Range} range @param {HTMLElement} scroller */
function scrollToRange(range, scroller) {
  const [box, view] = [range.getBoundingClientRect(), scroller.getBoundingClientRect()];
  if (box.top < view.top + 40
    || box.bottom > view.bottom - 40) scroller.scrollTop += box.top - view.top - scroller.clientHeight / 3;
}

export { TextView, splitPieces, sectionsOf, excerptAt };
