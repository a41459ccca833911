// What can go wrong beside a person's way through the page: another user in the same tab, files that change, slow answers,
// names that collide or hide something. In a real browser and against the real server; `run` starts it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import {
  check, endAll, failedChecks, faults, look, openPage, pause, scriptedModel, serve, startBrowser, watch,
} from "./support.mjs";

const { WORK } = process.env;
const model = await scriptedModel();
fs.mkdirSync(path.join(WORK, "home"), { recursive: true });
const server = await serve("edges", ["--model", `mock=${model}#scripted`]);
const browser = await startBrowser();

/** Waits until the page shows a text. */
const sees = (page, text) => page.getByText(text).first().waitFor();
const button = (page, name) => page.getByRole("button", { name }).first();
const heading = (page, name) => page.getByRole("heading", { name }).waitFor();
const csv = (name, number = 1) => ({ name, mimeType: "text/csv", buffer: Buffer.from(`a,b\n${number},2\n`) });

/** Goes to an address of the same page. */
async function go(page, address) {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, address);
}

async function atStart(page) {
  await go(page, "#/");
  await heading(page, /What would you like/);
}

/** Writes an instruction and sends it. */
async function write(page, instruction) {
  await page.locator("main textarea").fill(instruction);
  await page.keyboard.press("Enter");
}

/** Begins a conversation. Returns the identifier of the run. */
async function ask(page, instruction) {
  await atStart(page);
  await write(page, instruction);
  await page.waitForFunction(() => location.hash.startsWith("#/runs/"));
  return new URL(page.url()).hash.slice("#/runs/".length);
}

/** Waits until a run has a status. */
async function until(run, wanted) {
  let status = "";
  for (let turn = 0; turn < 200 && status !== wanted; turn += 1) {
    ({ status } = await server.get(`/v1/runs/${run}`));
    if (status !== wanted) await pause(100);
  }
  assert.equal(status, wanted);
}

/** Adds documents, and waits until all are read. */
async function add(page, files) {
  await page.locator("main input[type=file]").setInputFiles(files);
  await page.waitForFunction((n) => document.querySelectorAll(".c-upload.done").length === n, files.length);
}

const page = look(await openPage(browser, server.base));

// --- another user in the same browser

/** Starts a server with two tenants. */
async function withTokens() {
  const token = (name) => execFileSync("bash", ["-c", `"$MITT" token ${name} 2>"$WORK/entry-${name}"`], { encoding: "utf8" }).trim();
  const [alice, bob] = ["alice", "bob"].map(token);
  const entries = ["alice", "bob"].flatMap((name) => fs.readFileSync(path.join(WORK, `entry-${name}`), "utf8").split("\n")
    .filter((it) => it.startsWith("- ")));
  const tokens = path.join(WORK, "two.yaml");
  fs.writeFileSync(tokens, `schema: 1\ntokens:\n${entries.join("\n")}\n`);
  return { alice, bob, base: (await serve("two", ["--tokens", tokens, "--model", `mock=${model}#scripted`])).base };
}

const SECRET = /4711/;
const two = await withTokens();

/** Logs in with a token. */
async function login(guest, token) {
  await guest.getByLabel("Token", { exact: true }).fill(token);
  await guest.keyboard.press("Enter");
}

/** Opens a page of alice, with a conversation and drafts. */
async function ofAlice() {
  const guest = look(await openPage(browser, two.base));
  await login(guest, two.alice);
  await heading(guest, /What would you like/);
  const run = await ask(guest, "[say the salary is 4711]");
  await guest.locator(".c-text").getByText(SECRET).waitFor();
  await guest.locator("main textarea").fill("a question about 4711");
  await atStart(guest);
  await add(guest, [csv("salaries 4711.csv")]);
  await guest.locator("main textarea").fill("a draft about 4711");
  await go(guest, `#/runs/${run}`);
  await guest.locator(".c-text").getByText(SECRET).waitFor();
  return { guest, run };
}

/** Fails if bob, who is logged in now, finds anything of alice in the tab. */
async function seesNothing(guest, run) {
  await sees(guest, "Your conversations appear here.");
  await guest.waitForFunction(async () => (await (await fetch("/v1/session")).json()).tenant === "bob");
  for (const address of ["#/", `#/runs/${run}`, "#/settings"]) {
    await go(guest, address);
    await pause(300);
    assert.ok(!SECRET.test(await guest.locator("body").innerText()), `${address} shows it`);
    const fields = await guest.locator("textarea").evaluateAll((all) => all.map((it) => /** @type {any} */ (it).value));
    assert.ok(!SECRET.test(fields.join()), `a field of ${address} has it`);
  }
  const stored = await guest.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  assert.ok(!SECRET.test(stored), stored);
}

await check("after a logout the next user of the tab finds nothing of the one before", async () => {
  for (const place of ["the sidebar", "the settings"]) {
    const { guest, run } = await ofAlice();
    if (place === "the settings") await go(guest, "#/settings");
    await button(guest, place === "the settings" ? "Sign out" : "Log out").click();
    await heading(guest, "Log in to Mitt");
    assert.equal(new URL(guest.url()).hash, "");
    await login(guest, two.bob);
    await seesNothing(guest, run);
    await guest.goBack();
    await pause(500);
    assert.ok(!SECRET.test(await guest.locator("body").innerText()), "the history shows it");
    await guest.context().close();
  }
});

await check("a login of another tenant after the login expired finds nothing of the one before", async () => {
  for (const isReloaded of [false, true]) {
    const { guest, run } = await ofAlice();
    await guest.context().clearCookies();
    if (isReloaded) await guest.reload();
    await guest.getByLabel("Token", { exact: true }).waitFor();
    await login(guest, two.bob);
    await seesNothing(guest, run);
    await guest.context().close();
  }
});

await check("a login of the same tenant after the login expired goes on where it was", async () => {
  const { guest } = await ofAlice();
  await guest.context().clearCookies();
  await guest.getByRole("dialog").getByLabel("Token", { exact: true }).waitFor();
  await login(guest, two.alice);
  await guest.getByRole("dialog").waitFor({ state: "detached" });
  assert.match(await guest.locator(".c-text").innerText(), SECRET);
  assert.equal(await guest.locator("main textarea").inputValue(), "a question about 4711");
  await guest.context().close();
});

await check("a logout ends the other tabs of the browser too", async () => {
  const { guest } = await ofAlice();
  const second = watch(await guest.context().newPage());
  await second.goto(guest.url());
  await second.locator(".c-text").getByText(SECRET).waitFor();
  await button(guest, "Log out").click();
  await heading(guest, "Log in to Mitt");
  await login(guest, two.bob);
  await sees(guest, "Your conversations appear here.");
  await second.bringToFront();
  await second.waitForFunction(() => location.hash === "");
  await pause(500);
  assert.ok(!SECRET.test(await second.locator("body").innerText()));
  await guest.context().close();
});
look(page);

// --- the end

await check("no script failed, and nothing was requested from elsewhere", async () => assert.deepEqual(faults, []));

endAll();
console.log(failedChecks() === 0 ? "page: all checks passed" : `page: ${failedChecks()} checks failed`);
process.exit(failedChecks() === 0 ? 0 : 1);
