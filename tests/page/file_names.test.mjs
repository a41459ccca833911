// Tests of the names of documents that are sent together: `node --test tests/page`.
import { test } from "node:test";
import assert from "node:assert/strict";
import { distinctNames } from "../../src/service/page/assets/file_names.js";

test("documents of equal names get numbers", () => {
  assert.deepEqual(distinctNames(["a.csv", "b.csv", "a.csv", "a.csv"]), ["a.csv", "b.csv", "a (2).csv", "a (3).csv"]);
  assert.deepEqual(distinctNames(["notes", "notes", ".env", ".env"]), ["notes", "notes (2)", ".env", ".env (2)"]);
  assert.deepEqual(distinctNames([]), []);
});

test("an invented name is none that another document has, before or after it", () => {
  assert.deepEqual(distinctNames(["a.csv", "a.csv", "a (2).csv"]), ["a.csv", "a (3).csv", "a (2).csv"]);
  assert.deepEqual(distinctNames(["a (2).csv", "a.csv", "a.csv"]), ["a (2).csv", "a.csv", "a (3).csv"]);
  const names = distinctNames(["a.csv", "a.csv", "a (2).csv", "a (2).csv", "a (2) (2).csv"]);
  assert.equal(new Set(names).size, names.length);
});
