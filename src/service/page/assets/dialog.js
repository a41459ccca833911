// Dialogs, menus, short notices and announcements for screen readers.
import { html, useState, useEffect, useRef } from "./viewer/ui.js";
import { t } from "./viewer/i18n_core.js";
import { createStore, useStore } from "./store.js";
import { Icon } from "./icons.js";

/** Time in milliseconds for which a notice is shown. */
const TOAST_MS = 5_000;

/**
 * Shows a modal dialog while it is rendered. The browser keeps the focus in it and gives it back afterwards.
 * @param {{title: string, onClose: () => void, children?: any, actions?: any, class?: string}} props
 */
export function Dialog({ title, onClose, children, actions, class: extra }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return undefined;
    const before = document.activeElement;
    if (!dialog.open) dialog.showModal();
    return () => {
      if (dialog.open) dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  /** @param {MouseEvent} event */
  const clicked = (event) => {
    // A click on the backdrop hits the dialog itself.
    if (event.target === element.current) onClose();
  };
  /** @param {Event} event */
  const cancelled = (event) => {
    event.preventDefault();
    onClose();
  };
  return html`<dialog ref=${element} class=${extra ? `dialog ${extra}` : "dialog"} aria-label=${title}
    onCancel=${cancelled} onMouseDown=${clicked}>
    <div class="dialog-body">
      <header class="dialog-head">
        <h2>${title}</h2>
        <button type="button" class="icon-btn" aria-label=${t("shell.close")} title=${t("shell.close")}
          onClick=${onClose}>
          <${Icon} name="close" />
        </button>
      </header>
      <div class="dialog-content">${children}</div>
      ${actions ? html`<footer class="dialog-actions">${actions}</footer>` : null}
    </div>
  </dialog>`;
}

/**
 * @typedef {{id: number, text: string, title: string, action: string, danger: boolean, resolve: (yes: boolean) =>
 *   void}} Asked
 * @type {import("./store.js").Store<Asked | null>}
 */
const asked = createStore(null);

/**
 * @typedef {{id: number, text: string, kind: "info"|"ok"|"warn"|"danger", action?: {label: string, run: () => void}}}
 *   Toast
 * @type {import("./store.js").Store<Toast[]>}
 */
const toasts = createStore([]);

/** @type {import("./store.js").Store<{text: string, turn: number}>} */
const announced = createStore({ text: "", turn: 0 });

let serial = 0;

/**
 * Asks the user to confirm. Resolves to `true` if they do.
 * @param {string} text
 * @param {{title?: string, action?: string, danger?: boolean}} [options]
 * @returns {Promise<boolean>}
 */
export function confirm(text, options = {}) {
  return new Promise((resolve) => {
    asked.get()?.resolve(false);
    serial += 1;
    const title = options.title || t("shell.confirm");
    const action = options.action || t("shell.ok");
    asked.set({ id: serial, text, title, action, danger: Boolean(options.danger), resolve });
  });
}

/**
 * Shows a short notice, which screen readers read too.
 * @param {string} text
 * @param {"info"|"ok"|"warn"|"danger"} [kind]
 * @param {{action?: {label: string, run: () => void}}} [options]
 */
export function toast(text, kind = "info", options = {}) {
  serial += 1;
  const notice = { id: serial, text, kind, action: options.action };
  toasts.set((list) => [...list.filter((it) => it.text !== text).slice(-2), notice]);
  announce(text);
  setTimeout(() => dismiss(notice.id), kind === "danger" || notice.action ? TOAST_MS * 2 : TOAST_MS);
}

/** @param {number} id */
function dismiss(id) {
  toasts.set((list) => list.filter((it) => it.id !== id));
}

/**
 * Announces a change of status to screen readers.
 * @param {string} text
 */
export function announce(text) {
  announced.set((last) => ({ text, turn: last.turn + 1 }));
}

/** Shows confirmations and notices, and holds the only live region of the page. Rendered once, by the shell. */
export function DialogHost() {
  const question = useStore(asked);
  const notices = useStore(toasts);
  const spoken = useStore(announced);
  /** @param {boolean} yes */
  const decide = (yes) => {
    asked.set(null);
    question?.resolve(yes);
  };
  const actions = html`<button type="button" class="btn" autofocus onClick=${() => decide(false)}>
    ${t("shell.cancel")}</button>
    <button type="button" class=${question?.danger ? "btn danger" : "btn primary"} onClick=${() => decide(true)}>
      ${question?.action}</button>`;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const latest = notices.length > 0 ? notices[notices.length - 1].id : 0;
  useEffect(() => {
    // Shown anew, so that it is above a dialog that was opened meanwhile.
    const element = box.current;
    if (!element || !element.showPopover) return;
    if (element.matches(":popover-open")) element.hidePopover();
    element.showPopover();
  }, [latest]);
  return html`${notices.length > 0 ? html`<section class="toasts" popover="manual" ref=${box}
      aria-label=${t("shell.notices")}>
      ${notices.map(
        (it) => html`<div key=${it.id} class=${`toast ${it.kind}`}>
          <${Icon} name=${it.kind === "ok" ? "check-circle" : it.kind === "info" ? "info" : "alert"} />
          <span class="toast-text">${it.text}</span>
          ${it.action
            ? html`<button type="button" class="btn quiet" onClick=${() => (dismiss(it.id), it.action?.run())}>
              ${it.action.label}</button>`
            : null}
          <button type="button" class="icon-btn" aria-label=${t("shell.close")} onClick=${() => dismiss(it.id)}>
            <${Icon} name="close" size=${16} /></button>
        </div>`,
      )}
    </section>` : null}
    <div class="sr-only" role="status" aria-live="polite" aria-atomic="true">
      <span key=${spoken.turn}>${spoken.text}</span></div>
    ${question
      ? html`<${Dialog} key=${question.id} title=${question.title} onClose=${() => decide(false)} actions=${actions}>
        <p class="dialog-text">${question.text}</p><//>`
      : null}`;
}

/**
 * Shows a button that opens a menu. Arrow keys move in it, Esc closes it.
 * @param {{label: string, icon?: string, class?: string, items: ({label: string, icon?: string, danger?: boolean,
 *   checked?: boolean, run: () => void} | null)[],
 *   children?: any, up?: boolean}} props
 */
export function Menu({ label, icon = "more", class: extra, items, children, up }) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const list = useRef(/** @type {HTMLDivElement | null} */ (null));
  const entries = () => /** @type {HTMLElement[]} */ ([...(list.current?.querySelectorAll("[role^=menuitem]") || [])]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const menu = list.current;
    const opener = button.current;
    if (menu && opener) {
      // The menu is placed by the button, above everything, so that no scrolling box cuts it off.
      const box = opener.getBoundingClientRect();
      const { offsetWidth: width, offsetHeight: height } = menu;
      const below = box.bottom + 4 + height <= window.innerHeight && !up;
      const top = below ? box.bottom + 4 : Math.max(4, box.top - 4 - height);
      const left = Math.max(4, Math.min(box.right - width, window.innerWidth - width - 4));
      menu.style.top = `${top}px`;
      menu.style.left = `${left < box.left - width ? box.left : left}px`;
    }
    (entries().find((it) => it.getAttribute("aria-checked") === "true") || entries()[0])?.focus();
    /** @param {Event} event */
    const outside = (event) => {
      const target = /** @type {Node} */ (event.target);
      if (!list.current?.contains(target) && !button.current?.contains(target)) setOpen(false);
    };
    const shut = () => setOpen(false);
    document.addEventListener("pointerdown", outside, true);
    window.addEventListener("resize", shut);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      window.removeEventListener("resize", shut);
    };
  }, [isOpen]);
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    const all = entries();
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    let next = -1;
    if (event.key === "ArrowDown") next = (at + 1) % all.length;
    else if (event.key === "ArrowUp") next = (at - 1 + all.length) % all.length;
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = all.length - 1;
    else if (event.key === "Escape" || event.key === "Tab") {
      setOpen(false);
      if (event.key === "Tab") return;
      button.current?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
    if (next >= 0) all[next]?.focus();
  };
  /** @param {{run: () => void}} item */
  const choose = (item) => {
    setOpen(false);
    // The focus goes back first, so that a dialog that the item opens can give it back too.
    button.current?.focus();
    item.run();
  };
  return html`<span class="menu-anchor">
    <button ref=${button} type="button" class=${extra || "icon-btn"} aria-haspopup="menu" aria-expanded=${isOpen
      ? "true" : "false"} aria-label=${children ? undefined : label} title=${label} onClick=${() => setOpen(!isOpen)}>
      ${children || html`<${Icon} name=${icon} />`}
    </button>
    ${isOpen
      ? html`<div ref=${list} class="menu" role="menu" aria-label=${label} tabindex="-1" onKeyDown=${pressed}>
          ${items.filter(Boolean).map(
            (it) => html`<button
              type="button"
              class=${it.danger ? "menu-item danger" : "menu-item"}
              role=${it.checked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked=${it.checked === undefined ? undefined : String(it.checked)}
              tabindex="-1"
              onClick=${() => choose(it)}
            >
              ${it.checked === undefined ? (it.icon ? html`<${Icon} name=${it.icon} />` : null)
                : html`<${Icon} name="check" class=${it.checked ? "" : "invisible"} />`}
              <span>${it.label}</span>
            </button>`,
          )}
        </div>`
      : null}
  </span>`;
}
