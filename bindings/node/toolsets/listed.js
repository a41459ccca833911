// Shared by the toolsets: tools with a function that calls them as a model sees their results.

export async function listed(session, { names } = {}) {
  const { tools } = await session.tools();
  const chosen = tools.filter(({ name }) => names === undefined || names.includes(name));
  const missing = (names ?? []).filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0) throw new Error(`there is no tool \`${missing[0]}\`; see \`session.tools()\``);
  return chosen.map((tool) => ({ ...tool, call: (input, signal) => call(session, tool.name, input, signal) }));
}

async function call(session, name, input, signal) {
  try {
    return await session.call(name, input, { signal, tables: 'model' });
  } catch (error) {
    // A model sees the message only, so that has the details and the way out, too.
    if (error.text && error.code !== 'cancelled') throw new Error(error.text, { cause: error });
    throw error;
  }
}
