//! Direct events: a call of a tool, a script, a text to be made a file, or an instruction for a model, with the documents that it
//! needs.
//!
//! An event names no file of this machine.

use super::answer::{Answer, Outcome};
use super::documents::EventDocument;
use super::failure::Failure;
use super::fields::{Fields, wrong};
use super::function::{Function, Task};
use super::render_event::RenderEvent;
use super::run_event::RunEvent;
use mitt::value::Json;
use mitt::{CallReport, Session};
use mitt_base::{Error, ErrorKind, Result};

/// The language of scripts that name none.
const LANGUAGE: &str = "python";

/// A direct event.
#[derive(Debug)]
pub(super) struct DirectEvent {
    documents: Vec<EventDocument>,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Call { tool: String, arguments: Json },
    Script { language: String, code: String, inputs: Option<Json>, arguments: Vec<String> },
    Render(Box<RenderEvent>),
    Run(Box<RunEvent>),
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
        let (render, run) = (event.object("render")?, event.object("run")?);
        event.finish()?;
        let work = match (call, script, render, run) {
            (Some(call), None, None, None) => read_call(call)?,
            (None, Some(script), None, None) => read_script(script)?,
            (None, None, Some(render), None) => Work::Render(Box::new(RenderEvent::read(render)?)),
            (None, None, None, Some(run)) => Work::Run(Box::new(RunEvent::read(run)?)),
            _ => {
                let message = "expected one of `call`, `script`, `render`, `run`";
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
            Work::Run(_) => "run",
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
        let (mut warnings, mut images) = (Vec::new(), Vec::new());
        for document in documents {
            let for_model = matches!(work, Work::Run(_));
            let added = document.add(function, &session, for_model).await?;
            warnings.extend(added.warning);
            images.extend(added.image);
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
            Work::Run(run) => {
                let result = run.run((function, task), &session, images).await?.into();
                let outcome = Outcome { result, usage: None, printed: String::new(), warnings };
                return Ok(Answer::of_session(function, task, &session, outcome).await?);
            }
            Work::Render(_) => return Err(Error::bug("a text needs no session").into()),
        };
        let outcome = outcome(report, warnings)?;
        Ok(Answer::of_session(function, task, &session, outcome).await?)
    }
}

/// Returns what a call answered.
fn outcome(report: CallReport, warnings: Vec<String>) -> Result<Outcome, Failure> {
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
    Ok(Outcome { result, usage: Some(usage), printed, warnings })
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
