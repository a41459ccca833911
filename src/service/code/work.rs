//! One session of Mitt with the files of a sandbox: loads them, runs scripts, and finds what they wrote.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::outcome;
use super::prelude::{PROBE, Prelude};
use super::records::Records;
use super::state::{
    SandboxFile, Script, ScriptResult, file_name, media_type, name_of, workspace_name,
};
use crate::problem::Problem;
use mitt::skill::ToolFilter;
use mitt::value::Json;
use mitt::{Artifact, CallOptions, CallReport, Host, Session, SessionOptions};
use mitt_base::ErrorKind;

/// Largest source text of a script in bytes.
const MOST_CODE_BYTES: usize = 512 * 1024;

/// Largest file in bytes that is read into memory for a script.
const MOST_FILE_BYTES: u64 = 128 * 1024 * 1024;

/// The engine for which the prelude is written.
pub(super) const PYTHON: &str = "python";

/// The engine of scripts in JavaScript and TypeScript.
pub(super) const JAVASCRIPT: &str = "javascript";

/// Texts of scripts which use documents: these, and the names of skills.
const DOCUMENTS: [&str; 2] = ["documents", "mitt"];

/// A session with files.
pub(super) struct Work {
    session: Session,
    /// Files by their names.
    files: BTreeMap<String, Loaded>,
    /// Digests of files that are documents, by their names. A document cannot be replaced or removed.
    documents: BTreeMap<String, String>,
    /// `true` if the prelude ran in the interpreter that stays.
    is_ready: bool,
}

/// A file in the session.
struct Loaded {
    sha256: String,
    /// Content in the workspace; `None` if it does not fit there.
    content: Option<Arc<Vec<u8>>>,
}

/// A file that a script wrote or a tool delivered.
pub(super) struct Written {
    pub(super) name: String,
    pub(super) media_type: String,
    pub(super) content: Vec<u8>,
}

/// What a script changed.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) written: Vec<Written>,
    /// Names of those that tools delivered.
    pub(super) delivered: Vec<String>,
    pub(super) deleted: Vec<String>,
    pub(super) left_out: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl Work {
    /// Opens a session without files.
    pub(super) fn open(host: &Host, tenant: &str) -> Result<Work, Problem> {
        let session = host.session(SessionOptions {
            tenant: Some(tenant.to_owned()),
            keeps_sources: true,
            ..SessionOptions::default()
        })?;
        Ok(Work::of(session))
    }

    /// Returns a session that somebody else opened. Files that it has count as written by the next script.
    pub(super) fn of(session: Session) -> Work {
        let (files, documents) = (BTreeMap::new(), BTreeMap::new());
        Work { session, files, documents, is_ready: false }
    }

    /// Takes the tools of other servers away from scripts. A script that is run again for each round would call them again,
    /// and their effects are not undone.
    pub(super) fn leave_other_servers(&mut self) {
        let none: [String; 0] = [];
        self.session = self.session.for_agent(ToolFilter::new().servers(none));
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Returns `true` if a script may use files as documents: it names them, or a skill whose tools may.
    pub(super) fn uses_documents(&self, code: &str) -> bool {
        let is_named = |name: &str| code.contains(&name.replace('-', "_"));
        DOCUMENTS.iter().any(|it| code.contains(it))
            || self.session.registry().skills().any(|skill| {
                let manifest = skill.manifest();
                manifest.reader().is_none() && manifest.name != PYTHON && is_named(&manifest.name)
            })
    }

    /// Returns `true` if documents of the session are no longer what the sandbox has.
    pub(super) fn has_old_documents(&self, files: &[SandboxFile]) -> bool {
        let is_there = |(name, sha256): (&String, &String)| {
            files.iter().any(|it| it.name == *name && it.sha256 == *sha256)
        };
        !self.documents.iter().all(is_there)
    }

    /// Returns `true` if the session has no files.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Makes the files of the session those of the sandbox. Returns warnings about files that could not be loaded: documents
    /// only if `code`, which is to run, names them.
    pub(super) async fn load(
        &mut self,
        (records, tenant): (&Records, &str),
        files: &[SandboxFile],
        (code, as_documents): (&str, bool),
    ) -> Result<Vec<String>, Problem> {
        let mut warnings = Vec::new();
        let gone = |name: &String| !files.iter().any(|it| it.name == *name);
        let names: Vec<String> = self.files.keys().filter(|it| gone(it)).cloned().collect();
        for name in names {
            // A script may have removed it already.
            let _ = self.session.remove_workspace_file(&workspace_name(&name));
            self.files.remove(&name);
        }
        for file in files {
            let is_loaded = self.files.get(&file.name).is_some_and(|it| it.sha256 == file.sha256);
            let is_document = self.documents.get(&file.name).is_some_and(|it| *it == file.sha256);
            if is_loaded && (is_document || !as_documents) {
                continue;
            }
            if file.size > MOST_FILE_BYTES {
                warnings.push(format!(
                    "expected files of at most {MOST_FILE_BYTES} bytes, got {} in `{}`; scripts do not see it",
                    file.size, file.name
                ));
                continue;
            }
            let bytes = records.content(tenant, file).await?;
            if as_documents && !is_document {
                let warning = self.add_document(file, &bytes).await?;
                warnings.extend(warning.filter(|_| code.contains(&file.name)));
                self.documents.insert(file.name.clone(), file.sha256.clone());
            }
            let content = match loaded_content(&self.files, file) {
                Some(content) => Some(content),
                None => match self.session.write_workspace_file(&workspace_name(&file.name), bytes)
                {
                    Ok(content) => Some(content),
                    Err(error) => {
                        warnings.push(format!("`open` does not find `{}`: {error}", file.name));
                        None
                    }
                },
            };
            let entry = Loaded { sha256: file.sha256.clone(), content };
            self.files.insert(file.name.clone(), entry);
        }
        Ok(warnings)
    }

    /// Adds a file to the documents. A file that no reader knows is for `open` only, which is no problem.
    async fn add_document(
        &self,
        file: &SandboxFile,
        bytes: &[u8],
    ) -> Result<Option<String>, Problem> {
        let name = file.name.rsplit('/').next().unwrap_or(&file.name);
        match Box::pin(self.session.add_document_bytes(name, bytes.to_vec())).await {
            Ok(_) => Ok(None),
            Err(error) => match error.kind() {
                ErrorKind::Host | ErrorKind::Busy { .. } => Err(error.into()),
                _ => Ok(Some(format!("`{}` is not among the documents: {error}", file.name))),
            },
        }
    }

    /// Runs a script, and returns its result without files, and the files that its tools delivered.
    pub(super) async fn run(
        &mut self,
        engine: &str,
        script: &Script,
        prelude: &Prelude,
    ) -> Result<(ScriptResult, Vec<Artifact>), Problem> {
        if script.code.len() > MOST_CODE_BYTES {
            let detail = format!(
                "a script has at most {MOST_CODE_BYTES} bytes, and this one has {}",
                script.code.len()
            );
            return Err(Problem::new(413, "too_large", detail).hint("upload data as a file"));
        }
        let mut warnings = Vec::new();
        let mut stays = script.keeps_variables;
        if engine == PYTHON {
            let source = if script.keeps_variables {
                warnings.extend(self.ended().await?);
                if self.is_ready { None } else { Prelude::whole().source() }
            } else {
                prelude.source()
            };
            if let Some(source) = source {
                stays = true;
                let (prepared, _) = self.call(engine, &source, None, true).await?;
                if prepared.failure.is_some() {
                    return Ok((prepared, Vec::new()));
                }
                self.is_ready = script.keeps_variables;
            }
        }
        let (mut result, artifacts) = self.call(engine, &script.code, Some(script), stays).await?;
        if outcome::ended_interpreter(&result) {
            self.is_ready = false;
        }
        result.warnings.extend(warnings);
        Ok((result, artifacts))
    }

    /// Runs the prelude in the interpreter that stays, unless it ran there. Returns a warning if variables are gone.
    pub(super) async fn prepare(&mut self) -> Result<Option<String>, Problem> {
        let warning = self.ended().await?;
        if !self.is_ready
            && let Some(source) = Prelude::whole().source()
        {
            let (prepared, _) = self.call(PYTHON, &source, None, true).await?;
            if prepared.failure.is_some() {
                let detail = format!("the interpreter cannot be prepared: {}", prepared.stderr);
                return Err(Problem::new(503, "busy", detail));
            }
            self.is_ready = true;
        }
        Ok(warning)
    }

    /// Looks whether the interpreter that stays is the one in which the prelude ran. Returns a warning if it was ended.
    async fn ended(&mut self) -> Result<Option<String>, Problem> {
        if !self.is_ready {
            return Ok(None);
        }
        let (result, _) = self.call(PYTHON, PROBE, None, true).await?;
        self.is_ready = result.result.as_deref() == Some("true");
        let is_gone = !self.is_ready;
        Ok(is_gone.then(|| "the variables of earlier scripts are gone".to_owned()))
    }

    /// Returns how a script of the session ended: its failure.
    pub(super) fn failure_of(&self, report: &CallReport) -> Option<String> {
        match &report.result {
            Ok(outcome) => outcome::result(outcome, &self.session).failure,
            Err(_) => Some("sandbox_error".to_owned()),
        }
    }

    async fn call(
        &self,
        engine: &str,
        code: &str,
        script: Option<&Script>,
        stays: bool,
    ) -> Result<(ScriptResult, Vec<Artifact>), Problem> {
        let tool = self.session.script_tool(engine)?;
        let state = if stays { "session" } else { "one-shot" };
        let mut arguments = json!({ "code": code, "language": engine, "state": state });
        let mut options = CallOptions::new();
        if let Some(script) = script {
            options = options.arguments(script.arguments.iter().cloned());
            options.max_time = script.time;
            if !script.inputs.is_empty() {
                arguments["inputs"] = Value::Object(script.inputs.clone());
            }
        }
        let arguments = arguments.to_string();
        let call = self.session.call_with(tool.as_str(), &arguments, options);
        let CallReport { result, artifacts, .. } = Box::pin(call).await;
        let outcome: Json = result?;
        Ok((outcome::result(&outcome, &self.session), artifacts))
    }

    /// Returns what changed since the files were loaded.
    pub(super) fn changes(&self, artifacts: &[Artifact]) -> Changes {
        let mut changes = Changes::default();
        let now = self.session.workspace_files();
        for (stored, content) in &now {
            let Some(name) = name_of(stored) else { continue };
            let before = self.files.get(&name).and_then(|it| it.content.as_ref());
            if before.is_some_and(|it| Arc::ptr_eq(it, content) || it == content) {
                continue;
            }
            match self.session.outgoing_workspace_file(stored) {
                Ok(file) => {
                    changes
                        .warnings
                        .extend(file.warnings.iter().map(|it| format!("`{name}`: {it}")));
                    changes.add(name_of(&file.name).unwrap_or(name), None, file.content);
                }
                Err(error) => changes.left_out.push(error.to_string()),
            }
        }
        for artifact in artifacts {
            match self.session.artifact_content(&artifact.name) {
                Ok(content) => {
                    changes.written.retain(|it| it.name != artifact.name);
                    changes.delivered.push(artifact.name.clone());
                    changes.add(artifact.name.clone(), Some(&artifact.media_type), content);
                }
                Err(error) => changes.left_out.push(error.to_string()),
            }
        }
        let is_gone = |name: &str| !now.iter().any(|(stored, _)| *stored == workspace_name(name));
        let loaded = self.files.iter().filter(|(_, loaded)| loaded.content.is_some());
        changes.deleted =
            loaded.map(|(name, _)| name).filter(|name| is_gone(name)).cloned().collect();
        changes
    }

    /// Notes that files of the session are in the sandbox now. Files that tools delivered become files that `open` finds.
    pub(super) fn settle(
        &mut self,
        kept: &[SandboxFile],
        delivered: &[String],
        deleted: &[String],
    ) {
        for name in deleted {
            self.files.remove(name);
        }
        let mut now: BTreeMap<String, Arc<Vec<u8>>> =
            self.session.workspace_files().into_iter().collect();
        for file in kept {
            let stored = workspace_name(&file.name);
            if delivered.contains(&file.name)
                && let Ok(content) = self.session.artifact_content(&file.name)
                && let Ok(content) = self.session.write_workspace_file(&stored, content)
            {
                now.insert(stored.clone(), content);
            }
            let (sha256, content) = (file.sha256.clone(), now.get(&stored).cloned());
            self.files.insert(file.name.clone(), Loaded { sha256, content });
        }
    }
}

impl Changes {
    fn add(&mut self, name: String, given: Option<&str>, content: Vec<u8>) {
        match file_name(&name) {
            Ok(name) => {
                let media_type = given.unwrap_or_else(|| media_type(&name)).to_owned();
                self.written.push(Written { name, media_type, content });
            }
            Err(problem) => self.left_out.push(format!("`{name}`: {}", problem.detail)),
        }
    }
}

fn loaded_content(files: &BTreeMap<String, Loaded>, file: &SandboxFile) -> Option<Arc<Vec<u8>>> {
    files.get(&file.name).filter(|it| it.sha256 == file.sha256)?.content.clone()
}
