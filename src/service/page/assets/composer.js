// The field in which a person writes instructions, with documents, the choice of the model and options.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./viewer/ui.js";
import { t, plural } from "./viewer/i18n_core.js";
import { visibleText } from "./viewer/markdown.js";
import { post } from "./api.js";
import { connection } from "./connection.js";
import { createStore, loadChoice, saveChoice, session, useStore } from "./store.js";
import { announce, toast } from "./dialog.js";
import { countOptions, draftOf, isDollars, isMinutes, noOptions } from "./drafts.js";
import { Icon } from "./icons.js";
import { Notice } from "./notices.js";
import { DropZone, Popover, UploadList } from "./uploads.js";

/** Most documents of a run. */
const MAX_DOCUMENTS = 100;
/** Limits that hold if none are chosen. */
const DEFAULT_MINUTES = 30;

/** Statuses in which a run works or waits. */
const ACTIVE = ["queued", "running", "waiting"];

/** A text that another part of the page puts into the field. */
const composed = createStore(/** @type {{run: string|null, text: string, isEdit: boolean, turn: number}} */ ({ run: null, text: "", isEdit: false, turn: 0 }));

/**
 * Puts a text into the field of a run, and gives it the focus.
 * @param {string|null} run
 * @param {string} text
 * @param {{isEdit?: boolean}} [options] `isEdit`: it is an earlier instruction that a person changes
 */
export function compose(run, text, options = {}) {
  composed.set((last) => ({ run, text, isEdit: Boolean(options.isEdit), turn: last.turn + 1 }));
}

/** Shows the options of a new run. */
function OptionsForm({ options, onChange }) {
  const set = (fields) => onChange({ ...options, ...fields });
  return html`<div class="c-options">
    <h2>${t("conversation.options")}</h2>
    <label class="c-check"><input type="checkbox" checked=${options.plan}
      onChange=${(event) => set({ plan: event.currentTarget.checked })} />
      <span>${t("conversation.option_plan")}<small>${t("conversation.option_plan_hint")}</small></span></label>
    ${options.plan ? html`<label class="c-check c-inner"><input type="checkbox" checked=${options.review}
      onChange=${(event) => set({ review: event.currentTarget.checked })} />
      <span>${t("conversation.option_review")}</span></label>` : null}
    <div class="field">
      <label for="c-approvals">${t("conversation.option_approvals")}</label>
      <select id="c-approvals" class="input" value=${options.approvals}
        onChange=${(event) => set({ approvals: event.currentTarget.value })}>
        ${["ask", "allow", "refuse"].map((it) => html`<option value=${it} selected=${it === options.approvals}>
          ${t(`conversation.approvals_${it}`)}</option>`)}
      </select>
    </div>
    <div class="c-two">
      <div class="field">
        <label for="c-minutes">${t("conversation.option_minutes")}</label>
        <input id="c-minutes" class="input" inputmode="numeric" value=${options.minutes}
          aria-invalid=${String(!isMinutes(options.minutes))}
          placeholder=${DEFAULT_MINUTES} onInput=${(event) => set({ minutes: event.currentTarget.value.trim() })} />
      </div>
      <div class="field">
        <label for="c-dollars">${t("conversation.option_dollars")}</label>
        <input id="c-dollars" class="input" inputmode="decimal" value=${options.dollars}
          aria-invalid=${String(!isDollars(options.dollars))} aria-describedby="c-dollars-error"
          placeholder=${t("conversation.option_no_limit")}
            onInput=${(event) => set({ dollars: event.currentTarget.value.trim() })} />
        ${isDollars(options.dollars) ? null : html`<span id="c-dollars-error"
          class="error">${t("conversation.option_dollars_wrong")}</span>`}
      </div>
    </div>
    ${countOptions(options) ? html`<button type="button" class="btn quiet" onClick=${() => onChange(noOptions())}>
      ${t("conversation.option_reset")}</button>` : null}
  </div>`;
}

/** Returns the address if a text is one and nothing else. */
function addressIn(text) {
  const trimmed = text.trim();
  return /^https?:\/\/[^\s]{3,2000}$/i.test(trimmed) && URL.canParse(trimmed) ? trimmed : null;
}

/**
 * Shows the field for a new run, or for further instructions to a run.
 * @param {object} props
 * @param {any} [props.run] the run or its identifier; nothing for a new one
 * @param {any} [props.state] the state of the run
 * @param {(run: any, sent?: {instruction: string}) => void} [props.onCreated] is called with the run that was created
 * @param {(run: any) => void} [props.onChanged] is called with the run that goes on, or was stopped
 * @param {boolean} [props.autofocus]
 */
export function Composer({ run = null, state = null, onCreated, onChanged, autofocus = false }) {
  const id = run === null ? null : typeof run === "string" ? run : run.id;
  const status = state?.status ?? (typeof run === "object" && run ? run.status : null);
  const isActive = id !== null && ACTIVE.includes(status);
  const draft = useMemo(() => draftOf(id), [id]);
  const { uploads } = draft;
  const list = useStore(uploads.store);
  const text = useStore(draft.text);
  const options = useStore(draft.options);
  const { phase, problem, hint } = useStore(draft.sending);
  const known = useStore(session);
  const wanted = useStore(composed);
  const network = useStore(connection);
  const [model, setModel] = useState(() => loadChoice("model"));
  const [optionsAnchor, setOptionsAnchor] = useState(/** @type {HTMLElement | null} */ (null));
  const [addressAnchor, setAddressAnchor] = useState(/** @type {HTMLElement | null} */ (null));
  const [offer, setOffer] = useState("");
  const [isEdit, setEdit] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  const write = (value) => draft.write(value);

  const callbacks = useRef({ onCreated, onChanged });
  callbacks.current = { onCreated, onChanged };
  useEffect(() => {
    setEdit(false);
    setStopping(false);
    return draft.enter({
      onSent: () => (setEdit(false), setOffer("")),
      onCreated: (run, sent) => callbacks.current.onCreated?.(run, sent),
      onChanged: (run) => callbacks.current.onChanged?.(run),
    });
  }, [draft]);

  const seen = useRef(wanted.turn);
  useEffect(() => {
    if (wanted.turn === seen.current || wanted.run !== id) return;
    seen.current = wanted.turn;
    write(wanted.text);
    setEdit(wanted.isEdit);
    const area = field.current;
    if (!area) return;
    area.focus();
    requestAnimationFrame(() => area.setSelectionRange(area.value.length, area.value.length));
  }, [wanted.turn, id]);

  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [text]);

  useEffect(() => {
    if (!isActive) setStopping(false);
  }, [isActive]);

  const models = known?.models ?? [];
  const chosen = models.find((it) => it.name === model) ?? models.find((it) => it.is_default) ?? models[0];

  const addFiles = (files, folders = 0) => {
    if (folders) toast(t("conversation.folder"), "warn");
    const room = (known?.limits?.documents ?? MAX_DOCUMENTS) - list.length;
    if (files.length > room) toast(t("conversation.too_many", { n: known?.limits?.documents ?? MAX_DOCUMENTS }),
      "warn");
    if (files.length && room > 0) uploads.add(files.slice(0, room));
    field.current?.focus();
  };

  const send = () => {
    if (text.trim() === "") field.current?.focus();
    draft.send(chosen?.name);
  };

  const stop = async () => {
    if (isStopping) return;
    setStopping(true);
    announce(t("conversation.cancelling"));
    try {
      const stopped = await post(`/v1/runs/${encodeURIComponent(id)}/cancel`);
      onChanged?.(stopped);
    } catch (error) {
      draft.show({ problem: error });
    } finally {
      setStopping(false);
    }
  };

  const pressed = (event) => {
    // While an input method composes, Enter chooses a candidate.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (event.altKey || (matchMedia("(pointer: coarse)").matches && !event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    send();
  };

  const pasted = (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length) {
      event.preventDefault();
      addFiles(files);
      return;
    }
    const address = known?.fetch ? addressIn(event.clipboardData?.getData("text/plain") ?? "") : null;
    if (address) setOffer(address);
  };

  const acceptOffer = () => {
    uploads.addAddress(offer);
    write(text.replace(offer, "").replace(/[ \t]{2,}/g, " ").trim());
    setOffer("");
    field.current?.focus();
  };

  const isBusy = phase === "sending" || phase === "waiting" || phase === "offline";
  const optionCount = countOptions(options);
  const isEmpty = text.trim() === "";
  const placeholder = id === null ? "placeholder" : isActive ? "placeholder_busy" : "placeholder_follow";
  const line = hint || (phase === "waiting" ? t("conversation.after_uploads") : phase === "offline"
    ? t("conversation.sent_later") : isEdit ? t("conversation.editing")
    : status === "waiting" ? t("conversation.waiting_question") : "");
  return html`<div class="c-composer-area">
    <${DropZone} onFiles=${addFiles} />
    ${problem ? html`<${Notice} problem=${problem} onDismiss=${() => draft.show({ problem: null })}
      title=${problem.code === "offline" && id !== null ? t("conversation.maybe_sent") : undefined} />` : null}
    <form class="c-composer" onSubmit=${(event) => { event.preventDefault(); send(); }}>
      <${UploadList} list=${list} uploads=${uploads} />
      ${offer ? html`<div class="c-offer">
        <${Icon} name="link" size=${16} />
          <span class="c-cut">${t("conversation.address_offer", { address: offer })}</span>
        <button type="button" class="btn c-tight" onClick=${acceptOffer}>${t("conversation.address_add")}</button>
        <button type="button" class="icon-btn c-small" aria-label=${t("conversation.dismiss")}
          title=${t("conversation.dismiss")} onClick=${() => setOffer("")}><${Icon} name="close" size=${14} /></button>
      </div>` : null}
      <textarea ref=${field} rows="1" dir="auto" value=${text} placeholder=${t(`conversation.${placeholder}`)}
        aria-label=${t("conversation.message")} aria-describedby="c-line"
        autofocus=${autofocus} autocomplete="off" enterkeyhint="send" readonly=${phase === "sending"}
        onInput=${(event) => write(event.currentTarget.value)} onKeyDown=${pressed} onPaste=${pasted}></textarea>
      <div class="c-bar">
        <input ref=${picker} type="file" multiple hidden aria-hidden="true" tabindex="-1"
          onChange=${(event) => { addFiles([...event.currentTarget.files]); event.currentTarget.value = ""; }} />
        <button type="button" class="icon-btn" aria-label=${t("conversation.attach")} title=${t("conversation.attach")}
          onClick=${() => picker.current?.click()}><${Icon} name="paperclip" size=${20} /></button>
        ${known?.fetch ? html`<button type="button" class="icon-btn" aria-haspopup="dialog"
          aria-expanded=${String(addressAnchor !== null)} aria-label=${t("conversation.attach_address")}
            title=${t("conversation.attach_address")}
          onClick=${(event) => setAddressAnchor(addressAnchor ? null : event.currentTarget)}><${Icon} name="link"
            size=${20} /></button>` : null}
        ${id === null ? html`<button type="button" class=${`btn quiet c-options-button ${optionCount ? "set" : ""}`}
          aria-haspopup="dialog" aria-expanded=${String(optionsAnchor !== null)}
          title=${optionCount ? plural("conversation.options_set", optionCount) : t("conversation.options")}
          onClick=${(event) => setOptionsAnchor(optionsAnchor ? null : event.currentTarget)}>
          <${Icon} name="settings" size=${18} /><span class="c-wide-only">${t("conversation.options")}</span>
            ${optionCount ? html`<span class="c-count">${optionCount}</span>` : null}</button>` : null}
        <span class="c-spacer"></span>
        ${id === null ? (models.length > 1 ? html`<span class="c-model"><select aria-label=${t("conversation.model")}
          title=${chosen?.provider} value=${chosen?.name}
          onChange=${(event) => { setModel(event.currentTarget.value); saveChoice("model",
            event.currentTarget.value); }}>
          ${models.map((it) => html`<option value=${it.name} selected=${it.name === chosen?.name}>${it.name}</option>`)}
        </select></span>` : html`<span class="c-model-name c-cut">${chosen ? visibleText(chosen.name) : known
          ? t("conversation.model_none") : ""}</span>`)
          : html`<span class="c-model-name c-cut">${visibleText(state?.run?.model ?? run?.model ?? "")}</span>`}
        ${isActive ? html`<button type="button" class="btn c-stop" disabled=${isStopping} onClick=${stop}>
          ${isStopping ? html`<span class="spinner"></span>` : html`<${Icon} name="stop" size=${18} />`}${t(isStopping
            ? "conversation.cancelling" : "conversation.stop")}</button>` : null}
        ${isActive && isEmpty ? null : html`<button type="submit" class="c-send" aria-label=${t(isBusy
          ? "conversation.sending" : "conversation.send")} title=${t("conversation.send_hint")}
            aria-disabled=${String(isEmpty || isBusy)}>
          ${isBusy ? html`<span class="spinner"></span>` : html`<${Icon} name="send" size=${20} />`}</button>`}
      </div>
    </form>
    <p id="c-line" class=${`c-line ${hint ? "warn" : ""}`} role="status">${line}${phase === "offline"
      || phase === "waiting" ? html` <button type="button" class="c-text-button"
        onClick=${() => draft.stop()}>${t("conversation.cancel")}</button>`
          : null}${isEdit && !hint && !phase ? html` <button type="button" class="c-text-button"
            onClick=${() => { write(""); setEdit(false); }}>${t("conversation.cancel")}</button>`
              : null}${network.state === "offline" && !line ? t("conversation.fail_offline") : ""}</p>
    ${optionsAnchor ? html`<${Popover} anchor=${optionsAnchor} label=${t("conversation.options")}
      onClose=${() => setOptionsAnchor(null)}><${OptionsForm} options=${options} onChange=${(changed) => draft.options.set(changed)} /><//>` : null}
    ${addressAnchor ? html`<${Popover} anchor=${addressAnchor} label=${t("conversation.attach_address")}
      onClose=${() => setAddressAnchor(null)}>
      <${AddressForm} onAdd=${(address) => { uploads.addAddress(address); setAddressAnchor(null); field.current?.focus(); }} /><//>` : null}
  </div>`;
}

/** Asks for the address of a document. */
function AddressForm({ onAdd }) {
  const [value, setValue] = useState("");
  const [isWrong, setWrong] = useState(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => input.current?.focus(), []);
  const add = (event) => {
    event.preventDefault();
    event.stopPropagation();
    const address = addressIn(value);
    if (address) onAdd(address);
    else setWrong(true);
  };
  return html`<form class="c-address" onSubmit=${add}>
    <div class="field">
      <label for="c-address">${t("conversation.attach_address")}</label>
      <input ref=${input} id="c-address" class="input" type="url" placeholder="https://" value=${value}
        aria-invalid=${String(isWrong)}
          onInput=${(event) => { setValue(event.currentTarget.value); setWrong(false); }} />
      ${isWrong ? html`<span class="error" role="alert">${t("conversation.address_wrong")}</span>` : null}
    </div>
    <button type="submit" class="btn primary">${t("conversation.address_add")}</button>
  </form>`;
}
