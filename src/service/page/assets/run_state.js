// Builds what the page shows of a run from the run's events. Knows no views and no network.

/**
 * A call of a tool. It was requested by a model (`modelCall`) or made by a script (then it is among the `children` of
 * a call).
 * @typedef {{type: "call", key: string, version: number, call: string | null, modelCall: string | null, tool: string,
 *   agent: number | null, depth: number, arguments: string | null, result: string | null, isError: boolean,
 *   failure: any, durationMs: number | null, state: "running"|"done"|"failed", isStopped: boolean,
 *   output: {stream: string, text: string}[], children: Call[], startedMs: number | null, endedMs: number | null}} Call
 * @typedef {{type: "text"|"reasoning", key: string, version: number, turn: number, agent: number | null, text: string,
 *   done: boolean, startedMs: number, endedMs: number | null}} TextItem
 * @typedef {{id: string, title: string, description: string, kind: string, needs: string[], agent?: string | null,
 *   state: string, attempt: number, detail: string}} PlanStep
 * @typedef {{type: "plan", key: string, version: number, number: number, title: string, steps: PlanStep[]}} PlanItem
 * @typedef {{type: "agent", key: string, version: number, id: number, parent: number | null, name: string, task:
 *   string,
 *   status: string, failure: string | null, items: Item[], startedMs: number, endedMs: number | null}} AgentItem
 * @typedef {{type: "question", key: string, version: number, question: any,
 *   answered: {decision: string, text: string | null} | null}} QuestionItem
 * @typedef {{type: "file", key: string, version: number, agent: number | null, file: any, warnings: string[]}} FileItem
 * @typedef {{type: "note", key: string, version: number, text: string}} NoteItem
 * @typedef {{type: "ended", key: string, version: number, status: string, text: string | null, files: string[],
 *   missing: string[], citations: any[], failure: any, usage: any, timeMs: number}} EndedItem
 * @typedef {Call | TextItem | PlanItem | AgentItem | QuestionItem | FileItem | NoteItem | EndedItem} Item
 *
 * A document: `isReading` until it was read, and then with the summary of what was understood.
 * @typedef {{name: string, size: number, sha256: string | null, summary: any, isReading: boolean}} Document
 *
 * An instruction and what came of it. `isAssumed`: the instruction was not read from an event yet.
 * @typedef {{key: string, version: number, instruction: string | null, isAssumed: boolean, documents: Document[],
 *   items: Item[], startedMs: number | null, endedMs: number | null, isOpen: boolean}} Turn
 *
 * @typedef {{version: number, run: any, status: string, question: any, files: any[], documents: Document[], usage: any,
 *   progress: string | null, failure: any, lastNumber: number, turns: Turn[],
 *   versions: Record<string, {sha256: string, size: number, time_ms: number, url: string | undefined}[]>,
 *   calls: Map<string, Call>, agents: Map<number, AgentItem>, internal: Internal}} State
 *
 * What only this module uses: texts that grow and calls that have no result, both by agent, and the parents of items.
 * @typedef {{texts: Map<number | null, {text: TextItem | null, reasoning: TextItem | null}>,
 *   requested: Map<number | null, Map<string, Call>>, running: Map<number | null, Call[]>,
 *   parents: WeakMap<object, any>, plan: PlanItem | null, lateDocuments: Document[]}} Internal
 */

/** Statuses in which a run works or waits for a person. */
const ACTIVE = new Set(["queued", "running", "waiting"]);

/**
 * Returns `true` if events may come without a request.
 * @param {string} status
 * @returns {boolean}
 */
export function isActive(status) {
  return ACTIVE.has(status);
}

/**
 * Makes the state of a run before its first event.
 * @param {any} run the run as the server returned it
 * @param {{instruction?: string}} [options] the instruction, if this page has just sent it
 * @returns {State}
 */
export function newRunState(run, options = {}) {
  const documents = (run.documents || []).map(documentOf);
  /** @type {State} */
  const state = {
    version: 1,
    run,
    status: run.status,
    question: run.question || null,
    files: [...(run.files || [])],
    documents,
    usage: run.usage || null,
    progress: null,
    failure: run.failure || null,
    lastNumber: 0,
    turns: [],
    versions: Object.create(null),
    calls: new Map(),
    agents: new Map(),
    internal: {
      texts: new Map(),
      requested: new Map(),
      running: new Map(),
      parents: new WeakMap(),
      plan: null,
      lateDocuments: [],
    },
  };
  const turn = newTurn(state, "t0", run.created_ms ?? null);
  turn.instruction = options.instruction ?? run.title ?? null;
  turn.isAssumed = true;
  // A new run has no events yet, but its documents are known.
  if (run.status === "queued") turn.documents = [...documents];
  return state;
}

/**
 * Takes over a newer description of the run, such as after it was renamed. Events remain the source of everything they
 * say.
 * @param {State} state
 * @param {any} run
 * @returns {State}
 */
export function updateRun(state, run) {
  state.run = { ...run, status: state.lastNumber > 0 ? state.status : run.status };
  if (state.lastNumber === 0) state.status = run.status;
  // Links expire; the newer description has new ones.
  for (const file of run.files || []) {
    const known = state.files.find((it) => it.name === file.name && it.sha256 === file.sha256);
    if (known) known.url = file.url;
    for (const version of state.versions[file.name] || []) if (version.sha256 === file.sha256) version.url = file.url;
  }
  state.version += 1;
  return state;
}

/**
 * Applies an event, in place. An event that was applied before and one of an unknown type change nothing.
 * @param {State} state
 * @param {any} event
 * @returns {State}
 */
export function applyEvent(state, event) {
  if (!event || typeof event.number !== "number" || event.number <= state.lastNumber) return state;
  state.lastNumber = event.number;
  const apply = Object.hasOwn(HANDLERS, event.type) ? HANDLERS[event.type] : null;
  if (!apply) return state;
  if (event.type !== "progress" && event.type !== "usage") state.progress = null;
  apply(state, event);
  state.version += 1;
  return state;
}

/**
 * Applies events one after the other.
 * @param {State} state
 * @param {any[]} events
 * @returns {State}
 */
export function applyEvents(state, events) {
  for (const event of events) applyEvent(state, event);
  return state;
}

/**
 * Marks an item, and everything around it, as changed.
 * @param {State} state
 * @param {any} item
 */
function touch(state, item) {
  for (let at = item; at; at = state.internal.parents.get(at)) at.version += 1;
}

/** @param {State} state @param {string} key @param {number | null} time @returns {Turn} */
function newTurn(state, key, time) {
  /** @type {Turn} */
  const turn = {
    key,
    version: 1,
    instruction: null,
    isAssumed: false,
    documents: [],
    items: [],
    startedMs: time,
    endedMs: null,
    isOpen: true,
  };
  state.turns.push(turn);
  return turn;
}

/** @param {State} state @returns {Turn} */
function currentTurn(state) {
  return state.turns[state.turns.length - 1];
}

/**
 * Returns the agent or turn to whose items those of an agent are added.
 * @param {State} state
 * @param {any} event
 * @returns {Turn | AgentItem}
 */
function containerOf(state, event) {
  const id = agentOf(event);
  if (id === null) return currentTurn(state);
  const agent = state.agents.get(id);
  if (agent) return agent;
  // Its beginning is missing. What it does is shown all the same.
  return startAgent(state, event, { id, parent: null, name: "", task: "" });
}

/** @param {any} event @returns {number | null} */
function agentOf(event) {
  return typeof event.agent === "number" ? event.agent : null;
}

/**
 * Adds an item at the end of a container.
 * @template {Item} T
 * @param {State} state
 * @param {any} container
 * @param {T} item
 * @returns {T}
 */
function add(state, container, item) {
  const list = container.type === "call" ? container.children : container.items;
  list.push(item);
  state.internal.parents.set(item, container);
  touch(state, container);
  return item;
}

/** @param {any} event @param {string | number} [part] */
function base(event, part) {
  return { key: part === undefined ? `e${event.number}` : `e${event.number}.${part}`, version: 1 };
}

/** @param {any} document @returns {Document} */
function documentOf(document) {
  const { name, size, sha256 = null, summary = null } = document;
  return { name, size, sha256, summary, isReading: !summary };
}

/** @param {State} state @param {number | null} agent */
function closeTexts(state, agent, time = null) {
  const open = state.internal.texts.get(agent);
  if (!open) return;
  for (const item of [open.text, open.reasoning]) if (item) finishText(state, item, time);
  state.internal.texts.delete(agent);
}

/** @param {State} state @param {TextItem} item @param {number | null} time */
function finishText(state, item, time) {
  if (item.done) return;
  item.done = true;
  item.endedMs = time;
  touch(state, item);
}

/** @param {State} state @param {any} event @param {"text"|"reasoning"} type */
function growText(state, event, type) {
  const agent = agentOf(event);
  let open = state.internal.texts.get(agent);
  if (!open) state.internal.texts.set(agent, (open = { text: null, reasoning: null }));
  let item = open[type];
  if (!item || item.turn !== event.turn) {
    if (item) finishText(state, item, event.time_ms);
    item = add(state, containerOf(state, event), {
      type,
      ...base(event),
      turn: event.turn,
      agent,
      text: "",
      done: false,
      startedMs: event.time_ms,
      endedMs: null,
    });
    open[type] = item;
  }
  item.text += event.text;
  touch(state, item);
  // The answer begins where the reasoning ends.
  if (type === "text" && open.reasoning) finishText(state, open.reasoning, event.time_ms);
}

/**
 * @param {any} event
 * @param {string | number | undefined} part
 * @param {Partial<Call>} fields
 * @returns {Call}
 */
function newCall(event, part, fields) {
  return {
    type: "call",
    ...base(event, part),
    call: null,
    modelCall: null,
    tool: "",
    agent: agentOf(event),
    depth: 0,
    arguments: null,
    result: null,
    isError: false,
    failure: null,
    durationMs: null,
    state: "running",
    isStopped: false,
    output: [],
    children: [],
    startedMs: null,
    endedMs: null,
    ...fields,
  };
}

/** @param {State} state @param {number | null} agent @returns {Call[]} */
function runningOf(state, agent) {
  let list = state.internal.running.get(agent);
  if (!list) state.internal.running.set(agent, (list = []));
  return list;
}

/** @param {Call[]} calls @param {number} depth @returns {Call | undefined} */
function lastBelow(calls, depth) {
  let at = calls.length - 1;
  while (at >= 0 && calls[at].depth >= depth) at -= 1;
  return calls[at];
}

/**
 * Returns a list with a value at a place; at the end if the place is negative.
 * @template T
 * @param {T[]} list
 * @param {number} at
 * @param {T} value
 * @returns {T[]}
 */
function put(list, at, value) {
  const changed = [...list];
  if (at < 0) changed.push(value);
  else changed[at] = value;
  return changed;
}

/**
 * @param {State} state
 * @param {any} event
 * @param {{id: number, parent: number | null, name: string, task: string}} fields
 */
function startAgent(state, event, { id, parent, name, task }) {
  const around = (parent !== null && state.agents.get(parent)) || currentTurn(state);
  /** @type {AgentItem} */
  const item = {
    type: "agent",
    ...base(event, `a${id}`),
    id,
    parent,
    name,
    task,
    status: "running",
    failure: null,
    items: [],
    startedMs: event.time_ms,
    endedMs: null,
  };
  state.agents.set(id, item);
  for (const kept of [state.internal.texts, state.internal.requested, state.internal.running]) kept.delete(id);
  return add(state, around, item);
}

/**
 * Ends what still looks as if it went on.
 * @param {State} state
 * @param {number} time
 */
function stopEverything(state, time) {
  for (const agent of [...state.internal.texts.keys()]) closeTexts(state, agent, time);
  const stop = (/** @type {Call} */ call) => {
    if (call.state !== "running") return;
    call.state = "failed";
    call.isStopped = true;
    call.endedMs = time;
    touch(state, call);
  };
  for (const calls of state.internal.running.values()) calls.forEach(stop);
  for (const calls of state.internal.requested.values()) calls.forEach(stop);
  state.internal.running.clear();
  state.internal.requested.clear();
  for (const agent of state.agents.values()) {
    if (agent.endedMs !== null) continue;
    agent.status = "cancelled";
    agent.endedMs = time;
    touch(state, agent);
  }
  withdrawQuestion(state);
}

/** @param {State} state */
function withdrawQuestion(state) {
  const waiting = waitingQuestion(state);
  if (waiting) {
    waiting.answered = { decision: "withdrawn", text: null };
    touch(state, waiting);
  }
  state.question = null;
}

/** @param {State} state @returns {QuestionItem | null} */
function waitingQuestion(state) {
  const { items } = currentTurn(state);
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item.type === "question" && !item.answered) return item;
  }
  return null;
}

/** @param {State} state @param {string} status */
function setStatus(state, status) {
  state.status = status;
  state.run = { ...state.run, status };
}

/** @type {Record<string, (state: State, event: any) => void>} */
const HANDLERS = {
  status(state, { status }) {
    setStatus(state, status);
    if (status !== "waiting") state.question = null;
    if (status === "running") state.failure = null;
  },

  instruction(state, event) {
    const last = currentTurn(state);
    const isFirst = last.instruction === null || last.isAssumed;
    const turn = isFirst ? last : newTurn(state, base(event).key, event.time_ms);
    turn.instruction = event.text;
    turn.isAssumed = false;
    turn.isOpen = true;
    turn.endedMs = null;
    // Documents are read before the instruction that brings them.
    for (const document of state.internal.lateDocuments.splice(0)) {
      if (!turn.documents.some((it) => it.name === document.name)) turn.documents.push(document);
    }
    turn.version += 1;
    state.internal.texts.clear();
  },

  document_started(state, event) {
    putDocument(state, event, { name: event.name, size: event.size, sha256: null, summary: null, isReading: true });
  },

  document_ready(state, event) {
    putDocument(state, event, { ...documentOf(event.document), isReading: false });
  },

  turn_started(state, event) {
    closeTexts(state, agentOf(event), event.time_ms);
    currentTurn(state).isOpen = true;
  },

  text(state, event) {
    growText(state, event, "text");
  },

  reasoning(state, event) {
    growText(state, event, "reasoning");
  },

  turn_ended(state, event) {
    const agent = agentOf(event);
    const container = containerOf(state, event);
    const open = state.internal.texts.get(agent);
    if (open?.text && event.text) open.text.text = event.text;
    else if (event.text) growText(state, { ...event, number: `${event.number}t` }, "text");
    closeTexts(state, agent, event.time_ms);
    const requested = new Map();
    (event.calls || []).forEach((/** @type {any} */ call, /** @type {number} */ at) => {
      const item = newCall(event, at, { modelCall: call.id, tool: call.name, arguments: call.arguments });
      requested.set(call.id, add(state, container, item));
    });
    state.internal.requested.set(agent, requested);
  },

  call_started(state, event) {
    const agent = agentOf(event);
    const running = runningOf(state, agent);
    let item = event.model_call ? state.internal.requested.get(agent)?.get(event.model_call) : undefined;
    // A model may give two calls of a turn the same identifier.
    if (item && item.call !== null) item = undefined;
    if (!item) {
      const around = lastBelow(running, event.depth) || containerOf(state, event);
      item = add(state, around, newCall(event, undefined, { modelCall: event.model_call || null }));
    }
    item.call = event.call;
    item.tool = event.tool;
    item.depth = event.depth;
    item.startedMs = event.time_ms;
    running.push(item);
    state.calls.set(event.call, item);
    touch(state, item);
  },

  call_ended(state, event) {
    const item = state.calls.get(event.call);
    if (!item) return;
    const running = runningOf(state, item.agent);
    const at = running.indexOf(item);
    if (at >= 0) running.splice(at, 1);
    item.durationMs = event.duration_ms;
    item.failure = event.failure || null;
    item.endedMs = event.time_ms;
    item.state = item.failure || item.isError ? "failed" : "done";
    touch(state, item);
  },

  call_result(state, event) {
    const requested = state.internal.requested.get(agentOf(event));
    const item = requested?.get(event.model_call);
    if (!item) return;
    requested?.delete(event.model_call);
    item.result = event.content;
    item.isError = Boolean(event.is_error);
    item.endedMs ??= event.time_ms;
    if (item.isError) item.state = "failed";
    else if (item.state === "running") item.state = "done";
    touch(state, item);
  },

  output(state, event) {
    const item = state.calls.get(event.call);
    if (!item) return;
    const last = item.output[item.output.length - 1];
    if (last && last.stream === event.stream) last.text += event.text;
    else item.output.push({ stream: event.stream, text: event.text });
    touch(state, item);
  },

  file(state, event) {
    const { file } = event;
    add(state, currentTurn(state), {
      type: "file",
      ...base(event),
      agent: agentOf(event),
      file,
      warnings: event.warnings || [],
    });
    const at = state.files.findIndex((it) => it.name === file.name);
    state.files = put(state.files, at, file);
    const versions = state.versions[file.name] || [];
    const { sha256, size, url } = file;
    if (versions[versions.length - 1]?.sha256 !== sha256) versions.push({ sha256, size, time_ms: event.time_ms, url });
    state.versions[file.name] = versions;
  },

  question(state, event) {
    const waiting = waitingQuestion(state);
    if (waiting) {
      // A question that waited is asked again when the run goes on.
      const { items } = currentTurn(state);
      items.splice(items.indexOf(waiting), 1);
    }
    add(state, currentTurn(state), { type: "question", ...base(event), question: event.question, answered: null });
    state.question = event.question;
  },

  answered(state, event) {
    for (const turn of state.turns.slice(-2)) {
      for (const item of turn.items) {
        if (item.type !== "question" || item.question.id !== event.question) continue;
        item.answered = { decision: event.decision, text: event.text || null };
        touch(state, item);
      }
    }
    if (state.question?.id === event.question) state.question = null;
  },

  plan(state, event) {
    const known = state.internal.plan;
    const before = new Map(known && known.number === event.plan ? known.steps.map((it) => [it.id, it]) : []);
    const steps = (Array.isArray(event.steps) ? event.steps : []).map((/** @type {any} */ step) => {
      const { state: progress = "waiting", attempt = 0, detail = "" } = before.get(step.id) || {};
      return { description: "", needs: [], ...step, state: progress, attempt, detail };
    });
    if (known && known.number === event.plan && state.internal.parents.get(known) === currentTurn(state)) {
      known.title = event.title;
      known.steps = steps;
      touch(state, known);
      return;
    }
    /** @type {PlanItem} */
    const item = { type: "plan", ...base(event), number: event.plan, title: event.title, steps };
    state.internal.plan = add(state, currentTurn(state), item);
  },

  plan_step(state, event) {
    const { plan } = state.internal;
    const step = plan?.steps.find((it) => it.id === event.id);
    if (!plan || !step) return;
    step.state = event.state;
    step.attempt = event.attempt;
    step.detail = event.detail || "";
    touch(state, plan);
  },

  agent_started(state, event) {
    const { id, name, task } = event;
    const known = state.agents.get(id);
    // The events of an agent may overtake its beginning.
    if (known && known.endedMs === null && known.name === "") {
      known.name = name;
      known.task = task;
      touch(state, known);
      return;
    }
    startAgent(state, event, { id, parent: event.parent ?? null, name, task });
  },

  agent_ended(state, event) {
    const item = state.agents.get(event.id);
    if (!item) return;
    closeTexts(state, event.id, event.time_ms);
    item.status = event.status;
    item.failure = event.failure || null;
    item.endedMs = event.time_ms;
    touch(state, item);
  },

  usage(state, event) {
    state.usage = event.usage;
  },

  note(state, event) {
    if (event.text) add(state, containerOf(state, event), { type: "note", ...base(event), text: event.text });
  },

  progress(state, event) {
    state.progress = event.text;
  },

  ended(state, event) {
    stopEverything(state, event.time_ms);
    const turn = currentTurn(state);
    for (const document of state.internal.lateDocuments.splice(0)) turn.documents.push(document);
    add(state, turn, {
      type: "ended",
      ...base(event),
      status: event.status,
      text: event.text ?? null,
      files: event.files || [],
      missing: event.missing || [],
      citations: event.citations || [],
      failure: event.failure || null,
      usage: event.usage,
      timeMs: event.time_ms,
    });
    turn.isOpen = false;
    turn.endedMs = event.time_ms;
    setStatus(state, event.status);
    state.usage = event.usage || state.usage;
    state.failure = event.failure || null;
    state.run = { ...state.run, text: event.text ?? state.run.text, missing: event.missing, failure: event.failure };
  },
};

/**
 * Adds a document to the run and to the instruction that brings it, or replaces what was known of it.
 * @param {State} state
 * @param {any} event
 * @param {Document} document
 */
function putDocument(state, event, document) {
  const at = state.documents.findIndex((it) => it.name === document.name);
  state.documents = put(state.documents, at, document);
  const late = state.internal.lateDocuments.findIndex((it) => it.name === document.name);
  if (late >= 0) {
    state.internal.lateDocuments[late] = document;
    return;
  }
  for (const turn of state.turns) {
    const known = turn.documents.findIndex((it) => it.name === document.name);
    if (known < 0) continue;
    turn.documents[known] = document;
    turn.version += 1;
    return;
  }
  const last = currentTurn(state);
  if (last.instruction === null || last.isAssumed) {
    last.documents.push(document);
    last.version += 1;
  } else if (last.isOpen) {
    // It may belong to an instruction that comes next, while the last one is still being followed.
    state.internal.lateDocuments.push(document);
  } else {
    newTurn(state, base(event).key, event.time_ms).documents.push(document);
  }
}
