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

// --- uploads and sends that go on while a person looks at something else

/** Delays a request. Returns a function that ends this. */
async function delay(page, address, ms) {
  const slow = async (route) => {
    await pause(ms);
    await route.continue().catch(() => {});
  };
  await page.route(address, slow);
  return () => page.unroute(address, slow);
}

await check("an instruction that waits for an upload is sent though its field is left", async () => {
  await atStart(page);
  const end = await delay(page, "**/v1/files", 2500);
  await page.locator("main input[type=file]").setInputFiles([csv("late.csv")]);
  await write(page, "[say it was sent]");
  await sees(page, "Sent as soon as the documents are uploaded.");
  await go(page, "#/tools");
  await heading(page, "Skills and tools");
  // The field shows the same when a person comes back.
  await atStart(page);
  await sees(page, "Sent as soon as the documents are uploaded.");
  assert.equal(await page.locator(".c-upload.sending, .c-upload.reading").count(), 1);
  assert.equal(await page.locator("main textarea").inputValue(), "[say it was sent]");
  await go(page, "#/tools");
  await heading(page, "Skills and tools");
  await sees(page, "your instruction was sent");
  assert.equal(await page.evaluate(() => location.hash), "#/tools");
  await button(page, "Open the conversation").click();
  await page.locator(".c-text").getByText("it was sent").waitFor();
  await page.locator(".c-document").getByText("late.csv").waitFor();
  await atStart(page);
  assert.equal(await page.locator(".c-upload").count(), 0);
  assert.equal(await page.locator("main textarea").inputValue(), "");
  await end();
});

await check("a further instruction that waits for an upload is sent though its run is left", async () => {
  const run = await ask(page, "[say the beginning]");
  await until(run, "completed");
  const end = await delay(page, "**/v1/files", 1500);
  await page.locator("main input[type=file]").setInputFiles([csv("more.csv")]);
  await write(page, "[say the rest]");
  await sees(page, "Sent as soon as the documents are uploaded.");
  await go(page, "#/settings");
  await sees(page, "your instruction was sent");
  await go(page, `#/runs/${run}`);
  await page.locator(".c-text").getByText("the rest").waitFor();
  await end();
});

await check("an upload that is refused while its field is left is reported, and nothing is sent", async () => {
  await atStart(page);
  const end = await delay(page, "**/v1/files", 1500);
  await page.locator("main input[type=file]").setInputFiles([{ ...csv("x\u202egnp.csv") }]);
  await write(page, "[say never]");
  await go(page, "#/tools");
  await heading(page, "Skills and tools");
  await sees(page, "Remove or retry the documents that were not accepted.");
  await button(page, "Back to the draft").click();
  await page.locator(".c-upload.refused").getByRole("button", { name: /Remove/ }).click();
  assert.equal(await page.locator("main textarea").inputValue(), "[say never]");
  await page.locator("main textarea").fill("");
  await end();
});

await check("the browser asks before a page is left that uploads", async () => {
  const own = await (await browser.newContext({ locale: "en-US" })).newPage();
  await own.goto(server.base);
  await own.locator("main textarea").fill("x");
  const asked = [];
  own.on("dialog", (dialog) => {
    asked.push(dialog.type());
    return dialog.accept();
  });
  await own.reload();
  await own.locator("main textarea").waitFor();
  assert.deepEqual(asked, []);
  await delay(own, "**/v1/files", 3000);
  await own.locator("main textarea").click();
  await own.locator("main input[type=file]").setInputFiles([csv("late.csv")]);
  await own.reload();
  assert.deepEqual(asked, ["beforeunload"]);
  await own.context().close();
});

// --- files that change, and slow answers

await check("a PDF that is delivered again shows its new pages", async () => {
  const deliver = (word) => `[python] import report
report.deliver(markdown="# ${word}\\n\\n" + "${word} " * 200, filename="a.pdf")
print("ok")`;
  /** Returns a digest of the first page's pixels. */
  const pixels = async () => {
    await page.waitForFunction(() => [...document.querySelectorAll(".files-panel img")].some((it) =>
      /** @type {any} */ (it).naturalWidth > 300));
    return page.evaluate(async () => {
      const image = /** @type {any} */ (document.querySelector(".files-panel img"));
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const bytes = await crypto.subtle.digest("SHA-256", context.getImageData(0, 0, canvas.width, canvas.height).data);
      return [...new Uint8Array(bytes)].join();
    });
  };
  const run = await ask(page, deliver("first"));
  await until(run, "completed");
  await button(page, /Preview/).click();
  const before = await pixels();
  await write(page, deliver("SECOND"));
  await page.getByRole("combobox", { name: "Version" }).waitFor();
  await until(run, "completed");
  await pause(1000);
  const after = await pixels();
  assert.notEqual(after, before);
  await page.reload();
  assert.equal(await pixels(), after);
});

await check("a running run that is left and entered again while it loads is followed to its end", async () => {
  const other = await ask(page, "[say other]");
  await until(other, "completed");
  const run = await ask(page, "[slow 40]");
  await sees(page, "slow 3");
  await go(page, `#/runs/${other}`);
  await page.reload();
  await page.locator(".c-text").getByText("other").waitFor();
  let requests = 0;
  const slow = async (route) => {
    requests += 1;
    await pause(requests === 1 ? 500 : 1500);
    await route.continue().catch(() => {});
  };
  const address = `**/v1/runs/${run}`;
  await page.route(address, slow);
  for (const id of [run, other, run]) {
    await go(page, `#/runs/${id}`);
    await pause(80);
  }
  await page.locator(".c-text").getByText("slow 40").waitFor();
  await page.unroute(address, slow);
});

await check("a run that could not be read is not read twice at a time", async () => {
  const run = await ask(page, "[say read me]");
  await until(run, "completed");
  await atStart(page);
  await page.reload();
  await heading(page, /What would you like/);
  const address = `**/v1/runs/${run}`;
  await page.route(address, (route) => route.fulfill({ status: 500, json: { detail: "no" } }));
  await go(page, `#/runs/${run}`);
  const retry = button(page, "Try again");
  await retry.waitFor();
  await page.unroute(address);
  let requests = 0;
  let most = 0;
  await page.route(address, async (route) => {
    requests += 1;
    most = Math.max(most, requests);
    await pause(500);
    await route.continue().catch(() => {});
    requests -= 1;
  });
  await retry.evaluate((it) => {
    /** @type {any} */ (it).click();
    /** @type {any} */ (it).click();
  });
  await page.locator(".c-text").getByText("read me").waitFor();
  assert.equal(most, 1);
  await page.unroute(address);
});

// --- names, and what hides

await check("documents of equal names get names that no other document has", async () => {
  await atStart(page);
  await add(page, [csv("a.csv", 1), csv("a.csv", 2), csv("a (2).csv", 3)]);
  await write(page, "[say names]");
  await page.waitForFunction(() => location.hash.startsWith("#/runs/"));
  await page.waitForFunction(() => document.querySelectorAll(".c-document").length === 3);
  const names = await page.locator(".c-document .c-chip-name").allInnerTexts();
  assert.deepEqual(names.sort(), ["a (2).csv", "a (3).csv", "a.csv"]);
});

await check("characters that hide or turn text are shown by their code in citations and plans", async () => {
  const run = await ask(page, "[say ready]");
  await until(run, "completed");
  const { events } = await server.get(`/v1/runs/${run}/events?follow=false&limit=500`);
  const ended = events.find((it) => it.type === "ended");
  const step = { id: "s1", title: "Look", agent: "a\u202egent", needs: [], kind: "research" };
  const sent = [...events.filter((it) => it !== ended), { type: "plan", plan: 1, title: "P", steps: [step], time_ms: 1 },
    { ...ended, citations: [{ problem: "not found: pay\u200bpal \u202eevil" }] }].map((it, index) => ({ ...it, number: index + 1 }));
  // The server shows such characters in its own way; the page does not rely on that.
  await page.route(`**/v1/runs/${run}/events`, (route) => route.fulfill({ contentType: "text/event-stream",
    body: sent.map((it) => `id: ${it.number}\nevent: ${it.type}\ndata: ${JSON.stringify(it)}\n\n`).join("") }));
  await page.reload();
  await page.locator(".c-notice").getByText("U+200B").waitFor();
  await page.locator(".c-plan .c-row").click();
  await page.locator(".c-plan .c-step-body").getByText("U+202E").waitFor();
  assert.ok(!/[\u200b\u202e]/.test(await page.locator(".c-conversation").innerText()));
  await page.unroute(`**/v1/runs/${run}/events`);
});

// --- the end

await check("no script failed, and nothing was requested from elsewhere", async () => assert.deepEqual(faults, []));

endAll();
console.log(failedChecks() === 0 ? "page: all checks passed" : `page: ${failedChecks()} checks failed`);
process.exit(failedChecks() === 0 ? 0 : 1);
