// Starts the page: words, theme, login, and the route in the address.
import { html, render, useState, useEffect } from "./viewer/ui.js";
import { addWords, language, onLanguageChange, t } from "./viewer/i18n_core.js";
import { navigate, route, parseRoute, session, theme, useStore } from "./store.js";
import { loadSession, watchTabs } from "./account.js";
import { connection, loggedIn, onRecovered, probeNow, watchNetwork } from "./connection.js";
import { toast } from "./dialog.js";
import { loadTitles } from "./calls.js";
import { preload } from "./lazy.js";
import { watchLeaving } from "./drafts.js";
import { watchRuns } from "./runs.js";
import { Shell, Unreachable } from "./shell.js";
import { Login, LoginAgain } from "./login.js";
import { words as shellWords } from "./words/shell.js";
import { words as conversationWords } from "./words/conversation.js";
import { words as filesWords } from "./words/files.js";

/** Time in milliseconds after which what is not needed for the start is loaded. */
const LATER_MS = 600;

const WORDS = {
  shell: shellWords,
  conversation: conversationWords,
  files: filesWords,
};

/** Why the session could not be read when the page was loaded. @type {any} */
let firstProblem = null;

function App() {
  const [, redraw] = useState(0);
  const [problem, setProblem] = useState(firstProblem);
  const known = useStore(session);
  const { state } = useStore(connection);

  const load = () => {
    setProblem(null);
    return loadSession().catch((error) => error.status === 401 || setProblem(error));
  };
  useEffect(() => onRecovered(load), []);
  useEffect(() => onLanguageChange(() => (showLanguage(), redraw((n) => n + 1))), []);
  const isKnown = known !== null;
  const isLink = useStore(route).name === "expired-link";
  useEffect(() => {
    if (!isKnown || !isLink) return;
    navigate("#/", { replace: true });
    toast(t("shell.link_not_needed"), "info");
  }, [isKnown, isLink]);
  useEffect(() => {
    if (!isKnown) return undefined;
    // Not before the first view is there. Calls then have their titles from the beginning, and files open at once.
    const timer = setTimeout(() => (loadTitles(), preload()), LATER_MS);
    const end = watchRuns();
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [isKnown]);

  const onLogin = async () => {
    if (isLink) navigate("#/", { replace: true });
    // First who it is: another user must not see what the page shows behind the dialog.
    await load();
    loggedIn();
  };
  if (known === null) {
    if (state === "expired") return html`<${Login} onLogin=${onLogin} />`;
    if (problem) return html`<${Unreachable} problem=${problem} onRetry=${() => (probeNow(), load())} />`;
    return html`<main class="boot" aria-busy="true"><h1 class="boot-name">Mitt</h1><span class="spinner"
      aria-hidden="true"></span></main>`;
  }
  return html`<${Shell} onModels=${loadSession} />${state === "expired" ? html`<${LoginAgain} onLogin=${onLogin} />`
    : null}`;
}

function showLanguage() {
  document.documentElement.lang = language() === "zh" ? "zh-CN" : "en";
}

function showTheme() {
  const name = theme.get();
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

for (const [area, words] of Object.entries(WORDS)) addWords(area, words);
showLanguage();
showTheme();
theme.subscribe(showTheme);
watchNetwork();
watchTabs();
watchLeaving();
const followAddress = () => route.set(parseRoute(location.hash));
window.addEventListener("hashchange", followAddress);
window.addEventListener("popstate", followAddress);

/** Shows the page when it is known what the server offers. Until then the document itself shows that it loads. */
async function begin() {
  try {
    await loadSession();
  } catch (error) {
    if (error.status !== 401) firstProblem = error;
  }
  const root = document.getElementById("app");
  if (!root) return;
  root.replaceChildren();
  render(html`<${App} />`, root);
}

begin();
