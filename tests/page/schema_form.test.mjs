// Tests of what a form shows for a JSON Schema, and of JSON whose numbers keep their digits: `node --test tests/page`.
import assert from "node:assert/strict";
import test from "node:test";

const ASSETS = new URL("../../src/service/page/assets/", import.meta.url);
const { ExactNumber, JsonProblem, Unparsed, exactOf, isSame, parseExact, parseFaithful, stringifyExact } = await import(new URL("exact_json.js", ASSETS).href);
const model = await import(new URL("schema_model.js", ASSETS).href);
const { cellOf, cellText, initial, mayBe, namesDocument, numberOf, otherTable, pastedRows, resolve, shapeOf, splitCases, validate, variantLabel, variantOf } = model;

const json = parseExact;
const text = (value) => stringifyExact(value);
const shape = (schema) => shapeOf(schema, schema);
const codes = (schema, value) => validate(schema, typeof value === "string" ? json(value) : value, schema).map((it) => `${it.pointer} ${it.code}`);

const CELL = { anyOf: [{ type: "null" }, { type: "boolean" }, { type: "number" }, { type: "string" }] };
const TABLE = {
  type: "object",
  properties: { columns: { type: "array", items: { type: "string" } }, rows: { type: "array", items: { type: "array", items: CELL } } },
  required: ["columns", "rows"],
  additionalProperties: false,
};
const DATA = {
  description: "the table.",
  anyOf: [TABLE, { type: "array", items: { type: "object" } }, { type: "string", description: "Or its name: a result (`t:3`), a document's table (`a.csv`)." }],
};

test("numbers keep their digits, and texts of JSON keep their meaning", () => {
  for (const same of [
    "0.12345678901234567890123", "18446744073709551616", "-0", "1.0", "1E+400", '{"b":1,"a":[1,2,{"__proto__":3}],"":null}', '"\\u0000\\ud800"', "[]", "{}", "true",
  ]) {
    const once = text(json(same));
    assert.equal(text(json(once)), once);
    if (!same.includes("u0000")) assert.equal(once, same);
    assert.ok(isSame(json(stringifyExact(json(same), 2)), json(same)), same);
  }
  assert.deepEqual([...json('{"__proto__":1,"constructor":2}').keys()], ["__proto__", "constructor"]);
});

test("only numbers that would lose digits are kept as they are written", () => {
  const value = parseFaithful('{"a": 9007199254740993, "b": 1.50, "c": [1e400, 12345678901234567890], "d": "9007199254740993", "e": 0.1}');
  assert.deepEqual([value.b, value.d, value.e], [1.5, "9007199254740993", 0.1]);
  assert.ok(value.a instanceof ExactNumber && value.c.every((it) => it instanceof ExactNumber));
  assert.equal(text(exactOf(value.a)), "9007199254740993");
  assert.deepEqual(parseFaithful('{"a": 9007199254740993, "a": 1}'), { a: 1 });
  assert.throws(() => parseFaithful("{"));
});

test("what is no JSON is refused with its place", () => {
  const problem = (source) => {
    try {
      json(source);
    } catch (error) {
      assert.ok(error instanceof JsonProblem);
      return `${error.code} ${error.line}:${error.column}`;
    }
    return "none";
  };
  assert.equal(problem('{"a": 1,\n "a": 2}'), "duplicate 2:2");
  assert.equal(problem("[1, 2"), "expected-comma 1:6");
  assert.equal(problem('{"a" 1}'), "expected-colon 1:6");
  assert.equal(problem("{a: 1}"), "expected-key 1:2");
  assert.equal(problem("[01]"), "expected-comma 1:3");
  assert.equal(problem('"a\nb"'), "string 1:3");
  assert.equal(problem("1 2"), "expected-end 1:3");
  assert.equal(problem(""), "expected-value 1:1");
  assert.equal(problem("[".repeat(100_000)), "deep 1:202");
});

test("long values are written in lines, short ones on one", () => {
  const value = json(`{"a": [1, 2, 3], "b": "${"x".repeat(120)}"}`);
  assert.equal(stringifyExact(value, 2), `{\n  "a": [1, 2, 3],\n  "b": "${"x".repeat(120)}"\n}`);
});

test("shapes are found behind options, unions and references", () => {
  assert.equal(shape(CELL).kind, "cell");
  assert.equal(shape({ type: ["null", "boolean", "number", "string"] }).kind, "cell");
  assert.equal(shape(TABLE).kind, "table");
  assert.deepEqual([shape(DATA).kind, shape(DATA).variants.length], ["union", 3]);
  const integer = { anyOf: [{ type: "null" }, { type: "integer", minimum: 0 }, { type: "string", pattern: "^-?(0|[1-9][0-9]{0,19})$" }] };
  assert.deepEqual([shape(integer).kind, shape(integer).nullable], ["integer", true]);
  assert.equal(shape({ anyOf: [{ type: "number" }, { enum: ["NaN", "Infinity"] }] }).kind, "number");
  assert.equal(shape({ type: "array", items: { type: "string", enum: ["a", "b"] }, uniqueItems: true }).kind, "flags");
  assert.equal(shape({ type: "array", prefixItems: [{ type: "string" }], items: false, minItems: 1 }).kind, "tuple");
  assert.equal(shape({ type: "string", contentEncoding: "base64", pattern: "^$" }).kind, "bytes");
  assert.equal(shape({ type: "object", additionalProperties: { type: "number" } }).kind, "map");
  assert.equal(shape({ anyOf: [{ type: "object", additionalProperties: true }, { type: "string", contentMediaType: "application/json" }] }).kind, "map");
  assert.equal(shape({}).kind, "any");
  assert.equal(shape({ not: {} }).kind, "never");
  const referring = { $ref: "#/$defs/a~1b", description: "here", $defs: { "a/b": { type: "integer", description: "there" } } };
  assert.deepEqual([shape(referring).kind, shape(referring).help], ["integer", "here"]);
  const narrowed = { allOf: [{ minimum: 3 }], type: "integer" };
  assert.equal(resolve(narrowed, narrowed).minimum, 3);
});

test("references that never end are cut", () => {
  const loop = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
  assert.equal(shape(loop).kind, "any");
  const node = { $ref: "#/$defs/node", $defs: { node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } }, required: ["name", "next"] } } };
  assert.equal(shape(node).kind, "object");
  assert.ok(text(initial(node, node)).length < 200);
  const union = { anyOf: [{ $ref: "#/$defs/a" }], $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { type: "string" }] } } };
  assert.ok(shape(union));
  assert.deepEqual(codes({ $ref: "#/nowhere" }, "3"), []);
});

test("words of an enum are told apart from its help", () => {
  const { help, cases } = splitCases("Which rank.\n\n- `dense`: Without gaps.\n- `ordinal`: Each its own.");
  assert.equal(help, "Which rank.");
  assert.deepEqual([...cases], [["dense", "Without gaps."], ["ordinal", "Each its own."]]);
});

test("a new value has what must be there and is clear", () => {
  const schema = {
    type: "object",
    properties: {
      code: { type: "string" },
      keys: { type: "array", items: { type: "string" } },
      at: { anyOf: [{ type: "null" }, { type: "integer" }] },
      shape: { type: "object", properties: { tag: { type: "string", const: "circle" }, val: { type: "number" } }, required: ["tag", "val"] },
      size: { type: "integer", default: 18446744073709 },
      more: { type: "string", default: "x" },
    },
    required: ["code", "keys", "at", "shape", "size"],
  };
  assert.equal(text(initial(schema, schema)), '{"keys":[],"at":null,"shape":{"tag":"circle"},"size":18446744073709}');
});

test("variants are told apart by type, tag and members", () => {
  const tagged = (tag, val) => ({ type: "object", properties: { tag: { type: "string", enum: [tag] }, ...(val && { val }) }, required: val ? ["tag", "val"] : ["tag"], additionalProperties: false });
  const union = { anyOf: [tagged("none"), tagged("some", { type: "number" }), tagged("many", { type: "array", items: { type: "number" } })] };
  assert.equal(variantOf(shape(union), json('{"tag":"many","val":[1]}'), union), 2);
  assert.equal(variantOf(shape(union), json('{"tag":"none"}'), union), 0);
  assert.deepEqual(shape(union).variants.map((it) => variantLabel(it, union).text), ["none", "some", "many"]);
  assert.equal(variantOf(shape(DATA), json('[{"a":1}]'), DATA), 1);
  assert.equal(variantOf(shape(DATA), "a.csv", DATA), 2);
  assert.equal(variantOf(shape(DATA), json('{"columns":[],"rows":[]}'), DATA), 0);
  assert.equal(variantOf(shape(DATA), json("3"), DATA), -1);
  assert.deepEqual(shape(DATA).variants.map((it) => variantLabel(it, DATA).key), ["table", "objects", "document"]);
  assert.ok(mayBe(DATA.anyOf[0], undefined, DATA) && !mayBe(DATA.anyOf[0], "x", DATA));
});

test("what the server would refuse is shown at its place", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2, maxLength: 3, pattern: "^[a-z]+$" },
      count: { type: "integer", minimum: 1, maximum: 9007199254740991 },
      data: DATA,
      keys: { type: "array", items: { type: "object", properties: { column: { type: "string" } }, required: ["column"], additionalProperties: false }, maxItems: 2 },
      kind: { type: "string", enum: ["a", "b"] },
    },
    required: ["name"],
    additionalProperties: false,
  };
  assert.deepEqual(codes(schema, "{}"), ["/name missing"]);
  assert.deepEqual(codes(schema, '{"name":"A1"}'), ["/name pattern"]);
  assert.deepEqual(codes(schema, '{"name":"😀"}'), ["/name short"]);
  assert.deepEqual(codes(schema, '{"name":"ab","count":0,"x":1}'), ["/count minimum", "/x unknown"]);
  assert.deepEqual(codes(schema, '{"name":"ab","count":9007199254740992}'), ["/count maximum"]);
  assert.deepEqual(codes(schema, '{"name":"ab","count":1.5}'), ["/count whole"]);
  assert.deepEqual(codes(schema, '{"name":"ab","count":"x"}'), ["/count number"]);
  assert.deepEqual(codes(schema, '{"name":"ab","data":{"columns":["a"],"rows":[[{}]]}}'), ["/data/rows/0/0 type"]);
  assert.deepEqual(codes(schema, '{"name":"ab","data":3}'), ["/data variant"]);
  assert.deepEqual(codes(schema, '{"name":"ab","keys":[{"colum":"a"}],"kind":"c"}'), ["/keys/0/column missing", "/keys/0/colum unknown", "/kind choice"]);
  assert.deepEqual(codes(schema, new Map([["name", new Unparsed("{")]])), ["/name json"]);
  assert.deepEqual(codes({ type: "object", properties: { "a/b~": { type: "string" } }, required: ["a/b~"] }, "{}"), ["/a~1b~0 missing"]);
});

test("a pattern of another dialect is left to the server", () => {
  assert.deepEqual(codes({ type: "string", pattern: "(?x) a" }, '"b"'), []);
});

test("documents are told apart from names of new files", () => {
  const names = (key, description) => namesDocument(key, { type: "string", description });
  assert.ok(names("name", "name of the document, as `list-documents` gives it."));
  assert.ok(names("name", "name of the only document to search; default all."));
  assert.ok(names("workbook", "name of a workbook (`.xlsx`) among the documents or the files of this session."));
  assert.ok(names("template", "for `.docx` only: name of a Word document of the session, such as `letterhead.docx`."));
  assert.ok(names("", "Or its name: a result (`t:3`), a document's table (`a.csv`, `b.xlsx#Sheet2`)."));
  assert.ok(!names("filename", "name of the new file; default: that of the workbook."));
  assert.ok(!names("filename", "name of the file, not a path, ending in `.xlsx`; default `report.xlsx`."));
  assert.ok(!names("sheet", "name of the worksheet; default: the first one."));
  assert.ok(!names("title", "title in the properties and the running header; default: the first heading."));
});

test("cells are read as a person types them, and written back alike", () => {
  assert.ok(cellOf("12.50") instanceof ExactNumber);
  assert.equal(cellOf("１２").text, "12");
  assert.equal(cellOf("007"), "007");
  assert.equal(cellOf("'12"), "12");
  assert.equal(cellOf(""), null);
  assert.equal(cellOf("TRUE"), true);
  for (const cell of [null, true, false, "", "a", "12", "true", "'x", " 1", "007", new ExactNumber("1.10"), new ExactNumber("18446744073709551616")]) {
    assert.ok(isSame(cellOf(cellText(cell)), cell), `${cell}`);
  }
});

test("numbers are kept as they are written, and half of one too", () => {
  assert.equal(numberOf(" 18446744073709551616 ").text, "18446744073709551616");
  assert.equal(numberOf("1.").valueOf(), "1.");
  assert.equal(numberOf("  "), undefined);
  assert.equal(exactOf({ a: [1, null, "x"] }).get("a")[0].text, "1");
});

test("cells of a spreadsheet are pasted", () => {
  assert.deepEqual(pastedRows('a\tb\r\n1\t"x\ny"\r\n'), [["a", "b"], ["1", "x\ny"]]);
  assert.deepEqual(pastedRows('a,b\n"1,5","say ""hi"""'), [["a", "b"], ["1,5", 'say "hi"']]);
  assert.deepEqual(pastedRows("one line, with a comma"), [["one line, with a comma"]]);
});

test("a table changes its form only where nothing is lost", () => {
  const cells = json('{"columns":["a","b"],"rows":[[1.0,null],["x",true]]}');
  assert.equal(text(otherTable(cells)), '[{"a":1.0,"b":null},{"a":"x","b":true}]');
  assert.ok(isSame(otherTable(otherTable(cells)), cells));
  assert.equal(otherTable(json('{"columns":["a","a"],"rows":[]}')), undefined);
  assert.equal(otherTable(json('{"columns":["a"],"rows":[[1,2]]}')), undefined);
  assert.equal(otherTable(json('[{"a":{"b":1}}]')), undefined);
});
