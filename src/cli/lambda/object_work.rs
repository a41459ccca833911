//! What rules make of objects that were created. Each object is handled by itself; those that failed are in the log and in the error.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::failure::Failure;
use super::function::{Function, Task};
use super::log::log;
use super::made_file::media_type;
use super::object_event::{CreatedObject, ObjectEvent};
use super::payload::{MAX_PAYLOAD_BYTES, Reader};
use super::render_options::RenderOptions;
use super::rules::{Action, MAX_TEMPLATE_BYTES, Rule, Template};
use super::storage::WrittenObject;
use super::{transfer, within};
use crate::commands::{check_formulas, fill_template, write_csv, write_tables_json};
use mitt::{Document, DocumentOptions, Session};
use mitt_base::limits::MIB;
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, Resource, Result, text};
use mitt_net::s3::S3Address;

/// Bytes of an output that are handed over at once, and how many of them wait.
const CHUNK_BYTES: usize = 256 * 1024;
const WAITING_CHUNKS: usize = 4;

/// Largest text that a rule renders, in bytes; the limit of the renderer.
const MAX_TEXT_BYTES: u64 = mitt::render::MAX_MARKDOWN_BYTES as u64;

/// Largest file of values that a rule puts into a template, in bytes. It is read as a whole, beside the template and what is made.
const MAX_VALUES_BYTES: u64 = 8 * MIB;

/// Most warnings of an object that the log and the answer have.
const MAX_WARNINGS: usize = 20;

/// What was made of an object by one rule, also by one that failed in the end.
#[derive(Debug, Default)]
struct Made {
    outputs: Vec<Value>,
    warnings: Vec<String>,
}

/// What writes outputs, why, and until when.
#[derive(Clone, Copy)]
struct Writing<'a> {
    function: &'a Function,
    rule: &'a Rule,
    deadline: Instant,
}

/// The documents of an object, read for the first rule that needs them.
struct ObjectDocuments<'a> {
    function: &'a Function,
    task: &'a Task<'a>,
    address: S3Address,
    opened: Option<(Session, Vec<Arc<Document>>)>,
}

/// Handles the objects of an event. `ids` name the invocation and the message.
///
/// # Errors
///
/// An object failed, or the function has no rules. What was made of the others is in the answer of the failure.
pub(super) async fn handle(
    function: &Function,
    ids: &[&str],
    deadline: Instant,
    event: ObjectEvent,
) -> Result<Value, Failure> {
    let request = ids.first().copied();
    if !event.others.is_empty() {
        let details = json!({ "events": event.others });
        log("INFO", request, "nothing is done about events that create no object", details);
    }
    if function.rules().is_empty() && !event.created.is_empty() {
        let message = "an event of S3, and this function has no rules for objects";
        let error = Error::new(ErrorKind::Arguments, message);
        return Err(error.hint("name a file of rules with `mitt lambda --rules`").into());
    }
    let count = event.created.len();
    let (mut objects, mut failures) = (Vec::new(), Vec::new());
    for object in event.created {
        let task = Task { ids: ids.to_vec(), deadline, reader: Reader::Nobody };
        objects.push(handle_object(function, &task, object, &mut failures).await);
    }
    let mut report = json!({ "objects": objects });
    if report.to_string().len() > MAX_PAYLOAD_BYTES {
        report = json!({ "objects": count, "leftOut": "the outputs are too many for an answer" });
    }
    let mut failures = failures.into_iter();
    let Some(first) = failures.next() else { return Ok(report) };
    let others = failures.len();
    let error = match others {
        0 => first,
        _ => failures.take(MAX_WARNINGS).fold(
            first.detail(format!("{others} more rules or objects failed:")),
            |error, other| error.detail(text::one_line(&other.to_string())),
        ),
    };
    Err(Failure { error, answer: Some(report) })
}

/// Applies all rules that an object has. Returns what was made of it.
async fn handle_object(
    function: &Function,
    task: &Task<'_>,
    object: CreatedObject,
    failures: &mut Vec<Error>,
) -> Value {
    let CreatedObject { bucket, key, size } = object;
    let request = task.ids.first().copied();
    let shown = text::one_line(&format!("s3://{bucket}/{key}"));
    if key.ends_with('/') {
        log("INFO", request, "an object is a folder", json!({ "object": shown }));
        return json!({ "object": shown, "skipped": "a folder" });
    }
    let rules: Vec<&Rule> = function.rules().matching(&bucket, &key).collect();
    if rules.is_empty() {
        let details = json!({ "object": shown });
        log("WARN", request, "no rule has this object: nothing is made of it", details);
        return json!({ "object": shown, "skipped": "no rule has it" });
    }
    let mut report = json!({ "object": shown, "outputs": [] });
    let mut all_warnings = Vec::new();
    let address = S3Address { bucket, key };
    let mut documents = ObjectDocuments { function, task, address, opened: None };
    for rule in rules {
        let mut made = Made::default();
        let done = match check_size(function, size) {
            Ok(()) => {
                let applied = apply(function, task, rule, &mut documents, &mut made);
                within(task.deadline, applied).await
            }
            Err(error) => Err(error.at(&shown).into()),
        };
        let Made { outputs, warnings } = made;
        let warnings = bounded(warnings);
        let mut details = json!({
            "object": shown, "rule": rule.place, "outputs": outputs.len(), "warnings": warnings,
        });
        match done {
            Ok(()) => {
                let level = if warnings.is_empty() { "INFO" } else { "WARN" };
                log(level, request, "a rule is done", details);
            }
            Err(failure) => {
                details["errorType"] = json!(failure.error_type());
                details["error"] = json!(failure.error.render());
                log("ERROR", request, "a rule failed", details);
                report["error"] = json!(failure.error.to_string());
                failures.push(failure.error);
            }
        }
        if let Value::Array(all) = &mut report["outputs"] {
            all.extend(outputs);
        }
        all_warnings.extend(warnings);
    }
    if !all_warnings.is_empty() {
        report["warnings"] = json!(all_warnings);
    }
    report
}

/// Cuts warnings to those that the log and the answer have.
fn bounded(mut warnings: Vec<String>) -> Vec<String> {
    let more = warnings.len().saturating_sub(MAX_WARNINGS);
    warnings.truncate(MAX_WARNINGS);
    if more > 0 {
        warnings.push(format!("{more} more warnings"));
    }
    warnings
}

/// Refuses an object whose event says that it is too large, before it is asked for.
fn check_size(function: &Function, size: Option<u64>) -> Result<()> {
    let most = function.max_document_bytes();
    match size {
        Some(size) if size > most => Err(Error::limit(Resource::Document, most, size)),
        _ => Ok(()),
    }
}

/// Applies a rule to an object.
async fn apply(
    function: &Function,
    task: &Task<'_>,
    rule: &Rule,
    documents: &mut ObjectDocuments<'_>,
    made: &mut Made,
) -> Result<(), Failure> {
    let writing = Writing { function, rule, deadline: task.deadline };
    match &rule.action {
        Action::Text => {
            let all = documents.read().await?.to_vec();
            made.warnings = warnings_of(&all);
            let to = rule.address(documents.key(), 1);
            made.write(writing, to, move |out| write_texts(&all, out)).await?;
        }
        Action::TablesCsv => tables_csv(writing, documents, made).await?,
        Action::TablesJson => {
            let all = documents.read().await?.to_vec();
            made.warnings = warnings_of(&all);
            let to = rule.address(documents.key(), 1);
            let write = move |out: &mut dyn Write| write_tables_json(&all, out, &Rows::default());
            made.write(writing, to, write).await?;
        }
        Action::Render(options) => {
            let address = &documents.address;
            let most = MAX_TEXT_BYTES.min(function.max_document_bytes());
            let content = content(function, address, most).await?;
            let markdown = String::from_utf8(content).map_err(|error| {
                let error = Error::input("expected a text in UTF-8").caused_by(error);
                error
                    .at(address)
                    .hint("the rule renders Markdown: narrow its `from` to texts, such as `*.md`")
            })?;
            let markdown = markdown.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(markdown);
            let to = rule.address(documents.key(), 1);
            let global = function.global_for(task);
            let rendered = RenderOptions::clone(options).make(global, file_name(&to), markdown);
            let rendered = rendered.await.map_err(|error| error.at(address))?;
            made.warnings = rendered.warnings;
            let bytes = rendered.bytes;
            made.write(writing, to, move |out| out.write_all(&bytes)).await?;
        }
        Action::Fill(template) => fill(writing, template, documents, made).await?,
    }
    Ok(())
}

/// Returns the content of an object of at most `most` bytes.
async fn content(function: &Function, address: &S3Address, most: u64) -> Result<Vec<u8>> {
    // Keys that an address cannot hold are refused here, as where documents are read.
    let address = S3Address::parse(&address.to_string())?;
    function.storage().content(&address, most).await
}

/// Writes each table of an object to a file of its own.
async fn tables_csv(
    writing: Writing<'_>,
    documents: &mut ObjectDocuments<'_>,
    made: &mut Made,
) -> Result<()> {
    let all = documents.read().await?.to_vec();
    made.warnings = warnings_of(&all);
    let formulas = writing.function.formulas();
    let mut number = 0;
    for document in &all {
        for at in 0..document.tables.len() {
            number += 1;
            let document = document.clone();
            let write = move |out: &mut dyn Write| {
                let table = &document.tables[at].data;
                check_formulas(table, formulas).map_err(io::Error::other)?;
                write_csv(table, out, &Rows::default(), formulas)
            };
            let to = writing.rule.address(documents.key(), number);
            let apostrophes = made.write(writing, to, write).await?;
            if apostrophes > 0 {
                made.warnings.push(format!(
                    "table {number}: {apostrophes} texts begin with an apostrophe, as a spreadsheet would have calculated them; \
                     `--csv-formulas keep` leaves them as they are"
                ));
            }
        }
    }
    if number == 0 {
        made.warnings.push("no table was found, so nothing was written".to_owned());
    }
    Ok(())
}

/// Fills the template of a rule with the values of an object.
async fn fill(
    writing: Writing<'_>,
    template: &Template,
    documents: &ObjectDocuments<'_>,
    made: &mut Made,
) -> Result<()> {
    let Writing { function, rule, .. } = writing;
    let address = &documents.address;
    let most = MAX_VALUES_BYTES.min(function.max_document_bytes());
    let values = content(function, address, most).await?;
    let template: Arc<[u8]> = match template {
        Template::Content(content) => content.clone(),
        Template::Object(address) => content(function, address, MAX_TEMPLATE_BYTES).await?.into(),
    };
    let to = rule.address(documents.key(), 1);
    let (global, name) = (function.global_for(documents.task), file_name(&to).to_owned());
    let values_name = file_name(address).to_owned();
    let filled = tokio::task::spawn_blocking(move || {
        fill_template(&global, (&name, &template), (&values_name, values))
    });
    let filled = filled.await.map_err(Error::bug)?.map_err(|error| error.at(address))?;
    made.warnings = filled.warnings;
    let bytes = filled.bytes;
    made.write(writing, to, move |out| out.write_all(&bytes)).await
}

impl ObjectDocuments<'_> {
    fn key(&self) -> &str {
        &self.address.key
    }

    /// Returns the document of the object, and those inside of it.
    async fn read(&mut self) -> Result<&[Arc<Document>]> {
        if self.opened.is_none() {
            let session = self.function.session(self.task, true)?;
            let mut options = DocumentOptions::default();
            options.fetch = Some(self.function.storage().fetcher_of_rules());
            let url = self.address.to_string();
            session.add_document_url(&url, &options).await.map_err(|error| at(error, &url))?;
            let documents = session.documents();
            self.opened = Some((session, documents));
        }
        Ok(self.opened.as_ref().map(|(_, documents)| &documents[..]).unwrap_or_default())
    }
}

impl Made {
    /// Writes an output, which `make` makes on a thread for work that does not yield.
    async fn write<T: Send + 'static>(
        &mut self,
        Writing { function, rule, deadline }: Writing<'_>,
        to: S3Address,
        make: impl FnOnce(&mut dyn Write) -> io::Result<T> + Send + 'static,
    ) -> Result<T> {
        // The check at the start leaves none; a function that starts itself has no end.
        if let Some(other) = function.rules().matching(&to.bucket, &to.key).next() {
            let message = format!("the rule at {} would be used for this output", other.place);
            return Err(Error::bug(message).at(&to));
        }
        let mut writer = function.storage().write(&to, media_type(file_name(&to)))?;
        let (sender, mut receiver) = mpsc::channel(WAITING_CHUNKS);
        let making = tokio::task::spawn_blocking(move || {
            let mut out = ChannelWriter { sender, buffer: Vec::new() };
            make(&mut out).and_then(|made| out.flush().map(|()| made))
        });
        let written = transfer(deadline, &to, async move {
            while let Some(chunk) = receiver.recv().await {
                writer.write(&chunk).await?;
            }
            let made = making
                .await
                .map_err(Error::bug)?
                .map_err(|error| Error::input(error.to_string()).at(&rule.place))?;
            Ok((made, writer.finish().await?))
        });
        let (made, WrittenObject { size, sha256 }) = written.await?;
        self.outputs.push(json!({
            "rule": rule.place, "s3": to.to_string(), "size": size, "sha256": sha256,
        }));
        Ok(made)
    }
}

/// Hands over what is written to it, in chunks. Waits as long as enough of them wait.
struct ChannelWriter {
    sender: mpsc::Sender<Vec<u8>>,
    buffer: Vec<u8>,
}

impl Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len().min(CHUNK_BYTES);
        self.buffer.extend_from_slice(&bytes[..length]);
        if self.buffer.len() >= CHUNK_BYTES {
            self.flush()?;
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        let chunk = std::mem::take(&mut self.buffer);
        if chunk.is_empty() {
            return Ok(());
        }
        self.sender.blocking_send(chunk).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Names the object in an error that does not do so yet.
fn at(error: Error, url: &str) -> Error {
    if error.place().is_some_and(|place| place.starts_with(url)) { error } else { error.at(url) }
}

/// Writes the texts of documents, those inside of another one under their names.
fn write_texts(documents: &[Arc<Document>], out: &mut dyn Write) -> io::Result<()> {
    for (at, document) in documents.iter().enumerate() {
        if at > 0 {
            writeln!(out, "\n==> {} <==", text::one_line(&document.name))?;
        }
        out.write_all(document.text.as_bytes())?;
        if !document.text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

fn warnings_of(documents: &[Arc<Document>]) -> Vec<String> {
    documents.iter().flat_map(|document| document.warnings.iter().cloned()).collect()
}

/// Returns the name of an object behind the last slash.
fn file_name(address: &S3Address) -> &str {
    address.key.rsplit('/').next().unwrap_or(&address.key)
}
