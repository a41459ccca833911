// Shows the plan of a run with the states of its steps.
import { html, useState } from "./viewer/ui.js";
import { t } from "./viewer/i18n_core.js";
import { visibleText } from "./viewer/markdown.js";
import { Icon } from "./icons.js";
import { StateIcon } from "./calls.js";

/** Returns the numbers of the steps that a step needs, for people. */
export function needsOf(step, steps) {
  const numbers = (step.needs ?? []).map((id) => steps.findIndex((it) => it.id === id) + 1).filter((it) => it > 0);
  return numbers.sort((one, other) => one - other).join(", ");
}

function Step({ step, number, steps }) {
  const [isOpen, setOpen] = useState(false);
  const state = step.state ?? "waiting";
  const needs = needsOf(step, steps);
  const isKind = step.kind === "research" || step.kind === "processing";
  return html`<li class=${`c-step ${state}`} aria-current=${state === "running" ? "step" : undefined}>
    <button type="button" class="c-row" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>
      <${StateIcon} state=${state} label=${t(`conversation.step_${state}`)} />
      <span class="c-row-title"><span class="c-step-number">${number}.</span> ${visibleText(step.title)}</span>
      <span class="c-row-hint"></span>
      ${step.attempt > 1 ? html`<span class="badge warn">${t("conversation.step_attempt", { n: step.attempt })}</span>`
        : null}
      ${state === "failed" || state === "skipped" || state === "reflecting" ? html`<span
        class=${`badge ${state === "failed" ? "danger" : ""}`}>${t(`conversation.step_${state}`)}</span>` : null}
      <${Icon} name="chevron-right" size=${14} class="c-chevron" />
    </button>
    ${step.detail && !isOpen && (state === "failed" || state === "skipped") ? html`<p
      class=${`c-step-detail c-wrap ${state}`}>${visibleText(step.detail)}</p>` : null}
    ${isOpen ? html`<div class="c-step-body">
      ${step.description ? html`<p class="c-wrap" dir="auto">${visibleText(step.description)}</p>` : null}
      ${step.detail ? html`<p class="c-wrap c-muted">${visibleText(step.detail)}</p>` : null}
      <p class="c-muted">${isKind ? t(`conversation.kind_${step.kind}`) : ""}${step.agent ? html` · ${visibleText(step.agent)}`
        : ""}${needs ? ` · ${t("conversation.step_after", { steps: needs })}`
          : ""} · ${t(`conversation.step_${state}`)}</p>
    </div>` : null}
  </li>`;
}

/**
 * Shows a plan.
 * @param {{item: {title: string, steps: any[]}}} props
 */
export function PlanView({ item }) {
  const steps = Array.isArray(item.steps) ? item.steps : [];
  const done = steps.filter((it) => it.state === "done").length;
  return html`<div class="c-plan card" role="group" aria-label=${t("conversation.plan")}>
    <header>
      <h3><${Icon} name="plan" /> ${visibleText(item.title || t("conversation.plan"))}</h3>
      <span class="c-muted">${t("conversation.plan_progress", { done, total: steps.length })}</span>
    </header>
    <progress max=${Math.max(1, steps.length)} value=${done}
      aria-label=${t("conversation.plan_progress", { done, total: steps.length })}></progress>
    <ol class="c-tree">${steps.map((step, index) => html`<${Step} key=${step.id ?? index} step=${step}
      number=${index + 1} steps=${steps} />`)}</ol>
  </div>`;
}
