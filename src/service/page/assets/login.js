// Login with a token: as a screen of its own, and as a dialog when a login has ended.
import { html, useState, useRef, useEffect } from "./viewer/ui.js";
import { t } from "./viewer/i18n_core.js";
import { post, Problem } from "./api.js";
import { Icon } from "./icons.js";
import { Mark } from "./sidebar.js";
import { Command } from "./welcome.js";
import { route, useStore } from "./store.js";

/**
 * Asks for the token.
 * @param {{isExpired: boolean, isLink?: boolean, onLogin: () => void}} props
 */
function LoginForm({ isExpired, isLink = false, onLogin }) {
  const [token, setToken] = useState("");
  const [isVisible, setVisible] = useState(false);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState("");
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  // After a link that expired, its explanation is read first.
  useEffect(() => (isLink ? undefined : input.current?.focus()), []);
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    if (isSending) return;
    const text = token.trim();
    if (text === "") {
      setError(t("shell.token_missing"));
      input.current?.focus();
      return;
    }
    setSending(true);
    setError("");
    try {
      await post("/v1/session", { token: text }, { is_login: true });
      onLogin();
    } catch (problem) {
      setSending(false);
      setError(explain(problem));
      input.current?.focus();
      input.current?.select();
    }
  };
  return html`<form class="login-form" onSubmit=${submit} novalidate>
    <div class="field">
      <label for="login-token">${t("shell.token")}</label>
      <div class="with-button">
        <input
          ref=${input}
          id="login-token"
          class="input"
          type=${isVisible ? "text" : "password"}
          name="token"
          autocomplete="current-password"
          autocapitalize="off"
          spellcheck="false"
          value=${token}
          aria-invalid=${error ? "true" : undefined}
          aria-describedby=${isLink ? "login-error" : "login-error login-hint"}
          onInput=${(/** @type {any} */ event) => setToken(event.target.value)}
        />
        <button
          type="button"
          class="icon-btn"
          aria-label=${t(isVisible ? "shell.token_hide" : "shell.token_show")}
          title=${t(isVisible ? "shell.token_hide" : "shell.token_show")}
          onClick=${() => setVisible(!isVisible)}
        >
          <${Icon} name=${isVisible ? "eye-off" : "eye"} />
        </button>
      </div>
      <p class="error" id="login-error" role="alert">${error}</p>
    </div>
    <button type="submit" class="btn primary" aria-disabled=${isSending ? "true" : undefined}>
      ${isSending ? html`<span class="spinner" aria-hidden="true"></span>` : null} ${t("shell.log_in")}
    </button>
    ${isLink ? null : html`<p class="hint muted" id="login-hint">${t("shell.login_own")}</p>`}
    ${isExpired || isLink ? null : html`<p class="sr-only">${t("shell.login_text")}</p>`}
  </form>`;
}

/** @param {unknown} problem */
function explain(problem) {
  if (!(problem instanceof Problem)) return t("shell.login_failed", { detail: String(problem) });
  if (problem.status === 401) return t("shell.token_wrong");
  if (problem.code === "offline") return t("shell.login_offline");
  return t("shell.login_failed", { detail: problem.detail });
}

/**
 * The screen that a person sees who is not logged in.
 * @param {{onLogin: () => void}} props
 */
export function Login({ onLogin }) {
  const isLink = useStore(route).name === "expired-link";
  return html`<main class="login" id="main">
    <div class="card login-card">
      <div class="login-head">
        <${Mark} size=${36} />
        <h1>${t(isLink ? "shell.link_title" : "shell.login_title")}</h1>
        <p class="muted">${t(isLink ? "shell.link_text" : "shell.login_text")}</p>
        ${isLink ? html`<div class="link-way">
          <p>${t("shell.link_own")}</p>
          <${Command} text="mitt open" />
          <p>${t("shell.link_token")}</p>
        </div>` : null}
      </div>
      <${LoginForm} isExpired=${false} isLink=${isLink} onLogin=${onLogin} />
    </div>
  </main>`;
}

/**
 * The dialog that a person sees whose login has ended. It cannot be closed, and the page stays behind it as it was.
 * @param {{onLogin: () => void}} props
 */
export function LoginAgain({ onLogin }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    element.current?.showModal();
    return () => element.current?.close();
  }, []);
  return html`<dialog ref=${element} class="dialog" aria-label=${t("shell.login_expired_title")}
    onCancel=${(/** @type {Event} */ event) => event.preventDefault()}>
    <div class="dialog-body">
      <header class="dialog-head"><h2>${t("shell.login_expired_title")}</h2></header>
      <div class="dialog-content login-again">
        <p>${t("shell.login_expired_text")}</p>
        <${LoginForm} isExpired=${true} onLogin=${onLogin} />
      </div>
    </div>
  </dialog>`;
}
