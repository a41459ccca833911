//! Shared code of commands that open a session, and `mitt call`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};

use super::addresses::Addresses;
use super::folders::expand;
use super::pictures::{give, picture};
use super::{host_with_limits, read_text};
use crate::args::{Call, Global, Password};
use crate::exit_code::exit_code;
use crate::interrupt::unless_interrupted;
use crate::output::{Output, error_json, note};
use crate::password;
use crate::progress::Progress;
use crate::settings::DEFAULT_OUT;
use crate::signing;
use crate::task::{Source, TaskDocument};
use mitt::render::SheetRows;
use mitt::{
    Artifact, CallReport, Document, DocumentOptions, Host, Session, SessionLimits, SessionOptions,
    url_of,
};
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// The default name of standard input.
const STDIN: &str = "stdin";

pub(super) struct Work {
    pub(super) session: Session,
    pub(super) progress: Progress,
    addresses: Addresses,
    /// The user's options for documents.
    options: DocumentOptions,
    /// The default output folder, if it cannot be written; everything is then in memory.
    unwritable: Option<PathBuf>,
}

impl Work {
    pub(super) async fn open(
        global: &Global,
        folder: Option<&Path>,
        output: &Output,
    ) -> Result<Work> {
        Work::open_with(global, output, |options, _| {
            options.folder = folder.map(Path::to_owned);
        })
        .await
    }

    /// Does what [`Work::open`] does; `set` changes the session's options.
    pub(super) async fn open_with(
        global: &Global,
        output: &Output,
        set: impl FnOnce(&mut SessionOptions, &Progress),
    ) -> Result<Work> {
        Work::with_limits(global, SessionLimits::default(), output, set).await
    }

    /// Does what [`Work::open_with`] does, with these session limits.
    pub(super) async fn with_limits(
        global: &Global,
        limits: SessionLimits,
        output: &Output,
        set: impl FnOnce(&mut SessionOptions, &Progress),
    ) -> Result<Work> {
        let addresses = Addresses::of(global)?;
        let host = host_with_limits(global, limits, &addresses)?;
        let progress = Progress::new(output.is_quiet());
        let mut options = SessionOptions {
            events: Some(progress.sink()),
            keeps_sources: true,
            ..SessionOptions::default()
        };
        set(&mut options, &progress);
        let (session, unwritable) = opened(&host, options)?;
        let options = DocumentOptions::default();
        Ok(Work { session, progress, addresses, options, unwritable })
    }

    /// Sets the password for documents that need one, from the first line of a file.
    ///
    /// # Errors
    ///
    /// Those of [`password::options`].
    pub(super) fn with_password(mut self, password: &Password) -> Result<Work> {
        self.options = password::options(password)?;
        Ok(self)
    }

    /// Reads files, and all files in folders.
    ///
    /// # Errors
    ///
    /// Those of [`expand`] and [`Work::add_file`].
    pub(super) async fn add_files(&self, docs: &[PathBuf]) -> Result<()> {
        for path in &expand(docs)? {
            self.add_file(path).await?;
        }
        Ok(())
    }

    /// Reads files like [`Work::add_files`], and keeps pictures for the tools too. A picture whose text nothing recognises is no
    /// error, because a tool may put it into a file.
    ///
    /// # Errors
    ///
    /// Those of [`Work::add_files`], and of [`picture`].
    pub(super) async fn add_files_and_pictures(&self, files: &[PathBuf]) -> Result<()> {
        for path in &expand(files)? {
            let picture = match url_of(path) {
                Some(_) => None,
                None => picture(path)?,
            };
            if let Some(picture) = &picture {
                give(&self.session, path, picture);
            }
            match self.add_file(path).await {
                Err(error) if picture.is_some() && error.input_problem() == Some("needs-ocr") => {
                    note(&format!("{}: kept as a picture, without its text", path.display()));
                }
                read => drop(read?),
            }
        }
        Ok(())
    }

    /// Opens a fresh session with the same options.
    ///
    /// # Errors
    ///
    /// Those of [`Host::session`].
    pub(super) fn again(&self) -> Result<Work> {
        let (progress, addresses) = (self.progress.clone(), self.addresses.clone());
        let options = SessionOptions {
            events: Some(progress.sink()),
            keeps_sources: true,
            ..SessionOptions::default()
        };
        let session = self.session.host().session(options)?;
        Ok(Work { session, progress, addresses, options: self.options.clone(), unwritable: None })
    }

    /// Reads a file or the content of an address.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document`] and [`Session::add_document_url`].
    pub(super) async fn document(
        &self,
        path: &Path,
        options: &DocumentOptions,
    ) -> Result<Arc<Document>> {
        let Some(url) = url_of(path) else {
            return self.session.add_document_with(path, options).await;
        };
        let mut options = options.clone();
        options.fetch = self.addresses.typed(url);
        self.session.add_document_url(url, &options).await
    }

    /// Reads a file and adds it to the documents. Asks the person at the terminal for its password if it needs one.
    pub(super) async fn add_file(&self, path: &Path) -> Result<Arc<Document>> {
        self.add_with_password(path, &self.options).await
    }

    /// Does what [`Work::add_file`] does for a file that only tools use: its text is not read.
    pub(super) async fn add_for_tools(&self, path: &Path) -> Result<Arc<Document>> {
        let mut options = self.options.clone();
        options.without_text = true;
        self.add_with_password(path, &options).await
    }

    /// Does what [`Work::add_file`] does for a file that was already read.
    pub(super) async fn add_bytes(
        &self,
        path: &Path,
        name: &str,
        content: Vec<u8>,
    ) -> Result<Arc<Document>> {
        let read = async |options: DocumentOptions| {
            self.session.add_document_bytes_with(name, content.clone(), &options).await
        };
        password::retry_with_password(path, &self.options, &self.progress, read).await
    }

    async fn add_with_password(
        &self,
        path: &Path,
        options: &DocumentOptions,
    ) -> Result<Arc<Document>> {
        let read = async |options: DocumentOptions| self.document(path, &options).await;
        password::retry_with_password(path, options, &self.progress, read).await
    }

    /// Returns an error that lists the files that could not be written.
    pub(super) fn lost(&self) -> Option<Error> {
        let folder = self.unwritable.as_ref()?;
        let names: Vec<_> = self.session.artifacts().into_iter().map(|it| it.name).collect();
        if names.is_empty() {
            return None;
        }
        let message = format!("cannot write {} to {}", names.join(", "), folder.display());
        Some(
            Error::new(ErrorKind::Host, message)
                .hint("name a folder that you may write to with `--out`"),
        )
    }

    /// Reads a file, or standard input for `-`, as `name`. Asks the person at the terminal for the password of a file.
    pub(super) async fn read(
        &self,
        file: &Path,
        name: Option<&str>,
        options: &DocumentOptions,
    ) -> Result<Arc<Document>> {
        if file == Path::new("-") {
            self.read_unasked(file, name, options).await
        } else {
            self.add_with_password(file, options).await
        }
    }

    /// Does what [`Work::read`] does without asking for a password.
    pub(super) async fn read_unasked(
        &self,
        file: &Path,
        name: Option<&str>,
        options: &DocumentOptions,
    ) -> Result<Arc<Document>> {
        if file != Path::new("-") {
            let read = self.document(file, options).await;
            return read.map_err(|error| password::locked(error, options));
        }
        // One byte more, so that a longer input is detected.
        let most = self.session.host().session_limits().document_bytes.saturating_add(1);
        let mut content = Vec::new();
        std::io::stdin().lock().take(most).read_to_end(&mut content).map_err(|error| {
            Error::new(ErrorKind::Input, "cannot read standard input").caused_by(error)
        })?;
        let (name, unnamed) = name.map_or((STDIN, true), |name| (name, false));
        let read = self.session.add_document_bytes_with(name, content, options).await;
        read.map_err(|error| password::locked(error, options)).map_err(|error| {
            if unnamed {
                error
                    .at("standard input")
                    .hint("say what it is with `--name`, such as `--name sales.csv`")
            } else {
                error.at("standard input")
            }
        })
    }

    /// Returns why there is no folder, for commands whose results are always files.
    pub(super) fn no_folder(&self) -> Option<Error> {
        let folder = self.unwritable.as_ref()?;
        let message = format!("cannot write to the folder {}", folder.display());
        Some(
            Error::new(ErrorKind::Host, message)
                .hint("name a folder that you may write to with `--out`"),
        )
    }

    /// Reads a document of a task. The user did not type its address, so it is fetched only from allowed hosts.
    pub(super) async fn add(&self, document: TaskDocument) -> Result<Arc<Document>> {
        let TaskDocument { path, source } = document;
        let (name, file) = match source {
            Source::File { name, file } => (name, file),
            Source::Address(url) => {
                let read = async |options: DocumentOptions| {
                    self.session.add_document_url(&url, &options).await
                };
                let read =
                    password::retry_with_password(&path, &self.options, &self.progress, read).await;
                return read.map_err(|error| match error.input_problem() {
                    Some("fetch-refused") => error.hint(
                        "addresses in a task are fetched from hosts that you allow with `--fetch-host`; or name it yourself with `--doc`",
                    ),
                    _ => error,
                });
            }
        };
        let most = self.session.host().session_limits().document_bytes;
        let at = |error: Error| error.at(path.display());
        let bytes = plain_file::content(file, most).map_err(|error| {
            at(Error::new(ErrorKind::Input, "it cannot be read").caused_by(error))
        })?;
        self.add_bytes(&path, &name, bytes).await.map_err(at)
    }

    /// Returns the path of a session's file, as the user would write it.
    pub(super) fn path(&self, artifact: &Artifact) -> String {
        self.path_of(&artifact.name)
    }

    /// Returns the path of the file with this name.
    pub(super) fn path_of(&self, name: &str) -> String {
        self.session.folder().unwrap_or(Path::new("")).join(name).display().to_string()
    }

    /// Prints the paths of the session's files, and of those in `delivered` that a killed process had made before.
    pub(super) fn print_files<'n>(
        &self,
        delivered: impl Iterator<Item = &'n String>,
        output: &Output,
    ) -> Result<()> {
        self.file_paths(delivered).iter().try_for_each(|path| output.data_line(path))
    }

    /// Returns the paths of the session's files, and of further files that an earlier process delivered.
    pub(super) fn file_paths<'n>(
        &self,
        delivered: impl Iterator<Item = &'n String>,
    ) -> Vec<String> {
        let names: Vec<_> = self.session.artifacts().into_iter().map(|it| it.name).collect();
        let mut paths: Vec<_> = names.iter().map(|name| self.path_of(name)).collect();
        paths.extend(delivered.filter(|name| !names.contains(name)).map(|name| self.path_of(name)));
        paths
    }

    /// Returns the paths of all files of the session.
    pub(super) fn paths(&self) -> Vec<String> {
        self.session.artifacts().iter().map(|artifact| self.path(artifact)).collect()
    }

    pub(super) fn artifacts(&self) -> Vec<Value> {
        self.session
            .artifacts()
            .iter()
            .map(|artifact| artifact_json(artifact, &self.path(artifact)))
            .collect()
    }
}

/// Returns an absolute location, which does not depend on the working folder.
pub(super) fn lasting(path: &Path) -> Option<PathBuf> {
    match url_of(path) {
        Some(_) => Some(path.to_owned()),
        None => std::path::absolute(path).ok(),
    }
}

/// Opens a session. If the default folder cannot be written, the session is in memory, because much work writes no files.
fn opened(host: &Host, options: SessionOptions) -> Result<(Session, Option<PathBuf>)> {
    let default = options.folder.clone().filter(|folder| folder == Path::new(DEFAULT_OUT));
    let (error, folder) = match (host.session(options.clone()), default) {
        (Ok(session), _) => return Ok((session, None)),
        (Err(error), Some(folder)) if is_unwritable(&error) => (error, folder),
        (Err(error), _) => return Err(error),
    };
    let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    note(&format!(
        "warning: cannot write to the folder {} ({cause}): no journal is kept, and no files can be delivered",
        folder.display()
    ));
    let session = host.session(SessionOptions { folder: None, ..options })?;
    Ok((session, Some(folder)))
}

/// Returns `true` if the system does not allow this user to write there, regardless of what exists there.
fn is_unwritable(error: &Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|it| it.downcast_ref::<std::io::Error>());
    let kinds = [std::io::ErrorKind::PermissionDenied, std::io::ErrorKind::ReadOnlyFilesystem];
    cause.is_some_and(|cause| kinds.contains(&cause.kind()))
}

/// Prints text to standard error. Errors are ignored: they could not be reported anywhere.
pub(super) fn eprint_text(text: &str) {
    if !text.is_empty() {
        note(text.trim_end_matches('\n'));
    }
}

/// `mitt call`
pub(crate) async fn call(global: &Global, command: Call, output: &Output) -> Result<ExitCode> {
    let is_wave = command.is_wave();
    let text = match command.arguments {
        _ if is_wave => text_or_file(command.tool.clone())?,
        Some(arguments) => text_or_file(arguments)?,
        None => "{}".to_owned(),
    };
    // The user has written the arguments.
    let keys = signing::keys(global)?.without_approval();
    let work = Work::open_with(global, output, |options, _| {
        options.folder = Some(command.out.folder(&global.settings));
        options.signing_keys = Some(keys);
    })
    .await?;
    let work = work.with_password(&command.password)?;
    work.add_files_and_pictures(&command.docs).await?;
    let called = if is_wave { "the tool" } else { &command.tool };
    work.progress.call_it(format!("calling {called}"));
    let call = async {
        if is_wave {
            work.session.call_wave(&text).await
        } else {
            work.session.call(&command.tool, &text).await
        }
    };
    let report = unless_interrupted(call).await;
    work.progress.finish();
    let report = report?;
    eprint_text(&report.printed);
    if let Ok(result) = &report.result {
        if command.wave {
            output.data_line(&work.session.result_in_wave(&report.tool, result).await?)?;
        } else {
            output.json_line(&result.to_string())?
        }
    }
    let code = finish(report)?;
    work.lost().map_or(Ok(code), Err)
}

/// Returns what the user typed, or the content of a file: `@FILE`, or `-` for standard input.
pub(super) fn text_or_file(text: String) -> Result<String> {
    match text.strip_prefix('@') {
        Some(path) => read_text(Path::new(path)),
        None if text == "-" => read_text(Path::new("-")),
        None => Ok(text),
    }
}

/// Returns the exit code of a command that made one call.
pub(super) fn finish(report: CallReport) -> Result<ExitCode> {
    let CallReport { result, script_error, approval, .. } = report;
    if let Some(request) = approval {
        note(&format!(
            "`{}` needs an approval; `mitt exec --ask` asks for it on the terminal",
            request.tool
        ));
    }
    result?;
    Ok(script_error.map_or(ExitCode::SUCCESS, |error| ExitCode::from(exit_code(error.kind()))))
}

fn artifact_json(artifact: &Artifact, path: &str) -> Value {
    let mut json = json!({
        "name": artifact.name, "path": path, "media_type": artifact.media_type, "size": artifact.size,
        "sha256": artifact.sha256,
    });
    let contents = &artifact.contents;
    if let Some(pages) = contents.pages {
        json["pages"] = json!(pages);
    }
    if !contents.sheets.is_empty() {
        let sheet = |sheet: &SheetRows| json!({ "name": sheet.name, "rows": sheet.rows });
        json["sheets"] = contents.sheets.iter().map(sheet).collect();
    }
    let warnings: Vec<String> = contents.warning_lines().collect();
    if !warnings.is_empty() {
        json["warnings"] = json!(warnings);
    }
    json
}

pub(super) fn report_json(report: &CallReport) -> Value {
    let mut json = json!({
        "tool": report.tool,
        "attempts": report.attempts.len(),
        "fuel": report.usage.fuel,
        "peak_memory_bytes": report.usage.peak_memory_bytes,
        "duration_ms": report.usage.duration.as_secs_f64() * 1_000.0,
        "artifacts": report.artifacts.iter().map(|artifact| &artifact.name).collect::<Vec<_>>(),
    });
    match &report.result {
        Ok(result) => json["result"] = Value::from(result.clone()),
        Err(error) => json["error"] = error_json(error),
    }
    json
}
