// The runs that the page knows: the list, and the run that is shown with its events.
import { createStore, session } from "./store.js";
import { get, patch, del, events, onRunChanged, Problem } from "./api.js";
import { connection, onRecovered } from "./connection.js";
import { currentReader } from "./current_reader.js";
import { newRunState, applyEvent, updateRun, isActive } from "./run_state.js";

/** Runs of a page of the list. */
const PAGE = 30;
/** Interval in milliseconds in which the list is read again while the page is visible. */
const POLL_MS = 5_000;
/** Most runs whose events are kept in memory. */
const MOST_KEPT = 6;
/** Time in milliseconds after which waiting events are applied if the browser paints no frames, as in a hidden tab. */
const HIDDEN_MS = 300;

/**
 * `next`: where the list goes on; `undefined` at its end. `runs`: `null` until they are read.
 * @typedef {{runs: any[] | null, next: string | undefined, isLoading: boolean, problem: any}} RunList
 */

/** @type {RunList} */
const UNREAD = { runs: null, next: undefined, isLoading: false, problem: null };

/** All runs, newest first. */
export const runList = createStore(UNREAD);
/** The runs that match what is searched; `null` while nothing is searched. */
export const found = createStore(/** @type {(RunList & {text: string}) | null} */ (null));

/** Reads pages of runs, never as they were before this page renamed or deleted one. */
const pages = currentReader((/** @type {Record<string, any>} */ query) => get("/v1/runs", { query }));

/** Reads the first page of the list, and keeps the older runs that are known. */
export async function refreshRuns() {
  let page;
  try {
    page = await pages.read({ limit: PAGE });
  } catch (problem) {
    if (runList.get().runs === null) runList.set((list) => ({ ...list, problem }));
    return;
  }
  runList.set((list) => {
    const last = page.runs[page.runs.length - 1];
    const seen = new Set(page.runs.map((/** @type {any} */ it) => it.id));
    const known = list.runs || [];
    // Runs of this page that are missing were deleted elsewhere; older ones are on later pages.
    const at = last ? known.findIndex((it) => it.id === last.id) : -1;
    const older = page.next && at >= 0 ? known.slice(at + 1).filter((it) => !seen.has(it.id)) : [];
    const next = older.length > 0 ? list.next : page.next;
    return { runs: [...page.runs, ...older], next, isLoading: false, problem: null };
  });
  for (const run of page.runs) followElsewhere(run);
}

/** Reads the next page of the list, or of what was found. */
export async function moreRuns() {
  const isSearch = found.get() !== null;
  const store = /** @type {import("./store.js").Store<any>} */ (isSearch ? found : runList);
  const list = store.get();
  if (list.isLoading || !list.next) return;
  store.set({ ...list, isLoading: true });
  try {
    const page = await pages.read({ limit: PAGE, before: list.next, search: list.text });
    store.set((/** @type {any} */ now) => {
      if (!now || now.text !== list.text) return now;
      const seen = new Set(now.runs.map((/** @type {any} */ it) => it.id));
      const runs = [...now.runs, ...page.runs.filter((/** @type {any} */ it) => !seen.has(it.id))];
      return { ...now, runs, next: page.next, isLoading: false, problem: null };
    });
  } catch (problem) {
    store.set((/** @type {any} */ now) => now && { ...now, isLoading: false, problem });
  }
}

let searches = 0;

/**
 * Searches runs; an empty text ends the search.
 * @param {string} text
 */
export async function searchRuns(text) {
  searches += 1;
  const search = searches;
  if (text.trim() === "") {
    found.set(null);
    return;
  }
  found.set((list) => ({ runs: null, next: undefined, problem: null, ...list, text, isLoading: true }));
  try {
    const page = await pages.read({ limit: PAGE, search: text.trim() });
    if (search === searches) found.set({ text, runs: page.runs, next: page.next, isLoading: false, problem: null });
  } catch (problem) {
    if (search === searches) found.set({ text, runs: [], next: undefined, isLoading: false, problem });
  }
}

/**
 * Puts a run that is new or has changed into the list.
 * @param {any} run
 */
function putRun(run) {
  const put = (/** @type {any} */ list) => {
    if (!list?.runs) return list;
    const at = list.runs.findIndex((/** @type {any} */ it) => it.id === run.id);
    if (at >= 0) return { ...list, runs: list.runs.map((/** @type {any} */ it, /** @type {number} */ i) => (i === at
      ? { ...it, ...run } : it)) };
    return "text" in list ? list : { ...list, runs: [run, ...list.runs] };
  };
  runList.set(put);
  found.set(put);
}

/**
 * Renames a run.
 * @param {string} id
 * @param {string} title
 */
export async function renameRun(id, title) {
  const run = await patch(`/v1/runs/${encodeURIComponent(id)}`, { title });
  pages.changed();
  putRun(run);
}

/**
 * Deletes a run for good.
 * @param {string} id
 */
export async function deleteRun(id) {
  try {
    await del(`/v1/runs/${encodeURIComponent(id)}`);
  } catch (problem) {
    // It is gone, which is what was wanted.
    if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
  }
  pages.changed();
  kept.get(id)?.leave();
  kept.delete(id);
  const drop = (/** @type {any} */ list) =>
    list?.runs ? { ...list, runs: list.runs.filter((/** @type {any} */ it) => it.id !== id) } : list;
  runList.set(drop);
  found.set(drop);
}

/** @type {Map<string, LiveRun>} */
const kept = new Map();
/**
 * Instructions that this page sent, by run: the server shows them only when the run begins.
 * @type {Map<string, string>}
 */
const sent = new Map();

/**
 * Remembers the instruction of a run that was just created, so that it is shown at once.
 * @param {string} id
 * @param {string | undefined} instruction
 */
export function rememberInstruction(id, instruction) {
  if (instruction) sent.set(id, instruction);
}

/**
 * Returns how many instructions with this text the page knows of a run.
 * @param {string} id
 * @param {string} text
 * @returns {number}
 */
export function countInstructions(id, text) {
  return (kept.get(id)?.store.get().state?.turns ?? []).filter((it) => it.instruction === text).length;
}

/**
 * What is known of a run that is shown. `live`: whether its events arrive.
 * @typedef {{state: import("./run_state.js").State | null, problem: any, live:
 *   "loading"|"open"|"reconnecting"|"closed"}} Shown
 */

/** A run that is shown, with its stream of events. */
class LiveRun {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
    this.store = createStore(/** @type {Shown} */ ({ state: null, problem: null, live: "loading" }));
    /** @type {{close: () => void} | null} */
    this.stream = null;
    /** @type {any[]} */
    this.waiting = [];
    /** @type {any} */
    this.timer = null;
    this.frame = 0;
    this.isShown = false;
    /** @type {Promise<void> | null} */
    this.loading = null;
  }

  /** @param {Partial<Shown>} changes */
  show(changes) {
    this.store.set((shown) => ({ ...shown, ...changes }));
  }

  /** Begins to show the run. */
  enter() {
    this.isShown = true;
    if (this.store.get().state) this.follow();
    else this.load();
  }

  /** Ends the stream. What arrived is kept. */
  leave() {
    this.isShown = false;
    this.stream?.close();
    this.stream = null;
    this.flush();
  }

  /** Reads the run. While it is being read, it is not read a second time: that would replace a state that is followed. */
  load() {
    this.loading ??= this.read().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  async read() {
    this.show({ problem: null, live: "loading" });
    try {
      const run = await get(`/v1/runs/${encodeURIComponent(this.id)}`);
      this.show({ state: newRunState(run, { instruction: sent.get(this.id) }) });
      putRun(run);
      if (this.isShown) this.follow();
    } catch (problem) {
      this.show({ problem, live: "closed" });
    }
  }

  follow() {
    const { state } = this.store.get();
    if (!state || this.stream || !this.isShown) return;
    this.stream = events(this.id, state.lastNumber, {
      onEvent: (event) => this.received(event),
      onState: (now) => this.streamIs(now),
    });
  }

  /** @param {any} event */
  received(event) {
    this.waiting.push(event);
    if (this.timer !== null) return;
    // One rendering for all events of a frame.
    this.timer = setTimeout(() => this.flush(), HIDDEN_MS);
    this.frame = requestAnimationFrame(() => this.flush());
  }

  flush() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.timer = null;
    const { state } = this.store.get();
    if (!state || this.waiting.length === 0) return;
    const before = state.status;
    for (const event of this.waiting.splice(0)) applyEvent(state, event);
    this.show({ state });
    if (state.status !== before) putRun({ id: this.id, status: state.status });
  }

  /** @param {"open"|"reconnecting"|"closed"|"gone"|"reset"} now */
  async streamIs(now) {
    if (now === "open" || now === "reconnecting") {
      this.show({ live: now });
      return;
    }
    this.flush();
    this.stream = null;
    if (now === "gone") {
      const problem = new Problem({ status: 404, code: "not_found", detail: this.id });
      this.show({ problem, live: "closed" });
      return;
    }
    if (now === "reset") {
      // The server lost its last events, such as by a power failure: what it still has counts.
      this.show({ state: null });
      this.load();
      return;
    }
    this.show({ live: "closed" });
    try {
      const run = await get(`/v1/runs/${encodeURIComponent(this.id)}`, { quiet: true });
      this.changed(run);
      putRun(run);
    } catch {
      // The events said everything; this would have brought newer links only.
    }
  }

  /**
   * Takes over a newer description, and follows the run again if it works again.
   * @param {any} run
   */
  changed(run) {
    const { state, live } = this.store.get();
    if (!state) return;
    const before = state.run.updated_ms;
    updateRun(state, run);
    this.show({ state });
    if (this.stream === null && live === "closed" && (isActive(run.status) || run.updated_ms > before)) this.follow();
  }
}

/**
 * Returns the run with its events, which are kept for the last few runs.
 * @param {string} id
 * @returns {LiveRun}
 */
export function liveRun(id) {
  const known = kept.get(id) || new LiveRun(id);
  kept.delete(id);
  kept.set(id, known);
  for (const [old, run] of kept) {
    if (kept.size <= MOST_KEPT) break;
    if (!run.isShown && old !== id) kept.delete(old);
  }
  return known;
}

/** Notices that a run which is shown goes on in another tab. @param {any} run */
function followElsewhere(run) {
  const shown = kept.get(run.id);
  const state = shown?.store.get().state;
  if (!shown || !state || !shown.isShown || shown.stream) return;
  if (run.updated_ms > (state.run.updated_ms || 0) || isActive(run.status)) shown.changed(run);
}

/** Begins to keep the list up to date. Returns a function that ends this. */
export function watchRuns() {
  const poll = () => {
    const isBusy = connection.get().state !== "online";
    if (document.visibilityState === "visible" && session.get() && !isBusy) refreshRuns();
  };
  const timer = setInterval(poll, POLL_MS);
  document.addEventListener("visibilitychange", poll);
  const ends = [
    onRecovered(() => refreshRuns()),
    onRunChanged((run) => {
      putRun(run);
      kept.get(run.id)?.changed(run);
    }),
  ];
  refreshRuns();
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", poll);
    for (const end of ends) end();
  };
}
