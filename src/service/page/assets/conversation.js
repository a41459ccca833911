// Shows a run as a conversation: instructions, answers, what was done, questions, and delivered files.
import { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./viewer/ui.js";
import { t, plural, language, formatBytes, formatDuration, formatNumber } from "./viewer/i18n_core.js";
import { Markdown, visibleText } from "./viewer/markdown.js";
import { post } from "./api.js";
import { openFile, useStore } from "./store.js";
import { announce } from "./dialog.js";
import { Icon, fileIcon } from "./icons.js";
import { Notice, problemTitle, problemWay, prose } from "./notices.js";
import { AgentGroup, CopyButton, toolTitle, WorkGroup } from "./calls.js";
import { PlanView } from "./plan.js";
import { QuestionCard } from "./questions.js";
import { NumberSources } from "./numbers.js";
import { summaryLine } from "./uploads.js";
import { compose } from "./composer.js";
import { queuedMessages, sendMessage, settleMessages } from "./drafts.js";

/** Time in milliseconds without an event after which a person is told that the model is slow. */
const SLOW_MS = 20_000;
/** Distance in pixels from the end within which a reader counts as being at the end. */
const NEAR_END = 80;
/** Shortest time in milliseconds between two announcements of new sentences. */
const SPEAK_MS = 2_000;
/** Longest instruction in characters that is shown unfolded. */
const LONG_INSTRUCTION = 1_200;

const ACTIVE = new Set(["queued", "running", "waiting"]);

/** Returns the element that scrolls what is shown in `element`. */
function scrollerOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const { overflowY } = getComputedStyle(at);
    if (overflowY === "auto" || overflowY === "scroll") return at;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** Returns Markdown as a screen reader shall read it. */
function spoken(text) {
  return text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/!?\[([^\]]*)\]\([^)]*\)/g,
    "$1").replace(/^[ \t]*(?:[#>*+-]+|\d+[.)])[ \t]+/gm, "")
    .replace(/[*_`~|]+/g, " ").replace(/[ \t]+/g, " ").trim();
}

/**
 * Announces an answer sentence by sentence while it arrives. What was there before is not announced.
 * @param {any} state
 */
function useAnnouncements(state) {
  const memory = useRef({ run: "", key: "", at: 0, last: 0, status: "" });
  useEffect(() => {
    const said = memory.current;
    const id = state.run.id;
    const turn = state.turns[state.turns.length - 1];
    const item = turn?.items.findLast((it) => it.type === "text");
    if (said.run !== id) {
      Object.assign(said, { run: id, key: item?.key ?? "", at: item?.text.length ?? 0, last: 0, status: state.status });
      return;
    }
    const now = performance.now();
    if (item && item.key !== said.key) Object.assign(said, { key: item.key, at: 0 });
    if (item && item.text.length > said.at && (item.done || now - said.last >= SPEAK_MS)) {
      const rest = item.text.slice(said.at);
      const ends = [...rest.matchAll(/[.!?。！？](?=\s|$|[\u3000-\u9fff])|\n/g)];
      const end = item.done ? rest.length : ends.length ? ends[ends.length - 1].index + 1 : 0;
      const text = spoken(rest.slice(0, end));
      said.at += end;
      if (text) {
        said.last = now;
        announce(text);
      }
    }
    if (state.status !== said.status) {
      said.status = state.status;
      if (!ACTIVE.has(state.status)) {
        const files = turn?.items.filter((it) => it.type === "file").length ?? 0;
        const name = state.status === "completed" ? t("conversation.done") : t(`conversation.ended_${state.status}`);
        setTimeout(() => announce(files ? `${name}. ${plural("conversation.files", files)}` : name), SPEAK_MS);
      }
    }
  }, [state.version]);
}

/**
 * Shows the turns of a run.
 * @param {object} props
 * @param {any} props.run the run or its identifier
 * @param {any} props.state its state
 * @param {(name: string) => void} [props.onOpenFile] is called with a delivered file that a person opens
 * @param {(place: {kind: "file"|"document", name: string, sheet?: number, row?: number, column?: number, page?:
 *   number, offset?: number}) => void} [props.onOpenPlace]
 */
export function Conversation({ run, state, onOpenFile, onOpenPlace }) {
  const id = typeof run === "string" ? run : run?.id ?? state.run.id;
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [isAtEnd, setAtEnd] = useState(true);
  const atEnd = useRef(true);
  const [number, setNumber] = useState(/** @type {{value: string, anchor: HTMLElement} | null} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState("");
  const queue = useStore(queuedMessages).filter((it) => it.run === id);
  const isActive = ACTIVE.has(state.status);
  useAnnouncements(state);

  // The scroll position follows the end only while the reader is there.
  useEffect(() => {
    const scroller = root.current ? scrollerOf(root.current) : null;
    if (!scroller) return undefined;
    const target = scroller === document.scrollingElement ? window : scroller;
    const look = () => {
      const near = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END;
      atEnd.current = near;
      setAtEnd(near);
    };
    target.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(root.current);
    return () => {
      target.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [id]);
  const toEnd = (behavior = /** @type {ScrollBehavior} */ ("auto")) => {
    const scroller = root.current ? scrollerOf(root.current) : null;
    scroller?.scrollTo({ top: scroller.scrollHeight, behavior });
  };
  const shownRun = useRef("");
  useLayoutEffect(() => {
    const isNew = shownRun.current !== id;
    shownRun.current = id;
    if (isNew) atEnd.current = true;
    if (isNew || atEnd.current) toEnd();
  }, [id, state.version, queue.length]);
  // Turns of a long run are laid out after the first rendering.
  useEffect(() => {
    const timer = setTimeout(() => atEnd.current && toEnd(), 60);
    return () => clearTimeout(timer);
  }, [id]);

  const instructions = state.turns.map((it) => it.instruction);
  useEffect(() => settleMessages(id, state.turns.filter((it) => !it.isAssumed).map((it) =>
    it.instruction ?? "")), [id, instructions.length, state.version]);

  const open = useRef({ onOpenFile, onOpenPlace });
  open.current = { onOpenFile, onOpenPlace };
  const names = useMemo(() => new Map(), [id]);
  const openPlace = useCallback((place) => {
    const { kind, name, ...target } = place;
    const given = open.current;
    if (given.onOpenPlace) given.onOpenPlace(place);
    else {
      const known = Object.fromEntries(Object.entries(target).filter(([, value]) => typeof value === "number"));
      openFile({ kind, name, ...(Object.keys(known).length ? { target: known } : {}) });
    }
  }, []);
  const openNamed = useCallback((name) => {
    if (open.current.onOpenFile) open.current.onOpenFile(name);
    else openFile({ kind: "file", name });
  }, []);

  // Names of files in answers are links to them.
  const fileNames = [...state.files.map((it) => `f${it.name}`), ...state.documents.map((it) =>
    `d${it.name}`)].join("\n");
  const isReference = useMemo(() => {
    names.clear();
    for (const it of state.documents) names.set(it.name, "document");
    for (const it of state.files) names.set(it.name, "file");
    return (address) => names.has(decoded(address));
  }, [fileNames]);

  const actions = useMemo(() => ({
    number: (value, anchor) => setNumber({ value, anchor }),
    reference: (address) => {
      const name = decoded(address);
      if (names.get(name) === "document") openPlace({ kind: "document", name });
      else openNamed(name);
    },
    openFile: openNamed,
    openPlace,
    edit: (text) => compose(id, text, { isEdit: true }),
    ask: (text) => compose(id, text),
    send: async (text, name) => {
      setBusy(name);
      setProblem(null);
      try {
        await sendMessage(id, text);
      } catch (error) {
        setProblem(error);
        compose(id, text);
      } finally {
        setBusy("");
      }
    },
    goOn: async () => {
      setBusy("continue");
      setProblem(null);
      try {
        await post(`/v1/runs/${encodeURIComponent(id)}/continue`);
      } catch (error) {
        setProblem(error);
      } finally {
        setBusy("");
      }
    },
  }), [id]);

  const callTool = useCallback((wanted) => {
    const search = (items) => {
      for (const it of items) {
        if (it.type === "call" && (it.modelCall === wanted || it.call === wanted)) return it.tool;
        const below = it.type === "call" ? search(it.children) : it.type === "agent" ? search(it.items) : null;
        if (below) return below;
      }
      return null;
    };
    for (const turn of [...state.turns].reverse()) {
      const tool = search(turn.items);
      if (tool) return tool;
    }
    return null;
  }, [state]);

  const last = state.turns.length - 1;
  return html`<div ref=${root} class="c-conversation">
    ${state.turns.map((turn, index) => html`<${Turn} key=${turn.key} run=${id} turn=${turn} version=${turn.version}
      isLast=${index === last} isActive=${isActive && index === last}
      question=${index === last ? state.question?.id ?? "" : ""} busy=${index === last ? busy : ""}
        status=${index === last ? state.status : ""} isReference=${isReference} actions=${actions}
          language=${language()} />`)}
    ${isActive && state.status !== "waiting" ? html`<${Activity} state=${state} version=${state.version} />` : null}
    ${queue.map((it) => html`<div key=${it.key} class="c-instruction c-queued">
      <div class="c-bubble" dir="auto">${visibleText(it.text)}</div>
      <p class="c-muted"><${Icon} name="clock" size=${14} /> ${t(isActive ? "conversation.queued_message"
        : "conversation.queued_rest")}</p>
    </div>`)}
    ${problem ? html`<${Notice} problem=${problem} onDismiss=${() => setProblem(null)} />` : null}
    <div class="c-jump">${isAtEnd ? null : html`<button type="button" class="btn"
      onClick=${() => { toEnd("smooth"); atEnd.current = true; }}>
      <${Icon} name="arrow-down" size=${16} />${t("conversation.jump")}</button>`}</div>
    ${number ? html`<${NumberSources} run=${id} value=${number.value} anchor=${number.anchor} callTool=${callTool}
      onOpenPlace=${openPlace} onAsk=${actions.ask} onClose=${() => setNumber(null)} />` : null}
  </div>`;
}

function decoded(address) {
  try {
    return decodeURIComponent(address.replace(/^\.?\//, ""));
  } catch {
    return address;
  }
}

/** Puts items into groups: work of a model between two texts is one. */
function groupsOf(items) {
  const groups = [];
  for (const item of items) {
    if (item.type === "file" || item.type === "ended" || (item.type === "text" && item.text.trim() === "")) continue;
    if (item.type !== "call" && item.type !== "reasoning") {
      groups.push(item);
      continue;
    }
    const before = groups[groups.length - 1];
    if (before && before.type === "work") before.items.push(item);
    else groups.push({ type: "work", key: `w${item.key}`, items: [item] });
  }
  return groups;
}

/** Shows an instruction and what came of it. It is rendered again only if something in it changed. */
function Turn({ run, turn, version, isLast, isActive, question, busy, status, isReference, actions,
  language: shownLanguage }) {
  return useMemo(() => {
    const files = new Map();
    for (const it of turn.items) if (it.type === "file") files.set(it.file.name, it);
    const ended = turn.items.findLast((it) => it.type === "ended");
    const answer = turn.items.findLast((it) => it.type === "text" && it.text.trim() !== "");
    return html`<article class="c-turn" aria-label=${(turn.instruction ?? "").slice(0, 80)}>
      ${turn.instruction !== null ? html`<${Instruction} turn=${turn} version=${version} actions=${actions} />`
        : html`<${Documents} documents=${turn.documents} actions=${actions} />`}
      <${Items} items=${turn.items} run=${run} isActive=${isActive} question=${question} isReference=${isReference}
        actions=${actions} version=${version} />
      ${files.size ? html`<${Files} run=${run} files=${[...files.values()]} actions=${actions} />` : null}
      ${ended?.citations?.some((it) => it.problem) ? html`<${WrongCitations} citations=${ended.citations} />` : null}
      ${ended?.missing?.length ? html`<${Missing} kinds=${ended.missing} isLast=${isLast} busy=${busy}
        actions=${actions} />` : null}
      ${ended && !isActive ? html`<${End} turn=${turn} ended=${ended} answer=${answer} isLast=${isLast} status=${status}
        busy=${busy} actions=${actions} />` : null}
      ${!ended && isLast && !isActive && ["failed", "cancelled", "interrupted"].includes(status)
        ? html`<${Failure} status=${status} failure=${null} turn=${turn} busy=${busy} actions=${actions} />` : null}
    </article>`;
  }, [turn, version, isLast, isActive, question, busy, status, isReference, actions, shownLanguage]);
}

/** Shows items of a run or of an agent. */
function Items({ items, run, isActive, question, isReference, actions, version }) {
  const groups = groupsOf(items);
  const words = useMemo(() => ({ image: t("conversation.image"), copy: t("conversation.copy"),
    copied: t("conversation.copied") }), [language()]);
  return groups.map((group, index) => {
    const isEnd = isActive && index === groups.length - 1;
    switch (group.type) {
      case "work":
        return html`<${WorkGroup} key=${group.key} items=${group.items} isLive=${isEnd} />`;
      case "text":
        return html`<div key=${group.key} class="c-text"><${Markdown} text=${group.text} streaming=${!group.done
          && isActive} headingOffset=${2} words=${words}
          onNumber=${actions.number} onReference=${actions.reference} isReference=${isReference} /></div>`;
      case "plan":
        return html`<${PlanView} key=${group.key} item=${group} version=${version} />`;
      case "agent":
        return html`<${AgentGroup} key=${group.key} item=${group}>
          <${Items} items=${group.items} run=${run} isActive=${isActive && group.status === "running"} question=""
            isReference=${isReference} actions=${actions} version=${version} />
        <//>`;
      case "question":
        return html`<${QuestionCard} key=${group.key} run=${run} item=${group}
          isCurrent=${group.question.id === question} />`;
      case "note":
        return html`<p key=${group.key} class="c-note"><${Icon} name="info" size=${16} /> <span
          class="c-wrap">${prose(group.text)}</span></p>`;
      default:
        return null;
    }
  });
}

/** Shows what a person wrote. */
function Instruction({ turn, version, actions }) {
  const [isWhole, setWhole] = useState(false);
  const text = turn.instruction;
  const isLong = text.length > LONG_INSTRUCTION;
  const shown = isLong && !isWhole ? text.slice(0, LONG_INSTRUCTION).trimEnd() + "…" : text;
  return html`<div class="c-instruction">
    <h2 class="sr-only">${t("conversation.you")}</h2>
    <${Documents} documents=${turn.documents} version=${version} actions=${actions} />
    <div class="c-bubble" dir="auto">${visibleText(shown)}
      ${isLong ? html` <button type="button" class="c-text-button" aria-expanded=${String(isWhole)}
        onClick=${() => setWhole(!isWhole)}>${t(isWhole ? "conversation.show_less" : "conversation.more")}</button>`
          : null}
    </div>
    <div class="c-tools">
      <${CopyButton} text=${text} />
      <button type="button" class="icon-btn c-small" aria-label=${t("conversation.edit")}
        title=${t("conversation.edit")} onClick=${() => actions.edit(text)}><${Icon} name="edit" size=${16} /></button>
    </div>
  </div>`;
}

/** Shows the documents of an instruction, with what was understood of them. */
function Documents({ documents, actions }) {
  if (!documents.length) return null;
  return html`<ul class="c-documents" aria-label=${t("conversation.uploads")}>${documents.map((it) => {
    const warnings = it.summary?.warnings ?? [];
    return html`<li key=${it.name}>
      <button type="button" class="c-document" title=${warnings.length ? warnings.join("\n") : it.name}
        onClick=${() => actions.openPlace({ kind: "document", name: it.name })}>
        ${it.isReading ? html`<span class="spinner" role="img" aria-label=${t("conversation.upload_reading")}>
          </span>` : html`<${Icon} name=${fileIcon(it.name)} />`}
        <span class="c-chip-text"><span class="c-chip-name">${visibleText(it.name)}</span>
        <span class=${`c-chip-line ${warnings.length ? "warn" : ""}`}>${it.isReading ? t("conversation.upload_reading")
          : summaryLine(it.summary) || formatBytes(it.size ?? 0)}</span></span>
      </button>
    </li>`;
  })}</ul>`;
}

/** Shows the files that were delivered for an instruction. */
function Files({ run, files, actions }) {
  return html`<div class="c-files" role="group" aria-label=${plural("conversation.files", files.length)}>
    <ul>${files.map((it) => html`<${FileCard} key=${it.file.name} run=${run} item=${it} actions=${actions} />`)}</ul>
    ${files.length > 1 ? html`<a class="btn quiet c-tight c-copy"
      href=${`/v1/runs/${encodeURIComponent(run)}/files.zip`} download><${Icon} name="download"
        size=${16} />${t("conversation.file_all")}</a>` : null}
  </div>`;
}

/** Shows a delivered file with its warnings. */
function FileCard({ run, item, actions }) {
  const [isOpen, setOpen] = useState(false);
  const { file, warnings } = item;
  const kind = (/\.([A-Za-z0-9]{1,8})$/.exec(file.name)?.[1] ?? file.media_type ?? "").toUpperCase();
  const id = `c-file-${item.key}`;
  return html`<li class="c-file">
    <button type="button" class="c-file-open" title=${t("conversation.file_open", { name: file.name })}
      onClick=${() => actions.openFile(file.name)}>
      <span class="c-file-icon"><${Icon} name=${fileIcon(file.name, file.media_type)} size=${24} /></span>
      <span class="c-chip-text"><span class="c-chip-name">${visibleText(file.name)}</span>
      <span class="c-chip-line">${kind} · ${formatBytes(file.size)}</span></span>
      <span class="c-file-preview"><${Icon} name="eye" size=${16} />${t("conversation.file_preview")}</span>
    </button>
    <a class="icon-btn" href=${`/v1/runs/${encodeURIComponent(run)}/files/${encodeURIComponent(file.name)}`}
      download=${file.name}
      aria-label=${t("conversation.file_download_name", { name: file.name })} title=${t("conversation.file_download")}>
        <${Icon} name="download" /></a>
    ${warnings.length ? html`<div class="c-file-warnings">
      <button type="button" class="c-text-button warn" aria-expanded=${String(isOpen)} aria-controls=${id}
        onClick=${() => setOpen(!isOpen)}><${Icon} name="alert"
          size=${14} />${plural("conversation.warnings", warnings.length)}</button>
      ${isOpen ? html`<ul id=${id}>${warnings.map((it) => html`<li class="c-wrap">${prose(it)}</li>`)}</ul>` : null}
    </div>` : null}
  </li>`;
}

/** Returns kinds of files in words. */
function kindsText(kinds) {
  const known = ["pdf", "xlsx", "docx", "pptx", "csv"];
  const words = kinds.map((it) => {
    const name = it.toLowerCase();
    return known.includes(name) ? t(`conversation.kind_${name}`) : t("conversation.kind_other", { kind: it });
  });
  return words.join(t("conversation.and"));
}

/** Lists the citations of an answer that do not hold. */
function WrongCitations({ citations }) {
  const wrong = [...new Set(citations.map((it) => it.problem).filter(Boolean))];
  return html`<div class="c-notice warn" role="group" aria-label=${t("conversation.citations_wrong")}>
    <${Icon} name="alert" size=${20} />
    <div class="c-notice-text">
      <strong>${t("conversation.citations_wrong")}</strong>
      ${wrong.slice(0, 20).map((it) => html`<p key=${it} class="c-wrap">${visibleText(it)}</p>`)}
      ${wrong.length > 20 ? html`<p>…</p>` : null}
    </div>
  </div>`;
}

/** Says which kinds of files were asked for and not delivered. */
function Missing({ kinds, isLast, busy, actions }) {
  const text = kindsText(kinds);
  return html`<div class="c-notice warn" role="group"
    aria-label=${t("conversation.missing_one", { kinds: text.trim() })}>
    <${Icon} name="alert" size=${20} />
    <div class="c-notice-text">
      <strong>${t("conversation.missing_one", { kinds: language() === "zh" ? text : text.trim() })}</strong>
      <p>${t("conversation.missing_hint")}</p>
      ${isLast ? html`<div class="c-actions"><button type="button" class="btn" disabled=${busy !== ""}
        onClick=${() => actions.send(t("conversation.missing_text", { kinds: text }), "missing")}>${busy === "missing"
          ? html`<span class="spinner"></span>` : null}${t("conversation.missing_ask")}</button></div>` : null}
    </div>
  </div>`;
}

/** Shows how an instruction ended: failure with ways out, or the usage. */
function End({ turn, ended, answer, isLast, status, busy, actions }) {
  const isBad = ended.status !== "completed";
  return html`${isBad ? html`<${Failure} status=${ended.status} failure=${ended.failure} turn=${turn} busy=${busy}
    actions=${actions} isOver=${!isLast || status !== ended.status} />` : null}
    <footer class="c-end">
      ${answer ? html`<${CopyButton} text=${answer.text} label=${t("conversation.copy_answer")}
        class="btn quiet c-tight c-copy" ><span>${t("conversation.copy")}</span><//>` : null}
      <${Usage} usage=${ended.usage} turn=${turn} ended=${ended} />
    </footer>`;
}

/** Shows why an instruction was not followed to its end, and what a person can do. */
function Failure({ status, failure, turn, busy, actions, isOver = false }) {
  const isFailed = status === "failed";
  const code = failure?.code ?? "";
  const title = isFailed ? (failure ? problemTitle(failure) : t("conversation.ended_failed"))
    : t(`conversation.ended_${status}`);
  const way = failure && isFailed ? problemWay(failure) : isFailed ? "" : t(`conversation.ended_hint_${status}`);
  const needsSettings = ["no_model", "budget_exhausted", "budget", "blocked"].includes(code);
  return html`<div class=${`c-notice ${isFailed ? "danger" : "quiet"}`} role="group" aria-label=${title}>
    <${Icon} name=${isFailed ? "alert" : status === "cancelled" ? "stop" : "info"} size=${20} />
    <div class="c-notice-text">
      <strong>${title}</strong>
      ${failure?.message && (isFailed || status === "interrupted") ? html`<p class="c-wrap c-detail">
        ${prose(failure.message)}</p>` : null}
      ${way ? html`<p class="c-wrap c-way">${prose(way)}</p>` : null}
      ${isOver ? null : html`<div class="c-actions">
        <button type="button" class="btn primary" disabled=${busy !== ""} onClick=${actions.goOn}>${busy === "continue"
          ? html`<span class="spinner"></span>` : html`<${Icon} name="play"
            size=${16} />`}${t("conversation.continue")}</button>
        ${turn.instruction ? html`<button type="button" class="btn" disabled=${busy !== ""}
          onClick=${() => actions.send(turn.instruction, "retry")}>${busy === "retry" ? html`<span class="spinner">
            </span>` : html`<${Icon} name="refresh" size=${16} />`}${t("conversation.retry")}</button>
        <button type="button" class="btn" onClick=${() => actions.edit(turn.instruction)}><${Icon} name="edit"
          size=${16} />${t("conversation.change")}</button>` : null}
        ${needsSettings ? html`<a class="btn" href="#/settings">${t("conversation.open_settings")}</a>` : null}
      </div>`}
    </div>
  </div>`;
}

/** Shows tokens, cost and time. */
function Usage({ usage, turn, ended }) {
  if (!usage) return null;
  const parts = [];
  const tokens = (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
  if (turn.startedMs && ended.timeMs > turn.startedMs) parts.push(formatDuration(ended.timeMs - turn.startedMs));
  if (usage.turns) parts.push(plural("conversation.usage_turns", usage.turns));
  if (tokens) parts.push(t("conversation.usage_tokens", { n: formatNumber(tokens) }));
  if (typeof usage.micro_dollars === "number") {
    if (usage.micro_dollars > 0) parts.push(formatDollars(usage.micro_dollars));
    else if (tokens) parts.push(t("conversation.usage_free"));
  } else if (tokens) parts.push(t("conversation.usage_unknown"));
  const detail = tokens
    ? t("conversation.usage_detail", { input: formatNumber(usage.input_tokens ?? 0),
      cached: formatNumber(usage.cached_tokens ?? 0), output: formatNumber(usage.output_tokens ?? 0) }) : "";
  return html`<span class="c-usage" title=${detail}>${parts.join(" · ")}${detail ? html`<span
    class="sr-only"> (${detail})</span>` : null}</span>`;
}

/** Returns an amount in dollars with as many digits as tell something. */
function formatDollars(micro) {
  const dollars = micro / 1_000_000;
  return `$${dollars >= 1 ? dollars.toFixed(2) : dollars >= 0.001 ? dollars.toFixed(4).replace(/0{1,2}$/, "")
    : "<0.001"}`.replace("$<", "<$");
}

/** Says what the run does now, and whether it takes long. */
function Activity({ state, version }) {
  const [, redraw] = useState(0);
  const changed = useRef({ version: -1, at: Date.now() });
  const began = useRef(Date.now());
  if (changed.current.version !== version) changed.current = { version, at: Date.now() };
  useEffect(() => {
    const timer = setInterval(() => redraw((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const quiet = Date.now() - changed.current.at;
  const turn = state.turns[state.turns.length - 1];
  const reading = state.documents.find((it) => it.isReading);
  const call = runningCall(turn?.items ?? []);
  const text = turn?.items.findLast((it) => it.type === "text");
  const isWriting = Boolean(text && !text.done);
  const isSlow = quiet >= SLOW_MS && state.status === "running" && !reading;
  const elapsed = Date.now() - Math.min(began.current, turn?.startedMs ?? began.current);
  const line = state.status === "queued" ? t("conversation.queued")
    : reading && !call ? t("conversation.reading_document", { name: reading.name })
    : call ? toolTitle(call.tool)
    : isWriting ? t("conversation.answering")
    : turn?.items.length ? t("conversation.working") : t("conversation.empty_turn");
  return html`<div class="c-activity">
    <p><span class="spinner" aria-hidden="true"></span> <span class="c-cut">${visibleText(line)}${state.progress
      ? html`<span class="c-muted"> · ${visibleText(state.progress)}</span>` : null}</span>
      ${elapsed >= 3000 ? html`<span class="c-muted c-elapsed">
        ${formatDuration(Math.floor(elapsed / 1000) * 1000)}</span>` : null}</p>
    ${isSlow ? html`<p class="c-slow"><${Icon} name="clock" size=${16} /> ${t(call ? "conversation.slow_call"
      : "conversation.slow", { time: formatDuration(Math.floor(quiet / 1000) * 1000) })}</p>` : null}
  </div>`;
}

/** Returns the call that runs now, the innermost of the last one. */
function runningCall(items) {
  for (let index = items.length - 1; index >= 0; index--) {
    const it = items[index];
    if (it.type === "call" && it.state === "running") return runningCall(it.children) ?? it;
    if (it.type === "agent" && it.status === "running") {
      const below = runningCall(it.items);
      if (below) return below;
    }
  }
  return null;
}
