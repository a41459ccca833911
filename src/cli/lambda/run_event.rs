//! Direct events `run`: a model works with the documents of the event, as in `mitt run`.
//!
//! The operator names the model; an event cannot.

use serde_json::{Value, json};

use super::failure::Failure;
use super::fields::Fields;
use super::function::{Function, Task};
use super::log::log;
use super::payload::Reader;
use crate::commands::{ended_json, output_schema};
use mitt::Session;
use mitt_agent::Demand;
use mitt_agent::model::Image;
use mitt_base::{Error, Result};

/// What a model shall do.
#[derive(Debug)]
pub(super) struct RunEvent {
    instruction: String,
    /// Form of the answer.
    demand: Option<Demand>,
}

impl RunEvent {
    /// Reads the fields of the event.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - it has another form. Those of a schema that cannot be applied.
    pub(super) fn read(mut fields: Fields) -> Result<RunEvent> {
        let instruction = fields.required("instruction")?;
        if instruction.trim().is_empty() {
            return Err(fields.wrong("instruction", "expected words, got none"));
        }
        let schema = fields.json_object("output_schema")?;
        let demand = schema.map(|schema| output_schema(&schema.to_string())).transpose();
        let demand = demand.map_err(|error| {
            error.with_texts(|text| {
                text.contains("--").then(|| text.replace("--output-schema", "run.output_schema"))
            })
        })?;
        fields.finish()?;
        Ok(RunEvent { instruction, demand })
    }

    /// Lets the model work. Returns what it reports, as `mitt run --json` prints it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the function has no model, or it failed. A result is missing, and nobody
    /// reads the report that says so. Those of [`Conversation::say_with`](mitt_agent::Conversation::say_with).
    pub(super) async fn run(
        self,
        (function, task): (&Function, &Task<'_>),
        session: &Session,
        images: Vec<Image>,
    ) -> Result<Value, Failure> {
        let (agent_args, settings) = (function.agent_args(), function.settings());
        let model = function.model()?;
        let tools = agent_args.tools(settings);
        // Each invocation is a conversation of its own.
        let (agent, notes) =
            agent_args.agent_with_notes(model, tools, settings, session, true).await?;
        if !notes.is_empty() {
            log("INFO", task.ids.first().copied(), "agents of a run", json!({ "notes": notes }));
        }
        let mut conversation = agent.conversation(session).await;
        if let Some(demand) = self.demand {
            conversation.demand(demand);
        }
        let report = conversation.say_with(&self.instruction, images).await?;
        let answer = ended_json(&report);
        // A message that was handled in part is delivered again.
        if task.reader == Reader::Nobody && !report.missing.is_empty() {
            let missing = report.missing.join(", ");
            let error = Error::model(format!("the run ended and did not deliver {missing}"));
            return Err(Failure { error, answer: Some(answer) });
        }
        Ok(answer)
    }
}
