// Errors of Mitt.

/** An error with a code, a place and a hint. */
export class MittError extends Error {
  constructor(fields, options) {
    super(fields.message, options);
    this.name = 'MittError';
    this.code = fields.kind;
    this.place = fields.place ?? null;
    this.hint = fields.hint ?? null;
    this.details = fields.details ?? [];
    this.retryable = fields.retryable ?? false;
    this.text = fields.text ?? fields.message;
    for (const name of ['limit', 'problem', 'answer', 'retry_after_ms']) {
      if (fields[name] !== undefined) this[name] = fields[name];
    }
    this.report = options?.report ?? null;
  }
}

/** Returns an exception of the native part as an error of Mitt: its message is JSON. */
export function readable(error) {
  if (error instanceof MittError) return error;
  try {
    return new MittError(JSON.parse(error.message));
  } catch {
    // Something else, such as an argument of a wrong type.
    return error;
  }
}

export function wrong(place, message, hint) {
  const text = `${place}: ${message}`;
  return new MittError({ kind: 'arguments', message: text, place, hint });
}

/** Checks that a signal is none, or one of any implementation. */
export function checkSignal(signal) {
  if (signal === undefined || signal === null) return;
  if (['addEventListener', 'removeEventListener'].every((name) => typeof signal[name] === 'function')) return;
  throw wrong('options.signal', `expected an AbortSignal, got ${typeof signal}`, 'pass `controller.signal` of an AbortController');
}

export function closed(what) {
  return new MittError({
    kind: 'invalid-handle', message: `the ${what} was closed`, place: what,
    hint: `keep the ${what} until its last call`,
  });
}

// Kinds that a tool or a model may give its own errors.
const KINDS = ['arguments', 'input', 'denied', 'plugin'];

/** Returns what a tool or a model threw, as JSON text for Mitt. */
export function reported(thrown) {
  try {
    return described(thrown);
  } catch {
    // A tool may throw anything, also an object without `toString`, or with a getter that throws.
    return JSON.stringify({ message: `the function threw a value without a text, of the type ${typeof thrown}` });
  }
}

function described(thrown) {
  const isObject = typeof thrown === 'object' && thrown !== null;
  const message = isObject && typeof thrown.message === 'string' ? thrown.message : String(thrown);
  // Half of a surrogate pair is no text of JSON.
  const fields = { message: message.toWellFormed() };
  if (isObject && KINDS.includes(thrown.code)) fields.kind = thrown.code;
  if (isObject && typeof thrown.hint === 'string') fields.hint = thrown.hint.toWellFormed();
  if (isObject && thrown.retryable === true) fields.retryable = true;
  return JSON.stringify(fields);
}
