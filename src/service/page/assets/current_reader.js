// Reads a list that this page also changes.

/**
 * Returns `read`, which repeats a request that a change has overtaken, and `changed`, which notes a change. A response that the
 * server made before an entry was renamed or deleted would bring the old title or the entry back.
 * @template Q, R
 * @param {(query: Q) => Promise<R>} request
 * @returns {{read: (query: Q) => Promise<R>, changed: () => void}}
 */
export function currentReader(request) {
  let changes = 0;
  return {
    read: async (query) => {
      for (;;) {
        const before = changes;
        const response = await request(query);
        if (before === changes) return response;
      }
    },
    changed: () => {
      changes += 1;
    },
  };
}
