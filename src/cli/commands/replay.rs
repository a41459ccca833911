//! `mitt replay`: lists runs, or repeats the calls of one and reports differences.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::conversation_log::{LAST, add_documents};
use super::work::Work;
use crate::args::{Global, Replay};
use crate::interrupt::unless_interrupted;
use crate::output::Output;
use crate::runs::Runs;
use mitt_agent::{LoggedRun, Replayed, replay};
use mitt_base::rows::counted;
use mitt_base::{Result, text};

/// Most characters of an instruction in a list.
const SHOWN: usize = 60;

pub(crate) async fn run(global: &Global, command: Replay, output: &Output) -> Result<ExitCode> {
    let runs = Runs::of_user()?;
    let Some(name) = &command.run else { return list(&runs, output) };
    let (name, run) = runs.read((name != LAST).then_some(name))?;
    // In memory unless the user wants the files; files that the run delivered are not replaced.
    let work = Work::open(global, command.out.as_deref(), output).await?;
    let work = work.with_password(&command.password)?;
    work.add_files(&command.docs).await?;
    // A document that has changed counts as a difference.
    add_documents(&work, &run, false).await?;
    work.progress.doing("making the calls again");
    let traces = run.traces();
    let replayed = unless_interrupted(replay(&work.session, &run)).await;
    work.progress.finish();
    let replayed = replayed?;
    if output.is_json() {
        output.value(&to_json(&name, &replayed, &traces))?
    } else {
        print_replay(&name, &replayed, &traces, output)?
    }
    for path in command.out.iter().flat_map(|_| work.paths()) {
        if !output.is_json() {
            output.data_line(&path)?;
        }
    }
    Ok(if replayed.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

type Traces = [(usize, String)];

fn print_replay(name: &str, replayed: &Replayed, traces: &Traces, output: &Output) -> Result<()> {
    for (number, trace) in traces {
        output.line(&format!("instruction {number}: routed {trace}"))?;
    }
    for it in &replayed.differences {
        match it.turn {
            0 => output.line(&format!("{}: {}", it.of, it.how))?,
            turn => output.line(&format!("turn {turn}, {}: {}", it.of, it.how))?,
        }
    }
    if replayed.has_plan {
        output.line(&format!(
            "run {name} follows a plan: its report is not written again; `mitt plan show {name}` shows its steps"
        ))?;
    }
    if replayed.has_left_out {
        output.line("calls of steps are missing: the log had no room for more of them")?;
    }
    let skipped = match replayed.skipped {
        0 => String::new(),
        n => format!(", {n} without a result of their own left out"),
    };
    if replayed.destructive > 0 {
        let calls = counted(replayed.destructive, "call");
        output.line(&format!(
            "{calls} not made again: the tool is marked `destructive`, and an approval counts once"
        ))?;
    }
    let found = match replayed.differences.len() {
        0 => "all as they were".to_owned(),
        n => counted(n as u64, "difference"),
    };
    let calls = counted(replayed.calls, "call");
    output.line(&format!("run {name}: {calls} made again{skipped}: {found}"))
}

fn to_json(name: &str, replayed: &Replayed, traces: &Traces) -> Value {
    let trace = |(number, trace): &(usize, String)| json!({"instruction": number, "trace": trace});
    let difference =
        |it: &mitt_agent::Difference| json!({"turn": it.turn, "of": it.of, "how": it.how});
    json!({
        "run": name, "has_plan": replayed.has_plan, "has_left_out": replayed.has_left_out, "calls": replayed.calls, "skipped": replayed.skipped, "destructive": replayed.destructive,
        "differences": replayed.differences.iter().map(difference).collect::<Vec<_>>(),
        "routed": traces.iter().map(trace).collect::<Vec<_>>(),
    })
}

fn list(runs: &Runs, output: &Output) -> Result<ExitCode> {
    let mut all = Vec::new();
    for name in runs.names() {
        match runs.read(Some(&name)) {
            Ok((_, run)) if output.is_json() => all.push(listed(&name, &run)),
            Ok((_, run)) => {
                let said = run.instructions().next_back().unwrap_or_default();
                let said = text::shortened(&text::single_line(said), SHOWN);
                let state = if run.is_finished() { "done      " } else { "unfinished" };
                output.line(&format!("{name:<18}  {state}  {}  {said}", run.header().model))?;
            }
            // A damaged log does not hide the others.
            Err(error) if output.is_json() => {
                all.push(json!({"run": name, "error": error.to_string()}))
            }
            Err(error) => output.line(&format!("{name:<18}  damaged     {error}"))?,
        }
    }
    if output.is_json() {
        output.value(&Value::Array(all))?;
    } else if runs.names().is_empty() {
        output.line(
            "no run yet: `mitt run --model … 'instruction'` and `mitt chat` leave one each",
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn listed(name: &str, run: &LoggedRun) -> Value {
    let header = run.header();
    json!({
        "run": name, "time": header.time, "model": header.model, "finished": run.is_finished(),
        "folder": header.folder, "instructions": run.instructions().collect::<Vec<_>>(),
    })
}
