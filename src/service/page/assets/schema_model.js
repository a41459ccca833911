// Reads JSON Schema as Mitt writes it, and says what a form shows for it. Knows no views.
import { ExactNumber, Unparsed, exactNumber, exactOf, isSame } from "./exact_json.js";

/**
 * What a form shows for a schema.
 * @typedef {object} Shape
 * @property
 *   {"string"|"number"|"integer"|"boolean"|"null"|"enum"|"fixed"|"bytes"|"cell"|"object"|"map"|"array"|"tuple"|"flags"|"table"|"union"|"any"|"never"}
 *   kind
 * @property {boolean} nullable `true` if the value may also be null
 * @property {any} schema the schema with its references resolved
 * @property {string} help its description, without that of the values of an enum
 * @property {string} title
 * @property {Map<string, string>} cases what each value of an enum means
 * @property {any[]} [values] the values of an enum
 * @property {any[]} [variants] the schemas of a union
 * @property {any} [items] the schema of the items of an array or of the members of a map
 * @property {any} [alternative] a text that is allowed in place of a number
 * @property {boolean} [isMultiline]
 */

/**
 * A place that is wrong: `code` and `vars` are words of the form.
 * @typedef {{pointer: string, code: string, vars: Record<string, any>}} Wrong
 */

/** Schemas that refer to each other without end are cut here. */
const MAX_REFERENCES = 32;
/** Values deeper than this are not checked here; the server does. */
const MAX_DEPTH = 64;

const CELL_TYPES = new Set(["null", "boolean", "number", "string"]);
const SCALARS = new Set(["type", "description", "title"]);

/**
 * Returns the part of a pointer for a key.
 * @param {string | number} key
 */
export function step(key) {
  return "/" + String(key).replace(/~/g, "~0").replace(/\//g, "~1");
}

/**
 * Returns the schema with `$ref` and `allOf` replaced by what they mean. Keywords beside a reference take precedence.
 * @param {any} schema
 * @param {any} root
 */
export function resolve(schema, root) {
  if (schema === true || schema === undefined || schema === null) return {};
  if (schema === false) return { not: {} };
  let merged = schema;
  for (let count = 0; merged.$ref !== undefined || merged.allOf; count++) {
    if (count >= MAX_REFERENCES) return {};
    const { $ref, allOf, ...rest } = merged;
    const parts = (allOf || []).map((part) => resolve(part, root));
    const target = $ref === undefined ? {} : find(root, String($ref));
    if (target === undefined) return { description: rest.description };
    merged = Object.assign({}, target, ...parts, rest);
  }
  return merged;
}

/**
 * Returns what a reference such as `#/$defs/a~1b` names, `undefined` if there is nothing.
 * @param {any} root
 * @param {string} reference
 */
function find(root, reference) {
  if (!reference.startsWith("#")) return undefined;
  let found = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    let key = part;
    try {
      key = decodeURIComponent(part);
    } catch {
      // Not percent-encoded: taken as it is.
    }
    key = key.replace(/~1/g, "/").replace(/~0/g, "~");
    if (found === null || typeof found !== "object" || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** Returns the schemas of which a value has to fit one, without unions within unions. */
function variantsOf(schema, root, depth = 0) {
  const listed = schema.anyOf || schema.oneOf;
  if (listed && depth < MAX_REFERENCES) {
    const { anyOf, oneOf, ...outer } = schema;
    return listed.flatMap((it) => {
      const variant = resolve(it, root);
      const isPlain = !variant.description && !variant.title;
      if ((variant.anyOf || variant.oneOf) && isPlain) return variantsOf(variant, root, depth + 1);
      // Members of an object may stand beside the union of its forms.
      return [outer.properties ? merged(outer, variant) : variant];
    });
  }
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => {
      const { enum: values, ...rest } = schema;
      const fitting =
        values &&
        values.filter((it) => typeName(exactOf(it)) === type || (type === "integer" && typeof it === "number"));
      return fitting ? { ...rest, type, enum: fitting } : { ...rest, type };
    });
  }
  return [schema];
}

function merged(outer, variant) {
  return {
    ...outer,
    ...variant,
    properties: { ...outer.properties, ...variant.properties },
    required: [...new Set([...(outer.required || []), ...(variant.required || [])])],
  };
}

const isNull = (schema) => schema.type === "null" || (schema.const === null && "const" in schema);
const isText = (schema) => schema.type === "string";
const isNumber = (schema) => schema.type === "number" || schema.type === "integer";
const isPlain = (schema) => Object.keys(schema).every((key) => SCALARS.has(key));

/** Returns `true` for an array of texts beside an array of rows: a table as Mitt writes it. */
function isTable(schema, root) {
  const { columns, rows } = schema.properties || {};
  if (!columns || !rows || Object.keys(schema.properties).length !== 2) return false;
  const [head, body] = [resolve(columns, root), resolve(rows, root)];
  if (head.type !== "array" || body.type !== "array") return false;
  const row = resolve(body.items, root);
  return (
    resolve(head.items, root).type === "string" && row.type === "array" && shapeOf(row.items, root).kind === "cell"
  );
}

/**
 * Splits a description into what the value is and what each value of an enum means.
 * @param {string} text
 * @returns {{help: string, cases: Map<string, string>}}
 */
export function splitCases(text) {
  const cases = new Map();
  const kept = [];
  for (const line of text.split("\n")) {
    const found = /^- `([^`]+)`: (.+)$/.exec(line.trim());
    if (found) cases.set(found[1], found[2]);
    else kept.push(line);
  }
  return {
    help: kept
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    cases,
  };
}

/** Returns the value of a schema that allows only one, `undefined` if it allows more. */
export function fixedValue(schema, root) {
  const it = resolve(schema, root);
  if ("const" in it) return exactOf(it.const);
  // A choice of one with words of its own is shown: it tells what there is.
  if (Array.isArray(it.enum) && it.enum.length === 1 && !it.description) return exactOf(it.enum[0]);
  return undefined;
}

/**
 * Returns what a form shows for `schema`.
 * @param {any} schema
 * @param {any} root the schema that `$ref` refers to
 * @returns {Shape}
 */
export function shapeOf(schema, root) {
  const outer = resolve(schema, root);
  const all = variantsOf(outer, root);
  const nullable = all.some(isNull);
  let variants = all.filter((it) => !isNull(it));
  const outerHelp = typeof outer.description === "string" ? outer.description : "";
  const make = (kind, of, more = {}) => {
    const inner = of !== outer && typeof of.description === "string" ? of.description : "";
    const [a, b] = [splitCases(outerHelp), splitCases(inner)];
    // The words for the place are closer to what a person asks than those for the type.
    const help = a.help || b.help;
    return {
      kind,
      nullable,
      schema: of,
      help,
      title: outer.title || of.title || "",
      cases: new Map([...b.cases, ...a.cases]),
      ...more,
    };
  };

  const names = new Set(variants.map((it) => it.type));
  const isCell =
    variants.length > 1 &&
    variants.every((it) => CELL_TYPES.has(it.type) && isPlain({ ...it, description: undefined }));
  if (isCell && names.size === variants.length && names.has("string") && names.has("number"))
    return make("cell", outer);

  // An object, or its text: the object can hold everything that the text can.
  if (variants.length === 2 && variants.some((it) => it.type === "object")) {
    const text = variants.find((it) => isText(it) && it.contentMediaType === "application/json");
    if (text) variants = variants.filter((it) => it !== text);
  }
  // A large integer, or its digits as a text; a number, or one of the names that JSON has no number for.
  if (variants.length === 2 && variants.some(isNumber)) {
    const number = variants.find(isNumber);
    const text = variants.find((it) => it !== number && (it.pattern || it.enum) && !isNumber(it));
    if (text) return make(number.type, number, { alternative: text });
  }
  if (variants.length === 0) return make("null", outer);
  if (variants.length > 1) {
    const values = variants.every((it) => it.enum || "const" in it) && variants.flatMap((it) => it.enum || [it.const]);
    return values ? make("enum", outer, { values: values.map(exactOf) }) : make("union", outer, { variants });
  }

  const it = variants[0];
  if (it.not && Object.keys(it.not).length === 0) return make("never", it);
  if ("const" in it) return make("fixed", it, { values: [exactOf(it.const)] });
  if (it.enum) return make("enum", it, { values: it.enum.map(exactOf) });
  // A union within a union that has words of its own.
  if (it !== outer && (it.anyOf || it.oneOf || Array.isArray(it.type))) {
    const inner = shapeOf(it, root);
    const help = splitCases(outerHelp).help || inner.help;
    return { ...inner, help, nullable: nullable || inner.nullable, title: outer.title || inner.title };
  }
  switch (it.type || implied(it)) {
    case "string":
      if (it.contentEncoding === "base64" || /\bbase64 with padding\b/.test(it.description || ""))
        return make("bytes", it);
      return make("string", it, { isMultiline: isMultiline(it, outerHelp) });
    case "number":
    case "integer":
    case "boolean":
      return make(it.type || implied(it), it);
    case "array": {
      if (Array.isArray(it.prefixItems)) return make("tuple", it);
      const items = resolve(it.items, root);
      const isUnique = it.uniqueItems || /\(no item twice\)/.test(it.description || "");
      if (items.enum && items.type === "string" && isUnique)
        return make("flags", it, { values: items.enum.map(exactOf), cases: splitCases(items.description || "").cases });
      return make("array", it, { items: it.items === undefined ? {} : it.items });
    }
    case "object": {
      if (it.properties && isTable(it, root)) return make("table", it);
      if (it.properties && Object.keys(it.properties).length) return make("object", it);
      if (it.additionalProperties === false || (it.required && it.properties)) return make("object", it);
      return make("map", it, { items: typeof it.additionalProperties === "object" ? it.additionalProperties : {} });
    }
    default:
      return make("any", it);
  }
}

function implied(schema) {
  if (schema.properties || schema.additionalProperties !== undefined) return "object";
  if (schema.items !== undefined || schema.prefixItems) return "array";
  return undefined;
}

/** Returns `true` if people write several lines there. */
function isMultiline(schema, words) {
  if (schema.maxLength !== undefined && schema.maxLength <= 200) return false;
  const text = `${words}\n${schema.description || ""}`;
  return (
    /\b(markdown|the script|source code|whole text|one statement|as JSON text)\b/i.test(text) &&
    !/\bname of\b|\bfile name\b/i.test(text)
  );
}

/**
 * Returns the name of the type of a value, as JSON Schema has it.
 * @param {any} value
 */
export function typeName(value) {
  if (value === null) return "null";
  if (value instanceof ExactNumber) return "number";
  if (value instanceof Unparsed) return "unparsed";
  if (Array.isArray(value)) return "array";
  if (value instanceof Map) return "object";
  return typeof value;
}

const isWhole = (text) => {
  const found = /^-?\d+(?:\.(\d+))?$/.exec(text);
  return found ? !found[1] || /^0+$/.test(found[1]) : Number.isInteger(Number(text));
};

/** Compares a number as it is written with a bound; exact for integers. */
function compare(text, bound) {
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(bound)) {
    const difference = BigInt(text) - BigInt(bound);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  return Number(text) - bound;
}

const patterns = new Map();

/** Returns the pattern as an expression, `null` if this browser cannot read it; the server can. */
function expression(pattern) {
  if (!patterns.has(pattern)) {
    let made = null;
    try {
      made = new RegExp(pattern, "u");
    } catch {
      // Another dialect.
    }
    patterns.set(pattern, made);
  }
  return patterns.get(pattern);
}

const characters = (text) => [...text].length;

/**
 * Returns what is wrong with a value, as far as a form can tell. The server is the judge.
 * @param {any} schema
 * @param {import("./exact_json.js").Exact | undefined} value `undefined` if there is none
 * @param {any} root
 * @param {string} [pointer]
 * @param {number} [depth]
 * @returns {Wrong[]}
 */
export function validate(schema, value, root, pointer = "", depth = 0) {
  if (value === undefined || depth > MAX_DEPTH) return [];
  if (value instanceof Unparsed) return [{ pointer, code: "json", vars: { text: value.text } }];
  const shape = shapeOf(schema, root);
  const wrong = (code, vars = {}) => [{ pointer, code, vars }];
  const it = shape.schema;
  const type = typeName(value);
  if (value === null && shape.nullable) return [];
  switch (shape.kind) {
    case "any":
      return [];
    case "never":
      return wrong("never");
    case "null":
      return value === null ? [] : wrong("type", { type: "null" });
    case "cell":
      return ["string", "number", "boolean"].includes(type) ? [] : wrong("type", { type: "cell" });
    case "boolean":
      return type === "boolean" ? [] : wrong("type", { type: "boolean" });
    case "fixed":
    case "enum":
      return shape.values.some((one) => isSame(one, value)) ? [] : wrong("choice");
    case "number":
    case "integer": {
      if (type === "string" && shape.alternative) {
        const { pattern, enum: names } = shape.alternative;
        if (names ? names.includes(value) : !pattern || expression(pattern)?.test(value) !== false) return [];
      }
      if (!(value instanceof ExactNumber)) return wrong("number");
      if (shape.kind === "integer" && !isWhole(value.text)) return wrong("whole");
      if (it.minimum !== undefined && compare(value.text, it.minimum) < 0)
        return wrong("minimum", { value: it.minimum });
      if (it.maximum !== undefined && compare(value.text, it.maximum) > 0)
        return wrong("maximum", { value: it.maximum });
      if (it.exclusiveMinimum !== undefined && compare(value.text, it.exclusiveMinimum) <= 0)
        return wrong("above", { value: it.exclusiveMinimum });
      if (it.exclusiveMaximum !== undefined && compare(value.text, it.exclusiveMaximum) >= 0)
        return wrong("below", { value: it.exclusiveMaximum });
      return [];
    }
    case "bytes":
    case "string": {
      if (typeof value !== "string") return wrong("type", { type: "string" });
      if (it.minLength !== undefined && characters(value) < it.minLength)
        return wrong("short", { value: it.minLength });
      if (it.maxLength !== undefined && characters(value) > it.maxLength) return wrong("long", { value: it.maxLength });
      if (it.pattern && expression(it.pattern)?.test(value) === false) return wrong("pattern", { value: it.pattern });
      return [];
    }
    case "flags":
    case "array":
    case "tuple": {
      if (!Array.isArray(value)) return wrong("type", { type: "array" });
      if (it.minItems !== undefined && value.length < it.minItems) return wrong("few", { value: it.minItems });
      if (it.maxItems !== undefined && value.length > it.maxItems) return wrong("many", { value: it.maxItems });
      const items = (index) => (shape.kind === "tuple" ? (it.prefixItems[index] ?? it.items) : it.items);
      return value.flatMap((item, index) => validate(items(index), item, root, pointer + step(index), depth + 1));
    }
    case "table":
    case "object":
    case "map": {
      if (!(value instanceof Map)) return wrong("type", { type: "object" });
      const properties = it.properties || {};
      const missing = (it.required || [])
        .filter((key) => !value.has(key))
        .map((key) => ({ pointer: pointer + step(key), code: "missing", vars: {} }));
      const members = [...value].flatMap(([key, member]) => {
        if (Object.hasOwn(properties, key))
          return validate(properties[key], member, root, pointer + step(key), depth + 1);
        if (it.additionalProperties === false) return [{ pointer: pointer + step(key), code: "unknown", vars: {} }];
        return validate(it.additionalProperties ?? {}, member, root, pointer + step(key), depth + 1);
      });
      return [...missing, ...members];
    }
    case "union": {
      const chosen = variantOf(shape, value, root);
      const best = shape.variants[chosen];
      return best === undefined ? wrong("variant") : validate(best, value, root, pointer, depth + 1);
    }
  }
  return [];
}

/** Returns how well a value fits a schema: 0 not at all, 1 by its type, 2 by the members that tell variants apart. */
function fit(schema, value, root) {
  const shape = shapeOf(schema, root);
  const type = typeName(value);
  if (value === null) return shape.nullable ? 2 : 0;
  switch (shape.kind) {
    case "any":
      return 1;
    case "string":
    case "bytes":
      return type === "string" ? 2 : 0;
    case "number":
    case "integer":
      return type === "number" ? 2 : 0;
    case "boolean":
      return type === "boolean" ? 2 : 0;
    case "cell":
      return ["string", "number", "boolean"].includes(type) ? 2 : 0;
    case "enum":
    case "fixed":
      return shape.values.some((one) => isSame(one, value)) ? 3 : 0;
    case "array":
    case "tuple":
    case "flags":
      if (!Array.isArray(value)) return 0;
      return value.length && validate(schema, value, root).length ? 1 : 2;
    case "union":
      return Math.max(...shape.variants.map((it) => fit(it, value, root)));
    case "object":
    case "map":
    case "table": {
      if (!(value instanceof Map)) return 0;
      const properties = shape.schema.properties || {};
      let score = 2;
      for (const [key, property] of Object.entries(properties)) {
        const fixed = fixedValue(property, root);
        if (fixed === undefined) continue;
        if (!value.has(key) || !isSame(value.get(key), fixed)) return 0;
        score = 4;
      }
      const known = [...value.keys()].filter((key) => Object.hasOwn(properties, key)).length;
      const missing = (shape.schema.required || []).filter((key) => !value.has(key)).length;
      if (known === 0 && missing > 0) return 1;
      return missing ? score - 0.5 : score;
    }
  }
  return 0;
}

/**
 * Returns the index of the variant that a value is, or -1.
 * @param {Shape} shape a union
 * @param {import("./exact_json.js").Exact | undefined} value
 * @param {any} root
 */
export function variantOf(shape, value, root) {
  if (value === undefined) return -1;
  const scores = shape.variants.map((it) => fit(it, value, root));
  const best = Math.max(...scores);
  return best > 0 ? scores.indexOf(best) : -1;
}

/**
 * Returns the value with which a place begins when a person adds it; `undefined` if the place begins empty.
 * @param {any} schema
 * @param {any} root
 * @param {number} [depth]
 * @returns {any}
 */
export function initial(schema, root, depth = 0) {
  const outer = resolve(schema, root);
  if ("default" in outer && outer.default !== null) return exactOf(outer.default);
  const shape = shapeOf(schema, root);
  const it = shape.schema;
  if ("default" in it && it.default !== null) return exactOf(it.default);
  switch (shape.kind) {
    case "fixed":
      return shape.values[0];
    case "enum":
      return shape.values.length === 1 ? shape.values[0] : undefined;
    case "object": {
      const value = new Map();
      // A type that holds itself would have no end.
      if (depth >= 4) return value;
      for (const key of it.required || []) {
        const property = it.properties?.[key];
        if (property === undefined) continue;
        const made = initial(property, root, depth + 1);
        if (made !== undefined) value.set(key, made);
        else if (shapeOf(property, root).nullable) value.set(key, null);
      }
      return value;
    }
    case "map":
      return new Map();
    case "union": {
      // The first variant is the one that a form shows, with its tag.
      const made = depth >= 4 ? undefined : initial(shape.variants[0], root, depth + 1);
      return made instanceof Map && made.size ? made : undefined;
    }
    case "flags":
      return [];
    case "array": {
      const least = Math.min(it.minItems || 0, 20);
      const made = depth >= 4 ? undefined : initial(shape.items, root, depth + 1);
      return Array.from({ length: least }, () => (made === undefined ? null : made));
    }
    case "tuple":
      return it.prefixItems.map((item) => {
        const made = depth >= 4 ? undefined : initial(item, root, depth + 1);
        return made === undefined ? null : made;
      });
    default:
      return undefined;
  }
}

/**
 * Returns `true` if a value can be of this schema, by its type and by what tells variants apart.
 * @param {any} schema
 * @param {any} value
 * @param {any} root
 */
export function mayBe(schema, value, root) {
  return value === undefined || fit(schema, value, root) > 0;
}

/**
 * Words of the type of a union's variant that has neither title nor tag.
 * @typedef {{key: string} | {text: string}} Label
 */

/**
 * Returns how a variant of a union is called: by its title, its tag, or the words of its type.
 * @param {any} schema
 * @param {any} root
 * @returns {Label}
 */
export function variantLabel(schema, root) {
  const it = resolve(schema, root);
  if (it.title) return { text: String(it.title) };
  for (const property of Object.values(it.properties || {})) {
    const fixed = fixedValue(property, root);
    if (typeof fixed === "string" && fixed) return { text: fixed };
  }
  const shape = shapeOf(it, root);
  if (shape.kind === "string" && namesDocument("", it)) return { key: "document" };
  if (shape.kind === "array") {
    const kind = shapeOf(shape.items, root).kind;
    return { key: kind === "object" || kind === "map" ? "objects" : "array" };
  }
  return { key: shape.kind };
}

const DOCUMENT =
  /\bname of (?:a|an|the)(?: only)? (?:\w+ )?(?:document|workbook|template|spreadsheet|presentation|PDF)\b|\bdocument's table\b|\bname of the only document\b/i;
const OUTPUT = /\bnot a path\b|\bnew file\b|\bname of the file\b/i;

/**
 * Returns `true` if a text names a document of the call.
 * @param {string} key
 * @param {any} schema
 * @param {string} [help]
 */
export function namesDocument(key, schema, help = "") {
  const words = `${help}\n${schema.description || ""}`;
  if (key === "filename" || OUTPUT.test(words)) return false;
  return DOCUMENT.test(words) || key === "document";
}

/**
 * Reads the text of a cell as a person types it: digits are a number, an apostrophe before them keeps the text.
 * @param {string} text
 * @returns {any}
 */
export function cellOf(text) {
  if (text === "") return null;
  if (text.startsWith("'")) return text.slice(1);
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  return exactNumber(text.normalize("NFKC")) || text;
}

/**
 * Writes a cell so that `cellOf` reads the same value.
 * @param {any} cell
 * @returns {string}
 */
export function cellText(cell) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "string") return String(cell);
  return isSame(cellOf(cell), cell) ? cell : `'${cell}`;
}

/**
 * Reads a number as a person types it: full-width digits too. What is no number stays a text, so that nothing is lost.
 * @param {string} text
 * @returns {ExactNumber | string | undefined}
 */
export function numberOf(text) {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return exactNumber(trimmed.normalize("NFKC")) || text;
}

/**
 * Returns the cells of a text that a spreadsheet program put on the clipboard, or of CSV with several lines.
 * @param {string} text
 * @returns {string[][]}
 */
export function pastedRows(text) {
  const separator = text.includes("\t") ? "\t" : /^[^"\n]*,/m.test(text) && text.includes("\n") ? "," : "\t";
  const rows = [[]];
  let cell = "";
  let isQuoted = false;
  const body = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  for (let at = 0; at < body.length; at++) {
    const character = body[at];
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (body[at + 1] === '"') {
        cell += '"';
        at++;
      } else isQuoted = false;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === separator || character === "\n") {
      rows[rows.length - 1].push(cell);
      cell = "";
      if (character === "\n") rows.push([]);
    } else cell += character;
  }
  rows[rows.length - 1].push(cell);
  return rows;
}

/**
 * Returns a table in the other of its two forms: columns and rows, or one object for each row. `undefined` if that
 * would
 * lose something.
 * @param {any} value
 * @returns {any}
 */
export function otherTable(value) {
  if (value instanceof Map) {
    const [columns, rows] = [value.get("columns"), value.get("rows")];
    if (!Array.isArray(columns) || !Array.isArray(rows) || new Set(columns).size !== columns.length) return undefined;
    if (!rows.every((row) => Array.isArray(row) && row.length === columns.length)) return undefined;
    return rows.map((row) => new Map(columns.map((column, index) => [column, row[index]])));
  }
  if (!Array.isArray(value) || !value.every((row) => row instanceof Map)) return undefined;
  const columns = [...new Set(value.flatMap((row) => [...row.keys()]))];
  const isFlat = value.every((row) =>
    [...row.values()].every((cell) => cell === null || typeof cell !== "object" || cell instanceof ExactNumber),
  );
  if (!isFlat) return undefined;
  return new Map([
    ["columns", columns],
    ["rows", value.map((row) => columns.map((column) => (row.has(column) ? row.get(column) : null)))],
  ]);
}
