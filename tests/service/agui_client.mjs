// Drives `mitt serve` with the unchanged npm package `@ag-ui/client` 1.0. The model is `mock_model.py`.
//
//     node agui_client.mjs BASE_URL [KEY]
//
// One line for each check; the exit code is 1 if one failed. Run it in a folder in which the package is installed.

import { HttpAgent } from "@ag-ui/client";

const [base, key] = process.argv.slice(2);
if (!base) {
  console.error("usage: agui_client.mjs BASE_URL [KEY]");
  process.exit(2);
}

// The client warns about everything that its protocol does not know.
const warnings = [];
console.warn = (...words) => warnings.push(words.join(" "));
// It prints errors that it also throws.
console.error = () => {};

let failed = 0;
async function check(name, run) {
  const before = warnings.length;
  try {
    await run();
    equal(warnings.slice(before), [], "warnings");
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}: ${error?.message ?? error}`);
  }
}

function equal(found, expected, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: expected ${b}, got ${a}`);
}

function truth(condition, what) {
  if (!condition) throw new Error(what);
}

let ids = 0;
const id = (prefix) => `${prefix}-${process.pid}-${Date.now()}-${(ids += 1)}`;

function agent(threadId = id("thread"), headers = key ? { Authorization: `Bearer ${key}` } : {}) {
  return new HttpAgent({ url: `${base}/v1/ag-ui`, threadId, headers, initialState: { page: "mine" } });
}

function ask(one, content) {
  one.addMessage({ id: id("message"), role: "user", content });
}

/// Runs an agent, and returns its events with what the client made of them.
async function follow(one, parameters = {}) {
  const events = [];
  const result = await one.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) });
  return { ...result, events, last: events.at(-1) };
}

const kinds = (events, kind) => events.filter((event) => event.type === kind);
const text = (messages) => messages.filter((it) => it.role === "assistant" && it.content).map((it) => it.content);

await check("text is streamed into one message", async () => {
  const one = agent();
  ask(one, "[slow 4]");
  const { events, last, newMessages, result } = await follow(one);
  equal(events[0].type, "RUN_STARTED", "first event");
  equal(events[0].protocolVersion, "1.0", "version");
  equal(last.type, "RUN_FINISHED", "last event");
  equal(last.outcome.type, "success", "outcome");
  truth(kinds(events, "TEXT_MESSAGE_CONTENT").length > 1, "the text came in one piece");
  equal(text(newMessages).map((it) => it.trim()), ["slow 1 slow 2 slow 3 slow 4"], "messages");
  equal(result.text.trim(), "slow 1 slow 2 slow 3 slow 4", "result");
  truth(last.usage[0].totalTokens > 0, "no usage");
  equal(one.state.page, "mine", "the page's own state");
  truth(one.state.mitt.run.startsWith("run_"), "no run in the state");
});

await check("a thread is one run with several instructions", async () => {
  const one = agent();
  ask(one, "[say first]");
  await follow(one);
  const run = one.state.mitt.run;
  ask(one, "[say second]");
  const { newMessages } = await follow(one);
  equal(text(newMessages), ["second"], "messages");
  equal(one.state.mitt.run, run, "run");
});

await check("a tool of Mitt is called and has its result", async () => {
  const one = agent();
  ask(one, "[python] print(6 * 7)");
  const { events, newMessages, last } = await follow(one);
  const [start] = kinds(events, "TOOL_CALL_START");
  equal(start.toolCallName, "python__run", "tool");
  const tool = newMessages.find((it) => it.role === "tool");
  equal(tool.toolCallId, start.toolCallId, "call");
  truth(tool.content.includes("42"), `the result is ${tool.content}`);
  const caller = newMessages.find((it) => it.toolCalls?.length);
  equal(JSON.parse(caller.toolCalls[0].function.arguments), { code: "print(6 * 7)" }, "arguments");
  truth(text(newMessages).at(-1).startsWith("done: "), "no answer");
  equal(last.outcome, { type: "success" }, "outcome");
});

await check("a delivered file has a link in event, state, message and result", async () => {
  const one = agent();
  ask(one, "[python] import excel_tool\nexcel_tool.create_excel([{'a': 1}], filename='numbers.xlsx')");
  const { events, newMessages, result } = await follow(one);
  const file = kinds(events, "CUSTOM").find((it) => it.name === "mitt.file")?.value;
  truth(file, "no event `mitt.file`");
  equal(file.name, "numbers.xlsx", "name");
  equal(one.state.mitt.files.map((it) => it.name), ["numbers.xlsx"], "state");
  equal(result.files.map((it) => it.name), ["numbers.xlsx"], "result");
  truth(text(newMessages).at(-1).includes(`](${base}/`), "no link in the message");
  // The link needs no key.
  const answer = await fetch(file.url);
  const content = Buffer.from(await answer.arrayBuffer());
  equal([answer.status, content.length, content.toString("latin1", 0, 2)], [200, file.size, "PK"], "content");
});

await check("a document of a message is read", async () => {
  const one = agent();
  const value = Buffer.from("a,b\n1,2\n").toString("base64");
  const source = { type: "data", value, mimeType: "text/csv" };
  ask(one, [
    { type: "text", text: "[say read]" },
    { type: "document", source, metadata: { filename: "table.csv" } },
  ]);
  await follow(one);
  equal(one.state.mitt.documents.map((it) => it.name), ["table.csv"], "state");
});

const pageTool = {
  name: "page_tool",
  description: "Asks the page.",
  parameters: { type: "object", properties: { a: { type: "integer" } } },
};

await check("a tool of the page goes there and back", async () => {
  const one = agent();
  ask(one, '[function page_tool {"a": 1}]');
  const first = await follow(one, { tools: [pageTool] });
  const call = one.messages.flatMap((it) => it.toolCalls ?? []).at(-1);
  equal(call.function.name, "page_tool", "tool");
  equal(JSON.parse(call.function.arguments), { a: 1 }, "arguments");
  equal(first.last.outcome, { type: "success", pendingToolCallIds: [call.id] }, "outcome");
  one.addMessage({ id: id("message"), role: "tool", toolCallId: call.id, content: "seven" });
  const second = await follow(one, { tools: [pageTool] });
  truth(text(second.newMessages).at(-1).startsWith("done: seven"), JSON.stringify(second.newMessages));
  equal(kinds(second.events, "TOOL_CALL_RESULT").length, 0, "results that the page has");
});

await check("a thread whose tools change keeps its documents", async () => {
  const one = agent();
  const value = Buffer.from("a,b\n1,2\n").toString("base64");
  const source = { type: "data", value, mimeType: "text/csv" };
  ask(one, [{ type: "text", text: "[say read]" }, { type: "document", source, metadata: { filename: "table.csv" } }]);
  await follow(one);
  const run = one.state.mitt.run;
  ask(one, '[function page_tool {"a": 2}]');
  const { last } = await follow(one, { tools: [pageTool] });
  equal(last.outcome.pendingToolCallIds?.length, 1, "calls of the page");
  truth(one.state.mitt.run !== run, "the run has the old tools");
  equal(one.state.mitt.documents.map((it) => it.name), ["table.csv"], "documents");
});

await check("a plan under review is an interrupt", async () => {
  const forwardedProps = { mitt: { options: { plan: { review: true, attempts: 0 } } } };
  const one = agent();
  ask(one, "Count to three by a plan.");
  const first = await follow(one, { forwardedProps });
  equal(first.last.outcome.type, "interrupt", "outcome");
  const [interrupt] = one.pendingInterrupts;
  equal(interrupt.reason, "plan_review", "reason");
  equal(one.state.mitt.plan?.steps?.length, 1, "steps in the state");
  const resume = [{ interruptId: interrupt.id, status: "resolved", payload: { decision: "accept" } }];
  const second = await follow(one, { forwardedProps, resume });
  equal(second.last.type, "RUN_FINISHED", "last event");
  equal(second.last.outcome, { type: "success" }, "outcome");
  equal(one.pendingInterrupts, [], "interrupts");
  truth(kinds(second.events, "STEP_STARTED").length > 0, "no step");
});

await check("an interrupt that is cancelled is a rejection", async () => {
  const forwardedProps = { mitt: { options: { plan: { review: true, attempts: 0 } } } };
  const one = agent();
  ask(one, "Count to four by a plan.");
  await follow(one, { forwardedProps });
  const resume = one.pendingInterrupts.map((it) => ({ interruptId: it.id, status: "cancelled" }));
  const second = await follow(one, { forwardedProps, resume });
  // The model makes another plan, or the run ends.
  truth(["RUN_FINISHED", "RUN_ERROR"].includes(second.last.type), second.last.type);
});

await check("a second request with the same run returns the same events", async () => {
  const one = agent();
  ask(one, "[say again]");
  const runId = id("run");
  const first = await follow(one, { runId });
  const other = agent(one.threadId);
  other.setMessages([one.messages[0]]);
  const second = await follow(other, { runId });
  equal(second.newMessages, first.newMessages, "messages");
  equal(second.result, first.result, "result");
});

await check("a failing model is a RUN_ERROR", async () => {
  const one = agent();
  ask(one, "[fail]");
  const events = [];
  await one.runAgent({}, { onEvent: ({ event }) => void events.push(event) }).catch(() => {});
  equal(events.at(-1).type, "RUN_ERROR", "last event");
  truth(events.at(-1).code, "no code");
});

await check("a request without anything new is refused with a reason", async () => {
  const problem = await agent().runAgent().then(
    () => null,
    (error) => error,
  );
  equal(problem?.status, 422, "status");
  truth(String(problem.message).includes("nothing_new"), problem.message);
});

if (key) {
  await check("a wrong token is refused", async () => {
    const one = agent(undefined, { Authorization: "Bearer wrong" });
    ask(one, "[say no]");
    const problem = await one.runAgent().then(
      () => null,
      (error) => error,
    );
    equal(problem?.status, 401, "status");
  });
}

process.exit(failed ? 1 : 0);
