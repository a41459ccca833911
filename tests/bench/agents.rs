//! Bench of the agent's loop: what it costs beside the model.
//!
//! `cargo bench --bench agents` lets a mock of a service ask for 1, 10 and 100 calls of an empty tool in each of 20 turns, and
//! prints the processor time of the loop's process for one turn, the time to the first text, and the memory of a conversation of 200
//! turns; beside it the same of openai-agents and pydantic-ai, if the interpreter that `PYTHON` names has them: with the same tool over
//! MCP, whose server's time is not counted, and with a function of their own. What starts once, imports and connections included, is
//! not counted either. `MITT_BENCH_SECONDS` is the time of each measurement, default 3, `MITT_BENCH_RUNS` how often each is made in
//! a new process, default 3; the median counts. Last come the bytes that the bundled example sends in the three modes.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its peers"
)]

#[allow(dead_code, reason = "each bench uses a part")]
#[path = "figures.rs"]
mod figures;
#[path = "agents/mitt.rs"]
mod mitt_loop;
#[path = "agents/mock.rs"]
mod mock;
#[path = "agents/peers.rs"]
mod peers;
#[path = "agents/process.rs"]
mod process;

use std::path::PathBuf;
use std::time::Duration;

use figures::{Figures, Text};
use mitt_agent::ToolMode;
use mitt_serve::mcp::{Client, Server, ServerOptions};
use mock::Plan;
use peers::{Loop, Measured, Mock, compared};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

/// Which part this process plays; none: the one that measures.
const ROLE: &str = "MITT_BENCH_ROLE";

/// Asks for no file, so that none is missing in the end.
const INSTRUCTION: &str = "Call the tool until there is nothing left to do.";

/// Turns with calls in each conversation that is measured. A request holds all that was said before: more turns make each dearer.
const TURNS: usize = 20;

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    match std::env::var(ROLE).as_deref() {
        Ok("mock") => mock::serve(),
        Ok("mcp") => runtime().block_on(serve()),
        Ok("mitt") => {
            let arguments: Vec<_> = std::env::args().skip(1).collect();
            let [address, turns, calls, time] = arguments.as_slice() else { panic!("four") };
            let plan = Plan { turns: turns.parse().unwrap(), calls: calls.parse().unwrap() };
            let time = Duration::from_secs_f64(time.parse().unwrap());
            let measured = runtime().block_on(mitt_loop::measured(address, plan, time));
            println!("{}", serde_json::to_string(&measured).unwrap());
        }
        Ok(other) => panic!("no role `{other}`"),
        Err(_) => measure(),
    }
}

/// As the command line has it.
fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// The tools for Python.
async fn serve() {
    let server = Server::new(mitt_loop::host(), ServerOptions::default()).unwrap();
    server.prepare().await;
    server.serve_stdio(Client::default(), CancellationToken::new()).await.unwrap();
}

fn measure() {
    let mock = Mock::start();
    let seconds = std::env::var("MITT_BENCH_SECONDS").ok().and_then(|text| text.parse().ok());
    let time = seconds.unwrap_or(3.0);
    let columns = [
        ("a turn of", "一轮包含"),
        ("1 call", "1 次调用"),
        ("10 calls", "10 次调用"),
        ("100 calls", "100 次调用"),
        ("first text after", "首段文字延迟"),
        ("most memory in 200 turns", "200 轮的内存峰值"),
    ];
    let mut figures = Figures::new("agents", columns);
    let mut mitt: Option<Vec<Measured>> = None;
    for who in Loop::ALL {
        let plan = |calls| Plan { turns: TURNS, calls };
        let measured = [1, 10, 100].map(|n| who.measure(&mock.address, plan(n), time));
        let long = who.measure(&mock.address, Plan { turns: 200, calls: 1 }, 0.0);
        let measured: Result<Vec<_>, _> = measured.into_iter().chain([long]).collect();
        match measured {
            Ok(measured) => {
                line(&mut figures, who, &measured, mitt.as_deref());
                mitt.get_or_insert(measured);
            }
            Err(why) => eprintln!("skipped: {}: {why}", who.library().unwrap_or("Mitt")),
        }
    }
    figures.finish();
    examples(&mock.address);
}

/// Adds the row of a loop. Its times are compared with those of Mitt's loop, if they are not Mitt's own.
fn line(figures: &mut Figures, who: Loop, measured: &[Measured], mitt: Option<&[Measured]>) {
    let (short, long) = (&measured[0], &measured[3]);
    let mut cells = vec![who.name()];
    for (n, measured) in measured[..3].iter().enumerate() {
        cells.push(compared(measured, mitt.map(|mitt| &mitt[n])).into());
    }
    cells.push(seconds(short.first_text).into());
    cells.push(Text::from(format!("{:.0} MB", long.memory_peak as f64 / 1e6)));
    figures.row(cells);
    if let Some(library) = who.library() {
        figures.beside(format!("{library} {}", short.version));
    }
}

/// What the model of the example is sent, as the tools are shown.
fn examples(address: &str) {
    println!("\n| the example | turns | first request | all requests |\n|---|---|---|---|");
    for mode in ToolMode::ALL {
        let example = runtime().block_on(mitt_loop::example(address, mode));
        let mitt_loop::Example { turns, first, all } = example;
        println!("| {} | {turns} | {first} bytes | {all} bytes |", mode.name());
    }
}

/// The folder of the bundled example.
fn example() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/yoy")
}

fn runs() -> usize {
    std::env::var("MITT_BENCH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(3).max(1)
}

fn seconds(time: f64) -> String {
    match time {
        long if long >= 0.1 => format!("{long:.2} s"),
        short => format!("{:.2} ms", short * 1_000.0),
    }
}
