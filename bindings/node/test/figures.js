// Prints how long loading the package and an empty call take: `tests/node/run --figures`.
const begun = performance.now();
const { Host } = await import('mitt-node');
const loaded = performance.now();
const host = new Host({ bundled: false, cache: false });
host.tool({ name: 'my__nothing' }, () => null);
const session = host.session();
await session.call('my__nothing');
const called = performance.now();

/** Returns the median time of one of `count` calls, in microseconds. */
async function median(count, call) {
  const times = [];
  for (let n = 0; n < count; n += 1) {
    const before = performance.now();
    await call();
    times.push(performance.now() - before);
  }
  return times.sort((a, b) => a - b)[count >> 1] * 1000;
}

let inside = 0;
const tool = await median(900, async () => {
  inside += (await session.call('my__nothing')).usage.duration_us / 900;
});
const state = await median(900, async () => session.state());
const refused = await median(900, () => session.call('my__none').catch(() => {}));
console.log(`import: ${(loaded - begun).toFixed(1)} ms`);
console.log(`host, session and first call: ${(called - loaded).toFixed(1)} ms`);
console.log(`a call of an empty tool in JavaScript (Node, Mitt, Node, Mitt, Node): ${tool.toFixed(0)} µs, of which Mitt counts ${inside.toFixed(0)} µs`);
console.log(`a call that is refused, without a sandbox (Node, Mitt, Node): ${refused.toFixed(0)} µs`);
console.log(`the state of a session, on the thread of JavaScript: ${state.toFixed(0)} µs`);
