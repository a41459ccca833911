//! How a model is asked: options of the command line as an agent.

use std::path::PathBuf;
use std::sync::Arc;

use super::agents::{Agents, unknown};
use super::model_args::ModelArgs;
use super::output::note;
use super::settings::{Key, Settings};
use mitt::Session;
use mitt_agent::model::{ChatModel, Cost, RecordModel};
use mitt_agent::route::{Guardrail, GuardrailMode, Router};
use mitt_agent::{Agent, AgentSource, Team, ToolMode};
use mitt_base::{Error, Result};

/// Options about the model, its tools, its documents and its log.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct AgentArgs {
    #[command(flatten)]
    pub(super) model_args: ModelArgs,
    #[command(flatten)]
    pub(super) agents: Agents,
    /// How the tools are described to the model: `script` shows one tool that runs Python and a line for each function,
    /// `catalogue` a line for each skill, `all` every tool with its schema [default: script]
    #[arg(long, value_name = "MODE", value_parser = tool_mode)]
    pub(super) tools: Option<ToolMode>,
    /// Write what the model answers to this file, as a recording that a task can replay. No keys are in it
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Show the model the texts of the documents with the first message, up to this many estimated tokens: short ones whole,
    /// of long ones the beginning and the end. Without it, the model gets their names, tables and columns, and reads what it
    /// needs
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) documents_tokens: Option<u64>,
    /// Count tags in the model's answer: `<<<RENDER:pdf>>>` alone in the last line has it rendered, `[FILE_GENERATED: a.xlsx]` names a file
    #[arg(long)]
    pub(super) tags: bool,
    /// Send the input to the model unchanged: `/skill` is text, and small talk has all tools too
    #[arg(long)]
    pub(super) no_routing: bool,
    /// When a small model is asked whether an agent or a plan that writes or costs much may be started: `blocking` before it
    /// starts, `parallel` while reading work has begun, `off` never [default: blocking]
    #[arg(long, value_name = "MODE", value_parser = guardrail_mode)]
    pub(super) guardrail: Option<GuardrailMode>,
    /// The model that is asked, named as in `--model`; without it, the model of the run
    #[arg(long, value_name = "MODEL")]
    pub(super) guardrail_model: Option<String>,
    /// Most dollars that the model may cost, such as `0.50`, by known prices; a model without a known price is then refused
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    pub(super) max_cost: Option<Cost>,
}

/// Parses a cost above zero.
fn dollars(text: &str) -> std::result::Result<Cost, String> {
    let cost: Cost = text.parse()?;
    if cost == Cost::default() { Err("expected more than nothing".into()) } else { Ok(cost) }
}

fn guardrail_mode(text: &str) -> std::result::Result<GuardrailMode, String> {
    GuardrailMode::from_name(text).ok_or_else(|| {
        let names: Vec<_> = GuardrailMode::ALL.into_iter().map(GuardrailMode::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

pub(super) fn tool_mode(text: &str) -> std::result::Result<ToolMode, String> {
    ToolMode::from_name(text).ok_or_else(|| {
        let names: Vec<_> = ToolMode::ALL.into_iter().map(ToolMode::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

impl AgentArgs {
    /// Returns how the tools are described to the model.
    pub(super) fn tools(&self, settings: &Settings) -> ToolMode {
        let set = || settings.text(Key::Tools).and_then(ToolMode::from_name);
        self.tools.or_else(set).unwrap_or_default()
    }

    /// Who is asked before something is started that writes or costs much.
    ///
    /// # Errors
    ///
    /// Those of [`ModelArgs::open`] for the guardrail's model.
    fn guardrail(&self, model: &Arc<dyn ChatModel>, settings: &Settings) -> Result<Guardrail> {
        let set = || settings.text(Key::Asked).and_then(GuardrailMode::from_name);
        let mode = self.guardrail.or_else(set).unwrap_or_default();
        let model_name = self.guardrail_model.as_deref().or(settings.text(Key::AskedModel));
        let model = match model_name.filter(|_| mode != GuardrailMode::Off) {
            Some(model_name) => self
                .model_args
                .open(model_name, settings)
                .map_err(|error| error.at("--guardrail-model"))?,
            None => model.clone(),
        };
        Ok(Guardrail::new(model).mode(mode))
    }

    /// The model, recorded if that is wanted, let work as the options and the settings say; `several` says that it has more than one
    /// conversation.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the recording cannot be written.
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - a folder of agents cannot be read.
    pub(super) async fn agent(
        &self,
        model: Arc<dyn ChatModel>,
        tools: ToolMode,
        settings: &Settings,
        session: &Session,
        several: bool,
    ) -> Result<Agent> {
        let (agent, notes) =
            self.agent_with_notes(model, tools, settings, session, several).await?;
        notes.iter().for_each(|text| note(text));
        Ok(agent)
    }

    /// Does what [`AgentArgs::agent`] does, and returns what it would print: names of the agents, and warnings about their files.
    ///
    /// # Errors
    ///
    /// Those of [`AgentArgs::agent`].
    pub(super) async fn agent_with_notes(
        &self,
        model: Arc<dyn ChatModel>,
        tools: ToolMode,
        settings: &Settings,
        session: &Session,
        several: bool,
    ) -> Result<(Agent, Vec<String>)> {
        let model = match &self.record {
            Some(file) => {
                let recorded = RecordModel::to_file(model, file)?;
                Arc::new(if several { recorded.several() } else { recorded })
            }
            None => model,
        };
        let guardrail = self.guardrail(&model, settings)?;
        let mut builder = Agent::builder(model).tools(tools).tags(self.tags);
        let mut notes = Vec::new();
        if let Some(team) = self.agents.team(&self.model_args, settings)? {
            if !settings.is_on(Key::Quiet) {
                notes = notes_on_agents(&team, session).await;
            }
            builder = builder.team(team);
        }
        if !self.no_routing {
            builder = builder.routing(Router::new().guardrail(guardrail));
        }
        let builder = builder.limits(|limits| {
            *limits = settings.agent_limits();
            limits.cost = self.max_cost.or(limits.cost);
            if let Some(tokens) = self.documents_tokens {
                limits.documents.get_or_insert_default().tokens = tokens;
            }
        });
        Ok((builder.build(), notes))
    }
}

/// Returns the names of the agents, and warnings about their files.
async fn notes_on_agents(team: &Team, session: &Session) -> Vec<String> {
    let unknown = unknown(team, &session.registry().tools_of_agents().await);
    let problems = team.problems().iter().chain(&unknown);
    let mut notes: Vec<String> = problems.map(|problem| format!("warning: {problem}")).collect();
    let names: Vec<_> = team
        .agents()
        .map(|listed| match listed.source {
            AgentSource::BuiltIn => listed.agent.name.clone(),
            source => format!("{} ({source})", listed.agent.name),
        })
        .collect();
    notes.push(format!("agents: {}", names.join(", ")));
    match team.notes().len() {
        0 => {}
        1 => notes.push(format!("note: {}", team.notes()[0])),
        count => notes.push(format!("note: {count} remarks on agents, which `mitt agents` tells")),
    }
    notes
}

/// Returns the error for a missing model, with hints on the shortest ways to one.
pub(super) fn no_model(found: Option<&str>) -> Error {
    let local = match found {
        Some(found) => format!("a server answers on this machine: `--model {found}`, or `mitt chat --local`, which asks for the name"),
        None => {
            "start a server on this machine, such as Ollama, and name it: `--model ollama/qwen3`; `mitt chat --local` finds it, and says \
             how to get one"
                .to_owned()
        }
    };
    Error::model("no model is named").hint(format!(
        "{local}; or set a key such as OPENAI_API_KEY and name the service: `--model openai/gpt-5`; or follow the recorded \
         example, which needs none: `mitt run examples/yoy`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_exact() {
        for (text, amount) in [("2", "$2.00"), ("0.50", "$0.50"), ("0.000001", "$0.000001")] {
            assert_eq!(dollars(text).unwrap().to_string(), amount);
        }
        for wrong in
            ["", "0", "0.0", "-1", "1e3", ".5", "1.", "0.0000001", "1,5", "$1", "1000000000"]
        {
            assert!(dollars(wrong).is_err(), "{wrong}");
        }
    }
}
