//! Bench of plans, routing and delegated work: what they cost beside their models.
//!
//! `cargo bench --bench plans` prints how long a plan of 100 steps takes with 4 workers, beside its critical path, where each answer
//! of the model takes a fixed time; what a plan keeps that waits for a decision; what deciding about a message takes before a model
//! is asked; and what a delegated call takes whose models answer at once. `MITT_BENCH_RUNS` is how often each is measured, default
//! 5; the median counts.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, and looks at the system"
)]

#[allow(dead_code, reason = "each bench uses a part")]
#[path = "figures.rs"]
mod figures;
#[path = "measured.rs"]
#[allow(dead_code, reason = "other benches measure processes")]
mod measured;
#[path = "agents/process.rs"]
#[allow(dead_code, reason = "other benches measure processor time")]
mod process;

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use figures::Figures;
use futures_util::stream;
use measured::median;
use mitt::{Host, Result, Session, SessionOptions};
use mitt_agent::model::{ChatEvent, ChatModel, ChatRequest, ChatStream, Message, ModelCall};
use mitt_agent::plan::{DecidedPlan, PlanDesk, PlanReview, Planner};
use mitt_agent::route::{Candidate, Incoming, route};
use mitt_agent::{Agent, DELEGATE, Roster, RunHeader, RunLog, Team, ToolMode};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

const STEPS: usize = 100;
const WORKERS: usize = 4;

/// Sentences of users in both languages, with their classes.
const SENTENCES: [&str; 3] = [
    include_str!("../../src/agent/route/cases/reference.tsv"),
    include_str!("../../src/agent/route/cases/tuned.tsv"),
    include_str!("../../src/agent/route/cases/heldout.tsv"),
];

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut figures = Figures::new("plans", [("what", "项目"), ("measured", "实测")]);
    for delay in [100, 20].map(Duration::from_millis) {
        critical_path(&runtime, delay, &mut figures);
    }
    waiting(&runtime, &mut figures);
    routing(&mut figures);
    delegated(&runtime, &mut figures);
    figures.finish();
}

/// Makes a plan of 100 steps in four chains, finds each result good, and needs a fixed time for each answer.
struct Mock {
    delay: Duration,
    plan: String,
    /// How many calls of a sub-agent it wants made.
    delegates: usize,
}

impl Mock {
    fn new(delay: Duration, delegates: usize) -> Arc<Mock> {
        let step = |n: usize| {
            let needs = n.checked_sub(WORKERS).map(|before| format!("s{before}"));
            json!({
                "id": format!("s{n}"), "title": format!("Step {n}"), "description": "Find it out.", "kind": "research",
                "needs": Vec::from_iter(needs),
            })
        };
        let steps: Vec<_> = (0..STEPS).map(step).collect();
        let plan =
            json!({ "title": "All", "thought": "", "has_enough_context": false, "steps": steps });
        Arc::new(Mock { delay, plan: plan.to_string(), delegates })
    }

    fn answer(&self, messages: &[Message]) -> ChatEvent {
        let first = messages.iter().find_map(|message| match message {
            Message::User { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let n_answers = messages.iter().filter(|it| matches!(it, Message::Assistant(_))).count();
        ChatEvent::Text(match first.unwrap_or_default() {
            plan if plan.starts_with("# Plan") => self.plan.clone(),
            look if look.starts_with("# Review") => r#"{"passed":true,"feedback":""}"#.to_owned(),
            asked if asked.starts_with("Delegate") && n_answers < self.delegates => {
                let arguments = json!({ "agent": "explorer", "task": "Look.", "inputs": [] });
                return ChatEvent::Call(ModelCall {
                    id: format!("call-{n_answers}"),
                    name: DELEGATE.to_owned(),
                    arguments: arguments.to_string(),
                });
            }
            _ => "It is 42.".to_owned(),
        })
    }
}

#[async_trait]
impl ChatModel for Mock {
    fn name(&self) -> &str {
        "mock"
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        Ok(Box::pin(stream::iter([Ok(self.answer(request.messages))])))
    }
}

fn session(host: &Host) -> Session {
    host.session(SessionOptions::default()).unwrap()
}

fn host() -> Host {
    Host::builder().no_cache().build().unwrap()
}

fn planner(model: Arc<Mock>, review: Option<Arc<dyn PlanReview>>) -> Planner {
    let agent = Agent::builder(model).build();
    let builder = Planner::builder(agent).limits(|of| (of.steps, of.workers) = (STEPS, WORKERS));
    match review {
        Some(review) => builder.review(review).build(),
        None => builder.build(),
    }
}

fn critical_path(runtime: &Runtime, delay: Duration, figures: &mut Figures) {
    let host = host();
    // The plan, of each step in a chain the work and the look at it, and the report.
    let path = delay * (1 + 2 * (STEPS / WORKERS) as u32 + 1);
    let time = median(|| {
        let planner = planner(Mock::new(delay, 0), None);
        let session = session(&host);
        let start = Instant::now();
        let report = runtime.block_on(planner.run(&session, "Find it all out")).unwrap();
        assert_eq!((report.missing.len(), report.turns), (0, 2 + 2 * STEPS as u64));
        start.elapsed()
    });
    let more = time.as_secs_f64() / path.as_secs_f64() - 1.0;
    let percent = more * 100.0;
    let what = (
        &*format!(
            "plan of {STEPS} steps in {WORKERS} chains, {WORKERS} workers, answers of {delay:?}: critical path {path:.2?}"
        ),
        &*format!(
            "{STEPS} 步计划，{WORKERS} 条链，{WORKERS} 个工作线程，每次应答 {delay:?}：关键路径 {path:.2?}"
        ),
    );
    let measured =
        (&*format!("{time:.2?}, {percent:.1} % more"), &*format!("{time:.2?}，多 {percent:.1} %"));
    figures.row([what.into(), measured.into()]);
}

/// Counts what is written.
#[derive(Clone, Default)]
struct Counted(Arc<Mutex<u64>>);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        *self.0.lock().unwrap() += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn waiting(runtime: &Runtime, figures: &mut Figures) {
    const PLANS: usize = 500;
    let host = host();
    let log = Counted::default();
    let header =
        RunHeader::new("2026-11-25T08:00:00Z".to_owned(), "mock".to_owned(), ToolMode::Script);
    let planner_later =
        planner(Mock::new(Duration::ZERO, 0), Some(Arc::new(DecidedPlan::new(None))));
    let its_session = session(&host);
    let mut run = planner_later.begin(&its_session, "Find it all out");
    run.log_to(RunLog::begin(log.clone(), &header).unwrap());
    assert!(runtime.block_on(run.run()).is_err(), "it waits");
    let what = (
        &*format!("plan of {STEPS} steps that waits in its log for a decision, on the disk"),
        &*format!("{STEPS} 步计划在日志中等待决定，占磁盘"),
    );
    let bytes = format!("{:.1} kB", *log.0.lock().unwrap() as f64 / 1e3);
    figures.row([what.into(), bytes.into()]);

    let wait = |n: usize| {
        let host = host.clone();
        (0..n).map(move |_| {
            let (planner, session) = (
                planner(Mock::new(Duration::ZERO, 0), Some(Arc::new(PlanDesk::default()))),
                session(&host),
            );
            runtime.spawn(async move { planner.run(&session, "Find it all out").await.map(drop) })
        })
    };
    let id = std::process::id();
    let mut waiting: Vec<_> = wait(50).collect();
    std::thread::sleep(Duration::from_secs(1));
    let Some(before) = process::memory(id) else { return };
    waiting.extend(wait(PLANS));
    std::thread::sleep(Duration::from_secs(5));
    let after = process::memory(id).unwrap_or_default();
    assert!(waiting.iter().all(|run| !run.is_finished()), "they wait");
    let each = after.now.saturating_sub(before.now) / PLANS as u64;
    let what = (
        "plan that waits in a process (`PlanDesk`), with its session, in memory",
        "在进程中等待的计划（`PlanDesk`），含会话，占内存",
    );
    figures.row([what.into(), format!("{} KiB", each / 1024).into()]);
    waiting.iter().for_each(|run| run.abort());
}

fn routing(figures: &mut Figures) {
    let lines = SENTENCES.iter().flat_map(|file| file.lines());
    let sentences: Vec<&str> = lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.split_once('\t')?.1))
        .collect();
    let skills = ["document-tool", "excel-tool", "table-tool", "report", "chart-tool", "word-tool"];
    let skills = skills.map(|name| Candidate { name, by_user: true });
    let mut times: Vec<Duration> = Vec::new();
    for sentence in &sentences {
        times.push(median(|| {
            let start = Instant::now();
            let routed = route(Incoming { message: sentence, ..Incoming::default() }, &skills);
            let time = start.elapsed();
            drop(std::hint::black_box(routed));
            time
        }));
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    let what = (
        &*format!("routing of a message without gate 2, over {} sentences", times.len()),
        &*format!("一条消息的路由（不含关口 2），共 {} 句", times.len()),
    );
    let [median, most, max] = [50, 99, 100].map(at);
    let measured = (
        &*format!("median {median:.1?}, 99 % below {most:.1?}, at most {max:.1?}"),
        &*format!("中位数 {median:.1?}，99 % 低于 {most:.1?}，最长 {max:.1?}"),
    );
    figures.row([what.into(), measured.into()]);
}

fn delegated(runtime: &Runtime, figures: &mut Figures) {
    const CALLS: usize = 8;
    let host = host();
    let time = |delegates: usize| {
        median(|| {
            let team = Team::new(Roster::built_in(), |_| Err(mitt::Error::model("none")));
            let model = Mock::new(Duration::ZERO, delegates);
            let agent = Agent::builder(model).team(team).build();
            let session = session(&host);
            let start = Instant::now();
            let report = runtime.block_on(agent.run(&session, "Delegate it")).unwrap();
            let time = start.elapsed();
            assert_eq!(report.delegated.iter().filter(|it| it.is_done()).count(), delegates);
            time
        })
    };
    let each = time(CALLS).saturating_sub(time(0)) / CALLS as u32;
    let what = (
        "delegated call, with the turn that makes it and the turn that does it",
        "一次委派调用，含发起它的一轮和执行它的一轮",
    );
    figures.row([what.into(), format!("{each:.2?}").into()]);
}
