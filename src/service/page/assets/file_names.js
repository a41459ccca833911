// Names of documents that are sent together.

/**
 * Returns a name for each document: its own for the first one that has it, and for each further one a name with a number that
 * no other document has. A run knows its documents by their names.
 * @param {string[]} names
 * @returns {string[]}
 */
export function distinctNames(names) {
  const own = new Set(names);
  const used = new Set();
  return names.map((name) => {
    const dot = name.lastIndexOf(".");
    const at = dot > 0 ? dot : name.length;
    let given = name;
    for (let n = 2; used.has(given) || (given !== name && own.has(given)); n += 1) {
      given = `${name.slice(0, at)} (${n})${name.slice(at)}`;
    }
    used.add(given);
    return given;
  });
}
