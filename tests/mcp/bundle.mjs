// Installs the bundle `.mcpb` as a client does: validates and unpacks it with the bundle's own tools, fills in the settings of a
// person, starts the program with the command that results, and does a small job with the protocol's own SDK.
//
//   bundle.mjs NODE_MODULES BUNDLE FOLDER
//
// FOLDER is empty; the bundle is unpacked there.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, bundle, folder] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x"));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { unpackExtension, getMcpConfigForManifest, validateManifest } = await load("@anthropic-ai/mcpb");
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

const extensionPath = path.join(folder, "extension");
const documents = path.join(folder, "documents");
fs.mkdirSync(documents);
fs.writeFileSync(path.join(documents, "sales.csv"), "month,amount\n2025-01,10.5\n2025-02,0.25\n");
fs.writeFileSync(path.join(documents, "words.txt"), "Zhang Wei\n");
assert(await unpackExtension({ mcpbPath: bundle, outputDir: extensionPath, silent: true }));
assert(validateManifest(path.join(extensionPath, "manifest.json")));
const manifest = JSON.parse(fs.readFileSync(path.join(extensionPath, "manifest.json")));

// Starts the program with the settings of a person, and returns a client and what the program printed.
async function start(chosen) {
  // Clients fill in the system's folders in defaults themselves.
  const systemDirs = { DOCUMENTS: documents, HOME: folder };
  const defaults = Object.entries(manifest.user_config).map(([name, setting]) => [
    name, setting.default.replace(/\$\{(\w+)\}/g, (all, folder) => systemDirs[folder] ?? all),
  ]);
  const userConfig = { ...Object.fromEntries(defaults), ...chosen };
  const config = await getMcpConfigForManifest({ manifest, extensionPath, userConfig, systemDirs, pathSeparator: path.sep });
  const text = JSON.stringify(config);
  assert(!text.includes("${"), `a setting is left open: ${text}`);
  const env = { ...process.env, ...config.env };
  const transport = new StdioClientTransport({ command: config.command, args: config.args, env, stderr: "pipe" });
  let log = "";
  transport.stderr.on("data", (data) => (log += data));
  const client = new Client({ name: "bundle-test", version: "1" });
  await client.connect(transport).catch((error) => assert.fail(`${error}\n${log}`));
  return client;
}

// As the bundle is installed, with no setting changed: files of the user's documents, results below them.
const client = await start({});
const { tools } = await client.listTools();
assert(tools.length > 0);
for (const tool of tools) {
  assert(tool.name.length <= 64, tool.name);
  assert(tool.title || tool.annotations?.title, `${tool.name} has no title`);
  assert.equal(typeof tool.annotations?.readOnlyHint, "boolean", `${tool.name} does not say whether it only reads`);
}
const added = await client.callTool({ name: "documents__add", arguments: { path: path.join(documents, "sales.csv") } });
assert(!added.isError, JSON.stringify(added));
const outside = await client.callTool({ name: "documents__add", arguments: { path: path.join(extensionPath, "README.md") } });
assert(outside.isError, "a file outside of the folder was read");
// Makes a call again as long as the server compiles what the call needs, as its hint says.
const patient = async (client, call) => {
  for (;;) {
    const result = await client.callTool(call);
    const wait = result._meta?.["mitt/error"]?.retryAfterMs;
    if (wait === undefined) return result;
    await new Promise((done) => setTimeout(done, wait));
  }
};
const text = async (client, name) => JSON.stringify(await client.readResource({ uri: `mitt://documents/${name}` }));
fs.writeFileSync(path.join(documents, "staff.csv"), "name\nZhang Wei\n");
await client.callTool({ name: "documents__add", arguments: { path: path.join(documents, "staff.csv") } });
assert((await text(client, "staff.csv")).includes("Zhang Wei"));
const code = `import excel_tool\nexcel_tool.create_excel([{"month": "2025-01", "amount": 10.5}], filename="sales.xlsx")`;
const made = await patient(client, { name: "python__run", arguments: { code, language: "python-lite" } });
assert(!made.isError, JSON.stringify(made));
assert(fs.existsSync(path.join(documents, "Mitt", "sales.xlsx")), `no file: ${JSON.stringify(made)}`);
await client.close();

// With words that a person chose.
const guarded = await start({ words: path.join(documents, "words.txt"), output: path.join(folder, "out") });
const adding = guarded.callTool({ name: "documents__add", arguments: { path: path.join(documents, "staff.csv") } });
const seen = await adding.then(() => text(guarded, "staff.csv")).catch(String);
assert(/blocked by the rule/.test(seen), `the word passed: ${seen}`);
await guarded.close();
console.log(`bundle: ${tools.length} tools, settings and words hold`);
