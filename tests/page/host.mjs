// The viewer of MCP Apps in the host of the official SDK (`@modelcontextprotocol/ext-apps`), with a real `mitt mcp` behind it.
// `run` starts it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import readline from "node:readline";
import { createRequire } from "node:module";
import {
  ROOT, TARGET, check, endAll, environment, failedChecks, faults, look, mitt, onEnd, startBrowser, viewerOfSources, watch,
} from "./support.mjs";

const { MITT, WORK, LIVE } = process.env;
const require = createRequire(path.join(TARGET, "x.js"));
const { build } = require("esbuild");
const VIEWER = "ui://mitt/viewer.html";
const MEDIA_TYPE = "text/html;profile=mcp-app";

/** Starts `mitt mcp` with a destructive tool of another server, as a client that shows MCP Apps. */
async function startServer() {
  fs.mkdirSync(path.join(WORK, "home"), { recursive: true });
  const sources = path.join(WORK, "mcp-host.json");
  const notes = { enabled: true, command: "python3", args: [path.join(import.meta.dirname, "notes_server.py")] };
  fs.writeFileSync(sources, JSON.stringify({ mcpServers: { notes } }));
  mitt(["source", "approve", "notes", "--yes", "--mcp-config", sources]);
  const parameters = ["mcp", "--out", path.join(WORK, "host-out"), "--cache-dir", path.join(ROOT, "target/mitt-cache"), "--no-watch",
    "--tools", "all", "--mcp-config", sources];
  const child = spawn(MITT, parameters, { cwd: ROOT, env: environment(), stdio: ["pipe", "pipe", "ignore"] });
  onEnd(() => child.kill("SIGKILL"));
  const pending = new Map();
  readline.createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) pending.get(message.id)?.(message);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let next = 0;
  const request = async (method, params) => {
    next += 1;
    const id = next;
    const answer = await new Promise((resolve) => {
      pending.set(id, resolve);
      send({ id, method, params });
    });
    pending.delete(id);
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  await request("initialize", {
    protocolVersion: "2025-11-25", clientInfo: { name: "host", version: "1.0.0" },
    capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MEDIA_TYPE] } } },
  });
  send({ method: "notifications/initialized" });
  return request;
}

/** Serves the page of the host. Returns its address. */
async function servePage() {
  const bundle = await build({ entryPoints: [path.join(import.meta.dirname, "host_page.mjs")], bundle: true, format: "iife",
    nodePaths: [path.join(TARGET, "node_modules")], write: false, logLevel: "error" });
  const script = bundle.outputFiles[0].text;
  const web = http.createServer((request, response) => {
    const isScript = request.url === "/host.js";
    response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    response.end(isScript ? script : "<!doctype html><title>host</title><link rel=icon href=data:,><body><script src=/host.js></script>");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => web.once("listening", resolve));
  onEnd(() => web.close());
  return `http://127.0.0.1:${/** @type {any} */ (web.address()).port}/`;
}

const request = await startServer();
const base = await servePage();
const browser = await startBrowser();
const { tools } = await request("tools/list", {});
const [content] = (await request("resources/read", { uri: VIEWER })).contents;
const viewer = LIVE ? await viewerOfSources(build) : content.text;
const ALL = { serverTools: {}, openLinks: {}, downloadFile: {} };
const ROWS = Array.from({ length: 1500 }, (_, n) => ({ n, name: `row ${n}`, amount: n * 1.5 }));
const WORKBOOK = { sheets: [{ name: "Numbers", data: ROWS }], filename: "numbers.xlsx" };

/**
 * Shows the viewer for a call of a tool. `finish` makes the call and shows its result.
 * @param {string} name
 * @param {any} input
 * @param {any} [capabilities]
 */
async function show(name, input, capabilities = ALL) {
  const tool = tools.find((it) => it.name === name);
  assert.ok(tool, `there is no tool ${name}`);
  const page = look(watch(await browser.newPage()));
  await page.exposeFunction("callTool", (params) => request("tools/call", { name: params.name, arguments: params.arguments }));
  await page.goto(base);
  await page.evaluate((options) => /** @type {any} */ (window).start(options), { html: viewer, tool, input, capabilities });
  const frame = page.frames()[1];
  return {
    page,
    frame,
    tool,
    finish: async () => {
      const result = await request("tools/call", { name, arguments: input });
      await page.evaluate((value) => /** @type {any} */ (window).bridge.sendToolResult(value), result);
      return result;
    },
    /** Returns what the viewer asked of the host. @param {string} what */
    asked: async (what) => (await page.evaluate(() => /** @type {any} */ (window).log)).filter((it) => it.what === what)
      .map((it) => it.value),
  };
}

await check("the host gets one viewer, and the tools that show it", async () => {
  assert.equal(content.mimeType, MEDIA_TYPE);
  assert.ok(tools.find((it) => it.name === "excel_tool__create_workbook")._meta.ui.resourceUri === VIEWER);
  for (const name of ["view__outline", "view__rows", "view__text", "view__page"]) {
    assert.deepEqual(tools.find((it) => it.name === name)._meta.ui.visibility, ["app"], name);
  }
});

await check("a workbook is shown in the host's look, scrolled to its end, saved, and shown in full", async () => {
  const { page, frame, finish, asked } = await show("excel_tool__create_workbook", WORKBOOK);
  await frame.getByText("Arguments").first().waitFor();
  await finish();
  await frame.getByRole("gridcell", { name: "row 3", exact: true }).waitFor();
  assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), "dark");
  // The rows that came with the result are not requested.
  assert.ok((await asked("call")).every((it) => it.name === "view__rows" && it.arguments.from > 0));
  await frame.locator(".v-grid").focus();
  await page.keyboard.press("Control+End");
  await frame.getByRole("gridcell", { name: "row 1499", exact: true }).waitFor();
  assert.ok((await asked("call")).every((it) => it.name === "view__rows") && (await asked("call")).length > 0);
  await frame.getByRole("button", { name: "Download: numbers.xlsx" }).click();
  await page.waitForFunction(() => /** @type {any} */ (window).log.some((it) => it.what === "download"));
  const [[saved]] = await asked("download");
  assert.equal(saved.type, "resource_link");
  const [{ blob }] = (await request("resources/read", { uri: saved.uri })).contents;
  assert.equal(Buffer.from(blob, "base64").subarray(0, 2).toString(), "PK");
  assert.ok((await asked("size")).every((it) => it.height <= 500), JSON.stringify(await asked("size")));
  await frame.getByRole("button", { name: /full/i }).click();
  await page.waitForFunction(() => /** @type {any} */ (window).log.some((it) => it.what === "mode"));
  assert.deepEqual(await asked("mode"), ["fullscreen"]);
  assert.deepEqual(await asked("error"), []);
  await page.close();
});

await check("a PDF is shown as pictures of its pages", async () => {
  const { page, frame, finish, asked } = await show("report__deliver", { markdown: `# Title\n\n${"word ".repeat(2000)}`, filename: "a.pdf" });
  await finish();
  await frame.waitForFunction(() => [...document.querySelectorAll("img")].some((it) => it.naturalWidth > 300));
  assert.deepEqual(await asked("error"), []);
  await page.close();
});

await check("the rows of a query are shown as a table", async () => {
  const { page, frame, finish } = await show("sql_tool__query", { sql: "select 41 + 1 as answer, '<b>x</b>' as text" });
  await finish();
  await frame.getByRole("gridcell", { name: "42", exact: true }).waitFor();
  await frame.getByRole("gridcell", { name: "<b>x</b>", exact: true }).waitFor();
  assert.equal(await frame.locator("main b, td b").count(), 0);
  await page.close();
});

await check("an error of a tool is shown as a text", async () => {
  const { page, frame, finish } = await show("excel_tool__create_workbook", { sheets: 5 });
  const result = await finish();
  assert.equal(result.isError, true);
  await frame.getByRole("heading", { name: /error|failed/i }).first().waitFor();
  await page.close();
});

await check("a destructive call is shown in full before it is made, and that it was cancelled", async () => {
  const tool = tools.find((it) => it.annotations?.destructiveHint && it.name.includes("remove_note"));
  const { page, frame } = await show(tool.name, { number: 7, reason: "a\u202eb" });
  await frame.getByRole("heading", { name: /remove_note|Remove/i }).first().waitFor();
  await frame.getByText("aU+202Eb").waitFor();
  await page.evaluate(() => /** @type {any} */ (window).bridge.sendToolCancelled({ reason: "the user said no" }));
  await frame.getByText("the user said no").waitFor();
  await page.close();
});

await check("a host without tools for the viewer sees the beginning, and why there is no more", async () => {
  const { page, frame, finish, asked } = await show("excel_tool__create_workbook", WORKBOOK, {});
  await finish();
  await frame.getByRole("gridcell", { name: "row 3", exact: true }).waitFor();
  assert.equal(await frame.getByRole("button", { name: /^Download/ }).count(), 0);
  await frame.locator(".v-grid").focus();
  await page.keyboard.press("Control+End");
  await frame.getByText("This program does not let the viewer load more").first().waitFor();
  assert.deepEqual(await asked("call"), []);
  await page.close();
});

await check("no script failed, and nothing was requested from elsewhere", async () => assert.deepEqual(faults, []));

endAll();
console.log(failedChecks() === 0 ? "page: all checks passed" : `page: ${failedChecks()} checks failed`);
process.exit(failedChecks() === 0 ? 0 : 1);
