//! Models that a person adds while the server runs, beside the operator's. A file in the folder of the state has them, with
//! their keys, and only its owner can read it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::operator_models::{OperatorModels, provider, service_of, with_key};
use crate::model_args::ModelArgs;
use mitt::internal::write_private;
use mitt_agent::model::{ChatModel, ModelSpec};
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, plain_file, unpoisoned};
use mitt_service::run::{FoundServers, ManagedModels, ModelEntry, ModelInfo, Models, NewModel};
use mitt_service::{BodyProblem, Problem};

/// Name of the file.
const FILE: &str = "models.json";

/// Form of the file that this version reads and writes.
const SCHEMA: u32 = 1;

/// Most bytes of the file.
const MAX_BYTES: u64 = MIB;

/// Most models that are added.
const MOST_MODELS: usize = 100;

/// Most characters of a name, and most bytes of a model and of a key.
const MAX_NAME_CHARACTERS: usize = 64;
const MAX_MODEL_BYTES: usize = 2_000;
const MAX_KEY_BYTES: usize = 4_096;

/// Fewest bytes of a key that is hidden in texts. Shorter ones are placeholders for servers that need none.
const MIN_HIDDEN_BYTES: usize = 8;

/// Replaces a key in texts.
const HIDDEN: &str = "***";

/// Names that no model can have: the one of the recorded example, and a path of the interface.
const RESERVED: [&str; 2] = ["example", "found"];

/// The operator's models, and those that a person added. A change counts at once.
pub(super) struct PersonModels {
    operator: OperatorModels,
    folder: PathBuf,
    kept: RwLock<Arc<Kept>>,
    /// Held while the file is changed.
    writing: tokio::sync::Mutex<()>,
}

/// What the file has.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    schema: u32,
    /// Name of the model that a person made the default. The first one is the default without it, and if it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    #[serde(default)]
    models: Vec<KeptModel>,
}

/// A model that a person added.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct KeptModel {
    name: String,
    model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

impl PersonModels {
    /// Reads the models that were added before.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the file cannot be read. [`ErrorKind::Input`] - it has another form.
    pub(super) fn load(folder: &Path, operator: OperatorModels) -> Result<PersonModels> {
        let path = folder.join(FILE);
        let kept = match plain_file::read(&path, MAX_BYTES) {
            Ok(content) => {
                make_private(&path)?;
                read(&content).map_err(|error| error.at(path.display()))?
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Kept::none(),
            Err(error) => {
                let message = format!("the models in {} cannot be read", path.display());
                return Err(Error::new(ErrorKind::Host, message).caused_by(error));
            }
        };
        let kept = RwLock::new(Arc::new(kept));
        let (folder, writing) = (folder.to_owned(), tokio::sync::Mutex::new(()));
        Ok(PersonModels { operator, folder, kept, writing })
    }

    fn kept(&self) -> Arc<Kept> {
        unpoisoned(self.kept.read()).clone()
    }

    /// Writes the file, and then lets the change count.
    async fn save(&self, kept: Kept) -> Result<(), Problem> {
        let content = serde_json::to_vec_pretty(&kept).map_err(Error::bug)?;
        let folder = self.folder.clone();
        let written = tokio::task::spawn_blocking(move || write_private(&folder, FILE, &content));
        written.await.map_err(Error::bug)??;
        *unpoisoned(self.kept.write()) = Arc::new(kept);
        Ok(())
    }

    /// Returns the added model of this name, unless the operator has one of the same name by now.
    fn added<'a>(&self, kept: &'a Kept, name: &str) -> Option<&'a KeptModel> {
        kept.models.iter().find(|model| model.name == name && !self.operator.has(name))
    }

    /// Opens an added model, with the caller's key if there is one.
    fn open_added(&self, model: &KeptModel, key: Option<&str>) -> Result<Arc<dyn ChatModel>> {
        match key.or(model.key.as_deref()) {
            Some(key) => with_key(&model.model, key),
            None => {
                let settings = self.operator.settings();
                ModelArgs { model: None, key_file: None }.open(&model.model, settings)
            }
        }
    }

    /// Returns the entry of the model with this name; `None` if no model has it.
    fn entry(&self, name: &str) -> Option<ModelEntry> {
        ManagedModels::list(self).into_iter().find(|entry| entry.name == name)
    }

    /// Checks a model that a person wants to add.
    fn checked(&self, kept: &Kept, new: NewModel) -> Result<KeptModel, Problem> {
        let mut problems = Vec::new();
        let mut add = |pointer: &str, detail: String| {
            problems.push(BodyProblem { pointer: pointer.to_owned(), detail });
        };
        let (name, model) = (new.name.trim().to_owned(), new.model.trim().to_owned());
        let key = new.key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        let is_taken = self.operator.has(&name) || kept.models.iter().any(|it| it.name == name);
        if name.is_empty() || name.chars().any(char::is_control) {
            add("/name", "expected one line of text".to_owned());
        } else if name.chars().count() > MAX_NAME_CHARACTERS {
            add("/name", format!("expected at most {MAX_NAME_CHARACTERS} characters, got more"));
        } else if RESERVED.contains(&name.as_str()) {
            add("/name", format!("no model can have the name `{name}`"));
        } else if is_taken {
            add("/name", format!("there is a model `{name}` already"));
        } else if kept.models.len() >= MOST_MODELS {
            add("/name", format!("expected at most {MOST_MODELS} models; remove one first"));
        }
        let is_key = |key: &String| {
            key.len() <= MAX_KEY_BYTES && key.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !key.as_ref().is_none_or(is_key) {
            add("/key", "expected one line of visible ASCII characters".to_owned());
        }
        if model.len() > MAX_MODEL_BYTES {
            add("/model", format!("expected at most {MAX_MODEL_BYTES} bytes, got more"));
        } else if let Err(error) = ModelSpec::parse(&model) {
            add("/model", with_hint(&error));
        }
        if !problems.is_empty() {
            return Err(refused(problems));
        }
        let model = KeptModel { name, model, key };
        match self.open_added(&model, None) {
            Ok(_) => Ok(model),
            Err(error) => {
                // Nothing else is missing of a model whose name was read.
                let pointer = if model.key.is_none() { "/key" } else { "/model" };
                let detail = with_hint(&error);
                Err(refused(vec![BodyProblem { pointer: pointer.to_owned(), detail }]))
            }
        }
    }
}

/// Lets only its owner read the file, which has keys, and warns if others could.
///
/// # Errors
///
/// [`ErrorKind::Host`] - it stays open to others.
#[cfg(unix)]
fn make_private(path: &Path) -> Result<()> {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let failed = |error: std::io::Error| {
        let message = format!("the models in {} cannot be made private", path.display());
        Error::new(ErrorKind::Host, message).caused_by(error)
    };
    let mode = path.metadata().map_err(failed)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let file = path.display();
        tracing::warn!(%file, mode = %format_args!("{mode:o}"), "only the owner can read the keys of models now");
        set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> Result<()> {
    Ok(())
}

impl Kept {
    fn none() -> Kept {
        Kept { schema: SCHEMA, default: None, models: Vec::new() }
    }
}

fn read(content: &[u8]) -> Result<Kept> {
    let wrong = |problem: String| {
        let hint = "correct the file, or remove it and add the models again";
        Error::new(ErrorKind::Input, problem).hint(hint)
    };
    if content.len() as u64 > MAX_BYTES {
        return Err(wrong(format!("expected at most {MAX_BYTES} bytes, got more")));
    }
    // An error of the parser may quote a key.
    let kept: Kept = serde_json::from_slice(content).map_err(|error| {
        wrong(format!("expected models, line {} is of another form", error.line()))
    })?;
    match kept.schema {
        SCHEMA => Ok(kept),
        other => Err(wrong(format!("schema: expected {SCHEMA}, got {other}"))),
    }
}

fn with_hint(error: &Error) -> String {
    match error.hints().first() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

fn refused(problems: Vec<BodyProblem>) -> Problem {
    let detail = match problems.as_slice() {
        [one] => format!("{}: {}", one.pointer, one.detail),
        several => format!("the body has {} problems", several.len()),
    };
    let mut problem = Problem::new(422, "invalid_body", detail);
    problem.errors = problems;
    problem
}

/// Returns who provides an added model.
fn provider_of(model: &KeptModel) -> String {
    match provider(&model.model).as_str() {
        // A service on the network that is no preset.
        "operator" => "other".to_owned(),
        known => known.to_owned(),
    }
}

impl Models for PersonModels {
    fn list(&self) -> Vec<ModelInfo> {
        let kept = self.kept();
        let mut models = self.operator.list();
        let added = kept.models.iter().filter(|model| !self.operator.has(&model.name));
        models
            .extend(added.map(|it| ModelInfo { name: it.name.clone(), provider: provider_of(it) }));
        if let Some(default) = &kept.default
            && let Some(at) = models.iter().position(|model| model.name == *default)
        {
            models[..=at].rotate_right(1);
        }
        models
    }

    fn open(&self, name: &str, key: Option<&str>) -> Result<Arc<dyn ChatModel>> {
        match self.added(&self.kept(), name) {
            Some(model) => self.open_added(model, key),
            None => self.operator.open(name, key),
        }
    }

    fn log_name(&self, name: &str) -> String {
        match self.added(&self.kept(), name) {
            Some(model) => model.model.clone(),
            None => self.operator.log_name(name),
        }
    }

    fn service_of(&self, name: &str) -> Option<String> {
        match self.added(&self.kept(), name) {
            Some(model) => service_of(&model.model),
            None => self.operator.service_of(name),
        }
    }

    fn hidden(&self) -> Vec<(String, String)> {
        let kept = self.kept();
        let mut hidden = self.operator.hidden();
        // What is part of a name for clients is known to them.
        hidden.retain(|(text, _)| !kept.models.iter().any(|it| it.name.contains(text)));
        let keys = kept.models.iter().filter_map(|model| model.key.as_ref());
        let keys = keys.filter(|key| key.len() >= MIN_HIDDEN_BYTES);
        hidden.extend(keys.map(|key| (key.clone(), HIDDEN.to_owned())));
        hidden
    }

    fn managed(&self) -> Option<&dyn ManagedModels> {
        Some(self)
    }
}

#[async_trait]
impl ManagedModels for PersonModels {
    fn list(&self) -> Vec<ModelEntry> {
        let kept = self.kept();
        let mut entries = Vec::new();
        for (index, ModelInfo { name, provider }) in Models::list(self).into_iter().enumerate() {
            let added = self.added(&kept, &name);
            let problem = self.open(&name, None).err().map(|error| with_hint(&error));
            entries.push(ModelEntry {
                model: added.map(|it| it.model.clone()),
                provider,
                is_default: index == 0,
                managed: added.is_some(),
                has_key: added.is_some_and(|it| it.key.is_some()),
                problem,
                name,
            });
        }
        // They can be removed.
        let shadowed = kept.models.iter().filter(|model| self.operator.has(&model.name));
        entries.extend(shadowed.map(|it| ModelEntry {
            name: it.name.clone(),
            model: Some(it.model.clone()),
            provider: provider_of(it),
            is_default: false,
            managed: true,
            has_key: it.key.is_some(),
            problem: Some("the operator has a model of this name, which is used".to_owned()),
        }));
        entries
    }

    async fn add(&self, new: NewModel) -> Result<ModelEntry, Problem> {
        let _one_at_a_time = self.writing.lock().await;
        let mut kept = Kept::clone(&self.kept());
        let is_default = new.is_default;
        let model = self.checked(&kept, new)?;
        let name = model.name.clone();
        if is_default {
            kept.default = Some(name.clone());
        }
        kept.models.push(model);
        self.save(kept).await?;
        self.entry(&name).ok_or_else(|| Problem::not_found("model", &name))
    }

    async fn remove(&self, name: &str) -> Result<(), Problem> {
        let _one_at_a_time = self.writing.lock().await;
        let mut kept = Kept::clone(&self.kept());
        let before = kept.models.len();
        kept.models.retain(|model| model.name != name);
        if kept.models.len() == before {
            return Err(if self.operator.has(name) {
                Problem::conflict("not_managed", "this model is the operator's")
                    .hint("the operator removes it where the server is started")
            } else {
                Problem::not_found("model", name)
            });
        }
        if !self.operator.has(name) {
            kept.default.take_if(|default| default == name);
        }
        self.save(kept).await
    }

    async fn set_default(&self, name: &str, is_default: bool) -> Result<ModelEntry, Problem> {
        let _one_at_a_time = self.writing.lock().await;
        let mut kept = Kept::clone(&self.kept());
        if self.added(&kept, name).is_none() && !self.operator.has(name) {
            return Err(Problem::not_found("model", name));
        }
        if is_default {
            kept.default = Some(name.to_owned())
        } else {
            drop(kept.default.take_if(|default| default == name))
        }
        self.save(kept).await?;
        self.entry(name).ok_or_else(|| Problem::not_found("model", name))
    }

    async fn find(&self) -> FoundServers {
        found_servers().await
    }
}

#[cfg(feature = "models")]
async fn found_servers() -> FoundServers {
    use mitt_agent::model::http::{LOCAL_SERVICES, local_servers_within};
    use mitt_service::run::FoundServer;

    /// Time in which a server on this machine answers.
    const TIME: std::time::Duration = std::time::Duration::from_millis(500);

    let mut found = Vec::new();
    for server in local_servers_within(TIME).await {
        let prefix = format!("{}/", server.service);
        let name = |model: &String| model.strip_prefix(&prefix).unwrap_or(model).to_owned();
        let models = server.models.iter().map(name).collect();
        found.push(FoundServer { provider: server.service, address: server.base_url, models });
    }
    FoundServers { found, checked: LOCAL_SERVICES.map(str::to_owned).to_vec() }
}

#[cfg(not(feature = "models"))]
async fn found_servers() -> FoundServers {
    FoundServers::default()
}

#[cfg(all(test, feature = "models"))]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn models(folder: &Path, operator: &[&str]) -> PersonModels {
        let operator: Vec<String> = operator.iter().map(|it| (*it).to_owned()).collect();
        let operator = OperatorModels::new(&operator, &Settings::default()).unwrap();
        PersonModels::load(folder, operator).unwrap()
    }

    fn new(name: &str, model: &str, key: Option<&str>) -> NewModel {
        let key = key.map(str::to_owned);
        NewModel { name: name.to_owned(), model: model.to_owned(), key, is_default: false }
    }

    fn names(models: &PersonModels) -> Vec<String> {
        Models::list(models).into_iter().map(|model| model.name).collect()
    }

    async fn pointers(models: &PersonModels, new: NewModel) -> Vec<String> {
        let problem = models.add(new).await.unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (422, "invalid_body"));
        problem.errors.iter().map(|it| it.pointer.clone()).collect()
    }

    const LOCAL: &str = "http://127.0.0.1:9/v1#m";

    #[tokio::test]
    async fn models_are_added_made_the_default_and_removed_for_good() {
        let folder = tempfile::tempdir().unwrap();
        let one = models(folder.path(), &["fast=ollama/qwen3"]);
        let added = one.add(new("mine", LOCAL, Some(" sk-secret-123 "))).await.unwrap();
        let expected = ModelEntry {
            name: "mine".to_owned(),
            model: Some(LOCAL.to_owned()),
            provider: "local".to_owned(),
            is_default: false,
            managed: true,
            has_key: true,
            problem: None,
        };
        assert_eq!(added, expected);
        assert_eq!(names(&one), ["fast", "mine"]);
        assert!(one.set_default("mine", true).await.unwrap().is_default);
        assert_eq!(names(&one), ["mine", "fast"]);
        assert_eq!(one.open("mine", None).unwrap().name(), LOCAL);
        assert_eq!(one.log_name("mine"), LOCAL);
        assert_eq!(one.service_of("mine").as_deref(), Some("http://127.0.0.1:9"));
        // Another start finds them.
        let again = models(folder.path(), &["fast=ollama/qwen3"]);
        assert_eq!(names(&again), ["mine", "fast"]);
        assert!(again.hidden().contains(&("sk-secret-123".to_owned(), HIDDEN.to_owned())));
        let listed = serde_json::to_string(&ManagedModels::list(&again)).unwrap();
        assert!(!listed.contains("sk-secret-123"), "{listed}");
        assert!(!again.set_default("mine", false).await.unwrap().is_default);
        again.set_default("fast", true).await.unwrap();
        assert_eq!(again.remove("fast").await.unwrap_err().status, 409);
        assert_eq!(again.remove("none").await.unwrap_err().status, 404);
        assert_eq!(again.set_default("none", true).await.unwrap_err().status, 404);
        again.remove("mine").await.unwrap();
        assert_eq!(names(&again), ["fast"]);
        assert!(again.open("mine", None).is_err());
        let file = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(!file.contains("sk-secret-123"), "{file}");
    }

    #[tokio::test]
    async fn a_model_that_cannot_be_used_is_refused_with_its_field() {
        let folder = tempfile::tempdir().unwrap();
        let models = models(folder.path(), &["fast=ollama/qwen3"]);
        models.add(new("mine", LOCAL, None)).await.unwrap();
        for (name, model, key, expected) in [
            ("fast", LOCAL, None, "/name"),
            ("mine", LOCAL, None, "/name"),
            (" ", LOCAL, None, "/name"),
            ("a\nb", LOCAL, None, "/name"),
            ("example", LOCAL, None, "/name"),
            ("found", LOCAL, None, "/name"),
            ("other", "olama/qwen3", None, "/model"),
            ("other", "recording model.jsonl", None, "/model"),
            ("other", "http://u:secret@a.example#m", None, "/model"),
            ("other", LOCAL, Some("a b"), "/key"),
            ("other", LOCAL, Some("schlüssel"), "/key"),
        ] {
            let found = pointers(&models, new(name, model, key)).await;
            assert_eq!(found, [expected], "{name} {model}");
        }
        let long = "x".repeat(MAX_NAME_CHARACTERS + 1);
        assert_eq!(pointers(&models, new(&long, "olama/m", None)).await, ["/name", "/model"]);
        assert_eq!(names(&models), ["fast", "mine"]);
    }

    #[tokio::test]
    async fn a_model_of_the_operator_comes_before_an_added_one_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let before = models(folder.path(), &[]);
        before.add(NewModel { is_default: true, ..new("fast", LOCAL, None) }).await.unwrap();
        let after = models(folder.path(), &["slow=ollama/a", "fast=ollama/b"]);
        assert_eq!(names(&after), ["fast", "slow"], "the default is known by its name");
        assert_eq!(after.log_name("fast"), "ollama/b");
        let entries = ManagedModels::list(&after);
        assert_eq!(entries.iter().map(|it| it.managed).collect::<Vec<_>>(), [false, false, true]);
        assert!(entries[2].problem.is_some());
        after.remove("fast").await.unwrap();
        assert_eq!(ManagedModels::list(&after).len(), 2);
        assert_eq!(names(&after), ["fast", "slow"]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_the_owner_can_read_the_keys() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        models(folder.path(), &[]).add(new("mine", LOCAL, Some("sk-1"))).await.unwrap();
        let file = folder.path().join(FILE);
        let mode = || file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        // As a copy or an archive may have left it.
        for (found, expected) in [(0o644, 0o600), (0o660, 0o600), (0o400, 0o400)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(found)).unwrap();
            assert_eq!(names(&models(folder.path(), &[])), ["mine"]);
            assert_eq!(mode(), expected, "{found:o}");
        }
    }

    #[test]
    fn a_damaged_file_is_refused_without_its_keys() {
        let folder = tempfile::tempdir().unwrap();
        let operator = || OperatorModels::new(&[], &Settings::default()).unwrap();
        for (content, problem) in [
            ("{", "is of another form"),
            (r#"{"schema": 1, "models": [{"name": "a", "model": "b", "keys": "sk-1"}]}"#, "form"),
            (r#"{"schema": 2}"#, "schema: expected 1, got 2"),
        ] {
            std::fs::write(folder.path().join(FILE), content).unwrap();
            let Err(error) = PersonModels::load(folder.path(), operator()) else {
                panic!("{content}");
            };
            let error = error.render();
            assert!(error.contains(problem) && !error.contains("sk-1"), "{error}");
        }
    }
}
