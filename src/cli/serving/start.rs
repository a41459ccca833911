//! Shared code of all servers: it starts logging, makes the host, watches the folders of skills, and ends on a signal.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use super::telemetry::{self, Telemetry};
use crate::args::{Global, Serving};
use crate::commands;
use crate::signing;
use mitt::Host;
use mitt::skill::Registry;
use mitt::{Ahead, ProblemSink, WorkerOptions};
use mitt_base::{BlockingLimits, Error, ErrorKind, Result};
use mitt_serve::mcp::{Server, ServerOptions};

/// The parts of a server, from the options.
pub(super) struct Parts {
    pub(super) host: Host,
    pub(super) options: ServerOptions,
    no_watch: bool,
    no_warm: bool,
    /// The folder for native code, if a separate process fills it, which goes on when this one ends.
    compiles_in: Option<PathBuf>,
    telemetry: Telemetry,
}

/// A running server. On drop it stops watching the folders, reporting changes and compiling ahead.
pub(super) struct RunningServer {
    watch: tokio::task::JoinHandle<()>,
    warm: Option<tokio::task::JoinHandle<()>>,
    _telemetry: Telemetry,
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.watch.abort();
        if let Some(warm) = &self.warm {
            warm.abort();
        }
    }
}

/// Makes the host and the options of a server, and starts logging.
///
/// # Errors
///
/// Those of [`HostBuilder::build`](mitt::HostBuilder::build); [`ErrorKind::Input`] - a folder or a document is missing.
pub(super) fn parts(global: &Global, serving: &Serving, options: ServerOptions) -> Result<Parts> {
    let telemetry = telemetry::start()?;
    for problem in global.settings.warnings() {
        tracing::warn!(problem, "a setting does not count");
    }
    let missing = |what: &str, path: &Path| {
        Error::new(ErrorKind::Input, format!("no {what} {}", path.display()))
            .hint(format!("name an existing {what}"))
    };
    if let Some(path) = serving.folders.iter().find(|path| !path.is_dir()) {
        return Err(missing("folder", path));
    }
    if let Some(path) =
        serving.docs.iter().find(|path| !path.is_file() && mitt::url_of(path).is_none())
    {
        return Err(missing("document", path));
    }
    let unkept: ProblemSink = Arc::new(|error| {
        let error = error.render();
        tracing::warn!(error, "each start compiles anew");
    });
    let limits = BlockingLimits::default();
    let builder = commands::builder_without_warnings(global, worker(global), limits, unkept)?;
    let host = builder.signing_keys(signing::keys(global)?).build()?;
    warn(&host.registry());
    let options = ServerOptions {
        documents: serving.docs.clone(),
        folders: serving.folders.clone(),
        tools: serving.tools,
        schemas: serving.schemas,
        resource_links: serving.resource_links,
        images: serving.images,
        task_after: serving.task_after,
        ..options
    };
    let Serving { no_watch, no_warm, .. } = *serving;
    Ok(Parts { host, options, no_watch, no_warm, compiles_in: None, telemetry })
}

/// Returns the options for worker processes; one is started ahead of the first client. Problems go to the log.
fn worker(global: &Global) -> Option<WorkerOptions> {
    let problems: ProblemSink = Arc::new(|error| {
        let error = error.render();
        tracing::warn!(
            error,
            "no worker process: what takes long is done without, and cannot be ended"
        );
    });
    let crashes: ProblemSink = Arc::new(|error| {
        let error = error.render();
        tracing::error!(error, "a worker process crashed");
    });
    let worker = commands::worker(global)?;
    let nice = WorkerOptions::default().nice;
    let (problems, crashes) = (Some(problems), Some(crashes));
    Some(WorkerOptions { ahead: 1, nice, problems, crashes, ..worker })
}

impl Parts {
    /// Compiles ahead in a separate process. Some clients end the server after five seconds, which is less than Python
    /// takes: the compiled code would be lost, and the next start would end in the same way.
    pub(super) fn compiling_detached(mut self, global: &Global) -> Parts {
        self.compiles_in = commands::cache(global).map(|it| it.path().to_owned());
        self
    }

    /// Loads the skills of `server`, which was made from these parts, and watches their folders, both in the background, so
    /// that clients get their first answer soon.
    pub(super) fn start(self, server: &Server) -> RunningServer {
        let warm = (!self.no_warm).then(|| warm(server, self.compiles_in));
        RunningServer { watch: watch(server, self.no_watch), warm, _telemetry: self.telemetry }
    }
}

/// Compiles what the skills need, so that calls do not wait for it.
fn warm(server: &Server, compiles_in: Option<PathBuf>) -> tokio::task::JoinHandle<()> {
    let server = server.clone();
    let log = |ahead: &Ahead| {
        let (skill, duration) = (&ahead.skill.manifest().name, ahead.duration);
        match &ahead.failure {
            Some(error) => {
                let error = error.render();
                tracing::warn!(skill, error, "a skill does not load");
            }
            None if ahead.is_compiled => tracing::info!(skill, ?duration, "compiled"),
            None => tracing::debug!(skill, ?duration, "loaded"),
        }
    };
    tokio::spawn(async move {
        // Clients ask for this first.
        server.prepare().await;
        if let Some(cache) = compiles_in {
            let names = server.host().bundled_to_compile().await;
            if !names.is_empty() {
                let compiled = move || compile_detached(&names, &cache);
                // What the process did not compile is compiled here.
                if let Ok(Err(error)) = tokio::task::spawn_blocking(compiled).await {
                    tracing::debug!(%error, "compiling in a process of its own");
                }
            }
        }
        server.host().load_ahead(log).await;
    })
}

/// Compiles these bundled skills in a process outside of this process group, and waits for it.
#[expect(clippy::disallowed_methods, reason = "the program that is started is this one")]
fn compile_detached(names: &[String], cache: &Path) -> std::io::Result<()> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.arg("warm").args(names).arg("--cache-dir").arg(cache);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()?.wait().map(drop)
}

fn watch(server: &Server, no_watch: bool) -> tokio::task::JoinHandle<()> {
    let server = server.clone();
    tokio::spawn(async move {
        server.prepare().await;
        if !no_watch {
            match server.host().watch().await {
                Ok(_watch) => log_changes(server.host()).await,
                Err(error) => tracing::warn!(error = %error.render(), "no reload"),
            }
        }
    })
}

/// Logs changes of the skills, as long as the host exists.
async fn log_changes(host: &Host) {
    let mut changes = host.changes();
    while let Some(change) = changes.next().await {
        let (added, changed, removed) = (&change.added, &change.changed, &change.removed);
        tracing::info!(
            ?added,
            ?changed,
            ?removed,
            generation = change.generation,
            "skills changed"
        );
        for (skill, reason) in &change.blocked {
            tracing::warn!(skill, reason, "a skill cannot be used");
        }
        for (place, problem) in &change.problems {
            tracing::warn!(place, problem, "the last good version stays in use");
        }
    }
}

/// Logs problems of the skills at the start.
fn warn(registry: &Registry) {
    for (place, problem) in registry.problems() {
        tracing::warn!(place, problem, "a skill cannot be read");
    }
    for hidden in registry.hidden() {
        tracing::warn!(skill = hidden.name, reason = %hidden, way_out = hidden.way_out(), "a skill is left out");
    }
    for state in registry.states() {
        if let Some(reason) = &state.blocked {
            tracing::warn!(skill = state.name, %reason, "a skill cannot be used");
        }
    }
}

/// Waits until the terminal or a supervisor asks the process to end. Returns the name of the signal.
///
/// # Errors
///
/// [`ErrorKind::Host`] - the operating system does not report signals.
pub(super) async fn asked_to_end() -> Result<&'static str> {
    let failed = |error: std::io::Error| {
        Error::new(ErrorKind::Host, "signals cannot be heard").caused_by(error)
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        tokio::select! {
            _ = terminate.recv() => Ok("SIGTERM"),
            _ = interrupt.recv() => Ok("SIGINT"),
        }
    }
    #[cfg(not(unix))]
    {
        tokio::signal::ctrl_c().await.map_err(failed)?;
        Ok("Ctrl-C")
    }
}

/// Lets the calls of `server` end within `grace`; a second signal ends them at once.
pub(super) async fn end(server: &Server, grace: Duration) {
    tokio::select! {
        () = server.close(grace) => {}
        _ = asked_to_end() => server.close(Duration::ZERO).await,
    }
}
