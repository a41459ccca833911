// The viewer of MCP Apps in a host that is built with `@mcp-ui/client`, with a real `mitt serve` behind it. The browser itself is
// the client of MCP, from another origin. `run` starts it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { createRequire } from "node:module";
import {
  TARGET, check, endAll, environment, failedChecks, faults, look, onEnd, serve, startBrowser, viewerOfSources, watch,
} from "./support.mjs";

const { MITT, WORK, LIVE } = process.env;
const PACKAGES = path.join(TARGET, "mcp-ui/node_modules");
const require = createRequire(path.join(PACKAGES, "x.js"));
const { build } = require("esbuild");
const VIEWER = "ui://mitt/viewer.html";
/** The greatest height in a conversation, in pixels. */
const INLINE_HEIGHT = 500;

// The proxy that the walkthrough of the package has: it becomes the viewer.
const SIMPLE_PROXY = `<!doctype html><title>proxy</title><script>
  addEventListener("message", ({ data }) => {
    if (data?.method !== "ui/notifications/sandbox-resource-ready") return;
    document.open();
    document.write(data.params.html);
    document.close();
  });
  parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script>`;
// The proxy that the specification recommends: the viewer is in a frame of its own, which has no origin.
const DOUBLE_PROXY = `<!doctype html><title>proxy</title><style>
  html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block; overflow: hidden }
</style><body><script>
  const inner = document.createElement("iframe");
  inner.setAttribute("sandbox", "allow-scripts");
  addEventListener("message", ({ source, data }) => {
    if (source === inner.contentWindow) parent.postMessage(data, "*");
    else if (data?.method !== "ui/notifications/sandbox-resource-ready") inner.contentWindow?.postMessage(data, "*");
    else {
      inner.srcdoc = data.params.html;
      document.body.append(inner);
    }
  });
  parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script>`;
// What the specification has a host enforce for an app that declares no domains. A frame by `srcdoc` inherits it.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
  + "media-src 'self' data:; connect-src 'none'";

/** Serves pages by their addresses. Returns the origin. @param {Record<string, {type: string, body: string, policy?: string}>} pages */
async function servePages(pages) {
  const web = http.createServer((request, response) => {
    const found = pages[new URL(request.url, "http://127.0.0.1").pathname];
    if (!found) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("Content-Type", found.type);
    if (found.policy) response.setHeader("Content-Security-Policy", found.policy);
    response.end(found.body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => web.once("listening", resolve));
  onEnd(() => web.close());
  return `http://127.0.0.1:${/** @type {any} */ (web.address()).port}`;
}

const HTML = "text/html; charset=utf-8";
const bundle = await build({ entryPoints: [path.join(import.meta.dirname, "mcp_ui_page.jsx")], bundle: true, format: "iife",
  jsx: "automatic", define: { "process.env.NODE_ENV": '"development"' }, nodePaths: [PACKAGES], write: false,
  logLevel: "error" });
const base = await servePages({
  "/": { type: HTML, body: "<!doctype html><title>host</title><link rel=icon href=data:,><body><script src=/host.js></script>" },
  "/host.js": { type: "text/javascript; charset=utf-8", body: bundle.outputFiles[0].text },
});
// Hosts have their proxies at another origin.
const proxies = await servePages({
  "/simple.html": { type: HTML, body: SIMPLE_PROXY },
  "/double.html": { type: HTML, body: DOUBLE_PROXY, policy: `${POLICY}; frame-src 'self'` },
});
const made = spawnSync(MITT, ["token", "alice"], { env: environment(), encoding: "utf8" });
const token = made.stdout.trim();
const tokens = path.join(WORK, "tokens.yaml");
fs.writeFileSync(tokens, `schema: 1\ntokens:\n${/^- .*$/m.exec(made.stderr)[0]}\n`);
const server = await serve("mcp-ui", ["--tools", "all", "--allow-origin", base, "--tokens", tokens]);
const browser = await startBrowser();
const html = LIVE ? await viewerOfSources(build) : undefined;
/** @type {[string, string][]} */
let shown = [];

const ROWS = Array.from({ length: 1500 }, (_, n) => ({ n, name: `row ${n}`, amount: n * 1.5 }));
const WORKBOOK = { sheets: [{ name: "Numbers", data: ROWS }], filename: "numbers.xlsx" };
const SCRIPT = { code: `import excel_tool
excel_tool.create_workbook([{"name": "Regions", "data": [{"region": "north", "total": 41}, {"region": "south", "total": 17}]}],
    filename="regions.xlsx")
{"columns": ["region", "total"], "rows": [[f"region {n}", n * 10] for n in range(40)]}` };

/**
 * Opens the host, and shows the viewer for a call of a tool. `finish` makes the call and shows its result.
 * @param {string} toolName
 * @param {any} toolInput
 * @param {{proxy?: string, theme?: string, width?: number, hostCapabilities?: any, context?: any}} [options]
 */
async function show(toolName, toolInput, { proxy = "simple", theme = "dark", width = 700, hostCapabilities, context } = {}) {
  const page = look(watch(await (await browser.newContext({ viewport: { width: 900, height: 700 }, acceptDownloads: true })).newPage()));
  /** The calls that the package passed on to the server. @type {any[]} */
  const calls = [];
  page.on("request", (request) => {
    const body = request.method() === "POST" && request.url().endsWith("/mcp") ? request.postDataJSON() : null;
    if (body?.method === "tools/call") calls.push(body.params);
  });
  await page.goto(base);
  shown = await page.evaluate((options) => /** @type {any} */ (window).connect(options),
    { server: `${server.address}/mcp`, token });
  await page.evaluate((props) => /** @type {any} */ (window).show(props), {
    toolName, toolInput, sandboxUrl: `${proxies}/${proxy}.html`, html, width, hostCapabilities, hostContext: { theme, ...context },
  });
  await page.waitForFunction(() => /** @type {any} */ (window).finish);
  const outer = page.frameLocator("#conversation iframe");
  const frame = proxy === "double" ? outer.frameLocator("iframe") : outer;
  const root = frame.locator(":root");
  const log = async (what) => (await page.evaluate(() => /** @type {any} */ (window).log)).filter((it) => it.what === what)
    .map((it) => it.value);
  return {
    page, frame, root, log, calls: () => calls.filter((it) => it.name.startsWith("view__")),
    finish: () => page.evaluate(() => /** @type {any} */ (window).finish()),
    /** Fails if the viewer is higher than a conversation allows, or if something goes beyond an edge. */
    fits: async () => {
      const box = await page.locator("#conversation iframe").boundingBox();
      const room = await page.locator("#conversation").boundingBox();
      assert.ok(box.height <= INLINE_HEIGHT, `the frame is ${box.height} pixels high`);
      assert.ok(box.width <= room.width, `the frame is ${box.width} pixels wide in ${room.width}`);
      const size = await root.evaluate((it) => [it.scrollWidth - it.clientWidth, it.scrollHeight - it.clientHeight]);
      assert.deepEqual(size, [0, 0], "pixels beyond the right and the lower edge");
    },
  };
}

await check("a page of another origin connects, and learns which tools show the viewer", async () => {
  const { page } = await show("excel_tool__create_workbook", WORKBOOK);
  assert.ok(shown.length > 10 && shown.every(([, uri]) => uri === VIEWER));
  assert.ok(shown.some(([name]) => name === "python__run") && !shown.some(([name]) => name.startsWith("view__")));
  await page.context().close();
});

for (const proxy of ["simple", "double"]) {
  await check(`a workbook is shown in the host's theme, and scrolled to its end, through a ${proxy} proxy`, async () => {
    const { page, frame, root, finish, log, calls, fits } = await show("excel_tool__create_workbook", WORKBOOK, { proxy });
    await frame.getByText("Arguments").first().waitFor();
    await fits();
    await finish();
    await frame.getByRole("gridcell", { name: "row 3", exact: true }).waitFor();
    await fits();
    // The rows that came with the result are not requested.
    assert.ok(calls().every((it) => it.name === "view__rows" && it.arguments.from > 0));
    await frame.locator(".v-grid").focus();
    await page.keyboard.press("Control+End");
    await frame.getByRole("gridcell", { name: "row 1499", exact: true }).waitFor();
    await fits();
    assert.ok(calls().length > 0 && calls().every((it) => it.name === "view__rows"), JSON.stringify(calls()));
    const colour = () => frame.locator(".v-view").evaluate((it) => getComputedStyle(it).backgroundColor);
    assert.equal(await root.getAttribute("data-theme"), "dark");
    assert.equal(await colour(), "rgb(27, 28, 31)");
    await page.evaluate(() => /** @type {any} */ (window).setHostContext({ theme: "light" }));
    await frame.locator(":root[data-theme=light]").waitFor({ state: "attached" });
    assert.equal(await colour(), "rgb(255, 255, 255)");
    await page.evaluate(() => /** @type {any} */ (window).setHostContext({ theme: "light",
      styles: { variables: { "--color-background-primary": "rgb(250, 240, 230)" } } }));
    await page.waitForTimeout(200);
    assert.equal(await colour(), "rgb(250, 240, 230)");
    assert.deepEqual(await log("error"), []);
    await page.context().close();
  });
}

await check("one call shows a table and a file, each in a tab, also when the host becomes narrow", async () => {
  const { page, frame, finish, log, fits } = await show("python__run", SCRIPT, { theme: "light" });
  await finish();
  await frame.getByRole("gridcell", { name: "region 3", exact: true }).waitFor();
  await fits();
  await frame.getByRole("tab", { name: "regions.xlsx" }).click();
  await frame.getByRole("gridcell", { name: "south", exact: true }).waitFor();
  await fits();
  for (const width of [360, 820]) {
    await page.evaluate((value) => /** @type {any} */ (window).setWidth(value), width);
    await page.waitForTimeout(400);
    await fits();
    assert.equal(await frame.locator(".v-app").evaluate((it) => it.clientWidth), width);
  }
  assert.deepEqual(await log("error"), []);
  await page.context().close();
});

await check("the rows of a query are shown as a table, and nothing of them is HTML", async () => {
  const { page, frame, finish, fits } = await show("sql_tool__query", { sql: "select 41 + 1 as answer, '<b>x</b>' as text" });
  await finish();
  await frame.getByRole("gridcell", { name: "42", exact: true }).waitFor();
  await frame.getByRole("gridcell", { name: "<b>x</b>", exact: true }).waitFor();
  assert.equal(await frame.locator("main b, td b").count(), 0);
  const cells = await frame.getByRole("gridcell").evaluateAll((all) => all.map((it) => it.scrollWidth - it.clientWidth));
  assert.ok(cells.length > 2 && cells.every((it) => it === 0), `pixels of cells that are cut: ${cells}`);
  await fits();
  await page.context().close();
});

await check("a file is saved by the link that the host opens", async () => {
  const { page, frame, finish, log } = await show("excel_tool__create_workbook", WORKBOOK);
  await finish();
  // The new tab closes as soon as the browser sees that it is a download, so the event is one of this page.
  const download = page.waitForEvent("download");
  await frame.getByRole("button", { name: "Download: numbers.xlsx" }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "numbers.xlsx");
  assert.equal(fs.readFileSync(await saved.path()).subarray(0, 2).toString(), "PK");
  assert.equal((await log("link")).length, 1);
  await page.context().close();
});

await check("a host that downloads files itself gets the link of the file", async () => {
  const hostCapabilities = { serverTools: {}, openLinks: {}, downloadFile: {} };
  const { page, frame, finish, log } = await show("excel_tool__create_workbook", WORKBOOK, { hostCapabilities });
  await finish();
  await frame.getByRole("button", { name: "Download: numbers.xlsx" }).click();
  await page.waitForFunction(() => /** @type {any} */ (window).log.some((it) => it.what === "download"));
  const [{ contents: [link] }] = await log("download");
  assert.deepEqual([link.type, link.name, await log("link")], ["resource_link", "numbers.xlsx", []]);
  assert.equal(Buffer.from(await (await fetch(link.uri)).arrayBuffer()).subarray(0, 2).toString(), "PK");
  await page.context().close();
});

await check("a PDF is shown as pictures of its pages, and further pages are loaded", async () => {
  const { page, frame, root, finish, calls, fits } = await show("report__deliver",
    { markdown: `# Title\n\n${"word ".repeat(4000)}`, filename: "a.pdf" }, { proxy: "double" });
  await finish();
  await frame.locator("img").first().waitFor();
  await fits();
  await frame.locator(".v-pages-view").evaluate((it) => it.scrollTo(0, it.scrollHeight));
  await frame.locator("img[alt*='4']").first().waitFor();
  assert.ok(await root.evaluate(() => [...document.querySelectorAll("img")].some((it) => it.naturalWidth > 300)));
  assert.ok(calls().some((it) => it.name === "view__page" && it.arguments.page > 1));
  await fits();
  await page.context().close();
});

await check("the viewer fills the screen when the host says so, and is as before when it is back", async () => {
  const context = { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] };
  const { page, frame, finish, log, fits } = await show("excel_tool__create_workbook", WORKBOOK, { context });
  const change = (value) => page.evaluate((it) => /** @type {any} */ (window).setHostContext(it), { theme: "dark", ...context, ...value });
  await finish();
  // `AppRenderer` 7.1.1 answers the request itself, with the present mode, so the viewer stays as it is.
  await frame.getByRole("button", { name: /full/i }).click();
  await page.waitForTimeout(300);
  await fits();
  await change({ displayMode: "fullscreen", containerDimensions: { width: 700, height: 640 } });
  await page.evaluate(() => {
    /** @type {any} */ (document.querySelector("#conversation iframe")).style.height = "640px";
  });
  await frame.locator(".v-app[data-fill]").waitFor();
  assert.equal(await frame.locator(".v-app").evaluate((it) => it.getBoundingClientRect().height), 640);
  await change({ displayMode: "inline", containerDimensions: { width: 700, maxHeight: 400 } });
  await frame.locator(".v-app:not([data-fill])").waitFor();
  await page.waitForTimeout(300);
  await fits();
  assert.equal((await page.locator("#conversation iframe").boundingBox()).height, 400);
  assert.deepEqual(await log("error"), []);
  await page.context().close();
});

await check("errors and cancelled calls are shown as texts", async () => {
  const failed = await show("excel_tool__create_workbook", { sheets: 5 });
  assert.equal((await failed.finish()).isError, true);
  await failed.frame.getByRole("heading", { name: /error|failed/i }).first().waitFor();
  await failed.fits();
  await failed.page.context().close();
  const cancelled = await show("excel_tool__create_workbook", WORKBOOK);
  await cancelled.frame.getByText("Arguments").first().waitFor();
  await cancelled.page.evaluate(() => /** @type {any} */ (window).cancel());
  await cancelled.frame.getByText(/cancelled/i).first().waitFor();
  await cancelled.page.context().close();
});

await check("no script failed, and nothing was requested from elsewhere", async () => {
  // `@mcp-ui/client` 7.1.1 sends the context of the host once before it has connected, and nobody catches the error.
  const known = /^error: Error: Not connected\n.*notification.*\n.*sendHostContextChange/;
  assert.deepEqual(faults.filter((it) => !known.test(it)), []);
});

endAll();
console.log(failedChecks() === 0 ? "page: all checks passed" : `page: ${failedChecks()} checks failed`);
process.exit(failedChecks() === 0 ? 0 : 1);
