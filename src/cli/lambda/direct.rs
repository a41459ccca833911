//! Direct events: a call of a tool, a script, or a text to be made a file, with the documents that it needs.
//!
//! An event names no file of this machine and no address: what it needs is inside.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::failure::Failure;
use super::fields::{Fields, wrong};
use crate::args::{Force, Json as JsonArg, Render};
use crate::commands::{is_picture, render_text};
use mitt::render::{Cancel, PdfStandard, Theme};
use mitt::value::Json;
use mitt::{CallReport, Session};
use mitt_base::file_name::check_file_name;
use mitt_base::{Error, ErrorKind, Result};

use super::function::{Function, Task};

/// The language of scripts that name none.
const LANGUAGE: &str = "python";

/// Endings of the files that texts can be made, without the dot.
const FORMATS: [&str; 5] = ["pdf", "docx", "html", "pptx", "xlsx"];

/// A direct event.
#[derive(Debug)]
pub(super) struct DirectEvent {
    documents: Vec<EventDocument>,
    work: Work,
}

/// A document inside an event.
#[derive(Debug)]
struct EventDocument {
    /// Where it stands in the event.
    place: String,
    name: String,
    content: Vec<u8>,
}

#[derive(Debug)]
enum Work {
    Call { tool: String, arguments: Json },
    Script { language: String, code: String, inputs: Option<Json>, arguments: Vec<String> },
    Render(Box<RenderEvent>),
}

/// A text to be made a file.
struct RenderEvent {
    text: String,
    options: Render,
}

impl std::fmt::Debug for RenderEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RenderEvent").field("output", &self.options.output).finish_non_exhaustive()
    }
}

impl DirectEvent {
    /// Reads an event.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - it has another form; the place is named.
    pub(super) fn read(mut event: Fields) -> Result<DirectEvent> {
        let documents = event.items("documents")?.into_iter();
        let documents = documents.map(|(place, item)| EventDocument::read(place, item));
        let documents = documents.collect::<Result<Vec<_>>>()?;
        let (call, script) = (event.object("call")?, event.object("script")?);
        let render = event.object("render")?;
        event.finish()?;
        let work = match (call, script, render) {
            (Some(call), None, None) => read_call(call)?,
            (None, Some(script), None) => read_script(script)?,
            (None, None, Some(render)) => Work::Render(Box::new(RenderEvent::read(render)?)),
            _ => {
                let message = "expected one of `call`, `script`, `render`";
                let hint =
                    r#"such as `{"call": {"tool": "table_tool__describe", "arguments": {}}}`"#;
                return Err(wrong("", message).hint(hint));
            }
        };
        if matches!(work, Work::Render(_)) && !documents.is_empty() {
            let message = "expected none beside `render`, got some";
            return Err(wrong("documents", message).hint("a text is made a file without documents"));
        }
        Ok(DirectEvent { documents, work })
    }

    /// Returns what it does, for the log.
    pub(super) fn kind(&self) -> &'static str {
        match self.work {
            Work::Call { .. } => "call",
            Work::Script { .. } => "script",
            Work::Render(_) => "render",
        }
    }

    /// Does the work in a session of its own, which ends with it.
    ///
    /// # Errors
    ///
    /// Those of the tool, the script or the renderer; a document cannot be read.
    pub(super) async fn run(self, function: &Function, task: &Task<'_>) -> Result<Answer, Failure> {
        let DirectEvent { documents, work } = self;
        let work = match work {
            Work::Render(render) => return Ok(render.run(function, task).await?),
            work => work,
        };
        // Files of a workspace are delivered only to a folder that is open.
        let session = function.session(task, !matches!(work, Work::Script { .. }))?;
        let mut warnings = Vec::new();
        for document in documents {
            warnings.extend(document.add(&session).await?);
        }
        let report = match work {
            Work::Call { tool, arguments } => session.call(&tool, &arguments.to_string()).await,
            Work::Script { language, code, inputs, arguments } => {
                let report = script(&session, &language, &code, inputs, arguments).await?;
                for (_, delivered) in session.deliver_workspace() {
                    match delivered {
                        Ok(_) => {}
                        // A file with an invalid name may be meant only for the script itself.
                        Err(error) if *error.kind() == ErrorKind::Input => {
                            warnings.push(error.render());
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                report
            }
            Work::Render(_) => return Err(Error::bug("a text needs no session").into()),
        };
        let folder = function.folder(task);
        answer((&session, folder.as_deref()), report, warnings)
    }
}

/// Makes the answer of a report, from the session and the folder of its files.
fn answer(
    place: (&Session, Option<&Path>),
    report: CallReport,
    warnings: Vec<String>,
) -> Result<Answer, Failure> {
    let CallReport { result, script_error, approval, usage, printed, .. } = report;
    let result = match (result, approval) {
        (Ok(result), None) => result,
        (Ok(_), Some(request)) => {
            let message =
                format!("`{}` needs an approval, and nobody is here to give it", request.tool);
            let hint = "call the tool by itself, with `call`: then the caller is who decides";
            return Err(Error::new(ErrorKind::Paused, message).hint(hint).into());
        }
        (Err(error), _) => return Err(error.into()),
    };
    if let Some(error) = script_error {
        // What it printed is how its author finds the mistake.
        return Err(Failure { error, answer: Some(result.into()) });
    }
    Answer::of_session(place, result, usage, printed, warnings).map_err(Failure::from)
}

async fn script(
    session: &Session,
    language: &str,
    code: &str,
    inputs: Option<Json>,
    arguments: Vec<String>,
) -> Result<CallReport> {
    let tool = session.script_tool(language).map_err(|error| error.at("script.language"))?;
    // An engine is named by itself, such as `python-lite`.
    let mut call =
        vec![("code".to_owned(), Json::from(code)), ("language".to_owned(), Json::from(language))];
    // The text is passed on unchanged, so that numbers keep their digits.
    call.extend(inputs.map(|inputs| ("inputs".to_owned(), Json::from(inputs.to_string()))));
    let options = mitt::CallOptions::new().arguments(arguments);
    Ok(session.call_with(tool.as_str(), &Json::Object(call).to_string(), options).await)
}

fn read_call(mut call: Fields) -> Result<Work> {
    let tool = call.required("tool")?;
    let arguments = call.json_object("arguments")?.unwrap_or_else(|| Json::Object(Vec::new()));
    call.finish()?;
    Ok(Work::Call { tool, arguments })
}

fn read_script(mut script: Fields) -> Result<Work> {
    let code = script.required("code")?;
    let language = script.text("language")?.unwrap_or_else(|| LANGUAGE.to_owned());
    let inputs = script.json_object("inputs")?;
    let arguments = script.texts("arguments")?;
    script.finish()?;
    Ok(Work::Script { language, code, inputs, arguments })
}

impl EventDocument {
    fn read(place: String, item: Json) -> Result<EventDocument> {
        let mut fields = Fields::of(place.as_str(), item)?;
        let name = fields.required("name")?;
        let content = match (fields.text("text")?, fields.text("base64")?) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => STANDARD.decode(text.trim_ascii()).map_err(|error| {
                fields
                    .wrong("base64", "not base64")
                    .hint("standard alphabet, with padding")
                    .caused_by(error)
            })?,
            _ => return Err(wrong(&place, "expected either `text` or `base64`")),
        };
        fields.finish()?;
        Ok(EventDocument { place, name, content })
    }

    /// Adds it to the session, a picture for files too. Returns a warning if a picture cannot be shown.
    async fn add(self, session: &Session) -> Result<Option<String>> {
        let EventDocument { place, name, content } = self;
        let is_picture = is_picture(&content);
        let mut warning = None;
        if is_picture && let Err(error) = session.add_picture(&name, &content) {
            warning = Some(format!("{place}: files cannot show it: {error}"));
        }
        match session.add_document_bytes(&name, content).await {
            // A tool may put it into a file.
            Err(error) if is_picture && error.input_problem() == Some("needs-ocr") => Ok(warning),
            Err(error) => Err(error.at(place)),
            Ok(_) => Ok(warning),
        }
    }
}

impl RenderEvent {
    fn read(mut fields: Fields) -> Result<RenderEvent> {
        let text = fields.required("text")?;
        let name = fields.required("name")?;
        let extension = PathBuf::from(&name).extension().map(|it| it.to_ascii_lowercase());
        if !extension.is_some_and(|it| FORMATS.iter().any(|format| it == *format)) {
            let expected = FORMATS.map(|format| format!("`.{format}`")).join(", ");
            return Err(
                fields.wrong("name", &format!("expected a name that ends in one of {expected}"))
            );
        }
        check_file_name(&name).map_err(|problem| fields.wrong("name", &problem))?;
        let paper = fields.text("paper")?;
        if !matches!(paper.as_deref(), None | Some("a4" | "letter")) {
            return Err(fields.wrong("paper", "expected `a4` or `letter`"));
        }
        let theme = fields.text("theme")?.unwrap_or_else(|| "plain".to_owned());
        if !Theme::names().any(|known| known == theme) {
            let known: Vec<String> = Theme::names().map(|name| format!("`{name}`")).collect();
            return Err(fields.wrong("theme", &format!("expected one of {}", known.join(", "))));
        }
        let standards = fields.texts("standards")?.into_iter().map(|text| text.parse());
        let standards: Result<Vec<PdfStandard>> = standards.collect();
        let pdf_standard = standards.map_err(|error| error.at("render.standards"))?;
        let options = Render {
            // Nothing lies beside the text of an event.
            file: PathBuf::from("-"),
            output: PathBuf::from(name),
            force: Force { force: false },
            title: fields.text("title")?,
            language: fields.text("language")?,
            paper,
            contents: fields.flag("contents")?,
            pdf_backend: None,
            theme,
            pdf_standard,
            attach: Vec::new(),
            no_images: true,
            preview: None,
            template: None,
            keep_slides: false,
            json: JsonArg { json: true },
        };
        fields.finish()?;
        Ok(RenderEvent { text, options })
    }

    /// Makes the file on a thread for work that does not yield. It is given up at the deadline.
    async fn run(self, function: &Function, task: &Task<'_>) -> Result<Answer> {
        let RenderEvent { text, options } = self;
        let name = options.output.display().to_string();
        let global = function.global_for(task);
        let cancel = CancelOnDrop(Cancel::new());
        let flag = cancel.0.clone();
        let made = tokio::task::spawn_blocking(move || render_text(&global, &options, text, flag));
        let made = made.await.map_err(Error::bug)?;
        drop(cancel);
        let made = made.map_err(in_words_of_events)?;
        let mut result = Map::new();
        if let Some(pages) = made.pages {
            result.insert("pages".to_owned(), Value::from(pages));
        }
        Answer::of_file(function, task, (name, made.bytes), Value::Object(result), made.warnings)
    }
}

/// Ends a rendering that nobody waits for.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Names the fields of the event instead of the options of `mitt render`.
fn in_words_of_events(error: Error) -> Error {
    error.with_texts(|text| {
        text.contains("--")
            .then(|| text.replace("--output", "render.name").replace("--", "render."))
    })
}
