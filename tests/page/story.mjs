// What a person does with the page, in a real browser and against the real server. `run` starts it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import {
  ROOT, accessible, check, endAll, failedChecks, faults, figure, look, median, mitt, openLink, openPage, pause, scriptedModel, serve,
  startBrowser, timedModel, watch,
} from "./support.mjs";

const { WORK, PYTHON, QUICK } = process.env;
const REPORTS = ["2024年经营报告.xlsx", "2025年经营报告.docx"].map((name) => path.join(ROOT, "examples/yoy", name));
const WORKBOOK = "2024-2025年经营对比.xlsx";
const PDF = "2024-2025年经营总结.pdf";
const INSTRUCTION = "Compare DAU and revenue growth year over year, give me an Excel sheet, and export the summary as PDF";
const VERSIONS = `[python] import excel_tool
for value in (10, 12.5):
    excel_tool.create_excel(data={"columns": ["month", "dau"], "rows": [["Jan", value], ["Feb", 15.5]]}, filename="numbers.xlsx")
    print("made", value)`;
/** Most bytes of all that the page loads at its start, compressed. */
const MOST_BYTES = 150_000;

const model = await scriptedModel();
const timed = await timedModel();
fs.mkdirSync(path.join(WORK, "home"), { recursive: true });
const sources = path.join(WORK, "mcp.json");
const notes = { enabled: true, command: "python3", args: [path.join(import.meta.dirname, "notes_server.py")] };
fs.writeFileSync(sources, JSON.stringify({ mcpServers: { notes } }));
mitt(["source", "approve", "notes", "--yes", "--mcp-config", sources]);
const server = await serve("state", ["--model", "yoy=recording examples/yoy/model.jsonl", "--model", `mock=${model}#scripted`,
  "--model", `timed=${timed.address}#timed`, "--mcp-config", sources]);
const browser = await startBrowser();

/** Waits until the page shows a text. */
const sees = (page, text) => page.getByText(text).first().waitFor();
const button = (page, name) => page.getByRole("button", { name }).first();

/** Goes to an address of the same page. */
async function go(page, address) {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, address);
}

/** Begins a conversation. Returns the identifier of the run. */
async function ask(page, instruction, { files = [], name = "mock" } = {}) {
  await go(page, "#/");
  await page.getByRole("heading", { level: 1, name: /What would you like/ }).waitFor();
  if (files.length > 0) {
    await page.locator("main input[type=file]").setInputFiles(files);
    await page.waitForFunction((n) => document.querySelectorAll(".c-upload.done").length === n, files.length);
  }
  await page.getByRole("combobox", { name: /model/i }).selectOption(name);
  await page.locator("main textarea").fill(instruction);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/runs/"));
  return new URL(page.url()).hash.slice("#/runs/".length);
}

const status = async (run) => (await server.get(`/v1/runs/${run}`)).status;

/** Waits until a run has a status. */
async function until(run, wanted) {
  for (let turn = 0; turn < 200; turn += 1) {
    if (await status(run) === wanted) return;
    await pause(100);
  }
  assert.equal(await status(run), wanted);
}

// --- the scripts themselves

await check("the joined scripts are modules without errors, and the page is small", async () => {
  const index = await server.text("/");
  const addresses = [...index.matchAll(/(?:src|href)="([^"]+)"/g)].map((it) => it[1]);
  const main = addresses.find((it) => it.endsWith("/main.js"));
  const later = main.replace("main.js", "later.js");
  const sizes = [];
  for (const address of [...addresses, later]) {
    const source = await server.text(address);
    if (address === main || address === later) {
      const file = path.join(WORK, `${path.basename(address, ".js")}.mjs`);
      fs.writeFileSync(file, source);
      execFileSync(process.execPath, ["--check", file]);
    }
    sizes.push(execFileSync("gzip", ["-9c"], { input: source }).length);
  }
  const start = sizes.slice(0, -1).reduce((sum, it) => sum + it, execFileSync("gzip", ["-9c"], { input: index }).length);
  figure("bytes, gzip", `${(start / 1000).toFixed(1)} kB to start, ${(sizes.at(-1) / 1000).toFixed(1)} kB when files, tools or settings are first opened`);
  assert.ok(start < MOST_BYTES, `${start} bytes`);
});

// --- the story of the README

const page = look(await openPage(browser, server.base));
let run = "";

await check("two reports are uploaded, and what was understood of them is shown", async () => {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await accessible(page, "start");
  await page.locator("main input[type=file]").setInputFiles(REPORTS);
  await sees(page, "2 sheets · 17 rows");
  await page.waitForFunction(() => document.querySelectorAll(".c-upload.done").length === 2);
  await page.locator(".c-chip-button").first().click();
  await sees(page, "经营数据");
  await accessible(page, "what was understood");
  await page.keyboard.press("Escape");
});

await check("a large document is uploaded in pieces, and removed again", async () => {
  const requests = [];
  const note = (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname.split("/").slice(0, 3).join("/")}`);
  page.on("request", note);
  const line = "12345,a text that is there many times,2025-01-01\n";
  const buffer = Buffer.from("number,text,day\n" + line.repeat(200_000));
  await page.locator("main input[type=file]").setInputFiles([{ name: "large.csv", mimeType: "text/csv", buffer }]);
  await sees(page, /1 sheet · 200,000 rows/);
  assert.ok(requests.filter((it) => it === "PATCH /v1/uploads").length >= 2, requests.join());
  page.off("request", note);
  await page.getByRole("button", { name: "Remove large.csv" }).click();
});

await check("uploaded reports and the draft survive a reload", async () => {
  await page.locator("main textarea").fill("A draft");
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll(".c-upload.done").length === 2);
  assert.equal(await page.locator("main textarea").inputValue(), "A draft");
});

await check("the instruction is followed, and both files are delivered", async () => {
  await page.getByRole("combobox", { name: /model/i }).selectOption("yoy");
  await page.locator("main textarea").fill(INSTRUCTION);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/runs/"));
  run = new URL(page.url()).hash.slice("#/runs/".length);
  await page.waitForFunction(() => document.querySelectorAll(".c-file").length === 2);
  await until(run, "completed");
  await sees(page, "已完成");
  await accessible(page, "a finished run");
});

await check("calls unfold to the script, its calls, and their results", async () => {
  await button(page, /Run a Python script/).click();
  await sees(page, "import table_tool");
  await sees(page, /15 calls in this step/);
  await accessible(page, "unfolded calls");
});

await check("the workbook is previewed with its sheets, rows and charts", async () => {
  await page.locator(".c-file", { hasText: WORKBOOK }).getByRole("button", { name: /Preview/ }).click();
  await page.getByRole("gridcell", { name: "173,410.00" }).waitFor();
  await page.getByRole("tab", { name: "按月对比" }).click();
  await page.getByRole("gridcell", { name: "1,452.30" }).waitFor();
  await page.locator(".v-charts svg, .v-chart svg, svg.v-chart").first().waitFor({ state: "attached" });
  await accessible(page, "a workbook");
});

await check("the PDF is previewed as pictures of its pages", async () => {
  await page.getByRole("tab", { name: PDF }).click();
  await page.waitForFunction(() => [...document.querySelectorAll(".files-panel img")].some((it) =>
    /** @type {HTMLImageElement} */ (it).naturalWidth > 300));
  await accessible(page, "a PDF");
});

await check("both files are downloaded, and other programs read them", async () => {
  const saved = [];
  for (const name of [WORKBOOK, PDF]) {
    await page.getByRole("tab", { name }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: `Download: ${name}` }).first().click()]);
    assert.equal(download.suggestedFilename(), name);
    saved.push(path.join(WORK, name));
    await download.saveAs(saved.at(-1));
  }
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download all" }).first().click()]);
  assert.match(download.suggestedFilename(), /\.zip$/);
  if (PYTHON) execFileSync(PYTHON, [path.join(import.meta.dirname, "files.py"), ...saved], { stdio: ["ignore", "inherit", "inherit"] });
});

await check("the same is there after a reload, with the file that was open", async () => {
  await page.reload();
  await page.getByRole("tab", { name: PDF, selected: true }).waitFor();
  assert.equal(await page.locator(".c-file").count(), 2);
});

// --- while a run works

await check("text arrives, a reload in the middle loses nothing, and a second tab sees the same", async () => {
  const slow = await ask(page, "[slow 30]");
  await sees(page, "slow 3");
  await page.reload();
  await sees(page, "slow 3");
  const second = watch(await page.context().newPage());
  await second.goto(page.url());
  await Promise.all([sees(page, /slow 30/), sees(second, /slow 30/)]);
  await until(slow, "completed");
  assert.equal(await second.locator(".c-text").innerText(), await page.locator(".c-text").innerText());
  await page.bringToFront();
  await second.locator("main textarea").fill("[say the second tab asks]");
  await second.keyboard.press("Enter");
  await sees(page, /^the second tab asks/);
  await second.close();
});

await check("a run is stopped, and told something while it works", async () => {
  const slow = await ask(page, "[slow 60]");
  await sees(page, "slow 2");
  await page.locator("main textarea").fill("[say changed]");
  await page.keyboard.press("Enter");
  await sees(page, /the model reads this before its next turn/);
  await button(page, "Stop").click();
  await until(slow, "cancelled");
  await sees(page, "You stopped this");
  await accessible(page, "a stopped run");
  await button(page, "Continue").click();
  await sees(page, /^changed/);
});

await check("the server is killed in the middle, the page says so, and the run goes on after the restart", async () => {
  const slow = await ask(page, "[slow 25]");
  await sees(page, "slow 4");
  server.kill();
  await page.locator(".banner").waitFor();
  await accessible(page, "a lost connection");
  await server.start();
  await page.locator(".banner").waitFor({ state: "detached" });
  await sees(page, /Interrupted|interrupted/);
  await accessible(page, "an interrupted run");
  await button(page, "Continue").click();
  await sees(page, /slow 25/);
  await until(slow, "completed");
});

// --- numbers, versions, questions

await check("a number of an answer leads to its cell", async () => {
  await ask(page, "[say In January 2024 there were 1,180.5 users.]", { files: REPORTS });
  await page.locator(".c-text").getByRole("button", { name: "1,180.5", exact: true }).click();
  await sees(page, "经营数据!B3");
  await accessible(page, "sources of a number");
  await page.locator(".c-source").first().click();
  await page.locator(".v-mark").waitFor();
  assert.equal(await page.getByLabel("Address of the cell").or(page.locator(".v-name-box")).first().inputValue(), "B3");
  await accessible(page, "a cell of a document");
});

await check("versions of a file are compared", async () => {
  await ask(page, VERSIONS);
  await button(page, /Preview/).click();
  await page.getByRole("combobox", { name: "Version" }).waitFor();
  await button(page, "Changes").click();
  await sees(page, "1 changed cell");
  await accessible(page, "a comparison");
});

await check("a destructive call waits, shows all digits, and is refused with a reason", async () => {
  const asked = await ask(page, '[function mcp_notes__remove_note {"number": 9007199254740993}]');
  await sees(page, "May this be done?");
  await page.locator(".c-question").getByText("9007199254740993").waitFor();
  await accessible(page, "an approval");
  await button(page, "Do not allow").click();
  await page.locator(".c-question textarea").fill("Not this one");
  await page.locator(".c-question [type=submit]").click();
  await until(asked, "completed");
  await sees(page, /was not approved: Not this one/);
});

await check("a destructive call is made when a person allows it", async () => {
  const asked = await ask(page, '[function mcp_notes__remove_note {"number": 7}]');
  await button(page, "Allow").click();
  await until(asked, "completed");
  await sees(page, /removed note 7/);
});

await check("a plan is shown before it is carried out", async () => {
  await go(page, "#/");
  await button(page, "Options").click();
  await page.getByLabel(/Plan first/).check();
  await accessible(page, "options");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: /model/i }).selectOption("mock");
  await page.locator("main textarea").fill("[say 42] Look");
  await page.keyboard.press("Enter");
  await sees(page, "Shall this plan be carried out?");
  await accessible(page, "a plan under review");
  await button(page, "Carry it out").click();
  await sees(page, "1 of 1 steps done");
});

await check("a failure says what to do", async () => {
  await ask(page, "[fail]");
  await sees(page, "The model could not be reached or did not answer properly.");
  await accessible(page, "a failed run");
});

await check("hostile names and answers stay text", async () => {
  const csv = { mimeType: "text/csv", buffer: Buffer.from('a,b\n<script>alert(2)</script>,"=1+1"\n') };
  await go(page, "#/");
  await page.locator("main input[type=file]").setInputFiles([{ ...csv, name: "<img src=x onerror=alert(1)>\u202egnp.csv" }]);
  await page.locator(".c-upload.refused").getByText("U+202E").waitFor();
  await accessible(page, "a refused document");
  await page.locator(".c-upload.refused").getByRole("button", { name: /Remove/ }).click();
  await ask(page, "<img src=x onerror=alert(3)> [go](javascript:alert(4)) ![p](https://evil.example/p.png) <b>bold</b>", {
    files: [{ ...csv, name: "x' onerror=alert(1) .csv" }],
  });
  await sees(page, /^echo:/);
  await page.locator(".c-instruction").getByRole("button", { name: /onerror/ }).click();
  await page.getByRole("gridcell", { name: "<script>alert(2)</script>" }).waitFor();
  const bad = await page.evaluate(() => document.querySelectorAll(
    "main b, main img[onerror], main a[href^='javascript'], img[src*='evil'], aside script, main script").length);
  assert.equal(bad, 0);
});

// --- the list of conversations

await check("a conversation is renamed, found and deleted for good", async () => {
  const menu = (title) => page.locator(".run", { hasText: title }).first().getByRole("button");
  await page.locator(".run", { hasText: "[fail]" }).first().hover();
  await menu("[fail]").click();
  await accessible(page, "a menu");
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.keyboard.type("Quarterly heron");
  await page.keyboard.press("Enter");
  await page.locator("#search").fill("heron");
  await page.waitForFunction(() => document.querySelectorAll("#sidebar .run-link").length === 1);
  await page.locator(".run", { hasText: "Quarterly heron" }).hover();
  await menu("Quarterly heron").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").waitFor();
  await accessible(page, "a confirmation");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForFunction(() => document.querySelectorAll("#sidebar .run-link").length === 0);
  await accessible(page, "a notice");
  await page.locator("#search").fill("");
});

// --- settings and tools

await check("a model is added, checked, made the default, and removed", async () => {
  await go(page, "#/settings");
  await button(page, "Add a model").click();
  await button(page, "Another address").click();
  const form = page.locator(".add-form");
  await form.getByLabel("Address of the server").fill(model);
  await form.getByLabel("Model", { exact: true }).fill("scripted");
  await form.getByLabel(/^Key, if/).fill("secret");
  await form.getByLabel("Name", { exact: true }).fill("mock2");
  await accessible(page, "a form for a model");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const row = page.locator(".model-row", { hasText: "mock2" });
  await row.getByRole("button", { name: /^Check/ }).click();
  await row.getByText(/It answers/).waitFor();
  await row.getByRole("button", { name: /default/ }).click();
  await row.getByText("default", { exact: true }).waitFor();
  assert.ok((await server.get("/v1/session")).models.some((it) => it.name === "mock2" && it.is_default));
  assert.ok(!JSON.stringify(await server.get("/v1/settings")).includes("secret"));
  await row.getByRole("button", { name: /Remove/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await row.waitFor({ state: "detached" });
});

await check("words that must not leave stop a run", async () => {
  await page.locator(".words-form textarea").fill("blue heron");
  await page.locator(".words-form [type=submit]").click();
  await sees(page, /Saved/);
  await accessible(page, "settings");
  const blocked = await ask(page, "[say the blue heron flies]");
  await until(blocked, "failed");
  await sees(page, "A rule about content does not allow this.");
  await sees(page, /line 1 of your words/);
  await go(page, "#/settings");
  await page.locator(".words-form textarea").fill("");
  await page.locator(".words-form [type=submit]").click();
  await sees(page, /Saved/);
});

await check("usage is shown", async () => {
  const { today } = await server.get("/v1/usage?days=30");
  assert.ok(today.tokens > 0);
  await sees(page, today.tokens.toLocaleString("en"));
});

await check("a tool is called by its form, and delivers a file", async () => {
  await go(page, "#/tools");
  await page.getByRole("heading", { name: "Skills and tools" }).waitFor();
  await page.locator(".tool-card").first().waitFor();
  await accessible(page, "tools");
  await page.getByRole("link", { name: /Write a workbook of one sheet/ }).click();
  await button(page, "Fill in an example").click();
  await accessible(page, "the form of a tool");
  await button(page, "Run the tool").click();
  await page.locator(".delivered").getByText("sales.xlsx").first().waitFor();
  await accessible(page, "a result of a tool");
});

await check("shortcuts are shown by their key", async () => {
  await page.locator("main h1").first().click();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: /shortcuts/i }).waitFor();
  await accessible(page, "shortcuts");
  await page.keyboard.press("Escape");
});

// --- other servers

await check("without any model the page says how to get one, and plays the example", async () => {
  const empty = await serve("empty", []);
  const first = look(await openPage(browser, empty.base));
  await first.getByRole("heading", { name: "Welcome to Mitt" }).waitFor();
  await sees(first, "Get a model for this machine");
  await accessible(first, "the first start");
  await button(first, "Play the example").click();
  await first.waitForFunction(() => document.querySelectorAll(".c-file").length === 2, null, { timeout: 40_000 });
  await accessible(first, "the example");
  await first.context().close();
});

await check("a login with a token, and a logout", async () => {
  const output = execFileSync("bash", ["-c", `"$MITT" token alice 2>"$WORK/entry"`], { encoding: "utf8" });
  const entries = fs.readFileSync(path.join(WORK, "entry"), "utf8").split("\n").filter((it) => it.startsWith("- "));
  const tokens = path.join(WORK, "tokens.yaml");
  fs.writeFileSync(tokens, `schema: 1\ntokens:\n${entries.join("\n")}\ntenants:\n  alice: { tokens_per_day: 10 }\n`);
  const closed = await serve("closed", ["--tokens", tokens, "--model", `mock=${model}#scripted`]);
  const guest = look(await openPage(browser, closed.base));
  await guest.getByRole("heading", { name: "Log in to Mitt" }).waitFor();
  await accessible(guest, "the login");
  await guest.getByLabel("Token", { exact: true }).fill("wrong");
  await guest.keyboard.press("Enter");
  await sees(guest, "This token is not valid.");
  await guest.getByLabel("Token", { exact: true }).fill(output.trim());
  await guest.keyboard.press("Enter");
  await guest.getByRole("heading", { name: /What would you like/ }).waitFor();
  await sees(guest, "Your conversations appear here.");
  assert.ok((await guest.context().cookies()).every((it) => it.httpOnly && it.sameSite === "Strict"));
  for (const instruction of ["[say the first]", "[say the second]"]) {
    await go(guest, "#/");
    await guest.locator("main textarea").fill(instruction);
    await guest.keyboard.press("Enter");
    if (instruction.includes("first")) await sees(guest, /^the first/);
  }
  await guest.locator(".c-notice").getByText(/budget/).first().waitFor();
  await accessible(guest, "no budget left");
  await button(guest, "Log out").click();
  await guest.getByRole("heading", { name: "Log in to Mitt" }).waitFor();
  assert.equal((await guest.context().cookies()).length, 0);
  await guest.context().close();
});

await check("a one-time link logs in once", async () => {
  const link = await openLink();
  const owner = look(await openPage(browser, link));
  await owner.getByRole("heading", { level: 1, name: /Welcome to Mitt|What would you like/ }).waitFor();
  await owner.goto(link);
  await sees(owner, "The link was used already, but you are logged in.");
  const other = look(await openPage(browser, link));
  await other.getByRole("heading", { name: "This link was used already" }).waitFor();
  await accessible(other, "a link that was used");
  await owner.context().close();
  await other.context().close();
});

await check("an address that keeps failing does not make the page ask again and again", async () => {
  const own = look(watch(await browser.newPage()));
  let count = 0;
  await own.route("**/v1/runs?*", (route) => {
    count += 1;
    return route.abort();
  });
  await own.goto(server.base);
  await sees(own, "The conversations could not be read.");
  await pause(4000);
  assert.ok(count <= 4, `${count} requests`);
  assert.equal(await own.locator(".banner").count(), 0);
  await own.close();
});

// --- looks

const looks = [
  ["phone, light, English", { isPhone: true }], ["phone, dark, Chinese", { isPhone: true, isDark: true, isChinese: true }],
  ["wide, dark, English", { isDark: true }], ["wide, light, Chinese", { isChinese: true }],
];
for (const [name, options] of QUICK ? looks.slice(1, 2) : looks) {
  await check(`all screens are accessible and fit: ${name}`, async () => {
    const shown = look(await openPage(browser, server.base, options));
    const screens = [["#/", "h1"], [`#/runs/${run}`, ".c-file"], [`#/runs/${run}?file=${encodeURIComponent(WORKBOOK)}`, "[role=gridcell]"],
      ["#/tools", ".tool-card"], ["#/tools/table_tool__sort", ".tool-try"], ["#/settings", ".model-row"]];
    for (const [address, ready] of screens) {
      await go(shown, address);
      await shown.locator(ready).first().waitFor();
      await accessible(shown, address);
      const spare = await shown.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(spare <= 0, `${address} is ${spare} px too wide`);
    }
    if (options.isPhone) {
      await shown.locator("[aria-controls=sidebar]").first().click();
      await shown.locator("#sidebar .run-link").first().waitFor();
      await accessible(shown, "the drawer");
    }
    await shown.context().close();
  });
}

// --- figures

look(page);
await check("first paint", async () => {
  const times = [];
  let bytes = 0;
  for (let turn = 0; turn < 5; turn += 1) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const cold = watch(await context.newPage());
    const client = await context.newCDPSession(cold);
    await client.send("Network.enable");
    bytes = 0;
    client.on("Network.loadingFinished", (it) => {
      bytes += it.encodedDataLength;
    });
    await cold.goto(server.base);
    await cold.getByRole("heading", { level: 1, name: /What would/ }).waitFor();
    times.push(await cold.evaluate(() => new Promise((resolve) => {
      const observer = new PerformanceObserver((list) => {
        const paint = list.getEntriesByName("first-contentful-paint")[0];
        if (paint) resolve(paint.startTime);
      });
      observer.observe({ type: "paint", buffered: true });
    })));
    await context.close();
  }
  figure("first paint on loopback, empty cache, median of 5", `${Math.round(median(times))} ms`);
  figure("bytes on the wire for the start", `${(bytes / 1000).toFixed(1)} kB`);
});

await check("time from the model's first byte to the first letter", async () => {
  const times = [];
  for (let turn = 0; turn < 5; turn += 1) {
    await page.evaluate(() => {
      const known = /** @type {any} */ (window);
      known.letterAt = 0;
      const observer = new MutationObserver(() => {
        if (!document.querySelector(".c-text")?.textContent) return;
        observer.disconnect();
        requestAnimationFrame(() => {
          known.letterAt = Date.now();
        });
      });
      // The text of the run that is shown now goes away first.
      setTimeout(() => observer.observe(document.body, { subtree: true, childList: true, characterData: true }), 250);
    });
    timed.sentAt = 0;
    await ask(page, `Say hello ${turn}`, { name: "timed" });
    await page.waitForFunction(() => /** @type {any} */ (window).letterAt > 0);
    times.push(await page.evaluate(() => /** @type {any} */ (window).letterAt) - timed.sentAt);
  }
  figure("from the model's first byte to the first letter on screen, median of 5", `${median(times)} ms`);
  assert.ok(median(times) < 1000, String(times));
});

await check("memory after 1 000 events", async () => {
  const many = `[python] import table_tool
data = {"columns": ["a"], "rows": [[2], [1]]}
for number in range(450):
    table_tool.sort(data=data, keys=[{"column": "a"}])
    print("line", number)`;
  const own = look(await openPage(browser, server.base));
  await own.getByRole("heading", { level: 1, name: /What would/ }).waitFor();
  const client = await own.context().newCDPSession(own);
  const heap = async () => {
    await client.send("HeapProfiler.collectGarbage");
    return (await client.send("Runtime.getHeapUsage")).usedSize / 1e6;
  };
  const before = await heap();
  const id = await ask(own, many);
  await until(id, "completed");
  await sees(own, /^done:/);
  let count = 0;
  for (let more = true; more;) {
    const { events } = await server.get(`/v1/runs/${id}/events?follow=false&after=${count}&limit=500`);
    more = events.length > 0;
    if (more) count = events.at(-1).number;
  }
  figure(`memory of the page after ${count} events`, `${(await heap()).toFixed(1)} MB, before them ${before.toFixed(1)} MB`);
  const unfolding = performance.now();
  await button(own, /Run a Python script/).click();
  await sees(own, /450 calls in this step/);
  figure("unfolding 450 calls", `${Math.round(performance.now() - unfolding)} ms`);
  assert.ok(count >= 1000, `${count} events`);
  await own.context().close();
});

await check("a table of 100 000 rows scrolls", async () => {
  look(page);
  const lines = ["row,name,amount,share,day,note"];
  for (let row = 1; row <= 100_000; row += 1) lines.push(`${row},name ${row},${row * 1.5},${row % 100},2025-01-01,text of row ${row}`);
  const file = { name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\n")) };
  await ask(page, "[say read]", { files: [file] });
  await page.locator(".c-instruction").getByRole("button", { name: /rows\.csv/ }).click();
  await page.getByRole("gridcell", { name: "name 1", exact: true }).waitFor();
  const scroll = (isDrag) => page.evaluate((isDrag) => new Promise((resolve) => {
    const grid = /** @type {HTMLElement} */ (document.querySelector(".v-grid"));
    const frames = [];
    let last = performance.now();
    const begun = last;
    const step = (now) => {
      frames.push(now - last);
      last = now;
      if (isDrag) grid.scrollTop = Math.abs(Math.sin(now / 700)) * (grid.scrollHeight - grid.clientHeight);
      else grid.scrollTop += 500;
      if (now - begun < 3000) requestAnimationFrame(step);
      else resolve({ frames: frames.length, long: frames.filter((it) => it > 50).length, longest: Math.max(...frames) });
    };
    requestAnimationFrame(step);
  }), isDrag);
  for (const [name, isDrag] of [["wheel", false], ["dragged thumb", true]]) {
    const { frames, long, longest } = /** @type {any} */ (await scroll(isDrag));
    figure(`scrolling 100 000 rows for 3 s, ${name}`, `${frames} frames, ${long} longer than 50 ms, the longest ${Math.round(longest)} ms`);
  }
  await page.locator(".v-grid").focus();
  await page.keyboard.press("Control+End");
  await page.locator(".v-grid").getByText("text of row 100000").first().waitFor();
});

await check("no script failed, and nothing was requested from elsewhere", async () => assert.deepEqual(faults, []));

endAll();
console.log(failedChecks() === 0 ? "page: all checks passed" : `page: ${failedChecks()} checks failed`);
process.exit(failedChecks() === 0 ? 0 : 1);
