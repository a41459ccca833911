// Loads the preview of files, and the pages of tools and of settings, when a person first opens them: the page starts faster
// without them.
import { html, useEffect, useState } from "./viewer/ui.js";
import { addWords, t } from "./viewer/i18n_core.js";

/**
 * Adds a style sheet of the page, and waits until it holds. One that cannot be loaded is tried again the next time.
 * @param {string} name
 * @returns {Promise<void>}
 */
function addStyle(name) {
  const first = /** @type {HTMLLinkElement} */ (document.querySelector('link[href$="/style.css"]'));
  const address = first.href.replace("style.css", name);
  const known = [...document.querySelectorAll("link")].find((it) => it.href === address);
  const link = known ?? document.createElement("link");
  if (link.sheet) return Promise.resolve();
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      reject(new Error(`${name} could not be loaded`));
    });
    if (known) return;
    link.rel = "stylesheet";
    link.href = address;
    document.head.append(link);
  });
}

/** Adds the words of tools, some of which the settings use too. */
async function addToolWords() {
  addWords("tools", (await import(/* later */ "./words/tools.js")).words);
}

/** @type {Record<string, () => Promise<any>>} */
const LOADERS = {
  files: async () => (await Promise.all([import(/* later */ "./files_panel.js"), addStyle("files.css")]))[0].FilesPanel,
  tools: async () => {
    const [page] = await Promise.all([import(/* later */ "./tools.js"), addToolWords(), addStyle("tools.css")]);
    return page.Tools;
  },
  settings: async () => {
    const [page, area] = await Promise.all([
      import(/* later */ "./settings.js"),
      import(/* later */ "./words/settings.js"),
      addToolWords(),
      addStyle("tools.css"),
      addStyle("settings.css"),
    ]);
    addWords("settings", area.words);
    return page.Settings;
  },
};

/** @type {Record<string, any>} */
const loaded = {};

/** Loads the preview of files before a person wants it. It fails in silence: it is loaded again when it is needed. */
export function preload() {
  LOADERS.files().then(
    (Page) => {
      loaded.files = Page;
    },
    () => {},
  );
}

/**
 * Shows a part of the page whose code is loaded first.
 * @param {{area: "files" | "tools" | "settings", [name: string]: any}} props
 */
export function Lazy({ area, ...props }) {
  const [state, setState] = useState({ area: "", failed: false });
  const load = () => {
    setState({ area, failed: false });
    LOADERS[area]().then(
      (Page) => {
        loaded[area] = Page;
        setState({ area, failed: false });
      },
      () => setState({ area, failed: true }),
    );
  };
  useEffect(() => {
    if (!loaded[area]) load();
  }, [area]);
  const Page = loaded[area];
  if (Page) return html`<${Page} ...${props} />`;
  if (state.failed && state.area === area) {
    return html`<div class="empty" role="alert">
      <p>${t("shell.page_failed")}</p>
      <button class="btn" type="button" onClick=${() => location.reload()}>${t("shell.reload")}</button>
    </div>`;
  }
  return html`<div class="empty" aria-busy="true"><span class="spinner" aria-hidden="true"></span></div>`;
}
