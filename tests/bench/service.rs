//! Bench of the service: what watchers, runs, uploads and scripts cost behind `mitt serve`.
//!
//! `cargo bench --bench service` starts the program as a server, with a scripted model in this process, and measures 200
//! watchers of one run, 100 runs at once, what a finished run leaves in memory and on the disk, an upload of 1 GiB, and
//! `print(1+1)` at the route of LibreChat. It also measures chat completions beside Open WebUI. Server, model and clients share
//! the machine. The delay of an event is the time from the moment at which the model begins to send a piece of text to the
//! moment at which a client has read it.
//! `cargo bench --bench service -- exec upload` measures these parts alone.
//!
//! `OPEN_WEBUI` names the program of an installed Open WebUI, such as `target/open-webui/bin/open-webui` after
//! `tests/service/run --open-webui`; without it, its row is left out. `MITT_PROGRAM` names the program to measure, by default
//! the one of this build. `MITT_BENCH_SECONDS` is the time of each measurement in seconds, default 5. `MITT_BENCH_WRITE` writes
//! the table into the documentation.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, and starts its server"
)]

#[path = "service/client.rs"]
mod client;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "figures.rs"]
mod figures;
#[path = "service/model.rs"]
mod model;
#[path = "service/open_webui.rs"]
mod open_webui;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "agents/process.rs"]
mod process;
#[path = "service/program.rs"]
mod program;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use client::Connection;
use figures::{Figures, Text};
use model::Model;
use open_webui::OpenWebUi;
use program::Program;
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Watchers of one run.
const WATCHERS: usize = 200;
/// Runs at once.
const RUNS: usize = 100;
/// Pieces of text of a model in a second, each of which is an event.
const PIECES_PER_SECOND: u64 = 50;
/// Finished runs whose memory is measured.
const IDLE_RUNS: usize = 1_000;
/// Clients that make them, and runs that they make before the first look at the memory.
const IDLE_CLIENTS: usize = 8;
const IDLE_WARM: usize = 300;
/// Bytes of an upload.
const UPLOAD: u64 = 1 << 30;
/// Time in which what was used by requests is given back, before a look at the memory.
const SETTLE: Duration = Duration::from_secs(1);

/// The parts, by which words of the command line choose.
const PARTS: [&str; 6] = ["watchers", "runs", "idle", "upload", "exec", "chat"];

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(measure());
}

async fn measure() {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let mut table =
        Table(Figures::new("service", [("what", "项目"), ("measured", "实测"), ("aim", "目标")]));
    program::warm();
    for part in
        PARTS.into_iter().filter(|part| words.is_empty() || words.iter().any(|it| it == part))
    {
        // Each part has a server of its own, so that none sees the memory of another.
        let model = Model::start().await;
        let program = Program::start(&model).await;
        match part {
            "watchers" => watchers(&program, &model, &mut table).await,
            "runs" => runs(&program, &model, &mut table).await,
            "idle" => idle(&program, &mut table).await,
            "upload" => upload(&program, &mut table).await,
            "chat" => chat(&program, &model, &mut table).await,
            _ => exec(&program, &mut table).await,
        }
        program.end().await;
    }
    table.0.finish();
}

/// The table of figures, which prints each row as it comes.
struct Table(Figures);

impl Table {
    fn row(&mut self, what: (&str, &str), measured: impl Into<Text>, aim: impl Into<Text>) {
        self.0.row([what.into(), measured.into(), aim.into()]);
        println!("measured: {}", what.0);
    }
}

/// The time of each measurement.
fn time() -> Duration {
    let seconds = std::env::var("MITT_BENCH_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(5))
}

/// Times that were measured.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn sorted(mut self) -> Times {
        self.0.sort();
        self
    }

    fn at(&self, part: f64) -> Duration {
        self.0[((self.0.len() - 1) as f64 * part) as usize]
    }

    /// Returns the median and the 99th percentile.
    fn shown(&self) -> String {
        format!("{:.1?}, {:.1?}", self.at(0.50), self.at(0.99))
    }
}

/// Returns the instruction for a model that sends pieces of text for the time of a measurement.
fn talks() -> String {
    let pieces = time().as_secs().max(1) * PIECES_PER_SECOND;
    format!("[pieces {pieces} {}]", 1_000 / PIECES_PER_SECOND)
}

/// Returns the body of a request for a run.
fn new_run(instruction: &str) -> Value {
    json!({ "instruction": instruction, "options": { "no_routing": true } })
}

/// Reads the events of a run to its end, and returns the delays of its pieces of text. `begun` is called after the first
/// event.
async fn watch(connection: &mut Connection, model: &Model, begun: impl FnOnce()) -> Times {
    let (mut delays, mut begun, mut name) = (Times::default(), Some(begun), String::new());
    while let Some(line) = connection.line().await {
        if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut name);
            if let Some(begun) = begun.take() {
                begun();
            }
        } else if line.starts_with("data: ") && name == "text" {
            delays.0.extend(model.delays(&line));
        }
    }
    assert_eq!(name, "ended", "the stream ends with the run");
    delays
}

async fn watchers(program: &Program, model: &Arc<Model>, table: &mut Table) {
    // Caches fill, and buffers grow.
    watched(program, model, "[pieces 50 5]", 20).await;
    let Watched { delays, before, open, peak } = watched(program, model, &talks(), WATCHERS).await;
    let each = |bytes: u64| kilobytes(bytes.saturating_sub(before) / WATCHERS as u64);
    table.row(
        (
            "200 watchers of one run: delay of an event, median, 99 %",
            "200 个观察者看同一次运行：事件延迟，中位数、99 %",
        ),
        delays.sorted().shown(),
        "",
    );
    table.row(("memory of a watcher that waits", "等待中的观察者占用内存"), each(open), "50 kB");
    table.row(
        ("memory of a watcher that receives events, at most", "接收事件的观察者占用内存，峰值"),
        each(peak),
        "50 kB",
    );
}

/// What was measured of watchers of one run.
struct Watched {
    delays: Times,
    /// Memory of the server in bytes: before they came, while they wait, and the most while they receive.
    before: u64,
    open: u64,
    peak: u64,
}

/// Lets watchers follow a run whose model begins to talk when all of them are there.
async fn watched(
    program: &Program,
    model: &Arc<Model>,
    instruction: &str,
    count: usize,
) -> Watched {
    model.close_gate();
    let mut creating = Connection::open(program.address).await;
    let run = creating.post("/v1/runs", &new_run(instruction)).await;
    let path = format!("/v1/runs/{}/events", run["id"].as_str().unwrap());
    tokio::time::sleep(SETTLE).await;
    let before = program.memory().now;
    let (begun, mut all_begun) = tokio::sync::mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    for _ in 0..count {
        let (model, path, begun) = (model.clone(), path.clone(), begun.clone());
        let address = program.address;
        tasks.spawn(async move {
            let mut connection = Connection::open(address).await;
            connection.follow("GET", &path, None).await;
            watch(&mut connection, &model, || begun.send(()).unwrap()).await
        });
    }
    for _ in 0..count {
        all_begun.recv().await.unwrap();
    }
    tokio::time::sleep(SETTLE).await;
    let open = program.memory().now;
    program.reset_peak();
    model.open_gate();
    let mut delays = Times::default();
    while let Some(watched) = tasks.join_next().await {
        delays.0.extend(watched.unwrap().0);
    }
    Watched { delays, before, open, peak: program.memory().peak }
}

async fn runs(program: &Program, model: &Arc<Model>, table: &mut Table) {
    load(program, RUNS, Limit::Time(Duration::from_secs(1)), short_run()).await;
    let Load { per_second, times } = load(program, RUNS, Limit::Time(time()), short_run()).await;
    table.row(
        (
            "100 runs at once, of one turn each: runs per second",
            "同时 100 次运行，各一轮：每秒完成的运行",
        ),
        format!("{per_second:.0}"),
        "",
    );
    table.row(
        ("the same: time of a run, median, 99 %", "同上：一次运行的时间，中位数、99 %"),
        times.shown(),
        "",
    );
    let mut tasks = JoinSet::new();
    for _ in 0..RUNS {
        let (model, address) = (model.clone(), program.address);
        tasks.spawn(async move {
            let mut connection = Connection::open(address).await;
            connection.follow("POST", "/v1/runs", Some(&new_run(&talks()))).await;
            watch(&mut connection, &model, || {}).await
        });
    }
    let mut delays = Times::default();
    while let Some(watched) = tasks.join_next().await {
        delays.0.extend(watched.unwrap().0);
    }
    table.row(
        (
            "100 runs at once, each with 50 events a second and a watcher: delay of an event, median, 99 %",
            "同时 100 次运行，各每秒 50 个事件、一个观察者：事件延迟，中位数、99 %",
        ),
        delays.sorted().shown(),
        "",
    );
}

/// A request that is sent again and again, and what its response must be.
#[derive(Clone)]
struct Work {
    path: &'static str,
    body: Value,
    is_right: fn(&Value) -> bool,
    /// The token of the client, if the server wants one.
    token: Option<String>,
}

/// Returns the work of a run with one turn.
fn short_run() -> Work {
    Work {
        path: "/v1/runs?wait=true",
        body: new_run("[say ok]"),
        is_right: |run| run["status"] == "completed" && run["text"] == "ok",
        token: None,
    }
}

/// When clients end.
#[derive(Clone, Copy)]
enum Limit {
    Time(Duration),
    /// All clients together have sent so many requests.
    Requests(usize),
}

/// What was measured of clients that work as fast as they are answered.
struct Load {
    per_second: f64,
    times: Times,
}

/// Lets clients work, each on a connection of its own.
async fn load(program: &Program, clients: usize, limit: Limit, work: Work) -> Load {
    load_at(program.address, clients, limit, work).await
}

async fn load_at(address: SocketAddr, clients: usize, limit: Limit, work: Work) -> Load {
    let (begun, sent) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
    let mut tasks = JoinSet::new();
    for _ in 0..clients {
        let (work, sent) = (work.clone(), sent.clone());
        tasks.spawn(async move {
            let mut connection = Connection::open(address).await.with_token(work.token.as_deref());
            let mut times = Times::default();
            let goes_on = || match limit {
                Limit::Time(time) => begun.elapsed() < time,
                Limit::Requests(most) => sent.fetch_add(1, Ordering::Relaxed) < most,
            };
            while goes_on() {
                let asked = Instant::now();
                let answer = connection.post(work.path, &work.body).await;
                times.0.push(asked.elapsed());
                assert!((work.is_right)(&answer), "{answer}");
            }
            times
        });
    }
    let mut times = Times::default();
    while let Some(done) = tasks.join_next().await {
        times.0.extend(done.unwrap().0);
    }
    let per_second = times.0.len() as f64 / begun.elapsed().as_secs_f64();
    Load { per_second, times: times.sorted() }
}

async fn idle(program: &Program, table: &mut Table) {
    load(program, IDLE_CLIENTS, Limit::Requests(IDLE_WARM), short_run()).await;
    tokio::time::sleep(SETTLE).await;
    let (memory, disk) = (program.memory().now, program.disk());
    load(program, IDLE_CLIENTS, Limit::Requests(IDLE_RUNS), short_run()).await;
    tokio::time::sleep(SETTLE).await;
    let each = |now: u64, before: u64| kilobytes(now.saturating_sub(before) / IDLE_RUNS as u64);
    table.row(
        ("memory of a finished run, of 1 000", "一次已结束的运行占用内存（1 000 次平均）"),
        each(program.memory().now, memory),
        "0",
    );
    table.row(("the same run on the disk", "同上，占用磁盘"), each(program.disk(), disk), "");
}

async fn upload(program: &Program, table: &mut Table) {
    let shown = |time: Duration, before: u64, peak: u64| {
        let rate = UPLOAD as f64 / 1e6 / time.as_secs_f64();
        let more = peak.saturating_sub(before) as f64 / 1e6;
        let time = time.as_secs_f64();
        Text::from((
            format!("{time:.1} s ({rate:.0} MB/s), {more:.1} MB more memory").as_str(),
            format!("{time:.1} s（{rate:.0} MB/s），内存增加 {more:.1} MB").as_str(),
        ))
    };
    for (name, chinese, is_form) in [
        ("upload of 1 GiB as a form to `/v1/files`", "以表单向 `/v1/files` 上传 1 GiB", true),
        ("upload of 1 GiB by tus to `/v1/uploads`", "以 tus 向 `/v1/uploads` 上传 1 GiB", false),
    ] {
        let mut connection = Connection::open(program.address).await;
        // Caches fill, and buffers grow.
        uploaded(&mut connection, UPLOAD / 64, is_form).await;
        tokio::time::sleep(SETTLE).await;
        let before = program.memory().now;
        program.reset_peak();
        let begun = Instant::now();
        uploaded(&mut connection, UPLOAD, is_form).await;
        let measured = shown(begun.elapsed(), before, program.memory().peak);
        table.row((name, chinese), measured, ("flat", "持平"));
    }
}

/// Uploads so many bytes.
async fn uploaded(connection: &mut Connection, size: u64, is_form: bool) {
    if is_form {
        let before = "--bench\r\ncontent-disposition: form-data; name=\"purpose\"\r\n\r\nuser_data\r\n--bench\r\n\
             content-disposition: form-data; name=\"file\"; filename=\"large.bin\"\r\n\
             content-type: application/octet-stream\r\n\r\n";
        let head = "content-type: multipart/form-data; boundary=bench\r\n";
        let parts = (before, size, "\r\n--bench--\r\n");
        let (status, _, answer) = connection.upload("POST", "/v1/files", head, parts).await;
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert!(status == 200 && answer["bytes"] == size, "{answer}");
        return;
    }
    let head = format!("tus-resumable: 1.0.0\r\nupload-length: {size}\r\n");
    let (status, head, _) = connection.upload("POST", "/v1/uploads", &head, ("", 0, "")).await;
    let address = client::field(&head, "location").unwrap_or_default();
    assert_eq!(status, 201, "{head}");
    let (_, path) = address.split_once("/v1/").unwrap();
    let head = "tus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-type: application/offset+octet-stream\r\n";
    let (path, parts) = (format!("/v1/{path}"), ("", size, ""));
    let (status, head, _) = connection.upload("PATCH", &path, head, parts).await;
    assert_eq!(status, 204, "{head}");
    assert_eq!(client::field(&head, "upload-offset"), Some(size.to_string().as_str()));
}

async fn exec(program: &Program, table: &mut Table) {
    let work = || Work {
        path: "/librechat/exec",
        body: json!({ "lang": "py", "code": "print(1+1)" }),
        is_right: |answer| answer["stdout"] == "2\n",
        token: None,
    };
    load(program, 4, Limit::Time(Duration::from_secs(1)), work()).await;
    let one = load(program, 1, Limit::Time(time()), work()).await;
    table.row(
        (
            "`print(1+1)` at `/librechat/exec`, one client: median, 99 %",
            "在 `/librechat/exec` 执行 `print(1+1)`，一个客户端：中位数、99 %",
        ),
        one.times.shown(),
        "5 ms",
    );
    let four = load(program, 4, Limit::Time(time()), work()).await;
    table.row(
        ("the same, four clients: scripts per second", "同上，四个客户端：每秒脚本数"),
        format!("{:.0}", four.per_second),
        "200",
    );
    table.row(
        ("the same, four clients: median, 99 %", "同上，四个客户端：中位数、99 %"),
        four.times.shown(),
        "",
    );
}

fn kilobytes(bytes: u64) -> String {
    format!("{:.1} kB", bytes as f64 / 1e3)
}

/// Measures chat completions of one turn, with Mitt and with Open WebUI between the clients and the model.
async fn chat(program: &Program, model: &Model, table: &mut Table) {
    let work = |path, token: Option<&str>| Work {
        path,
        body: json!({ "model": "mock", "messages": [{ "role": "user", "content": "[say ok]" }] }),
        is_right: |answer| answer["choices"][0]["message"]["content"] == "ok",
        token: token.map(str::to_owned),
    };
    let shown = |load: &Load, memory: u64| {
        let times = load.times.shown();
        let (rate, memory) = (load.per_second, memory >> 20);
        Text::from((
            format!("{rate:.0} answers a second, {times}, {memory} MiB").as_str(),
            format!("每秒 {rate:.0} 个回答，{times}，{memory} MiB").as_str(),
        ))
    };
    let warm = Limit::Time(Duration::from_secs(1));
    load(program, RUNS, warm, work("/v1/chat/completions", None)).await;
    let done = load(program, RUNS, Limit::Time(time()), work("/v1/chat/completions", None)).await;
    table.row(
        (
            "100 clients of `/v1/chat/completions`: answers, time of an answer (median, 99 %), memory",
            "`/v1/chat/completions` 的 100 个客户端：回答数、一次回答的时间（中位数、99 %）、内存",
        ),
        shown(&done, program.memory().now),
        "",
    );
    let Some(peer) = OpenWebUi::start(model).await else {
        println!("skipped: Open WebUI: OPEN_WEBUI names no program");
        return;
    };
    let work = work("/api/chat/completions", Some(&peer.token));
    load_at(peer.address, RUNS, warm, work.clone()).await;
    let done = load_at(peer.address, RUNS, Limit::Time(time()), work).await;
    table.row(
        ("the same with Open WebUI in place of Mitt", "同上，以 Open WebUI 代替 Mitt"),
        shown(&done, peer.memory()),
        "",
    );
    peer.end().await;
}
