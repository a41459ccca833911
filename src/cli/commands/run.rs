//! `mitt run`: carries out a task, or an instruction with documents.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};

use super::conversation_log::{
    LocatedDocuments, NewConversation, add_documents, open, read_given, resume,
};
use super::job::{Job, dollars, ended};
use super::work::{Work, report_json};
use super::{output_schema, run_plan, start_options};
use crate::agent_args::no_model;
use crate::args::{Global, Run};
use crate::exit_code::exit_code;
use crate::interrupt::unless_interrupted;
use crate::output::{Output, error_json, note};
use crate::runs::RECORDING;
use crate::signing;
use crate::task::{Task, TaskModel};
use mitt::Citations;
use mitt_agent::model::{ChatModel, Image, ReplayModel};
use mitt_agent::route::Typed;
use mitt_agent::{AnswerMismatch, Delegated, RunReport};
use mitt_base::{Error, ErrorKind, Result};

pub(crate) async fn run(global: &Global, mut command: Run, output: &Output) -> Result<ExitCode> {
    if command.schema {
        return output.data(Task::JSON_SCHEMA).map(|()| ExitCode::SUCCESS);
    }
    let job = job(&command, global).await?;
    let mut global = global.clone();
    if let Some(open) = &job.resumed {
        let planning = open.run.plan()?.is_some().then_some(&mut command.planning);
        let options = &open.run.header().options;
        start_options::restore(options, &mut global, &mut command.agent_args, planning);
    }
    let global = &global;
    let has_plan = job.has_plan(&command)?;
    let documents = job.task.as_ref().map_or(Ok(Vec::new()), Task::documents)?;
    let logged_folder = job.resumed.as_ref().and_then(|open| open.run.header().folder.clone());
    let folder = command
        .out
        .named()
        .or(logged_folder)
        .unwrap_or_else(|| command.out.folder(&global.settings));
    let keys = signing::keys(global)?;
    let work = Work::open_with(global, output, |options, _| {
        options.signing_keys = Some(keys);
        options.folder = Some(folder.clone());
    })
    .await?;
    let work = work.with_password(&command.password)?;
    let mut given = Vec::new();
    for document in documents {
        let path = document.path.clone();
        given.push((work.add(document).await?, path));
    }
    let (named, images) = read_given(&work, &command.docs).await?;
    given.extend(named);
    if let Some(open) = &job.resumed {
        if !images.is_empty() {
            return Err(Error::new(
                ErrorKind::Input,
                "a run that is resumed goes on with what was said, and takes no picture",
            )
            .hint(format!(
                "`mitt chat --resume {}` takes it: say something with `@FILE`",
                open.name
            )));
        }
        add_documents(&work, &open.run, true).await?;
    }
    if let Some(error) = work.no_folder() {
        return Err(error);
    }
    work.progress.doing("asking the model");
    if has_plan {
        if !images.is_empty() {
            let error = Error::new(ErrorKind::Input, "a plan takes no pictures");
            return Err(error.hint("leave out the picture, or `--plan`"));
        }
        return run_plan::run(job, (&command, global), &work, &given, output).await;
    }
    let (is_task, has_form) = (job.task.is_some(), job.has_form());
    let done = follow(job, (&command, global), &work, (&given, images)).await;
    work.progress.finish();
    if output.is_json() {
        return print_json(&work, done, output);
    }
    if has_form {
        print_value(&work, &done, output)?;
    } else {
        // The text of a task's model was shown with its turns; a user with an instruction reads the answer.
        if let (Ok(report), false) = (&done, is_task) {
            output.data_line(report.text.trim())?;
        }
        work.print_files(done.iter().flat_map(|report| &report.delivered), output)?;
    }
    let report = done?;
    report.citations.problems().iter().for_each(|it| note(&format!("warning: {it}")));
    let missing = report.missing;
    for missing in &missing {
        note(&format!("warning: {missing} was asked for and not delivered"));
    }
    Ok(ended(&missing))
}

/// Prints the value of an answer in a form and nothing else, for the program that reads it. People read the paths of files.
fn print_value(work: &Work, done: &Result<RunReport>, output: &Output) -> Result<()> {
    if let Ok(report) = done {
        output.json_line(&report.text)?;
    }
    let delivered = done.iter().flat_map(|report| &report.delivered);
    work.file_paths(delivered).iter().for_each(|path| note(path));
    Ok(())
}

/// Lets the model work. A run that fails or is stopped can be resumed if there is a log.
async fn follow(
    job: Job,
    (command, global): (&Run, &Global),
    work: &Work,
    (given, images): (&LocatedDocuments, Vec<Image>),
) -> Result<RunReport> {
    let agent_args = &command.agent_args;
    let agent =
        agent_args.agent(job.model, job.tools, &global.settings, &work.session, false).await?;
    let model = job.name.as_deref().filter(|_| !command.log.no_log);
    let options = start_options::of(global, agent_args, None);
    let new = model.map(|model| NewConversation { model, tools: job.tools, options });
    let (mut conversation, logged) = open(&agent, work, job.resumed, new, given).await?;
    if let Some(demand) = job.demand {
        conversation.demand(demand);
    }
    let done = unless_interrupted(async {
        match &job.instruction {
            Some(instruction) => conversation.say_with(instruction, images).await.map(Some),
            None => conversation.go_on().await,
        }
    });
    let done = done.await.and_then(|done| done);
    match done {
        Ok(Some(report)) => Ok(report),
        Ok(None) => {
            let name = logged.name.unwrap_or_default();
            let error = Error::new(ErrorKind::Input, format!("run {name} was followed to its end"));
            Err(error.hint(format!(
                "`mitt chat --resume {name}` goes on talking; `mitt replay {name}` makes it again"
            )))
        }
        Err(error) => {
            work.progress.finish();
            logged.note_how_to_resume("run");
            Err(error)
        }
    }
}

/// Returns a task if a file or folder has this name, otherwise an instruction, or a resumed run.
async fn job(command: &Run, global: &Global) -> Result<Job> {
    let (model_args, settings) = (&command.agent_args.model_args, &global.settings);
    let tools = command.agent_args.tools(settings);
    // Before anything else, because nothing is asked with a wrong one.
    let demand = command.output_schema.as_deref().map(output_schema::read).transpose()?;
    if let Some(name) = &command.resume {
        let resumed = resume(name)?;
        let header = resumed.run.header();
        let (model, tools) =
            (model_args.model.as_ref().unwrap_or(&header.model).clone(), header.tools);
        let (instruction, task) = (None, None);
        return Ok(Job {
            instruction,
            task,
            model: match model.strip_prefix(RECORDING) {
                Some(path) => Arc::new(ReplayModel::from_file(Path::new(path))?),
                None => model_args.open(&model, settings)?,
            },
            name: Some(model),
            tools,
            demand,
            resumed: Some(resumed),
        });
    }
    let what = command.task.as_deref().unwrap_or_default();
    let path = Path::new(what);
    // An instruction has spaces between its words, or is in a script without spaces. A command names a skill.
    let is_command = matches!(Typed::of(what), Typed::Command { .. });
    let is_instruction = what.trim().contains(' ') || !what.is_ascii() || is_command;
    // A model understands `continue` or `help`; a task that is not there is an error only where no model could be meant.
    let is_word = !is_instruction && is_plain_word(what) && model_args.name(settings).is_some();
    if (is_instruction || is_word && !names_a_file(what)) && !path.exists() {
        let Some(name) = model_args.name(settings) else { return Err(no_model(found().await)) };
        if is_word {
            note(&format!("there is no task `{what}`, so it is the instruction"));
        }
        model_args.note_project_model(settings);
        let (model, instruction) = (model_args.open(&name, settings)?, Some(what.to_owned()));
        let (task, name) = (None, Some(name));
        return Ok(Job { instruction, task, model, name, tools, demand, resumed: None });
    }
    let task = Task::read(path)?;
    // The option goes before the task; the settings do not, because they are for instructions without a model.
    let named =
        |name: &str| model_args.open(name, settings).map(|model| (model, Some(name.to_owned())));
    let (model, name) = match &model_args.model {
        Some(name) => named(name)?,
        None => match task.model()? {
            TaskModel::Replay(model) => {
                // A recorded plan gets a log, since it can be shown later and may wait for a decision.
                let recording = task.recording().filter(|_| task.plan || command.planning.plan);
                let name = recording.map(|path| format!("{RECORDING}{}", path.display()));
                (Arc::new(model) as Arc<dyn ChatModel>, name)
            }
            TaskModel::Named(name) => named(&name)?,
        },
    };
    let instruction = Some(task.instruction.clone());
    Ok(Job { instruction, task: Some(task), model, name, tools, demand, resumed: None })
}

/// Returns `true` for a single word of ASCII letters, perhaps with a sign of the end of a sentence.
fn is_plain_word(text: &str) -> bool {
    let word = text.trim().trim_end_matches(['.', '!', '?']);
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Returns `true` if a file or folder here has this name but for its extension: the user has most likely mistyped a task.
fn names_a_file(word: &str) -> bool {
    let is_named = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|it| {
            it.path().file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case(word))
        })
    };
    std::fs::read_dir(".").is_ok_and(|mut entries| entries.any(is_named))
}

/// Returns a server on this machine that answers at its usual port.
pub(super) async fn found() -> Option<&'static str> {
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

fn agent_json(delegated: &Delegated) -> Value {
    json!({
        "agent": delegated.agent, "id": delegated.id, "status": delegated.status.name(), "why": delegated.failure,
        "artifacts": delegated.artifacts, "turns": delegated.cost.turns, "tokens": delegated.cost.tokens,
        "calls": delegated.cost.calls,
    })
}

/// Returns the number of citations by outcome, rectangles where their texts stand on pages, and those that are wrong.
fn citations_json(citations: &Citations) -> Value {
    let mut json = json!({ "checked": citations.list.len(), "more": citations.has_more });
    for it in &citations.list {
        let count = &mut json[it.outcome.name()];
        *count = json!(count.as_u64().unwrap_or_default() + 1);
    }
    let placed = citations.list.iter().filter(|it| it.rect.is_some());
    json["places"] = placed
        .map(|it| json!({ "start": it.range.start, "end": it.range.end, "reference": it.reference() }))
        .collect();
    let wrong = citations.list.iter().filter(|it| it.outcome.is_wrong());
    json["wrong"] = wrong
        .map(|it| {
            let missing = it.missing.iter();
            json!({
                "start": it.range.start, "end": it.range.end, "document": it.document, "place": it.place,
                "outcome": it.outcome.name(), "problem": it.problem(),
                "missing": missing.map(|it| json!({ "text": it.text, "elsewhere": it.elsewhere })).collect::<Value>(),
            })
        })
        .collect();
    json
}

/// Returns what a run that ended reports.
pub(crate) fn ended_json(report: &RunReport) -> Value {
    let mut json = json!({
        "text": report.text,
        "turns": report.turns,
        "calls": report.calls.iter().map(report_json).collect::<Value>(),
        "missing": report.missing,
        "citations": citations_json(&report.citations),
        "agents": report.delegated.iter().map(agent_json).collect::<Value>(),
        "cost_dollars": report.cost.map(dollars),
        "tokens": {
            "input": report.usage.input, "cached": report.usage.cached, "output": report.usage.output,
        },
    });
    if report.output.is_some() {
        json["output"] = serde_json::from_str(&report.text).unwrap_or_default();
    }
    json
}

fn print_json(work: &Work, done: Result<RunReport>, output: &Output) -> Result<ExitCode> {
    let mut json = json!({ "artifacts": work.artifacts() });
    match done {
        Ok(report) => {
            let mut printed = ended_json(&report);
            printed["artifacts"] = json["artifacts"].take();
            output.value(&printed)?;
            Ok(ended(&report.missing))
        }
        Err(error) => {
            // Standard output gets one JSON value in every case.
            json["error"] = error_json(&error);
            if let Some(mismatch) = AnswerMismatch::of(&error) {
                json["text"] = json!(mismatch.text());
            }
            output.value(&json)?;
            note(&format!("error: {}", error.render()));
            Ok(ExitCode::from(exit_code(error.kind())))
        }
    }
}
