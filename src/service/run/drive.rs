//! Follows the instructions of a run, one after the other, in a conversation or by plans.

use std::sync::Arc;

use super::bench::{Bench, Mind};
use super::citation::run_citations;
use super::context::{End, RunContext};
use super::entry::Current;
use super::events::function_call;
use super::inbox::Wanted;
use super::spec::{AnswerDemand, OutputForm, RequiredCall};
use super::state::{Failure, Question};
use crate::store::new_id;
use mitt_agent::model::{Image, Message, ToolChoice};
use mitt_agent::plan::{PlanReport, PlanRun, Planner};
use mitt_agent::{
    AnswerForm, AnswerMismatch, Conversation, Demand, LoggedRun, LoggedStep, RunLog, RunReport,
    Speaker,
};
use mitt_base::{Error, ErrorKind, Result, panics};

/// Most bytes of the arguments of all calls of the caller's functions in a turn. They are in the record of the run.
const MAX_ARGUMENT_BYTES: usize = 1024 * 1024;

/// How the instructions of a run are followed.
pub(super) enum Way<'a> {
    /// In a conversation.
    Talk(Box<Conversation<'a>>),
    /// Each by a plan.
    Plan(&'a Planner),
}

/// What is done next.
enum Step {
    /// A new instruction is followed.
    Say(String, Vec<Image>),
    /// An instruction is continued.
    GoOn,
}

/// The work on a run.
#[derive(Clone, Copy)]
pub(super) struct Drive<'a> {
    pub(super) context: &'a RunContext,
    pub(super) bench: &'a Bench,
}

impl<'a> Drive<'a> {
    /// Returns how the instructions of the run are followed.
    ///
    /// # Errors
    ///
    /// The log is damaged or cannot be written.
    pub(super) async fn way(self) -> Result<Way<'a>> {
        let (context, session) = (self.context, &self.bench.session);
        let agent = match &self.bench.mind {
            Mind::Planner(planner) => return Ok(Way::Plan(planner)),
            Mind::Agent(agent) => agent,
        };
        let conversation = match context.log.read().await? {
            Some(logged) => {
                let mut conversation = agent.resume(session, &logged).await;
                conversation.log_to(self.continued_log(logged.length()));
                self.log_documents(&mut conversation, Some(&logged)).await;
                conversation
            }
            None => {
                let mut conversation = agent.conversation(session).await;
                conversation.log_to(self.new_log()?);
                self.log_documents(&mut conversation, None).await;
                let history = context.request.history.iter().map(|(role, text)| {
                    let speaker = match role.as_str() {
                        "assistant" => Speaker::Assistant,
                        _ => Speaker::User,
                    };
                    (speaker, text.clone())
                });
                conversation.seed(history)?;
                conversation
            }
        };
        // The current instruction is read after the conversation, so what was left over is none of it.
        drop(conversation.steer().take());
        Ok(Way::Talk(Box::new(conversation)))
    }

    /// Begins the log of the run.
    fn new_log(self) -> Result<RunLog> {
        let log = RunLog::begin(self.context.log.writer(), &self.bench.header);
        log.map(|log| self.after_files(log))
    }

    /// Continues the log of the run, which has `bytes`.
    fn continued_log(self, bytes: u64) -> RunLog {
        self.after_files(RunLog::go_on(self.context.log.writer(), bytes))
    }

    /// Makes results wait until their files are in the store: a call with a result is not made again, so nothing would deliver
    /// them once more.
    fn after_files(self, log: RunLog) -> RunLog {
        let (outbox, control) = (self.context.outbox.clone(), self.context.control.clone());
        log.after_files(move || {
            let (outbox, control) = (outbox.clone(), control.clone());
            async move { outbox.flush(&control).await }
        })
    }

    async fn log_documents(self, conversation: &mut Conversation<'_>, logged: Option<&LoggedRun>) {
        for document in self.bench.take_documents() {
            let is_logged =
                |logged: &LoggedRun| logged.documents().any(|it| it.name == document.name);
            if !logged.is_some_and(is_logged) {
                let path = Bench::path(self.context, &document).await;
                conversation.log_document(&document, path);
            }
        }
    }

    /// Follows the instructions that wait, up to the end of the last one. `None` if the run was stopped.
    pub(super) async fn follow(self, way: &mut Way<'a>, wanted: Wanted) -> Option<End> {
        let context = self.context;
        let mut step = match context.unless_stopped(self.first_step(wanted)).await? {
            Ok(Some(step)) => step,
            Ok(None) => return Some(End::default()),
            Err(failure) => return Some(self.failed(failure)),
        };
        loop {
            let end = context.unless_stopped(self.one(way, step)).await?;
            context.inbox.take_back();
            if let Way::Talk(conversation) = &mut *way {
                // Texts that came too late are in the inbox, too.
                drop(conversation.steer().take());
                self.log_documents(conversation, None).await;
            }
            if end.question.is_some() || !context.inbox.is_waiting() {
                return Some(end);
            }
            context.end_one(end.clone());
            step = match context.unless_stopped(self.next_said()).await? {
                Some(step) => step,
                // It was taken back meanwhile.
                None => return Some(end),
            };
        }
    }

    /// Returns the first step. `None` if there is nothing to do.
    async fn first_step(self, wanted: Wanted) -> Result<Option<Step>, Failure> {
        let context = self.context;
        let logged = context.log.read().await.map_err(|error| context.failure(&error))?;
        let begun = logged.as_ref().map_or(0, |run| run.instructions().count()) as u64;
        let entry = context.keeper.entry().await;
        if entry.work.current.as_ref().is_none_or(|current| begun > current.before) {
            // Those of earlier instructions, which the model has seen.
            drop(self.bench.take_pictures());
        }
        let Some(current) = entry.work.current else {
            return if wanted.goes_on && logged.is_some_and(|run| !run.is_finished()) {
                Ok(Some(Step::GoOn))
            } else {
                Ok(self.next_said().await)
            };
        };
        if begun <= current.before {
            let text = match current.inbox {
                None => context.request.instruction.clone(),
                Some(number) => {
                    let text = context.inbox.text_of(number).await;
                    text.map_err(|error| context.failure(&error))?
                }
            };
            return Ok(Some(Step::Say(text, self.bench.take_pictures())));
        }
        let is_left = !wanted.goes_on && !context.inbox.has_outputs() && context.inbox.is_waiting();
        if is_left {
            // The user says something else in place of going on.
            Ok(self.next_said().await)
        } else {
            Ok(Some(Step::GoOn))
        }
    }

    /// Takes the next instruction from the inbox, and makes it the current one.
    async fn next_said(self) -> Option<Step> {
        let context = self.context;
        let (said, before) = loop {
            if !context.inbox.is_waiting() {
                return None;
            }
            self.bench.add_waiting(context, true).await;
            let logged = context.log.read().await.ok().flatten();
            let before = logged.map_or(0, |run| run.instructions().count()) as u64;
            // One that was taken back meanwhile is not the next one any more.
            if let Some(said) = context.inbox.next() {
                break (said, before);
            }
        };
        context.inbox.clear_outputs();
        let (container, demand) = (said.container.clone(), said.demand.clone());
        let changed = context.keeper.change(|entry| {
            entry.work.current = Some(Current { inbox: Some(said.number), before });
            entry.work.container = container.or(entry.work.container.take());
            entry.work.demand = demand;
            entry.work.given.clear();
            entry.state.clear_answer();
        });
        if changed.await.is_err() {
            return std::future::pending().await;
        }
        Some(Step::Say(said.text, self.bench.take_pictures()))
    }

    /// Follows one instruction to its end.
    async fn one(self, way: &mut Way<'a>, step: Step) -> End {
        let done = match way {
            Way::Talk(conversation) => panics::caught("a run", self.talk(conversation, step)).await,
            Way::Plan(planner) => panics::caught("a run", self.plan(planner, step)).await,
        };
        match done {
            Ok(end) => end,
            Err(error) => self.failed(self.context.failure(&error)),
        }
    }

    async fn talk(self, conversation: &mut Conversation<'_>, step: Step) -> End {
        let context = self.context;
        let steering = conversation.steer();
        let inbox = context.inbox.clone();
        steering.on_read(move |_| inbox.was_read());
        context.inbox.set_steering(steering);
        if matches!(step, Step::GoOn)
            && let Err(error) = self.provide(conversation).await
        {
            return self.failed(self.context.failure(&error));
        }
        let demand = match demand_of(&context.keeper.entry().await.work.demand) {
            Ok(demand) => demand,
            Err(error) => return self.failed(context.failure(&error)),
        };
        let form = demand.form.clone();
        conversation.demand(demand);
        let done = {
            let feed = async {
                loop {
                    while context.inbox.is_waiting() {
                        self.bench.add_waiting(context, false).await;
                        if !context.inbox.give() {
                            // The queue is full: it waits for the next instruction.
                            return std::future::pending::<()>().await;
                        }
                    }
                    context.inbox.arrived.notified().await;
                }
            };
            let work = async {
                match step {
                    Step::Say(text, pictures) => {
                        conversation.say_with(&text, pictures).await.map(Some)
                    }
                    Step::GoOn => conversation.go_on().await,
                }
            };
            tokio::select! {
                biased;
                done = work => done,
                () = feed => Ok(None),
            }
        };
        match done {
            Ok(Some(report)) => self.reported(report),
            // The process ended after the end of the instruction and before that was stored.
            Ok(None) => {
                let last = conversation.messages().iter().rev().find_map(|message| match message {
                    Message::Assistant(answer) => Some(answer.text.clone()),
                    _ => None,
                });
                formed_end(form.as_deref(), last)
            }
            Err(error) => End {
                // What the model said in place of an answer in the form, for people.
                text: AnswerMismatch::of(&error).map(|it| it.text().to_owned()),
                delivered: conversation.delivered(),
                ..self.failed(self.context.failure(&error))
            },
        }
    }

    /// Gives the model the results of the caller's functions.
    async fn provide(self, conversation: &mut Conversation<'_>) -> Result<()> {
        let outputs = self.context.inbox.outputs();
        if outputs.is_empty() {
            return Ok(());
        }
        for output in &outputs {
            // An earlier process may have handed in some of them.
            if conversation.pending().iter().any(|call| call.id == output.call) {
                conversation.provide(&output.call, &output.output, false)?;
            }
        }
        self.context.inbox.clear_outputs();
        match self.context.keeper.change(|entry| entry.work.given.clear()).await {
            Ok(_) => Ok(()),
            Err(_) => std::future::pending().await,
        }
    }

    fn reported(self, report: RunReport) -> End {
        let bytes: usize = report.pending.iter().map(|call| call.arguments.len()).sum();
        if bytes > MAX_ARGUMENT_BYTES {
            let message = format!(
                "expected at most {MAX_ARGUMENT_BYTES} bytes of arguments for functions of the caller, got {bytes}"
            );
            return self.failed(self.context.failure(&Error::model(message)));
        }
        let question = (!report.pending.is_empty()).then(|| {
            let calls = report.pending.into_iter().map(function_call).collect();
            Question::Functions { id: new_id("question_").unwrap_or_default(), calls }
        });
        End {
            has_output: report.output.is_some(),
            text: Some(report.text),
            delivered: report.delivered,
            missing: report.missing,
            citations: run_citations(&report.citations),
            failure: None,
            question,
        }
    }

    async fn plan(self, planner: &Planner, step: Step) -> End {
        let form = match demand_of(&self.context.keeper.entry().await.work.demand) {
            Ok(demand) => demand.form,
            Err(error) => return self.failed(self.context.failure(&error)),
        };
        let mut delivered_by_steps = Vec::new();
        let done = self.plan_run((planner, form.clone()), step, &mut delivered_by_steps).await;
        match done {
            Ok(Some(PlanReport { text, output, delivered, missing, ended_by, .. })) => {
                let ended_by = ended_by.map(|error| self.failed(self.context.failure(&error)));
                let failure = ended_by.and_then(|end| end.failure);
                let (text, has_output) = (Some(text), output.is_some());
                End { text, has_output, delivered, missing, failure, ..End::default() }
            }
            // The process ended after the end of the instruction and before that was stored.
            Ok(None) => formed_end(form.as_deref(), self.last_answer().await),
            Err(error) => End {
                text: AnswerMismatch::of(&error).map(|it| it.text().to_owned()),
                delivered: delivered_by_steps,
                ..self.failed(self.context.failure(&error))
            },
        }
    }

    /// Follows an instruction by a plan. Adds the files that steps delivered to `delivered`, also if it fails.
    async fn plan_run(
        self,
        (planner, form): (&Planner, Option<Arc<AnswerForm>>),
        step: Step,
        delivered: &mut Vec<String>,
    ) -> Result<Option<PlanReport>> {
        let (context, session) = (self.context, &self.bench.session);
        let logged = context.log.read().await?;
        let mut run = match &step {
            Step::Say(text, _) => {
                let mut run = planner.begin(session, text);
                let was_demanded = logged.as_ref().is_some_and(|logged| logged.form().is_some());
                if form.is_some() || was_demanded {
                    run.demand(form);
                }
                run.log_to(match &logged {
                    Some(_) => self.continued_log(context.log.bytes()),
                    None => self.new_log()?,
                });
                run
            }
            Step::GoOn => {
                let Some(logged) = logged.as_ref().filter(|run| !run.is_finished()) else {
                    return Ok(None);
                };
                let mut run = planner.resume(session, logged)?;
                run.log_to(self.continued_log(logged.length()));
                run
            }
        };
        self.log_plan_documents(&mut run, logged.as_ref()).await;
        let done = run.run().await;
        delivered.extend(run.delivered());
        done.map(Some)
    }

    async fn log_plan_documents(self, run: &mut PlanRun<'_>, logged: Option<&LoggedRun>) {
        for document in self.bench.take_documents() {
            let is_logged =
                |logged: &LoggedRun| logged.documents().any(|it| it.name == document.name);
            if !logged.is_some_and(is_logged) {
                let path = Bench::path(self.context, &document).await;
                run.log_document(&document, path);
            }
        }
    }

    /// Returns the last answer of the run's own model in the log.
    async fn last_answer(self) -> Option<String> {
        let lines = self.context.log.lines().await.ok()?;
        lines.iter().rev().find_map(|line| match LoggedStep::parse(line).ok()? {
            LoggedStep::Answer { agent: None, text, .. } => Some(text),
            _ => None,
        })
    }

    /// Returns the end of an instruction that failed.
    fn failed(self, mut failure: Failure) -> End {
        if self.context.meter.is_exhausted() {
            failure.code = "budget_exhausted".to_owned();
        }
        End { failure: Some(failure), ..End::default() }
    }
}

/// Returns the end of an instruction whose last answer is in the log. If it follows the form, it is a value.
fn formed_end(form: Option<&AnswerForm>, last: Option<String>) -> End {
    let json = form.zip(last.as_ref()).and_then(|(form, text)| {
        let json = form.read(text).ok()?;
        Some(json.to_owned())
    });
    End { has_output: json.is_some(), text: json.or(last), ..End::default() }
}

/// Returns what the caller demands, in the agent's form.
///
/// # Errors
///
/// The schema cannot be applied. It was checked with the request, perhaps by another version.
fn demand_of(demand: &AnswerDemand) -> Result<Demand> {
    let mut of_agent = Demand::default();
    match &demand.call {
        None => {}
        Some(RequiredCall::OneOf(tools)) => {
            (of_agent.choice, of_agent.one_of) = (ToolChoice::Required, tools.clone());
        }
        Some(RequiredCall::Tool(tool)) => of_agent.choice = ToolChoice::Tool(tool.clone()),
    }
    of_agent.form = match &demand.output {
        None => None,
        Some(OutputForm { schema: None, .. }) => Some(Arc::new(AnswerForm::any_object())),
        Some(OutputForm { name, schema: Some(schema) }) => {
            let form = AnswerForm::new(name, schema.clone()).map_err(|problems| {
                let problem = problems.into_iter().next();
                let (at, message) = problem.map(|it| (it.pointer, it.message)).unwrap_or_default();
                Error::new(ErrorKind::Input, format!("the schema of the answer: {at}: {message}"))
            });
            Some(Arc::new(form?))
        }
    };
    Ok(of_agent)
}
