// Small parts that the views of the viewer share: sizes of elements, icons, safe text, messages of errors.
import { html, useEffect, useLayoutEffect, useState } from "./ui.js";
import { hiddenCharacters } from "./characters.js";
import { words } from "./viewer_words.js";

/** Letters that are written from right to left, and the marks of direction that such texts need. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const MARKS = ["U+200E", "U+200F", "U+061C"];

/**
 * Returns text in which each character that hides or turns text is replaced by its code, such as `U+202E`, so that a name
 * cannot pretend to be another one. Marks of direction stay in texts with letters of Arabic or Hebrew.
 * @param {any} text
 * @returns {string}
 */
function safeText(text) {
  const string = typeof text === "string" ? text : String(text ?? "");
  let hidden = hiddenCharacters(string);
  if (hidden.length > 0 && RIGHT_TO_LEFT.test(string)) hidden = hidden.filter((it) => !MARKS.includes(it.code));
  let safe = "";
  let last = 0;
  for (const { index, length, code } of hidden) {
    safe += string.slice(last, index) + code;
    last = index + length;
  }
  return last === 0 ? string : safe + string.slice(last);
}

/**
 * Returns the size of an element in pixels without its scroll bars, and follows its changes.
 * @param {{current: any}} ref
 * @returns {{width: number, height: number}}
 */
function useSize(ref) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}

/**
 * Returns `true` if the element is dark, and follows changes of the theme.
 * @param {{current: any}} ref
 */
function useDark(ref) {
  const [isDark, setDark] = useState(false);
  useEffect(() => {
    const check = () => {
      const color = ref.current ? getComputedStyle(ref.current).backgroundColor : "";
      const parts = color.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255];
      setDark(luminance(parts[0], parts[1], parts[2]) < 0.18);
    };
    check();
    const observer = new MutationObserver(check);
    observer.observe(document.documentElement, { attributes: true });
    const media = matchMedia("(prefers-color-scheme: dark)");
    media.addEventListener("change", check);
    return () => (observer.disconnect(), media.removeEventListener("change", check));
  }, [ref]);
  return isDark;
}

/**
 * Returns the relative luminance of WCAG for parts of 0 to 255.
 * @param {number} red
 * @param {number} green
 * @param {number} blue
 */
function luminance(red, green, blue) {
  const [r, g, b] = [red, green, blue].map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * Returns the luminance of a colour such as `#ffcc00`; `null` if it is none.
 * @param {any} color
 * @returns {number | null}
 */
function colorLuminance(color) {
  if (typeof color !== "string" || !/^#[0-9a-f]{6}$/i.test(color)) return null;
  return luminance(...(/** @type {[number, number, number]} */ ([1, 3, 5].map((at) =>
    parseInt(color.slice(at, at + 2), 16)))));
}

const PATHS = {
  download: "M8 2v8m0 0 3-3m-3 3L5 7M2.5 12.5h11",
  copy: "M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z",
  minus: "M3 8h10",
  plus: "M3 8h10M8 3v10",
  up: "m3.5 10 4.5-4.5L12.5 10",
  down: "m3.5 6 4.5 4.5L12.5 6",
  left: "M10 3.5 5.5 8l4.5 4.5",
  close: "m4 4 8 8m0-8-8 8",
  expand: "M9.5 2.5h4v4m0-4-5 5m-2 6h-4v-4m0 4 5-5",
  shrink: "M13.5 6.5h-4v-4m0 4 4-4m-11 7h4v4m0-4-4 4",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9m3.3 7.8 3.2 3.2",
  chart: "M2.5 2.5v11h11M5.5 11V7.5m3 3.5V5m3 6V3.5",
  warning: "M8 2 1.5 13.5h13zM8 6.5v3.5m0 1.6v.4",
  sheet: "M2.5 2.5h11v11h-11zm0 4h11m-11 3.5h11M6.5 2.5v11",
  document: "M3.5 1.5h6l3 3v10h-9zm6 0v3h3M6 8h4.5M6 10.5h4.5",
  picture: "M2.5 2.5h11v11h-11zm0 9 3.5-4 3 3 2-2 2.5 2.5M10.5 5.5h.1",
  compare: "M5.5 2.5h-3v11h3m5-11h3v11h-3M8 1v14",
  check: "m3 8.5 3.2 3L13 4.5",
};

/**
 * Draws an icon. It says nothing to screen readers, so that its button needs a label.
 * @param {keyof typeof PATHS} name
 */
function icon(name) {
  return html`<svg class="v-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d=${PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round"
      stroke-linejoin="round" />
  </svg>`;
}

/**
 * Returns what an error says to people.
 * @param {any} error
 * @returns {string}
 */
function errorText(error) {
  const text = error?.detail || error?.message || String(error ?? "");
  return safeText(error?.hint ? `${text} ${error.hint}` : text);
}

/**
 * Shows that something could not be loaded, and offers to try again.
 * @param {{error: any, onRetry?: () => void, title?: string}} props
 */
function Failure({ error, onRetry, title }) {
  return html`<div class="v-message" role="alert">
    <p class="v-message-title">${title ?? words("failed")}</p>
    <p>${safeText(error?.detail || error?.message || String(error ?? ""))}</p>
    ${error?.hint && html`<p>${safeText(error.hint)}</p>`}
    ${onRetry && html`<button type="button" class="btn v-btn" onClick=${onRetry}>${words("retry")}</button>`}
  </div>`;
}

/** Shows that something is being loaded. @param {{label?: string}} props */
function Loading({ label }) {
  return html`<div class="v-loading" role="status">
    <span class="v-spinner" aria-hidden="true"></span><span>${label ?? words("loading")}</span>
  </div>`;
}

/**
 * Copies text, also where the browser has no clipboard for scripts (plain HTTP, sandboxed frames).
 * @param {string} text
 * @returns {Promise<boolean>}
 */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "v-offscreen";
    document.body.append(area);
    area.select();
    let done = false;
    try {
      done = document.execCommand("copy");
    } catch {
      // `done` stays `false`.
    }
    area.remove();
    focused?.focus();
    return done;
  }
}

export { safeText, useSize, useDark, colorLuminance, icon, errorText, Failure, Loading, copyText };
