//! Which model is asked, and how: options of the command line and variables of the environment as a model.

use std::path::PathBuf;
use std::sync::Arc;

use mitt_agent::ToolMode;
use mitt_agent::model::{ChatModel, RecordModel};
use mitt_base::{Error, Result};

/// The variable that names the model where no option does.
const MODEL: &str = "MITT_MODEL";

/// Who is asked.
#[derive(Debug, clap::Args)]
pub(super) struct Named {
    /// The model: `ollama/qwen3`, `openai/gpt-5`, `anthropic/claude-sonnet-5`, or an address as in
    /// `http://127.0.0.1:8080/v1#name`; `mitt model list` shows the services [default: MITT_MODEL]
    #[arg(short, long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// A file with the key of the model's service, instead of its variable such as `OPENAI_API_KEY`
    #[arg(long, value_name = "FILE")]
    pub(super) key_file: Option<PathBuf>,
}

/// Who is asked, what the model is shown, and what is kept of it.
#[derive(Debug, clap::Args)]
pub(super) struct Asking {
    #[command(flatten)]
    pub(super) named: Named,
    /// How the model is told of the tools: `script` shows one that runs Python and a line for each function, `catalogue` a
    /// line for each skill, `all` every tool with its schema
    #[arg(long, value_name = "MODE", default_value = "script", value_parser = tool_mode)]
    pub(super) tools: ToolMode,
    /// Write what the model answers to this file, as a recording that a task can replay. No keys are in it
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}

pub(super) fn tool_mode(text: &str) -> std::result::Result<ToolMode, String> {
    ToolMode::from_name(text).ok_or_else(|| {
        let names: Vec<_> = ToolMode::ALL.into_iter().map(ToolMode::name).collect();
        format!("one of {} expected", names.join(", "))
    })
}

impl Named {
    /// The name of the model: of the option, else of the environment.
    pub(super) fn name(&self) -> Option<String> {
        let variable = || std::env::var(MODEL).ok();
        self.model.clone().or_else(variable).filter(|name| !name.trim().is_empty())
    }

    /// The model of this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - there is no such service, or its key is missing.
    pub(super) fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>> {
        #[cfg(feature = "models")]
        {
            use mitt_agent::model::ModelSpec;
            use mitt_agent::model::http::HttpModel;

            let mut spec = ModelSpec::parse(name)?;
            if let Some(file) = &self.key_file {
                spec = spec.key_file(file);
            }
            Ok(Arc::new(HttpModel::builder(spec).build()?))
        }
        #[cfg(not(feature = "models"))]
        {
            let error = Error::model(format!("this build asks no models, so not `{name}` either"));
            Err(error.hint("take a build with the feature `models`"))
        }
    }
}

impl Asking {
    /// The model, recorded if that is wanted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the recording cannot be written.
    pub(super) fn recorded(&self, model: Arc<dyn ChatModel>) -> Result<Arc<dyn ChatModel>> {
        match &self.record {
            Some(file) => Ok(Arc::new(RecordModel::to_file(model, file)?)),
            None => Ok(model),
        }
    }
}

/// No model was named: the shortest ways to one.
pub(super) fn no_model(found: Option<&str>) -> Error {
    let local = match found {
        Some(found) => format!("a server answers on this machine: `--model {found}`"),
        None => {
            "start a server on this machine, such as Ollama, and name it: `--model ollama/qwen3`"
                .to_owned()
        }
    };
    Error::model("no model is named").hint(format!(
        "{local}; or set a key such as OPENAI_API_KEY and name the service: `--model openai/gpt-5`; or follow the recorded \
         example, which needs none: `mitt run examples/yoy`"
    ))
}
