//! `mitt run` with a plan: makes or resumes it, has it reviewed, carries it out, and reports the result.

use std::io::{self, BufRead as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::conversation_log::{
    ConversationLog, LocatedDocuments, NewConversation, new_log, only_new,
};
use super::job::{Job, dollars, ended};
use super::plan::steps_json;
use super::read_text;
use super::start_options;
use super::work::Work;
use crate::args::{Global, Planning, Run};
use crate::exit_code::exit_code;
use crate::interrupt::unless_interrupted;
use crate::output::{Output, error_json, note};
use crate::person;
use crate::progress::Progress;
use mitt_agent::AnswerMismatch;
use mitt_agent::plan::{
    AcceptPlans, DecidedPlan, Plan, PlanDecision, PlanReport, PlanReview, Planner,
};
use mitt_base::{Error, ErrorKind, Result};

/// Follows the job by a plan, and prints the result.
pub(super) async fn run(
    job: Job,
    (command, global): (&Run, &Global),
    work: &Work,
    given: &LocatedDocuments,
    output: &Output,
) -> Result<ExitCode> {
    let has_form = job.has_form();
    let done = follow(job, (command, global), work, given).await;
    work.progress.finish();
    if output.is_json() {
        return print_json(work, done, output);
    }
    if has_form {
        // The program that reads standard output gets the value alone.
        if let Ok(report) = &done {
            output.json_line(&report.text)?;
        }
        let delivered = done.iter().flat_map(|report| &report.delivered);
        work.file_paths(delivered).iter().for_each(|path| note(path));
    } else {
        if let Ok(report) = &done {
            output.data_line(report.text.trim())?;
        }
        work.print_files(done.iter().flat_map(|report| &report.delivered), output)?;
    }
    let report = done?;
    for missing in &report.missing {
        note(&format!("warning: {missing} was asked for and is not there"));
    }
    match report.ended_by {
        // The report has the partial results; the exit code says that some are missing.
        Some(error) => Err(error),
        None => Ok(ended(&report.missing)),
    }
}

async fn follow(
    job: Job,
    (command, global): (&Run, &Global),
    work: &Work,
    given: &LocatedDocuments,
) -> Result<PlanReport> {
    let planning = &command.planning;
    let agent = command
        .agent_args
        .agent(job.model, job.tools, &global.settings, &work.session, true)
        .await?;
    let mut builder =
        Planner::builder(agent).review(review(planning, job.resumed.is_some(), work)?);
    if let Some(name) = &planning.evaluator {
        builder = builder
            .model_of_reflections(command.agent_args.model_args.open(name, &global.settings)?);
    }
    let (steps, workers, attempts) = planning.limits();
    let builder = builder.limits(|limits| {
        limits.steps = steps.unwrap_or(limits.steps);
        limits.workers = workers.unwrap_or(limits.workers);
        limits.attempts = attempts.unwrap_or(limits.attempts);
    });
    let planner = builder.build();
    let model = job.name.as_deref().filter(|_| !command.log.no_log);
    let options = start_options::of(global, &command.agent_args, Some(planning));
    let new = model.map(|model| NewConversation { model, tools: job.tools, options });
    let (mut run, logged) = match job.resumed {
        Some(open) => {
            let mut run = planner.resume(&work.session, &open.run).map_err(|error| {
                let (name, error) = (&open.name, error.at(format!("run {}", open.name)));
                error.hint(format!("`mitt plan show {name}` shows what came of it"))
            })?;
            let name = Some(open.name.clone());
            let new = only_new(&open.run, given);
            if let Some(demand) = job.demand {
                run.demand(demand.form);
            }
            run.log_to(open.log()?);
            new.for_each(|(document, path)| run.log_document(document, path));
            (run, ConversationLog { name })
        }
        None => {
            let mut run =
                planner.begin(&work.session, job.instruction.as_deref().unwrap_or_default());
            if let Some(demand) = job.demand {
                run.demand(demand.form);
            }
            let log = new.and_then(|new| new_log(work, new));
            let name = log.map(|(name, log)| {
                run.log_to(log);
                for (document, path) in given {
                    run.log_document(document, super::work::lasting(path));
                }
                name
            });
            (run, ConversationLog { name })
        }
    };
    let done = unless_interrupted(run.run()).await.and_then(|done| done);
    done.map_err(|error| {
        work.progress.finish();
        match (error.kind(), &logged.name) {
            (ErrorKind::Paused, Some(name)) => error.hint(format!(
                "`mitt plan show {name}` shows it; `mitt run --resume {name}` with `--accept`, `--reject TEXT` or `--change FILE` goes on"
            )),
            _ => {
                logged.note_how_to_resume("run");
                error
            }
        }
    })
}

/// Returns the reviewer of plans. A plan that waits in a resumed run is never accepted automatically.
fn review(planning: &Planning, is_resumed: bool, work: &Work) -> Result<Arc<dyn PlanReview>> {
    let decision = match (&planning.reject, &planning.change) {
        (Some(why), _) => Some(PlanDecision::Reject(why.clone())),
        (None, Some(file)) => Some(PlanDecision::Change(read(file)?)),
        (None, None) => planning.accept.then_some(PlanDecision::Accept),
    };
    if decision.is_some() {
        // A further plan of the model is decided separately.
        return Ok(Arc::new(Person {
            first: DecidedPlan::new(decision),
            progress: work.progress.clone(),
        }));
    }
    if planning.review || is_resumed {
        Ok(Arc::new(Person { first: DecidedPlan::new(None), progress: work.progress.clone() }))
    } else {
        Ok(Arc::new(AcceptPlans))
    }
}

/// Reads a plan from a file of the user.
fn read(file: &Path) -> Result<Plan> {
    let text = read_text(file)?;
    // The number of steps is checked when it is accepted.
    Plan::parse(&text, mitt_agent::plan::MAX_STEPS, &[]).map_err(|error| {
        let message = format!("{}: {}", file.display(), error.message());
        let wrong = Error::new(ErrorKind::Input, message);
        error.details().iter().fold(wrong, |wrong, detail| wrong.detail(detail.as_str()))
    })
}

/// Decides as the command line says, and then asks the person at the terminal; if there is none, the plan waits.
struct Person {
    first: DecidedPlan,
    progress: Progress,
}

#[async_trait]
impl PlanReview for Person {
    async fn review(&self, plan: &Plan, number: u64) -> Result<PlanDecision> {
        let decided = self.first.review(plan, number).await?;
        if decided != PlanDecision::Later || !person::is_there() {
            return Ok(decided);
        }
        self.progress.finish();
        note(&format!("plan {number}: {}", plan.title));
        for step in &plan.steps {
            let needs = if step.needs.is_empty() {
                String::new()
            } else {
                format!(", needs {}", step.needs.join(", "))
            };
            note(&format!("  {}  {} ({}{needs})", step.id, step.title, step.kind.name()));
            note(&format!("      {}", step.description));
        }
        loop {
            note("Accept it? [y = yes, n WHAT TO DO BETTER, c FILE with another plan, l = later]");
            let read = tokio::task::spawn_blocking(|| {
                let mut line = String::new();
                io::stdin().lock().read_line(&mut line).map(|n_bytes| (n_bytes, line))
            });
            let Ok(Ok((1.., line))) = read.await else { return Ok(PlanDecision::Later) };
            match answer(&line) {
                Ok(decision) => {
                    self.progress.go_on();
                    return Ok(decision);
                }
                Err(problem) => note(&problem),
            }
        }
    }
}

/// Parses a line that the person typed.
fn answer(line: &str) -> Result<PlanDecision, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_lowercase().as_str() {
        "y" | "yes" => Ok(PlanDecision::Accept),
        "n" | "no" => Ok(PlanDecision::Reject(rest.trim().to_owned())),
        "c" => read(Path::new(rest.trim())).map(PlanDecision::Change).map_err(|it| it.render()),
        "l" | "later" => Ok(PlanDecision::Later),
        _ => Err("expected one of y, n, c and l".to_owned()),
    }
}

fn print_json(work: &Work, done: Result<PlanReport>, output: &Output) -> Result<ExitCode> {
    let mut json = json!({ "artifacts": work.artifacts() });
    let mut code = ExitCode::SUCCESS;
    let error = match done {
        Ok(report) => {
            json["text"] = json!(report.text);
            if report.output.is_some() {
                json["output"] = serde_json::from_str(&report.text).unwrap_or_default();
            }
            json["plan"] = json!(report.record.plan);
            json["steps"] = json!(steps_json(&report.record));
            json["turns"] = json!(report.turns);
            json["missing"] = json!(report.missing);
            code = ended(&report.missing);
            json["cost_dollars"] = json!(report.cost.map(dollars));
            json["tokens"] = json!({
                "input": report.usage.input, "cached": report.usage.cached, "output": report.usage.output,
            });
            report.ended_by
        }
        Err(error) => Some(error),
    };
    let Some(error) = error else {
        output.value(&json)?;
        return Ok(code);
    };
    // Standard output gets exactly one JSON value.
    json["error"] = error_json(&error);
    if let Some(mismatch) = AnswerMismatch::of(&error) {
        json["text"] = json!(mismatch.text());
    }
    output.value(&json)?;
    note(&format!("error: {}", error.render()));
    Ok(ExitCode::from(exit_code(error.kind())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_says_yes_no_or_later() {
        for (line, expected) in [
            ("y\n", PlanDecision::Accept),
            ("YES", PlanDecision::Accept),
            ("n look at 2024 too \n", PlanDecision::Reject("look at 2024 too".into())),
            ("no", PlanDecision::Reject(String::new())),
            ("l", PlanDecision::Later),
        ] {
            assert_eq!(answer(line), Ok(expected), "{line}");
        }
        for line in ["", "maybe", "c /no/such/plan.json", "yesterday"] {
            assert!(answer(line).is_err(), "{line}");
        }
    }
}
