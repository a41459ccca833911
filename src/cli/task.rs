//! Task files: an instruction, its documents and its model.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Error, ErrorKind, Result};

/// Name of the task file in a folder.
const FILE_NAME: &str = "task.yaml";

/// A checked task. Paths are relative to the working directory, not to the file any more.
pub(super) struct Task {
    pub(super) instruction: String,
    pub(super) documents: Vec<PathBuf>,
    /// The recording to follow.
    pub(super) replay: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    instruction: String,
    #[serde(default)]
    documents: Vec<PathBuf>,
    model: WireModel,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireModel {
    replay: PathBuf,
}

impl Task {
    /// Read a task from its file, or from the folder that holds it.
    pub(super) fn read(path: &Path) -> Result<Task> {
        let file = if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() };
        let yaml = std::fs::read_to_string(&file).map_err(|error| {
            Error::new(ErrorKind::Input, format!("cannot read the task {}", file.display()))
                .hint(format!("name a task file, or a folder with a `{FILE_NAME}`"))
                .caused_by(error)
        })?;
        let wrong = |problem: String| {
            Error::new(ErrorKind::Input, format!("{}: {problem}", file.display()))
        };
        let wire: Wire = serde_saphyr::from_str(&yaml)
            .map_err(|error| wrong(error.without_snippet().to_string()))?;
        if wire.schema != 1 {
            return Err(wrong(format!("schema: 1 expected, got {}", wire.schema)));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        Ok(Task {
            instruction: wire.instruction,
            documents: wire.documents.iter().map(|document| folder.join(document)).collect(),
            replay: folder.join(wire.model.replay),
        })
    }
}
