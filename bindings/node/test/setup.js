// Shared by the tests.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

import { Host as AnyHost, MittError } from 'mitt-node';

const mode = process.env.MITT_TEST_MODE;

/** A host of the mode that `MITT_TEST_MODE` names, `thread` or `process`. */
export class Host extends AnyHost {
  constructor(options) {
    super(mode === undefined || Array.isArray(options) ? options : { mode, ...options });
  }
}

/** The folder with the inputs of the README's example. */
export const examples = process.env.MITT_EXAMPLES ?? fileURLToPath(new URL('../../../examples/yoy', import.meta.url));

/** A host with the cache of the run. */
export function host(options = {}) {
  return new Host({ threads: 2, ...options });
}

/** A host without skills, which starts at once. */
export function bareHost(options = {}) {
  return host({ bundled: false, cache: false, ...options });
}

export const price = {
  name: 'shop__price',
  description: 'Price of an article.',
  read_only: true,
  parameters: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
};

/** Checks that something fails with a code, and returns the error. */
export async function fails(code, work, part = '') {
  let error;
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof MittError, `expected an error of Mitt, got ${error}`);
  assert.equal(error.code, code, error.text);
  assert.ok(error.text.includes(part), `expected \`${part}\` in: ${error.text}`);
  return error;
}
