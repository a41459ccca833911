//! Shell completion: commands, options, files, and the names of existing tools and skills.
//!
//! The shell runs this program at each key press, so it must be fast.

use std::ffi::OsStr;
use std::time::Duration;

use clap_complete::engine::CompletionCandidate;
use clap_complete::env::{CompleteEnv, Shells};

use mitt::skill::{Registry, author, to_snake};
use mitt::{CacheDir, Host};
use mitt_base::{Error, ErrorKind, Result};

/// The variable with which a shell asks.
const VARIABLE: &str = "COMPLETE";

/// Longest wait of a user at the shell. Plugins that are not compiled by then are completed only by their skills.
const WAIT: Duration = Duration::from_secs(3);

/// Answers a shell about `command` and ends the process, if a shell asks.
pub(super) fn answer(command: fn() -> clap::Command) {
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// Returns the script that makes a shell ask.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the shell is unknown.
pub(super) fn registration(shell: &str) -> Result<Vec<u8>> {
    let shells = Shells::builtins();
    let shell = shells.completer(shell).ok_or_else(|| {
        let known: Vec<_> = shells.names().collect();
        Error::new(ErrorKind::Input, format!("no completions for the shell `{shell}`"))
            .hint(format!("there are some for {}", known.join(", ")))
    })?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "mitt", "mitt", "mitt", &mut script).map_err(|error| {
        Error::new(ErrorKind::Host, "the completions cannot be written").caused_by(error)
    })?;
    Ok(script)
}

/// Completes names of tools.
pub(super) fn tools(current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(registry) = registry() else { return Vec::new() };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let Ok(runtime) = runtime else { return Vec::new() };
    let listed = runtime.block_on(async { tokio::time::timeout(WAIT, registry.listing()).await });
    // Compilation continues without waiting for it, and ends with the process.
    runtime.shutdown_background();
    match listed {
        Ok((tools, _)) => {
            let tools = tools.iter().map(|tool| {
                let summary = tool.function.docs.lines().next().unwrap_or_default().to_owned();
                CompletionCandidate::new(tool.name.as_str()).help(Some(summary.into()))
            });
            begin_with(tools, current)
        }
        Err(_) => {
            let names =
                registry.states().into_iter().map(|state| format!("{}__", to_snake(&state.name)));
            begin_with(names.map(CompletionCandidate::new), current)
        }
    }
}

/// Completes names of skills.
pub(super) fn skills(current: &OsStr) -> Vec<CompletionCandidate> {
    let states = registry().map(|registry| registry.states()).unwrap_or_default();
    begin_with(states.into_iter().map(|state| CompletionCandidate::new(state.name)), current)
}

/// Completes names of installed skills.
pub(super) fn installed(current: &OsStr) -> Vec<CompletionCandidate> {
    let names = author::user_folder().map(|folder| author::names(&folder)).unwrap_or_default();
    begin_with(names.into_iter().map(CompletionCandidate::new), current)
}

/// Returns bundled and installed skills. Skills that options name are missing, because the rest of the line is unknown here.
fn registry() -> Option<Registry> {
    let mut host = Host::builder().cache(CacheDir::of_user());
    if let Some(folder) = author::user_folder().filter(|folder| folder.is_dir()) {
        host = host.installed_skills(folder);
    }
    host.build().ok().map(|host| host.registry())
}

fn begin_with(
    candidates: impl Iterator<Item = CompletionCandidate>,
    current: &OsStr,
) -> Vec<CompletionCandidate> {
    let current = current.as_encoded_bytes();
    candidates.filter(|it| it.get_value().as_encoded_bytes().starts_with(current)).collect()
}
