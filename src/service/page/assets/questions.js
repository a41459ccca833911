// Questions of a run: may this call be made, shall this plan be carried out.
import { html, useEffect, useRef, useState } from "./viewer/ui.js";
import { t } from "./viewer/i18n_core.js";
import { visibleText } from "./viewer/markdown.js";
import { post, Problem } from "./api.js";
import { exactOf, stringifyExact } from "./exact_json.js";
import { announce } from "./dialog.js";
import { Icon } from "./icons.js";
import { Notice } from "./notices.js";
import { toolTitle } from "./calls.js";
import { needsOf } from "./plan.js";

/** Identifiers of questions that were announced already, so that this happens once. */
const announced = new Set();

/**
 * Returns the title of a question.
 * @param {any} question
 * @returns {string}
 */
export function questionTitle(question) {
  if (question.kind === "plan") return t("conversation.question_plan");
  if (question.kind === "functions") return t("conversation.question_functions");
  return t("conversation.question_approval");
}

/** Shows one argument in full. */
function Argument({ name, value }) {
  const isText = typeof value === "string";
  const text = isText ? value : stringifyExact(exactOf(value), 2);
  const isShort = text.length <= 120 && !text.includes("\n");
  return html`<div class="c-argument">
    <dt>${visibleText(name)}</dt>
    <dd>${isShort ? html`<span class="c-wrap c-value">${text === "" ? "\"\"" : visibleText(text)}</span>`
      : html`<${Whole} text=${text} label=${name} />`}</dd>
  </div>`;
}

/** Shows a whole text in a box that scrolls: what a person allows must not be cut. */
function Whole({ text, label }) {
  return html`<div class="c-box c-whole"><pre dir="ltr" tabindex="0" role="group" aria-label=${label}>
    <code>${visibleText(text)}</code></pre></div>`;
}

/**
 * Shows a question, and the answer after it was given.
 * @param {{run: string, item: {question: any, answered: {decision: string, text: string|null}|null}, isCurrent:
 *   boolean}} props
 */
export function QuestionCard({ run, item, isCurrent }) {
  const { question, answered } = item;
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [sending, setSending] = useState("");
  const [isGone, setGone] = useState(false);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const isOpen = !answered && isCurrent && !isGone;
  const title = questionTitle(question);

  useEffect(() => {
    if (!isOpen || announced.has(question.id)) return;
    announced.add(question.id);
    announce(t("conversation.question_announce", { title: question.kind === "approval" ? question.title
      || toolTitle(question.tool) : question.plan?.title ?? title }));
    // The focus moves only if nobody is writing: an Enter that was meant for a text must not answer.
    const now = document.activeElement;
    const isWriting = now instanceof HTMLTextAreaElement || now instanceof HTMLInputElement
      || now instanceof HTMLSelectElement;
    const isInDialog = Boolean(now?.closest("dialog, [role=dialog]"));
    const hasText = isWriting && "value" in now && now.value !== "";
    if (!hasText && !isInDialog) heading.current?.focus({ preventScroll: true });
    const card = heading.current?.closest(".c-question");
    const scroller = card?.closest(".scroll");
    // All of it is shown, with the buttons; if there is no room for that, its beginning.
    if (card && scroller) setTimeout(() => card.scrollIntoView({ block: card.clientHeight > scroller.clientHeight - 40
      ? "start" : "nearest" }), 80);
  }, [isOpen, question.id]);

  const answer = async (decision, more = {}) => {
    if (sending) return;
    setSending(decision);
    setProblem(null);
    try {
      await post(`/v1/runs/${encodeURIComponent(run)}/answers`, { question: question.id, decision, ...more });
      announce(answerText(question, { decision }));
    } catch (error) {
      if (error instanceof Problem && error.code === "no_such_question") setGone(true);
      else setProblem(error);
    } finally {
      setSending("");
    }
  };

  const body = question.kind === "plan"
    ? html`<${PlanReview} question=${question} isOpen=${isOpen} sending=${sending} onAnswer=${answer} />`
    : question.kind === "functions"
      ? html`<p class="c-muted">${t("conversation.question_functions_hint")}</p><ul>${(question.calls ?? []).map((it) =>
        html`<li><code>${visibleText(it.name)}</code></li>`)}</ul>`
      : html`<${Approval} question=${question} isOpen=${isOpen} sending=${sending} onAnswer=${answer} />`;
  return html`<div role="group" class=${`c-question card ${isOpen ? "open" : "answered"}`} aria-label=${title}>
    <header>
      <${Icon} name=${question.kind === "approval" ? "shield" : question.kind === "plan" ? "plan" : "code"}
        size=${22} />
      <div>
        <h3 ref=${heading} tabindex="-1">${title}</h3>
        ${isOpen && question.kind !== "functions" ? html`<p class="c-muted">${t(question.kind === "plan"
          ? "conversation.question_plan_hint" : "conversation.question_approval_hint")}</p>` : null}
      </div>
    </header>
    ${body}
    ${problem ? html`<${Notice} problem=${problem} onDismiss=${() => setProblem(null)} />` : null}
    ${answered ? html`<p class=${`c-answered ${answered.decision}`}>
      <${Icon} name=${answered.decision === "reject" ? "x-circle" : answered.decision === "withdrawn" ? "minus"
        : "check-circle"} />
      <strong>${answerText(question, answered)}</strong>
      ${answered.text ? html`<span class="c-wrap" dir="auto">${visibleText(answered.text)}</span>` : null}
    </p>` : isGone ? html`<p class="c-answered">${t("conversation.question_gone")}</p>` : null}
  </div>`;
}

/** Returns the words for an answer. */
function answerText(question, answered) {
  const { decision } = answered;
  if (decision === "withdrawn") return t("conversation.answered_none");
  const known = question.kind === "plan" ? ["accept", "reject", "change"] : ["accept", "reject"];
  if (!known.includes(decision)) return t("conversation.answered_other", { decision });
  return t(`conversation.answered_${question.kind === "plan" ? "plan_" : ""}${decision}`);
}

/** Shows the call that waits for approval, in full. */
function Approval({ question, isOpen, sending, onAnswer }) {
  const [isRejecting, setRejecting] = useState(false);
  const [reason, setReason] = useState("");
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => {
    if (!isRejecting) return;
    field.current?.focus({ preventScroll: true });
    field.current?.closest("form")?.scrollIntoView({ block: "nearest" });
  }, [isRejecting]);
  const values = question.arguments && typeof question.arguments === "object" && !Array.isArray(question.arguments)
    ? Object.entries(question.arguments) : [["", question.arguments]];
  return html`<div class="c-approval">
      <p class="c-approval-title"><strong>${visibleText(question.title || toolTitle(question.tool))}</strong> <code
        class="c-muted">${visibleText(question.tool)}</code></p>
      ${values.length ? html`<p class="c-label">${t("conversation.question_what")}</p>
        <dl>${values.map(([name, value]) => html`<${Argument} name=${name} value=${value} />`)}</dl>` : html`<p
          class="c-muted">${t("conversation.no_arguments")}</p>`}
    </div>
    ${!isOpen ? null : isRejecting ? html`<form class="c-reason"
      onSubmit=${(event) => { event.preventDefault(); onAnswer("reject", reason.trim() ? { text: reason.trim() }
        : {}); }}>
      <label for=${`c-reason-${question.id}`}>${t("conversation.question_reason")}</label>
      <textarea ref=${field} id=${`c-reason-${question.id}`} class="input" rows="2" dir="auto" value=${reason}
        onInput=${(event) => setReason(event.currentTarget.value)}></textarea>
      <div class="c-actions">
        <button type="submit" class="btn danger" disabled=${sending !== ""}>${sending ? html`<span class="spinner">
          </span>` : null}${t(reason.trim() ? "conversation.question_reject_send"
            : "conversation.question_reject")}</button>
        <button type="button" class="btn quiet" onClick=${() => setRejecting(false)}>
          ${t("conversation.question_back")}</button>
      </div>
    </form>` : html`<div class="c-actions">
      <button type="button" class="btn primary" disabled=${sending !== ""} onClick=${() => onAnswer("accept")}>
        ${sending === "accept" ? html`<span class="spinner"></span>` : html`<${Icon} name="check"
          size=${16} />`}${t("conversation.question_accept")}</button>
      <button type="button" class="btn" disabled=${sending !== ""} onClick=${() => setRejecting(true)}>
        ${t("conversation.question_reject")}</button>
    </div>`}`;
}

/** Returns a plan without the step at `index`, which no other step needs then. */
export function withoutStep(steps, index) {
  const { id } = steps[index];
  return steps.filter((_, at) => at !== index).map((it) => (it.needs?.includes(id)
    ? { ...it, needs: it.needs.filter((need) => need !== id) } : it));
}

/** Shows a plan under review, whose steps can be changed. */
function PlanReview({ question, isOpen, sending, onAnswer }) {
  const [steps, setSteps] = useState(question.plan?.steps ?? []);
  const [isRejecting, setRejecting] = useState(false);
  const [reason, setReason] = useState("");
  const [isEmptyReason, setEmptyReason] = useState(false);
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => {
    if (!isRejecting) return;
    field.current?.focus({ preventScroll: true });
    field.current?.closest("form")?.scrollIntoView({ block: "nearest" });
  }, [isRejecting]);
  useEffect(() => {
    if (isOpen) setSteps(question.plan?.steps ?? []);
  }, [question.id]);
  const plan = question.plan ?? { title: "", steps: [] };
  const shown = isOpen ? steps : plan.steps;
  const isChanged = JSON.stringify(steps) !== JSON.stringify(plan.steps);
  const isValid = steps.length > 0 && steps.every((it) => it.title.trim() !== "");
  const change = (index, fields) => setSteps(steps.map((it, at) => (at === index ? { ...it, ...fields } : it)));
  const focusLater = (selector) => requestAnimationFrame(() => {
    const element = /** @type {HTMLElement|null} */ (list.current?.querySelector(selector) ?? null);
    element?.focus();
  });
  const move = (index, by) => {
    const next = [...steps];
    const [step] = next.splice(index, 1);
    next.splice(index + by, 0, step);
    setSteps(next);
    announce(t("conversation.question_step_moved", { n: index + by + 1 }));
    focusLater(`li:nth-child(${index + by + 1}) [data-move="${by}"]:not([disabled]), li:nth-child(${index + by + 1}) [data-move]:not([disabled])`);
  };
  const remove = (index) => {
    setSteps(withoutStep(steps, index));
    announce(t("conversation.question_step_removed"));
    focusLater(`li:nth-child(${Math.min(index + 1, steps.length - 1)}) input`);
  };
  const accept = () => {
    if (!isValid) return;
    if (!isChanged) onAnswer("accept");
    else onAnswer("change", { plan: { ...plan, steps: steps.map((it) => ({ ...it, title: it.title.trim() })) } });
  };
  const reject = (event) => {
    event.preventDefault();
    if (reason.trim() === "") {
      setEmptyReason(true);
      field.current?.focus();
      return;
    }
    onAnswer("reject", { text: reason.trim() });
  };
  return html`<div class="c-review">
      <p class="c-approval-title"><strong>${visibleText(plan.title)}</strong></p>
      ${plan.thought ? html`<p class="c-muted c-wrap" dir="auto">${visibleText(plan.thought)}</p>` : null}
      <ol ref=${list} class="c-review-steps">${shown.map((step, index) => {
        const needs = needsOf(step, shown);
        const kind = html`<span class="c-muted">${step.kind === "research" || step.kind === "processing"
          ? t(`conversation.kind_${step.kind}`) : ""}${needs ? ` · ${t("conversation.step_after", { steps: needs })}`
            : ""}</span>`;
        if (!isOpen) return html`<li key=${step.id}><span class="c-step-number">${index + 1}.</span><div><strong
          class="c-wrap">${visibleText(step.title)}</strong><p class="c-wrap"
            dir="auto">${visibleText(step.description ?? "")}</p>${kind}</div></li>`;
        return html`<li key=${step.id}>
          <span class="c-step-number">${index + 1}.</span>
          <div class="c-review-fields">
            <input class="input" dir="auto" maxlength="200" value=${step.title}
              aria-label=${t("conversation.question_step_title", { n: index + 1 })}
                aria-invalid=${String(step.title.trim() === "")}
                  onInput=${(event) => change(index, { title: event.currentTarget.value })} />
            <textarea class="input" dir="auto"
              rows=${Math.min(6, Math.max(1, Math.ceil((step.description ?? "").length / 70)))} maxlength="4000"
                value=${step.description ?? ""}
                  aria-label=${t("conversation.question_step_description", { n: index + 1 })}
                    onInput=${(event) => change(index, { description: event.currentTarget.value })}></textarea>
            ${kind}
          </div>
          <div class="c-review-tools">
            <button type="button" class="icon-btn c-small" data-move="-1" disabled=${index === 0}
              aria-label=${t("conversation.question_step_up", { n: index + 1 })}
                title=${t("conversation.question_step_up", { n: index + 1 })} onClick=${() => move(index, -1)}>
                  <${Icon} name="arrow-up" size=${16} /></button>
            <button type="button" class="icon-btn c-small" data-move="1" disabled=${index === steps.length - 1}
              aria-label=${t("conversation.question_step_down", { n: index + 1 })}
                title=${t("conversation.question_step_down", { n: index + 1 })} onClick=${() => move(index, 1)}>
                  <${Icon} name="arrow-down" size=${16} /></button>
            <button type="button" class="icon-btn c-small"
              aria-label=${t("conversation.question_step_remove", { n: index + 1 })}
                title=${t("conversation.question_step_remove", { n: index + 1 })} onClick=${() => remove(index)}>
                  <${Icon} name="trash" size=${16} /></button>
          </div>
        </li>`;
      })}</ol>
      ${isOpen && steps.length === 0 ? html`<p class="c-failure">${t("conversation.question_no_steps")}</p>` : null}
    </div>
    ${!isOpen ? null : isRejecting ? html`<form class="c-reason" onSubmit=${reject}>
      <label for=${`c-reason-${question.id}`}>${t("conversation.question_plan_reason")}</label>
      <textarea ref=${field} id=${`c-reason-${question.id}`} class="input" rows="2" dir="auto" value=${reason}
        aria-invalid=${String(isEmptyReason)}
          onInput=${(event) => { setReason(event.currentTarget.value); setEmptyReason(false); }}></textarea>
      ${isEmptyReason ? html`<p class="c-failure" role="alert">${t("conversation.question_reason_wanted")}</p>` : null}
      <div class="c-actions">
        <button type="submit" class="btn primary" disabled=${sending !== ""}>${sending ? html`<span class="spinner">
          </span>` : null}${t("conversation.question_plan_send")}</button>
        <button type="button" class="btn quiet" onClick=${() => setRejecting(false)}>
          ${t("conversation.question_back")}</button>
      </div>
    </form>` : html`<div class="c-actions">
      <button type="button" class="btn primary" disabled=${sending !== "" || !isValid} onClick=${accept}>${sending
        ? html`<span class="spinner"></span>` : html`<${Icon} name="check" size=${16} />`}${t(isChanged
          ? "conversation.question_plan_change" : "conversation.question_plan_accept")}</button>
      <button type="button" class="btn" disabled=${sending !== ""} onClick=${() => setRejecting(true)}>
        ${t("conversation.question_plan_reject")}</button>
      ${isChanged ? html`<button type="button" class="btn quiet" onClick=${() => setSteps(plan.steps)}>
        ${t("conversation.question_undo")}</button>` : null}
    </div>`}`;
}
