//! Tasks that a model delegates to agents: those of one turn run concurrently, and their results are in order.

use futures_util::{StreamExt as _, stream};
use serde::Deserialize;

use super::inputs::{self, Inputs};
use super::sub_agent::{MAX_TASK, SubAgent};
use crate::calls::TurnOutcome;
use crate::conversation::Conversation;
use crate::log::{LogEntry, LoggedResult};
use crate::model::ModelCall;
use crate::offer::{ACTIVATE, skill_of};
use crate::report::Delegated;
use crate::route::{Fork, ForkKind};
use crate::run_usage::RunUsage;
use crate::team::ConversationContext;
use crate::usage::Budget;
use mitt_base::{Error, ErrorKind, Result};

/// Arguments of a call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent: String,
    task: String,
    #[serde(default)]
    inputs: Option<Vec<String>>,
}

/// Valid task.
struct ValidTask {
    agent: SubAgent,
    task: String,
    inputs: Inputs,
}

impl Conversation<'_> {
    /// Delegates the tasks of these calls to agents, and records the result of each.
    pub(crate) async fn delegate(
        &mut self,
        calls: &[ModelCall],
        run_usage: &mut RunUsage,
        outcome: &mut TurnOutcome,
    ) {
        let mut given = Vec::new();
        let mut lost = Vec::new();
        for call in calls {
            given.push(self.task_of(call).map_err(|error| error.render()));
            // The process ended during work that may have changed something.
            lost.push(self.history.is_begun(call));
        }
        let run = self.team_run();
        let count = given.iter().filter(|it| it.is_ok()).count();
        let part = self.left(run_usage).part(count);
        let mut begun = Vec::new();
        for ((call, given), is_lost) in calls.iter().zip(given).zip(lost) {
            begun.push(match given {
                _ if is_lost => {
                    self.note_unknown(call, run_usage.turns);
                    Err(LoggedResult::none(call, true).content)
                }
                Err(wrong) => {
                    outcome.add_invalid(wrong.clone());
                    Err(wrong)
                }
                Ok(given) => match run.begin() {
                    Ok(()) => {
                        if !given.agent.file().read_only {
                            // If the process dies, it may have changed something already.
                            self.record_entry(LogEntry::Making { call_id: call.id.clone() });
                        }
                        Ok(given)
                    }
                    Err(refused) => {
                        outcome.add_failure(&call.name, &call.arguments, &refused);
                        Err(refused)
                    }
                },
            });
        }
        // A waiting agent gives up its place.
        let had_permit = self.context.permit.take().is_some();
        let writes =
            |given: &ValidTask| !given.agent.file().read_only && !self.session.reads_only();
        let fork = Fork {
            kind: ForkKind::SubAgent,
            writes: begun.iter().flatten().any(writes),
            is_expensive: false,
        };
        let results = if begun.iter().any(Result::is_ok) {
            let gated = self.run_gated(fork, self.run_tasks(&begun, part, run_usage)).await;
            self.gate_result(gated, run_usage)
        } else {
            Ok(begun.iter().map(|_| None).collect())
        };
        let results = results.unwrap_or_else(|refused| {
            let refused = refused.render();
            begun.iter_mut().filter(|it| it.is_ok()).for_each(|it| *it = Err(refused.clone()));
            begun.iter().map(|_| None).collect()
        });
        if had_permit {
            self.context.permit = run.places.clone().acquire_owned().await.ok();
        }
        for (call, (begun, delegated)) in calls.iter().zip(begun.into_iter().zip(results)) {
            let (content, artifacts, is_error) = match (begun, delegated) {
                (Err(refused), _) => (refused, Vec::new(), true),
                (Ok(_), Some(delegated)) => {
                    match &delegated.failure {
                        None => outcome.add_success(),
                        Some(why) => outcome.add_failure(&call.name, &call.arguments, why),
                    }
                    let content = delegated.to_json();
                    let is_failed = !delegated.is_done();
                    let artifacts = delegated.artifacts.clone();
                    run_usage.add_delegated(delegated);
                    (content, artifacts, is_failed)
                }
                (Ok(_), None) => ("it never began".to_owned(), Vec::new(), true),
            };
            let files = self.session.artifacts();
            let delivered = files.iter().filter(|file| artifacts.contains(&file.name));
            let result = LoggedResult {
                content,
                is_error,
                delivered: delivered.map(Into::into).collect(),
                next_table: self.session.next_table(),
                ..LoggedResult::none(call, false)
            };
            self.record_entry(LogEntry::Result(result));
        }
    }

    /// Runs the tasks: read-only ones concurrently, the others one after the other.
    async fn run_tasks(
        &self,
        begun: &[Result<ValidTask, String>],
        part: Budget,
        run_usage: &RunUsage,
    ) -> Vec<Option<Delegated>> {
        let writer = tokio::sync::Mutex::new(());
        let run = self.team_run();
        let work = begun.iter().map(|given| {
            let (run, writer) = (&run, &writer);
            let Ok(given) = given else {
                let nothing: std::pin::Pin<Box<dyn Future<Output = Option<Delegated>> + Send>> =
                    Box::pin(std::future::ready(None));
                return nothing;
            };
            let context = ConversationContext {
                depth: self.context.depth + 1,
                run: Some(run.clone()),
                parent_counter: Some(run_usage.counter()),
                sink: self.context.sink.clone(),
                log: self.context.log.clone(),
                permit: None,
                documents: None,
            };
            let inputs = Inputs {
                documents: given.inputs.documents.clone(),
                text: given.inputs.text.clone(),
            };
            Box::pin(async move {
                // In the order of the calls, since the lock is fair.
                let _turn = if given.agent.file().read_only || self.session.reads_only() {
                    None
                } else {
                    Some(writer.lock().await)
                };
                let mut context = context;
                context.permit = run.places.clone().acquire_owned().await.ok();
                let (session, task) = (self.session.clone(), given.task.clone());
                let delegated = given.agent.run_at(session, task, inputs, part, context).await;
                run.end(delegated.is_done());
                Some(delegated)
            })
        });
        let work: Vec<_> = work.collect();
        let at_once = work.len().max(1);
        stream::iter(work).buffered(at_once).collect().await
    }

    /// Returns the task that a call gives.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - its arguments are invalid.
    fn task_of(&self, call: &ModelCall) -> Result<ValidTask> {
        let registry = self.session.registry();
        let wrong = |message: String| Error::new(ErrorKind::Arguments, message);
        let arguments = if call.name == ACTIVATE {
            // A skill that runs as an agent gets the user's instruction.
            Arguments {
                agent: skill_of(&call.arguments).unwrap_or_default(),
                task: self.history.open().map(|it| it.instruction.clone()).unwrap_or_default(),
                inputs: None,
            }
        } else {
            serde_json::from_str(&call.arguments).map_err(|error| {
                wrong(format!("arguments: {error}"))
                    .hint("give `agent`, `task` and `inputs`, a list of names")
            })?
        };
        if arguments.task.trim().is_empty() {
            return Err(wrong("task: expected a text, got nothing".to_owned()));
        }
        if arguments.task.len() > MAX_TASK {
            let message =
                format!("task: expected at most {MAX_TASK} bytes, got {}", arguments.task.len());
            return Err(wrong(message).hint("name documents as inputs instead"));
        }
        let team = self.agent.team().ok_or_else(|| wrong("there are no agents".to_owned()))?;
        let (agent, model) = team.find(&arguments.agent, &registry)?;
        let model = model.unwrap_or_else(|| self.agent.shared_model());
        let agent = SubAgent::below(agent, model, self.agent);
        let inputs = inputs::find(&self.session, &arguments.inputs.unwrap_or_default())?;
        Ok(ValidTask { agent, task: arguments.task, inputs })
    }
}
