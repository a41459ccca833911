//! A plan from the instruction to the report: made, reviewed, carried out by workers, reported.
//!
//! Its progress changes in one place only ([`PlanRun::record_entry`]), by entries that are logged; workers share no state.

mod outcome;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::budget::{BudgetLimits, PlanBudget};
use super::events;
use super::gate::Gate;
use super::limits::too_long;
use super::make::Making;
use super::planner::Planner;
use super::reflect::reflect;
use super::review::PlanDecision;
use super::step::{StepResult, StepTask};
use super::task;
use crate::agent::Agent;
use crate::answer_form::AnswerForm;
use crate::log::{LogEntry, RunLog, UnknownCall};
use crate::model::{ChatModel, Cost, Usage};
use crate::plan_record::{
    Acceptance, Decided, FailedNeed, Plan, PlanEntry, PlanRecord, Reflection, ReflectionOutcome,
    Step, StepKind, StepState,
};
use crate::run_event::RunEvent;
use crate::team::{AgentMd, SharedLog, write};
use mitt::value::Json;
use mitt::{Document, Event, EventSink, Session};
use mitt_base::{Error, ErrorKind, Result, panics, text};
use serde_json::json;

/// Replaces a time that the clock cannot represent.
const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 3_600);

/// Result of a plan.
#[derive(Debug)]
#[non_exhaustive]
pub struct PlanReport {
    /// The report, in Markdown. It names the steps without a result. If the caller demanded a [form](PlanRun::demand): JSON.
    pub text: String,
    /// The value of `text`, if the caller demanded a form.
    pub output: Option<Json>,
    /// The plan with the results of its steps.
    pub record: PlanRecord,
    /// Number of turns of all models.
    pub turns: u64,
    /// Tokens of all models, if their services report them.
    pub usage: Usage,
    /// Cost of the tokens; `None` if a price is unknown.
    pub cost: Option<Cost>,
    /// Names of the delivered files.
    pub delivered: Vec<String>,
    /// What was requested and does not exist: kinds of files, and steps without a result.
    pub missing: Vec<String>,
    /// Limit that ended the plan early, if any.
    pub ended_by: Option<Error>,
}

/// Plan that is being made or carried out.
pub struct PlanRun<'a> {
    planner: &'a Planner,
    session: &'a Session,
    instruction: String,
    /// Form of the answer; `None` for a report.
    form: Option<Arc<AnswerForm>>,
    /// `true` if the caller has set the form, so that it is logged.
    is_form_set: bool,
    record: PlanRecord,
    budget: PlanBudget,
    log: Option<SharedLog>,
    is_resumed: bool,
    /// Calls of steps without a result of which it is unknown whether an earlier process made them.
    unknown: Vec<UnknownCall>,
    /// Receives every step, in addition to the session's own listener.
    sink: Option<EventSink>,
    /// Reason why the plan ended early.
    ended_by: Option<Error>,
}

/// WorkerResult worker.
enum WorkerResult {
    Attempt { step: String, result: Result<StepResult> },
    Reflection { step: String, result: Result<Reflection> },
}

impl<'a> PlanRun<'a> {
    pub(super) fn new(
        planner: &'a Planner,
        session: &'a Session,
        instruction: &str,
    ) -> PlanRun<'a> {
        let agent = planner.agent();
        let limits = agent.limits();
        let (turns, tokens, cost) = (planner.limits().turns, limits.tokens, limits.cost);
        let budget = PlanBudget::new(BudgetLimits { turns, tokens, cost }, agent.prices().clone());
        PlanRun {
            planner,
            session,
            instruction: instruction.to_owned(),
            form: None,
            is_form_set: false,
            record: PlanRecord::default(),
            budget,
            log: None,
            is_resumed: false,
            unknown: Vec::new(),
            sink: None,
            ended_by: None,
        }
    }

    pub(super) fn resumed(
        mut self,
        record: PlanRecord,
        unknown: Vec<UnknownCall>,
        form: Option<AnswerForm>,
    ) -> Result<PlanRun<'a>> {
        (self.record, self.is_resumed, self.unknown) = (record, true, unknown);
        self.form = form.map(Arc::new);
        self.record.apply(&PlanEntry::Started)?;
        self.record.number_on(self.session);
        let record = &self.record;
        let waits = |id: &str| record.step(id).is_some_and(|it| it.1.state == StepState::Waiting);
        self.unknown.retain(|call| waits(&call.step));
        Ok(self)
    }

    /// Demands a form of the answer, or `None` for a report in Markdown, which is the default of a new plan; one that is resumed
    /// keeps the form of its log. No file is made of such an answer: steps deliver files. Call it before [`PlanRun::log_to`].
    pub fn demand(&mut self, form: Option<Arc<AnswerForm>>) {
        (self.form, self.is_form_set) = (form, true);
    }

    /// Writes all further steps to a log.
    pub fn log_to(&mut self, log: RunLog) {
        self.log = Some(Arc::new(Mutex::new(log.for_plan())));
        if self.is_form_set {
            let form = self.form.as_ref().map(|form| form.output().clone());
            self.write(&LogEntry::Demanded { form });
        }
        let (text, with, images) = (self.instruction.clone(), String::new(), Vec::new());
        self.write(&if self.is_resumed {
            LogEntry::Resumed { next_table: self.session.next_table() }
        } else {
            LogEntry::User { text, with, images }
        });
        self.write(&LogEntry::Plan(PlanEntry::Started));
    }

    /// Logs the origin of a document, so that the run can be resumed with it.
    pub fn log_document(&mut self, document: &Document, path: Option<PathBuf>) {
        if let Some(log) = &self.log {
            mitt_base::lock(log).document(document, path);
        }
    }

    /// Sends every step of the plan to `sink`, in addition to the session's own listener.
    pub fn events(&mut self, sink: EventSink) {
        self.sink = Some(sink);
    }

    /// Returns the plan with its progress.
    pub fn record(&self) -> &PlanRecord {
        &self.record
    }

    /// Makes the plan, has it reviewed, runs its steps and writes the report, as far as that is left to do.
    ///
    /// Dropping the future stops all models and calls. Logged work is not repeated when the run is resumed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`] - no valid plan was made. [`ErrorKind::Denied`] - too many plans were rejected, or the agent
    /// [routes](crate::AgentBuilder::routing) and the words are small talk or a question about abilities. [`ErrorKind::Paused`] -
    /// the plan waits for a decision. [`ErrorKind::Blocked`] - a rule about content found something. A failed step is not an
    /// error, nor is a limit that is reached while steps run: the report says so. If a form is demanded, there is no such report:
    /// the limit is the error then, and so is a plan without any result, and an answer that never follows the form.
    pub async fn run(&mut self) -> Result<PlanReport> {
        events::so_far(&self.record).into_iter().for_each(|event| self.emit(event));
        for UnknownCall { step, tool } in &self.unknown {
            self.note(format!(
                "it is unknown whether the call of {tool} for the step `{step}` took effect: the work was stopped while it was made"
            ));
        }
        let done = self.run_inner().await;
        let failure = done.as_ref().err();
        let failure = failure.map(|error| (error.kind().name().to_owned(), error.to_string()));
        self.write(&LogEntry::Ended { failure });
        done
    }

    async fn run_inner(&mut self) -> Result<PlanReport> {
        if self.record.number == 0 && self.gate().is_some_and(|gate| gate.is_closed()) {
            self.route(false).await?;
        }
        while !self.record.is_accepted {
            if self.record.number == self.record.rejected.len() as u64 {
                self.make().await?;
            }
            self.review().await?;
        }
        self.carry_out().await?;
        self.report().await
    }

    async fn make(&mut self) -> Result<()> {
        let limits = self.planner.limits();
        let n_rejected = self.record.rejected.len() as u64;
        if n_rejected > limits.rejections {
            let error = Error::new(ErrorKind::Denied, format!("{n_rejected} plans were rejected"));
            return Err(error.hint("say in the instruction what is wanted, and begin anew"));
        }
        let model = self.budget.budgeted(self.planner.model_of_plans());
        let agent = self.planner.agent();
        let making = Making {
            session: self.session,
            model: model.as_ref(),
            limits,
            agents: self.planner.agents(),
            documents: agent.limits().documents.as_ref(),
        };
        let plan = making.plan(&self.instruction, &self.record.rejected);
        let time = agent.limits().time;
        let plan =
            tokio::time::timeout(time, plan).await.unwrap_or_else(|_| Err(too_long(time)))?;
        self.record_entry(PlanEntry::Made { plan })
    }

    async fn review(&mut self) -> Result<()> {
        let number = self.record.number;
        self.emit(RunEvent::PlanAsked { number });
        let decision = self.planner.review().review(&self.record.plan, number).await?;
        let decided = match decision {
            PlanDecision::Accept => Decided::Accepted,
            PlanDecision::Reject(why) => Decided::Rejected { text: why },
            PlanDecision::Change(plan) => {
                self.check(&plan)?;
                Decided::Changed { plan }
            }
            PlanDecision::Later => {
                let error = Error::new(ErrorKind::Paused, "the plan waits for a decision");
                return Err(error.hint("resume the run to accept, reject or change it"));
            }
        };
        self.record_entry(PlanEntry::Decided(decided))
    }

    /// Checks a plan that somebody changed.
    fn check(&self, plan: &Plan) -> Result<()> {
        let names: Vec<&str> = self.planner.agents().iter().map(|(name, _)| &**name).collect();
        plan.check(self.planner.limits().most_steps(), &names).map_err(|error| {
            let unsound = Error::input("the changed plan is not sound");
            error.details().iter().fold(unsound, |unsound, detail| unsound.detail(detail.as_str()))
        })
    }

    /// Runs the steps: as many concurrently as there are workers, each as soon as its needs have results.
    async fn carry_out(&mut self) -> Result<()> {
        if self.record.plan.has_enough_context {
            self.skip_waiting("the plan says that there is enough to answer from")?;
        }
        self.skip_refused().await?;
        let time = self.planner.agent().limits().time;
        // A time limit of forever becomes some decades.
        let now = Instant::now();
        let deadline = now.checked_add(time).unwrap_or(now + FOR_EVER);
        // Dropping it stops the workers.
        let mut workers = JoinSet::new();
        let mut busy = BTreeSet::new();
        loop {
            self.skip_unreachable()?;
            while busy.len() < self.planner.limits().most_workers()
                && self.begin(&mut workers, &mut busy)?
            {}
            let finished = match tokio::time::timeout_at(deadline, workers.join_next()).await {
                Ok(None) => break,
                Ok(Some(Ok(finished))) => finished,
                // The worker catches panics, and nothing else ends it.
                Ok(Some(Err(error))) => return Err(Error::bug(format!("a worker: {error}"))),
                Err(_) => {
                    self.ended_by.get_or_insert_with(|| too_long(time));
                    drop(workers);
                    self.give_up(&busy)?;
                    break;
                }
            };
            self.record_result(finished, &mut busy)?;
        }
        let why = self
            .ended_by
            .as_ref()
            .map_or_else(|| "nothing leads to it".to_owned(), Error::to_string);
        self.skip_waiting(&why)
    }

    fn gate(&self) -> Option<Gate<'a>> {
        Gate::of(self.planner.agent().router(), self.session, &self.instruction)
    }

    /// Skips the steps that write, if the routing gates refuse them.
    async fn skip_refused(&mut self) -> Result<()> {
        let is_read_only = |step: &Step| self.member(step).is_some_and(|(file, _)| file.read_only);
        let writes = |step: &Step| {
            step.kind == StepKind::Processing && !self.session.reads_only() && !is_read_only(step)
        };
        let waiting = self.record.each().filter(|(_, record)| record.state == StepState::Waiting);
        let writers: Vec<String> =
            waiting.filter(|(step, _)| writes(step)).map(|(step, _)| step.id.clone()).collect();
        let Err(refused) = self.route(!writers.is_empty()).await else { return Ok(()) };
        for step in writers {
            self.record_entry(PlanEntry::Skipped { step, reason: refused.to_string() })?;
        }
        Ok(())
    }

    /// Reports and logs the decision of the gates about the plan, and counts the cost of the small model.
    async fn route(&mut self, writes: bool) -> Result<()> {
        let Some(mut gate) = self.gate() else { return Ok(()) };
        let (passed, usage) = gate.admit(writes).await;
        self.budget.add(self.planner.agent().shared_model().name(), &usage);
        let (trace, intent) = (gate.trace().to_string(), gate.intent().name());
        self.session.note("routed", json!({ "trace": trace, "intent": intent }));
        self.emit(RunEvent::Routed { trace, intent });
        self.write(&LogEntry::Routed { trace: gate.trace().clone() });
        passed
    }

    /// Skips steps that can no longer run.
    fn skip_unreachable(&mut self) -> Result<()> {
        if self.ended_by.is_none() {
            self.ended_by = self.budget.ended();
        }
        if let Some(error) = &self.ended_by {
            let why = error.to_string();
            self.skip_waiting(&why)?;
        }
        while self.planner.limits().failed_need == FailedNeed::Skip
            && let Some((step, reason)) = self.record.hopeless()
        {
            let step = step.id.clone();
            self.record_entry(PlanEntry::Skipped { step, reason })?;
        }
        Ok(())
    }

    fn skip_waiting(&mut self, why: &str) -> Result<()> {
        let waiting = self.record.each().filter(|(_, record)| record.state == StepState::Waiting);
        let waiting: Vec<String> = waiting.map(|(step, _)| step.id.clone()).collect();
        for step in waiting {
            self.record_entry(PlanEntry::Skipped { step, reason: why.to_owned() })?;
        }
        Ok(())
    }

    /// Ends the steps that workers were busy with when they were stopped.
    fn give_up(&mut self, busy: &BTreeSet<String>) -> Result<()> {
        let why = self.ended_by.as_ref().map(Error::to_string).unwrap_or_default();
        for step in busy {
            let (step, message) = (step.clone(), why.clone());
            let state = self.record.step(&step).map(|(_, record)| record.state);
            let outcome = ReflectionOutcome::EvaluatorError;
            self.record_entry(match state {
                Some(StepState::Reflecting) => {
                    PlanEntry::Reflected { step, outcome, feedback: message }
                }
                _ => PlanEntry::Missed {
                    step,
                    kind: "limit".to_owned(),
                    message,
                    is_tried_again: false,
                },
            })?;
        }
        Ok(())
    }

    /// Gives a worker its next job. Returns whether there was one: first results without a reflection, then steps in the plan's
    /// order.
    fn begin(
        &mut self,
        workers: &mut JoinSet<WorkerResult>,
        busy: &mut BTreeSet<String>,
    ) -> Result<bool> {
        let unseen = self.record.each().find(|(step, record)| {
            record.state == StepState::Reflecting && !busy.contains(&step.id)
        });
        if let Some((step, _)) = unseen {
            busy.insert(step.id.clone());
            workers.spawn(self.reflect(step.id.clone()));
            return Ok(true);
        }
        let Some(step) = self.record.ready(self.planner.limits().failed_need) else {
            return Ok(false);
        };
        let step = step.id.clone();
        let attempt = self.attempt(&step);
        self.record_entry(PlanEntry::Begun { step: step.clone() })?;
        busy.insert(step);
        workers.spawn(attempt);
        Ok(true)
    }

    /// Makes an attempt of a step.
    fn attempt(&self, id: &str) -> impl Future<Output = WorkerResult> + use<> {
        let limits = self.planner.limits();
        let unknown = self.unknown.iter().filter(|call| call.step == id);
        let unknown: Vec<&str> = unknown.map(|call| call.tool.as_str()).collect();
        let made = self.record.step(id).map(|(step, record)| StepTask {
            session: self.session.clone(),
            agent: Arc::new(self.worker(step)),
            file: self.member(step).map(|(file, _)| file.clone()),
            step: step.clone(),
            message: task::message(step, &self.record, task::locale(&self.instruction))
                .with_unknown(&unknown),
            number: record.attempts.len() as u64 + 1,
            log: self.log.clone(),
        });
        let (runner, time, id) = (self.planner.steps(), limits.step_time, id.to_owned());
        async move {
            let result = match made {
                Some(task) => {
                    let attempt = panics::caught("a step of a plan", runner.attempt(task));
                    match tokio::time::timeout(time, attempt).await {
                        Ok(caught) => caught.and_then(|result| result),
                        Err(_) => Err(too_long(time)),
                    }
                }
                None => Err(Error::bug(format!("the plan has no step `{id}`"))),
            };
            WorkerResult::Attempt { step: id, result }
        }
    }

    /// Returns the agent for a step; its model uses the plan's budget.
    fn worker(&self, step: &Step) -> Agent {
        let agent = self.planner.agent();
        let limits = self.planner.limits();
        let model = self.member(step).and_then(|(_, model)| model.cloned());
        let model = self.budget.budgeted(model.unwrap_or_else(|| agent.shared_model()));
        let builder = agent.with(model).limits(|of| {
            (of.cost, of.time) = (None, limits.step_time.min(of.time));
            if step.kind == StepKind::Processing {
                of.script_repairs = Some(limits.script_repairs);
            }
        });
        builder.build()
    }

    /// Returns the agent that a step names, and its model if it has one of its own.
    fn member(&self, step: &Step) -> Option<(&'a AgentMd, Option<&'a Arc<dyn ChatModel>>)> {
        self.planner.member(step.agent.as_deref()?)
    }

    /// Reflects on the last result of a step.
    fn reflect(&self, id: String) -> impl Future<Output = WorkerResult> + use<> {
        let (session, time) = (self.session.clone(), self.planner.limits().step_time);
        let model = self.budget.budgeted(self.planner.model_of_reflections());
        let seen = self.record.step(&id).and_then(|(step, record)| {
            let result = record.attempts.last()?.result.as_ref()?.as_ref().ok()?;
            Some((step.clone(), result.clone()))
        });
        async move {
            let result = match &seen {
                Some((step, result)) => {
                    let reflection = reflect(&session, model.as_ref(), step, result);
                    let reflection = panics::caught("a look at a result", reflection);
                    match tokio::time::timeout(time, reflection).await {
                        Ok(caught) => caught.and_then(|reflection| reflection),
                        Err(_) => Err(too_long(time)),
                    }
                }
                None => Err(Error::bug(format!("step `{id}` has no result to look at"))),
            };
            WorkerResult::Reflection { step: id, result }
        }
    }

    fn record_result(&mut self, finished: WorkerResult, busy: &mut BTreeSet<String>) -> Result<()> {
        let entry = match finished {
            WorkerResult::Attempt { result: Err(error), .. }
            | WorkerResult::Reflection { result: Err(error), .. }
                if *error.kind() == ErrorKind::Blocked =>
            {
                return Err(error);
            }
            WorkerResult::Attempt { step, result: Ok(result) } => self.given(step, result),
            WorkerResult::Attempt { step, result: Err(error) } => self.missed(step, &error),
            WorkerResult::Reflection { step, result: Ok(reflection) } => {
                let outcome = if reflection.passed {
                    ReflectionOutcome::Passed
                } else {
                    ReflectionOutcome::Failed
                };
                PlanEntry::Reflected { step, outcome, feedback: reflection.feedback }
            }
            WorkerResult::Reflection { step, result: Err(error) } => PlanEntry::Reflected {
                step,
                outcome: ReflectionOutcome::EvaluatorError,
                feedback: error.to_string(),
            },
        };
        if let Some(step) = events::step_of(&entry) {
            busy.remove(step);
        }
        self.record_entry(entry)
    }

    fn given(&self, step: String, result: StepResult) -> PlanEntry {
        let limits = self.planner.limits();
        let n_sent_back = self.record.step(&step).map_or(0, |(_, record)| record.n_sent_back());
        let counts = match limits.attempts {
            0 => Some(Acceptance::Unchecked),
            most if n_sent_back >= most => Some(Acceptance::Forced),
            _ => None,
        };
        let text = text::truncate(result.text.trim(), limits.result_characters);
        PlanEntry::Given {
            step,
            text,
            delivered: result.delivered,
            repairs: result.repairs,
            counts,
        }
    }

    fn missed(&self, step: String, error: &Error) -> PlanEntry {
        let n_missed = self.record.step(&step).map_or(0, |(_, record)| record.n_missed());
        let has_ended = self.ended_by.is_some() || self.budget.ended().is_some();
        let is_tried_again =
            error.is_retryable() && n_missed < self.planner.limits().attempts && !has_ended;
        let message = match error.details().first() {
            Some(detail) => {
                let detail = text::shortened(&text::single_line(detail), 500);
                format!("{}: {detail}", error.message())
            }
            None => error.to_string(),
        };
        PlanEntry::Missed { step, kind: error.kind().name().to_owned(), message, is_tried_again }
    }

    /// Applies an event, logs it, and sends it to the listeners.
    fn record_entry(&mut self, entry: PlanEntry) -> Result<()> {
        self.record.apply(&entry)?;
        for event in events::events(&entry, &self.record) {
            self.emit(event);
        }
        if let Some((kind, details)) = events::note(&entry, &self.record) {
            self.session.note(kind, details);
        }
        self.write(&LogEntry::Plan(entry));
        Ok(())
    }

    fn write(&mut self, entry: &LogEntry) {
        let model = self.planner.agent().shared_model();
        let Some(log) = &self.log else { return };
        // A model may repeat secrets, such as the key of its service.
        if let Some(problem) = write(log, entry, |line| model.redacted(line)) {
            self.note(problem.render());
        }
    }

    fn note(&self, text: String) {
        self.session.note("model-note", json!({ "turn": 0, "text": text }));
        self.emit(RunEvent::ModelNote { turn: 0, text });
    }

    fn emit(&self, event: RunEvent) {
        let event = Event::from(event);
        self.session.emit(&event);
        if let Some(sink) = &self.sink {
            sink(&event);
        }
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
