//! `mitt warm`

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{cache, host_with_cache_problems};
use crate::args::{Global, Warm};
use crate::exit_code::exit_code;
use crate::output::{Output, error_json, note};
use crate::progress::{Progress, bytes};
use mitt::{Ahead, ProblemSink};
use mitt_base::{Error, ErrorKind, Result, lock};

/// Compiles everything that the skills need, ahead of their first use.
pub(crate) async fn warm(global: &Global, command: &Warm, output: &Output) -> Result<ExitCode> {
    let Some(cache) = cache(global) else {
        let error = Error::new(ErrorKind::Input, "there is no folder to keep native code in");
        return Err(if global.no_cache {
            error.hint("leave out `--no-cache`")
        } else {
            error.hint("name one with `--cache-dir` or `MITT_CACHE_DIR`")
        });
    };
    let unkept = Arc::<Mutex<Option<Error>>>::default();
    let problem = unkept.clone();
    let keep: ProblemSink = Arc::new(move |error: &Error| *lock(&problem) = Some(error.clone()));
    let host = host_with_cache_problems(global, keep)?;
    let skills = match &command.names[..] {
        [] => host.skills_to_load(),
        names => {
            let registry = host.registry();
            let found: Result<Vec<_>> = names.iter().map(|name| registry.skill(name)).collect();
            found?
        }
    };
    let progress = Progress::new(output.is_quiet());
    let (mut done, mut code, mut shown) = (Vec::new(), ExitCode::SUCCESS, Ok(()));
    let compiling = |skill: &mitt::skill::Skill, it: mitt::skill::Compiling| {
        progress.compiling(&skill.manifest().name, it.elapsed, it.usual);
    };
    let report = |ahead: &Ahead| {
        if let Some(failure) = &ahead.failure {
            note(&format!("error: {}", failure.render()));
            if done.iter().all(|it: &Value| it["state"] != "failed") {
                code = ExitCode::from(exit_code(failure.kind()));
            }
        }
        if !output.is_json() && shown.is_ok() {
            shown = progress.suspended(|| output.line(&line(ahead)));
        }
        done.push(value(ahead));
    };
    host.load_skills_ahead(skills, compiling, report).await;
    progress.finish();
    shown?;
    let unkept = lock(&unkept).take();
    if output.is_json() {
        let mut value = json!({ "cache": cache.path(), "skills": done });
        if let Some(error) = &unkept {
            value["error"] = error_json(error);
        }
        output.value(&value)?;
    }
    match unkept {
        None => Ok(code),
        Some(error) => {
            note(&format!("error: {}", error.render()));
            Ok(ExitCode::from(exit_code(error.kind())))
        }
    }
}

fn state(ahead: &Ahead) -> &'static str {
    match (&ahead.failure, ahead.is_compiled) {
        (Some(_), _) => "failed",
        (None, true) => "compiled",
        (None, false) => "cached",
    }
}

/// Describes the result for a skill, for display.
fn line(ahead: &Ahead) -> String {
    let (name, seconds) = (&ahead.skill.manifest().name, ahead.duration.as_secs_f64());
    let (state, size) = (state(ahead), bytes(ahead.native_bytes));
    match ahead.failure {
        Some(_) => format!("{name:<16} {state:<9} {seconds:>6.1} s"),
        None => format!("{name:<16} {state:<9} {seconds:>6.1} s  {size:>10}"),
    }
}

/// Describes the result for a skill, as JSON.
fn value(ahead: &Ahead) -> Value {
    let mut value = json!({
        "skill": ahead.skill.manifest().name,
        "state": state(ahead),
        "seconds": ahead.duration.as_secs_f64(),
        "native_bytes": ahead.native_bytes,
    });
    if let Some(failure) = &ahead.failure {
        value["error"] = error_json(failure);
    }
    value
}
