// Knows whether the server answers, and notices when it does again.
import { createStore } from "./store.js";

/** Time in milliseconds after which a connection that came back counts as steady. */
const CALM_MS = 10_000;
/** Longest time in milliseconds between two notices that the server answers again. */
const MOST_PAUSE_MS = 60_000;

/**
 * `online`: the server answers. `offline`: the browser has no network. `reconnecting`: the server does not answer.
 * `busy`: the server answers that it has too much to do. `expired`: a login is needed.
 * @typedef {{state: "online"|"offline"|"reconnecting"|"busy"|"expired", until: number}} Connection
 */

/** State of the connection. */
export const connection = createStore(/** @type {Connection} */ ({ state: "online", until: 0 }));

/** @type {Set<() => void>} */
const recoveries = new Set();
/** @type {any} */
let timer = null;
/** @type {any} */
let calm = null;
let attempt = 0;
let isProbing = false;
/** Whether a request failed since the server answered last. */
let isDoubted = false;
let noticed = 0;
let pause = 0;
/** @type {any} */
let notice = null;

/**
 * Calls `listener` when the server answers again after it did not. Returns a function that ends this.
 * @param {() => void} listener
 * @returns {() => void}
 */
export function onRecovered(listener) {
  recoveries.add(listener);
  return () => recoveries.delete(listener);
}

/** Notes that the server answered. */
export function serverAnswered() {
  const { state } = connection.get();
  if (state === "expired" || (state === "online" && !isDoubted)) return;
  stopProbing();
  // A server that answers only now and then is not asked in ever shorter intervals.
  clearTimeout(calm);
  calm = setTimeout(() => (attempt = 0), CALM_MS);
  isDoubted = false;
  if (state !== "online") connection.set({ state: "online", until: 0 });
  if (state !== "busy") noticeLater();
}

/**
 * Tells the listeners that the server answers again. What they then request can fail again while the rest of the server
 * answers, so each notice that follows soon waits longer than the one before.
 */
function noticeLater() {
  if (notice !== null) return;
  const now = Date.now();
  pause = now - noticed > pause + CALM_MS ? 0 : Math.min(Math.max(1000, pause * 2), MOST_PAUSE_MS);
  notice = setTimeout(() => {
    notice = null;
    noticed = Date.now();
    for (const listener of [...recoveries]) listener();
  }, pause);
}

/** Notes that a request had no answer. If the server answers nothing at all, it is asked until it does. */
export function serverDidNotAnswer() {
  const { state } = connection.get();
  if (state === "expired") return;
  clearTimeout(calm);
  isDoubted = true;
  if (navigator.onLine === false && state !== "offline") connection.set({ state: "offline", until: 0 });
  if (timer !== null || isProbing) return;
  // One request can fail alone. Only if the server does not answer the next one either, a person is told.
  if (attempt === 0) probe();
  else probeLater();
}

/**
 * Notes that the server has too much to do.
 * @param {number} seconds until it can be asked again
 */
export function serverIsBusy(seconds) {
  if (connection.get().state === "expired") return;
  const until = Date.now() + seconds * 1000;
  connection.set({ state: "busy", until });
  setTimeout(() => {
    const now = connection.get();
    if (now.state === "busy" && now.until === until) connection.set({ state: "online", until: 0 });
  }, seconds * 1000);
}

/** Notes that the server wants a login. */
export function loginIsNeeded() {
  stopProbing();
  connection.set({ state: "expired", until: 0 });
}

/** Notes that the user logged in. */
export function loggedIn() {
  connection.set({ state: "online", until: 0 });
}

/** Asks the server at once. */
export function probeNow() {
  stopProbing();
  attempt = 0;
  probe();
}

function stopProbing() {
  clearTimeout(timer);
  timer = null;
}

function probeLater() {
  const seconds = Math.min(0.5 * 2 ** attempt, 5);
  attempt += 1;
  timer = setTimeout(probe, seconds * 1000);
}

async function probe() {
  timer = null;
  if (isProbing) return;
  isProbing = true;
  try {
    const response = await fetch("/v1/session", { headers: { Accept: "application/json" }, cache: "no-store" });
    // A proxy answers with these while the server behind it is away.
    if (response.status === 502 || response.status === 504) throw new Error("gateway");
    if (response.status === 401) loginIsNeeded();
    else serverAnswered();
  } catch {
    const state = navigator.onLine === false ? "offline" : "reconnecting";
    if (connection.get().state !== state) connection.set({ state, until: 0 });
    probeLater();
  } finally {
    isProbing = false;
  }
}

/** Watches the browser's own knowledge of the network. */
export function watchNetwork() {
  window.addEventListener("offline", () => serverDidNotAnswer());
  window.addEventListener("online", () => {
    if (connection.get().state !== "online") probeNow();
  });
}
