// Tests of the page's state of a run: `node --test tests/page`.
import { test } from "node:test";
import assert from "node:assert/strict";
import {
  applyEvent,
  applyEvents,
  isActive,
  newRunState,
  updateRun,
} from "../../src/service/page/assets/run_state.js";
import { computedMs } from "./timing.mjs";

const RUN = { id: "run_1", status: "running", title: "Compare", documents: [], files: [], usage: {}, created_ms: 1 };

/** Numbers events from 1 and applies them to a new run. */
function after(events, run = RUN, options = {}) {
  return applyEvents(newRunState(run, options), numbered(events));
}

function numbered(events, first = 1) {
  return events.map((event, at) => ({ number: first + at, time_ms: 1000 + at, ...event }));
}

const types = (items) => items.map((it) => it.type);

test("the title stands for the instruction until its event comes", () => {
  const state = newRunState(RUN);
  assert.equal(state.turns.length, 1);
  assert.deepEqual([state.turns[0].instruction, state.turns[0].isAssumed], ["Compare", true]);
  applyEvents(state, numbered([{ type: "instruction", text: "Compare the reports" }]));
  assert.equal(state.turns.length, 1);
  assert.deepEqual([state.turns[0].instruction, state.turns[0].isAssumed], ["Compare the reports", false]);
  assert.equal(newRunState(RUN, { instruction: "whole text" }).turns[0].instruction, "whole text");
});

test("documents belong to the instruction that follows them", () => {
  const ready = { name: "a.csv", size: 4, sha256: "aa", summary: { tables: [] } };
  const state = after([
    { type: "status", status: "running" },
    { type: "document_started", name: "a.csv", size: 4 },
    { type: "progress", text: "reading a.csv: 2 rows" },
  ]);
  assert.equal(state.progress, "reading a.csv: 2 rows");
  assert.equal(state.turns[0].documents[0].isReading, true);
  applyEvents(
    state,
    numbered(
      [
        { type: "document_ready", document: ready },
        { type: "instruction", text: "one" },
        { type: "ended", status: "completed", files: [], usage: {} },
        { type: "document_started", name: "b.csv", size: 9 },
        { type: "instruction", text: "two" },
        { type: "turn_started", turn: 1 },
        { type: "document_started", name: "c.csv", size: 9 },
        { type: "instruction", text: "three, while two is followed" },
      ],
      4,
    ),
  );
  assert.equal(state.progress, null);
  assert.deepEqual(
    state.turns.map((turn) => [turn.instruction, turn.documents.map((it) => it.name)]),
    [
      ["one", ["a.csv"]],
      ["two", ["b.csv"]],
      ["three, while two is followed", ["c.csv"]],
    ],
  );
  assert.equal(state.turns[0].documents[0].isReading, false);
  assert.deepEqual(
    state.documents.map((it) => it.name),
    ["a.csv", "b.csv", "c.csv"],
  );
});

test("pieces of text become one item, and the end of the turn has the whole text", () => {
  const state = after([
    { type: "instruction", text: "x" },
    { type: "turn_started", turn: 1 },
    { type: "reasoning", turn: 1, text: "Hm" },
    { type: "reasoning", turn: 1, text: "…" },
    { type: "text", turn: 1, text: "Hel" },
    { type: "text", turn: 1, text: "lo" },
  ]);
  const [reasoning, text] = state.turns[0].items;
  assert.deepEqual([reasoning.type, reasoning.text, reasoning.done], ["reasoning", "Hm…", true]);
  assert.deepEqual([text.type, text.text, text.done], ["text", "Hello", false]);
  applyEvent(state, { number: 7, time_ms: 9, type: "turn_ended", turn: 1, text: "Hello world", calls: [] });
  assert.deepEqual([text.text, text.done], ["Hello world", true]);
  applyEvent(state, { number: 8, time_ms: 9, type: "turn_ended", turn: 2, text: "Not streamed", calls: [] });
  assert.deepEqual(types(state.turns[0].items), ["reasoning", "text", "text"]);
  assert.equal(state.turns[0].items[2].text, "Not streamed");
});

test("a call of a script belongs to the running call of lesser depth of the same agent", () => {
  const state = after([
    { type: "instruction", text: "x" },
    { type: "turn_ended", turn: 1, text: "", calls: [{ id: "m1", name: "python__run", arguments: '{"code":"1"}' }] },
    { type: "call_started", call: "1", model_call: "m1", tool: "python__run", depth: 0 },
    { type: "call_started", call: "2", tool: "report__deliver", depth: 1 },
    { type: "call_started", call: "3", tool: "pdf__print", depth: 2 },
    { type: "call_ended", call: "3", tool: "pdf__print", depth: 2, duration_ms: 5 },
    { type: "call_ended", call: "2", tool: "report__deliver", depth: 1, duration_ms: 7 },
    { type: "call_started", call: "4", tool: "table_tool__sort", depth: 1 },
    { type: "output", call: "1", stream: "stdout", text: "a" },
    { type: "output", call: "1", stream: "stdout", text: "b" },
    { type: "output", call: "1", stream: "stderr", text: "c" },
    { type: "call_ended", call: "4", tool: "table_tool__sort", depth: 1, duration_ms: 1, failure: { code: "arguments" } },
    { type: "call_ended", call: "1", tool: "python__run", depth: 0, duration_ms: 20 },
    { type: "call_result", model_call: "m1", content: "done", is_error: false },
  ]);
  const [script] = state.turns[0].items;
  assert.deepEqual(types(state.turns[0].items), ["call"]);
  assert.deepEqual([script.call, script.modelCall, script.result], ["1", "m1", "done"]);
  assert.equal(script.arguments, '{"code":"1"}');
  assert.deepEqual([script.state, script.durationMs], ["done", 20]);
  assert.deepEqual(script.output, [
    { stream: "stdout", text: "ab" },
    { stream: "stderr", text: "c" },
  ]);
  assert.deepEqual(
    script.children.map((it) => [it.tool, it.state]),
    [
      ["report__deliver", "done"],
      ["table_tool__sort", "failed"],
    ],
  );
  assert.deepEqual(
    script.children[0].children.map((it) => it.tool),
    ["pdf__print"],
  );
  assert.equal(state.calls.get("3").depth, 2);
});

test("calls of two agents are kept apart, and agents are nested", () => {
  const state = after([
    { type: "instruction", text: "x" },
    { type: "turn_ended", turn: 1, text: "", calls: [{ id: "m", name: "agents__delegate", arguments: "{}" }] },
    { type: "call_started", call: "1", model_call: "m", tool: "agents__delegate", depth: 0 },
    { type: "agent_started", id: 1, name: "researcher", task: "Look" },
    { type: "agent_started", id: 2, parent: 1, name: "reader", task: "Read" },
    { type: "turn_ended", turn: 1, agent: 2, text: "", calls: [{ id: "m", name: "document_tool__read" }] },
    { type: "call_started", agent: 2, call: "2", model_call: "m", tool: "document_tool__read", depth: 0 },
    { type: "call_started", agent: 2, call: "3", tool: "inner__tool", depth: 1 },
    { type: "text", agent: 1, turn: 1, text: "one" },
    { type: "text", agent: 2, turn: 1, text: "two" },
    { type: "agent_ended", id: 2, name: "reader", status: "done" },
    { type: "agent_ended", id: 1, name: "researcher", status: "failed", failure: "no time" },
    { type: "text", agent: 9, turn: 1, text: "an agent whose beginning is missing" },
  ]);
  const items = state.turns[0].items;
  assert.deepEqual(types(items), ["call", "agent", "agent"]);
  const [, researcher, unknown] = items;
  assert.deepEqual(types(researcher.items), ["agent", "text"]);
  assert.deepEqual([researcher.status, researcher.failure], ["failed", "no time"]);
  const [reader] = researcher.items;
  assert.deepEqual(types(reader.items), ["call", "text"]);
  assert.deepEqual([reader.items[0].call, reader.items[0].children[0].tool], ["2", "inner__tool"]);
  assert.equal(reader.items[1].text, "two");
  assert.equal(items[0].call, "1");
  assert.deepEqual([unknown.id, unknown.items[0].text], [9, "an agent whose beginning is missing"]);
});

test("identifiers of model calls may repeat from turn to turn", () => {
  const turn = (number, call) => [
    {
      type: "turn_ended",
      turn: number,
      text: "",
      calls: [{ id: "call_0", name: "a__b", arguments: `{"n":${number}}` }],
    },
    { type: "call_started", call, model_call: "call_0", tool: "a__b", depth: 0 },
    { type: "call_ended", call, tool: "a__b", depth: 0, duration_ms: 1 },
    { type: "call_result", model_call: "call_0", content: `result ${number}`, is_error: number === 2 },
  ];
  const state = after([{ type: "instruction", text: "x" }, ...turn(1, "1"), ...turn(2, "2")]);
  assert.deepEqual(
    state.turns[0].items.map((it) => [it.call, it.arguments, it.result, it.state]),
    [
      ["1", '{"n":1}', "result 1", "done"],
      ["2", '{"n":2}', "result 2", "failed"],
    ],
  );
});

test("a refused call has a result without ever having begun", () => {
  const state = after([
    { type: "turn_ended", turn: 1, text: "", calls: [{ id: "m", name: "no__such", arguments: "{}" }] },
    { type: "call_result", model_call: "m", content: "there is no tool", is_error: true },
  ]);
  const [call] = state.turns[0].items;
  assert.deepEqual([call.call, call.state, call.result], [null, "failed", "there is no tool"]);
});

test("a plan is updated in place, and another one follows it", () => {
  const step = (id, title) => ({ id, title, description: "", kind: "research", needs: [] });
  const state = after([
    { type: "plan", plan: 1, title: "P", steps: [step("s1", "Look"), step("s2", "Write")] },
    { type: "plan_step", id: "s1", state: "done", attempt: 1, detail: "ok" },
    { type: "plan_step", id: "unknown", state: "done", attempt: 1 },
    { type: "plan", plan: 1, title: "P2", steps: [step("s1", "Look"), step("s3", "Check")] },
    { type: "plan", plan: 2, title: "Q", steps: [step("s1", "Again")] },
    { type: "plan_step", id: "s1", state: "running", attempt: 2 },
  ]);
  const [first, second] = state.turns[0].items;
  assert.deepEqual([first.number, first.title, first.steps.map((it) => [it.id, it.state])], [
    1,
    "P2",
    [
      ["s1", "done"],
      ["s3", "waiting"],
    ],
  ]);
  assert.deepEqual([second.number, second.steps[0].state, second.steps[0].attempt], [2, "running", 2]);
});

test("a question waits until it is answered, and one that is asked again replaces the first", () => {
  const question = (id) => ({ kind: "approval", id, tool: "a__b", arguments: {} });
  const state = after([
    { type: "status", status: "waiting" },
    { type: "question", question: question("q1") },
    { type: "status", status: "running" },
    { type: "status", status: "waiting" },
    { type: "question", question: question("q2") },
  ]);
  assert.deepEqual(types(state.turns[0].items), ["question"]);
  assert.equal(state.question.id, "q2");
  applyEvent(state, { number: 6, time_ms: 1, type: "answered", question: "q2", decision: "reject", text: "no" });
  assert.equal(state.question, null);
  assert.deepEqual(state.turns[0].items[0].answered, { decision: "reject", text: "no" });
});

test("a file of the same name is a further version", () => {
  const file = (sha256, size) => ({ name: "__proto__.xlsx", media_type: "m", sha256, size, url: "/v1/links/x" });
  const state = after([
    { type: "file", file: file("a", 1) },
    { type: "file", file: file("b", 2), warnings: ["2 cells are empty"] },
    { type: "file", file: { ...file("c", 3), name: "__proto__" } },
  ]);
  assert.deepEqual(
    state.files.map((it) => [it.name, it.sha256]),
    [
      ["__proto__.xlsx", "b"],
      ["__proto__", "c"],
    ],
  );
  assert.deepEqual(
    state.versions["__proto__.xlsx"].map((it) => it.sha256),
    ["a", "b"],
  );
  assert.deepEqual(state.turns[0].items[1].warnings, ["2 cells are empty"]);
});

test("the end stops everything that still looks as if it went on", () => {
  const state = after([
    { type: "instruction", text: "x" },
    { type: "turn_ended", turn: 1, text: "", calls: [{ id: "m", name: "python__run", arguments: "{}" }] },
    { type: "call_started", call: "1", model_call: "m", tool: "python__run", depth: 0 },
    { type: "agent_started", id: 1, name: "a", task: "t" },
    { type: "text", agent: 1, turn: 1, text: "half a sen" },
    { type: "question", question: { kind: "approval", id: "q", tool: "t", arguments: {} } },
    { type: "status", status: "cancelled" },
    { type: "ended", status: "cancelled", files: [], usage: { turns: 1 } },
  ]);
  const [call, agent, question, ended] = state.turns[0].items;
  assert.deepEqual([call.state, call.isStopped], ["failed", true]);
  assert.deepEqual([agent.status, agent.items[0].done], ["cancelled", true]);
  assert.equal(question.answered.decision, "withdrawn");
  assert.deepEqual([ended.type, ended.status], ["ended", "cancelled"]);
  assert.deepEqual([state.status, state.run.status, state.question], ["cancelled", "cancelled", null]);
  assert.equal(isActive(state.status), false);
});

test("work that is continued goes on in the same turn", () => {
  const state = after([
    { type: "instruction", text: "x" },
    { type: "ended", status: "interrupted", files: [], usage: {} },
    { type: "status", status: "running" },
    { type: "turn_started", turn: 1 },
    { type: "text", turn: 1, text: "goes on" },
  ]);
  assert.equal(state.turns.length, 1);
  assert.deepEqual(types(state.turns[0].items), ["ended", "text"]);
  assert.equal(state.turns[0].isOpen, true);
});

test("events that were applied before and unknown types change nothing", () => {
  const events = numbered([
    { type: "instruction", text: "x" },
    { type: "text", turn: 1, text: "a" },
    { type: "some_new_type", anything: [1] },
    { type: "constructor" },
    { type: "text", turn: 1, text: "b" },
  ]);
  const state = applyEvents(newRunState(RUN), events);
  const { version } = state;
  applyEvents(state, events);
  applyEvent(state, null);
  applyEvent(state, { type: "text", turn: 1, text: "no number" });
  assert.equal(state.version, version);
  assert.equal(state.turns[0].items.length, 1);
  assert.equal(state.turns[0].items[0].text, "ab");
  assert.equal(state.lastNumber, 5);
});

test("an item and everything around it have a new version when it changes, and others have not", () => {
  const state = after([
    { type: "instruction", text: "x" },
    { type: "text", turn: 1, text: "first" },
    { type: "turn_ended", turn: 1, text: "first", calls: [{ id: "m", name: "a__b", arguments: "{}" }] },
    { type: "call_started", call: "1", model_call: "m", tool: "a__b", depth: 0 },
    { type: "call_started", call: "2", tool: "c__d", depth: 1 },
  ]);
  const [text, call] = state.turns[0].items;
  const before = [text.version, call.version, call.children[0].version, state.turns[0].version];
  applyEvent(state, { number: 6, time_ms: 1, type: "output", call: "2", stream: "stdout", text: "x" });
  const now = [text.version, call.version, call.children[0].version, state.turns[0].version];
  assert.equal(now[0], before[0]);
  for (const at of [1, 2, 3]) assert.ok(now[at] > before[at]);
  const keys = [text, call, call.children[0]].map((it) => it.key);
  assert.equal(new Set(keys).size, 3);
});

test("a newer description of the run has new links and leaves the rest to the events", () => {
  const file = { name: "a.pdf", media_type: "m", sha256: "a", size: 1, url: "/old" };
  const state = after([{ type: "file", file }, { type: "status", status: "waiting" }]);
  updateRun(state, { ...RUN, title: "Renamed", status: "running", files: [{ ...file, url: "/new" }] });
  assert.deepEqual([state.run.title, state.status, state.run.status], ["Renamed", "waiting", "waiting"]);
  assert.deepEqual([state.files[0].url, state.versions["a.pdf"][0].url], ["/new", "/new"]);
});

test("5 000 events are applied quickly", () => {
  const events = [{ type: "instruction", text: "x" }];
  for (let turn = 1; events.length < 5_000; turn += 1) {
    events.push({ type: "turn_started", turn });
    for (let at = 0; at < 20; at += 1) events.push({ type: "text", turn, text: "some words of an answer " });
    events.push({ type: "turn_ended", turn, text: "", calls: [{ id: "m", name: "python__run", arguments: "{}" }] });
    events.push({ type: "call_started", call: `c${turn}`, model_call: "m", tool: "python__run", depth: 0 });
    for (let at = 0; at < 10; at += 1) {
      events.push({ type: "call_started", call: `c${turn}.${at}`, tool: "table_tool__sort", depth: 1 });
      events.push({ type: "output", call: `c${turn}`, stream: "stdout", text: "line\n" });
      events.push({ type: "call_ended", call: `c${turn}.${at}`, tool: "table_tool__sort", depth: 1, duration_ms: 1 });
    }
    events.push({ type: "call_ended", call: `c${turn}`, tool: "python__run", depth: 0, duration_ms: 9 });
    events.push({ type: "call_result", model_call: "m", content: "ok", is_error: false });
  }
  const start = computedMs();
  const state = after(events);
  const milliseconds = computedMs() - start;
  assert.equal(state.lastNumber, events.length);
  const calls = events.filter((it) => it.model_call && it.type === "call_started");
  assert.equal(state.turns[0].items.filter((it) => it.type === "call").length, calls.length);
  assert.ok(state.turns[0].items.every((it) => it.type !== "call" || it.children.length === 10));
  assert.ok(milliseconds < 500, `${milliseconds} ms`);
});
