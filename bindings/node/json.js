// Values of the program as JSON text.
import { wrong } from './error.js';

const HINT = 'write a BigInt as a string, `String(value)`, or as a number if it is below 2^53, `Number(value)`';

/** Returns a value as JSON text. `what` names the value in errors, whose place is a JSON pointer into it. */
export function written(what, value) {
  let text;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const path = bigIntIn(value);
    if (path === undefined) throw wrong(what, `expected a value that JSON has: ${error.message}`);
    const at = path === '' ? '' : ` at \`${path}\``;
    throw wrong(what, `expected a value that JSON has, got a BigInt${at}`, HINT);
  }
  if (text === undefined) throw wrong(what, `expected a value that JSON has, got a ${typeof value}`);
  return text;
}

/** Returns the JSON pointer to the first BigInt that JSON cannot have. */
function bigIntIn(value) {
  const pointers = new Map();
  let found;
  const look = function (key, item) {
    // The value itself is in an object that is not one of the value's.
    const pointer = pointers.has(this) ? `${pointers.get(this)}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` : '';
    if (typeof item === 'bigint') {
      found ??= pointer;
      return null;
    }
    if (typeof item === 'object' && item !== null) pointers.set(item, pointer);
    return item;
  };
  try {
    JSON.stringify(value, look);
  } catch {
    // Something else is wrong with it, too.
  }
  return found;
}
