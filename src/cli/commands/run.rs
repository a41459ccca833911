//! `mitt run`: follow a task, or an instruction with documents.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use super::work::{Work, report_json};
use crate::args::{Global, Run};
use crate::asking::no_model;
use crate::interrupt::unless_interrupted;
use crate::output::{Output, error_json, note};
use crate::task::{Task, TaskModel};
use mitt_agent::model::ChatModel;
use mitt_agent::{Agent, RunReport};
use mitt_base::Result;

/// What is to be done, and by whom.
struct Job {
    task: Option<Task>,
    instruction: String,
    model: Arc<dyn ChatModel>,
}

pub(crate) async fn run(global: &Global, command: Run, output: &Output) -> Result<ExitCode> {
    let Some(what) = &command.task else {
        return output.data(Task::JSON_SCHEMA).map(|()| ExitCode::SUCCESS);
    };
    let job = job(what, &command).await?;
    let documents = job.task.as_ref().map_or(Ok(Vec::new()), Task::documents)?;
    let work = Work::open(global, Some(&command.out.folder()), &[], output).await?;
    for document in documents {
        work.add(document).await?;
    }
    for path in &command.docs {
        work.session.add_document(path).await?;
    }
    if let Some(error) = work.no_folder() {
        return Err(error);
    }
    let model = command.asking.recorded(job.model)?;
    work.progress.doing("asking the model");
    let agent = Agent::builder(model).tools(command.asking.tools).build();
    let done = unless_interrupted(agent.run(&work.session, &job.instruction)).await;
    let done = done.and_then(|done| done);
    work.progress.finish();
    if output.is_json() {
        return print_json(&work, done, output);
    }
    // The words of a task's model are told with its turns; who asked something reads the answer.
    if let (Ok(report), None) = (&done, &job.task) {
        output.data_line(report.text.trim())?;
    }
    for artifact in work.session.artifacts() {
        output.data_line(&work.path(&artifact))?;
    }
    for missing in &done?.missing {
        note(&format!("warning: {missing} was asked for and not delivered"));
    }
    Ok(ExitCode::SUCCESS)
}

/// A task, if there is a file or folder of this name; else an instruction.
async fn job(what: &str, command: &Run) -> Result<Job> {
    let asking = &command.asking.named;
    let path = Path::new(what);
    // Words of an instruction have spaces between them, or are of a script that needs none.
    let is_instruction = what.trim().contains(' ') || !what.is_ascii();
    if is_instruction && !path.exists() {
        let Some(name) = asking.name() else { return Err(no_model(found().await)) };
        return Ok(Job { task: None, instruction: what.to_owned(), model: asking.open(&name)? });
    }
    let task = Task::read(path)?;
    // The option goes before the task; the environment, which is for instructions without a model, does not.
    let model = match &asking.model {
        Some(name) => asking.open(name)?,
        None => match task.model()? {
            TaskModel::Replay(recording) => Arc::new(recording),
            TaskModel::Named(name) => asking.open(&name)?,
        },
    };
    Ok(Job { instruction: task.instruction.clone(), task: Some(task), model })
}

/// A server on this machine that answers on its usual port.
async fn found() -> Option<&'static str> {
    const USUAL: [(u16, &str); 4] = [
        (11_434, "ollama/MODEL"),
        (8_080, "llamacpp/MODEL"),
        (1_234, "lmstudio/MODEL"),
        (8_000, "vllm/MODEL"),
    ];
    const SOON: std::time::Duration = std::time::Duration::from_millis(200);
    for (port, name) in USUAL {
        let connected = tokio::net::TcpStream::connect(("127.0.0.1", port));
        if matches!(tokio::time::timeout(SOON, connected).await, Ok(Ok(_))) {
            return Some(name);
        }
    }
    None
}

fn print_json(work: &Work, done: Result<RunReport>, output: &Output) -> Result<ExitCode> {
    let mut json = json!({ "artifacts": work.artifacts() });
    match done {
        Ok(report) => {
            json["text"] = json!(report.text);
            json["turns"] = json!(report.turns);
            json["calls"] = report.calls.iter().map(report_json).collect();
            json["missing"] = json!(report.missing);
            json["tokens"] = json!({
                "input": report.usage.input, "cached": report.usage.cached, "output": report.usage.output,
            });
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
