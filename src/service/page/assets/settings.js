// Settings: language and look, models and their keys, words that must not leave, usage, and what this program is.
import { html, useState, useEffect, useRef } from "./viewer/ui.js";
import {
  t,
  plural,
  formatDuration,
  formatNumber,
  languagePreference,
  setLanguage,
  locale,
} from "./viewer/i18n_core.js";
import { Problem, get, post, put, patch, del } from "./api.js";
import { loadSession, logOut } from "./account.js";
import { onRecovered } from "./connection.js";
import { announce, confirm, toast } from "./dialog.js";
import { Icon } from "./icons.js";
import { createStore, loadDraft, saveDraft, session, setTheme, theme, useStore } from "./store.js";
import { Failed, Line } from "./tools.js";

/**
 * @typedef {{name: string, model: string | null, provider: string, is_default: boolean, managed: boolean, has_key:
 *   boolean, problem: string | null}} Model
 * @typedef {{may_manage: boolean, words: {rules: string[]}, operator_rules: number, models: Model[],
 *   limits: {tokens_per_day: number | null, dollars_per_day: string | null}}} SettingsData
 * @typedef {{tokens: number, dollars: string}} Usage
 */

/**
 * @type {import("./store.js").Store<{state: "loading"|"ready"|"failed", data: SettingsData | null, problem: Problem |
 *   null}>}
 */
const settings = createStore({ state: "loading", data: null, problem: null });

/**
 * Providers in the order of the list. `local` ones answer on this machine and need no key. `keys`: where a person
 * gets one.
 */
const PROVIDERS = [
  { id: "ollama", name: "Ollama", local: true, example: "qwen3" },
  { id: "lmstudio", name: "LM Studio", local: true, example: "qwen3-8b" },
  { id: "llamacpp", name: "llama.cpp", local: true, example: "qwen3-8b" },
  { id: "openai", name: "OpenAI", local: false, example: "gpt-5-mini", keys: "https://platform.openai.com/api-keys" },
  {
    id: "anthropic",
    name: "Anthropic",
    local: false,
    example: "claude-sonnet-5",
    keys: "https://console.anthropic.com/settings/keys",
  },
  {
    id: "gemini",
    name: "Google Gemini",
    local: false,
    example: "gemini-2.5-flash",
    keys: "https://aistudio.google.com/apikey",
  },
  {
    id: "deepseek",
    name: "DeepSeek",
    local: false,
    example: "deepseek-chat",
    keys: "https://platform.deepseek.com/api_keys",
  },
  {
    id: "qwen",
    name: "Qwen · DashScope",
    local: false,
    example: "qwen-plus",
    keys: "https://bailian.console.aliyun.com/?tab=model#/api-key",
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    local: false,
    example: "qwen/qwen3-32b",
    keys: "https://openrouter.ai/settings/keys",
  },
  { id: "glm", name: "GLM · Z.ai", local: false, example: "glm-4.6" },
  { id: "kimi", name: "Kimi · Moonshot", local: false, example: "kimi-k2" },
  { id: "mistral", name: "Mistral", local: false, example: "mistral-medium-latest" },
  { id: "vllm", name: "vLLM", local: true, example: "Qwen/Qwen3-8B" },
];

/** Protocols of a server that is named by its address. The first one is what most servers speak. */
const WIRES = ["chat", "responses", "anthropic", "ollama"];

/** Key of the draft of the words in `sessionStorage`. */
const WORDS_DRAFT = "settings.words";
/** Days of the chart. */
const DAYS = 30;

async function load() {
  try {
    settings.set({ state: "ready", data: await get("/v1/settings"), problem: null });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { data } = settings.get();
    settings.set({ state: data ? "ready" : "failed", data, problem: error });
  }
}

/** Reads models anew, for this page and for the lists of models elsewhere. */
async function reloadModels() {
  await load();
  try {
    await loadSession();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

/** Shows all settings. */
export function Settings() {
  const { state, data, problem } = useStore(settings);
  const current = useStore(session);
  useEffect(() => {
    load();
    return onRecovered(load);
  }, []);
  const sections = ["general", "models", "words", "usage", "about"];
  const go = (/** @type {string} */ id) => {
    const heading = document.getElementById(`settings-${id}`);
    heading?.scrollIntoView({
      block: "start",
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    });
    heading?.focus({ preventScroll: true });
  };
  const server = (/** @type {(data: SettingsData) => any} */ view) => {
    if (state === "loading")
      return html`<div class="settings-skeleton" role="status" aria-label=${t("settings.loading")}><span
        class="skeleton"></span><span class="skeleton"></span><span class="skeleton"></span></div>`;
    if (!data) return html`<${Failed} problem=${problem} onRetry=${load} title=${t("settings.failed")} />`;
    return view(data);
  };
  return html`<div class="settings page-area">
    <header class="page-head"><h1 tabindex="-1">${t("settings.title")}</h1></header>
    <nav class="settings-nav" aria-label=${t("settings.sections")}>${sections.map((id) => html`<button type="button"
      class="chip" onClick=${() => go(id)}>${t(`settings.${id}`)}</button>`)}</nav>
    <${Section} id="general"><${General} /><//>
    <${Section} id="models" intro=${t("settings.models_intro")}>${server((it) => html`<${Models} data=${it} />`)}<//>
    <${Section} id="words" intro=${t("settings.words_intro")}>${server((it) => html`<${ForbiddenWords}
      data=${it} />`)}<//>
    <${Section} id="usage" intro=${t("settings.usage_intro")}><${UsageView} limits=${data?.limits || null} /><//>
    <${Section} id="about"><${About} version=${current?.version || ""} /><//>
    ${current && current.login !== "none" ? html`<section class="settings-section"><${SignOut}
      tenant=${current.tenant} /></section>` : null}
  </div>`;
}

function Section({ id, intro, children }) {
  return html`<section class="settings-section" aria-labelledby=${`settings-${id}`}>
    <h2 id=${`settings-${id}`} tabindex="-1">${t(`settings.${id}`)}</h2>
    ${intro ? html`<p class="muted settings-intro">${intro}</p>` : null}
    ${children}
  </section>`;
}

/**
 * Buttons of which one is chosen.
 * @param {{label: string, name: string, value: string, options: [string, string][], onChange: (value: string) =>
 *   void}} props
 */
function Segments({ label, name, value, options, onChange }) {
  return html`<div class="setting-row">
    <span class="setting-label" id=${`${name}-label`}>${label}</span>
    <div class="segments" role="radiogroup" aria-labelledby=${`${name}-label`}>
      ${options.map(([id, text]) => html`<label class="segment" key=${id}><input type="radio" class="sr-only"
        name=${name} checked=${id === value} onChange=${() => onChange(id)} /><span
        lang=${name === "language" && id !== "auto" ? id : undefined}>${text}</span></label>`)}
    </div>
  </div>`;
}

function General() {
  const look = useStore(theme);
  const [, redraw] = useState(0);
  const speak = (/** @type {any} */ name) => {
    setLanguage(name);
    redraw((it) => it + 1);
  };
  return html`<div class="card settings-card">
    <${Segments} label=${t("settings.language")} name="language" value=${languagePreference()} onChange=${speak}
      options=${[
      ["auto", t("settings.auto")],
      ["en", "English"],
      ["zh", "中文"],
    ]} />
    <${Segments} label=${t("settings.theme")} name="theme" value=${look} onChange=${(it) => setTheme(it)} options=${[
      ["auto", t("settings.auto")],
      ["light", t("settings.light")],
      ["dark", t("settings.dark")],
    ]} />
  </div>`;
}

/** @param {string} id */
function providerName(id) {
  if (id === "address" || !id) return t("settings.other_address");
  return PROVIDERS.find((it) => it.id === id)?.name || id;
}

/** @param {{data: SettingsData}} props */
function Models({ data }) {
  const [adding, setAdding] = useState(/** @type {{provider: string, model: string} | null} */ (null));
  const [checkName, setCheckName] = useState("");
  const none = data.models.length === 0;
  const done = async (/** @type {string} */ name) => {
    setAdding(null);
    setCheckName(name);
    await reloadModels();
  };
  return html`<div class="models">
    ${
      none
        ? html`<div class="card empty"><${Icon} name="spark" size=${30} /><h3>${t("settings.no_models")}</h3>
          <p>${data.may_manage ? t("settings.no_models_hint") : t("settings.no_models_ask")}</p></div>`
        : html`<ul class="model-list card">${data.models.map((it) => html`<${ModelRow} key=${it.name} model=${it}
          mayManage=${data.may_manage} checkNow=${checkName === it.name} />`)}</ul>`
    }
    ${
      data.may_manage
        ? adding
          ? html`<${AddModel} start=${adding} taken=${data.models.map((it) => it.name)} isFirst=${none} onDone=${done}
            onCancel=${() => setAdding(null)} />`
          : html`<button type="button" class=${none ? "btn primary add-model" : "btn add-model"}
            onClick=${() => setAdding({ provider: "", model: "" })}><${Icon} name="plus"
            size=${16} /> ${t("settings.add_model")}</button>
            <${FoundModels} known=${data.models} onUse=${(provider, model) => setAdding({ provider, model })} />`
        : html`<p class="note"><${Icon} name="lock" size=${16} /> <span>${t("settings.models_read_only")}</span></p>`
    }
  </div>`;
}

/** @param {{model: Model, mayManage: boolean, checkNow: boolean}} props */
function ModelRow({ model, mayManage, checkNow }) {
  const [busy, setBusy] = useState("");
  const [check, setCheck] = useState(/** @type {{ok: boolean, detail: string, milliseconds?: number} | null} */ (null));
  const path = `/v1/settings/models/${encodeURIComponent(model.name)}`;
  const act = async (/** @type {string} */ what, /** @type {() => Promise<void>} */ work) => {
    setBusy(what);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (what === "check") setCheck({ ok: false, detail: error.detail });
      else toast(error.detail, "danger");
    } finally {
      setBusy("");
    }
  };
  const tryOut = () =>
    act("check", async () => {
      setCheck(null);
      const found = await post(`${path}/check`);
      setCheck(found);
      announce(
        found.ok
          ? t("settings.check_ok", { time: formatDuration(found.milliseconds) })
          : `${t("settings.check_bad")} ${found.detail}`,
      );
    });
  const prefer = () => act("default", async () => (await patch(path, { is_default: true }), await reloadModels()));
  const remove = async () => {
    const yes = await confirm(t("settings.remove_model_text", { name: model.name }), {
      title: t("settings.remove_model"),
      action: t("settings.remove"),
      danger: true,
    });
    if (yes)
      await act(
        "remove",
        async () => (await del(path), await reloadModels(), toast(t("settings.removed", { name: model.name }), "ok")),
      );
  };
  useEffect(() => {
    if (checkNow && mayManage) tryOut();
  }, [checkNow]);
  return html`<li class="model-row">
    <div class="model-main">
      <div class="model-name"><b>${model.name}</b>
        ${model.is_default ? html`<span class="badge accent">${t("settings.default")}</span>` : null}
        ${!model.managed ? html`<span class="badge" title=${t("settings.by_operator_hint")}>${t("settings.by_operator")}
          </span>` : null}
        ${model.problem ? html`<span class="badge warn">${t("settings.has_problem")}</span>` : null}
      </div>
      <div class="model-facts muted">
        ${[providerName(model.provider), model.model].filter(Boolean).join(" · ")}${model.has_key
          ? html` · <${Icon} name="key" size=${14} /> ${t("settings.has_key")}` : null}</div>
      ${model.problem ? html`<p class="model-problem"><${Line} text=${model.problem} /></p>` : null}
      ${busy === "check" ? html`<p class="model-check muted"><span class="spinner" aria-hidden="true">
        </span> ${t("settings.checking")}</p>` : null}
      ${check ? html`<p class=${check.ok ? "model-check ok" : "model-check bad"}><${Icon}
        name=${check.ok ? "check-circle" : "x-circle"}
        size=${16} /> <span>${check.ok ? t("settings.check_ok", { time: formatDuration(check.milliseconds) })
          : `${t("settings.check_bad")} ${check.detail}`}</span></p>` : null}
    </div>
    ${
      mayManage
        ? html`<div class="model-tools">
          <button type="button" class="btn small" disabled=${busy !== ""} onClick=${tryOut}>${t("settings.check")}<span
            class="sr-only"> ${model.name}</span></button>
          ${model.is_default ? null : html`<button type="button" class="btn quiet small" disabled=${busy !== ""}
            onClick=${prefer}>${t("settings.make_default")}<span class="sr-only"> ${model.name}</span></button>`}
          ${model.managed ? html`<button type="button" class="icon-btn" disabled=${busy !== ""}
            aria-label=${t("settings.remove_named", { name: model.name })} title=${t("settings.remove")}
            onClick=${remove}><${Icon} name="trash" size=${16} /></button>` : null}
        </div>`
        : null
    }
  </li>`;
}

/** Models of programs that answer on the server's machine. */
function FoundModels({ known, onUse }) {
  const [found, setFound] = useState(
    /** @type {{found: {provider: string, address: string, models: string[]}[], checked: string[]} | null} */ (null),
  );
  const [problem, setProblem] = useState(/** @type {Problem | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const look = async () => {
    setBusy(true);
    setProblem(null);
    try {
      setFound(await get("/v1/settings/models/found"));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    look();
  }, []);
  const isKnown = (/** @type {string} */ provider, /** @type {string} */ model) =>
    known.some((it) => it.model === `${provider}/${model}`);
  return html`<div class="found">
    <div class="found-head"><h3>${t("settings.found")}</h3>
      <button type="button" class="btn quiet small" disabled=${isBusy} onClick=${look}>${isBusy ? html`<span
        class="spinner" aria-hidden="true"></span>` : html`<${Icon} name="refresh"
        size=${14} />`} ${t("settings.look_again")}</button></div>
    ${problem ? html`<p class="muted">${problem.code === "offline" ? t("tools.offline_hint") : problem.detail}
      </p>` : null}
    ${isBusy && !found ? html`<span class="skeleton found-skeleton"></span>` : null}
    ${
      found && found.found.length === 0
        ? html`<p
          class="muted">
            ${t("settings.found_none", { names: found.checked.map(providerName).join(t("tools.comma")) })}</p>
          <details class="more-fields"><summary>${t("settings.get_local")}</summary><ol class="settings-steps">
            <li>${t("settings.get_local_1")}</li><li>${t("settings.get_local_2")} <code>ollama pull qwen3</code></li>
            <li>${t("settings.get_local_3")}</li></ol></details>`
        : null
    }
    ${found?.found.map(
      (it) => html`<div class="found-provider" key=${it.provider + it.address}>
        <p><b>${providerName(it.provider)}</b> <span class="muted">${it.address}</span></p>
        ${
          it.models.length === 0
            ? html`<p class="muted">${t("settings.found_no_models")}</p>`
            : html`<ul class="chips">${it.models.map(
                (model) =>
                  html`<li key=${model}>${
                    isKnown(it.provider, model)
                      ? html`<span class="chip"><${Icon} name="check" size=${14} /> ${model}</span>`
                      : html`<button type="button" class="chip" onClick=${() => onUse(it.provider, model)}><${Icon}
                        name="plus" size=${14} /> ${model}</button>`
                  }</li>`,
              )}</ul>`
        }
      </div>`,
    )}
  </div>`;
}

/** Returns a name for a model that is not taken. */
function nameFor(/** @type {string} */ model, /** @type {string[]} */ taken) {
  const base = (model.split("/").pop() || "").replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 60);
  let name = base;
  for (let number = 2; base && taken.includes(name); number++) name = `${base}-${number}`;
  return name;
}

/**
 * Asks what a new model needs. The key leaves the field with the request, and nothing keeps it here.
 * @param {{start: {provider: string, model: string}, taken: string[], isFirst: boolean, onDone: (name: string) =>
 *   void, onCancel: () => void}} props
 */
function AddModel({ start, taken, isFirst, onDone, onCancel }) {
  const [provider, setProvider] = useState(start.provider);
  const [model, setModel] = useState(start.model);
  const [address, setAddress] = useState("");
  const [wire, setWire] = useState("chat");
  const [cannotCall, setCannotCall] = useState(false);
  const [name, setName] = useState(/** @type {string | null} */ (null));
  const [isDefault, setDefault] = useState(isFirst);
  const [problem, setProblem] = useState(/** @type {Problem | null} */ (null));
  const [missing, setMissing] = useState(/** @type {string[]} */ ([]));
  const [isBusy, setBusy] = useState(false);
  const [hasKey, setHasKey] = useState(false);
  const key = useRef(/** @type {HTMLInputElement | null} */ (null));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const preset = PROVIDERS.find((it) => it.id === provider);
  const shownName = name ?? nameFor(model, taken);
  useEffect(() => {
    /** @type {HTMLElement | null | undefined} */ (
      form.current?.querySelector(provider ? "input[type=text]" : "input[type=radio], button")
    )?.focus();
  }, [provider]);

  const errorOf = (/** @type {string} */ field) => {
    if (missing.includes(field)) return t("tools.form.wrong.missing");
    return (
      problem?.errors
        .filter((it) => it.pointer === `/${field}`)
        .map((it) => it.detail)
        .join(" ") || ""
    );
  };
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isBusy) return;
    const wanted = [
      !model.trim() && "model",
      provider === "other" && !/^https?:\/\//.test(address.trim()) && "address",
      !shownName.trim() && "name",
    ].filter(Boolean);
    setMissing(/** @type {string[]} */ (wanted));
    setProblem(null);
    if (wanted.length) {
      /** @type {HTMLElement | null} */ (document.getElementById(`add-${wanted[0]}`))?.focus();
      return;
    }
    const prefix = cannotCall ? "spelled+" : "";
    const other = `${wire === "chat" ? "" : `${wire}+`}${address.trim()}#${model.trim()}`;
    const body = {
      name: shownName.trim(),
      model: prefix + (provider === "other" ? other : `${provider}/${model.trim()}`),
      is_default: isDefault,
    };
    const secret = key.current?.value || "";
    if (secret) Object.assign(body, { key: secret });
    setBusy(true);
    try {
      const made = await post("/v1/settings/models", body);
      if (key.current) key.current.value = "";
      toast(t("settings.added", { name: made?.name || body.name }), "ok");
      onDone(made?.name || body.name);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      setBusy(false);
    }
  };
  const field = (
    /** @type {string} */ id,
    /** @type {any} */ label,
    /** @type {any} */ hint,
    /** @type {any} */ control,
  ) => {
    const error = errorOf(id);
    return html`<div class="field">
      <label for=${`add-${id}`}>${label}</label>
      ${control({ "id": `add-${id}`, "aria-describedby": `add-${id}-hint add-${id}-error`, "aria-invalid": error
        ? "true" : undefined, "autocomplete": "off" })}
      <p class="hint" id=${`add-${id}-hint`}>${hint}</p>
      <p class="error" id=${`add-${id}-error`}>${error ? html`<${Line} text=${error} />` : null}</p>
    </div>`;
  };
  if (!provider) {
    const group = (/** @type {string} */ title, /** @type {any[]} */ list) =>
      html`<h4>${title}</h4><div class="providers">${list.map((it) => html`<button type="button" class="btn provider"
        key=${it.id} onClick=${() => setProvider(it.id)}>${it.name}</button>`)}</div>`;
    return html`<form ref=${form} class="card add-form" onSubmit=${(event) => event.preventDefault()}>
      <div class="try-head"><h3>${t("settings.which_provider")}</h3><button type="button"
        class="btn quiet small try-tools" onClick=${onCancel}>${t("settings.cancel")}</button></div>
      ${group(
        t("settings.local_providers"),
        PROVIDERS.filter((it) => it.local),
      )}
      ${group(
        t("settings.remote_providers"),
        PROVIDERS.filter((it) => !it.local),
      )}
      ${group(t("settings.other_providers"), [{ id: "other", name: t("settings.other_address") }])}
    </form>`;
  }
  const general =
    problem && problem.errors.filter((it) => ["/model", "/name", "/key"].includes(it.pointer)).length === 0;
  return html`<form ref=${form} class="card add-form" novalidate autocomplete="off" onSubmit=${save}>
    <div class="try-head"><h3>${preset ? preset.name : t("settings.other_address")}</h3><button type="button"
      class="btn quiet small try-tools" onClick=${() => setProvider("")}>${t("settings.other_provider")}</button></div>
    ${
      provider === "other"
        ? field(
            "address",
            t("settings.address"),
            t("settings.address_hint"),
            (props) =>
              html`<input ...${props} class="input" type="text" inputmode="url" placeholder="http://127.0.0.1:8080/v1"
                value=${address} onInput=${(event) => setAddress(event.target.value)} />`,
          )
        : null
    }
    ${field("model", t("settings.model"), t("settings.model_hint", { example: preset?.example || "qwen3" }), (props) =>
      html`<input ...${props} class="input" type="text" spellcheck=${false} value=${model}
        onInput=${(event) => setModel(event.target.value)} />`)}
    ${field(
      "key",
      preset?.local || provider === "other" ? t("settings.key_optional") : t("settings.key"),
      html`${t("settings.key_hint")} ${preset?.keys ? html`<a href=${preset.keys} target="_blank"
        rel="noopener noreferrer">${t("settings.key_where", { provider: preset.name })}</a>` : null}`,
      (props) =>
        html`<input ...${props} ref=${key} class="input" type="password" spellcheck=${false}
          onInput=${(event) => setHasKey(event.target.value !== "")} />`,
    )}
    ${
      provider === "other"
        ? html`<div class="field"><label for="add-wire">${t("settings.wire")}</label><select id="add-wire" class="input"
          value=${wire} onChange=${(event) => setWire(event.target.value)}>${WIRES.map((it) => html`<option
          value=${it}>${t(`settings.wire.${it}`)}</option>`)}</select></div>`
        : null
    }
    ${field("name", t("settings.name"), t("settings.name_hint"), (props) => html`<input ...${props} class="input"
      type="text" spellcheck=${false} value=${shownName} onInput=${(event) => setName(event.target.value)} />`)}
    <label class="check-row"><input type="checkbox" checked=${isDefault}
      onChange=${(event) => setDefault(event.target.checked)} /><span>${t("settings.use_as_default")}</span></label>
    <label class="check-row"><input type="checkbox" checked=${cannotCall}
      onChange=${(event) => setCannotCall(event.target.checked)} /><span>${t("settings.cannot_call")} <span
      class="muted">${t("settings.cannot_call_hint")}</span></span></label>
    ${problem && general ? html`<div class="note danger" role="alert"><${Icon} name="alert" size=${16} /> <div>
      <p>${problem.code === "offline" ? t("tools.offline_hint") : html`<${Line} text=${problem.detail} />`}
      </p>${problem.hint ? html`<p><${Line} text=${problem.hint} /></p>` : null}</div></div>` : null}
    <div class="try-actions">
      <button type="submit" class="btn primary" disabled=${isBusy}>${isBusy ? html`<span class="spinner"
        aria-hidden="true"></span> ` : null}${t("settings.save_model")}</button>
      <button type="button" class="btn quiet" onClick=${onCancel}>${t("settings.cancel")}</button>
      ${!preset?.local && provider !== "other" && !hasKey ? html`<span class="muted">${t("settings.no_key_hint")}
        </span>` : null}
    </div>
  </form>`;
}

/**
 * Lines of the text that are rules, with their numbers.
 * @param {string} text
 * @returns {{rule: string, line: number}[]}
 */
export function ruleLines(text) {
  return text
    .split("\n")
    .map((line, index) => ({ rule: line.trim(), line: index }))
    .filter((it) => it.rule !== "");
}

/** Words that must not leave: one on each line, saved on request. @param {{data: SettingsData}} props */
function ForbiddenWords({ data }) {
  const saved = data.words.rules.join("\n");
  const [text, setText] = useState(() => loadDraft(WORDS_DRAFT) || saved);
  const [base, setBase] = useState(saved);
  const [problem, setProblem] = useState(/** @type {Problem | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const isChanged =
    ruleLines(text)
      .map((it) => it.rule)
      .join("\n") !== saved;
  useEffect(() => {
    // Another tab has saved, and nothing was written here since.
    if (saved !== base && text === base) setText(saved);
    setBase(saved);
  }, [saved]);
  useEffect(() => {
    // An empty text would be no draft, so that all rules deleted but not saved come back with the next visit.
    saveDraft(WORDS_DRAFT, isChanged ? text : "");
    if (!isChanged) return undefined;
    const warn = (/** @type {BeforeUnloadEvent} */ event) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [text, isChanged]);
  const lines = ruleLines(text);
  const errors = (problem?.errors || []).map((it) => {
    const at = /^\/rules\/(\d+)/.exec(it.pointer);
    return { line: at ? (lines[Number(at[1])]?.line ?? null) : null, detail: it.detail };
  });
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    const rules = lines.map((it) => it.rule);
    try {
      await put("/v1/settings/words", { rules });
      saveDraft(WORDS_DRAFT, "");
      setText(rules.join("\n"));
      settings.set((it) => ({ ...it, data: it.data && { ...it.data, words: { rules } } }));
      toast(rules.length ? plural("settings.words_saved", rules.length) : t("settings.words_saved_none"), "ok");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      announce(error.detail);
    } finally {
      setBusy(false);
    }
  };
  const goTo = (/** @type {number} */ line) => {
    const before = text
      .split("\n")
      .slice(0, line)
      .reduce((sum, it) => sum + it.length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(before, before + text.split("\n")[line].length);
  };
  return html`<form class="card settings-card words-form" onSubmit=${save}>
    <div class="field">
      <label for="words-rules">${t("settings.words_label")}</label>
      <textarea ref=${area} id="words-rules" class="input"
        rows=${Math.min(Math.max(text.split("\n").length + 1, 5), 18)} value=${text} spellcheck=${false}
        placeholder=${t("settings.words_placeholder")}
        aria-describedby="words-hint words-errors" aria-invalid=${errors.length || problem ? "true" : undefined}
          onInput=${(event) => (setText(event.target.value), setProblem(null))}></textarea>
      <div class="hint" id="words-hint"><p>${t("settings.words_hint")}</p><p>${t("settings.words_spelling")}</p></div>
      <div id="words-errors">
        ${errors.map((it) => html`<p class="field-error"><${Icon} name="alert"
          size=${14} /> <span>${it.line === null ? null : html`<button type="button" class="link-btn"
          onClick=${() => goTo(/** @type {number} */ (it.line))}>${t("settings.line", { n: it.line + 1 })}
          </button>${": "}`}${it.detail}</span></p>`)}
        ${problem && errors.length === 0 ? html`<p class="field-error" role="alert"><${Icon} name="alert"
          size=${14} /> <span>${problem.code === "offline" ? t("tools.offline_hint") : problem.detail} ${problem.hint
            || ""}</span></p>` : null}
      </div>
    </div>
    ${data.operator_rules > 0 ? html`<p class="muted words-operator"><${Icon} name="shield"
      size=${16} /> ${plural("settings.operator_rules", data.operator_rules)}</p>` : null}
    <div class="try-actions">
      <button type="submit" class="btn primary" disabled=${isBusy || !isChanged}>${t("settings.save")}</button>
      ${isChanged ? html`<button type="button" class="btn quiet" disabled=${isBusy}
        onClick=${() => (setText(saved), setProblem(null))}>${t("settings.discard")}</button><span
        class="badge warn">${t("settings.unsaved")}</span>` : html`<span
        class="muted">${lines.length ? plural("settings.words_count", lines.length) : t("settings.words_none")}</span>`}
    </div>
  </form>`;
}

/** @param {string} dollars a decimal number */
function money(dollars) {
  const value = Number(dollars) || 0;
  const digits = value > 0 && value < 0.01 ? 4 : 2;
  return new Intl.NumberFormat(locale(), {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(value);
}

/** @param {string} day such as `2026-11-27` */
function dayText(day) {
  return new Intl.DateTimeFormat(locale(), { month: "short", day: "numeric", timeZone: "UTC" }).format(
    new Date(`${day}T00:00:00Z`),
  );
}

/**
 * Returns the last days in their order, with zeros for those without use.
 * @param {{day: string, tokens: number, dollars: string}[]} days
 * @param {number} count
 * @param {number} now
 */
export function lastDays(days, count, now) {
  const known = new Map(days.map((it) => [it.day, it]));
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return known.get(day) || { day, tokens: 0, dollars: "0" };
  });
}

/** @param {{limits: SettingsData["limits"] | null}} props */
function UsageView({ limits }) {
  const [usage, setUsage] = useState(/** @type {{days: any[], today: Usage} | null} */ (null));
  const [problem, setProblem] = useState(/** @type {Problem | null} */ (null));
  const [unit, setUnit] = useState("tokens");
  const read = async () => {
    setProblem(null);
    try {
      setUsage(await get("/v1/usage", { query: { days: DAYS } }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  };
  useEffect(() => {
    read();
    return onRecovered(read);
  }, []);
  if (problem && !usage)
    return html`<${Failed} problem=${problem} onRetry=${read} title=${t("settings.usage_failed")} />`;
  if (!usage)
    return html`<div class="settings-skeleton" role="status" aria-label=${t("settings.loading")}><span class="skeleton">
      </span><span class="skeleton"></span></div>`;
  const days = lastDays(usage.days || [], DAYS, Date.now());
  const value = (/** @type {any} */ it) => (unit === "tokens" ? it.tokens : Number(it.dollars) || 0);
  const text = (/** @type {any} */ it) =>
    unit === "tokens" ? plural("settings.tokens", it.tokens) : money(it.dollars);
  const most = Math.max(...days.map(value), 0);
  const total = {
    tokens: days.reduce((sum, it) => sum + it.tokens, 0),
    dollars: String(days.reduce((sum, it) => sum + (Number(it.dollars) || 0), 0)),
  };
  const today = usage.today || { tokens: 0, dollars: "0" };
  const used = days.filter((it) => it.tokens > 0 || Number(it.dollars) > 0);
  return html`<div class="card settings-card usage">
    <div class="usage-numbers">
      <${Meter} label=${t("settings.today_tokens")} value=${today.tokens} limit=${limits?.tokens_per_day ?? null}
        text=${formatNumber(today.tokens)}
        limitText=${limits?.tokens_per_day ? formatNumber(limits.tokens_per_day) : ""} />
      <${Meter} label=${t("settings.today_cost")} value=${Number(today.dollars) || 0}
        limit=${limits?.dollars_per_day ? Number(limits.dollars_per_day) : null} text=${money(today.dollars)}
        limitText=${limits?.dollars_per_day ? money(limits.dollars_per_day) : ""} />
    </div>
    ${
      used.length === 0
        ? html`<p class="muted">${t("settings.usage_none", { n: DAYS })}</p>`
        : html`<div class="usage-chart-head">
            <h3>${t("settings.last_days", { n: DAYS })}</h3>
            <div class="segments" role="radiogroup"
              aria-label=${t("settings.unit")}>${["tokens", "cost"].map((it) => html`<label class="segment" key=${it}>
              <input type="radio" class="sr-only" name="usage-unit" checked=${it === unit}
              onChange=${() => setUnit(it)} /><span>${t(`settings.unit_${it}`)}</span></label>`)}</div>
          </div>
          <div class="bars" role="img"
            aria-label=${t("settings.chart", { n: DAYS, total: text(total), most: text(days.reduce((a,
              b) => (value(b) > value(a) ? b : a))) })}>
            ${days.map((it) => html`<div class="bar-slot" key=${it.day} title=${`${dayText(it.day)}: ${text(it)}`}><div
              class=${value(it) ? "bar" : "bar none"}
              style=${{ height: `${most ? Math.max((value(it) / most) * 100, value(it) ? 2 : 0) : 0}%` }}></div>
              </div>`)}
          </div>
          <div class="bars-axis muted" aria-hidden="true"><span>${dayText(days[0].day)}</span>
            <span>${t("settings.most", { value: unit === "tokens" ? formatNumber(most) : money(String(most)) })}</span>
            <span>${t("settings.today")}</span></div>
          <details class="more-fields"><summary>${t("settings.as_table")}</summary>
            <div class="table-scroll" tabindex="0" role="group" aria-label=${t("settings.as_table")}><table>
              <thead><tr><th scope="col">${t("settings.day")}</th><th scope="col"
                class="number">${t("settings.unit_tokens")}</th><th scope="col"
                class="number">${t("settings.unit_cost")}</th></tr></thead>
              <tbody>${[...used].reverse().map((it) => html`<tr key=${it.day}><td>${dayText(it.day)}</td><td
                class="number">${formatNumber(it.tokens)}</td><td class="number">${money(it.dollars)}</td></tr>`)}
                <tr class="total"><td><b>${t("settings.total")}</b></td><td class="number">
                  <b>${formatNumber(total.tokens)}</b></td><td class="number"><b>${money(total.dollars)}</b></td></tr>
                  </tbody>
            </table></div></details>`
    }
  </div>`;
}

/** A number of today, against its limit if there is one. */
function Meter({ label, value, limit, text, limitText }) {
  const part = limit ? Math.min(value / limit, 1) : 0;
  const kind = part >= 1 ? "danger" : part >= 0.8 ? "warn" : "";
  return html`<div class="usage-number">
    <span class="muted">${label}</span>
    <span class="usage-value">${text}${limit ? html` <span
      class="muted usage-limit">${t("settings.of", { limit: limitText })}</span>` : null}</span>
    ${
      limit
        ? html`<div class=${`meter ${kind}`} role="meter" aria-label=${label} aria-valuemin="0" aria-valuemax=${limit}
          aria-valuenow=${Math.min(value, limit)} aria-valuetext=${`${text} ${t("settings.of", { limit: limitText })}`}>
          <div style=${{ width: `${part * 100}%` }}></div></div>
          ${part >= 1 ? html`<span class="usage-over">${t("settings.limit_reached")}</span>` : null}`
        : html`<span class="muted usage-limit">${t("settings.no_limit")}</span>`
    }
  </div>`;
}

/** Keys and what they do; the words are those of this area. */
const SHORTCUTS = [
  [["Enter"], "send"],
  [["Shift", "Enter"], "line"],
  [["Ctrl", "K"], "search"],
  [["N"], "new"],
  [["Esc"], "escape"],
  [["Ctrl", "Enter"], "run"],
  [["↑", "↓"], "cells"],
  [["?"], "help"],
];

function About({ version }) {
  return html`<div class="card settings-card about">
    <dl class="facts">
      <div><dt>${t("settings.version")}</dt><dd>Mitt ${version || "–"}</dd></div>
      <div><dt>${t("settings.data")}</dt><dd>${t("settings.data_server")}<br />${t("settings.data_browser")}</dd></div>
      <div><dt>${t("settings.requests")}</dt><dd>${t("settings.requests_text")}</dd></div>
    </dl>
    <h3>${t("settings.shortcuts")}</h3>
    <dl class="settings-shortcuts">${SHORTCUTS.map(([keys, what]) => html`<div key=${what}>
      <dt>${/** @type {string[]} */ (keys).map((it, index) => html`${index ? (it === "↓" ? " " : " + ") : null}
      <kbd>${it}</kbd>`)}</dt><dd>${t(`settings.shortcut.${what}`)}</dd></div>`)}</dl>
    <h3>${t("settings.licences")}</h3>
    <ul class="plain-list">
      <li><span>Mitt · MIT ${t("settings.or")} Apache-2.0</span></li>
      <li><span>Preact · MIT · Copyright © 2015-present Jason Miller</span></li>
      <li><span>htm · Apache-2.0 · Copyright © 2018 Google Inc.</span></li>
    </ul>
  </div>`;
}

function SignOut({ tenant }) {
  const [isBusy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    try {
      await logOut();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      toast(error.detail, "danger");
      setBusy(false);
    }
  };
  return html`<div class="sign-out"><button type="button" class="btn" disabled=${isBusy} onClick=${leave}><${Icon}
    name="logout" size=${16} /> ${t("settings.sign_out")}</button><span
    class="muted">${t("settings.signed_in", { tenant })}</span></div>`;
}
