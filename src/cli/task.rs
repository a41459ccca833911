//! Task files: an instruction, its documents and its model.
//!
//! A task comes with a folder that another person may have made. It can name files in that folder, and addresses on hosts
//! that the user allows. The user names further files on the command line.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use mitt::url_of;
use mitt_agent::model::{MAX_RECORDING_BYTES, ReplayModel};
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Name of the task file in a folder.
const FILE_NAME: &str = "task.yaml";

/// Largest task file, in bytes.
const MAX_BYTES: u64 = MIB;

/// A checked task.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) instruction: String,
    /// `true` if it is carried out by a plan.
    pub(super) plan: bool,
    /// Paths below the task's folder, and addresses.
    documents: Vec<PathBuf>,
    model: WireModel,
    file: PathBuf,
}

/// A document of a task.
pub(super) struct TaskDocument {
    /// Its path or address.
    pub(super) path: PathBuf,
    pub(super) source: Source,
}

/// The source of a task's document.
pub(super) enum Source {
    /// An open file below the task's folder.
    File { name: String, file: File },
    /// An address that the user may not have seen.
    Address(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    instruction: String,
    #[serde(default)]
    plan: bool,
    #[serde(default)]
    documents: Vec<PathBuf>,
    model: WireModel,
}

/// The model of a task. A task of another author can name a known service, but no address, because documents would be sent
/// there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
enum WireModel {
    /// A recording below the task's folder.
    Replay(PathBuf),
    /// A model by service and name, such as `ollama/qwen3`.
    Name(String),
}

/// The model of a task.
pub(super) enum TaskModel {
    Replay(ReplayModel),
    Named(String),
}

impl Task {
    /// The format of task files as JSON Schema, for editors.
    pub(super) const JSON_SCHEMA: &str = include_str!("task.schema.json");

    /// Reads a task from its file, or from its folder.
    pub(super) fn read(path: &Path) -> Result<Task> {
        let file = if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() };
        let wrong = |problem: String| {
            Error::new(ErrorKind::Input, format!("{}: {problem}", file.display()))
        };
        let yaml = plain_file::read(&file, MAX_BYTES).map_err(|error| {
            Error::new(ErrorKind::Input, format!("cannot read the task {}", file.display()))
                .hint(format!("name a task file, or a folder with a `{FILE_NAME}`; an instruction has more than one word"))
                .caused_by(error)
        })?;
        if yaml.len() as u64 > MAX_BYTES {
            return Err(wrong(format!("expected at most {MAX_BYTES} bytes, got more")));
        }
        let yaml = String::from_utf8(yaml).map_err(|_| wrong("expected UTF-8".to_owned()))?;
        let wire: Wire = serde_saphyr::from_str(&yaml).map_err(|error| {
            wrong(error.without_snippet().to_string())
                .hint("`mitt run --schema` prints what a task file may hold; docs/tasks.md has an example")
        })?;
        if wire.schema != 1 {
            return Err(wrong(format!("schema: expected 1, got {}", wire.schema)));
        }
        Ok(Task {
            instruction: wire.instruction,
            plan: wire.plan,
            documents: wire.documents,
            model: wire.model,
            file,
        })
    }

    /// Returns its documents: open files and addresses.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - one is not a file below the task's folder.
    pub(super) fn documents(&self) -> Result<Vec<TaskDocument>> {
        let open = |path: &PathBuf| {
            if let Some(url) = url_of(path) {
                return Ok(TaskDocument {
                    path: path.clone(),
                    source: Source::Address(url.to_owned()),
                });
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let file = self.open(
                path,
                "documents",
                "if you want it to be read, name it yourself with `--doc`",
            )?;
            Ok(TaskDocument { path: self.folder().join(path), source: Source::File { name, file } })
        };
        self.documents.iter().map(open).collect()
    }

    /// Returns its model.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the recording is not a file below the task's folder. [`ErrorKind::Model`] - it is not a
    /// recording.
    pub(super) fn model(&self) -> Result<TaskModel> {
        let replay = match &self.model {
            WireModel::Replay(replay) => replay,
            WireModel::Name(name) if name.contains("://") => {
                let message = format!(
                    "{}: model: name: expected a service and a model, such as `ollama/qwen3`, got an address",
                    self.file.display()
                );
                return Err(Error::new(ErrorKind::Input, message)
                    .hint("if the documents may go there, name it yourself with `--model`"));
            }
            WireModel::Name(name) => return Ok(TaskModel::Named(name.clone())),
        };
        let place = self.folder().join(replay);
        let wrong = |problem: String| {
            Error::new(ErrorKind::Model, format!("{}: {problem}", place.display()))
        };
        let file = self.open(replay, "model: replay", "put a copy beside the task")?;
        let text = plain_file::content(file, MAX_RECORDING_BYTES)
            .map_err(|error| wrong("it cannot be read".to_owned()).caused_by(error))?;
        if text.len() as u64 > MAX_RECORDING_BYTES {
            return Err(wrong(format!("expected at most {MAX_RECORDING_BYTES} bytes, got more")));
        }
        let text = String::from_utf8(text).map_err(|_| wrong("expected UTF-8".to_owned()))?;
        let recording = ReplayModel::from_jsonl(&text);
        recording.map(TaskModel::Replay).map_err(|error| error.at(place.display()))
    }

    /// Returns the path of its recording, if it has one.
    pub(super) fn recording(&self) -> Option<PathBuf> {
        match &self.model {
            WireModel::Replay(replay) => std::path::absolute(self.folder().join(replay)).ok(),
            WireModel::Name(_) => None,
        }
    }

    fn folder(&self) -> &Path {
        self.file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    fn open(&self, path: &Path, key: &str, way_out: &str) -> Result<File> {
        plain_file::open_beneath(self.folder(), path).map_err(|error| {
            let shown = text::one_line(&path.to_string_lossy());
            let message = format!(
                "{}: {key}: expected a file in the task's folder, no path out of it and no link, got `{shown}`",
                self.file.display()
            );
            Error::new(ErrorKind::Input, message).hint(way_out).caused_by(error)
        })
    }
}
