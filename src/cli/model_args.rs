//! Which model is asked: an option, a setting or a variable of the environment as a model.

use std::path::PathBuf;
use std::sync::Arc;

use super::output::note;
use super::settings::{Key, Settings};
use mitt_agent::model::ChatModel;
use mitt_base::Result;

/// Options that name the model.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ModelArgs {
    /// The model: `ollama/qwen3`, `openai/gpt-5`, `anthropic/claude-sonnet-5`, or an address as in
    /// `http://127.0.0.1:8080/v1#name`; `mitt model list` shows the services [default: MITT_MODEL, else `model` of the settings]
    #[arg(short, long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// A file with the key of the model's service, instead of its variable such as `OPENAI_API_KEY`
    #[arg(long, value_name = "FILE")]
    pub(super) key_file: Option<PathBuf>,
}

impl ModelArgs {
    /// Returns the name of the model: that of the option, otherwise of the settings, which the environment is part of.
    pub(super) fn name(&self, settings: &Settings) -> Option<String> {
        let set = || settings.text(Key::Model).map(str::to_owned);
        self.model.clone().or_else(set).filter(|name| !name.trim().is_empty())
    }

    /// Prints a note if a project's file names the model, because another person may have chosen where the user's documents
    /// go.
    pub(super) fn note_project_model(&self, settings: &Settings) {
        let is_quiet = self.model.is_some() || settings.is_on(Key::Quiet);
        if let (Some(origin), Some(name), false) =
            (settings.of_project(Key::Model), settings.text(Key::Model), is_quiet)
        {
            note(&format!("the model is {name}, as {origin} says"));
        }
    }

    /// Returns the model with this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - there is no such service, or its key is missing.
    pub(super) fn open(&self, name: &str, settings: &Settings) -> Result<Arc<dyn ChatModel>> {
        let own = settings.key_file();
        #[cfg(feature = "models")]
        {
            use mitt_agent::model::ModelSpec;
            use mitt_agent::model::http::HttpModel;

            let mut spec = ModelSpec::parse(name)?;
            // The key goes only to the service of the model that the user's file names beside it.
            let is_same = |own: &str| {
                ModelSpec::parse(own)
                    .is_ok_and(|own| (&own.preset, &own.base_url) == (&spec.preset, &spec.base_url))
            };
            let own = own.filter(|(_, model)| is_same(model)).map(|(file, _)| file);
            if let Some(file) = self.key_file.as_deref().or(own) {
                spec = spec.key_file(file);
            }
            Ok(Arc::new(HttpModel::builder(spec).build()?))
        }
        #[cfg(not(feature = "models"))]
        {
            let _ = own;
            let error = mitt_base::Error::model(format!(
                "this build asks no models, so not `{name}` either"
            ));
            Err(error.hint("take a build with the feature `models`"))
        }
    }
}
