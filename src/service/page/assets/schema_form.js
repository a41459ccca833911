// A form made of a JSON Schema, and the same value as JSON. Nothing is lost on the way from one to the other and back.
import { html, useState, useRef, useEffect, useLayoutEffect } from "./viewer/ui.js";
import { t, plural, formatNumber } from "./viewer/i18n_core.js";
import { Icon } from "./icons.js";
import { ExactNumber, JsonProblem, Unparsed, isSame, parseExact, stringifyExact } from "./exact_json.js";
import {
  cellOf,
  cellText,
  fixedValue,
  initial,
  mayBe,
  namesDocument,
  numberOf,
  otherTable,
  pastedRows,
  resolve,
  shapeOf,
  step,
  typeName,
  validate,
  variantLabel,
  variantOf,
} from "./schema_model.js";

/**
 * What a person has written: a value, and while it is edited as JSON its text.
 * @typedef {{value: any, text: string | null, problem: JsonProblem | null}} Draft
 * @typedef {{pointer: string, detail: string}} FieldError
 * @typedef {{list: {name: string}[], upload: (file: File) => Promise<string | null>}} Documents
 * What all fields of a form share.
 * @typedef {{id: string, root: any, wrong: FieldError[], documents: Documents | null, touch: (pointer: string) =>
 *   void}} Context
 * @typedef {{name: string, label: any, schema: any, value: any, pointer: string, isRequired: boolean, onChange:
 *   (value: any) => void, context: Context,
 *   depth: number, isBare?: boolean}} FieldProps
 */

/**
 * Problems that the server would find too. Others may be a matter of dialect, so they are shown and not insisted on.
 */
const CERTAIN = new Set(["missing", "number", "json", "never"]);
/** Optional fields up to this number are shown at once. */
const FEW_OPTIONAL = 3;
/** Rows of a table that can be edited as cells. */
const MOST_ROWS = 100;
/** Choices up to this number are buttons, more are a list. */
const FEW_CHOICES = 4;
/** Shapes whose controls show their errors themselves. */
const GROUPS = new Set(["object", "map", "array", "tuple", "flags", "table", "union"]);
/** Said of each table by its type; the form shows it by its cells. */
const ABOUT_TABLES = /\s*A table: an array of objects, or column names and rows with one cell per column\.\s*/;

/**
 * Returns an empty draft for a schema.
 * @param {any} schema
 * @returns {Draft}
 */
export function newDraft(schema) {
  const value = initial(schema, schema);
  return { value: value === undefined ? new Map() : value, text: null, problem: null };
}

/**
 * Returns a draft with the value of a text of JSON.
 * @param {string} text
 * @returns {Draft}
 */
export function draftOf(text) {
  return { value: parseExact(text), text: null, problem: null };
}

/**
 * Returns a draft as JSON, with the very text that a person wrote if there is one.
 * @param {Draft} draft
 * @param {number} [indent]
 * @returns {string}
 */
export function draftText(draft, indent = 0) {
  return draft.text === null ? stringifyExact(draft.value, indent) : draft.text;
}

/**
 * Returns `true` if the draft cannot be sent as it is.
 * @param {any} schema
 * @param {Draft} draft
 */
export function isUnfinished(schema, draft) {
  if (draft.text !== null) return draft.problem !== null;
  return validate(schema, draft.value, schema).some((it) => CERTAIN.has(it.code));
}

/** @param {import("./schema_model.js").Wrong} wrong */
function wrongText({ code, vars }) {
  if (code === "type") return t("tools.form.wrong.type", { type: t(`tools.form.type.${vars.type}`) });
  if (code === "json") return jsonText(problemOf(vars.text));
  const { value } = vars;
  return t(`tools.form.wrong.${code}`, typeof value === "number" ? { value: formatNumber(value) } : vars);
}

/** Returns why a text is not JSON. @param {string} text */
function problemOf(text) {
  try {
    parseExact(text);
  } catch (problem) {
    if (problem instanceof JsonProblem) return problem;
    throw problem;
  }
  return new JsonProblem("expected-value", text, 0);
}

/** @param {JsonProblem} problem */
function jsonText(problem) {
  const place = { line: problem.line, column: problem.column, key: problem.key };
  return t(`tools.form.json.${problem.code}`, place);
}

/**
 * Shows a form for a schema.
 * @param {{id: string, schema: any, draft: Draft, onChange: (draft: Draft) => void, errors?: FieldError[], onTouch?:
 *   (pointer: string) => void,
 *   showMissing?: boolean, documents?: Documents | null}} props
 */
export function SchemaForm({
  id,
  schema,
  draft,
  onChange,
  errors = [],
  onTouch,
  showMissing = false,
  documents = null,
}) {
  const isText = draft.text !== null;
  // Where the server has spoken, its words stand alone.
  const judged = new Set(errors.map((it) => it.pointer));
  const found = isText
    ? []
    : validate(schema, draft.value, schema).filter(
        (it) => (showMissing || it.code !== "missing") && !judged.has(it.pointer),
      );
  const wrong = [...found.map((it) => ({ pointer: it.pointer, detail: wrongText(it) })), ...errors];
  /** @type {Context} */
  const context = { id, root: schema, wrong, documents, touch: (pointer) => onTouch?.(pointer) };
  const toText = () => onChange({ ...draft, text: stringifyExact(draft.value, 2), problem: null });
  const toForm = () => {
    if (draft.problem) document.getElementById(`${id}-text`)?.focus();
    else onChange({ value: draft.value, text: null, problem: null });
  };
  const typed = (/** @type {string} */ text) => {
    onTouch?.("");
    try {
      onChange({ value: parseExact(text), text, problem: null });
    } catch (problem) {
      if (!(problem instanceof JsonProblem)) throw problem;
      onChange({ value: draft.value, text, problem });
    }
  };
  const changed = (/** @type {any} */ value) => onChange({ value, text: null, problem: null });
  const general = wrong.filter((it) => it.pointer === "");
  const isEmpty =
    !isText &&
    Object.keys(resolve(schema, schema).properties || {}).length === 0 &&
    !(draft.value instanceof Map && draft.value.size);
  return html`<div class="schema-form">
    <div class="form-mode segments" role="group" aria-label=${t("tools.form.mode")}>
      <button type="button" class="segment" aria-pressed=${String(!isText)}
        onClick=${isText ? toForm : undefined}>${t("tools.form.form")}</button>
      <button type="button" class="segment" aria-pressed=${String(isText)}
        onClick=${isText ? undefined : toText}>${t("tools.form.json")}</button>
    </div>
    ${
      isText
        ? html`<div class="field">
          <label class="sr-only" for=${`${id}-text`}>${t("tools.form.json_label")}</label>
          <${Area} id=${`${id}-text`} class="input code" value=${draft.text} rows=${8} spellcheck=${false}
            onInput=${typed}
            aria-invalid=${draft.problem || wrong.length ? "true" : undefined} aria-describedby=${`${id}-text-error`} />
          <div id=${`${id}-text-error`}>
            ${draft.problem ? html`<p class="field-error"
              role="alert">${jsonText(draft.problem)} ${t("tools.form.json_back")}</p>` : null}
            ${wrong.map((it) => html`<p class="field-error">${it.pointer ? html`<code>${it.pointer}
              </code>${" "}` : null}${it.detail}</p>`)}
          </div>
        </div>`
        : html`${general.map((it) => html`<p class="field-error" role="alert">${it.detail}</p>`)}
          ${
            isEmpty
              ? html`<p class="form-none">${t("tools.form.none")}</p>`
              : html`<${Value} name="" label="" schema=${schema} value=${draft.value} pointer="" isRequired=${true}
                onChange=${changed} context=${context} depth=${0} isBare=${true} />`
          }`
    }
  </div>`;
}

/** @param {Context} context @param {string} pointer @param {string} [part] */
function idOf(context, pointer, part = "") {
  return `${context.id}${encodeURIComponent(pointer).replace(/%2F/g, ".").replace(/%/g, "_")}${part}`;
}

/** Returns the errors of a place; of everything in it if the form shows no parts of it. */
function errorsAt(context, pointer, isWhole = false) {
  return context.wrong.filter((it) => it.pointer === pointer || (isWhole && it.pointer.startsWith(`${pointer}/`)));
}

/** Text with `code` marked as such. */
function Words({ text }) {
  const parts = String(text).split(/`([^`\n]+)`/);
  return parts.map((part, index) => (index % 2 ? html`<code>${part}</code>` : part));
}

/** @param {{id: string, text: string}} props */
function Help({ id, text }) {
  const cleaned = text.replace(ABOUT_TABLES, "\n\n").trim();
  const shown = /^[a-z]/.test(cleaned) ? cleaned[0].toUpperCase() + cleaned.slice(1) : cleaned;
  return html`<div class="field-help" id=${id}>${shown ? shown.split(/\n{2,}/).map((it) => html`<p><${Words}
    text=${it} /></p>`) : null}</div>`;
}

/** Name of a member as a label: `group_by` is "Group by". */
function labelOf(key, shape) {
  if (shape.title) return shape.title;
  const words = key.replace(/[_-]+/g, " ").trim() || key;
  return words[0] ? words[0].toUpperCase() + words.slice(1) : t("tools.form.empty_key");
}

/** @param {{context: Context, pointer: string, isWhole?: boolean, describe?: (pointer: string) => string}} props */
function Errors({ context, pointer, isWhole = false, describe }) {
  const found = errorsAt(context, pointer, isWhole);
  return html`<div class="field-errors" id=${idOf(context, pointer, "-error")}>
    ${found.map((it) => {
      const place = it.pointer.slice(pointer.length);
      const named = place && (describe ? describe(place) : place);
      return html`<p class="field-error"><${Icon} name="alert" size=${14} /> <span>${named ? html`<b>${named}
        </b>${": "}` : null}<${Words} text=${it.detail} /></span></p>`;
    })}
  </div>`;
}

/**
 * Shows a member of an object or an item of an array: label, help, control and errors.
 * @param {FieldProps & {onRemove?: () => void, extra?: any}} props
 */
function Field(props) {
  const { name, label, schema, value, pointer, isRequired, context, depth, extra } = props;
  const shape = shapeOf(schema, context.root);
  const isGroup = GROUPS.has(shape.kind);
  const hasValue = value !== undefined;
  const id = idOf(context, pointer);
  const heading = html`${label}${!isRequired ? html` <span class="field-optional">${t("tools.form.optional")}
    </span>` : null}`;
  const inner = html`<${Value} ...${props} isBare=${false} />`;
  if (isGroup) {
    const isAbsent = !hasValue || (value === null && shape.nullable);
    const mayRemove = !isRequired && !isAbsent;
    return html`<fieldset class=${`field-group depth-${Math.min(depth, 4)}`}
      aria-describedby=${`${id}-help ${id}-error`}>
      <legend>${heading}</legend>
      ${extra}
      ${
        mayRemove && shape.kind !== "array" && shape.kind !== "flags"
          ? html`<button type="button" class="btn quiet small group-remove" onClick=${() => props.onChange(undefined)}>
            ${t("tools.form.leave_out")}<span class="sr-only"> ${name}</span>
          </button>`
          : null
      }
      <${Help} id=${`${id}-help`} text=${shape.help} />
      ${inner}
    </fieldset>`;
  }
  const chosen = shape.cases.get(typeof value === "string" ? value : "");
  return html`<div class="field">
    <div class="field-head"><label for=${id}>${heading}</label>${extra}</div>
    <${Help} id=${`${id}-help`} text=${shape.kind === "enum" ? shape.help.split(/\n{2,}/)[0] : shape.help} />
    ${inner}
    ${chosen ? html`<p class="field-case"><${Words} text=${chosen} /></p>` : null}
    <${Errors} context=${context} pointer=${pointer} isWhole=${true} />
  </div>`;
}

/** Returns `true` if the control for a shape can show the value. */
function isShown(shape, value) {
  // Where null does not belong it stands for what is not written yet.
  if (value === undefined || value === null) return !["any", "fixed", "never", "null"].includes(shape.kind);
  if (value instanceof Unparsed) return false;
  const type = typeName(value);
  switch (shape.kind) {
    case "string":
    case "bytes":
      return type === "string";
    case "number":
    case "integer":
      return type === "number" || type === "string";
    case "boolean":
      return type === "boolean";
    case "cell":
      return ["string", "number", "boolean"].includes(type);
    case "enum":
      return shape.values.some((it) => isSame(it, value));
    case "object":
    case "map":
      return type === "object";
    case "array":
    case "tuple":
      return type === "array";
    case "flags":
      return type === "array" && value.every((it) => shape.values.some((one) => isSame(one, it)));
    case "table":
      return isCells(value);
    case "union":
      return true;
    default:
      return false;
  }
}

/** Returns `true` for columns and rows that a person can edit as cells. */
function isCells(value) {
  if (!(value instanceof Map) || [...value.keys()].some((key) => key !== "columns" && key !== "rows")) return false;
  const [columns, rows] = [value.get("columns"), value.get("rows")];
  const isCell = (it) => it === null || ["string", "boolean"].includes(typeof it) || it instanceof ExactNumber;
  return (
    Array.isArray(columns) &&
    columns.every((it) => typeof it === "string") &&
    Array.isArray(rows) &&
    rows.length <= MOST_ROWS &&
    rows.every((row) => Array.isArray(row) && row.every(isCell))
  );
}

/** @param {string[]} columns @param {any[][]} rows @returns {Map<string, any>} */
function cellsOf(columns, rows) {
  return new Map(
    /** @type {[string, any][]} */ ([
      ["columns", columns],
      ["rows", rows],
    ]),
  );
}

/** Shows the control for a value, by its shape. @param {FieldProps} props */
function Value(props) {
  const { schema, value, pointer, isRequired, context, depth } = props;
  const shape = shapeOf(schema, context.root);
  const id = idOf(context, pointer);
  const hasErrors = errorsAt(context, pointer, true).length > 0;
  /** What is kept when a person empties the control. */
  const nothing = isRequired && shape.nullable ? null : undefined;
  const change = (/** @type {any} */ next) => {
    context.touch(pointer);
    props.onChange(next === undefined ? nothing : next);
  };
  const described = {
    id,
    "aria-describedby": `${id}-help ${id}-error`,
    "aria-invalid": hasErrors ? "true" : undefined,
    "aria-required": isRequired && !shape.nullable ? "true" : undefined,
  };
  const inner = { ...props, onChange: change, shape, described, nothing };
  if (!isShown(shape, value)) {
    const isGroup = GROUPS.has(shape.kind);
    return html`<${Json} ...${inner} />${isGroup ? html`<${Errors} context=${context} pointer=${pointer}
      isWhole=${true} />` : null}`;
  }
  if (value === undefined || value === null) {
    // A part that is left out is not built before a person wants it, so that a type that holds itself ends.
    const isOptional = !isRequired || depth > 6;
    if (isOptional && ["object", "map", "tuple", "table", "union"].includes(shape.kind)) {
      return html`<div class="absent">
          <button type="button" class="btn small" onClick=${() => change(begin(shape, schema, context.root))}>
            <${Icon} name="plus" size=${14} /> ${t("tools.form.add_part")}<span class="sr-only"> ${props.name}</span>
          </button>
        </div>
        <${Errors} context=${context} pointer=${pointer} isWhole=${true} />`;
    }
  }
  switch (shape.kind) {
    case "string":
      return html`<${Text} ...${inner} />`;
    case "bytes":
      return html`<${Bytes} ...${inner} />`;
    case "number":
    case "integer":
      return html`<${NumberInput} ...${inner} />`;
    case "boolean":
      return html`<${Choice} ...${inner} options=${[
        [true, t("tools.form.yes")],
        [false, t("tools.form.no")],
      ]} />`;
    case "enum":
      return html`<${Choice} ...${inner}
        options=${shape.values.map((it) => [it, typeof it === "string" ? it : stringifyExact(it)])} />`;
    case "cell":
      return html`<input ...${described} class="input" type="text" value=${cellText(value)} autocomplete="off"
        title=${t("tools.form.cell_hint")}
        placeholder=${t("tools.form.cell_empty")} onInput=${(event) => change(cellOf(event.target.value))} />`;
    case "object":
      return html`<${Members} ...${inner} />`;
    case "map":
      return html`<${Entries} ...${inner} />`;
    case "array":
      return html`<${Items} ...${inner} />`;
    case "tuple":
      return html`<${Tuple} ...${inner} />`;
    case "flags":
      return html`<${Flags} ...${inner} />`;
    case "table":
      return html`<${Cells} ...${inner} /><${Errors} context=${context} pointer=${pointer} isWhole=${true}
        describe=${(it) => cellPlace(it, value)} />`;
    case "union":
      return html`<${Union} ...${inner} />`;
    default:
      return html`<${Json} ...${inner} />`;
  }
}

/** Returns the value with which an optional part begins. */
function begin(shape, schema, root) {
  if (shape.kind === "table") return cellsOf([], []);
  const from = shape.kind === "union" ? shape.variants[0] : schema;
  const made = initial(from, root);
  if (made !== undefined && made !== null) return made;
  const kind = shapeOf(from, root).kind;
  if (kind === "table") return cellsOf([], []);
  return ["object", "map"].includes(kind) ? new Map() : kind === "array" ? [] : "";
}

/** A text area that is as tall as its text. */
function Area({ value, onInput, class: name, rows = 2, ...rest }) {
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(Math.max(element.scrollHeight + 2, rows * 20), 560)}px`;
  }, [value]);
  return html`<textarea ref=${area} class=${name} rows=${rows} value=${value}
    onInput=${(event) => onInput(event.target.value)} ...${rest}></textarea>`;
}

/** A text: one line, several, or the name of a document. */
function Text({ name, shape, value, described, onChange, context }) {
  const [isUploading, setUploading] = useState(false);
  const text = typeof value === "string" ? value : "";
  const put = (/** @type {string} */ next) => onChange(next === "" ? undefined : next);
  const isCode = /^(code|sql|script|query)$/.test(name);
  if (shape.isMultiline || isCode || text.includes("\n")) {
    const keyed = (/** @type {KeyboardEvent} */ event) => {
      if (!isCode || event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
      // The next line of a script begins where this one does.
      const area = /** @type {HTMLTextAreaElement} */ (event.target);
      const line = area.value.slice(0, area.selectionStart).split("\n").pop() || "";
      const indent = (/^[ \t]*/.exec(line) || [""])[0] + (name === "code" && /:\s*$/.test(line) ? "    " : "");
      if (!indent) return;
      event.preventDefault();
      area.setRangeText(`\n${indent}`, area.selectionStart, area.selectionEnd, "end");
      put(area.value);
    };
    return html`<${Area} ...${described} class=${isCode ? "input code" : "input"} rows=${isCode ? 6 : 4} value=${text}
      spellcheck=${!isCode} onInput=${put} onKeyDown=${keyed} />`;
  }
  const pasted = (/** @type {ClipboardEvent} */ event) => {
    const clip = event.clipboardData?.getData("text") || "";
    // A field of one line would drop the line ends.
    if (!/[\r\n]/.test(clip.trim())) return;
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (event.target);
    const [start, end] = [input.selectionStart ?? text.length, input.selectionEnd ?? text.length];
    put(text.slice(0, start) + clip.replace(/\r\n?/g, "\n") + text.slice(end));
  };
  const input = (list) =>
    html`<input ...${described} class="input" type="text" list=${list} value=${text} autocomplete="off"
      onInput=${(event) => put(event.target.value)} onPaste=${pasted} />`;
  const isDocument = context.documents && (shape.isDocument || namesDocument(name, shape.schema, shape.help));
  if (!isDocument) return input(undefined);
  const upload = async (/** @type {any} */ event) => {
    const file = event.target.files[0];
    event.target.value = "";
    if (!file) return;
    setUploading(true);
    const stored = await context.documents.upload(file);
    setUploading(false);
    if (stored) put(stored);
  };
  return html`<div class="document-input">
    ${input(`${described.id}-list`)}
    <datalist id=${`${described.id}-list`}>${context.documents.list.map((it) => html`<option value=${it.name}>
      </option>`)}</datalist>
    <label class=${isUploading ? "btn upload-btn busy" : "btn upload-btn"}>
      <${Icon} name="upload" size=${16} /> ${isUploading ? t("tools.form.uploading") : t("tools.form.upload")}
      <input type="file" class="sr-only" disabled=${isUploading} onChange=${upload} />
    </label>
  </div>`;
}

/** Bytes in base64, of a file or as text. */
function Bytes({ value, described, onChange }) {
  const read = async (/** @type {any} */ event) => {
    const file = event.target.files[0];
    event.target.value = "";
    if (!file) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    let binary = "";
    for (let at = 0; at < bytes.length; at += 32768) binary += String.fromCharCode(...bytes.subarray(at, at + 32768));
    onChange(btoa(binary));
  };
  return html`<div class="bytes-input">
    <${Area} ...${described} class="input code" value=${typeof value === "string" ? value : ""} spellcheck=${false}
      onInput=${(text) => onChange(text === "" ? undefined : text)} />
    <label class="btn upload-btn"><${Icon} name="upload" size=${16} /> ${t("tools.form.from_file")}<input type="file"
      class="sr-only" onChange=${read} /></label>
  </div>`;
}

/** A number, with all of its digits. */
function NumberInput({ shape, value, described, onChange }) {
  const mode = shape.kind === "integer" ? "numeric" : "decimal";
  const text = value === undefined || value === null ? "" : String(value);
  return html`<input ...${described} class="input number" type="text" inputmode=${mode} autocomplete="off" value=${text}
    onInput=${(event) => onChange(numberOf(event.target.value))} />`;
}

/** One of a few values. */
function Choice({ value, described, onChange, options, isRequired, nothing }) {
  const at = options.findIndex(([one]) => isSame(one, value));
  const chosen = (/** @type {any} */ event) =>
    onChange(event.target.value === "" ? nothing : options[Number(event.target.value)][0]);
  return html`<select ...${described} class="input" value=${at < 0 ? "" : String(at)} onChange=${chosen}>
    <option value="" disabled=${isRequired && nothing === undefined && at >= 0}>${isRequired && nothing === undefined
      ? t("tools.form.choose") : t("tools.form.default")}</option>
    ${options.map(([, label], index) => html`<option value=${String(index)}>${label}</option>`)}
  </select>`;
}

/** The members of an object. Those that the schema does not know are kept and shown. */
function Members({ shape, value, pointer, onChange, context, depth }) {
  const members = value instanceof Map ? value : new Map();
  const { properties = {}, required = [] } = shape.schema;
  const keys = Object.keys(properties).filter((key) => {
    const fixed = required.includes(key) && fixedValue(properties[key], context.root);
    return fixed === undefined || fixed === false || (members.has(key) && !isSame(members.get(key), fixed));
  });
  const put = (/** @type {string} */ key, /** @type {any} */ next) => {
    const changed = new Map(members);
    // The tag of a variant belongs to it from the first letter on.
    for (const name of required) {
      const fixed = properties[name] === undefined ? undefined : fixedValue(properties[name], context.root);
      if (fixed !== undefined && !changed.has(name)) changed.set(name, fixed);
    }
    if (next === undefined) changed.delete(key);
    else changed.set(key, next);
    onChange(changed);
  };
  const field = (/** @type {string} */ key) => {
    const inner = shapeOf(properties[key], context.root);
    return html`<${Field} key=${key} name=${key} label=${labelOf(key, inner)} schema=${properties[key]}
      value=${members.get(key)}
      pointer=${pointer + step(key)} isRequired=${required.includes(key)} onChange=${(next) => put(key, next)}
        context=${context} depth=${depth + 1} />`;
  };
  const needed = keys.filter((key) => required.includes(key));
  const optional = keys.filter((key) => !required.includes(key));
  const set = optional.filter((key) => members.get(key) !== undefined).length;
  const hasErrors = optional.some((key) => errorsAt(context, pointer + step(key), true).length);
  const unknown = [...members.keys()].filter((key) => !Object.hasOwn(properties, key));
  return html`<div class="members">
    ${depth > 0 ? html`<${Errors} context=${context} pointer=${pointer} />` : null}
    ${needed.map(field)}
    ${
      optional.length > FEW_OPTIONAL
        ? html`<${More} isOpen=${hasErrors || (needed.length === 0 && depth === 0)} label=${t("tools.form.more")}
          count=${set ? t("tools.form.set", { n: set, all: optional.length }) : String(optional.length)}>
          ${optional.map(field)}
        <//>`
        : optional.map(field)
    }
    ${unknown.map(
      (key) => html`<div class="field" key=${`unknown ${key}`}>
        <div class="field-head">
          <label for=${idOf(context, pointer + step(key))}><code>${key}</code></label>
          <button type="button" class="icon-btn" aria-label=${t("tools.form.remove_named", { name: key })}
            title=${t("tools.form.remove")} onClick=${() => (context.touch(pointer), put(key, undefined))}>
            <${Icon} name="trash" size=${16} />
          </button>
        </div>
        <${Value} name=${key} label=${key} schema=${true} value=${members.get(key)} pointer=${pointer + step(key)}
          isRequired=${true}
          onChange=${(next) => put(key, next)} context=${context} depth=${depth + 1} />
        <${Errors} context=${context} pointer=${pointer + step(key)} isWhole=${true} />
      </div>`,
    )}
  </div>`;
}

/** Fields that most people leave alone, behind a heading that opens. */
function More({ isOpen, label, count, children }) {
  const details = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  useEffect(() => {
    if (isOpen && details.current) details.current.open = true;
  }, [isOpen]);
  return html`<details class="more-fields" ref=${details}>
    <summary>${label} <span class="badge">${count}</span></summary>
    <div class="members">${children}</div>
  </details>`;
}

/** Members with keys that a person chooses. */
function Entries({ name, shape, value, pointer, onChange, context, depth }) {
  const members = value instanceof Map ? value : new Map();
  const rename = (/** @type {string} */ from, /** @type {string} */ to) =>
    onChange(new Map([...members].map(([key, member]) => [key === from ? to : key, member])));
  const put = (/** @type {string} */ key, /** @type {any} */ next) =>
    onChange(new Map(members).set(key, next === undefined ? null : next));
  const remove = (/** @type {string} */ key) => {
    const left = new Map(members);
    left.delete(key);
    onChange(left);
  };
  const add = () => {
    let number = members.size + 1;
    while (members.has(`key${number}`)) number++;
    const made = initial(shape.items, context.root);
    onChange(
      new Map(members).set(
        `key${number}`,
        made === undefined ? (shapeOf(shape.items, context.root).kind === "string" ? "" : null) : made,
      ),
    );
  };
  return html`<div class="entries">
    <${Errors} context=${context} pointer=${pointer} />
    ${[...members].map(
      ([key, member], index) => html`<div class="entry" key=${index}>
        <${KeyInput} id=${`${idOf(context, pointer)}-key${index}`} name=${key}
          isTaken=${(to) => to !== key && members.has(to)} onRename=${(to) => rename(key, to)} />
        <div class="field">
          <label class="sr-only" for=${idOf(context, pointer + step(key))}>${t("tools.form.value_of", { name: key })}
            </label>
          <${Value} name=${key} label=${key} schema=${shape.items} value=${member} pointer=${pointer + step(key)}
            isRequired=${true} onChange=${(next) => put(key, next)} context=${context} depth=${depth + 1} />
          <${Errors} context=${context} pointer=${pointer + step(key)} isWhole=${true} />
        </div>
        <button type="button" class="icon-btn" aria-label=${t("tools.form.remove_named", { name: key })}
          title=${t("tools.form.remove")} onClick=${() => remove(key)}><${Icon} name="trash" size=${16} /></button>
      </div>`,
    )}
    <button type="button" class="btn small" onClick=${add}><${Icon} name="plus"
      size=${14} /> ${t("tools.form.add_entry")}<span class="sr-only"> ${name}</span></button>
  </div>`;
}

/** The key of a member. One that is taken is not accepted before it differs. */
function KeyInput({ id, name, isTaken, onRename }) {
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const isWrong = isTaken(text);
  const typed = (/** @type {any} */ event) => {
    setText(event.target.value);
    if (!isTaken(event.target.value)) onRename(event.target.value);
  };
  return html`<div class="field">
    <label class="sr-only" for=${id}>${t("tools.form.key")}</label>
    <input id=${id} class="input" type="text" value=${text} autocomplete="off"
      aria-invalid=${isWrong ? "true" : undefined} aria-describedby=${`${id}-error`} onInput=${typed} />
    <div id=${`${id}-error`}>${isWrong ? html`<p class="field-error">${t("tools.form.key_taken")}</p>` : null}</div>
  </div>`;
}

let serial = 0;

/** The items of an array, which can be added, removed and moved. */
function Items({ name, shape, value, pointer, onChange, context, depth, nothing, isRequired }) {
  const items = Array.isArray(value) ? value : [];
  const keys = useRef(/** @type {number[]} */ ([]));
  const list = useRef(/** @type {HTMLOListElement | null} */ (null));
  const wanted = useRef(/** @type {{index: number, button?: string} | null} */ (null));
  // Items keep their state, such as the chosen variant, when they move.
  while (keys.current.length < items.length) keys.current.push(++serial);
  keys.current.length = items.length;
  useEffect(() => {
    const want = wanted.current;
    wanted.current = null;
    if (!want || !list.current) return;
    const item = list.current.children[Math.min(want.index, list.current.children.length - 1)];
    const selector = want.button
      ? `:scope > .item-tools > [data-button=${want.button}]`
      : "input, select, textarea, button";
    const target = /** @type {HTMLElement | null | undefined} */ (item?.querySelector(selector));
    (target && !target.matches(":disabled")
      ? target
      : /** @type {HTMLElement | null} */ (item?.querySelector("input, select, textarea, button"))
    )?.focus();
    if (!item)
      /** @type {HTMLElement | null} */ (list.current.parentElement.querySelector(":scope > .add-item"))?.focus();
  });
  const put = (/** @type {number} */ index, /** @type {any} */ next) =>
    onChange(items.map((it, at) => (at === index ? (next === undefined ? emptyItem() : next) : it)));
  const inner = shapeOf(shape.items, context.root);
  const emptyItem = () => (inner.kind === "string" && !inner.nullable ? "" : null);
  const add = () => {
    const made =
      inner.kind === "union" || inner.kind === "table"
        ? begin(inner, shape.items, context.root)
        : initial(shape.items, context.root);
    wanted.current = { index: items.length };
    onChange([...items, made === undefined ? emptyItem() : made]);
  };
  const remove = (/** @type {number} */ index) => {
    keys.current.splice(index, 1);
    wanted.current = { index: Math.min(index, items.length - 2), button: "remove" };
    const left = items.filter((_, at) => at !== index);
    onChange(left.length || isRequired ? left : nothing);
  };
  const move = (/** @type {number} */ index, /** @type {-1 | 1} */ by) => {
    const moved = [...items];
    [moved[index], moved[index + by]] = [moved[index + by], moved[index]];
    [keys.current[index], keys.current[index + by]] = [keys.current[index + by], keys.current[index]];
    wanted.current = { index: index + by, button: by < 0 ? "up" : "down" };
    onChange(moved);
  };
  const noun = labelOf(name.replace(/s$/, "") || "item", { title: "" });
  const isSimple = !GROUPS.has(inner.kind);
  const isFull = shape.schema.maxItems !== undefined && items.length >= shape.schema.maxItems;
  return html`<div class="items">
    <${Errors} context=${context} pointer=${pointer} />
    <ol class=${isSimple ? "item-list simple" : "item-list"} ref=${list}>
      ${items.map((item, index) => {
        const at = pointer + step(index);
        const label = `${noun} ${index + 1}`;
        const tools = html`<div class="item-tools">
          ${
            items.length > 1
              ? html`<button type="button" class="icon-btn" data-button="up" disabled=${index === 0}
                aria-label=${t("tools.form.up", { name: label })} title=${t("tools.form.up_short")}
                onClick=${() => move(index, -1)}><${Icon} name="arrow-up" size=${16} /></button>
                <button type="button" class="icon-btn" data-button="down" disabled=${index === items.length - 1}
                  aria-label=${t("tools.form.down", { name: label })} title=${t("tools.form.down_short")}
                  onClick=${() => move(index, 1)}><${Icon} name="arrow-down" size=${16} /></button>`
              : null
          }
          <button type="button" class="icon-btn" data-button="remove"
            aria-label=${t("tools.form.remove_named", { name: label })} title=${t("tools.form.remove")}
            onClick=${() => remove(index)}><${Icon} name="trash" size=${16} /></button>
        </div>`;
        const props = {
          name: String(index + 1),
          label,
          schema: shape.items,
          value: item,
          pointer: at,
          isRequired: true,
          onChange: (next) => put(index, next),
          context,
          depth: depth + 1,
        };
        return html`<li key=${keys.current[index]} class="item">
          ${
            isSimple
              ? html`<div class="field">
                <label class="sr-only" for=${idOf(context, at)}>${label}</label>
                <${Value} ...${props} />
                <${Errors} context=${context} pointer=${at} isWhole=${true} />
              </div>`
              : html`<${Field} ...${props} />`
          }
          ${tools}
        </li>`;
      })}
    </ol>
    <button type="button" class="btn small add-item" disabled=${isFull} onClick=${add}>
      <${Icon} name="plus" size=${14} /> ${t("tools.form.add")}<span class="sr-only"> ${name}</span>
    </button>
  </div>`;
}

/** A fixed number of values, each with a type of its own. */
function Tuple({ shape, value, pointer, onChange, context, depth }) {
  const given = Array.isArray(value) ? value : [];
  const count = Math.max(shape.schema.prefixItems.length, given.length);
  const put = (/** @type {number} */ index, /** @type {any} */ next) =>
    onChange(
      Array.from({ length: count }, (_, at) =>
        at === index ? (next === undefined ? null : next) : given[at] === undefined ? null : given[at],
      ),
    );
  return html`<div class="members">
    <${Errors} context=${context} pointer=${pointer} />
    ${Array.from(
      { length: count },
      (
        _,
        index,
      ) => html`<${Field} key=${index} name=${String(index + 1)} label=${t("tools.form.part", { n: index + 1 })}
        schema=${shape.schema.prefixItems[index] ?? {}}
      value=${given[index]} pointer=${pointer + step(index)} isRequired=${true} onChange=${(next) => put(index, next)}
        context=${context} depth=${depth + 1} />`,
    )}
  </div>`;
}

/** Any of a few values. */
function Flags({ shape, value, pointer, onChange, context, isRequired, nothing }) {
  const chosen = Array.isArray(value) ? value : [];
  const toggle = (/** @type {any} */ one) => {
    const isOn = chosen.some((it) => isSame(it, one));
    // The order is that of the schema, so that the value does not depend on the order of clicks.
    const next = shape.values.filter((it) => (isSame(it, one) ? !isOn : chosen.some((other) => isSame(other, it))));
    onChange(next.length || isRequired ? next : nothing);
  };
  return html`<div class="flags">
    <${Errors} context=${context} pointer=${pointer} isWhole=${true} />
    ${shape.values.map((one) => {
      const text = typeof one === "string" ? one : stringifyExact(one);
      const meaning = shape.cases.get(text);
      return html`<label class="check-row"><input type="checkbox" checked=${chosen.some((it) => isSame(it, one))}
        onChange=${() => toggle(one)} />
        <span>${text}${meaning ? html` <span class="muted"><${Words} text=${meaning} /></span>` : null}</span></label>`;
    })}
  </div>`;
}

/** One of several forms of a value. A form that a person leaves keeps what was written in it. */
function Union(props) {
  const { name, shape, value, pointer, onChange, context, depth, described } = props;
  const { root } = context;
  const [picked, setPicked] = useState(/** @type {number | null} */ (null));
  const memory = useRef(new Map());
  const given = value === undefined || value === null ? -1 : variantOf(shape, value, root);
  const isPicked =
    picked !== null &&
    shape.variants[picked] !== undefined &&
    (given < 0 || mayBe(shape.variants[picked], value, root));
  const at = isPicked ? picked : Math.max(given, 0);
  const variant = shape.variants[at];
  const inner = shapeOf(variant, root);
  const hasTable = shape.variants.some((it) => shapeOf(it, root).kind === "table");
  const pick = (/** @type {number} */ index) => {
    memory.current.set(at, value);
    setPicked(index);
    const to = shapeOf(shape.variants[index], root);
    let next = memory.current.get(index);
    if (
      hasTable &&
      (to.kind === "table" || to.kind === "array") &&
      (inner.kind === "table" || inner.kind === "array")
    ) {
      next = (value !== undefined && value !== null ? otherTable(value) : undefined) ?? next;
    }
    if (next === undefined) next = initial(shape.variants[index], root);
    if (next === undefined && ["map", "object"].includes(to.kind)) next = new Map();
    onChange(next);
  };
  const labels = shape.variants.map((it) => {
    const label = variantLabel(it, root);
    if ("text" in label) return label.text;
    const key = hasTable && label.key === "string" ? "document" : label.key;
    return t(`tools.form.kind.${key}`);
  });
  const group = `${described.id}-variant`;
  const isMany = labels.length > FEW_CHOICES;
  const changed = (/** @type {any} */ next) => {
    if (picked === null) setPicked(at);
    onChange(next);
  };
  const isRows = hasTable && inner.kind === "array";
  const common = { ...props, schema: variant, onChange: changed, depth: depth + 1, isRequired: true };
  const words = resolve(variant, root).description;
  const help = typeof words === "string" && words !== shape.help && !inner.cases.size ? words : "";
  const isGroup = GROUPS.has(inner.kind);
  return html`<div class="union">
    ${
      isMany
        ? html`<label class="sr-only" for=${group}>${t("tools.form.variant")}</label>
          <select id=${group} class="input" value=${String(at)}
            onChange=${(event) => pick(Number(event.target.value))}>${labels.map((label, index) => html`<option
            value=${String(index)}>${label}</option>`)}</select>`
        : html`<div class="segments" role="radiogroup" aria-label=${`${name} ${t("tools.form.variant")}`}>
          ${labels.map(
            (label, index) =>
              html`<label class="segment"><input type="radio" class="sr-only" name=${group} checked=${index === at}
                onChange=${() => pick(index)} /><span>${label}</span></label>`,
          )}
        </div>`
    }
    ${
      isRows
        ? html`<div class="field"><label class="sr-only" for=${described.id}>${name}</label><${Json} ...${common}
          shape=${inner} described=${described}
          nothing=${undefined} placeholder='[{"Year": 2024, "Revenue": 1234.5}]' />
          <${Errors} context=${context} pointer=${pointer} isWhole=${true} /></div>`
        : isGroup
          ? html`${help ? html`<p class="field-help"><${Words} text=${help} /></p>` : null}<${Value} ...${common} />`
          : html`<div class="field">
            <label class="sr-only" for=${described.id}>${name}</label>
            ${help ? html`<p class="field-help"><${Words}
              text=${hasTable && inner.kind === "string" ? t("tools.form.table_name") : help} /></p>` : null}
            ${
              hasTable && inner.kind === "string"
                ? html`<${Text} ...${common} shape=${{ ...inner, isDocument: true }} described=${described} />`
                : html`<${Value} ...${common} />`
            }
            <${Errors} context=${context} pointer=${pointer} isWhole=${true} />
          </div>`
    }
  </div>`;
}

/** A value as JSON, for what no other control can show. */
function Json({ value, described, onChange, isRequired, placeholder }) {
  const [text, setText] = useState(/** @type {string | null} */ (null));
  const written = value === undefined ? "" : value instanceof Unparsed ? value.text : stringifyExact(value, 2);
  let shown = written;
  if (text !== null && !(value instanceof Unparsed)) {
    try {
      // The person's own spaces and lines stay while they mean this value.
      if (text.trim() === "" ? value === undefined : isSame(parseExact(text), value)) shown = text;
    } catch {
      // The value was changed elsewhere.
    }
  }
  const typed = (/** @type {string} */ next) => {
    setText(next);
    if (next.trim() === "") return onChange(undefined);
    try {
      onChange(parseExact(next));
    } catch {
      onChange(new Unparsed(next));
    }
  };
  return html`<${Area} ...${described} class="input code" rows=${3} value=${shown} spellcheck=${false}
    placeholder=${placeholder || "null"} onInput=${typed} aria-required=${isRequired ? "true" : undefined} />`;
}

/** Returns the words for a place in a table, such as "row 2, Revenue". */
function cellPlace(place, value) {
  const [, part, row, column] = place.split("/");
  const columns = value instanceof Map && Array.isArray(value.get("columns")) ? value.get("columns") : [];
  if (part === "columns") return t("tools.form.column_n", { n: Number(row) + 1 });
  if (part !== "rows" || row === undefined) return place;
  const name =
    column === undefined ? "" : `, ${columns[Number(column)] || t("tools.form.column_n", { n: Number(column) + 1 })}`;
  return t("tools.form.row_n", { n: Number(row) + 1 }) + name;
}

/** A table as cells. The last row and the last column are empty, to go on writing in. */
function Cells({ name, value, onChange, described }) {
  const table = useRef(/** @type {HTMLTableElement | null} */ (null));
  const columns = value instanceof Map ? value.get("columns") : [];
  const rows = value instanceof Map ? value.get("rows") : [];
  const width = Math.max(columns.length, ...rows.map((row) => row.length), 0);
  const [wide, high] = [Math.max(width + 1, 3), Math.min(Math.max(rows.length + 1, 3), MOST_ROWS)];
  const build = (/** @type {string[]} */ head, /** @type {any[][]} */ body) => {
    const count = Math.max(head.length, ...body.map((row) => row.length), 0);
    const names = Array.from({ length: count }, (_, at) => head[at] ?? "");
    // A column with cells needs a name that no other has.
    names.forEach((it, at) => {
      if (it !== "" || !body.some((row) => row[at] !== null && row[at] !== undefined)) return;
      let number = at + 1;
      while (names.includes(t("tools.form.column_n", { n: number }))) number++;
      names[at] = t("tools.form.column_n", { n: number });
    });
    onChange(
      cellsOf(
        names,
        body.map((row) => Array.from({ length: count }, (_, at) => (row[at] === undefined ? null : row[at]))),
      ),
    );
  };
  const setName = (/** @type {number} */ at, /** @type {string} */ text) => {
    const head = Array.from({ length: Math.max(columns.length, text === "" ? 0 : at + 1) }, (_, index) =>
      index === at ? text : (columns[index] ?? ""),
    );
    // An empty column at the end is none.
    while (
      head.length &&
      head[head.length - 1] === "" &&
      !rows.some((row) => row.length >= head.length && row[head.length - 1] !== null)
    )
      head.pop();
    const fitted = rows.map((row) => {
      if (row.length > head.length && row.slice(head.length).every((it) => it === null))
        return row.slice(0, head.length);
      return [...row, ...Array(Math.max(head.length - row.length, 0)).fill(null)];
    });
    onChange(cellsOf(head, fitted));
  };
  const setCell = (/** @type {number} */ row, /** @type {number} */ at, /** @type {string} */ text) => {
    const cell = cellOf(text);
    const body = rows.map((it) => [...it]);
    while (body.length <= row) body.push([]);
    while (body[row].length <= at) body[row].push(null);
    body[row][at] = cell;
    while (body.length && row >= rows.length - 1 && body[body.length - 1].every((it) => it === null)) body.pop();
    build(columns, body);
  };
  const paste = (/** @type {ClipboardEvent} */ event, /** @type {number} */ row, /** @type {number} */ at) => {
    const clip = event.clipboardData?.getData("text") || "";
    if (!/[\t\n]/.test(clip.trimEnd())) return;
    event.preventDefault();
    const pasted = pastedRows(clip).slice(0, MOST_ROWS + 1);
    const head = [...columns];
    const body = rows.map((it) => [...it]);
    let start = row;
    if (row < 0 || (columns.length === 0 && rows.length === 0)) {
      (pasted.shift() || []).forEach((text, index) => {
        while (head.length < at + index) head.push("");
        head[at + index] = text;
      });
      start = 0;
    }
    pasted.slice(0, MOST_ROWS - start).forEach((texts, down) => {
      while (body.length <= start + down) body.push([]);
      texts.forEach((text, index) => {
        const line = body[start + down];
        while (line.length <= at + index) line.push(null);
        line[at + index] = cellOf(text);
      });
    });
    build(head, body);
  };
  const keyed = (/** @type {KeyboardEvent} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    if (event.isComposing || !input.dataset.place) return;
    const [row, at] = input.dataset.place.split(",").map(Number);
    const by =
      event.key === "ArrowDown" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.shiftKey)
        ? 1
        : event.key === "ArrowUp" || (event.key === "Enter" && event.shiftKey)
          ? -1
          : 0;
    if (!by) return;
    event.preventDefault();
    /** @type {HTMLElement | null | undefined} */ (
      table.current?.querySelector(`[data-place="${row + by},${at}"]`)
    )?.focus();
  };
  const removeRow = (/** @type {number} */ row) =>
    build(
      columns,
      rows.filter((_, at) => at !== row),
    );
  const removeColumn = (/** @type {number} */ column) =>
    build(
      columns.filter((_, at) => at !== column),
      rows.map((row) => row.filter((_, at) => at !== column)),
    );
  const columnLabel = (/** @type {number} */ at) => columns[at] || t("tools.form.column_n", { n: at + 1 });
  return html`<div class="cells-scroll">
      <table class="cells" ref=${table} aria-label=${name} id=${described.id}
        aria-describedby=${described["aria-describedby"]} onKeyDown=${keyed}>
        <thead><tr>
          <td class="cells-corner"></td>
          ${Array.from(
            { length: wide },
            (_, at) => html`<th scope="col" key=${at}>
            <div class="cells-head">
              <input type="text" data-place=${`-1,${at}`} value=${columns[at] ?? ""} autocomplete="off"
                aria-label=${t("tools.form.column_name", { n: at + 1 })}
                placeholder=${at <= Math.max(width, 1) ? t("tools.form.column_n", { n: at + 1 }) : ""}
                  onInput=${(event) => setName(at, event.target.value)} onPaste=${(event) => paste(event, -1, at)} />
              ${at < width ? html`<button type="button" class="icon-btn tiny"
                aria-label=${t("tools.form.remove_column", { name: columnLabel(at) })}
                title=${t("tools.form.remove_column", { name: columnLabel(at) })} onClick=${() => removeColumn(at)}>
                <${Icon} name="close" size=${12} /></button>` : null}
            </div>
          </th>`,
          )}
        </tr></thead>
        <tbody>${Array.from(
          { length: high },
          (_, row) => html`<tr key=${row}>
          <th scope="row" class="cells-number">
            <span>${row + 1}</span>
            ${row < rows.length ? html`<button type="button" class="icon-btn tiny"
              aria-label=${t("tools.form.remove_row", { n: row + 1 })}
              title=${t("tools.form.remove_row", { n: row + 1 })} onClick=${() => removeRow(row)}><${Icon} name="close"
              size=${12} /></button>` : null}
          </th>
          ${Array.from({ length: wide }, (_, at) => {
            const cell = rows[row] ? rows[row][at] : undefined;
            return html`<td key=${at}><input type="text" data-place=${`${row},${at}`}
              class=${cell instanceof ExactNumber ? "number" : typeof cell === "boolean" ? "bool" : ""}
              value=${cellText(cell)} autocomplete="off"
              aria-label=${t("tools.form.cell_label", { row: row + 1, column: columnLabel(at) })}
                onInput=${(event) => setCell(row, at, event.target.value)}
                onPaste=${(event) => paste(event, row, at)} /></td>`;
          })}
        </tr>`,
        )}</tbody>
      </table>
    </div>
    <p class="field-help cells-hint">${rows.length >= MOST_ROWS ? plural("tools.form.cells_full", MOST_ROWS)
      : t("tools.form.cells_hint")}</p>`;
}
