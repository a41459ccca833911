// Tests of lists that are read while the page changes them: `node --test tests/page`.
import { test } from "node:test";
import assert from "node:assert/strict";
import { currentReader } from "../../src/service/page/assets/current_reader.js";

/** Returns a server with one run, whose responses leave when the test says so. */
function server() {
  let title = "old";
  const waiting = [];
  const request = (query) =>
    new Promise((resolve) => {
      const response = { query, title };
      waiting.push(() => resolve(response));
    });
  return { request, rename: (name) => (title = name), answer: () => waiting.shift()(), waiting };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

test("a response made before a run was renamed is read again", async () => {
  const { request, rename, answer, waiting } = server();
  const list = currentReader(request);
  const page = list.read({ search: "report" });
  rename("new");
  list.changed();
  answer();
  await soon();
  assert.equal(waiting.length, 1);
  answer();
  assert.deepEqual(await page, { query: { search: "report" }, title: "new" });
});

test("a response that nothing has overtaken is read once, and a failure is passed on", async () => {
  const { request, answer, waiting } = server();
  const list = currentReader(request);
  list.changed();
  const page = list.read({});
  answer();
  assert.equal((await page).title, "old");
  assert.equal(waiting.length, 0);
  const failing = currentReader(async () => {
    throw new Error("offline");
  });
  await assert.rejects(failing.read({}), /offline/);
});
