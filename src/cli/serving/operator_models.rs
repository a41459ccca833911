//! The models that the operator names on the command line or in the settings.

use std::path::Path;
use std::sync::Arc;

use crate::model_args::ModelArgs;
use crate::runs::RECORDING;
use crate::settings::Settings;
use mitt_agent::model::{ChatModel, ModelSpec, ReplayModel};
use mitt_base::{Error, ErrorKind, Result};
use mitt_service::run::{ModelInfo, Models};

/// The models of the command line or the settings, by the names for clients.
pub(super) struct OperatorModels {
    models: Vec<(String, String)>,
    settings: Settings,
}

impl OperatorModels {
    /// Returns these models, as `MODEL` or `NAME=MODEL`; without any, the one of the settings.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - one has no name, or two have the same.
    pub(super) fn new(given: &[String], settings: &Settings) -> Result<OperatorModels> {
        let of_settings = ModelArgs { model: None, key_file: None }.name(settings);
        let given: Vec<String> =
            if given.is_empty() { of_settings.into_iter().collect() } else { given.to_vec() };
        let mut models: Vec<(String, String)> = Vec::new();
        for given in &given {
            // An address may have `=`, a name has no slash.
            let (name, model) = match given.split_once('=') {
                Some((name, model)) if !name.contains(['/', ':']) => (name, model),
                _ => (given.as_str(), given.as_str()),
            };
            if name.trim().is_empty() || model.trim().is_empty() {
                let message = format!("expected `MODEL` or `NAME=MODEL`, got `{given}`");
                return Err(Error::new(ErrorKind::Input, message).at("--model"));
            }
            if models.iter().any(|(known, _)| known == name) {
                let message = format!("the name `{name}` stands for two models");
                return Err(Error::new(ErrorKind::Input, message).at("--model"));
            }
            models.push((name.to_owned(), model.to_owned()));
        }
        Ok(OperatorModels { models, settings: settings.clone() })
    }

    /// Returns `true` if a model has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.models.iter().any(|(known, _)| known == name)
    }

    /// Returns the settings, which name the file of a key.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }
}

impl Models for OperatorModels {
    fn list(&self) -> Vec<ModelInfo> {
        let info = |(name, model): &(String, String)| ModelInfo {
            name: name.clone(),
            provider: provider(model),
        };
        self.models.iter().map(info).collect()
    }

    fn service_of(&self, name: &str) -> Option<String> {
        let (_, model) = self.models.iter().find(|(known, _)| known == name)?;
        service_of(model)
    }

    fn hidden(&self) -> Vec<(String, String)> {
        let mut hidden = Vec::new();
        for (name, model) in &self.models {
            let mut hide =
                |text: &str, shown: &str| hidden.push((text.to_owned(), shown.to_owned()));
            hide(model, name);
            if let Some(path) = model.strip_prefix(RECORDING) {
                // A single word may also be part of other texts.
                if path.contains(['/', '\\', '.']) {
                    hide(path, name);
                }
            } else if let Ok(spec) = ModelSpec::parse(model) {
                hide(&spec.to_string(), name);
                hide(&spec.base_url, SERVICE);
                hide(origin(&spec.base_url), SERVICE);
            }
        }
        // What is part of a name for clients is known to them.
        hidden.retain(|(text, _)| !self.models.iter().any(|(name, _)| name.contains(text)));
        hidden
    }

    fn log_name(&self, name: &str) -> String {
        let model = self.models.iter().find(|(known, _)| known == name);
        model.map_or_else(|| name.to_owned(), |(_, model)| model.clone())
    }

    fn open(&self, name: &str, key: Option<&str>) -> Result<Arc<dyn ChatModel>> {
        let Some((_, model)) = self.models.iter().find(|(known, _)| known == name) else {
            return Err(Error::new(ErrorKind::Input, format!("there is no model `{name}`")));
        };
        if let Some(path) = model.strip_prefix(RECORDING) {
            return Ok(Arc::new(ReplayModel::from_file(Path::new(path))?));
        }
        match key {
            None => ModelArgs { model: None, key_file: None }.open(model, &self.settings),
            Some(key) => with_key(model, key),
        }
    }
}

/// Returns what identifies the service of a model; `None` for a recording.
pub(super) fn service_of(model: &str) -> Option<String> {
    if model.starts_with(RECORDING) {
        return None;
    }
    let spec = ModelSpec::parse(model).ok()?;
    Some(spec.preset.unwrap_or_else(|| with_port(origin(&spec.base_url))))
}

/// What clients read in place of an address.
const SERVICE: &str = "the model's service";

/// Returns who provides a model, without the operator's address.
pub(super) fn provider(model: &str) -> String {
    if model.starts_with(RECORDING) {
        return "recording".to_owned();
    }
    match ModelSpec::parse(model) {
        Ok(ModelSpec { preset: Some(preset), .. }) => preset,
        Ok(spec) if spec.is_local() => "local".to_owned(),
        _ => "operator".to_owned(),
    }
}

/// Returns the scheme and the host of an address, with its port if it has one.
fn origin(address: &str) -> &str {
    let start = address.find("://").map_or(0, |at| at + 3);
    let end = address[start..].find(['/', '?', '#']).map_or(address.len(), |at| start + at);
    &address[..end]
}

/// Returns an origin in lower case, with the port of its scheme unless it has one.
fn with_port(origin: &str) -> String {
    let origin = origin.to_ascii_lowercase();
    let is_number = |port: &str| !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit());
    let has_port = origin.rsplit_once(':').is_some_and(|(_, port)| is_number(port));
    if has_port {
        return origin;
    }
    let port = if origin.starts_with("https:") { 443 } else { 80 };
    format!("{origin}:{port}")
}

/// Opens a model with a key that is not in the environment.
///
/// # Errors
///
/// [`ErrorKind::Model`] - there is no such service.
#[cfg(feature = "models")]
pub(super) fn with_key(model: &str, key: &str) -> Result<Arc<dyn ChatModel>> {
    use mitt_agent::model::http::{HttpModel, Secret};

    let spec = ModelSpec::parse(model)?;
    Ok(Arc::new(HttpModel::builder(spec).key(Secret::new(key)).build()?))
}

#[cfg(not(feature = "models"))]
pub(super) fn with_key(model: &str, _: &str) -> Result<Arc<dyn ChatModel>> {
    Err(Error::model(format!("this build asks no models, so not `{model}` either")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(given: &[(&str, &str)]) -> OperatorModels {
        let models = given.iter().map(|(name, model)| ((*name).to_owned(), (*model).to_owned()));
        OperatorModels { models: models.collect(), settings: Settings::default() }
    }

    #[test]
    fn models_have_one_service_if_their_preset_or_their_host_and_port_are_the_same() {
        let models = models(&[
            ("a", "http://10.0.0.5/v1#a"),
            ("b", "anthropic+http://10.0.0.5:80#b"),
            ("c", "http://10.0.0.5:8080/v1#c"),
            ("d", "https://10.0.0.5/v1#d"),
            ("e", "http://10.0.0.6/v1#e"),
            ("f", "openai/gpt-5"),
            ("g", "openai/gpt-5-mini"),
            ("h", "anthropic/claude-sonnet-5"),
            ("i", "recording model.jsonl"),
        ]);
        let service = |name: &str| models.service_of(name);
        assert_eq!(service("a").as_deref(), Some("http://10.0.0.5:80"));
        assert_eq!(service("a"), service("b"));
        for other in ["c", "d", "e", "f", "i", "unknown"] {
            assert_ne!(service("a"), service(other), "{other}");
        }
        assert_eq!(service("f"), service("g"));
        assert_ne!(service("f"), service("h"));
        assert_eq!((service("i"), service("unknown")), (None, None));
    }

    #[test]
    fn the_provider_of_a_model_is_not_its_address() {
        let models = models(&[
            ("a", "http://127.0.0.1:8080/v1#a"),
            ("b", "https://models.example/v1#b"),
            ("c", "spelled+ollama/qwen3"),
            ("d", "recording model.jsonl"),
        ]);
        let providers: Vec<String> = models.list().into_iter().map(|it| it.provider).collect();
        assert_eq!(providers, ["local", "operator", "ollama", "recording"]);
    }

    #[test]
    fn addresses_are_hidden_unless_they_are_names() {
        let named = models(&[("a", "chat+http://10.0.0.5:8080/v1#qwen3")]).hidden();
        for (text, shown) in [
            ("http://10.0.0.5:8080/v1#qwen3", "a"),
            ("http://10.0.0.5:8080/v1", SERVICE),
            ("http://10.0.0.5:8080", SERVICE),
        ] {
            assert!(named.contains(&(text.to_owned(), shown.to_owned())), "{named:?}");
        }
        let address = "http://10.0.0.5:8080/v1#qwen3";
        assert!(models(&[(address, address)]).hidden().is_empty());
    }
}
