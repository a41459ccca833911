//! Bench of the MCP server: what the sandbox costs behind a protocol.
//!
//! `cargo bench --bench mcp` calls an empty tool over standard input and output and over HTTP, with one client and with 32,
//! and beside it the same tool of the least server that rmcp can make, without a sandbox. Both servers are this program,
//! started again: one build, one optimisation, processes of their own. `MITT_BENCH_SECONDS` is the time of each
//! measurement in seconds, default 3.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its servers"
)]

#[allow(dead_code, reason = "each bench uses a part")]
#[path = "figures.rs"]
mod figures;
#[path = "mcp/load.rs"]
mod load;
#[path = "mcp/peer.rs"]
mod peer;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use figures::Figures;
use load::{Measured, Transport};
use mitt::{Environment, Host, SessionOptions};
use mitt_serve::http::{HttpOptions, HttpServer};
use mitt_serve::mcp::{Client, Server, ServerOptions};
use tokio_util::sync::CancellationToken;

/// Which server this process is; none: the one that measures.
const ROLE: &str = "MITT_BENCH_ROLE";

const EMPTY: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

fn main() -> ExitCode {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    match std::env::var(ROLE) {
        Ok(role) => runtime.block_on(serve(&role)),
        // `cargo test --benches` only asks whether it starts.
        Err(_) if std::env::args().any(|argument| argument == "--test") => {}
        Err(_) => runtime.block_on(measure()),
    }
    ExitCode::SUCCESS
}

async fn serve(role: &str) {
    match role {
        "mitt-stdio" => {
            let server = Server::new(host(), ServerOptions::default()).unwrap();
            server.prepare().await;
            server.serve_stdio(Client::default(), CancellationToken::new()).await.unwrap();
        }
        "mitt-http" => {
            let options =
                HttpOptions { listen: "127.0.0.1:0".parse().unwrap(), ..HttpOptions::default() };
            let server = HttpServer::bind(host(), ServerOptions::default(), options).await.unwrap();
            println!("{}", server.address());
            server.serve(CancellationToken::new()).await;
        }
        "mitt-direct" => direct().await,
        "peer-stdio" => peer::stdio().await,
        "peer-http" => peer::http().await,
        other => panic!("no role `{other}`"),
    }
}

/// Calls without any protocol, in one task for each worker: what is left when MCP is taken away, for a profiler to look at.
async fn direct() {
    let session = host().session(SessionOptions::default()).unwrap();
    let caller = || {
        let session = session.clone();
        tokio::spawn(async move {
            let begun = Instant::now();
            let mut calls = 0_u32;
            while begun.elapsed() < time() {
                session.call("empty__run", "{}").await.result.unwrap();
                calls += 1;
            }
            begun.elapsed() / calls
        })
    };
    let (one, other) = (caller(), caller());
    println!("{:?} and {:?} per call", one.await.unwrap(), other.await.unwrap());
}

/// Of one measurement.
fn time() -> Duration {
    let seconds = std::env::var("MITT_BENCH_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(3))
}

fn host() -> Host {
    Host::builder()
        .no_cache()
        .bundled_skills(false)
        .environment(Environment::default())
        .component_bytes("empty", wat::parse_str(EMPTY).unwrap())
        .build()
        .unwrap()
}

async fn measure() {
    let time = time();
    let mut figures = Figures::new(
        "mcp",
        [
            ("transport", "传输方式"),
            ("clients", "客户端"),
            ("calls/s", "每秒调用"),
            ("median, 99 %", "中位数、99 %"),
            ("CPU per call", "每次调用的 CPU"),
            ("rmcp alone: calls/s", "仅 rmcp：每秒调用"),
            ("CPU per call", "每次调用的 CPU"),
            ("part of its calls", "与其之比"),
        ],
    );
    figures.beside("rmcp alone, the same tool without a sandbox");
    // `cargo bench --bench mcp -- "HTTP 2025" 32` measures what matches all words.
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    for transport in [Transport::Stdio, Transport::Sessions, Transport::Requests] {
        for clients in [1, 32] {
            let matches =
                |word: &String| transport.name().contains(word) || clients.to_string() == *word;
            if !words.iter().all(matches) {
                continue;
            }
            let peer = load::measure("peer", transport, clients, time).await;
            let mitt = load::measure("mitt", transport, clients, time).await;
            let part = mitt.per_second / peer.per_second * 100.0;
            let row = [
                transport.name().to_owned(),
                clients.to_string(),
                format!("{:.0}", mitt.per_second),
                format!("{:.1?}, {:.1?}", mitt.p50, mitt.p99),
                cpu(&mitt),
                format!("{:.0}", peer.per_second),
                cpu(&peer),
                format!("{part:.0} %"),
            ];
            println!("{}", row.join("  "));
            figures.row(row.map(Into::into));
        }
    }
    figures.finish();
}

fn cpu(measured: &Measured) -> String {
    measured.cpu.map_or_else(|| "?".to_owned(), |cpu| format!("{cpu:.1?}"))
}
