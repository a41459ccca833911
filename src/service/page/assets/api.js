// Requests of the page to its own server: JSON, uploads, and the events of a run.
import { parseFaithful } from "./exact_json.js";
import { serverAnswered, serverDidNotAnswer, serverIsBusy, loginIsNeeded, onRecovered } from "./connection.js";

/** Size in bytes from which a file is uploaded in pieces. */
const PIECES_FROM = 8 * 1024 * 1024;
/** Size in bytes of a piece. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** Most attempts in a row for a piece without progress. */
const MOST_ATTEMPTS = 12;
/** Time in milliseconds without a byte after which a stream counts as dead; the server sends a comment every 15 s. */
const SILENCE_MS = 45_000;

/** A request that was refused or failed: a problem of RFC 9457, or `offline` if the server did not answer. */
export class Problem extends Error {
  /**
   * @param {{status: number, code: string, detail: string, hint?: string, errors?: {pointer: string, detail: string}[],
   *   retryAfter?: number}} fields
   */
  constructor({ status, code, detail, hint, errors, retryAfter }) {
    super(detail);
    this.name = "Problem";
    /** Status of the response; 0 if there was none. */
    this.status = status;
    /** Stable code, such as `not_found`. */
    this.code = code;
    /** What is wrong with the request. */
    this.detail = detail;
    /** The way out; `undefined` if the server knows none. */
    this.hint = hint;
    /** All problems of a wrong body. */
    this.errors = errors || [];
    /** Seconds after which the request may be sent again; `undefined` if it is of no use. */
    this.retryAfter = retryAfter;
  }
}

/**
 * @typedef {{signal?: AbortSignal, query?: Record<string, string | number | boolean | undefined | null>,
 *   headers?: Record<string, string>, is_login?: boolean, quiet?: boolean}} Options
 * `quiet: true` leaves the state of the connection alone. `is_login: true`: a 401 is the answer to a wrong token.
 */

/** @type {Set<(run: any) => void>} */
const runWatchers = new Set();

/**
 * Calls `listener` with each run that a request of this page created or changed. Returns a function that ends this.
 * @param {(run: any) => void} listener
 * @returns {() => void}
 */
export function onRunChanged(listener) {
  runWatchers.add(listener);
  return () => runWatchers.delete(listener);
}

/** @param {string} method @param {string} path @param {any} value */
function noticeRun(method, path, value) {
  if (method === "GET" || typeof value?.id !== "string" || typeof value.status !== "string") return;
  if (!path.startsWith("/v1/runs") && !path.startsWith("/v1/examples/")) return;
  for (const listener of [...runWatchers]) listener(value);
}

/** @param {string} path @param {Options["query"]} [query] */
function address(path, query) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query || {})) {
    if (value !== undefined && value !== null && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text ? `${path}${path.includes("?") ? "&" : "?"}${text}` : path;
}

/**
 * Returns the problem of a response that is no success.
 * @param {number} status
 * @param {string} body
 * @param {string | null} retryAfter
 * @returns {Problem}
 */
function problemOf(status, body, retryAfter) {
  /** @type {any} */
  let value = {};
  try {
    value = JSON.parse(body) || {};
  } catch {
    // Refusals before the service, such as of a wrong `Host`, are plain text.
    value = { detail: body.slice(0, 500) };
  }
  // The interfaces of OpenAI have their own form of errors.
  if (value.error && typeof value.error === "object") value = { code: value.error.code, detail: value.error.message };
  const seconds = Number(value.retry_after ?? retryAfter ?? NaN);
  return new Problem({
    status,
    code: value.code || (status === 502 || status === 504 ? "offline" : `status_${status}`),
    detail: value.detail || value.title || `status ${status}`,
    hint: value.hint,
    errors: Array.isArray(value.errors) ? value.errors : undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

/**
 * Notes what a response says about the connection, and returns its problem.
 * @param {number} status
 * @param {string} body
 * @param {string | null} retryAfter
 * @param {Options} options
 */
function failed(status, body, retryAfter, options) {
  const problem = problemOf(status, body, retryAfter);
  if (options.quiet) return problem;
  if (status === 401 && !options.is_login) loginIsNeeded();
  else if (problem.code === "offline") serverDidNotAnswer();
  else if ((status === 503 || status === 429) && problem.code !== "budget_exhausted") {
    serverIsBusy(Math.min(problem.retryAfter ?? 5, 120));
  } else serverAnswered();
  return problem;
}

/** @param {unknown} error @param {Options} options */
function unanswered(error, options) {
  if (error instanceof DOMException && error.name === "AbortError") return error;
  if (!options.quiet) serverDidNotAnswer();
  return new Problem({ status: 0, code: "offline", detail: "the server does not answer" });
}

/**
 * Sends a request and returns the value of its JSON response; `null` for an empty one.
 * @param {string} method
 * @param {string} path
 * @param {any} body
 * @param {Options} options
 * @returns {Promise<any>}
 */
async function send(method, path, body, options) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json", ...options.headers };
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) headers["Content-Type"] = "application/json";
  let response;
  let text;
  try {
    response = await fetch(address(path, options.query), {
      method,
      headers,
      body: body === undefined ? undefined : isForm ? body : JSON.stringify(body),
      signal: options.signal,
      cache: "no-store",
      credentials: "same-origin",
    });
    text = await response.text();
  } catch (error) {
    throw unanswered(error, options);
  }
  if (!response.ok) throw failed(response.status, text, response.headers.get("Retry-After"), options);
  if (!options.quiet) serverAnswered();
  if (text === "") return null;
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem({ status: response.status, code: "invalid_response", detail: "the response is not JSON" });
  }
  noticeRun(method, path, value);
  return value;
}

/**
 * Reads a value.
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export const get = (path, options = {}) => send("GET", path, undefined, options);

/**
 * Sends a value, or a form.
 * @param {string} path
 * @param {any} [body]
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export const post = (path, body, options = {}) => send("POST", path, body, options);

/**
 * Replaces a value.
 * @param {string} path
 * @param {any} body
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export const put = (path, body, options = {}) => send("PUT", path, body, options);

/**
 * Changes members of a value.
 * @param {string} path
 * @param {any} body
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export const patch = (path, body, options = {}) => send("PATCH", path, body, options);

/**
 * Deletes a value.
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export const del = (path, options = {}) => send("DELETE", path, undefined, options);

/**
 * Sends a body whose progress can be watched, which `fetch` does not offer.
 * @param {string} method
 * @param {string} path
 * @param {Record<string, string>} headers
 * @param {XMLHttpRequestBodyInit | null} body
 * @param {{onProgress?: (sent: number) => void, signal?: AbortSignal}} options
 * @returns {Promise<XMLHttpRequest>}
 */
function sendWatched(method, path, headers, body, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const end = (/** @type {() => void} */ then) => {
      signal?.removeEventListener("abort", abort);
      then();
    };
    request.open(method, path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (onProgress) request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onload = () => end(() => resolve(request));
    request.onerror = () => end(() => reject(unanswered(new TypeError("network"), {})));
    request.onabort = () => end(() => reject(new DOMException("aborted", "AbortError")));
    if (signal?.aborted) return reject(new DOMException("aborted", "AbortError"));
    signal?.addEventListener("abort", abort);
    request.send(body);
  });
}

/** @param {XMLHttpRequest} request */
function checked(request) {
  if (request.status >= 200 && request.status < 300) {
    serverAnswered();
    return request;
  }
  throw failed(request.status, request.responseText, request.getResponseHeader("Retry-After"), {});
}

/**
 * Uploads a file. A large one is sent in pieces, and goes on where it stopped when the connection comes back.
 * @param {File} file
 * @param {{onProgress?: (sent: number, total: number) => void, signal?: AbortSignal}} [options]
 * @returns {Promise<{id: string, name: string, size: number}>}
 */
export async function upload(file, options = {}) {
  return file.size >= PIECES_FROM ? uploadInPieces(file, options) : uploadAtOnce(file, options);
}

/** @param {File} file @param {{onProgress?: (sent: number, total: number) => void, signal?: AbortSignal}} options */
async function uploadAtOnce(file, { onProgress, signal }) {
  const form = new FormData();
  form.set("purpose", "user_data");
  form.set("file", file, file.name);
  const watch = { signal, onProgress: (/** @type {number} */ sent) =>
    onProgress?.(Math.min(sent, file.size), file.size) };
  const request = checked(await sendWatched("POST", "/v1/files", { Accept: "application/json" }, form, watch));
  const stored = JSON.parse(request.responseText);
  onProgress?.(file.size, file.size);
  return { id: stored.id, name: stored.filename || file.name, size: stored.bytes ?? file.size };
}

/** @param {File} file @param {{onProgress?: (sent: number, total: number) => void, signal?: AbortSignal}} options */
async function uploadInPieces(file, { onProgress, signal }) {
  const tus = { "Tus-Resumable": "1.0.0" };
  const metadata = `filename ${base64(file.name)}${file.type ? `,filetype ${base64(file.type)}` : ""}`;
  const creation = { ...tus, "Upload-Length": String(file.size), "Upload-Metadata": metadata };
  const created = checked(await sendWatched("POST", "/v1/uploads", creation, null, { signal }));
  // Behind a proxy, the address of the server may name another host than the page's.
  const path = new URL(created.getResponseHeader("Location") || "", location.href).pathname;
  let offset = 0;
  let attempts = 0;
  try {
    while (offset < file.size) {
      try {
        const piece = file.slice(offset, Math.min(offset + PIECE_BYTES, file.size));
        const headers = { ...tus, "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) };
        const onPiece = (/** @type {number} */ sent) => onProgress?.(Math.min(offset + sent, file.size), file.size);
        const sent = checked(await sendWatched("PATCH", path, headers, piece, { signal, onProgress: onPiece }));
        offset = Number(sent.getResponseHeader("Upload-Offset") ?? offset + piece.size);
        attempts = 0;
      } catch (error) {
        if (!(error instanceof Problem) || !mayBeSentAgain(error) || attempts >= MOST_ATTEMPTS) throw error;
        attempts += 1;
        await pause(Math.min(500 * 2 ** attempts, 10_000), signal);
        offset = await offsetOf(path, offset, signal);
      }
    }
  } catch (error) {
    // What was sent of an upload that is given up would stay on the server for a day.
    if (!(error instanceof Problem)) fetch(path, { method: "DELETE", headers: tus }).catch(() => {});
    throw error;
  }
  const whole = await get(path, { signal });
  return { id: whole.file.id, name: whole.file.name || file.name, size: file.size };
}

/** @param {Problem} problem */
function mayBeSentAgain(problem) {
  return problem.code === "offline" || problem.code === "offset_mismatch"
    || [408, 429, 500, 503].includes(problem.status);
}

/** @param {string} path @param {number} known @param {AbortSignal | undefined} signal */
async function offsetOf(path, known, signal) {
  try {
    const request = await sendWatched("HEAD", path, { "Tus-Resumable": "1.0.0" }, null, { signal });
    const offset = Number(request.getResponseHeader("Upload-Offset"));
    return request.status < 300 && Number.isFinite(offset) ? offset : known;
  } catch (error) {
    if (error instanceof Problem) return known;
    throw error;
  }
}

/** @param {string} text */
function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    const abort = () => {
      clearTimeout(timer);
      done(new DOMException("aborted", "AbortError"));
    };
    /** @param {DOMException} [error] */
    function done(error) {
      signal?.removeEventListener("abort", abort);
      if (error) reject(error);
      else resolve();
    }
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort);
  });
}

/**
 * Reads server-sent events from pieces of text.
 * @param {(event: {id: string | null, event: string, data: string}) => void} onEvent
 * @returns {(text: string) => void}
 */
export function eventParser(onEvent) {
  let rest = "";
  /** @type {string | null} */
  let id = null;
  let name = "message";
  /** @type {string[]} */
  let data = [];
  return (text) => {
    rest += text;
    let start = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", start)) {
      const line = rest.charCodeAt(end - 1) === 13 ? rest.slice(start, end - 1) : rest.slice(start, end);
      start = end + 1;
      if (line === "") {
        if (data.length > 0) onEvent({ id, event: name, data: data.join("\n") });
        [name, data] = ["message", []];
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
      if (field === "data") data.push(value);
      else if (field === "event") name = value;
      else if (field === "id") id = value;
    }
    rest = rest.slice(start);
  };
}

/**
 * Follows the events of a run until it does nothing more without a request, and reconnects when the connection ends.
 *
 * `onState` is called with `open`; with `reconnecting` when the connection was lost; at the end with `closed`, with
 * `gone` if
 * the run does not exist, or with `reset` if the server has fewer events than were seen, so that all must be read
 * again.
 * @param {string} run
 * @param {number} after number of the last event that was seen
 * @param {{onEvent: (event: any) => void, onState?: (state: "open"|"reconnecting"|"closed"|"gone"|"reset") => void}}
 *   watcher
 * @returns {{close: () => void}}
 */
export function events(run, after, { onEvent, onState }) {
  const closing = new AbortController();
  let last = after;
  let isAtRest = false;
  let attempts = 0;
  /** @type {(() => void) | null} */
  let wake = null;
  const stopWaking = onRecovered(() => wake?.());
  /** @param {"open"|"reconnecting"|"closed"|"gone"|"reset"} state */
  const report = (state) => {
    if (!closing.signal.aborted) onState?.(state);
  };

  /** @param {{event: string, data: string}} message */
  const received = (message) => {
    if (closing.signal.aborted || message.event === "problem") return;
    let event;
    try {
      // What a person allows is shown with all digits.
      event = message.event === "question" ? parseFaithful(message.data) : JSON.parse(message.data);
    } catch {
      return;
    }
    if (typeof event.number !== "number" || event.number <= last) return;
    last = event.number;
    if (event.type === "ended") isAtRest = true;
    else if (event.type === "question") isAtRest = event.question?.kind === "functions";
    else if (event.type === "instruction" || event.type === "turn_started") isAtRest = false;
    onEvent(event);
  };

  /** Reads one stream to its end. Returns what to do then. @returns {Promise<"again"|"closed"|"gone"|"reset">} */
  async function follow() {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    closing.signal.addEventListener("abort", abort);
    /** @type {any} */
    let silence;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(abort, SILENCE_MS);
    };
    try {
      heard();
      const response = await fetch(`/v1/runs/${encodeURIComponent(run)}/events`, {
        headers: { Accept: "text/event-stream", "Last-Event-ID": String(last) },
        signal: attempt.signal,
        cache: "no-store",
        credentials: "same-origin",
      });
      if (response.status === 204) {
        serverAnswered();
        return "closed";
      }
      if (!response.ok || !response.body) {
        const problem = failed(response.status, await response.text(), response.headers.get("Retry-After"), {});
        if (problem.status === 404) return "gone";
        if (problem.status === 400) return "reset";
        if (problem.status === 401) return "closed";
        if (problem.retryAfter !== undefined) await sleep(Math.min(problem.retryAfter, 60) * 1000);
        return "again";
      }
      serverAnswered();
      report("open");
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      const parse = eventParser(received);
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        heard();
        attempts = 0;
        parse(decoder.decode(value, { stream: true }));
      }
      return isAtRest ? "closed" : "again";
    } catch (error) {
      if (closing.signal.aborted) return "closed";
      serverDidNotAnswer();
      return "again";
    } finally {
      clearTimeout(silence);
      closing.signal.removeEventListener("abort", abort);
    }
  }

  /** @param {number} ms @returns {Promise<void>} */
  const sleep = (ms) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      wake = end;
      closing.signal.addEventListener("abort", end, { once: true });
    });

  (async () => {
    for (;;) {
      const next = await follow();
      if (closing.signal.aborted) return;
      if (next !== "again") {
        stopWaking();
        report(next);
        return;
      }
      report("reconnecting");
      // A stream that ends at once is no reason to ask again at once.
      await sleep(Math.min(500 * 2 ** attempts, 10_000) * (0.8 + Math.random() * 0.4));
      attempts += 1;
      if (closing.signal.aborted) return;
    }
  })();

  return {
    close() {
      stopWaking();
      closing.abort();
    },
  };
}
