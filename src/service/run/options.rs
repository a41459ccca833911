//! What the operator gives to runs: models, agents, limits of tenants.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::containers::Containers;
use super::managed::ManagedModels;
use super::spec::Limits;
use crate::metrics::Metrics;
use crate::store::Store;
use mitt::Host;
use mitt_agent::model::{ChatModel, Cost};
use mitt_agent::route::GuardrailMode;
use mitt_agent::{AgentLimits, Team, ToolMode};
use mitt_base::{Error, Result};

/// A model that clients may name.
#[derive(Clone, Debug)]
pub struct ModelInfo {
    /// Name for clients.
    pub name: String,
    /// Who provides it, such as `ollama`.
    pub provider: String,
}

/// The models of the operator.
pub trait Models: Send + Sync {
    /// Returns all models, the default one first.
    fn list(&self) -> Vec<ModelInfo>;

    /// Opens a model by its name, with the caller's own key if there is one.
    ///
    /// # Errors
    ///
    /// There is no such model, or its key is missing.
    fn open(&self, name: &str, key: Option<&str>) -> Result<Arc<dyn ChatModel>>;

    /// Returns the name of a model for the log of a run, by which the program can open it too. Default: the name for
    /// clients.
    fn log_name(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Returns what identifies the service of a model, which is equal for two models only if the same service has both. A
    /// client's key goes to no other one. Default: `None`, which means unknown.
    fn service_of(&self, _name: &str) -> Option<String> {
        None
    }

    /// Returns texts that clients must not read, such as the address of a model, each with the text in its place. Default:
    /// none.
    fn hidden(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Returns what adds and removes models while the service runs. Default: `None`, which means that only the operator
    /// chooses them.
    fn managed(&self) -> Option<&dyn ManagedModels> {
        None
    }
}

/// Returns a text without what clients must not read; `None` if nothing of that is in it.
pub(crate) fn public_text(models: &dyn Models, text: &str) -> Option<String> {
    let mut hidden = models.hidden();
    hidden.retain(|(hidden, shown)| !hidden.is_empty() && hidden != shown);
    // An address with a model's name comes before the address alone.
    hidden.sort_by_key(|(hidden, _)| std::cmp::Reverse(hidden.len()));
    let mut public = None;
    for (hidden, shown) in hidden {
        let now = public.as_deref().unwrap_or(text);
        if now.contains(&hidden) {
            public = Some(now.replace(&hidden, &shown));
        }
    }
    public
}

/// Returns an error without what clients must not read.
pub(super) fn public_error(models: &dyn Models, error: Error) -> Error {
    error.with_texts(|text| public_text(models, text))
}

/// Name of the model of examples. No list of models has it.
pub(super) const EXAMPLE_MODEL: &str = "example";

/// Key of the metadata that names the example of a run.
pub(super) const EXAMPLE_KEY: &str = "example";

/// An instruction with documents and a recorded model, which needs no network.
#[derive(Clone)]
pub struct Example {
    /// Name, as in `POST /v1/examples/{name}`.
    pub name: String,
    /// Title of its runs.
    pub title: String,
    /// Instruction of the recording.
    pub instruction: String,
    /// Names and contents of the documents.
    pub documents: Vec<(String, Vec<u8>)>,
    /// The recording.
    pub model: Arc<dyn ChatModel>,
}

/// The agents of the operator.
pub trait Teams: Send + Sync {
    /// Returns the team of these agents, `None` for all; `None` if there are no agents.
    ///
    /// # Errors
    ///
    /// There is no agent of a name.
    fn team(&self, names: Option<&[String]>) -> Result<Option<Team>>;
}

/// What a tenant may do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// Names of the models that it may use; `None` for all.
    pub models: Option<Vec<String>>,
    /// Tokens a day.
    pub tokens_per_day: Option<u64>,
    /// Cost a day.
    pub cost_per_day: Option<Cost>,
    /// `true` if it may send its own key of a model's service in `X-Model-Key`.
    pub may_bring_key: bool,
    /// Bytes of its uploads, documents, files of runs and files of containers together. A content counts once.
    pub stored_bytes: Option<u64>,
    /// Runs that it may keep.
    pub runs: Option<u64>,
    /// Runs that may be queued or work at the same time.
    pub active_runs: Option<u64>,
}

/// What the operator sets for all runs.
#[derive(Clone, Debug, Default)]
pub struct RunDefaults {
    /// Limits of a run. What a run asks for takes their place, within `most`.
    pub limits: AgentLimits,
    /// The most that a run may ask for: turns, calls, tokens and seconds. Costs are bounded for each tenant instead.
    pub most: Limits,
    /// How tools are described to the model of a run that does not say it.
    pub tools: ToolMode,
    /// When a small model is asked in a run that does not say it.
    pub guardrail: GuardrailMode,
    /// That model, by its name among those of the service. `None`: the model of the run.
    pub guardrail_model: Option<String>,
}

/// Options of [`Runs`](super::Runs).
#[derive(Clone)]
pub struct RunsOptions {
    /// Storage.
    pub store: Arc<dyn Store>,
    /// Skills and limits.
    pub host: Host,
    /// Models.
    pub models: Arc<dyn Models>,
    /// Agents.
    pub teams: Option<Arc<dyn Teams>>,
    /// Limits and defaults.
    pub defaults: RunDefaults,
    /// Examples.
    pub examples: Vec<Example>,
    /// Runs at the same time, and at most as many sessions that wait for a further message.
    pub workers: usize,
    /// Time that a run keeps its session after an instruction, for the next one.
    pub idle: Duration,
    /// Lease of a worker.
    pub lease: Duration,
    /// Times that the same work of a run goes on by itself after its process has ended without giving it back. Then, and
    /// with 0 at once, a client decides whether it goes on.
    pub tries_after_loss: u64,
    /// `false` if other processes work on the runs that this one accepts.
    pub takes_runs: bool,
    /// Containers for the scripts of runs. `None`: scripts find only the documents of their run.
    pub containers: Option<Arc<dyn Containers>>,
    /// Counts runs and tokens.
    pub metrics: Arc<Metrics>,
}

impl RunsOptions {
    /// Returns the example of this name. If the operator has a model of the examples' name, there are none.
    pub(super) fn example(&self, name: &str) -> Option<&Example> {
        let is_taken = self.models.list().iter().any(|model| model.name == EXAMPLE_MODEL);
        self.examples.iter().find(|example| example.name == name).filter(|_| !is_taken)
    }

    /// Returns the example that a run with this model and these values of the client is of. A client cannot name the model
    /// of examples, so the values of such a run come from the service.
    pub(super) fn example_of(
        &self,
        model: &str,
        metadata: &BTreeMap<String, String>,
    ) -> Option<&Example> {
        metadata.get(EXAMPLE_KEY).filter(|_| model == EXAMPLE_MODEL).and_then(|it| self.example(it))
    }
}

/// Result of a call of the caller's function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// Identifier of the call.
    pub call: String,
    /// Text for the model.
    pub output: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Hidden;

    impl Models for Hidden {
        fn list(&self) -> Vec<ModelInfo> {
            Vec::new()
        }

        fn open(&self, name: &str, _: Option<&str>) -> Result<Arc<dyn ChatModel>> {
            Err(Error::model(format!("no model {name}")))
        }

        fn hidden(&self) -> Vec<(String, String)> {
            let hidden = [
                ("http://10.0.0.5:8080/v1", "the service of the model"),
                ("http://10.0.0.5:8080/v1#qwen3", "local"),
                ("", "nothing"),
            ];
            Vec::from(hidden.map(|(hidden, shown)| (hidden.to_owned(), shown.to_owned())))
        }
    }

    #[test]
    fn clients_read_the_name_of_a_model_in_place_of_its_address() {
        let error = Error::model("no connection to http://10.0.0.5:8080/v1")
            .at("http://10.0.0.5:8080/v1#qwen3")
            .detail("http://10.0.0.5:8080/v1/models is not there")
            .hint("look at http://10.0.0.5:8080/v1")
            .caused_by("http://10.0.0.5:8080/v1 refused");
        let error = public_error(&Hidden, error);
        assert_eq!(error.message(), "local: no connection to the service of the model");
        assert!(!error.render().contains("10.0.0.5"), "{}", error.render());
        assert_eq!(public_text(&Hidden, "the answer was cut off"), None);
        assert_eq!(Hidden.service_of("local"), None);
    }
}
