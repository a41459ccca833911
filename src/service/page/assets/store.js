// Small stores that views watch, and what the page keeps in the browser: the route in the address, drafts, the theme.
import { useState, useEffect } from "./viewer/ui.js";

/**
 * A value that views watch.
 * @template T
 * @typedef {{get: () => T, set: (value: T | ((value: T) => T)) => void, subscribe: (listener: () => void) => () =>
 *   void}} Store
 */

/**
 * Makes a store.
 * @template T
 * @param {T} value
 * @returns {Store<T>}
 */
export function createStore(value) {
  /** @type {Set<() => void>} */
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      const changed = typeof next === "function" ? /** @type {(value: T) => T} */ (next)(value) : next;
      if (changed === value) return;
      value = changed;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Returns the value of a store, and renders the view again when it changes.
 * @template T
 * @param {Store<T>} store
 * @returns {T}
 */
export function useStore(store) {
  const [, redraw] = useState(0);
  const shown = store.get();
  useEffect(() => {
    const end = store.subscribe(() => redraw((n) => n + 1));
    // The store may have changed between the rendering and this effect.
    if (store.get() !== shown) redraw((n) => n + 1);
    return end;
  }, [store]);
  return shown;
}

/**
 * What the server offers: the answer of `GET /v1/session`; `null` until it is known.
 * @typedef {{tenant: string, login: "none"|"token"|"link", may_manage: boolean, version: string,
 *   models: {name: string, provider: string, is_default: boolean}[],
 *   limits: {upload_bytes?: number, document_bytes?: number, documents?: number}, fetch: boolean}} Session
 * @type {Store<Session | null>}
 */
export const session = createStore(null);

/**
 * A place in a file.
 * @typedef {{sheet?: number, row?: number, column?: number, page?: number, offset?: number}} Target
 * A file or document that the files panel shows.
 * @typedef {{name: string, kind: "file"|"document", target?: Target}} OpenFile
 * Where the user is.
 * @typedef {{name: "new"|"run"|"tools"|"settings"|"expired-link"|"unknown", run?: string, tool?: string, open:
 *   OpenFile | null}} Route
 */

/**
 * Reads a route from the part of the address after `#`.
 * @param {string} hash
 * @returns {Route}
 */
export function parseRoute(hash) {
  const text = hash.replace(/^#/, "");
  const [path, query] = splitOnce(text, "?");
  const open = parseOpen(new URLSearchParams(query));
  const parts = path.split("/").filter(Boolean).map(decode);
  if (parts.length === 0) return { name: "new", open: null };
  if (parts[0] === "runs" && parts.length === 2) return { name: "run", run: parts[1], open };
  if (parts[0] === "tools" && parts.length <= 2) return { name: "tools", tool: parts[1], open: null };
  if (parts[0] === "settings" && parts.length === 1) return { name: "settings", open: null };
  // The server leads here from a one-time link that was used before.
  if (parts[0] === "expired-link" && parts.length === 1) return { name: "expired-link", open: null };
  return { name: "unknown", open: null };
}

/**
 * Returns the address of a route, with `#`.
 * @param {Partial<Route>} route
 * @returns {string}
 */
export function routeAddress(route) {
  switch (route.name) {
    case "run":
      return `#/runs/${encodeURIComponent(route.run || "")}${openQuery(route.open)}`;
    case "tools":
      return route.tool ? `#/tools/${encodeURIComponent(route.tool)}` : "#/tools";
    case "settings":
      return "#/settings";
    default:
      return "#/";
  }
}

const PLACES = /** @type {const} */ (["sheet", "row", "column", "page", "offset"]);

/** @param {URLSearchParams} query @returns {OpenFile | null} */
function parseOpen(query) {
  const file = query.get("file");
  const name = file ?? query.get("document");
  if (!name) return null;
  /** @type {Target} */
  const target = {};
  for (const place of PLACES) {
    const value = query.get(place);
    if (value !== null && /^\d{1,15}$/.test(value)) target[place] = Number(value);
  }
  const kind = file === null ? "document" : "file";
  return Object.keys(target).length > 0 ? { name, kind, target } : { name, kind };
}

/** @param {OpenFile | null | undefined} open */
function openQuery(open) {
  if (!open) return "";
  const query = new URLSearchParams();
  query.set(open.kind === "document" ? "document" : "file", open.name);
  for (const place of PLACES) {
    const value = open.target && open.target[place];
    if (typeof value === "number") query.set(place, String(value));
  }
  return `?${query}`;
}

/** @param {string} text @param {string} mark @returns {[string, string]} */
function splitOnce(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @type {Store<Route>} */
export const route = createStore(parseRoute(typeof location === "undefined" ? "" : location.hash));

/**
 * Goes to a route.
 * @param {Partial<Route> | string} to a route or an address such as `#/tools`
 * @param {{replace?: boolean}} [options] `replace: true` leaves no entry in the history.
 */
export function navigate(to, options = {}) {
  const address = typeof to === "string" ? to : routeAddress(to);
  if (options.replace) history.replaceState(null, "", address);
  else if (location.hash !== address) history.pushState(null, "", address);
  route.set(parseRoute(address));
}

/**
 * Opens a file or a document of the shown run in the files panel.
 * @param {OpenFile} open
 */
export function openFile(open) {
  const now = route.get();
  if (now.name === "run") navigate({ ...now, open });
}

/** Closes the files panel. */
export function closeFile() {
  const now = route.get();
  if (now.name === "run" && now.open) navigate({ ...now, open: null }, { replace: true });
}

/** Begin of the keys of drafts in `sessionStorage`. */
const DRAFT = "mitt.draft.";

/**
 * Returns the draft of a text that is being written; an empty text if there is none.
 * @param {string} key
 * @returns {string}
 */
export function loadDraft(key) {
  try {
    return sessionStorage.getItem(`${DRAFT}${key}`) || "";
  } catch {
    return "";
  }
}

/**
 * Keeps the draft of a text until the tab is closed.
 * @param {string} key
 * @param {string} text
 */
export function saveDraft(key, text) {
  if (isLeaving) return;
  try {
    if (text) sessionStorage.setItem(`${DRAFT}${key}`, text);
    else sessionStorage.removeItem(`${DRAFT}${key}`);
  } catch {
    // A browser without storage keeps no drafts.
  }
}

/** Forgets all drafts of the tab. */
export function forgetDrafts() {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFT)) sessionStorage.removeItem(key);
  } catch {
    // A browser without storage keeps no drafts.
  }
}

/** `true` as soon as the page is being loaded anew for another user. Then it keeps nothing. */
let isLeaving = false;

/** Returns `true` if the page is being loaded anew for another user. */
export const isLeft = () => isLeaving;

/** Forgets what the page knows of its user, in memory and in the storage of the tab: it is loaded anew at its start. */
export function leave() {
  isLeaving = true;
  forgetDrafts();
  // Until the new page is there, the next user must not see this one.
  document.body.hidden = true;
  location.replace("/");
}

/**
 * Returns a kept choice of the user.
 * @param {string} key
 * @returns {string | null}
 */
export function loadChoice(key) {
  try {
    return localStorage.getItem(`mitt.${key}`);
  } catch {
    return null;
  }
}

/**
 * Keeps a choice of the user; `null` forgets it.
 * @param {string} key
 * @param {string | null} value
 */
export function saveChoice(key, value) {
  try {
    if (value === null) localStorage.removeItem(`mitt.${key}`);
    else localStorage.setItem(`mitt.${key}`, value);
  } catch {
    // A browser without storage forgets it when the page is closed.
  }
}

/** @typedef {"auto"|"light"|"dark"} Theme */

/** @type {Store<Theme>} */
export const theme = createStore(themeOf(loadChoice("theme")));

/** @param {string | null} name @returns {Theme} */
function themeOf(name) {
  return name === "light" || name === "dark" ? name : "auto";
}

/**
 * Sets the theme, and keeps the choice.
 * @param {Theme} name
 */
export function setTheme(name) {
  saveChoice("theme", name === "auto" ? null : name);
  theme.set(themeOf(name));
}
