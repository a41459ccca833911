//! The command line: parses arguments, calls the library, prints results. Has no logic of its own.
//!
//! Standard output carries data, standard error carries progress and errors. Exit codes are those of `exit_code`.

#![forbid(unsafe_code)]

mod agent_args;
mod agents;
mod args;
mod commands;
mod complete;
mod delivery;
mod exit_code;
mod interrupt;
#[cfg(feature = "lambda")]
mod lambda;
mod limits;
mod live_output;
#[cfg(feature = "models")]
mod markdown;
mod model_args;
mod output;
mod password;
mod person;
mod plan_tree;
mod progress;
mod remedies;
mod runs;
#[cfg(feature = "serve")]
mod serving;
#[cfg(not(feature = "serve"))]
#[path = "serving_disabled.rs"]
mod serving;
mod settings;
mod signing;
mod task;

use std::process::ExitCode;

use args::{Args, Command};
use exit_code::exit_code;
use mitt_base::{Error, ErrorKind};
use output::{Output, note};

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    remedies::use_words_of_program();
    // First of all, because it starts with limits on itself.
    if mitt::internal::is_named_worker() {
        return mitt::serve_as_worker();
    }
    #[cfg(feature = "sources")]
    if mitt_sources::is_supervisor() {
        return mitt_sources::supervise();
    }
    // The message of a panic may quote untrusted text.
    std::panic::set_hook(Box::new(|panic| {
        note(&format!("{panic}"));
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            note(&trace.to_string());
        }
    }));
    complete::answer(<Args as clap::CommandFactory>::command);
    let mut args = Args::of_process();
    let (json, explicit) = (args.command.wants_json(), args.command.asks_for_json());
    if args.command.reads_settings()
        && let Err(error) = args.global.fill()
    {
        return report(&Output::new(json, explicit, args.global.quiet), &error);
    }
    let output = Output::new(json, explicit, args.global.quiet);
    // A server logs them.
    if !output.is_quiet() && !args.command.serves() {
        args.global.settings.warnings().iter().for_each(|it| note(&format!("warning: {it}")));
    }
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    // A command for one user does one thing at a time, on the main thread: a single call needs one thread beside it, for timers
    // and events. A server has a thread for each processor, where guests compute, one for short calls, and one for the protocol.
    runtime.worker_threads(match &args.command {
        command if command.serves() => mitt_base::processors::count() + 2,
        Command::Call(_) => 1,
        _ => 2,
    });
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let error = Error::new(ErrorKind::Host, "cannot start threads").caused_by(error);
            return report(&output, &error);
        }
    };
    let done = runtime.block_on(run(args, &output));
    // Work that outlived its deadline was cancelled; do not wait for it.
    runtime.shutdown_background();
    match done {
        Ok(code) => code,
        Err(error) => report(&output, &error),
    }
}

async fn run(args: Args, output: &Output) -> mitt_base::Result<ExitCode> {
    let Args { global, command } = args;
    match command {
        Command::Run(command) => commands::run(&global, command, output).await,
        Command::Demo(command) => commands::demo(&global, command, output).await,
        #[cfg(feature = "models")]
        Command::Chat(command) => commands::chat(&global, command, output).await,
        Command::Agents(command) => commands::agents(&global, &command, output).await,
        Command::Replay(command) => commands::replay(&global, command, output).await,
        Command::Plan(command) => commands::plan(&command, output),
        Command::Exec(command) => commands::exec(&global, command, output).await,
        Command::Call(command) => commands::call(&global, command, output).await,
        Command::Tools(command) => commands::tools(&global, &command, output).await,
        Command::Inspect(command) => commands::inspect(&global, &command, output),
        Command::Ingest(command) => commands::ingest(&global, command, output).await,
        Command::Render(command) => commands::render(&global, command, output).await,
        Command::Sql(command) => commands::sql(&global, command, output).await,
        Command::Fill(command) => commands::fill(&global, command, output).await,
        Command::Edit(command) => commands::edit(&global, command, output).await,
        Command::Compare(command) => commands::compare(&global, command, output).await,
        Command::Pdf(command) => commands::pdf(&global, command, output).await,
        Command::Redact(command) => commands::redact(&global, command, output).await,
        Command::Fonts(command) => commands::fonts(&global, command, output),
        Command::Model(command) => commands::model(&global, command, output).await,
        Command::Skill(command) => commands::skill(&global, command, output).await,
        Command::Source(command) => commands::source(&global, command, output).await,
        Command::Compile(command) => commands::compile(&global, command, output).await,
        Command::Warm(command) => commands::warm(&global, &command, output).await,
        Command::Config(command) => commands::config(&global, &command, output),
        Command::Limits(_) => limits::print(output),
        Command::Completions(command) => commands::completions(command, output),
        #[cfg(feature = "man")]
        Command::Man(command) => commands::man(&command, output),
        Command::Serving(command) => serving::run(&global, command, output).await,
        #[cfg(feature = "lambda")]
        Command::Lambda(command) => lambda::lambda(&global, &command).await,
    }
}

fn report(output: &Output, error: &Error) -> ExitCode {
    output.error(error);
    ExitCode::from(exit_code(error.kind()))
}
