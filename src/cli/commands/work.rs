//! Commands that open a session: `run`, `exec`, `call`, `ingest`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::{host, host_for, read_text};
use crate::args::{Call, Global, Ingest, Run};
use crate::output::{Output, error_json, note};
use crate::progress::Progress;
use crate::task::{Task, TaskDocument};
use mitt::{Artifact, CallReport, Cell, Host, NamedTable, Session, SessionLimits, SessionOptions};
use mitt_agent as agent;
use mitt_base::{Error, ErrorKind, Result, plain_file};

pub(super) struct Work {
    pub(super) session: Session,
    pub(super) progress: Progress,
}

impl Work {
    async fn open(
        global: &Global,
        folder: Option<&Path>,
        docs: &[PathBuf],
        output: &Output,
    ) -> Result<Work> {
        Work::open_with(global, docs, output, |options, _| {
            options.folder = folder.map(Path::to_owned);
        })
        .await
    }

    /// As [`Work::open`]; `set` says how the session is opened.
    pub(super) async fn open_with(
        global: &Global,
        docs: &[PathBuf],
        output: &Output,
        set: impl FnOnce(&mut SessionOptions, &Progress),
    ) -> Result<Work> {
        Work::on(host(global)?, docs, output, set).await
    }

    /// As [`Work::open_with`], on this host.
    async fn on(
        host: Host,
        docs: &[PathBuf],
        output: &Output,
        set: impl FnOnce(&mut SessionOptions, &Progress),
    ) -> Result<Work> {
        let progress = Progress::new(output.is_quiet());
        let mut options =
            SessionOptions { events: Some(progress.sink()), ..SessionOptions::default() };
        set(&mut options, &progress);
        let session = host.session(options)?;
        for path in docs {
            session.add_document(path).await?;
        }
        Ok(Work { session, progress })
    }

    async fn add(&self, document: TaskDocument) -> Result<()> {
        let TaskDocument { name, path, file } = document;
        let most = self.session.host().session_limits().document_bytes;
        let at = |error: Error| error.at(path.display());
        let bytes = plain_file::content(file, most).map_err(|error| {
            at(Error::new(ErrorKind::Input, "it cannot be read").caused_by(error))
        })?;
        self.session.add_document_bytes(&name, bytes).await.map(drop).map_err(at)
    }

    /// Where a file of the session lies, as the user would name it.
    fn path(&self, artifact: &Artifact) -> String {
        self.session.folder().unwrap_or(Path::new("")).join(&artifact.name).display().to_string()
    }

    pub(super) fn artifacts(&self) -> Vec<Value> {
        self.session
            .artifacts()
            .iter()
            .map(|artifact| artifact_json(artifact, &self.path(artifact)))
            .collect()
    }
}

/// `mitt run`
pub(crate) async fn run(global: &Global, command: Run, output: &Output) -> Result<ExitCode> {
    let task = Task::read(&command.task)?;
    let (model, documents) = (task.model()?, task.documents()?);
    let work = Work::open(global, Some(&command.out.folder()), &[], output).await?;
    for document in documents {
        work.add(document).await?;
    }
    for path in &command.docs {
        work.session.add_document(path).await?;
    }
    work.progress.doing("asking the model");
    let done = agent::run(&work.session, &model, &task.instruction).await;
    work.progress.finish();
    if !output.is_json() {
        for artifact in work.session.artifacts() {
            output.data_line(&work.path(&artifact))?;
        }
        done?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut json = json!({ "artifacts": work.artifacts() });
    match done {
        Ok(report) => {
            json["text"] = json!(report.text);
            json["turns"] = json!(report.turns);
            json["calls"] = report.calls.iter().map(report_json).collect();
            output.value(&json)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            // One JSON value on standard output, whatever happens.
            json["error"] = error_json(&error);
            output.value(&json)?;
            note(&format!("error: {}", error.render()));
            Ok(ExitCode::from(error.kind().exit_code()))
        }
    }
}

/// Nobody can be told that standard error is gone.
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
    let work = Work::open(global, Some(&command.out.folder()), &command.docs, output).await?;
    let report = match is_wave {
        true => work.session.call_wave(&text).await,
        false => work.session.call(&command.tool, &text).await,
    };
    work.progress.finish();
    eprint_text(&report.printed);
    if let Ok(result) = &report.result {
        match command.wave {
            true => {
                output.data_line(&work.session.result_in_wave(&report.tool, result).await?)?;
            }
            false => output.json_line(&result.to_string())?,
        }
    }
    finish(report)
}

/// What the user typed, or what the file that it names holds: `@FILE`, or `-` for standard input.
pub(super) fn text_or_file(text: String) -> Result<String> {
    match text.strip_prefix('@') {
        Some(path) => read_text(Path::new(path)),
        None if text == "-" => read_text(Path::new("-")),
        None => Ok(text),
    }
}

/// The exit code of a command that made one call.
pub(super) fn finish(report: CallReport) -> Result<ExitCode> {
    let CallReport { result, script_error, approval, .. } = report;
    if let Some(request) = approval {
        note(&format!(
            "`{}` needs an approval; `mitt exec --ask` asks for it on the terminal",
            request.tool
        ));
    }
    result?;
    Ok(script_error.map_or(ExitCode::SUCCESS, |error| ExitCode::from(error.kind().exit_code())))
}

/// `mitt ingest`
pub(crate) async fn ingest(global: &Global, command: Ingest, output: &Output) -> Result<ExitCode> {
    // No model is given this text, so it is not cut to what one is given.
    let limits = SessionLimits { document_characters: u64::MAX, ..SessionLimits::default() };
    let host = host_for(global, limits)?;
    let work = Work::on(host, std::slice::from_ref(&command.file), output, |_, _| {}).await?;
    work.progress.finish();
    for document in work.session.documents() {
        if !output.is_json() {
            output.data(&document.text)?;
            if !document.text.ends_with('\n') {
                output.data_line("")?;
            }
            continue;
        }
        output.value(&json!({
            "name": document.name, "media_type": document.media_type, "title": document.title,
            "size": document.size, "sha256": document.sha256, "characters": document.characters,
            "text": document.text, "tables": document.tables.iter().map(table_json).collect::<Vec<_>>(),
            "warnings": document.warnings,
        }))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table_json(table: &NamedTable) -> Value {
    let cell = |cell: &Cell| match cell {
        Cell::Null => Value::Null,
        Cell::Boolean(value) => json!(value),
        // A number too long for `serde_json` keeps its digits as text.
        Cell::Number(lexeme) => exact_number(lexeme).unwrap_or_else(|| json!(&**lexeme)),
        Cell::Text(text) => json!(&**text),
    };
    let rows: Vec<Vec<Value>> =
        table.data.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    json!({ "name": table.name, "columns": table.data.columns, "rows": rows })
}

fn exact_number(lexeme: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(lexeme).ok()?;
    (value.to_string().as_str() == lexeme).then_some(value)
}

fn artifact_json(artifact: &Artifact, path: &str) -> Value {
    json!({
        "name": artifact.name, "path": path, "media_type": artifact.media_type, "size": artifact.size,
        "sha256": artifact.sha256,
    })
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
