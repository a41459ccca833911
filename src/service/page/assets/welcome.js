// The start: the composer with a headline; without a model, how to get one and what needs none.
import { html, useState, useEffect } from "./viewer/ui.js";
import { t, language } from "./viewer/i18n_core.js";
import { get, post } from "./api.js";
import { session, useStore, navigate } from "./store.js";
import { toast, announce } from "./dialog.js";
import { Icon } from "./icons.js";
import { Composer, compose } from "./composer.js";
import { rememberInstruction } from "./runs.js";

/** Models of a provider that are shown before the user asks for all. */
const FIRST_MODELS = 3;
const OLLAMA_PAGE = "https://ollama.com/download";
const OLLAMA_COMMAND = "ollama pull qwen3:8b";

/** Names of providers for people. @type {Record<string, string>} */
const PROVIDERS = { ollama: "Ollama", lmstudio: "LM Studio", llamacpp: "llama.cpp", vllm: "vLLM" };

/** @param {string} provider */
const providerName = (provider) => PROVIDERS[provider] || provider;

/** The page at `#/`. @param {{onModels: () => Promise<void>}} props */
export function Start({ onModels }) {
  const offered = useStore(session);
  if (offered && offered.models.length === 0) return html`<${Welcome} offered=${offered} onModels=${onModels} />`;
  return html`<${NewRun} />`;
}

function NewRun() {
  /** @param {any} run @param {{instruction?: string}} [sent] */
  const created = (run, sent) => {
    rememberInstruction(run.id, sent?.instruction);
    navigate({ name: "run", run: run.id });
  };
  return html`<div class="start">
    <div class="start-inner">
      <header class="start-head">
        <h1 tabindex="-1">${t("shell.start_title")}</h1>
        <p>${t(matchMedia("(pointer: coarse)").matches ? "shell.start_text_touch" : "shell.start_text")}</p>
      </header>
      <${Composer} run=${null} onCreated=${created} autofocus=${matchMedia("(pointer: fine)").matches} />
      <div class="starters">
        ${["compare", "summary", "chart", "slides"].map(
          (name) => html`<button type="button" class="chip"
            onClick=${() => compose(null, t(`shell.starter_${name}_text`))}>${t(`shell.starter_${name}`)}</button>`,
        )}
      </div>
      <${Privacy} />
    </div>
  </div>`;
}

function Privacy() {
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return html`<p class="quiet-note"><${Icon} name="lock" size=${16} /><span>${t(isLocal ? "shell.private_local"
    : "shell.private_server")}</span></p>`;
}

/** @param {{offered: import("./store.js").Session, onModels: () => Promise<void>}} props */
function Welcome({ offered, onModels }) {
  return html`<div class="start">
    <div class="start-inner">
      <header class="start-head">
        <h1 tabindex="-1">${t("shell.welcome_title")}</h1>
        <p>${t("shell.welcome_text")}</p>
      </header>
      <div class="welcome">
        ${offered.may_manage ? html`<${GetModel} onModels=${onModels} />` : html`<${AskOperator} />`}
        <h2 class="sr-only">${t("shell.without_title")}</h2>
        <div class="welcome-grid">
          <${Example} />
          <section class="card welcome-card">
            <h3><${Icon} name="tool" /> ${t("shell.tools_title")}</h3>
            <p class="muted grow">${t("shell.tools_text")}</p>
            <div class="row"><a class="btn" href="#/tools">${t("shell.tools_action")}</a></div>
          </section>
        </div>
        <${Privacy} />
      </div>
    </div>
  </div>`;
}

function AskOperator() {
  return html`<section class="card welcome-card">
    <h2><${Icon} name="server" /> ${t("shell.ask_operator_title")}</h2>
    <p class="muted">${t("shell.ask_operator_text")}</p>
  </section>`;
}

/** Starts the recorded example. */
function Example() {
  const [isStarting, setStarting] = useState(false);
  const start = async () => {
    if (isStarting) return;
    setStarting(true);
    try {
      const run = await post("/v1/examples/yoy", {});
      navigate({ name: "run", run: run.id });
    } catch (problem) {
      setStarting(false);
      toast(t("shell.example_failed", { detail: problem.detail }), "danger");
    }
  };
  return html`<section class="card welcome-card">
    <h3><${Icon} name="play" /> ${t("shell.example_title")}</h3>
    <p class="muted grow">${t("shell.example_text")}</p>
    <div class="row">
      <button type="button" class="btn primary" onClick=${start} aria-disabled=${isStarting ? "true" : undefined}>
        ${isStarting ? html`<span class="spinner" aria-hidden="true"></span> ${t("shell.example_starting")}`
          : t("shell.example_action")}
      </button>
    </div>
  </section>`;
}

/** @typedef {{isRunning: boolean, found: any[], checked: string[], hasFailed: boolean, turn: number}} Search */

/** @type {Search} */
const FIRST_SEARCH = { isRunning: true, found: [], checked: [], hasFailed: false, turn: 0 };

/**
 * Shows the models that answer on this machine, or how to get one.
 * @param {{onModels: () => Promise<void>}} props
 */
function GetModel({ onModels }) {
  const [search, setSearch] = useState(FIRST_SEARCH);
  useEffect(() => {
    const stop = new AbortController();
    get("/v1/settings/models/found", { signal: stop.signal }).then(
      ({ found = [], checked = [] }) => {
        const useful = found.filter((/** @type {any} */ it) => it.models && it.models.length > 0);
        if (search.turn > 0 && useful.length === 0) announce(t("shell.looked_none"));
        setSearch({ ...search, isRunning: false, hasFailed: false, found: useful, checked });
      },
      () => stop.signal.aborted || setSearch({ ...search, isRunning: false, hasFailed: true, found: [], checked: [] }),
    );
    return () => stop.abort();
  }, [search.turn]);
  const again = () => setSearch({ ...search, isRunning: true, turn: search.turn + 1 });
  if (search.isRunning && search.turn === 0) {
    return html`<section class="card welcome-card" aria-busy="true">
      <h2><span class="spinner" aria-hidden="true"></span> ${t("shell.found_looking")}</h2>
      <span class="skeleton"></span><span class="skeleton"></span>
    </section>`;
  }
  return html`${search.found.length > 0
    ? html`<section class="card welcome-card featured">
        <h2><${Icon} name="check-circle" /> ${t("shell.found_title")}</h2>
        <p class="muted">${t("shell.found_text")}</p>
        ${search.found.map((it, at) => html`<${Provider} key=${it.address} found=${it} isFirst=${at === 0}
          onModels=${onModels} />`)}
      </section>`
    : html`<section class="card welcome-card">
        <h2><${Icon} name="monitor" /> ${t("shell.none_title")}</h2>
        <p class="muted">${search.hasFailed ? t("shell.none_failed")
          : t("shell.none_text", { checked: search.checked.map(providerName).join(language() === "zh" ? "、"
            : ", ") })}</p>
        <ol class="steps">
          <li>${linked(t("shell.ollama_install"))}</li>
          <li>${t("shell.ollama_pull")} <${Command} text=${OLLAMA_COMMAND} /></li>
        </ol>
        <div class="row">
          <button type="button" class="btn primary" onClick=${again} aria-disabled=${search.isRunning ? "true"
            : undefined}>
            ${search.isRunning ? html`<span class="spinner" aria-hidden="true"></span>` : html`<${Icon} name="refresh"
              size=${16} />`} ${t("shell.look_again")}
          </button>
          ${search.turn > 0 && !search.isRunning ? html`<span class="muted">${t("shell.looked_none")}</span>` : null}
        </div>
      </section>`}
    <section class="card welcome-card">
      <h2><${Icon} name="key" /> ${t("shell.key_title")}</h2>
      <p class="muted">${t("shell.key_text")}</p>
      <div class="row"><a class="btn" href="#/settings">${t("shell.key_action")}</a></div>
    </section>`;
}

/** Puts the link into a sentence. @param {string} sentence */
function linked(sentence) {
  const [before, after] = sentence.split("{link}");
  return html`${before}<a href=${OLLAMA_PAGE} target="_blank" rel="noreferrer noopener">ollama.com</a>${after}`;
}

/** Shows a command that can be copied. @param {{text: string}} props */
export function Command({ text }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast(t("shell.copied"), "ok");
    } catch {
      // The text can be selected.
    }
  };
  return html`<span class="command">
    <code>${text}</code>
    <button type="button" class="icon-btn" aria-label=${`${t("shell.copy")}: ${text}`} title=${t("shell.copy")}
      onClick=${copy}><${Icon} name="copy" size=${16} /></button>
  </span>`;
}

/**
 * @param {{found: {provider: string, address: string, models: string[]}, isFirst: boolean, onModels: () =>
 *   Promise<void>}} props
 */
function Provider({ found, isFirst, onModels }) {
  const [isWhole, setWhole] = useState(false);
  const [busy, setBusy] = useState("");
  const [error, setError] = useState("");
  const models = isWhole ? found.models : found.models.slice(0, FIRST_MODELS);
  /** @param {string} model */
  const use = async (model) => {
    if (busy) return;
    setBusy(model);
    setError("");
    try {
      const name = model.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^-+|-+$/g, "") || found.provider;
      await post("/v1/settings/models", { name, model: `${found.provider}/${model}`, is_default: true });
      toast(t("shell.used", { name: model }), "ok");
      await onModels();
    } catch (problem) {
      setError(t("shell.use_failed", { detail: problem.detail }));
      setBusy("");
    }
  };
  return html`<h3 class="found-at"><b>${providerName(found.provider)}</b> <span
    class="muted">${found.address.replace(/^https?:\/\//, "")}</span></h3>
    <ul class="welcome-found">
      ${models.map(
        (model, at) => html`<li key=${model}>
          <bdi class="name">${model}</bdi>
          <button type="button" class=${isFirst && at === 0 ? "btn primary" : "btn"} aria-disabled=${busy ? "true"
            : undefined} aria-label=${`${t("shell.use")}: ${model}`} onClick=${() => use(model)}>
            ${busy === model ? html`<span class="spinner" aria-hidden="true"></span> ${t("shell.using")}`
              : t("shell.use")}
          </button>
        </li>`,
      )}
    </ul>
    ${found.models.length > models.length
      ? html`<div class="row"><button type="button" class="btn quiet" onClick=${() => setWhole(true)}>
        ${t("shell.found_more", { n: found.models.length })}</button></div>`
      : null}
    ${error ? html`<p class="problem-line" role="alert"><${Icon} name="alert" /><span>${error}</span></p>` : null}`;
}
