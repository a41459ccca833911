// Prints how long loading the package and an empty call take: `tests/node/run --figures`. With `--write`, the table goes into docs/node.md and
// docs/node.zh-CN.md of the folder that MITT_ROOT names.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const begun = performance.now();
const { Host, version } = await import('mitt-node');
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

const rows = [];
function row(english, chinese, value) {
  rows.push([english, chinese, value]);
  console.log(`${english}: ${value}`);
}

const before = performance.now();
const other = new Host({ mode: 'process', bundled: false, cache: false });
other.tool({ name: 'my__nothing' }, () => null);
const remote = other.session();
await remote.call('my__nothing');
const started = performance.now();

let inside = 0;
const tool = await median(900, async () => {
  inside += (await session.call('my__nothing')).usage.duration_us / 900;
});
const state = await median(900, async () => session.state());
const refused = await median(900, () => session.call('my__none').catch(() => {}));
const distant = await median(900, () => remote.call('my__nothing'));
const distantRefused = await median(900, () => remote.call('my__none').catch(() => {}));
const distantState = await median(900, async () => remote.state());
other.close();
remote.close();
row('`import` of the package', '`import` 该包', `${(loaded - begun).toFixed(1)} ms`);
row('host, session and first call', '主机、会话与首次调用', `${(called - loaded).toFixed(1)} ms`);
row('call of an empty tool in JavaScript (Node, Mitt, Node, Mitt, Node)', '调用 JavaScript 写的空工具（Node、Mitt、Node、Mitt、Node）', `${tool.toFixed(0)} µs`);
row('of which Mitt counts', '其中 Mitt 计入', `${inside.toFixed(0)} µs`);
row('call that is refused, without a sandbox (Node, Mitt, Node)', '被拒绝的调用，不进沙箱（Node、Mitt、Node）', `${refused.toFixed(0)} µs`);
row('state of a session, on the thread of JavaScript', '读取会话状态，在 JavaScript 线程上', `${state.toFixed(0)} µs`);

function rowOfProcess(english, chinese, value) {
  row(`with \`mode: 'process'\`: ${english}`, `\`mode: 'process'\`：${chinese}`, value);
}
rowOfProcess('host, session and first call', '主机、会话与首次调用', `${(started - before).toFixed(1)} ms`);
rowOfProcess('call of an empty tool in JavaScript', '调用 JavaScript 写的空工具', `${distant.toFixed(0)} µs`);
rowOfProcess('call that is refused', '被拒绝的调用', `${distantRefused.toFixed(0)} µs`);
rowOfProcess('state of a session', '读取会话状态', `${distantState.toFixed(0)} µs`);

if (process.argv.includes('--write')) {
  const [date, cores, model] = [new Date().toISOString().slice(0, 10), os.availableParallelism(), os.cpus()[0].model];
  const note = [
    `Medians. Measured on ${date} with Mitt ${version} and Node.js ${process.versions.node} on ${cores} cores of ${model}.`,
    `均为中位数。${date} 实测：Mitt ${version}，Node.js ${process.versions.node}，${model}，${cores} 核。`,
  ];
  const heads = ['| what | time |', '| 项目 | 时间 |'];
  for (const [language, page] of ['docs/node.md', 'docs/node.zh-CN.md'].entries()) {
    const file = path.join(process.env.MITT_ROOT, page);
    const [begin, end] = ['<!-- figures: node -->\n', '<!-- end of node -->'];
    const [before, rest] = fs.readFileSync(file, 'utf8').split(begin);
    const table = [heads[language], '|---|---|', ...rows.map((cells) => `| ${cells[language]} | ${cells[2]} |`)].join('\n');
    fs.writeFileSync(file, `${before}${begin}${table}\n\n${note[language]}\n${end}${rest.split(end)[1]}`);
  }
}
