//! `mitt exec`: runs a script with documents and tools.

mod state;
pub(super) mod terminal;

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};

use super::work::{Work, finish, report_json, text_or_file};
use super::{delivery, read_text};
use crate::args::{Exec, Global, ScriptLanguage};
use crate::delivery::Delivery;
use crate::exit_code::exit_code;
use crate::interrupt::unless_interrupted;
use crate::live_output::{CapturedOutput, LiveOutput, OutputSender};
use crate::output::{Output, error_json, note};
use crate::signing;
use mitt::skill::Tool;
use mitt::value::Json;
use mitt::{CallOptions, CallReport, Event};
use mitt_base::{Error, ErrorKind, Result};
use state::StateFile;
use terminal::Terminal;

/// The language of scripts whose file names and settings name none.
const LANGUAGE: &str = "python";

const JAVASCRIPT: &str = "javascript";

/// Languages by the extensions of file names.
const EXTENSIONS: [(&str, &str); 8] = [
    ("py", LANGUAGE),
    ("pyw", LANGUAGE),
    ("js", JAVASCRIPT),
    ("mjs", JAVASCRIPT),
    ("cjs", JAVASCRIPT),
    ("ts", JAVASCRIPT),
    ("mts", JAVASCRIPT),
    ("cts", JAVASCRIPT),
];

/// `mitt exec`
pub(crate) async fn exec(global: &Global, command: Exec, output: &Output) -> Result<ExitCode> {
    if let Some(folder) = &command.stubs {
        let delivery = delivery(global, &command.force);
        return stubs(global, folder.as_deref(), command.language, &delivery, output).await;
    }
    let (code, called) = code(&command)?;
    let arguments = arguments(&command, code)?;
    // Set once the progress exists that output is shown beside; events come only later.
    let sender: Arc<OnceLock<OutputSender>> = Arc::default();
    let event_sender = sender.clone();
    let keys = signing::keys(global)?;
    let work = Work::open_with(global, output, |options, progress| {
        options.signing_keys = Some(keys);
        options.folder = Some(command.out.folder(&global.settings));
        if command.ask {
            options.approver = Some(Arc::new(Terminal { progress: progress.clone() }));
        }
        let sink = progress.sink();
        options.events = Some(Arc::new(move |event| match (event, event_sender.get()) {
            // The output of a nested script goes to the outer script.
            (Event::Output { depth: 0, stream, text, .. }, Some(sender)) => {
                sender.send(*stream, text)
            }
            _ => sink(event),
        }));
    })
    .await?
    .with_password(&command.password)?;
    work.add_files_and_pictures(&command.docs).await?;
    work.progress.call_it(format!("running {called}"));
    let tool = work.session.script_tool(&language(&command, &work))?;
    let state = command.state.as_deref().map(StateFile::open).transpose()?;
    if let Some(state) = &state {
        state.load(&work.session).await?;
    }
    let live = LiveOutput::new(*output, work.progress.clone());
    let _ = sender.set(live.sender(*output));
    let mut options = CallOptions::new().arguments(command.script_arguments());
    options.max_time = command.timeout;
    let arguments = Value::Object(arguments).to_string();
    let call = work.session.call_with(tool.as_str(), &arguments, options);
    let ended = unless_interrupted(call).await;
    work.progress.finish();
    let captured = live.finish();
    let undelivered = deliver(&work);
    let report = match ended {
        Ok(report) => report,
        Err(error) => return cancelled(&work, error, captured, output),
    };
    print(&work, &report, output)?;
    if let Some(state) = state {
        state.save(&work.session).await?;
    }
    let code = finish(report)?;
    match undelivered {
        None => Ok(code),
        Some(error) if code == ExitCode::SUCCESS && !output.is_json() => Err(error),
        Some(error) => {
            note(&format!("error: {}", error.render()));
            let own = ExitCode::from(exit_code(error.kind()));
            Ok(if code == ExitCode::SUCCESS { own } else { code })
        }
    }
}

/// Returns the text of the script, and its name in messages.
fn code(command: &Exec) -> Result<(String, String)> {
    let (code, called) = match (&command.code, &command.script) {
        (Some(code), _) => (code.clone(), "the script".to_owned()),
        (None, Some(path)) if path != Path::new("-") => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (read_text(path)?, name)
        }
        (None, _) => (read_text(Path::new("-"))?, "standard input".to_owned()),
    };
    // Editors on Windows write a byte order mark.
    Ok((code.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(code), called))
}

/// Returns the language of the script: that of `--language`, else that of the file's extension, else the one in which models write
/// scripts, which `--engine` names.
fn language(command: &Exec, work: &Work) -> String {
    match command.language {
        Some(ScriptLanguage::Python) => return LANGUAGE.to_owned(),
        Some(ScriptLanguage::JavaScript) => return JAVASCRIPT.to_owned(),
        None => {}
    }
    let file = command.script.as_deref().filter(|_| command.code.is_none());
    let extension = file.and_then(Path::extension).and_then(|it| it.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    if let Some((_, language)) = EXTENSIONS.iter().find(|(known, _)| *known == extension) {
        return (*language).to_owned();
    }
    let tools = work.session.registry().script_tools();
    let mut languages = tools.iter().filter_map(Tool::language);
    if languages.clone().any(|it| it == LANGUAGE) {
        LANGUAGE.to_owned()
    } else {
        languages.next().unwrap_or(LANGUAGE).to_owned()
    }
}

/// Delivers the files of the workspace. Returns the error of the first file that could not be delivered.
fn deliver(work: &Work) -> Option<Error> {
    let mut first = None;
    for (_, delivered) in work.session.deliver_workspace() {
        match delivered {
            Ok(_) => {}
            // A file with an invalid name may be meant only for the script itself.
            Err(error) if *error.kind() == ErrorKind::Input => {
                note(&format!("warning: {}", error.render()));
            }
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    first.or_else(|| work.lost())
}

/// Reports a script that was cancelled. For machine-readable output, it prints the result here.
fn cancelled(
    work: &Work,
    error: Error,
    captured: CapturedOutput,
    output: &Output,
) -> Result<ExitCode> {
    let files: Vec<String> = work.paths();
    let error = if files.is_empty() {
        error
    } else {
        error.detail(format!("delivered before: {}", files.join(", ")))
    };
    if !output.is_json() {
        return Err(error);
    }
    output.value(&json!({
        "error": error_json(&error), "stdout": captured.stdout, "stderr": captured.stderr,
        "artifacts": work.artifacts(),
    }))?;
    note(&format!("error: {}", error.render()));
    Ok(ExitCode::from(exit_code(error.kind())))
}

/// Prints the parts that are known only at the end; output was shown as it came.
fn print(work: &Work, report: &CallReport, output: &Output) -> Result<()> {
    if output.is_json() {
        let mut json = report_json(report);
        json["artifacts"] = json!(work.artifacts());
        return output.value(&json);
    }
    let Ok(outcome) = &report.result else { return Ok(()) };
    let text = |key: &str| outcome.get(key).and_then(Json::as_str).unwrap_or_default();
    match outcome.get("result") {
        None | Some(Json::Null) => {}
        Some(Json::String(text)) => output.data_line(text)?,
        Some(value) => output.json_line(&value.to_string())?,
    }
    super::work::eprint_text(text("error_message"));
    for stream in ["stdout", "stderr"] {
        let key = format!("{stream}_file");
        if let Some(file) = outcome.get(&key).and_then(Json::as_str) {
            match work.session.artifacts().iter().find(|artifact| artifact.name == file) {
                Some(artifact) => {
                    note(&format!("the whole {stream} is in {}", work.path(artifact)))
                }
                None => note(&format!("the whole {stream} was too long to be kept")),
            }
        }
    }
    Ok(())
}

fn arguments(command: &Exec, code: String) -> Result<Map<String, Value>> {
    let mut arguments = Map::new();
    arguments.insert("code".into(), code.into());
    if let Some(inputs) = &command.inputs {
        let inputs = text_or_file(inputs.clone())?;
        // The text is passed on unchanged, so that numbers keep their digits.
        let parsed = Json::parse(&inputs, u64::MAX, Json::MAX_DEPTH);
        let is_object = parsed.map_err(|error| wrong_inputs(error.to_string()))?;
        if !matches!(is_object, Json::Object(_)) {
            return Err(wrong_inputs(format!("got {}", is_object.kind())));
        }
        arguments.insert("inputs".into(), inputs.into());
    }
    if let Some(timeout) = command.timeout {
        // Round up for the check against the engine's limit; the call gets the exact time.
        let seconds = timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0);
        arguments.insert("timeout_seconds".into(), seconds.into());
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
    Error::new(ErrorKind::Arguments, format!("--inputs: expected a JSON object: {problem}"))
        .hint("for example `--inputs '{\"year\": 2025}'`")
}

/// `mitt exec --stubs`
async fn stubs(
    global: &Global,
    folder: Option<&Path>,
    language: Option<ScriptLanguage>,
    delivery: &Delivery,
    output: &Output,
) -> Result<ExitCode> {
    let work = Work::open_with(global, output, |_, _| {}).await?;
    work.progress.finish();
    let Some(folder) = folder else {
        output.data(&match language {
            None | Some(ScriptLanguage::Python) => work.session.python_stubs().await?,
            Some(ScriptLanguage::JavaScript) => work.session.typescript_stubs().await?,
        })?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::new(ErrorKind::Host, format!("cannot write to {}", folder.display()))
            .caused_by(error)
    })?;
    let files = match language {
        None | Some(ScriptLanguage::Python) => work.session.python_stub_files().await?,
        Some(ScriptLanguage::JavaScript) => work.session.typescript_stub_files().await?,
    };
    // Check all of them first: half of the new stubs would not fit with half of the old ones.
    files.iter().try_for_each(|(name, _)| delivery.check(&folder.join(name)))?;
    for (name, text) in files {
        let path = folder.join(name);
        delivery.write(&path, text.as_bytes())?;
        output.data_line(&path.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
