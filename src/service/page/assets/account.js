// Who uses the page: what the server offers them, how they log out, and another user of the same browser.
import { del, get } from "./api.js";
import { forgetDrafts, isLeft, leave, session } from "./store.js";

/** Name of the channel by which the tabs of a browser say who is logged in. */
const CHANNEL = "mitt.account";
/** Key in `sessionStorage` of the tenant whose drafts the tab keeps. */
const OWNER = "mitt.tenant";

/** @type {BroadcastChannel | null} */
let tabs = null;

/**
 * Reads what the server offers. What the page knows of another tenant is forgotten: drafts, and by a reload everything
 * in memory.
 */
export async function loadSession() {
  const offered = await get("/v1/session");
  const known = session.get();
  ownDrafts(offered.tenant);
  if (known && known.tenant !== offered.tenant) {
    leave();
    return;
  }
  session.set(offered);
  if (!known) tabs?.postMessage(offered.tenant);
}

/** Forgets drafts that the user before wrote in this tab. @param {string} tenant */
function ownDrafts(tenant) {
  try {
    const owner = sessionStorage.getItem(OWNER);
    if (owner !== null && owner !== tenant) forgetDrafts();
    sessionStorage.setItem(OWNER, tenant);
  } catch {
    // A browser without storage keeps no drafts.
  }
}

/**
 * Logs out, and forgets what the page knows of its user.
 *
 * Fails with the problem of the request. The user is then still logged in.
 */
export async function logOut() {
  await del("/v1/session");
  tabs?.postMessage(null);
  leave();
}

/** Begins to notice that another tab logged out, or that another user logged in there. */
export function watchTabs() {
  // The browser may show a page again that was left, with all that it knew.
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  if (typeof BroadcastChannel === "undefined") return;
  tabs = new BroadcastChannel(CHANNEL);
  tabs.onmessage = ({ data }) => {
    const known = session.get();
    if (known && known.tenant !== data && !isLeft()) leave();
  };
}
