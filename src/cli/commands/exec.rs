//! `mitt exec`: a script with documents and tools.

use std::fs::File;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::read_text;
use super::work::{Work, eprint_text, finish, report_json, text_or_file};
use crate::args::{Exec, Global};
use crate::output::{Output, note};
use crate::progress::Progress;
use mitt::house::{state_file, write_whole};
use mitt::value::Json;
use mitt::{ApprovalRequest, Approver, CallReport, Decision, Session};
use mitt_base::{Error, ErrorKind, Result, text};

/// The language of scripts that name no engine.
const LANGUAGE: &str = "python";

/// Largest file with kept variables: a little more than their host writes.
const MAX_STATE_BYTES: u64 = 65 * 1024 * 1024;

/// `mitt exec`
pub(crate) async fn exec(global: &Global, command: Exec, output: &Output) -> Result<ExitCode> {
    if let Some(folder) = &command.stubs {
        return stubs(global, folder.as_deref(), output).await;
    }
    let code = read_text(command.script.as_deref().unwrap_or(Path::new("-")))?;
    let arguments = arguments(&command, code)?;
    let work = Work::open_with(global, &command.docs, output, |options, progress| {
        options.folder = Some(command.out.folder());
        if command.ask {
            options.approver = Some(Arc::new(Terminal { progress: progress.clone() }));
        }
    })
    .await?;
    let tool = work.session.script_tool(LANGUAGE)?;
    let state = command.state.as_deref().map(StateFile::open).transpose()?;
    if let Some(state) = &state {
        state.load(&work.session).await?;
    }
    let report = work.session.call(tool.as_str(), &Value::Object(arguments).to_string()).await;
    work.progress.finish();
    print(&work, &report, output)?;
    if let Some(state) = state {
        state.save(&work.session).await?;
    }
    finish(report)
}

fn print(work: &Work, report: &CallReport, output: &Output) -> Result<()> {
    if output.is_json() {
        let mut json = report_json(report);
        json["artifacts"] = json!(work.artifacts());
        return output.value(&json);
    }
    let Ok(outcome) = &report.result else { return Ok(()) };
    let text = |key: &str| outcome.get(key).and_then(Json::as_str).unwrap_or_default();
    output.data(text("stdout"))?;
    eprint_text(text("stderr"));
    match outcome.get("result") {
        None | Some(Json::Null) => {}
        Some(Json::String(text)) => output.data_line(text)?,
        Some(value) => output.json_line(&value.to_string())?,
    }
    eprint_text(text("error_message"));
    for stream in ["stdout", "stderr"] {
        let key = format!("{stream}_file");
        if let Some(file) = outcome.get(&key).and_then(Json::as_str) {
            note(&format!("the whole {stream} was the file `{file}` of the session's workspace"));
        }
    }
    Ok(())
}

fn arguments(command: &Exec, code: String) -> Result<Map<String, Value>> {
    let mut arguments = Map::new();
    arguments.insert("code".into(), code.into());
    if let Some(inputs) = &command.inputs {
        let inputs = text_or_file(inputs.clone())?;
        // The text goes on as it is: numbers keep their digits.
        let parsed = Json::parse(&inputs, u64::MAX, Json::MAX_DEPTH);
        let is_object = parsed.map_err(|error| wrong_inputs(error.to_string()))?;
        if !matches!(is_object, Json::Object(_)) {
            return Err(wrong_inputs(format!("got {}", is_object.kind())));
        }
        arguments.insert("inputs".into(), inputs.into());
    }
    if let Some(timeout) = command.timeout {
        arguments.insert("timeout_seconds".into(), timeout.into());
    }
    if !command.allowed_modules.is_empty() {
        arguments.insert("allowed_modules".into(), json!(command.allowed_modules));
    }
    if command.state.is_some() {
        arguments.insert("state".into(), "session".into());
    }
    Ok(arguments)
}

fn wrong_inputs(problem: String) -> Error {
    Error::new(ErrorKind::Arguments, format!("--inputs: a JSON object expected: {problem}"))
        .hint("for example `--inputs '{\"year\": 2025}'`")
}

/// `mitt exec --stubs`
async fn stubs(global: &Global, folder: Option<&Path>, output: &Output) -> Result<ExitCode> {
    let work = Work::open_with(global, &[], output, |_, _| {}).await?;
    work.progress.finish();
    let Some(folder) = folder else {
        output.data(&work.session.python_stubs().await?)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::new(ErrorKind::Host, format!("cannot write to {}", folder.display()))
            .caused_by(error)
    })?;
    for (name, text) in work.session.python_stub_files().await? {
        write_whole(folder, &name, text.as_bytes())?;
        output.data_line(&folder.join(name).display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A person at the terminal.
struct Terminal {
    progress: Progress,
}

#[async_trait]
impl Approver for Terminal {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        #[allow(clippy::disallowed_methods, reason = "looked at, not written to")]
        let terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        if !terminal {
            return Decision::Deny("there is no terminal to ask on".to_owned());
        }
        let title = text::one_line(request.title.as_deref().unwrap_or(&request.tool));
        let arguments = match request.shown() {
            Ok(lines) => lines,
            Err(problem) => return Decision::Deny(problem),
        };
        // The spinner would write over what the user types.
        self.progress.finish();
        note(&format!("{title} ({}, version {}) with", request.tool, request.version));
        arguments.iter().for_each(|line| note(&format!("  {line}")));
        note("It may destroy something. Go on? [y/N]");
        let answer = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().lock().read_line(&mut line).map(|_| line)
        });
        let answer = answer.await;
        self.progress.go_on();
        match answer {
            Ok(Ok(line)) if ["y", "yes"].contains(&line.trim().to_lowercase().as_str()) => {
                Decision::Approve
            }
            _ => Decision::Deny("the user said no".to_owned()),
        }
    }
}

/// The file that keeps variables from one script to the next, which no other process uses at the same time.
struct StateFile {
    path: PathBuf,
    /// Holds the lock.
    file: File,
}

impl StateFile {
    fn open(path: &Path) -> Result<StateFile> {
        let failed = |error: io::Error| {
            Error::new(ErrorKind::Host, format!("cannot open {}", path.display()))
                .hint("name a file of your own that you may write to, and no link")
                .caused_by(error)
        };
        let (folder, name) = parts(path);
        loop {
            let file = state_file(folder, name).map_err(failed)?;
            file.try_lock().map_err(|error| match error {
                std::fs::TryLockError::WouldBlock => {
                    let message = format!("{} is used by another mitt", path.display());
                    let retry_after = std::time::Duration::from_secs(1);
                    Error::new(ErrorKind::Busy { retry_after }, message)
                        .hint("wait until it has ended")
                }
                std::fs::TryLockError::Error(error) => failed(error),
            })?;
            // Another one may have put a new file in its place just before.
            if is_same(&file, path) {
                return Ok(StateFile { path: path.to_owned(), file });
            }
        }
    }

    async fn load(&self, session: &Session) -> Result<()> {
        let failed = |error: io::Error| {
            Error::new(ErrorKind::Host, format!("cannot read {}", self.path.display()))
                .caused_by(error)
        };
        let mut sealed = Vec::new();
        (&self.file).take(MAX_STATE_BYTES).read_to_end(&mut sealed).map_err(failed)?;
        match sealed.is_empty() {
            true => Ok(()),
            false => session
                .load_script_state(LANGUAGE, &sealed)
                .await
                .map_err(|error| error.at(self.path.display())),
        }
    }

    async fn save(self, session: &Session) -> Result<()> {
        let Some(sealed) = session.dump_script_state(LANGUAGE).await? else {
            note(&format!(
                "the script was ended: {} keeps the variables of before",
                self.path.display()
            ));
            return Ok(());
        };
        let (folder, name) = parts(&self.path);
        mitt::house::write_private(folder, &name.to_string_lossy(), &sealed)
    }
}

/// The folder of a file, and its name there.
fn parts(path: &Path) -> (&Path, &std::ffi::OsStr) {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    (folder, path.file_name().unwrap_or_default())
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> bool {
    true
}
