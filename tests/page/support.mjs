// What the story needs: servers, the browser, checks that are printed, and measured figures.
import { spawn, execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { createRequire } from "node:module";

/** Folder of the repository. */
export const ROOT = path.resolve(import.meta.dirname, "../..");
/** Folder of installed packages, and of pictures of what failed. */
export const TARGET = path.join(ROOT, "target/page");
const { MITT, WORK, LIVE } = process.env;
const require = createRequire(path.join(TARGET, "x.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-sync"];

/** Longest time in milliseconds that a check waits for what it expects. */
export const PATIENCE = 20_000;

/** @type {(() => void)[]} */
const endings = [];

/** Has `end` called at the end. @param {() => void} end */
export const onEnd = (end) => endings.push(end);

/** Ends all programs that were started. */
export function endAll() {
  for (const end of endings.splice(0).reverse()) end();
}

/** Waits for a while. @param {number} ms @returns {Promise<void>} */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a program, and waits for a line that matches. Returns what the pattern captured, and the program. */
async function started(program, parameters, pattern, env) {
  const child = spawn(program, parameters, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  endings.push(() => child.kill("SIGKILL"));
  let output = "";
  const found = await new Promise((resolve, reject) => {
    const read = (piece) => {
      output += piece;
      const match = pattern.exec(output);
      if (match) resolve(match[1]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${program} ended with ${code}:\n${output}`)));
    setTimeout(() => reject(new Error(`${program} printed no ${pattern}:\n${output}`)), 60_000).unref();
  });
  return { found, child, output: () => output };
}

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Returns an environment in which settings and approvals of the user of this machine do not count. */
export function environment() {
  const known = { ...process.env, HOME: path.join(WORK, "home"), OPENAI_API_KEY: "mock" };
  for (const name of Object.keys(known)) if (/^(XDG|MITT)_/.test(name)) delete known[name];
  return known;
}

/** Runs `mitt` to its end. @param {string[]} parameters */
export const mitt = (parameters) => execFileSync(MITT, parameters, { cwd: ROOT, env: environment(), encoding: "utf8",
  stdio: ["ignore", "pipe", "pipe"] });

/** Puts the live files of the page in front of a server, if that is wanted. */
async function inFront(address) {
  if (!LIVE) return address;
  const { found } = await started("python3", ["-u", path.join(import.meta.dirname, "live.py"), "0", address], /(http:\S+)/, process.env);
  return found;
}

/**
 * Starts a server of Mitt that can be killed and started again.
 * @param {string} name of its folder
 * @param {string[]} options
 */
export async function serve(name, options) {
  const port = await freePort();
  const parameters = ["serve", "--listen", `127.0.0.1:${port}`, "--state", path.join(WORK, name), "--cache-dir",
    path.join(ROOT, "target/mitt-cache"), "--no-watch", ...options];
  const start = () => started(MITT, parameters, /"address":"(127[^"]*)"/, environment());
  let running = await start();
  const base = await inFront(`http://127.0.0.1:${port}`);
  return {
    base,
    /** Where programs reach the server, past what is in front of it. */
    address: `http://127.0.0.1:${port}`,
    /** Ends the process at once. */
    kill: () => running.child.kill("SIGKILL"),
    start: async () => {
      running = await start();
    },
    /** Reads a value, past the page. @param {string} address */
    get: async (address) => (await fetch(`http://127.0.0.1:${port}${address}`)).json(),
    /** Reads a text. @param {string} address */
    text: async (address) => (await fetch(`http://127.0.0.1:${port}${address}`)).text(),
  };
}

/** Returns the viewer of the sources, which the program would join in its own way. @param {any} build is that of esbuild */
export async function viewerOfSources(build) {
  const folder = path.join(ROOT, "src/serve/viewer/assets");
  const read = (name) => fs.readFileSync(path.join(folder, name), "utf8");
  const bundle = await build({ entryPoints: [path.join(folder, "app.js")], bundle: true, format: "iife", write: false,
    logLevel: "error" });
  return read("viewer.html").replace("/*{{style}}*/", () => read("viewer.css"))
    .replace("/*{{script}}*/", () => bundle.outputFiles[0].text.replaceAll("</script", "<\\/script"));
}

/** Starts `mitt open`. Returns the one-time link. */
export async function openLink() {
  const parameters = ["open", "--no-browser", "--port", "0", "--state", path.join(WORK, "open"), "--cache-dir",
    path.join(ROOT, "target/mitt-cache"), "--no-watch"];
  const { found } = await started(MITT, parameters, /(http:\S+\/open\?code=\S+)/, environment());
  const link = new URL(found);
  return `${await inFront(link.origin)}${link.pathname}${link.search}`;
}

/** Starts the scripted model. Returns its address. */
export async function scriptedModel() {
  const file = path.join(ROOT, "tests/service/mock_model.py");
  const { found } = await started("python3", ["-u", file, "--port", "0"], /listening on (http:\S+)/, process.env);
  return found;
}

/** Starts a model that notes when it sent its first byte of text. */
export async function timedModel() {
  const model = { address: "", sentAt: 0 };
  const server = http.createServer((request, response) => {
    request.resume();
    request.on("end", async () => {
      if (request.method !== "POST") {
        response.writeHead(404).end();
        return;
      }
      const head = { id: "x", object: "chat.completion.chunk", created: 0, model: "timed" };
      const send = (delta, reason = null) => response.write(
        `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`);
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      send({ role: "assistant", content: "" });
      // The page shows by now that the model works.
      await pause(500);
      model.sentAt = Date.now();
      send({ content: "Hello" });
      await pause(300);
      send({ content: " there." });
      send({}, "stop");
      response.end("data: [DONE]\n\n");
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  endings.push(() => server.closeAllConnections() ?? server.close());
  model.address = `http://127.0.0.1:${/** @type {net.AddressInfo} */ (server.address()).port}/v1`;
  return model;
}

/** Starts the browser. */
export async function startBrowser() {
  const executablePath = process.env.CHROMIUM;
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  endings.push(() => void browser.close().catch(() => {}));
  return browser;
}

/** What no page may do: errors, and requests to other origins. @type {string[]} */
export const faults = [];

/** Notes what a page must not do. @param {any} page */
export function watch(page) {
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => faults.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => {
    faults.push(`a script asked: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("console", (message) => {
    // The browser itself reports refused requests, which some checks cause on purpose.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.hostname !== "127.0.0.1") faults.push(`request to ${url.origin}`);
  });
  return page;
}

/**
 * Opens a page in a context of its own.
 * @param {any} browser
 * @param {string} address
 * @param {{isPhone?: boolean, isDark?: boolean, isChinese?: boolean}} [look]
 */
export async function openPage(browser, address, { isPhone = false, isDark = false, isChinese = false } = {}) {
  const context = await browser.newContext({
    viewport: isPhone ? { width: 390, height: 844 } : { width: 1440, height: 900 }, hasTouch: isPhone, isMobile: isPhone,
    colorScheme: isDark ? "dark" : "light", locale: isChinese ? "zh-CN" : "en-US", acceptDownloads: true,
  });
  const page = watch(await context.newPage());
  await page.goto(address);
  return page;
}

/** Fails if axe finds a violation. @param {any} page @param {string} screen */
export async function accessible(page, screen) {
  // Half of a fade has half of its contrast.
  await page.evaluate(() => Promise.allSettled(document.getAnimations()
    .filter((it) => it.effect?.getComputedTiming().iterations !== Infinity).map((it) => it.finished)));
  const client = await page.context().newCDPSession(page);
  // By the debugger, so that the page's policy does not refuse the script.
  const run = (expression) => client.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  await run(axe);
  const { result } = await run(`axe.run(document, { resultTypes: ["violations"] }).then((it) => JSON.stringify(it.violations.map(
    (one) => one.id + ": " + one.nodes.map((node) => node.target.join(" ")).join(", "))))`);
  await client.detach();
  const violations = JSON.parse(result.value);
  if (violations.length > 0) throw new Error(`${screen} is not accessible:\n  ${violations.join("\n  ")}`);
}

let failures = 0;
/** @type {any} */
let shown = null;

/** Names the page of which a picture is taken when a check fails. @param {any} page */
export function look(page) {
  shown = page;
  return page;
}

/**
 * Runs one check, and prints how it ended.
 * @param {string} name
 * @param {() => Promise<unknown>} run
 */
export async function check(name, run) {
  const begun = performance.now();
  try {
    await run();
    console.log(`ok      ${((performance.now() - begun) / 1000).toFixed(1)} s  ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED  ${name}\n  ${String(error.stack ?? error).split("\n").slice(0, 12).join("\n  ")}`);
    const file = path.join(TARGET, "failed", `${name.replace(/\W+/g, "_").slice(0, 80)}.png`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    await shown?.screenshot({ path: file }).then(() => console.log(`  picture: ${file}`), () => {});
  }
}

/** Number of checks that failed. */
export const failedChecks = () => failures;

/** Prints a measured figure. @param {string} name @param {string} value */
export const figure = (name, value) => console.log(`figure  ${name}: ${value}`);

/** Returns the middle value. @param {number[]} values */
export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
