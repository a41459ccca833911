// What a person is about to send to a run: text, documents and options. It outlives the field, so that uploads, and an
// instruction that waits for them, go on while a person looks at something else.
import { t } from "./viewer/i18n_core.js";
import { post, Problem } from "./api.js";
import { onRecovered } from "./connection.js";
import { createStore, isLeft, loadDraft, navigate, saveDraft } from "./store.js";
import { toast } from "./dialog.js";
import { countInstructions, rememberInstruction } from "./runs.js";
import { createUploads, hasRefused, isUploading } from "./uploads.js";

/** Key of the draft of a new run. */
const NEW = "new";

/**
 * Instructions that were sent to runs and not read by a model yet.
 * @typedef {{key: number, run: string, text: string, documents: number, before: number}} Queued
 */
export const queuedMessages = createStore(/** @type {Queued[]} */ ([]));

let serial = 0;

/**
 * Sends a further instruction to a run, and shows it as waiting until the model reads it.
 * @param {string} run
 * @param {string} text
 * @param {{documents?: any[], before?: number}} [options] `before`: number of instructions with this text that the
 *   run has
 * @returns {Promise<any>} the state of the run
 */
export async function sendMessage(run, text, { documents = [], before = 0 } = {}) {
  serial += 1;
  const key = serial;
  queuedMessages.set((list) => [...list, { key, run, text, documents: documents.length, before }]);
  try {
    return await post(`/v1/runs/${encodeURIComponent(run)}/messages`, { instruction: text, documents });
  } catch (error) {
    queuedMessages.set((list) => list.filter((it) => it.key !== key));
    throw error;
  }
}

/**
 * Forgets waiting instructions that the model has read.
 * @param {string} run
 * @param {string[]} instructions those of the run
 */
export function settleMessages(run, instructions) {
  const list = queuedMessages.get();
  const left = list.filter((it) => it.run !== run || instructions.filter((text) =>
    text === it.text).length <= it.before);
  if (left.length !== list.length) queuedMessages.set(left);
}

/**
 * Returns a value that no other request has. `randomUUID` is missing on pages without TLS that are not on this
 * machine.
 */
function uniqueKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (it) => it.toString(16).padStart(2, "0")).join("");
}

/**
 * @typedef {{plan: boolean, review: boolean, approvals: "ask"|"allow"|"refuse", minutes: string, dollars: string}}
 *   Options
 */
/** @returns {Options} */
export const noOptions = () => ({ plan: false, review: true, approvals: "ask", minutes: "", dollars: "" });

export const isMinutes = (text) => text === "" || (/^\d{1,4}$/.test(text) && Number(text) > 0);
export const isDollars = (text) => text === "" || /^\d{1,6}(?:[.,]\d{1,6})?$/.test(text);

/** Returns the number of options that were changed. @param {Options} options */
export function countOptions(options) {
  return [options.plan, options.approvals !== "ask", options.minutes !== "",
    options.dollars !== ""].filter(Boolean).length;
}

/** Returns the options for a request. @param {Options} options */
function runOptions(options) {
  /** @type {any} */
  const value = {};
  if (options.plan) value.plan = { review: options.review };
  if (options.approvals !== "ask") value.approvals = options.approvals;
  const limits = {};
  if (options.minutes !== "") Object.assign(limits, { seconds: Number(options.minutes) * 60 });
  if (options.dollars !== "") Object.assign(limits, { dollars: options.dollars.replace(",", ".") });
  if (Object.keys(limits).length) value.limits = limits;
  return value;
}

/**
 * How far sending is. `waiting`: for uploads; `sending`; `offline`: is sent when the server answers again. `problem`:
 * why it was not sent. `hint`: what a person must change first.
 * @typedef {{phase: ""|"waiting"|"sending"|"offline", problem: any, hint: string}} Sending
 * A field that shows a draft, and what it does when the draft was sent.
 * @typedef {{onSent: () => void, onCreated?: (run: any, sent: {instruction: string}) => void,
 *   onChanged?: (run: any) => void}} Field
 */

/** A text with documents and options that a person writes for a run, or for a new one. */
class Draft {
  /** @param {string} key identifier of the run, or [`NEW`] */
  constructor(key) {
    this.key = key;
    this.run = key === NEW ? null : key;
    this.text = createStore(loadDraft(key));
    this.options = createStore(noOptions());
    this.uploads = createUploads(key);
    this.sending = createStore(/** @type {Sending} */ ({ phase: "", problem: null, hint: "" }));
    /** @type {string | undefined} */
    this.model = undefined;
    /** The last request for a new run, with the key by which the server knows it. */
    this.attempt = { body: "", key: "" };
    /** @type {Field | null} */
    this.field = null;
    /** @type {(() => void) | null} */
    this.stopWaiting = null;
    this.uploads.store.subscribe(() => this.uploadsChanged());
  }

  /** @param {string} text */
  write(text) {
    this.text.set(text);
    saveDraft(this.key, text);
    this.show({ hint: "" });
  }

  /** @param {Partial<Sending>} changes */
  show(changes) {
    const now = this.sending.get();
    if (Object.entries(changes).some(([name, value]) => now[name] !== value)) this.sending.set({ ...now, ...changes });
  }

  /** Returns `true` if nothing of it would be lost. */
  isEmpty() {
    return this.text.get() === "" && this.uploads.store.get().length === 0 && this.sending.get().phase === "";
  }

  /** Returns `true` if it can only go on while the page is there. */
  isBusy() {
    return this.sending.get().phase !== "" || isUploading(this.uploads.store.get());
  }

  /** Shows it in a field. Returns a function that ends this. @param {Field} field */
  enter(field) {
    this.field = field;
    return () => {
      if (this.field !== field) return;
      this.field = null;
      if (this.isEmpty() && drafts.get(this.key) === this) drafts.delete(this.key);
    };
  }

  /** Ends waiting. Everything stays in the field. */
  stop() {
    this.stopWaiting?.();
    this.stopWaiting = null;
    if (this.sending.get().phase !== "sending") this.show({ phase: "" });
  }

  uploadsChanged() {
    if (this.sending.get().phase === "waiting" && !isUploading(this.uploads.store.get())) this.send(this.model);
  }

  /** Says why it cannot be sent. @param {string} hint */
  refuse(hint) {
    this.show({ phase: "", hint });
    if (!this.field) toast(hint, "danger", { action: this.wayBack() });
  }

  /** Returns the button of a notice that leads to the field. */
  wayBack() {
    const { run } = this;
    return { label: t("conversation.draft_open"), run: () => navigate(run === null ? { name: "new" }
      : { name: "run", run }) };
  }

  /**
   * Sends what is written as soon as the documents are uploaded. Whatever goes wrong, it stays in the field.
   * @param {string | undefined} model of a new run
   */
  async send(model) {
    if (this.sending.get().phase === "sending") return;
    this.stop();
    this.model = model;
    const instruction = this.text.get().trim();
    const list = this.uploads.store.get();
    const { minutes, dollars } = this.options.get();
    if (instruction === "") this.refuse(t(list.length ? "conversation.empty_text_files" : "conversation.empty_text"));
    else if (hasRefused(list)) this.refuse(t("conversation.upload_problem"));
    else if (this.run === null && (!isMinutes(minutes) || !isDollars(dollars))) {
      this.refuse(t("conversation.option_dollars_wrong"));
    } else if (isUploading(list)) this.show({ phase: "waiting", hint: "" });
    else await this.sendNow(instruction);
  }

  /** @param {string} instruction */
  async sendNow(instruction) {
    this.show({ phase: "sending", problem: null, hint: "" });
    const documents = this.uploads.documents();
    let changed;
    try {
      if (this.run === null) changed = await this.create(instruction, documents);
      else {
        const before = countInstructions(this.run, instruction);
        changed = await sendMessage(this.run, instruction, { documents, before });
      }
    } catch (error) {
      this.failed(error);
      return;
    }
    this.clear();
    if (!this.field) {
      toast(t("conversation.sent_meanwhile"), "ok", { action: { label: t("conversation.sent_open"), run: () =>
        navigate({ name: "run", run: changed.id }) } });
      return;
    }
    this.field.onSent();
    if (this.run === null) this.field.onCreated?.(changed, { instruction });
    else this.field.onChanged?.(changed);
  }

  /** Creates the run. @param {string} instruction @param {any[]} documents */
  async create(instruction, documents) {
    /** @type {any} */
    const body = { instruction };
    if (documents.length) body.documents = documents;
    if (this.model !== undefined) body.model = this.model;
    const options = runOptions(this.options.get());
    if (Object.keys(options).length) body.options = options;
    // A double click, and an attempt after a lost connection, must not create a second run.
    const same = JSON.stringify(body);
    if (this.attempt.body !== same) this.attempt = { body: same, key: uniqueKey() };
    const created = await post("/v1/runs", body, { headers: { "Idempotency-Key": this.attempt.key } });
    this.attempt = { body: "", key: "" };
    rememberInstruction(created.id, instruction);
    return created;
  }

  /** @param {unknown} error */
  failed(error) {
    const problem = error instanceof Problem ? error
      : new Problem({ status: 0, code: "internal", detail: String(error) });
    // The server knows a new run by its key, so it can be sent again. A further instruction has none.
    const isOffline = problem.code === "offline" || problem.status === 502 || problem.status === 504;
    if (isOffline && this.run === null) {
      this.show({ phase: "offline", problem: null });
      this.stopWaiting = onRecovered(() => this.send(this.model));
      return;
    }
    this.show({ phase: "", problem });
    if (!this.field) toast(problem.detail, "danger", { action: this.wayBack() });
  }

  clear() {
    this.write("");
    this.uploads.clear();
    this.options.set(noOptions());
    this.show({ phase: "", problem: null });
    if (!this.field && drafts.get(this.key) === this) drafts.delete(this.key);
  }
}

/** Drafts that are shown, or that something would be lost of. @type {Map<string, Draft>} */
const drafts = new Map();

/**
 * Returns the draft for a run, or that of a new one.
 * @param {string | null} run
 * @returns {Draft}
 */
export function draftOf(run) {
  const key = run ?? NEW;
  const known = drafts.get(key) ?? new Draft(key);
  drafts.set(key, known);
  return known;
}

/** Begins to ask before the page is left while something is being uploaded or sent. */
export function watchLeaving() {
  addEventListener("beforeunload", (event) => {
    if (!isLeft() && [...drafts.values()].some((it) => it.isBusy())) event.preventDefault();
  });
}
