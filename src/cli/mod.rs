//! The command line: parses, calls the library, prints. No logic of its own.
//!
//! Standard output carries data, standard error carries progress and errors. Exit codes are in [`exit_code`].

mod args;
mod commands;
mod limits;
mod output;
mod progress;
mod task;
#[cfg(feature = "mcp")]
mod telemetry;

use std::process::ExitCode;

use crate::{Error, ErrorKind};
use args::{Args, Command};
use output::{Output, note};

/// Run the program with the arguments of the process.
pub fn main() -> ExitCode {
    // Before anything else: it starts with limits on itself.
    if crate::worker::is_named_worker() {
        return crate::worker::serve();
    }
    // Its message may quote what a stranger wrote.
    std::panic::set_hook(Box::new(|panic| {
        note(&format!("{panic}"));
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            note(&trace.to_string());
        }
    }));
    let args = Args::of_process();
    let output = Output::new(args.command.wants_json(), args.global.quiet);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    // A command for one user does one thing at a time. A server has a thread for each processor, where guests compute, one for
    // a short call beside them, and one for the protocol.
    runtime.worker_threads(match args.command.serves() {
        true => std::thread::available_parallelism().map_or(1, usize::from) + 2,
        false => 2,
    });
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let error = Error::new(ErrorKind::Host, "cannot start threads").caused_by(error);
            return report(&output, &error);
        }
    };
    let done = runtime.block_on(run(args, &output));
    // Work that outlived its deadline was told to stop; nobody waits for it.
    runtime.shutdown_background();
    match done {
        Ok(code) => code,
        Err(error) => report(&output, &error),
    }
}

async fn run(args: Args, output: &Output) -> crate::Result<ExitCode> {
    let Args { global, command } = args;
    match command {
        Command::Run(command) => commands::run(&global, command, output).await,
        Command::Exec(command) => commands::exec(&global, command, output).await,
        Command::Call(command) => commands::call(&global, command, output).await,
        Command::Tools(command) => commands::tools(&global, &command, output).await,
        Command::Inspect(command) => commands::inspect(&global, &command, output),
        Command::Ingest(command) => commands::ingest(&global, command, output).await,
        Command::Render(command) => commands::render(&global, command, output),
        Command::Skill(command) => commands::skill(&global, command, output).await,
        Command::Compile(command) => commands::compile(&global, command, output).await,
        Command::Limits(_) => limits::print(output),
        Command::Completions(command) => commands::completions(command, output),
        #[cfg(feature = "mcp")]
        Command::Mcp(command) => commands::mcp(&global, &command).await,
        #[cfg(feature = "http")]
        Command::Serve(command) => commands::serve(&global, command).await,
        #[cfg(feature = "http")]
        Command::Token(command) => commands::token(&command, output),
    }
}

fn report(output: &Output, error: &Error) -> ExitCode {
    output.error(error);
    ExitCode::from(exit_code(error.kind()))
}

/// The exit code that tells a script what went wrong:
///
/// | code | meaning |
/// |---|---|
/// | 0 | done |
/// | 1 | a tool or a script reported an error of its own; `skill check` or `inspect --strict` found something |
/// | 2 | the command line is wrong |
/// | 3 | an input is missing, unreadable, damaged or unsupported |
/// | 4 | unknown tool, or arguments that do not fit it |
/// | 5 | a capability that was not granted |
/// | 6 | a limit was reached |
/// | 7 | a plugin crashed |
/// | 8 | a skill cannot be loaded, or this build lacks a feature |
/// | 9 | the model failed |
/// | 10 | too many calls are running or waiting; try again later |
/// | 11 | a call waits for an approval |
/// | 70 | the file system or the host itself failed |
pub fn exit_code(kind: &ErrorKind) -> u8 {
    match kind {
        ErrorKind::Plugin => 1,
        ErrorKind::Input => 3,
        ErrorKind::UnknownTool | ErrorKind::Arguments => 4,
        ErrorKind::Denied => 5,
        ErrorKind::Limit(_) => 6,
        ErrorKind::Trap => 7,
        ErrorKind::Load | ErrorKind::Disabled(_) => 8,
        ErrorKind::Model => 9,
        ErrorKind::Busy { .. } => 10,
        ErrorKind::Paused => 11,
        ErrorKind::Host => 70,
    }
}
