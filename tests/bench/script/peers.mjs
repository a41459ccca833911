// Times other programs that run JavaScript of models: `peers.mjs FOLDER`, where the folder has npm's `@ai-sdk/code-mode`, `ai`, `zod` and
// `workerd`. Prints a line of JSON for each: `{"name", "version", "milliseconds": [1+1, 100 rows, 1 000 calls]}`, medians of whole scripts.
//
// Code mode runs in this process, as in a server of its users: QuickJS in a worker thread. workerd is a server beside this process: each
// script is a new isolate of its Worker Loader, and its time includes a request over loopback.

import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv[2]);
const require = createRequire(path.join(folder, "package.json"));
const packageOf = (name) => JSON.parse(fs.readFileSync(path.join(folder, "node_modules", name, "package.json")));
const load = async (name) => {
  const { exports, main } = packageOf(name);
  const entry = exports?.["."]?.import ?? exports?.["."]?.default ?? exports?.["."] ?? main;
  return import(pathToFileURL(path.join(folder, "node_modules", name, entry?.default ?? entry)));
};

const ROWS = `const rows = Array.from({ length: 100 }, (_, n) => ({
  month: \`2024-\${String(n).padStart(3, "0")}\`, dau: 1000 + 7 * n, revenue: Math.round((12.5 * n + 3) * 100) / 100,
}));
const grown = await tools.growth({ rows, columns: ["dau", "revenue"] });
return grown.reduce((sum, row) => sum + (row.dau_growth ?? 0), 0) / grown.length;`;

const SCRIPTS = [
  ["return 1+1", 100],
  [ROWS, 100],
  ["for (let n = 0; n < 1000; n++) await tools.list({}); return 0", 5],
];

// The tool of the second script, in plain numbers.
const GROWTH = `({ rows, columns }) => rows.map((row, at) => Object.assign({ ...row }, ...columns.map((name) => ({
  [name + "_growth"]: at === 0 ? null : row[name] / rows[at - 1][name] - 1,
}))))`;

async function medians(run) {
  const all = [];
  for (const [source, runs] of SCRIPTS) {
    await run(source);
    const times = [];
    for (let n = 0; n < runs; n++) {
      const begun = performance.now();
      await run(source);
      times.push(performance.now() - begun);
    }
    all.push(times.sort((a, b) => a - b)[Math.floor(runs / 2)]);
  }
  return all;
}

function report(name, version, milliseconds) {
  console.log(JSON.stringify({ name, version, milliseconds }));
}

async function codeMode() {
  const { experimental_runCodeMode: runCodeMode } = await load("@ai-sdk/code-mode");
  const [{ tool }, { z }] = [await load("ai"), require("zod")];
  const growth = (0, eval)(GROWTH);
  const tools = {
    list: tool({ description: "", inputSchema: z.object({}), execute: async () => [] }),
    growth: tool({
      description: "",
      inputSchema: z.object({ rows: z.array(z.record(z.string(), z.any())), columns: z.array(z.string()) }),
      execute: async (input) => growth(input),
    }),
  };
  const executionPolicy = { maxBridgeRequests: 2000 };
  const run = (js) => runCodeMode({ js, tools, executionPolicy, options: { executionPolicy } });
  report("Vercel's code mode", `@ai-sdk/code-mode ${packageOf("@ai-sdk/code-mode").version} on Node.js ${process.versions.node}`, await medians(run));
}

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "main.mjs", esModule = embed "main.mjs")],
    compatibilityDate = "2026-01-01", compatibilityFlags = ["experimental"],
    bindings = [(name = "LOADER", workerLoader = ())],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

const WORKER = `import { WorkerEntrypoint } from "cloudflare:workers";
export class Tools extends WorkerEntrypoint {
  list() { return []; }
  growth(input) { return (${GROWTH})(input); }
}
let n = 0;
export default {
  async fetch(request, env, ctx) {
    const code = await request.text();
    const worker = env.LOADER.get("script " + n++, () => ({
      compatibilityDate: "2026-01-01", mainModule: "script.js", globalOutbound: null, env: { tools: ctx.exports.Tools({}) },
      modules: { "script.js": "export default { async fetch(request, { tools }) { return Response.json(await (async () => {" + code + "})()); } }" },
    }));
    return worker.getEntrypoint().fetch("http://script/");
  },
};
`;

async function workerd() {
  const program = require.resolve(`@cloudflare/workerd-${process.platform}-${process.arch === "x64" ? "64" : process.arch}/bin/workerd`);
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "workerd-"));
  fs.writeFileSync(path.join(temporary, "config.capnp"), CONFIG);
  fs.writeFileSync(path.join(temporary, "main.mjs"), WORKER);
  const arguments_ = ["serve", "--experimental", path.join(temporary, "config.capnp"), "--control-fd=3"];
  const child = spawn(program, arguments_, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  try {
    const line = await new Promise((resolve, reject) => {
      child.stdio[3].once("data", (data) => resolve(String(data)));
      child.once("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
    });
    const address = `http://127.0.0.1:${JSON.parse(line.split("\n")[0]).port}/`;
    const run = async (body) => {
      const response = await fetch(address, { method: "POST", body });
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text}`);
    };
    report("workerd, a new isolate of its Worker Loader", `workerd ${packageOf("workerd").version}`, await medians(run));
  } finally {
    child.kill();
    fs.rmSync(temporary, { recursive: true });
  }
}

for (const peer of [codeMode, workerd]) {
  try {
    await peer();
  } catch (error) {
    console.error(`skipped: ${peer.name}: ${error.message}`);
  }
}
process.exit();
